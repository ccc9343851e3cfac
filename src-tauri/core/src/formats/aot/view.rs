//! What a person sees of an AoT loop (AoT contract §1.2, §9).

pub(crate) mod effects;
pub(crate) mod events;
pub(crate) mod present_checks;

use crate::checklist;
use crate::control::{Metadata, Situation};
use crate::format::FileFacts;
use crate::formats::aot::check::counts::AtomCounts;
use crate::formats::aot::check::rules::{self, Owner};
use crate::formats::aot::check::warnings::{self, WarningInputs};
use crate::formats::aot::check::{lint, validator as checks};
use crate::formats::aot::edit::normalise::repairs_of;
use crate::formats::aot::edit::repaired;
use crate::formats::aot::read::state::{
    AotState, Binding, Decomposition, Document, OrGroup, flag, optional_text, text, texts,
};
use crate::formats::aot::read::{extra, shell_value};
use crate::formats::aot::view::present_checks::present_checks;
use crate::problem::{Problem, Severity};
use crate::times::TimeView;
use crate::view::{
    AtomState, AtomView, BlockerKind, BlockerView, ChoiceView, Clarification, CorrectionKind, CorrectionView,
    DecompositionView, DependencyView, Fact, FactValue, LoopDetail, ObjectiveView, OrGroupView, TrailView,
};
use crate::work_view::mentioned;
use loopdeck_graph::work_graph::{Blocker, Progress, WorkGraph};
use loopdeck_text::shorten;
use loopdeck_text::yaml_span::YamlNode;
use std::collections::{HashMap, HashSet};

/// Longest prompt shown.
const MAX_PROMPT: usize = 200_000;
/// Longest single text shown.
const MAX_TEXT: usize = 20_000;
/// Most entries of one list within one row.
const MAX_LIST: usize = 1_000;
/// Most reasons why one atom cannot start: more than a person reads.
const MAX_BLOCKERS: usize = 50;
/// Most problems shown.
const MAX_PROBLEMS: usize = 1_000;

/// A count of the file as a view value.
#[allow(clippy::cast_precision_loss)] // exact up to 2^53, which no count reaches
pub(super) fn number(count: i64) -> f64 {
    count as f64
}

/// The full view of a readable file, with its repairs and steps, from a single read.
pub(super) fn detail(
    bytes: &[u8],
    document: &Document<'_>,
    facts: &FileFacts<'_>,
    situation: &Situation,
) -> LoopDetail {
    let state = &document.state;
    let graph = checks::graph(state);
    let checklist = super::checklist_of(document);
    let summary = super::summarise_with(document, &graph, &checklist, facts);
    let root = document.root();
    let extra = extra::fields(bytes, root);
    let mut detail = LoopDetail {
        facts: plain_facts(document, AtomCounts::count(state, &graph)),
        metadata: Metadata { title: Some(summary.title.clone()), ..Metadata::default() },
        controls: rules::controls(&summary, situation),
        objective: Some(objective(document, root.get("objective"))),
        corrections: list(root, "corrections").iter().map(|entry| correction(entry, &graph)).collect(),
        steps: super::steps_of(state, &summary.problems, situation),
        prompt: Some(shorten(&String::from_utf8_lossy(&bytes[document.front.body.clone()]), MAX_PROMPT)),
        problems: summary.problems,
        ..graph_part(bytes, document, &graph)
    };
    let live = rules::owner(situation.shown) != Owner::Nobody;
    let look = WarningInputs { document, graph: &graph, counts: AtomCounts::count(state, &graph), live };
    warnings::content(&look, &mut detail.problems);
    warnings::completion(&look, &checklist, &mut detail.problems);
    warnings::size(document, &mut detail.problems);
    warnings::variants(&look, &checklist, &extra, &mut detail.problems);
    let lints = lint::layout(bytes, document);
    if !lints.is_empty() || detail.problems.iter().any(|problem| problem.severity == Severity::Error) {
        repaired::notices(bytes, document, &mut detail.controls, situation);
    }
    detail.repairs = super::repair_offers(repairs_of(bytes, document, &lints), situation);
    detail.problems.extend(lints);
    sort(&mut detail.problems);
    detail.checklist = checklist::judge(checklist.rows, &done(state));
    detail.checklist_total = checklist::total(&detail.checklist, state.control.status == "completed");
    detail.present_checks =
        Some(present_checks(root.get("objective").and_then(|objective| objective.get("base_case"))));
    detail.extra = extra;
    events::fill(&mut detail);
    detail
}

