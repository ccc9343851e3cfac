//! Plans of other tools, whatever the format: a row, a page, a graph and changes, all made from the [`Plan`] that
//! `loopdeck_plans` reads. A format has nothing here but its name.

mod item_change;
pub(crate) mod linked;
pub mod operation;
pub(crate) mod own;
mod rules;
pub(crate) mod view;

use crate::format::{FileFacts, Format};
use crate::formats::loop_format::KnownFile;
use crate::formats::state_files::{Found, StateFiles, Wanted};
use crate::layout;
use crate::phase::{IterationBar, LimitKind, Phase};
use crate::problem::{Problem, ProblemCode};
use crate::status::FileStatus;
use crate::summary::{LockHolder, Summary};
use crate::view::{Companion, CompanionKind};
use loopdeck_plans::{Beside, ItemState, Plan, PlanKind, PlanStatus, ReadError, Source};
use loopdeck_text::shorten;

/// The plans of one kind.
#[derive(Clone, Copy)]
pub(crate) struct PlanRules(pub(crate) PlanKind);

static RULES: [PlanRules; PlanKind::ALL.len()] = {
    let mut rules = [PlanRules(PlanKind::ALL[0]); PlanKind::ALL.len()];
    let mut at = 0;
    while at < rules.len() {
        rules[at] = PlanRules(PlanKind::ALL[at]);
        at += 1;
    }
    rules
};

/// What answers for the plans of a kind.
pub(crate) fn rules(kind: PlanKind) -> &'static PlanRules {
    RULES.iter().find(|rules| rules.0 == kind).unwrap_or(&RULES[0])
}

/// The same for a format that stands for plans.
pub(crate) fn rules_of(format: Format) -> &'static PlanRules {
    format.plan().map_or(&RULES[0], rules)
}

impl StateFiles for PlanRules {
    fn found(&self) -> &'static [Found] {
        self.0.format().found()
    }

    fn summary(&self, file: KnownFile<'_>, beside: &[Companion]) -> Option<Summary> {
        self.summary_of(file, beside)
    }

    fn ends_without_file(&self) -> bool {
        self.0.format().ends_without_file()
    }

    /// The tool says how it ended to nobody: only a limit can be told from the file.
    fn ended(&self, file: KnownFile<'_>) -> Option<Summary> {
        let mut summary = self.summary_of(file, &[]).filter(|_| self.ends_without_file())?;
        if summary.status == FileStatus::Running {
            let is_at_limit = summary.at_limit();
            summary.status = if is_at_limit { FileStatus::LimitReached } else { FileStatus::StoppedByUser };
        }
        summary.problems = vec![Problem::new(ProblemCode::P20_ended, "")];
        Some(summary)
    }

    fn wanted(&self) -> &'static [Wanted] {
        self.0.format().wanted()
    }

    fn has_parts(&self) -> bool {
        self.0.format().has_parts()
    }

    fn parts(&self, bytes: &[u8]) -> Vec<String> {
        self.0.format().parts(bytes)
    }

    fn names_files(&self) -> bool {
        self.0.format().names_files()
    }

    fn named(&self, bytes: &[u8]) -> Vec<String> {
        self.0.format().named(bytes)
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn format_by_name(&self, _stem: &str) -> Format {
        self.0.into()
    }

    /// Names repeat between folders, so the path is the identity.
    fn stem<'f>(&self, file: &'f str) -> &'f str {
        file
    }

    fn companion_folders(&self, _file: &str) -> Vec<String> {
        let folder = |wanted: &Wanted| match *wanted {
            Wanted::File(name) | Wanted::End(name) => {
                name.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
            }
            Wanted::Files { folder, .. } => folder.to_owned(),
        };
        let mut folders: Vec<String> = self.wanted().iter().map(folder).collect();
        folders.sort();
        folders.dedup();
        folders
    }
}

