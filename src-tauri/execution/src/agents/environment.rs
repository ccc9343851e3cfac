//! The environment that agents run in: ours, completed by what the person's login shell would give. Desktop launchers start
//! programs without it, and then nothing that npm or Homebrew installed is found.

use crate::brief::{Question, ask};
use crate::package::without_package;
use loopdeck_system::logged::Logged as _;
use loopdeck_system::platform::{SHELL, variable_name, variables};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

/// A shell that asks something at its start must not hold us.
const LIMIT: Duration = Duration::from_secs(3);
/// What describes the shell itself.
const ITS_OWN: [&str; 6] = ["_", "SHLVL", "PWD", "OLDPWD", "PATH", "LOOPDECK_RUN_ID"];

/// Starts making the environment in a thread of its own, so that later callers need not wait.
pub fn prepare() {
    // Without a thread, the first caller makes it.
    crate::tasks::start(|| _ = environment()).logged("a thread is not started");
}

/// The environment, made once per start of the app. Asking the login shell takes up to [`LIMIT`]: the owner, which all
/// loops share, must come here only when it is made.
#[must_use]
pub fn environment() -> &'static [(OsString, OsString)] {
    static MADE: OnceLock<Vec<(OsString, OsString)>> = OnceLock::new();
    MADE.get_or_init(|| {
        let variables = std::env::vars_os().map(|(name, value)| (variable_name(name), value));
        let ours = without_package(variables);
        let shell = login_shell(&ours);
        complete_with_shell(ours, &shell)
    })
}

/// The value of `name` in `environment`.
#[must_use]
pub fn value<'e>(environment: &'e [(OsString, OsString)], name: &str) -> Option<&'e OsStr> {
    environment.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_os_str())
}

/// Ours wins; what only the shell knows is added, its folders behind ours on PATH.
fn complete_with_shell(
    ours: Vec<(OsString, OsString)>,
    shell: &BTreeMap<OsString, OsString>,
) -> Vec<(OsString, OsString)> {
    let mut all: BTreeMap<OsString, OsString> = ours.into_iter().collect();
    for (name, value) in shell.iter().filter(|(name, _)| !ITS_OWN.iter().any(|own| name.as_os_str() == *own))
    {
        all.entry(name.clone()).or_insert_with(|| value.clone());
    }
    let path = join_paths(all.get(OsStr::new("PATH")), shell.get(OsStr::new("PATH")));
    if let Some(path) = path {
        all.insert("PATH".into(), path);
    }
    all.remove(OsStr::new("LOOPDECK_RUN_ID"));
    all.into_iter().collect()
}

fn join_paths(ours: Option<&OsString>, shell: Option<&OsString>) -> Option<OsString> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for path in ours.into_iter().chain(shell) {
        for folder in std::env::split_paths(path) {
            // A relative folder would name programs of whatever workspace a run happens in.
            if folder.is_absolute() && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
    }
    if folders.is_empty() { None } else { std::env::join_paths(folders).ok() }
}

/// What the login shell says between two marks that no start-up text can know.
fn login_shell(ours: &[(OsString, OsString)]) -> BTreeMap<OsString, OsString> {
    let shell = value(ours, "SHELL").unwrap_or_else(|| OsStr::new(SHELL));
    if !Path::new(shell).is_absolute() {
        return BTreeMap::new();
    }
    let mark = format!("{}-{}", std::process::id(), loopdeck_system::clock::now().millis()); // process and moment
    let text = format!("printf '%s' '{mark}'; /usr/bin/env -0; printf '%s' '{mark}'");
    let args = [OsStr::new("-lic"), OsStr::new(&text)].to_vec();
    let home = std::env::home_dir();
    let question = Question {
        program: Path::new(shell),
        args,
        folder: home.as_deref().filter(|home| home.is_dir()),
        environment: Some(ours),
        also: &[],
        limit: LIMIT,
    };
    ask(&question).map(|answer| variables_between(&answer.stdout, mark.as_bytes())).unwrap_or_default()
}

fn variables_between(said: &[u8], mark: &[u8]) -> BTreeMap<OsString, OsString> {
    let Some(begin) = memchr::memmem::find(said, mark) else { return BTreeMap::new() };
    let rest = &said[begin + mark.len()..];
    let Some(end) = memchr::memmem::rfind(rest, mark) else { return BTreeMap::new() };
    variables(&rest[..end]).into_iter().collect()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        list.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn what_a_shell_prints_around_it_is_no_environment() {
        let said = b"Welcome! X=1\0m1A=x\nLINE=2\0B==\0m1 bye C=3\0";
        let found = variables_between(said, b"m1");
        let wanted: BTreeMap<_, _> = pairs(&[("A", "x\nLINE=2"), ("B", "=")]).into_iter().collect();
        assert_eq!(found, wanted);
        assert!(variables_between(b"m1A=1\0", b"m1").is_empty(), "cut off in the middle");
    }

    #[test]
    fn ours_wins_and_the_shells_folders_come_behind() {
        let shell = pairs(&[("PATH", "/npm:/usr/bin:rel"), ("KEY", "theirs"), ("NEW", "1"), ("SHLVL", "3")]);
        let all = complete_with_shell(
            pairs(&[("PATH", "/usr/bin:."), ("KEY", "ours"), ("LOOPDECK_RUN_ID", "x")]),
            &shell.into_iter().collect(),
        );
        assert_eq!(all, pairs(&[("KEY", "ours"), ("NEW", "1"), ("PATH", "/usr/bin:/npm")]));
    }

    #[test]
    fn the_real_login_shell_is_asked() {
        assert!(value(environment(), "PATH").is_some());
    }
}
