//! A floor for the coverage of code: `80:coverage/lcov.info` (the proof contract §1).

use super::path_pattern::PathPattern;
use crate::times::Timestamp;

/// What a report of the coverage has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoverageFloor {
    /// So many hundredths of a percent have to be covered.
    pub hundredths: u32,
    /// A report that is older than this is about earlier work.
    pub since: Timestamp,
}

impl CoverageFloor {
    /// In percent.
    #[must_use]
    pub fn percent(self) -> f64 {
        f64::from(self.hundredths) / 100.0
    }
}

/// The percentage, in hundredths, and the path of the report; none when the value is no floor.
#[must_use]
pub fn read(value: &str) -> Option<(u32, &str)> {
    let (percent, report) = value.split_once(':')?;
    let percent: f64 = percent.trim().trim_end_matches('%').trim_end().parse().ok()?;
    let report = report.trim();
    let is_one_file =
        matches!(PathPattern::read(report), Some(PathPattern::Plain(parts)) if !parts.is_empty());
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most 10,000
    (percent > 0.0 && percent <= 100.0 && is_one_file).then(|| ((percent * 100.0).round() as u32, report))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_floor_is_a_percentage_and_one_file_of_the_folder() {
        for (value, expected) in [
            ("80:coverage/lcov.info", Some((8_000, "coverage/lcov.info"))),
            (" 72.5 % : out/a:b.xml ", Some((7_250, "out/a:b.xml"))),
            ("100:x", Some((10_000, "x"))),
            ("0:x", None),
            ("100.1:x", None),
            ("nan:x", None),
            ("80", None),
            ("80:", None),
            ("80:../lcov.info", None),
            ("80:/tmp/lcov.info", None),
            ("80:coverage/*.info", None),
        ] {
            assert_eq!(read(value), expected, "{value}");
        }
    }
}
