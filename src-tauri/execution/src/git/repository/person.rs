//! Git in the name of the person: what they commit here is theirs, and a commit that they make runs the hooks of the repository.
//!
//! Nothing else runs hooks, and only this file says where they are: where git has them, or where a setting says, when that is
//! in the folder that the person trusts or in their own configuration.

use super::{Repository, configuration, run, settings, without_repository};
use crate::agents::places;
use crate::brief::Answer;
use crate::git::LIMIT;
use crate::git::settings::Settings;
use loopdeck_system::files::Canonical as _;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where a hook, or a push, may lead. Nothing is fetched by git itself.
const REACHABLE: (&str, &str) = ("GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh");
/// The hooks that a commit asks.
const ASKED: [&str; 3] = ["pre-commit", "prepare-commit-msg", "commit-msg"];

/// Whether the hooks of the repository run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::git) enum Hooks {
    /// None.
    Off,
    /// Those of a commit that the person makes.
    OfCommit,
}

/// A place where commits are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// Its name here.
    pub name: String,
    /// Where commits are sent. Untrusted text.
    pub address: String,
    /// Where they come from, which is often the same. Untrusted text.
    pub home: String,
}

impl Repository {
    /// Asks git for something that the person does: with the name and the address that the repository has for them, where
    /// it has its own. These are no programs.
    pub(in crate::git) fn ask_for_person(
        &self,
        hooks: Hooks,
        args: &[&OsStr],
        variables: &[(&str, &str)],
        limit: Duration,
    ) -> io::Result<Answer> {
        let own = self.own_settings()?;
        let mut given: Vec<String> = Vec::new();
        let who = ["user.name", "user.email"];
        given.extend(who.iter().filter_map(|key| Some(format!("{key}={}", own.value(key)?))));
        if let (Hooks::OfCommit, Some(folder)) = (hooks, self.hooks_folder(&own)) {
            given.push(format!("core.hooksPath={}", folder.to_string_lossy()));
        }
        let given = given.iter().flat_map(|setting| [OsStr::new("-c"), OsStr::new(setting)]);
        let args: Vec<&OsStr> = given.chain(args.iter().copied()).collect();
        let reachable = (hooks == Hooks::OfCommit).then_some(REACHABLE);
        let variables: Vec<(&str, &str)> = reachable.into_iter().chain(variables.iter().copied()).collect();
        self.ask(&args, &variables, limit)
    }

    /// Sends the commit of a branch to a remote, by the person's own means to sign in.
    pub(in crate::git) fn ask_to_push(
        &self,
        to: &Remote,
        branch: &str,
        limit: Duration,
    ) -> io::Result<Answer> {
        let name = &to.name;
        let given = [
            format!("remote.{name}.url={}", to.address),
            format!("remote.{name}.fetch=+refs/heads/*:refs/remotes/{name}/*"),
            "push.followTags=false".to_owned(),
            "push.recurseSubmodules=no".to_owned(),
        ];
        let given = given.iter().flat_map(|setting| ["-c", setting.as_str()]);
        let what = format!("refs/heads/{branch}:refs/heads/{branch}");
        let args: Vec<&OsStr> =
            given.chain(["push", "--porcelain", "--", name, &what]).map(OsStr::new).collect();
        self.ask(&args, &[REACHABLE], limit)
    }

    /// The remote that pushes go to: the only one, or `origin`. `None` without one, and for an address that names a program.
    ///
    /// # Errors
    /// What [`changed_in`](super::changed_in) tells.
    pub fn remote(&self) -> io::Result<Option<Remote>> {
        self.check()?;
        let own = self.own_settings()?;
        let mut names: Vec<&str> = own.middles("remote.", ".url").collect();
        names.dedup();
        let name = names
            .iter()
            .find(|name| **name == "origin")
            .or_else(|| names.first().filter(|_| names.len() == 1));
        let Some(name) = name else { return Ok(None) };
        let Some(home) = own.value(&format!("remote.{name}.url")) else { return Ok(None) };
        let address = own.value(&format!("remote.{name}.pushurl")).unwrap_or(home);
        let [name, address, home] = [*name, address, home].map(str::to_owned);
        let remote = Some(Remote { name, address, home });
        Ok(remote.filter(|remote| is_plain_name(&remote.name) && is_address(&remote.address)))
    }

