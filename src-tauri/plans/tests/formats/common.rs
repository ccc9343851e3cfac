//! What the tests of all formats share.

use loopdeck_plans::{Beside, Finding, FindingCode, Item, ItemState, Plan, PlanKind, ReadError, Source};

/// 2026-11-29T12:00:00Z.
pub(crate) const NOW: i64 = 1_795_953_600_000;

pub(crate) fn read(
    kind: PlanKind,
    file: &str,
    bytes: &[u8],
    beside: &[(&str, &[u8])],
) -> Result<Option<Plan>, ReadError> {
    let mut beside: Vec<Beside<'_>> = beside.iter().map(|(file, bytes)| Beside { file, bytes }).collect();
    beside.sort_by_key(|beside| beside.file);
    kind.read(&Source { file, bytes, beside: &beside, modified: NOW - 3_600_000, now: NOW })
}

pub(crate) fn plan_of(kind: PlanKind, file: &str, bytes: &[u8], beside: &[(&str, &[u8])]) -> Plan {
    read(kind, file, bytes, beside).expect("readable").expect("of this format")
}

/// All items that count, and those that are done: numbers that were counted by hand.
pub(crate) fn assert_counts(plan: &Plan, all: usize, done: usize) {
    assert_eq!(plan.progress(), (done, all), "{:#?}", plan.items);
}

pub(crate) fn ids(items: &[Item]) -> Vec<&str> {
    items.iter().map(|item| item.id.as_str()).collect()
}

pub(crate) fn codes(plan: &Plan) -> Vec<FindingCode> {
    plan.findings.iter().map(|finding| finding.code).collect()
}

pub(crate) fn finding(plan: &Plan, code: FindingCode) -> &Finding {
    plan.findings
        .iter()
        .find(|finding| finding.code == code)
        .unwrap_or_else(|| panic!("{code:?} in {:?}", plan.findings))
}

/// Every item that can be changed, to every state that can be written: it gets this state, all else that the plan says stays, and so
/// does every other byte.
pub(crate) fn assert_only_marks_change(kind: PlanKind, file: &str, bytes: &[u8]) {
    let before = plan_of(kind, file, bytes, &[]);
    let states = [
        ItemState::Open,
        ItemState::Active,
        ItemState::Done,
        ItemState::Blocked,
        ItemState::Failed,
        ItemState::Dropped,
    ];
    let mut changed = 0;
    for (at, item) in before.items.iter().enumerate().filter(|(_, item)| item.file.is_none()) {
        let Some(range) = item.mark.clone() else { continue };
        for to in states {
            let Some(mark) = kind.format().mark(to) else { continue };
            let mut text = bytes.to_vec();
            text.splice(range.clone(), mark.bytes());
            assert_eq!(text[..range.start], bytes[..range.start]);
            assert_eq!(text[range.start + mark.len()..], bytes[range.end..]);
            let after = plan_of(kind, file, &text, &[]);
            assert_eq!(after.items[at].state, to, "{}: {mark:?}", item.id);
            assert_eq!(ids(&after.items), ids(&before.items));
            changed += 1;
        }
    }
    assert!(changed > 0, "nothing can be changed");
}
