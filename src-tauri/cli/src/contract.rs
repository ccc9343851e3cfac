//! `loopdeck check DIR FILE --contract`: whether any viewer can show, pause and stop a tool's loop.

use std::fs;
use std::path::Path;

use loopdeck_plans::contract_faults;
use serde_json::json;

use super::complaint::Complaint;
use super::output::Answer;
use super::text;

/// Exit code when a viewer can't show the loop.
const ERRORS: u8 = 1;

/// What of the contract `file`, below `dir`, doesn't follow.
pub(super) fn answer(dir: &Path, file: &str) -> Result<Answer, Complaint> {
    let unreadable = |error: std::io::Error| {
        Complaint::own("contract_unreadable", &[("file", file), ("reason", &error.to_string())])
    };
    let bytes = fs::read(dir.join(file)).map_err(unreadable)?;
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
