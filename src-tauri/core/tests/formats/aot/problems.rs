//! Each warning and each layout rule once, and that healthy files have none (AoT contract §10, §4).

use crate::aot::{detail, text};
use loopdeck_core::problem::Severity;
use loopdeck_core::status::StatusWord;

/// Problems of the decomposed sample after one replacement, as `code path`; lints as `rule path`.
fn found(severity: Severity, from: &str, to: &str) -> Vec<String> {
    let file = text("sample-02-running-checklist-decomposed");
    assert!(file.contains(from), "{from:?} is not in the sample");
    let file = file.replacen(from, to, 1);
    let detail = detail(file.as_bytes(), StatusWord::RunningElsewhere);
    let problems = detail.problems.iter().filter(|problem| problem.severity == severity);
    problems
        .map(|problem| {
            let name = problem.code.name().split('_').next().unwrap_or_default();
            format!("{} {}", problem.args.get("rule").map_or(name, String::as_str), problem.path)
        })
        .collect()
}

/// A replacement in the decomposed sample, and the warnings that it makes.
const WARNINGS: &[(&str, &str, &[&str])] = &[
    ("goal:", "goal:", &[]),
    ("depends_on: [A3, A4]", "depends_on: [A3, A4, A9]", &["V9 atoms[5].depends_on"]),
    ("or_group: token_method\n    decomposed", "or_group: other\n    decomposed", &["V10 atoms[3].or_group"]),
    ("choices: [A4, A4_alt]", "choices: [A4, A4_alt, A4_b]", &["V10 or_groups.token_method.choices"]),
    ("failed: []", "failed: [A4]", &["V10 or_groups.token_method.selected"]),
    ("failed: []", "failed: [A7]", &["V10 or_groups.token_method.failed"]),
    (
        "selected: A4\n    failed",
        "selected: A7\n    failed",
        &["V10 or_groups.token_method.selected", "V15 or_groups.token_method.selected"],
    ),
    ("- parent: A2", "- parent: A99", &["V11 decompositions[0].parent"]),
    ("children: [A3, A4]", "children: [A3, A44]", &["V11 decompositions[0].children"]),
    (
        "id: A2\n    description: \"Auth logic implementation\"\n    status: pending",
        "id: A2\n    description: \"Auth logic implementation\"\n    status: in_progress",
        &["V11 decompositions[0].parent"],
    ),
    (
        "id: A3\n    description: \"Password hashing\"\n    status: resolved\n    depends_on: [A1]",
        "id: A3\n    description: \"Password hashing\"\n    status: resolved\n    depends_on: []",
        &["V12 decompositions[0].children"],
    ),
    ("  A3:\n    summary", "  A33:\n    summary", &["V13 atoms[2]", "V13 bindings.A33"]),
    (
        "  A3:\n    summary",
        "  A7:\n    summary: \"x\"\n    artifacts: []\n  A3:\n    summary",
        &["V14 bindings.A7"],
    ),
    (
        "  - or_group: token_method\n    selected: A4\n",
        "  - or_group: token_method\n    selected: A4_alt\n",
        &["V15 or_groups.token_method.selected"],
    ),
    ("    selected: A4\n    failed", "    failed", &["V10 or_groups.token_method.selected"]),
    ("    selected: A4\n    failed", "    selected: null\n    failed", &[]),
    (
        "  - or_group: token_method\n    selected: A4\n",
        "  - or_group: nowhere\n    selected: A4\n",
        &["V15 or_groups.token_method.selected", "V15 trail[0].or_group"],
    ),
    (
        "  - or_group: token_method\n    selected: A4\n",
        "  - or_group: token_method\n    selected: A99\n",
        &["V15 or_groups.token_method.selected", "V15 trail[0].selected"],
    ),
    ("timestamp: \"2026-01-15T09:42:00Z\"", "timestamp: soon", &["V15 trail[0].timestamp"]),
    ("    timestamp: \"2026-01-15T09:42:00Z\"\n", "", &["V15 trail[0].timestamp"]),
    ("trail:\n", "trail:\n  - type: user_correction\n    description: \"x\"\n", &[]),
    (
        "corrections: []",
        "corrections:\n  - {timestamp: \"2025-01-15T12:00:00Z\", type: whim, description: x, trail_cleared: maybe}",
        &["V23 corrections[0].type", "V23 corrections[0].trail_cleared"],
    ),
    (
        "corrections: []",
        "corrections:\n  - {type: dag_adjustment, description: x, trail_cleared: True}\n  - {description: y}",
        &["V23 corrections[1].type", "V23 corrections[1].trail_cleared"],
    ),
    ("status: running", "status: pending", &["V16 atoms", "V16 atoms"]),
    ("redirect_requested: false", "redirect_requested: true", &[]),
    ("iteration: 6", "iteration: 21", &["V19 control.iteration"]),
    ("stall_count: 0", "stall_count: 4", &["V19 control.stall_count"]),
    ("max_parallel_agents: 3", "max_parallel_agents: 1", &["V19 atoms"]),
];

