//! Receiving: what other machines share becomes folders of ours, and what the server has of this machine is learnt.

use crate::asking;
use crate::envelope::{Fault, Sealed, open};
use crate::layout::{self, LOOPS};
use crate::machines;
use crate::message::{About, SharedFile, SharedNeeds, SharedRequest};
use crate::mirror::{Key, Mirrors};
use crate::parts;
use crate::publishing::{Buckets, Published, Sent};
use crate::seat::Seat;
use crate::state::{Requests, SharedFolder, SharedNeedsByLoop};
use crate::team::{Context, outside};
use async_nats::jetstream::kv::{self, Operation};
use futures_util::StreamExt as _;
use loopdeck_core::stable_hash::stable_hash;
use loopdeck_execution::rows::Need;
use loopdeck_runtime::cores::on_all_cores;
use loopdeck_runtime::views::RequestView;
use loopdeck_system::logged::Logged as _;
use serde::de::IgnoredAny;
use std::collections::{BTreeSet, HashSet};
use std::convert::Infallible;
use tokio::sync::watch;

/// So many shares are worth a thread when all are opened.
const SHARES: usize = 4;

/// What arrives from the bucket of loops.
pub(crate) struct Receiver<'a> {
    context: &'a Context,
    machines: &'a kv::Store,
    parts: &'a kv::Store,
    mirrors: Mirrors,
    /// Shares that are on the server.
    shares: HashSet<(Seat, String)>,
    own: Published,
    /// Requests that were shown before the connection was made.
    requests_before: Requests,
    /// The same of what waits for a person.
    needs_before: SharedNeedsByLoop,
    /// Everything that was there at the beginning has arrived.
    current: bool,
}

/// Keeps the copies up to date. Tells `own` once what the server has of this machine.
pub(crate) async fn receive(
    context: &Context,
    Buckets { loops, parts }: Buckets<'_>,
    machines: &kv::Store,
    own: watch::Sender<Option<Published>>,
) -> Result<Infallible, async_nats::Error> {
    let mirrors = Mirrors::open(context.home.mirrors());
    let (requests_before, needs_before) = {
        let mut state = context.state.lock();
        (std::mem::take(&mut state.requests), std::mem::take(&mut state.needs))
    };
    let mut receiver = Receiver {
        context,
        machines,
        parts,
        mirrors,
        shares: HashSet::new(),
        own: Published::new(),
        requests_before,
        needs_before,
        current: false,
    };
    let mut entries = loops.watch_with_history(">").await?;
    if loops.status().await?.values() == 0 {
        receiver.catch_up(&own);
    }
    while let Some(entry) = entries.next().await {
        let entry = entry?;
        receiver.take(&entry).await;
        if entry.seen_current && !receiver.current {
            receiver.catch_up(&own);
        }
    }
    Err("the list of loops ended".into())
}

