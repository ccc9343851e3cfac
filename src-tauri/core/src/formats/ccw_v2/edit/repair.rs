//! One-click repairs (the CCW contract §5.4, §14, §16), for Loop v2 and Loop-B. Each edits only what its
//! problem names, and only while no agent is working.

use crate::control::Situation;
use crate::format::{FileFacts, Format};
use crate::formats::ccw;
use crate::formats::ccw::check::rules;
use crate::formats::ccw::drive::Edits;
use crate::formats::ccw::read::state::{CcwState, Home};
use crate::formats::ccw::read::values::{either, has_status, saturated};
use crate::formats::ccw::recover::reading::first_value;
use crate::formats::ccw_v2::edit::task_list as task_edit;
use crate::formats::ccw_v2::recover::task_list as task_recover;
use crate::problem::{Problem, ProblemCode, Severity};
use crate::refusal::{Refusal, RefusalCode};
use crate::status::FileStatus;
use crate::step::{RepairCode as Repair, RepairOffer};
use loopdeck_text::json_span::change::Change;
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::splice::Outline;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::text_edit::TextEdit;

/// The repairs for these problems, each once.
#[must_use]
pub fn repairs(problems: &[Problem]) -> Vec<Repair> {
    let mut offered: Vec<Repair> = problems.iter().filter_map(offer).collect();
    offered.sort();
    offered.dedup();
    offered
}

/// The same, with the problems each one solves and the reason if it is not possible now.
#[must_use]
pub fn offers(problems: &[Problem], situation: &Situation) -> Vec<RepairOffer> {
    let at_work = refuse(situation);
    let damaged = problems.iter().any(|problem| problem.severity == Severity::Error);
    let offered = |code: Repair| {
        let ended = problems.iter().filter(|problem| offer(problem) == Some(code));
        let mut ends: Vec<ProblemCode> = ended.map(|problem| problem.code).collect();
        ends.sort();
        ends.dedup();
        // Only these can help with a file that has errors.
        let blocked = damaged
            && !matches!(
                code,
                Repair::StripTrailingGarbage | Repair::SplitGluedLines | Repair::CleanTaskList
            );
        let refusal = at_work.clone().or_else(|| blocked.then(|| Refusal::new(RefusalCode::DamagedFile)));
        RepairOffer { code, ends, args: std::collections::BTreeMap::new(), refusal }
    };
    repairs(problems).into_iter().map(offered).collect()
}

/// Why no repair is possible now, whatever is wrong: an agent is working.
#[must_use]
pub fn refuse(situation: &Situation) -> Option<Refusal> {
    rules::is_at_work(situation).then(|| Refusal::new(RefusalCode::Running))
}

fn offer(problem: &Problem) -> Option<Repair> {
    match problem.code {
        // The same problem occurs in other files next to the loop, but those are logs, so they stay
        // unchanged.
        ProblemCode::W10_bad_line if problem.path.ends_with("tasks.jsonl") => Some(Repair::CleanTaskList),
        ProblemCode::W1_counters => Some(Repair::Recount),
        ProblemCode::W10_glued_lines => Some(Repair::SplitGluedLines),
        ProblemCode::E1_trailing_garbage => Some(Repair::StripTrailingGarbage),
        ProblemCode::W11_orphaned_task => Some(Repair::ResetOrphans),
        ProblemCode::W4_stale_end => Some(Repair::ClearStaleEnd),
        _ => None,
    }
}

/// The edits of a repair, on the master or, for [`Repair::SplitGluedLines`], on the task list.
///
/// # Errors
/// A refusal when an agent is working, when there is nothing to repair, or when the file is damaged in
/// another way.
pub fn repair(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    repair: Repair,
    situation: &Situation,
) -> Result<Vec<TextEdit>, Refusal> {
    if let Some(refusal) = refuse(situation) {
        return Err(refusal);
    }
    let edits = match repair {
        Repair::SplitGluedLines => task_edit::split_glued(bytes),
        Repair::CleanTaskList => clean(bytes),
        Repair::StripTrailingGarbage => strip(bytes, facts)?,
        _ => on_master(bytes, facts, repair)?,
    };
    if edits.is_empty() { Err(Refusal::new(RefusalCode::NothingToRepair)) } else { Ok(edits) }
}