impl PlanRules {
    /// What the file says; `None` when it is of another tool.
    fn plan(self, (bytes, facts): KnownFile<'_>, beside: &[Companion]) -> Result<Option<Plan>, Problem> {
        let beside = beside_of(beside);
        let source = self.source((bytes, facts), &beside);
        self.0.read(&source).map_err(|error| problem(&error))
    }

    fn source<'f>(self, (bytes, facts): KnownFile<'f>, beside: &'f [Beside<'f>]) -> Source<'f> {
        let (modified, now) = (facts.modified.millis(), facts.now.millis());
        Source { file: facts.stem, bytes, beside, modified, now }
    }

    fn summary_of(self, file: KnownFile<'_>, beside: &[Companion]) -> Option<Summary> {
        match self.plan(file, beside) {
            Ok(plan) => plan.map(|plan| self.row(&plan, file.1)),
            Err(problem) => Some(Summary::unreadable(self.0.into(), file.1.stem, problem)),
        }
    }

    /// What a list shows of a plan.
    fn row(self, plan: &Plan, facts: &FileFacts<'_>) -> Summary {
        let status = status_of(plan);
        let (done, all) = plan.progress();
        let bar = |current, limit: u32| IterationBar { current: f64::from(current), limit: limit.into() };
        let iteration = plan.iteration.zip(plan.limit).map(|(current, limit)| bar(current, limit));
        let active = plan.items.iter().filter(|item| item.state == ItemState::Active).count();
        let is_open = status != FileStatus::Completed;
        let mut summary = Summary {
            status_word: shorten(&plan.word, 40),
            reason: plan
                .reason
                .as_deref()
                .or(plan.needs.first().map(String::as_str))
                .map(|why| shorten(why, 200)),
            phase: (all > 0).then(|| Phase::Todo { done: count(done), total: count(all) }),
            iteration,
            in_progress: count(active),
            nothing_left: !is_open && done == all,
            status_is_derived: plan.status.is_none(),
            asks_person: is_open && !plan.needs.is_empty(),
            lock: plan
                .process
                .zip(plan.lock.as_deref())
                .map(|(pid, lock)| LockHolder { pid, file: layout::beside_path(facts.stem, lock) }),
            ..Summary::empty(self.0.into(), facts.stem, status)
        };
        if let Some(title) = &plan.title {
            summary.title = shorten(title, 200);
        }
        if status == FileStatus::LimitReached || (status == FileStatus::Running && summary.at_limit()) {
            summary.limit = Some(LimitKind::Iterations);
        }
        summary
    }
}

/// What of these is next to a plan, as its format sees it.
fn beside_of(companions: &[Companion]) -> Vec<Beside<'_>> {
    let of_plan = companions.iter().filter(|companion| companion.kind == CompanionKind::Plan);
    let mut beside: Vec<Beside<'_>> =
        of_plan.map(|companion| Beside { file: &companion.file, bytes: &companion.bytes }).collect();
    beside.sort_by_key(|beside| beside.file);
    beside
}

fn status_of(plan: &Plan) -> FileStatus {
    match plan.shown_status() {
        PlanStatus::NotStarted => FileStatus::NotStarted,
        PlanStatus::Running => FileStatus::Running,
        PlanStatus::Paused => FileStatus::Paused,
        PlanStatus::Stopped => FileStatus::StoppedByUser,
        PlanStatus::LimitReached => FileStatus::LimitReached,
        PlanStatus::Failed => FileStatus::Failed,
        PlanStatus::Completed => FileStatus::Completed,
        PlanStatus::Unknown => FileStatus::Unknown,
    }
}

fn problem(error: &ReadError) -> Problem {
    match error {
        ReadError::Empty => Problem::new(ProblemCode::F5_empty, ""),
        ReadError::NotText { offset } => Problem::new(ProblemCode::F6_not_utf8, "").with("offset", offset),
        ReadError::NotParsed { reason, line } => {
            Problem::new(ProblemCode::P0_not_parsed, "").with("reason", reason).at_line(*line)
        }
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
