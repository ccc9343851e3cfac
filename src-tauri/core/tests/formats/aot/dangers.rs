//! Hostile or unreadable files: values for a shell, quotes without escapes, sizes (AoT contract §4, §12).

use crate::aot::operations::changes;
use crate::aot::{FACTS, NOW, carry_out, detail, resume, stop, summary, text};
use loopdeck_core::formats::aot;
use loopdeck_core::problem::{ProblemCode, Severity};
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::{FileStatus, StatusWord};
use loopdeck_core::view::{FactValue, LoopDetail};
use loopdeck_text::text_edit;

const GOOD: &str = "sample-04-running-or-backtracked";

fn codes(file: &[u8]) -> Vec<ProblemCode> {
    detail(file, StatusWord::Interrupted).problems.iter().map(|problem| problem.code).collect()
}

#[test]
fn a_value_that_a_shell_would_run_is_the_first_thing_to_be_said() {
    let value = "HOME[$(touch pwned)]";
    let limit = "    max_iterations: 25\n";
    assert!(text(GOOD).contains(limit));
    for (from, to, path) in [
        ("  iteration: 9\n", format!("  iteration: {value}\n"), "control.iteration"),
        ("  iteration: 9\n", format!("  iteration: \"{value}\"\n"), "control.iteration"),
        ("  iteration: 9\n", "  iteration: a[`id`]\n".to_owned(), "control.iteration"),
        ("  stall_count: 1\n", format!("  stall_count: 1 # {value}\n"), "control.stall_count"),
        (limit, format!("    max_iterations: {value}\n"), "objective.constraints.max_iterations"),
        (
            "control:\n",
            format!("meta:\n  prev_pending_count: {value}\ncontrol:\n"),
            "control.prev_pending_count",
        ),
        // Not even YAML.
        ("  iteration: 9\n", format!("  iteration: {value}\n  x: [\n"), "control.iteration"),
    ] {
        let file = text(GOOD).replacen(from, &to, 1);
        let summary = summary(file.as_bytes());
        let first = &summary.problems[0];
        assert_eq!(
            (first.code, first.severity, first.path.as_str()),
            (ProblemCode::V4_shell_value, Severity::Error, path),
            "{to}"
        );
        assert_eq!(codes(file.as_bytes())[0], ProblemCode::V4_shell_value, "{to}");
        assert_eq!(
            aot::shell_value(file.as_bytes()).map(|problem| problem.path),
            Some(path.to_owned()),
            "{to}"
        );
        let stopped = file.replacen("status: running", "status: stopped", 1);
        assert!(carry_out(stopped.as_bytes(), &resume(), StatusWord::Stopped).is_err(), "{to}");
        let shown = if summary.status == FileStatus::Unreadable {
            StatusWord::CannotRead
        } else {
            StatusWord::Running
        };
        assert!(carry_out(file.as_bytes(), &stop("now"), shown).is_ok(), "{to}: it can be stopped");
    }
    assert_eq!(aot::shell_value(text(GOOD).as_bytes()), None);
    let plain = text(GOOD).replacen("  iteration: 9\n", "  iteration: nine\n", 1);
    assert_eq!(
        (aot::shell_value(plain.as_bytes()), codes(plain.as_bytes())[0]),
        (None, ProblemCode::V4_bad_number)
    );
}

#[test]
fn a_number_that_is_none_is_shown_as_it_is_written() {
    for written in ["5.0", "08", "1e3"] {
        let file = text(GOOD).replacen("iteration: 9", &format!("iteration: {written}"), 1);
        let problem = summary(file.as_bytes()).problems[0].clone();
        assert_eq!((problem.code, problem.args["found"].as_str()), (ProblemCode::V4_bad_number, written));
        assert_eq!(summary(file.as_bytes()).iteration, None, "not 0");
        let facts = detail(file.as_bytes(), StatusWord::Interrupted).facts;
        let fact = facts.into_iter().find(|fact| fact.name == "iteration").expect("a fact");
        assert_eq!(fact.value, FactValue::Text(written.to_owned()));
    }
}

/// Descriptions and summaries as simple scripts write them: quotes within quotes.
fn unescaped() -> String {
    let file = text(GOOD);
    let mut lines: Vec<String> = Vec::new();
    for line in file.lines() {
        let bad = line.strip_prefix("    description: \"").or(line.strip_prefix("    summary: \""));
        let key = line.split(": ").next().unwrap_or_default();
        lines.push(bad.map_or(line.to_owned(), |rest| format!("{key}: \"the \"first\" way, {rest}")));
    }
    lines.join("\n") + "\n"
}

