//! "Loopdeck runs" a Loop v2: the next action, and the meaning of an agent's answer (the CCW contract §7.1).
//!
//! The order is the catalogue's, with its traps resolved so that every loop ends:
//! - T1: a loop is initialised if its `skill_state` is an object, whatever `current_action` says.
//! - T2: nothing open leads to VALIDATE, never to DEVELOP without a task.
//! - T3: the limit is checked before every action. A loop at its limit that is validated with nothing open is
//!   completed; any other one stays `running`, which is shown as "Limit reached".
//! - T4: a task `in_progress` is continued first, and a failed one is retried once; then a person is asked,
//!   and may leave it failed. Such a task counts neither as open nor as completed.
//! - T5: VALIDATE decides: passed completes the loop, failed leads to DEBUG, whether or not a hypothesis is
//!   confirmed.
//!
//! Tasks of the list next to the loop are added before anything else is chosen, so before the next DEVELOP.
//!
//! DEBUG creates no tasks, so the DEBUG round that confirms the cause also fixes it: it says `fixed`, a file
//! changed, and VALIDATE follows. Rounds without a fix follow each other until a person is asked. The runtime
//! runs the tests; an agent's word does not count. Every step offered here has been tried on the bytes, so
//! `operate` accepts it.
//!
//! All this is the mode `auto`. In `interactive`, a person chooses each action after INIT from the menu (§7).
//! The mode is read from the file before every step, so a manual change takes effect with the next action.

pub(crate) mod end;
pub mod listed;
pub mod memory;
pub(crate) mod prompt_context;

pub use crate::formats::ccw_v2::drive::end::{check, conclude, conclude_tests, unwritten};

use super::forms::InitMode;
use super::operate::operate;
use super::operation::{Beginning, ListedWork, LoopV2Operation};
use crate::control::Situation;
use crate::driver::{
    self, Action, AgentTask, DriverQuestion, EndReason, Memory, MenuChoice, QuestionCode, UsedUp,
};
use crate::format::{FileFacts, Format};
use crate::formats::ccw::drive::check_drivable;
use crate::formats::ccw::read::state::{CcwState, Home};
use crate::formats::ccw::read::values::has_status;
use crate::formats::ccw::read::words;
use crate::formats::ccw_v2::drive::listed::untaken;
use crate::formats::ccw_v2::drive::prompt_context::prompt_context;
use crate::phase::CcwPhase;
use crate::status::StatusWord;
use crate::summary::Summary;
use loopdeck_agents::answers::AnswerKind;
use loopdeck_agents::prompts::prompt;
use loopdeck_text::json_span::tree::Node;

/// What to do now: `Agent`, `Tests`, `Write`, `Menu`, `Ask` or `End`; then [`conclude`] or [`conclude_tests`].
pub type LoopV2Next = driver::Next<LoopV2Operation>;

/// The next step of the loop in `bytes`. Pure: the same arguments give the same step.
#[must_use]
pub fn next(bytes: &[u8], facts: &FileFacts<'_>, memory: &Memory) -> LoopV2Next {
    next_with_tasks(bytes, facts, memory, &[])
}

/// [`next`], with the tasks of the list next to the loop: see
/// [`crate::formats::ccw_v2::drive::listed::listed`].
#[must_use]
pub fn next_with_tasks(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &Memory,
    listed: &[ListedWork],
) -> LoopV2Next {
    let summary = match check_drivable(bytes, Format::LoopV2, facts) {
        Ok(summary) => summary,
        Err(end) => return LoopV2Next::End(end),
    };
    if let Some(limit) = memory.used_up {
        return LoopV2Next::End(EndReason::Limit { limit });
    }
    if let Some(question) = &memory.question {
        return LoopV2Next::ask(memory, question.clone());
    }
    let Ok(root) = Node::parse(bytes) else { return LoopV2Next::End(EndReason::Damaged) };
    let state = CcwState::new(&root, Home::SkillState);
    let listed = untaken(&state, listed);
    let next = LoopV2Place { state: &state, summary: &summary, memory, listed }.choose();
    tried(bytes, facts, next)
}

