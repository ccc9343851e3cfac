//! What programs for pull requests say, read into one form. Every field may be missing, and every text is untrusted.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use specta::Type;

/// What became of a pull request. Words: catalogue `pullRequest.state.<state>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum PullRequestState {
    /// It can be reviewed and merged.
    #[default]
    Open,
    /// It is not ready.
    Draft,
    /// It was closed without being merged.
    Closed,
    /// It was merged.
    Merged,
}

/// What reviewers decided. Words: catalogue `pullRequest.review.<state>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ReviewState {
    /// Nothing yet.
    #[default]
    None,
    /// A review is required first.
    Required,
    /// It may be merged.
    Approved,
    /// Something has to change first.
    ChangesRequested,
}

/// What came of a check. Words: catalogue `pullRequest.check.<state>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum PullCheckState {
    /// It passed, or was not needed.
    Passed,
    /// It failed, or was given up.
    Failed,
    /// It has not ended.
    Pending,
}

/// One check of a pull request. Untrusted text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct PullCheck {
    /// Its name, with that of its workflow.
    pub name: String,
    /// What came of it.
    pub state: PullCheckState,
    /// Where more is to be read; an address of the web, or `None`.
    pub url: Option<String>,
}

/// A pull request as its server has it. Untrusted text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct PullRequest {
    /// Its number.
    pub number: u32,
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// What became of it.
    pub state: PullRequestState,
    /// What reviewers decided.
    pub review: ReviewState,
    /// Its checks.
    pub checks: Vec<PullCheck>,
    /// What reviewers said of it as a whole.
    pub reviews: Vec<ReviewComment>,
}

/// What a reviewer said. Untrusted text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ReviewComment {
    /// Names it on its server.
    pub id: String,
    /// Who said it.
    pub author: String,
    /// The file; `None` for the whole.
    pub path: Option<String>,
    /// The line; `None` for the whole file.
    pub line: Option<u32>,
    /// What was said.
    pub text: String,
}

/// An issue. Untrusted text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Issue {
    /// Its number.
    pub number: u32,
    /// Its title.
    pub title: String,
    /// What it says, as Markdown.
    pub body: String,
    /// Its address.
    pub url: String,
}

