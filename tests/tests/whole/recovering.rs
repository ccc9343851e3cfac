//! A damaged state file: proposals, the accepted one, the damaged version kept next to it, and undoing that.

use loopdeck_core::control::MetadataPatch;
use loopdeck_core::problem::Severity;
use loopdeck_core::recovery::{ProposalSource, Supplied};
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::views::{FailureKind, LoopChange, RecoveryOption};
use loopdeck_tests::live::{Live, ROOT, loop_v2};
use std::fs;

const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
const NAME: &str = "loop-v2-20261120T042421-d8ff7e62.json";

/// A loop whose file contains `damage`, with a text next to it; known from before, or not.
fn damaged(damage: &[u8], known: bool) -> Live {
    let mut live = Live::with(|workspace| {
        let root = workspace.join(ROOT);
        fs::create_dir(root.join(format!("{ID}.progress"))).unwrap();
        let log = "{\"timestamp\":\"2026-11-20T05:00:00.000Z\",\"task_id\":\"task-001\",\"description\":\"d\",\"result\":\"success\"}\n";
        fs::write(root.join(format!("{ID}.progress/changes.log")), log).unwrap();
        let text = if known { loop_v2(ID, "paused").into_bytes() } else { damage.to_vec() };
        fs::write(root.join(NAME), text).unwrap();
    });
    if known {
        let title = MetadataPatch { title: Some("Known".into()), ..MetadataPatch::default() };
        live.runtime.edit_metadata(&live.key(NAME), title).unwrap();
        live.write(NAME, damage);
    }
    live.wait_for_word(NAME, StatusWord::CannotRead);
    live
}

fn damages() -> [Vec<u8>; 4] {
    let whole = loop_v2(ID, "paused");
    [
        whole.as_bytes()[..whole.len() - 90].to_vec(),
        Vec::new(),
        b"\xff\xfe garbage \x00".to_vec(),
        b"{}{}".to_vec(),
    ]
}

fn rebuilt(live: &Live) -> RecoveryOption {
    let page = live.runtime.recovery(&live.key(NAME)).unwrap();
    page.options
        .into_iter()
        .find(|option| option.way == ProposalSource::Rebuilt)
        .expect("the loop can be put together")
}

fn agree(option: &RecoveryOption) -> LoopChange {
    LoopChange::Recover {
        way: option.way,
        fingerprint: option.fingerprint.clone(),
        supplied: Supplied::default(),
    }
}

/// All but the line with `updated_at`.
fn without_stamp(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.contains("\"updated_at\"")).collect()
}

#[test]
fn what_is_left_takes_its_place_and_the_damage_is_kept() {
    for known in [true, false] {
        for damage in damages() {
            let said = format!("{known} {:?}", String::from_utf8_lossy(&damage));
            let mut live = damaged(&damage, known);
            let page = live.runtime.recovery(&live.key(NAME)).unwrap();
            assert_eq!(page.there, String::from_utf8_lossy(&damage), "{said}");
            let option = rebuilt(&live);
            live.change(NAME, agree(&option)).unwrap_or_else(|failure| panic!("{said}: {failure:?}"));
            let (written, proposed) = (live.read(NAME), option.text.clone());
            assert_eq!(without_stamp(&written), without_stamp(&proposed), "{said}");
            let stamp =
                |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["updated_at"].clone();
            assert_ne!(stamp(&written), stamp(&proposed), "{said}: the time of the write");
            assert_eq!(
                fs::read(live.workspace.join(&page.aside)).unwrap(),
                damage,
                "{said}: under the shown name"
            );
            let problems = live.detail(NAME).problems;
            assert!(
                problems.iter().all(|problem| problem.severity < Severity::Error),
                "{said}: {problems:?}"
            );
            assert_eq!(live.row(NAME).unwrap().title == "Known", known, "{said}");
            live.runtime.rescan().unwrap();
            live.pull();
            assert_eq!(live.rows.len(), 1, "{said}: what was set aside is no loop");
            live.undo(NAME).unwrap();
            assert_eq!(fs::read(live.path(NAME)).unwrap(), damage, "{said}: undone");
        }
    }
}

#[test]
fn another_damage_than_the_one_that_was_shown_is_refused() {
    let live = damaged(b"{\"loop_id\": ", true);
    let option = rebuilt(&live);
    live.write(NAME, "{\"loop_id\"");
    let before = live.files();
    assert_eq!(live.change(NAME, agree(&option)).unwrap_err().kind, FailureKind::ChangedSince);
    let odd = LoopChange::Recover {
        way: ProposalSource::Rebuilt,
        fingerprint: "0".into(),
        supplied: Supplied::default(),
    };
    assert_eq!(live.change(NAME, odd).unwrap_err().kind, FailureKind::ChangedSince);
    assert_eq!(live.files(), before, "nothing is set aside either");
}

#[test]
fn a_file_that_somebody_healed_is_not_overwritten() {
    let mut live = damaged(b"{\"loop_id\": ", true);
    let option = rebuilt(&live);
    let healed = loop_v2(ID, "completed");
    live.replace(NAME, &healed);
    let failure = live.change(NAME, agree(&option)).unwrap_err();
    assert!(matches!(failure.kind, FailureKind::ChangedSince | FailureKind::Refused), "{failure:?}");
    live.wait_for_word(NAME, StatusWord::Completed);
    let failure = live.change(NAME, agree(&option)).unwrap_err();
    assert_eq!(failure.refusal.map(|refusal| refusal.code), Some(RefusalCode::NothingToRepair));
    assert_eq!(live.read(NAME), healed);
}

#[test]
fn a_loop_that_can_be_read_has_no_proposals() {
    let live = Live::with(|workspace| {
        fs::write(workspace.join(ROOT).join(NAME), loop_v2(ID, "paused")).unwrap();
    });
    let failure = live.runtime.recovery(&live.key(NAME)).unwrap_err();
    assert_eq!(failure.refusal.map(|refusal| refusal.code), Some(RefusalCode::NothingToRepair));
}
