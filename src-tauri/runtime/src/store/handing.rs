//! Changes of a loop that another Loopdeck runs: they are handed to that one, which carries them out as if they were asked
//! there, and answers.

use crate::store::asking::Behalf;
use crate::store::journal::LoopRef;
use crate::store::recovery::Agreed;
use crate::store::runner::Runner;
use crate::store::workspace_store::WorkspaceStore;
use crate::views::{Failure, FailureKind, LoopChange};
use loopdeck_core::control::{Intent, MetadataPatch, Verb};
use loopdeck_core::loop_id::{LoopId, file_of};
use loopdeck_core::loops;
use loopdeck_core::refusal::Refusal;
use loopdeck_system::clock;
use loopdeck_system::logged::Logged as _;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{Duration, Instant};

/// How often whoever runs a loop looks for what is handed to it.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How often whoever shows a loop that another one runs looks for its end.
const WATCH_EVERY: Duration = Duration::from_millis(300);

/// A change of a loop, in a form that can be handed to another process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Wanted {
    Pause,
    Stop {
        reason: Option<String>,
    },
    PauseNow,
    StopNow,
    /// A verb that only a loop takes that nobody runs.
    Verb {
        verb: Verb,
        raise_limit_to: Option<u32>,
    },
    Edit {
        patch: MetadataPatch,
    },
    Change {
        change: Box<LoopChange>,
    },
    /// An item for its list, as soon as no agent of ours may write over it.
    AddItem {
        text: String,
        change: Box<LoopChange>,
    },
    Undo,
    Restore {
        version: u32,
    },
}

/// A change, and for whom on another machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Handed {
    pub(crate) wanted: Wanted,
    pub(crate) behalf: Option<Behalf>,
}

impl Wanted {
    fn intent(&self) -> Option<Intent> {
        Some(match self {
            Self::Pause => Intent::Pause,
            Self::Stop { reason } => Intent::Stop { reason: reason.clone() },
            Self::Verb { verb, raise_limit_to } => {
                let raise_limit_to = *raise_limit_to;
                match verb {
                    Verb::Start => Intent::Start,
                    Verb::Resume => Intent::Resume { raise_limit_to },
                    Verb::Reopen => Intent::Reopen { raise_limit_to },
                    Verb::Finalise => Intent::Finalise,
                    Verb::Pause | Verb::Stop | Verb::EditMetadata | Verb::Delete => return None,
                }
            }
            Self::Edit { patch } => Intent::EditMetadata(patch.clone()),
            Self::Change { change } | Self::AddItem { change, .. } => match &**change {
                LoopChange::Repair { repair } => Intent::Repair(*repair),
                LoopChange::Operate { operation } => Intent::Operate(Box::new(operation.clone())),
                LoopChange::Recover { .. } | LoopChange::EditTasks { .. } => return None,
            },
            Self::PauseNow | Self::StopNow | Self::Undo | Self::Restore { .. } => return None,
        })
    }

    /// The same change as an intent makes.
    pub(crate) fn from_intent(intent: Intent) -> Self {
        let verb = |verb, raise_limit_to| Self::Verb { verb, raise_limit_to };
        match intent {
            Intent::Pause => Self::Pause,
            Intent::Stop { reason } => Self::Stop { reason },
            Intent::Start | Intent::LaunchFailed { .. } => verb(Verb::Start, None),
            Intent::Resume { raise_limit_to } => verb(Verb::Resume, raise_limit_to),
            Intent::Reopen { raise_limit_to } => verb(Verb::Reopen, raise_limit_to),
            Intent::Finalise => verb(Verb::Finalise, None),
            Intent::EditMetadata(patch) => Self::Edit { patch },
            Intent::Repair(repair) => Self::Change { change: Box::new(LoopChange::Repair { repair }) },
            Intent::Operate(operation) => {
                Self::Change { change: Box::new(LoopChange::Operate { operation: *operation }) }
            }
        }
    }
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Handling {
    /// It was carried out here.
    Done,
    /// It was handed to `holder` under this number.
    Handed { id: i64, holder: String },
}

/// How far a change is that was handed over.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum HandedProgress {
    /// There is no answer yet.
    Waits,
    /// Its answer.
    Answered(Result<(), Failure>),
    /// It was taken back: whoever was to do it ended before, or does not answer.
    NotBegun,
    /// Whoever was to do it ended in the middle of it.
    CutOff,
}

impl WorkspaceStore {
    /// Carries out a change here, or hands it to the Loopdeck that runs the loop.
    ///
    /// # Errors
    /// Those of the change; a refusal with the program that runs the loop, for what nobody may do then.
    pub(crate) fn carry_out_or_hand_over(&mut self, key: &str, handed: &Handed) -> Result<Handling, Failure> {
        let root = self.root_of(key).unwrap_or_default(); // a folder that is gone has no other runner
        let Some(runner) = self.runner_beside(&root, file_of(key)) else {
            return self.carry_out_handed(key, handed).map(|()| Handling::Done);
        };
        self.reload_runners(&root); // it is judged as one that runs
        if let Wanted::Verb { verb, .. } = handed.wanted {
            let entry = self.entry(key)?;
            let refused = loops::refuse(&entry.summary, verb, &entry.situation(clock::now()));
            let refusal = refused.map(|refusal| refusal.beside(runner.program));
            return Err(refusal.unwrap_or_else(|| Refusal::run_by(runner.program)).into());
        }
        let Runner { program, holder: Some(holder), .. } = runner else {
            let by_file = Handed { wanted: handed.wanted.clone().by_file(), ..handed.clone() };
            let done = self.carry_out_handed(key, &by_file).map(|()| Handling::Done);
            return done.map_err(|failure| seen_beside(failure, runner.program));
        };
        let text = serde_json::to_string(handed).map_err(Failure::own_data)?;
        let workspace = root.to_string_lossy();
        let of = LoopRef { workspace: &workspace, file: file_of(key) };
        let id = self.journal.hand_over(of, &holder, &text, clock::now())?;
        tracing::info!(file = of.file, ?program, "a change is handed to the program that runs the loop");
        Ok(Handling::Handed { id, holder })
    }

