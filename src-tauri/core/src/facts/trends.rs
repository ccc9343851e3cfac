//! Trends over days: what a lead compares from week to week. Pure sums; the runtime brings loops and runs.

use super::TestTotals;
use crate::format::Format;
use crate::start::Recipe;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeMap;

/// Which days, and which loops.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Type)]
pub struct TrendQuery {
    /// The first moment of each day where the person is, ms since 1970 UTC, in order.
    #[specta(type = Vec<u32>)] // finite numbers in TypeScript
    pub days: Vec<f64>,
    /// The moment after the last day.
    #[specta(type = u32)] // a finite number in TypeScript
    pub until: f64,
    /// Only loops of this workspace.
    #[serde(default)]
    pub workspace: Option<String>,
    /// Only loops and runs of this agent, by its name.
    #[serde(default)]
    pub agent: Option<String>,
    /// Only loops of this system.
    #[serde(default)]
    pub format: Option<Format>,
    /// Only loops that were started here for this kind of work.
    #[serde(default)]
    pub recipe: Option<Recipe>,
}

/// What is counted of loops, day by day and together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct Trends {
    /// In order.
    pub days: Vec<TrendDay>,
    /// All days together, by workspace; its id is the name.
    pub workspaces: Vec<TrendGroup>,
    /// The same by agent.
    pub agents: Vec<TrendGroup>,
    /// The same by system; its word is the name.
    pub formats: Vec<TrendGroup>,
    /// The same by kind of work; its word is the name. Loops that were not started here are in none.
    pub recipes: Vec<TrendGroup>,
    /// Loops whose facts are not counted yet: ask again.
    pub left: u32,
}

/// One day.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct TrendDay {
    /// Its first moment, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub at: f64,
    /// What is counted of it.
    #[serde(flatten)]
    pub sum: TrendSum,
    /// Milliseconds at work in each action, the longest first.
    pub actions: Vec<ActionTime>,
}

/// What loops with something in common add up to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct TrendGroup {
    /// What they have in common.
    pub name: String,
    /// What is counted of them.
    #[serde(flatten)]
    pub sum: TrendSum,
}

/// Sums of loops that came to an end, and of runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct TrendSum {
    /// Loops that came to an end.
    pub ended: u32,
    /// Those of them whose goal holds.
    pub succeeded: u32,
    /// Iterations that these used; the one in the middle. `None` without any.
    pub iterations: Option<f64>,
    /// Passed tests of their last runs.
    pub tests_passed: u32,
    /// All tests of their last runs.
    pub tests_total: u32,
    /// Milliseconds at work.
    #[specta(type = u32)] // a finite number in TypeScript
    pub worked_ms: f64,
    /// USD; `None` when no run says.
    pub cost_usd: Option<f64>,
}

/// How long runs of one action were at work.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct ActionTime {
    /// `develop`, `debug`, `atom`, …
    pub action: String,
    /// Milliseconds at work.
    #[specta(type = u32)] // a finite number in TypeScript
    pub worked_ms: f64,
}

/// A loop that came to an end.
#[derive(Clone, Debug, PartialEq)]
pub struct EndedLoop {
    /// Id of its workspace.
    pub workspace: String,
    /// Which system.
    pub format: Format,
    /// The kind of work it was started for; `None` where that is not known.
    pub recipe: Option<Recipe>,
    /// Agents that worked on it here.
    pub agents: Vec<String>,
    /// When, ms since 1970 UTC.
    pub at: f64,
    /// Whether its goal holds.
    pub succeeded: bool,
    /// Iterations used.
    pub iterations: Option<f64>,
    /// Its last test run.
    pub tests: Option<TestTotals>,
}

/// A run of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct PastRun {
    /// Id of its workspace.
    pub workspace: String,
    /// Which system the loop has; `None` when the loop is gone.
    pub format: Option<Format>,
    /// The kind of work the loop was started for; `None` where that is not known.
    pub recipe: Option<Recipe>,
    /// Name of the agent.
    pub agent: String,
    /// `develop`, `debug`, `atom`, …
    pub action: String,
    /// When it began, ms since 1970 UTC.
    pub at: f64,
    /// Milliseconds at work.
    pub worked_ms: f64,
    /// USD.
    pub cost_usd: Option<f64>,
}

impl TrendQuery {
    fn day(&self, at: f64) -> Option<usize> {
        let after = self.days.partition_point(|start| *start <= at);
        after.checked_sub(1).filter(|_| at < self.until)
    }

