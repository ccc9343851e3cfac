//! The result blocks of the upstream skills, read when an answer contains no usable object (the CCW contract
//! §6, §8).

use super::check::{Check, work_status};
use super::{
    Answer, AnswerKind, CheckedAnswer, DevelopAnswer, LONGEST_PROSE, WorkStatus, WorkerAnswer, fields, paths,
    read,
};
use loopdeck_text::almost_json::{self, Corrected, CutText};
use loopdeck_text::json_span::json::Json;
use loopdeck_text::shorten;

/// Reads the last block of a text. A plan or a round of debugging needs the object below `state_updates`.
pub(super) fn reading(kind: AnswerKind, text: &str) -> Option<CheckedAnswer> {
    match kind {
        AnswerKind::Init | AnswerKind::Debug => {
            let updates = updates(after(text, "ACTION_RESULT:")?)?;
            let updates = updates.node();
            let section = if kind == AnswerKind::Init { "develop" } else { "debug" };
            let skill = updates.find("skill_state").unwrap_or(&updates);
            let node = skill.find(section).unwrap_or(skill);
            read::from_json(kind, node).ok()
        }
        AnswerKind::Develop => develop(after(text, "ACTION_RESULT:")?),
        AnswerKind::Worker => worker(text),
        // Upstream's workers write no block.
        AnswerKind::Atom | AnswerKind::Judge | AnswerKind::Probe => None,
    }
}

/// The text after the last `marker`.
fn after<'t>(text: &'t str, marker: &str) -> Option<&'t str> {
    text.rfind(marker).map(|at| &text[at + marker.len()..])
}

/// `- key: value` of the block, up to the next heading in capitals.
fn value<'t>(block: &'t str, key: &str) -> Option<&'t str> {
    let lines = block.lines().take_while(|line| !is_heading(line));
    let mut values = lines.filter_map(|line| {
        let (name, value) = line.trim().strip_prefix('-')?.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    });
    values.next().filter(|value| !value.is_empty())
}

fn is_heading(line: &str) -> bool {
    ["FILES_UPDATED:", "NEXT_ACTION_NEEDED:", "DETAILED_OUTPUT:", "CLARIFICATION_NEEDED:"]
        .iter()
        .any(|heading| line.trim().starts_with(heading))
}

/// The object after `state_updates:`, which may span several lines.
fn updates(block: &str) -> Option<Corrected<'_>> {
    let rest = after(block, "state_updates:")?;
    let before = rest[..rest.find('{')?].trim();
    let follows = before.is_empty() || before.starts_with("```");
    follows.then(|| almost_json::first_object(rest, CutText::Lost)).flatten()
}

fn develop(block: &str) -> Option<CheckedAnswer> {
    let waits =
        after(block, "NEXT_ACTION_NEEDED:").is_some_and(|next| next.trim().starts_with("WAITING_INPUT"));
    let status = work_status(&value(block, "status")?.to_lowercase())?;
    let status = if waits { WorkStatus::NeedsInput } else { status };
    let summary = shorten(value(block, "message")?, LONGEST_PROSE);
    let needs = (status == WorkStatus::NeedsInput).then(|| summary.clone());
    let files = after(block, "FILES_UPDATED:").map(listed).unwrap_or_default();
    let answer = DevelopAnswer { task_id: None, status, summary, files_changed: files, needs };
    Some(CheckedAnswer { answer: Answer::Develop(answer), dropped: Vec::new(), corrections: Vec::new() })
}

/// Bulleted paths, with or without a remark after a colon.
fn listed(block: &str) -> Vec<String> {
    let lines = block.lines().skip_while(|line| line.trim().is_empty());
    let bullets = lines.map_while(|line| line.trim().strip_prefix("- "));
    let path = |line: &str| {
        let named = line.split_once(": ").map_or(line, |(path, _)| path);
        paths::relative_path(named).ok()
    };
    bullets.filter_map(path).take(super::MOST_FILES).collect()
}

fn worker(text: &str) -> Option<CheckedAnswer> {
    if let Some(block) = after(text, "WORKER_RESULT:") {
        return worker_block(block);
    }
    let asked = after(text, "CLARIFICATION_NEEDED:")?;
    let questions: Vec<&str> = asked.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let needs = shorten(&questions.join("\n"), LONGEST_PROSE);
    if needs.is_empty() {
        return None;
    }
    let answer = WorkerAnswer {
        status: WorkStatus::NeedsInput,
        summary: needs.clone(),
        needs: Some(needs),
        ..WorkerAnswer::default()
    };
    Some(CheckedAnswer { answer: Answer::Worker(answer), dropped: Vec::new(), corrections: Vec::new() })
}

fn worker_block(block: &str) -> Option<CheckedAnswer> {
    let status = work_status(&value(block, "status")?.to_lowercase())?;
    let summary = shorten(value(block, "summary")?, LONGEST_PROSE);
    let mut check = Check::default();
    let files = value(block, "files_changed").unwrap_or_default();
    let object = format!("{{\"files\":{files}}}");
    let files = almost_json::correct(&object, CutText::Lost);
    let files = files.map(|object| check.files(&object.node(), "", "files")).unwrap_or_default();
    let detail = after(block, "DETAILED_OUTPUT:").map(|text| shorten(text.trim(), 20_000));
    let answer = WorkerAnswer {
        status,
        needs: (status == WorkStatus::NeedsInput).then(|| summary.clone()),
        summary,
        files_changed: files,
        next_suggestion: value(block, "next_suggestion").and_then(fields::action_of),
        loop_back_to: value(block, "loop_back_to").and_then(fields::action_of),
        detailed_output: detail.map_or(Json::Null, Json::text),
        ..WorkerAnswer::default()
    };
    Some(CheckedAnswer { answer: Answer::Worker(answer), dropped: check.dropped, corrections: Vec::new() })
}
