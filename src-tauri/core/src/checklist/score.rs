//! The score of a quality check (AoT contract §11).

use super::Verdict;
use crate::view::RubricRow;

/// Scores that differ by less are equal.
const TOLERANCE: f64 = 1e-9;

/// Σ(score·weight) / Σweight, one score per criterion; without a rubric, the single score. `None` when the
/// counts differ.
#[must_use]
pub fn weighted(rubric: &[RubricRow], scores: &[f64]) -> Option<f64> {
    if rubric.is_empty() {
        return if let [only] = scores { Some(*only) } else { None };
    }
    let sum: f64 = rubric.iter().map(|row| row.weight).sum();
    let score: f64 = rubric.iter().zip(scores).map(|(row, score)| row.weight * score).sum();
    (rubric.len() == scores.len() && sum > 0.0).then(|| score / sum)
}

/// Whether a score reaches the threshold.
#[must_use]
pub fn quality_verdict(score: f64, threshold: f64) -> Verdict {
    if score + TOLERANCE >= threshold { Verdict::Pass } else { Verdict::Fail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checklist::normalised;

    fn rubric(weights: &[Option<f64>]) -> Vec<RubricRow> {
        let weights = normalised(weights).expect("weights that can be used");
        weights.into_iter().map(|weight| RubricRow { weight, ..RubricRow::default() }).collect()
    }

    #[test]
    fn weights_are_shares_and_missing_ones_the_mean_of_the_given() {
        for (weights, scores, expected) in [
            // The seed's own weights sum to 0.8, and its example still gives 4.0.
            (&[Some(0.4), Some(0.4)][..], &[4.0, 4.0][..], 4.0),
            (&[Some(0.4), Some(0.4)], &[3.0, 5.0], 4.0),
            (&[None, None, None], &[1.0, 2.0, 3.0], 2.0),
            (&[Some(3.0), Some(1.0)], &[5.0, 1.0], 4.0),
            (&[Some(3.0), Some(1.0), None], &[5.0, 1.0, 3.0], 22.0 / 6.0),
            (&[Some(-1.0), Some(1.0)], &[1.0, 4.5], 4.5),
        ] {
            let score = weighted(&rubric(weights), scores).expect("a score");
            assert!((score - expected).abs() < 1e-12, "{weights:?}: {score}");
        }
        let plain = [2.0, 2.0].map(|weight| RubricRow { weight, ..RubricRow::default() });
        assert_eq!(weighted(&plain, &[3.0, 5.0]), Some(4.0), "weights that are no shares");
        assert_eq!(weighted(&rubric(&[None, None]), &[1.0]), None);
        assert_eq!((weighted(&[], &[3.5]), weighted(&[], &[3.5, 4.0])), (Some(3.5), None));
    }

    #[test]
    fn a_score_that_misses_by_rounding_only_is_enough() {
        let tenths =
            weighted(&rubric(&[Some(0.1), Some(0.7), Some(0.2)]), &[3.8, 3.8, 3.8]).expect("a score");
        assert_eq!(quality_verdict(tenths, 3.8), Verdict::Pass);
        assert_eq!(quality_verdict(3.8 - 1e-12, 3.8), Verdict::Pass);
        assert_eq!(quality_verdict(3.8 - 2e-9, 3.8), Verdict::Fail);
        assert_eq!(quality_verdict(4.0, 4.0), Verdict::Pass);
    }
}