/// The part of the view that the work graph is built from.
pub(super) fn graph_part(bytes: &[u8], document: &Document<'_>, graph: &WorkGraph<'_>) -> LoopDetail {
    let state = &document.state;
    LoopDetail {
        atoms: atoms(state, graph),
        batch: batch(state, graph),
        critical_path: graph.critical_path().into_iter().map(|at| shorten(graph.id(at), 200)).collect(),
        or_groups: state.or_groups.iter().map(|group| or_group(group, graph)).collect(),
        decompositions: state.decompositions.iter().map(|record| decomposition(record, graph)).collect(),
        trail: trail(bytes, list(document.root(), "trail"), graph),
        ..LoopDetail::default()
    }
}

/// What resolved atoms report as done.
fn done<'s>(state: &'s AotState<'_>) -> Vec<checklist::Done<'s>> {
    let resolved: HashSet<&str> =
        state.atoms.iter().filter(|atom| atom.word == "resolved").map(|atom| &*atom.id).collect();
    let bindings = state.bindings.iter().filter(|binding| resolved.contains(&*binding.id));
    let done =
        bindings.map(|one| checklist::Done { id: &one.id, summary: &one.summary, artifacts: &one.artifacts });
    done.collect()
}

fn sort(problems: &mut Vec<Problem>) {
    problems.sort_by_key(shell_value::rank);
    problems.truncate(MAX_PROBLEMS);
}

fn cut(text: &str) -> String {
    shorten(text, MAX_TEXT)
}

pub(super) fn list<'t, 'a>(root: &'t YamlNode<'a>, section: &str) -> &'t [YamlNode<'a>] {
    root.get(section).map(YamlNode::items).unwrap_or_default()
}

fn cut_all(texts: &[std::borrow::Cow<'_, str>]) -> Vec<String> {
    texts.iter().take(MAX_LIST).map(|text| shorten(text, 4_000)).collect()
}

fn plain_facts(document: &Document<'_>, counts: AtomCounts) -> Vec<Fact> {
    let control = &document.state.control;
    let objective = &document.state.objective;
    let mut facts = Vec::new();
    let mut add = |name: &str, value| facts.push(Fact { name: name.to_owned(), value });
    let count = |count: u32| FactValue::Number(f64::from(count));
    let integer = |value: i64| FactValue::Number(number(value));
    // A value that is not a number is shown as written, not as the default used instead.
    let written = |path: &str, value: i64| match document.misread(path) {
        Some(text) => FactValue::Text(text.to_owned()),
        None => integer(value),
    };
    add("status", FactValue::Code(shorten(&control.status, 40)));
    if let Some(reason) = &control.stop_reason {
        add("stop_reason", FactValue::Text(cut(reason)));
    }
    let limit = |key: &str| format!("objective.constraints.{key}");
    add(LoopDetail::ITERATION, written("control.iteration", control.iteration));
    add("max_iterations", written(&limit("max_iterations"), objective.max_iterations));
    add("stall_count", written("control.stall_count", control.stall_count));
    add("max_stall_count", written(&limit("max_stall_count"), objective.max_stall_count));
    // -1 in the file: no round has ended yet, so nothing was counted before (§2).
    let before = control.prev_pending_count;
    let counted = written("control.prev_pending_count", before);
    let is_counted = before >= 0 || matches!(counted, FactValue::Text(_));
    add("prev_pending_count", if is_counted { counted } else { FactValue::NotCounted });
    add("max_parallel_agents", written(&limit("max_parallel_agents"), objective.max_parallel_agents));
    add("stop_requested", FactValue::Flag(control.stop_requested));
    add("redirect_requested", FactValue::Flag(control.redirect_requested));
    add("unresolved", count(counts.unresolved()));
    if counts.inactive > 0 {
        // The plugin also counts unselected alternatives, so both numbers are shown or neither.
        add("unresolved_raw", count(counts.raw_unresolved));
    }
    facts
}

fn objective(document: &Document<'_>, node: Option<&YamlNode<'_>>) -> ObjectiveView {
    let objective = &document.state.objective;
    let limit = |key: &str, value: i64| {
        let is_known = document.misread(&format!("objective.constraints.{key}")).is_none();
        is_known.then(|| number(value))
    };
    let get = |key: &str| node.and_then(|node| node.get(key));
    let scope = |key: &str| cut_all(&texts(get("scope").and_then(|scope| scope.get(key))));
    let clarification = |item: &YamlNode<'_>| Clarification {
        question: cut(&text(item.get("question"))),
        resolution: cut(&text(item.get("resolution"))),
    };
    let settled = get("clarifications").map(YamlNode::items).unwrap_or_default();
    ObjectiveView {
        goal: cut(&objective.goal),
        background_intent: cut(&objective.background_intent),
        deliverables: cut(&objective.deliverables),
        definition_of_done: cut(&objective.definition_of_done),
        clarifications: settled.iter().take(MAX_LIST).map(clarification).collect(),
        in_scope: scope("in_scope"),
        out_of_scope: scope("out_of_scope"),
        max_iterations: limit("max_iterations", objective.max_iterations),
        max_parallel_agents: limit("max_parallel_agents", objective.max_parallel_agents),
        max_stall_count: limit("max_stall_count", objective.max_stall_count),
    }
}

