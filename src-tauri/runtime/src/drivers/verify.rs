//! The completion check of an AoT loop as it is run: commands as guarded runs, files by looking, the judge as an agent run.
//!
//! The pure driver says what to run next and what a result means (AoT contract §11). Results go into our journal only.

mod command;

use super::limits;
use super::of_format;
use super::starting;
use super::starting::row_of;
use super::tries;
use super::work::{Doing, Part, What, Work};
use crate::catalog::{Entry, Key};
use crate::journal::LoopRef;
use crate::owner::{Event, Owner};
use crate::rows::Failure;
use loopdeck_agents::OutputKind;
use loopdeck_core::checklist::Verdict;
use loopdeck_core::format::Format;
use loopdeck_core::formats::aot::drive::{self, CommandCheck, FileCheck, FileFound, Verification};
use loopdeck_core::status::FileStatus;
use loopdeck_execution::rows::RunRow;
use loopdeck_system::files;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use command::result_of;

impl Owner {
    /// Starts a command of the completion check.
    pub(crate) fn run_check(&mut self, key: &Key, check: CommandCheck) {
        match self.check_job(key, &check) {
            Ok((job, row)) => {
                let part = Part::of(What::Check(check), row, &job);
                self.begin(key, vec![part], vec![job], false);
            }
            Err(failure) => self.fail(key, &failure),
        }
    }

    fn check_job(
        &mut self,
        key: &Key,
        check: &CommandCheck,
    ) -> Result<(super::listen::Job, RunRow), Failure> {
        self.may_start(key)?;
        let iteration = self.iteration(key);
        let work = self.works.get(key).ok_or_else(|| Failure::new(crate::rows::FailureKind::UnknownLoop))?;
        let run = loopdeck_execution::runs::spec::new_run_id();
        let seconds = work.plan.check_seconds.unwrap_or(limits::USUAL_CHECK_SECONDS);
        let limit = Duration::from_secs(seconds.into());
        let limit = self.time_left(work).map_or(limit, |left| left.min(limit));
        let spec = starting::tests_spec(check.command.trim(), &work.root, &run, work.loop_key(), Some(limit));
        let row =
            RunRow { action: "check".into(), task: Some(check.item.clone()), iteration, ..row_of(&spec) };
        let job = self.job(key, &run, work, Some(spec), OutputKind::Text, None)?;
        Ok((job, row))
    }

    /// Looks for the files of the completion check in a thread of its own: a pattern may lead through a large folder.
    pub(crate) fn look_for_files(&mut self, key: &Key, checks: Vec<FileCheck>) {
        let Some(work) = self.works.get_mut(key) else { return };
        work.doing = Doing::Runs(Vec::new());
        work.action = Some("check".to_owned());
        let (root, inbox, of) = (work.root.clone(), self.workshop.inbox.clone(), Arc::clone(key));
        self.show_work(key);
        let look = move || {
            let found = checks.into_iter().map(|check| {
                let found = tries::found(&root, &check.pattern);
                (check, found)
            });
            let _ = inbox.send(Event::FilesFound(of, found.collect()));
        };
        if let Err(error) = std::thread::Builder::new().name("checking".into()).spawn(look) {
            self.fail(key, &Failure::own_data(error));
        }
    }

    /// What was found; nothing follows when the work has ended meanwhile.
    pub(crate) fn files_found(&mut self, key: &Key, found: &[(FileCheck, FileFound)]) {
        if !self.works.get(key).is_some_and(Work::is_on) {
            return;
        }
        let concluded = self.with_file(key, |work, bytes, facts| {
            of_format::conclude_files(found, (bytes, facts), &mut work.memory)
        });
        self.follow(key, concluded, Vec::new());
    }

    /// Keeps what the completion check came to so far.
    pub(crate) fn keep_checks(&mut self, key: &Key) {
        let began = |work: &Work| work.memory.aot.verification.is_some();
        if !self.works.get(key).is_some_and(began) {
            return;
        }
        let found =
            self.with_file(key, |work, bytes, _| (work.loop_key(), drive::verification(bytes, &work.memory)));
        if let Ok((of, Some(verification))) = found {
            let _ = self.journal.keep_verification((&of).into(), &verification);
        }
    }

    /// Whether the newest verification of a completed AoT loop passed.
    pub(crate) fn is_verified(&mut self, entry: &Entry) -> bool {
        let summary = &entry.summary;
        if summary.format != Format::Aot || summary.status != FileStatus::Completed {
            return false;
        }
        let newest = self.verifications(&entry.key(), 1).unwrap_or_default();
        newest.first().is_some_and(|verification| verification.verdict == Verdict::Pass)
    }

    /// Whether the newest verification passed, and nothing has changed since.
    pub(crate) fn is_verified_now(&mut self, key: &str) -> bool {
        let newest = self.shown_verifications(key, 1).unwrap_or_default();
        newest.first().is_some_and(|newest| newest.current && newest.verdict == Verdict::Pass)
    }

    /// Verifications of a loop as they are shown: each with whether it is about the file as it is now.
    pub(crate) fn shown_verifications(
        &mut self,
        key: &str,
        limit: u32,
    ) -> Result<Vec<Verification>, Failure> {
        let mut found = self.verifications(key, limit)?;
        if let Some((_, root, candidate)) = self.locate(key) {
            let mut bytes = Vec::new();
            let is_read = files::read(&root, &root.join(&candidate.file), &mut bytes).is_ok();
            for verification in &mut found {
                verification.current = is_read && drive::is_current(&bytes, verification);
            }
        }
        Ok(found)
    }

    /// Verifications of a loop, newest first.
    pub(crate) fn verifications(&mut self, key: &str, limit: u32) -> Result<Vec<Verification>, Failure> {
        let (_, root, candidate) =
            self.locate(key).ok_or_else(|| Failure::new(crate::rows::FailureKind::UnknownLoop))?;
        let root = root.to_string_lossy().into_owned();
        let of = LoopRef { workspace: &root, file: &candidate.file };
        self.journal.verifications(of, limit).map_err(Failure::own_data)
    }
}
