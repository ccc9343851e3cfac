//! `loopdeck list DIR`: every loop in one line.

use loopdeck_core::format::Format;
use loopdeck_core::phase::Phase;
use loopdeck_core::problem::Problem;
use loopdeck_core::status::StatusWord;
use loopdeck_core::view::ClaimCounts;
use loopdeck_runtime::cores::{ROWS, on_all_cores};
use loopdeck_runtime::views::{ListMarks, LoopPage, LoopRow, PullRequestFacts, RequestView, RunnerView};
use serde::Serialize;

use super::complaint::Complaint;
use super::output::Answer;
use super::workspace::Workspace;
use super::{pull_request, text};

/// Which loops are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListPart {
    /// Those that are not put aside.
    Listed,
    /// Those that are archived.
    Archived,
    /// Those that are snoozed.
    Snoozed,
}

impl ListPart {
    fn has(self, row: &LoopRow) -> bool {
        match self {
            Self::Listed => !row.marks.is_aside(),
            Self::Archived => row.marks.archived,
            Self::Snoozed => row.marks.snoozed_until.is_some(),
        }
    }
}

/// One loop for scripts. The names are a promise: `words/help/list.txt` documents them.
#[derive(Debug, Serialize)]
pub(super) struct Listed {
    id: String,
    format: Format,
    file: String,
    status_as_written: Option<String>,
    shown_status: StatusWord,
    runner: Option<RunnerView>,
    title: String,
    iteration: Option<f64>,
    limit: Option<f64>,
    progress: Progress,
    claims: Option<ClaimCounts>,
    marks: ListMarks,
    pull_request: Option<PullRequestFacts>,
    request: Option<RequestView>,
    problems: Vec<Problem>,
}

/// The progress of a loop.
#[derive(Debug, Serialize)]
struct Progress {
    /// As shown in the window's list.
    phase: Option<Phase>,
    /// 0 to 100, for the formats that define it.
    overall: Option<f64>,
}

impl Listed {
    /// The list entry of the loop on `page`.
    pub(super) fn from_page(page: &LoopPage) -> Self {
        let row = &page.row;
        Self {
            id: row.id.clone(),
            format: row.format,
            file: row.file.clone(),
            status_as_written: written(row),
            shown_status: row.word,
            runner: row.runner,
            title: row.title.clone(),
            iteration: row.iteration.map(|bar| bar.current),
            limit: row.iteration.map(|bar| bar.limit),
            progress: Progress {
                phase: row.phase.clone(),
                overall: page.detail.progress.map(|progress| progress.overall),
            },
            claims: row.claims,
            marks: row.marks,
            pull_request: row.pull_request,
            request: row.request.clone(),
            problems: page.detail.problems.clone(),
        }
    }
}

/// The status word in the file, if any.
pub(super) fn written(row: &LoopRow) -> Option<String> {
    Some(row.file_word.clone()).filter(|word| !word.is_empty())
}

/// The loops of `part`, pinned ones first. People see what the first read of each file says; scripts also get what only its full read
/// finds.
pub(super) fn answer(workspace: &Workspace, part: ListPart, json: bool) -> Result<Answer, Complaint> {
    let mut rows: Vec<LoopRow> = workspace.rows.iter().filter(|row| part.has(row)).cloned().collect();
    rows.sort_by_key(|row| !row.marks.pinned);
    if json {
        return Answer::for_scripts(&workspace.each_page(&rows, Listed::from_page));
    }
    Ok(Answer::for_people(lines(workspace, &rows)))
}

fn lines(workspace: &Workspace, rows: &[LoopRow]) -> Vec<String> {
    if rows.is_empty() {
        let code = if workspace.rows.is_empty() { "no_loops" } else { "no_loops_listed" };
        return vec![text::sentence("headless", code, [("path", &*workspace.shown_path())])];
    }
    let cells = on_all_cores(rows, ROWS, cells);
    let width = |at: usize| cells.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let (status, bar, id) = (width(0), width(1), width(2));
    let line = |[word, iteration, name, title]: &[String; 4]| {
        format!("{word:status$}  {iteration:>bar$}  {name:id$}  {title}").trim_end().to_owned()
    };
    on_all_cores(&cells, ROWS, line)
}

fn cells(row: &LoopRow) -> [String; 4] {
    let bar = row.iteration.map(|bar| format!("{}/{}", bar.current, bar.limit)).unwrap_or_default();
    let claims = row.claims.map(text::claims);
    let pull_request = row.pull_request.as_ref().map(pull_request::short);
    let title = [Some(text::plain(&row.title)), claims, pull_request].into_iter().flatten();
    let title = title.collect::<Vec<_>>().join(" · ");
    [text::plain(&text::status(row)), bar, text::plain(&row.id), title]
}
