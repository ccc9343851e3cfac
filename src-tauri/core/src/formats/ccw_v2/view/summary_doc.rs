//! The summary from `summary.md`, for a master that has lost its own.

use crate::formats::ccw::read::docs::Docs;
use crate::view::{Fact, FactValue};

/// Facts under the names of the master's summary; none without the file.
pub(crate) fn facts(docs: &Docs<'_>) -> Vec<Fact> {
    let Some(doc) = &docs.summary else { return Vec::new() };
    let says = &doc.says;
    let count = |count: Option<u32>| count.map(|count| FactValue::Number(f64::from(count)));
    #[allow(clippy::cast_precision_loss)] // years of seconds are exact in f64
    let duration = says.duration_s.map(|seconds| FactValue::Duration(seconds as f64 * 1_000.0));
    let values = [
        (if says.since_created { "summary.duration_since_created" } else { "summary.duration" }, duration),
        ("summary.develop.total_tasks", count(says.total_tasks)),
        ("summary.develop.completed_tasks", count(says.completed_tasks)),
        ("summary.debug.iterations", count(says.iterations)),
        ("summary.debug.hypotheses_tested", count(says.hypotheses_tested)),
        ("summary.debug.root_cause_found", says.root_cause_found.map(FactValue::Flag)),
        ("summary.validate.runs", count(says.test_runs)),
        ("summary.validate.passed", says.passed.map(FactValue::Flag)),
        ("summary.validate.coverage", Some(says.coverage.map_or(FactValue::NotMeasured, FactValue::Percent))),
        ("summary.validate.failed_tests", count(says.failed_tests)),
    ];
    let there =
        values.into_iter().filter_map(|(name, value)| Some(Fact { name: name.to_owned(), value: value? }));
    there.collect()
}
