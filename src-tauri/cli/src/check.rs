//! `loopdeck check DIR [ID]`: what is wrong with the files.

use loopdeck_core::layout;
use loopdeck_core::problem::{Problem, Severity};
use loopdeck_runtime::views::{LoopPage, LoopRow};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;

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

/// A form that another program reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CheckFormat {
    /// Commands of a GitHub workflow: an annotation for each problem.
    Github,
    /// SARIF 2.1.0, as code scanning reads it.
    Sarif,
}

/// Problems of the loop that `id` names, or of all loops.
pub(super) fn answer(
    workspace: &Workspace,
    id: Option<&str>,
    format: Option<CheckFormat>,
) -> Result<Answer, Complaint> {
    let rows: Vec<LoopRow> = match id {
        Some(id) => vec![workspace.find(id)?.clone()],
        None => workspace.rows.clone(),
    };
    let found = workspace.each_page(&rows, findings);
    let loops = found.len();
    let findings: Vec<Finding> = found.into_iter().flatten().collect();
    let errors = findings.iter().any(|finding| finding.problem.severity == Severity::Error);
    let answer = match format {
        None => Answer::new(&findings, lines(&findings, loops))?,
        Some(CheckFormat::Github) => Answer::for_people(findings.iter().map(annotation).collect()),
        Some(CheckFormat::Sarif) => Answer::for_people(vec![sarif(&findings).to_string()]),
    };
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

fn annotation(finding: &Finding) -> String {
    let level = match finding.problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Lint | Severity::Info => "notice",
    };
    let (file, title) = (layout::on_disk(&finding.file), finding.problem.code.name());
    workflow_command(level, (file, finding.problem.line), title, &finding.message)
}

/// A command of a GitHub workflow, about a file and maybe a line of it. What could end it early is written as GitHub asks for.
pub(super) fn workflow_command(
    level: &str,
    (file, line): (&str, Option<u32>),
    title: &str,
    message: &str,
) -> String {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let line = line.map_or(String::new(), |line| format!(",line={line}"));
    format!("::{level} file={}{line},title={}::{}", property(file), property(title), data(message))
}

fn sarif(findings: &[Finding]) -> Value {
    let level = |severity| match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Lint | Severity::Info => "note",
    };
    let result = |finding: &Finding| {
        let region = json!({ "startLine": finding.problem.line.unwrap_or(1) });
        json!({
            "ruleId": finding.problem.code.name(),
            "level": level(finding.problem.severity),
            "message": { "text": finding.message },
            "locations": [{ "physicalLocation": {
                "artifactLocation": { "uri": uri(layout::on_disk(&finding.file)), "uriBaseId": "%SRCROOT%" },
                "region": region,
            } }],
        })
    };
    let rules: BTreeSet<&str> = findings.iter().map(|finding| finding.problem.code.name()).collect();
    let rules: Vec<Value> = rules.into_iter().map(|id| json!({ "id": id })).collect();
    let results: Vec<Value> = findings.iter().map(result).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "loopdeck", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "results": results,
        }],
    })
}

/// A path as a relative reference (RFC 3986): everything but letters, digits and `-._~/` is written by its bytes.
fn uri(file: &str) -> String {
    let letter = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    };
    file.bytes().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_core::problem::ProblemCode;

    fn finding(file: &str, message: &str) -> Finding {
        let problem = Problem::new(ProblemCode::P6_never_ready, "").at_line(7);
        Finding { id: file.into(), file: file.into(), problem, message: message.into() }
    }

    #[test]
    fn an_annotation_cant_be_ended_by_what_a_file_says() {
        let line = annotation(&finding("specs/a,b:c/tasks.md", "one\n::error::two 100%"));
        let expected =
            "::warning file=specs/a%2Cb%3Ac/tasks.md,line=7,title=P6_never_ready::one%0A::error::two 100%25";
        assert_eq!(line, expected);
    }

    #[test]
    fn sarif_has_a_rule_and_a_place_for_each_problem() {
        let report = sarif(&[finding("specs/a b/tasks.md", "one"), finding("prd.json", "two")]);
        let run = &report["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"], json!([{ "id": "P6_never_ready" }]));
        let place = &run["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "specs/a%20b/tasks.md");
        assert_eq!(
            (place["region"]["startLine"].as_u64(), run["results"][1]["level"].as_str()),
            (Some(7), Some("warning"))
        );
    }
}
