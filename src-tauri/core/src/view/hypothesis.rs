//! Facts about a hypothesis: its verdict, its rank among the others, and items related to its file.

use crate::formats::ccw::progress_docs::records::Confidence;
use serde::Serialize;
use specta::Type;

/// The verdict on a hypothesis (the CCW contract §2). Words: catalogue `word.<verdict>`; for `other` the
/// file's own word is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum HypothesisVerdict {
    /// Not judged yet.
    Pending,
    /// It is the cause.
    Confirmed,
    /// It is not the cause.
    Rejected,
    /// The evidence is not conclusive.
    Inconclusive,
    /// A word that the format does not define, or none.
    #[default]
    Other,
}

impl HypothesisVerdict {
    /// The meaning of a status word, in any case.
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        match word.trim().to_ascii_lowercase().as_str() {
            "pending" => Self::Pending,
            "confirmed" => Self::Confirmed,
            "rejected" => Self::Rejected,
            "inconclusive" => Self::Inconclusive,
            _ => Self::Other,
        }
    }

    /// Whether the evidence was judged.
    #[must_use]
    pub fn is_judged(self) -> bool {
        matches!(self, Self::Confirmed | Self::Rejected | Self::Inconclusive)
    }
}

/// The rank of a hypothesis among the others of its loop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Type)]
pub struct RankView {
    /// 1 for the most likely; equal values share a rank.
    pub order: u32,
    /// The value in the file.
    pub by: RankedBy,
}

/// The basis of a hypothesis' rank.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Type)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum RankedBy {
    /// `likelihood` as the format defines it: 1 = most likely.
    Place(u32),
    /// A `likelihood` that is not a rank, such as 0.35.
    Likelihood(#[specta(type = u32)] f64), // a finite number in TypeScript
    /// Loop-B: how sure the agent is.
    Confidence(Confidence),
}

impl RankedBy {
    /// By its likelihood, otherwise by the agent's confidence; none when neither is given.
    #[must_use]
    pub fn choose(likelihood: Option<f64>, confidence: Option<Confidence>) -> Option<Self> {
        match likelihood.filter(|number| number.is_finite()) {
            Some(number) => Some(place(number).map_or(Self::Likelihood(number), Self::Place)),
            None => confidence.map(Self::Confidence),
        }
    }

    /// The sort key of ranks; the first rank has the lowest.
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
    #[allow(clippy::float_cmp)] // the same number, or not a rank
    let is_place = place >= 1 && f64::from(place) == number;
    is_place.then_some(place)
}

/// Items related to the file of a hypothesis' logging point, as indices into the lists of its loop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct RelatedView {
    /// 0-based indices of the tasks that changed the file, in order, at most 100.
    pub tasks: Vec<u32>,
    /// 0-based indices of the failed tests whose names mention the file, in order, at most 100.
    pub failed_tests: Vec<u32>,
    /// 0-based indices of the events that are about the file or mention it, newest first, at most 5. Entries
    /// of `debug.log` are left out, because they are shown with their hypothesis.
    pub events: Vec<u32>,
    /// Total number of such events.
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
            let found = HypothesisVerdict::from_word(word);
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
            assert_eq!(RankedBy::choose(likelihood, confidence), expected, "{likelihood:?}");
        }
    }
}
