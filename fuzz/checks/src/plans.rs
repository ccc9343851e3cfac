//! Plans of other tools, and changes of their items.

use loopdeck_plans::{
    Beside, ItemChange, ItemState, Plan, PlanKind, Request, Source, Wanted, contract_faults, edits, is_meant,
};
use loopdeck_text::text_edit;
use std::collections::BTreeSet;

const STATES: [ItemState; 6] = [
    ItemState::Open,
    ItemState::Active,
    ItemState::Done,
    ItemState::Blocked,
    ItemState::Failed,
    ItemState::Dropped,
];
const FILE: &str = ".tool/plans/one/plan.json";
/// 2026-11-29T12:00:00Z.
const NOW: i64 = 1_795_953_600_000;

/// Every format reads the bytes, alone and with the same bytes in the files next to them.
pub fn check(bytes: &[u8]) {
    let _ = contract_faults(bytes);
    for kind in PlanKind::ALL {
        let names = names_beside(kind, bytes);
        let beside: Vec<Beside<'_>> = names.iter().map(|file| Beside { file, bytes }).collect();
        read(kind, FILE, bytes, &[]);
        read(kind, FILE, bytes, &beside);
        for part in parts(kind, bytes) {
            read(kind, &format!("{FILE}#{part}"), bytes, &[]);
        }
    }
}

/// The first of the other plans in the file. Their names are no paths, and no two are the same.
fn parts(kind: PlanKind, bytes: &[u8]) -> Vec<String> {
    let parts = kind.format().parts(bytes);
    assert!(parts.is_empty() || kind.format().has_parts(), "{kind:?}: parts");
    let is_name = |name: &String| !name.is_empty() && !name.contains(['/', '\\', '#', '\0', '\n', ':']);
    assert!(parts.iter().all(is_name), "{kind:?}: {parts:?}");
    let names: BTreeSet<&String> = parts.iter().collect();
    assert_eq!(names.len(), parts.len(), "{kind:?}: {parts:?}");
    parts.into_iter().take(3).collect()
}

/// Names of files that the format looks for, and of those that the bytes name.
fn names_beside(kind: PlanKind, bytes: &[u8]) -> Vec<String> {
    let format = kind.format();
    let one = |wanted: &Wanted| match *wanted {
        Wanted::File(name) | Wanted::End(name) => name.to_owned(),
        Wanted::Files { folder, endings, .. } => format!("{folder}/01{}", endings.first().unwrap_or(&"")),
    };
    let mut names: Vec<String> = format.wanted().iter().map(one).collect();
    let named = format.named(bytes);
    let is_plain = |name: &String| !name.starts_with('/') && !name.split('/').any(|part| part == "..");
    assert!(named.iter().all(is_plain), "{kind:?} names a file outside of its folder: {named:?}");
    names.extend(named);
    names.sort();
    names.dedup();
    names
}

fn source<'f>(file: &'f str, bytes: &'f [u8], beside: &'f [Beside<'f>]) -> Source<'f> {
    Source { file, bytes, beside, modified: NOW - 1, now: NOW }
}

fn read(kind: PlanKind, file: &str, bytes: &[u8], beside: &[Beside<'_>]) {
    let source = source(file, bytes, beside);
    let Ok(Some(plan)) = kind.read(&source) else { return };
    assert_eq!(kind.read(&source).as_ref(), Ok(&Some(plan.clone())), "{kind:?}: read twice");
    let (done, all) = plan.progress();
    assert!(done <= all && all <= plan.items.len());
    let format = kind.format();
    let next = format.next(&plan);
    assert!(next.iter().all(|at| *at < plan.items.len()), "{kind:?}: next is one of the items");
    let _ = format.command(&source, &plan);
    for request in [Request::Pause, Request::Resume, Request::Stop] {
        if let Some(change) = format.request(&source, &plan, request) {
            assert!(format.understands(request), "{kind:?}: {request:?}");
            text_edit::apply(bytes, &change.edits).expect("edits do not overlap");
        }
    }
    let repairs: Vec<_> = plan.findings.iter().filter(|finding| !finding.repair.is_empty()).collect();
    for finding in repairs {
        text_edit::apply(bytes, &finding.repair).expect("edits do not overlap");
    }
    let own = (0..plan.items.len()).filter(|at| plan.items[*at].file.is_none());
    for at in own.take(3) {
        change(kind, &source, &plan, at);
    }
}

/// Whatever is taken for the change changes no other item, and a state changes no byte but its own.
fn change(kind: PlanKind, there: &Source<'_>, plan: &Plan, at: usize) {
    let bytes = there.bytes;
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let texts = [ItemChange::Reword("other `words`, \"quoted\""), ItemChange::AddBehind("one more")];
    let moves = [ItemChange::MoveBefore(None), ItemChange::MoveBefore(Some(0))];
    for change in STATES.map(ItemChange::Mark).into_iter().chain(texts).chain(moves) {
        let Some(edits) = edits(kind.format(), text, plan, at, change) else { continue };
        let after = text_edit::apply(bytes, &edits).expect("edits do not overlap");
        let Ok(Some(read_back)) = kind.read(&source(there.file, &after, there.beside)) else { continue };
        if !is_meant(plan, &read_back, at, change) {
            continue;
        }
        let grown = usize::from(matches!(change, ItemChange::AddBehind(_)));
        assert_eq!(read_back.items.len(), plan.items.len() + grown, "{kind:?}: {change:?}");
        if let (ItemChange::Mark(to), Some(mark)) = (change, &plan.items[at].mark) {
            let written = kind.format().mark(to).expect("a state that is written");
            assert_eq!(after[..mark.start], bytes[..mark.start]);
            assert_eq!(after[mark.start + written.len()..], bytes[mark.end..]);
        }
    }
}
