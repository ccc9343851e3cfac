//! What each command of the line asks for.

use super::{
    Changes, Control, ForShell, ForTeam, ListArgs, OneLoop, RaisableLoop, Recovery, Request, SomeLoops, View,
    Word, Work, WorkspaceArgs,
};
use crate::list::ListPart;
use crate::redirect::WantedRedirect;
use crate::team::{TeamCommand, TeamWord};
use crate::{Asked, Command, Task};
use loopdeck_core::control::Verb;
use loopdeck_core::step::Operation;
use loopdeck_runtime::views::{LoopChange, VerbOptions};
use std::path::PathBuf;

impl Word {
    /// The error is a sentence for the person.
    pub(super) fn request(self, data_dir: Option<PathBuf>) -> Result<Request, String> {
        let (at, task) = match self {
            Word::View(view) => view.task(),
            Word::Work(work) => work.task()?,
            Word::Control(control) => control.task(),
            Word::Changes(change) => change.task()?,
            Word::Finishing(finish) => finish.task()?,
            Word::Marking(mark) => mark.task(),
            Word::Recovery(recover) => recover.task()?,
            Word::Team(ForTeam::Team { word }) => {
                return Ok(Request::Team(Box::new(TeamCommand { word, data_dir })));
            }
            Word::Team(ForTeam::Node { word }) => {
                return Ok(Request::Team(Box::new(TeamCommand { word: TeamWord::Node(word), data_dir })));
            }
            Word::Shell(ForShell::Completions { shell }) => return Ok(Request::Completions(shell)),
            Word::Shell(ForShell::Man { to: Some(folder), .. }) => return Ok(Request::Manuals(folder)),
            Word::Shell(ForShell::Man { command, to: None }) => return Ok(Request::Manual(command)),
        };
        Ok(Request::Carry(Box::new(Command { task, dir: at.dir, json: at.json, data_dir })))
    }
}

impl View {
    fn task(self) -> (WorkspaceArgs, Task) {
        match self {
            View::List(ListArgs { dir, team: true, json, .. }) => {
                (WorkspaceArgs { dir: dir.unwrap_or_default(), json }, Task::TeamList)
            }
            View::List(ListArgs { dir, team: false, archived, snoozed, json }) => {
                let part = match (archived, snoozed) {
                    (true, _) => ListPart::Archived,
                    (_, true) => ListPart::Snoozed,
                    _ => ListPart::Listed,
                };
                (WorkspaceArgs { dir: dir.unwrap_or_default(), json }, Task::List { part })
            }
            View::Show(OneLoop { at, id }) => (at, Task::Show { id }),
            View::Check { at, id: Some(file), contract: true, .. } => (at, Task::Contract { file }),
            View::Check { at, id, format, .. } => (at, Task::Check { id, format }),
            View::Verify { at, id, options } => {
                let json = at.json || options.is_json();
                (WorkspaceArgs { json, ..at }, Task::Verify { id, options })
            }
            View::History(OneLoop { at, id }) => (at, Task::History { id }),
            View::Summary(SomeLoops { at, ids }) => (at, Task::Summary { ids }),
            View::Export { at, output } => (at, Task::Export { output }),
            View::Report { of: SomeLoops { at, ids }, report } => (at, Task::Report { ids, report }),
        }
    }
}

impl Work {
    fn task(self) -> Result<(WorkspaceArgs, Task), String> {
        Ok(match self {
            Work::New { at, new, plan, trust } => match new.mistake() {
                Some(mistake) => return Err(format!("new {mistake}")),
                None => (at, Task::New { new, plan, trust }),
            },
            Work::Run { of: OneLoop { at, id }, options } => (at, Task::Run { id, options: *options }),
        })
    }
}

impl Control {
    fn task(self) -> (WorkspaceArgs, Task) {
        let (verb, OneLoop { at, id }, raise_limit_to, reason) = match self {
            Control::Start(of) => (Verb::Start, of, None, None),
            Control::Pause(of) => (Verb::Pause, of, None, None),
            Control::Resume(RaisableLoop { of, raise_limit }) => (Verb::Resume, of, raise_limit, None),
            Control::Stop { of, reason } => (Verb::Stop, of, None, reason),
            Control::Reopen(RaisableLoop { of, raise_limit }) => (Verb::Reopen, of, raise_limit, None),
            Control::Finalise(of) => (Verb::Finalise, of, None, None),
            Control::Say { of: OneLoop { at, id }, text, withdraw } => {
                let task = match (text, withdraw) {
                    (Some(text), _) => Task::AddMessage { id, text },
                    (None, Some(number)) => Task::WithdrawMessage { id, number },
                    (None, None) => Task::Messages { id },
                };
                return (at, task);
            }
        };
        (at, Task::Act { id, verb, options: VerbOptions { raise_limit_to, reason } })
    }
}

impl Changes {
    fn task(self) -> Result<(WorkspaceArgs, Task), String> {
        Ok(match self {
            Changes::Edit { of: OneLoop { at, id }, options } => {
                let patch = options.patch().ok_or("edit needs something to change")?;
                (at, Task::Edit { id, patch })
            }
            Changes::Redirect { of: OneLoop { at, id }, options } => match options.requested_change()? {
                WantedRedirect::Preview(change) => (at, Task::Effects { id, change }),
                WantedRedirect::Write(operation) => (at, operate(id, operation)),
            },
            Changes::Repair { of: OneLoop { at, id }, code: None } => (at, Task::Repairs { id }),
            Changes::Repair { of: OneLoop { at, id }, code: Some(repair) } => {
                let asked = Asked::This(Box::new(LoopChange::Repair { repair }));
                (at, Task::Change { id, asked })
            }
            Changes::Change { of: OneLoop { at, id }, json_change } => {
                (at, Task::Change { id, asked: Asked::Json(json_change) })
            }
            Changes::Import { at, file } => (at, Task::Import { file }),
            Changes::Delete(OneLoop { at, id }) => (at, Task::Delete { id }),
        })
    }
}

fn operate(id: String, operation: Operation) -> Task {
    Task::Change { id, asked: Asked::This(Box::new(LoopChange::Operate { operation })) }
}

impl Recovery {
    fn task(self) -> Result<(WorkspaceArgs, Task), String> {
        Ok(match self {
            Recovery::Recover { of: OneLoop { at, id }, options } => (at, options.task(id)?),
            Recovery::Undo(OneLoop { at, id }) => (at, Task::Change { id, asked: Asked::Undo }),
            Recovery::Restore { of: OneLoop { at, id }, version } => {
                (at, Task::Change { id, asked: Asked::Restore(version) })
            }
        })
    }
}
