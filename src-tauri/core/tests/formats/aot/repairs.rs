//! One-click repairs: what they change, and that the plugin then reads the same as we do (AoT contract §4,
//! §10).

use crate::aot::operations::changes;
use crate::aot::{NOW, detail, fixtures, summary, text};
use loopdeck_core::formats::aot;
use loopdeck_core::problem::{ProblemCode, Severity};
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::StatusWord;
use loopdeck_text::text_edit;
use std::collections::BTreeMap;

fn repaired(file: &str, code: ProblemCode) -> String {
    let edits = aot::repair(file.as_bytes(), code, NOW).unwrap_or_else(|refusal| {
        assert_eq!(refusal.code, RefusalCode::NotEditable, "{file}");
        Vec::new()
    });
    String::from_utf8(text_edit::apply(file.as_bytes(), &edits).expect("edits do not overlap"))
        .expect("utf-8")
}

/// The available repairs, with how many problems or which rules they fix.
fn offered(file: &str) -> Vec<(ProblemCode, String)> {
    let repairs = aot::repairs(file.as_bytes());
    let mends = |args: &BTreeMap<String, String>| args.get("count").or(args.get("rules")).cloned();
    repairs.into_iter().map(|repair| (repair.code, mends(&repair.args).expect("a value"))).collect()
}

/// The layout rules that are still broken.
fn lints(file: &str) -> Vec<String> {
    let problems = detail(file.as_bytes(), StatusWord::Interrupted).problems;
    let mut rules: Vec<String> = problems
        .iter()
        .filter(|problem| problem.code == ProblemCode::V20_layout)
        .map(|problem| problem.args["rule"].clone())
        .collect();
    rules.sort();
    rules.dedup();
    rules
}

const GOOD: &str = "sample-04-running-or-backtracked";

#[test]
fn unknown_words_become_safe_ones() {
    let file = text(GOOD).replacen("status: running", "status: paused", 1).replacen(
        "status: pending",
        "status: waiting",
        1,
    );
    assert_eq!(offered(&file)[0], (ProblemCode::V3_unknown_status, "2".to_owned()));
    let after = repaired(&file, ProblemCode::V3_unknown_status);
    assert_eq!(
        changes(file.as_bytes(), after.as_bytes()),
        ["-  status: paused", "+  status: stopped", "-    status: waiting", "+    status: pending"]
    );
    assert!(summary(after.as_bytes()).problems.iter().all(|problem| problem.severity != Severity::Error));
}

#[test]
fn orphans_wait_again() {
    let after = repaired(&text(GOOD), ProblemCode::V16_orphaned_atom);
    assert_eq!(
        changes(text(GOOD).as_bytes(), after.as_bytes()),
        ["-    status: in_progress", "+    status: pending"]
    );
    assert!(offered(&after).is_empty());
    let none = aot::repair(text(GOOD).as_bytes(), ProblemCode::V9_unknown_dependency, NOW)
        .expect_err("no such repair");
    assert_eq!(none.code, RefusalCode::NotInFormat);
}

#[test]
fn a_canonical_file_has_no_layout_to_repair() {
    assert_eq!(lints(&text(GOOD)), Vec::<String>::new());
    assert_eq!(repaired(&text(GOOD), ProblemCode::V20_layout), text(GOOD));
}

