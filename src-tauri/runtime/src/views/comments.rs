//! What people say of the changes of a loop.

use serde::{Deserialize, Serialize};
use specta::Type;

/// Where a comment came from. Words: catalogue `comments.source.<source>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum CommentSource {
    /// The person said it here.
    #[default]
    Here,
    /// A reviewer of the pull request.
    Review,
    /// A check of the pull request failed.
    Check,
}

/// How a comment became work of its loop. Words: catalogue `comments.taken.<how>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum TakenAs {
    /// An item of its list.
    Item,
    /// A task of the list next to it.
    Task,
    /// An atom.
    Atom,
    /// A remark in the prompts of all further actions.
    Remark,
}

/// A new comment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct NewComment {
    /// The file, relative to the workspace; `None` for the work as a whole.
    pub path: Option<String>,
    /// The line of the file as it is now, from 1; `None` for the whole file.
    pub line: Option<u32>,
    /// What the person says.
    pub text: String,
}

/// A comment, as it is kept and shown. Untrusted text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct Comment {
    /// The file, relative to the workspace; `None` for the work as a whole.
    pub path: Option<String>,
    /// The line, from 1; `None` for the whole file.
    pub line: Option<u32>,
    /// What the line said then.
    pub quote: Option<String>,
    /// What was said.
    pub text: String,
    /// When, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub at: f64,
    /// Where it came from.
    pub source: CommentSource,
    /// Who said it; `None` for the person here.
    pub author: Option<String>,
    /// Names it where it came from: it is taken in once.
    pub origin: Option<String>,
    /// When it became work of the loop, ms since 1970 UTC.
    pub taken_at: Option<f64>,
    /// As what.
    pub taken_as: Option<TakenAs>,
}

/// A comment with what became of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct CommentView {
    /// Names it in every command.
    pub id: u32,
    /// The comment.
    pub comment: Comment,
    /// The first run that changed its file after it was taken up.
    pub answered_by: Option<String>,
    /// The iteration of that run.
    pub answered_in: Option<u32>,
    /// The first run that changed its line after it was taken up, when that can be told.
    pub line_changed_by: Option<String>,
    /// The iteration of that run.
    pub line_changed_in: Option<u32>,
}

/// Comments that became work of their loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct TakenUp {
    /// How many.
    pub count: u32,
    /// As what; `None` when there was none.
    pub taken_as: Option<TakenAs>,
    /// Items of the list that are added as soon as the agent has ended that works on it.
    pub waits: bool,
}
