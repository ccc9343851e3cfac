//! A verb and its inverse restore the bytes; so do edits of metadata.

use crate::ccw_edits::files::{Draft, drafts};
use crate::ccw_edits::{NOW, V2, assert_sound, facts, situation};
use loopdeck_core::control::{Intent, MetadataPatch};
use loopdeck_core::loops::{self, Place};
use loopdeck_core::status::StatusWord;
use proptest::prelude::*;

/// The times in the files are those that edits write.
fn carry_out(bytes: &[u8], intent: &Intent, shown: StatusWord) -> Vec<u8> {
    let facts = facts(V2);
    let summary = loops::summary(Place::CcwFile, bytes, &facts).expect("a loop");
    let situation = situation(shown);
    assert_eq!(situation.now, NOW);
    let after = loops::carry_out(&summary, bytes, &facts, intent, &situation).expect("legal").bytes;
    assert_sound(V2, &after);
    after
}

fn changed(bytes: &[u8], patch: MetadataPatch) -> Vec<u8> {
    carry_out(bytes, &Intent::EditMetadata(patch), StatusWord::Paused)
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn restores(
    draft: &Draft,
    status: &str,
    there: &(Intent, StatusWord),
    back: &(Intent, StatusWord),
) -> Result<(), TestCaseError> {
    let before = draft.v2(status, vec![]);
    let between = carry_out(&before, &there.0, there.1);
    prop_assert_ne!(&between, &before);
    prop_assert_eq!(carry_out(&between, &back.0, back.1), before);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn pause_and_resume(draft in drafts()) {
        let pause = (Intent::Pause, StatusWord::Interrupted);
        let resume = (Intent::Resume { raise_limit_to: None }, StatusWord::Paused);
        restores(&draft, "running", &pause, &resume)?;
        restores(&draft, "paused", &resume, &pause)?;
    }

    #[test]
    fn stop_and_reopen(draft in drafts()) {
        let stop = (Intent::Stop { reason: None }, StatusWord::Interrupted);
        let reopen = (Intent::Reopen { raise_limit_to: None }, StatusWord::Stopped);
        restores(&draft, "running", &stop, &reopen)?;
    }

    #[test]
    fn a_raised_limit_and_the_old_one(draft in drafts()) {
        let before = draft.v2("paused", vec![]);
        let raised = carry_out(&before, &Intent::Resume { raise_limit_to: Some(50) }, StatusWord::Paused);
        let paused = carry_out(&raised, &Intent::Pause, StatusWord::Interrupted);
        prop_assert_ne!(&paused, &before);
        prop_assert_eq!(changed(&paused, MetadataPatch { max_iterations: Some(10), ..MetadataPatch::default() }), before);
    }

    #[test]
    fn metadata_and_back(draft in drafts(), title in "\\PC{0,20}", description in any::<String>()) {
        let before = draft.v2("paused", vec![]);
        let words = MetadataPatch { title: Some(format!("x{title}")), description: Some(description), ..MetadataPatch::default() };
        let old = MetadataPatch { title: text("T"), description: text("D"), ..MetadataPatch::default() };
        prop_assert_eq!(changed(&changed(&before, words), old), before.clone());
    }

    #[test]
    fn labels_and_none_again(draft in drafts(), tags in prop::collection::vec("[a-z\"\\\\]{1,5}", 1..4), notes in ".{1,20}") {
        let before = draft.v2("paused", vec![]);
        let labels = MetadataPatch { tags: Some(tags.clone()), priority: text("high"), notes: Some(notes), ..MetadataPatch::default() };
        let labelled = changed(&before, labels);
        let facts = facts(V2);
        let summary = loops::summary(Place::CcwFile, &labelled, &facts).expect("a loop");
        prop_assert_eq!(summary.tags, tags);
        prop_assert_eq!(summary.priority.as_deref(), Some("high"));
        let none = MetadataPatch { tags: Some(vec![]), priority: text(""), notes: text(""), ..MetadataPatch::default() };
        prop_assert_eq!(changed(&labelled, none), before);
    }
}
