//! Spec Kit: tasks of a feature, counted a second time.

use crate::common::{assert_counts, assert_only_marks_change, plan_of};
use loopdeck_plans::{ItemState, PlanKind, ready};

#[test]
fn tasks_phases_and_dependencies() {
    let plan = plan_of(
        PlanKind::SpecKit,
        "specs/001-cart/tasks.md",
        include_bytes!("../fixtures/spec_kit/phases.md"),
        &[],
    );
    assert_counts(&plan, 6, 2);
    assert_eq!(plan.items[3].depends_on, ["T002"]);
    assert!(plan.items[2].parallel && plan.items[2].files == ["src/cart/model.ts"]);
    assert_eq!(plan.items[0].group.as_deref(), Some("Phase 1: Setup"));
    let ready: Vec<&str> = ready(&plan).into_iter().map(|at| plan.items[at].id.as_str()).collect();
    assert_eq!(ready, ["T003", "T004", "T005"]);
    assert_eq!(plan.items[5].state, ItemState::Unknown);
}

#[test]
fn a_tick_changes_its_box_and_no_other_byte() {
    assert_only_marks_change(
        PlanKind::SpecKit,
        "specs/001-cart/tasks.md",
        include_bytes!("../fixtures/spec_kit/phases.md"),
    );
}