/// The task list without its unreadable parts; also splits glued lines.
fn clean(bytes: &[u8]) -> Vec<TextEdit> {
    let whole = task_recover::clean(bytes, None);
    whole.map(|clean| vec![TextEdit::replace(0..bytes.len(), clean.text)]).unwrap_or_default()
}

fn on_master(bytes: &[u8], facts: &FileFacts<'_>, repair: Repair) -> Result<Vec<TextEdit>, Refusal> {
    let damaged = || Refusal::new(RefusalCode::DamagedFile);
    let summary = ccw::summary(bytes, facts).ok_or_else(damaged)?;
    if let Some(code) = rules::damage(&summary) {
        return Err(Refusal::because(code, &summary));
    }
    if !matches!(summary.format, Format::LoopV2 | Format::LoopB) {
        return Err(Refusal::new(RefusalCode::ReadOnlyFormat));
    }
    let root = Node::parse(bytes).map_err(|_| damaged())?;
    let mut edits = Edits::new(bytes);
    match (repair, summary.format) {
        (Repair::Recount, Format::LoopV2) => recount(&root, &mut edits)?,
        (Repair::ResetOrphans, Format::LoopV2) => {
            reset(&["skill_state", "develop", "tasks"], &root, &mut edits)?;
        }
        (Repair::ResetOrphans, _) => reset(&["skill_state", "pending_tasks"], &root, &mut edits)?,
        (Repair::ClearStaleEnd, _) => return clear_end(bytes, summary.status),
        _ => {}
    }
    edits.finish()
}

fn recount(root: &Node<'_>, edits: &mut Edits<'_>) -> Result<(), Refusal> {
    let state = CcwState::new(root, Home::SkillState);
    let is_list = |node: &Node<'_>| matches!(node.value, loopdeck_text::json_span::tree::Value::List(_));
    let done = state.tasks.iter().filter(|task| has_status(task, "completed")).count();
    let mut develop = Vec::new();
    if is_list(state.develop.get("tasks")) {
        develop = wrong(
            state.develop,
            [("total", "total_count", state.tasks.len()), ("completed", "completed_count", done)],
        );
    }
    let mut debug = Vec::new();
    if is_list(state.debug.get("hypotheses")) {
        debug = wrong(state.debug, [("hypotheses_count", "hypotheses_count", state.hypotheses.len())]);
    }
    edits.set(&["skill_state", "develop"], develop)?;
    edits.set(&["skill_state", "debug"], debug)
}

/// The counters of a section that exist and are wrong.
fn wrong<'k, const N: usize>(
    section: &Node<'_>,
    counters: [(&'k str, &'k str, usize); N],
) -> Vec<(&'k str, Json)> {
    let mut values = Vec::new();
    for (key, older, expected) in counters {
        let expected = saturated(expected);
        let found = either(section, key, older).number();
        if found.is_some_and(|found| found != f64::from(expected)) {
            let key = if section.get(key).is_null() { older } else { key };
            values.push((key, Json::count(expected)));
        }
    }
    values
}

/// Only the status of those tasks (§5.4).
fn reset(path: &[&str], root: &Node<'_>, edits: &mut Edits<'_>) -> Result<(), Refusal> {
    let tasks = path.iter().fold(root, |node, key| node.get(key)).items();
    let orphans = tasks.iter().enumerate().filter(|(_, task)| has_status(task, "in_progress"));
    let pending = orphans.map(|(index, _)| (index, vec![("status", Json::text("pending"))])).collect();
    edits.set_items(path, pending)
}

fn clear_end(bytes: &[u8], status: FileStatus) -> Result<Vec<TextEdit>, Refusal> {
    if !matches!(status, FileStatus::NotStarted | FileStatus::Running | FileStatus::Paused) {
        return Ok(Vec::new());
    }
    let changes = [Change::Remove { key: "completed_at" }, Change::Remove { key: "failure_reason" }];
    let outline = Outline::read(bytes, &[]).map_err(|error| ccw::drive::refusal(&error))?;
    outline.edit(&changes).map_err(|error| ccw::drive::refusal(&error))
}