pub(super) fn text(of: &Value, key: &str) -> String {
    of.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

pub(super) fn number(of: &Value, keys: &[&str]) -> u32 {
    let found = keys.iter().find_map(|key| of.get(key)?.as_u64());
    found.and_then(|number| u32::try_from(number).ok()).unwrap_or(0)
}

pub(super) fn address(of: &Value, keys: &[&str]) -> Option<String> {
    let found = keys.iter().map(|key| text(of, key)).find(|address| !address.is_empty());
    found.filter(|address| address.starts_with("https://") || address.starts_with("http://"))
}

pub(super) fn list<'v>(of: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    of.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// What `gh pr view --json` says.
pub(super) fn of_github(said: &Value) -> PullRequest {
    let is_draft = said.get("isDraft").and_then(Value::as_bool).unwrap_or(false);
    let state = match &*text(said, "state") {
        "MERGED" => PullRequestState::Merged,
        "CLOSED" => PullRequestState::Closed,
        _ if is_draft => PullRequestState::Draft,
        _ => PullRequestState::Open,
    };
    let review = match &*text(said, "reviewDecision") {
        "APPROVED" => ReviewState::Approved,
        "CHANGES_REQUESTED" => ReviewState::ChangesRequested,
        "REVIEW_REQUIRED" => ReviewState::Required,
        _ => ReviewState::None,
    };
    let reviews = list(said, "latestReviews").map(|review| ReviewComment {
        id: text(review, "id"),
        author: review.get("author").map(|author| text(author, "login")).unwrap_or_default(),
        text: text(review, "body"),
        ..ReviewComment::default()
    });
    PullRequest {
        number: number(said, &["number"]),
        url: address(said, &["url"]).unwrap_or_default(),
        title: text(said, "title"),
        state,
        review,
        checks: list(said, "statusCheckRollup").map(check).collect(),
        reviews: reviews.filter(|review| !review.text.trim().is_empty()).collect(),
    }
}

/// A check run has a conclusion once it is completed, a status of a commit has a state.
fn check(said: &Value) -> PullCheck {
    let (conclusion, state) = (text(said, "conclusion"), text(said, "state"));
    let word = if conclusion.is_empty() { state } else { conclusion };
    let state = match &*word {
        "SUCCESS" | "NEUTRAL" | "SKIPPED" => PullCheckState::Passed,
        "" | "PENDING" | "EXPECTED" => PullCheckState::Pending,
        _ => PullCheckState::Failed,
    };
    let names = [text(said, "workflowName"), text(said, "name"), text(said, "context")];
    let names: Vec<String> = names.into_iter().filter(|name| !name.is_empty()).collect();
    PullCheck { name: names.join(" / "), state, url: address(said, &["detailsUrl", "targetUrl"]) }
}

/// What GitHub's list of review comments says.
pub(super) fn comments_of_github(said: &[Value]) -> Vec<ReviewComment> {
    let comment = |said: &Value| ReviewComment {
        id: said.get("id").map(ToString::to_string).unwrap_or_default(),
        author: said.get("user").map(|user| text(user, "login")).unwrap_or_default(),
        path: Some(text(said, "path")).filter(|path| !path.is_empty()),
        line: Some(number(said, &["line", "original_line"])).filter(|line| *line > 0),
        text: text(said, "body"),
    };
    said.iter().map(comment).filter(|comment| !comment.text.trim().is_empty()).collect()
}

/// What GitLab's list of discussions says; what is resolved is over, and what GitLab itself notes is no remark.
pub(super) fn comments_of_gitlab(said: &[Value]) -> Vec<ReviewComment> {
    let is = |note: &Value, key: &str| note.get(key).and_then(Value::as_bool).unwrap_or(false);
    let comment = |note: &Value| {
        let place = note.get("position").filter(|place| place.is_object());
        let path = place.map(|place| text(place, "new_path")).filter(|path| !path.is_empty());
        ReviewComment {
            id: note.get("id").map(ToString::to_string).unwrap_or_default(),
            author: note.get("author").map(|author| text(author, "username")).unwrap_or_default(),
            path,
            line: place.map(|place| number(place, &["new_line"])).filter(|line| *line > 0),
            text: text(note, "body"),
        }
    };
    let notes = said.iter().flat_map(|discussion| list(discussion, "notes"));
    let open = notes.filter(|note| !is(note, "system") && !is(note, "resolved"));
    open.map(comment).filter(|comment| !comment.text.trim().is_empty()).collect()
}

/// What `glab mr view --output=json` says.
pub(super) fn of_gitlab(said: &Value) -> PullRequest {
    let is_draft = said.get("draft").and_then(Value::as_bool).unwrap_or(false);
    let state = match &*text(said, "state") {
        "merged" => PullRequestState::Merged,
        "closed" => PullRequestState::Closed,
        _ if is_draft => PullRequestState::Draft,
        _ => PullRequestState::Open,
    };
    let pipeline =
        ["head_pipeline", "pipeline"].into_iter().find_map(|key| said.get(key).filter(|it| it.is_object()));
    let checks = pipeline.map(|pipeline| PullCheck {
        name: "pipeline".to_owned(),
        state: match &*text(pipeline, "status") {
            "success" | "skipped" => PullCheckState::Passed,
            "failed" | "canceled" => PullCheckState::Failed,
            _ => PullCheckState::Pending,
        },
        url: address(pipeline, &["web_url"]),
    });
    let review = match &*text(said, "detailed_merge_status") {
        "not_approved" => ReviewState::Required,
        "requested_changes" => ReviewState::ChangesRequested,
        _ => ReviewState::None,
    };
    PullRequest {
        number: number(said, &["iid"]),
        url: address(said, &["web_url"]).unwrap_or_default(),
        title: text(said, "title"),
        state,
        review,
        checks: checks.into_iter().collect(),
        reviews: Vec::new(),
    }
}

/// What either program says of an issue.
pub(super) fn issue(said: &Value) -> Issue {
    let body = text(said, "body");
    Issue {
        number: number(said, &["number", "iid"]),
        title: text(said, "title"),
        body: if body.is_empty() { text(said, "description") } else { body },
        url: address(said, &["url", "web_url"]).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_pull_request_is_read_as_github_says_it() {
        let said = json!({
            "number": 9079, "url": "https://github.com/cli/cli/pull/9079", "title": "Add JSON", "state": "OPEN",
            "isDraft": false, "reviewDecision": "CHANGES_REQUESTED",
            "latestReviews": [
                { "id": "PRR_1", "author": { "login": "ana" }, "state": "CHANGES_REQUESTED", "body": "Not yet." },
                { "id": "PRR_2", "author": { "login": "bo" }, "state": "APPROVED", "body": "" }],
            "statusCheckRollup": [
                { "__typename": "CheckRun", "conclusion": "SUCCESS", "name": "lint", "status": "COMPLETED",
                  "detailsUrl": "https://github.com/cli/cli/actions/runs/1", "workflowName": "Lint" },
                { "__typename": "CheckRun", "conclusion": "", "name": "build", "status": "IN_PROGRESS", "workflowName": "" },
                { "__typename": "CheckRun", "conclusion": "TIMED_OUT", "name": "slow", "status": "COMPLETED" },
                { "__typename": "StatusContext", "context": "ci/old", "state": "FAILURE", "targetUrl": "javascript:x" }]
        });
        let read = of_github(&said);
        let checks: Vec<_> = read.checks.iter().map(|check| (&*check.name, check.state)).collect();
        use PullCheckState as C;
        let expected =
            [("Lint / lint", C::Passed), ("build", C::Pending), ("slow", C::Failed), ("ci/old", C::Failed)];
        assert_eq!(checks, expected);
        assert_eq!(
            (read.checks[0].url.is_some(), read.checks[3].url.as_deref()),
            (true, None),
            "only the web"
        );
        assert_eq!((read.state, read.review), (PullRequestState::Open, ReviewState::ChangesRequested));
        let [review] = &read.reviews[..] else { panic!("{:?}", read.reviews) };
        assert_eq!((&*review.author, &*review.text), ("ana", "Not yet."));
        let merged = of_github(&json!({ "state": "MERGED", "isDraft": true }));
        assert_eq!((merged.state, merged.number), (PullRequestState::Merged, 0));
        assert_eq!(of_github(&json!([1])), PullRequest::default());
    }

    #[test]
    fn a_merge_request_comments_and_issues_are_read() {
        let said = json!({ "iid": 7, "web_url": "https://gitlab.com/a/b/-/merge_requests/7", "state": "opened",
            "draft": true, "title": "x", "head_pipeline": { "status": "failed" } });
        let read = of_gitlab(&said);
        assert_eq!(
            (read.number, read.state, read.checks[0].state),
            (7, PullRequestState::Draft, PullCheckState::Failed)
        );
        let said = json!([{ "id": 12, "user": { "login": "ana" }, "path": "a.rs", "line": null, "original_line": 3,
            "body": "Why?" }, { "id": 13, "body": " " }]);
        let Value::Array(said) = said else { unreachable!() };
        let comments = comments_of_github(&said);
        let [comment] = &comments[..] else { panic!("{comments:?}") };
        assert_eq!((&*comment.id, comment.path.as_deref(), comment.line), ("12", Some("a.rs"), Some(3)));
        let said = json!([
            { "id": "6a9c", "individual_note": true, "notes": [
                { "id": 1, "type": null, "body": "added 1 commit", "author": { "username": "bo" }, "system": true },
                { "id": 2, "type": null, "body": "Looks good otherwise.", "author": { "username": "bo" }, "system": false }] },
            { "id": "6a9d", "individual_note": false, "notes": [
                { "id": 3, "type": "DiffNote", "body": "Why?", "author": { "username": "ana" }, "system": false,
                  "resolvable": true, "resolved": false,
                  "position": { "old_path": "b.rs", "new_path": "a.rs", "position_type": "text", "old_line": null, "new_line": 27 } },
                { "id": 4, "type": "DiffNote", "body": "Done.", "author": { "username": "bo" }, "system": false,
                  "resolved": true, "position": { "new_path": "a.rs", "new_line": 1 } }] }]);
        let Value::Array(said) = said else { unreachable!() };
        let comments: Vec<_> = comments_of_gitlab(&said)
            .into_iter()
            .map(|comment| (comment.id, comment.author, comment.path, comment.line))
            .collect();
        let expected = [
            ("2".into(), "bo".into(), None, None),
            ("3".into(), "ana".into(), Some("a.rs".into()), Some(27)),
        ];
        assert_eq!(comments, expected);
        let read = issue(&json!({ "iid": 4, "title": "t", "description": "d", "web_url": "https://x/4" }));
        assert_eq!(read, Issue { number: 4, title: "t".into(), body: "d".into(), url: "https://x/4".into() });
    }
}
