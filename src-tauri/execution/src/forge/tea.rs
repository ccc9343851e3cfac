//! Pull requests of Gitea and Forgejo by `tea`: its `api` passes on what the server says, of which this reads what is needed.

use super::said::{
    Issue, PullCheck, PullCheckState, PullRequest, PullRequestState, ReviewComment, ReviewState,
};
use super::said::{address, list, number, text};
use super::{Forge, NewPullRequest, parsed, place_of};
use serde_json::Value;
use std::io;
use std::path::Path;

/// A pull request whose title begins so is not ready.
const DRAFT: &str = "WIP: ";
/// Remarks on lines are read of so many reviews.
const MOST_REVIEWS: usize = 50;

/// The name under which the person is signed in to `host`, as `tea logins list --output json` says it.
pub(super) fn login_in(said: &Value, host: &str) -> Option<String> {
    let is_of_host = |login: &&Value| {
        let url = text(login, "url");
        let named = url.split_once("://").map_or(&*url, |(_, rest)| rest);
        let named = named.split(['/', ':']).next().unwrap_or_default();
        named.eq_ignore_ascii_case(host) || text(login, "ssh_host").eq_ignore_ascii_case(host)
    };
    let all = said.as_array()?;
    let is_default = |login: &&Value| text(login, "default") == "true";
    let found = all.iter().filter(is_of_host);
    let name =
        found.clone().find(is_default).or_else(|| found.clone().next()).map(|login| text(login, "name"))?;
    (!name.is_empty()).then_some(name)
}

