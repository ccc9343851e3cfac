//! Guarded requests: an intent is written, verified, and written again when another writer undoes it.
//!
//! Implements the CCW contract §5.3 and the AoT contract §6: *requested* and *in effect* are two facts.

use crate::observe::catalog::LoopId;
use crate::observe::glimpses::Glimpses;
use crate::store::journal;
use crate::views::{RequestState, RequestView};
use loopdeck_core::control::{Standing, Verb};
use loopdeck_core::layout;
use loopdeck_core::loops;
use loopdeck_core::past::WriteCause;
use loopdeck_core::status::FileStatus;
use loopdeck_core::summary::Summary;
use loopdeck_core::times::{TimeDelta, Timestamp};
use loopdeck_system::fingerprint::Fingerprint;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How long the file must say what was asked before a request without a living agent counts as in effect.
pub const SETTLE: TimeDelta = TimeDelta::seconds(1);
/// How long a request on an idle loop is watched for a late writer.
pub const QUIET_GUARD: TimeDelta = TimeDelta::seconds(10);

/// A request being watched.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Which loop.
    pub key: LoopId,
    /// What the journal has.
    pub entry: journal::RecordedRequest,
    /// How far it is.
    pub state: RequestState,
    /// The version that ours wrote last.
    pub written: Option<Fingerprint>,
    /// When it was written last.
    pub written_at: Timestamp,
    /// The loop was being worked on when it was asked: only that agent's silence or its own write confirms.
    pub live: bool,
    /// Watched until then.
    pub until: Timestamp,
    /// The last version that had what was asked, whoever wrote it.
    pub held: Option<Arc<[u8]>>,
    /// When another tool overruled it.
    pub overruled_at: Option<Timestamp>,
    /// Could not be written again: when to try once more.
    pub retry_at: Option<Timestamp>,
    /// It was sent again a moment ago, and that look is not over.
    pub just_sent: bool,
}

/// What to do after a guarded loop was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing yet.
    Wait,
    /// It is in effect; keep watching.
    Confirm,
    /// Another writer undid it: write it again, unless that was a decision.
    SendAgain,
    /// In effect or answered, and a late writer is no longer expected.
    Release,
}

impl Guard {
    /// Watches a request that was just recorded.
    #[must_use]
    pub fn new(
        key: LoopId,
        entry: journal::RecordedRequest,
        live: bool,
        now: Timestamp,
        fresh_within: TimeDelta,
    ) -> Self {
        let until = now + if live { fresh_within } else { QUIET_GUARD };
        let state = RequestState::Requested;
        let (written, held, overruled_at, retry_at) = (None, None, None, None);
        let just_sent = false;
        Self {
            key,
            entry,
            state,
            written,
            written_at: now,
            live,
            until,
            held,
            overruled_at,
            retry_at,
            just_sent,
        }
    }

    /// Its file.
    fn path(&self) -> PathBuf {
        Path::new(&self.entry.workspace).join(layout::on_disk(&self.entry.file))
    }

    /// Decides after the file was read (`stamp`, `summary`).
    #[must_use]
    pub fn step(&self, summary: &Summary, stamp: Option<Fingerprint>, now: Timestamp) -> Step {
        if summary.status == FileStatus::Unreadable {
            return Step::Wait; // half-written or damaged: never written to
        }
        let Some(verb) = self.entry.intent.verb() else { return Step::Release };
        match loops::request_standing(summary, verb) {
            Standing::Answered => Step::Release,
            Standing::Undone => Step::SendAgain,
            Standing::Holds if now >= self.until => Step::Release,
            Standing::Holds if self.state == RequestState::InEffect => Step::Wait,
            Standing::Holds if !has_reached(summary, verb) => Step::Wait,
            // A foreign write that kept our word: its writer has seen it.
            Standing::Holds if self.written.is_some() && stamp != self.written => Step::Confirm,
            Standing::Holds if !self.live && now >= self.written_at + SETTLE => Step::Confirm,
            Standing::Holds => Step::Wait,
        }
    }

    /// Ours, the only agent that was known to work on the loop, has ended: no other is awaited, and the current state is in effect. An
    /// unknown agent may still write, so it is watched for a short while.
    pub fn left_alone(&mut self, now: Timestamp) {
        self.live = false;
        self.written_at = self.written_at.min(now - SETTLE);
        self.until = self.until.min(now + QUIET_GUARD);
    }

    /// Another tool decided otherwise at that time.
    pub fn note_overruled(&mut self, at: Timestamp) {
        (self.state, self.overruled_at) = (RequestState::Overruled, Some(at));
    }

