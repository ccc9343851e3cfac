//! The settings in a repository's own configuration. Git never reads that file for us: it gets a copy of those settings here that say
//! what files look like. None of them names a program, a path or an address.

use crate::brief::Answer;
use std::io;

/// What is copied.
const COPIED: [&str; 17] = [
    "core.autocrlf",
    "core.bigfilethreshold",
    "core.checkstat",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.logallrefupdates",
    "core.precomposeunicode",
    "core.protecthfs",
    "core.protectntfs",
    "core.safecrlf",
    "core.sharedrepository",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.symlinks",
    "core.trustctime",
    "extensions.objectformat",
];
/// The rest of what changes how a repository is read. With another one, what we read would be wrong.
const EXTENSIONS: [&str; 7] = [
    "extensions.noop",
    "extensions.objectformat",
    "extensions.partialclone",
    "extensions.preciousobjects",
    "extensions.refstorage",
    "extensions.relativeworktrees",
    "extensions.worktreeconfig",
];
/// What `git lfs install --local` writes: the program of the person's own, as in their own configuration.
const LFS: [(&str, &str); 3] = [
    ("filter.lfs.clean", "git-lfs clean -- %f"),
    ("filter.lfs.process", "git-lfs filter-process"),
    ("filter.lfs.smudge", "git-lfs smudge -- %f"),
];
/// Sections that ordinary work with git writes, and that say nothing to the commands that we run.
const PASSING: [&str; 9] =
    ["branch", "remote", "submodule", "user", "gui", "gc", "maintenance", "advice", "lfs"];
/// Of these sections: what names a program all the same.
const PROGRAMS: [&str; 10] = [
    "uploadpack",
    "receivepack",
    "vcs",
    "proxy",
    "update",
    "path",
    "args",
    "clean",
    "smudge",
    "recentobjectshook",
];

/// Settings in their order, as git lists them: names in lower case but for the middle of three parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings(Vec<(String, Option<String>)>);

impl Settings {
    /// Those that `git config --list -z` answered.
    pub(super) fn listed(answer: &Answer) -> io::Result<Self> {
        if answer.code != Some(0) {
            return Err(super::git_error(answer));
        }
        let text = String::from_utf8_lossy(&answer.stdout);
        let pair = |line: &str| match line.split_once('\n') {
            Some((key, value)) => (key.to_owned(), Some(value.to_owned())),
            None => (line.to_owned(), None),
        };
        Ok(Self(text.split('\0').filter(|line| !line.is_empty()).map(pair).collect()))
    }

    /// With those of another file behind them.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The last value of a setting; one without a value is true.
    pub(super) fn value(&self, key: &str) -> Option<&str> {
        let found = self.0.iter().rev().find(|(known, _)| known == key);
        found.map(|(_, value)| value.as_deref().unwrap_or("true"))
    }

    pub(super) fn is_on(&self, key: &str) -> bool {
        self.value(key).is_some_and(|value| matches!(&*value.to_lowercase(), "true" | "yes" | "on" | "1"))
    }

    /// What stands between `before` and `after` in the names of settings, in their order: names of remotes, for example.
    pub(super) fn middles<'s>(&'s self, before: &'s str, after: &'s str) -> impl Iterator<Item = &'s str> {
        self.0.iter().filter_map(move |(key, _)| key.strip_prefix(before)?.strip_suffix(after))
    }

    /// Those that may not change while the folder is trusted: all but what ordinary work with git writes.
    pub(super) fn lasting(&self) -> Vec<String> {
        let lasting = self.0.iter().filter(|(key, _)| !is_passing(key));
        lasting.map(|(key, value)| format!("{key}={}", value.as_deref().unwrap_or("true"))).collect()
    }

    /// The file that git reads instead.
    ///
    /// # Errors
    /// `Unsupported`, with the name of an extension that we don't know.
    pub(super) fn copied(&self) -> io::Result<Vec<u8>> {
        let unknown = self
            .0
            .iter()
            .map(|(key, _)| key)
            .find(|key| key.starts_with("extensions.") && !EXTENSIONS.contains(&key.as_str()));
        if let Some(key) = unknown {
            return Err(io::Error::new(io::ErrorKind::Unsupported, key.clone()));
        }
        let mut text = "[core]\n\trepositoryformatversion = 1\n\tbare = false\n".to_owned();
        for (key, value) in &self.0 {
            let value = value.as_deref().unwrap_or("true");
            if is_copied(key, value) {
                text.push_str(&line(key, value));
            }
        }
        for (key, value) in &self.0 {
            let of_remote = key.strip_prefix("remote.").and_then(|rest| rest.strip_suffix(".promisor"));
            if let Some(remote) = of_remote.filter(|_| value.as_deref() != Some("false")) {
                // Objects that are not here are known to be elsewhere, and nobody is asked for them.
                text.push_str(&line(&format!("remote.{remote}.promisor"), "true"));
                text.push_str(&line(&format!("remote.{remote}.url"), "/dev/null"));
            }
        }
        Ok(text.into_bytes())
    }
}

