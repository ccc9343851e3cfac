//! The door of comparisons: two loops, or two moments of one.

use super::Runtime;
use crate::loop_reader::LocatedLoop;
use crate::views::Failure;
use loopdeck_core::facts::{LoopFacts, RunFacts};
use loopdeck_core::format::FileFacts;
use loopdeck_core::loops;
use loopdeck_core::side_by_side::{ComparedSide, SideBySide};
use loopdeck_core::summary::Summary;
use loopdeck_core::view::{LoopDetail, TestRow};
use loopdeck_system::clock;
use serde::Deserialize;
use specta::Type;

/// A loop now, or as a version of its history has it.
#[derive(Clone, Debug, PartialEq, Deserialize, Type)]
pub struct ComparedMoment {
    /// The loop.
    pub key: String,
    /// The version; `None` for now.
    pub version: Option<u32>,
}

/// What a side says, owned.
struct Side {
    summary: Summary,
    detail: LoopDetail,
    tests: Vec<TestRow>,
    runs: Option<RunFacts>,
}

impl Runtime {
    /// Two loops, or two moments of one, side by side. Versions have no progress files: these are not kept.
    ///
    /// # Errors
    /// `UnknownLoop`, `UnknownVersion`, `Unreadable`; `OwnData` when the journal cannot be read.
    pub fn compare(&self, left: &ComparedMoment, right: &ComparedMoment) -> Result<SideBySide, Failure> {
        let (left, right) = (self.read_side(left)?, self.read_side(right)?);
        let facts = [&left, &right].map(|side| LoopFacts::from_detail(&side.summary, &side.detail));
        fn compared<'a>(side: &'a Side, facts: &'a LoopFacts) -> ComparedSide<'a> {
            let Side { summary, detail, tests, runs } = side;
            ComparedSide { summary, detail, facts, tests, runs: runs.as_ref() }
        }
        Ok(SideBySide::new(&compared(&left, &facts[0]), &compared(&right, &facts[1])))
    }

    fn read_side(&self, moment: &ComparedMoment) -> Result<Side, Failure> {
        let found = self.find(&moment.key)?;
        let Some(id) = moment.version else {
            let tests = found.test_runs().ok().and_then(|mut runs| runs.pop()).unwrap_or_default();
            let runs = self.loop_report(&moment.key)?.runs;
            return Ok(Side { summary: found.entry.summary.clone(), detail: found.detail().0, tests, runs });
        };
        let (version, bytes) = self.ask(&moment.key, move |owner, key| owner.store.version(key, id))?;
        Ok(side_then(&found, &bytes, &version))
    }
}

fn side_then(found: &LocatedLoop, bytes: &[u8], version: &crate::store::journal::Version) -> Side {
    let facts = FileFacts { stem: found.candidate().stem(), modified: version.at, now: clock::now() };
    let summary = loops::summary(found.candidate().place, bytes, &facts);
    let summary = summary.unwrap_or_else(|| found.entry.summary.clone());
    let tests = loops::test_runs(summary.format, bytes, &[]).pop().unwrap_or_default();
    let detail = found.without_companions(summary.format, bytes, version.at);
    Side { summary, detail, tests, runs: None }
}
