//! Checks as they are run: commands as guarded runs, files by looking, the judge as an agent run.
//!
//! The pure driver says what to run next and what a result means: of an AoT loop its completion check (AoT contract §11), of any other the
//! referee. Results go into our journal only.

mod command;
pub(crate) mod coverage;

use super::driver_context::DriverContext;
use super::event::ExecutionEvent as Event;
use super::git;
use super::limits;
use super::mask::Mask;
use super::path_checks;
use super::weakened::weakened_since;
use super::work::{Activity, Execution, Purpose, RunSlot};
use crate::completion::test_run::usual_reports;
use crate::launcher::starting;
use crate::launcher::starting::row_of;
use crate::preferences::choices::KeptChoices;
use crate::run::{Run, RunAction};
use loopdeck_agents::OutputKind;
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::loops::drive::{self, CommandCheck, FileCheck, FileFound};
use loopdeck_system::failure::Failure;
use loopdeck_system::logged::Logged as _;
use std::path::Path;
use std::time::Duration;

pub(crate) use command::result_of;

impl DriverContext<'_> {
    /// Starts a command of the completion check.
    pub(crate) fn run_check(&mut self, key: &LoopId, check: CommandCheck) {
        match self.check_job(key, &check) {
            Ok((job, row)) => {
                let part = RunSlot::new(Purpose::Check(check), row, &job);
                self.begin(key, vec![part], vec![job], false);
            }
            Err(failure) => self.fail(key, &failure),
        }
    }

    fn check_job(
        &mut self,
        key: &LoopId,
        check: &CommandCheck,
    ) -> Result<(crate::run_monitor::Job, Run), Failure> {
        self.may_start(key)?;
        let iteration = self.iteration(key);
        let work = self
            .scheduler()
            .works
            .get(key)
            .ok_or_else(|| Failure::new(loopdeck_system::failure::FailureKind::UnknownLoop))?;
        let run = crate::runs::spec::new_run_id();
        let seconds = work.plan.check_seconds.unwrap_or(limits::USUAL_CHECK_SECONDS);
        let limit = Duration::from_secs(seconds.into());
        let limit = self.time_left(work).map_or(limit, |left| left.min(limit));
        let spec = starting::tests_spec(check.command.trim(), &work.root, &run, work.loop_key(), Some(limit));
        let row =
            Run { action: RunAction::Check, task: Some(check.item.clone()), iteration, ..row_of(&spec) };
        let job = self.job(key, &run, work, Some(spec), OutputKind::Text, Some(usual_reports()))?;
        Ok((job, row))
    }

    /// Looks for the files of the completion check in a thread of its own: a pattern may lead through a large folder.
    pub(crate) fn look_for_files(&mut self, key: &LoopId, checks: Vec<FileCheck>) {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        work.doing = Activity::Runs(Vec::new());
        work.action = Some(RunAction::Check);
        let (root, loop_key) = (work.root.clone(), work.loop_key());
        let began = match checks.iter().any(|check| check.tests) {
            true => self.journal().beginning((&loop_key).into()),
            false => Ok(None),
        };
        let workshop = &self.scheduler().workshop;
        let (inbox, choices, of) = (workshop.inbox.clone(), workshop.choices.clone(), key.clone());
        self.show_work(key);
        let look = move || {
            let found = checks.into_iter().map(|check| {
                let found = match check.floor {
                    _ if check.tests => tests_found(&root, &choices, &began),
                    Some(floor) => coverage::found(&root, &check.pattern, floor.since),
                    None => path_checks::file_found(&root, &check.pattern),
                };
                (check, found)
            });
            inbox.send(Event::FilesFound(of, found.collect()));
        };
        if let Err(error) = crate::tasks::start(look) {
            self.fail(key, &Failure::own_data(error));
        }
    }

    /// What was found; nothing follows when the work has ended meanwhile.
    pub(crate) fn files_found(&mut self, key: &LoopId, found: &[(FileCheck, FileFound)]) {
        if !self.scheduler().works.get(key).is_some_and(Execution::is_on) {
            return;
        }
        let concluded = self.with_file(key, |work, bytes, facts| {
            drive::conclude_files(work.format, found, (bytes, facts), &mut work.memory)
        });
        self.follow(key, concluded, Vec::new());
    }

    /// Records the results of the completion check so far.
    pub(crate) fn keep_checks(&mut self, key: &LoopId) {
        let began = |work: &Execution| drive::is_verifying(&work.memory);
        if !self.scheduler().works.get(key).is_some_and(began) {
            return;
        }
        let found =
            self.with_file(key, |work, bytes, _| (work.loop_key(), drive::verification(bytes, &work.memory)));
        if let Ok((of, Some(verification))) = found {
            self.journal()
                .keep_verification((&of).into(), &verification)
                .logged("a completion check is not recorded");
        }
    }
}

/// Whether tests are weakened since the loop began, at the commit `began`. Without that, an agent that commits would hide everything.
fn tests_found(root: &Path, choices: &KeptChoices, began: &Result<Option<String>, Failure>) -> FileFound {
    let unknown = |failure: &Failure| {
        let said = ["reason", "what", "path"].into_iter().find_map(|name| failure.args.get(name));
        FileFound::NotCompared(said.cloned().unwrap_or_default())
    };
    let base = match began {
        Ok(Some(base)) => base,
        Ok(None) => return FileFound::NotCompared("It is not known where the loop began.".to_owned()),
        Err(failure) => return unknown(failure),
    };
    let repository = match choices.repository(root) {
        Ok(repository) => repository,
        Err(failure) => return unknown(&failure),
    };
    match weakened_since(root, &repository, Some(base)) {
        Err(error) => unknown(&git::failure(root, &error)),
        Ok(tests) if !tests.found.is_empty() => {
            let mask = choices.read(Mask::of_all);
            FileFound::Weakened(tests.found.iter().map(|one| mask.hide(one.told())).collect())
        }
        Ok(tests) if !tests.is_whole => FileFound::TooMany,
        Ok(_) => FileFound::TestsKept,
    }
}
