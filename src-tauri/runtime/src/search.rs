//! Search over all loops. The index says which loops have the words; their files are read to show where.
//!
//! The index follows the catalog, which the watcher keeps: whoever searches first brings it up to date with the loops whose
//! version changed. So an app in which nobody searches has no index to keep.

mod hits;

pub(crate) use hits::found_loop;

use crate::loop_reader::LocatedLoop;
use crate::observe::catalog::{Catalog, Entry};
use crate::observe::reconcile::{latest_companion_change, may_have_companions};
use crate::observe::roots::Candidate;
use crate::views::{Failure, FailureKind, LoopNotes};
use loopdeck_core::loop_id::{LoopId, workspace_of};
use loopdeck_core::stable_hash::StableHasher;
use loopdeck_search::{Index, Query, Words};
use loopdeck_system::dirs::Dirs;
use loopdeck_system::files;
use loopdeck_system::fingerprint::Fingerprint;
use loopdeck_system::logged::Logged as _;
use parking_lot::{Mutex, MutexGuard, RwLock};
use std::collections::{HashMap, HashSet};
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::slice::Chunks;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Instant;

/// Loops that a reader takes together, and are put into the index together.
const BATCH: usize = 64;
/// Threads that read loops.
const READERS: usize = 2;
/// Longer files are documents to page through: they are not searched.
const MOST_BYTES: usize = 32 << 20;

/// The index of all open workspaces, opened when somebody searches.
#[derive(Debug, Default)]
pub(crate) struct LoopSearch(Mutex<Option<Index>>);

/// A loop whose words may not be in the index as they are now.
struct Outdated {
    key: LoopId,
    version: u64,
    /// The version that is indexed.
    indexed: Option<i64>,
}

/// The words of loops, ready for the index.
struct ReadBatch {
    /// How many loops it was about, those that need nothing included.
    of: usize,
    words: Vec<(String, i64, String)>,
}

impl LoopSearch {
    /// Indexes loops that changed, until `until` and at least one batch. Answers how many are left.
    pub(crate) fn follow(
        &self,
        catalog: &RwLock<Catalog>,
        dirs: &Dirs,
        until: Instant,
    ) -> Result<u32, Failure> {
        let mut index = self.index(dirs)?;
        let index = index.as_mut().ok_or_else(|| Failure::new(FailureKind::OwnData))?;
        let (gone, outdated) = differences(index, &catalog.read());
        if !gone.is_empty() {
            index.forget(&gone).map_err(Failure::own_data)?;
        }
        if outdated.is_empty() {
            return Ok(0);
        }
        let mut left = outdated.len();
        let (unread, siblings) = (Mutex::new(outdated.chunks(BATCH)), Siblings::default());
        std::thread::scope(|scope| {
            // Half of the work waits for the disk. Two batches may wait for the index, so that memory stays small.
            let (send, batches) = sync_channel(2);
            for _ in 0..READERS {
                let (send, unread, siblings) = (send.clone(), &unread, &siblings);
                scope.spawn(move || read_batches(unread, catalog, siblings, &send));
            }
            drop(send); // the batches end with the readers
            let documents = batches.into_iter().flat_map(|batch| {
                left -= batch.of;
                if Instant::now() >= until {
                    *unread.lock() = [].chunks(BATCH); // the readers end
                }
                batch.words
            });
            index.update(documents).map_err(Failure::own_data)
        })?;
        Ok(u32::try_from(left).unwrap_or(u32::MAX))
    }

    /// The keys of loops that have all words of `query`.
    pub(crate) fn matching(&self, query: &Query, dirs: &Dirs) -> Result<HashSet<String>, Failure> {
        let index = self.index(dirs)?;
        let Some(index) = index.as_ref() else { return Ok(HashSet::new()) };
        Ok(index.matching(query).map_err(Failure::own_data)?.into_iter().collect())
    }

    /// The index. One that is damaged is made again: it has nothing of its own.
    fn index(&self, dirs: &Dirs) -> Result<MutexGuard<'_, Option<Index>>, Failure> {
        let mut index = self.0.lock();
        if index.is_none() {
            let path = dirs.search();
            std::fs::create_dir_all(&dirs.data).map_err(Failure::own_data)?;
            let opened = Index::open(&path).or_else(|error| {
                if !error.is_damage() {
                    return Err(error);
                }
                tracing::warn!(%error, "the search index is made again");
                remove(&path);
                Index::open(&path)
            });
            *index = Some(opened.map_err(Failure::own_data)?);
        }
        Ok(index)
    }
}

/// Removes a damaged index with the files that SQLite keeps next to it.
fn remove(path: &Path) {
    for ending in ["", "-wal", "-shm"] {
        let file = PathBuf::from(format!("{}{ending}", path.display()));
        if file.exists() {
            std::fs::remove_file(&file).logged("a damaged search index is not removed");
        }
    }
}

/// Indexed loops that are gone, and loops whose version is not the indexed one. What we run is looked at each time.
fn differences(index: &Index, catalog: &Catalog) -> (Vec<String>, Vec<Outdated>) {
    let is_gone = |name: &&str| {
        let workspace = catalog.workspace(workspace_of(name));
        workspace.is_some_and(|workspace| workspace.scanned) && catalog.get(name).is_none()
    };
    let gone = index.names().filter(is_gone).map(str::to_owned).collect();
    let outdated = catalog.entries().filter_map(|(key, entry)| {
        let version = version(entry, catalog.notes.get(key));
        let indexed = index.version(key);
        let is_same = entry.run.is_none() && indexed == Some(version.cast_signed());
        (!is_same).then(|| Outdated { key: key.clone(), version, indexed })
    });
    (gone, outdated.collect())
}

