//! Loops that a person pinned or put aside. What was put aside comes back here, as soon as a row says that it is time; the owner of its
//! workspace keeps that.

use super::{Catalog, Entry, LoopId};
use crate::store::journal::{KeptMarks, RecordedMarks};
use crate::views::ListMarks;
use loopdeck_core::loop_id::workspace_of;
use loopdeck_core::put_aside::{LoopSight, PutAside};
use loopdeck_core::times::Timestamp;
use loopdeck_system::dirs;
use std::collections::HashMap;
use std::path::Path;

/// The marks of loops, also of those that are not open.
#[derive(Debug, Default)]
pub struct MarkedLoops {
    marks: HashMap<LoopId, KeptMarks>,
    /// Those that came back since their owner last asked.
    back: Vec<LoopId>,
    /// When the next snooze is over; it may be earlier than that, never later.
    next: Option<Timestamp>,
}

impl MarkedLoops {
    /// Those that the journal keeps. What was snoozed until before `now` is back.
    #[must_use]
    pub(crate) fn from_recorded(recorded: &[RecordedMarks], now: Timestamp) -> Self {
        let mut known = Self::default();
        for (key, marks) in recorded.iter().map(by_loop) {
            known.set(key, marks);
        }
        known.take_due(now).into_iter().for_each(|key| known.bring_back(key));
        known
    }

    /// The marks of a loop as windows show them.
    #[must_use]
    pub fn of(&self, key: &str) -> ListMarks {
        let Some(marks) = self.marks.get(key) else { return ListMarks::default() };
        ListMarks {
            pinned: marks.pinned,
            archived: marks.aside.is_some_and(|aside| aside.until.is_none()),
            snoozed_until: marks.aside.and_then(|aside| aside.until).map(Timestamp::number),
        }
    }

    /// Whether the loop is not in the list for now.
    #[must_use]
    pub fn is_aside(&self, key: &str) -> bool {
        self.marks.get(key).is_some_and(|marks| marks.aside.is_some())
    }

    fn set(&mut self, key: LoopId, marks: KeptMarks) {
        if let Some(until) = marks.aside.and_then(|aside| aside.until) {
            self.next = Some(self.next.map_or(until, |next| next.min(until)));
        }
        if marks == KeptMarks::default() {
            self.marks.remove(&key);
        } else {
            self.marks.insert(key, marks);
        }
    }

    /// A row is new: it may bring its loop back.
    pub(super) fn look_at(&mut self, key: &LoopId, sight: impl FnOnce() -> LoopSight) {
        let Some(aside) = self.marks.get_mut(key).and_then(|marks| marks.aside.as_mut()) else { return };
        let sight = sight();
        if aside.is_over(&sight) {
            self.bring_back(key.clone());
        } else {
            aside.forget_ended(&sight);
        }
    }

    fn bring_back(&mut self, key: LoopId) {
        let marks = self.marks.get(&key).copied().unwrap_or_default();
        self.set(key.clone(), KeptMarks { aside: None, ..marks });
        self.back.push(key);
    }

    /// Snoozes that are over by `now`.
    fn take_due(&mut self, now: Timestamp) -> Vec<LoopId> {
        if self.next.is_none_or(|next| next > now) {
            return Vec::new();
        }
        let until = |marks: &KeptMarks| marks.aside.and_then(|aside| aside.until);
        let is_due = |marks: &KeptMarks| until(marks).is_some_and(|until| until <= now);
        let due: Vec<LoopId> =
            self.marks.iter().filter(|(_, marks)| is_due(marks)).map(|(key, _)| key.clone()).collect();
        self.next = self.marks.values().filter_map(until).filter(|until| *until > now).min();
        due
    }

    fn has_news(&self, now: Timestamp) -> bool {
        !self.back.is_empty() || self.next.is_some_and(|next| next <= now)
    }
}

/// Marks of the journal, by the name that the catalog has for their loop.
fn by_loop(recorded: &RecordedMarks) -> (LoopId, KeptMarks) {
    (LoopId::new(&dirs::id_of(Path::new(&recorded.workspace)), &recorded.file), recorded.marks)
}

/// What the coming back of a loop depends on.
pub(super) fn sight_of(entry: &Entry, fires: bool) -> LoopSight {
    let sight = LoopSight::new(entry.shown.word, entry.shown.group, entry.changed());
    LoopSight { needs: entry.run.as_ref().map_or(0, |run| run.needs), fires, ..sight }
}

impl Catalog {
    /// What `wanted` means for the journal, as the loop is now; one whose time is over is not put aside.
    #[must_use]
    pub(crate) fn marks_to_keep(&self, key: &str, wanted: &ListMarks, now: Timestamp) -> Option<KeptMarks> {
        let seen = sight_of(self.get(key)?, self.fired.contains(key));
        let until = wanted.snoozed_until.map(Timestamp::from_number).filter(|until| *until > now);
        let aside = if wanted.archived {
            Some(PutAside { until: None, seen })
        } else {
            until.map(|until| PutAside { until: Some(until), seen })
        };
        Some(KeptMarks { pinned: wanted.pinned, aside })
    }

    /// Marks of a loop are new.
    pub(crate) fn mark(&mut self, key: &LoopId, marks: KeptMarks) {
        self.marked.set(key.clone(), marks);
        self.put_again(key);
    }

