//! Publishing: the files of shared folders, each when its content differs from what the server has.

use crate::context::Context;
use crate::envelope::seal;
use crate::full::Full;
use crate::key::Key;
use crate::layout::{self, LARGEST, LARGEST_FILE, LOOPS};
use crate::message::{About, Gone, Parts, SharedFile, SharedNeeds, SharedRequest};
use crate::nats::{Endless, NatsResult};
use crate::needs;
use crate::parts;
use crate::place::FilePlace;
use crate::published::{Buckets, Published, SentContent, ToldServer};
use crate::share::{Share, SharedContent};
use crate::stored::Bucket;
use loopdeck_core::stable_hash::stable_hash;
use loopdeck_execution::mask::Mask;
use loopdeck_system::fingerprint::Fingerprint;
use loopdeck_system::{clock, dirs};
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// How often everything is checked, for progress files. The watcher reports a changed state file at once.
const SWEEP: Duration = Duration::from_secs(5);
/// Changes that come together are published together.
const TOGETHER: Duration = Duration::from_millis(20);

/// A share as it was looked at last.
struct Looked {
    share: Share,
    /// Keys of files that stay.
    kept: HashSet<String>,
    too_large: Vec<String>,
}

struct Publisher<'a> {
    context: &'a Context,
    buckets: Buckets<'a>,
    told: &'a Mutex<ToldServer>,
    published: Published,
    /// Versions that were read last, and how much of each.
    versions: HashMap<String, (Fingerprint, SharedContent)>,
    /// Keys that stay, of the look that is under way.
    kept: HashSet<String>,
    too_large: Vec<String>,
    /// Why the server had no room in the last look.
    full: Option<String>,
    /// By id of the share.
    looked: HashMap<String, Looked>,
    /// What of the list of loops was seen.
    revision: u32,
}