    /// How far something is that was handed over. `is_last`: it is waited for no longer, and taken back unless it was begun.
    pub(crate) fn progress_of_handed(
        &mut self,
        key: &str,
        (id, holder): (i64, &str),
        is_last: bool,
    ) -> Result<HandedProgress, Failure> {
        // Before the answer is looked for: who answers may end right after that.
        let is_there = self.is_run_by(key, holder);
        if let Some(text) = self.journal.answer_to_handed(id)? {
            self.journal.forget_handed(id).logged("an answer that was read is not forgotten");
            let answer: Option<Failure> = serde_json::from_str(&text).map_err(Failure::own_data)?;
            self.look_now(key);
            return Ok(HandedProgress::Answered(answer.map_or(Ok(()), Err)));
        }
        if is_there && !is_last {
            return Ok(HandedProgress::Waits);
        }
        if let Ok(root) = self.root_of(key) {
            self.reload_runners(&root);
        }
        Ok(match self.journal.withdraw_handed(id)? {
            true => HandedProgress::NotBegun,
            false if is_there => HandedProgress::Waits,
            false => HandedProgress::CutOff,
        })
    }

    fn is_run_by(&mut self, key: &str, holder: &str) -> bool {
        let Ok(root) = self.root_of(key) else { return false };
        let runner = self.runner_beside(&root, file_of(key));
        runner.is_some_and(|runner| runner.holder.as_deref() == Some(holder))
    }

    /// Does what others handed to this process since the last look, and notices who began or ended to run a loop.
    pub(crate) fn look_at_journal(&mut self, root: &Path) {
        if self.next_look_at_journal().is_none_or(|at| at > Instant::now()) {
            return;
        }
        self.looked_at_journal = Some(Instant::now());
        self.reload_runners_if_changed(root);
        if self.scheduler.is_any_on() {
            self.answer_handed(root);
        }
    }

    /// When to look next; nothing while no loop of the workspace runs.
    pub(crate) fn next_look_at_journal(&self) -> Option<Instant> {
        let every = match (self.scheduler.is_any_on(), self.has_runners_beside()) {
            (true, _) => LOOK_EVERY,
            (false, true) => WATCH_EVERY,
            (false, false) => return None,
        };
        Some(self.looked_at_journal.map_or_else(Instant::now, |at| at + every))
    }

    /// Answers everything that is handed to this process.
    fn answer_handed(&mut self, root: &Path) {
        let holder = self.holder.clone();
        for request in self.journal.take_handed(&holder).unwrap_or_default() {
            let key = LoopId::new(&loopdeck_system::dirs::id_of(root), &request.file);
            let done = serde_json::from_str::<Handed>(&request.request)
                .map_err(Failure::own_data)
                .and_then(|handed| self.carry_out_handed(&key, &handed));
            let answer = serde_json::to_string(&done.err()).unwrap_or_default();
            self.journal.answer_handed(request.id, &answer).logged("a program that asked hears no answer");
        }
    }

    fn carry_out_handed(&mut self, key: &str, handed: &Handed) -> Result<(), Failure> {
        match &handed.behalf {
            Some(behalf) => self.on_behalf(key, behalf, |store| store.carry_out(key, &handed.wanted)),
            None => self.carry_out(key, &handed.wanted),
        }
    }

    fn carry_out(&mut self, key: &str, wanted: &Wanted) -> Result<(), Failure> {
        if let Wanted::AddItem { text, .. } = wanted
            && self.driver_context().holds_item(key, text)
        {
            return Ok(());
        }
        if let Some(intent) = wanted.intent() {
            return self.act(key, &intent);
        }
        match wanted {
            Wanted::PauseNow => self.driver_context().pause_now(key),
            Wanted::StopNow => self.driver_context().stop_now(key),
            Wanted::Undo => self.undo(key),
            Wanted::Restore { version } => self.restore(key, *version),
            Wanted::Change { change } | Wanted::AddItem { change, .. } => match &**change {
                LoopChange::Recover { way, fingerprint, supplied } => {
                    let (way, fingerprint, supplied) = (*way, fingerprint.clone(), supplied.clone());
                    self.recover(key, &Agreed { way, fingerprint, supplied })
                }
                LoopChange::EditTasks { edit } => self.edit_tasks(key, edit),
                LoopChange::Repair { .. } | LoopChange::Operate { .. } => Ok(()), // an intent, above
            },
            Wanted::Pause | Wanted::Stop { .. } | Wanted::Verb { .. } | Wanted::Edit { .. } => {
                Err(Failure::new(FailureKind::UnknownLoop)) // deleting is no change of a loop that runs
            }
        }
    }
}

impl Wanted {
    /// Whether it ends work.
    pub(crate) fn ends(&self) -> bool {
        matches!(self, Self::Pause | Self::Stop { .. } | Self::PauseNow | Self::StopNow)
    }

    /// What can be asked of a Loopdeck with another data folder: only its file reaches it.
    fn by_file(self) -> Self {
        match self {
            Self::PauseNow => Self::Pause,
            Self::StopNow => Self::Stop { reason: None },
            other => other,
        }
    }
}

/// A failure as a program sees it that is not the one that runs the loop.
pub(crate) fn seen_beside(failure: Failure, program: loopdeck_core::status::Program) -> Failure {
    let refusal = failure.refusal.map(|refusal| refusal.beside(program));
    Failure { refusal, ..failure }
}
