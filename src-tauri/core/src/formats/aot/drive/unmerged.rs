//! Workers in worktrees whose changes could not be merged. The person keeps their own version and the atom is
//! redone, or takes the worker's version.

use super::batch::{BatchWrite, WorkerResult};
use super::look::AotView;
use super::{AotNext, check_drivable};
use crate::driver::{Conclusion, DriverQuestion, Memory, QuestionCode};
use crate::format::FileFacts;
use crate::formats::aot::drive::verification::{LeftApart, Unmerged};
use crate::formats::aot::edit::operation::AotOperation;
use crate::formats::aot::summary;

/// Most files named in a reason.
const MOST_NAMED: usize = 5;

/// What follows when the worker's version was applied, or could not be. `bytes`: the current file.
pub fn conclude_taken(
    taken: Result<(), &str>,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> Conclusion<AotOperation> {
    let at = memory.aot.conflicts.iter().position(|conflict| conflict.is_taken);
    let Some(at) = at else { return Conclusion::Write(Vec::new()) };
    let Unmerged { atom, summary: said, artifacts, left, .. } = memory.aot.conflicts.remove(at);
    if let Err(end) = check_drivable(&summary(bytes, facts)) {
        return Conclusion::End(end);
    }
    if let Err(why) = taken {
        memory.failed_again(
            &atom,
            &format!("Its changes could not be taken: {why} They are kept in {}.", left.reference),
        );
        return Conclusion::Write(Vec::new());
    }
    let mut taking = BatchWrite::on(bytes, facts, memory);
    if taking.apply(AotOperation::StartAtoms { ids: vec![atom.clone()] }) {
        taking.take_result(&atom, WorkerResult::Resolved { summary: said, artifacts });
    }
    taking.finish()
}

impl AotView<'_> {
    /// The next worker's version that the person takes or is asked about, while its atom waits.
    pub(super) fn conflict(&self) -> Option<AotNext> {
        let waits =
            |conflict: &&Unmerged| self.graph.find(&conflict.atom).is_some_and(|at| self.graph.is_ready(at));
        let conflict = self.memory.aot.conflicts.iter().find(waits)?;
        Some(match conflict.is_taken {
            true => AotNext::Take(Box::new(conflict.clone())),
            false => AotNext::ask(self.memory, question(conflict)),
        })
    }
}

impl BatchWrite<'_> {
    /// The atom waits again, and the person is asked about it, one atom at a time.
    pub(super) fn unmerged(&mut self, id: &str, summary: String, artifacts: Vec<String>, left: LeftApart) {
        self.releases = true;
        self.memory.failed_again(id, &why(&left));
        if left.files.is_empty() {
            return;
        }
        let conflict = Unmerged { atom: id.to_owned(), summary, artifacts, left, is_taken: false };
        self.question.get_or_insert_with(|| question(&conflict));
        self.memory.aot.conflicts.push(conflict);
    }
}

fn question(conflict: &Unmerged) -> DriverQuestion {
    let text = format!("{}\n\n{}", conflict.left.files.join("\n"), conflict.left.reference);
    DriverQuestion::new(QuestionCode::MergeConflict, &conflict.atom, &text)
}

/// For the next worker.
fn why(left: &LeftApart) -> String {
    let files: Vec<&str> = left.files.iter().take(MOST_NAMED).map(String::as_str).collect();
    let because = match files.as_slice() {
        [] => "What the worker did is not in the folder.".to_owned(),
        files => format!("What the worker did could not be merged: others changed {} too.", files.join(", ")),
    };
    if left.reference.is_empty() { because } else { format!("{because} It is kept in {}.", left.reference) }
}
