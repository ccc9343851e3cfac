//! A Loop-B rebuilt from what is left of it: masters, worker outputs, `develop.md` (the CCW contract §16).

use super::merge;
use super::state::{self, ACTIONS, Output, State};
use crate::ccw::progress_docs::develop::{self, DevelopDoc};
use crate::ccw::recover::{Proposal, Recovery, Sources, is_number};
use crate::ccw_v2::recover::{FOREIGN, is_valid, iteration, limit, stamps, status, top};
use crate::format::{FileFacts, Format};
use crate::json_span::json::Json;
use crate::json_span::tree::Node;
use crate::view::{Companion, CompanionKind};
use std::collections::{BTreeMap, BTreeSet};

/// The proposed master; always a valid Loop-B of this name when the name is one of Loop-B.
#[must_use]
pub fn recover(
    damaged: &[u8],
    last_good: Option<&[u8]>,
    companions: &[Companion],
    facts: &FileFacts<'_>,
) -> Recovery {
    let recovery = propose(&Sources::new(damaged, last_good, companions, facts.now), facts);
    if is_valid(&recovery, Format::LoopB, facts) {
        return recovery;
    }
    propose(&Sources::new(b"", None, companions, facts.now), facts)
}

fn propose(sources: &Sources<'_>, facts: &FileFacts<'_>) -> Recovery {
    let develop = sources.bytes(CompanionKind::DevelopDoc).map(develop::read).unwrap_or_default();
    let mut proposal = Proposal::new("");
    top(&mut proposal, sources, &develop, facts);
    let is_mode = |json: &Json| matches!(json.as_text(), Some("interactive" | "auto" | "parallel"));
    let mode = sources.master(&["mode"], is_mode).unwrap_or_else(|| (Json::text("auto"), "proposed"));
    proposal.put("mode", mode);
    proposal.put("status", status(sources));
    proposal.put("current_iteration", iteration(sources, &develop));
    proposal.put("max_iterations", limit(sources));
    stamps(&mut proposal, sources, &develop);
    let mut left_out = FOREIGN.to_vec();
    left_out.push("skill_state");
    proposal.others(sources, &[], &left_out);
    proposal.nest("skill_state", skill_state(sources, &develop));
    proposal.finish()
}

fn skill_state(sources: &Sources<'_>, develop: &DevelopDoc) -> Proposal {
    let null = Node::null();
    let (outputs, _) = state::outputs(&State::new(&null), sources.companions);
    let last =
        outputs.iter().rev().find_map(|output| ACTIONS.iter().position(|action| *action == output.action));
    let last = last.unwrap_or(0);
    let mut skill = Proposal::new("skill_state.");
    let is_phase = |json: &Json| json.as_text().is_some_and(|phase| ACTIONS.contains(&phase));
    let beside = if outputs.is_empty() { "proposed" } else { "workers" };
    let phase = sources.master(&["skill_state", "phase"], is_phase);
    skill.put("phase", phase.unwrap_or_else(|| (Json::text(ACTIONS[last]), beside)));
    let index = sources.master(&["skill_state", "action_index"], |json| is_number(json, -1.0));
    let place = Json::count(crate::ccw_v2::state::saturated(last));
    skill.put("action_index", index.unwrap_or((place, beside)));
    let is_list = |json: &Json| matches!(json, Json::List(_));
    let done = outputs.iter().filter(|output| output.node.get("status").text() == Some("success"));
    let done: Vec<&str> = done.map(|output| output.action.as_str()).collect();
    let workers = sources.master(&["skill_state", "workers_completed"], is_list);
    skill.put("workers_completed", workers.unwrap_or_else(|| (Json::texts(&done), beside)));
    let is_results = |json: &Json| matches!(json, Json::Null | Json::Object(_));
    let results = sources.master(&["skill_state", "parallel_results"], is_results);
    skill.put("parallel_results", results.unwrap_or_else(|| parallel(sources, &outputs)));
    let (pending, completed) = tasks(develop);
    let source =
        if develop.tasks.is_empty() && develop.entries.is_empty() { "missing" } else { "develop.md" };
    for (key, rebuilt) in [("pending_tasks", pending), ("completed_tasks", completed)] {
        let found = sources.master(&["skill_state", key], is_list);
        skill.put(key, found.unwrap_or((Json::List(rebuilt), source)));
    }
    let findings = sources.master(&["skill_state", "findings"], is_list);
    skill.put("findings", findings.unwrap_or_else(|| (Json::List(Vec::new()), "missing")));
    skill.others(sources, &["skill_state"], &[]);
    skill
}

/// The merge again, from the outputs of the workers.
fn parallel(sources: &Sources<'_>, outputs: &[Output<'_>]) -> (Json, &'static str) {
    let is_parallel = sources.master(&["mode"], |json| json.as_text() == Some("parallel")).is_some();
    let workers: Vec<_> =
        outputs.iter().filter(|output| merge::PARALLEL_ACTIONS.contains(&output.action.as_str())).collect();
    if !is_parallel || workers.len() < 2 {
        return (Json::Null, "missing");
    }
    let mut members: Vec<(&str, Json)> = Vec::new();
    for action in merge::PARALLEL_ACTIONS {
        let output = workers.iter().find(|output| output.action == action);
        members.push((action, output.map_or(Json::Null, |output| Json::of(&output.node))));
    }
    (Json::object(members), "workers")
}

/// Tasks of the list that have no entry are pending, the others completed.
fn tasks(develop: &DevelopDoc) -> (Vec<Json>, Vec<Json>) {
    let worked: BTreeSet<&str> = develop.entries.iter().map(|entry| entry.description.as_str()).collect();
    let numbered = develop.tasks.iter().enumerate();
    let places: BTreeMap<&str, usize> = numbered.map(|(place, (_, text))| (text.as_str(), place)).collect();
    let task = |id: &str, description: &str, status: &str, files: &[String]| {
        Json::object(vec![
            ("id", Json::text(id)),
            ("description", Json::text(description)),
            ("status", Json::text(status)),
            ("files", Json::texts(files)),
        ])
    };
    let numbered = (1..).zip(&develop.tasks);
    let open = numbered.filter(|(_, (_, text))| !worked.contains(text.as_str()));
    let pending = open.map(|(number, (_, text))| task(&format!("T{number}"), text, "pending", &[])).collect();
    let completed = (1..).zip(&develop.entries).map(|(number, entry)| {
        let listed = places.get(entry.description.as_str()).copied();
        let place = listed.map_or(develop.tasks.len() + number, |place| place + 1);
        let id = entry.task_id.clone().unwrap_or_else(|| format!("T{place}"));
        task(&id, &entry.description, "completed", &entry.files)
    });
    (pending, completed.collect())
}
