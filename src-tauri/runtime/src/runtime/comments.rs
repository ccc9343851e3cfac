//! Comments on the changes of a loop, and how they become its work: an item of its list, a task, an atom; where its format has none of
//! these, a remark in the prompts of all further actions.

use super::Runtime;
use super::changed_by::{Answer, as_quote};
use crate::store::handing::Wanted;
use crate::store::journal::Journal;
use crate::store::restoring::current;
use crate::views::{
    Comment, CommentSource, CommentView, Failure, FailureKind, LoopChange, LoopPage, NewComment, TakenAs,
    TakenUp,
};
use loopdeck_core::driver::Memory;
use loopdeck_core::formats::aot::{AotOperation, Correction, NewAtom};
use loopdeck_core::formats::ccw_v2::edit::task_list::{TaskEdit, TaskFields};
use loopdeck_core::loops::additions::addition;
use loopdeck_core::step::Operation;
use loopdeck_execution::mask::Mask;
use loopdeck_system::clock;
use std::collections::BTreeMap;
use std::path::{Component, Path};

/// Longest comment, in characters.
const LONGEST: usize = 4_000;
/// Most comments of a loop.
const MOST: usize = 1_000;

impl Runtime {
    /// The comments on a loop's changes, oldest first, each with the runs that answered it.
    ///
    /// # Errors
    /// `UnknownLoop`; `OwnData` when the journal cannot be read.
    pub fn comments(&self, key: &str) -> Result<Vec<CommentView>, Failure> {
        let kept = self.kept_comments(key)?;
        let all: Vec<&Comment> = kept.iter().map(|(_, comment)| comment).collect();
        let (answers, runs) = self.answers(key, &all)?;
        let mask = self.choices.read(Mask::of_all);
        let run =
            |at: Option<usize>| at.and_then(|at| runs.get(at)).map(|run| (run.id.clone(), run.iteration));
        let view = |((id, comment), answer): ((i64, Comment), Answer)| {
            let (answered_by, answered_in) = run(answer.file).unzip();
            let (line_changed_by, line_changed_in) = run(answer.line).unzip();
            let quote = comment.quote.map(|quote| mask.hide(quote));
            CommentView {
                id: u32::try_from(id).unwrap_or(u32::MAX),
                comment: Comment { quote, ..comment },
                answered_by,
                answered_in,
                line_changed_by,
                line_changed_in,
            }
        };
        Ok(kept.into_iter().zip(answers).map(view).collect())
    }

    /// Keeps a comment of the person; answers its number.
    ///
    /// # Errors
    /// `UnknownLoop`; `BadForm` without a text, with one that is too long, and for a path that is none in the workspace; `OwnData`.
    pub fn add_comment(&self, key: &str, new: &NewComment) -> Result<u32, Failure> {
        let root = self.find(key)?.root;
        let comment = Comment {
            path: new.path.clone(),
            line: new.line,
            quote: quoted(&root, new),
            text: new.text.clone(),
            ..Comment::default()
        };
        self.take_in_comment(key, comment)
    }

    /// Keeps a comment of any source. Its text is checked as that of the person is.
    pub(super) fn take_in_comment(&self, key: &str, comment: Comment) -> Result<u32, Failure> {
        self.refuse_elsewhere(key)?;
        let refused = |field| Err(Failure::new(FailureKind::BadForm).with("field", field));
        let text = comment.text.trim().to_owned();
        if text.is_empty() || text.chars().count() > LONGEST {
            return refused("text");
        }
        let inside =
            |path: &str| Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        if comment.path.as_deref().is_some_and(|path| path.is_empty() || !inside(path)) {
            return refused("path");
        }
        if self.kept_comments(key)?.len() >= MOST {
            return refused("comments");
        }
        let comment = Comment { text, at: clock::now().number(), ..comment };
        let id = self.in_journal(key, move |journal, of| journal.add_comment(of, &comment))?;
        Ok(u32::try_from(id).unwrap_or(u32::MAX))
    }

    /// Forgets a comment. What became of it stays.
    ///
    /// # Errors
    /// `UnknownComment`; `OwnData`.
    pub fn remove_comment(&self, key: &str, id: u32) -> Result<(), Failure> {
        let known =
            self.in_journal(key, move |journal, of| journal.change_comment::<Comment>(of, id.into(), None))?;
        if known { Ok(()) } else { Err(Failure::new(FailureKind::UnknownComment)) }
    }

    /// Makes comments work of their loop: these, or all that are not yet. Each is marked as soon as it is written.
    ///
    /// # Errors
    /// `UnknownComment`; those of [`Runtime::change`], for the first that cannot be written: a running AoT loop must hold first.
    pub fn take_up(&self, key: &str, ids: &[u32]) -> Result<TakenUp, Failure> {
        let kept = self.kept_comments(key)?;
        let is_known = |id: &u32| kept.iter().any(|(known, _)| *known == i64::from(*id));
        if !ids.iter().all(is_known) {
            return Err(Failure::new(FailureKind::UnknownComment));
        }
        let is_meant = |(id, comment): &(i64, Comment)| {
            let named = ids.iter().any(|wanted| i64::from(*wanted) == *id);
            comment.taken_at.is_none() && (ids.is_empty() || named)
        };
        let mut taken = TakenUp::default();
        for (id, comment) in kept.into_iter().filter(is_meant) {
            let taken_as = self.make_work(key, &comment)?;
            let comment =
                Comment { taken_at: Some(clock::now().number()), taken_as: Some(taken_as), ..comment };
            self.in_journal(key, move |journal, of| journal.change_comment(of, id, Some(&comment)))?;
            taken = TakenUp { count: taken.count + 1, taken_as: Some(taken_as), ..taken };
        }
        if taken.taken_as == Some(TakenAs::Item) {
            taken.waits = self.has_waiting_items(key)?;
        }
        Ok(taken)
    }

