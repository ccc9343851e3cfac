//! The work of one loop as lines for a terminal: tasks, hypotheses, tests, atoms, workers, findings, errors.

use loopdeck_core::checklist::CheckResult;
use loopdeck_core::view::{
    AtomState, AtomView, ClaimCounts, HypothesisView, ListedTask, LoopDetail, OrGroupView, TaskState,
    TaskView, TestRow, ValidationView, WorkerView,
};

use super::text;

/// Everything in `detail` about the work; `tests` are the rows of each run, oldest first.
pub(super) fn lines(detail: &LoopDetail, tests: &[Vec<TestRow>]) -> Vec<String> {
    let mut lines = Vec::new();
    tasks(&mut lines, &detail.tasks);
    listed(&mut lines, &detail.task_list);
    hypotheses(&mut lines, detail);
    if let Some(validation) = &detail.validation {
        tests_of(&mut lines, validation, tests.last().map_or(&[], Vec::as_slice));
    }
    atoms(&mut lines, detail);
    workers(&mut lines, &detail.workers);
    let findings = detail.findings.iter().map(|finding| finding.text.clone()).collect();
    section(&mut lines, "show_findings", &[("count", &detail.findings.len().to_string())], findings);
    let errors = detail.errors.iter().map(|error| format!("{}: {}", error.action, error.message)).collect();
    section(&mut lines, "show_errors", &[("count", &detail.errors.len().to_string())], errors);
    lines.iter().map(|line| text::plain(line)).collect()
}

/// A heading and its rows; nothing without rows.
fn section(lines: &mut Vec<String>, code: &str, args: &[(&str, &str)], rows: Vec<String>) {
    if rows.is_empty() {
        return;
    }
    lines.push(String::new());
    lines.push(text::sentence("headless", code, args.iter().copied()));
    lines.extend(rows.into_iter().map(|row| format!("  {row}")));
}

fn counted(done: usize, total: usize) -> [(&'static str, String); 2] {
    [("done", done.to_string()), ("total", total.to_string())]
}

/// The first line of a text: a row is one line.
fn first(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default()
}

fn task_mark(state: TaskState) -> &'static str {
    match state {
        TaskState::Pending => "[ ]",
        TaskState::InProgress => "[>]",
        TaskState::Completed => "[x]",
        TaskState::Failed => "[!]",
        TaskState::Blocked => "[?]",
        TaskState::Dropped => "[-]",
        TaskState::Other => "[~]",
    }
}

fn tasks(lines: &mut Vec<String>, tasks: &[TaskView]) {
    let done = tasks.iter().filter(|task| task.state == TaskState::Completed).count();
    let [done, total] = counted(done, tasks.len());
    let width = tasks.iter().map(|task| task.id.chars().count()).max().unwrap_or(0);
    let mut rows = Vec::new();
    for task in tasks {
        rows.push(format!("{} {:width$}  {}", task_mark(task.state), task.id, first(&task.description)));
        if !task.files_changed.is_empty() {
            rows.push(format!("    {:width$}  {}", "", task.files_changed.join(", ")));
        }
    }
    section(lines, "show_tasks", &[(done.0, &done.1), (total.0, &total.1)], rows);
}

/// The task list next to the loop, with the loop's progress on it.
fn listed(lines: &mut Vec<String>, tasks: &[ListedTask]) {
    let taken = tasks.iter().filter(|task| task.taken).count();
    let [done, total] = counted(taken, tasks.len());
    let width = tasks.iter().map(|task| task.id.chars().count()).max().unwrap_or(0);
    let row = |task: &ListedTask| {
        let mark = if task.taken { "[x]" } else { "[ ]" };
        let how: Vec<&str> =
            [task.tool.trim(), task.mode.trim()].into_iter().filter(|word| !word.is_empty()).collect();
        let how = if how.is_empty() { String::new() } else { format!("  ({})", how.join(", ")) };
        format!("{mark} {:width$}  {}{how}", task.id, first(&task.description))
    };
    section(
        lines,
        "show_task_list",
        &[(done.0, &done.1), (total.0, &total.1)],
        tasks.iter().map(row).collect(),
    );
}

fn hypotheses(lines: &mut Vec<String>, detail: &LoopDetail) {
    let Some(debug) = &detail.debug else { return };
    let judged = |hypothesis: &&HypothesisView| hypothesis.verdict_reason.is_some();
    let done = debug.hypotheses.iter().filter(judged).count();
    let [done, total] = counted(done, debug.hypotheses.len());
    let mut rows = Vec::new();
    for hypothesis in &debug.hypotheses {
        let here = if debug.confirmed.as_deref() == Some(&hypothesis.id) { "*" } else { " " };
        let HypothesisView { id, status, description, .. } = hypothesis;
        rows.push(format!("{here} {id}  {status}  {}", first(description)));
        if let Some(reason) = &hypothesis.verdict_reason {
            rows.push(format!("      {}", first(reason)));
        }
    }
    section(lines, "show_hypotheses", &[(done.0, &done.1), (total.0, &total.1)], rows);
    let understood = debug.understanding.iter().flat_map(|text| text.trim().lines().map(str::to_owned));
    section(lines, "show_understanding", &[], understood.collect());
}

