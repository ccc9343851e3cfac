//! The effects of a redirect (AoT contract §7), shown before it is written.
//!
//! The change is carried out on a copy and both versions are compared, so the preview cannot differ from the write.

use crate::control::Situation;
use crate::format::FileFacts;
use crate::formats::aot::check::validator as checks;
use crate::formats::aot::edit::operation::{AotOperation, Correction};
use crate::formats::aot::read::state::{self, AotState, Atom, Document, text};
use crate::refusal::{Refusal, RefusalCode};
use crate::status::StatusWord;
use loopdeck_graph::work_graph::{Progress, WorkGraph};
use loopdeck_text::yaml_span::YamlNode;
use loopdeck_text::{shorten, text_edit};
use serde::Serialize;
use specta::Type;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Longest text of the objective; the view cuts it there.
const MAX_TEXT: usize = 20_000;
/// Longest description in a list of atoms.
const MAX_LINE: usize = 300;
/// Placeholder for the reason, which no effect depends on.
const WHY: &str = "preview";

/// What a redirect changes, beyond its own correction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
#[serde(rename = "AotEffects")]
pub struct Effects {
    /// Changed texts of the objective.
    pub texts: Vec<TextChange>,
    /// The completion check is replaced.
    pub checks: bool,
    /// Changed limits.
    pub limits: Vec<LimitChange>,
    /// New atoms.
    pub added: Vec<AtomName>,
    /// Removed atoms.
    pub deleted: Vec<AtomName>,
    /// Atoms with another description or other dependencies.
    pub edited: Vec<EditedAtom>,
    /// Atoms that become containers, or get more children.
    pub decomposed: Vec<SplitAtom>,
    /// Containers that lose their last child.
    pub rejoined: Vec<AtomName>,
    /// OR groups with another selection, or with a failed choice that gets another chance.
    pub selections: Vec<SelectionChange>,
    /// Atoms in progress: their workers end and their work so far is not recorded.
    pub interrupted: Vec<AtomName>,
    /// Resolved atoms to redo.
    pub reset: Vec<ResetAtom>,
    /// Resolved containers that are open again.
    pub reopened: Vec<AtomName>,
    /// Results that are removed.
    pub discarded: Vec<LostResult>,
    /// Trail entries that are removed, in the order of the file.
    pub trail: Vec<TrailEntry>,
    /// Atoms that can start afterwards but could not before.
    pub ready: Vec<AtomName>,
    /// Atoms that could start before but cannot afterwards.
    pub waiting: Vec<AtomName>,
    /// The next round is not counted as a stall.
    pub stall_forgiven: bool,
    /// A driver that holds continues.
    pub ends_hold: bool,
}

/// An atom in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename = "AotAtomName")]
pub struct AtomName {
    /// Its id.
    pub id: String,
    /// What it does.
    pub description: String,
}

/// A text of the objective before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename = "AotTextChange")]
pub struct TextChange {
    /// Which one.
    pub field: ObjectiveText,
    /// As it is.
    pub before: String,
    /// As it will be.
    pub after: String,
}

/// A text of the objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case", rename = "AotObjectiveText")]
pub enum ObjectiveText {
    /// `goal`.
    Goal,
    /// `background_intent`.
    BackgroundIntent,
    /// `deliverables`.
    Deliverables,
    /// `definition_of_done`.
    DefinitionOfDone,
}

/// A limit before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
#[serde(rename = "AotLimitChange")]
pub struct LimitChange {
    /// Which one.
    pub limit: AotLimit,
    /// As it is.
    #[specta(type = u32)] // a finite number in TypeScript
    pub before: f64,
    /// As it will be.
    #[specta(type = u32)] // a finite number in TypeScript
    pub after: f64,
}

/// A limit of the objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum AotLimit {
    /// `max_iterations`.
    MaxIterations,
    /// `max_parallel_agents`.
    MaxParallelAgents,
    /// `max_stall_count`.
    MaxStallCount,
}

/// An atom before and after; unchanged fields are absent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename = "AotEditedAtom")]
pub struct EditedAtom {
    /// The atom as it is.
    pub atom: AtomName,
    /// Its new description.
    pub description: Option<String>,
    /// Dependencies that it gets.
    pub needs: Vec<String>,
    /// Dependencies that it loses.
    pub no_longer_needs: Vec<String>,
}

/// A container and its new children.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename = "AotSplitAtom")]
pub struct SplitAtom {
    /// The container.
    pub atom: AtomName,
    /// Ids of the children that it gets.
    pub children: Vec<String>,
}

/// An OR group before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename = "AotSelectionChange")]
pub struct SelectionChange {
    /// Its name.
    pub group: String,
    /// The choice as it is.
    pub before: Option<String>,
    /// The choice as it will be.
    pub after: Option<String>,
    /// Failed choices that are no longer failed.
    pub cleared: Vec<String>,
}

