//! The decision after a round of an AoT loop.

use crate::aot;
use crate::door;
use loopdeck_core::formats::aot::decide;
use loopdeck_core::formats::aot::{Decided, Decision, EndCause};
use loopdeck_core::loops::{self, Place};
use loopdeck_core::refusal::RefusalCode;
use loopdeck_text::text_edit;

const STEM: &str = "aot-loop-state";

/// No panic; a decision is written as decided, keeps a valid file valid, and is taken once.
pub fn check(bytes: &[u8]) {
    judge(bytes);
    if let Some(running) = door::running(Place::AotFile, STEM, bytes) {
        judge(&running);
    }
}

fn judge(bytes: &[u8]) {
    let Ok(decided) = decide(bytes) else { return };
    let after = text_edit::apply(bytes, &decided.edits).expect("edits do not overlap");
    assert_eq!(aot::body(&after), aot::body(bytes), "the body changed");
    if door::errors(Place::AotFile, STEM, bytes).is_empty() {
        assert_eq!(door::errors(Place::AotFile, STEM, &after), [], "{:?}", decided.decision);
    }
    says(bytes, &decided, &after);
}

/// The file contains the decision, and the next decision starts from there.
fn says(bytes: &[u8], decided: &Decided, after: &[u8]) {
    let summary = |bytes| loops::summary(Place::AotFile, bytes, &door::facts(STEM)).expect("a loop");
    let (old, new) = (summary(bytes), summary(after));
    // The next decision may concern a field that cannot be edited safely; reading it again must work.
    let next = match decide(after) {
        Ok(next) => Some(next),
        Err(refusal) => {
            assert_eq!(refusal.code, RefusalCode::NotEditable);
            None
        }
    };
    match decided.decision {
        Decision::Inactive | Decision::Completed | Decision::Hold => {
            assert!(decided.edits.is_empty(), "{:?} writes", decided.decision);
        }
        Decision::End(cause) => {
            assert_eq!(new.status_word, "stopped");
            assert_eq!(next.map(|next| next.decision), Some(Decision::Inactive));
            if cause == EndCause::Requested {
                assert_eq!(new.reason, old.reason);
            }
        }
        Decision::Continue { iteration } => {
            #[allow(clippy::cast_precision_loss)] // as it is shown
            let expected = iteration as f64;
            assert_eq!(new.iteration.map(|bar| bar.current), Some(expected));
            let counted = next.is_none_or(|next| next.previous == decided.unresolved);
            assert!(counted, "the count of this round is not where the next one looks");
            assert_eq!(new.status_word, old.status_word);
        }
    }
}
