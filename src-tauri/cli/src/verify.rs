//! `loopdeck verify DIR [ID]`: whether what loops claim is proven.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;
use loopdeck_core::evidence::{EvidenceCode, EvidenceFinding, EvidenceSeverity};
use loopdeck_runtime::Verified;
use loopdeck_runtime::views::{Failure, FailureKind, LoopRow};
use serde::{Deserialize, Serialize};

use super::check::workflow_command;
use super::code::code;
use super::complaint::Complaint;
use super::output::Answer;
use super::text;
use super::workspace::Workspace;

/// What was given besides DIR and ID.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct VerifyOptions {
    /// Make the checks of the evidence again; this runs their commands
    #[arg(long)]
    rerun: bool,
    /// Trust the folder for this command, so that git and the commands of its checks may run
    #[arg(long = "yes-trust")]
    trust: bool,
    /// How to answer: text, json, or github (annotations of a workflow)
    #[arg(long, value_parser = code::<VerifyFormat>(), conflicts_with = "json")]
    format: Option<VerifyFormat>,
}

/// How to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum VerifyFormat {
    /// For people.
    Text,
    /// For scripts, as `--json`.
    Json,
    /// Commands of a GitHub workflow: an annotation for each finding.
    Github,
}

impl VerifyOptions {
    pub(super) fn is_json(self) -> bool {
        self.format == Some(VerifyFormat::Json)
    }

    pub(super) fn rerun(self) -> bool {
        self.rerun
    }
}

/// Exit code when something is not proven.
const UNPROVEN: u8 = 1;

/// One finding for scripts. The names are a promise: `words/help/verify.txt` documents them.
#[derive(Debug, Serialize)]
struct VerifyFinding {
    id: String,
    file: String,
    evidence: String,
    code: EvidenceCode,
    severity: EvidenceSeverity,
    line: Option<u32>,
    args: BTreeMap<&'static str, String>,
    message: String,
}

/// The loop that `id` names, or all loops in `dir`.
pub(super) fn answer(
    workspace: &Workspace,
    dir: &Path,
    id: Option<&str>,
    options: VerifyOptions,
) -> Result<Answer, Complaint> {
    if options.trust {
        workspace.runtime.trust(&dir.to_string_lossy(), true)?;
    }
    let rows: Vec<&LoopRow> = match id {
        Some(id) => vec![workspace.find(id)?],
        None => workspace.rows.iter().collect(),
    };
    let (mut findings, mut lines) = (Vec::new(), Vec::new());
    for row in rows {
        let verified =
            workspace.runtime.verify(&row.key, options.rerun).map_err(|failure| refused(&failure))?;
        let found: Vec<VerifyFinding> =
            verified.findings.iter().map(|one| finding(row, &verified, one)).collect();
        lines.extend(found.iter().map(line));
        if !found.iter().any(is_error) {
            lines.push(proven(row, &verified));
        }
        findings.extend(found);
    }
    let unproven = findings.iter().any(is_error);
    let answer = match options.format {
        Some(VerifyFormat::Github) => Answer::for_people(findings.iter().map(annotation).collect()),
        _ => Answer::new(&findings, lines)?,
    };
    Ok(answer.with_code(if unproven { UNPROVEN } else { 0 }))
}

fn refused(failure: &Failure) -> Complaint {
    match failure.kind {
        FailureKind::Untrusted => Complaint::untrusted(failure),
        FailureKind::RepositoryChanged => Complaint::changed(failure),
        _ => Complaint::from_failure(failure, None),
    }
}

fn is_error(finding: &VerifyFinding) -> bool {
    finding.severity == EvidenceSeverity::Error
}

fn finding(row: &LoopRow, verified: &Verified, found: &EvidenceFinding) -> VerifyFinding {
    let mut args = found.args.clone();
    if let (EvidenceCode::EV10_content_unknown, Err(failure)) = (found.code, &verified.content) {
        args.insert("reason", refused(failure).sentence().to_owned());
    }
    let pairs = args.iter().map(|(name, value)| (*name, value.as_str()));
    let message = text::sentence("headless", &text::name(found.code), pairs);
    VerifyFinding {
        id: row.id.clone(),
        file: row.file.clone(),
        evidence: verified.evidence.clone(),
        code: found.code,
        severity: found.code.severity(),
        line: found.line,
        message,
        args,
    }
}

/// The file that a finding is about, and its line.
fn place(finding: &VerifyFinding) -> (&str, Option<u32>) {
    if finding.line.is_some() { (&finding.evidence, finding.line) } else { (&finding.file, None) }
}

fn line(finding: &VerifyFinding) -> String {
    let (file, line) = place(finding);
    let at = line.map_or(String::new(), |line| format!(":{line}"));
    let (severity, code) = (text::name(finding.severity), text::name(finding.code));
    text::plain(&format!("{file}{at}: {severity} {code}: {}", finding.message))
}

fn annotation(finding: &VerifyFinding) -> String {
    let level = match finding.severity {
        EvidenceSeverity::Error => "error",
        EvidenceSeverity::Warning => "warning",
        EvidenceSeverity::Info => "notice",
    };
    workflow_command(level, place(finding), &text::name(finding.code), &finding.message)
}

fn proven(row: &LoopRow, verified: &Verified) -> String {
    let claims = verified.completed || verified.claimed > 0;
    let code = if claims { "verify_proven" } else { "verify_nothing_claimed" };
    let count = verified.claimed.to_string();
    text::plain(&text::sentence("headless", code, [("file", &*row.file), ("count", &*count)]))
}
