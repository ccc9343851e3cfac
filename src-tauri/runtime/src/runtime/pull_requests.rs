//! Pull requests of a loop's work, and the issue that a loop came from, by the person's own programs. What those say is untrusted: it is
//! shown, and taken in as comments only when the person says so.

use super::Runtime;
use super::finishing::shown_address;
use super::loop_in_git::LoopInGit;
use crate::store::pull_requests::PULL_REQUEST;
use crate::views::{Comment, CommentSource, Failure, FailureKind, PullRequestWanted, SentView, TakenIn};
use loopdeck_execution::forge::{Forge, Issue, NewPullRequest, PullCheckState, PullRequest};
use loopdeck_execution::git::{self, Repository, finish};
use loopdeck_system::dirs;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// The fact that names the issue of a loop.
const ISSUE: &str = "issue";

impl Runtime {
    /// Sends the branch of a loop's folder to its remote. Only when the person said so.
    ///
    /// # Errors
    /// As [`Runtime::finish_state`]; `GitRefused` without a remote or a branch, and when the remote has commits that are not here.
    pub fn push_work(&self, key: &str) -> Result<SentView, Failure> {
        let of = self.loop_in_git(key)?;
        let sent = finish::push(&of.repository).map_err(|error| git::failure(&of.root, &error))?;
        Ok(SentView { branch: sent.branch, remote: shown_address(&sent.remote.home) })
    }

    /// Makes a pull request of the branch of a loop's folder, which must have been sent.
    ///
    /// # Errors
    /// As [`Runtime::push_work`]; `BadForm` without a title; `NoForge`; `ForgeRefused` with what the program says.
    pub fn create_pull_request(&self, key: &str, wanted: &PullRequestWanted) -> Result<PullRequest, Failure> {
        if wanted.title.trim().is_empty() {
            return Err(Failure::new(FailureKind::BadForm).with("field", "title"));
        }
        let of = self.loop_in_git(key)?;
        let forge = forge_of(&of.repository, &of.root)?;
        let branch = of.repository.current_branch().map_err(|error| git::failure(&of.root, &error))?;
        let head = branch.ok_or_else(|| Failure::new(FailureKind::BadForm).with("field", "branch"))?;
        let closes = self.issue_of(key)?.map(|issue| format!("Closes #{}", issue.number));
        let missing = closes.filter(|closes| !wanted.body.contains(closes.as_str()));
        let body = missing.map_or_else(
            || wanted.body.clone(),
            |closes| format!("{}\n\n{closes}\n", wanted.body.trim_end()),
        );
        let new = NewPullRequest {
            head,
            base: wanted.base.as_ref().map(|base| base.trim().to_owned()).filter(|base| !base.is_empty()),
            title: wanted.title.trim().to_owned(),
            body,
            draft: wanted.draft,
            reviewers: wanted.reviewers.clone(),
        };
        let refused = |error: io::Error| refused(&forge, &error);
        let url = forge.create(&new).map_err(refused)?;
        let made = forge.pull_request(&url).unwrap_or_else(|_| PullRequest { url, ..PullRequest::default() });
        self.keep_pull_request(key, &made)?;
        Ok(made)
    }

    /// The pull request of a loop as it was last seen, or as it is now; `None` when there is none.
    ///
    /// # Errors
    /// As [`Runtime::create_pull_request`], when it is looked at.
    pub fn pull_request(&self, key: &str, look: bool) -> Result<Option<PullRequest>, Failure> {
        let known: Option<PullRequest> =
            self.in_journal(key, |journal, of| journal.fact(of, PULL_REQUEST))?;
        let Some(known) = known.filter(|_| look) else {
            return self.in_journal(key, |journal, of| journal.fact(of, PULL_REQUEST));
        };
        let of = self.loop_in_git(key)?;
        self.look_at_pull_request(key, &of, &known).map(Some)
    }

