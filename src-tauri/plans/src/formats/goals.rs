//! Goals of oh-my-openagent and oh-my-claudecode.

use crate::format::{Found, PlanFormat, ReadError, Source};
use crate::plan::Plan;

pub(crate) struct Goals;

impl PlanFormat for Goals {
    fn found(&self) -> &'static [Found] {
        &[
            Found::EachFile { root: ".omo/goal", ending: ".json" },
            Found::EachFolder { root: ".omo/ulw-loop", file: "goals.json" },
            Found::File(".omc/ultragoal/goals.json"),
        ]
    }

    fn read(&self, _source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        Ok(None)
    }
}
