//! The journal as the drivers use it.

use super::{BEGAN, Began, Journal, LoopRef, RecordedRun, Spent};
use loopdeck_core::formats::aot::drive::Verification;
use loopdeck_core::status::Program;
use loopdeck_core::times::Timestamp;
use loopdeck_execution::preferences::plan::RunPlan;
use loopdeck_execution::records::LoopMessage;
use loopdeck_execution::run::Run;
use loopdeck_execution::store::{Leases, RunRecords, SavedState};
use loopdeck_system::failure::Failure;

impl Leases for Journal {
    fn hold_to_run(
        &mut self,
        of: LoopRef<'_>,
        holder: (&str, Program),
        now: Timestamp,
    ) -> Result<bool, Failure> {
        Self::hold_to_run(self, of, holder, now).map_err(Failure::own_data)
    }

    fn end_running(&mut self, of: LoopRef<'_>, holder: &str) -> Result<(), Failure> {
        Self::end_running(self, of, holder).map_err(Failure::own_data)
    }

    fn has_lease(&mut self, of: LoopRef<'_>, holder: &str) -> Result<bool, Failure> {
        Self::has_lease(self, of, holder).map_err(Failure::own_data)
    }

    fn give_lease_back(&mut self, of: LoopRef<'_>, holder: &str) -> Result<(), Failure> {
        Self::give_lease_back(self, of, holder).map_err(Failure::own_data)
    }

    fn leave_lease(&mut self, of: LoopRef<'_>, holder: &str) -> Result<(), Failure> {
        Self::leave_lease(self, of, holder).map_err(Failure::own_data)
    }

    fn left_leases(&mut self, workspace: &str) -> Result<Vec<String>, Failure> {
        Self::left_leases(self, workspace).map_err(Failure::own_data)
    }
}

impl SavedState for Journal {
    fn keep_plan(&mut self, of: LoopRef<'_>, plan: &RunPlan, now: Timestamp) -> Result<(), Failure> {
        Self::keep_plan(self, of, plan, now).map_err(Failure::own_data)
    }

    fn plan_of(&mut self, of: LoopRef<'_>) -> Result<Option<RunPlan>, Failure> {
        Self::plan_of(self, of).map_err(Failure::own_data)
    }

    fn keep_memory(&mut self, of: LoopRef<'_>, memory: Option<&str>) -> Result<(), Failure> {
        Self::keep_memory(self, of, memory).map_err(Failure::own_data)
    }

    fn memory(&mut self, of: LoopRef<'_>) -> Result<Option<String>, Failure> {
        Self::memory(self, of).map_err(Failure::own_data)
    }

    fn messages(&mut self, of: LoopRef<'_>) -> Result<Vec<LoopMessage>, Failure> {
        Self::messages(self, of).map_err(Failure::own_data)
    }

    fn note_delivered(
        &mut self,
        of: LoopRef<'_>,
        newest: i64,
        run: &str,
        now: Timestamp,
    ) -> Result<(), Failure> {
        Self::note_delivered(self, of, newest, run, now).map_err(Failure::own_data)
    }

    fn beginning(&mut self, of: LoopRef<'_>) -> Result<Option<String>, Failure> {
        let began: Option<Began> = self.fact(of, BEGAN).map_err(Failure::own_data)?;
        Ok(began.and_then(|began| began.commit))
    }

    fn keep_verification(&mut self, of: LoopRef<'_>, found: &Verification) -> Result<(), Failure> {
        Self::keep_verification(self, of, found).map_err(Failure::own_data)
    }
}

impl RunRecords for Journal {
    fn keep_run(&mut self, of: LoopRef<'_>, run: &Run) -> Result<(), Failure> {
        Self::keep_run(self, of, run).map_err(Failure::own_data)
    }

    fn keep_changed_files(&mut self, of: LoopRef<'_>, run: &str, paths: &[String]) -> Result<(), Failure> {
        Self::keep_changed_files(self, of, run, paths).map_err(Failure::own_data)
    }

    fn conclude_run(&mut self, id: &str) -> Result<(), Failure> {
        Self::conclude_run(self, id).map_err(Failure::own_data)
    }

    fn runs(&mut self, of: LoopRef<'_>, limit: u32) -> Result<Vec<Run>, Failure> {
        Self::runs(self, of, limit).map_err(Failure::own_data)
    }

    fn open_runs(&mut self) -> Result<Vec<RecordedRun>, Failure> {
        Self::open_runs(self).map_err(Failure::own_data)
    }

    fn left_runs(&mut self, workspace: &str) -> Result<Vec<RecordedRun>, Failure> {
        Self::left_runs(self, workspace).map_err(Failure::own_data)
    }

    fn spent(&mut self, of: LoopRef<'_>) -> Result<Spent, Failure> {
        Self::spent(self, of).map_err(Failure::own_data)
    }

    fn keep_used(&mut self, agent: &str, session: &str, usage: &str) -> Result<(), Failure> {
        Self::keep_used(self, agent, session, usage).map_err(Failure::own_data)
    }

    fn used(&mut self, agent: &str, session: &str) -> Result<Option<String>, Failure> {
        Self::used(self, agent, session).map_err(Failure::own_data)
    }
}
