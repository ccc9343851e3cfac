//! Whether changes weaken what tests prove: tests that are gone or skipped, assertions that demand less, thresholds that are lower, failures
//! that count as passes.
//!
//! Texts are compared, nothing is run. That is conservative: what an honest change usually does is no risk. A test that moved or has another
//! name is not gone, and new tests are none. So what is found deserves a look, and what is not found is no proof; `weakened/fakes.rs` lists
//! both.

mod assertion;
mod change;
mod check_file;
#[cfg(test)]
mod fakes;
#[cfg(test)]
mod honest;
mod language;
mod loosened;
mod lost;
mod masked;
mod skip;
mod source;

use change::ChangedFile;
use serde::{Deserialize, Serialize};
use specta::Type;

/// Longest text of a line that is shown, in bytes.
const LONGEST_TEXT: usize = 200;
/// More of them say nothing more.
const MOST: usize = 200;

/// Both versions of a file.
#[derive(Clone, Copy, Debug)]
pub struct FileVersions<'t> {
    /// Relative to the folder, with `/`.
    pub path: &'t str,
    /// Its text before; empty when it was not there, `None` when it is no text or too long.
    pub before: Option<&'t str>,
    /// Its text now; as above.
    pub after: Option<&'t str>,
}

/// One change that weakens what tests prove.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Weakening {
    /// What.
    pub kind: WeakeningKind,
    /// The file. Untrusted text.
    pub path: String,
    /// 1-based line in the new version, or in the old one.
    pub line: u32,
    /// The line is one of the old version: it is gone.
    pub in_before: bool,
    /// That line, cut to 200 bytes. Untrusted text.
    pub text: String,
}

/// How tests are weakened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum WeakeningKind {
    /// A file of tests was deleted or emptied.
    TestFileGone,
    /// A file has fewer tests than before.
    FewerTests,
    /// A test does not run any more.
    TestSkipped,
    /// A test runs alone, and the others do not.
    TestsHidden,
    /// An assertion is gone from a test that stays.
    AssertionGone,
    /// An assertion holds whatever the code does.
    AlwaysHolds,
    /// An assertion demands less than the one it replaces.
    AssertionLoosened,
    /// A threshold of coverage, warnings or retries lets more through.
    ThresholdLowered,
    /// A failure counts as a pass.
    FailureSwallowed,
    /// Settings keep tests from being found.
    TestsExcluded,
    /// A command that checks is another one, or gone.
    CheckEdited,
    /// A CI file checks something else.
    CiEdited,
    /// A snapshot was written anew together with the code that it is about.
    SnapshotRewritten,
    /// The code asks whether tests are running.
    SourceKnowsTests,
}

/// What weakens tests in these changes, which belong together; by file and line, at most 200.
#[must_use]
pub fn weakenings(files: &[FileVersions<'_>]) -> Vec<Weakening> {
    let files: Vec<ChangedFile<'_>> = files.iter().filter_map(ChangedFile::read).collect();
    let mut found = lost::lost_tests(&files);
    found.extend(lost::silenced(&files));
    found.extend(loosened::loosened(&files));
    found.extend(loosened::snapshots(&files));
    found.extend(files.iter().flat_map(check_file::risks));
    found.sort_by(|one, other| {
        (&one.path, one.line, one.in_before, one.kind).cmp(&(
            &other.path,
            other.line,
            other.in_before,
            other.kind,
        ))
    });
    found.dedup_by(|one, other| {
        (&one.path, one.line, one.in_before, one.kind)
            == (&other.path, other.line, other.in_before, other.kind)
    });
    found.truncate(MOST);
    found
}
