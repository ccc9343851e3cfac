//! `loopdeck redirect … --dry-run`: what a redirect would do. Nothing is written.

use super::complaint::{self, Complaint};
use super::output::Answer;
use super::text;
use super::workspace::Workspace;
use loopdeck_core::formats::aot::{AtomName, Correction, EditedAtom, Effects, SelectionChange, SplitAtom};
use loopdeck_core::refusal::Refusal;
use loopdeck_core::step::StepCode;
use serde::Serialize;

/// The preview for scripts. The names are a promise: `words/help/redirect.txt` documents them.
#[derive(Debug, Serialize)]
struct Preview<'a> {
    id: &'a str,
    file: &'a str,
    change: &'a Correction,
    effects: &'a Effects,
    refusal: Option<&'a Refusal>,
    after_hold: bool,
}

/// What `change` would do to the loop that `id` names.
pub(super) fn answer(workspace: &Workspace, id: &str, change: &Correction) -> Result<Answer, Complaint> {
    let row = workspace.find(id)?;
    let runtime = &workspace.runtime;
    let complaint = |failure| workspace.refused(&failure, row);
    let effects = runtime.redirect_effects(&row.key, change).map_err(complaint)?;
    let steps = runtime.read_loop(&row.key)?.detail.steps;
    let offer = steps.iter().find(|offer| offer.step == StepCode::AotRedirect);
    let refusal = offer.and_then(|offer| offer.refusal.as_ref());
    let after_hold = offer.is_some_and(|offer| offer.after_hold);
    let mut lines = lines(&effects);
    if lines.is_empty() {
        lines.push(text::sentence("redirect_effect", "nothing", []));
    }
    if let Some(refusal) = refusal {
        let reason = complaint::reason(refusal, Some(row));
        let code = if after_hold { "preview_hold_first" } else { "preview_not_now" };
        lines.push(text::sentence("headless", code, [("reason", &*reason)]));
    }
    lines.push(text::sentence("headless", "preview_only", []));
    let lines = lines.iter().map(|line| text::plain(line)).collect();
    let preview = Preview { id: &row.id, file: &row.file, change, effects: &effects, refusal, after_hold };
    Answer::new(&preview, lines)
}

/// One line for each thing that changes, under the same words as in the window.
fn lines(effects: &Effects) -> Vec<String> {
    let mut lines = Lines::default();
    lines.objective(effects);
    lines.graph(effects);
    lines.work(effects);
    lines.0
}

#[derive(Default)]
struct Lines(Vec<String>);

impl Lines {
    fn say(&mut self, code: &str, rows: impl Iterator<Item = String>) {
        let heading = text::sentence("redirect_effect", code, []);
        self.0.extend(rows.map(|row| format!("{heading}: {row}")));
    }

    fn names(&mut self, code: &str, atoms: &[AtomName]) {
        self.say(code, atoms.iter().map(name));
    }

    fn flag(&mut self, code: &str, set: bool) {
        self.0.extend(set.then(|| text::sentence("redirect_effect", code, [])));
    }

    fn objective(&mut self, effects: &Effects) {
        let texts = effects.texts.iter().map(|change| {
            let field = text::name(change.field);
            row("text", &[("name", &field), ("before", &change.before), ("after", &change.after)])
        });
        self.say("texts", texts);
        self.flag("checks", effects.checks);
        let limits = effects.limits.iter().map(|change| {
            let limit = text::name(change.limit);
            let (before, after) = (change.before.to_string(), change.after.to_string());
            row("limit", &[("name", &limit), ("before", &before), ("after", &after)])
        });
        self.say("limits", limits);
    }

    fn graph(&mut self, effects: &Effects) {
        self.names("added", &effects.added);
        self.names("deleted", &effects.deleted);
        self.say("edited", effects.edited.iter().flat_map(edited));
        let split =
            |one: &SplitAtom| row("split", &[("id", &one.atom.id), ("ids", &one.children.join(", "))]);
        self.say("decomposed", effects.decomposed.iter().map(split));
        self.names("rejoined", &effects.rejoined);
        self.say("selections", effects.selections.iter().flat_map(selected));
    }

    fn work(&mut self, effects: &Effects) {
        self.names("interrupted", &effects.interrupted);
        self.say("reset", effects.reset.iter().map(|reset| name(&reset.atom)));
        self.names("reopened", &effects.reopened);
        let lost = effects.discarded.iter();
        self.say("discarded", lost.map(|one| row("result", &[("id", &one.id), ("summary", &one.summary)])));
        let trail = effects.trail.iter().map(|entry| {
            row("trail", &[("group", &entry.group), ("selected", &entry.selected), ("reason", &entry.reason)])
        });
        self.say("trail", trail);
        self.names("ready", &effects.ready);
        self.names("waiting", &effects.waiting);
        self.flag("stall_forgiven", effects.stall_forgiven);
        self.flag("ends_hold", effects.ends_hold);
    }
}

fn row(code: &str, args: &[(&str, &str)]) -> String {
    text::sentence("redirect_row", code, args.iter().copied())
}

fn name(atom: &AtomName) -> String {
    row("atom", &[("id", &atom.id), ("description", &atom.description)])
}

fn edited(edited: &EditedAtom) -> Vec<String> {
    let id = edited.atom.id.as_str();
    let described = edited.description.iter().map(|after| row("described", &[("id", id), ("after", after)]));
    let needs = [("needs", &edited.needs), ("no_longer_needs", &edited.no_longer_needs)];
    let needs = needs.into_iter().filter(|(_, ids)| !ids.is_empty());
    described.chain(needs.map(|(code, ids)| row(code, &[("id", id), ("ids", &ids.join(", "))]))).collect()
}

fn selected(change: &SelectionChange) -> Vec<String> {
    let none = row("no_choice", &[]);
    let group = change.group.as_str();
    let (before, after) =
        (change.before.as_deref().unwrap_or(&none), change.after.as_deref().unwrap_or(&none));
    let chosen =
        (before != after).then(|| row("choice", &[("group", group), ("before", before), ("after", after)]));
    let cleared = change.cleared.join(", ");
    let cleared = (!cleared.is_empty()).then(|| row("cleared", &[("group", group), ("ids", &cleared)]));
    chosen.into_iter().chain(cleared).collect()
}