/// The first setting in which the two differ.
pub(super) fn difference<'s>(before: &'s [String], now: &'s [String]) -> Option<&'s str> {
    if before == now {
        return None;
    }
    let lacks = |one: &'s [String], other: &[String]| one.iter().find(|line| !other.contains(line));
    let line = lacks(now, before).or_else(|| lacks(before, now)).or_else(|| now.first())?;
    Some(line.split_once('=').map_or(line.as_str(), |(key, _)| key))
}

fn is_copied(key: &str, value: &str) -> bool {
    // A file whose filter is missing is refused, not kept as what it is not.
    let needs_filter = key.starts_with("filter.") && key.ends_with(".required");
    COPIED.contains(&key)
        || matches!(key, "extensions.refstorage" | "extensions.partialclone" | "extensions.preciousobjects")
        || LFS.contains(&(key, value))
        || needs_filter
}

fn is_passing(key: &str) -> bool {
    let (Some((section, _)), Some((_, name))) = (key.split_once('.'), key.rsplit_once('.')) else {
        return false;
    };
    // Installing the packages of a project often sets where its hooks are. Hooks are files that anybody may write: they run for nobody here.
    key == "core.hookspath" || PASSING.contains(&section) && !PROGRAMS.contains(&name)
}

fn line(key: &str, value: &str) -> String {
    let (Some((section, rest)), Some((_, name))) = (key.split_once('.'), key.rsplit_once('.')) else {
        return String::new();
    };
    let middle = rest.strip_suffix(name).and_then(|rest| rest.strip_suffix('.'));
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let head =
        middle.map_or_else(|| format!("[{section}]"), |middle| format!("[{section} \"{}\"]", quoted(middle)));
    format!("{head}\n\t{name} = \"{}\"\n", quoted(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(pairs: &[(&str, &str)]) -> Settings {
        Settings(pairs.iter().map(|(key, value)| ((*key).to_owned(), Some((*value).to_owned()))).collect())
    }

    #[test]
    fn nothing_that_names_a_program_is_copied() {
        let hostile = settings(&[
            ("core.fsmonitor", "evil"),
            ("core.sshcommand", "evil"),
            ("core.hookspath", "evil"),
            ("core.worktree", "evil"),
            ("core.attributesfile", "evil"),
            ("filter.x.clean", "evil"),
            ("filter.lfs.clean", "evil"),
            ("filter.lfs.process", "./git-lfs filter-process"),
            ("diff.external", "evil"),
            ("merge.x.driver", "evil"),
            ("include.path", "evil"),
            ("remote.origin.url", "ext::evil"),
            ("remote.origin.uploadpack", "evil"),
            ("extensions.worktreeconfig", "evil"),
        ]);
        let copy = String::from_utf8(hostile.copied().unwrap()).unwrap();
        assert!(!copy.contains("evil") && !copy.contains("./"), "{copy}");
        let kept = settings(&[
            ("core.autocrlf", "input"),
            ("filter.lfs.clean", "git-lfs clean -- %f"),
            ("filter.a \"b\\.required", "true"),
        ]);
        let copy = String::from_utf8(kept.copied().unwrap()).unwrap();
        for line in ["autocrlf = \"input\"", "clean = \"git-lfs clean -- %f\"", "[filter \"a \\\"b\\\\\"]"] {
            assert!(copy.contains(line), "{line} in {copy}");
        }
        let error = settings(&[("extensions.strange", "1")]).copied().unwrap_err();
        assert_eq!(error.to_string(), "extensions.strange");
    }

    #[test]
    fn what_ordinary_work_writes_is_no_change_and_the_rest_is_named() {
        let before = settings(&[("core.eol", "lf"), ("user.name", "a")]).lasting();
        let now = |key| settings(&[("core.eol", "lf"), ("branch.b.remote", "origin"), (key, "x")]).lasting();
        for key in ["remote.origin.fetch", "core.hookspath"] {
            assert_eq!(difference(&before, &now(key)), None);
        }
        for key in
            ["core.fsmonitor", "filter.x.clean", "include.path", "remote.origin.uploadpack", "lfs.x.path"]
        {
            assert_eq!(difference(&before, &now(key)), Some(key));
        }
        assert_eq!(difference(&before, &[]), Some("core.eol"), "one that is gone");
    }
}
