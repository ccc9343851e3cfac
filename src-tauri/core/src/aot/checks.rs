//! The validator (AoT contract §10): V1 and V5 to V19, V21. V2 to V4 are found while reading, V20 in `lint`.

use super::front_matter::FrontMatter;
use super::state::{Document, State};
use crate::checklist::Checklist;
use crate::problem::{Problem, ProblemCode, Severity};
use crate::view::ExtraField;
use crate::work_graph::{Choice, Progress, Unit, WorkGraph};
use crate::yaml_span::{DuplicateKey, Node, Tree};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The keys of `control` in the order in which ours writes them.
pub(super) const CONTROL_KEYS: [&str; 7] = [
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
pub(super) fn progress(word: &str) -> Progress {
    match word {
        "pending" => Progress::Pending,
        "in_progress" => Progress::InProgress,
        "resolved" => Progress::Resolved,
        _ => Progress::Other,
    }
}

/// The work graph of a state (§9.1).
pub(super) fn graph<'t>(state: &'t State<'_>) -> WorkGraph<'t> {
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
pub(super) fn duplicate_keys(tree: &Tree<'_>, problems: &mut Vec<Problem>) {
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
pub(super) fn ambiguous_lines(front: &FrontMatter<'_>, root: &Node<'_>, problems: &mut Vec<Problem>) {
    let control = root.get("control");
    let constraints = root.get("objective").and_then(|node| node.get("constraints"));
    for hook in hook_lines(front.text, front.first_line) {
        let (section, map) =
            if hook.indent == 2 { ("control", control) } else { ("objective.constraints", constraints) };
        let real = map.and_then(|map| map.entry(hook.field));
        if real.is_some_and(|entry| entry.key.line == hook.line) {
            continue;
        }
        let meant = real.map(|entry| entry.value.text().map_or("null", AsRef::as_ref));
        let path = format!("{section}.{}", hook.field);
        let known = problems.iter().any(|p| p.code == ProblemCode::V6_ambiguous_field && p.path == path);
        if meant != Some(hook.value) && !known {
            let problem = Problem::new(ProblemCode::V6_ambiguous_field, path).at_line(hook.line);
            problems.push(problem.with("found", hook.value).with("expected", meant.unwrap_or_default()));
        }
    }
}

/// A line that the plugin's hook takes for a field (§4, parser facts).
pub(super) struct HookLine<'a> {
    pub(super) field: &'static str,
    pub(super) value: &'a str,
    pub(super) line: u32,
    pub(super) indent: usize,
}

/// All lines of `text` that look like control fields (two spaces) or limits (four spaces) to the hook.
pub(super) fn hook_lines(text: &str, first_line: u32) -> impl Iterator<Item = HookLine<'_>> {
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
pub(super) fn cycles(state: &State<'_>, graph: &WorkGraph<'_>, problems: &mut Vec<Problem>) {
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
pub(super) fn objective(document: &Document<'_>, checklist: &Checklist, problems: &mut Vec<Problem>) {
    let objective = &document.state.objective;
    let node = document.tree.root.get("objective");
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
pub(super) struct Look<'l, 't, 'a> {
    pub(super) document: &'l Document<'a>,
    pub(super) graph: &'l WorkGraph<'t>,
    pub(super) live: bool,
}

/// V9 to V19.
pub(super) fn warnings(look: &Look<'_, '_, '_>, problems: &mut Vec<Problem>) {
    let rules: [fn(&Look<'_, '_, '_>, &mut Vec<Problem>); 6] =
        [dependencies, or_groups, decompositions, bindings, selections, control];
    for rule in rules {
        let mut found = Vec::new();
        rule(look, &mut found);
        found.truncate(MANY);
        problems.append(&mut found);
    }
}

fn dependencies(look: &Look<'_, '_, '_>, problems: &mut Vec<Problem>) {
    for (index, atom) in look.document.state.atoms.iter().enumerate() {
        for id in atom.depends_on.iter().filter(|id| look.graph.find(id).is_none()) {
            let problem =
                Problem::new(ProblemCode::V9_unknown_dependency, format!("atoms[{index}].depends_on"));
            problems.push(problem.at_line(line(atom.line)).with("found", id));
        }
    }
}

fn or_groups(look: &Look<'_, '_, '_>, problems: &mut Vec<Problem>) {
    let state = &look.document.state;
    let names: HashSet<&str> = state.or_groups.iter().map(|group| &*group.name).collect();
    for (index, atom) in state.atoms.iter().enumerate() {
        if let Some(group) = atom.or_group.as_deref().filter(|group| !names.contains(group)) {
            let problem = Problem::new(ProblemCode::V10_or_group, format!("atoms[{index}].or_group"));
            problems.push(problem.at_line(line(atom.line)).with("found", group));
        }
    }
    for group in &state.or_groups {
        let mut report = |key: &str, found: &str| {
            let problem = Problem::new(ProblemCode::V10_or_group, format!("or_groups.{}.{key}", group.name));
            problems.push(problem.at_line(line(group.line)).with("found", found));
        };
        for choice in group.choices.iter().filter(|id| look.graph.find(id).is_none()) {
            report("choices", choice);
        }
        for failed in group.failed.iter().filter(|id| !group.choices.contains(id)) {
            report("failed", failed);
        }
        let outside = |id: &&Cow<'_, str>| !group.choices.contains(id) || group.failed.contains(id);
        if let Some(selected) = group.selected.as_ref().filter(outside) {
            report("selected", selected);
        }
    }
}

fn decompositions(look: &Look<'_, '_, '_>, problems: &mut Vec<Problem>) {
    let state = &look.document.state;
    let mut parents: HashMap<&str, &str> = HashMap::new();
    for (index, record) in state.decompositions.iter().enumerate() {
        let at = line(record.line);
        let mut report = |code, key: &str, found: &str| {
            let path = format!("decompositions[{index}].{key}");
            problems.push(Problem::new(code, path).at_line(at).with("found", found));
        };
        let parent = look.graph.find(&record.parent).map(|at| &state.atoms[at]);
        if parent.is_none() || parent.is_some_and(|parent| parent.word == "in_progress") {
            report(ProblemCode::V11_decomposition, "parent", &record.parent);
        }
        for child in &record.children {
            let known = look.graph.find(child).map(|at| &state.atoms[at]);
            let second_parent = parents.insert(child, &record.parent).is_some_and(|p| p != record.parent);
            let unfinished =
                parent.is_some_and(|parent| parent.word == "resolved") && !look.graph.satisfied(child);
            if known.is_none() || second_parent || unfinished {
                report(ProblemCode::V11_decomposition, "children", child);
            }
            let (Some(parent), Some(known)) = (parent, known) else { continue };
            for missing in parent.depends_on.iter().filter(|id| !known.depends_on.contains(id)) {
                report(ProblemCode::V12_child_dependency, "children", &format!("{child}: {missing}"));
            }
        }
    }
}

fn bindings(look: &Look<'_, '_, '_>, problems: &mut Vec<Problem>) {
    let state = &look.document.state;
    let bound: HashSet<&str> = state.bindings.iter().map(|binding| &*binding.id).collect();
    for (index, atom) in state.atoms.iter().enumerate() {
        if atom.word == "resolved" && !bound.contains(&*atom.id) {
            let problem = Problem::new(ProblemCode::V13_binding, format!("atoms[{index}]"));
            problems.push(problem.at_line(line(atom.line)).with("found", &atom.id));
        }
    }
    for binding in &state.bindings {
        let code = match look.graph.find(&binding.id).map(|at| &*state.atoms[at].word) {
            None => ProblemCode::V13_binding,
            Some("resolved") => continue,
            Some(_) => ProblemCode::V14_binding_unresolved,
        };
        let problem = Problem::new(code, format!("bindings.{}", binding.id));
        problems.push(problem.at_line(line(binding.line)).with("found", &binding.id));
    }
}

fn selections(look: &Look<'_, '_, '_>, problems: &mut Vec<Problem>) {
    let trail = look.document.tree.root.get("trail").map(Node::items).unwrap_or_default();
    let text = |node: &Node<'_>, key: &str| super::state::text(node.get(key)).into_owned();
    let last: HashMap<String, String> =
        trail.iter().map(|entry| (text(entry, "or_group"), text(entry, "selected"))).collect();
    for group in &look.document.state.or_groups {
        let Some(selected) = &group.selected else { continue };
        if last.get(&*group.name).is_none_or(|last| last != selected) {
            let problem = Problem::new(ProblemCode::V15_trail, format!("or_groups.{}.selected", group.name));
            problems.push(problem.at_line(line(group.line)).with("found", selected));
        }
    }
}

fn control(look: &Look<'_, '_, '_>, problems: &mut Vec<Problem>) {
    let state = &look.document.state;
    let control = &state.control;
    let at = line(control.line);
    let report = |code, path: &str| Problem::new(code, path).at_line(at);
    let in_progress: Vec<_> = state.atoms.iter().filter(|atom| atom.word == "in_progress").collect();
    let running = control.status == "running";
    if !running || !look.live {
        problems.extend(in_progress.iter().map(|atom| {
            let problem = Problem::new(ProblemCode::V16_orphaned_atom, "atoms").at_line(line(atom.line));
            problem.with("found", &atom.id)
        }));
    }
    let unresolved = super::view::Counts::of(state, look.graph).unresolved();
    if control.status == "completed" && unresolved > 0 {
        problems
            .push(report(ProblemCode::V17_completed_unresolved, "control.status").with("found", unresolved));
    }
    if control.status == "stopped" && control.stop_reason.is_none() {
        problems.push(report(ProblemCode::V18_flags, "control.stop_reason"));
    }
    if control.status == "stopped" && control.stop_requested {
        let problem = report(ProblemCode::V18_flags, "control.stop_requested");
        problems.push(problem.as_severity(Severity::Info));
    }
    if control.redirect_requested && !(running && look.live) {
        problems.push(report(ProblemCode::V18_flags, "control.redirect_requested"));
    }
    let parallel = i64::try_from(in_progress.len()).unwrap_or(i64::MAX);
    let limits = [
        ("control.iteration", control.iteration, state.objective.max_iterations),
        ("control.stall_count", control.stall_count, state.objective.max_stall_count),
        ("atoms", parallel, state.objective.max_parallel_agents),
    ];
    for (path, found, limit) in limits.into_iter().filter(|(_, found, limit)| found > limit) {
        problems.push(report(ProblemCode::V19_over_limit, path).with("found", found).with("limit", limit));
    }
}

/// V21: fields no schema lists, older shapes, links that only one side knows.
pub(super) fn variants(
    document: &Document<'_>,
    checklist: &Checklist,
    extra: &[ExtraField],
    problems: &mut Vec<Problem>,
) {
    let mut found: Vec<Problem> = Vec::new();
    let variant = |path: String| Problem::new(ProblemCode::V21_variant, path);
    found.extend(extra.iter().map(|field| variant(field.path.clone())));
    for remark in &checklist.remarks {
        let dot = if remark.path.is_empty() { "" } else { "." };
        let problem = variant(format!("objective.base_case{dot}{}", remark.path)).at_line(remark.line);
        found.push(problem.with("found", remark.reason).as_severity(Severity::Warning));
    }
    let state = &document.state;
    for group in state.or_groups.iter().filter(|group| !group.has_failed) {
        found.push(variant(format!("or_groups.{}.failed", group.name)).at_line(line(group.line)));
    }
    for (index, atom) in state.atoms.iter().enumerate() {
        let Some(parent) = &atom.decomposed_from else { continue };
        let listed = |record: &super::state::Decomposition<'_>| {
            record.parent == *parent && record.children.contains(&atom.id)
        };
        if found.len() < MANY && !state.decompositions.iter().any(listed) {
            found.push(variant(format!("atoms[{index}].decomposed_from")).at_line(line(atom.line)));
        }
    }
    found.truncate(MANY);
    problems.append(&mut found);
}
