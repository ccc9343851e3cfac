//! Receiving: what other machines share becomes folders of ours, and what the server has of this machine is learnt.

use crate::context::{Context, run_blocking};
use crate::envelope::{Fault, Sealed, open};
use crate::key::Key;
use crate::layout::{self, LOOPS};
use crate::machines;
use crate::message::{About, Gone, SharedFile, SharedNeeds, SharedRequest};
use crate::mirror::Mirrors;
use crate::nats::Endless;
use crate::needs;
use crate::numbers::Numbers;
use crate::parts;
use crate::place::{FilePlace, SharePlace};
use crate::published::{Buckets, Published, SentContent, ToldServer};
use crate::state::{SharedFolder, SharedNeedsByLoop, SharedRequestByLoop};
use crate::stored::{Bucket, Entry};
use loopdeck_execution::rows::Need;
use loopdeck_runtime::cores::on_all_cores;
use loopdeck_runtime::views::RequestView;
use loopdeck_system::logged::Logged as _;
use parking_lot::Mutex;
use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How often it is kept which messages were taken. What was not is taken once more after a crash.
const SAVED_EVERY: Duration = Duration::from_secs(10);
/// So many shares are worth a thread when all are opened.
const SHARES: usize = 4;

/// What arrives from the bucket of loops.
struct Receiver<'a> {
    context: &'a Context,
    machines: &'a Bucket,
    parts: &'a Bucket,
    told: &'a Mutex<ToldServer>,
    mirrors: Mirrors,
    numbers: Numbers,
    /// Shares that are on the server.
    shares: HashSet<SharePlace>,
    own: Published,
    /// Requests that were shown before the connection was made.
    requests_before: SharedRequestByLoop,
    /// The same of what waits for a person.
    needs_before: SharedNeedsByLoop,
    /// Everything that was there at the beginning has arrived.
    current: bool,
}

/// Keeps the copies up to date. Tells `own` once what the server has of this machine.
pub(crate) async fn keep_copies(
    context: &Context,
    (Buckets { loops, parts }, told): (Buckets<'_>, &Mutex<ToldServer>),
    machines: &Bucket,
    own: watch::Sender<Option<Published>>,
) -> Endless {
    let mirrors = Mirrors::open(context.home.mirrors());
    let (requests_before, needs_before) = {
        let mut state = context.state.lock();
        (std::mem::take(&mut state.requests), std::mem::take(&mut state.needs))
    };
    let mut receiver = Receiver {
        context,
        machines,
        parts,
        told,
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
            Some(entry) => receiver.take_entry(&entry).await,
            None => receiver.catch_up(&own),
        }
        if saved.elapsed() > SAVED_EVERY {
            run_blocking(|| receiver.numbers.save());
            saved = Instant::now();
        }
    }
}