    /// The names of the hooks that a commit would run now.
    ///
    /// # Errors
    /// What git says of the configuration.
    pub fn commit_hooks(&self) -> io::Result<Vec<&'static str>> {
        let Some(folder) = self.hooks_folder(&self.own_settings()?) else { return Ok(Vec::new()) };
        let is_there = |name: &&str| {
            let hook = folder.join(name);
            hook.is_absolute() && !places::search(&hook.to_string_lossy(), &[]).found.is_empty()
        };
        Ok(ASKED.into_iter().filter(is_there).collect())
    }

    fn own_settings(&self) -> io::Result<Settings> {
        settings(self.own.path(), &configuration(&self.pin.place)?)
    }

    /// Where the hooks of a commit are; `None` when a setting leads out of the folder that the person trusts.
    fn hooks_folder(&self, own: &Settings) -> Option<PathBuf> {
        let within = |folder: PathBuf| Some(folder).filter(|it| it.starts_with(&self.folder));
        let at_top = |named: &str| self.top().join(named).canonical().ok();
        if let Some(named) = own.value("core.hookspath").filter(|named| !named.is_empty()) {
            return at_top(named).and_then(within);
        }
        match self.hooks_of_person() {
            Some(named) if Path::new(&named).is_absolute() => Some(named.into()),
            Some(named) => at_top(&named).and_then(within),
            None => Some(self.pin.place.common.join("hooks")),
        }
    }

    /// Where the person's own configuration says that hooks are.
    fn hooks_of_person(&self) -> Option<String> {
        let args = ["config", "--type=path", "--get", "core.hooksPath"].map(OsStr::new).to_vec();
        let answer = run(self.own.path(), args, &without_repository(self.own.path()), &[], LIMIT).ok()?;
        answer.good_text().filter(|text| !text.is_empty())
    }

    /// What git has not finished here: a merge, a rebase. `None` in most repositories.
    pub(in crate::git) fn unfinished(&self) -> Option<&'static str> {
        let git_dir = &self.pin.place.git_dir;
        let marks = [
            ("MERGE_HEAD", "merge"),
            ("CHERRY_PICK_HEAD", "cherry-pick"),
            ("REVERT_HEAD", "revert"),
            ("rebase-merge", "rebase"),
            ("rebase-apply", "rebase"),
        ];
        marks
            .into_iter()
            .find(|(name, _)| git_dir.join(name).symlink_metadata().is_ok())
            .map(|(_, what)| what)
    }

    /// Whether its files are those of a worktree that was made of another folder of the repository.
    #[must_use]
    pub fn is_linked_worktree(&self) -> bool {
        self.pin.place.git_dir != self.pin.place.common
    }

    /// Whether the other one has the same commits and branches.
    #[must_use]
    pub fn is_same_repository(&self, other: &Self) -> bool {
        self.pin.place.common == other.pin.place.common
    }

    /// The branch that is checked out; `None` when it is a commit.
    ///
    /// # Errors
    /// What git says.
    pub fn current_branch(&self) -> io::Result<Option<String>> {
        let answer = self.ask(&["symbolic-ref", "--quiet", "HEAD"].map(OsStr::new), &[], LIMIT)?;
        let name = answer.good_text();
        Ok(name.and_then(|name| name.strip_prefix("refs/heads/").map(str::to_owned)))
    }

    /// The branch that is the default of a remote, as far as git was told here; asks nobody.
    ///
    /// # Errors
    /// What git says.
    pub fn default_branch(&self, remote: &Remote) -> io::Result<Option<String>> {
        let above = format!("refs/remotes/{}/", remote.name);
        let head = format!("{above}HEAD");
        let answer = self.ask(&["symbolic-ref", "--quiet", &head].map(OsStr::new), &[], LIMIT)?;
        let name = answer.good_text();
        Ok(name.and_then(|name| name.strip_prefix(&above).map(str::to_owned)))
    }
}

/// A name that is one word in a setting and in a reference.
fn is_plain_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(['-', '.'])
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// An address that git reaches itself: no option, and no helper program of another name.
fn is_address(address: &str) -> bool {
    !address.is_empty() && !address.starts_with('-') && !address.contains("::") && !address.contains('\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_name_a_program_or_an_option_are_none() {
        for good in ["https://a.example/x.git", "git@a.example:x/y.git", "/srv/x.git", "../x"] {
            assert!(is_address(good), "{good}");
        }
        for bad in ["", "-u/x", "--upload-pack=x", "ext::sh -c x", "a\nb"] {
            assert!(!is_address(bad), "{bad}");
        }
        assert!(is_plain_name("origin") && is_plain_name("my-fork.2"));
        assert!(!is_plain_name("a=b") && !is_plain_name("-x") && !is_plain_name("a b") && !is_plain_name(""));
    }
}
