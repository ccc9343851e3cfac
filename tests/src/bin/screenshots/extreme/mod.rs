//! More and longer data than anyone has: how views behave when nothing fits.

mod many;
mod master;
mod plan;
pub(crate) mod texts;
mod validation;
mod workers;

use crate::parts;
use crate::walk::Visit;
use std::fs;
use std::io;
use std::path::Path;

const ROOT: &str = ".workflow/.loop";
/// Long texts, many hypotheses, many tasks, long documents.
const MASTER: &str = "loop-v2-20261120T010000-e0000001";
/// Many tests.
const TESTS: &str = "loop-v2-20261120T010000-e0000002";
const WORKERS: &str = "loop-b-20261120T010000-e0000003";
/// Cut off in the middle.
const DAMAGED: &str = "loop-v2-20261120T010000-e0000004";
/// At rest, with long words everywhere in its labels.
const RESTING: &str = "loop-v2-20261120T010000-e0000005";

/// How many loops there are.
pub(crate) const LOOPS: usize = 10_000;

pub(crate) const VISITS: &[Visit] = &[
    ("loop-v2", MASTER, parts::every_part),
    ("tests", TESTS, parts::tests),
    ("loop-b", WORKERS, parts::every_part),
    ("aot", "aot-loop-state", parts::every_part),
    ("damaged", DAMAGED, parts::damaged),
    ("resting", RESTING, parts::history),
    ("dialogs", RESTING, parts::dialogs),
];

/// Writes the loops below `workspace`.
pub(crate) fn fill(workspace: &Path) -> io::Result<()> {
    let root = workspace.join(ROOT);
    fs::create_dir_all(&root)?;
    fs::create_dir_all(workspace.join(".claude"))?;
    many::write(&root, LOOPS - 6)?;
    let whole = master::state(MASTER, "running");
    let end = (whole.len() * 3 / 5..).find(|end| whole.is_char_boundary(*end)).unwrap_or(whole.len());
    fs::write(root.join(format!("{DAMAGED}.json")), &whole[..end])?;
    fs::write(root.join(format!("{MASTER}.json")), whole)?;
    master::write_companion(&root, MASTER)?;
    fs::write(root.join(format!("{RESTING}.json")), master::state(RESTING, "paused"))?;
    validation::write(&root, TESTS)?;
    workers::write(&root, WORKERS)?;
    fs::write(workspace.join(".claude/aot-loop-state.md"), plan::text_of_plan())
}
