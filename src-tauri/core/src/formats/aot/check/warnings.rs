//! Contradictions of the content (AoT contract §10, V9 to V19) and shapes of other versions (V21).

use super::counts::AtomCounts;
use crate::checklist::{CheckType, Checklist, ItemKind};
use crate::formats::aot::read::state::{Binding, Decomposition, Document, OrGroup, text};
use crate::problem::{Problem, ProblemCode, Severity};
use crate::times;
use crate::view::{CorrectionKind, ExtraField};
use loopdeck_graph::work_graph::WorkGraph;
use loopdeck_text::yaml_span::YamlNode;
use std::collections::{HashMap, HashSet};

/// More findings of one kind say nothing new.
const MANY: usize = 200;

/// The words of YAML 1.1 for true and false (§3).
const BOOLEANS: [&str; 8] = ["true", "false", "yes", "no", "on", "off", "y", "n"];

/// Findings of one rule; any beyond [`MANY`] are dropped, so that hostile lists cost no memory.
#[derive(Default)]
struct RuleFindings {
    list: Vec<Problem>,
}

impl RuleFindings {
    fn push(&mut self, problem: Problem) {
        if !self.full() {
            self.list.push(problem);
        }
    }

    fn report(&mut self, code: ProblemCode, path: String, line: u32, found: &str) {
        if !self.full() {
            self.push(Problem::new(code, path).at_line((line > 0).then_some(line)).with("found", found));
        }
    }

    fn full(&self) -> bool {
        self.list.len() >= MANY
    }
}

