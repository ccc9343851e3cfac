//! Repairs: the problem is fixed, and nothing else has changed.

use crate::ccw_edits::files::{Draft, Tree, drafts};
use crate::ccw_edits::spans::apply_keeping;
use crate::ccw_edits::{V2, at, column, facts, situation};
use loopdeck_core::format::Format;
use loopdeck_core::formats::ccw_v2::edit::repair::repair;
use loopdeck_core::loops;
use loopdeck_core::problem::ProblemCode;
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::StatusWord;
use loopdeck_core::step::RepairCode as Repair;
use loopdeck_text::json_span::tree::quote;
use loopdeck_text::text_edit;
use proptest::prelude::*;

const PAUSED: StatusWord = StatusWord::Paused;

fn codes(bytes: &[u8]) -> Vec<ProblemCode> {
    let detail = loops::detail(Format::LoopV2, bytes, &facts(V2), &situation(PAUSED), &[]);
    detail.problems.iter().map(|problem| problem.code).collect()
}

fn carry_out(bytes: &[u8], what: Repair, ours: &[&str]) -> Result<Vec<u8>, RefusalCode> {
    let edits = repair(bytes, &facts(V2), what, &situation(PAUSED)).map_err(|refusal| refusal.code)?;
    Ok(apply_keeping(bytes, &edits, ours))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn orphans_wait_again(draft in drafts()) {
        let before = draft.v2("paused", vec![]);
        let words = column(&before, &["skill_state", "develop", "tasks"], "status");
        let orphans: Vec<_> = (0..words.len()).filter(|index| words[*index] == "in_progress").collect();
        let ours: Vec<String> = orphans.iter().map(|index| format!("skill_state.develop.tasks[{index}].status")).collect();
        let ours: Vec<&str> = ours.iter().map(String::as_str).collect();
        let after = carry_out(&before, Repair::ResetOrphans, &ours);
        if orphans.is_empty() {
            prop_assert_eq!(after, Err(RefusalCode::NothingToRepair));
            return Ok(());
        }
        prop_assert!(codes(&before).contains(&ProblemCode::W11_orphaned_task));
        let after = after.expect("something to repair");
        prop_assert!(!codes(&after).contains(&ProblemCode::W11_orphaned_task));
        let expected: Vec<String> = words.iter().map(|word| word.replace("in_progress", "pending")).collect();
        prop_assert_eq!(column(&after, &["skill_state", "develop", "tasks"], "status"), expected);
    }

    #[test]
    fn counters_count(draft in drafts(), total in 0..9_u32, completed in prop::sample::select(vec!["0", "3.0", "1e0", "7"])) {
        let right = draft.v2("paused", vec![]);
        let text = String::from_utf8(right.clone()).expect("UTF-8");
        // The first of each is the counter: foreign members have other names.
        let counter = |key: &str| at(&right, &["skill_state", "develop", key]);
        let spelled = |text: &str, key: &str, value: &str| {
            let start = text.find(&quote(key)).expect(key) + key.len() + 2;
            let old = text[start..].find(&counter(key)).expect("a number") + start;
            format!("{}{value}{}", &text[..old], &text[old + counter(key).len()..])
        };
        let wrong = spelled(&spelled(&text, "total", &total.to_string()), "completed", completed);
        let ours = ["skill_state.develop.total", "skill_state.develop.completed"];
        match carry_out(wrong.as_bytes(), Repair::Recount, &ours) {
            Ok(after) => {
                prop_assert!(!codes(&after).contains(&ProblemCode::W1_counters));
                for key in ["total", "completed"] {
                    let (now, was) = (at(&after, &["skill_state", "develop", key]), counter(key));
                    prop_assert_eq!(now.parse::<f64>(), was.parse::<f64>());
                }
            }
            Err(code) => {
                prop_assert_eq!(code, RefusalCode::NothingToRepair);
                prop_assert!(!codes(wrong.as_bytes()).contains(&ProblemCode::W1_counters));
            }
        }
    }

    #[test]
    fn a_stale_end_goes_and_the_rest_is_as_if_it_never_was(draft in drafts(), reason in any::<String>()) {
        let clean = Draft { foreign: vec![], ..draft };
        let end = vec![("completed_at", Tree::text(crate::ccw_edits::TIME)), ("failure_reason", Tree::text(&reason))];
        let after = carry_out(&clean.v2("paused", end), Repair::ClearStaleEnd, &["completed_at", "failure_reason"]);
        prop_assert_eq!(after, Ok(clean.v2("paused", vec![])));
    }

    #[test]
    fn only_the_tail_is_cut(draft in drafts(), tail in "[ -~]{1,20}") {
        prop_assume!(!tail.trim().is_empty());
        let whole = draft.v2("paused", vec![]);
        let damaged = [&whole[..], tail.as_bytes()].concat();
        let edits = repair(&damaged, &facts(V2), Repair::StripTrailingGarbage, &situation(PAUSED)).expect("damaged");
        let after = text_edit::apply(&damaged, &edits).expect("one edit");
        let blank = tail.len() - tail.trim_start().len();
        prop_assert_eq!(after, &damaged[..whole.len() + blank]);
    }
}
