//! Rebuilding a Loop-B from its remains: masters, worker outputs, progress texts (the CCW contract §16).

pub(crate) mod tasks;

use crate::format::{FileFacts, Format};
use crate::formats::ccw::read::values::saturated;
use crate::formats::ccw::recover::docs::{RecoveryTexts, limit};
use crate::formats::ccw::recover::fill::fill;
use crate::formats::ccw::recover::{CcwSources, OwnBytes, Proposal, Recovery, is_number};
use crate::formats::ccw_v2::recover::{FOREIGN, is_valid};
use crate::formats::loop_b::operate::merge;
use crate::formats::loop_b::read::state::{self, ACTIONS, LoopBState, Output};
use crate::formats::loop_b::recover::tasks as recover_tasks;
use crate::view::Companion;
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::Node;

/// The proposed master; always a valid Loop-B of this name, if the name is a Loop-B's.
#[must_use]
pub fn recover(
    damaged: &[u8],
    last_good: Option<&[u8]>,
    companions: &[Companion],
    facts: &FileFacts<'_>,
) -> Recovery {
    rebuild(OwnBytes::damaged(damaged), last_good, companions, facts)
}

/// [`recover`] with a master that may come from elsewhere.
pub(crate) fn rebuild(
    own: OwnBytes<'_>,
    last_good: Option<&[u8]>,
    companions: &[Companion],
    facts: &FileFacts<'_>,
) -> Recovery {
    let recovery = propose(&CcwSources::new(own, last_good, companions, facts), facts);
    if is_valid(&recovery, Format::LoopB, facts) {
        return recovery;
    }
    propose(&CcwSources::new(OwnBytes::damaged(b""), None, companions, facts), facts)
}

fn propose(sources: &CcwSources<'_>, facts: &FileFacts<'_>) -> Recovery {
    let docs = RecoveryTexts::read(sources);
    let mut proposal = Proposal::new("");
    docs.top(&mut proposal, sources, facts);
    proposal.put("mode", mode(sources, &docs));
    proposal.put("status", docs.status(sources));
    proposal.put("current_iteration", docs.iteration(sources));
    proposal.put("max_iterations", limit(sources));
    docs.stamps(&mut proposal, sources, facts);
    let mut left_out = FOREIGN.to_vec();
    left_out.push("skill_state");
    proposal.others(sources, &[], &left_out);
    proposal.nest("skill_state", skill_state(sources, &docs));
    proposal.finish()
}

fn mode(sources: &CcwSources<'_>, docs: &RecoveryTexts) -> (Json, &'static str) {
    let is_mode = |json: &Json| matches!(json.as_text(), Some("interactive" | "auto" | "parallel"));
    let told = docs.summary.as_ref().and_then(|doc| doc.mode.as_deref()).map(Json::text);
    let told = told.filter(is_mode).map(|mode| (mode, "summary.md"));
    sources.master(&["mode"], is_mode).or(told).unwrap_or_else(|| (Json::text("auto"), "proposed"))
}

