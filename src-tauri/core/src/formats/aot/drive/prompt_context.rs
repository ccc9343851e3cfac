//! The AoT parts of a worker's or judge's prompt.

use super::look::AotView;
use crate::driver::{Action, AgentTask};
use crate::formats::aot::read::state::{AotState, Binding, text, texts};
use crate::view::ChecklistRow;
use loopdeck_agents::answers::AnswerKind;
use loopdeck_agents::prompts::{AtomContext, AtomResult, JudgeContext, PromptContext, TaskContext, prompt};
use loopdeck_text::shorten;
use loopdeck_text::yaml_span::YamlNode;
use std::collections::{HashMap, HashSet, VecDeque};

/// Results in a prompt.
const MOST_RESULTS: usize = 40;
/// Files named for a judge.
const MOST_SCOPE: usize = 200;
/// Characters of the original request.
const LONGEST_REQUEST: usize = 20_000;
/// Containers named in a worker's prompt.
const MOST_CONTAINERS: usize = 10;
/// Settled questions.
const MOST_SETTLED: usize = 50;

/// The run of a worker on atom `at`, with the others of its `batch`.
pub(super) fn atom_task(look: &AotView<'_>, at: usize, batch: &[usize]) -> AgentTask {
    let state = look.state();
    let id = look.graph.id(at).to_owned();
    let action = Action::Atom { id: id.clone() };
    let told = |at: usize| {
        let description = state.atoms[at].description.replace('\n', " ");
        format!("{}: {}", look.graph.id(at), shorten(&description, 300))
    };
    let mut context = frame(look);
    context.failure = look.memory.failures.get(&id).map(|failed| failed.why.clone());
    context.interrupted = look.memory.interrupted || look.memory.aot.cut_off.contains(&id);
    context.others = batch.iter().filter(|other| **other != at).map(|other| told(*other)).collect();
    context.task = Some(TaskContext {
        id,
        description: state.atoms[at].description.clone().into_owned(),
        status: "in_progress".to_owned(),
        mode: "write".to_owned(),
        ..TaskContext::default()
    });
    if let Some(atom) = &mut context.atom {
        atom.results = results(look, at);
        atom.part_of = look.graph.containers_of(at, MOST_CONTAINERS).into_iter().map(told).collect();
        atom.tried = tried(look, at);
    }
    let prompt = prompt(&action, &context);
    AgentTask { action, prompt, answer: Some(AnswerKind::Atom), context }
}

/// The run of an agent that looks whether atom `at` is feasible.
pub(super) fn probe_task(look: &AotView<'_>, at: usize) -> AgentTask {
    let AgentTask { mut context, .. } = atom_task(look, at, &[at]);
    let action = Action::Probe { id: look.graph.id(at).to_owned() };
    if let Some(task) = &mut context.task {
        task.mode = "analysis".to_owned();
    }
    let prompt = prompt(&action, &context);
    AgentTask { action, prompt, answer: Some(AnswerKind::Probe), context }
}

/// The run of a judge on the quality check in `row`.
pub(super) fn judge_task(look: &AotView<'_>, row: usize, check: &ChecklistRow) -> AgentTask {
    let item = crate::checklist::outcome::label(check);
    let action = Action::Judge { row, item: item.clone() };
    let mut context = frame(look);
    context.task = Some(TaskContext {
        id: format!("check-{}", row + 1),
        description: item,
        status: "in_progress".to_owned(),
        mode: "analysis".to_owned(),
        ..TaskContext::default()
    });
    if let Some(atom) = &mut context.atom {
        // All judges get the same text: stalls do not concern them.
        atom.stall = None;
        atom.judged = Some(JudgeContext {
            item: check.item.clone(),
            criteria: check.value.clone().unwrap_or_default(),
            rubric: check.rubric.clone(),
            scope: scope(look.state(), check),
        });
    }
    let prompt = prompt(&action, &context);
    AgentTask { action, prompt, answer: Some(AnswerKind::Judge), context }
}

/// What is judged: the scope of the check, or else everything that atoms report as made (AoT contract §11).
fn scope(state: &AotState<'_>, check: &ChecklistRow) -> Vec<String> {
    if let Some(scope) = &check.scope {
        return vec![scope.clone()];
    }
    let mut known = HashSet::new();
    let artifacts = state.bindings.iter().flat_map(|binding| &binding.artifacts).map(AsRef::as_ref);
    let new = artifacts.filter(|name: &&str| known.insert(*name));
    new.take(MOST_SCOPE).map(|name| shorten(name, 500)).collect()
}

