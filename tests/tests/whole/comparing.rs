//! Two loops, and two moments of one loop, side by side.

use loopdeck_core::side_by_side::{ComparedKind, ComparedName, ComparedPart, SideBySide};
use loopdeck_runtime::runtime::ComparedMoment;
use loopdeck_runtime::views::FailureKind;
use loopdeck_tests::live::{Live, loop_v2};
use std::fs;

const FIRST: &str = "loop-v2-20261120T042410-d8ff7e62";
const SECOND: &str = "loop-v2-20261120T042411-d8ff7e62";

fn state(id: &str, tests: &[(&str, &str)], task: &str) -> String {
    let tests: Vec<String> = tests
        .iter()
        .map(|(name, status)| format!(r#"{{"test_name": "{name}", "suite": "cart", "status": "{status}"}}"#))
        .collect();
    let rest = format!(
        r#", "skill_state": {{"develop": {{"tasks": [{{"id": "t1", "description": "x", "status": "{task}"}}]}},
        "validate": {{"test_results": [{{"iteration": 1, "timestamp": "2026-11-20T05:00:00Z",
        "summary": {{"total": 2, "passed": 1, "failed": 1, "skipped": 0}}, "tests": [{}]}}]}}}}}}"#,
        tests.join(",")
    );
    loop_v2(id, "running").trim_end().trim_end_matches('}').to_owned() + &rest
}

fn live() -> Live {
    let mut live = Live::with(|workspace| {
        let put = |id: &str, text: String| {
            fs::write(workspace.join(format!(".workflow/.loop/{id}.json")), text).unwrap();
        };
        put(FIRST, state(FIRST, &[("adds", "passed"), ("removes", "failed")], "pending"));
        put(
            SECOND,
            state(SECOND, &[("adds", "passed"), ("removes", "passed"), ("sums", "passed")], "completed"),
        );
    });
    live.wait_for("both", |live| live.rows.len() == 2);
    live
}

fn moment(live: &Live, id: &str, version: Option<u32>) -> ComparedMoment {
    ComparedMoment { key: live.row(&format!("{id}.json")).unwrap().key.clone(), version }
}

fn part(compared: &SideBySide, kind: ComparedKind) -> &ComparedPart {
    compared.parts.iter().find(|part| part.kind == kind).unwrap_or_else(|| panic!("{kind:?} in {compared:?}"))
}

#[test]
fn two_loops_are_compared_part_by_part() {
    let live = live();
    let compared = live.runtime.compare(&moment(&live, FIRST, None), &moment(&live, SECOND, None)).unwrap();
    let tests = part(&compared, ComparedKind::Tests);
    assert_eq!((tests.different, tests.equal), (2, 1));
    let names: Vec<_> = tests.rows.iter().map(|row| row.name.clone()).collect();
    assert_eq!(names[0], ComparedName::Item("cart › removes".into()));
    assert_eq!(part(&compared, ComparedKind::Tasks).different, 1);
    let other = ComparedMoment { key: "nowhere:a.json".into(), version: None };
    let failure = live.runtime.compare(&moment(&live, FIRST, None), &other).unwrap_err();
    assert!(matches!(failure.kind, FailureKind::UnknownLoop | FailureKind::UnknownWorkspace), "{failure:?}");
}

#[test]
fn a_version_is_compared_with_now() {
    let mut live = live();
    let name = format!("{FIRST}.json");
    let now = moment(&live, FIRST, None);
    // Asking for the history keeps what is there: once before the change, once after it.
    let first = live.runtime.history(&now.key, 9).unwrap()[0].id;
    let known = live.row(&name).unwrap().changed;
    live.replace(&name, state(FIRST, &[("adds", "passed"), ("removes", "passed")], "completed"));
    live.wait_for("the change", |live| live.row(&name).is_some_and(|row| row.changed > known));
    assert_eq!(live.runtime.history(&now.key, 9).unwrap().len(), 2);
    let compared = live.runtime.compare(&moment(&live, FIRST, Some(first)), &now).unwrap();
    assert_eq!(part(&compared, ComparedKind::Tasks).different, 1);
    assert_eq!(part(&compared, ComparedKind::Tests).different, 1);
    let failure = live.runtime.compare(&moment(&live, FIRST, Some(9_999)), &now).unwrap_err();
    assert_eq!(failure.kind, FailureKind::UnknownVersion);
}
