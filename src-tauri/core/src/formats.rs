//! The formats of agent loops, one folder each, and which one answers for what. [`ccw`] is what the CCW formats share.

use crate::format::{Format, NewFormat, Place, Traits};
use loop_format::LoopFormat;
use new_loops::NewLoops;
use state_files::StateFiles;

pub mod aot;
pub mod ccw;
pub mod ccw_legacy;
pub mod ccw_v1;
pub mod ccw_v2;
pub mod list;
pub mod loop_b;
pub(crate) mod loop_format;
pub(crate) mod new_loops;
pub mod plan;
pub mod ralph;
pub(crate) mod state_files;

impl Format {
    /// What the format does differently.
    pub(crate) fn rules(self) -> &'static dyn LoopFormat {
        match self {
            Self::LoopV2 => &ccw_v2::format::LoopV2,
            Self::LoopB => &loop_b::format::LoopB,
            Self::Aot => &aot::format::Aot,
            Self::Ralph => &ralph::format::Ralph,
            Self::V1 => &ccw::format::V1,
            Self::Legacy => &ccw::format::Legacy,
            Self::Unknown => &ccw::format::Unknown,
            other => plan::rules_of(other),
        }
    }

    /// What sets it apart.
    #[must_use]
    pub fn traits(self) -> Traits {
        self.rules().traits()
    }
}

impl Place {
    /// Where such files are, and what belongs to them.
    pub(crate) fn files(self) -> &'static dyn StateFiles {
        match self {
            Self::CcwFile => &ccw::files::CcwFiles,
            Self::LegacyState => &ccw::files::LegacyFiles,
            Self::AotFile => &aot::format::Aot,
            Self::RalphList => &ralph::format::Ralph,
            Self::Plan(kind) => plan::rules(kind),
        }
    }
}

impl NewFormat {
    /// What new loops of it look like.
    pub(crate) fn new_loops(self) -> &'static dyn NewLoops {
        match self {
            Self::LoopV2 => &ccw_v2::format::LoopV2,
            Self::LoopB => &loop_b::format::LoopB,
            Self::Aot => &aot::format::Aot,
            Self::Ralph => &ralph::format::Ralph,
        }
    }
}
