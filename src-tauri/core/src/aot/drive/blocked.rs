//! Nothing can start and something is left to do: which atom waits for what, in words (AoT contract §9.3).

use super::look::Look;
use crate::ccw::driver::{DriverQuestion, QuestionCode};
use crate::work_graph::{Blocker, WorkGraph};

/// Atoms that are named.
const MOST_LINES: usize = 40;
/// Reasons of one atom that are named.
const MOST_REASONS: usize = 8;

/// Work waits in a circle (V7).
pub(super) fn by_cycle(graph: &WorkGraph<'_>) -> DriverQuestion {
    let lines: Vec<String> = graph.cycles(MOST_LINES).iter().map(|cycle| circle(cycle)).collect();
    question(&lines)
}

/// `A1 waits for A5, A5 waits for A1: a circle`
fn circle(ids: &[String]) -> String {
    let waits: Vec<String> =
        ids.iter().zip(ids.iter().skip(1)).map(|(one, other)| format!("{one} waits for {other}")).collect();
    format!("{}: a circle", waits.join(", "))
}

/// Every open atom with what blocks it.
pub(super) fn by_work(look: &Look<'_>) -> DriverQuestion {
    let open = (0..look.graph.len()).filter(|at| look.is_open(*at));
    let mut lines: Vec<String> = open.map(|at| line(look, at)).collect();
    let left = lines.len().saturating_sub(MOST_LINES);
    lines.truncate(MOST_LINES);
    if left > 0 {
        lines.push(format!("and {left} more"));
    }
    question(&lines)
}

fn line(look: &Look<'_>, at: usize) -> String {
    let graph = look.graph;
    let mut reasons: Vec<String> = match graph.is_container(at) {
        true => {
            let children = graph.children(at).filter(|child| !graph.satisfied(graph.id(*child)));
            children.map(|child| format!("waits for {}, a part of it", graph.id(child))).collect()
        }
        false => graph.blocked_by(at).iter().map(reason).collect(),
    };
    if graph.is_container(at) && reasons.is_empty() {
        reasons.push("waits for a part of it that does not exist".to_owned());
    }
    let left = reasons.len().saturating_sub(MOST_REASONS);
    reasons.truncate(MOST_REASONS);
    if left > 0 {
        reasons.push(format!("and {left} more"));
    }
    format!("{}: {}", graph.id(at), reasons.join("; "))
}

fn reason(blocker: &Blocker) -> String {
    match blocker {
        Blocker::WaitsFor(id) => format!("waits for {id}"),
        Blocker::Missing(id) => format!("depends on {id}, which does not exist"),
        Blocker::FailedIn(group) => format!("failed as a choice of {group}, which has no other"),
        Blocker::NotSelected(group) => format!("another choice of {group} is selected"),
        Blocker::ChooseBranch(group) => format!("{group} has no choice that can be selected"),
    }
}

fn question(lines: &[String]) -> DriverQuestion {
    let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    DriverQuestion::new(QuestionCode::Blocked, "", &lines.join("\n")).counted(count)
}