impl Receiver<'_> {
    async fn take_entry(&mut self, entry: &Entry) {
        let Some(key) = Key::parse(&entry.key) else {
            tracing::warn!(key = %entry.key.chars().take(120).collect::<String>(), "a key of a team is none of Loopdeck's");
            return;
        };
        let seat = &key.share().seat;
        if seat == self.context.seat() {
            return self.take_own(entry);
        }
        if let Err(fault) = self.take_shared(entry, &key).await {
            if fault == Fault::Old && entry.message.revision == 0 {
                return; // a hint that came late
            }
            tracing::warn!(%seat, ?fault, "what a machine published is not taken");
        }
    }

    /// What the server has of this machine. What the keys of this invitation have not signed is none that others take, and what
    /// is older than what was published is none that they should: it is published again, at once.
    fn take_own(&mut self, entry: &Entry) {
        let Entry { key, message } = entry;
        if message.revision == 0 {
            return; // what the stream has is asked in a moment
        }
        let verified = open(&message.value).ok().and_then(|sealed| {
            let signed = sealed.verified_head(&message.subject, &self.context.signer.keys.public_key());
            signed.ok().map(|gone: Gone| (gone.gone, sealed.number, content_of(&sealed)))
        });
        if let Some((_, number, _)) = verified {
            self.context.signer.learn(number);
        }
        if self.current {
            let mut told = self.told.lock();
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
            Some((false, _, content)) => drop(self.own.insert(key.clone(), content)),
            None => drop(self.own.insert(key.clone(), SentContent::UNKNOWN)),
        }
    }

    async fn take_shared(&mut self, entry: &Entry, key: &Key) -> Result<(), Fault> {
        let (sealed, seat) = (open(&entry.message.value)?, &key.share().seat);
        if self.current && self.numbers.is_last(seat, &entry.key, sealed.number) {
            return Ok(()); // a hint brought it
        }
        let signer = machines::contributor_key(self.context, self.machines, seat).await?;
        let subject = layout::key_subject(LOOPS, &entry.key);
        let gone: Gone = sealed.verified_head(&subject, &signer)?;
        if self.numbers.is_old(seat, &entry.key, sealed.number) {
            return Err(Fault::Old);
        }
        if gone.gone {
            self.remove(key);
        } else {
            self.put_signed(entry, (key, &sealed), (&subject, &signer)).await?;
        }
        self.numbers.note_taken(seat, &entry.key, sealed.number);
        Ok(())
    }

    async fn put_signed(
        &mut self,
        entry: &Entry,
        (key, sealed): (&Key, &Sealed<'_>),
        (subject, signer): (&str, &str),
    ) -> Result<(), Fault> {
        match key {
            Key::About(share) => {
                let about: About = sealed.verified_head(subject, signer)?;
                self.shares.insert(share.clone());
                self.put_share(share, &about);
            }
            Key::Request(place) => {
                let SharedRequest { request, .. } = sealed.verified_head(subject, signer)?;
                self.put_request(place, Some(request));
            }
            Key::Needs(place) => {
                let SharedNeeds { .. } = sealed.verified_head(subject, signer)?;
                self.put_needs(place, needs::read_needs(sealed.body));
            }
            Key::File(place) => {
                let head: SharedFile = sealed.verified_head(subject, signer)?;
                let joined = match &head.parts {
                    Some(about) => Some(parts::fetch_and_join(self.parts, &entry.key, about, signer).await?),
                    None => None,
                };
                self.mirrors
                    .write(place, head.modified, joined.as_deref().unwrap_or(sealed.body))
                    .logged("a file of another machine is not kept");
                self.context.read_copied_again(place);
            }
        }
        Ok(())
    }

    fn put_request(&self, place: &FilePlace, request: Option<RequestView>) {
        match request.clone() {
            Some(request) => drop(self.context.state.lock().requests.insert(place.clone(), request)),
            None => drop(self.context.state.lock().requests.remove(place)),
        }
        if self.current {
            self.context.show_remote_request(place, request);
        }
    }

    fn put_needs(&self, place: &FilePlace, needs: Vec<Need>) {
        match needs.is_empty() {
            true => drop(self.context.state.lock().needs.remove(place)),
            false => drop(self.context.state.lock().needs.insert(place.clone(), needs)),
        }
        if self.current {
            self.context.show_needs(&place.share);
        }
    }

    fn put_share(&mut self, share: &SharePlace, about: &About) {
        let name: String = about.name.chars().filter(|letter| !letter.is_control()).take(120).collect();
        let folder = SharedFolder { name, steering: about.steering, scope: about.scope() };
        self.mirrors.keep_about(share, &folder).logged("a shared folder is not remembered");
        let mut state = self.context.state.lock();
        state.missing.remove(share);
        state.folders.insert(share.clone(), folder);
        drop(state);
        if self.current {
            self.context.show_copy(share);
            self.context.show_needs(share);
        }
    }

    fn remove(&mut self, key: &Key) {
        match key {
            Key::File(place) => {
                self.mirrors.remove(place).logged("a file of another machine is not removed");
                self.context.read_copied_again(place);
            }
            Key::Request(place) => self.put_request(place, None),
            Key::Needs(place) => self.put_needs(place, Vec::new()),
            Key::About(share) => {
                self.shares.remove(share);
                let mut state = self.context.state.lock();
                state.missing.remove(share);
                state.folders.remove(share);
                drop(state);
                self.context.close_copy(share);
                self.mirrors
                    .remove_share(share)
                    .logged("the copy of a folder of another machine is not removed");
            }
        }
    }

    /// All that was there has arrived: what went meanwhile goes, the rest is shown.
    fn catch_up(&mut self, own: &watch::Sender<Option<Published>>) {
        self.current = true;
        // Nobody but its owner says that a share is gone: one that is not there is not reachable.
        let known = self.context.known_shares();
        let missing: BTreeSet<_> = known.into_iter().filter(|share| !self.shares.contains(share)).collect();
        self.context.state.lock().missing.clone_from(&missing);
        for share in &missing {
            self.context.show_copy(share);
        }
        self.mirrors.sweep(&self.shares).logged("old copies of other machines' files stay");
        let (context, shares) = (self.context, Vec::from_iter(&self.shares));
        let show = |share: &&SharePlace| {
            context.check_copy(share); // of one that is open already, files may just have gone
            context.show_copy(share);
        };
        run_blocking(|| on_all_cores(&shares, SHARES, show));
        let requests = context.state.lock().requests.clone();
        // What ended while this machine was away is no longer shown.
        for place in self.requests_before.keys().filter(|place| !requests.contains_key(*place)) {
            context.show_remote_request(place, None);
        }
        for (place, request) in requests {
            context.show_remote_request(&place, Some(request));
        }
        let needs = context.state.lock().needs.clone();
        let shares = needs.keys().chain(self.needs_before.keys()).map(|place| &place.share);
        for share in shares.collect::<BTreeSet<_>>() {
            context.show_needs(share);
        }
        drop(own.send_replace(Some(std::mem::take(&mut self.own))));
        context.state.lock().current = true;
        context.tell_screen();
    }
}

/// What a message of this machine says that it contains.
fn content_of(sealed: &Sealed<'_>) -> SentContent {
    let parts = sealed.claimed_head::<SharedFile>().ok().and_then(|head| head.parts);
    match parts {
        Some(parts) => SentContent { hash: parts.hash, parts: parts.count },
        None => SentContent::of(sealed.body),
    }
}
