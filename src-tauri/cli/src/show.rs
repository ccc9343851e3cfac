//! `loopdeck show DIR ID`: everything the window shows of one loop.

use super::complaint::Complaint;
use super::list::{Listed, written};
use super::output::Answer;
use super::workspace::Workspace;
use super::{pull_request, show_work, text};
use loopdeck_core::control::Verb;
use loopdeck_core::phase::LimitKind;
use loopdeck_core::status::{AgentFact, Group};
use loopdeck_core::view::{LoopDetail, TestRow};
use loopdeck_runtime::Runtime;
use loopdeck_runtime::views::{DocumentView, FollowUpLink, LoopPage, WeakenedTests};
use serde::Serialize;

/// One loop for scripts. The names are a promise: `words/help/show.txt` documents them.
#[derive(Debug, Serialize)]
struct ShownLoop<'a> {
    #[serde(flatten)]
    listed: Listed,
    group: Group,
    agent: AgentFact,
    reason: Option<&'a str>,
    ended_by_limit: Option<LimitKind>,
    mode: Option<&'a str>,
    priority: Option<&'a str>,
    tags: &'a [String],
    changed: f64,
    created: Option<f64>,
    verbs: &'a [Verb],
    detail: &'a LoopDetail,
    parent: Option<&'a FollowUpLink>,
    followed_by: &'a [FollowUpLink],
    documents: &'a [DocumentView],
    test_rows: Vec<Vec<TestRow>>,
    last_good: Option<f64>,
    weakened: Option<&'a WeakenedTests>,
}

/// The loop that `id` names.
pub(super) fn answer(workspace: &Workspace, id: &str) -> Result<Answer, Complaint> {
    let row = workspace.find(id)?;
    let page = workspace.runtime.read_loop(&row.key)?;
    let row = &page.row;
    // A folder without git, or one that is not trusted, has nothing to compare.
    let weakened = workspace.runtime.weakened_tests(&row.key).ok();
    let shown = ShownLoop {
        listed: Listed::from_page(&page),
        group: row.group,
        agent: row.agent,
        reason: row.reason.as_deref(),
        ended_by_limit: row.limit,
        mode: row.mode.as_deref(),
        priority: row.priority.as_deref(),
        tags: &row.tags,
        changed: row.changed,
        created: row.created,
        verbs: &row.verbs,
        detail: &page.detail,
        parent: page.parent.as_ref(),
        followed_by: &page.followed_by,
        documents: &page.documents,
        test_rows: test_rows(&workspace.runtime, &page),
        last_good: page.last_good,
        weakened: weakened.as_ref(),
    };
    let mut lines = lines(&page, &shown.test_rows);
    lines.extend(weakened.iter().flat_map(weakened_lines));
    Answer::new(&shown, lines)
}

/// The tests of each run, oldest run first. A run known only from a report has none, and neither has a file
/// that can no longer be read.
fn test_rows(runtime: &Runtime, page: &LoopPage) -> Vec<Vec<TestRow>> {
    let runs = page.detail.validation.as_ref().map_or(0, |validation| validation.runs.len());
    let mut rows = runtime.test_runs(&page.row.key).unwrap_or_default();
    rows.resize_with(runs, Vec::new);
    rows
}

/// What weakens tests, one change in a line; nothing when no change does.
fn weakened_lines(tests: &WeakenedTests) -> Vec<String> {
    let count = tests.found.len().to_string();
    let say = |code| text::counted("headless", code, [("count", &*count)]);
    let mut lines = Vec::new();
    if !tests.found.is_empty() {
        lines.extend([String::new(), say("weakened")]);
    }
    lines.extend(tests.found.iter().map(|one| {
        let said = text::sentence("weakening", &text::name(one.kind), []);
        text::plain(&format!("  {}:{}: {said} {}", one.path, one.line, one.text))
    }));
    if !tests.is_whole {
        lines.push(say("weakened_partly"));
    }
    lines
}

fn lines(page: &LoopPage, tests: &[Vec<TestRow>]) -> Vec<String> {
    let row = &page.row;
    let (written, shown) = (written(row).unwrap_or_default(), text::status(row));
    let format = text::name(row.format);
    let verbs: Vec<String> = row.verbs.iter().map(|verb| text::name(*verb)).collect();
    let say = |code: &str, args: &[(&str, &str)]| {
        text::plain(&text::sentence("headless", code, args.iter().copied()))
    };
    let mut lines = vec![
        text::plain(&row.title),
        say("file", &[("file", &row.file), ("format", &format)]),
        match &*written {
            "" => say("status_alone", &[("shown", &shown)]),
            written => say("status", &[("shown", &shown), ("written", written)]),
        },
    ];
    lines.extend(text::overruled(row));
    lines.extend(row.iteration.map(|bar| {
        say("iteration", &[("current", &bar.current.to_string()), ("limit", &bar.limit.to_string())])
    }));
    lines.extend(
        page.detail
            .progress
            .map(|progress| say("overall", &[("percent", &format!("{:.0}", progress.overall))])),
    );
    lines.extend(row.pull_request.as_ref().map(pull_request::seen_line));
    lines.push(say("verbs", &[("verbs", &verbs.join(", "))]));
    lines.extend(show_work::lines(&page.detail, tests));
    lines.push(String::new());
    lines.push(say("problems", &[("count", &page.detail.problems.len().to_string())]));
    lines.extend(page.detail.problems.iter().map(|problem| text::problem_line(&row.file, problem)));
    lines
}