    fn wants_loop(&self, ended: &EndedLoop) -> bool {
        self.workspace.as_ref().is_none_or(|id| *id == ended.workspace)
            && self.format.is_none_or(|format| format == ended.format)
            && self.recipe.is_none_or(|recipe| Some(recipe) == ended.recipe)
            && self.agent.as_ref().is_none_or(|agent| ended.agents.contains(agent))
    }

    fn wants_run(&self, run: &PastRun) -> bool {
        self.workspace.as_ref().is_none_or(|id| *id == run.workspace)
            && self.format.is_none_or(|format| Some(format) == run.format)
            && self.recipe.is_none_or(|recipe| Some(recipe) == run.recipe)
            && self.agent.as_ref().is_none_or(|agent| *agent == run.agent)
    }
}

impl Trends {
    /// The sums of `loops` and `runs` that `query` asks for. Groups are over all of the time, so that a person sees what to choose.
    #[must_use]
    pub fn new(query: &TrendQuery, loops: &[EndedLoop], runs: &[PastRun]) -> Self {
        let mut days: Vec<Sum> = query.days.iter().map(|_| Sum::default()).collect();
        let mut groups = Groups::default();
        for ended in loops.iter().filter(|ended| query.wants_loop(ended)) {
            let Some(day) = query.day(ended.at) else { continue };
            days[day].add_loop(ended);
            groups.add_loop(ended);
        }
        for run in runs.iter().filter(|run| query.wants_run(run)) {
            let Some(day) = query.day(run.at) else { continue };
            days[day].add_run(run);
            groups.add_run(run);
        }
        let day = |(at, sum): (&f64, Sum)| TrendDay { at: *at, actions: sum.actions(), sum: sum.finish() };
        Self {
            days: query.days.iter().zip(days).map(day).collect(),
            workspaces: finished(groups.workspaces),
            agents: finished(groups.agents),
            formats: finished(groups.formats),
            recipes: finished(groups.recipes),
            left: 0,
        }
    }
}

/// Sums by what loops and runs have in common.
#[derive(Default)]
struct Groups {
    workspaces: BTreeMap<String, Sum>,
    agents: BTreeMap<String, Sum>,
    formats: BTreeMap<String, Sum>,
    recipes: BTreeMap<String, Sum>,
}

impl Groups {
    fn add_loop(&mut self, ended: &EndedLoop) {
        self.workspaces.entry(ended.workspace.clone()).or_default().add_loop(ended);
        self.formats.entry(word(&ended.format)).or_default().add_loop(ended);
        if let Some(recipe) = ended.recipe {
            self.recipes.entry(word(&recipe)).or_default().add_loop(ended);
        }
        for agent in &ended.agents {
            self.agents.entry(agent.clone()).or_default().add_loop(ended);
        }
    }

    fn add_run(&mut self, run: &PastRun) {
        self.workspaces.entry(run.workspace.clone()).or_default().add_run(run);
        self.agents.entry(run.agent.clone()).or_default().add_run(run);
        if let Some(format) = run.format {
            self.formats.entry(word(&format)).or_default().add_run(run);
        }
        if let Some(recipe) = run.recipe {
            self.recipes.entry(word(&recipe)).or_default().add_run(run);
        }
    }
}

fn finished(groups: BTreeMap<String, Sum>) -> Vec<TrendGroup> {
    groups.into_iter().map(|(name, sum)| TrendGroup { name, sum: sum.finish() }).collect()
}

#[derive(Clone, Debug, Default)]
struct Sum {
    sum: TrendSum,
    iterations: Vec<f64>,
    actions: BTreeMap<String, f64>,
}

impl Sum {
    fn add_loop(&mut self, ended: &EndedLoop) {
        self.sum.ended += 1;
        self.sum.succeeded += u32::from(ended.succeeded);
        self.iterations.extend(ended.iterations.filter(|_| ended.succeeded));
        let tests = ended.tests.unwrap_or_default();
        self.sum.tests_passed += tests.passed;
        self.sum.tests_total += tests.total;
    }

    fn add_run(&mut self, run: &PastRun) {
        self.sum.worked_ms += run.worked_ms;
        self.sum.cost_usd = match (self.sum.cost_usd, run.cost_usd) {
            (Some(sum), Some(more)) => Some(sum + more),
            (sum, more) => sum.or(more),
        };
        *self.actions.entry(run.action.clone()).or_default() += run.worked_ms;
    }

    fn actions(&self) -> Vec<ActionTime> {
        let time = |(action, worked_ms): (&String, &f64)| ActionTime {
            action: action.clone(),
            worked_ms: *worked_ms,
        };
        let mut times: Vec<ActionTime> = self.actions.iter().map(time).collect();
        times.sort_by(|a, b| b.worked_ms.total_cmp(&a.worked_ms));
        times
    }

