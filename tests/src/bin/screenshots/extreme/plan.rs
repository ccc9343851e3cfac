//! An AoT plan of two thousand atoms: deep, wide, and partly wrong.

use super::texts::{WORD, path, text, time};
use std::fmt::Write as _;

const ATOMS: usize = 2_000;
/// Each atom in this range is part of the one before.
const DEEP: std::ops::Range<usize> = 10..22;
/// Alternatives of one choice.
const WIDE: std::ops::Range<usize> = 30..54;
/// Each waits for another.
const CIRCLE: std::ops::Range<usize> = 60..63;

/// The state file.
pub(crate) fn text_of_plan() -> String {
    let mut out = String::from("---\n");
    objective(&mut out);
    out.push_str("atoms:\n");
    (1..=ATOMS).for_each(|n| atom(&mut out, n));
    out.push_str("\ndecompositions:\n");
    for n in DEEP.skip(1) {
        let _ = write!(
            out,
            "  - parent: A{}\n    children: [A{n}, A{}]\n    reason: {}\n    timestamp: \"{}\"\n",
            n - 1,
            n + 100,
            quoted(n),
            time(n)
        );
    }
    let _ = write!(
        out,
        "\nor_groups:\n  {}:\n    choices: [{}]\n    selected: A36\n    failed: [A30, A31, A32, A33, A34, A35]\n",
        group(),
        ids(WIDE)
    );
    out.push_str("\nbindings:\n");
    for n in 1..ATOMS / 3 {
        let _ = write!(out, "  A{n}:\n    summary: {}\n    artifacts: [\"{}\"]\n", quoted(n), path(n));
    }
    out.push_str("\ntrail:\n");
    for n in 30..37 {
        let _ = write!(
            out,
            "  - or_group: {}\n    selected: A{n}\n    reason: {}\n    timestamp: \"{}\"\n",
            group(),
            quoted(n),
            time(n * 9)
        );
    }
    out.push_str("\ncorrections:\n");
    for n in 0..40 {
        let _ = write!(
            out,
            "  - timestamp: \"{}\"\n    type: constraint_change\n    description: {}\n    trail_cleared: false\n",
            time(n * 50),
            quoted(n)
        );
    }
    out.push_str("---\n\n# Original Prompt\n\n");
    (0..40).for_each(|n| out.push_str(&format!("{}\n\n", text(n))));
    out
}

fn group() -> String {
    WORD[..60].to_owned()
}

fn ids(range: std::ops::Range<usize>) -> String {
    range.map(|n| format!("A{n}")).collect::<Vec<_>>().join(", ")
}

/// One of the texts as a double-quoted scalar: JSON writes them the same way.
fn quoted(n: usize) -> String {
    serde_json::Value::from(text(n)).to_string()
}

fn objective(out: &mut String) {
    let _ = write!(out, "objective:\n  goal: {}\n  base_case:\n    checklist:\n", quoted(0));
    for n in 0..20 {
        let _ = write!(
            out,
            "      - item: {}\n        {}:\n",
            quoted(n),
            if n % 3 == 0 { "any_of" } else { "group" }
        );
        for k in 0..4 {
            let kind = ["command", "file", "not_command", "assertion"][k];
            let _ = write!(
                out,
                "          - item: {}\n            check:\n              type: {kind}\n              value: {}\n",
                quoted(n + k),
                quoted(n + k + 1)
            );
        }
    }
    let _ = write!(
        out,
        "  background_intent: {}\n  deliverables: {}\n  definition_of_done: {}\n  constraints:\n    max_iterations: 500\n    \
         max_parallel_agents: 30\n    max_stall_count: 3\n\ncontrol:\n  status: running\n  iteration: 480\n  stall_count: 2\n  \
         prev_pending_count: 1400\n  stop_requested: false\n  stop_reason: null\n  redirect_requested: false\n\n",
        quoted(3),
        quoted(1),
        quoted(2)
    );
}

fn atom(out: &mut String, n: usize) {
    let status = match n {
        _ if n < ATOMS / 3 => "resolved",
        _ if n.is_multiple_of(40) => "in_progress",
        _ => "pending",
    };
    let mut needs = vec![n / 2, n.saturating_sub(37)];
    if CIRCLE.contains(&n) {
        needs = vec![if n + 1 == CIRCLE.end { CIRCLE.start } else { n + 1 }];
    }
    if n % 500 == 70 {
        needs.push(ATOMS + n); // an unknown id
    }
    needs.retain(|on| *on > 0 && *on != n);
    needs.dedup();
    let needs: Vec<String> = needs.iter().map(|on| format!("A{on}")).collect();
    let description = if n.is_multiple_of(7) { quoted(n) } else { format!("\"Do part {n} of the plan\"") };
    let _ = write!(
        out,
        "  - id: A{n}\n    description: {description}\n    status: {status}\n    depends_on: [{}]\n",
        needs.join(", ")
    );
    if WIDE.contains(&n) {
        let _ = writeln!(out, "    or_group: {}", group());
    }
    let parent = if DEEP.contains(&n) && n > DEEP.start {
        Some(n - 1)
    } else {
        n.checked_sub(101).filter(|parent| DEEP.contains(parent))
    };
    if let Some(parent) = parent {
        let _ = writeln!(out, "    decomposed_from: A{parent}");
    }
}