/// V9 to V19.
pub(crate) fn content(look: &WarningInputs<'_, '_, '_>, problems: &mut Vec<Problem>) {
    let rules: [fn(&WarningInputs<'_, '_, '_>, &mut RuleFindings); 8] =
        [dependencies, or_groups, decompositions, bindings, selections, trail, corrections, control];
    for rule in rules {
        let mut found = RuleFindings::default();
        rule(look, &mut found);
        problems.append(&mut found.list);
    }
}

fn dependencies(look: &WarningInputs<'_, '_, '_>, found: &mut RuleFindings) {
    for (index, atom) in look.document.state.atoms.iter().enumerate() {
        for id in atom.depends_on.iter().filter(|id| look.graph.find(id).is_none()) {
            let path = format!("atoms[{index}].depends_on");
            found.report(ProblemCode::V9_unknown_dependency, path, atom.line, id);
        }
    }
}

fn or_groups(look: &WarningInputs<'_, '_, '_>, found: &mut RuleFindings) {
    let state = &look.document.state;
    let names: HashSet<&str> = state.or_groups.iter().map(|group| &*group.name).collect();
    for (index, atom) in state.atoms.iter().enumerate() {
        if let Some(group) = atom.or_group.as_deref().filter(|group| !names.contains(group)) {
            found.report(ProblemCode::V10_or_group, format!("atoms[{index}].or_group"), atom.line, group);
        }
    }
    for group in &state.or_groups {
        or_group(look, group, found);
    }
}

fn or_group(look: &WarningInputs<'_, '_, '_>, group: &OrGroup<'_>, found: &mut RuleFindings) {
    if !group.has_selected {
        let path = format!("or_groups.{}.selected", group.name);
        found.report(ProblemCode::V10_no_selection, path, group.line, &group.name);
    }
    let choices: HashSet<&str> = group.choices.iter().map(AsRef::as_ref).collect();
    let mut report = |key: &str, id: &str| {
        let path = format!("or_groups.{}.{key}", group.name);
        found.report(ProblemCode::V10_or_group, path, group.line, id);
    };
    for choice in group.choices.iter().filter(|id| look.graph.find(id).is_none()) {
        report("choices", choice);
    }
    for failed in group.failed.iter().filter(|id| !choices.contains(id.as_ref())) {
        report("failed", failed);
    }
    if let Some(selected) = &group.selected
        && (!choices.contains(selected.as_ref()) || group.failed.contains(selected))
    {
        report("selected", selected);
    }
}

fn decompositions(look: &WarningInputs<'_, '_, '_>, found: &mut RuleFindings) {
    let mut parents: HashMap<&str, &str> = HashMap::new();
    for (index, record) in look.document.state.decompositions.iter().enumerate() {
        if found.full() {
            return;
        }
        decomposition(look, index, record, &mut parents, found);
    }
}

fn decomposition<'t>(
    look: &WarningInputs<'t, '_, '_>,
    index: usize,
    record: &'t Decomposition<'_>,
    parents: &mut HashMap<&'t str, &'t str>,
    found: &mut RuleFindings,
) {
    let atoms = &look.document.state.atoms;
    let mut report = |code, key: &str, id: &str| {
        found.report(code, format!("decompositions[{index}].{key}"), record.line, id);
    };
    let parent = look.graph.find(&record.parent).map(|at| &atoms[at]);
    if parent.is_none_or(|parent| parent.word == "in_progress") {
        report(ProblemCode::V11_decomposition, "parent", &record.parent);
    }
    let mut seen: HashSet<&str> = HashSet::new();
    for child in &record.children {
        if !seen.insert(child) {
            continue;
        }
        let known = look.graph.find(child).map(|at| &atoms[at]);
        let second_parent = parents.insert(child, &record.parent).is_some_and(|first| first != record.parent);
        let unfinished =
            parent.is_some_and(|parent| parent.word == "resolved") && !look.graph.satisfied(child);
        if known.is_none() || second_parent || unfinished {
            report(ProblemCode::V11_decomposition, "children", child);
        }
        let (Some(parent), Some(known)) = (parent, known) else { continue };
        // Lists this long were not written by a person, so they are not compared with each other.
        if known.depends_on.len() > 1_000 {
            continue;
        }
        let copied: HashSet<&str> = known.depends_on.iter().map(AsRef::as_ref).collect();
        for missing in parent.depends_on.iter().take(MANY).filter(|id| !copied.contains(id.as_ref())) {
            report(ProblemCode::V12_child_dependency, "children", &format!("{child}: {missing}"));
        }
    }
}

fn bindings(look: &WarningInputs<'_, '_, '_>, found: &mut RuleFindings) {
    let state = &look.document.state;
    let bound: HashSet<&str> = state.bindings.iter().map(|binding| &*binding.id).collect();
    for (index, atom) in state.atoms.iter().enumerate() {
        if atom.word == "resolved" && !bound.contains(&*atom.id) {
            found.report(ProblemCode::V13_binding, format!("atoms[{index}]"), atom.line, &atom.id);
        }
    }
    let mut report = |code, binding: &Binding<'_>| {
        found.report(code, format!("bindings.{}", binding.id), binding.line, &binding.id);
    };
    for binding in &state.bindings {
        match look.graph.find(&binding.id).map(|at| &*state.atoms[at].word) {
            None => report(ProblemCode::V13_binding, binding),
            Some("resolved") => {}
            Some(_) => report(ProblemCode::V14_binding_unresolved, binding),
        }
    }
}

fn selections(look: &WarningInputs<'_, '_, '_>, found: &mut RuleFindings) {
    let trail = look.document.root().get("trail").map(YamlNode::items).unwrap_or_default();
    let last: HashMap<_, _> =
        trail.iter().map(|entry| (text(entry.get("or_group")), text(entry.get("selected")))).collect();
    for group in &look.document.state.or_groups {
        let Some(selected) = &group.selected else { continue };
        if last.get(&group.name) != Some(selected) {
            let path = format!("or_groups.{}.selected", group.name);
            found.report(ProblemCode::V15_trail, path, group.line, selected);
        }
    }
}

