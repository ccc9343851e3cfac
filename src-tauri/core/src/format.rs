//! The formats and how a file is recognised (the CCW contract §1.1).

use crate::times::Timestamp;
use loopdeck_plans::PlanKind;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeMap;

/// The system that a file's loop belongs to. Words: catalogue `format.<name>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// CCW Loop v2, Claude and Codex flavours.
    LoopV2,
    /// CCW Loop-B: coordinator and workers.
    LoopB,
    /// AoT loop.
    Aot,
    /// Ralph loop: one prompt again and again, until a list is done.
    Ralph,
    /// CCW v1 engine file, read-only.
    V1,
    /// Legacy CCW session folder, read-only.
    Legacy,
    /// ralph-loop of Claude Code, and its relatives.
    RalphLoop,
    /// User stories in a `prd.json`.
    Prd,
    /// pi-ralph.
    PiRalph,
    /// The boulder of oh-my-openagent.
    Boulder,
    /// Goals of oh-my-openagent and oh-my-claudecode.
    Goals,
    /// A feature of GitHub Spec Kit.
    SpecKit,
    /// A run of a workflow of GitHub Spec Kit.
    SpecKitRun,
    /// A change of OpenSpec.
    OpenSpec,
    /// A project of GSD.
    Gsd,
    /// A debug session of GSD.
    GsdDebug,
    /// Tasks of Task Master.
    TaskMaster,
    /// A sprint of BMAD.
    Bmad,
    /// ralph-claude-code.
    Frankbria,
    /// ralph-orchestrator.
    Orchestrator,
    /// Issues of Beads.
    Beads,
    /// A session of maestro.
    Maestro,
    /// Schedules of Claude Code.
    Schedules,
    /// Where a loop should be, but unreadable, so its format is unknown.
    Unknown,
}

/// Possible formats of a new loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum NewFormat {
    /// CCW Loop v2.
    #[default]
    LoopV2,
    /// CCW Loop-B.
    LoopB,
    /// AoT loop.
    Aot,
    /// Ralph loop.
    Ralph,
}

impl NewFormat {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::LoopV2, Self::LoopB, Self::Aot, Self::Ralph];

    /// The one that can work off a plan of another tool.
    pub const OF_PLANS: Self = Self::Ralph;

    /// The same format, as used for files.
    #[must_use]
    pub fn format(self) -> Format {
        match self {
            Self::LoopV2 => Format::LoopV2,
            Self::LoopB => Format::LoopB,
            Self::Aot => Format::Aot,
            Self::Ralph => Format::Ralph,
        }
    }

    /// The format of a new loop like one of `format`: a read-only format becomes a Loop v2.
    #[must_use]
    pub fn like(format: Format) -> Self {
        Self::ALL.into_iter().find(|new| new.format() == format).unwrap_or_default()
    }

    /// What `value` returns for each.
    pub fn map<T>(value: impl Fn(Self) -> T) -> BTreeMap<Self, T> {
        Self::ALL.into_iter().map(|format| (format, value(format))).collect()
    }
}

/// What Loopdeck does with loops of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Handling {
    /// It is controlled, and Loopdeck can run its agents.
    Driven,
    /// It is controlled through its file; its agents run elsewhere.
    Controlled,
    /// It is only shown.
    ReadOnly,
}

/// How the agents of a loop work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Teamwork {
    /// One action after the other.
    Alone,
    /// Workers in parallel; their results are taken up together when all have ended.
    Joined,
    /// Rounds of workers, each with a result of its own. A stop and a pause take effect when the round is closed.
    Rounds,
}

/// What sets a format apart for those that run its loops, or show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
pub struct Traits {
    /// What Loopdeck does with its loops.
    pub handling: Handling,
    /// How its agents work together.
    pub teamwork: Teamwork,
    /// The skill that drives its loops by itself, where it has one.
    pub skill: Option<&'static str>,
    /// A plugin of Claude drives its loops by itself.
    pub has_plugin: bool,
    /// Its work is a graph of atoms.
    pub has_atoms: bool,
    /// Its loops have a completion check of their own.
    pub has_completion_check: bool,
    /// Loopdeck runs the workspace's tests for its loops.
    pub runs_tests: bool,
    /// Its file tells of failed actions, and its agents debug with log statements.
    pub tells_failures: bool,
    /// Its driver takes up the tasks of the list next to the loop, and those that a person planned in the start form.
    pub takes_up_tasks: bool,
    /// The mode of its loops is decided by their first action, not by their first file.
    pub begins_with_mode: bool,
    /// A task list next to a loop can be edited.
    pub has_task_list: bool,
    /// A completed loop offers work that follows from it.
    pub has_follow_ups: bool,
    /// A text next to the loop is the only place that has its hypotheses.
    pub has_debug_text: bool,
    /// A loop of Loopdeck's can work off its items.
    pub is_worked_off: bool,
    /// Which verbs are offered depends on the layout of the file, not only on what it says.
    pub layout_decides: bool,
}

