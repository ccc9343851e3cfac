//! `loopdeck check DIR FILE --contract`: whether any viewer can show, pause and stop a tool's loop.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use loopdeck_plans::contract_faults;
use serde_json::json;

use super::complaint::Complaint;
use super::output::Answer;
use super::text;

/// More than a state file ever has, in bytes.
const LONGEST: u64 = 10 * 1024 * 1024;

/// Exit code when a viewer can't show the loop.
const ERRORS: u8 = 1;

/// What of the contract `file`, below `dir`, doesn't follow.
pub(super) fn answer(dir: &Path, file: &str) -> Result<Answer, Complaint> {
    let unreadable = |error: io::Error| {
        Complaint::own("contract_unreadable", &[("file", file), ("reason", &error.to_string())])
    };
    let bytes = content(&dir.join(file)).map_err(unreadable)?;
    let faults = contract_faults(&bytes);
    let severity = |is_error| if is_error { "error" } else { "warning" };
    let told: Vec<(&str, &str, String)> = faults
        .iter()
        .map(|(fault, found)| {
            let sentence = text::sentence(
                "headless",
                &format!("contract_{}", fault.name()),
                [("found", found.as_str())],
            );
            (fault.name(), severity(fault.is_error()), text::plain(&sentence))
        })
        .collect();
    let line =
        |(code, severity, message): &(&str, &str, String)| format!("{file}: {severity} {code}: {message}");
    let mut lines: Vec<String> = told.iter().map(line).collect();
    if lines.is_empty() {
        lines.push(text::sentence("headless", "contract_held", [("file", file)]));
    }
    let value = told.iter().map(|(code, severity, message)| {
        json!({ "file": file, "code": code, "severity": severity, "message": message })
    });
    let has_errors = faults.iter().any(|(fault, _)| fault.is_error());
    Ok(Answer::new(&value.collect::<Vec<_>>(), lines)?.with_code(if has_errors { ERRORS } else { 0 }))
}

/// What a file says. A pipe or a device could be read without an end.
fn content(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}
