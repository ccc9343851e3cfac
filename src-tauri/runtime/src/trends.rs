//! Trends: loops that came to an end, from the catalog, and runs, from the journal.

use crate::facts_cache::FactsCache;
use crate::loop_reader::LocatedLoop;
use crate::observe::catalog::{Catalog, Entry};
use crate::store::journal::{KnownRecipes, RecordedRun};
use loopdeck_core::facts::{EndedLoop, PastRun};
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::status::FileStatus;
use std::collections::HashMap;
use std::time::Instant;

/// Loops and runs of a time, by the names that the catalog has for them.
pub(crate) struct Past {
    pub(crate) loops: Vec<(LoopId, EndedLoop)>,
    pub(crate) runs: Vec<PastRun>,
}

impl Past {
    /// Loops of `catalog` that ended at or after `since`, and `runs` of workspaces that are open; with the kinds of work that
    /// they were started for.
    pub(crate) fn new(catalog: &Catalog, runs: &[RecordedRun], recipes: &KnownRecipes, since: f64) -> Self {
        let ids: HashMap<String, &str> = catalog
            .workspaces
            .iter()
            .map(|workspace| (workspace.path.to_string_lossy().into_owned(), &*workspace.id))
            .collect();
        let mut agents: HashMap<LoopId, Vec<String>> = HashMap::new();
        let mut past_runs = Vec::new();
        for recorded in runs {
            let Some(id) = ids.get(&recorded.workspace) else { continue };
            let key = LoopId::new(id, &recorded.file);
            let recipe = recipes.of(&recorded.workspace, &recorded.file);
            past_runs.push(PastRun { recipe, ..past_run(recorded, id, catalog.get(&key)) });
            let known = agents.entry(key).or_default();
            if !recorded.run.agent.is_empty() && !known.contains(&recorded.run.agent) {
                known.push(recorded.run.agent.clone());
            }
        }
        let ended =
            catalog.entries().filter(|(_, entry)| has_ended(entry) && entry.changed().number() >= since);
        let loops = ended.map(|(key, entry)| {
            let agents = agents.get(key).cloned().unwrap_or_default();
            let root = catalog.workspace(&entry.workspace).map(|workspace| workspace.path.to_string_lossy());
            let recipe = root.and_then(|root| recipes.of(&root, &entry.candidate.file));
            (key.clone(), EndedLoop { recipe, ..ended_loop(entry, agents) })
        });
        Self { loops: loops.collect(), runs: past_runs }
    }

    /// Adds the last test run of each loop, counted once for each version of its file; answers how many are left at `until`.
    pub(crate) fn add_tests(
        &mut self,
        cache: &FactsCache,
        find: impl Fn(&str) -> Option<LocatedLoop>,
        until: Instant,
    ) -> u32 {
        let mut left = 0;
        for (key, ended) in &mut self.loops {
            let Some(found) = find(key) else { continue };
            let known = cache.get(&found.entry);
            if known.is_none() && Instant::now() >= until {
                left += 1;
                continue;
            }
            let facts = known.unwrap_or_else(|| cache.count(&found));
            ended.tests = facts.tests.map(|tests| tests.last);
        }
        left
    }
}

/// Whether its file says that it is over: one whose agent is gone may be continued.
fn has_ended(entry: &Entry) -> bool {
    use FileStatus::{Completed, Failed, LimitReached, StoppedByUser, UserExit};
    matches!(entry.summary.status, Completed | Failed | LimitReached | StoppedByUser | UserExit)
}

fn ended_loop(entry: &Entry, agents: Vec<String>) -> EndedLoop {
    EndedLoop {
        workspace: entry.workspace.to_string(),
        format: entry.summary.format,
        recipe: None,
        agents,
        at: entry.changed().number(),
        succeeded: entry.summary.status == FileStatus::Completed,
        iterations: entry.summary.iteration.map(|bar| bar.current),
        tests: None,
    }
}

#[allow(clippy::cast_precision_loss)] // milliseconds are exact in f64
fn past_run(recorded: &RecordedRun, workspace: &str, entry: Option<&Entry>) -> PastRun {
    let run = &recorded.run;
    PastRun {
        workspace: workspace.to_owned(),
        format: entry.map(|entry| entry.summary.format),
        recipe: None,
        agent: run.agent.clone(),
        action: run.action.word().to_owned(),
        at: run.started.number(),
        worked_ms: run.ended.map_or(0.0, |ended| ended.since(run.started).num_milliseconds() as f64),
        cost_usd: run.cost_usd,
    }
}