/// Each: a text of the good file, what breaks it, the rule; the repair restores the good file.
#[test]
fn a_broken_line_becomes_the_good_one_again() {
    for (good, bad, rule) in [
        ("  iteration: 9\n", "  iteration: 9  # nine\n", "L4"),
        ("  iteration: 9\n", "  \"iteration\": 9\n", "L4"),
        ("  iteration: 9\n", "  iteration :   9 \n", "L4"),
        ("  iteration: 9\n", "  iteration: '9'\n", "L7"),
        ("  stop_requested: false\n", "  stop_requested: No\n", "L6"),
        ("  redirect_requested: false\n", "  redirect_requested: off\n", "L6"),
        ("  stop_reason: null\n", "", "L8"),
        ("  stop_reason: null\n", "  stop_reason:\n", "L8"),
        ("    max_iterations: 25\n", "    max_iterations: 25 # twenty\n", "L4"),
        ("    max_iterations: 25\n", "    max_iterations: \"25\"\n", "L7"),
        ("    status: in_progress\n", "    status: \"in_progress\"\n", "L5"),
        (
            "  - id: A4\n    description: \"Recovery scan on boot\"\n    status: pending\n",
            "  - status: pending\n    id: A4\n    description: \"Recovery scan on boot\"\n",
            "L5",
        ),
        ("    depends_on: [A4]\n", "    depends_on:\n      - A4\n", "L17"),
        ("    depends_on: [A4]\n", "    depends_on: ['A4']\n", "L17"),
        (
            "  - id: A5\n    description: \"Restart integration test\"\n    status: pending\n    depends_on: [A4]\n",
            "  - {id: A5, description: \"Restart integration test\", status: pending, depends_on: [A4]}\n",
            "L3",
        ),
        ("corrections: []\n", "corrections:\n", "L18"),
        ("corrections: []\n", "", "L19"),
        ("---\nobjective:", "--- \nobjective:", "L1"),
        ("---\nobjective:", "\u{feff}---\nobjective:", "L1"),
        ("---\nobjective:", "\n\n---\nobjective:", "L1"),
        ("    artifacts: [\"src/jobs/model.rs\"]\n", "    artifacts:\n      - src/jobs/model.rs\n", "L22"),
        ("    artifacts: [\"src/jobs/model.rs\"]\n", "    artifacts: src/jobs/model.rs\n", "L22"),
    ] {
        let file = text(GOOD).replacen(good, bad, 1);
        assert_ne!(file, text(GOOD), "{bad}");
        assert_eq!(lints(&file), [rule], "{bad}");
        assert_eq!(repaired(&file, ProblemCode::V20_layout), text(GOOD), "{bad}");
        assert_eq!(offered(&file).last().expect("offered").1, rule, "{bad}");
    }
}

#[test]
fn whole_layouts_are_normalised() {
    let control = "control:\n  status: running\n  iteration: 9\n  stall_count: 1\n  prev_pending_count: 6\n  stop_requested: false\n  stop_reason: null\n  redirect_requested: false\n";
    let flow = "control: {status: running, iteration: 9, stall_count: 1, prev_pending_count: 6, stop_requested: false, stop_reason: null, redirect_requested: false}\n";
    let deep = control.replace("\n  ", "\n      ");
    for other in [flow, &deep] {
        let file = text(GOOD).replacen(control, other, 1);
        assert!(lints(&file).iter().any(|rule| rule == "L3" || rule == "L2"));
        assert_eq!(repaired(&file, ProblemCode::V20_layout), text(GOOD));
    }
    let windows = text(GOOD).replace('\n', "\r\n");
    let (front, body) =
        text(GOOD).split_once("---\n\n").map(|(a, b)| (a.to_owned(), b.to_owned())).expect("body");
    assert_eq!(
        repaired(&windows, ProblemCode::V20_layout),
        format!("{front}---\n\r\n{}", body.replace('\n', "\r\n"))
    );
    let atoms = text(GOOD);
    let start = atoms.find("atoms:\n").expect("atoms") + 7;
    let end = atoms.find("\ndecompositions:").expect("decompositions");
    let flush: String =
        atoms[start..end].split_inclusive('\n').map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
    let file = format!("{}{flush}{}", &atoms[..start], &atoms[end..]);
    assert!(lints(&file).contains(&"L2".to_owned()));
    assert_eq!(repaired(&file, ProblemCode::V20_layout), text(GOOD));
}

#[test]
fn lines_of_the_prompt_are_moved_out_of_the_way() {
    let file = format!("{}  status: running\n - id: A1\n", text(GOOD));
    let after = repaired(&file, ProblemCode::V20_layout);
    assert_eq!(after, format!("{}   status: running\n>  - id: A1\n", text(GOOD)));
    assert_eq!(lints(&after), Vec::<String>::new());
}

/// Sections that the first good file does not have, in the prescribed layout.
fn broken_and_mended(good: &str, bad: &str, rule: &str) {
    let file = text(GOOD).replacen(good, bad, 1);
    assert_ne!(file, text(GOOD), "{bad}");
    assert!(lints(&file).contains(&rule.to_owned()), "{bad}: {:?}", lints(&file));
    let after = repaired(&file, ProblemCode::V20_layout);
    assert_eq!(lints(&after), Vec::<String>::new(), "{after}");
    assert_eq!(after, text(GOOD), "{bad}");
    crate::aot::hook::agree_with_scripts(bad, after.as_bytes());
}

