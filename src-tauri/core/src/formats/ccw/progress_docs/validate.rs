//! `validate.md` (legacy `validation.md`): overwritten by every run.

use super::Head;
use super::lines::{
    self, HeadingSection, bold, bullet, cells, count, filled, metrics, named_value, number, one_line,
    read_block, text_of, write_value,
};
use super::records::{CoverageFigures, TestResult, ValidationRun};
use crate::problem::Problem;
use std::fmt::Write;

/// The content of `validate.md`; the latest run only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValidateDoc {
    /// The head.
    pub head: Head,
    /// Which run.
    pub iteration: Option<u32>,
    /// All tests, according to the table.
    pub total: Option<u32>,
    /// Passed.
    pub passed: Option<u32>,
    /// Failed.
    pub failed: Option<u32>,
    /// Skipped.
    pub skipped: Option<u32>,
    /// Milliseconds.
    pub duration_ms: Option<f64>,
    /// 0 to 100.
    pub pass_rate: Option<f64>,
    /// By file.
    pub files: Vec<(String, CoverageFigures)>,
    /// 0 to 100.
    pub overall_coverage: Option<f64>,
    /// The failed tests; passing ones have no rows.
    pub failed_tests: Vec<TestResult>,
    /// Loop-B: lint, types.
    pub quality: Vec<(String, bool)>,
    /// `**Result**`: PASS or FAIL.
    pub decision: Option<bool>,
    /// Why, and what comes next.
    pub next_actions: Vec<String>,
    /// Unreadable parts.
    pub problems: Vec<Problem>,
}

/// Reads `validate.md` in every variant.
#[must_use]
pub fn read(bytes: &[u8]) -> ValidateDoc {
    let mut doc = ValidateDoc::default();
    let text = text_of(bytes, "validate.md", &mut doc.problems);
    let mut failed = false;
    for section in lines::sections(&text) {
        match (section.level, section.title) {
            (0 | 1, title) => {
                lines::head(&section, &mut doc.head);
                if let Some((_, time)) = title.split_once("Progress - ") {
                    doc.head.time = doc.head.time.take().or_else(|| filled(time)); // role variant
                }
            }
            (4, name) if failed => doc.failed_tests.push(failure(name, &section)),
            (3, title) if failed && title.starts_with("Failure ") => {
                let name = title.split_once(": ").map_or(title, |(_, name)| name);
                doc.failed_tests.push(failure(name, &section));
            }
            (_, title) => {
                failed = matches!(title, "Failed Tests" | "Test Failures");
                part(&section, &mut doc);
            }
        }
    }
    doc
}

fn part(section: &HeadingSection<'_>, doc: &mut ValidateDoc) {
    match section.title {
        "Test Execution Summary" | "Test Results" => counts(section, doc),
        "Coverage Report" | "Coverage" => coverage(section, doc),
        "Quality Checks" => {
            let checks = section.lines.iter().filter_map(|line| named_value(line));
            doc.quality = checks.map(|(name, word)| (name.to_owned(), word.contains("PASS"))).collect();
        }
        "Failed Tests" => {
            doc.failed_tests.extend(section.lines.iter().filter_map(|line| loop_b_failure(bullet(line)?)));
        }
        "Validation Decision" => {
            let result = section.lines.iter().filter_map(|line| bold(line)).find(|(key, _)| *key == "Result");
            doc.decision =
                result.and_then(|(_, word)| match (word.contains("PASS"), word.contains("FAIL")) {
                    (true, false) => Some(true),
                    (false, true) => Some(false),
                    _ => None,
                });
        }
        "Next Actions" => {
            let steps = section.lines.iter().filter_map(|line| line.split_once(". "));
            doc.next_actions = steps.map(|(_, step)| step.trim().to_owned()).collect();
        }
        title => {
            if let Some(rest) = title.strip_prefix("Iteration ") {
                doc.iteration = rest.split(' ').next().and_then(|word| word.parse().ok());
            }
        }
    }
}

/// Loop-B: `name: error`, or the name alone. A name that contains a colon is quoted.
fn loop_b_failure(text: &str) -> Option<TestResult> {
    let quoted = text.strip_prefix('`').and_then(|inner| inner.split_once('`'));
    let (name, error) = match quoted {
        Some((name, rest)) if rest.is_empty() || rest.starts_with(": ") => {
            (name, rest.trim_start_matches(": "))
        }
        _ => text.split_once(": ").unwrap_or((text.trim_end_matches(':'), "")),
    };
    filled(name).map(|name| TestResult {
        name,
        status: "failed".to_owned(),
        error_message: filled(error),
        ..TestResult::default()
    })
}

fn counts(section: &HeadingSection<'_>, doc: &mut ValidateDoc) {
    for (name, value) in metrics(&section.lines) {
        match name.as_str() {
            "Total Tests" | "Total" => doc.total = count(&value),
            "Passed" => doc.passed = count(&value),
            "Failed" => doc.failed = count(&value),
            "Skipped" => doc.skipped = count(&value),
            "Duration" => doc.duration_ms = number(&value),
            "Pass Rate" => doc.pass_rate = number(&value),
            _ => {}
        }
    }
}