/// A round of debugging after checks failed although the tests pass; a person decides in an interactive loop.
#[must_use]
pub fn send_back(bytes: &[u8], facts: &FileFacts<'_>, memory: &Memory) -> Option<LoopV2Next> {
    let summary = check_drivable(bytes, Format::LoopV2, facts).ok()?;
    let root = Node::parse(bytes).ok()?;
    let state = CcwState::new(&root, Home::SkillState);
    let place = LoopV2Place { state: &state, summary: &summary, memory, listed: Vec::new() };
    if place.is_interactive() {
        return None;
    }
    if summary.at_limit() {
        return Some(LoopV2Next::End(EndReason::Limit { limit: UsedUp::Iterations }));
    }
    Some(tried(bytes, facts, place.debug_round()))
}

/// The step, once its operation fits the file.
fn tried(bytes: &[u8], facts: &FileFacts<'_>, next: LoopV2Next) -> LoopV2Next {
    let situation = Situation { shown: StatusWord::Running, now: facts.now };
    let refused = next.operation().and_then(|operation| operate(bytes, facts, operation, &situation).err());
    refused.map_or(next, |refusal| LoopV2Next::End(EndReason::Refused { refusal }))
}

/// The current state of the loop.
struct LoopV2Place<'s> {
    state: &'s CcwState<'s>,
    summary: &'s Summary,
    memory: &'s Memory,
    /// Tasks of the list that the loop does not have yet.
    listed: Vec<ListedWork>,
}