/// A resolved atom to redo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename = "AotResetAtom")]
pub struct ResetAtom {
    /// The atom.
    pub atom: AtomName,
    /// It was not named, but built on one that was.
    pub cascaded: bool,
}

/// A result that is removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename = "AotLostResult")]
pub struct LostResult {
    /// The atom that it belongs to.
    pub id: String,
    /// What it says.
    pub summary: String,
}

/// An entry of the trail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename = "AotTrailEntry")]
pub struct TrailEntry {
    /// The OR group; empty for entries of other shapes.
    pub group: String,
    /// What was selected.
    pub selected: String,
    /// Why.
    pub reason: String,
}

/// What `change` would do to the loop in `bytes`, whoever is running it.
///
/// # Errors
/// The refusal that the redirect itself would get.
pub fn effects(bytes: &[u8], facts: &FileFacts<'_>, change: &Correction) -> Result<Effects, Refusal> {
    let nobody = Situation { shown: StatusWord::Interrupted, now: facts.now };
    let redirect = AotOperation::Redirect { change: change.clone(), description: WHY.to_owned() };
    let edits = crate::formats::aot::operate(bytes, facts, &redirect, &nobody)?;
    let broken = || Refusal::new(RefusalCode::NotEditable);
    let new = text_edit::apply(bytes, &edits).map_err(|_| broken())?;
    let read = |bytes| state::read(bytes).map_err(|_| broken());
    Ok(compare(&read(bytes)?, &read(&new)?, change))
}

fn compare(before: &Document<'_>, after: &Document<'_>, change: &Correction) -> Effects {
    let (old, new) = (&before.state, &after.state);
    let (old_graph, new_graph) = (checks::graph(old), checks::graph(new));
    let mut effects = Effects {
        texts: texts(old, new),
        checks: checks_differ(before.root(), after.root()),
        limits: limits(old, new),
        selections: selections(old, new),
        discarded: discarded(old, new),
        trail: trail(before.root(), after.root()),
        stall_forgiven: old.control.prev_pending_count >= 0 && new.control.prev_pending_count < 0,
        ends_hold: old.control.redirect_requested && !new.control.redirect_requested,
        ..Effects::default()
    };
    let named: HashSet<&str> = match change {
        Correction::Redo { ids } => ids.iter().map(String::as_str).collect(),
        _ => HashSet::new(),
    };
    for (at, atom) in old.atoms.iter().enumerate() {
        let then = new_graph.find(&atom.id).map(|at| (at, &new.atoms[at]));
        let progress = then.map(|(_, then)| checks::progress(&then.word));
        if atom.word == "in_progress" && progress != Some(Progress::InProgress) {
            effects.interrupted.push(name(atom));
        }
        let Some((then_at, then)) = then else {
            effects.deleted.push(name(atom));
            continue;
        };
        effects.edited.extend(edited(atom, then));
        effects.split(&old_graph, &new_graph, at, atom, then_at);
        if atom.word == "resolved" && progress != Some(Progress::Resolved) {
            if old_graph.is_container(at) {
                effects.reopened.push(name(atom));
            } else {
                effects.reset.push(ResetAtom { atom: name(atom), cascaded: !named.contains(&*atom.id) });
            }
        }
        match (old_graph.is_ready(at), new_graph.is_ready(then_at)) {
            (false, true) => effects.ready.push(name(then)),
            (true, false) if !new_graph.is_container(then_at) => effects.waiting.push(name(then)),
            _ => {}
        }
    }
    for (at, atom) in new.atoms.iter().enumerate().filter(|(_, atom)| old_graph.find(&atom.id).is_none()) {
        effects.added.push(name(atom));
        if new_graph.is_ready(at) {
            effects.ready.push(name(atom));
        }
    }
    effects
}

impl Effects {
    /// Children that atom `at` gets, or the loss of its last one.
    fn split(&mut self, old: &WorkGraph<'_>, new: &WorkGraph<'_>, at: usize, atom: &Atom<'_>, then: usize) {
        let had: HashSet<&str> = old.children(at).map(|child| old.id(child)).collect();
        let has = new.children(then).map(|child| new.id(child));
        let children: Vec<String> = has.filter(|child| !had.contains(child)).map(id).collect();
        if !children.is_empty() {
            self.decomposed.push(SplitAtom { atom: name(atom), children });
        }
        if old.is_container(at) && !new.is_container(then) {
            self.rejoined.push(name(atom));
        }
    }
}

fn id(text: &str) -> String {
    shorten(text, 200)
}

fn name(atom: &Atom<'_>) -> AtomName {
    AtomName { id: id(&atom.id), description: shorten(&atom.description, MAX_LINE) }
}