    /// When to decide again although nothing changed.
    #[must_use]
    pub fn next_look(&self) -> Timestamp {
        let by_itself = if self.state == RequestState::Requested && !self.live {
            (self.written_at + SETTLE).min(self.until)
        } else {
            self.until
        };
        self.retry_at.map_or(by_itself, |at| at.min(by_itself))
    }

    /// What the window shows of it.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
    pub fn view(&self) -> Option<RequestView> {
        Some(RequestView {
            verb: WriteCause::of_verb(self.entry.intent.verb()?)?,
            at: self.entry.at.number(),
            state: self.state,
            sent_again: self.entry.sent_again,
            overruled_at: self.overruled_at.map(Timestamp::number),
            asker: self.entry.asker.clone(),
        })
    }
}

/// Whether the file's own status is what the verb is for (AoT: a raised flag is not yet a stop).
fn has_reached(summary: &Summary, verb: Verb) -> bool {
    match verb {
        Verb::Pause => summary.status == FileStatus::Paused,
        Verb::Stop | Verb::Finalise => {
            matches!(summary.status, FileStatus::StoppedByUser | FileStatus::Paused)
        }
        Verb::Start | Verb::Resume | Verb::Reopen => summary.status == FileStatus::Running,
        Verb::EditMetadata | Verb::Delete => true,
    }
}

/// The requests that are watched, one for each loop.
#[derive(Debug)]
pub(crate) struct RequestGuards {
    guards: HashMap<LoopId, Guard>,
    glimpses: Glimpses,
}

impl RequestGuards {
    /// None. What the watcher sees of their files is in `glimpses`.
    pub(crate) fn new(glimpses: Glimpses) -> Self {
        Self { guards: HashMap::new(), glimpses }
    }

    /// What the watcher saw of the file of `guard` since this was asked last, oldest first.
    pub(crate) fn take_glimpses(&self, guard: &Guard) -> Vec<Vec<u8>> {
        self.glimpses.take(&guard.path())
    }

    /// The guard of a loop.
    pub(crate) fn get(&self, key: &str) -> Option<&Guard> {
        self.guards.get(key)
    }

    /// The same, to change it.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Guard> {
        self.guards.get_mut(key)
    }

    /// Whether a request of this loop is watched.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.guards.contains_key(key)
    }

    /// Watches a request, instead of the one before.
    pub(crate) fn put(&mut self, guard: Guard) {
        self.glimpses.begin(Path::new(&guard.entry.workspace), layout::on_disk(&guard.entry.file));
        self.guards.insert(guard.key.clone(), guard);
    }

    /// Watches it no longer.
    pub(crate) fn remove(&mut self, key: &str) -> Option<Guard> {
        let guard = self.guards.remove(key)?;
        self.glimpses.end(&guard.path());
        Some(guard)
    }

    /// Loops with a watched request.
    pub(crate) fn keys(&self) -> Vec<LoopId> {
        self.guards.keys().cloned().collect()
    }

    /// Numbers of the watched requests in the journal.
    pub(crate) fn ids(&self) -> Vec<i64> {
        self.guards.values().map(|guard| guard.entry.id).collect()
    }

    /// Loops whose request is due to be checked.
    pub(crate) fn due(&self, now: Timestamp) -> Vec<LoopId> {
        let due = self.guards.values().filter(|guard| guard.next_look() <= now);
        due.map(|guard| guard.key.clone()).collect()
    }

    /// When the next one is due.
    pub(crate) fn next_look(&self) -> Option<Timestamp> {
        self.guards.values().map(Guard::next_look).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::journal::RecordedRequest;
    use loopdeck_core::control::Intent;

    #[test]
    fn what_nobody_is_left_to_contest_is_decided_at_once() {
        let (workspace, file) = ("/w".to_owned(), "a.json".to_owned());
        let entry = RecordedRequest {
            id: 1,
            workspace,
            file,
            intent: Intent::Pause,
            at: Timestamp::from_millis(5_000),
            sent_again: 0,
            asker: None,
        };
        let mut guard =
            Guard::new("a".into(), entry, true, Timestamp::from_millis(5_000), TimeDelta::minutes(10));
        assert_eq!(guard.next_look(), Timestamp::from_millis(605_000), "an agent works: only it can confirm");
        guard.left_alone(Timestamp::from_millis(5_100));
        assert_eq!(guard.next_look(), Timestamp::from_millis(5_100));
        assert_eq!(
            guard.until,
            Timestamp::from_millis(5_100) + QUIET_GUARD,
            "somebody unknown may write still"
        );
    }
}
