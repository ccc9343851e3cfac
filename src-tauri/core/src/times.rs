//! Times as the formats write them, to the millisecond. The clock is always an argument.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use specta::Type;
use std::ops::{Add, Sub};

pub use chrono::TimeDelta;

/// A point in time, to the millisecond. In records and on the wire: milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Before every other one.
    pub const MIN: Self = Self(i64::MIN);
    /// After every other one.
    pub const MAX: Self = Self(i64::MAX);

    /// So many milliseconds after 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn from_millis(ms: i64) -> Self {
        Self(ms)
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// As a view or an older record has it; what is beyond all time is its end.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // saturates
    pub fn from_number(ms: f64) -> Self {
        Self(ms as i64)
    }

    /// As a view has it: a number of TypeScript.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // exact until the year 287396
    pub fn number(self) -> f64 {
        self.0 as f64
    }

    /// How long after `earlier` it is; nothing when it is before.
    #[must_use]
    pub fn since(self, earlier: Self) -> TimeDelta {
        (self - earlier).max(TimeDelta::zero())
    }
}

impl Add<TimeDelta> for Timestamp {
    type Output = Self;

    fn add(self, span: TimeDelta) -> Self {
        Self(self.0.saturating_add(span.num_milliseconds()))
    }
}

impl Sub<TimeDelta> for Timestamp {
    type Output = Self;

    fn sub(self, span: TimeDelta) -> Self {
        Self(self.0.saturating_sub(span.num_milliseconds()))
    }
}

impl Sub for Timestamp {
    type Output = TimeDelta;

    fn sub(self, earlier: Self) -> TimeDelta {
        TimeDelta::try_milliseconds(self.0.saturating_sub(earlier.0)).unwrap_or(TimeDelta::MAX)
    }
}

/// Eight hours: the skills write local time of UTC+8 with a `Z` (the CCW contract §15).
pub const SKILL_SHIFT: TimeDelta = TimeDelta::hours(8);

/// A time from a file, kept as written next to its meaning.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct TimeView {
    /// As written in the file. Untrusted text.
    pub text: String,
    /// Milliseconds since 1970 UTC, after correction; `None` when unreadable.
    pub ms: Option<f64>,
    /// Whether eight hours were subtracted.
    pub shifted: bool,
}

impl TimeView {
    /// Reads `text`; with `shifted`, subtracts the skill's eight hours.
    #[must_use]
    pub fn read(text: &str, shifted: bool) -> Self {
        // An explicit offset is taken at face value; only `Z` times are shifted.
        let shifted = shifted && text.ends_with('Z');
        let time = parse(text).map(|time| if shifted { time - SKILL_SHIFT } else { time });
        Self {
            text: loopdeck_text::shorten(text, 64),
            ms: time.map(Timestamp::number),
            shifted: shifted && time.is_some(),
        }
    }
}

/// Reads RFC 3339, a space instead of `T`, a missing offset (taken as UTC), microseconds, or a bare date.
#[must_use]
pub fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if !text.is_ascii() || text.len() < 10 || text.len() > 64 {
        return None;
    }
    let with_t = text.replacen(' ', "T", 1);
    let bytes = with_t.as_bytes();
    // chrono accepts parts of one digit, but no format writes them.
    let has = |places: &[(usize, u8)]| places.iter().all(|(at, sign)| bytes.get(*at) == Some(sign));
    if !has(&[(4, b'-'), (7, b'-')]) {
        return None;
    }
    let moment = if bytes.len() == 10 {
        NaiveDate::parse_from_str(&with_t, "%Y-%m-%d").ok()?.and_time(NaiveTime::MIN).and_utc()
    } else if has(&[(13, b':'), (16, b':')]) {
        let with_offset = DateTime::parse_from_rfc3339(&with_t).map(|moment| moment.to_utc());
        let naive = || NaiveDateTime::parse_from_str(&with_t, "%Y-%m-%dT%H:%M:%S%.f");
        with_offset.or_else(|_| naive().map(|naive| naive.and_utc())).ok()?
    } else {
        return None;
    };
    Some(Timestamp(moment.timestamp_millis()))
}

/// `2026-11-20T04:24:21.870Z`: our format for times in CCW files.
#[must_use]
pub fn to_iso_millis(at: Timestamp) -> String {
    moment(at).to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// `2026-11-20T04:24:21Z`: our format for times in AoT files.
#[must_use]
pub fn to_iso_seconds(at: Timestamp) -> String {
    moment(at).to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// A time beyond the calendar (after the year 262142) becomes 1970: nothing of ours writes one.
fn moment(at: Timestamp) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(at.0).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_the_formats_use_is_read() {
        let expected = Some(Timestamp(1_767_323_045_000));
        for text in [
            "2026-01-02T03:04:05Z",
            "2026-01-02T03:04:05.000Z",
            "2026-01-02T11:04:05+08:00",
            "2026-01-02T03:04:05",
            "2026-01-02 03:04:05",
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
        assert_eq!(parse("2026-01-02T03:04:05.678901"), Some(Timestamp(1_767_323_045_678)));
        assert_eq!(parse("2026-01-02"), Some(Timestamp(1_767_312_000_000)));
        let short = ["2026-1-02T03:04:05Z", "2026-01-02T3:04:05Z", "2026-01-02T03:4:05", "26-01-02T03:04:05"];
        let other = [
            "",
            "yesterday",
            "NaN",
            "2026-13-01T00:00:00Z",
            "２０２６-01-01",
            "2026-01-02T",
            "2026-01-02T24:00:00",
        ];
        for bad in short.into_iter().chain(other) {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn points_and_spans_do_not_wrap() {
        let at = Timestamp::from_millis;
        assert_eq!(at(5_000) - at(2_000), TimeDelta::seconds(3));
        assert_eq!(
            (at(2_000).since(at(5_000)), at(2_000) + TimeDelta::seconds(3)),
            (TimeDelta::zero(), at(5_000))
        );
        assert_eq!(Timestamp::MAX + TimeDelta::days(1), Timestamp::MAX);
        assert_eq!(
            (at(5_000) - TimeDelta::seconds(3), Timestamp::MIN - TimeDelta::days(1)),
            (at(2_000), Timestamp::MIN)
        );
        assert_eq!(Timestamp::MIN - Timestamp::MAX, TimeDelta::MAX);
        assert_eq!(Timestamp::from_number(at(1_795_148_661_870).number()), at(1_795_148_661_870));
        assert_eq!(
            (Timestamp::from_number(f64::NAN), Timestamp::from_number(1e300)),
            (at(0), Timestamp::MAX)
        );
    }

    #[test]
    fn written_times_are_read_back() {
        let now = Timestamp(1_795_148_661_870);
        assert_eq!(to_iso_millis(now), "2026-11-20T04:24:21.870Z");
        assert_eq!(to_iso_seconds(now), "2026-11-20T04:24:21Z");
        assert_eq!(parse(&to_iso_millis(now)), Some(now));
    }

    #[test]
    fn only_z_times_are_shifted() {
        assert_eq!(
            TimeView::read("2026-01-22T10:00:00Z", true).ms,
            TimeView::read("2026-01-22T02:00:00Z", false).ms
        );
        assert!(!TimeView::read("2026-01-22T10:00:00+08:00", true).shifted);
    }
}
