//! Commands of other machines: checked, carried out once, answered.

use crate::codes::code_of;
use crate::context::Context;
use crate::envelope::{Fault, open_vouched};
use crate::full::{Full, publish_once};
use crate::jwt::{Identity, Reader};
use crate::layout::{self, COMMANDS};
use crate::message::{Answer, Command, is_id};
use crate::nats::{Endless, NatsResult};
use crate::outbox::{BegunCommands, Progress};
use crate::owed::{OwedAnswer, OwedAnswers};
use crate::queue::{Queue, stored_at};
use crate::seat::Seat;
use crate::stored::Servers;
use async_nats::jetstream;
use loopdeck_core::control::Standing;
use loopdeck_core::loop_id::LoopId;
use loopdeck_runtime::elsewhere::RemoteChange;
use loopdeck_runtime::store::journal::CommandProgress;
use loopdeck_system::dirs;
use loopdeck_system::failure::{Failure, FailureKind};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// An older command is no longer what anybody wants. It is answered all the same.
const FRESH_MS: i64 = 24 * 3_600_000;
/// The clock of a sender may differ from the server's by this. It is much less than the time for which ids of commands are
/// remembered, so that a message that somebody publishes again is never new.
const SKEW_MS: i64 = 48 * 3_600_000;
/// The server keeps commands for 7 days.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(8 * 24 * 3_600);
/// Answers that the server had no room for are tried again after this.
const AGAIN: Duration = Duration::from_secs(5);

/// Carries out what others ask of this machine.
pub(crate) async fn carry_out_commands(context: &Context, servers: &Servers) -> Endless {
    let jetstream = &servers.jetstream;
    let begun = BegunCommands::new(context.home.begun_commands());
    begun.forget_old(FORGOTTEN_AFTER);
    let owed = OwedAnswers::new(context.home.owed_answers());
    owed.forget_old(FORGOTTEN_AFTER);
    let mut messages =
        Queue::new(servers, (COMMANDS, &layout::consumer_name(COMMANDS, context.seat()))).await?;
    context.clock_is_known().await;
    let mut tried: Option<Instant> = None;
    loop {
        if tried.is_none_or(|tried| tried.elapsed() >= AGAIN) {
            send_owed(context, jetstream, (&owed, None)).await?;
            tried = Some(Instant::now());
        }
        let Some(message) = messages.next_within(AGAIN).await? else { continue };
        match read_command(context.reader(), &message.subject, &message.payload) {
            Ok((command, change, identity)) => {
                let published = stored_at(&message);
                let late = why_late(&command, published, context.server_time(published));
                let asked =
                    Asked { context, command: &command, change: change.as_ref(), identity: &identity };
                let refused = tokio::task::block_in_place(|| asked.carry_out_once(&begun, late))?;
                let Command { id, from, .. } = command;
                // With more of them, the server has no room: they are tried again above.
                if owed.keep(&OwedAnswer { id, to: from.clone(), refused })? == 1 {
                    send_owed(context, jetstream, (&owed, Some(&from))).await?;
                }
            }
            Err(fault) => tracing::warn!(subject = %message.subject, ?fault, "a command is not taken"),
        }
        message.double_ack().await?;
    }
}

/// Why a command is no longer carried out, if so. `published` and `now` are the server's times, and the two of a command its
/// sender's: what they say is how long it waited there. Clocks that differ change nothing.
pub(crate) fn why_late(command: &Command, published: i64, now: i64) -> Option<&'static str> {
    let sent = if command.sent == 0 { published } else { command.sent };
    // They say any number: no difference is beyond all others.
    let asked_before = sent.saturating_sub(command.at);
    if published.saturating_sub(sent).saturating_abs() > SKEW_MS || asked_before < -SKEW_MS {
        return Some("clocks_differ");
    }
    let waited = asked_before.max(0).saturating_add(now.saturating_sub(published).max(0));
    (waited > FRESH_MS).then_some("too_old")
}

