//! Times eight hours ahead: detecting and correcting them (the CCW contract §15).

use crate::format::FileFacts;
use crate::times::{self, SKILL_SHIFT, TimeDelta, TimeView, Timestamp};

const QUARTER: TimeDelta = TimeDelta::minutes(15);
const SLACK: TimeDelta = TimeDelta::minutes(5);

/// Seven and a half to eight and a half hours: the tolerance when comparing the last write with eight hours
/// before the preceding work.
fn is_nearly_shift(span: TimeDelta) -> bool {
    (SKILL_SHIFT - QUARTER * 2..=SKILL_SHIFT + QUARTER * 2).contains(&span)
}

/// How to read the times of one loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// Skill-written times are eight hours ahead.
    pub(crate) shifted: bool,
    created_shifted: bool,
    created_by_skill: bool,
    /// Earlier times were not written by the fast clock: work is never older than its loop.
    floor: Option<Timestamp>,
    modified: Timestamp,
}

/// The times of the master's top level, as written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stamps<'t> {
    pub(crate) created: Option<&'t str>,
    pub(crate) updated: Option<&'t str>,
}

impl Clock {
    /// `skill_times`: all skill-written times except `created_at`. Only `Z` times count.
    pub(crate) fn new<'t>(
        facts: &FileFacts<'_>,
        skill_times: impl Iterator<Item = &'t str>,
        stamps: Stamps<'_>,
    ) -> Self {
        let created_by_skill = !is_ours(facts.stem);
        let created = stamps.created.and_then(zulu);
        let updated = stamps.updated.and_then(zulu);
        let floor = created
            .map(|created| if created_by_skill { created - SLACK } else { created + SKILL_SHIFT - QUARTER });
        let mut times: Vec<Timestamp> = skill_times.filter_map(zulu).collect();
        times.retain(|time| floor.is_none_or(|floor| *time >= floor));
        let first = times.iter().min().copied();
        times.extend(created.filter(|_| created_by_skill));
        let mut clock = Self {
            shifted: is_shifted(&times, updated, facts),
            created_shifted: false,
            created_by_skill,
            floor,
            modified: facts.modified,
        };
        clock.created_shifted = clock.shifted
            && created_by_skill
            && created.is_some_and(|created| {
                // The first work follows right after the creation; eight hours later means that another clock
                // wrote it.
                let other_clock = first.is_some_and(|first| first - created >= SKILL_SHIFT - QUARTER);
                let in_order = updated.is_some_and(|time| created <= time && !clock.is_either_shifted(time));
                !other_clock && !in_order
            });
        clock
    }

    /// A skill-written time (class S).
    pub(crate) fn skill(&self, text: &str) -> TimeView {
        let is_work = zulu(text).is_some_and(|time| self.floor.is_none_or(|floor| time >= floor));
        TimeView::read(text, self.shifted && is_work)
    }

    /// A server-written time (class A): correct as written.
    pub(crate) fn server(text: &str) -> TimeView {
        TimeView::read(text, false)
    }

    /// `created_at`: skill-written unless the id ends in 8 hex digits. Correct as written when it is before a
    /// correct `updated_at`.
    pub(crate) fn created(&self, text: &str) -> TimeView {
        TimeView::read(text, self.created_shifted)
    }

    /// A duration that the skill computed from `created_at`: eight hours too short when the skill wrote that
    /// too (§13).
    pub(crate) fn duration(&self, ms: f64) -> f64 {
        #[allow(clippy::cast_precision_loss)] // a small constant
        let shift = SKILL_SHIFT.num_milliseconds() as f64;
        let is_short = self.created_shifted || (self.shifted && self.created_by_skill && ms < 0.0);
        if is_short { ms + shift } else { ms }
    }

    /// `updated_at`, written by either: the reading closer to the file's own time, if close enough.
    pub(crate) fn either(&self, text: &str) -> TimeView {
        TimeView::read(text, zulu(text).is_some_and(|time| self.is_either_shifted(time)))
    }

    fn is_either_shifted(&self, time: Timestamp) -> bool {
        let near = |time: Timestamp| (time - self.modified).abs() <= QUARTER;
        self.shifted && !near(time) && near(time - SKILL_SHIFT)
    }
}

