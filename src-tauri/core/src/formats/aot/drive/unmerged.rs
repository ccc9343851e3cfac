//! Workers that worked apart, and whose changes could not be merged: the person keeps theirs and the atom is done again, or
//! takes the worker's version.

use super::batch::{Came, Taking};
use super::look::Look;
use super::{Next, stand};
use crate::format::FileFacts;
use crate::formats::aot::drive::verification::{LeftApart, Unmerged};
use crate::formats::aot::edit::operation::Operation;
use crate::formats::aot::summary;
use crate::formats::ccw::driver::{Conclusion, DriverQuestion, Memory, QuestionCode};

/// Files that a reason names.
const MOST_NAMED: usize = 5;

/// What follows when the worker's version was taken, or could not be. `bytes`: the file as it is now.
pub fn conclude_taken(
    taken: Result<(), &str>,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> Conclusion<Operation> {
    let Some(Unmerged { atom, summary: said, artifacts, left, .. }) = memory.aot.unmerged.take() else {
        return Conclusion::Write(Vec::new());
    };
    if let Err(end) = stand(&summary(bytes, facts)) {
        return Conclusion::End(end);
    }
    if let Err(why) = taken {
        memory.failed_again(
            &atom,
            &format!("Its changes could not be taken: {why} They are kept in {}.", left.reference),
        );
        return Conclusion::Write(Vec::new());
    }
    let mut taking = Taking::on(bytes, facts, memory);
    if taking.apply(Operation::StartAtoms { ids: vec![atom.clone()] }) {
        taking.take(&atom, Came::Resolved { summary: said, artifacts });
    }
    taking.finish()
}

impl Look<'_> {
    /// The worker's version that the person takes, as long as its atom waits.
    pub(super) fn taken(&self) -> Option<Next> {
        let unmerged = self.memory.aot.unmerged.as_ref().filter(|unmerged| unmerged.is_taken)?;
        let at = self.graph.find(&unmerged.atom)?;
        self.graph.is_ready(at).then(|| Next::Take(Box::new(unmerged.clone())))
    }
}

impl Taking<'_> {
    /// The atom waits again; the person is asked about one of them, the others are done again.
    pub(super) fn unmerged(&mut self, id: &str, summary: String, artifacts: Vec<String>, left: LeftApart) {
        self.releases = true;
        self.memory.failed_again(id, &why(&left));
        if left.files.is_empty() || self.question.is_some() || self.memory.aot.unmerged.is_some() {
            return;
        }
        let text = format!("{}\n\n{}", left.files.join("\n"), left.reference);
        self.question = Some(DriverQuestion::new(QuestionCode::MergeConflict, id, &text));
        let atom = id.to_owned();
        self.memory.aot.unmerged = Some(Unmerged { atom, summary, artifacts, left, is_taken: false });
    }
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
