//! Printing of a measurement: the figure, its limit, and whether it holds.

use std::time::Duration;

/// Collects measurements.
pub(crate) struct Report {
    over: Vec<String>,
    alone: bool,
}

impl Report {
    /// `alone`: of one part, which has the time that it needs.
    pub(crate) fn new(alone: bool) -> Self {
        Self { over: Vec::new(), alone }
    }

    /// Whether only one part is measured.
    pub(crate) fn is_alone(&self) -> bool {
        self.alone
    }

    /// A figure with an upper limit, both in `unit`.
    pub(crate) fn limit(&mut self, what: &str, figure: f64, limit: f64, unit: &str) {
        let holds = figure <= limit;
        let mark = if holds { "ok  " } else { "OVER" };
        println!("{mark} {what:<74} {figure:>9.2} {unit:<3} limit {limit:.2} {unit}");
        if !holds {
            self.over.push(what.to_owned());
        }
    }

    /// Prints a figure without a limit, for comparison.
    pub(crate) fn note(what: &str, figure: f64, unit: &str) {
        println!("     {what:<74} {figure:>9.2} {unit}");
    }

    /// The measurements over their limit.
    pub(crate) fn over(&self) -> &[String] {
        &self.over
    }
}

/// Milliseconds.
pub(crate) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// The value that `share` (0 to 1) of `values` are below.
pub(crate) fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "small counts"
    )]
    let at = ((values.len() as f64 * share).ceil() as usize).clamp(1, values.len());
    values[at - 1]
}
