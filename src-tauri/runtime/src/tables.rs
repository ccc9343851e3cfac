//! Test tables and drawings of one loop for its page. Made once per version of the file, so that scrolling through
//! 100,000 tests reads nothing twice.

use crate::loop_reader::LocatedLoop;
use crate::observe::companions;
use crate::per_workspace::PerWorkspace;
use crate::views::Failure;
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::loops;
use loopdeck_core::test_table::{TestQuery, TestTable, TestTablePage};
use loopdeck_core::view::TestRow;
use loopdeck_core::work_drawing;
use loopdeck_graph::layout::{Drawing, Style};
use loopdeck_system::fingerprint::Fingerprint;
use std::sync::Arc;

/// The table of each workspace that was asked for last.
#[derive(Debug, Default)]
pub(crate) struct LastTable(PerWorkspace<Option<KeptTable>>);

#[derive(Debug)]
struct KeptTable {
    key: LoopId,
    stamp: Fingerprint,
    beside: Vec<(String, Option<Fingerprint>)>,
    run: u32,
    table: Arc<TestTable>,
}

impl LastTable {
    /// The lines that `query` asks for.
    pub(crate) fn page(&self, found: &LocatedLoop, query: &TestQuery) -> Result<TestTablePage, Failure> {
        Ok(self.table(found, query.run)?.page(query))
    }

    /// One test with message and stack; nothing when the run has no such test, or no longer has it.
    pub(crate) fn row(&self, found: &LocatedLoop, run: u32, index: u32) -> Result<Option<TestRow>, Failure> {
        Ok(self.table(found, run)?.row(index).cloned())
    }

    fn table(&self, found: &LocatedLoop, run: u32) -> Result<Arc<TestTable>, Failure> {
        let key = found.entry.key();
        let there = Fingerprint::at(&found.path()).ok();
        let (root, candidate) = (&found.root, found.candidate());
        // Some of the tests are next to the file.
        let beside = companions::fingerprints_of(root, candidate, &loops::TESTS_BESIDE);
        let memory = self.0.memory(&found.entry.workspace);
        let mut kept = memory.lock();
        let same = |kept: &&KeptTable| {
            kept.key == key && Some(kept.stamp) == there && kept.run == run && kept.beside == beside
        };
        if let Some(known) = kept.as_ref().filter(same) {
            return Ok(Arc::clone(&known.table));
        }
        let (bytes, stamp) = found.read()?;
        let companions = companions::of_kinds(root, candidate, &loops::TESTS_BESIDE);
        let format = found.entry.summary.format;
        let table = Arc::new(loops::test_table(format, &bytes, run as usize, &companions));
        *kept = Some(KeptTable { key, stamp, beside, run, table: table.clone() });
        Ok(table)
    }
}

impl LocatedLoop {
    /// The drawing of its work.
    pub(crate) fn drawing(&self, style: &Style) -> Drawing {
        work_drawing::drawing(&self.detail().0, style)
    }
}
