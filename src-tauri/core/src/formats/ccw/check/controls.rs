//! Verbs as offered to a person: the effect, and the command for starting the agent by hand (the CCW contract
//! §5.5).

use super::rules;
use crate::control::{Control, EffectCode, Situation, Verb};
use crate::format::{FileFacts, Format};
use crate::status::FileStatus;
use crate::summary::Summary;
use std::collections::BTreeMap;

pub(crate) const OFFERED: [Verb; 7] =
    [Verb::Start, Verb::Pause, Verb::Resume, Verb::Stop, Verb::Reopen, Verb::EditMetadata, Verb::Delete];

/// Verbs with their sentences and reasons. Their value `iteration` is the next one.
#[must_use]
pub fn controls(summary: &Summary, facts: &FileFacts<'_>, situation: &Situation) -> Vec<Control> {
    OFFERED
        .into_iter()
        .map(|verb| Control {
            verb,
            refusal: rules::refuse(summary, verb, situation),
            effect: effect(summary, verb, situation),
            args: args(summary, verb, facts),
            confirm: confirm(summary, verb),
            notice: None,
            takes_reason: false, // CCW files have fixed words for it
        })
        .collect()
}

/// What a verb would do now.
pub(crate) fn effect(summary: &Summary, verb: Verb, situation: &Situation) -> EffectCode {
    let at_work = rules::is_at_work(situation);
    match verb {
        Verb::Start => EffectCode::StartByHand,
        Verb::Pause if at_work => EffectCode::PauseBeforeNextAction,
        Verb::Pause => EffectCode::PauseNow,
        Verb::Resume => EffectCode::ResumeByHand,
        Verb::Stop if at_work => EffectCode::StopElsewhere,
        Verb::Stop => EffectCode::StopNow,
        Verb::Reopen if summary.nothing_left => EffectCode::ReopenNothingToDo,
        Verb::Reopen => EffectCode::ReopenByHand,
        Verb::Finalise => EffectCode::Finalise,
        Verb::EditMetadata => EffectCode::EditMetadata,
        Verb::Delete => EffectCode::Delete,
    }
}

fn args(summary: &Summary, verb: Verb, facts: &FileFacts<'_>) -> BTreeMap<String, String> {
    let mut args = BTreeMap::new();
    if !matches!(verb, Verb::Start | Verb::Resume | Verb::Reopen) {
        return args;
    }
    if let Some(iteration) = summary.iteration {
        args.insert("iteration".to_owned(), (iteration.current + 1.0).to_string());
        args.insert("limit".to_owned(), iteration.limit.to_string());
    }
    args.insert("command".to_owned(), command(summary, facts.stem));
    args
}

/// The prompt that makes an agent work on the loop (§5.5). Claude's and Codex' v2 skills both accept this
/// form.
fn command(summary: &Summary, stem: &str) -> String {
    if summary.format != Format::LoopB {
        return format!("/ccw-loop --loop-id {stem} --auto");
    }
    let parallel = summary.mode.as_deref().is_some_and(|mode| mode.eq_ignore_ascii_case("parallel"));
    format!("/ccw-loop-b --loop-id={stem} --mode={}", if parallel { "parallel" } else { "auto" })
}

fn confirm(summary: &Summary, verb: Verb) -> bool {
    match verb {
        Verb::Stop | Verb::Delete => true,
        Verb::Reopen => summary.status != FileStatus::UserExit,
        _ => false,
    }
}
