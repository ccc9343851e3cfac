//! Evidence that outlives us: the results of checks as lines of a file next to the loop (docs/spec/evidence.md).
//!
//! The file is only ever added to, and each line has the hash of the one before. So a line that was edited, or taken out, is seen. Who
//! writes all of it anew is not seen by that: the content of the folder and the commands themselves are what is believed in the end.

mod driven;
mod flaky;
mod judge;
mod results;
#[cfg(test)]
mod tests;

pub use driven::found_now;
pub use flaky::{FlakyCheck, flaky};
pub use judge::{Claimed, EvidenceCode, EvidenceFinding, EvidenceSeverity, claimed, judge};
pub use results::records_of;

use crate::checklist::{CheckType, TestsRan, Verdict};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use specta::Type;
use std::fmt::Write as _;

/// The version of the lines that are written.
pub const VERSION: u32 = 1;
/// What the name of the file ends with, behind the stem of the loop's file.
pub const ENDING: &str = ".evidence.jsonl";

/// One result of a check, as a line of the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EvidenceRecord {
    /// The version of the format.
    pub v: u32,
    /// The file of the loop, relative to the folder, with `/`.
    pub file: String,
    /// What the loop claimed then; empty when it claims only that it is completed.
    pub items: Vec<EvidenceItem>,
    /// What was checked; `None` where a person accepts the work without.
    pub check: Option<EvidenceCheck>,
    /// What came of it.
    pub verdict: Verdict,
    /// The exit code of a command that ran to its end.
    pub exit_code: Option<i32>,
    /// How many tests it ran, where its results say so.
    pub tests: Option<TestsRan>,
    /// When: RFC 3339, in UTC.
    pub at: String,
    /// The iteration of the loop.
    pub iteration: Option<u32>,
    /// The commit that was checked out.
    pub commit: Option<String>,
    /// The hash of the content of the folder, without the state of loops.
    pub content: Option<String>,
    /// Who accepts the work as it is, and why.
    pub accepted: Option<Acceptance>,
    /// The hash of the line before, SHA-256 in hexadecimal digits; empty in the first line.
    pub before: String,
}

/// An item that a loop calls done.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct EvidenceItem {
    /// As the work names it.
    pub id: String,
    /// Its text, cut to 200 bytes. Untrusted.
    pub text: String,
}

/// A check: what kind it is, and its command, path, sentence or criteria.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct EvidenceCheck {
    /// A word as in a completion check (AoT contract §11): `command`, `not_command`, `file`, `not_file`, `assertion`, `quality`;
    /// or `tests_kept`, which has no value.
    #[serde(rename = "type")]
    pub kind: String,
    /// Untrusted text.
    pub value: String,
}

impl EvidenceCheck {
    /// What kind it is.
    #[must_use]
    pub fn check_type(&self) -> CheckType {
        CheckType::from_word(&self.kind)
    }
}

/// That a person accepts the work as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct Acceptance {
    /// Who; empty when the system did not say.
    pub by: String,
    /// Why, in their words, which may be none. Untrusted text.
    pub why: String,
}

/// A file of evidence as read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The lines that could be read, with their numbers from 1.
    pub records: Vec<(u32, EvidenceRecord)>,
    /// Lines that are not as they were written.
    pub faults: Vec<(u32, EvidenceFault)>,
}

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvidenceFault {
    /// It does not follow from the line before: one of both was edited, or a line is missing.
    Broken,
    /// It is no record of a version that is known here.
    Unreadable,
}

/// Where the evidence of the loop in `file` is: next to it, named after its stem.
#[must_use]
pub fn path_beside(file: &str) -> String {
    let (folder, name) = file.rsplit_once('/').map_or(("", file), |(folder, name)| (folder, name));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
    let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    format!("{folder}{stem}{ENDING}")
}

/// Reads a file of evidence.
#[must_use]
pub fn read(bytes: &[u8]) -> Evidence {
    let lines: Vec<(u32, &[u8])> =
        (1..).zip(bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii)).collect();
    let mut evidence = Evidence::default();
    let mut before = String::new();
    let mut late = Vec::new();
    for (number, line) in lines.into_iter().filter(|(_, line)| !line.is_empty()) {
        match serde_json::from_slice::<EvidenceRecord>(line) {
            Ok(record) if record.v == VERSION => {
                if record.before != before {
                    late.push((number, record.before.clone()));
                }
                evidence.records.push((number, record));
            }
            _ => evidence.faults.push((number, EvidenceFault::Unreadable)),
        }
        before = hash(line);
    }
    for (number, _) in late {
        if !is_written_again(&evidence, number) {
            evidence.faults.push((number, EvidenceFault::Broken));
        }
    }
    evidence.faults.sort_by_key(|(line, _)| *line);
    evidence
}

/// Whether a line came behind that of another program, and was written once more behind it. Only its first form is out of order then.
fn is_written_again(evidence: &Evidence, number: u32) -> bool {
    let Some((_, late)) = evidence.records.iter().find(|(line, _)| *line == number) else { return false };
    let plain = |record: &EvidenceRecord| EvidenceRecord { before: String::new(), ..record.clone() };
    evidence
        .records
        .iter()
        .any(|(line, record)| *line > number && plain(record) == plain(late) && record.before != late.before)
}

/// What is to be added to a file that holds `there`: these records, each with the hash of what is before it.
#[must_use]
pub fn addition(there: &[u8], records: &[EvidenceRecord]) -> Vec<u8> {
    let last = there.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).rfind(|line| !line.is_empty());
    let mut before = last.map(hash).unwrap_or_default();
    let mut added = String::new();
    if !there.is_empty() && !there.ends_with(b"\n") {
        added.push('\n');
    }
    for record in records {
        let record = EvidenceRecord { v: VERSION, before, ..record.clone() };
        let line = ascii(&record);
        before = hash(line.as_bytes());
        added.push_str(&line);
        added.push('\n');
    }
    added.into_bytes()
}

/// A record as one line of JSON. Signs that are not ASCII are in strings only, and are written by their numbers.
fn ascii(record: &EvidenceRecord) -> String {
    let json = serde_json::to_string(record).unwrap_or_default(); // plain values only
    let mut line = String::with_capacity(json.len());
    for letter in json.chars() {
        if letter.is_ascii() {
            line.push(letter);
        } else {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let _ = write!(line, "\\u{unit:04x}"); // a String takes everything
            }
        }
    }
    line
}

/// The hash of a line without its end.
fn hash(line: &[u8]) -> String {
    Sha256::digest(line).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}"); // a String takes everything
        text
    })
}
