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
struct Finding<'a> {
    id: &'a str,
    file: &'a str,
    #[serde(flatten)]
    problem: &'a Problem,
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
    let pages = workspace.pages(&rows);
    let findings: Vec<Finding<'_>> = pages.iter().flat_map(findings).collect();
    let errors = findings.iter().any(|finding| finding.problem.severity == Severity::Error);
    let answer = Answer::new(&findings, lines(&findings, pages.len()))?;
    Ok(answer.with_code(if errors { ERRORS } else { 0 }))
}

fn findings(page: &LoopPage) -> impl Iterator<Item = Finding<'_>> {
    let (id, file) = (page.row.id.as_str(), page.row.file.as_str());
    page.detail.problems.iter().map(move |problem| Finding {
        id,
        file,
        problem,
        message: text::problem(problem),
    })
}

fn lines(findings: &[Finding<'_>], loops: usize) -> Vec<String> {
    if findings.is_empty() {
        return vec![text::sentence("headless", "no_problems", [("count", &*loops.to_string())])];
    }
    findings.iter().map(|finding| text::problem_line(finding.file, finding.problem)).collect()
}