impl Forge {
    /// `body`: a file with what it says.
    pub(super) fn create_by_tea(&self, new: &NewPullRequest, body: &Path) -> io::Result<String> {
        let base = match &new.base {
            Some(base) => base.clone(),
            None => text(&self.tea(&[], "")?, "default_branch"),
        };
        let draft = if new.draft { DRAFT } else { "" };
        let mut fields = vec![
            "-f".to_owned(),
            format!("title={draft}{}", new.title),
            "-f".to_owned(),
            format!("head={}", new.head),
            "-f".to_owned(),
            format!("base={base}"),
            "-F".to_owned(),
            format!("body=@{}", body.display()),
        ];
        if !new.reviewers.is_empty() {
            fields.extend(["-F".to_owned(), format!("reviewers={}", Value::from(new.reviewers.clone()))]);
        }
        fields.extend(["-X", "POST"].map(str::to_owned));
        let made = self.tea(&fields, "/pulls")?;
        address(&made, &["html_url"]).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    pub(super) fn pull_request_by_tea(&self, named: &str) -> io::Result<PullRequest> {
        let number = self.number_of(named)?;
        let pull = self.tea(&[], &format!("/pulls/{number}"))?;
        let head = pull.get("head").map(|head| text(head, "sha")).unwrap_or_default();
        let is_commit = !head.is_empty() && head.chars().all(|c| c.is_ascii_hexdigit());
        let status = if is_commit { self.tea(&[], &format!("/commits/{head}/status"))? } else { Value::Null };
        Ok(pull_request(&pull, &status, &self.tea(&[], &format!("/pulls/{number}/reviews"))?))
    }

    pub(super) fn review_comments_by_tea(&self, number: u32) -> io::Result<Vec<ReviewComment>> {
        let reviews = self.tea(&[], &format!("/pulls/{number}/reviews"))?;
        let has_lines = |review: &&Value| super::said::number(review, &["comments_count"]) > 0;
        let ids = reviews.as_array().into_iter().flatten().filter(has_lines);
        let ids = ids.filter_map(|review| review.get("id")?.as_u64()).take(MOST_REVIEWS);
        let mut all = Vec::new();
        for id in ids {
            all.extend(comments(&self.tea(&[], &format!("/pulls/{number}/reviews/{id}/comments"))?));
        }
        Ok(all)
    }

    pub(super) fn issue_by_tea(&self, named: &str) -> io::Result<Issue> {
        let said = self.tea(&[], &format!("/issues/{}", self.number_of(named)?))?;
        Ok(Issue {
            number: number(&said, &["number"]),
            title: text(&said, "title"),
            body: text(&said, "body"),
            url: address(&said, &["html_url"]).unwrap_or_default(),
        })
    }

    /// Asks about the repository; what `tea` prints of a refusal is one too, whatever its exit code.
    fn tea(&self, fields: &[String], below: &str) -> io::Result<Value> {
        let login = self.login.clone().unwrap_or_default();
        let mut args = ["api".to_owned(), "--login".to_owned(), login].to_vec();
        args.extend(fields.iter().cloned());
        args.push(format!("repos/{}{below}", self.repository));
        let said: Value = parsed(&self.run(&args)?)?;
        let is_refusal = said.is_object() && said.get("id").is_none() && said.get("state").is_none();
        match said.get("message").and_then(Value::as_str) {
            Some(reason) if is_refusal => Err(io::Error::other(super::shortened(reason))),
            _ => Ok(said),
        }
    }

    /// The number that a name is, or that its address in this repository ends with.
    fn number_of(&self, named: &str) -> io::Result<u32> {
        let number = match place_of(named) {
            Some((host, path)) => {
                let inside = path.strip_prefix(&self.repository).and_then(|rest| rest.strip_prefix('/'));
                inside
                    .filter(|_| host == self.host)
                    .and_then(|rest| rest.rsplit_once('/'))
                    .map(|(_, number)| number.to_owned())
            }
            None => Some(named.to_owned()),
        };
        number.and_then(|number| number.parse().ok()).ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }
}

/// A pull request, the statuses of its last commit, and its reviews.
fn pull_request(pull: &Value, status: &Value, reviews: &Value) -> PullRequest {
    let is = |key| pull.get(key).and_then(Value::as_bool).unwrap_or(false);
    let state = match &*text(pull, "state") {
        _ if is("merged") => PullRequestState::Merged,
        "closed" => PullRequestState::Closed,
        _ if is("draft") => PullRequestState::Draft,
        _ => PullRequestState::Open,
    };
    let said: Vec<&Value> = reviews.as_array().into_iter().flatten().collect();
    PullRequest {
        number: number(pull, &["number"]),
        url: address(pull, &["html_url"]).unwrap_or_default(),
        title: text(pull, "title"),
        state,
        review: decided(&said),
        checks: list(status, "statuses").map(check).collect(),
        reviews: said.into_iter().map(review).filter(|review| !review.text.trim().is_empty()).collect(),
    }
}

/// What the last review of each reviewer that counts says.
fn decided(reviews: &[&Value]) -> ReviewState {
    let mut last = std::collections::BTreeMap::new();
    for review in reviews {
        let is_over = review.get("dismissed").and_then(Value::as_bool).unwrap_or(false);
        let state = text(review, "state");
        if !is_over && matches!(&*state, "APPROVED" | "REQUEST_CHANGES") {
            last.insert(author(review), state);
        }
    }
    let has = |word: &str| last.values().any(|state| state == word);
    match (has("REQUEST_CHANGES"), has("APPROVED")) {
        (true, _) => ReviewState::ChangesRequested,
        (false, true) => ReviewState::Approved,
        (false, false) => ReviewState::None,
    }
}

fn author(said: &Value) -> String {
    said.get("user").map(|user| text(user, "login")).unwrap_or_default()
}

fn check(said: &Value) -> PullCheck {
    let state = match &*text(said, "status") {
        "success" | "warning" | "skipped" => PullCheckState::Passed,
        "pending" | "" => PullCheckState::Pending,
        _ => PullCheckState::Failed,
    };
    PullCheck { name: text(said, "context"), state, url: address(said, &["target_url"]) }
}

/// What was said of the whole. Remarks on lines have numbers of their own.
fn review(said: &Value) -> ReviewComment {
    let id = said.get("id").map(ToString::to_string).unwrap_or_default();
    ReviewComment {
        id: format!("whole {id}"),
        author: author(said),
        text: text(said, "body"),
        ..ReviewComment::default()
    }
}

fn comments(said: &Value) -> Vec<ReviewComment> {
    let comment = |said: &Value| ReviewComment {
        id: said.get("id").map(ToString::to_string).unwrap_or_default(),
        author: author(said),
        path: Some(text(said, "path")).filter(|path| !path.is_empty()),
        line: Some(number(said, &["position"])).filter(|line| *line > 0),
        text: text(said, "body"),
    };
    let all = said.as_array().into_iter().flatten().map(comment);
    all.filter(|comment| !comment.text.trim().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_login_for_a_server_is_found_by_its_address_or_for_ssh_and_the_default_first() {
        let said = json!([
            { "name": "work", "url": "https://git.example.com", "ssh_host": "ssh.example.com", "user": "ann", "default": "false" },
            { "name": "home", "url": "http://127.0.0.1:3000/git", "ssh_host": "", "user": "ann", "default": "false" },
            { "name": "me", "url": "https://GIT.example.com:3000", "user": "ann", "default": "true" },
            { "url": "https://nameless.example" }]);
        for (host, expected) in [
            ("git.example.com", Some("me")),
            ("ssh.example.com", Some("work")),
            ("127.0.0.1", Some("home")),
            ("nameless.example", None),
            ("example.com", None),
        ] {
            assert_eq!(login_in(&said, host).as_deref(), expected, "{host}");
        }
        assert_eq!(login_in(&json!({ "name": "work" }), "git.example.com"), None);
    }

    #[test]
    fn a_pull_request_its_checks_and_its_reviews_are_read_as_gitea_says_them() {
        let pull = json!({ "id": 9, "number": 3, "html_url": "https://git.example.com/o/r/pulls/3", "title": "WIP: Fix it",
            "state": "open", "draft": true, "merged": false, "head": { "sha": "abc1" } });
        let status = json!({ "state": "failure", "statuses": [
            { "context": "ci / build (push)", "status": "failure", "target_url": "https://git.example.com/o/r/actions/runs/1" },
            { "context": "lint", "status": "success", "target_url": "javascript:x" },
            { "context": "slow", "status": "pending" }] });
        let review = |id: u32, who: &str, state: &str, dismissed: bool, body: &str| json!({ "id": id, "user": { "login": who }, "state": state, "dismissed": dismissed, "body": body });
        let reviews = json!([
            review(1, "ana", "REQUEST_CHANGES", false, "Not yet."),
            review(2, "ana", "APPROVED", false, ""),
            review(3, "bo", "REQUEST_CHANGES", true, "No."),
            review(4, "bo", "COMMENT", false, " ")
        ]);
        let read = pull_request(&pull, &status, &reviews);
        use PullCheckState as C;
        let checks: Vec<_> = read.checks.iter().map(|check| (&*check.name, check.state)).collect();
        assert_eq!(checks, [("ci / build (push)", C::Failed), ("lint", C::Passed), ("slow", C::Pending)]);
        assert_eq!((read.checks[0].url.is_some(), &read.checks[1].url), (true, &None), "only the web");
        assert_eq!(
            (read.number, read.state, read.review),
            (3, PullRequestState::Draft, ReviewState::Approved)
        );
        let said: Vec<_> = read.reviews.iter().map(|said| (&*said.id, &*said.author, &*said.text)).collect();
        assert_eq!(said, [("whole 1", "ana", "Not yet."), ("whole 3", "bo", "No.")]);
        let open =
            json!([review(1, "ana", "APPROVED", false, ""), review(2, "bo", "REQUEST_CHANGES", false, "")]);
        assert_eq!(pull_request(&pull, &Value::Null, &open).review, ReviewState::ChangesRequested);
        let merged = json!({ "number": 3, "state": "closed", "merged": true });
        assert_eq!(pull_request(&merged, &Value::Null, &Value::Null).state, PullRequestState::Merged);
        let lines = json!([{ "id": 12, "user": { "login": "ana" }, "path": "a.rs", "position": 3, "original_position": 0, "body": "Why?" },
            { "id": 13, "path": "a.rs", "position": 0, "original_position": 4, "body": "Gone?" }, { "id": 14, "body": "" }]);
        let lines: Vec<_> =
            comments(&lines).into_iter().map(|said| (said.id, said.path, said.line)).collect();
        let path = || Some("a.rs".to_owned());
        assert_eq!(lines, [("12".to_owned(), path(), Some(3)), ("13".to_owned(), path(), None)]);
    }
}
