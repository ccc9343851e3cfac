//! Nothing can start although work is left: which atom waits for what (AoT contract §9.3).

use super::look::AotView;
use crate::driver::{DriverQuestion, QuestionCode, QuestionLine, QuestionLineCode};
use loopdeck_graph::work_graph::{Blocker, WorkGraph};

/// Most atoms named.
const MOST_ATOMS: usize = 40;
/// Most reasons named per atom.
const MOST_REASONS: usize = 8;

/// Why an atom waits: for display, and in log form.
struct Reason {
    line: QuestionLine,
    words: String,
}

/// Work waits in a cycle (V7).
pub(super) fn by_cycle(graph: &WorkGraph<'_>) -> DriverQuestion {
    let cycles = graph.cycles(MOST_ATOMS);
    let line = |ids: &Vec<String>| QuestionLine::new(QuestionLineCode::Cycle, &[("cycle", &ids.join(" → "))]);
    let words: Vec<String> = cycles.iter().map(|ids| circle(ids)).collect();
    question(&words, cycles.iter().map(line).collect())
}

/// `A1 waits for A5, A5 waits for A1: a circle`
fn circle(ids: &[String]) -> String {
    let waits: Vec<String> =
        ids.iter().zip(ids.iter().skip(1)).map(|(one, other)| format!("{one} waits for {other}")).collect();
    format!("{}: a circle", waits.join(", "))
}

/// Every open atom with what blocks it.
pub(super) fn by_work(look: &AotView<'_>) -> DriverQuestion {
    let open: Vec<usize> = (0..look.graph.len()).filter(|at| look.is_open(*at)).collect();
    let (mut words, mut lines) = (Vec::new(), Vec::new());
    for at in open.iter().copied().take(MOST_ATOMS) {
        let reasons = reasons(look.graph, at);
        let said: Vec<String> = reasons.iter().map(|reason| reason.words.clone()).collect();
        words.push(format!("{}: {}", look.graph.id(at), said.join("; ")));
        lines.extend(reasons.into_iter().map(|reason| reason.line));
    }
    let left = open.len().saturating_sub(MOST_ATOMS);
    if left > 0 {
        words.push(format!("and {left} more"));
        lines.push(more(left));
    }
    question(&words, lines)
}

fn reasons(graph: &WorkGraph<'_>, at: usize) -> Vec<Reason> {
    let about = graph.id(at);
    let mut reasons: Vec<Reason> = match graph.is_container(at) {
        true => {
            let children = graph.children(at).map(|child| graph.id(child));
            children.filter(|child| !graph.satisfied(child)).map(|child| of_child(about, child)).collect()
        }
        false => graph.blocked_by(at).iter().map(|blocker| of_blocker(about, blocker)).collect(),
    };
    if graph.is_container(at) && reasons.is_empty() {
        let line = QuestionLine::new(QuestionLineCode::WaitsForNoChild, &[("about", about)]);
        reasons.push(Reason { line, words: "waits for a part of it that does not exist".to_owned() });
    }
    let left = reasons.len().saturating_sub(MOST_REASONS);
    reasons.truncate(MOST_REASONS);
    if left > 0 {
        reasons.push(Reason { line: more(left), words: format!("and {left} more") });
    }
    reasons
}

fn of_child(about: &str, child: &str) -> Reason {
    let line = QuestionLine::new(QuestionLineCode::WaitsForChild, &[("about", about), ("id", child)]);
    Reason { line, words: format!("waits for {child}, a part of it") }
}

fn of_blocker(about: &str, blocker: &Blocker) -> Reason {
    use QuestionLineCode as L;
    let (code, name, value, words) = match blocker {
        Blocker::WaitsFor(id) => (L::WaitsFor, "id", id, format!("waits for {id}")),
        Blocker::Missing(id) => {
            (L::DependsOnMissing, "id", id, format!("depends on {id}, which does not exist"))
        }
        Blocker::FailedIn(group) => {
            let words = format!("failed as a choice of {group}, which has no other");
            (L::LastChoiceFailed, "group", group, words)
        }
        Blocker::NotSelected(group) => {
            (L::NotSelected, "group", group, format!("another choice of {group} is selected"))
        }
        Blocker::ChooseBranch(group) => {
            (L::NoChoice, "group", group, format!("{group} has no choice that can be selected"))
        }
    };
    Reason { line: QuestionLine::new(code, &[("about", about), (name, value)]), words }
}

fn more(count: usize) -> QuestionLine {
    QuestionLine::new(QuestionLineCode::More, &[("count", &count.to_string())])
}

fn question(words: &[String], lines: Vec<QuestionLine>) -> DriverQuestion {
    let count = u32::try_from(words.len()).unwrap_or(u32::MAX);
    DriverQuestion::new(QuestionCode::Blocked, "", &words.join("\n")).counted(count).in_lines(lines)
}
