//! Publishing: the files of shared folders, each when its content differs from what the server has.

use crate::asking;
use crate::full::Full;
use crate::layout::{self, LARGEST, LOOPS};
use crate::message::{About, Gone, Parts, SharedFile, SharedNeeds, SharedRequest};
use crate::mirror::{file_token, needs_token, request_token};
use crate::parts::{self, LARGEST_FILE};
use crate::share::{Share, SharedContent};
use crate::stored::Bucket;
use crate::team::Context;
use loopdeck_core::stable_hash::stable_hash;
use loopdeck_execution::mask::Mask;
use loopdeck_system::fingerprint::Fingerprint;
use loopdeck_system::{clock, dirs};
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::ops::Range;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// How often everything is checked, for progress files. The watcher reports a changed state file at once.
const SWEEP: Duration = Duration::from_secs(5);
/// Changes that come together are published together.
const TOGETHER: Duration = Duration::from_millis(20);

/// What the server has of this machine, by key.
pub(crate) type Published = HashMap<String, Sent>;

/// What was sent under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    /// The hash of the content, without the times in it.
    pub(crate) hash: u64,
    /// In how many further messages.
    pub(crate) parts: u32,
}

impl Sent {
    /// Something that is none of ours: whatever is shared differs from it, and any of its parts may be there.
    pub(crate) const UNKNOWN: Self = Self { hash: u64::MAX, parts: parts::count(LARGEST_FILE as usize) };
}

/// What the server was told of this machine since the connection was made.
#[derive(Debug, Default)]
pub(crate) struct ToldServer {
    /// The number of the last message, by key.
    pub(crate) numbers: HashMap<String, u64>,
    /// Keys under which the server has something else.
    pub(crate) again: HashSet<String>,
}

/// What is put under a key.
struct Content<'a> {
    sent: Sent,
    body: &'a [u8],
}

impl<'a> Content<'a> {
    fn of(body: &'a [u8]) -> Self {
        Self { sent: Sent { hash: stable_hash(body), parts: 0 }, body }
    }
}