impl Receiver<'_> {
    async fn take(&mut self, entry: &kv::Entry) {
        let Some(key) = Key::parse(&entry.key) else {
            tracing::warn!(key = %entry.key.chars().take(120).collect::<String>(), "a key of a team is none of Loopdeck's");
            return;
        };
        if key.seat() == self.context.seat() {
            return self.take_own(entry);
        }
        if entry.operation != Operation::Put {
            return self.remove(&key);
        }
        if let Err(fault) = self.put(entry, &key).await {
            tracing::warn!(seat = %key.seat(), ?fault, "what a machine published is not taken");
        }
    }

    fn take_own(&mut self, entry: &kv::Entry) {
        if self.current {
            return; // what was just published
        }
        match open(&entry.value) {
            Ok(sealed) if entry.operation == Operation::Put => {
                self.own.insert(entry.key.clone(), self.sent(&entry.key, &sealed));
            }
            _ => drop(self.own.remove(&entry.key)),
        }
    }

    /// What the server has of this machine under a key. Content that the keys of this invitation have not signed is none that
    /// others take: it is published again.
    fn sent(&self, key: &str, sealed: &Sealed<'_>) -> Sent {
        let sent = sent(sealed);
        let subject = layout::key_subject(LOOPS, key);
        match sealed.verified::<IgnoredAny>(&subject, &self.context.keys.public_key()) {
            Ok(_) => sent,
            Err(_) => {
                Sent { hash: !sent.hash, parts: sent.parts.min(parts::count(parts::LARGEST_FILE as usize)) }
            }
        }
    }

    async fn put(&mut self, entry: &kv::Entry, key: &Key) -> Result<(), Fault> {
        let sealed = open(&entry.value)?;
        let identity = machines::identity(self.context, self.machines, key.seat()).await;
        let signer = identity.filter(|one| one.role.contributes()).ok_or(Fault::Forged)?.key;
        let subject = layout::key_subject(LOOPS, &entry.key);
        match key {
            Key::About { seat, share } => {
                let about: About = sealed.verified(&subject, &signer)?;
                self.shares.insert((seat.clone(), share.clone()));
                self.put_share(seat, share, &about);
            }
            Key::Request { seat, share, file } => {
                let SharedRequest { request, .. } = sealed.verified(&subject, &signer)?;
                self.put_request((seat, share, file), Some(request));
            }
            Key::Needs { seat, share, file } => {
                let SharedNeeds { .. } = sealed.verified(&subject, &signer)?;
                self.put_needs((seat, share, file), asking::read(sealed.body));
            }
            Key::File { seat, share, file } => {
                let head: SharedFile = sealed.verified(&subject, &signer)?;
                let joined = match &head.parts {
                    Some(about) => Some(parts::join(self.parts, &entry.key, about, &signer).await?),
                    None => None,
                };
                let place = (seat, share.as_str(), file.as_str());
                self.mirrors
                    .write(place, (entry.revision, head.modified), joined.as_deref().unwrap_or(sealed.body))
                    .logged("a file of another machine is not kept");
                self.context.note_copied(seat, share, file);
            }
        }
        Ok(())
    }

    fn put_request(&self, (seat, share, file): (&Seat, &str, &str), request: Option<RequestView>) {
        let at = (seat.clone(), share.to_owned(), file.to_owned());
        let mut state = self.context.state.lock();
        match request.clone() {
            Some(request) => drop(state.requests.insert(at, request)),
            None => drop(state.requests.remove(&at)),
        }
        drop(state);
        if self.current {
            self.context.show_state((seat, share, file), request);
        }
    }

    fn put_needs(&self, (seat, share, file): (&Seat, &str, &str), needs: Vec<Need>) {
        let at = (seat.clone(), share.to_owned(), file.to_owned());
        let mut state = self.context.state.lock();
        match needs.is_empty() {
            true => drop(state.needs.remove(&at)),
            false => drop(state.needs.insert(at, needs)),
        }
        drop(state);
        if self.current {
            self.context.show_needs(seat, share);
        }
    }

    fn put_share(&mut self, seat: &Seat, share: &str, about: &About) {
        let name: String = about.name.chars().filter(|letter| !letter.is_control()).take(120).collect();
        let folder = SharedFolder { name, steering: about.steering, scope: about.scope() };
        self.mirrors.keep_about(seat, share, &folder).logged("a shared folder is not remembered");
        self.context.state.lock().folders.insert((seat.clone(), share.to_owned()), folder);
        if self.current {
            self.context.show(seat, share);
            self.context.show_needs(seat, share);
        }
    }

    fn remove(&mut self, key: &Key) {
        match key {
            Key::File { seat, share, file } => {
                self.mirrors.remove(seat, share, file).logged("a file of another machine is not removed");
                self.context.note_copied(seat, share, file);
            }
            Key::Request { seat, share, file } => self.put_request((seat, share, file), None),
            Key::Needs { seat, share, file } => self.put_needs((seat, share, file), Vec::new()),
            Key::About { seat, share } => {
                self.shares.remove(&(seat.clone(), share.clone()));
                self.context.state.lock().folders.remove(&(seat.clone(), share.clone()));
                self.context.hide(seat, share);
                self.mirrors
                    .remove_share(seat, share)
                    .logged("the copy of a folder of another machine is not removed");
            }
        }
    }

    /// All that was there has arrived: what went meanwhile goes, the rest is shown.
    fn catch_up(&mut self, own: &watch::Sender<Option<Published>>) {
        self.current = true;
        for (seat, share) in self.context.shown() {
            if !self.shares.contains(&(seat.clone(), share.clone())) {
                self.context.state.lock().folders.remove(&(seat.clone(), share.clone()));
                self.context.hide(&seat, &share);
            }
        }
        self.mirrors.sweep(&self.shares).logged("old copies of other machines' files stay");
        let (context, shares) = (self.context, Vec::from_iter(&self.shares));
        let show = |(seat, share): &&(Seat, String)| {
            context.check_copy(seat, share); // of one that is open already, files may just have gone
            context.show(seat, share);
        };
        outside(|| on_all_cores(&shares, SHARES, show));
        let requests = self.context.state.lock().requests.clone();
        // What ended while this machine was away is no longer shown.
        for (seat, share, file) in self.requests_before.keys().filter(|at| !requests.contains_key(*at)) {
            self.context.show_state((seat, share, file), None);
        }
        for ((seat, share, file), request) in requests {
            self.context.show_state((&seat, &share, &file), Some(request));
        }
        let needs = self.context.state.lock().needs.clone();
        let places = needs.keys().chain(self.needs_before.keys()).map(|(seat, share, _)| (seat, share));
        for (seat, share) in places.collect::<BTreeSet<_>>() {
            self.context.show_needs(seat, share);
        }
        drop(own.send_replace(Some(std::mem::take(&mut self.own))));
        self.context.state.lock().current = true;
        self.context.tell();
    }
}

/// What a message of this machine says that it contains.
fn sent(sealed: &Sealed<'_>) -> Sent {
    let parts = sealed.claimed::<SharedFile>().ok().and_then(|head| head.parts);
    match parts {
        Some(parts) => Sent { hash: parts.hash, parts: parts.count },
        None => Sent { hash: stable_hash(sealed.body), parts: 0 },
    }
}
