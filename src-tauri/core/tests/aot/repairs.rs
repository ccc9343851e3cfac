//! Repairs with one click: what they change, and that the plugin then reads what we read (AoT contract §4, §10).

use crate::operations::changes;
use crate::{NOW, detail, fixtures, summary, text};
use loopdeck_core::aot;
use loopdeck_core::control::RefusalCode;
use loopdeck_core::problem::{ProblemCode, Severity};
use loopdeck_core::status::StatusWord;
use loopdeck_core::text_edit;

fn repaired(file: &str, code: ProblemCode) -> String {
    let edits = aot::repair(file.as_bytes(), code, NOW).unwrap_or_else(|refusal| {
        assert_eq!(refusal.code, RefusalCode::NotEditable, "{file}");
        Vec::new()
    });
    String::from_utf8(text_edit::apply(file.as_bytes(), &edits).expect("edits do not overlap"))
        .expect("utf-8")
}

fn offered(file: &str) -> Vec<(ProblemCode, Vec<String>)> {
    let repairs = aot::repairs(file.as_bytes());
    repairs.into_iter().map(|repair| (repair.code, repair.args.into_values().collect())).collect()
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
    assert_eq!(offered(&file)[0], (ProblemCode::V3_unknown_status, vec!["2".to_owned()]));
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

/// Each: what stands in the good file, what breaks it, the rule; the repair restores the good file.
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
        assert_eq!(offered(&file).last().expect("offered").1[1], rule, "{bad}");
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

#[test]
fn what_cannot_be_repaired_safely_is_left() {
    let anchored = text(GOOD).replacen("  iteration: 9\n", "  iteration: &n 9 # x\n", 1);
    assert_eq!(repaired(&anchored, ProblemCode::V20_layout), anchored);
    let quoted = text(GOOD).replacen("cargo test --test restart", "it's 'x'", 1);
    assert_eq!(repaired(&quoted, ProblemCode::V20_layout), quoted);
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
        let left = lints(&after);
        assert!(
            left.iter().all(|rule| matches!(rule.as_str(), "L13" | "L14" | "L16" | "L20" | "L21")),
            "{name}: {left:?}"
        );
        if after != file {
            crate::hook::agree(&name, after.as_bytes());
            assert_eq!(repaired(&after, ProblemCode::V20_layout), after, "{name}");
        }
    }
    assert!(repaired_files >= 2, "{repaired_files}");
}