/// Publishes what changes, from the moment on at which it is known what the server has.
pub(crate) async fn publish_shares(
    context: &Context,
    (buckets, told): (Buckets<'_>, &Mutex<ToldServer>),
    mut there: watch::Receiver<Option<Published>>,
) -> Endless {
    let mut publisher = Publisher {
        context,
        buckets,
        told,
        published: there.wait_for(Option::is_some).await?.clone().unwrap_or_default(),
        versions: HashMap::new(),
        kept: HashSet::new(),
        too_large: Vec::new(),
        full: None,
        looked: HashMap::new(),
        revision: 0,
    };
    let mut sweep = Instant::now();
    loop {
        let changed = context.changed.notified();
        let sweeps = Instant::now() >= sweep;
        // What the server had no room for is in folders that did not change.
        let everything = sweeps || publisher.full.is_some();
        publisher.publish_new(everything).await?;
        if sweeps {
            sweep = Instant::now() + SWEEP;
        }
        tokio::select! {
            () = changed => tokio::time::sleep(TOGETHER).await,
            () = tokio::time::sleep_until(sweep) => {}
        }
    }
}

impl Publisher<'_> {
    /// One look at everything that is shared, or at the folders in which something changed: a node has those of a week.
    async fn publish_new(&mut self, everything: bool) -> NatsResult<()> {
        if !tokio::task::block_in_place(|| self.context.shares.are_known()) {
            return Ok(()); // what others have stays
        }
        let shares = self.context.shares.list();
        let mask = self.context.runtime.mask();
        let (revision, changed) = self.context.runtime.changed_workspaces(self.revision);
        self.revision = revision;
        self.full = None;
        self.kept.clear();
        let again = std::mem::take(&mut self.told.lock().again);
        // Everything of those shares is looked at, and what differs is published.
        let everything = everything || !again.is_empty();
        for key in again {
            self.versions.remove(&key);
            self.published.insert(key, SentContent::UNKNOWN);
        }
        let mut before = std::mem::take(&mut self.looked);
        for share in &shares {
            self.put_about(share).await?;
            self.put_requests(share).await?;
            self.put_needs(share, &mask).await?;
            let id = share.id();
            let is_same = |looked: &Looked| {
                !everything && looked.share == *share && !changed.contains(&*dirs::id_of(&share.path))
            };
            let looked = match before.remove(&id).filter(is_same) {
                Some(looked) => looked,
                None => self.look_at(share, &mask).await?,
            };
            self.kept.extend(looked.kept.iter().cloned());
            self.looked.insert(id, looked);
        }
        self.remove_gone().await?;
        let too_large = shares.iter().filter_map(|share| self.looked.get(&share.id()));
        let too_large = too_large.flat_map(|looked| looked.too_large.clone()).collect();
        self.context.note_if_new(|state| &mut state.too_large, too_large);
        self.context.note_if_new(|state| &mut state.full.files, self.full.clone());
        Ok(())
    }

    /// Publishes what is new in a share.
    async fn look_at(&mut self, share: &Share, mask: &Mask) -> NatsResult<Looked> {
        let others = std::mem::take(&mut self.kept);
        for (file, content) in tokio::task::block_in_place(|| share.contents()) {
            self.put_file(share, file, content, mask).await?;
        }
        let kept = std::mem::replace(&mut self.kept, others);
        Ok(Looked { share: share.clone(), kept, too_large: std::mem::take(&mut self.too_large) })
    }

    fn place_of(&self, share: &Share, file: &str) -> FilePlace {
        FilePlace { share: self.context.own_share(share.id()), file: file.to_owned() }
    }

    async fn put_about(&mut self, share: &Share) -> NatsResult<()> {
        let Share { scope, steering, .. } = *share;
        let body = serde_json::to_vec(&(share.name(), scope, steering))?;
        let about = About::new(share, clock::now().millis());
        let key = Key::About(self.context.own_share(share.id()));
        self.put_content(&key, &about, (SentContent::of(&body), &body)).await
    }

    async fn put_requests(&mut self, share: &Share) -> NatsResult<()> {
        for (file, request) in self.context.runtime.requests_in(&share.path) {
            let body = serde_json::to_vec(&request)?;
            let head = SharedRequest { at: clock::now().millis(), request };
            let key = Key::Request(self.place_of(share, &file));
            self.put_content(&key, &head, (SentContent::of(&body), &body)).await?;
        }
        Ok(())
    }

    /// What waits for a person, where texts are shared.
    async fn put_needs(&mut self, share: &Share, mask: &Mask) -> NatsResult<()> {
        if !share.scope.has_texts() {
            return Ok(());
        }
        for (file, needs) in self.context.runtime.needs_in(&share.path) {
            let body = needs::publishable_needs(&needs, mask)?;
            let head = SharedNeeds { at: clock::now().millis() };
            let key = Key::Needs(self.place_of(share, &file));
            self.put_content(&key, &head, (SentContent::of(&body), &body)).await?;
        }
        Ok(())
    }

    async fn put_file(
        &mut self,
        share: &Share,
        file: String,
        content: SharedContent,
        mask: &Mask,
    ) -> NatsResult<()> {
        let place = Key::File(self.place_of(share, &file));
        let key = place.to_string();
        // Not even read: it would be again at each change of anything.
        if Fingerprint::at(&share.path.join(&file)).is_ok_and(|stamp| stamp.size > LARGEST_FILE) {
            self.too_large.push(file);
            return Ok(());
        }
        let seen = self.versions.get(&key).copied();
        let (body, stamp) = match read_version(share, (&file, content), seen, mask) {
            Version::New(body, stamp) => (body, stamp),
            Version::Same => {
                self.kept.insert(key);
                return Ok(());
            }
            Version::Unreadable => {
                // What others have stays while a file cannot be read, unless that is more than is shared now.
                if content == SharedContent::Whole || seen.is_some_and(|(_, known)| known == content) {
                    self.kept.insert(key);
                }
                return Ok(());
            }
        };
        self.kept.insert(key.clone());
        let hash = stable_hash(&body);
        if self.published.get(&key).is_some_and(|sent| sent.hash == hash) {
            self.versions.insert(key, (stamp, content));
            return Ok(());
        }
        let (at, modified) = (clock::now().millis(), stamp.modified().millis());
        let fits = body.len() + parts::HEAD <= LARGEST;
        let sent = if fits {
            self.put_content(
                &place,
                &SharedFile { at, modified, parts: None },
                (SentContent::of(&body), &body),
            )
            .await
        } else if body.len() as u64 <= LARGEST_FILE {
            self.put_in_parts((&place, hash), (at, modified), &body).await
        } else {
            self.kept.remove(&key); // what others have of it is older, and goes
            self.too_large.push(file);
            return Ok(());
        };
        sent?;
        if self.published.get(&key).is_some_and(|sent| sent.hash == hash) {
            self.versions.insert(key, (stamp, content));
        }
        Ok(())
    }

    /// Parts first: whoever sees the head finds them.
    async fn put_in_parts(
        &mut self,
        (key, hash): (&Key, u64),
        (at, modified): (i64, i64),
        body: &[u8],
    ) -> NatsResult<()> {
        let about = Parts { count: parts::part_count(body.len()), size: body.len() as u64, hash };
        for (part, message) in parts::seal_parts(&self.context.signer, &key.to_string(), &about, body)? {
            if !self.store(self.buckets.parts, &part, message).await? {
                return Ok(());
            }
        }
        let sent = SentContent { hash, parts: about.count };
        let head = SharedFile { at, modified, parts: Some(about) };
        self.put_content(key, &head, (sent, &[])).await
    }

    /// Puts a message under a key unless the server has this content.
    async fn put_content(
        &mut self,
        key: &Key,
        head: &impl serde::Serialize,
        (sent, body): (SentContent, &[u8]),
    ) -> NatsResult<()> {
        let key = key.to_string();
        self.kept.insert(key.clone());
        let before = self.published.get(&key).copied();
        if before.is_some_and(|before| before.hash == sent.hash) {
            return Ok(());
        }
        let message = self.seal_for(&key, head, body)?;
        if self.store(self.buckets.loops, &key, message).await? {
            let old = before.map_or(0, |before| before.parts);
            self.remove_parts(&key, sent.parts..old).await?;
            self.published.insert(key, sent);
        }
        Ok(())
    }

    /// Signs a message for a key.
    fn seal_for(&self, key: &str, head: &impl serde::Serialize, body: &[u8]) -> Result<Vec<u8>, String> {
        let signer = &self.context.signer;
        let number = signer.next_number();
        self.told.lock().numbers.insert(key.to_owned(), number);
        seal(&signer.keys, (&layout::key_subject(LOOPS, key), number), head, body)
    }

    /// Whether the server keeps a message; it has no room when not, and is asked again later.
    async fn store(&mut self, bucket: &Bucket, key: &str, message: Vec<u8>) -> NatsResult<bool> {
        match bucket.put(key, message).await {
            Ok(()) => Ok(true),
            Err(error) => {
                let Full(reason) = Full::from_error(error)?;
                self.full = Some(reason);
                Ok(false)
            }
        }
    }

    async fn remove_gone(&mut self) -> NatsResult<()> {
        let gone = self.published.keys().filter(|key| !self.kept.contains(*key));
        let mut gone: Vec<String> = gone.cloned().collect();
        gone.sort_unstable(); // `about` first: the whole share goes at once
        for key in gone {
            let gone = Gone { at: clock::now().millis(), gone: true };
            let message = self.seal_for(&key, &gone, b"")?;
            self.buckets.loops.put_for(&key, message, layout::GONE_KEPT).await?;
            let sent = self.published.remove(&key);
            self.remove_parts(&key, 0..sent.map_or(0, |sent| sent.parts)).await?;
            self.versions.remove(&key);
        }
        Ok(())
    }

    async fn remove_parts(&mut self, key: &str, numbers: Range<u32>) -> NatsResult<()> {
        for number in numbers {
            self.buckets.parts.put(&parts::part_key(key, number), Vec::new()).await?;
        }
        Ok(())
    }
}

/// What there is of a file.
enum Version {
    /// It is the version that was read last.
    Same,
    /// It cannot be read now, or has no outline.
    Unreadable,
    /// As much of it as leaves this machine, without secrets.
    New(Vec<u8>, Fingerprint),
}

fn read_version(
    share: &Share,
    (file, content): (&str, SharedContent),
    seen: Option<(Fingerprint, SharedContent)>,
    mask: &Mask,
) -> Version {
    let path = share.path.join(file);
    if Fingerprint::at(&path).is_ok_and(|stamp| seen == Some((stamp, content))) {
        return Version::Same;
    }
    let mut bytes = Vec::new();
    let Ok(stamp) = loopdeck_system::files::read(&share.path, &path, &mut bytes) else {
        return Version::Unreadable;
    };
    let Some(bytes) = content.of(bytes) else { return Version::Unreadable };
    // Bytes that are no text are replaced: a secret between them is found all the same.
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Version::New(mask.hide(text).into_bytes(), stamp)
}