fn coverage(section: &HeadingSection<'_>, doc: &mut ValidateDoc) {
    for line in &section.lines {
        if let Some(("Overall Coverage", value)) = bold(line) {
            doc.overall_coverage = number(value);
        } else if let Some(value) = line.strip_prefix("Overall:") {
            doc.overall_coverage = number(value);
        } else if let Some([file, rest @ ..]) = cells(line).as_deref().filter(|cells| cells.len() == 5) {
            let figure = |index: usize| rest.get(index).and_then(|cell| number(cell));
            if file != "File" {
                let figures = CoverageFigures {
                    statements: figure(0),
                    branches: figure(1),
                    functions: figure(2),
                    lines: figure(3),
                };
                doc.files.push((file.clone(), figures));
            }
        }
    }
}

fn failure(name: &str, section: &HeadingSection<'_>) -> TestResult {
    let mut test = TestResult { name: name.to_owned(), status: "failed".to_owned(), ..TestResult::default() };
    let mut stack: Option<Vec<&str>> = None;
    for line in &section.lines {
        match named_value(line) {
            Some(("Suite", suite)) => suite.clone_into(&mut test.suite),
            Some(("Error", error)) => test.error_message = filled(error),
            _ if lines::is_fence(line) => match stack.take() {
                Some(lines) => test.stack_trace = filled(&read_block(&lines)),
                None => stack = Some(Vec::new()),
            },
            _ => stack.iter_mut().for_each(|stack| stack.push(line)),
        }
    }
    test
}

/// A number with one decimal, as the skill writes percentages.
fn share(number: Option<f64>) -> String {
    number.map_or("N/A".to_owned(), |number| format!("{number:.1}%"))
}

/// The Loop v2 report of one run.
#[must_use]
pub fn write(head: &Head, run: &ValidationRun, files: &[(String, CoverageFigures)], next: &[&str]) -> String {
    let mut text = format!(
        "# Validation Report\n\n**Loop ID**: {}\n**Task**: {}\n**Validated**: {}\n\n---\n\n",
        one_line(head.loop_id.as_deref().unwrap_or_default()),
        write_value(head.task.as_deref()),
        one_line(head.time.as_deref().unwrap_or_default()),
    );
    let _ = write!(text, "## Iteration {} - Validation Run\n\n### Test Execution Summary\n\n", run.iteration);
    let duration = run.duration_ms.unwrap_or_default();
    let rate = run.pass_rate().map_or("NaN".to_owned(), |rate| format!("{rate:.1}"));
    let _ = write!(
        text,
        "| Metric | Value |\n|--------|-------|\n| Total Tests | {} |\n| Passed | {} |\n| Failed | {} |\n\
         | Skipped | {} |\n| Duration | {duration}ms |\n| **Pass Rate** | **{rate}%** |\n\n",
        run.total(),
        run.passed,
        run.failed,
        run.skipped,
    );
    text.push_str(&write_coverage(run, files));
    text.push_str(&write_failures(run));
    let result = if run.is_pass() { "PASS" } else { "FAIL" };
    let _ = write!(text, "---\n\n## Validation Decision\n\n**Result**: {result}\n\n\n### Next Actions\n\n");
    for (number, step) in (1..).zip(next) {
        let _ = writeln!(text, "{number}. {}", one_line(step));
    }
    text
}

fn write_coverage(run: &ValidationRun, files: &[(String, CoverageFigures)]) -> String {
    let mut text = "### Coverage Report\n\n".to_owned();
    let overall = run.coverage.and_then(|figures| figures.overall());
    if files.is_empty() && overall.is_none() {
        text.push_str("_No coverage data available_\n\n");
        return text;
    }
    text.push_str("\n| File | Statements | Branches | Functions | Lines |\n");
    text.push_str("|------|------------|----------|-----------|-------|\n");
    for (file, figures) in files {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            one_line(file).replace('|', "\\|"),
            share(figures.statements),
            share(figures.branches),
            share(figures.functions),
            share(figures.lines),
        );
    }
    let _ = write!(text, "\n**Overall Coverage**: {}\n\n\n", share(overall));
    text
}

fn write_failures(run: &ValidationRun) -> String {
    let mut text = "### Failed Tests\n\n".to_owned();
    let mut failures = run.tests.iter().filter(|test| test.status == "failed").peekable();
    if failures.peek().is_none() {
        let none = if run.failed == 0 { "_All tests passed_" } else { "_No details available_" };
        let _ = write!(text, "{none}\n\n");
    }
    for test in failures {
        let error = one_line(test.error_message.as_deref().unwrap_or_default());
        let (name, suite) = (one_line(&test.name), one_line(&test.suite));
        let _ = write!(text, "\n#### {name}\n\n- **Suite**: {suite}\n- **Error**: {error}\n\n\n");
    }
    text
}
