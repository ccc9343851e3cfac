//! Oh-my-openagent: the boulder and its plan.

use crate::format::{Found, PlanFormat, ReadError, Source};
use crate::plan::Plan;

pub(crate) struct Boulder;

impl PlanFormat for Boulder {
    fn found(&self) -> &'static [Found] {
        &[Found::File(".omo/boulder.json"), Found::File(".sisyphus/boulder.json")]
    }

    fn read(&self, _source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        Ok(None)
    }
}
