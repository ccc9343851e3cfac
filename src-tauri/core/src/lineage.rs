//! The origin of a foreign version of a loop's state file, once a request of ours is in the file: a stale
//! copy, an agent's work, or another person's decision (the CCW contract §3, §5.3, §6, §15; the AoT contract
//! §2, §6).
//!
//! There are no locks, and the file does not name its writer. Writers are told apart by values they cannot
//! invent. A copy from before our write has values that our write replaced. An agent that held such a copy
//! also changed its work. A tool that carries out a decision changes only the control fields and the time of
//! writing. All of it is a pure function of the versions; each format defines which of its fields are which.

use crate::control::Verb;
use crate::format::Format;
use crate::times::{self, TimeDelta, Timestamp};
use std::hash::{Hash, Hasher};

/// How far a clock may be ahead of ours. A time further ahead is not a server's: the skills write times eight
/// hours ahead (the CCW contract §15).
const AHEAD: TimeDelta = TimeDelta::minutes(5);
/// A decision this shortly before our request counts as simultaneous: the last writer wins.
const SAME_MOMENT: TimeDelta = TimeDelta::milliseconds(20);

/// The origin of a foreign version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descent {
    /// A copy from before our write: ours is written again.
    Stale,
    /// An agent's work together with a status it remembered: its work stays, and our request is written
    /// again.
    AgentsWork,
    /// Another tool's decision, based on what we wrote: it is kept.
    Decision,
    /// Another loop in the place of this one: our request does not apply to it.
    Unrelated,
}

impl Descent {
    /// Whether our request is written again on top of it.
    #[must_use]
    pub fn is_answered(self) -> bool {
        matches!(self, Self::Stale | Self::AgentsWork)
    }
}

/// The parts of a version that matter for its origin. Small, whatever the size of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// All bytes.
    pub(crate) bytes: u64,
    /// What identifies this loop among others in the same place; none if the file does not say.
    pub(crate) identity: Option<String>,
    /// The fields that requests change.
    pub(crate) control: ControlFields,
    /// When it ended, as written.
    pub(crate) ended: Option<String>,
    /// The time of writing, as written; AoT and Ralph have none.
    pub(crate) written: Option<String>,
    /// Everything else.
    pub(crate) work: u64,
    /// Counts that only ever rise, in an order of the format.
    pub(crate) counts: Vec<f64>,
}

/// The fields of a version that requests change, without times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ControlFields {
    /// In lower case.
    pub(crate) status: String,
    /// AoT: a stop is requested.
    pub(crate) flag: bool,
    /// Why it failed, or why it should stop.
    pub(crate) reason: Option<String>,
}

impl Version {
    /// The version in `bytes`; `None` when they are not a complete state file.
    #[must_use]
    pub fn from_bytes(format: Format, bytes: &[u8]) -> Option<Self> {
        format.rules().version(bytes)
    }

    /// Whether both have the same content, except for the time of writing.
    fn says_the_same(&self, other: &Self) -> bool {
        self.control == other.control && self.work == other.work
    }

    /// Whether nothing in it says how the loop stands: whoever left that out, such as an agent that wrote the whole list of a
    /// Ralph loop again, decided nothing.
    fn says_no_status(&self) -> bool {
        self.control == ControlFields::default()
    }

    fn time(&self) -> Option<Timestamp> {
        self.written.as_deref().and_then(times::parse)
    }
}

/// For comparing versions within one process. Its values are not kept.
#[expect(clippy::disallowed_types, reason = "not kept")]
pub(crate) type ProcessHasher = std::hash::DefaultHasher;

/// The hash of anything; the same within one process.
pub(crate) fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = ProcessHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The known versions of a loop, for judging a foreign one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lineage {
    /// Versions that our current ones no longer contain: those before our first write of the request, and
    /// those that it was written over again since.
    pub before: Vec<Version>,
    /// Versions with the requested values, oldest first: our write and what others made of it.
    pub since: Vec<Version>,
}

/// The other inputs of the judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JudgementInputs {
    /// What was requested.
    pub verb: Verb,
    /// Now.
    pub now: Timestamp,
    /// An agent started by Loopdeck is working on the loop.
    pub our_agent: bool,
}

