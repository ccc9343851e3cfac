//! Legacy session folders of the Claude skill, read-only (the CCW contract §9).
//!
//! `state.json` keeps the sections at its top level under older names; Loop v2's state and view read both.

use crate::ccw;
use crate::ccw::facts::{FactList, Findings};
use crate::ccw_v2::state::{Home, State, either};
use crate::ccw_v2::view::{clock, completed_at, document, metadata, sections, unknown_fields};
use crate::ccw_v2::{companions, rules, warnings};
use crate::control::Situation;
use crate::format::{FileFacts, Summary};
use crate::view::{Companion, Fact, LoopDetail};

const TOP: &[&str] = &[
    "session_id",
    "loop_id",
    "task_description",
    "title",
    "description",
    "status",
    "initialized",
    "mode",
    "created_at",
    "updated_at",
    "completed_at",
    "failure_reason",
    "iteration_count",
    "current_iteration",
    "max_iterations",
    "current_action",
    "last_action",
    "completed_actions",
    "develop",
    "debug",
    "validate",
    "context",
    "errors",
    "summary",
];

/// What a list shows of a legacy session's `state.json`; `facts.stem` is the folder's name.
#[must_use]
pub fn summary(bytes: &[u8], facts: &FileFacts<'_>) -> Summary {
    ccw::legacy_summary(bytes, facts)
}

/// The full read for the detail view; problems included.
#[must_use]
pub fn detail(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    situation: &Situation,
    companions: &[Companion],
) -> LoopDetail {
    let summary = summary(bytes, facts);
    let Some(root) = document(bytes) else {
        return LoopDetail { problems: summary.problems, ..LoopDetail::default() };
    };
    let state = State::new(&root, Home::TopLevel);
    let side = companions::read(companions);
    let clock = clock(&state, &summary, facts, &side.times());
    let mut found = Findings::new(bytes, summary.problems.clone());
    warnings::check(&state, &summary, facts, &clock, rules::is_at_work(situation), &mut found);
    let mut detail = sections(&state, &clock, &side);
    detail.facts = overview(&state, &summary, &clock);
    detail.metadata = metadata(&root, &[]);
    detail.extra = unknown_fields(&state, TOP);
    detail.problems = found.finish();
    detail
}

fn overview(state: &State<'_>, summary: &Summary, clock: &ccw::clock::Clock) -> Vec<Fact> {
    let root = state.root;
    let mut facts = FactList::default();
    facts.text("description", either(root, "task_description", "description"));
    facts.code("session_id", either(root, "session_id", "loop_id"));
    facts.code("status", root.get("status"));
    facts.flag("initialized", root.get("initialized"));
    facts.code("mode", root.get("mode"));
    facts.number("iteration", either(root, "iteration_count", "current_iteration"));
    facts.code("last_action", root.get("last_action"));
    facts.text("current_task", either(state.develop, "current_task_id", "current_task"));
    facts.code("estimated_complexity", root.get("context").get("estimated_complexity"));
    facts.list("key_files", root.get("context").get("key_files"));
    facts.code("understanding_updated", state.debug.get("understanding_updated"));
    facts.time("created_at", root.get("created_at").text().map(|text| clock.created(text)));
    facts.time("completed_at", completed_at(root, summary, clock));
    let progress = state.develop.get("last_progress_at").text();
    facts.time("last_progress_at", progress.map(|text| clock.skill(text)));
    facts.0
}