#[test]
fn every_warning_is_found_where_it_stands() {
    for (from, to, expected) in WARNINGS {
        let found = found(Severity::Warning, from, to);
        assert_eq!(found, *expected, "{from:?} -> {to:?}");
    }
}

#[test]
fn a_status_and_flags_that_do_not_fit_are_found() {
    let completed = found(Severity::Warning, "status: running", "status: completed");
    assert!(completed.contains(&"V17 control.status".to_owned()), "{completed:?}");
    let stopped = found(Severity::Warning, "status: running", "status: stopped");
    assert!(stopped.contains(&"V18 control.stop_reason".to_owned()), "{stopped:?}");
    let file = text("sample-02-running-checklist-decomposed");
    let held = file.replacen("redirect_requested: false", "redirect_requested: true", 1);
    let codes = |file: &str, shown| {
        let problems = detail(file.as_bytes(), shown).problems;
        let flags = problems.into_iter().filter(|problem| problem.code.name() == "V18_flags");
        flags.map(|problem| (problem.path, problem.severity)).collect::<Vec<_>>()
    };
    let redirect = ("control.redirect_requested".to_owned(), Severity::Warning);
    assert_eq!(codes(&held, StatusWord::Interrupted), [redirect]);
    assert_eq!(codes(&held, StatusWord::Running), []);
    let normal = file.replacen("status: running", "status: stopped", 1).replacen(
        "stop_requested: false\n  stop_reason: null",
        "stop_requested: true\n  stop_reason: \"Lunch\"",
        1,
    );
    let requested = ("control.stop_requested".to_owned(), Severity::Info);
    assert_eq!(codes(&normal, StatusWord::Stopped), [requested]);
}

