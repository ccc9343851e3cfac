//! What a judge's answer means for a quality check (AoT contract §11): its scores are weighted here.

use super::verify::{AotConclusion, VerificationDesk};
use super::{CheckOutcome, CheckedBy, UnknownWhy};
use crate::checklist::outcome::is_asked;
use crate::checklist::{CheckType, Verdict, quality_verdict, weighted};
use crate::driver::{self, Action, AgentTask, Conclusion, Ended, Memory};
use crate::format::FileFacts;
use crate::formats::aot::checklist_of;
use crate::formats::aot::read::state;
use crate::view::{ChecklistRow, RubricRow};
use loopdeck_agents::answers::{self, Answer, AnswerError, AnswerErrorCode, AnswerKind, CriterionScore};
use loopdeck_agents::prompts;
use loopdeck_text::shorten;

/// Characters of evidence that are kept.
const LONGEST_EVIDENCE: usize = 4_000;

/// What follows from the end of a judge: its scores are weighted here, or it is asked again. Without usable
/// scores the check has no result. `bytes`: the current file.
pub fn conclude_judge(
    task: &AgentTask,
    ended: &Ended<'_>,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> AotConclusion {
    let judged = match *ended {
        Ended::Failed { class, message } => {
            if let Some(concluded) = driver::interrupted(class, message, memory) {
                return concluded;
            }
            Err((Vec::new(), message.to_owned()))
        }
        Ended::Asks { text } => return driver::waits_for_answer(&judged_item(task), text, memory),
        Ended::Answered { text, structured, .. } => scores(task, structured, text).map_err(|errors| {
            let said: Vec<String> = errors.iter().map(ToString::to_string).collect();
            (errors, said.join("; "))
        }),
    };
    let (verdict, score, evidence) = match judged {
        Ok((score, evidence)) => (threshold_verdict(task, score, bytes), Some(score), evidence),
        Err((errors, why)) => {
            memory.unread += 1;
            if memory.unread < memory.policy.answer_tries {
                let prompt = match errors.as_slice() {
                    [] => prompts::after_failure(&task.prompt, &why),
                    errors => prompts::again(&task.prompt, AnswerKind::Judge, errors),
                };
                return Conclusion::Retry { prompt };
            }
            (Verdict::Unknown, None, format!("{}: {why}", UnknownWhy::NotJudged.sentence()))
        }
    };
    memory.ended_asking();
    judge_result(task, verdict, score, &evidence, bytes, facts, memory)
}

fn judge_result(
    task: &AgentTask,
    verdict: Verdict,
    score: Option<f64>,
    evidence: &str,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> AotConclusion {
    let Action::Judge { row, item } = &task.action else { return Conclusion::Write(Vec::new()) };
    let Some(mut desk) = VerificationDesk::open(bytes, facts, memory) else {
        return Conclusion::Write(Vec::new());
    };
    let outcome = CheckOutcome {
        row: *row,
        item: item.clone(),
        verdict,
        evidence: shorten(evidence, LONGEST_EVIDENCE),
        score,
        by: CheckedBy::Judge,
        why: (verdict == Verdict::Unknown && score.is_none()).then_some(UnknownWhy::NotJudged),
        ..CheckOutcome::default()
    };
    desk.take_result(outcome, |_, now| is_asked(now) && is_of(task, now));
    desk.close()
}

fn judged_item(task: &AgentTask) -> String {
    if let Action::Judge { item, .. } = &task.action { item.clone() } else { String::new() }
}

/// Whether the task judges this check as it is written now.
fn is_of(task: &AgentTask, now: &ChecklistRow) -> bool {
    let judged = task.context.atom.as_ref().and_then(|atom| atom.judged.as_ref());
    now.check_type == Some(CheckType::Quality)
        && judged.is_some_and(|judged| {
            judged.rubric == now.rubric && judged.criteria == now.value.as_deref().unwrap_or_default()
        })
}

fn threshold_verdict(task: &AgentTask, score: f64, bytes: &[u8]) -> Verdict {
    let Action::Judge { row, .. } = &task.action else { return Verdict::Unknown };
    let document = state::read(bytes).ok();
    let checklist = document.as_ref().map(checklist_of).unwrap_or_default();
    let threshold = checklist.rows.get(*row).and_then(|check| check.pass_threshold);
    threshold.map_or(Verdict::Unknown, |threshold| quality_verdict(score, threshold))
}

/// The weighted score and what speaks for it; every criterion must have one.
fn scores(task: &AgentTask, structured: Option<&str>, text: &str) -> Result<(f64, String), Vec<AnswerError>> {
    let reading = answers::read_structured(AnswerKind::Judge, structured, text)?;
    let Answer::Judge(given) = reading.answer else {
        return Err(vec![AnswerError::new(AnswerErrorCode::NoObject, "", "")]);
    };
    let judged = task.context.atom.as_ref().and_then(|atom| atom.judged.as_ref());
    let rubric: &[RubricRow] = judged.map(|judged| judged.rubric.as_slice()).unwrap_or_default();
    let names = judged.map(|judged| judged.criteria_names()).unwrap_or_default();
    let ordered = in_order(&names, &given.scores)?;
    let numbers: Vec<f64> = ordered.iter().map(|score| score.score).collect();
    let Some(score) = weighted(rubric, &numbers) else {
        return Err(vec![AnswerError::new(AnswerErrorCode::Missing, "scores", "")]);
    };
    let lines: Vec<String> = names
        .iter()
        .zip(&ordered)
        .map(|(name, given)| format!("{} {}: {}", shorten(name, 200), given.score, given.evidence))
        .collect();
    Ok((score, lines.join("\n")))
}

/// One score per criterion: by name, or by position if all are there and only the names changed.
fn in_order<'s>(
    names: &[&str],
    scores: &'s [CriterionScore],
) -> Result<Vec<&'s CriterionScore>, Vec<AnswerError>> {
    let same = |one: &str, other: &str| {
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        flat(one) == flat(other)
    };
    let named = |name: &&str| {
        let mut given = scores.iter().filter(|score| same(&score.criterion, name));
        given.next().filter(|_| given.next().is_none())
    };
    let found: Vec<Option<&CriterionScore>> = names.iter().map(named).collect();
    if found.iter().all(Option::is_some) {
        return Ok(found.into_iter().flatten().collect());
    }
    let known = |criterion: &str| names.iter().any(|name| same(name, criterion));
    let in_place =
        |(name, score): (&&str, &CriterionScore)| same(name, &score.criterion) || !known(&score.criterion);
    if scores.len() == names.len() && names.iter().zip(scores).all(in_place) {
        return Ok(scores.iter().collect());
    }
    let missing = names.iter().zip(&found).filter(|(_, found)| found.is_none());
    Err(missing.map(|(name, _)| AnswerError::new(AnswerErrorCode::Missing, "scores", name)).collect())
}