#[test]
fn checks_and_ids_are_written_as_the_scripts_read_them() {
    for (good, bad, rule) in [
        ("value: \"cargo test --test restart\"", "value: cargo  test --test restart # all", "L20"),
        (
            "value: \"cargo test --test restart\"",
            "value: \"cargo test\\\n                --test restart\"",
            "L20",
        ),
        (
            "            check:\n              type: command\n",
            "            check:\n              type: command # x\n",
            "L21",
        ),
        (
            "            check:\n              type: command\n",
            "            check: # run it\n              type: command\n",
            "L21",
        ),
        ("- item: \"SQLite file\"", "- item: SQLite file", "L21"),
        ("- item: \"SQLite file\"", "- item: 'SQLite file'", "L21"),
        ("  storage_method:\n", "  'storage_method':\n", "L16"),
        ("selected: A3_postgres\n    failed", "selected: \"A3_postgres\"\n    failed", "L16"),
        ("- parent: A2\n", "- parent: 'A2'\n", "L16"),
        ("  - id: A5\n", "  - id: \"A5\"\n", "L16"),
        ("  A1:\n    summary", "  \"A1\":\n    summary", "L16"),
        ("failed: [A3_sqlite]", "failed:\n      - A3_sqlite", "L3"),
    ] {
        if bad.contains("cargo  test") || bad.contains("\\\n") {
            // A different text, as YAML reads it: checks only that the repair is read the same way.
            let file = text(GOOD).replacen(good, bad, 1);
            assert_eq!(lints(&file), [rule]);
            let after = repaired(&file, ProblemCode::V20_layout);
            assert_eq!(lints(&after), Vec::<String>::new(), "{after}");
            crate::aot::hook::agree_with_scripts(bad, after.as_bytes());
            continue;
        }
        broken_and_mended(good, bad, rule);
    }
    let block = "                check:\n                  type: command\n                  value: \"pg_isready -q\"\n";
    broken_and_mended(block, "                check: {type: command, value: pg_isready -q}\n", "L21");
}

#[test]
fn dashes_stay_in_texts_and_leave_comments() {
    let file = text(GOOD)
        .replacen("goal: \"Persist", "goal: \"A---B ---- Persist", 1)
        .replacen("    summary: \"Job record:", "    summary: \"Job --- record:", 1)
        .replacen("control:\n", "# ----- control -----\ncontrol:\n", 1);
    assert_eq!(lints(&file), ["L13"]);
    let after = repaired(&file, ProblemCode::V20_layout);
    assert_eq!(lints(&after), Vec::<String>::new(), "{after}");
    assert!(after.contains("\n# —-- control —--\ncontrol:\n"), "{after}");
    let texts = |file: &str| {
        let detail = detail(file.as_bytes(), StatusWord::Interrupted);
        (detail.objective.expect("objective").goal, detail.atoms[0].summary.clone())
    };
    assert_eq!(texts(&after), texts(&file));
    crate::aot::hook::agree("dashes", after.as_bytes());
}

#[test]
fn a_comment_within_a_section_no_longer_ends_it() {
    let file = text(GOOD).replacen("  - id: A4\n", "# then: recovery\n  - id: A4\n", 1);
    assert_eq!(lints(&file), ["L14"]);
    assert!(!crate::aot::hook::scripts_agree(file.as_bytes()), "the scripts stop at the comment");
    let after = repaired(&file, ProblemCode::V20_layout);
    assert_eq!(after, file.replacen("\n# then", "\n # then", 1));
    assert_eq!(lints(&after), Vec::<String>::new());
    crate::aot::hook::agree_with_scripts("comment", after.as_bytes());
    // Between sections, and without a colon, it ends nothing.
    for harmless in ["atoms:\n# the work\n", "# atoms: next\natoms:\n"] {
        assert_eq!(lints(&text(GOOD).replacen("atoms:\n", harmless, 1)), Vec::<String>::new());
    }
}

