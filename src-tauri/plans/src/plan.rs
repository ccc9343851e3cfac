//! What a plan says, in the words of the field.
//!
//! All texts are from the file: untrusted, shown as text, never a path, never run.

use crate::finding::Finding;
use std::ops::Range;

/// A plan: items of work, and what its file says about the whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Its name, on one line; `None` where the file has none.
    pub title: Option<String>,
    /// What it is for.
    pub goal: Option<String>,
    /// The status as written; empty where the file has none.
    pub word: String,
    /// The status that the file states; `None` where it has none, and the items say how far it is.
    pub status: Option<PlanStatus>,
    /// Why it ended or waits, as written.
    pub reason: Option<String>,
    /// Iterations that ended.
    pub iteration: Option<u32>,
    /// How many there may be; `None` without a limit.
    pub limit: Option<u32>,
    /// In file order.
    pub items: Vec<Item>,
    /// Suspected causes of a fault, for a plan that looks for one.
    pub hypotheses: Vec<Hypothesis>,
    /// What a person has to decide or do first, each a sentence of the file.
    pub needs: Vec<String>,
    /// Other values worth showing, in reading order.
    pub facts: Vec<Fact>,
    /// What happened, oldest first.
    pub events: Vec<Event>,
    /// What each agent is given, where the format keeps it in a file.
    pub prompt: Option<String>,
    /// The process that a lock names as the one that works on it.
    pub process: Option<u32>,
    /// That lock, by its name as in [`crate::Wanted`].
    pub lock: Option<String>,
    /// What is wrong with it.
    pub findings: Vec<Finding>,
}

/// How far a plan is, as its file states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlanStatus {
    /// Nothing was begun.
    NotStarted,
    /// It is being worked on, the file says.
    Running,
    /// It rests until somebody goes on with it.
    Paused,
    /// Somebody ended it before it was done.
    Stopped,
    /// It ended because its limit was reached.
    LimitReached,
    /// It ended with a fault.
    Failed,
    /// It is done, the file says.
    Completed,
    /// A word that the format doesn't define.
    Unknown,
}

/// A piece of work: a task, a story, a box, a goal, a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    /// Its name in the plan; made from its place where the file gives none. Items may share one.
    pub id: String,
    /// What to do, on one line.
    pub text: String,
    /// More about it.
    pub details: String,
    /// Its state as written; empty where there is none.
    pub word: String,
    /// What the word means.
    pub state: ItemState,
    /// Ids of what has to be done before.
    pub depends_on: Vec<String>,
    /// Id of the item that it is a part of.
    pub parent: Option<String>,
    /// The phase, wave, epic or heading that it stands below.
    pub group: Option<String>,
    /// Its priority as written.
    pub priority: Option<String>,
    /// It may be done at the same time as its neighbours.
    pub parallel: bool,
    /// It is no part of the work that counts: optional, or the parts of an item that count by themselves.
    pub optional: bool,
    /// Files that it names; display only.
    pub files: Vec<String>,
    /// When it counts as done.
    pub done_when: Vec<String>,
    /// The file that says so, where it isn't the plan's own: the name of a [`crate::Beside`].
    pub file: Option<String>,
    /// 1-based line.
    pub line: u32,
    /// Where its state is written, for a state that can be changed in place.
    pub mark: Option<Range<usize>>,
}

/// How far an item is. Who says so is whoever wrote the file: it is a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ItemState {
    /// To be done.
    #[default]
    Open,
    /// Being done.
    Active,
    /// Somebody says that it is done.
    Done,
    /// It waits for a person or for something outside of the plan.
    Blocked,
    /// It was tried without success.
    Failed,
    /// It isn't going to be done: cancelled, deferred, skipped, superseded.
    Dropped,
    /// A word that the format doesn't define.
    Unknown,
}

/// What is written for a state.
pub type Mark = &'static str;

/// A suspected cause.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hypothesis {
    /// Its name; made from its place where the file gives none.
    pub id: String,
    /// The claim.
    pub text: String,
    /// What would show it.
    pub test: String,
    /// What was found, one entry each.
    pub evidence: Vec<String>,
    /// What became of it.
    pub verdict: Verdict,
}

/// What became of a suspected cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// Being looked into.
    #[default]
    Pending,
    /// It is the cause.
    Confirmed,
    /// It isn't.
    Rejected,
}

/// A named value.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// A stable key, the field's own name where it has one; the screen's words are the catalogue's.
    pub name: &'static str,
    /// The value.
    pub value: FactValue,
}

/// A value with its kind.
#[derive(Clone, Debug, PartialEq)]
pub enum FactValue {
    /// Prose.
    Text(String),
    /// A word of the file, an id, a name: never translated.
    Code(String),
    /// A count.
    Number(f64),
    /// A point in time as the file writes it.
    Time(String),
    /// Several texts.
    List(Vec<String>),
}

/// Something that happened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    /// When, as the file writes it.
    pub time: String,
    /// What, as a sentence or word of the file.
    pub text: String,
    /// Id of the item it is about.
    pub item: Option<String>,
}

impl Plan {
    /// Items that count: none that are optional, none that aren't going to be done.
    pub fn counted(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| !item.optional && item.state != ItemState::Dropped)
    }

    /// How many of them are said to be done, and how many there are.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        let done = self.counted().filter(|item| item.state == ItemState::Done).count();
        (done, self.counted().count())
    }

    /// The status that the file states, or the one that its items show.
    #[must_use]
    pub fn shown_status(&self) -> PlanStatus {
        let begun =
            |item: &&Item| matches!(item.state, ItemState::Active | ItemState::Done | ItemState::Failed);
        self.status.unwrap_or_else(|| match self.progress() {
            (_, 0) => PlanStatus::NotStarted,
            (done, all) if done == all => PlanStatus::Completed,
            _ if self.counted().any(|item| begun(&item)) => PlanStatus::Running,
            _ => PlanStatus::NotStarted,
        })
    }
}

impl FactValue {
    /// Prose, unless it is empty.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Option<Self> {
        Some(text.into()).filter(|text| !text.trim().is_empty()).map(Self::Text)
    }

    /// A word, unless it is empty.
    #[must_use]
    pub fn code(text: impl Into<String>) -> Option<Self> {
        Some(text.into()).filter(|text| !text.trim().is_empty()).map(Self::Code)
    }
}

/// Facts of those values that there are.
pub(crate) fn facts_of<const N: usize>(named: [(&'static str, Option<FactValue>); N]) -> Vec<Fact> {
    named.into_iter().filter_map(|(name, value)| Some(Fact { name, value: value? })).collect()
}
