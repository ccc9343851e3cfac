//! The past of a loop from the journal: versions of its state file, who wrote them and why, what was
//! requested; and what a version changed from the one before it.

use crate::compare::{Changed, compare};
use crate::control::Verb;
use crate::summary::Summary;
use crate::times::Timestamp;
use crate::view::LoopDetail;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::HashMap;
use std::fmt;

/// Who wrote a version. Words: catalogue `version_writer.<word>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum VersionWriter {
    /// Loopdeck.
    Ours,
    /// An agent, a hook, a person with an editor.
    Foreign,
}

/// Who asked for something from another machine of the team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Asker {
    /// The person.
    pub member: String,
    /// Their machine.
    pub machine: String,
}

impl Asker {
    /// Takes `member.machine` apart, as [`Display`](fmt::Display) puts it together.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (member, machine) = text.split_once('.')?;
        Some(Self { member: member.to_owned(), machine: machine.to_owned() })
    }
}

impl fmt::Display for Asker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.member, self.machine)
    }
}

/// The purpose of one of our writes. Words: catalogue `write_cause.<word>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum WriteCause {
    /// A control verb.
    Start,
    /// A control verb.
    Pause,
    /// A control verb.
    Resume,
    /// A control verb.
    Stop,
    /// A control verb.
    Reopen,
    /// A control verb.
    Finalise,
    /// Title, limits, labels.
    EditMetadata,
    /// Our last write was undone.
    Undo,
    /// A person chose an older version.
    Restore,
    /// Another writer's text, written into a version that we had already replaced.
    Late,
    /// A repair.
    Repair,
    /// A damaged file was replaced by a proposal.
    Recover,
    /// The task list was changed.
    EditTasks,
    /// The task list was changed and moved to where upstream's server reads it.
    MoveTasks,
    /// A new loop replaced the previous one.
    NewLoop,
    /// A step of the work was recorded.
    Operate,
    /// The direction was changed.
    Redirect,
    /// A question or permission of an agent was answered.
    Answer,
}

impl WriteCause {
    /// The cause of a write that carries out a verb; a deletion writes nothing.
    #[must_use]
    pub fn of_verb(verb: Verb) -> Option<Self> {
        Some(match verb {
            Verb::Start => Self::Start,
            Verb::Pause => Self::Pause,
            Verb::Resume => Self::Resume,
            Verb::Stop => Self::Stop,
            Verb::Reopen => Self::Reopen,
            Verb::Finalise => Self::Finalise,
            Verb::EditMetadata => Self::EditMetadata,
            Verb::Delete => return None,
        })
    }

    /// The verb that it carries out; `None` for everything else.
    #[must_use]
    pub fn verb(self) -> Option<Verb> {
        Verb::ALL.into_iter().find(|verb| self == *verb)
    }
}

impl PartialEq<Verb> for WriteCause {
    fn eq(&self, verb: &Verb) -> bool {
        Self::of_verb(*verb) == Some(*self)
    }
}

/// The result of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum RequestOutcome {
    /// Guarded, not in effect yet.
    Open,
    /// It is in effect, or was answered by the loop.
    Settled,
    /// A newer request replaced it.
    Superseded,
    /// Not legal, or the disk refused.
    Refused,
    /// A person restored an older version.
    Undone,
    /// Another tool decided otherwise.
    Overruled,
}

/// How a write of ours ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum WriteState {
    /// Its end has not been seen yet.
    Planned,
    /// It is in the file.
    Landed,
    /// It did not happen.
    Lost,
    /// It was part of a change that could not be completed, and was undone.
    TakenBack,
}

/// A kept version of a state file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptVersion {
    /// Its id.
    pub id: u32,
    /// When it was written, ms since 1970 UTC.
    pub at: Timestamp,
    /// Who wrote it.
    pub who: VersionWriter,
    /// For ours: the purpose.
    pub cause: Option<WriteCause>,
    /// For ours: the [`Note::number`] of the write that made it.
    pub note: Option<i64>,
    /// Who asked for it from another machine.
    pub asker: Option<Asker>,
}

/// A record in the journal about a loop and the files next to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Identifies it in the journal; for writes made together, the number of the state file's.
    pub number: i64,
    /// When, ms since 1970 UTC.
    pub at: Timestamp,
    /// The state file, or a file next to it, below the workspace.
    pub file: String,
    /// For a write: files that were written with it in one step, below the workspace.
    pub beside: Vec<String>,
    /// Who asked for it from another machine.
    pub asker: Option<Asker>,
    /// What.
    pub what: Noted,
}

/// A recorded event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Noted {
    /// A person requested something.
    Requested {
        /// The verb; none when it is a later version's.
        cause: Option<WriteCause>,
        /// The result; none when it is no longer known.
        outcome: Option<RequestOutcome>,
        /// When that was, ms since 1970 UTC.
        ended: Option<Timestamp>,
    },
    /// A file was written.
    Written {
        /// The purpose; none when it is a later version's word.
        cause: Option<WriteCause>,
        /// How it ended; none when it is a later version's word.
        state: Option<WriteState>,
    },
    /// The loop went to the trash.
    Deleted,
    /// A person asked for something across machines, and no request or write here tells of it: the machine that asked
    /// records it, and the one that owns the loop where nothing is written at once.
    AskedAcross {
        /// For what; none when it is a later version's word.
        cause: Option<WriteCause>,
    },
    /// A person said something to the agents of the loop.
    Message {
        /// What.
        text: String,
        /// Who.
        by: String,
        /// When the first run began that has it in its prompt; none while it waits.
        delivered: Option<Timestamp>,
    },
    /// The machine that owns the loop has answered.
    AnsweredAcross {
        /// What was asked for; none when it is a later version's word.
        cause: Option<WriteCause>,
        /// Why it was not carried out; none when it was.
        refused: Option<String>,
    },
}