impl Lineage {
    /// The origin of `foreign`, a version without the requested values. If its ancestors are unknown, it
    /// counts as an agent's work, so that the request is written again.
    #[must_use]
    pub fn descent(&self, foreign: &Version, seen: &JudgementInputs) -> Descent {
        let (Some(ours), Some(latest)) = (self.since.first(), self.since.last()) else {
            return Descent::AgentsWork;
        };
        if is_another_loop(latest, foreign) {
            return Descent::Unrelated;
        }
        if let Some(descent) = self.is_copy(foreign) {
            return descent;
        }
        if self.is_made_from_ours(foreign) {
            return unsigned(seen);
        }
        if falls_behind(latest, foreign) {
            return Descent::Stale;
        }
        if self.since.iter().any(|since| since.work == foreign.work) {
            return self.by_its_time(ours, foreign, seen);
        }
        if self.before.iter().any(|old| old.work == foreign.work) {
            return Descent::Stale;
        }
        let told_otherwise = seen.our_agent && starts_work(seen.verb);
        let remembered = self.remembers(foreign) && !told_otherwise;
        if remembered || foreign.says_no_status() { Descent::AgentsWork } else { Descent::Decision }
    }

    /// A copy of an earlier version has values that our write replaced: its bytes, or its time of writing.
    fn is_copy(&self, foreign: &Version) -> Option<Descent> {
        if foreign.written.is_none() {
            // Without times, the same words are the same version, unless another tool has carried out our
            // stop since.
            let same = self.before.iter().any(|old| old.written.is_none() && old.says_the_same(foreign));
            return (same && !self.is_resumed(foreign)).then_some(Descent::Stale);
        }
        if self.before.iter().any(|old| old.bytes == foreign.bytes) {
            return Some(Descent::Stale);
        }
        if written_with(&self.since, foreign).next().is_some() {
            return None;
        }
        let mut copied = written_with(&self.before, foreign).peekable();
        copied.peek()?;
        let unchanged = copied.any(|old| old.work == foreign.work);
        Some(if unchanged { Descent::Stale } else { Descent::AgentsWork })
    }

    /// Whether it is based on a version of ours, whose time it still has, and on no older one with that time.
    fn is_made_from_ours(&self, foreign: &Version) -> bool {
        written_with(&self.since, foreign).next().is_some()
            && written_with(&self.before, foreign).next().is_none()
    }

    /// Whether a loop that another tool ended at our request is running again with the same work: not a copy
    /// from when the request was still open.
    fn is_resumed(&self, foreign: &Version) -> bool {
        let ran = self.since.first().is_some_and(|ours| ours.control.status == foreign.control.status);
        let ended = self.since.last().filter(|latest| latest.control.status != foreign.control.status);
        ran && !foreign.control.flag && ended.is_some_and(|latest| latest.work == foreign.work)
    }

    /// Only control fields and times differ from a version of ours.
    fn by_its_time(&self, ours: &Version, foreign: &Version, seen: &JudgementInputs) -> Descent {
        let old_end = |old: &Version| old.ended == foreign.ended && old.control == foreign.control;
        let ended_before = foreign.ended.is_some()
            && self.before.iter().any(old_end)
            && self.since.iter().all(|since| since.ended != foreign.ended);
        match (foreign.time(), ours.time()) {
            _ if ended_before => Descent::Stale,
            (Some(time), _) if time > seen.now + AHEAD => {
                if self.remembers(foreign) {
                    Descent::AgentsWork
                } else {
                    Descent::Decision
                }
            }
            (Some(time), Some(our_time)) if time < our_time - SAME_MOMENT => Descent::Stale, // decided before us
            (Some(_), _) => Descent::Decision,
            (None, _) => unsigned(seen),
        }
    }

    /// Whether a writer of `foreign` can know its control fields from a version before ours.
    fn remembers(&self, foreign: &Version) -> bool {
        self.before.iter().any(|old| old.control == foreign.control)
    }
}

/// Those of `versions` with the same time of writing as `foreign`.
fn written_with<'v>(versions: &'v [Version], foreign: &'v Version) -> impl Iterator<Item = &'v Version> {
    let of_time = |version: &&Version| version.written.is_some() && version.written == foreign.written;
    versions.iter().filter(of_time)
}

/// Based on a version of ours, without its own time: an editor does that, and so does an agent that undoes a
/// pause by hand. If an agent started by Loopdeck is working, our request is kept against it (§5.3).
fn unsigned(seen: &JudgementInputs) -> Descent {
    if seen.our_agent && !starts_work(seen.verb) { Descent::AgentsWork } else { Descent::Decision }
}

fn starts_work(verb: Verb) -> bool {
    matches!(verb, Verb::Start | Verb::Resume | Verb::Reopen)
}

fn is_another_loop(latest: &Version, foreign: &Version) -> bool {
    let known = latest.identity.as_ref().zip(foreign.identity.as_ref());
    known.is_some_and(|(latest, foreign)| latest != foreign)
}

fn falls_behind(latest: &Version, foreign: &Version) -> bool {
    latest.counts.iter().zip(&foreign.counts).any(|(was, is)| is < was)
}

#[cfg(test)]
#[path = "lineage_table.rs"]
mod table;
