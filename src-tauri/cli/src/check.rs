//! `loopdeck check DIR [ID]`: what is wrong with the files.

use loopdeck_core::problem::{Problem, Severity};
use loopdeck_runtime::views::{LoopPage, LoopRow};
use serde::Serialize;

use super::complaint::Complaint;
use super::output::Answer;
use super::text;
use super::workspace::Workspace;

/// One problem for scripts. The names are a promise: `words/help/check.txt` documents them.
#[derive(Debug, Serialize)]
struct Finding {
    id: String,
    file: String,
    #[serde(flatten)]
    problem: Problem,
    message: String,
}

/// Exit code when there is at least one error.
const ERRORS: u8 = 1;

/// Problems of the loop that `id` names, or of all loops.
pub(super) fn answer(workspace: &Workspace, id: Option<&str>) -> Result<Answer, Complaint> {
    let rows: Vec<LoopRow> = match id {
        Some(id) => vec![workspace.find(id)?.clone()],
        None => workspace.rows.clone(),
    };
    let found = workspace.each_page(&rows, findings);
    let loops = found.len();
    let findings: Vec<Finding> = found.into_iter().flatten().collect();
    let errors = findings.iter().any(|finding| finding.problem.severity == Severity::Error);
    let answer = Answer::new(&findings, lines(&findings, loops))?;
    Ok(answer.with_code(if errors { ERRORS } else { 0 }))
}

fn findings(page: &LoopPage) -> Vec<Finding> {
    let finding = |problem: &Problem| Finding {
        id: page.row.id.clone(),
        file: page.row.file.clone(),
        problem: problem.clone(),
        message: text::problem(problem),
    };
    page.detail.problems.iter().map(finding).collect()
}

fn lines(findings: &[Finding], loops: usize) -> Vec<String> {
    if findings.is_empty() {
        return vec![text::sentence("headless", "no_problems", [("count", &*loops.to_string())])];
    }
    findings.iter().map(|finding| text::problem_line(&finding.file, &finding.problem)).collect()
}