/// A prefix is accepted if it is an object with this loop's id and a status (§16).
fn strip(bytes: &[u8], facts: &FileFacts<'_>) -> Result<Vec<TextEdit>, Refusal> {
    let damaged = || Refusal::new(RefusalCode::DamagedFile);
    let Some((node, end)) = first_value(bytes) else { return Err(damaged()) };
    let is_loop = node.get("loop_id").text() == Some(facts.stem) && node.get("status").text().is_some();
    if !is_loop {
        return Err(damaged());
    }
    let rest = &bytes[end..];
    let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let garbage = end + blank..bytes.len();
    Ok(if garbage.is_empty() { Vec::new() } else { vec![TextEdit::replace(garbage, "")] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::StatusWord;
    use crate::times::Timestamp;
    use loopdeck_text::text_edit;

    const STEM: &str = "loop-v2-20261120T042421-d8ff7e62";
    const BASE: &str = "{\n  \"loop_id\": \"loop-v2-20261120T042421-d8ff7e62\",\n  \"title\": \"T\",\n  \"max_iterations\": 5,\n  \"status\": \"paused\",\n  \"current_iteration\": 0,\n  \"failure_reason\": \"x\",\n  \"skill_state\": {\n    \"develop\": {\n      \"total_count\": 9,\n      \"completed\": 7.0,\n      \"tasks\": [\n        {\"id\": \"a\", \"status\": \"completed\"},\n        {\"id\": \"b\", \"status\": \"in_progress\"}\n      ]\n    },\n    \"debug\": {\"hypotheses_count\": 1, \"hypotheses\": []}\n  }\n}\n";

    fn apply(text: &str, what: Repair, shown: StatusWord) -> Result<String, RefusalCode> {
        let facts =
            FileFacts { stem: STEM, modified: Timestamp::from_millis(0), now: Timestamp::from_millis(0) };
        let edits =
            repair(text.as_bytes(), &facts, what, &Situation { shown, now: Timestamp::from_millis(0) });
        let edits = edits.map_err(|refusal| refusal.code)?;
        let bytes = text_edit::apply(text.as_bytes(), &edits).expect("disjoint");
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    #[track_caller]
    fn check(what: Repair, before: &str, after: &str) {
        assert_eq!(apply(before, what, StatusWord::Paused).as_deref(), Ok(after));
        assert_eq!(apply(after, what, StatusWord::Paused), Err(RefusalCode::NothingToRepair));
        assert_eq!(apply(before, what, StatusWord::Running), Err(RefusalCode::Running));
    }

    #[test]
    fn each_repair_edits_what_is_wrong() {
        let counted = BASE.replace("total_count\": 9", "total_count\": 2").replace("7.0", "1");
        check(Repair::Recount, BASE, &counted.replace("hypotheses_count\": 1", "hypotheses_count\": 0"));
        check(Repair::ResetOrphans, BASE, &BASE.replace("in_progress", "pending"));
        check(Repair::ClearStaleEnd, BASE, &BASE.replace("  \"failure_reason\": \"x\",\n", ""));
        check(Repair::StripTrailingGarbage, &format!("{BASE}  \"tail\": 1}}"), &format!("{BASE}  "));
        check(Repair::SplitGluedLines, "{}{}\n", "{}\n{}\n");
    }

    #[test]
    fn a_prefix_of_another_loop_is_not_accepted() {
        let other = format!("{}}}", BASE.replace(STEM, "other"));
        assert_eq!(
            apply(&other, Repair::StripTrailingGarbage, StatusWord::Paused),
            Err(RefusalCode::DamagedFile)
        );
        assert_eq!(apply("{", Repair::Recount, StatusWord::Paused), Err(RefusalCode::DamagedFile));
    }

    #[test]
    fn problems_offer_their_repairs_once() {
        let of = |code| Problem::new(code, "");
        let problems = [
            of(ProblemCode::W1_counters),
            of(ProblemCode::W1_counters),
            of(ProblemCode::W11_orphaned_task),
            of(ProblemCode::E2_no_id),
        ];
        assert_eq!(repairs(&problems), [Repair::Recount, Repair::ResetOrphans]);
    }
}
