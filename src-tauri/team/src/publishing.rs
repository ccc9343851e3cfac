//! Publishing: the files of shared folders, each when its content differs from what the server has.

use crate::envelope::seal;
use crate::layout::{self, LARGEST, LOOPS};
use crate::message::{About, SharedFile, SharedRequest};
use crate::mirror::{file_token, request_token};
use crate::share::Share;
use crate::team::Context;
use async_nats::jetstream::kv;
use loopdeck_execution::mask::Mask;
use loopdeck_runtime::views::RequestView;
use loopdeck_system::clock;
use loopdeck_system::fingerprint::Fingerprint;
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;
use tokio::sync::watch;

/// How often progress files are checked. The watcher reports a changed state file at once.
const SWEEP: Duration = Duration::from_secs(5);
/// Changes that come together are published together.
const TOGETHER: Duration = Duration::from_millis(20);

/// What the server has of this machine: hash of the content, by key.
pub(crate) type Published = HashMap<String, u64>;

/// The hash of a message's head and content, without the times in it.
pub(crate) fn hash(body: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    hasher.finish()
}

/// Publishes what changes, from the moment on at which it is known what the server has.
pub(crate) async fn publish(
    context: &Context,
    loops: &kv::Store,
    mut there: watch::Receiver<Option<Published>>,
) -> Result<Infallible, async_nats::Error> {
    let mut published = there.wait_for(Option::is_some).await?.clone().unwrap_or_default();
    let mut versions: HashMap<String, Fingerprint> = HashMap::new();
    loop {
        let changed = context.changed.notified();
        pass(context, loops, &mut published, &mut versions).await?;
        tokio::select! {
            () = changed => tokio::time::sleep(TOGETHER).await,
            () = tokio::time::sleep(SWEEP) => {}
        }
    }
}

/// One look at every shared file.
async fn pass(
    context: &Context,
    loops: &kv::Store,
    published: &mut Published,
    versions: &mut HashMap<String, Fingerprint>,
) -> Result<(), async_nats::Error> {
    let shares = context.shares.lock().shares.clone();
    let mask = context.runtime.mask();
    let mut kept: HashSet<String> = HashSet::new();
    let mut too_large = Vec::new();
    for share in &shares {
        let about = layout::file_key(context.seat(), &share.id(), "about");
        kept.insert(about.clone());
        put_about(context, loops, share, &about, published).await?;
        for (file, request) in context.runtime.requests_in(&share.path) {
            let key = layout::file_key(context.seat(), &share.id(), &request_token(&file));
            put_request(context, loops, &key, request, published).await?;
            kept.insert(key);
        }
        for file in tokio::task::block_in_place(|| share.files()) {
            let key = layout::file_key(context.seat(), &share.id(), &file_token(&file));
            // Not even read: it would be again at each change of anything.
            if Fingerprint::at(&share.path.join(&file)).is_ok_and(|stamp| stamp.size > LARGEST as u64) {
                too_large.push(file);
                continue;
            }
            let Some((body, stamp)) = changed(share, &file, versions.get(&key), &mask) else {
                kept.insert(key);
                continue;
            };
            let head = SharedFile { at: clock::now().millis(), modified: stamp.modified().millis() };
            let message = seal(&context.keys, &layout::key_subject(LOOPS, &key), &head, &body);
            let Ok(message) = message else {
                too_large.push(file); // what others have of it is older, and goes
                continue;
            };
            if published.get(&key) != Some(&hash(&body)) {
                loops.put(&key, message.into()).await?;
                published.insert(key.clone(), hash(&body));
            }
            versions.insert(key.clone(), stamp);
            kept.insert(key);
        }
    }
    let mut gone: Vec<String> = published.keys().filter(|key| !kept.contains(*key)).cloned().collect();
    gone.sort_unstable(); // `about` first: the whole share goes at once
    for key in gone {
        loops.delete(&key).await?;
        published.remove(&key);
        versions.remove(&key);
    }
    context.note_too_large(too_large);
    Ok(())
}

async fn put_about(
    context: &Context,
    loops: &kv::Store,
    share: &Share,
    key: &str,
    published: &mut Published,
) -> Result<(), async_nats::Error> {
    let body = serde_json::to_vec(&(share.name(), share.scope, share.steering))?;
    if published.get(key) == Some(&hash(&body)) {
        return Ok(());
    }
    let about =
        About { at: clock::now().millis(), name: share.name(), scope: share.scope, steering: share.steering };
    let message = seal(&context.keys, &layout::key_subject(LOOPS, key), &about, &body)?;
    loops.put(key, message.into()).await?;
    published.insert(key.to_owned(), hash(&body));
    Ok(())
}

async fn put_request(
    context: &Context,
    loops: &kv::Store,
    key: &str,
    request: RequestView,
    published: &mut Published,
) -> Result<(), async_nats::Error> {
    let body = serde_json::to_vec(&request)?;
    if published.get(key) == Some(&hash(&body)) {
        return Ok(());
    }
    let head = SharedRequest { at: clock::now().millis(), request };
    let message = seal(&context.keys, &layout::key_subject(LOOPS, key), &head, &body)?;
    loops.put(key, message.into()).await?;
    published.insert(key.to_owned(), hash(&body));
    Ok(())
}

/// The content of a file whose version differs from the one seen last, without secrets.
fn changed(
    share: &Share,
    file: &str,
    seen: Option<&Fingerprint>,
    mask: &Mask,
) -> Option<(Vec<u8>, Fingerprint)> {
    let path = share.path.join(file);
    let stamp = Fingerprint::at(&path).ok()?;
    if seen == Some(&stamp) {
        return None;
    }
    let mut bytes = Vec::new();
    let stamp = loopdeck_system::files::read(&share.path, &path, &mut bytes).ok()?;
    // Bytes that are no text are replaced: a secret between them is found all the same.
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Some((mask.hide(text).into_bytes(), stamp))
}
