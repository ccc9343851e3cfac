//! Pull requests and issues, by the person's own program for them: `gh`, `glab` or `tea`. They sign in there; no token is read or kept here.
//!
//! The program never runs in a workspace: it would ask git there, by the repository's own settings. It is told which repository is meant.
//! What it says was written by others, and is only ever read.

use crate::agents::environment::environment;
use crate::agents::places;
use crate::brief::{Answer, Question, ask};
use crate::git::Remote;
use serde::de::DeserializeOwned;
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

mod said;
mod tea;

pub use said::{Issue, PullCheck, PullCheckState, PullRequest, PullRequestState, ReviewComment, ReviewState};

/// How long a server may take.
const LIMIT: Duration = Duration::from_secs(60);
/// So many characters are kept of why it refused.
const LONGEST_REASON: usize = 1_000;
const VARIABLES: [(&str, &str); 4] =
    [("GH_PROMPT_DISABLED", "1"), ("GH_NO_UPDATE_NOTIFIER", "1"), ("NO_COLOR", "1"), ("NO_PROMPT", "1")];
/// The fields of a pull request that are read.
const FIELDS: &str = "--json=number,url,title,state,isDraft,reviewDecision,statusCheckRollup,latestReviews";

/// A program for pull requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// Of GitHub.
    Gh,
    /// Of GitLab.
    Glab,
    /// Of Gitea, and of Forgejo.
    Tea,
}

impl Program {
    /// Its name on PATH.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gh => "gh",
            Self::Glab => "glab",
            Self::Tea => "tea",
        }
    }
}

/// Where pull requests of a repository are made, and by what.
#[derive(Clone, Debug)]
pub struct Forge {
    /// The program.
    pub program: Program,
    path: PathBuf,
    host: String,
    repository: String,
    /// Of `tea`: the name under which the person is signed in there.
    login: Option<String>,
}

/// What a new pull request is like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewPullRequest {
    /// The branch with the work, which is there already.
    pub head: String,
    /// The branch that it is for; the server's own choice when it is `None`.
    pub base: Option<String>,
    /// One line.
    pub title: String,
    /// Markdown.
    pub body: String,
    /// Not ready yet.
    pub draft: bool,
    /// Who is asked to review it.
    pub reviewers: Vec<String>,
}

impl Forge {
    /// That of a remote; `None` when its address names no server, or no program for it is on this computer. `tea` is asked whether the
    /// person is signed in there: it is for servers of any name.
    #[must_use]
    pub fn of(remote: &Remote) -> Option<Self> {
        let (host, repository) = place_of(&remote.home)?;
        let wanted: &[Program] = match &*host {
            "github.com" => &[Program::Gh],
            "gitea.com" | "codeberg.org" => &[Program::Tea],
            host if host.contains("gitlab") => &[Program::Glab],
            _ => &[Program::Tea, Program::Gh, Program::Glab],
        };
        wanted.iter().find_map(|program| {
            let path = places::search(program.name(), environment()).found.into_iter().next()?;
            let (host, repository) = (host.clone(), repository.clone());
            let forge = Self { program: *program, path, host, repository, login: None };
            if *program != Program::Tea {
                return Some(forge);
            }
            let said = forge.run(&["logins", "list", "--output", "json"].map(str::to_owned)).ok()?;
            let login = tea::login_in(&parsed(&said).ok()?, &forge.host)?;
            Some(Self { login: Some(login), ..forge })
        })
    }

    /// Makes a pull request; answers its address.
    ///
    /// # Errors
    /// What the program says: nobody is signed in, there is one already.
    pub fn create(&self, new: &NewPullRequest) -> io::Result<String> {
        let mut body = tempfile::NamedTempFile::new()?;
        body.write_all(new.body.as_bytes())?;
        let mut args = match self.program {
            Program::Gh => vec![
                "pr".to_owned(),
                "create".to_owned(),
                format!("--head={}", new.head),
                format!("--body-file={}", body.path().display()),
            ],
            Program::Tea => return self.create_by_tea(new, body.path()),
            Program::Glab => vec![
                "mr".to_owned(),
                "create".to_owned(),
                "--yes".to_owned(),
                format!("--source-branch={}", new.head),
                format!("--description={}", new.body),
            ],
        };
        args.push(format!("--title={}", new.title));
        let base = if self.program == Program::Gh { "--base" } else { "--target-branch" };
        args.extend(new.base.iter().map(|name| format!("{base}={name}")));
        args.extend(new.draft.then(|| "--draft".to_owned()));
        args.extend(new.reviewers.iter().map(|name| format!("--reviewer={name}")));
        let said = self.text(args)?;
        let address = said.split_whitespace().rev().find(|word| word.starts_with("https://"));
        address.map(str::to_owned).ok_or_else(|| io::Error::other("it did not say where the pull request is"))
    }

    /// The pull request with this number or address, or of this branch.
    ///
    /// # Errors
    /// What the program says; `InvalidData` when that is in another form.
    pub fn pull_request(&self, named: &str) -> io::Result<PullRequest> {
        match self.program {
            Program::Gh => self.json(["pr", "view", named, FIELDS]).map(|said| said::of_github(&said)),
            Program::Glab => {
                self.json(["mr", "view", named, "--output=json"]).map(|said| said::of_gitlab(&said))
            }
            Program::Tea => self.pull_request_by_tea(named),
        }
    }