    /// Whether items wait until the agent has ended that works on their list, here or in another program.
    fn has_waiting_items(&self, key: &str) -> Result<bool, Failure> {
        let memory = self.in_journal(key, Journal::memory)?;
        let memory: Option<Memory> = memory.and_then(|text| serde_json::from_str(&text).ok());
        Ok(memory.is_some_and(|memory| !memory.additions.is_empty()))
    }

    /// Writes one comment as work of its loop.
    fn make_work(&self, key: &str, comment: &Comment) -> Result<TakenAs, Failure> {
        // Read again each time: an item is named by its place.
        self.ask(key, |owner, key| {
            owner.store.look_now(key);
            Ok(())
        })?;
        let page = self.read_loop(key)?;
        if let Some((change, taken_as)) = change_of(&page, comment) {
            let change = Box::new(change);
            let wanted = match taken_as {
                TakenAs::Item => Wanted::AddItem { text: one_line(comment), change },
                _ => Wanted::Change { change },
            };
            let written = self.change_loop(key, wanted);
            let is_no_item = |failure: &Failure| taken_as == TakenAs::Item && failure.refusal.is_some();
            match written {
                // A list whose items cannot be added to is told like a loop without items.
                Err(failure) if is_no_item(&failure) => {}
                written => return written.map(|()| taken_as),
            }
        }
        let (about, text) = (place_of(comment), said(comment));
        self.add_message_about(key, &about, &text)?;
        Ok(TakenAs::Remark)
    }

    /// How many comments each file has.
    pub(super) fn comment_counts(&self, key: &str) -> Result<BTreeMap<String, u32>, Failure> {
        let mut counts = BTreeMap::new();
        for path in self.kept_comments(key)?.into_iter().filter_map(|(_, comment)| comment.path) {
            *counts.entry(path).or_insert(0) += 1;
        }
        Ok(counts)
    }

    pub(super) fn kept_comments(&self, key: &str) -> Result<Vec<(i64, Comment)>, Failure> {
        self.in_journal(key, Journal::comments)
    }
}

/// The change that makes a comment work in the loop's own form; `None` where it has none.
fn change_of(page: &LoopPage, comment: &Comment) -> Option<(LoopChange, TakenAs)> {
    let (format, traits) = (page.row.format, page.row.format.traits());
    let text = one_line(comment);
    if traits.has_atoms {
        let atom = NewAtom { description: text.clone(), ..NewAtom::default() };
        let step = AotOperation::Redirect { change: Correction::AddAtom(atom), description: text };
        return Some((LoopChange::Operate { operation: Operation::Aot { step } }, TakenAs::Atom));
    }
    if traits.takes_up_tasks && traits.has_task_list {
        let task = TaskFields { description: text, mode: "write".to_owned(), ..TaskFields::default() };
        let edit = TaskEdit::Add { id: String::new(), task };
        return Some((LoopChange::EditTasks { edit }, TakenAs::Task));
    }
    let operation = addition(format, &page.detail, &text)?;
    Some((LoopChange::Operate { operation }, TakenAs::Item))
}

/// `file:line`, or what there is of it.
fn place_of(comment: &Comment) -> String {
    match (&comment.path, comment.line) {
        (Some(path), Some(line)) => format!("{path}:{line}"),
        (Some(path), None) => path.clone(),
        (None, _) => comment.author.clone().unwrap_or_default(),
    }
}

/// What was said, with the line that it is about.
fn said(comment: &Comment) -> String {
    match &comment.quote {
        Some(quote) => format!("{}\n> {quote}", comment.text),
        None => comment.text.clone(),
    }
}

/// Place and text in one line.
fn one_line(comment: &Comment) -> String {
    let text = comment.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let place = comment.path.as_ref().map(|_| place_of(comment));
    place.map_or_else(|| text.clone(), |place| format!("{place}: {text}"))
}

/// The line that a comment is about.
fn quoted(root: &Path, new: &NewComment) -> Option<String> {
    let bytes = current(root, new.path.as_deref()?).ok()??.bytes;
    let at = usize::try_from(new.line?.checked_sub(1)?).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    text.lines().nth(at).map(as_quote)
}

impl Comment {
    /// One that came from a pull request.
    pub(super) fn from_elsewhere(source: CommentSource, origin: String, text: &str) -> Self {
        let text = loopdeck_text::shorten(text.trim(), LONGEST);
        Self { source, origin: Some(origin), text, ..Self::default() }
    }
}