/// Whether a server or Loopdeck created the id: `…-<8 hex digits>`.
pub(crate) fn is_ours(stem: &str) -> bool {
    stem.rsplit_once('-')
        .is_some_and(|(_, suffix)| suffix.len() == 8 && suffix.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn zulu(text: &str) -> Option<Timestamp> {
    if text.ends_with('Z') { times::parse(text) } else { None }
}

/// The times are shifted if one of these holds. The file was written eight hours before its newest work or
/// its `updated_at`. Work is about eight hours in the future, or at least two times are in the future. At
/// least two times of the work are about eight hours after `updated_at`. Work a while after `updated_at`
/// proves nothing, because not every writer updates that field. Neither does a single time that is slightly
/// ahead, because clocks differ.
fn is_shifted(times: &[Timestamp], updated: Option<Timestamp>, facts: &FileFacts<'_>) -> bool {
    let Some(newest) = times.iter().max().copied() else { return false };
    let ahead_of_file = |time: Timestamp| (time - facts.modified - SKILL_SHIFT).abs() <= QUARTER;
    let ahead = |time: Timestamp| time - facts.now;
    let is_future = |time: &Timestamp| ahead(*time) > SLACK && ahead(*time) <= SKILL_SHIFT + QUARTER;
    let futures = times.iter().copied().chain(updated).filter(is_future).count();
    let after_update = |time: Timestamp| updated.is_some_and(|updated| is_nearly_shift(time - updated));
    ahead_of_file(newest)
        || updated.is_some_and(ahead_of_file)
        || (is_future(&newest) && (futures >= 2 || is_nearly_shift(ahead(newest))))
        || (after_update(newest) && times.iter().filter(|time| after_update(**time)).count() >= 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: &str = "2026-01-22T12:00:00.000Z";

    fn clock(stem: &str, at: [&str; 2], skill: &[&str], created: &str, updated: &str) -> Clock {
        let ms = |text| times::parse(text).expect("time");
        let facts = FileFacts { stem, modified: ms(at[0]), now: ms(at[1]) };
        let stamps = Stamps { created: Some(created), updated: Some(updated) };
        Clock::new(&facts, skill.iter().copied(), stamps)
    }

    fn at(modified: &str, now: &str, skill: &str, updated: &str) -> Clock {
        clock("loop-v2-x-k3v9x2ab", [modified, now], &[skill], skill, updated)
    }

    #[test]
    fn each_proof_of_a_shift_is_enough() {
        assert!(!at(NOON, NOON, NOON, NOON).shifted);
        let late = "2026-03-01T00:00:00Z";
        assert!(at("2026-01-22T04:10:00Z", late, NOON, NOON).shifted, "a: against the file's time");
        assert!(!at("2026-01-22T04:16:00Z", late, NOON, NOON).shifted);
        assert!(at("2026-01-01T00:00:00Z", "2026-01-22T11:54:00Z", NOON, NOON).shifted, "b: in the future");
        assert!(!at("2026-01-01T00:00:00Z", "2026-01-22T11:56:00Z", NOON, NOON).shifted);
        assert!(
            !at(NOON, late, "2026-01-22T12:00:00+08:00", "2026-01-22T01:00:00Z").shifted,
            "offsets are true"
        );
    }

    const SKILL: &str = "loop-b-20260122-abc123";
    const SERVER: &str = "loop-v2-20260122T100000-3fa91c0e";
    const LATER: &str = "2026-11-20T00:00:00Z";

    /// What the times of one file prove: whether work is shifted, and whether `created_at` is. `file`: its time
    /// and that of reading; `times`: created and updated.
    #[track_caller]
    fn check(what: &str, stem: &str, file: [&str; 2], times: [&str; 2], work: &[&str], expected: [bool; 2]) {
        let day =
            |time: &str| if time.len() > 6 { time.to_owned() } else { format!("2026-01-22T{time}:00Z") };
        let file = file.map(day);
        let [created, updated] = times.map(day);
        let work: Vec<String> = work.iter().map(|time| day(time)).collect();
        let work: Vec<&str> = work.iter().map(String::as_str).collect();
        let clock = clock(stem, [&file[0], &file[1]], &work, &created, &updated);
        let found = [clock.shifted, clock.created(&created).shifted];
        assert_eq!(found, expected, "{what}");
        let moved = work.iter().any(|time| clock.skill(time).shifted);
        assert!(expected[0] || !moved, "{what}: work");
    }

    #[test]
    fn the_seed_is_not_shifted() {
        // Seed 003: created 10:00, updated 10:30, merged 10:45.
        let seed = (["10:00", "10:30"], ["10:45"]);
        check("the seed, read at once", SKILL, ["10:45", "10:45"], seed.0, &seed.1, [false, false]);
        check(
            "the seed, a day later",
            SKILL,
            ["10:45", "2026-01-23T10:45:00Z"],
            seed.0,
            &seed.1,
            [false, false],
        );
        check("the seed, copied", SKILL, [LATER, LATER], seed.0, &seed.1, [false, false]);
        check("the seed, time of the last update", SKILL, ["10:30", LATER], seed.0, &seed.1, [false, false]);
        check("the seed, made by a server", SERVER, ["10:45", LATER], seed.0, &seed.1, [false, false]);
    }

    #[test]
    fn the_time_of_the_file_proves_the_clock_of_the_skill() {
        check("all by the skill", SKILL, ["02:45", LATER], ["10:00", "10:45"], &["10:45"], [true, true]);
        check(
            "updated after the work",
            SKILL,
            ["02:45", LATER],
            ["10:00", "10:45"],
            &["10:20"],
            [true, true],
        );
        check(
            "created by a server",
            SERVER,
            ["10:45", LATER],
            ["10:00", "18:45"],
            &["18:20", "18:45"],
            [true, false],
        );
        check(
            "created by another clock",
            SKILL,
            ["10:45", LATER],
            ["10:00", "18:45"],
            &["18:02", "18:45"],
            [true, false],
        );
        check(
            "created before a true update",
            SKILL,
            ["10:45", LATER],
            ["10:00", "10:45"],
            &["10:05", "18:40"],
            [true, false],
        );
    }

    /// Near eight hours, and two fields.
    #[test]
    fn the_last_update_proves_a_shift() {
        check("two fields", SERVER, [LATER, LATER], ["10:00", "10:45"], &["18:30", "18:40"], [true, false]);
        check("one field", SERVER, [LATER, LATER], ["10:00", "10:45"], &["18:40"], [false, false]);
        check(
            "three hours after it",
            SKILL,
            [LATER, LATER],
            ["10:00", "10:45"],
            &["13:30", "13:45"],
            [false, false],
        );
        check(
            "nine hours after it",
            SKILL,
            [LATER, LATER],
            ["10:00", "10:45"],
            &["19:40", "19:45"],
            [false, false],
        );
    }

    /// About eight hours ahead, or two fields.
    #[test]
    fn the_time_of_reading_proves_a_shift() {
        let copied = "2026-01-01T00:00:00Z";
        for (what, now, work, expected) in [
            ("one field ten minutes ahead", "10:50", &["11:00"][..], false),
            ("one field five hours ahead", "10:50", &["15:50"], false),
            ("one field eight hours ahead", "10:50", &["18:40"], true),
            ("two fields ahead", "10:50", &["15:40", "15:50"], true),
            ("nine hours ahead", "10:50", &["19:40", "19:50"], false),
        ] {
            check(what, SKILL, [copied, now], ["10:00", "10:45"], work, [expected, false]);
        }
    }

    #[test]
    fn work_is_not_older_than_its_loop() {
        check(
            "before the loop was made",
            SERVER,
            ["10:30", "10:30"],
            ["10:00", "10:30"],
            &["10:45"],
            [false, false],
        );
    }

    #[test]
    fn each_time_is_read_by_the_clock_of_its_writer() {
        let work = ["2026-01-22T18:20:00Z", "2026-01-22T18:30:00Z", "2026-01-22T10:50:00Z"];
        let (created, file) = ("2026-01-22T10:00:00Z", "2026-01-22T10:51:00Z");
        let clock = clock("loop-v2-20260122T100000-3fa91c0e", [file, file], &work, created, file);
        assert_eq!(
            work.map(|time| clock.skill(time).shifted),
            [true, true, false],
            "the last is a true time"
        );
    }

    #[test]
    fn times_are_read_by_their_writer() {
        let clock = at("2026-01-22T04:00:00Z", "2026-03-01T00:00:00Z", NOON, NOON);
        assert_eq!(clock.skill(NOON).ms, TimeView::read("2026-01-22T04:00:00Z", false).ms);
        assert!(clock.either(NOON).shifted);
        assert!(!clock.either("2026-01-22T04:01:00Z").shifted);
        assert!(clock.created(NOON).shifted, "k3v9x2ab is not hex");
        assert!(!Clock::server(NOON).shifted);
        assert_eq!(clock.duration(-28_000_000.0), 800_000.0);
        assert!(is_ours("loop-v2-20261120T042420-a62bb5fb") && !is_ours("loop-v2-20260122-abc123"));
    }
}