    /// What reviewers said of lines of it.
    ///
    /// # Errors
    /// As [`Forge::pull_request`].
    pub fn review_comments(&self, number: u32) -> io::Result<Vec<ReviewComment>> {
        let Self { host, repository, .. } = self;
        let ask = |path: String| {
            let said = self.run(&["api".to_owned(), format!("--hostname={host}"), path])?;
            parsed::<Vec<serde_json::Value>>(&said)
        };
        match self.program {
            Program::Gh => ask(format!("repos/{repository}/pulls/{number}/comments?per_page=100"))
                .map(|said| said::comments_of_github(&said)),
            Program::Glab => {
                let project = repository.replace('/', "%2F");
                ask(format!("projects/{project}/merge_requests/{number}/discussions?per_page=100"))
                    .map(|said| said::comments_of_gitlab(&said))
            }
            Program::Tea => self.review_comments_by_tea(number),
        }
    }

    /// An issue by its number or its address.
    ///
    /// # Errors
    /// As [`Forge::pull_request`].
    pub fn issue(&self, named: &str) -> io::Result<Issue> {
        match self.program {
            Program::Gh => self
                .json(["issue", "view", named, "--json=number,title,body,url"])
                .map(|said| said::issue(&said)),
            Program::Glab => {
                self.json(["issue", "view", named, "--output=json"]).map(|said| said::issue(&said))
            }
            Program::Tea => self.issue_by_tea(named),
        }
    }

    fn json<T: DeserializeOwned>(&self, args: [&str; 4]) -> io::Result<T> {
        if args[2].starts_with('-') {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let args = args.map(str::to_owned).to_vec();
        parsed(&self.run(&self.with_repository(args))?)
    }

    fn text(&self, args: Vec<String>) -> io::Result<String> {
        let answer = self.run(&self.with_repository(args))?;
        Ok(String::from_utf8_lossy(&answer.stdout).into_owned())
    }

    fn with_repository(&self, mut args: Vec<String>) -> Vec<String> {
        let repository = match self.program {
            Program::Gh => format!("{}/{}", self.host, self.repository),
            Program::Glab | Program::Tea => format!("https://{}/{}", self.host, self.repository),
        };
        args.push(format!("--repo={repository}"));
        args
    }

    fn run(&self, args: &[String]) -> io::Result<Answer> {
        let nowhere = tempfile::tempdir()?;
        let answer = ask(&Question {
            program: &self.path,
            args: args.iter().map(OsStr::new).collect(),
            folder: Some(nowhere.path()),
            environment: Some(environment()),
            also: &VARIABLES,
            limit: LIMIT,
        })?;
        if answer.code == Some(0) {
            return Ok(answer);
        }
        let said = String::from_utf8_lossy(&answer.stderr);
        let reason = shortened(&said);
        Err(io::Error::other(if reason.is_empty() { "it did not say why".to_owned() } else { reason }))
    }
}

/// So much of why it refused as is shown.
fn shortened(reason: &str) -> String {
    reason.trim().chars().take(LONGEST_REASON).collect()
}

fn parsed<T: DeserializeOwned>(answer: &Answer) -> io::Result<T> {
    serde_json::from_slice(&answer.stdout).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// The server and the repository there that an address names: `https://…`, `ssh://…` or `user@server:path`.
fn place_of(address: &str) -> Option<(String, String)> {
    let (host, path) = match address.split_once("://") {
        Some(("https" | "http" | "ssh" | "git", rest)) => rest.split_once('/')?,
        Some(_) => return None,
        None => address.split_once(':').filter(|(host, _)| host.contains('@') && !host.contains('/'))?,
    };
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = host.split(':').next()?.to_lowercase();
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let is_plain = |text: &str, more: &str| {
        !text.is_empty()
            && !text.starts_with(['-', '.'])
            && text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c))
    };
    let parts: Vec<&str> = path.split('/').collect();
    let is_repository = parts.len() >= 2 && parts.iter().all(|part| is_plain(part, "-_."));
    (is_plain(&host, "-.") && is_repository).then(|| (host, path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_server_and_a_repository_or_nothing() {
        let place = |address| place_of(address).map(|(host, path)| format!("{host} {path}"));
        for (address, expected) in [
            ("https://github.com/o/r.git", Some("github.com o/r")),
            ("https://ana:secret@GitHub.com/o/r/", Some("github.com o/r")),
            ("git@github.com:o/r.git", Some("github.com o/r")),
            ("ssh://git@gitlab.example:2222/a/b/c.git", Some("gitlab.example a/b/c")),
            ("/srv/o/r.git", None),
            ("file:///srv/o/r.git", None),
            ("https://github.com/o", None),
            ("https://github.com/o/--web", None),
            ("https://-x/o/r", None),
            ("git@github.com:../x", None),
            ("https://github.com/o/r?x=1", None),
        ] {
            assert_eq!(place(address).as_deref(), expected, "{address}");
        }
    }
}