/// A replacement in the decomposed sample, and the lints that it makes.
const LINTS: &[(&str, &str, &[&str])] = &[
    ("goal:", "goal:", &[]),
    ("---\nobjective", "--- \nobjective", &["L1 "]),
    ("iteration: 6\n", "iteration: 6\r\n", &["L1 "]),
    ("  status: running\n", "  status: running   # now\n", &["L4 control.status"]),
    ("  status: running\n", "  status : running\n", &["L4 control.status"]),
    ("  status: running\n", "  \"status\": running\n", &["L4 control.status"]),
    (
        "    max_iterations: 20\n",
        "    max_iterations: 20 # many\n",
        &["L4 objective.constraints.max_iterations"],
    ),
    ("    status: resolved\n", "    status: \"resolved\"\n", &["L5 atoms[0].status"]),
    (
        "  - id: A1\n    description: \"User model definition\"\n",
        "  - description: \"User model definition\"\n    id: A1\n",
        &["L5 atoms[0]"],
    ),
    ("stop_requested: false", "stop_requested: no", &["L6 control.stop_requested"]),
    ("iteration: 6", "iteration: \"6\"", &["L7 control.iteration"]),
    ("  stop_reason: null\n", "", &["L8 control.stop_reason"]),
    ("  stop_reason: null\n", "  stop_reason:\n", &["L8 control.stop_reason"]),
    ("stop_reason: null", "stop_reason: because", &["L9 control.stop_reason"]),
    ("# Original Prompt", "# Original Prompt\n  status: x\n - id: y", &["L12 ", "L12 "]),
    ("Login API with JWT", "Login API --- JWT", &["L13 "]),
    (
        "goal: \"Implement authentication feature\"",
        "goal: >-\n      two\n      lines",
        &["L15 objective.goal"],
    ),
    ("  - id: A7\n", "  - id: \"A7\"\n", &["L16 atoms[7].id"]),
    ("depends_on: [A3, A4]", "depends_on:\n      - A3\n      - A4", &["L17 atoms[5].depends_on"]),
    ("depends_on: [A3, A4]", "depends_on: [\"A3\", A4]", &["L17 atoms[5].depends_on"]),
    ("corrections: []", "corrections:", &["L18 corrections"]),
    ("corrections: []\n", "", &["L19 "]),
    (
        "value: \"npm test -- --grep auth\"",
        "value: \"sh -c 'true'\"",
        &["L20 objective.base_case.checklist[0].group[0].check.value"],
    ),
    (
        "value: \"npm test -- --grep auth\"",
        "value: \"a \\\"b\\\" c\"",
        &["L20 objective.base_case.checklist[0].group[0].check.value"],
    ),
    (
        "      - item: \"Functional Requirements\"\n        group:",
        "      - note: 1\n        item: \"Functional Requirements\"\n        group:",
        &["L21 objective.base_case.checklist[0]"],
    ),
    ("    artifacts: [\"src/utils/auth.ts\"]\n", "", &["L22 bindings.A3"]),
];

#[test]
fn every_layout_rule_is_found_where_it_stands() {
    for (from, to, expected) in LINTS {
        assert_eq!(found(Severity::Lint, from, to), *expected, "{from:?} -> {to:?}");
    }
    let flow = found(
        Severity::Lint,
        "control:\n  status: running\n  iteration: 6\n  stall_count: 0\n  prev_pending_count: 7\n  stop_requested: false\n  stop_reason: null\n  redirect_requested: false\n",
        "control: {status: running, iteration: 6, stall_count: 0, prev_pending_count: 7, stop_requested: false, stop_reason: null, redirect_requested: false}\n",
    );
    assert_eq!(flow, ["L3 control"]);
    let deeper = found(
        Severity::Lint,
        "control:\n  status: running\n  iteration: 6\n  stall_count: 0\n  prev_pending_count: 7\n  stop_requested: false\n  stop_reason: null\n  redirect_requested: false\n",
        "control:\n   status: running\n   iteration: 6\n   stall_count: 0\n   prev_pending_count: 7\n   stop_requested: false\n   stop_reason: null\n   redirect_requested: false\n",
    );
    assert!(deeper.len() == 7 && deeper.iter().all(|lint| lint.starts_with("L2 ")), "{deeper:?}");
}

/// V17: what the file shows about the verification of a completed loop.
#[test]
fn a_completed_loop_whose_check_cannot_pass_is_doubted() {
    let doubts = |check: &str, status: &str| {
        let file = text("seed-002-s6-2-after")
            .replacen("type: command", &format!("type: {check}"), 1)
            .replacen("status: running", &format!("status: {status}"), 1);
        let detail = detail(file.as_bytes(), StatusWord::Completed);
        detail.problems.iter().any(|problem| problem.code.name() == "V17_completed_unverified")
    };
    assert!(doubts("vibes", "completed"));
    assert!(!doubts("command", "completed"));
    assert!(!doubts("vibes", "stopped"));
}

#[test]
fn a_check_that_says_nothing_is_told() {
    let file = text("seed-002-s6-2-after");
    let start = file.find("    value: ").expect("a check");
    let end = start + file[start..].find('\n').expect("a line");
    let file = format!("{}    value: \"true\"{}", &file[..start], &file[end..]);
    let detail = detail(file.as_bytes(), StatusWord::Running);
    let found =
        detail.problems.iter().find(|problem| problem.code.name() == "V8_hollow_check").expect("told");
    assert_eq!((found.path.as_str(), found.args["found"].as_str()), ("objective.base_case", "always_passes"));
    assert!(found.line.is_some());
}
