//! The commands, and what each takes.

use super::edit::EditOptions;
use super::new::NewOptions;
use super::plan_options::PlanOptions;
use super::recover;
use super::redirect::Redirect;
use super::run::RunOptions;
use loopdeck_core::control::Verb;

/// What a command's word stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    List,
    Show,
    Check,
    Act(Verb),
    Redirect,
    Recover,
    Repair,
    Change,
    Undo,
    History,
    Restore,
    New,
    Run,
    Edit,
    Delete,
}

/// Commands by the word a person types.
pub(super) const COMMANDS: [(&str, Kind); 20] = [
    ("list", Kind::List),
    ("show", Kind::Show),
    ("check", Kind::Check),
    ("start", Kind::Act(Verb::Start)),
    ("pause", Kind::Act(Verb::Pause)),
    ("resume", Kind::Act(Verb::Resume)),
    ("stop", Kind::Act(Verb::Stop)),
    ("reopen", Kind::Act(Verb::Reopen)),
    ("finalise", Kind::Act(Verb::Finalise)),
    ("redirect", Kind::Redirect),
    ("recover", Kind::Recover),
    ("repair", Kind::Repair),
    ("change", Kind::Change),
    ("undo", Kind::Undo),
    ("history", Kind::History),
    ("restore", Kind::Restore),
    ("new", Kind::New),
    ("run", Kind::Run),
    ("edit", Kind::Edit),
    ("delete", Kind::Delete),
];

impl Kind {
    /// The options it takes besides those of every command.
    pub(super) fn options(self) -> Vec<&'static str> {
        match self {
            Kind::Act(Verb::Resume | Verb::Reopen) => vec!["raise-limit"],
            Kind::Act(Verb::Stop) => vec!["reason"],
            Kind::Redirect => Redirect::OPTIONS.to_vec(),
            Kind::Recover => [&["write", "way"], recover::SUPPLY, EditOptions::OPTIONS].concat(),
            Kind::Change => vec!["json-change"],
            Kind::New => [&NewOptions::options()[..], PlanOptions::OPTIONS].concat(),
            Kind::Run => [RunOptions::OPTIONS, PlanOptions::OPTIONS].concat(),
            Kind::Edit => EditOptions::OPTIONS.to_vec(),
            _ => Vec::new(),
        }
    }

    /// How many words it takes besides DIR.
    pub(crate) fn words(self) -> usize {
        match self {
            Kind::List | Kind::New => 0,
            Kind::Repair | Kind::Restore => 2,
            _ => 1,
        }
    }
}