fn skill_state(sources: &CcwSources<'_>, docs: &RecoveryTexts) -> Proposal {
    let null = Node::null();
    let (outputs, _) = state::outputs(&LoopBState::new(&null), sources.companions);
    let last =
        outputs.iter().rev().find_map(|output| ACTIONS.iter().position(|action| *action == output.action));
    let last = last.unwrap_or(0);
    let mut skill = Proposal::new("skill_state.");
    let is_phase = |json: &Json| json.as_text().is_some_and(|phase| ACTIONS.contains(&phase));
    let beside = if outputs.is_empty() { "proposed" } else { "workers" };
    let phase = sources.master(&["skill_state", "phase"], is_phase);
    skill.put("phase", phase.unwrap_or_else(|| (Json::text(ACTIONS[last]), beside)));
    let index = sources.master(&["skill_state", "action_index"], |json| is_number(json, -1.0));
    skill.put("action_index", index.unwrap_or((Json::count(saturated(last)), beside)));
    let is_list = |json: &Json| matches!(json, Json::List(_));
    let done = outputs.iter().filter(|output| output.node.get("status").text() == Some("success"));
    let done: Vec<&str> = done.map(|output| output.action.as_str()).collect();
    let workers = sources.master(&["skill_state", "workers_completed"], is_list);
    skill.put("workers_completed", workers.unwrap_or_else(|| (Json::texts(&done), beside)));
    let (results, from) = parallel(sources, &outputs);
    skill.put_together("parallel_results", results, &from);
    recover_tasks::put_tasks(&mut skill, sources, docs);
    let findings = sources.prefix.complete_value(&["skill_state", "findings"]).filter(|json| is_list(json));
    let findings = findings.map(|json| (json.clone(), sources.own)).or_else(|| {
        let path = ["skill_state", "findings"];
        let (begun, older) = (sources.complete_items(&path), sources.older(&path));
        let (items, source) =
            if older.len() > begun.len() { (older, "last_good") } else { (begun, sources.own) };
        (!items.is_empty()).then(|| (Json::List(items.to_vec()), source))
    });
    skill.put("findings", findings.unwrap_or_else(|| (Json::List(Vec::new()), "missing")));
    skill.others(sources, &["skill_state"], &[]);
    skill
}

/// The merge: complete in the damaged file, or else its remains, completed from the outputs of the workers
/// and the last good copy.
fn parallel(sources: &CcwSources<'_>, outputs: &[Output<'_>]) -> (Json, Vec<&'static str>) {
    let path = ["skill_state", "parallel_results"];
    let is_results = |json: &&Json| matches!(json, Json::Null | Json::Object(_));
    if let Some(whole) = sources.prefix.complete_value(&path).filter(is_results) {
        return (whole.clone(), vec![sources.own]);
    }
    let begun = sources.prefix.value_at(&path).filter(|json| matches!(json, Json::Object(_)));
    let older = sources.last_good.complete_value(&path).filter(is_results).cloned();
    let mut from = if begun.is_some() { vec![sources.own] } else { Vec::new() };
    let mut found = begun.cloned().unwrap_or_else(|| Json::object(Vec::new()));
    for (layer, source) in [(merged(sources, outputs), "workers"), (older, "last_good")] {
        let mut filled = false;
        for (key, value) in layer.iter().flat_map(Json::members) {
            // What the damaged file has whole stays as it is.
            if sources.prefix.complete_value(&[path[0], path[1], key]).is_none() {
                let mut own = found.get(key).cloned().unwrap_or_default();
                filled |= fill(&mut own, value);
                found.set(key, own);
            }
        }
        if filled {
            from.push(source);
        }
    }
    if from.is_empty() { (Json::Null, vec!["missing"]) } else { (found, from) }
}

/// The merge again, from the outputs of the workers; `None` for a loop that is not known to be parallel.
fn merged(sources: &CcwSources<'_>, outputs: &[Output<'_>]) -> Option<Json> {
    let is_parallel = sources.master(&["mode"], |json| json.as_text() == Some("parallel")).is_some();
    let workers: Vec<_> =
        outputs.iter().filter(|output| merge::PARALLEL_ACTIONS.contains(&output.action.as_str())).collect();
    if !is_parallel || workers.len() < 2 {
        return None;
    }
    let output = |action: &str| workers.iter().find(|output| output.action == action);
    let mut members: Vec<(&str, Json)> = Vec::new();
    for action in merge::PARALLEL_ACTIONS {
        members.push((action, output(action).map_or(Json::Null, |output| Json::from_node(&output.node))));
    }
    let named: Vec<_> = merge::PARALLEL_ACTIONS
        .into_iter()
        .filter_map(|action| Some((action, output(action)?.files())))
        .collect();
    let conflicts = merge::conflicts(&named).into_iter().map(merge::Conflict::json);
    members.push(("conflicts", Json::List(conflicts.collect())));
    Some(Json::object(members))
}