/// The version of a loop's files and notes, as one number.
fn version(entry: &Entry, notes: Option<&LoopNotes>) -> u64 {
    let mut hasher = StableHasher::default();
    let (size, modified, inode) = entry.stamp.map(Fingerprint::columns).unwrap_or_default();
    for number in [size, modified, inode, entry.companion_change.millis()] {
        hasher.number(number.cast_unsigned());
    }
    if let Some(notes) = notes {
        hasher.text(&notes.note).texts(&notes.labels);
    }
    hasher.finish()
}

/// The same with what our run of a loop wrote next to it: the catalog knows only what others write there.
fn with_our_run(found: &LocatedLoop, version: u64) -> i64 {
    let Some(_) = &found.entry.run else { return version.cast_signed() };
    let written = latest_companion_change(&found.root, found.candidate(), |_, _| false);
    let mut hasher = StableHasher::default();
    hasher.number(version).number(written.millis().cast_unsigned()).finish().cast_signed()
}

/// Reads the next batch as long as there is one.
fn read_batches(
    unread: &Mutex<Chunks<'_, Outdated>>,
    catalog: &RwLock<Catalog>,
    siblings: &Siblings,
    send: &SyncSender<ReadBatch>,
) {
    let mut reader = LoopWords::new(siblings);
    let next = || unread.lock().next();
    while let Some(batch) = next() {
        let words = batch.iter().filter_map(|one| {
            let found = LocatedLoop::in_catalog(&catalog.read(), &one.key).ok()?;
            let version = with_our_run(&found, one.version);
            (one.indexed != Some(version)).then(|| (one.key.to_string(), version, reader.words(&found)))
        });
        let batch = ReadBatch { of: batch.len(), words: words.collect() };
        if send.send(batch).is_err() {
            return; // the index takes no more
        }
    }
}

/// Reads loops one after the other, into the same memory.
struct LoopWords<'a> {
    words: Words,
    bytes: Vec<u8>,
    siblings: &'a Siblings,
    /// The folder of the loop before: the next one is in the same one most of the time.
    folder: PathBuf,
    names: Arc<HashSet<String>>,
}

impl<'a> LoopWords<'a> {
    fn new(siblings: &'a Siblings) -> Self {
        let (words, bytes, folder, names) = Default::default();
        Self { words, bytes, siblings, folder, names }
    }

    fn words(&mut self, found: &LocatedLoop) -> String {
        self.words.add_text(&found.entry.summary.title);
        self.words.add_text(&found.notes.note);
        found.notes.labels.iter().for_each(|label| self.words.add_text(label));
        // One without a stamp could not be read: it is gone, or a link leads out of the workspace.
        if found.entry.stamp.is_some() {
            self.add_files(found);
        }
        self.words.take()
    }

    fn add_files(&mut self, found: &LocatedLoop) {
        let path = found.path();
        self.add(found, &path);
        let folder = path.parent().unwrap_or(&found.root);
        if self.folder != folder {
            folder.clone_into(&mut self.folder);
            self.names = self.siblings.of(folder, &found.root);
        }
        if may_have_companions(found.candidate(), &self.names) {
            let documents = found.documents();
            documents.iter().for_each(|document| self.add(found, &found.root.join(&document.file)));
        }
        let tasks = task_list(found.candidate());
        if self.names.contains(&tasks) {
            self.add(found, &found.root.join(tasks));
        }
    }

    fn add(&mut self, found: &LocatedLoop, path: &Path) {
        let is_read = files::read_in_known_folder(&found.root, path, &mut self.bytes).is_ok();
        if is_read && self.bytes.len() <= MOST_BYTES {
            self.words.add_file(&self.bytes);
        }
    }
}

/// What is in the folders of state files and is none, by their paths; as reconciling names it. One look tells which of thousands of loops
/// have anything next to them, for all readers.
#[derive(Default)]
struct Siblings(Mutex<HashMap<PathBuf, Arc<HashSet<String>>>>);

impl Siblings {
    fn of(&self, folder: &Path, root: &Path) -> Arc<HashSet<String>> {
        // Whoever comes meanwhile needs the same folder most of the time.
        let mut known = self.0.lock();
        if let Some(names) = known.get(folder) {
            return Arc::clone(names);
        }
        let below = folder.strip_prefix(root).unwrap_or(folder);
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let others = entries.filter(|entry| !is_json_file(entry));
        let names = others.map(|entry| below.join(entry.file_name()).to_string_lossy().replace('\\', "/"));
        let names = Arc::new(names.collect());
        known.insert(folder.to_path_buf(), Arc::clone(&names));
        names
    }
}

/// Whether an entry is no folder of a loop's and no task list: thousands of loops have nothing else next to them.
fn is_json_file(entry: &DirEntry) -> bool {
    let is_json = entry.file_name().as_encoded_bytes().ends_with(b".json");
    is_json && entry.file_type().is_ok_and(|kind| kind.is_file())
}

/// The task list next to a state file.
fn task_list(candidate: &Candidate) -> String {
    format!("{}.tasks.jsonl", candidate.file.strip_suffix(".json").unwrap_or(&candidate.file))
}
