//! Follow-up work of a completed loop: offered by its facts, started as a new loop, linked in both
//! directions.

use loopdeck_core::follow_up::FollowUp;
use loopdeck_core::start::{NewFormat, Recipe};
use loopdeck_core::status::StatusWord;
use loopdeck_core::view::{FollowUpKind, FollowUpReason};
use loopdeck_runtime::views::FollowUpLink;
use loopdeck_tests::driving::{Driven, planned, small};
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use serde_json::json;

fn driven() -> Driven {
    Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"))
}

#[test]
fn follow_up_work_is_a_loop_that_names_its_parent_and_both_know_each_other() {
    let mut driven = driven();
    driven.script(&small(Output::Text, Vec::new()));
    let parent = driven.start(&driven.small_form("custom:scripted"));
    driven.wait_for_word(&parent, StatusWord::Completed);
    let key = driven.live.key(&parent);
    let page = driven.live.runtime.read_loop(&key).unwrap();
    assert_eq!((page.parent, page.followed_by.len()), (None, 0));
    let offers: Vec<_> =
        page.detail.follow_ups.iter().map(|offer| (offer.kind, offer.because, offer.count)).collect();
    assert_eq!(offers[0], (FollowUpKind::Test, FollowUpReason::TestsPassed, 1));
    assert_eq!(offers[1], (FollowUpKind::Enhance, FollowUpReason::TasksDone, 1));
    assert_eq!(offers.len(), 4);

    let mut form = driven.live.runtime.form_of(&key).unwrap();
    assert_eq!((form.plan.agent.as_str(), form.folder.clone()), ("custom:scripted", driven.folder()));
    form.plan.level = driven.plan("custom:scripted").level; // full access is chosen for each loop
    form.work.goal = "Test more".into();
    let (kind, loop_id) = (FollowUpKind::Test, page.row.id.clone());
    form.work.follow_up = Some(FollowUp { kind, loop_id: loop_id.clone(), key: key.clone() });
    let child = driven.start(&form);
    let description = driven.state(&child)["description"].as_str().unwrap().to_owned();
    assert_eq!(description, format!("Test more\n\nFollow-up (test) of {loop_id}"));
    driven.wait_for_word(&child, StatusWord::Completed);

    let links = |driven: &Driven| {
        let read = |name: &str| driven.live.runtime.read_loop(&driven.live.key(name)).unwrap();
        (read(&child).parent, read(&parent).followed_by)
    };
    let link = |driven: &Driven, name: &str| {
        let row = driven.live.row(name).unwrap();
        FollowUpLink { kind, key: Some(row.key.clone()), title: row.title.clone() }
    };
    assert_eq!(links(&driven), (Some(link(&driven, &parent)), vec![link(&driven, &child)]));
    let mut driven = Driven { live: driven.live.restarted() };
    driven.wait_for_word(&child, StatusWord::Completed);
    assert_eq!(
        links(&driven),
        (Some(link(&driven, &parent)), vec![link(&driven, &child)]),
        "also after a restart"
    );

    // The parent disappears: its name stays, and leads nowhere.
    std::fs::remove_file(driven.live.path(&parent)).unwrap();
    driven.live.wait_for("gone", |live| live.row(&parent).is_none());
    let left = driven.live.runtime.read_loop(&driven.live.key(&child)).unwrap().parent.unwrap();
    assert_eq!((left.key, left.title), (None, loop_id));
}

#[test]
fn a_loop_b_offers_follow_up_work_when_it_is_completed_and_not_before() {
    let mut driven = driven();
    let worker = |worker: &str, files: &[&str], completed: &[&str]| {
        let write = |path: &&str| Step::Write { path: (*path).into(), text: worker.to_owned() };
        let rule = files.iter().map(write).fold(Rule::on(worker), Rule::then);
        rule.answers(json!({
            "status": "success", "summary": "did", "files_changed": [], "completed_tasks": completed,
            "next_suggestion": null, "loop_back_to": null, "detailed_output": null, "needs": null,
        }))
    };
    let rules = vec![
        planned(1),
        worker("develop", &["b.rs", "a.rs"], &["task-001"]),
        worker("debug", &["b.rs"], &[]),
    ];
    driven.script(&Scripted { output: Output::Text, rules });
    let mut form = driven.small_form("custom:scripted");
    (form.work.recipe, form.work.format) = (Recipe::BuildFeature, Some(NewFormat::LoopB));
    let name = driven.start(&form);
    driven.wait_for_word(&name, StatusWord::Completed);
    let offers = driven.live.detail(&name).follow_ups;
    let doc = offers.iter().find(|offer| offer.kind == FollowUpKind::Doc).unwrap();
    assert_eq!(doc.because, FollowUpReason::FilesChanged);
    let at = |file: &str| doc.names.iter().position(|name| name == file);
    assert!(at("b.rs").is_some() && at("b.rs") < at("a.rs"), "what both changed comes first: {doc:?}");
    driven
        .live
        .replace(&name, driven.live.read(&name).replace("\"completed\",\n  \"cur", "\"running\",\n  \"cur"));
    driven.live.wait_for("running", |live| live.row(&name).is_some_and(|row| row.file_word == "running"));
    assert_eq!(driven.live.detail(&name).follow_ups, []);
}
