//! The time that is kept, shown or compared with what another program wrote. How long something takes is measured elsewhere too.

use loopdeck_core::times::Timestamp;
use std::time::{SystemTime, UNIX_EPOCH};

/// The time zone of this computer.
#[must_use]
pub fn zone() -> jiff::tz::TimeZone {
    jiff::tz::TimeZone::system()
}

/// The end of a day such as 2027-01-31 in the time zone of this computer. `None` for what is no day.
#[must_use]
pub fn end_of_day(day: &str) -> Option<Timestamp> {
    end_of_day_in(day, zone())
}

fn end_of_day_in(day: &str, zone: jiff::tz::TimeZone) -> Option<Timestamp> {
    let next = (day.len() == 10).then(|| day.parse::<jiff::civil::Date>().ok())??.tomorrow().ok()?;
    Some(Timestamp::from_millis(next.to_zoned(zone).ok()?.timestamp().as_millisecond()))
}

/// A time such as 2027-01-31T09:00, or the beginning of a day such as 2027-01-31, in the time zone of this computer unless it says its
/// own. `None` for what is no time.
#[must_use]
pub fn local_time(text: &str) -> Option<Timestamp> {
    local_time_in(text, zone())
}

fn local_time_in(text: &str, zone: jiff::tz::TimeZone) -> Option<Timestamp> {
    let here = || Some(text.parse::<jiff::civil::DateTime>().ok()?.to_zoned(zone).ok()?.timestamp());
    let at = text.parse::<jiff::Timestamp>().ok().or_else(here)?;
    Some(Timestamp::from_millis(at.as_millisecond()))
}

/// Now.
#[must_use]
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).map_or(Timestamp::MAX, Timestamp::from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::TimeZone;

    #[test]
    fn a_time_is_here_unless_it_says_where() {
        let hour = |text: &str| {
            let zone = TimeZone::fixed(jiff::tz::offset(9));
            local_time_in(text, zone).map(|time| (time.millis() - 1_801_353_600_000) / 3_600_000)
        };
        for (text, expected) in [
            ("2027-01-31", Some(-9)),
            ("2027-01-31T09:00", Some(0)),
            ("2027-01-31 09:00", Some(0)),
            ("2027-01-31T09:00:00Z", Some(9)),
            ("2027-01-31T09:00:00-02:00", Some(11)),
            ("2027-02-30", None),
            ("soon", None),
        ] {
            assert_eq!(hour(text), expected, "{text}");
        }
    }

    #[test]
    fn a_day_ends_where_the_person_is() {
        let end = |day: &str, hours: i8| {
            let zone = TimeZone::fixed(jiff::tz::offset(hours));
            end_of_day_in(day, zone).map(|end| end.millis() / 3_600_000)
        };
        let utc = end("2027-01-31", 0).unwrap();
        assert_eq!(utc * 3_600, 1_801_440_000);
        assert_eq!([end("2027-01-31", 9), end("2027-01-31", -5)], [Some(utc - 9), Some(utc + 5)]);
        assert_eq!([end("2027-02-30", 0), end("2027-01-31T00:00:00Z", 0), end("soon", 0)], [None; 3]);
    }
}
