//! What a judge's answer means for a quality check (AoT contract §11, the proof contract §1): its scores are weighted here.

use super::{Action, AgentTask, Conclusion, Ended, Memory, interrupted, waits_for_answer};
use crate::checklist::{CheckOutcome, CheckType, CheckedBy, UnknownWhy, Verdict, quality_verdict, weighted};
use crate::view::{ChecklistRow, RubricRow};
use loopdeck_agents::answers::{self, Answer, AnswerError, AnswerErrorCode, AnswerKind, CriterionScore};
use loopdeck_agents::prompts;
use loopdeck_text::shorten;

/// Characters of evidence that are kept.
const LONGEST_EVIDENCE: usize = 4_000;

/// What a judge says of its check, against the `threshold` of that; without usable scores the check has no result.
///
/// # Errors
/// What follows when it has to go on, or is asked again.
pub(crate) fn judged<Op>(
    task: &AgentTask,
    ended: &Ended<'_>,
    threshold: Option<f64>,
    memory: &mut Memory,
) -> Result<CheckOutcome, Box<Conclusion<Op>>> {
    let judged = match *ended {
        Ended::Failed { class, message } => match interrupted(class, message, memory) {
            Some(concluded) => return Err(Box::new(concluded)),
            None => Err((Vec::new(), message.to_owned())),
        },
        Ended::Asks { text } => return Err(Box::new(waits_for_answer(&check_of(task).1, text, memory))),
        Ended::Answered { text, structured, .. } => scores(task, structured, text).map_err(|errors| {
            let said: Vec<String> = errors.iter().map(ToString::to_string).collect();
            (errors, said.join("; "))
        }),
    };
    let (score, evidence) = match judged {
        Ok((score, evidence)) => (Some(score), evidence),
        Err((errors, why)) => {
            memory.unread += 1;
            if memory.unread < memory.policy.answer_tries {
                let prompt = match errors.as_slice() {
                    [] => prompts::after_failure(&task.prompt, &why),
                    errors => prompts::again(&task.prompt, AnswerKind::Judge, errors),
                };
                return Err(Box::new(Conclusion::Retry { prompt }));
            }
            (None, format!("{}: {why}", UnknownWhy::NotJudged.sentence()))
        }
    };
    memory.ended_asking();
    let (row, item) = check_of(task);
    let verdict = score.zip(threshold).map(|(score, threshold)| quality_verdict(score, threshold));
    Ok(CheckOutcome {
        row,
        item,
        verdict: verdict.unwrap_or(Verdict::Unknown),
        evidence: shorten(&evidence, LONGEST_EVIDENCE),
        score,
        by: CheckedBy::Judge,
        why: score.is_none().then_some(UnknownWhy::NotJudged),
        ..CheckOutcome::default()
    })
}

/// Row and name of the check that is judged.
pub(crate) fn check_of(task: &AgentTask) -> (usize, String) {
    if let Action::Judge { row, item } = &task.action {
        (*row, item.clone())
    } else {
        (usize::MAX, String::new())
    }
}

/// Whether the task judges this check as it is written now.
pub(crate) fn judges(task: &AgentTask, now: &ChecklistRow) -> bool {
    let judged = task.context.atom.as_ref().and_then(|atom| atom.judged.as_ref());
    now.check_type == Some(CheckType::Quality)
        && judged.is_some_and(|judged| {
            judged.rubric == now.rubric && judged.criteria == now.value.as_deref().unwrap_or_default()
        })
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
