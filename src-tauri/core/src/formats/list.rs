//! Loops whose work is a list: one agent after the other, each in a new conversation, until every item is done. A format of this
//! kind says what its file says and how a change of it is written ([`ListFormat`]); all else is here, once.

mod drive;
pub mod operation;
mod rules;

use crate::format::{FileFacts, Format};
use crate::formats::plan::linked::PlanLink;
use crate::forms::Bounds;
use crate::phase::{IterationBar, LimitKind, Phase};
use crate::problem::{Problem, ProblemCode};
use crate::status::FileStatus;
use crate::summary::Summary;
use crate::view::{Companion, CompanionKind};
use loopdeck_text::shorten;
use loopdeck_text::text_edit::TextEdit;
use std::ops::Range;

#[cfg(test)]
pub(crate) use drive::{ListNext, conclude, next};

/// The longest prompt that is given to an agent, in bytes.
pub const LONGEST_PROMPT: usize = 50_000;

/// What a file says.
#[derive(Debug)]
pub(crate) struct WorkList<'b> {
    /// The whole file.
    pub(crate) text: &'b str,
    /// On one line.
    pub(crate) title: Option<String>,
    /// As written; empty when it is not.
    pub(crate) word: &'b str,
    pub(crate) status: FileStatus,
    /// The bytes of `word`.
    pub(crate) word_at: Range<usize>,
    /// Whether the file says anything of the loop beside its items. An agent that writes the whole list again may drop that.
    pub(crate) has_control: bool,
    /// Iterations that ended.
    pub(crate) iteration: u32,
    pub(crate) limit: u32,
    /// In file order.
    pub(crate) items: Vec<ListItem<'b>>,
    /// The plan whose items are the work, in place of the file's own.
    pub(crate) link: Option<PlanLink>,
    /// 1-based lines that may be open work although no item says so: the list isn't done while there are any.
    pub(crate) unclear: Vec<u32>,
    pub(crate) problems: Vec<Problem>,
}

/// A piece of work.
#[derive(Debug)]
pub(crate) struct ListItem<'b> {
    /// Untrusted text.
    pub(crate) text: &'b str,
    pub(crate) is_done: bool,
}

impl WorkList<'_> {
    /// How many items are done, and how many there are: those of the plan where there is one. One that wasn't read has none.
    pub(crate) fn progress(&self) -> (usize, usize) {
        match &self.link {
            Some(link) => link.progress().unwrap_or_default(),
            None => (self.items.iter().filter(|item| item.is_done).count(), self.items.len()),
        }
    }

    /// Whether every item is done and nothing else may be open. A list without items never is.
    pub(crate) fn is_done(&self) -> bool {
        let (done, all) = self.progress();
        all > 0 && done == all && self.unclear.is_empty()
    }

    /// The same list with what its plan says.
    pub(crate) fn linked(mut self, beside: &[Companion], facts: &FileFacts<'_>) -> Self {
        if let Some(link) = &mut self.link {
            link.read(beside, facts);
        }
        self
    }
}

/// New values; absent ones stay.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ListChange {
    pub(crate) status: Option<FileStatus>,
    pub(crate) iteration: Option<u32>,
    pub(crate) limit: Option<u32>,
}

/// A format whose loops are lists.
pub(crate) trait ListFormat: Sync {
    /// Which one.
    fn format(&self) -> Format;

    /// What the file says.
    ///
    /// # Errors
    /// Why it cannot be read at all.
    fn read<'b>(&self, bytes: &'b [u8]) -> Result<WorkList<'b>, Problem>;

    /// The text edits of a change; they are tried and read back before they are written.
    fn edits(&self, list: &WorkList<'_>, change: ListChange) -> Vec<TextEdit>;

    /// What adds an open item with this text, which is one line, at the end; `None` where that can't be. It is read back as well.
    fn addition(&self, _list: &WorkList<'_>, _text: &str) -> Option<TextEdit> {
        None
    }

    /// How many iterations a loop may have.
    fn iterations(&self) -> Bounds;

    /// The state file of the loop with this identity, as agents are told.
    fn file(&self, stem: &str) -> String;

    /// Name of the file next to it that each agent is given.
    fn prompt_file(&self) -> &'static str;
}

/// What a list of loops shows of it.
pub(crate) fn summary(format: &dyn ListFormat, list: &WorkList<'_>, facts: &FileFacts<'_>) -> Summary {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let (done, total) = list.progress();
    let phase = Phase::Todo { done: count(done), total: count(total) };
    let mut summary = Summary {
        status_word: shorten(list.word, 40),
        phase: Some(phase),
        iteration: Some(IterationBar { current: list.iteration.into(), limit: list.limit.into() }),
        nothing_left: list.status == FileStatus::Completed && list.is_done(),
        problems: list.problems.clone(),
        ..Summary::empty(format.format(), facts.stem, list.status)
    };
    if let Some(title) = &list.title {
        summary.title = shorten(title, 200);
    }
    if list.status == FileStatus::Running && summary.at_limit() && !list.is_done() {
        summary.limit = Some(LimitKind::Iterations);
    }
    summary
}

/// The text of the prompt, where it can be read.
pub(crate) fn prompt(beside: &[Companion]) -> Option<&str> {
    let file = beside.iter().find(|companion| companion.kind == CompanionKind::Prompt)?;
    std::str::from_utf8(&file.bytes).ok()
}

/// The text of a file, for a format that reads text.
///
/// # Errors
/// Where it is not UTF-8.
pub(crate) fn text_of(bytes: &[u8]) -> Result<&str, Problem> {
    let not_text = |offset| Problem::new(ProblemCode::F6_not_utf8, "").with("offset", offset);
    std::str::from_utf8(bytes).map_err(|error| not_text(error.valid_up_to()))
}

#[cfg(test)]
#[path = "list/stranger_tests.rs"]
mod stranger_tests;