#[test]
fn quotes_that_nobody_escaped_are_fixed_on_their_lines() {
    let file = unescaped();
    let problem = summary(file.as_bytes()).problems[0].clone();
    let first = file.lines().position(|line| line.contains("\"first\"")).expect("a bad line") + 1;
    assert_eq!(problem.code, ProblemCode::V1_unescaped_quote);
    assert_eq!(problem.line, u32::try_from(first).ok());
    let broken = file.matches("\"first\"").count();
    assert!(broken > 5, "{broken}");
    let offers = detail(file.as_bytes(), StatusWord::CannotRead).repairs;
    assert_eq!(offers.len(), 1);
    assert_eq!(
        (offers[0].args["count"].clone(), offers[0].args["line"].clone()),
        (broken.to_string(), first.to_string())
    );
    assert_eq!(offers[0].refusal, None, "in place, at once");
    let edits = aot::repair(file.as_bytes(), ProblemCode::V1_unescaped_quote, NOW).expect("possible");
    let fixed =
        String::from_utf8(text_edit::apply(file.as_bytes(), &edits).expect("no overlap")).expect("utf-8");
    assert_eq!(changes(file.as_bytes(), fixed.as_bytes()).len(), 2 * broken, "only these lines");
    assert_eq!(summary(fixed.as_bytes()).status, FileStatus::Running);
    let read = detail(fixed.as_bytes(), StatusWord::Interrupted);
    assert!(
        read.atoms.iter().all(|atom| atom.description.starts_with("the \"first\" way, ")),
        "{:?}",
        read.atoms
    );
    assert!(
        aot::repair(text(GOOD).as_bytes(), ProblemCode::V1_unescaped_quote, NOW)
            .is_ok_and(|edits| edits.is_empty())
    );
}

#[test]
fn what_can_be_read_of_a_damaged_file_is_kept_item_by_item() {
    let good = detail(text(GOOD).as_bytes(), StatusWord::Interrupted);
    // Beyond fixing: one atom and one result are not YAML, however they are escaped.
    let file = unescaped().replacen("    depends_on: [A1]\n", "    depends_on: [A1\n", 1);
    assert_eq!(summary(file.as_bytes()).problems[0].code, ProblemCode::V1_bad_yaml);
    let recovery = aot::recover(file.as_bytes(), None, &FACTS).expect("a proposal");
    let found = detail(recovery.text.as_bytes(), StatusWord::Interrupted);
    let ids = |detail: &LoopDetail| detail.atoms.iter().map(|atom| atom.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&found), ids(&good), "{}", recovery.text);
    let bound = |detail: &LoopDetail| detail.atoms.iter().filter(|atom| atom.summary.is_some()).count();
    assert_eq!(bound(&found), bound(&good));
    assert!(bound(&good) > 0);
    // Unreadable parts are named, and restored from the last good copy if there is one.
    let lost = text(GOOD).replacen("  - id: A2\n", "  - id: A2\n  : [\n", 1).replacen(
        "    status: resolved\n",
        "    status: {\n",
        1,
    );
    let recovery = aot::recover(lost.as_bytes(), Some(text(GOOD).as_bytes()), &FACTS).expect("a proposal");
    let found = detail(recovery.text.as_bytes(), StatusWord::Interrupted);
    assert_eq!(ids(&found), ids(&good), "{}", recovery.text);
}

#[test]
fn a_large_front_matter_is_told_before_the_hook_fails() {
    let with = |kib: usize| {
        text(GOOD).replacen("    summary: \"", &format!("    summary: \"{}", "x".repeat(kib << 10)), 1)
    };
    let told = |file: &str| {
        let problems = detail(file.as_bytes(), StatusWord::Interrupted).problems;
        problems.into_iter().find(|problem| problem.code == ProblemCode::V20_front_matter_size)
    };
    assert_eq!(told(&with(30)), None);
    let problem = told(&with(47)).expect("a warning");
    assert_eq!(
        (problem.severity, problem.args["found"].as_str(), problem.args["limit"].as_str()),
        (Severity::Warning, "bindings", "64")
    );
}

#[test]
fn what_only_the_plugin_stumbles_over_is_named() {
    let lint = |file: &[u8]| -> Vec<(String, Option<u32>)> {
        let problems = detail(file, StatusWord::Interrupted).problems;
        let lints = problems.into_iter().filter(|problem| problem.code == ProblemCode::V20_layout);
        lints.map(|problem| (problem.args["rule"].clone(), problem.line)).collect()
    };
    let quoted = text(GOOD).replacen("status: running", "status: \"running\"", 1);
    assert_eq!(lint(quoted.as_bytes()).iter().map(|(rule, _)| rule.as_str()).collect::<Vec<_>>(), ["L4"]);
    let mut body = text(GOOD).into_bytes();
    let line = u32::try_from(body.iter().filter(|byte| **byte == b'\n').count() + 1).ok();
    body.extend(b"caf\xe9\n");
    assert_eq!(lint(&body), [("L1".to_owned(), line)]);
}

