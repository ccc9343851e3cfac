//! The percentages of test runs: missing ones are computed, impossible ones are left out.

use crate::view::{RunView, ValidationView};

/// Half of the last decimal in files, plus floating-point error.
const ROUNDED: f64 = 0.05 + 1e-9;

/// A percentage; files may contain anything.
fn share(value: Option<f64>) -> Option<f64> {
    value.filter(|value| (0.0..=100.0).contains(value))
}

/// The section with its computed figures. The *written* figures are compared earlier (W6), on the file
/// itself.
pub(crate) fn figured(mut section: ValidationView) -> ValidationView {
    section.pass_rate = share(section.pass_rate);
    section.coverage = share(section.coverage);
    for file in &mut section.coverage_files {
        for figure in [&mut file.statements, &mut file.branches, &mut file.functions, &mut file.lines] {
            *figure = share(*figure);
        }
    }
    let mut before = (None, None);
    for run in &mut section.runs {
        run.pass_rate = share(rate(run));
        run.coverage = share(run.coverage);
        run.pass_rate_change = points(before.0, run.pass_rate);
        run.coverage_change = points(before.1, run.coverage);
        before = (run.pass_rate, run.coverage);
    }
    section
}

/// The written rate, unless it only rounds the counts: 6 failed tests of 12,000 are not 100 %.
fn rate(run: &RunView) -> Option<f64> {
    let counted = counted(run);
    let is_rounded = |said: f64| counted.is_some_and(|counted| (said - counted).abs() <= ROUNDED);
    run.pass_rate.filter(|said| !is_rounded(*said)).or(counted)
}

fn counted(run: &RunView) -> Option<f64> {
    (run.total > 0).then(|| f64::from(run.passed) / f64::from(run.total) * 100.0)
}

/// Percentage points, to one decimal.
fn points(before: Option<f64>, now: Option<f64>) -> Option<f64> {
    Some(((now? - before?) * 10.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::CoverageFileView;

    fn run(counts: (u32, u32), pass_rate: Option<f64>, coverage: Option<f64>) -> RunView {
        RunView { passed: counts.0, total: counts.1, pass_rate, coverage, ..RunView::default() }
    }

    fn with(runs: Vec<RunView>) -> Vec<RunView> {
        figured(ValidationView { runs, ..ValidationView::default() }).runs
    }

    #[test]
    fn the_rate_is_what_a_run_says_else_what_it_counts() {
        for (counts, said, expected) in [
            ((1, 4), None, Some(25.0)),
            ((1, 4), Some(90.0), Some(90.0)),
            ((0, 4), None, Some(0.0)),
            ((4, 4), Some(100.0), Some(100.0)),
            ((11_994, 12_000), Some(100.0), Some(99.95)),
            ((2, 3), Some(66.6), Some(66.6)),
            ((0, 0), None, None),
            ((1, 4), Some(400.0), None),
            ((1, 4), Some(-1.0), None),
            ((1, 4), Some(f64::NAN), None),
            ((5, 4), None, None),
        ] {
            assert_eq!(with(vec![run(counts, said, None)])[0].pass_rate, expected, "{counts:?} {said:?}");
        }
    }

    #[test]
    fn what_is_no_percentage_is_left_out_everywhere() {
        let files = [Some(100.1), Some(-0.1), Some(0.0), Some(100.0)];
        let section = figured(ValidationView {
            pass_rate: Some(101.0),
            coverage: Some(-1.0),
            runs: vec![run((0, 0), None, Some(180.0))],
            coverage_files: vec![CoverageFileView {
                statements: files[0],
                branches: files[1],
                functions: files[2],
                lines: files[3],
                ..CoverageFileView::default()
            }],
            ..ValidationView::default()
        });
        assert_eq!((section.pass_rate, section.coverage, section.runs[0].coverage), (None, None, None));
        let file = &section.coverage_files[0];
        assert_eq!((file.statements, file.branches), (None, None));
        assert_eq!((file.functions, file.lines), (Some(0.0), Some(100.0)));
    }

    #[test]
    fn a_change_is_in_points_since_the_run_before() {
        let runs = with(vec![
            run((1, 3), None, Some(70.0)),
            run((2, 3), None, Some(69.96)),
            run((0, 0), None, None),
            run((3, 3), None, Some(80.0)),
        ]);
        let rates: Vec<_> = runs.iter().map(|run| run.pass_rate_change).collect();
        assert_eq!(rates, [None, Some(33.3), None, None]);
        let coverage: Vec<_> = runs.iter().map(|run| run.coverage_change).collect();
        assert_eq!(coverage, [None, Some(0.0), None, None]);
    }
}