/// A command, what it asks for, and who asks.
type KnownCommand = (Command, Option<RemoteChange>, Identity);

/// A command, when its sender is who it says, and it is for this machine. What it asks for is `None` when this
/// Loopdeck does not know it.
pub(crate) fn read_command(reader: Reader<'_>, subject: &str, bytes: &[u8]) -> Result<KnownCommand, Fault> {
    let (command, identity, sealed): (Command, _, _) = open_vouched(reader, subject, bytes)?;
    let matches = identity.seat == command.from
        && command.to == *reader.seat
        && subject == layout::command_subject(&command.to, &command.from);
    let change = serde_json::from_slice(sealed.body).ok();
    if matches && is_id(&command.id) { Ok((command, change, identity)) } else { Err(Fault::Forged) }
}

/// What somebody asks of this machine.
struct Asked<'a> {
    context: &'a Context,
    command: &'a Command,
    /// `None`: something that this Loopdeck does not know.
    change: Option<&'a RemoteChange>,
    identity: &'a Identity,
}

impl Asked<'_> {
    /// Carries it out unless that was done before. Why not, if not.
    fn carry_out_once(&self, begun: &BegunCommands, late: Option<&str>) -> std::io::Result<Option<String>> {
        let Command { id, from, file, .. } = self.command;
        let refused = match (begun.begin(id)?, late) {
            (Progress::Answered(refused), _) => return Ok(refused),
            (Progress::New, Some(late)) => {
                tracing::info!(%from, file, late, "a command is not carried out");
                Some(late.to_owned())
            }
            (Progress::New, None) => self.carry_out(),
            (Progress::Unknown, _) => self.carry_out_interrupted(),
        };
        begun.record_answer(id, refused.as_ref())?;
        Ok(refused)
    }

    fn carry_out(&self) -> Option<String> {
        let Self { context, command, change, identity } = *self;
        // A newer Loopdeck asks for something that this one cannot do: it says so, and guesses nothing.
        let Some(change) = change else { return Some("unknown_command".to_owned()) };
        let Some(share) = context.shares.find(&command.share) else { return Some("not_shared".to_owned()) };
        // Whoever sees no text has nothing to redirect or to answer.
        let is_verb = matches!(change, RemoteChange::Verb { .. });
        if !share.steering.allows(identity.role) || !(is_verb || share.scope.has_texts()) {
            return Some("not_allowed".to_owned());
        }
        tracing::info!(from = %command.from, file = %command.file, cause = ?change.cause(), "asked by another machine");
        let key = LoopId::new(&dirs::id_of(&share.path), &command.file);
        let done = context.runtime.carry_out(&key, change.clone(), (&command.asker(), &command.id));
        done.err().map(|failure| refusal_code(&failure))
    }

    /// This program ended in the middle of it. The journal knows whether it was begun: if not, it is carried out now; if so, the
    /// file says whether a verb is in effect. It is never begun twice.
    fn carry_out_interrupted(&self) -> Option<String> {
        let interrupted = || Some("interrupted".to_owned());
        let Self { context, command, .. } = *self;
        let Some(share) = context.shares.find(&command.share) else { return self.carry_out() };
        let key = LoopId::new(&dirs::id_of(&share.path), &command.file);
        let verb = match (self.change, context.runtime.progress_of(&key, &command.id)) {
            (_, Ok(CommandProgress::None)) => return self.carry_out(),
            // A request is sent again by the journal; a redirect is one write, which happened or did not.
            (Some(RemoteChange::Redirect { .. }), Ok(CommandProgress::Begun)) => return self.carry_out(),
            (Some(RemoteChange::Redirect { .. }), Ok(CommandProgress::Written)) => return None,
            (Some(RemoteChange::Verb { verb, .. }), Ok(_)) => verb,
            _ => return interrupted(),
        };
        match context.runtime.look_at_request(&key, *verb) {
            Ok((Standing::Holds | Standing::Answered, _)) => None,
            Ok((Standing::Undone, _)) | Err(_) => interrupted(),
        }
    }
}

