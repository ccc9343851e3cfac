//! Schedules of Claude Code: each one that can fire is told with its place.

use crate::common::{codes, plan_of, read};
use loopdeck_plans::FindingCode::CanFire;
use loopdeck_plans::{ItemState, PlanKind, PlanStatus};

const FILE: &str = ".claude/scheduled_tasks.json";
const TWO: &str = include_str!("../fixtures/schedules/two.json");

#[test]
fn each_schedule_is_told_with_its_time_and_its_line() {
    let plan = plan_of(PlanKind::Schedules, FILE, TWO.as_bytes(), &[]);
    assert_eq!(codes(&plan), [CanFire, CanFire], "one that is switched off was seen to fire");
    let lines: Vec<_> = plan.findings.iter().map(|finding| finding.line).collect();
    let expected = |id| TWO.lines().position(|line| line.contains(id)).map(|at| u32::try_from(at).unwrap());
    assert_eq!(lines, [expected("\"a1\""), expected("\"b2\"")], "the line of its brace, above its id");
    assert_eq!(plan.findings[0].args[1], ("found", "0 9 * * 1".to_owned()));
    assert_eq!(
        plan.items.iter().map(|item| item.state).collect::<Vec<_>>(),
        [ItemState::Open, ItemState::Dropped]
    );
    assert_eq!((plan.shown_status(), plan.progress()), (PlanStatus::NotStarted, (0, 0)));
    assert_eq!((plan.events.len(), plan.events[0].time.as_str()), (1, "2026-06-01T09:00:00Z"));
}

#[test]
fn what_is_no_list_of_schedules_is_of_another_tool() {
    for (text, expected) in
        [("{\"jobs\": []}", None), ("{\"tasks\": []}", Some(0)), ("{\"tasks\": 5}", Some(0))]
    {
        let plan = read(PlanKind::Schedules, FILE, text.as_bytes(), &[]).unwrap();
        assert_eq!(plan.map(|plan| plan.items.len()), expected, "{text}");
    }
    let hostile = b"{\"tasks\": [{\"id\": [], \"prompt\": 5, \"cron\": {}}, null, \"x\"]}";
    let plan = plan_of(PlanKind::Schedules, FILE, hostile, &[]);
    assert_eq!((plan.items.len(), plan.items[0].text.as_str()), (1, "5"));
}
