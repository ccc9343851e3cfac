//! The errors of the validator that need more than one field (AoT contract §10): V1, V6, V7, and V8 for the gate.
//!
//! V2 to V5 are found while reading, V9 to V19 and V21 in `warnings`, V20 in `lint`.

use crate::checklist::Checklist;
use crate::formats::aot::read::front_matter::FrontMatter;
use crate::formats::aot::read::state::{Document, State};
use crate::formats::aot::view::Counts;
use crate::problem::{Problem, ProblemCode};
use loopdeck_graph::work_graph::{Choice, Progress, Unit, WorkGraph};
use loopdeck_text::yaml_span::{DuplicateKey, Node, Tree};

/// The keys of `control` in the order in which ours writes them.
pub(crate) const CONTROL_KEYS: [&str; 7] = [
    "status",
    "iteration",
    "stall_count",
    "prev_pending_count",
    "stop_requested",
    "stop_reason",
    "redirect_requested",
];
/// The constraints that the plugin's hook reads.
const HOOK_LIMITS: [&str; 2] = ["max_iterations", "max_stall_count"];
/// More of one kind says nothing new.
const MANY: usize = 200;

/// How far an atom is, by its word.
pub(crate) fn progress(word: &str) -> Progress {
    match word {
        "pending" => Progress::Pending,
        "in_progress" => Progress::InProgress,
        "resolved" => Progress::Resolved,
        _ => Progress::Other,
    }
}

/// The work graph of a state (§9.1).
pub(crate) fn graph<'t>(state: &'t State<'_>) -> WorkGraph<'t> {
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

/// Repeated keys: V6 where the plugin would choose by line, V1 elsewhere (no YAML reader agrees on those).
pub(crate) fn duplicate_keys(tree: &Tree<'_>, problems: &mut Vec<Problem>) {
    let control = tree.root.get("control");
    let constraints = tree.root.get("objective").and_then(|node| node.get("constraints"));
    for found in &tree.duplicates {
        let section = [("control", control), ("objective.constraints", constraints)]
            .into_iter()
            .find_map(|(name, node)| node.filter(|node| holds(node, found)).map(|node| (name, node)));
        match section {
            Some((name, node)) => {
                let code = if values_differ(node, &found.key) {
                    ProblemCode::V6_ambiguous_field
                } else {
                    ProblemCode::V20_layout
                };
                let problem = Problem::new(code, format!("{name}.{}", found.key)).at_line(found.line);
                problems.push(problem.with("rule", "L10").with("found", &found.key));
            }
            None => problems.push(
                Problem::new(ProblemCode::V1_bad_yaml, "")
                    .at_line(found.line)
                    .with("reason", format!("the key {} stands twice", found.key)),
            ),
        }
    }
}

fn holds(map: &Node<'_>, found: &DuplicateKey) -> bool {
    map.entries().iter().any(|entry| entry.key.range == found.range)
}

fn values_differ(map: &Node<'_>, key: &str) -> bool {
    let mut values =
        map.entries().iter().filter(|e| e.key.text().is_some_and(|t| t == key)).map(|e| e.value.text());
    let first = values.next();
    values.any(|value| Some(value) != first)
}

/// V6: lines that the plugin could take for a control or limit field beside the real one, saying something else.
pub(crate) fn ambiguous_lines(front: &FrontMatter<'_>, root: &Node<'_>, problems: &mut Vec<Problem>) {
    let control = root.get("control");
    let constraints = root.get("objective").and_then(|node| node.get("constraints"));
    let known = |field: &&str| {
        let is = |p: &Problem| p.code == ProblemCode::V6_ambiguous_field && p.path.ends_with(field);
        problems.iter().any(is)
    };
    let mut told: Vec<&str> = CONTROL_KEYS.into_iter().chain(HOOK_LIMITS).filter(known).collect();
    for hook in hook_lines(front.text, front.first_line) {
        let (section, map) =
            if hook.indent == 2 { ("control", control) } else { ("objective.constraints", constraints) };
        let real = map.and_then(|map| map.entry(hook.field));
        if real.is_some_and(|entry| entry.key.line == hook.line) {
            continue;
        }
        let meant = real.map(|entry| entry.value.text().map_or("null", AsRef::as_ref));
        let path = format!("{section}.{}", hook.field);
        if meant != Some(hook.value) && !told.contains(&hook.field) {
            told.push(hook.field);
            let problem = Problem::new(ProblemCode::V6_ambiguous_field, path).at_line(hook.line);
            problems.push(problem.with("found", hook.value).with("expected", meant.unwrap_or_default()));
        }
    }
}

/// A line that the plugin's hook takes for a field (§4, parser facts).
pub(crate) struct HookLine<'a> {
    pub(crate) field: &'static str,
    pub(crate) value: &'a str,
    pub(crate) line: u32,
    pub(crate) indent: usize,
}

/// All lines of `text` that look like control fields (two spaces) or limits (four spaces) to the hook.
pub(crate) fn hook_lines(text: &str, first_line: u32) -> impl Iterator<Item = HookLine<'_>> {
    text.split('\n').zip(first_line..).filter_map(|(line, number)| {
        let rest = line.strip_prefix("  ")?;
        let (indent, rest) = rest.strip_prefix("  ").map_or((2, rest), |deeper| (4, deeper));
        if rest.starts_with([' ', '-']) {
            return None;
        }
        let (key, value) = rest.split_once(':')?;
        let keys: &[&'static str] = if indent == 2 { &CONTROL_KEYS } else { &HOOK_LIMITS };
        let field = keys.iter().copied().find(|name| *name == key)?;
        Some(HookLine { field, value: hook_value(value), line: number, indent })
    })
}

/// A value without a comment and one pair of quotes.
fn hook_value(text: &str) -> &str {
    let text = text.split(" #").next().unwrap_or_default().trim();
    let text = text.strip_prefix(['"', '\'']).unwrap_or(text);
    text.strip_suffix(['"', '\'']).unwrap_or(text)
}

/// V7.
pub(crate) fn cycles(state: &State<'_>, graph: &WorkGraph<'_>, problems: &mut Vec<Problem>) {
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

fn line(line: u32) -> Option<u32> {
    (line > 0).then_some(line)
}

/// Everything the warnings depend on beside the document.
pub(crate) struct Look<'l, 't, 'a> {
    pub(crate) document: &'l Document<'a>,
    pub(crate) graph: &'l WorkGraph<'t>,
    pub(crate) counts: Counts,
    pub(crate) live: bool,
}
