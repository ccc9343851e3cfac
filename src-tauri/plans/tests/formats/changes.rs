//! Changes of items in place, in every fixture whose format has them: what was meant is read back, and nothing else.

use crate::common::read;
use loopdeck_plans::{ItemChange, ItemState, Plan, PlanKind, edits, is_meant};
use loopdeck_text::text_edit;
use std::fs;
use std::path::Path;

/// Each format with a place of its files, the ends of its fixtures' names, and how many of each change have to be possible in all of
/// them together: rewordings, moves to the front, new items.
const CASES: [(PlanKind, &str, &str, &str, [usize; 3]); 5] = [
    (PlanKind::OpenSpec, "openspec/changes/cart/tasks.md", "open_spec", ".md", [41, 18, 42]),
    (PlanKind::SpecKit, "specs/001-cart/tasks.md", "spec_kit", ".md", [63, 19, 58]),
    (PlanKind::Frankbria, ".ralph/fix_plan.md", "frankbria", ".md", [29, 10, 29]),
    (PlanKind::Prd, "prd.json", "prd", ".json", [20, 12, 20]),
    (PlanKind::TaskMaster, ".taskmaster/tasks/tasks.json", "task_master", ".json", [50, 28, 49]),
];

/// A whole without a state of its own is done with its last part: a tick of that part is what was meant, although two items change.
#[test]
fn a_whole_is_as_far_as_its_parts() {
    let text = r#"{"tasks": [{"id": "A", "title": "Bed", "acceptanceCriteria": [], "tasks": [{"id": "1", "title": "Sow", "passes": false}]}, {"id": "B", "title": "Path", "passes": false}]}"#;
    let plan = read(PlanKind::Prd, "prd.json", text.as_bytes(), &[]).unwrap().unwrap();
    let at = plan.items.iter().position(|item| item.text == "Sow").unwrap();
    let tick = ItemChange::Mark(ItemState::Done);
    let after = edits(PlanKind::Prd.format(), text, &plan, at, tick).unwrap();
    let after = text_edit::apply(text.as_bytes(), &after).unwrap();
    let after = read(PlanKind::Prd, "prd.json", &after, &[]).unwrap().unwrap();
    let states = |plan: &Plan| plan.items.iter().map(|item| item.state).collect::<Vec<_>>();
    let (done, open) = (ItemState::Done, ItemState::Open);
    assert_eq!((states(&plan), states(&after)), (vec![open, open, open], vec![done, done, open]));
    assert!(is_meant(&plan, &after, at, tick));
    assert!(!is_meant(&plan, &after, 2, tick), "another item, which can be marked, stayed as it was");
}

#[test]
fn every_change_of_an_item_is_read_back_as_it_was_meant() {
    for (kind, file, folder, ending, least) in CASES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(folder);
        let mut possible = [0; 3];
        let mut all = 0;
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            if !path.to_str().unwrap().ends_with(ending) {
                continue;
            }
            let Ok(Some(plan)) = read(kind, file, &bytes, &[]) else { continue };
            let text = std::str::from_utf8(&bytes).unwrap();
            for at in 0..plan.items.len() {
                all += 1;
                let changes = [
                    ItemChange::Reword("Sort the seeds by colour"),
                    ItemChange::MoveBefore(Some(0)),
                    ItemChange::AddBehind("Sort the seeds by colour"),
                ];
                for (which, change) in changes.into_iter().enumerate() {
                    let Some(edits) = edits(kind.format(), text, &plan, at, change) else { continue };
                    let after = text_edit::apply(&bytes, &edits).unwrap();
                    let read_back = read(kind, file, &after, &[]);
                    let is_meant =
                        matches!(&read_back, Ok(Some(after)) if is_meant(&plan, after, at, change));
                    if is_meant {
                        possible[which] += 1;
                    }
                }
            }
        }
        assert!(
            possible.iter().zip(least).all(|(is, least)| *is >= least),
            "{kind:?}: {possible:?} of {all}"
        );
    }
}