/// Choices of groups and atoms that exist, at a time that can be read. Entries of other shapes occur (§1.2).
fn trail(look: &WarningInputs<'_, '_, '_>, found: &mut RuleFindings) {
    let groups: HashSet<&str> = look.document.state.or_groups.iter().map(|group| &*group.name).collect();
    let entries = look.document.root().get("trail").map(YamlNode::items).unwrap_or_default();
    for (index, entry) in entries.iter().enumerate() {
        if found.full() {
            return;
        }
        if entry.get("or_group").is_none() && entry.get("selected").is_none() {
            continue;
        }
        let is_known = |key: &str, said: &str| match key {
            "or_group" => groups.contains(said),
            "selected" => look.graph.find(said).is_some(),
            _ => times::parse(said).is_some(),
        };
        for key in ["or_group", "selected", "timestamp"] {
            let said = text(entry.get(key));
            if !is_known(key, &said) {
                let line = entry.get(key).map_or(entry.line, |node| node.line);
                found.report(ProblemCode::V15_trail_entry, format!("trail[{index}].{key}"), line, &said);
            }
        }
    }
}

/// Corrections with a type of §1.2, which say whether they cleared the trail.
fn corrections(look: &WarningInputs<'_, '_, '_>, found: &mut RuleFindings) {
    let entries = look.document.root().get("corrections").map(YamlNode::items).unwrap_or_default();
    for (index, entry) in entries.iter().enumerate() {
        let cleared = text(entry.get("trail_cleared"));
        let is_bool = BOOLEANS.iter().any(|word| word.eq_ignore_ascii_case(&cleared));
        let is_known = CorrectionKind::from_word(&text(entry.get("type"))) != CorrectionKind::Other;
        for key in ["type", "trail_cleared"] {
            let is_fine = if key == "type" { is_known } else { is_bool };
            if !is_fine {
                let line = entry.get(key).map_or(entry.line, |node| node.line);
                let path = format!("corrections[{index}].{key}");
                found.report(ProblemCode::V23_correction, path, line, &text(entry.get(key)));
            }
        }
        if found.full() {
            return;
        }
    }
}

fn control(look: &WarningInputs<'_, '_, '_>, found: &mut RuleFindings) {
    let state = &look.document.state;
    let control = &state.control;
    let report =
        |code, path: &str| Problem::new(code, path).at_line((control.line > 0).then_some(control.line));
    let stopped = control.status == "stopped";
    let running = control.status == "running" && look.live;
    let unresolved = look.counts.unresolved();
    if control.status == "completed" && unresolved > 0 {
        let problem = report(ProblemCode::V17_completed_unresolved, "control.status");
        found.push(problem.with("found", unresolved));
    }
    if stopped && control.stop_reason.is_none() {
        found.push(report(ProblemCode::V18_flags, "control.stop_reason"));
    }
    if stopped && control.stop_requested {
        let problem = report(ProblemCode::V18_flags, "control.stop_requested");
        found.push(problem.as_severity(Severity::Info));
    }
    if control.redirect_requested && !running {
        found.push(report(ProblemCode::V18_flags, "control.redirect_requested"));
    }
    let limits = [
        ("control.iteration", control.iteration, state.objective.max_iterations),
        ("control.stall_count", control.stall_count, state.objective.max_stall_count),
        ("atoms", i64::from(look.counts.in_progress), state.objective.max_parallel_agents),
    ];
    for (path, value, limit) in limits.into_iter().filter(|(_, value, limit)| value > limit) {
        found.push(report(ProblemCode::V19_over_limit, path).with("found", value).with("limit", limit));
    }
    let orphans = state.atoms.iter().filter(|atom| !running && atom.word == "in_progress");
    for atom in orphans {
        found.report(ProblemCode::V16_orphaned_atom, "atoms".to_owned(), atom.line, &atom.id);
    }
}