fn tests_of(lines: &mut Vec<String>, validation: &ValidationView, rows: &[TestRow]) {
    let Some(run) = validation.runs.last() else { return };
    let counts = [run.passed, run.total, run.failed, run.skipped].map(|count| count.to_string());
    let [passed, total, failed, skipped] = &counts;
    lines.push(String::new());
    let args = [("passed", passed.as_str()), ("total", total), ("failed", failed), ("skipped", skipped)];
    lines.push(text::sentence("headless", "show_tests", args));
    lines.push(coverage(validation));
    let is_failed = |row: &&TestRow| row.status.eq_ignore_ascii_case("failed");
    for row in rows.iter().filter(is_failed) {
        let suite = if row.suite.is_empty() { String::new() } else { format!("{} › ", row.suite) };
        lines.push(format!("  [!] {suite}{}", row.name));
        lines.extend(row.error_message.as_deref().map(|message| format!("      {}", first(message))));
    }
    if rows.is_empty() {
        lines.extend(validation.failed_tests.iter().map(|name| format!("  [!] {name}")));
    }
}

/// Coverage of the latest run, as the loop knows it.
fn coverage(validation: &ValidationView) -> String {
    let percent = validation.coverage.map(|share| format!("{share:.1}"));
    let args = percent.as_deref().map(|percent| ("percent", percent));
    let code = if args.is_some() { "show_coverage" } else { "show_coverage_not_measured" };
    format!("  {}", text::sentence("headless", code, args))
}

fn atom_mark(state: AtomState) -> &'static str {
    match state {
        AtomState::Ready => "[ ]",
        AtomState::InProgress => "[>]",
        AtomState::Resolved => "[x]",
        AtomState::Blocked | AtomState::ChooseBranch => "[.]",
        AtomState::Container => "[+]",
        AtomState::Inactive => "[-]",
        AtomState::Failed => "[!]",
    }
}

fn atoms(lines: &mut Vec<String>, detail: &LoopDetail) {
    let done = detail.atoms.iter().filter(|atom| atom.state == AtomState::Resolved).count();
    let [done, total] = counted(done, detail.atoms.len());
    let width = detail.atoms.iter().map(|atom| atom.id.chars().count()).max().unwrap_or(0);
    let rows = detail.atoms.iter().flat_map(|atom| atom_rows(atom, width)).collect();
    section(lines, "show_atoms", &[(done.0, &done.1), (total.0, &total.1)], rows);
    let groups = detail.or_groups.iter().map(group_row).collect();
    section(lines, "show_groups", &[("count", &detail.or_groups.len().to_string())], groups);
    let counts = detail.checklist_total.map(|total| total.counts).unwrap_or_default();
    let [done, total] = [counts.pass, counts.all].map(|count| count.to_string());
    let checks = detail.checklist.iter().map(|row| {
        let value = row.value.as_deref().map(|value| format!(": {}", first(value))).unwrap_or_default();
        format!("{}{} {}{value}", "  ".repeat(row.depth as usize), check_mark(row.result), row.item)
    });
    section(lines, "show_checklist", &[("done", &done), ("total", &total)], checks.collect());
    if let Some(claims) = &detail.claims {
        lines.push(text::claims(ClaimCounts { claimed: claims.claimed, proven: claims.proven }));
        lines.extend(claims.accepted.as_ref().map(|reason| {
            text::plain(&text::sentence("headless", "show_accepted", [("reason", &**reason)]))
        }));
    }
}

fn check_mark(result: CheckResult) -> &'static str {
    match result {
        CheckResult::Pass => "[x]",
        CheckResult::Fail => "[!]",
        CheckResult::Unknown | CheckResult::None => "[ ]",
    }
}

fn atom_rows(atom: &AtomView, width: usize) -> Vec<String> {
    let after: Vec<&str> = atom.depends_on.iter().map(|needed| needed.id.as_str()).collect();
    let after = if after.is_empty() { String::new() } else { format!("  <- {}", after.join(", ")) };
    let mut rows =
        vec![format!("{} {:width$}  {}{after}", atom_mark(atom.state), atom.id, first(&atom.description))];
    rows.extend(atom.summary.as_deref().map(|summary| format!("    {:width$}  {}", "", first(summary))));
    rows
}

fn group_row(group: &OrGroupView) -> String {
    let choice = |choice: &loopdeck_core::view::ChoiceView| {
        let mark = if choice.failed {
            "!"
        } else if group.selected.as_deref() == Some(&choice.id) {
            "*"
        } else {
            ""
        };
        format!("{mark}{}", choice.id)
    };
    let choices: Vec<String> = group.choices.iter().map(choice).collect();
    format!("{}: {}", group.name, choices.join(" | "))
}

fn workers(lines: &mut Vec<String>, workers: &[WorkerView]) {
    let mut rows = Vec::new();
    for worker in workers {
        let said = [worker.status.as_str(), first(&worker.summary)].map(str::trim);
        let said: Vec<&str> = said.into_iter().filter(|word| !word.is_empty()).collect();
        rows.push(format!("{}: {}", worker.action, said.join("  ")));
        if !worker.files_changed.is_empty() {
            rows.push(format!("    {}", worker.files_changed.join(", ")));
        }
    }
    section(lines, "show_workers", &[("count", &workers.len().to_string())], rows);
}