impl LoopV2Place<'_> {
    fn choose(&self) -> LoopV2Next {
        let at_limit = self.summary.at_limit();
        let limit = || LoopV2Next::End(EndReason::Limit { limit: UsedUp::Iterations });
        if !self.state.skill.is_object() {
            return if at_limit { limit() } else { self.agent(Action::Init, None) };
        }
        if self.is_interactive() {
            return self.menu();
        }
        if at_limit {
            return if self.is_done() { self.complete() } else { limit() };
        }
        if let Some(task) = self.given_up() {
            return self.ask_about(task);
        }
        if !self.listed.is_empty() {
            return self.take_up();
        }
        match self.open() {
            Some(task) => self.develop(task),
            None if self.state.tasks.is_empty() && !self.memory.without_tasks => {
                LoopV2Next::ask(self.memory, DriverQuestion::new(QuestionCode::NoTasks, "", ""))
            }
            None => self.verify(),
        }
    }

    /// Validated, with nothing open, here or in the list.
    fn is_done(&self) -> bool {
        self.listed.is_empty() && self.open().is_none() && self.given_up().is_none() && self.is_validated()
    }

    fn is_interactive(&self) -> bool {
        let mode = self.state.skill.get("mode").text().unwrap_or_default();
        mode.eq_ignore_ascii_case(InitMode::Interactive.word())
    }

    /// The person's choice, or the possible choices. A loop at its limit can only be completed, once it is
    /// done.
    fn menu(&self) -> LoopV2Next {
        if self.summary.at_limit() && !self.is_done() {
            return LoopV2Next::End(EndReason::Limit { limit: UsedUp::Iterations });
        }
        if !self.listed.is_empty() {
            return self.take_up();
        }
        let choices = self.choices();
        match self.memory.chosen.filter(|chosen| choices.contains(chosen)) {
            None => LoopV2Next::Menu(choices),
            Some(MenuChoice::Init | MenuChoice::Develop) => match (self.given_up(), self.open()) {
                (Some(task), _) => self.ask_about(task),
                (None, Some(task)) => self.develop(task),
                (None, None) => LoopV2Next::Menu(choices),
            },
            // However many rounds there were: the person wants another one.
            Some(MenuChoice::Debug) => self.debug_round(),
            Some(MenuChoice::Validate) => tests(),
            Some(MenuChoice::Complete) => self.complete(),
            Some(MenuChoice::Exit) => LoopV2Next::Write(LoopV2Operation::Leave),
        }
    }

    /// Currently possible choices. Without a test command, VALIDATE asks for one.
    fn choices(&self) -> Vec<MenuChoice> {
        let at_limit = self.summary.at_limit();
        let can = |choice: &MenuChoice| match choice {
            MenuChoice::Init => false,
            MenuChoice::Develop => !at_limit && (self.open().is_some() || self.given_up().is_some()),
            MenuChoice::Debug | MenuChoice::Validate => !at_limit,
            MenuChoice::Complete | MenuChoice::Exit => true,
        };
        MenuChoice::ALL.into_iter().filter(can).collect()
    }

    /// The task to work on: the started one, a failed one with attempts left, or the first pending one that
    /// does not wait for another.
    fn open(&self) -> Option<&Node<'_>> {
        let with =
            |word: &str| self.state.tasks.iter().find(|task| has_status(task, word) && id(task).is_some());
        let failed = self.failed().find(|(_, id)| !self.memory.is_used_up(id)).map(|(task, _)| task);
        let is_done = |id: &str| {
            let named = |task: &&Node<'_>| task.get("id").text() == Some(id);
            self.state.tasks.iter().find(named).is_none_or(|task| has_status(task, "completed"))
        };
        let is_ready = |task: &&Node<'_>| {
            let waits = task.get("_depends_on").items().iter().filter_map(Node::text).all(is_done);
            has_status(task, "pending") && id(task).is_some() && waits
        };
        with("in_progress")
            .or(failed)
            .or_else(|| self.state.tasks.iter().find(is_ready))
            .or_else(|| with("pending"))
    }

    /// Failed tasks that the person has not decided to leave.
    fn failed(&self) -> impl Iterator<Item = (&Node<'_>, &str)> {
        let failed = self.state.tasks.iter().filter(|task| has_status(task, "failed"));
        failed.filter_map(|task| Some((task, id(task)?))).filter(|(_, id)| !self.memory.left.contains(*id))
    }

    /// A failed task whose attempts are used up.
    fn given_up(&self) -> Option<&str> {
        self.failed().find(|(_, id)| self.memory.is_used_up(id)).map(|(_, id)| id)
    }

    /// A task without a tool goes to the plan's agent.
    fn take_up(&self) -> LoopV2Next {
        let mut tasks = self.listed.clone();
        for work in tasks.iter_mut().filter(|work| work.task.tool.is_empty()) {
            work.task.tool.clone_from(&self.memory.policy.tool);
        }
        LoopV2Next::Write(LoopV2Operation::TakeUp { tasks })
    }

    fn ask_about(&self, task: &str) -> LoopV2Next {
        let failed = self.memory.failures.get(task).cloned().unwrap_or_default();
        let question = DriverQuestion::new(QuestionCode::TaskFailed, task, &failed.why).counted(failed.tries);
        LoopV2Next::ask(self.memory, question)
    }

    fn develop(&self, task: &Node<'_>) -> LoopV2Next {
        let task_id = id(task).unwrap_or_default().to_owned();
        let beginning = Beginning::Develop { task_id: task_id.clone() };
        self.agent(Action::Develop { task_id }, Some(LoopV2Operation::Begin { beginning }))
    }

    /// Nothing is open: tests, debugging, the end.
    fn verify(&self) -> LoopV2Next {
        if self.memory.without_tests {
            return self.complete();
        }
        match self.last_action() {
            Some(CcwPhase::Validate) if self.is_validated() => self.complete(),
            Some(CcwPhase::Validate) if self.memory.run_again => tests(),
            Some(CcwPhase::Validate) if !self.has_failures() => LoopV2Next::ask(
                self.memory,
                DriverQuestion::new(QuestionCode::NoTests, CcwPhase::Validate.word(), &self.skipped_tests()),
            ),
            Some(CcwPhase::Validate) => self.after_failures(),
            Some(CcwPhase::Debug) if self.is_fixed() => tests(),
            Some(CcwPhase::Debug) => self.debug(),
            _ => tests(),
        }
    }

    fn after_failures(&self) -> LoopV2Next {
        let (same, names) = self.same_failures();
        if same < self.memory.policy.same_failures {
            return self.debug();
        }
        let runs = crate::formats::ccw::read::values::saturated(self.state.runs.len());
        let question =
            DriverQuestion::new(QuestionCode::TestsKeepFailing, CcwPhase::Validate.word(), &names.join("\n"));
        LoopV2Next::ask(self.memory, question.counted(runs))
    }

    fn debug(&self) -> LoopV2Next {
        let rounds = self.memory.v2.debug_rounds;
        if rounds >= self.memory.policy.debug_rounds {
            let understanding =
                self.memory.summaries.last().map(|note| note.text.as_str()).unwrap_or_default();
            let question =
                DriverQuestion::new(QuestionCode::DebugInconclusive, CcwPhase::Debug.word(), understanding);
            return LoopV2Next::ask(self.memory, question.counted(rounds));
        }
        self.debug_round()
    }

    fn debug_round(&self) -> LoopV2Next {
        let round = crate::formats::ccw::read::values::count(self.state.debug, "iteration").saturating_add(1);
        self.agent(Action::Debug { round }, Some(LoopV2Operation::Begin { beginning: Beginning::Debug }))
    }

    fn agent(&self, action: Action, begin: Option<LoopV2Operation>) -> LoopV2Next {
        let answer = match action {
            Action::Init => AnswerKind::Init,
            Action::Debug { .. } => AnswerKind::Debug,
            Action::Develop { .. }
            | Action::Worker { .. }
            | Action::Atom { .. }
            | Action::Judge { .. }
            | Action::Probe { .. }
            | Action::Iterate { .. } => AnswerKind::Develop,
        };
        let mut context = prompt_context(self.state, self.summary, self.memory, &action);
        if action == Action::Init {
            context.listed = self.listed.iter().map(|work| work.task.description.clone()).collect();
        }
        let prompt = prompt(&action, &context);
        LoopV2Next::Agent {
            begin,
            task: Box::new(AgentTask { action, prompt, answer: Some(answer), context }),
        }
    }

    fn complete(&self) -> LoopV2Next {
        let (executive, recommendations) = prompt_context::executive(self.state, self.memory);
        LoopV2Next::Write(LoopV2Operation::Complete {
            executive,
            recommendations,
            worked_ms: self.memory.worked_ms,
        })
    }

    /// `DEVELOP`, `develop` and `action-develop-with-file` are one word.
    fn last_action(&self) -> Option<CcwPhase> {
        words::action(self.state.skill.get("last_action").text().unwrap_or_default())
    }

    /// The last action was a passed test run.
    fn is_validated(&self) -> bool {
        let passed = self.state.validate.get("passed").flag() == Some(true);
        passed && !self.state.runs.is_empty() && self.last_action() == Some(CcwPhase::Validate)
    }

    fn has_failures(&self) -> bool {
        let listed = !self.state.validate.get("failed_tests").items().is_empty();
        listed || self.state.latest_run().is_some_and(|run| run.failed > 0)
    }

    /// The first tests that the last run skipped, one a line: they may say why there were none.
    fn skipped_tests(&self) -> String {
        let rows = self.state.latest_run().map_or(&[][..], |run| &run.rows[..]);
        let skipped = rows.iter().filter(|row| has_status(row, "skipped")).take(5);
        skipped.filter_map(|row| row.get("test_name").shown(200)).collect::<Vec<_>>().join("\n")
    }

    /// Whether the last DEBUG round ended with a fix. If the memory was lost, the file decides.
    fn is_fixed(&self) -> bool {
        self.memory.v2.fixed.unwrap_or(self.state.confirmed().is_some())
    }

    /// How many of the last runs, since a person last intervened, failed with the same tests.
    fn same_failures(&self) -> (u32, Vec<String>) {
        let excused = usize::try_from(self.memory.v2.excused_runs).unwrap_or(usize::MAX);
        let mut runs = self.state.runs.iter().skip(excused).rev().map(failures);
        let Some(latest) = runs.next() else { return (0, Vec::new()) };
        let same = runs.take_while(|names| *names == latest).count();
        (crate::formats::ccw::read::values::saturated(same + 1), latest)
    }
}

