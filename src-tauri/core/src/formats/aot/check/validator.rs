//! The errors of the validator that need more than one field (AoT contract §10): V1, V6, V7, and V8 for the gate.
//!
//! V2 to V5 are found while reading, V9 to V19 and V21 in `warnings`, V20 in `lint`.

use crate::checklist::Checklist;
use crate::formats::aot::read::state::{AotState, Document};
use crate::problem::{Problem, ProblemCode};
use loopdeck_graph::work_graph::{Choice, Progress, Unit, WorkGraph};

/// More findings of one kind say nothing new.
const MANY: usize = 200;

/// The progress of an atom, from its word.
pub(crate) fn progress(word: &str) -> Progress {
    match word {
        "pending" => Progress::Pending,
        "in_progress" => Progress::InProgress,
        "resolved" => Progress::Resolved,
        _ => Progress::Other,
    }
}

/// The work graph of a state (§9.1).
pub(crate) fn graph<'t>(state: &'t AotState<'_>) -> WorkGraph<'t> {
    let units: Vec<Unit<'t>> = state
        .atoms
        .iter()
        .map(|atom| Unit {
            id: &atom.id,
            progress: progress(&atom.word),
            depends_on: &atom.depends_on,
            group: atom.or_group.as_deref(),
        })
        .collect();
    let groups: Vec<Choice<'t>> = state
        .or_groups
        .iter()
        .map(|group| Choice {
            name: &group.name,
            choices: &group.choices,
            selected: group.selected.as_deref(),
            failed: &group.failed,
        })
        .collect();
    let listed =
        state.decompositions.iter().flat_map(|d| d.children.iter().map(|child| (&*d.parent, &**child)));
    let linked = state.atoms.iter().filter_map(|atom| Some((atom.decomposed_from.as_deref()?, &*atom.id)));
    let contains: Vec<(&str, &str)> = listed.chain(linked).collect();
    WorkGraph::new(&units, &groups, &contains)
}

/// V7.
pub(crate) fn cycles(state: &AotState<'_>, graph: &WorkGraph<'_>, problems: &mut Vec<Problem>) {
    for cycle in graph.cycles(20) {
        let first = cycle.first().and_then(|id| graph.find(id));
        problems.push(
            Problem::new(ProblemCode::V7_cycle, "atoms")
                .at_line(first.and_then(|at| line(state.atoms[at].line)))
                .with("cycle", cycle.join(" -> ")),
        );
    }
}

/// V8, as warnings; the start gate treats them as errors.
pub(crate) fn objective(document: &Document<'_>, checklist: &Checklist, problems: &mut Vec<Problem>) {
    let objective = &document.state.objective;
    let node = document.root().get("objective");
    let texts = [
        ("goal", &objective.goal),
        ("background_intent", &objective.background_intent),
        ("deliverables", &objective.deliverables),
        ("definition_of_done", &objective.definition_of_done),
    ];
    for (key, text) in texts {
        if text.trim().is_empty() {
            let at = node.and_then(|node| node.get(key)).or(node).and_then(|node| line(node.line));
            problems
                .push(Problem::new(ProblemCode::V8_blank_objective, format!("objective.{key}")).at_line(at));
        }
    }
    for flaw in checklist.flaws.iter().take(MANY) {
        let dot = if flaw.path.is_empty() { "" } else { "." };
        problems.push(
            Problem::new(ProblemCode::V8_bad_base_case, format!("objective.base_case{dot}{}", flaw.path))
                .at_line(flaw.line)
                .with("reason", flaw.reason),
        );
    }
}

pub(crate) fn line(line: u32) -> Option<u32> {
    (line > 0).then_some(line)
}
