//! Which steps of the work are possible now, for both drivers (the CCW contract §7, §8, §12).

use crate::control::Situation;
use crate::format::{FileFacts, Format};
use crate::formats::ccw::drive::gate;
use crate::refusal::{Refusal, RefusalCode};
use crate::step::{StepCode, StepOffer};
use crate::summary::Summary;
use loopdeck_text::json_span::tree::Node;

const LOOP_V2: [StepCode; 6] = [
    StepCode::V2Init,
    StepCode::V2Begin,
    StepCode::V2Develop,
    StepCode::V2Debug,
    StepCode::V2Validate,
    StepCode::V2Complete,
];

const LOOP_B: [StepCode; 5] =
    [StepCode::BPlanned, StepCode::BEnter, StepCode::BWorkerDone, StepCode::BMerge, StepCode::BComplete];

/// The steps of `format`, each with the reason if it is not possible now.
pub(crate) fn steps(
    format: Format,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    situation: &Situation,
) -> Vec<StepOffer> {
    let steps: &[StepCode] = match format {
        Format::LoopV2 => &LOOP_V2,
        Format::LoopB => &LOOP_B,
        _ => return Vec::new(),
    };
    let open = gate(bytes, format, facts, situation);
    let has_state = Node::parse(bytes).is_ok_and(|root| root.get("skill_state").is_object());
    let offer = |step: &StepCode| {
        let refusal = match &open {
            Err(refusal) => Some(refusal.clone()),
            Ok(summary) => by_state(*step, summary, has_state),
        };
        StepOffer::new(*step, refusal)
    };
    let mut offers: Vec<StepOffer> = steps.iter().map(offer).collect();
    // The list is the person's own file: it can be changed in every readable state.
    offers.push(StepOffer::new(StepCode::EditTasks, None));
    offers
}

fn by_state(step: StepCode, summary: &Summary, has_state: bool) -> Option<Refusal> {
    use StepCode as S;
    let code = match step {
        S::V2Init if has_state => RefusalCode::AlreadyInitialised,
        S::V2Init | S::BPlanned if !summary.at_limit() => return None,
        _ if !has_state && step != S::BPlanned && step != S::V2Init => RefusalCode::NotInitialised,
        S::V2Complete | S::BComplete | S::BEnter | S::V2Init => return None,
        _ if summary.at_limit() => RefusalCode::LimitReached,
        _ => return None,
    };
    Some(Refusal::because(code, summary))
}
