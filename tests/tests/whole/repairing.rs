//! One-click repairs on files that are really broken: offered, carried out, nothing else touched, undone.

use loopdeck_core::problem::Severity;
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::StatusWord;
use loopdeck_core::step::{RepairCode, RepairOffer};
use loopdeck_runtime::views::FailureKind;
use loopdeck_tests::live::{Live, ROOT, aot, loop_v2};
use loopdeck_tests::steps::repair;
use std::fs;
use std::path::PathBuf;

const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
const AOT: &str = ".claude/aot-loop-state.md";

fn name() -> String {
    format!("{ROOT}/{ID}.json")
}

/// A paused Loop v2 with a skill state.
fn with_skill(skill: &str) -> String {
    loop_v2(ID, "paused").replace(
        "\"updated_at\": \"2026-11-20T04:24:21.915Z\"",
        &format!(
            "\"updated_at\": \"2026-11-20T04:24:21.915Z\",\n  \"x_ours\": 1E+2,\n  \"skill_state\": {skill}"
        ),
    )
}

/// The loop at `state` with all these files, once everything has been read.
fn live_with(state: &str, files: &[(&str, &str)]) -> Live {
    let mut live = Live::with(|workspace| {
        for (name, text) in files {
            let path = workspace.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    });
    live.wait_for("the loop", |live| live.rows.contains_key(state));
    live
}

fn offer(live: &Live, state: &str, code: RepairCode) -> Option<RepairOffer> {
    let page = live.runtime.open_loop(&live.rows[state].key).unwrap();
    page.detail.repairs.into_iter().find(|offer| offer.code == code)
}

/// Each file that `code` changes becomes the given text; its problem is gone; undo restores every byte.
fn check(state: &str, code: RepairCode, files: &[(&str, &str)], repaired: &[(&str, &str)]) {
    let live = live_with(state, files);
    let key = live.rows[state].key.clone();
    let offered = offer(&live, state, code).unwrap_or_else(|| panic!("{code:?} is not offered"));
    assert!(offered.refusal.is_none() && !offered.ends.is_empty(), "{offered:?}");
    let before = live.files();
    let mut expected = before.clone();
    for (name, text) in repaired {
        expected.insert(PathBuf::from(name), text.as_bytes().to_vec());
    }
    live.runtime.change(&key, repair(code)).unwrap();
    assert_eq!(text_of(&live), text_in(&expected), "{code:?}");
    let page = live.runtime.open_loop(&key).unwrap();
    let left: Vec<_> =
        page.detail.problems.iter().filter(|problem| offered.ends.contains(&problem.code)).collect();
    assert!(left.is_empty() && offer(&live, state, code).is_none(), "{code:?}: {left:?}");
    let again = live.runtime.change(&key, repair(code)).unwrap_err();
    assert_eq!(again.refusal.map(|refusal| refusal.code), Some(RefusalCode::NothingToRepair), "{code:?}");
    live.runtime.undo(&key).unwrap();
    assert_eq!(live.files(), before, "{code:?} undone");
    assert!(offer(&live, state, code).is_some(), "{code:?} is offered again");
}

fn text_of(live: &Live) -> Vec<(PathBuf, String)> {
    text_in(&live.files())
}

fn text_in(files: &std::collections::BTreeMap<PathBuf, Vec<u8>>) -> Vec<(PathBuf, String)> {
    files.iter().map(|(name, bytes)| (name.clone(), String::from_utf8_lossy(bytes).into_owned())).collect()
}

fn check_state(state: &str, code: RepairCode, broken: &str, repaired: &str) {
    assert_ne!(broken, repaired);
    check(state, code, &[(state, broken)], &[(state, repaired)]);
}

#[test]
fn wrong_counters() {
    let skill = "{\"develop\": {\"total_count\": 9, \"completed\": 7.0, \"tasks\": [{\"id\": \"a\", \"status\": \"completed\"}]}}";
    let broken = with_skill(skill);
    let repaired = broken.replace("\"total_count\": 9", "\"total_count\": 1").replace("7.0", "1");
    check_state(&name(), RepairCode::Recount, &broken, &repaired);
}

#[test]
fn tasks_that_nobody_works_on() {
    let skill = "{\"develop\": {\"total\": 1, \"completed\": 0,\r\n\t\"tasks\": [{ \"id\":\"a\" ,\"status\":\"in_progress\"}]}}";
    let broken = with_skill(skill);
    check_state(&name(), RepairCode::ResetOrphans, &broken, &broken.replace("in_progress", "pending"));
}

#[test]
fn what_an_earlier_end_left() {
    let good = with_skill("{}");
    let broken = good.replace("  \"x_ours\"", "  \"failure_reason\": \"x\",\n  \"x_ours\"");
    check_state(&name(), RepairCode::ClearStaleEnd, &broken, &good);
}

#[test]
fn garbage_behind_the_object() {
    let good = with_skill("{}");
    for garbage in ["}", "\n  \"tail\": 1}", "\u{0}\u{0}"] {
        let kept = garbage.len() - garbage.trim_start().len();
        let broken = format!("{good}{garbage}");
        let repaired = format!("{good}{}", &garbage[..kept]);
        check_state(&name(), RepairCode::StripTrailingGarbage, &broken, &repaired);
    }
}

#[test]
fn a_damaged_file_offers_its_own_repairs_and_not_those_of_what_it_said_before() {
    let good = with_skill("{\"develop\": {\"total\": 5, \"completed\": 0, \"tasks\": []}}");
    let mut live = live_with(&name(), &[(&name(), &good)]);
    let state = name();
    assert!(offer(&live, &state, RepairCode::Recount).is_some());
    // Requests are answered in order: by now the page's content is kept as good.
    assert_eq!(live.runtime.history(&live.rows[&state].key, 1).unwrap().len(), 1);
    fs::write(live.workspace.join(&state), format!("{good}}}")).unwrap();
    live.wait_for("damaged", |live| live.rows[&state].word == StatusWord::CannotRead);
    let page = live.runtime.open_loop(&live.rows[&state].key).unwrap();
    assert!(page.last_good.is_some());
    let possible = page.detail.repairs.iter().filter(|offer| offer.refusal.is_none());
    let codes: Vec<_> = possible.map(|offer| offer.code).collect();
    assert_eq!(codes, [RepairCode::StripTrailingGarbage]);
    assert!(
        page.detail.steps.iter().filter(|step| step.refusal.is_none()).count() <= 1,
        "{:?}",
        page.detail.steps
    );
    live.runtime.change(&live.rows[&state].key, repair(RepairCode::StripTrailingGarbage)).unwrap();
    assert_eq!(fs::read_to_string(live.workspace.join(&state)).unwrap(), good);
    live.wait_for_word(&format!("{ID}.json"), StatusWord::Paused);
}

#[test]
fn glued_lines_in_both_places() {
    let (near, below) = (format!("{ROOT}/{ID}.tasks.jsonl"), format!("{ROOT}/{ID}/tasks.jsonl"));
    let (a, b, c) = ("{\"task_id\": \"a\"}", "{ \"task_id\" : \"b\" }", "{\"task_id\":\"c\",\"x\":1E+2}");
    let state = loop_v2(ID, "paused");
    check(
        &name(),
        RepairCode::SplitGluedLines,
        &[(&name(), &state), (&near, &format!("{a}{b}")), (&below, &format!("{c}\r\n{a} {b}\r\n"))],
        &[(&near, &format!("{a}\n{b}\n")), (&below, &format!("{c}\r\n{a} \r\n{b}\r\n"))],
    );
}

#[test]
fn words_and_atoms_and_layout_of_an_aot_loop() {
    let good = aot("stopped", 2);
    let odd = good
        .replace("status: stopped", "status: paused")
        .replace("    status: pending", "    status: waiting");
    check_state(AOT, RepairCode::UnknownStatus, &odd, &good);
    let orphan = good.replace("    status: pending", "    status: in_progress");
    check_state(AOT, RepairCode::OrphanedAtoms, &orphan, &good);
    let layout = good.replace("  iteration: 2\n", "  iteration: '2'\n").replace("corrections: []\n", "");
    check_state(AOT, RepairCode::Layout, &layout, &good);
}

#[test]
fn nothing_is_repaired_while_an_agent_works() {
    let broken = with_skill(
        "{\"develop\": {\"total\": 9, \"completed\": 0, \"tasks\": [{\"id\": \"a\", \"status\": \"in_progress\"}]}}",
    )
    .replace("paused", "running");
    let broken = broken.replace("  \"x_ours\"", "  \"failure_reason\": \"x\",\n  \"x_ours\"");
    let list = format!("{ROOT}/{ID}.tasks.jsonl");
    let state = name();
    let files = [(state.as_str(), broken.as_str()), (&list, "{\"task_id\": \"a\"}{\"task_id\": \"b\"}\n")];
    let mut live = live_with(&state, &files);
    live.wait_for_word(&format!("{ID}.json"), StatusWord::RunningElsewhere);
    let before = live.files();
    let key = live.rows[&state].key.clone();
    for code in [
        RepairCode::Recount,
        RepairCode::SplitGluedLines,
        RepairCode::ClearStaleEnd,
        RepairCode::StripTrailingGarbage,
        RepairCode::ResetOrphans,
    ] {
        if let Some(offered) = offer(&live, &state, code) {
            assert_eq!(offered.refusal.map(|refusal| refusal.code), Some(RefusalCode::Running), "{code:?}");
        }
        let failure = live.runtime.change(&key, repair(code)).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Refused);
        assert_eq!(failure.refusal.map(|refusal| refusal.code), Some(RefusalCode::Running), "{code:?}");
    }
    assert_eq!(live.files(), before);
    assert_eq!(live.runtime.undo(&key).unwrap_err().kind, FailureKind::NothingToUndo);
}

#[test]
fn no_aot_repair_while_an_agent_works() {
    let broken = aot("running", 2).replace("    status: pending", "    status: in_progress");
    let broken = broken.replace("  iteration: 2\n", "  iteration: '2'\n");
    let live = live_with(AOT, &[(AOT, &broken)]);
    let key = live.rows[AOT].key.clone();
    for code in [RepairCode::OrphanedAtoms, RepairCode::Layout, RepairCode::UnknownStatus] {
        let failure = live.runtime.change(&key, repair(code)).unwrap_err();
        assert_eq!(failure.refusal.map(|refusal| refusal.code), Some(RefusalCode::Running), "{code:?}");
    }
    assert_eq!(fs::read_to_string(live.workspace.join(AOT)).unwrap(), broken);
}

#[test]
fn repairs_leave_a_loop_without_errors() {
    let live = live_with(&name(), &[(&name(), &format!("{}}}", loop_v2(ID, "paused")))]);
    let key = live.rows[&name()].key.clone();
    live.runtime.change(&key, repair(RepairCode::StripTrailingGarbage)).unwrap();
    let problems = live.runtime.open_loop(&key).unwrap().detail.problems;
    assert!(problems.iter().all(|problem| problem.severity < Severity::Error), "{problems:?}");
}
