//! Machines: each says every few seconds that it is there, with the claims that name its key.

use crate::connection;
use crate::context::Context;
use crate::envelope::{Fault, open_vouched};
use crate::jwt::{Identity, Reader};
use crate::layout::{self, MACHINES};
use crate::message::Presence;
use crate::nats::Endless;
use crate::seat::{Role, Seat};
use crate::state::Machine;
use crate::stored::{Bucket, Entry};
use crate::work::offer::{LARGEST_OFFER, Offer};
use loopdeck_core::times::Timestamp;
use loopdeck_system::clock;
use std::time::Duration;

/// How often a machine says that it is there.
const EVERY: Duration = Duration::from_secs(10);
/// How often machines that fell silent are looked for.
const LOOK: Duration = Duration::from_secs(5);

/// Says again and again that this machine is there.
pub(crate) async fn announce(context: &Context, machines: &Bucket) -> Endless {
    let seat = context.seat().to_string();
    let (token, version) = (context.token.clone(), env!("CARGO_PKG_VERSION").to_owned());
    let mut presence = Presence { token, version, at: 0 };
    let subject = layout::key_subject(MACHINES, &seat);
    loop {
        if context.invitation.has_ended_unnoticed(clock::now()) {
            return Err(connection::EXPIRED.into());
        }
        let offer = match context.invitation.role {
            Role::Node => serde_json::to_vec(&context.node.current_offer())?,
            _ => Vec::new(),
        };
        presence.at = clock::now().millis();
        context.state.lock().said_at = presence.at;
        let message = context.signer.seal(&subject, &presence, &offer)?;
        machines.put(&seat, message).await?;
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            () = context.node.offered.notified() => {}
        }
    }
}

/// Hears of every machine.
pub(crate) async fn hear_machines(context: &Context, machines: &Bucket) -> Endless {
    let mut heard = machines.follow(">").await?;
    let mut current = false;
    let mut look = tokio::time::interval(LOOK);
    loop {
        tokio::select! {
            entry = heard.next() => {
                let Some(entry) = entry? else {
                    current = true;
                    continue;
                };
                // What was there before may be old: the server knows since when.
                let seen = if current { clock::now() } else { context.local_time(entry.message.stored) };
                let stored = (!current).then_some(entry.message.stored);
                if let Some((seat, machine)) = read_machine(context.reader(), &entry, seen) {
                    context.note_machine(seat, &Machine { stored, ..machine });
                }
            }
            _ = look.tick() => context.show_reachability(),
        }
    }
}

/// The public key of a machine that may share.
///
/// # Errors
/// `Forged` when there is no such machine.
pub(crate) async fn contributor_key(
    context: &Context,
    machines: &Bucket,
    seat: &Seat,
) -> Result<String, Fault> {
    let identity = find_identity(context, machines, seat).await;
    Ok(identity.filter(|one| one.role.contributes()).ok_or(Fault::Forged)?.key)
}

/// Who a machine is, asked from the server when it was not heard of yet.
async fn find_identity(context: &Context, machines: &Bucket, seat: &Seat) -> Option<Identity> {
    let now = clock::now().millis() / 1_000;
    if let Some(known) = context.state.lock().machines.get(seat) {
        // Its time may have ended since it was heard of. Not every server shuts it out then.
        return known.identity.counts(now).then(|| known.identity.clone());
    }
    let entry = machines.entry(&seat.to_string()).await.ok()??;
    let (seat, machine) = read_machine(context.reader(), &entry, context.local_time(entry.message.stored))?;
    let identity = machine.identity.clone();
    context.state.lock().machines.insert(seat, machine);
    Some(identity)
}

/// A machine's own word, when its key signed it and the account says whose key that is.
pub(crate) fn read_machine(reader: Reader<'_>, entry: &Entry, seen: Timestamp) -> Option<(Seat, Machine)> {
    let seat = Seat::parse(&entry.key)?;
    let subject = layout::key_subject(MACHINES, &entry.key);
    let (Presence { version, at, .. }, identity, sealed) =
        open_vouched(reader, &subject, &entry.message.value).ok()?;
    let version = version.chars().take(40).collect();
    let offers = identity.role == Role::Node && (1..=LARGEST_OFFER).contains(&sealed.body.len());
    let offer: Option<Offer> = offers.then(|| serde_json::from_slice(sealed.body).ok()).flatten();
    // A message is on its way for a moment, and more than that is no difference of clocks.
    let ahead = (at != 0).then(|| at.saturating_sub(entry.message.stored.millis()));
    let (said_at, number) = (at, sealed.number);
    (identity.seat == seat)
        .then_some((seat, Machine { identity, seen, stored: None, said_at, ahead, number, version, offer }))
}

impl Context {
    /// Who this machine is, and what it believes of others, now.
    pub(crate) fn reader(&self) -> Reader<'_> {
        let (account, now) = (&self.invitation.account, clock::now().millis() / 1_000);
        Reader { account, seat: self.seat(), now }
    }

    /// Takes in what a machine said, unless that is older than what is known of it.
    fn note_machine(&self, seat: Seat, machine: &Machine) {
        let known = self.state.lock().machines.get(&seat).map(|known| known.number);
        if seat == *self.seat() {
            self.signer.learn(machine.number);
        }
        if known.is_some_and(|known| known > machine.number) {
            return; // somebody published it again
        }
        self.note_own_clock(&seat, machine);
        let before = self.state.lock().machines.insert(seat, machine.clone());
        // Every machine says this every few seconds; the screen hears only of what looks different.
        if before.is_none_or(|before| before.looks_different(machine, clock::now())) {
            self.tell_screen();
        }
    }

    /// Measures this machine's clock by its own word, once that came back from the server.
    fn note_own_clock(&self, seat: &Seat, machine: &Machine) {
        let mut state = self.state.lock();
        if seat != self.seat() || machine.said_at != state.said_at {
            return; // of an earlier time, when the clock may have been another
        }
        let is_new = state.ahead.is_none();
        state.ahead = machine.ahead;
        // The server's word about those who were not heard of since is put into the time of this machine.
        let ahead = machine.ahead.unwrap_or(0);
        for other in state.machines.values_mut() {
            if let Some(stored) = other.stored {
                other.seen = Timestamp::from_millis(stored.millis() + ahead);
            }
        }
        drop(state);
        if is_new {
            self.measured.notify_waiters();
        }
    }

    /// Waits until it is known how far this machine's clock is from the server's.
    pub(crate) async fn clock_is_known(&self) {
        loop {
            let measured = self.measured.notified();
            tokio::pin!(measured);
            measured.as_mut().enable();
            if self.state.lock().ahead.is_some() {
                return;
            }
            measured.await;
        }
    }

    /// What the server's clock says now, and not less than `at_least`.
    pub(crate) fn server_time(&self, at_least: i64) -> i64 {
        let ahead = self.state.lock().ahead.unwrap_or(0);
        (clock::now().millis() - ahead).max(at_least)
    }

    /// A time of the server by the clock of this machine; never in the future.
    fn local_time(&self, at: Timestamp) -> Timestamp {
        let ahead = self.state.lock().ahead.unwrap_or(0);
        Timestamp::from_millis((at.millis() + ahead).min(clock::now().millis()))
    }
}