#[test]
fn aliases_become_what_they_stand_for() {
    let file = text(GOOD)
        .replacen("  iteration: 9\n", "  iteration: &n 9 # x\n", 1)
        .replacen("    depends_on: [A1]\n", "    depends_on: &needs [A1]\n", 1)
        .replace("    depends_on: [A1]\n", "    depends_on: *needs\n");
    assert_eq!(lints(&file), ["L17", "L4"]);
    assert_eq!(repaired(&file, ProblemCode::V20_layout), text(GOOD));
    // An anchor and its alias in two sections: both are rewritten.
    let across = text(GOOD)
        .replacen("selected: A3_postgres\n    failed", "selected: &s A3_postgres\n    failed", 1)
        .replacen("    selected: A3_postgres\n    reason", "    selected: *s\n    reason", 1);
    assert_eq!(repaired(&across, ProblemCode::V20_layout), text(GOOD));
}

#[test]
fn what_cannot_be_repaired_safely_is_left() {
    for (good, bad) in [
        // No form of this value means the same to YAML and to the scripts.
        ("cargo test --test restart", "echo 'x' \\\"y\\\""),
        // An id that the scripts cannot read: another one would be a different atom.
        ("  - id: A5\n", "  - id: \"5\"\n"),
        ("- item: \"SQLite file\"", "- item: 'the \"file\"'"),
        ("  iteration: 9\n", "  iteration: !!int 9\n"),
        ("value: \"cargo test --test restart\"", "value: \"git log --- x\""),
    ] {
        let file = text(GOOD).replacen(good, bad, 1);
        assert_ne!(file, text(GOOD), "{bad}");
        let lints = lints(&file);
        assert_ne!(lints, Vec::<String>::new(), "{bad}");
        let refusal = aot::repair(file.as_bytes(), ProblemCode::V20_layout, NOW);
        let Err(refusal) = refusal else { panic!("{bad}: {}", repaired(&file, ProblemCode::V20_layout)) };
        assert_eq!(
            (refusal.code, refusal.args["rules"].clone()),
            (RefusalCode::NotEditable, lints.join(", ")),
            "{bad}"
        );
        assert!(aot::repairs(file.as_bytes()).iter().all(|repair| repair.code != ProblemCode::V20_layout));
    }
}

#[test]
fn what_stays_broken_is_said() {
    let file = text(GOOD).replacen("cargo test --test restart", "echo 'x' \\\"y\\\"", 1).replacen(
        "  iteration: 9\n",
        "  iteration: 9 # x\n",
        1,
    );
    let repair = aot::repairs(file.as_bytes()).pop().expect("offered");
    assert_eq!((repair.args["rules"].as_str(), repair.args["left"].as_str()), ("L4, L20", "L20"));
    assert_eq!(repair.args["comments"], "1");
}

#[test]
fn every_fixture_reads_the_same_after_its_repair() {
    let mut repaired_files = 0;
    for (name, bytes) in fixtures() {
        let file = String::from_utf8(bytes).expect("utf-8");
        let after = repaired(&file, ProblemCode::V20_layout);
        repaired_files += usize::from(after != file);
        let view = |file: &str| {
            let mut detail = detail(file.as_bytes(), StatusWord::Interrupted);
            (detail.problems, detail.extra) = (Vec::new(), Vec::new());
            // A line of prose that looked like a field moved by one space (L12).
            detail.prompt = detail.prompt.map(|prompt| prompt.replace("\n   status:", "\n  status:"));
            detail.atoms.iter_mut().for_each(|atom| atom.line = None);
            detail
        };
        let (before, then) = (view(&file), view(&after));
        assert_eq!(
            (before.atoms, before.facts, before.checklist),
            (then.atoms, then.facts, then.checklist),
            "{name}"
        );
        assert_eq!(
            (before.objective, before.or_groups, before.trail),
            (then.objective, then.or_groups, then.trail),
            "{name}"
        );
        assert_eq!(
            (before.decompositions, before.corrections, before.prompt),
            (then.decompositions, then.corrections, then.prompt),
            "{name}"
        );
        assert_eq!(lints(&after), Vec::<String>::new(), "{name}");
        crate::aot::hook::agree_with_scripts(&name, after.as_bytes());
        if after != file {
            crate::aot::hook::agree(&name, after.as_bytes());
            assert_eq!(repaired(&after, ProblemCode::V20_layout), after, "{name}");
        }
    }
    assert!(repaired_files >= 2, "{repaired_files}");
}