impl Traits {
    /// Of a format that is only shown.
    pub const SHOWN: Self = Self {
        handling: Handling::ReadOnly,
        teamwork: Teamwork::Alone,
        skill: None,
        has_plugin: false,
        has_atoms: false,
        has_completion_check: false,
        runs_tests: false,
        tells_failures: false,
        takes_up_tasks: false,
        begins_with_mode: false,
        has_task_list: false,
        has_follow_ups: false,
        has_debug_text: false,
        is_worked_off: false,
        layout_decides: false,
    };
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 24] = [
        Self::LoopV2,
        Self::LoopB,
        Self::Aot,
        Self::Ralph,
        Self::V1,
        Self::Legacy,
        Self::RalphLoop,
        Self::Prd,
        Self::PiRalph,
        Self::Boulder,
        Self::Goals,
        Self::SpecKit,
        Self::SpecKitRun,
        Self::OpenSpec,
        Self::Gsd,
        Self::GsdDebug,
        Self::TaskMaster,
        Self::Bmad,
        Self::Frankbria,
        Self::Orchestrator,
        Self::Beads,
        Self::Maestro,
        Self::Schedules,
        Self::Unknown,
    ];

    /// The plans that it stands for; `None` for a format of this package.
    #[must_use]
    pub fn plan(self) -> Option<PlanKind> {
        PlanKind::ALL.into_iter().find(|kind| Self::from(*kind) == self)
    }

    /// The traits of every format, for the page.
    #[must_use]
    pub fn all_traits() -> BTreeMap<Self, Traits> {
        Self::ALL.into_iter().map(|format| (format, format.traits())).collect()
    }

    /// Whether the file says which one it is.
    #[must_use]
    pub fn is_known(self) -> bool {
        self != Self::Unknown
    }

    /// What Loopdeck does with its loops.
    #[must_use]
    pub fn handling(self) -> Handling {
        self.traits().handling
    }

    /// Whether a skill or a plugin can run its loops; all others Loopdeck runs itself.
    #[must_use]
    pub fn has_own_runner(self) -> bool {
        self.traits().skill.is_some() || self.traits().has_plugin
    }

    /// Whether its agents work in rounds.
    #[must_use]
    pub fn works_in_rounds(self) -> bool {
        matches!(self.traits().teamwork, Teamwork::Rounds)
    }

    /// Whether the results of parallel workers are taken up together.
    #[must_use]
    pub fn joins_results(self) -> bool {
        matches!(self.traits().teamwork, Teamwork::Joined)
    }
}

/// Where a file was found; decides which formats it can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A `.json` file in a CCW root.
    CcwFile,
    /// `state.json` of a legacy session folder.
    LegacyState,
    /// `.claude/aot-loop-state.md`.
    AotFile,
    /// `TODO.md` in the folder of a Ralph loop.
    RalphList,
    /// A plan of another tool.
    Plan(PlanKind),
}

impl Place {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        let own = [Self::CcwFile, Self::LegacyState, Self::AotFile, Self::RalphList];
        own.into_iter().chain(PlanKind::ALL.map(Self::Plan))
    }
}

impl From<PlanKind> for Format {
    fn from(kind: PlanKind) -> Self {
        match kind {
            PlanKind::RalphLoop => Self::RalphLoop,
            PlanKind::Prd => Self::Prd,
            PlanKind::PiRalph => Self::PiRalph,
            PlanKind::Boulder => Self::Boulder,
            PlanKind::Goals => Self::Goals,
            PlanKind::SpecKit => Self::SpecKit,
            PlanKind::SpecKitRun => Self::SpecKitRun,
            PlanKind::OpenSpec => Self::OpenSpec,
            PlanKind::Gsd => Self::Gsd,
            PlanKind::GsdDebug => Self::GsdDebug,
            PlanKind::TaskMaster => Self::TaskMaster,
            PlanKind::Bmad => Self::Bmad,
            PlanKind::Frankbria => Self::Frankbria,
            PlanKind::Orchestrator => Self::Orchestrator,
            PlanKind::Beads => Self::Beads,
            PlanKind::Maestro => Self::Maestro,
            PlanKind::Schedules => Self::Schedules,
        }
    }
}

/// What is known about a file before its bytes are read.
#[derive(Clone, Copy, Debug)]
pub struct FileFacts<'a> {
    /// File name without `.json`, or the folder name of a legacy session: the identity (E5).
    pub stem: &'a str,
    /// Modification time.
    pub modified: Timestamp,
    /// Now.
    pub now: Timestamp,
}
