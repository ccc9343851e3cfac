//! Every row of the tolerance table (AoT contract §3), and each error of §10 once.

use crate::aot::{carry_out, detail, summary, text};
use loopdeck_core::control::Intent;
use loopdeck_core::phase::{LimitKind, Phase};
use loopdeck_core::problem::Severity;
use loopdeck_core::status::{FileStatus, StatusWord};
use loopdeck_core::summary::{StopFlag, Summary};
use loopdeck_core::view::{AtomState, LoopDetail};

/// The initial state of the seed with some text replaced; the text must exist.
fn changed(replacements: &[(&str, &str)]) -> String {
    let mut file = text("seed-002-s8-1");
    for (from, to) in replacements {
        assert!(file.contains(from), "{from:?} is not in the fixture");
        file = file.replacen(from, to, 1);
    }
    file
}

fn read(replacements: &[(&str, &str)]) -> (Summary, LoopDetail) {
    let file = changed(replacements);
    (summary(file.as_bytes()), detail(file.as_bytes(), StatusWord::NotStarted))
}

fn errors(summary: &Summary) -> Vec<String> {
    let errors = summary.problems.iter().filter(|problem| problem.severity == Severity::Error);
    errors.map(|p| format!("{} {} {}", p.code.name(), p.path, p.line.unwrap_or(0))).collect()
}

fn errors_after(replacements: &[(&str, &str)]) -> Vec<String> {
    errors(&summary(changed(replacements).as_bytes()))
}