fn atoms(state: &AotState<'_>, graph: &WorkGraph<'_>) -> Vec<AtomView> {
    let bindings: HashMap<&str, _> = state.bindings.iter().map(|binding| (&*binding.id, binding)).collect();
    let mut parents: HashMap<&str, &str> = HashMap::new();
    for record in &state.decompositions {
        for child in &record.children {
            parents.entry(child).or_insert(&record.parent);
        }
    }
    let critical: HashSet<usize> = graph.critical_path().into_iter().collect();
    let view = |(at, atom): (usize, &crate::formats::aot::read::state::Atom<'_>)| {
        let binding = bindings.get(&*atom.id);
        let parent = parents.get(&*atom.id).copied().or(atom.decomposed_from.as_deref());
        let state_of_it = atom_state(&atom.word, at, graph);
        AtomView {
            id: shorten(&atom.id, 200),
            description: cut(&atom.description),
            status: shorten(&atom.word, 40),
            state: state_of_it,
            depends_on: atom
                .depends_on
                .iter()
                .take(MAX_LIST)
                .map(|id| dependency(id, state, graph))
                .collect(),
            blocked_by: blocked_by(at, graph),
            on_critical_path: critical.contains(&at),
            ready_to_resolve: graph.ready_to_resolve(at),
            or_group: graph.group_name(at).map(|name| shorten(name, 200)),
            parent: parent.map(|parent| shorten(parent, 200)),
            children: graph.children(at).map(|child| shorten(&state.atoms[child].id, 200)).collect(),
            summary: binding.map(|binding| cut(&binding.summary)),
            summary_cut: false,
            artifacts: binding.map(|binding| cut_all(&binding.artifacts)).unwrap_or_default(),
            has_result: state_of_it == AtomState::Resolved
                && binding.is_some_and(|binding| leaves_something(binding)),
            line: Some(atom.line),
        }
    };
    state.atoms.iter().enumerate().map(view).collect()
}

/// Whether there is anything to read of it.
fn leaves_something(binding: &Binding<'_>) -> bool {
    !binding.summary.trim().is_empty() || !binding.artifacts.is_empty()
}

/// What one round starts (§9.3).
fn batch(state: &AotState<'_>, graph: &WorkGraph<'_>) -> Vec<String> {
    let limit = usize::try_from(state.objective.max_parallel_agents).unwrap_or(0).min(MAX_LIST);
    graph.batch(limit).map(|at| shorten(graph.id(at), 200)).collect()
}

/// What blocks an atom from starting.
fn blocked_by(at: usize, graph: &WorkGraph<'_>) -> Vec<BlockerView> {
    if !graph.is_unresolved(at) || graph.is_container(at) {
        return Vec::new();
    }
    let view = |blocker: &Blocker| {
        let kind = match blocker {
            Blocker::WaitsFor(_) => BlockerKind::WaitsFor,
            Blocker::Missing(_) => BlockerKind::Missing,
            Blocker::FailedIn(_) => BlockerKind::FailedIn,
            Blocker::NotSelected(_) => BlockerKind::NotSelected,
            Blocker::ChooseBranch(_) => BlockerKind::ChooseBranch,
        };
        BlockerView { kind, name: shorten(blocker.name(), 200) }
    };
    // Most of them are dependencies, which are all listed.
    let mut blockers: Vec<BlockerView> = graph.blocked_by(at).iter().take(MAX_BLOCKERS).map(view).collect();
    blockers.dedup();
    blockers
}