/// Names of a run's failed tests, in a fixed order; without rows, their number.
fn failures(run: &crate::formats::ccw::read::runs::ValidationRun<'_>) -> Vec<String> {
    let failed = run.rows.iter().filter(|row| has_status(row, "failed"));
    let mut names: Vec<String> =
        failed.map(|row| row.get("test_name").shown(200).unwrap_or_default()).collect();
    names.sort();
    names.dedup();
    if names.is_empty() && run.failed > 0 {
        names.push(run.failed.to_string());
    }
    names
}

fn tests() -> LoopV2Next {
    LoopV2Next::Tests { begin: LoopV2Operation::Begin { beginning: Beginning::Validate } }
}

fn id<'t>(task: &'t Node<'_>) -> Option<&'t str> {
    task.get("id").text().filter(|id| !id.is_empty())
}

#[cfg(test)]
#[path = "drive_any_tests.rs"]
mod any_tests;
#[cfg(test)]
#[path = "drive_claims_tests.rs"]
mod claims_tests;
#[cfg(test)]
#[path = "drive_menu_tests.rs"]
mod menu_tests;
#[cfg(test)]
#[path = "drive_runs_tests.rs"]
mod runs_tests;
#[cfg(test)]
#[path = "drive_tests.rs"]
mod tests;