#[test]
fn missing_control_fields_have_defaults() {
    let (summary, detail) = read(&[
        ("  prev_pending_count: -1\n", ""),
        ("  stop_reason: null\n", ""),
        ("  stop_requested: false\n", ""),
        ("  redirect_requested: false\n", ""),
        ("  iteration: 0\n", ""),
        ("  stall_count: 0\n", "  stall_count:\n"),
    ]);
    assert_eq!(errors(&summary), [""; 0]);
    assert_eq!(summary.iteration.map(|bar| (bar.current, bar.limit)), Some((0.0, 20.0)));
    assert_eq!((summary.stop_requested, summary.reason), (None, None));
    let facts = format!("{:?}", detail.facts);
    assert!(facts.contains(r#"name: "prev_pending_count", value: NotCounted"#), "{facts}");
}

#[test]
fn missing_or_empty_constraints_have_defaults() {
    for limits in ["", "    max_iterations:\n    max_parallel_agents: ~\n"] {
        let file = "    max_iterations: 20\n    max_parallel_agents: 3\n    max_stall_count: 3\n";
        let head = if limits.is_empty() { "  constraints:\n" } else { "" };
        let (summary, detail) = read(&[(&format!("{head}{file}"), limits)]);
        assert_eq!(errors(&summary), [""; 0]);
        let objective = detail.objective.expect("objective");
        let limits = (objective.max_iterations, objective.max_parallel_agents, objective.max_stall_count);
        assert_eq!(limits, (Some(20.0), Some(3.0), Some(3.0)));
    }
}

#[test]
fn dependencies_are_read_in_every_spelling() {
    let second = |depends: &str| {
        let atom =
            format!("    depends_on: []\n  - id: A2\n    description: \"b\"\n    status: pending\n{depends}");
        read(&[("    depends_on: []\n", &atom)])
    };
    for depends in [
        "    depends_on:\n      - A1\n",
        "    depends_on:\n    - 'A1'\n",
        "    depends_on: [\"A1\"]\n",
        "    depends_on: A1\n",
    ] {
        let (summary, detail) = second(depends);
        assert_eq!(errors(&summary), [""; 0], "{depends}");
        assert_eq!(detail.atoms[1].depends_on[0].id, "A1", "{depends}");
    }
    for nothing in ["", "    depends_on:\n", "    depends_on: null\n"] {
        let (summary, detail) = second(nothing);
        assert_eq!(errors(&summary), [""; 0]);
        assert_eq!(detail.atoms[1].state, AtomState::Ready, "{nothing}");
    }
}

#[test]
fn an_empty_group_name_is_no_group() {
    for nothing in ["null", "~", "", "\"\""] {
        let (_, detail) =
            read(&[("    depends_on: []\n", &format!("    depends_on: []\n    or_group: {nothing}\n"))]);
        assert_eq!((detail.atoms[0].or_group.as_deref(), detail.atoms[0].state), (None, AtomState::Ready));
    }
}

#[test]
fn artifacts_and_summaries_are_read_in_every_spelling() {
    let cases = [
        ("    summary: done\n", "done", &[][..]),
        (
            "    summary: |\n      two\n      lines\n    artifacts:\n      - a\n      - b\n",
            "two\nlines\n",
            &["a", "b"][..],
        ),
        ("    summary: >-\n      one\n      line\n    artifacts: a.rs\n", "one line", &["a.rs"][..]),
    ];
    for (binding, text, artifacts) in cases {
        let (summary, detail) = read(&[
            ("status: pending\n    depends", "status: resolved\n    depends"),
            ("bindings: {}\n", &format!("bindings:\n  A1:\n{binding}")),
        ]);
        assert_eq!(errors(&summary), [""; 0]);
        assert_eq!(
            (detail.atoms[0].summary.as_deref(), &detail.atoms[0].artifacts[..]),
            (Some(text), &artifacts.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>()[..])
        );
    }
}

#[test]
fn an_atom_has_a_result_when_it_is_resolved_and_left_something() {
    for (status, binding, has) in [
        ("resolved", "    summary: done\n", true),
        ("resolved", "    summary: \" \"\n    artifacts:\n      - a\n", true),
        ("resolved", "    summary: \" \"\n    artifacts: []\n", false),
        ("in_progress", "    summary: done\n", false),
    ] {
        let (_, detail) = read(&[
            ("status: pending\n    depends", &format!("status: {status}\n    depends")),
            ("bindings: {}\n", &format!("bindings:\n  A1:\n{binding}")),
        ]);
        assert_eq!(detail.atoms[0].has_result, has, "{status} {binding}");
    }
}

#[test]
fn quotes_comments_flow_and_other_indents_are_yaml() {
    let flow = "control: {status: running, iteration: 5, stall_count: 0, prev_pending_count: 3, stop_requested: false, stop_reason: null, redirect_requested: false}\n";
    let block = "control:\n  status: pending\n  iteration: 0\n  stall_count: 0\n  prev_pending_count: -1\n  stop_requested: false\n  stop_reason: null\n  redirect_requested: false\n";
    let deeper = block
        .replace("\n  ", "\n      ")
        .replace("pending\n", "running # now\n")
        .replace("iteration: 0", "iteration: 5");
    let quoted = block
        .replace("status: pending", "\"status\": 'running'")
        .replace("iteration: 0", "'iteration': \"5\"");
    for control in [flow, &deeper, &quoted] {
        let (summary, _) = read(&[(block, control)]);
        assert_eq!(errors(&summary), [""; 0], "{control}");
        assert_eq!(
            (summary.status, summary.iteration.map(|bar| bar.current)),
            (FileStatus::Running, Some(5.0))
        );
    }
}

#[test]
fn windows_files_are_read_alike() {
    let unix = text("sample-02-running-checklist-decomposed");
    let windows = format!("\u{feff}\r\n{}", unix.replace('\n', "\r\n"));
    let (a, b) = (summary(unix.as_bytes()), summary(windows.as_bytes()));
    assert_eq!((a.status, a.phase, a.iteration, a.title), (b.status, b.phase, b.iteration, b.title));
    assert!(errors(&summary(windows.as_bytes())).is_empty());
    let lines = |text: &str| {
        detail(text.as_bytes(), StatusWord::RunningElsewhere)
            .atoms
            .iter()
            .filter_map(|a| a.line)
            .collect::<Vec<_>>()
    };
    let shifted: Vec<u32> = lines(&unix).iter().map(|line| line + 1).collect();
    assert_eq!(lines(&windows), shifted);
}

#[test]
fn old_groups_without_failed_and_file_checks_with_exists_are_read() {
    let (summary, detail) = read(&[
        ("    type: command\n    value: \"...\"\n", "    type: file\n    value: \"exists: ./out.txt\"\n"),
        ("    depends_on: []\n", "    depends_on: []\n    or_group: g\n"),
        ("or_groups: {}\n", "or_groups:\n  g:\n    choices: [A1]\n    selected: A1\n"),
    ]);
    assert_eq!(errors(&summary), [""; 0]);
    assert_eq!(detail.checklist[0].value.as_deref(), Some("./out.txt"));
    assert_eq!(detail.atoms[0].state, AtomState::Ready);
    assert!(
        detail
            .problems
            .iter()
            .any(|p| p.code.name() == "V21_variant"
                && p.args.get("found").is_some_and(|f| f == "exists_prefix"))
    );
}

#[test]
fn booleans_of_older_yaml_are_true() {
    for word in ["True", "yes", "TRUE", "on", "'true'", "\"true\""] {
        let (summary, _) = read(&[
            ("status: pending\n  it", "status: running\n  it"),
            ("stop_requested: false", &format!("stop_requested: {word}")),
        ]);
        assert_eq!(summary.stop_requested, Some(StopFlag::Stop), "{word}");
    }
    let (summary, _) = read(&[
        ("status: pending\n  it", "status: running\n  it"),
        (
            "stop_requested: false\n  stop_reason: null",
            "stop_requested: true\n  stop_reason: \"Paused by user\"",
        ),
    ]);
    assert_eq!(summary.stop_requested, Some(StopFlag::Pause));
}

#[test]
fn unknown_fields_are_shown() {
    let (summary, detail) = read(&[
        ("  iteration: 0\n", "  iteration: 0\n  mood: {good: [1]}\n"),
        ("trail: []\n", "trail: []\nnotes:\n  - a\n  - b # c\n"),
    ]);
    assert_eq!(errors(&summary), [""; 0]);
    let extra: Vec<_> = detail.extra.iter().map(|e| (e.path.as_str(), e.text.as_str())).collect();
    assert_eq!(extra, [("notes", "- a\n  - b"), ("control.mood", "{good: [1]}")]);
}

#[test]
fn stop_reasons_are_classed_by_prefix() {
    let cases = [
        ("\"Paused by user\"", FileStatus::Paused, None),
        ("\"paused by user\"", FileStatus::StoppedByUser, None),
        ("\"Paused by user later\"", FileStatus::StoppedByUser, None),
        ("Manual stop requested", FileStatus::StoppedByUser, None),
        ("\"Interrupted\"", FileStatus::StoppedByUser, None),
        ("null", FileStatus::StoppedByUser, None),
        ("\"max iterations reached (20)\"", FileStatus::LimitReached, Some(LimitKind::Iterations)),
        ("Max stall count reached", FileStatus::LimitReached, Some(LimitKind::Stalls)),
        ("max_stall_count exceeded", FileStatus::LimitReached, Some(LimitKind::Stalls)),
        ("\"OR group exhausted: g\"", FileStatus::LimitReached, Some(LimitKind::Alternatives)),
        ("All OR branches exhausted", FileStatus::LimitReached, Some(LimitKind::Alternatives)),
        ("No atoms in Work Graph", FileStatus::LimitReached, Some(LimitKind::NoAtoms)),
        ("Lunch", FileStatus::StoppedByUser, None),
    ];
    for (reason, status, limit) in cases {
        let (summary, _) = read(&[
            ("status: pending\n  it", "status: stopped\n  it"),
            ("stop_reason: null", &format!("stop_reason: {reason}")),
        ]);
        assert_eq!((summary.status, summary.limit), (status, limit), "{reason}");
    }
}

#[test]
fn numbers_the_shell_would_misread_are_errors() {
    for bad in ["08", "5.0", "abc", "+5", "0x10", "1_000", "-1", "99999999999999999999999", "[1]", "true"] {
        assert_eq!(
            errors_after(&[("iteration: 0", &format!("iteration: {bad}"))]),
            ["V4_bad_number control.iteration 17"],
            "{bad}"
        );
    }
    assert_eq!(
        errors_after(&[("iteration: 0", "iteration: X[$(touch x)]")]),
        ["V4_shell_value control.iteration 17"]
    );
    for bad in ["0", "-1", "many"] {
        assert_eq!(
            errors_after(&[("max_iterations: 20", &format!("max_iterations: {bad}"))]),
            ["V4_bad_number objective.constraints.max_iterations 11"]
        );
    }
    assert_eq!(
        errors_after(&[("prev_pending_count: -1", "prev_pending_count: -2")]),
        ["V4_bad_number control.prev_pending_count 19"]
    );
    assert_eq!(errors_after(&[("prev_pending_count: -1", "prev_pending_count: 0")]), [""; 0]);
}

#[test]
fn what_every_loop_needs_is_missed() {
    let missing = |from: &str, to: &str| errors_after(&[(from, to)]);
    assert_eq!(missing("objective:\n", "purpose:\n")[0], "V2_missing_section objective 0");
    assert_eq!(missing("control:\n", "steering:\n")[0], "V2_missing_section control 0");
    assert_eq!(
        missing(
            "atoms:\n  - id: A1\n    description: \"Initial task\"\n    status: pending\n    depends_on: []\n",
            "atoms: []\n"
        ),
        ["V2_missing_section atoms 24"]
    );
}

#[test]
fn words_outside_their_lists_are_errors() {
    for word in ["paused", "Running", "", "null"] {
        let file = changed(&[("status: pending\n  it", &format!("status: {word}\n  it"))]);
        let summary = summary(file.as_bytes());
        assert_eq!(errors(&summary), ["V3_unknown_status control.status 16"]);
        assert_eq!(summary.status, FileStatus::Unknown);
        assert_eq!(summary.status_word, if word == "null" { "" } else { word });
    }
    assert_eq!(
        errors_after(&[("status: pending\n    dep", "status: done\n    dep")]),
        ["V3_unknown_status atoms[0].status 27"]
    );
}

#[test]
fn ids_nobody_can_name_are_errors() {
    let second = |id: &str| {
        errors_after(&[(
            "    depends_on: []\n",
            &format!("    depends_on: []\n  - id: {id}\n    description: \"b\"\n    status: pending\n"),
        )])
    };
    for bad in ["A1", "", "\"a b\"", "'a,b'", "\"a:b\"", "'[x]'", "\"a'b\"", "'a#b'"] {
        assert_eq!(second(bad), ["V5_bad_id atoms[1].id 29"], "{bad}");
    }
    for good in ["A2", "A4_alt", "\"A2\"", "jwt-auth"] {
        assert_eq!(second(good), [""; 0], "{good}");
    }
}

#[test]
fn two_lines_for_one_field_are_an_error_only_when_they_differ() {
    let status = |line: &str| errors_after(&[("  iteration: 0\n", &format!("  iteration: 0\n  {line}\n"))]);
    assert_eq!(status("status: running"), ["V6_ambiguous_field control.status 18"]);
    assert_eq!(status("status: pending"), [""; 0]);
    let binding = errors_after(&[("bindings: {}\n", "bindings:\n  status:\n    summary: x\n")]);
    assert_eq!(binding, ["V6_ambiguous_field control.status 33"]);
    let unindented = errors_after(&[
        ("status: pending\n  it", "status: running\n  it"),
        (
            "  - id: A1\n    description: \"Initial task\"\n    status: pending\n    depends_on: []\n",
            "- id: A1\n  description: \"Initial task\"\n  status: pending\n  depends_on: []\n",
        ),
    ]);
    assert_eq!(unindented, ["V6_ambiguous_field control.status 27"]);
    let limit = errors_after(&[(
        "  background_intent: \"...\"\n",
        "  background_intent: |\n    max_iterations: 99\n",
    )]);
    assert_eq!(limit, ["V6_ambiguous_field objective.constraints.max_iterations 8"]);
}

#[test]
fn files_that_are_no_complete_yaml_are_unreadable() {
    let whole = text("sample-04-running-or-backtracked");
    let closing = whole.find("\n---\n\n# Original").expect("closing");
    for cut in [0, 1, 3, 4, 100, 1000, closing, closing + 3] {
        let summary = summary(&whole.as_bytes()[..cut]);
        assert_eq!(summary.status, FileStatus::Unreadable, "cut at {cut}");
        let code = summary.problems[0].code.name();
        assert_eq!(code, if cut == 0 { "F5_being_written" } else { "V1_unclosed" }, "cut at {cut}");
    }
    let code = |from: &str, to: &str| {
        let found = summary(changed(&[(from, to)]).as_bytes());
        assert_eq!(found.status, FileStatus::Unreadable);
        found.problems[0].code.name()
    };
    assert_eq!(code("trail: []", "trail: ["), "V1_bad_yaml");
    assert_eq!(code("trail: []", &format!("trail: {}{}", "[".repeat(99), "]".repeat(99))), "F7_too_deep");
    assert_eq!(summary(b"---\n- a\n---\n").problems[0].code.name(), "V1_bad_yaml");
    assert_eq!(summary(b"---\na: \xff\n---\n").problems[0].code.name(), "F6_not_utf8");
    assert_eq!(errors_after(&[("trail: []\n", "trail: []\ntrail: []\n")]), ["V1_bad_yaml  34"]);
}

#[test]
fn blank_objectives_and_impossible_checks_are_named() {
    let (summary, _) = read(&[("goal: \"...\"", "goal: \" \""), ("type: command", "type: vibes")]);
    let found: Vec<_> = summary.problems.iter().map(|p| (p.code.name(), p.path.as_str(), p.line)).collect();
    assert_eq!(
        found,
        [
            ("V8_blank_objective", "objective.goal", Some(3)),
            ("V8_bad_base_case", "objective.base_case", Some(5))
        ]
    );
    assert_eq!(summary.title, "aot-loop-state");
    assert!(matches!(summary.phase, Some(Phase::Atoms { resolved: 0, total: 1, ready: 1 })));
}

#[test]
fn aliases_are_followed_and_never_edited() {
    let linked = |text: String| {
        text.replacen("    depends_on: [A1]", "    depends_on: &needs [A1]", 1).replacen(
            "    depends_on: [A1]\n",
            "    depends_on: *needs\n",
            1,
        )
    };
    let file = linked(text("sample-02-running-checklist-decomposed"));
    assert!(file.contains("*needs"));
    let view = |file: &str| {
        let atoms = detail(file.as_bytes(), StatusWord::Running).atoms;
        atoms.into_iter().map(|atom| (atom.id, atom.state, atom.depends_on)).collect::<Vec<_>>()
    };
    assert_eq!(view(&file), view(&text("sample-02-running-checklist-decomposed")));
    let aliased = file.replacen("  iteration: ", "  iteration: &n ", 1).replacen(
        "max_iterations: ",
        "max_iterations: &m ",
        1,
    );
    assert_eq!(errors(&summary(aliased.as_bytes())), [""; 0]);
    let endless = file.replacen("&needs [A1]", "&needs [A1, *needs]", 1);
    assert_eq!(summary(endless.as_bytes()).problems[0].code.name(), "V1_bad_yaml");
}

/// Each atom has a result, so that the file has more values than any other of 100,000 atoms.
#[test]
fn a_hundred_thousand_atoms_are_read_and_paused() {
    let (mut atoms, mut bindings) = (String::new(), String::new());
    for n in 1..=100_000 {
        atoms += &format!(
            "  - id: A{n}\n    description: \"Part {n}\"\n    status: resolved\n    depends_on: [A{}]\n",
            n - 1
        );
        bindings += &format!("  A{n}:\n    summary: \"Made {n}\"\n    artifacts: [\"src/{n}.rs\"]\n");
    }
    let file = text("sample-04-running-or-backtracked");
    let (head, rest) = file.split_once("atoms:\n").expect("atoms");
    let (_, rest) = rest.split_once("corrections:").expect("the last section");
    let file = format!(
        "{head}atoms:\n{atoms}decompositions: []\nor_groups: {{}}\nbindings:\n{bindings}trail: []\ncorrections:{rest}"
    );
    let found = summary(file.as_bytes());
    assert_eq!(errors(&found), [""; 0]);
    assert!(matches!(found.phase, Some(Phase::Atoms { resolved: 100_000, total: 100_000, ready: 0 })));
    let after = carry_out(file.as_bytes(), &Intent::Pause, StatusWord::RunningElsewhere).expect("legal");
    assert_eq!(summary(&after).stop_requested, Some(StopFlag::Pause));
}
