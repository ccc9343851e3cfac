//! Every field and rule of the specifications of Loop v2 and Loop-B (seeds 000, 001, 003 and 004; 004 is 000
//! in another rendering), one row each: read, shown, written and driven. Rows marked `†` follow the contract
//! where it differs from the seed. The loops are really driven, by scripted agents with real tests and real
//! files.

mod examples;
mod loop_b;
mod loop_v2;
mod recovering;
mod rules;
mod stage;
mod told;

use stage::Stage;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

/// Number, seed, subject, and check.
pub(crate) struct Row(
    pub(crate) u32,
    pub(crate) &'static str,
    pub(crate) &'static str,
    pub(crate) fn(&Stage),
);

/// Driven once for all tests.
pub(crate) static STAGE: LazyLock<Stage> = LazyLock::new(Stage::set);

/// Number of rows in the seeds: those of the first reading, and what was found on driven loops later (198 to 200).
const ROWS: u32 = 200;

#[test]
fn every_field_and_rule_of_the_seeds_holds() {
    let stage = &*STAGE;
    let mut rows: Vec<Row> = Vec::new();
    rows.extend(loop_v2::rows());
    rows.extend(rules::rows());
    rows.extend(recovering::rows());
    rows.extend(loop_b::rows());
    rows.sort_by_key(|row| row.0);
    let numbers: Vec<u32> = rows.iter().map(|row| row.0).collect();
    assert_eq!(numbers, (1..=ROWS).collect::<Vec<_>>(), "each row once");
    let mut failed = Vec::new();
    for Row(number, seed, name, holds) in rows {
        if catch_unwind(AssertUnwindSafe(|| holds(stage))).is_err() {
            failed.push(format!("{number} ({seed}) {name}"));
        }
    }
    assert!(failed.is_empty(), "{} of {ROWS} rows do not hold:\n{}", failed.len(), failed.join("\n"));
}
