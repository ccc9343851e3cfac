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

impl Weakening {
    /// What it is, in English, for agents and records: `tests/a.test.ts:12: a test is skipped now: it.skip("adds")`.
    #[must_use]
    pub fn told(&self) -> String {
        let Self { path, line, text, .. } = self;
        let when = if self.in_before { " before" } else { "" };
        format!("{path}:{line}{when}: {}: {text}", self.kind.sentence())
    }
}

/// How tests are weakened. Words: catalogue `weakening.<kind>`.
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
    /// A snapshot was rewritten together with the code that it is about.
    SnapshotRewritten,
    /// The code asks whether tests are running.
    SourceKnowsTests,
}

impl WeakeningKind {
    fn sentence(self) -> &'static str {
        match self {
            Self::TestFileGone => "a file of tests is gone",
            Self::FewerTests => "a test is gone",
            Self::TestSkipped => "a test is skipped now",
            Self::TestsHidden => "only this test runs now",
            Self::AssertionGone => "an assertion is gone",
            Self::AlwaysHolds => "an assertion always holds",
            Self::AssertionLoosened => "an assertion demands less",
            Self::ThresholdLowered => "a threshold lets more through",
            Self::FailureSwallowed => "a failure counts as a pass",
            Self::TestsExcluded => "tests are no longer found",
            Self::CheckEdited => "a command that checks is another one, or gone",
            Self::CiEdited => "the CI checks something else",
            Self::SnapshotRewritten => "a snapshot was rewritten together with the code",
            Self::SourceKnowsTests => "the code asks whether tests are running",
        }
    }
}

/// Whether a file at this path can be judged: it is code, or says how something is tested.
#[must_use]
pub fn is_judged(path: &str) -> bool {
    language::Language::from_path(path).is_some()
        || language::is_test_path(path)
        || language::is_snapshot(path)
        || language::is_config(path)
}

/// Whether a file that was moved is read as the same one: what was a test is one still.
#[must_use]
pub fn is_read_alike(from: &str, path: &str) -> bool {
    use language::{Language, is_config, is_snapshot, is_test_path};
    let kind = |path| (Language::from_path(path), is_test_path(path), is_snapshot(path), is_config(path));
    kind(from) == kind(path)
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
