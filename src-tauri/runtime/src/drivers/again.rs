//! After a restart: runs that an earlier Loopdeck started are found again. Those that live are listened to as before, and
//! what they do is concluded; of those that ended meanwhile the end is read from their log, and the person decides.

use super::plan::{Driver, RunPlan};
use super::rows::{NeedKind, RunRow};
use super::work::{About, Doing, Part, What, Work};
use crate::catalog::Key;
use crate::clock;
use crate::dirs::id_of;
use crate::journal::{LoopRef, RecordedRun};
use crate::owner::Owner;
use crate::runs::{RunRecord, StopReport};
use loopdeck_core::agent::{AgentId, OutputKind, table};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

impl Owner {
    /// Takes up the runs of loops below `root` whose end nobody saw.
    pub(crate) fn find_runs_again(&mut self, root: &Path) {
        let workspace = root.to_string_lossy().into_owned();
        let open = self.journal.open_runs().unwrap_or_default();
        let id = id_of(root);
        for recorded in open.into_iter().filter(|recorded| recorded.workspace == workspace) {
            let key = crate::catalog::key(&id, &recorded.file);
            let known = self.works.get(&key).is_some_and(Work::is_on);
            if known || self.entry(&key).is_err() {
                continue;
            }
            let of = LoopRef { workspace: &recorded.workspace, file: &recorded.file };
            // Another Loopdeck that lives looks after it.
            if self.journal.hold_lease(of, &self.holder, clock::now()).unwrap_or(true) {
                self.find_again(&key, root, recorded);
            }
        }
    }

    fn find_again(&mut self, key: &Key, root: &Path, recorded: RecordedRun) {
        let of = LoopRef { workspace: &recorded.workspace, file: &recorded.file };
        let plan = self.journal.plan_of(of).ok().flatten().unwrap_or_default();
        let run_dir = self.workshop.dirs.runs().join(&recorded.run.id);
        if RunRecord::read(&run_dir).is_err() {
            return self.never_began(of, recorded.run);
        }
        let kind = self.kind_of(&recorded.run, &plan);
        let memory = self.journal.memory(of).ok().flatten();
        let memory = memory.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let spent = self.journal.spent(of).unwrap_or_default();
        let Ok(entry) = self.entry(key) else { return };
        let run = recorded.run;
        let work = Work {
            key: Arc::clone(key),
            format: entry.summary.format,
            root: root.to_owned(),
            agent: run.agent.clone(),
            plan,
            memory,
            doing: Doing::Runs(Vec::new()),
            since: clock::now(),
            spent_before: spent,
            spent,
            needs: Vec::new(),
            allowed: BTreeSet::new(),
            asked: None,
            waits: 0,
            last_output: clock::now(),
            started: true,
            final_at: None,
            stop: None,
            action: Some(run.action.clone()),
        };
        let Ok(job) = self.job(key, &run.id, &work, None, kind, None) else { return };
        self.works.insert(Arc::clone(key), work);
        self.workshop.outputs.keep(&run.id, &job.output);
        let part = Part { what: What::Found, run, run_dir, kind, attached: None, end: None };
        if let Some(work) = self.works.get_mut(key) {
            work.doing = Doing::Runs(vec![part]);
        }
        self.show_work(key);
        job.start();
    }

    /// Loopdeck ended between writing it down and starting it.
    fn never_began(&mut self, of: LoopRef<'_>, mut run: RunRow) {
        run.ended = Some(run.started);
        run.outcome = Some("crashed".into());
        let _ = self.journal.keep_run(of, &run);
    }

    fn kind_of(&self, run: &RunRow, plan: &RunPlan) -> OutputKind {
        if run.action == "validate" && run.agent.is_empty() {
            return OutputKind::Text;
        }
        match AgentId::parse(&plan.agent) {
            Some(AgentId::Custom { id }) => self.workshop.choices.read(|choices| {
                let own = choices.agents.iter().find(|agent| agent.id == id);
                own.map_or(OutputKind::Text, |agent| super::custom::record_of(agent).output)
            }),
            Some(id) => table::agent(&id).map_or(OutputKind::Text, |agent| agent.output),
            None => OutputKind::Text,
        }
    }

    /// A run that was found is over: its driver is gone with the Loopdeck that started it. The action is done again when
    /// the person resumes; what the agent did in the files stays.
    pub(crate) fn found_run_ended(&mut self, key: &Key, report: &StopReport) {
        let Some(work) = self.works.get_mut(key) else { return };
        work.memory.interrupted = true;
        let skill = work.plan.driver != Driver::Loopdeck;
        let asked = work.asked.is_some();
        if !matches!(report, StopReport::AllGone { .. }) {
            work.stop = Some(report.clone());
        }
        let action = work.parts().first().map(|part| part.run.action.clone()).unwrap_or_default();
        if !asked && !skill {
            self.need(key, NeedKind::Interrupted, "", About::GoOn, &["resume", "dismiss"], |need| {
                need.args.insert("action".into(), action);
            });
        }
        self.over(key);
    }
}
