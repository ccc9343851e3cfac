//! What new loops of a format look like.

use crate::format::Place;
use crate::formats::aot::{AotWork, BaseCase, Missing};
use crate::refusal::Refusal;
use crate::start::{FirstFile, Modes, NewWork, Recipe};
use crate::times::Timestamp;
use crate::view::LoopDetail;

/// What new loops of a format look like, and what the start form offers for them.
pub(crate) trait NewLoops: Sync {
    /// `max_iterations` when a form gives none.
    fn usual_iterations(&self) -> u32;

    /// The ways in which its loops go through their actions; none where there is nothing to choose.
    fn modes(&self) -> Modes {
        Modes { loopdeck: &[], skill: &[] }
    }

    /// Where the state files of new loops are.
    fn place(&self) -> Place;

    /// The one file that a folder can have of it; `None` when each loop has a file of its own.
    fn only_file(&self) -> Option<&'static str> {
        None
    }

    /// The files of a new loop, for a form whose common fields are good. `random`: any number; another one if the name is taken.
    ///
    /// # Errors
    /// A refusal with the `field` that the person has to fix.
    fn first_file(&self, work: &NewWork, now: Timestamp, random: u32) -> Result<FirstFile, Refusal>;

    /// What its start gate still needs (the AoT contract §8).
    fn missing(&self, _work: &NewWork) -> Vec<Missing> {
        Vec::new()
    }

    /// What a form takes over from a loop beyond title, goal and limit.
    fn like(&self, _detail: &LoopDetail) -> (Recipe, AotWork, Option<BaseCase>) {
        (Recipe::BuildFeature, AotWork::default(), None)
    }
}