    fn finish(mut self) -> TrendSum {
        self.iterations.sort_by(f64::total_cmp);
        let middle = self.iterations.len() / 2;
        let median = match self.iterations.as_slice() {
            [] => None,
            all if all.len() % 2 == 0 => Some(f64::midpoint(all[middle - 1], all[middle])),
            all => Some(all[middle]),
        };
        TrendSum { iterations: median, ..self.sum }
    }
}

/// The word of a format or a kind of work on the wire.
fn word(named: &impl Serialize) -> String {
    let value = serde_json::to_value(named).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(at: f64, succeeded: bool, iterations: f64) -> EndedLoop {
        EndedLoop {
            workspace: "w".into(),
            format: Format::LoopV2,
            recipe: Some(Recipe::FixBug),
            agents: vec!["Codex".into()],
            at,
            succeeded,
            iterations: Some(iterations),
            tests: Some(TestTotals { passed: 3, failed: 1, skipped: 0, total: 4, at: None }),
        }
    }

    fn run(at: f64, action: &str, cost_usd: Option<f64>) -> PastRun {
        PastRun {
            workspace: "w".into(),
            format: Some(Format::LoopV2),
            recipe: None,
            agent: "Codex".into(),
            action: action.into(),
            at,
            worked_ms: 10.0,
            cost_usd,
        }
    }

    fn query() -> TrendQuery {
        TrendQuery { days: vec![100.0, 200.0], until: 300.0, ..TrendQuery::default() }
    }

    #[test]
    fn what_ended_on_a_day_is_counted_there() {
        let loops = [
            ended(99.0, true, 1.0),
            ended(100.0, true, 2.0),
            ended(150.0, true, 5.0),
            ended(199.0, false, 9.0),
            ended(200.0, false, 9.0),
            ended(300.0, true, 1.0),
        ];
        let runs = [
            run(120.0, "develop", Some(0.5)),
            run(130.0, "develop", None),
            run(140.0, "debug", Some(0.25)),
            run(310.0, "debug", Some(9.0)),
        ];
        let trends = Trends::new(&query(), &loops, &runs);
        let first = &trends.days[0];
        assert_eq!((first.sum.ended, first.sum.succeeded, first.sum.iterations), (3, 2, Some(3.5)));
        assert_eq!((first.sum.tests_passed, first.sum.tests_total), (9, 12));
        assert_eq!((first.sum.cost_usd, first.sum.worked_ms), (Some(0.75), 30.0));
        let actions: Vec<_> =
            first.actions.iter().map(|time| (time.action.as_str(), time.worked_ms)).collect();
        assert_eq!(actions, [("develop", 20.0), ("debug", 10.0)]);
        let second = &trends.days[1];
        assert_eq!((second.sum.ended, second.sum.iterations, second.sum.cost_usd), (1, None, None));
        let group = |groups: &[TrendGroup]| {
            groups.iter().map(|group| (group.name.clone(), group.sum.ended)).collect::<Vec<_>>()
        };
        assert_eq!(group(&trends.workspaces), [("w".to_owned(), 4)]);
        assert_eq!(group(&trends.agents), [("Codex".to_owned(), 4)]);
        assert_eq!(group(&trends.formats), [("loop_v2".to_owned(), 4)]);
        assert_eq!(group(&trends.recipes), [("fix_bug".to_owned(), 4)]);
        assert_eq!(trends.recipes[0].sum.cost_usd, None, "of these runs no kind of work is known");
    }

    #[test]
    fn only_what_is_asked_for_counts() {
        let loops = [ended(150.0, true, 2.0)];
        let runs = [run(150.0, "develop", Some(1.0))];
        let sums = |query: TrendQuery| {
            let day = Trends::new(&query, &loops, &runs).days.remove(0);
            (day.sum.ended, day.sum.cost_usd)
        };
        let other = Some("other".to_owned());
        assert_eq!(sums(query()), (1, Some(1.0)));
        assert_eq!(sums(TrendQuery { workspace: other.clone(), ..query() }), (0, None));
        assert_eq!(sums(TrendQuery { agent: other, ..query() }), (0, None));
        assert_eq!(sums(TrendQuery { format: Some(Format::Aot), ..query() }), (0, None));
        assert_eq!(sums(TrendQuery { agent: Some("Codex".into()), ..query() }), (1, Some(1.0)));
        assert_eq!(sums(TrendQuery { recipe: Some(Recipe::FixBug), ..query() }), (1, None));
        assert_eq!(sums(TrendQuery { recipe: Some(Recipe::Checklist), ..query() }), (0, None));
    }
}