/// The kind of a failure, or the code of a refusal, as it is written in the catalogues.
fn refusal_code(failure: &Failure) -> String {
    if failure.kind == FailureKind::OnAnotherMachine {
        return "not_allowed".to_owned();
    }
    failure.refusal.as_ref().map_or_else(|| code_of(&failure.kind), |refusal| code_of(&refusal.code))
}

/// Sends the answers that are owed, to one machine or to all, oldest first. Whoever never hears answers must not hold up those of others.
async fn send_owed(
    context: &Context,
    jetstream: &jetstream::Context,
    (owed, to): (&OwedAnswers, Option<&Seat>),
) -> NatsResult<()> {
    let mut full: HashSet<Seat> = HashSet::new();
    for (path, OwedAnswer { id, to, refused }) in owed.list(to) {
        if full.contains(&to) {
            continue; // in order
        }
        let answer = Answer { id, token: context.token.clone(), refused };
        let subject = layout::answer_subject(&to, context.seat());
        match publish_once(context, jetstream, (&subject, &answer.id), (&answer, &[])).await? {
            Ok(()) => OwedAnswers::forget(&path),
            Err(Full(reason)) => {
                tracing::warn!(%to, reason, "there is no room for an answer yet");
                full.insert(to);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;

    /// A command that was asked and sent at these times by the clock of its sender.
    fn command(at: i64, sent: i64) -> Command {
        let seat = Seat::new("ada", "laptop").unwrap();
        let [id, token, share, file] = [(); 4].map(|()| String::new());
        Command { id, token, from: seat.clone(), to: seat, at, sent, share, file }
    }

    #[test]
    fn how_long_a_command_waited_decides_and_not_whose_clock_is_right() {
        let stored = 1_000 * HOUR;
        for ahead in [-HOUR, -HOUR / 6, 0, HOUR / 30, 25 * HOUR] {
            let asked = stored + ahead;
            assert_eq!(why_late(&command(asked, asked), stored, stored + HOUR), None, "{ahead}");
            assert_eq!(why_late(&command(asked - 23 * HOUR, asked), stored, stored), None, "{ahead}");
            let waited_there = command(asked - 25 * HOUR, asked);
            assert_eq!(why_late(&waited_there, stored, stored), Some("too_old"), "{ahead}");
            assert_eq!(
                why_late(&command(asked, asked), stored, stored + 25 * HOUR),
                Some("too_old"),
                "{ahead}"
            );
        }
        // Published again after its id may be forgotten: never new.
        let old = stored - 8 * 24 * HOUR;
        assert_eq!(why_late(&command(old, old), stored, stored), Some("clocks_differ"));
        let future = stored + 8 * 24 * HOUR;
        assert_eq!(why_late(&command(future, future), stored, stored), Some("clocks_differ"));
        // An older Loopdeck does not say when it sent.
        assert_eq!(why_late(&command(stored - HOUR, 0), stored, stored), None);
        assert_eq!(why_late(&command(stored - 25 * HOUR, 0), stored, stored), Some("too_old"));
        assert_eq!(why_late(&command(future, 0), stored, stored), Some("clocks_differ"));
    }

    #[test]
    fn a_time_beyond_all_time_is_late_too() {
        let stored = 1_000 * HOUR;
        assert_eq!(why_late(&command(i64::MIN, stored), stored, stored), Some("too_old"));
        for (at, sent) in [
            (stored, i64::MIN),
            (i64::MIN, i64::MIN),
            (i64::MIN, i64::MIN + stored),
            (i64::MAX, 0),
            (0, i64::MAX),
        ] {
            assert_eq!(why_late(&command(at, sent), stored, stored), Some("clocks_differ"), "{at} {sent}");
        }
    }
}