#[test]
fn a_check_of_quality_alone_and_a_completion_without_proof_are_named() {
    let rubric = "type: quality\n          criteria: \"good\"\n          pass_threshold: 3.5";
    let list = |checks: &str| {
        text("seed-002-s8-1").replacen(
            "base_case:\n    type: command\n    value: \"...\"\n",
            &format!(
                "base_case:\n    checklist:\n      - item: \"Good\"\n        check:\n          {checks}\n"
            ),
            1,
        )
    };
    assert!(list("x") != text("seed-002-s8-1"));
    assert!(codes(list(rubric).as_bytes()).contains(&ProblemCode::V8_quality_only));
    assert!(
        !codes(list("type: file\n          value: \"a\"").as_bytes()).contains(&ProblemCode::V8_quality_only)
    );
    let done = text("seed-002-s6-2-after").replacen("status: running", "status: completed", 1);
    assert!(codes(done.as_bytes()).contains(&ProblemCode::V17_not_verified));
    assert!(!codes(text("seed-002-s6-2-after").as_bytes()).contains(&ProblemCode::V17_not_verified));
}

#[test]
fn a_redirect_that_a_stale_copy_undid_is_known_by_its_correction() {
    let before = text(GOOD).replacen("status: running", "status: stopped", 1);
    let add =
        aot::Correction::AddAtom(aot::NewAtom { description: "more".to_owned(), ..aot::NewAtom::default() });
    let redirect = aot::AotOperation::Redirect { change: add, description: "why".to_owned() };
    let edits = aot::operate(before.as_bytes(), &FACTS, &redirect, &crate::aot::NOBODY).expect("legal");
    let ours = text_edit::apply(before.as_bytes(), &edits).expect("no overlap");
    assert_eq!(aot::undone(&ours, &ours), None);
    let undone = aot::undone(&ours, before.as_bytes()).expect("its correction is missing");
    assert_eq!((undone.code, undone.args["found"].as_str()), (ProblemCode::V22_redirect_undone, "why"));
    let another = before.replacen("# Original Prompt", "# Original Prompt of another loop", 1);
    assert_eq!(aot::undone(&ours, another.as_bytes()), None, "another loop");
    assert_eq!(aot::undone(&ours, b"---\nhalf"), None);
    let held = text(GOOD).replacen("redirect_requested: false", "redirect_requested: true", 1);
    assert!(aot::undone(held.as_bytes(), text(GOOD).as_bytes()).is_some());
    assert_eq!(aot::undone(held.as_bytes(), before.as_bytes()), None, "it does not run any more");
}

#[test]
fn a_redirect_that_changes_nothing_is_refused() {
    let file = text(GOOD).replacen("status: running", "status: stopped", 1);
    let goal = detail(file.as_bytes(), StatusWord::Interrupted).objective.expect("objective").goal;
    let limit = |limit| {
        aot::Correction::Constraints(aot::ConstraintPatch {
            max_iterations: Some(limit),
            ..aot::ConstraintPatch::default()
        })
    };
    let objective = aot::Correction::Objective(aot::ObjectivePatch {
        goal: Some(goal),
        ..aot::ObjectivePatch::default()
    });
    let group = aot::Correction::ForceSelection {
        group: "storage_method".to_owned(),
        id: "A3_postgres".to_owned(),
        reason: "r".to_owned(),
    };
    let redo = aot::Correction::Redo { ids: vec!["A5".to_owned()] };
    for change in [objective, limit(25), group, redo] {
        let redirect = aot::AotOperation::Redirect { change: change.clone(), description: "why".to_owned() };
        let refused =
            aot::operate(file.as_bytes(), &FACTS, &redirect, &crate::aot::NOBODY).expect_err("nothing to do");
        assert_eq!(refused.code, RefusalCode::NothingChanges, "{change:?}");
    }
    let redirect = aot::AotOperation::Redirect { change: limit(26), description: "why".to_owned() };
    assert!(aot::operate(file.as_bytes(), &FACTS, &redirect, &crate::aot::NOBODY).is_ok());
}

/// 1,200 atoms that each wait for all before them.
fn dense() -> String {
    use std::fmt::Write as _;
    let mut atoms = String::new();
    for at in 0..1_200 {
        let needs: Vec<String> = (0..at).map(|need| format!("A{need}")).collect();
        let needs = needs.join(", ");
        write!(
            atoms,
            "  - id: A{at}\n    description: \"x\"\n    status: pending\n    depends_on: [{needs}]\n"
        )
        .expect("text");
    }
    let good = text(GOOD);
    let (start, end) =
        (good.find("  - id: A1\n").expect("atoms"), good.find("\ndecompositions:").expect("next"));
    format!("{}{atoms}{}", &good[..start], &good[end..])
}

#[test]
fn a_dense_graph_is_read_whole() {
    let file = dense();
    let read = detail(file.as_bytes(), StatusWord::Interrupted);
    assert_eq!(read.atoms.len(), 1_200);
    assert_eq!(read.atoms[900].depends_on.len(), 900);
    let summary = summary(file.as_bytes());
    assert_eq!(summary.status, FileStatus::Running);
}
