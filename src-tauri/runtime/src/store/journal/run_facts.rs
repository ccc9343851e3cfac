//! What the runs of a loop add up to.

use super::runs::sum_of_known;
use super::{Error, Journal, LoopRef};
use loopdeck_core::facts::{ActionCost, RunChange, RunFacts};
use loopdeck_core::times::Timestamp;
use loopdeck_execution::changes::ChangeTotals;
use loopdeck_execution::run::Run;
use rusqlite::params;
use std::ops::Add as _;

/// So many runs are listed with what they changed.
const MOST_CHANGES: usize = 200;

impl Journal {
    /// What the runs of a loop used, what they were not allowed, and how often its limit was raised; nothing when Loopdeck never ran it
    /// and raised no limit.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn run_facts(&mut self, of: LoopRef<'_>) -> Result<Option<RunFacts>, Error> {
        let mut runs = self.runs(of, u32::MAX)?;
        runs.reverse();
        let mut facts = runs.iter().fold(RunFacts::default(), with_run);
        facts.changes.drain(..facts.changes.len().saturating_sub(MOST_CHANGES));
        let limits_raised = self.limits_raised(of)?;
        let is_known = !runs.is_empty() || limits_raised > 0;
        Ok(is_known.then_some(RunFacts { limits_raised, ..facts }))
    }

    /// How often a person raised a limit of the loop here.
    fn limits_raised(&mut self, of: LoopRef<'_>) -> Result<u32, Error> {
        let sql =
            "SELECT count(*) FROM intents WHERE workspace = ?1 AND file = ?2 AND raise_limit_to IS NOT NULL
             AND outcome NOT IN ('refused', 'undone')";
        Ok(self.database()?.query_row(sql, params![of.workspace, of.file], |row| row.get(0))?)
    }
}

#[allow(clippy::cast_precision_loss)] // exact up to 9e15 tokens
fn with_run(mut facts: RunFacts, run: &Run) -> RunFacts {
    let tokens = run.tokens.map(|tokens| tokens as f64);
    let worked_ms = run.ended.map_or(0.0, |ended| ended.since(run.started).num_milliseconds() as f64);
    facts.runs += 1;
    facts.denied += run.denied.unwrap_or_default();
    facts.tokens = sum_of_known(facts.tokens, tokens, f64::add);
    facts.cost_usd = sum_of_known(facts.cost_usd, run.cost_usd, f64::add);
    facts.worked_ms += worked_ms;
    facts.started = facts.started.or(Some(run.started.number()));
    facts.ended = run.ended.map(Timestamp::number);
    if !run.agent.is_empty() && !facts.agents.contains(&run.agent) {
        facts.agents.push(run.agent.clone());
    }
    let action = run.action.word();
    let known = facts.actions.iter().position(|known| known.action == action);
    let place = known.unwrap_or_else(|| {
        facts.actions.push(ActionCost { action: action.to_owned(), ..ActionCost::default() });
        facts.actions.len() - 1
    });
    let cost = &mut facts.actions[place];
    cost.runs += 1;
    cost.worked_ms += worked_ms;
    cost.tokens = sum_of_known(cost.tokens, tokens, f64::add);
    cost.cost_usd = sum_of_known(cost.cost_usd, run.cost_usd, f64::add);
    if let Some(changes) = run.changes {
        cost.lines = Some(cost.lines.unwrap_or_default() + changes.lines);
        facts.changes.extend(change(run, changes));
    }
    facts
}

/// What a run changed, unless that is nothing.
fn change(run: &Run, changes: ChangeTotals) -> Option<RunChange> {
    (changes.files > 0).then(|| RunChange {
        run: run.id.clone(),
        action: run.action.word().to_owned(),
        task: run.task.clone(),
        iteration: run.iteration,
        files: changes.files,
        lines: changes.lines,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::journal::Retention;
    use loopdeck_core::driver::ChangedLines;
    use loopdeck_core::phase::CcwPhase;
    use loopdeck_execution::run::RunAction;

    const OF: LoopRef<'static> = LoopRef { workspace: "/w", file: "f" };

    #[test]
    fn runs_add_up_by_action_and_an_unknown_cost_is_not_nothing() {
        let mut journal = Journal::in_memory(Retention::default()).expect("memory");
        assert_eq!(journal.run_facts(OF).expect("readable"), None);
        let at = Timestamp::from_millis;
        let run = |id: &str, phase, started, cost_usd, denied| Run {
            id: id.into(),
            action: RunAction::Phase(phase),
            agent: "Claude Code".into(),
            started: at(started),
            ended: Some(at(started + 10)),
            tokens: Some(100),
            cost_usd,
            denied,
            ..Run::default()
        };
        let changes = ChangeTotals { files: 2, lines: ChangedLines { added: 5, removed: 1 } };
        let changing = |run| Run { changes: Some(changes), ..run };
        let nothing = |run| Run { changes: Some(ChangeTotals::default()), ..run };
        for run in [
            changing(run("a", CcwPhase::Develop, 1, Some(0.5), None)),
            nothing(run("b", CcwPhase::Debug, 20, None, Some(2))),
            run("c", CcwPhase::Develop, 40, Some(0.25), Some(1)),
        ] {
            journal.keep_run(OF, &run).expect("kept");
        }
        let facts = journal.run_facts(OF).expect("readable").expect("three runs");
        assert_eq!((facts.runs, facts.denied, facts.tokens, facts.cost_usd), (3, 3, Some(300.0), Some(0.75)));
        assert_eq!((facts.started, facts.ended, facts.worked_ms), (Some(1.0), Some(50.0), 30.0));
        assert_eq!(facts.agents, ["Claude Code"]);
        let actions: Vec<_> =
            facts.actions.iter().map(|cost| (cost.action.as_str(), cost.runs, cost.cost_usd)).collect();
        assert_eq!(actions, [("develop", 2, Some(0.75)), ("debug", 1, None)]);
        let lines: Vec<_> = facts.actions.iter().map(|cost| cost.lines).collect();
        assert_eq!(lines, [Some(changes.lines), Some(ChangedLines::default())]);
        let changed: Vec<_> =
            facts.changes.iter().map(|change| (change.run.as_str(), change.files)).collect();
        assert_eq!(changed, [("a", 2)], "a run that changed nothing is not listed");
    }
}
