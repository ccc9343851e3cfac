//! Receiving: what other machines share becomes folders of ours, and what the server has of this machine is learnt.

use crate::asking;
use crate::envelope::{Fault, Sealed, open};
use crate::layout::{self, LOOPS};
use crate::machines;
use crate::message::{About, Gone, SharedFile, SharedNeeds, SharedRequest};
use crate::mirror::{Key, Mirrors};
use crate::numbers::Numbers;
use crate::parts;
use crate::publishing::{Buckets, Published, Sent};
use crate::seat::Seat;
use crate::state::{Requests, SharedFolder, SharedNeedsByLoop};
use crate::stored::{Bucket, Entry};
use crate::team::{Context, outside};
use loopdeck_core::stable_hash::stable_hash;
use loopdeck_execution::rows::Need;
use loopdeck_runtime::cores::on_all_cores;
use loopdeck_runtime::views::RequestView;
use loopdeck_system::logged::Logged as _;
use std::collections::{BTreeSet, HashSet};
use std::convert::Infallible;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How often it is kept which messages were taken. What was not is taken once more after a crash.
const SAVED_EVERY: Duration = Duration::from_secs(10);
/// So many shares are worth a thread when all are opened.
const SHARES: usize = 4;

/// What arrives from the bucket of loops.
pub(crate) struct Receiver<'a> {
    context: &'a Context,
    machines: &'a Bucket,
    parts: &'a Bucket,
    mirrors: Mirrors,
    numbers: Numbers,
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
    machines: &Bucket,
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
        numbers: Numbers::new(context.home.numbers()),
        shares: HashSet::new(),
        own: Published::new(),
        requests_before,
        needs_before,
        current: false,
    };
    let mut entries = loops.follow(">").await?;
    let mut saved = Instant::now();
    loop {
        match entries.next().await? {
            Some(entry) => receiver.take(&entry).await,
            None => receiver.catch_up(&own),
        }
        if saved.elapsed() > SAVED_EVERY {
            outside(|| receiver.numbers.save());
            saved = Instant::now();
        }
    }
}

impl Receiver<'_> {
    async fn take(&mut self, entry: &Entry) {
        let Some(key) = Key::parse(&entry.key) else {
            tracing::warn!(key = %entry.key.chars().take(120).collect::<String>(), "a key of a team is none of Loopdeck's");
            return;
        };
        if key.seat() == self.context.seat() {
            return self.take_own(entry);
        }
        if let Err(fault) = self.put(entry, &key).await {
            if fault == Fault::Old && entry.kept.revision == 0 {
                return; // a hint that came late
            }
            tracing::warn!(seat = %key.seat(), ?fault, "what a machine published is not taken");
        }
    }

    /// What the server has of this machine. What the keys of this invitation have not signed is none that others take, and what
    /// is older than what was published is none that they should: it is published again, at once.
    fn take_own(&mut self, entry: &Entry) {
        let Entry { key, kept } = entry;
        if kept.revision == 0 {
            return; // what the stream has is asked in a moment
        }
        let verified = open(&kept.value).ok().and_then(|sealed| {
            let signed = sealed.verified(&kept.subject, &self.context.signer.public_key());
            signed.ok().map(|gone: Gone| (gone.gone, sealed.number, sent(&sealed)))
        });
        if let Some((_, number, _)) = verified {
            self.context.signer.learn(number);
        }
        if self.current {
            let mut told = self.context.told_server.lock();
            let is_ours = verified
                .is_some_and(|(_, number, _)| told.numbers.get(key).is_none_or(|sent| *sent <= number));
            if !is_ours {
                tracing::warn!(%key, "the server has something else of this machine: it is published again");
                told.again.insert(key.clone());
                drop(told);
                self.context.changed.notify_one();
            }
            return;
        }
        match verified {
            Some((true, ..)) => drop(self.own.remove(key)),
            Some((false, _, sent)) => drop(self.own.insert(key.clone(), sent)),
            None => drop(self.own.insert(key.clone(), Sent::UNKNOWN)),
        }
    }

    async fn put(&mut self, entry: &Entry, key: &Key) -> Result<(), Fault> {
        let sealed = open(&entry.kept.value)?;
        if self.current && self.numbers.is_last(key.seat(), &entry.key, sealed.number) {
            return Ok(()); // a hint brought it
        }
        let identity = machines::identity(self.context, self.machines, key.seat()).await;
        let signer = identity.filter(|one| one.role.contributes()).ok_or(Fault::Forged)?.key;
        let subject = layout::key_subject(LOOPS, &entry.key);
        let gone: Gone = sealed.verified(&subject, &signer)?;
        if self.numbers.is_old(key.seat(), &entry.key, sealed.number) {
            return Err(Fault::Old);
        }
        if gone.gone {
            self.remove(key);
        } else {
            self.put_signed(entry, (key, &sealed), (&subject, &signer)).await?;
        }
        self.numbers.note(key.seat(), &entry.key, sealed.number);
        Ok(())
    }

    async fn put_signed(
        &mut self,
        entry: &Entry,
        (key, sealed): (&Key, &Sealed<'_>),
        (subject, signer): (&str, &str),
    ) -> Result<(), Fault> {
        match key {
            Key::About { seat, share } => {
                let about: About = sealed.verified(subject, signer)?;
                self.shares.insert((seat.clone(), share.clone()));
                self.put_share(seat, share, &about);
            }
            Key::Request { seat, share, file } => {
                let SharedRequest { request, .. } = sealed.verified(subject, signer)?;
                self.put_request((seat, share, file), Some(request));
            }
            Key::Needs { seat, share, file } => {
                let SharedNeeds { .. } = sealed.verified(subject, signer)?;
                self.put_needs((seat, share, file), asking::read(sealed.body));
            }
            Key::File { seat, share, file } => {
                let head: SharedFile = sealed.verified(subject, signer)?;
                let joined = match &head.parts {
                    Some(about) => Some(parts::join(self.parts, &entry.key, about, signer).await?),
                    None => None,
                };
                let place = (seat, share.as_str(), file.as_str());
                self.mirrors
                    .write(place, head.modified, joined.as_deref().unwrap_or(sealed.body))
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
        let at = (seat.clone(), share.to_owned());
        let mut state = self.context.state.lock();
        state.missing.remove(&at);
        state.folders.insert(at, folder);
        drop(state);
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
                let at = (seat.clone(), share.clone());
                self.shares.remove(&at);
                let mut state = self.context.state.lock();
                state.missing.remove(&at);
                state.folders.remove(&at);
                drop(state);
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
        // Nobody but its owner says that a share is gone: one that is not there is not reachable.
        let known = self.context.shown();
        let missing: BTreeSet<_> = known.into_iter().filter(|share| !self.shares.contains(share)).collect();
        self.context.state.lock().missing.clone_from(&missing);
        for (seat, share) in &missing {
            self.context.show(seat, share);
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
