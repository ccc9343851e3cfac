//! A job: a loop that is to run on another machine. It names a repository, a commit and the work; never a program. What a
//! node runs is what its own owner allowed.

use crate::message::is_id;
use crate::seat::Seat;
use crate::work::parcel::Parcel;
use loopdeck_core::checklist::wanted::{BaseCase, CheckItem};
use loopdeck_core::refusal::Refusal;
use loopdeck_core::start::{FirstFile, NewWork};
use loopdeck_core::times::Timestamp;
use loopdeck_execution::git::bundle::is_commit;
use loopdeck_runtime::drivers::plan::{Driver, RunPlan};
use loopdeck_system::failure::FailureKind;
use serde::{Deserialize, Serialize};
use specta::Type;

/// The largest job as JSON.
pub(crate) const LARGEST_JOB: usize = 256 << 10;

/// Where a job is to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Target {
    /// On this machine.
    Machine {
        /// Which.
        seat: Seat,
    },
    /// On any that has the agent, the repository and so much memory.
    Any {
        /// In GiB; 0 for any.
        memory_gb: u32,
    },
}

/// What happens when the machine is gone in the middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum IfGone {
    /// Another machine that may take it continues from the last state.
    Continue,
    /// It stays interrupted.
    Interrupt,
}

/// What is signed of a job besides its content.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct JobHead {
    /// The user's claims of the sender.
    pub(crate) token: String,
    /// The job.
    pub(crate) id: String,
}

/// A loop that is to run on another machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Job {
    /// Names it, once and for all.
    pub(crate) id: String,
    /// Who asks.
    pub(crate) from: Seat,
    pub(crate) target: Target,
    pub(crate) if_gone: IfGone,
    /// When it was asked, ms since 1970 UTC. The first file is of this moment.
    pub(crate) at: i64,
    /// For the name of the first file.
    pub(crate) random: u32,
    pub(crate) work: NewWork,
    pub(crate) plan: RunPlan,
    /// The first commit of the repository, which names it in all clones.
    pub(crate) origin: String,
    /// What the work begins with.
    pub(crate) commit: String,
    /// Name of the asker's folder. Untrusted text.
    pub(crate) name: String,
    /// What the repository may lack of `commit`.
    pub(crate) parcel: Option<Parcel>,
}

impl Job {
    /// The first file: the same wherever it is made.
    pub(crate) fn first_file(&self) -> Result<FirstFile, Refusal> {
        self.work.first_file(Timestamp::from_millis(self.at), self.random)
    }

    /// Whether it has the form of a job; what it asks for is another question.
    pub(crate) fn is_sound(&self) -> bool {
        is_id(&self.id)
            && is_commit(&self.origin)
            && is_commit(&self.commit)
            && self.parcel.as_ref().is_none_or(Parcel::is_sound)
            && self.plan == portable_plan(&self.plan)
            && self.first_file().is_ok()
    }

    /// The shell lines that it would have run, each of which the node's owner must have allowed word for word.
    pub(crate) fn commands(&self) -> Vec<&str> {
        let mut lines = vec![self.plan.test_command.as_str()];
        lines.extend(self.work.base_case.iter().flat_map(BaseCase::shell_lines));
        lines.extend(self.plan.checks.iter().flat_map(CheckItem::shell_lines));
        lines.retain(|line| !line.trim().is_empty());
        lines
    }

    /// What it is about, in one line: the message of the commit that it becomes.
    pub(crate) fn message(&self) -> String {
        let text = if self.work.title.trim().is_empty() { &self.work.goal } else { &self.work.title };
        let line = text.trim().lines().next().unwrap_or_default();
        line.chars().filter(|letter| !letter.is_control()).take(100).collect()
    }

    /// Every agent that it may use.
    pub(crate) fn agents(&self) -> impl Iterator<Item = &str> {
        let further = self.plan.further.iter().map(|further| further.agent.as_str());
        std::iter::once(self.plan.agent.as_str()).chain(further)
    }
}

/// What of a plan travels: nothing that is the sender's own machine's, or names a program.
pub(crate) fn portable_plan(plan: &RunPlan) -> RunPlan {
    RunPlan {
        extra_args: Vec::new(),
        shell_command: String::new(),
        clean: false,
        driver: Driver::Loopdeck,
        // A node that is started again continues.
        keep_going: true,
        ..plan.clone()
    }
}

/// Why a plan cannot travel.
pub(crate) fn stays_here(plan: &RunPlan) -> Option<FailureKind> {
    if plan.is_by_shell() || plan.driver != Driver::Loopdeck || !plan.names_agent() {
        Some(FailureKind::RunNeedsAgent)
    } else if !plan.extra_args.is_empty() {
        Some(FailureKind::RunHasArguments)
    } else {
        None
    }
}