/// The state of an atom (§9).
fn atom_state(word: &str, at: usize, graph: &WorkGraph<'_>) -> AtomState {
    match checks::progress(word) {
        Progress::Resolved => AtomState::Resolved,
        _ if graph.is_container(at) => AtomState::Container,
        Progress::InProgress => AtomState::InProgress,
        _ if graph.has_failed(at) => AtomState::Failed,
        _ if graph.is_abandoned(at) => AtomState::Inactive,
        _ if graph.needs_choice(at) => AtomState::ChooseBranch,
        _ if graph.is_inactive(at) => AtomState::Inactive,
        _ if graph.is_ready(at) => AtomState::Ready,
        _ => AtomState::Blocked,
    }
}

fn dependency(id: &str, state: &AotState<'_>, graph: &WorkGraph<'_>) -> DependencyView {
    let known = graph.find(id);
    DependencyView {
        id: shorten(id, 200),
        known: known.is_some(),
        satisfied: graph.satisfied(id),
        status: known.map(|at| shorten(&state.atoms[at].word, 40)).unwrap_or_default(),
    }
}

fn or_group(group: &OrGroup<'_>, graph: &WorkGraph<'_>) -> OrGroupView {
    let tried: HashSet<&str> = group.failed.iter().map(AsRef::as_ref).collect();
    let choice = |id: &std::borrow::Cow<'_, str>| ChoiceView {
        id: shorten(id, 200),
        known: graph.find(id).is_some(),
        failed: tried.contains(id.as_ref()),
    };
    let usable = |id: &&std::borrow::Cow<'_, str>| !tried.contains(id.as_ref()) && graph.find(id).is_some();
    let next = group.choices.iter().find(usable);
    OrGroupView {
        name: shorten(&group.name, 200),
        choices: group.choices.iter().take(MAX_LIST).map(choice).collect(),
        selected: group.selected.as_deref().map(|id| shorten(id, 200)),
        speculative: group.speculative,
        satisfied: graph.group_satisfied(&group.name),
        next: next.map(|id| shorten(id, 200)),
        exhausted: next.is_none(),
    }
}

fn decomposition(record: &Decomposition<'_>, graph: &WorkGraph<'_>) -> DecompositionView {
    let (done, total) = graph.find(&record.parent).map_or((0, 0), |at| graph.children_done(at));
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    DecompositionView {
        parent: shorten(&record.parent, 200),
        children: cut_all(&record.children),
        done: count(done),
        total: count(total),
        reason: cut(&record.reason),
        time: record.timestamp.as_deref().map(|time| TimeView::read(time, false)),
    }
}

fn time(node: &YamlNode<'_>) -> Option<TimeView> {
    optional_text(node.get("timestamp")).map(|text| TimeView::read(&text, false))
}

fn trail(bytes: &[u8], entries: &[YamlNode<'_>], graph: &WorkGraph<'_>) -> Vec<TrailView> {
    let mut choices = 0;
    let view = |entry: &YamlNode<'_>| {
        let usual = entry.get("or_group").is_some() && entry.get("selected").is_some();
        choices += u32::from(usual);
        let other = || match (entry.get("type"), entry.get("description")) {
            (Some(kind), Some(description)) => format!("{}: {}", text(Some(kind)), text(Some(description))),
            _ => extra::source(bytes, entry, MAX_TEXT),
        };
        let (selected, other) = (text(entry.get("selected")), (!usual).then(|| cut(&other())));
        let atom = match &other {
            Some(other) => speaks_of(other, graph),
            None => graph.find(&selected).map(|_| shorten(&selected, 200)),
        };
        TrailView {
            or_group: shorten(&text(entry.get("or_group")), 200),
            selected: shorten(&selected, 200),
            reason: cut(&text(entry.get("reason"))),
            time: time(entry),
            turn: usual.then_some(choices),
            atom,
            other,
        }
    };
    entries.iter().map(view).collect()
}

/// The first atom that a sentence mentions.
fn speaks_of(text: &str, graph: &WorkGraph<'_>) -> Option<String> {
    mentioned(text, |word| graph.find(word).is_some()).map(|id| shorten(id, 200))
}

fn correction(entry: &YamlNode<'_>, graph: &WorkGraph<'_>) -> CorrectionView {
    let description = cut(&text(entry.get("description")));
    let word = text(entry.get("type"));
    CorrectionView {
        time: time(entry),
        kind: CorrectionKind::from_word(&word),
        word: shorten(&word, 40),
        atom: speaks_of(&description, graph),
        description,
        trail_cleared: flag(entry.get("trail_cleared")),
    }
}
