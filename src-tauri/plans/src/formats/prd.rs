//! The prd.json family: user stories that pass or don't.

use crate::format::{Found, PlanFormat, ReadError, Source};
use crate::plan::Plan;

pub(crate) struct Prd;

impl PlanFormat for Prd {
    fn found(&self) -> &'static [Found] {
        &[
            Found::File("scripts/ralph/prd.json"),
            Found::File("ralph/prd.json"),
            Found::File(".ralph/prd.json"),
            Found::File("tasks/prd.json"),
            Found::File(".omc/prd.json"),
            Found::File("prd.json"),
        ]
    }

    fn read(&self, _source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        Ok(None)
    }
}
