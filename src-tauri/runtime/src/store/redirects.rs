//! Redirects and holds of AoT loops, guarded like a stop: a copy from before them that somebody writes back is answered by
//! writing them again.
//!
//! The file after our last one is remembered; corrections are only ever added, so what is missing later was undone. The
//! journal tells the same to whoever starts later, and to a script.

use crate::coordinator::owner::{NEVER, Owner};
use crate::observe::catalog::{Entry, Key};
use crate::observe::roots::AOT_FILE;
use crate::store::commit::Change;
use crate::store::journal::{Ask, LoopRef};
use loopdeck_core::control::{Intent, Situation};
use loopdeck_core::formats::aot;
use loopdeck_core::problem::Problem;
use loopdeck_core::status::StatusWord;
use loopdeck_core::times::Millis;
use loopdeck_system::clock;
use loopdeck_system::logged::Logged as _;
use loopdeck_system::stamp::Stamp;
use std::path::Path;
use std::sync::Arc;

/// Somebody who undoes it so often means it.
const MOST: u32 = 5;

/// The last redirect or hold of a loop.
#[derive(Clone, Debug)]
pub(crate) struct Redirected {
    /// The file right after it.
    pub(crate) ours: Arc<[u8]>,
    /// What is written again; nothing when another process wrote it.
    intent: Option<Intent>,
    until: Millis,
    sent_again: u32,
}

impl Owner {
    /// Remembers a redirect or hold that was just written as version `stamp`.
    pub(crate) fn guard_redirect(&mut self, key: &Key, intent: &Intent, stamp: Stamp) {
        let Intent::Operate(operation) = intent else { return };
        let is_there = self.entry(key).is_ok_and(|entry| entry.stamp == Some(stamp));
        let Some(ours) = self.last_bytes(key).filter(|_| operation.is_redirect() && is_there) else { return };
        let until = clock::now() + self.fresh_within;
        let redirected = Redirected { ours, intent: Some(intent.clone()), until, sent_again: 0 };
        self.redirected.insert(Arc::clone(key), redirected);
        // For a window that is open elsewhere; without the note it only tells when this is undone.
        if let (Ok(root), Ok(text)) = (self.root_of(key), serde_json::to_string(operation)) {
            let workspace = root.to_string_lossy();
            let of = LoopRef { workspace: &workspace, file: AOT_FILE };
            self.journal.keep_redirect(of, &text, clock::now()).logged("a redirect is not recorded");
        }
    }

    /// What the journal knows of the AoT loop of a workspace: for a script, after a restart, and when a script redirected it
    /// meanwhile.
    pub(crate) fn reload_redirects(&mut self, root: &Path) {
        let key = crate::observe::catalog::key(&loopdeck_system::dirs::id_of(root), AOT_FILE);
        let workspace = root.to_string_lossy();
        let of = LoopRef { workspace: &workspace, file: AOT_FILE };
        let Ok(Some(bytes)) = self.journal.last_redirect(of) else { return };
        if self.redirected.get(&key).is_some_and(|known| *known.ours == *bytes) {
            return;
        }
        let kept = self.journal.kept_redirect(of).ok().flatten().filter(|_| self.housekeeping);
        let parsed = kept.and_then(|(text, at)| Some((serde_json::from_str(&text).ok()?, at)));
        let intent = parsed.as_ref().map(|(operation, _)| Intent::Operate(Box::clone(operation)));
        let until = parsed.map_or(NEVER, |(_, at)| at + self.fresh_within);
        self.redirected
            .insert(Arc::clone(&key), Redirected { ours: bytes.into(), intent, until, sent_again: 0 });
        self.check_redirect(&key);
    }

    /// After each look at a loop: what of the last redirect is undone, if anything; it is written again when it can be.
    pub(crate) fn check_redirect(&mut self, key: &Key) {
        let Some(redirected) = self.redirected.get(key).cloned() else { return };
        let Ok(entry) = self.entry(key) else { return };
        let undone = self.bytes_of(&entry).and_then(|bytes| aot::undone(&redirected.ours, &bytes));
        if undone.is_none() {
            return self.show_undone(&entry, None);
        }
        if self.is_taken_back(&entry, key) {
            self.redirected.remove(key);
            return self.show_undone(&entry, None);
        }
        let again = redirected.intent.clone().filter(|_| {
            redirected.sent_again < MOST && clock::now() <= redirected.until && self.leaves_traces
        });
        let is_written = again.is_some_and(|intent| self.redirect_again(&entry, redirected, &intent));
        if !is_written {
            self.show_undone(&entry, undone);
        }
    }

    /// Whether we took it back ourselves, here or in another process.
    fn is_taken_back(&mut self, entry: &Entry, key: &Key) -> bool {
        let is_ours = self.ours.get(key).is_some_and(|(written, _)| Some(*written) == entry.stamp);
        let Ok(root) = self.root_of(key) else { return false };
        let workspace = root.to_string_lossy();
        let of = LoopRef { workspace: &workspace, file: &entry.candidate.file };
        is_ours || matches!(self.journal.last_redirect(of), Ok(None))
    }

    fn redirect_again(&mut self, entry: &Entry, redirected: Redirected, intent: &Intent) -> bool {
        // A person has asked for it; that somebody writes is why it is to be written again.
        let situation = Situation { shown: StatusWord::Interrupted, now: self.moment() };
        let key = entry.key();
        // The look at what is written now must not find the old one undone.
        self.redirected.remove(&key);
        let Ok(written) = self.write(entry, &Change::Carry(intent, Ask::None), &situation) else {
            self.redirected.insert(key, redirected);
            return false;
        };
        self.look_now(&key);
        let is_there = self.entry(&key).is_ok_and(|entry| entry.stamp == Some(written.stamp));
        if let Some(ours) = self.last_bytes(&key).filter(|_| is_there) {
            let sent_again = redirected.sent_again + 1;
            self.redirected.insert(key, Redirected { ours, sent_again, ..redirected });
        }
        true
    }

    fn show_undone(&mut self, entry: &Entry, undone: Option<Problem>) {
        if entry.undone != undone {
            let mut entry = entry.clone();
            entry.undone = undone;
            self.write_catalog(|catalog| catalog.put(entry));
        }
    }

    /// How often the last redirect of a loop was written again, and whether it is undone all the same.
    pub(crate) fn redirect_state(&self, key: &str) -> (u32, bool) {
        let again = self.redirected.get(key).map_or(0, |redirected| redirected.sent_again);
        (again, self.entry(key).is_ok_and(|entry| entry.undone.is_some()))
    }
}
