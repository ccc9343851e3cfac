//! Noticing changes: one watcher for each workspace, on folders only.
//!
//! A watched file is lost after its first replacement, a watched repository root costs thousands of watches; both are never done. When the
//! operating system refuses (limits), the owner polls and the window says so.

use crate::observe::glimpses::Glimpses;
use loopdeck_system::platform::seen_at;
use notify::event::{AccessKind, AccessMode, ModifyKind, RenameMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the watcher tells the owner.
#[derive(Debug)]
pub enum WatchEvent {
    /// These paths may have changed, and more may follow: worth waiting for a moment of quiet.
    Paths(Vec<PathBuf>),
    /// These paths were put in place whole, by a rename: worth reading at once.
    Replaced(Vec<PathBuf>),
    /// These paths went away; of watched folders the watch went with them.
    Gone(Vec<PathBuf>),
    /// Events were lost: check everything.
    Rescan,
}

/// Why Loopdeck polls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Degraded {
    /// The system's limit of watches or watchers is used up.
    Limit,
    /// Watching failed for another reason.
    Error,
    /// A person asked for it (network folders).
    Asked,
}

impl Degraded {
    /// Its name in the catalogue (`watching.<reason>`).
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Degraded::Limit => "limit",
            Degraded::Error => "error",
            Degraded::Asked => "asked",
        }
    }
}

type Tell = Arc<dyn Fn(WatchEvent) + Send + Sync>;

/// The watched folders.
pub struct Watch {
    watcher: Option<RecommendedWatcher>,
    tell: Tell,
    glimpses: Glimpses,
    /// Folder and its inode: a recreated folder has another one and must be watched again.
    folders: HashMap<PathBuf, u64>,
    degraded: Option<Degraded>,
    /// The only writer of the folder reports its changes.
    is_unneeded: bool,
}

impl Watch {
    /// A watcher that reports to `tell` from its own thread; `tell` must only hand over, never work. Before it reports a guarded file, it
    /// keeps what is in it.
    #[must_use]
    pub(crate) fn start(
        forced_polling: bool,
        glimpses: Glimpses,
        tell: impl Fn(WatchEvent) + Send + Sync + 'static,
    ) -> Self {
        let degraded = forced_polling.then_some(Degraded::Asked);
        let mut watch = Self {
            watcher: None,
            tell: Arc::new(tell),
            glimpses,
            folders: HashMap::new(),
            degraded,
            is_unneeded: false,
        };
        watch.revive();
        watch
    }

    /// Watches nothing. For a folder whose only writer reports each change.
    #[must_use]
    pub fn watching_nothing() -> Self {
        Self {
            watcher: None,
            tell: Arc::new(|_| {}),
            glimpses: Glimpses::default(),
            folders: HashMap::new(),
            degraded: None,
            is_unneeded: true,
        }
    }

    /// Gets a watcher from the operating system, unless there is one or a person wants none.
    fn revive(&mut self) {
        if self.watcher.is_some() || self.is_unneeded || self.degraded == Some(Degraded::Asked) {
            return;
        }
        let (tell, glimpses) = (Arc::clone(&self.tell), self.glimpses.clone());
        match notify::recommended_watcher(move |event| report(event, &glimpses, &tell)) {
            Ok(watcher) => (self.watcher, self.degraded) = (Some(watcher), None),
            Err(error) => self.degraded = Some(reason(&error)),
        }
    }

    /// Why the sweep must be relied on, if it must.
    #[must_use]
    pub fn degraded(&self) -> Option<Degraded> {
        self.degraded
    }

    /// A folder went away, and with it the watches on it and below. The inode alone does not tell: file systems give it
    /// to the next folder at once. True when any was watched.
    pub fn forget(&mut self, gone: &Path) -> bool {
        let lost: Vec<PathBuf> =
            self.folders.keys().filter(|folder| folder.starts_with(gone)).cloned().collect();
        for folder in &lost {
            if let Some(watcher) = &mut self.watcher {
                let _ = watcher.unwatch(folder); // usually gone with the folder
            }
            self.folders.remove(folder);
        }
        !lost.is_empty()
    }

    /// Whether `folder` is watched (or was, until it went away).
    #[must_use]
    pub fn contains(&self, folder: &Path) -> bool {
        self.folders.contains_key(folder)
    }

    /// How many folders are watched.
    #[must_use]
    pub fn count(&self) -> u32 {
        u32::try_from(self.folders.len()).unwrap_or(u32::MAX)
    }

    /// Watches exactly `wanted`; recreated folders are watched again. Returns the newly watched ones: their earlier content must be
    /// searched.
    pub fn set(&mut self, wanted: &HashSet<PathBuf>) -> Vec<PathBuf> {
        self.revive(); // a limit that was used up may be free again
        let Some(watcher) = &mut self.watcher else { return Vec::new() };
        let stale: Vec<PathBuf> = self
            .folders
            .iter()
            .filter(|(folder, inode)| !wanted.contains(*folder) || inode_of(folder) != Some(**inode))
            .map(|(folder, _)| folder.clone())
            .collect();
        for folder in stale {
            let _ = watcher.unwatch(&folder); // it may be gone already
            self.folders.remove(&folder);
        }
        let mut fresh = Vec::new();
        let mut refused = None;
        for folder in wanted {
            let Some(inode) = inode_of(folder) else { continue };
            if self.folders.contains_key(folder) {
                continue;
            }
            match watcher.watch(folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.folders.insert(folder.clone(), inode);
                    fresh.push(folder.clone());
                }
                Err(error) if inode_of(folder).is_some() => refused = Some(reason(&error)),
                Err(_) => {} // it went away meanwhile: the next look finds out
            }
        }
        self.degraded = refused;
        fresh
    }
}

fn report(event: notify::Result<notify::Event>, glimpses: &Glimpses, tell: &Tell) {
    let is_noise = |kind| matches!(kind, EventKind::Access(kind) if !closes_write(kind));
    if let Ok(event) = event.as_ref()
        && !is_noise(event.kind)
    {
        glimpses.note(&event.paths);
    }
    match event {
        Ok(event) if event.need_rescan() => tell(WatchEvent::Rescan),
        Ok(event) if is_noise(event.kind) => {}
        Ok(event)
            if matches!(
                event.kind,
                EventKind::Modify(ModifyKind::Name(RenameMode::To | RenameMode::Both))
            ) =>
        {
            tell(WatchEvent::Replaced(event.paths));
        }
        Ok(event)
            if matches!(
                event.kind,
                EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From))
            ) =>
        {
            tell(WatchEvent::Gone(event.paths));
        }
        Ok(event) => tell(WatchEvent::Paths(event.paths)),
        Err(_) => tell(WatchEvent::Rescan),
    }
}

fn closes_write(kind: AccessKind) -> bool {
    kind == AccessKind::Close(AccessMode::Write)
}

fn reason(error: &notify::Error) -> Degraded {
    let limit = match &error.kind {
        notify::ErrorKind::MaxFilesWatch => true,
        // EMFILE and ENOSPC: instances or watches used up.
        notify::ErrorKind::Io(io) => matches!(io.raw_os_error(), Some(24 | 28)),
        _ => false,
    };
    if limit { Degraded::Limit } else { Degraded::Error }
}

fn inode_of(folder: &Path) -> Option<u64> {
    seen_at(folder).ok().filter(|(seen, _)| seen.is_dir()).map(|(_, number)| number)
}
