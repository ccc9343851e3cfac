//! What is said of a hypothesis: its verdict, its rank among the others, and what belongs to the file it looks at.

use crate::formats::ccw::progress_docs::records::Confidence;
use serde::Serialize;
use specta::Type;

/// The verdict on a hypothesis (the CCW contract §2). Words: catalogue `word.<verdict>`; of `other` the file's own word is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum HypothesisVerdict {
    /// Not judged yet.
    Pending,
    /// It is the cause.
    Confirmed,
    /// It is not the cause.
    Rejected,
    /// The evidence decides nothing.
    Inconclusive,
    /// A word the format does not define, or none.
    #[default]
    Other,
}

impl HypothesisVerdict {
    /// What a status word means, in any case.
    #[must_use]
    pub fn of(word: &str) -> Self {
        match word.trim().to_ascii_lowercase().as_str() {
            "pending" => Self::Pending,
            "confirmed" => Self::Confirmed,
            "rejected" => Self::Rejected,
            "inconclusive" => Self::Inconclusive,
            _ => Self::Other,
        }
    }

    /// Whether somebody looked at evidence and said something.
    #[must_use]
    pub fn is_judged(self) -> bool {
        matches!(self, Self::Confirmed | Self::Rejected | Self::Inconclusive)
    }
}

/// Where a hypothesis stands among the others of its loop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Type)]
pub struct RankView {
    /// 1 for the most likely; those that say the same share it.
    pub order: u32,
    /// What the file says.
    pub by: RankedBy,
}

/// By what a hypothesis has its rank.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Type)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum RankedBy {
    /// `likelihood` as the format means it: 1 = most likely.
    Place(u32),
    /// A `likelihood` that is no place, such as 0.35.
    Likelihood(#[specta(type = u32)] f64), // a finite number in TypeScript
    /// Loop-B: how sure the agent is.
    Confidence(Confidence),
}

impl RankedBy {
    /// By its likelihood, else by how sure the agent is; nothing when neither is said.
    #[must_use]
    pub fn of(likelihood: Option<f64>, confidence: Option<Confidence>) -> Option<Self> {
        match likelihood.filter(|number| number.is_finite()) {
            Some(number) => Some(place(number).map_or(Self::Likelihood(number), Self::Place)),
            None => confidence.map(Self::Confidence),
        }
    }

    /// The number that ranks are ordered by, the first of them lowest.
    #[must_use]
    pub fn number(self) -> f64 {
        match self {
            Self::Place(place) => f64::from(place),
            Self::Likelihood(number) => number,
            Self::Confidence(sure) => f64::from(sure.place()),
        }
    }
}

/// A whole number from 1.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates, and is compared after
fn place(number: f64) -> Option<u32> {
    let place = number as u32;
    #[allow(clippy::float_cmp)] // the same number, or no place
    let is_place = place >= 1 && f64::from(place) == number;
    is_place.then_some(place)
}

/// What belongs to the file of a hypothesis' logging point, as places in the lists of its loop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct RelatedView {
    /// 0-based places of the tasks that changed the file, in their order, at most 100.
    pub tasks: Vec<u32>,
    /// 0-based places of the failed tests whose names name the file, in their order, at most 100.
    pub failed_tests: Vec<u32>,
    /// 0-based places of the events that are about the file or name it, the newest first, at most 5. Entries of
    /// `debug.log` are left out: they are with their hypothesis.
    pub events: Vec<u32>,
    /// How many such events there are.
    pub events_total: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_its_word_in_any_case() {
        for (word, verdict, judged) in [
            ("pending", HypothesisVerdict::Pending, false),
            (" Confirmed ", HypothesisVerdict::Confirmed, true),
            ("REJECTED", HypothesisVerdict::Rejected, true),
            ("inconclusive", HypothesisVerdict::Inconclusive, true),
            ("parked", HypothesisVerdict::Other, false),
            ("", HypothesisVerdict::Other, false),
        ] {
            let found = HypothesisVerdict::of(word);
            assert_eq!((found, found.is_judged()), (verdict, judged), "{word}");
        }
    }

    #[test]
    fn a_rank_is_a_place_a_share_or_how_sure_the_agent_is() {
        let sure = Some(Confidence::Low);
        for (likelihood, confidence, expected) in [
            (Some(1.0), sure, Some(RankedBy::Place(1))),
            (Some(22.0), None, Some(RankedBy::Place(22))),
            (Some(0.35), None, Some(RankedBy::Likelihood(0.35))),
            (Some(1.5), None, Some(RankedBy::Likelihood(1.5))),
            (Some(0.0), None, Some(RankedBy::Likelihood(0.0))),
            (Some(-1.0), None, Some(RankedBy::Likelihood(-1.0))),
            (Some(1e300), None, Some(RankedBy::Likelihood(1e300))),
            (Some(f64::NAN), sure, Some(RankedBy::Confidence(Confidence::Low))),
            (None, sure, Some(RankedBy::Confidence(Confidence::Low))),
            (None, None, None),
        ] {
            assert_eq!(RankedBy::of(likelihood, confidence), expected, "{likelihood:?}");
        }
    }
}
