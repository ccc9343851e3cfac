//! Redirects and holds of AoT loops, guarded like a stop: when another program writes back a copy from before, they are written again.
//!
//! The file after our last one is remembered; corrections are only ever added, so what is missing later was undone. The journal tells the
//! same to a later start, and to a script.

use crate::observe::catalog::{Entry, LoopId};
use crate::store::draft::Change;
use crate::store::journal::{LoopRef, RequestLink};
use crate::store::redirect_guards::Redirected;
use crate::store::workspace_store::{Moment, NEVER, WorkspaceStore};
use loopdeck_core::control::{Intent, Situation};
use loopdeck_core::formats::aot;
use loopdeck_core::layout::AOT_FILE;
use loopdeck_core::loop_id::file_of;
use loopdeck_core::problem::Problem;
use loopdeck_core::status::StatusWord;
use loopdeck_system::clock;
use loopdeck_system::fingerprint::Fingerprint;
use loopdeck_system::logged::Logged as _;
use std::path::Path;

/// A program that undoes it this often means it.
const MOST: u32 = 5;

impl WorkspaceStore {
    /// Remembers a redirect or hold that was just written as version `stamp`.
    pub(crate) fn guard_redirect(&mut self, key: &LoopId, intent: &Intent, stamp: Fingerprint) {
        let Intent::Operate(operation) = intent else { return };
        let is_there = self.entry(key).is_ok_and(|entry| entry.stamp == Some(stamp));
        let Some(ours) = self.last_bytes(key).filter(|_| operation.is_redirect() && is_there) else { return };
        let until = clock::now() + self.fresh_within;
        let redirected = Redirected { ours, intent: Some(intent.clone()), until, sent_again: 0 };
        self.redirects.put(key, redirected);
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
        let key = LoopId::new(&loopdeck_system::dirs::id_of(root), AOT_FILE);
        let workspace = root.to_string_lossy();
        let of = LoopRef { workspace: &workspace, file: AOT_FILE };
        let Ok(Some(last)) = self.journal.last_redirect(of) else { return };
        let again = last.kept.filter(|_| self.housekeeping);
        let is_known =
            |known: &Redirected| *known.ours == *last.bytes && (known.intent.is_some() || again.is_none());
        if self.redirects.get(&key).is_some_and(is_known) {
            return;
        }
        let parsed = again.and_then(|(text, at)| Some((serde_json::from_str(&text).ok()?, at)));
        let intent = parsed.as_ref().map(|(operation, _)| Intent::Operate(Box::clone(operation)));
        let until = parsed.map_or(NEVER, |(_, at)| at + self.fresh_within);
        self.redirects.put(&key, Redirected { ours: last.bytes.into(), intent, until, sent_again: 0 });
        // What is known here of the file may be older than that redirect.
        self.look_now(&key);
        self.check_redirect(&key);
    }

    /// After each read of a loop: what of the last redirect is undone, if anything; it is written again when possible.
    pub(crate) fn check_redirect(&mut self, key: &LoopId) {
        let Some(redirected) = self.redirects.get(key).cloned() else { return };
        let Ok(entry) = self.entry(key) else { return };
        let undone = self.bytes_of(&entry).and_then(|bytes| aot::undone(&redirected.ours, &bytes));
        if undone.is_none() {
            return self.show_undone(&entry, None);
        }
        if self.is_taken_back(&entry, key) {
            self.redirects.remove(key);
            return self.show_undone(&entry, None);
        }
        let again = redirected.intent.clone().filter(|_| {
            redirected.sent_again < MOST && clock::now() <= redirected.until && self.leaves_traces
        });
        // Whoever runs the loop writes it again; two would write over each other.
        let again = again.filter(|_| {
            self.root_of(key).is_ok_and(|root| self.runner_beside(&root, file_of(key)).is_none())
        });
        let is_written = again.is_some_and(|intent| self.redirect_again(&entry, redirected, &intent));
        if !is_written {
            self.show_undone(&entry, undone);
        }
    }

    /// Whether we took it back ourselves, here or in another process.
    fn is_taken_back(&mut self, entry: &Entry, key: &LoopId) -> bool {
        let is_ours = self.own_writes.made_version(key, entry.stamp);
        let Ok(root) = self.root_of(key) else { return false };
        let workspace = root.to_string_lossy();
        let of = LoopRef { workspace: &workspace, file: &entry.candidate.file };
        is_ours || matches!(self.journal.last_redirect(of), Ok(None))
    }

    fn redirect_again(&mut self, entry: &Entry, redirected: Redirected, intent: &Intent) -> bool {
        // A person has asked for it; that another program writes is the reason to write it again.
        let Moment { at, group } = self.moment();
        let situation = Situation { shown: StatusWord::Interrupted, now: at };
        let key = entry.key();
        // Reading the new content must not find the old redirect undone.
        self.redirects.remove(&key);
        let Ok(written) = self.write(entry, &Change::Carry(intent, RequestLink::None), &situation, group)
        else {
            self.redirects.put(&key, redirected);
            return false;
        };
        self.look_now(&key);
        let is_there = self.entry(&key).is_ok_and(|entry| entry.stamp == Some(written.stamp));
        if let Some(ours) = self.last_bytes(&key).filter(|_| is_there) {
            let sent_again = redirected.sent_again + 1;
            self.redirects.put(&key, Redirected { ours, sent_again, ..redirected });
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
        let again = self.redirects.get(key).map_or(0, |redirected| redirected.sent_again);
        (again, self.entry(key).is_ok_and(|entry| entry.undone.is_some()))
    }
}