/// Oddities in the completion check of a readable loop: V8 outside the gate, V17.
pub(crate) fn completion(
    look: &WarningInputs<'_, '_, '_>,
    checklist: &Checklist,
    problems: &mut Vec<Problem>,
) {
    for hollow in checklist.hollow.iter().take(MANY) {
        let dot = if hollow.path.is_empty() { "" } else { "." };
        let path = format!("objective.base_case{dot}{}", hollow.path);
        let problem = Problem::new(ProblemCode::V8_hollow_check, path).at_line(hollow.line);
        problems.push(problem.with("found", hollow.reason));
    }
    let mut checks = checklist.rows.iter().filter(|row| row.kind == ItemKind::Check).peekable();
    let is_list = checklist.rows.iter().any(|row| !row.item.is_empty());
    if is_list && checks.peek().is_some() && checks.all(|row| row.check_type == Some(CheckType::Quality)) {
        problems.push(Problem::new(ProblemCode::V8_quality_only, "objective.base_case.checklist"));
    }
    let control = &look.document.state.control;
    if control.status == "completed" {
        // A caller that knows of a passed verification removes the second one.
        let code = match checklist.can_pass() {
            true => ProblemCode::V17_not_verified,
            false => ProblemCode::V17_completed_unverified,
        };
        let problem = Problem::new(code, "control.status");
        problems.push(problem.at_line((control.line > 0).then_some(control.line)));
    }
}

/// Reported from this size on (§4: the hook reads the front matter through a pipe of 64 KiB).
const LARGE: usize = 48 << 10;
/// At this size the plugin's hook stops in the middle.
const HOOK_LIMIT: usize = 64 << 10;

/// V20: a front matter that the plugin's hook will soon fail on, with the cause of its size.
pub(crate) fn size(document: &Document<'_>, problems: &mut Vec<Problem>) {
    let size = document.front.text.len();
    if size < LARGE {
        return;
    }
    let sections = document.tree.root.entries();
    let ends = sections.iter().skip(1).map(|next| next.key.range.start).chain([document.front.closing]);
    let sizes = sections.iter().zip(ends).map(|(section, end)| (end - section.key.range.start, section));
    let largest = sizes.max_by_key(|(size, _)| *size).map(|(_, section)| section);
    let problem = Problem::new(ProblemCode::V20_front_matter_size, text(largest.map(|entry| &entry.key)));
    problems.push(
        problem
            .at_line(largest.map(|entry| entry.key.line))
            .with("size", size >> 10)
            .with("limit", HOOK_LIMIT >> 10)
            .with("found", text(largest.map(|entry| &entry.key))),
    );
}

/// V21: fields that no schema lists, older shapes, one-sided links.
pub(crate) fn variants(
    look: &WarningInputs<'_, '_, '_>,
    checklist: &Checklist,
    extra: &[ExtraField],
    problems: &mut Vec<Problem>,
) {
    let mut found = RuleFindings::default();
    let variant = |path: String, line: u32| {
        Problem::new(ProblemCode::V21_variant, path).at_line((line > 0).then_some(line))
    };
    for field in extra {
        found.push(variant(field.path.clone(), 0));
    }
    for remark in &checklist.remarks {
        let dot = if remark.path.is_empty() { "" } else { "." };
        let problem = variant(format!("objective.base_case{dot}{}", remark.path), remark.line.unwrap_or(0));
        found.push(problem.with("found", remark.reason).as_severity(Severity::Warning));
    }
    let state = &look.document.state;
    for group in state.or_groups.iter().filter(|group| !group.has_failed) {
        found.push(variant(format!("or_groups.{}.failed", group.name), group.line));
    }
    let records = state.decompositions.iter();
    let listed: HashSet<(&str, &str)> =
        records.flat_map(|record| record.children.iter().map(|child| (&*record.parent, &**child))).collect();
    for (index, atom) in state.atoms.iter().enumerate() {
        if let Some(parent) = atom.decomposed_from.as_deref()
            && !listed.contains(&(parent, &*atom.id))
        {
            found.push(variant(format!("atoms[{index}].decomposed_from"), atom.line));
        }
    }
    problems.append(&mut found.list);
}

/// Everything besides the document that the warnings depend on.
pub(crate) struct WarningInputs<'l, 't, 'a> {
    pub(crate) document: &'l Document<'a>,
    pub(crate) graph: &'l WorkGraph<'t>,
    pub(crate) counts: AtomCounts,
    pub(crate) live: bool,
}