    fn look_at_pull_request(
        &self,
        key: &str,
        of: &LoopInGit,
        known: &PullRequest,
    ) -> Result<PullRequest, Failure> {
        let forge = forge_of(&of.repository, &of.root)?;
        let now = forge.pull_request(&known.url).map_err(|error| refused(&forge, &error))?;
        // A look without a trace keeps nothing; it is looked at again the next time.
        let _ = self.keep_pull_request(key, &now);
        Ok(now)
    }

    /// Takes failed checks and what reviewers said in as comments, each once.
    ///
    /// # Errors
    /// As [`Runtime::pull_request`]; `NoChanges` without a pull request.
    pub fn take_in_review(&self, key: &str) -> Result<TakenIn, Failure> {
        let now = self.pull_request(key, true)?;
        let now = now.ok_or_else(|| Failure::new(FailureKind::NoChanges).with("reason", PULL_REQUEST))?;
        let of = self.loop_in_git(key)?;
        let forge = forge_of(&of.repository, &of.root)?;
        let lines = forge.review_comments(now.number).map_err(|error| refused(&forge, &error))?;
        let kept = self.kept_comments(key)?;
        let known: BTreeSet<String> = kept.into_iter().filter_map(|(_, comment)| comment.origin).collect();
        let mut taken = TakenIn::default();
        for check in now.checks.iter().filter(|check| check.state == PullCheckState::Failed) {
            let about = check.url.as_deref().unwrap_or_default();
            let origin = format!("check {} {about}", check.name);
            if known.contains(&origin) {
                continue;
            }
            let text = format!("{} {about}", check.name);
            self.take_in_comment(key, Comment::from_elsewhere(CommentSource::Check, origin, &text))?;
            taken.checks += 1;
        }
        for said in now.reviews.iter().chain(&lines) {
            let origin = format!("review {}", said.id);
            if known.contains(&origin) {
                continue;
            }
            let comment = Comment {
                author: Some(said.author.clone()).filter(|author| !author.is_empty()),
                path: said.path.clone(),
                line: said.line,
                ..Comment::from_elsewhere(CommentSource::Review, origin, &said.text)
            };
            self.take_in_comment(key, comment)?;
            taken.reviews += 1;
        }
        Ok(taken)
    }

    /// An issue of the repository of `folder`, which the person trusts, by its number or its address.
    ///
    /// # Errors
    /// `Untrusted`; `RepositoryChanged`; `GitRefused` without a repository; `NoForge`; `ForgeRefused`.
    pub fn issue(&self, folder: &Path, named: &str) -> Result<Issue, Failure> {
        let repository = self.repository(folder)?;
        let forge = forge_of(&repository, folder)?;
        forge.issue(named.trim().trim_start_matches('#')).map_err(|error| refused(&forge, &error))
    }

    /// Remembers the issue that a loop came from: its pull request closes it.
    ///
    /// # Errors
    /// `UnknownLoop`; `OwnData` when it cannot be kept.
    pub fn keep_issue(&self, key: &str, issue: &Issue) -> Result<(), Failure> {
        let issue = Issue { body: String::new(), ..issue.clone() };
        self.in_journal(key, move |journal, of| journal.keep_fact(of, ISSUE, &issue))
    }

    pub(super) fn issue_of(&self, key: &str) -> Result<Option<Issue>, Failure> {
        self.in_journal(key, |journal, of| journal.fact(of, ISSUE))
    }

    fn keep_pull_request(&self, key: &str, seen: &PullRequest) -> Result<(), Failure> {
        let seen = seen.clone();
        self.ask(key, move |owner, key| owner.store.keep_pull_request(key, &seen))
    }
}

fn forge_of(repository: &Repository, folder: &Path) -> Result<Forge, Failure> {
    let remote = repository.remote().map_err(|error| git::failure(folder, &error))?;
    let shown = remote.as_ref().map_or_else(|| dirs::shown(folder), |remote| shown_address(&remote.home));
    let forge = remote.as_ref().and_then(Forge::of);
    forge.ok_or_else(|| Failure::new(FailureKind::NoForge).with("address", shown))
}

fn refused(forge: &Forge, error: &io::Error) -> Failure {
    Failure::new(FailureKind::ForgeRefused).with("program", forge.program.name()).with("reason", error)
}