/// The buckets of files.
#[derive(Clone, Copy)]
pub(crate) struct Buckets<'a> {
    pub(crate) loops: &'a Bucket,
    pub(crate) parts: &'a Bucket,
}

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
pub(crate) async fn publish(
    context: &Context,
    buckets: Buckets<'_>,
    mut there: watch::Receiver<Option<Published>>,
) -> Result<Infallible, async_nats::Error> {
    let mut publisher = Publisher {
        context,
        buckets,
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
        publisher.pass(everything).await?;
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
    async fn pass(&mut self, everything: bool) -> Result<(), async_nats::Error> {
        if !tokio::task::block_in_place(|| self.context.knows_shares()) {
            return Ok(()); // what others have stays
        }
        let shares = self.context.shares.lock().shares.clone();
        let mask = self.context.runtime.mask();
        let (revision, changed) = self.context.runtime.changed_workspaces(self.revision);
        self.revision = revision;
        self.full = None;
        self.kept.clear();
        let again = std::mem::take(&mut self.context.told_server.lock().again);
        // Everything of those shares is looked at, and what differs is published.
        let everything = everything || !again.is_empty();
        for key in again {
            self.versions.remove(&key);
            self.published.insert(key, Sent::UNKNOWN);
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
        self.context.note_too_large(too_large.flat_map(|looked| looked.too_large.clone()).collect());
        self.context.note_no_room(|full| &mut full.files, self.full.clone());
        Ok(())
    }

    /// Publishes what is new in a share.
    async fn look_at(&mut self, share: &Share, mask: &Mask) -> Result<Looked, async_nats::Error> {
        let others = std::mem::take(&mut self.kept);
        for (file, content) in tokio::task::block_in_place(|| share.contents()) {
            self.put_file(share, file, content, mask).await?;
        }
        let kept = std::mem::replace(&mut self.kept, others);
        Ok(Looked { share: share.clone(), kept, too_large: std::mem::take(&mut self.too_large) })
    }

    fn key(&self, share: &Share, token: &str) -> String {
        layout::file_key(self.context.seat(), &share.id(), token)
    }

    async fn put_about(&mut self, share: &Share) -> Result<(), async_nats::Error> {
        let Share { scope, steering, .. } = *share;
        let body = serde_json::to_vec(&(share.name(), scope, steering))?;
        let about = About::new(share, clock::now().millis());
        let key = self.key(share, "about");
        self.put(key, &about, Content::of(&body)).await
    }

    async fn put_requests(&mut self, share: &Share) -> Result<(), async_nats::Error> {
        for (file, request) in self.context.runtime.requests_in(&share.path) {
            let body = serde_json::to_vec(&request)?;
            let head = SharedRequest { at: clock::now().millis(), request };
            self.put(self.key(share, &request_token(&file)), &head, Content::of(&body)).await?;
        }
        Ok(())
    }

    /// What waits for a person, where texts are shared.
    async fn put_needs(&mut self, share: &Share, mask: &Mask) -> Result<(), async_nats::Error> {
        if !share.scope.has_texts() {
            return Ok(());
        }
        for (file, needs) in self.context.runtime.needs_in(&share.path) {
            let body = asking::published(&needs, mask)?;
            let head = SharedNeeds { at: clock::now().millis() };
            self.put(self.key(share, &needs_token(&file)), &head, Content::of(&body)).await?;
        }
        Ok(())
    }

    async fn put_file(
        &mut self,
        share: &Share,
        file: String,
        content: SharedContent,
        mask: &Mask,
    ) -> Result<(), async_nats::Error> {
        let key = self.key(share, &file_token(&file));
        // Not even read: it would be again at each change of anything.
        if Fingerprint::at(&share.path.join(&file)).is_ok_and(|stamp| stamp.size > LARGEST_FILE) {
            self.too_large.push(file);
            return Ok(());
        }
        let seen = self.versions.get(&key).copied();
        let (body, stamp) = match read(share, (&file, content), seen, mask) {
            Read::New(body, stamp) => (body, stamp),
            Read::Same => {
                self.kept.insert(key);
                return Ok(());
            }
            Read::Nothing => {
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
            self.put(key.clone(), &SharedFile { at, modified, parts: None }, Content::of(&body)).await
        } else if body.len() as u64 <= LARGEST_FILE {
            self.put_in_parts((&key, hash), (at, modified), &body).await
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
        (key, hash): (&str, u64),
        (at, modified): (i64, i64),
        body: &[u8],
    ) -> Result<(), async_nats::Error> {
        let about = Parts { count: parts::count(body.len()), size: body.len() as u64, hash };
        for (part, message) in parts::sealed(&self.context.signer, key, &about, body)? {
            if !self.sent(self.buckets.parts, &part, message).await? {
                return Ok(());
            }
        }
        let sent = Sent { hash, parts: about.count };
        let head = SharedFile { at, modified, parts: Some(about) };
        self.put(key.to_owned(), &head, Content { sent, body: &[] }).await
    }

    /// Puts a message under a key unless the server has this content.
    async fn put(
        &mut self,
        key: String,
        head: &impl serde::Serialize,
        Content { sent, body }: Content<'_>,
    ) -> Result<(), async_nats::Error> {
        self.kept.insert(key.clone());
        let before = self.published.get(&key).copied();
        if before.is_some_and(|before| before.hash == sent.hash) {
            return Ok(());
        }
        let message = self.sealed(&key, head, body)?;
        if self.sent(self.buckets.loops, &key, message).await? {
            let old = before.map_or(0, |before| before.parts);
            self.remove_parts(&key, sent.parts..old).await?;
            self.published.insert(key, sent);
        }
        Ok(())
    }

    /// Signs a message for a key.
    fn sealed(&self, key: &str, head: &impl serde::Serialize, body: &[u8]) -> Result<Vec<u8>, String> {
        let signer = &self.context.signer;
        let number = signer.number();
        self.context.told_server.lock().numbers.insert(key.to_owned(), number);
        signer.seal_as((&layout::key_subject(LOOPS, key), number), head, body)
    }

    /// Whether the server keeps a message; it has no room when not, and is asked again later.
    async fn sent(
        &mut self,
        bucket: &Bucket,
        key: &str,
        message: Vec<u8>,
    ) -> Result<bool, async_nats::Error> {
        match bucket.put(key, message).await {
            Ok(()) => Ok(true),
            Err(error) => {
                let Full(reason) = Full::from_error(error)?;
                self.full = Some(reason);
                Ok(false)
            }
        }
    }

    async fn remove_gone(&mut self) -> Result<(), async_nats::Error> {
        let gone = self.published.keys().filter(|key| !self.kept.contains(*key));
        let mut gone: Vec<String> = gone.cloned().collect();
        gone.sort_unstable(); // `about` first: the whole share goes at once
        for key in gone {
            let gone = Gone { at: clock::now().millis(), gone: true };
            let message = self.sealed(&key, &gone, b"")?;
            self.buckets.loops.put_for(&key, message, layout::GONE_KEPT).await?;
            let sent = self.published.remove(&key);
            self.remove_parts(&key, 0..sent.map_or(0, |sent| sent.parts)).await?;
            self.versions.remove(&key);
        }
        Ok(())
    }

    async fn remove_parts(&mut self, key: &str, numbers: Range<u32>) -> Result<(), async_nats::Error> {
        for number in numbers {
            self.buckets.parts.put(&parts::key(key, number), Vec::new()).await?;
        }
        Ok(())
    }
}

/// What is to be done with a file.
enum Read {
    /// It is the version that was read last.
    Same,
    /// It cannot be read now, or has no outline.
    Nothing,
    /// As much of it as leaves this machine, without secrets.
    New(Vec<u8>, Fingerprint),
}

fn read(
    share: &Share,
    (file, content): (&str, SharedContent),
    seen: Option<(Fingerprint, SharedContent)>,
    mask: &Mask,
) -> Read {
    let path = share.path.join(file);
    if Fingerprint::at(&path).is_ok_and(|stamp| seen == Some((stamp, content))) {
        return Read::Same;
    }
    let mut bytes = Vec::new();
    let Ok(stamp) = loopdeck_system::files::read(&share.path, &path, &mut bytes) else {
        return Read::Nothing;
    };
    let Some(bytes) = content.of(bytes) else { return Read::Nothing };
    // Bytes that are no text are replaced: a secret between them is found all the same.
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Read::New(mask.hide(text).into_bytes(), stamp)
}
