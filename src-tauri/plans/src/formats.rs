//! The formats of plans, a file each, and which one answers for what.

use crate::boxes::one_line;
use crate::format::{PlanFormat, ReadError, Source};
use crate::order;
use crate::plan::{ItemState, Plan};
use loopdeck_text::shorten;

mod beads;
mod bmad;
mod boulder;
mod frankbria;
mod goals;
mod gsd;
mod gsd_debug;
mod maestro;
mod open_spec;
mod orchestrator;
mod pi_ralph;
mod prd;
mod ralph_loop;
mod schedules;
mod spec_kit;
mod spec_kit_run;
mod task_master;

/// A kind of plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlanKind {
    /// A loop of Anthropic's ralph-loop plugin, or of a relative.
    RalphLoop,
    /// User stories in a `prd.json`.
    Prd,
    /// A loop of pi-ralph.
    PiRalph,
    /// The work of oh-my-openagent.
    Boulder,
    /// Goals of oh-my-openagent or oh-my-claudecode.
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
    /// A loop of ralph-claude-code.
    Frankbria,
    /// The loops of ralph-orchestrator.
    Orchestrator,
    /// Issues of Beads.
    Beads,
    /// A session of maestro.
    Maestro,
    /// Schedules of Claude Code.
    Schedules,
}

impl PlanKind {
    /// All of them.
    pub const ALL: [Self; 17] = [
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
    ];

    /// What answers for it.
    #[must_use]
    pub fn format(self) -> &'static dyn PlanFormat {
        match self {
            Self::RalphLoop => &ralph_loop::RalphLoop,
            Self::Prd => &prd::Prd,
            Self::PiRalph => &pi_ralph::PiRalph,
            Self::Boulder => &boulder::Boulder,
            Self::Goals => &goals::Goals,
            Self::SpecKit => &spec_kit::SpecKit,
            Self::SpecKitRun => &spec_kit_run::SpecKitRun,
            Self::OpenSpec => &open_spec::OpenSpec,
            Self::Gsd => &gsd::Gsd,
            Self::GsdDebug => &gsd_debug::GsdDebug,
            Self::TaskMaster => &task_master::TaskMaster,
            Self::Bmad => &bmad::Bmad,
            Self::Frankbria => &frankbria::Frankbria,
            Self::Orchestrator => &orchestrator::Orchestrator,
            Self::Beads => &beads::Beads,
            Self::Maestro => &maestro::Maestro,
            Self::Schedules => &schedules::Schedules,
        }
    }

    /// What a file says, with what is wrong with its ids and dependencies; `None` when the file is of another tool. A plan without a
    /// name is called after what it is for.
    ///
    /// # Errors
    /// Why it can't be read.
    pub fn read(self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let plan = self.format().read(source)?;
        Ok(plan.map(|mut plan| {
            let found = order::findings(&plan, self.format().mark(ItemState::Open));
            plan.findings.extend(found);
            plan.title = plan.title.take().or_else(|| named_after(plan.goal.as_deref()?));
            plan
        }))
    }
}

/// Most characters of a name that is made of a goal.
const LONGEST_NAME: usize = 120;

/// The first line of a goal that says something, without the signs of Markdown around it.
fn named_after(goal: &str) -> Option<String> {
    let bare = |line: &str| one_line(line.trim_matches(|letter: char| " \t\r#*_`>-".contains(letter)));
    let line = goal.lines().map(bare).find(|line| !line.is_empty())?;
    Some(shorten(&line, LONGEST_NAME))
}