/// The journal's records of a loop, for its timeline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// Kept versions, newest first.
    pub versions: Vec<KeptVersion>,
    /// Records, newest first.
    pub notes: Vec<Note>,
    /// Changes of versions, by their ids; those not compared (yet) are missing.
    pub changes: HashMap<u32, VersionChange>,
}

/// The content of a version, as far as versions are compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VersionSays {
    /// The content of the file; its companions are not kept.
    pub detail: LoopDetail,
    /// Iterations used, as the file counts them.
    pub iteration: Option<f64>,
}

/// What a version changed from the one before it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VersionChange {
    /// The visible changes, in reading order.
    pub changes: Vec<Changed>,
    /// The iteration that it starts, when the file counts a new one; whole numbers only.
    pub begins: Option<f64>,
    /// The action that ended or started with it.
    pub action: Option<ActionChange>,
}

/// One action replaced another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionChange {
    /// The action of the previous version, if any.
    pub ended: Option<String>,
    /// The current action, if any.
    pub begun: Option<String>,
}

impl VersionSays {
    /// A version from its quick read and its full one. A format without a limit counts iterations only in its
    /// overview.
    #[must_use]
    pub fn new(summary: Option<&Summary>, detail: LoopDetail) -> Self {
        let counted = summary.and_then(|summary| summary.iteration).map(|bar| bar.current);
        Self { iteration: counted.or_else(|| detail.iteration()), detail }
    }
}

impl VersionChange {
    /// What `after` changed from `before`.
    #[must_use]
    pub fn between(before: &VersionSays, after: &VersionSays) -> Self {
        let whole = |iteration: &f64| iteration.is_finite() && iteration.fract() == 0.0;
        let (ended, begun) = (before.detail.current_action(), after.detail.current_action());
        let (ended, begun) = (ended.map(str::to_owned), begun.map(str::to_owned));
        Self {
            changes: compare(&before.detail, &after.detail),
            begins: after.iteration.filter(|_| after.iteration != before.iteration).filter(whole),
            action: (ended != begun).then_some(ActionChange { ended, begun }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use crate::phase::IterationBar;
    use crate::status::FileStatus;
    use crate::view::{Fact, FactValue};

    fn says(action: &str, iteration: Option<f64>) -> VersionSays {
        let fact = |value: &str| Fact {
            name: LoopDetail::CURRENT_ACTION.to_owned(),
            value: FactValue::Code(value.to_owned()),
        };
        let facts = Some(action).filter(|action| !action.is_empty()).map(fact).into_iter().collect();
        VersionSays { detail: LoopDetail { facts, ..LoopDetail::default() }, iteration }
    }

    #[test]
    fn an_iteration_begins_when_the_file_counts_another_whole_one() {
        for (before, after, begins) in [
            (None, Some(1.0), Some(1.0)),
            (Some(1.0), Some(2.0), Some(2.0)),
            (Some(7.0), Some(0.0), Some(0.0)),
            (Some(2.0), Some(2.0), None),
            (Some(2.0), Some(2.5), None),
            (Some(2.0), Some(f64::INFINITY), None),
            (Some(2.0), None, None),
        ] {
            let change = VersionChange::between(&says("", before), &says("", after));
            assert_eq!(change.begins, begins, "{before:?} to {after:?}");
        }
    }

    #[test]
    fn an_action_ends_and_begins_when_the_file_names_another() {
        for (before, after, change) in [
            ("", "", None),
            ("develop", "develop", None),
            ("", "develop", Some((None, Some("develop")))),
            ("develop", "validate", Some((Some("develop"), Some("validate")))),
            ("develop", "", Some((Some("develop"), None))),
        ] {
            let found = VersionChange::between(&says(before, None), &says(after, None)).action;
            let found = found.as_ref().map(|one| (one.ended.as_deref(), one.begun.as_deref()));
            assert_eq!(found, change, "{before} to {after}");
        }
    }

    #[test]
    fn iterations_are_those_of_the_list_else_those_of_the_overview() {
        let bar = IterationBar { current: 3.0, limit: 10.0 };
        let summary =
            |iteration| Summary { iteration, ..Summary::empty(Format::Legacy, "x", FileStatus::Running) };
        let fact = Fact { name: LoopDetail::ITERATION.to_owned(), value: FactValue::Number(2.0) };
        for (summary, facts, iteration) in [
            (Some(summary(Some(bar))), vec![fact.clone()], Some(3.0)),
            (Some(summary(None)), vec![fact.clone()], Some(2.0)),
            (None, vec![fact], Some(2.0)),
            (Some(summary(None)), vec![], None),
        ] {
            let detail = LoopDetail { facts, ..LoopDetail::default() };
            assert_eq!(VersionSays::new(summary.as_ref(), detail).iteration, iteration);
        }
    }
}
