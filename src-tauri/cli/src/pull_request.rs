//! `loopdeck pr DIR ID`: the pull request of a loop's work, by the person's own `gh`, `glab` or `tea`.

use loopdeck_core::times::{Timestamp, to_iso_seconds};
use loopdeck_runtime::forge::PullRequest;
use loopdeck_runtime::views::{Failure, PullRequestFacts, PullRequestWanted};

use super::complaint::Complaint;
use super::finish::complaint;
use super::output::Answer;
use super::text;
use super::workspace::Workspace;

/// What is to be done about it.
#[derive(Debug, PartialEq)]
pub(super) enum PullRequestWord {
    Push,
    Create { push: bool, wanted: PullRequestWanted },
    TakeIn,
}

/// The pull request as it is now.
pub(super) fn look(workspace: &Workspace, id: &str) -> Result<Answer, Complaint> {
    let row = workspace.find(id)?;
    let found = workspace.runtime.pull_request(&row.key, true);
    let found = found.map_err(|failure| complaint(workspace, row, &failure))?;
    let lines = found.as_ref().map_or_else(|| vec![text::sentence("headless", "pr_none", [])], lines_of);
    Answer::new(&found, lines)
}

fn lines_of(found: &PullRequest) -> Vec<String> {
    let head = format!("#{} {} [{}] {}", found.number, found.title, text::name(found.state), found.url);
    let checks = found.checks.iter().map(|check| {
        format!(
            "  {:7}  {}  {}",
            text::name(check.state),
            check.name,
            check.url.as_deref().unwrap_or_default()
        )
    });
    std::iter::once(head).chain(checks).map(|line| text::plain(&line)).collect()
}

/// What was last seen of it, and when.
#[allow(clippy::cast_possible_truncation)] // milliseconds since 1970 are exact in f64
pub(super) fn seen_line(seen: &PullRequestFacts) -> String {
    let [number, passed, failed, pending] =
        [seen.number, seen.passed, seen.failed, seen.pending].map(|count| count.to_string());
    let (state, review) = (text::name(seen.state), text::name(seen.review));
    let time = seen.seen.map(|at| to_iso_seconds(Timestamp::from_millis(at as i64)));
    let args = [
        ("number", &*number),
        ("state", &*state),
        ("review", &*review),
        ("passed", &*passed),
        ("failed", &*failed),
        ("pending", &*pending),
        ("time", time.as_deref().unwrap_or("–")),
    ];
    text::sentence("headless", "show_pull_request", args)
}

/// Its number and its state, for a line of the list.
pub(super) fn short(seen: &PullRequestFacts) -> String {
    let (number, state) = (seen.number.to_string(), text::name(seen.state));
    text::sentence("headless", "list_pull_request", [("number", &*number), ("state", &*state)])
}

/// Does it.
pub(super) fn answer(workspace: &Workspace, id: &str, word: PullRequestWord) -> Result<Answer, Complaint> {
    let row = workspace.find(id)?;
    let runtime = &workspace.runtime;
    let refused = |failure: Failure| complaint(workspace, row, &failure);
    let pushed = |branch: &str, remote: &str| {
        text::plain(&text::sentence("headless", "pr_pushed", [("branch", branch), ("address", remote)]))
    };
    match word {
        PullRequestWord::Push => {
            let sent = runtime.push_work(&row.key).map_err(refused)?;
            Answer::new(&sent, vec![pushed(&sent.branch, &sent.remote)])
        }
        PullRequestWord::Create { push, mut wanted } => {
            if push {
                runtime.push_work(&row.key).map_err(refused)?;
            }
            if wanted.title.is_empty() {
                wanted.title = row.title.lines().next().unwrap_or_default().to_owned();
            }
            if wanted.body.is_empty() {
                let draft = runtime.finish_state(&row.key).map_err(refused)?.draft;
                wanted.body = draft.done.iter().map(|line| format!("- {line}\n")).collect();
            }
            let made = runtime.create_pull_request(&row.key, &wanted).map_err(refused)?;
            Answer::new(&made, lines_of(&made))
        }
        PullRequestWord::TakeIn => {
            let taken = runtime.take_in_review(&row.key).map_err(refused)?;
            let (checks, reviews) = (taken.checks.to_string(), taken.reviews.to_string());
            let args = [("checks", &*checks), ("reviews", &*reviews)];
            Answer::new(&taken, vec![text::sentence("headless", "pr_taken_in", args)])
        }
    }
}
