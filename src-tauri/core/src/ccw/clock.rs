//! Times eight hours ahead: finding them and reading them right (the CCW contract §15).

use crate::format::FileFacts;
use crate::times::{self, Millis, SKILL_SHIFT, TimeView};

const MINUTE: Millis = 60_000;
const QUARTER: Millis = 15 * MINUTE;
const SLACK: Millis = 5 * MINUTE;

/// How the times of one loop are to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// Skill-written times are eight hours ahead.
    pub(crate) shifted: bool,
    created_by_skill: bool,
    modified: Millis,
}

impl Clock {
    /// `skill_times`: all skill-written times; `updated_at`: the master's, if any. Only `Z` times count.
    pub(crate) fn new<'t>(
        facts: &FileFacts<'_>,
        skill_times: impl Iterator<Item = &'t str>,
        updated_at: Option<&str>,
    ) -> Self {
        let newest = skill_times.filter_map(zulu).max();
        let updated = updated_at.and_then(zulu);
        Self {
            shifted: newest.is_some_and(|newest| is_shifted(newest, updated, facts)),
            created_by_skill: !is_ours(facts.stem),
            modified: facts.modified,
        }
    }

    /// A skill-written time (class S).
    pub(crate) fn skill(&self, text: &str) -> TimeView {
        TimeView::read(text, self.shifted)
    }

    /// A server-written time (class A): true as written.
    pub(crate) fn server(text: &str) -> TimeView {
        TimeView::read(text, false)
    }

    /// `created_at`: skill-written unless the id ends in 8 hex digits.
    pub(crate) fn created(&self, text: &str) -> TimeView {
        TimeView::read(text, self.shifted && self.created_by_skill)
    }

    /// A duration the skill computed from `created_at`: eight hours too small when the skill wrote that too (§13).
    pub(crate) fn duration(&self, ms: f64) -> f64 {
        #[allow(clippy::cast_precision_loss)] // a small constant
        let missing = if self.shifted && self.created_by_skill { SKILL_SHIFT as f64 } else { 0.0 };
        ms + missing
    }

    /// `updated_at`, written by either: the reading nearer to the file's own time when that is near enough.
    pub(crate) fn either(&self, text: &str) -> TimeView {
        let near = |ms: Millis| (ms - self.modified).abs() <= QUARTER;
        let shifted = self.shifted && zulu(text).is_some_and(|ms| !near(ms) && near(ms - SKILL_SHIFT));
        TimeView::read(text, shifted)
    }
}

/// Whether the id was made by a server or by ours: `…-<8 hex digits>`.
pub(crate) fn is_ours(stem: &str) -> bool {
    stem.rsplit_once('-')
        .is_some_and(|(_, suffix)| suffix.len() == 8 && suffix.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn zulu(text: &str) -> Option<Millis> {
    if text.ends_with('Z') { times::parse(text) } else { None }
}

fn is_shifted(newest: Millis, updated: Option<Millis>, facts: &FileFacts<'_>) -> bool {
    let against_file = newest.saturating_sub(facts.modified);
    let ahead = newest.saturating_sub(facts.now);
    (SKILL_SHIFT - QUARTER..=SKILL_SHIFT + QUARTER).contains(&against_file)
        || (ahead > SLACK && ahead <= SKILL_SHIFT + QUARTER)
        || updated.is_some_and(|updated| newest.saturating_sub(updated) > SLACK)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: &str = "2026-01-22T12:00:00.000Z";

    fn at(modified: &str, now: &str, skill: &str, updated: &str) -> Clock {
        let ms = |text| times::parse(text).expect("time");
        let facts = FileFacts { stem: "loop-v2-x-k3v9x2ab", modified: ms(modified), now: ms(now) };
        Clock::new(&facts, [skill].into_iter(), Some(updated))
    }

    #[test]
    fn each_sign_of_a_shift_is_enough() {
        assert!(!at(NOON, NOON, NOON, NOON).shifted);
        let late = "2026-03-01T00:00:00Z";
        assert!(at("2026-01-22T04:10:00Z", late, NOON, NOON).shifted, "a: against the file's time");
        assert!(!at("2026-01-22T04:16:00Z", late, NOON, NOON).shifted);
        assert!(at("2026-01-01T00:00:00Z", "2026-01-22T11:54:00Z", NOON, NOON).shifted, "b: in the future");
        assert!(!at("2026-01-01T00:00:00Z", "2026-01-22T11:56:00Z", NOON, NOON).shifted);
        assert!(at(NOON, late, NOON, "2026-01-22T11:54:00Z").shifted, "c: later than the last write");
        assert!(
            !at(NOON, late, "2026-01-22T12:00:00+08:00", "2026-01-22T01:00:00Z").shifted,
            "offsets are true"
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
