//! Attention rules: what the person counts as needing them, now and tried on the past.

use loopdeck_core::facts::{AttentionRule, RuleKind};
use loopdeck_core::status::Group;
use loopdeck_core::times::TimeDelta;
use loopdeck_runtime::clock;
use loopdeck_runtime::views::{FailureKind, SectionKind};
use loopdeck_tests::live::{Live, loop_v2};
use std::fs;
use std::time::{Duration, SystemTime};

const ID: &str = "loop-v2-20261120T042410-d8ff7e62";

fn rule(kind: RuleKind, limit: f64) -> AttentionRule {
    AttentionRule { workspace: None, kind, limit }
}

/// A running loop in iteration 4 whose last tests failed, untouched for an hour.
fn live() -> Live {
    aged(Duration::from_secs(3_600))
}

/// The same, untouched for so long.
fn aged(age: Duration) -> Live {
    let mut live = Live::with(|workspace| {
        let path = workspace.join(format!(".workflow/.loop/{ID}.json"));
        let state = r#", "current_iteration": 4, "skill_state": {"validate": {"test_results": [
            {"iteration": 4, "timestamp": "2026-11-20T05:00:00Z",
             "summary": {"total": 3, "passed": 2, "failed": 1, "skipped": 0, "pass_rate": "66.7"}, "tests": []}]}}}"#;
        let text = loop_v2(ID, "running").trim_end().trim_end_matches('}').to_owned() + state;
        fs::write(&path, text).unwrap();
        let changed = SystemTime::now() - age;
        fs::File::options().write(true).open(&path).unwrap().set_modified(changed).unwrap();
    });
    live.wait_for("the loop", |live| live.row(&format!("{ID}.json")).is_some());
    live
}

/// Kinds of the rules that the loop fires, and whether it needs a person.
fn fired(live: &Live) -> (Vec<RuleKind>, bool) {
    let overview = live.runtime.overview(9).unwrap();
    let section = overview.sections.iter().find(|section| !section.loops.is_empty()).unwrap();
    let kinds = section.loops[0].fired.iter().map(|rule| rule.kind).collect();
    (kinds, section.kind == SectionKind::NeedsPerson)
}

#[test]
fn a_loop_needs_the_person_by_their_rules() {
    let live = live();
    let (_, needs) = fired(&live);
    let save = |rules: &[AttentionRule]| live.runtime.save_attention_rules(rules.to_vec()).unwrap();
    save(&[rule(RuleKind::Stalled, 30.0), rule(RuleKind::Stalled, 10.0), rule(RuleKind::FailingTests, 3.0)]);
    assert_eq!(fired(&live), (vec![RuleKind::Stalled, RuleKind::FailingTests], true));
    save(&[rule(RuleKind::Stalled, 90.0), rule(RuleKind::FailingTests, 5.0), rule(RuleKind::Cost, 0.1)]);
    assert_eq!(fired(&live), (vec![], needs));
    save(&[AttentionRule { workspace: Some("another".into()), ..rule(RuleKind::Stalled, 1.0) }]);
    assert_eq!(fired(&live), (vec![], needs));
}

#[test]
fn a_running_loop_needs_the_person_in_the_list_while_it_fires_a_rule() {
    let live = aged(Duration::ZERO);
    let seen = || (live.runtime.rows()[0].group, live.runtime.needing());
    let save = |rules: &[AttentionRule]| live.runtime.save_attention_rules(rules.to_vec()).unwrap();
    assert_eq!(seen(), (Group::Active, 0));
    save(&[rule(RuleKind::FailingTests, 3.0)]);
    assert_eq!(seen(), (Group::Attention, 1));
    save(&[]);
    assert_eq!(seen(), (Group::Active, 0));
}

#[test]
fn rules_are_kept_and_one_without_a_number_is_refused() {
    let live = live();
    let rules = vec![rule(RuleKind::Cost, 2.5)];
    live.runtime.save_attention_rules(rules.clone()).unwrap();
    let refused = live.runtime.save_attention_rules(vec![rule(RuleKind::Cost, 0.0)]).unwrap_err();
    assert_eq!(refused.kind, FailureKind::BadForm);
    assert_eq!(live.restarted().runtime.attention_rules(), rules);
}

#[test]
fn a_rule_is_tried_on_what_the_journal_keeps() {
    let mut live = live();
    let name = format!("{ID}.json");
    let tried = |live: &Live, kind, limit| live.runtime.try_attention_rule(&rule(kind, limit)).unwrap();
    let known = live.row(&name).unwrap().changed;
    let key = live.row(&name).unwrap().key.clone();
    let versions = |live: &Live| live.runtime.history(&key, 9).unwrap().len();
    // Asking for the history keeps what is there: once before the change, once after it.
    assert_eq!(versions(&live), 1);
    let text =
        live.read(&name).replace("\"failed\": 1", "\"failed\": 0").replace("\"passed\": 2", "\"passed\": 3");
    live.replace(&name, &text);
    live.wait_for("the change", |live| live.row(&name).is_some_and(|row| row.changed > known));
    assert_eq!(versions(&live), 2);
    let stalled = tried(&live, RuleKind::Stalled, 30.0);
    assert_eq!((stalled.fired, stalled.days, stalled.hits.len(), stalled.partial), (1, 7, 1, false));
    assert!(stalled.hits[0].title.contains(ID), "{stalled:?}");
    assert_eq!(tried(&live, RuleKind::Stalled, 90.0).fired, 0);
    // Its log grew in the middle of that hour: for twenty minutes nothing happened, but not for fifty.
    assert_eq!(tried(&live, RuleKind::NoActivity, 50.0).fired, 1);
    let middle = (clock::now() - TimeDelta::minutes(30)).millis();
    let log = format!(r#"{{"hid":"H1","ts":{middle},"func":"retry","data":{{"n":1}}}}"#);
    fs::create_dir_all(live.path(&format!("{ID}.progress"))).unwrap();
    live.write(&format!("{ID}.progress/debug.log"), format!("{log}\n"));
    let quiet = |live: &Live, minutes| tried(live, RuleKind::NoActivity, minutes).fired;
    live.wait_for("the log", |live| quiet(live, 50.0) == 0);
    assert_eq!(quiet(&live, 20.0), 2);
    assert_eq!(tried(&live, RuleKind::FailingTests, 4.0).fired, 1);
    assert_eq!(tried(&live, RuleKind::FailingTests, 5.0).fired, 0);
    assert_eq!(tried(&live, RuleKind::Cost, 0.5).fired, 0);
}