fn frame(look: &AotView<'_>) -> PromptContext {
    let state = look.state();
    let (objective, control) = (&state.objective, &state.control);
    let node = look.document.root().get("objective");
    let scope = node.and_then(|node| node.get("scope"));
    let owned = |key: &str| {
        let entries = texts(scope.and_then(|scope| scope.get(key)));
        entries.into_iter().map(std::borrow::Cow::into_owned).collect::<Vec<String>>()
    };
    let stalls = (control.stall_count, objective.max_stall_count);
    let atom = AtomContext {
        background: objective.background_intent.clone().into_owned(),
        deliverables: objective.deliverables.clone().into_owned(),
        definition_of_done: objective.definition_of_done.clone().into_owned(),
        in_scope: owned("in_scope"),
        out_of_scope: owned("out_of_scope"),
        settled: settled(node),
        original: shorten(look.body().trim(), LONGEST_REQUEST),
        stall: Some(stalls).filter(|(stalls, _)| *stalls > 0),
        ..AtomContext::default()
    };
    let count = |count: i64| u32::try_from(count).unwrap_or_default();
    PromptContext {
        title: objective.goal.clone().into_owned(),
        iteration: count(control.iteration),
        limit: count(objective.max_iterations),
        notes: look.memory.all_notes(),
        atom: Some(Box::new(atom)),
        ..PromptContext::default()
    }
}

fn settled(objective: Option<&YamlNode<'_>>) -> Vec<String> {
    let items =
        objective.and_then(|node| node.get("clarifications")).map(YamlNode::items).unwrap_or_default();
    let line =
        |item: &YamlNode<'_>| format!("{} {}", text(item.get("question")), text(item.get("resolution")));
    items.iter().take(MOST_SETTLED).map(line).collect()
}

/// Results that atom `at` depends on, nearest first. For a container, those of its children; for an
/// unselected alternative, those of the selected one.
fn results(look: &AotView<'_>, at: usize) -> Vec<AtomResult> {
    let state = look.state();
    let bindings: HashMap<&str, &Binding<'_>> =
        state.bindings.iter().map(|binding| (&*binding.id, binding)).collect();
    let mut seen: HashSet<usize> = HashSet::from([at]);
    let mut queue: VecDeque<usize> = needs(look, at).into();
    let mut results = Vec::new();
    while let Some(need) = queue.pop_front() {
        if results.len() >= MOST_RESULTS {
            break;
        }
        if !seen.insert(need) {
            continue;
        }
        let binding = bindings.get(look.graph.id(need));
        if let Some(binding) = binding.filter(|_| !look.graph.is_container(need)) {
            results.push(result(binding));
        }
        queue.extend(needs(look, need));
    }
    results
}

/// What atom `at` is built on: children, the chosen alternative, dependencies.
fn needs(look: &AotView<'_>, at: usize) -> Vec<usize> {
    let state = look.state();
    let mut needs: Vec<usize> = look.graph.children(at).collect();
    if look.graph.is_inactive(at) {
        let group = state.or_groups.iter().find(|group| look.graph.group_name(at) == Some(&*group.name));
        needs.extend(group.and_then(|group| look.graph.find(group.selected.as_deref()?)));
    }
    needs.extend(state.atoms[at].depends_on.iter().filter_map(|id| look.graph.find(id)));
    needs
}

fn result(binding: &Binding<'_>) -> AtomResult {
    AtomResult {
        id: binding.id.clone().into_owned(),
        summary: shorten(&binding.summary, 4_000),
        artifacts: binding.artifacts.iter().take(50).map(|name| shorten(name, 500)).collect(),
    }
}

/// Failed alternatives, each with the reason if known.
fn tried(look: &AotView<'_>, at: usize) -> Vec<String> {
    let alternative = look.graph.alternative(at);
    let Some(name) = alternative.and_then(|at| look.graph.group_name(at)) else { return Vec::new() };
    let state = look.state();
    let Some(group) = state.or_groups.iter().find(|group| group.name == name) else { return Vec::new() };
    let told = |id: &std::borrow::Cow<'_, str>| {
        let description = look.graph.find(id).map(|at| shorten(&state.atoms[at].description, 300));
        let why = look.memory.failures.get(&**id).map(|failed| format!(": {}", shorten(&failed.why, 500)));
        format!("{id} {}{}", description.unwrap_or_default(), why.unwrap_or_default())
    };
    group.failed.iter().take(20).map(told).collect()
}