    /// Whether there may be something for [`Catalog::take_back`].
    #[must_use]
    pub(crate) fn may_bring_back(&self, now: Timestamp) -> bool {
        self.marked.has_news(now)
    }

    /// Loops of a workspace that are in the list again, with the marks that are left of them: since the last call, or because their time
    /// is over by `now`.
    pub(crate) fn take_back(&mut self, workspace: &str, now: Timestamp) -> Vec<(LoopId, KeptMarks)> {
        for key in self.marked.take_due(now) {
            self.marked.bring_back(key.clone());
            self.put_again(&key);
        }
        let mine = self.marked.back.extract_if(.., |key| workspace_of(key) == workspace);
        let mine: Vec<LoopId> = mine.collect();
        let marks = |key: &LoopId| self.marked.marks.get(key).copied().unwrap_or_default();
        mine.into_iter().map(|key| (key.clone(), marks(&key))).collect()
    }

    /// Takes over what the journal has of a workspace: another program may have written it.
    pub(crate) fn remark(&mut self, workspace: &str, recorded: &[RecordedMarks]) {
        let recorded: HashMap<LoopId, KeptMarks> = recorded.iter().map(by_loop).collect();
        let known = self.marked.marks.keys().filter(|key| workspace_of(key) == workspace);
        let gone = known.filter(|key| !recorded.contains_key(*key)).cloned();
        let mut fresh: Vec<(LoopId, KeptMarks)> = gone.map(|key| (key, KeptMarks::default())).collect();
        fresh.extend(recorded);
        for (key, marks) in fresh {
            let before = self.marked.marks.get(&key).copied().unwrap_or_default();
            if !says_the_same(before, marks) {
                self.mark(&key, marks);
            }
        }
    }
}

/// What ended meanwhile is only known here.
fn says_the_same(one: KeptMarks, other: KeptMarks) -> bool {
    let until = |marks: KeptMarks| marks.aside.map(|aside| aside.until);
    one.pinned == other.pinned && until(one) == until(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::roots::Candidate;
    use loopdeck_core::format::Format;
    use loopdeck_core::loops::Place;
    use loopdeck_core::status::{FileStatus, Group};
    use loopdeck_core::summary::Summary;

    fn entry(name: &str, status: FileStatus) -> Entry {
        let candidate = Candidate { file: format!("{name}.json"), place: Place::CcwFile };
        let summary = Summary::empty(Format::LoopV2, name, status);
        Entry::new("w".into(), candidate, None, summary, Timestamp::from_millis(0))
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn a_snooze_ends_with_its_time_and_its_row_is_new() {
        let mut catalog = Catalog::default();
        let names = ["w:a.json", "w:b.json", "w:c.json"];
        for (name, until) in ["a", "b", "c"].into_iter().zip([5.0, 9.0, 9.0]) {
            catalog.put(entry(name, FileStatus::Failed));
            let wanted = ListMarks { pinned: true, snoozed_until: Some(until), ..ListMarks::default() };
            let key = format!("w:{name}.json");
            let marks = catalog.marks_to_keep(&key, &wanted, at(1)).expect("there is such a loop");
            catalog.mark(&(&*key).into(), marks);
        }
        let aside = |catalog: &Catalog| names.map(|key| catalog.marked.is_aside(key));
        assert!(!catalog.may_bring_back(at(4)));
        let since = catalog.revision();
        let left = KeptMarks { pinned: true, aside: None };
        assert_eq!(catalog.take_back("w", at(5)), [("w:a.json".into(), left)]);
        assert_eq!(aside(&catalog), [false, true, true]);
        let rows = catalog.changes(since, at(5)).rows;
        assert_eq!(rows.iter().map(|row| row.marks.is_aside()).collect::<Vec<_>>(), [false]);
        assert!(!catalog.may_bring_back(at(8)), "the next one is known");
        assert_eq!(catalog.take_back("x", at(9)), [], "others keep what is theirs");
        assert_eq!((catalog.take_back("w", at(9)).len(), aside(&catalog)), (2, [false; 3]));
    }

    #[test]
    fn a_row_or_a_rule_brings_a_loop_back_and_what_another_program_wrote_counts() {
        let mut catalog = Catalog::default();
        let key: LoopId = "w:a.json".into();
        let archive = |catalog: &mut Catalog| {
            let wanted = ListMarks { archived: true, ..ListMarks::default() };
            let marks = catalog.marks_to_keep(&key, &wanted, at(1)).expect("there is such a loop");
            catalog.mark(&key, marks);
        };
        catalog.put(entry("a", FileStatus::Failed));
        archive(&mut catalog);
        catalog.put(entry("a", FileStatus::Failed));
        assert!(catalog.marked.of(&key).archived);
        catalog.mark_fired([key.clone()].into());
        assert_eq!((catalog.marked.is_aside(&key), catalog.take_back("w", at(2)).len()), (false, 1));
        archive(&mut catalog);
        catalog.mark_fired(std::collections::HashSet::new());
        assert!(catalog.marked.is_aside(&key), "it fired then");
        let mut started = entry("a", FileStatus::Running);
        started.shown.group = Group::Active;
        catalog.put(started);
        assert!(!catalog.marked.is_aside(&key));
        archive(&mut catalog);
        catalog.remark("x", &[]);
        assert!(catalog.marked.is_aside(&key), "that is about another workspace");
        catalog.remark("w", &[]);
        assert!(!catalog.marked.is_aside(&key));
    }
}