fn edited(atom: &Atom<'_>, then: &Atom<'_>) -> Option<EditedAtom> {
    let description = (atom.description != then.description).then(|| shorten(&then.description, MAX_LINE));
    let differ = |own: &Atom<'_>, other: &Atom<'_>| -> Vec<String> {
        let known: HashSet<&str> = other.depends_on.iter().map(AsRef::as_ref).collect();
        own.depends_on.iter().filter(|need| !known.contains(need.as_ref())).map(|need| id(need)).collect()
    };
    let (needs, no_longer_needs) = (differ(then, atom), differ(atom, then));
    let same = description.is_none() && needs.is_empty() && no_longer_needs.is_empty();
    (!same).then(|| EditedAtom { atom: name(atom), description, needs, no_longer_needs })
}

fn texts(old: &AotState<'_>, new: &AotState<'_>) -> Vec<TextChange> {
    use ObjectiveText as Text;
    let (old, new) = (&old.objective, &new.objective);
    let all = [
        (Text::Goal, &old.goal, &new.goal),
        (Text::BackgroundIntent, &old.background_intent, &new.background_intent),
        (Text::Deliverables, &old.deliverables, &new.deliverables),
        (Text::DefinitionOfDone, &old.definition_of_done, &new.definition_of_done),
    ];
    let change = |(field, before, after): (Text, &Cow<'_, str>, &Cow<'_, str>)| TextChange {
        field,
        before: shorten(before, MAX_TEXT),
        after: shorten(after, MAX_TEXT),
    };
    all.into_iter().filter(|(_, before, after)| before != after).map(change).collect()
}

fn limits(old: &AotState<'_>, new: &AotState<'_>) -> Vec<LimitChange> {
    let (old, new) = (&old.objective, &new.objective);
    let all = [
        (AotLimit::MaxIterations, old.max_iterations, new.max_iterations),
        (AotLimit::MaxParallelAgents, old.max_parallel_agents, new.max_parallel_agents),
        (AotLimit::MaxStallCount, old.max_stall_count, new.max_stall_count),
    ];
    let number = crate::formats::aot::view::number;
    let change = |(limit, before, after)| LimitChange { limit, before: number(before), after: number(after) };
    all.into_iter().filter(|(_, before, after)| before != after).map(change).collect()
}

fn checks_differ(old: &YamlNode<'_>, new: &YamlNode<'_>) -> bool {
    fn base_case<'t, 'a>(root: &'t YamlNode<'a>) -> Option<&'t YamlNode<'a>> {
        root.get("objective").and_then(|objective| objective.get("base_case"))
    }
    match (base_case(old), base_case(new)) {
        (Some(old), Some(new)) => !old.says_the_same(new),
        (old, new) => old.is_some() != new.is_some(),
    }
}

fn selections(old: &AotState<'_>, new: &AotState<'_>) -> Vec<SelectionChange> {
    let before: HashMap<&str, _> = old.or_groups.iter().map(|group| (&*group.name, group)).collect();
    let there: HashSet<&str> = new.atoms.iter().map(|atom| &*atom.id).collect();
    let change = |group: &state::OrGroup<'_>| {
        let old = before.get(&*group.name)?;
        // A failed choice that was deleted gets no further chance.
        let again =
            |failed: &&Cow<'_, str>| !group.failed.contains(failed) && there.contains(failed.as_ref());
        let cleared: Vec<String> = old.failed.iter().filter(again).map(|failed| id(failed)).collect();
        let selected = |group: &state::OrGroup<'_>| group.selected.as_deref().map(id);
        (old.selected != group.selected || !cleared.is_empty()).then(|| SelectionChange {
            group: id(&group.name),
            before: selected(old),
            after: selected(group),
            cleared,
        })
    };
    new.or_groups.iter().filter_map(change).collect()
}

fn discarded(old: &AotState<'_>, new: &AotState<'_>) -> Vec<LostResult> {
    let kept: HashSet<&str> = new.bindings.iter().map(|binding| &*binding.id).collect();
    let lost = old.bindings.iter().filter(|binding| !kept.contains(&*binding.id));
    let result = |binding: &state::Binding<'_>| LostResult {
        id: id(&binding.id),
        summary: shorten(&binding.summary, MAX_LINE),
    };
    lost.map(result).collect()
}

/// Entries that the new trail lacks. Entries are only removed and appended, so the kept ones are in the same
/// order.
fn trail(old: &YamlNode<'_>, new: &YamlNode<'_>) -> Vec<TrailEntry> {
    fn entries<'t, 'a>(root: &'t YamlNode<'a>) -> &'t [YamlNode<'a>] {
        root.get("trail").map(YamlNode::items).unwrap_or_default()
    }
    let mut kept = entries(new).iter().peekable();
    let gone = |entry: &&YamlNode<'_>| kept.next_if(|kept| kept.says_the_same(entry)).is_none();
    let view = |entry: &YamlNode<'_>| TrailEntry {
        group: id(&text(entry.get("or_group"))),
        selected: id(&text(entry.get("selected"))),
        reason: shorten(&text(entry.get("reason")), MAX_LINE),
    };
    entries(old).iter().filter(gone).map(view).collect()
}
