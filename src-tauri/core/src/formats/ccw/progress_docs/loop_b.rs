//! The texts of a Loop-B as its coordinator writes them (seed 003, "Progress File Structure"; the
//! CCW contract §17): `debug.md` and `validate.md`. The readers next to them accept every variant.

use super::Head;
use super::lines::{NOT_MEASURED, one_line, write_block, write_value};
use super::records::ValidationRun;
pub use loopdeck_agents::answers::records::WorkerHypothesis;
use std::fmt::Write;

/// The findings of one debug worker, as an entry of `debug.md`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DebugEntry<'e> {
    /// The number of the iteration.
    pub iteration: u32,
    /// Time as written.
    pub time: &'e str,
    /// The current understanding, or why the worker did not get that far.
    pub summary: &'e str,
    /// New and changed hypotheses.
    pub hypotheses: &'e [WorkerHypothesis],
    /// The root cause: id and claim.
    pub root_cause: Option<(&'e str, &'e str)>,
    /// Open problems, one each.
    pub issues: &'e [String],
    /// Files changed.
    pub files: &'e [String],
    /// Status word of the worker.
    pub status: &'e str,
}

/// The start of `debug.md`, written for the first debug worker; `head.task` is the bug.
#[must_use]
pub fn begin_debug(head: &Head) -> String {
    format!(
        "# Debug Understanding\n\n**Loop ID**: {}\n**Bug**: {}\n**Started**: {}\n\n---\n",
        one_line(head.loop_id.as_deref().unwrap_or_default()),
        write_value(head.task.as_deref()),
        one_line(head.time.as_deref().unwrap_or_default()),
    )
}

/// One entry, to be appended. A reader takes the last verdict of each hypothesis, and the last root cause.
#[must_use]
pub fn append_debug(entry: &DebugEntry<'_>) -> String {
    let mut text = format!("\n### Iteration {} - Debug ({})\n\n", entry.iteration, one_line(entry.time));
    list("**Changes**", entry.files.iter().map(|file| format!("`{}`", one_line(file))), &mut text);
    let _ = write!(text, "**Status**: {}\n\n## Hypotheses\n", status_word(entry.status));
    for hypothesis in entry.hypotheses {
        write_hypothesis(hypothesis, &mut text);
    }
    text.push_str("\n## Evidence\n\n");
    let seen = entry.hypotheses.iter().filter_map(|known| Some((&known.id, known.evidence.as_deref()?)));
    for (id, evidence) in seen {
        let _ = writeln!(text, "- {}: {}", one_line(id), one_line(evidence));
    }
    text.push_str("\n## Root Cause\n\n");
    match entry.root_cause {
        Some((id, claim)) => {
            let _ = writeln!(text, "**{}**: {}", one_line(id), one_line(claim));
        }
        None => text.push_str("[Pending investigation]\n"),
    }
    if !entry.issues.is_empty() {
        text.push_str("\n## Issues Found\n\n");
        list("", entry.issues.iter().map(|issue| one_line(issue)), &mut text);
    }
    // The last understanding counts; a worker that did not finish has none.
    let heading = if entry.status == "success" { "Current Consolidated Understanding" } else { "Unfinished" };
    let _ = write!(text, "\n## {heading}\n\n{}\n\n---\n", write_block(entry.summary));
    text
}

fn write_hypothesis(hypothesis: &WorkerHypothesis, text: &mut String) {
    let _ = writeln!(text, "\n### {}: {}", one_line(&hypothesis.id), one_line(&hypothesis.description));
    let confidence = hypothesis.confidence.map(|confidence| confidence.word().to_owned());
    let optional = |value: &Option<String>| value.as_deref().map(one_line);
    for (name, value) in [
        ("Confidence", confidence),
        ("Testable", Some(one_line(&hypothesis.testable))),
        ("Mechanism", Some(one_line(&hypothesis.mechanism))),
        ("Verdict", Some(hypothesis.status.to_uppercase())),
        ("Evidence", optional(&hypothesis.evidence)),
        ("Reasoning", optional(&hypothesis.verdict_reason)),
    ] {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            let _ = writeln!(text, "- {name}: {value}");
        }
    }
}

/// A status word as the seed writes it: `Success`.
#[must_use]
pub fn status_word(status: &str) -> String {
    let mut letters = one_line(status).replace('_', " ");
    if let Some(first) = letters.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    letters
}

/// `validate.md` of one run. Lint and types are not checked, so their section is left out.
#[must_use]
pub fn write_validation(head: &Head, run: &ValidationRun) -> String {
    let mut text = format!(
        "# Validation Report\n\n**Loop ID**: {}\n**Validated**: {}\n\n## Test Results\n\n",
        one_line(head.loop_id.as_deref().unwrap_or_default()),
        one_line(head.time.as_deref().unwrap_or_default()),
    );
    let rate = run.pass_rate().map_or("N/A".to_owned(), |rate| format!("{rate:.1}%"));
    let _ = write!(
        text,
        "| Metric | Value |\n|--------|-------|\n| Total | {} |\n| Passed | {} |\n| Failed | {} |\n\
         | Skipped | {} |\n| Pass Rate | {rate} |\n\n",
        run.total(),
        run.passed,
        run.failed,
        run.skipped,
    );
    let overall = run.coverage.and_then(|figures| figures.overall());
    match overall {
        Some(overall) => drop(write!(text, "## Coverage\n\nOverall: {overall}%\n\n")),
        None => drop(write!(text, "## Coverage\n\n{NOT_MEASURED}\n\n")),
    }
    text.push_str("## Failed Tests\n\n");
    let failed = run.tests.iter().filter(|test| test.status == "failed");
    let lines: Vec<String> = failed
        .map(|test| {
            let name = one_line(&test.name);
            // The name ends at the first colon, unless it is quoted.
            let name = if name.contains(": ") { format!("`{}`", name.replace('`', "'")) } else { name };
            let error = one_line(test.error_message.as_deref().unwrap_or_default());
            if error.is_empty() { name } else { format!("{name}: {error}") }
        })
        .collect();
    match (lines.is_empty(), run.failed) {
        (true, 0) => text.push_str("None\n"),
        (true, _) => text.push_str("No details available\n"),
        (false, _) => list("", lines.into_iter(), &mut text),
    }
    text
}

/// Bullets below a bold key; without a key, only the bullets. Nothing if there are none.
fn list(key: &str, items: impl Iterator<Item = String>, text: &mut String) {
    let mut items = items.peekable();
    if items.peek().is_none() {
        return;
    }
    if !key.is_empty() {
        let _ = writeln!(text, "{key}:");
    }
    for item in items {
        let _ = writeln!(text, "- {item}");
    }
    if !key.is_empty() {
        text.push('\n');
    }
}

#[cfg(test)]
#[path = "loop_b_tests.rs"]
mod tests;
