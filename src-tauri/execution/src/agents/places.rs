//! Where installers put programs outside of PATH (the agents' contract §10).

use super::environment::value;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Folders that are searched after PATH, in this order; relative ones are in the home folder, `*` is any one folder.
const KNOWN: [&str; 20] = [
    ".local/bin",
    ".claude/local",
    "/opt/homebrew/bin",
    "/usr/local/bin",
    "/home/linuxbrew/.linuxbrew/bin",
    ".npm-global/bin",
    ".npm/bin",
    ".bun/bin",
    ".volta/bin",
    ".asdf/shims",
    ".local/share/mise/shims",
    ".local/share/pnpm",
    "Library/pnpm",
    ".nvm/versions/node/*/bin",
    ".local/share/fnm/node-versions/*/installation/bin",
    ".nodenv/shims",
    ".cargo/bin",
    "bin",
    "AppData/Roaming/npm",
    "scoop/shims",
];

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Programs, the one to be used first.
    pub found: Vec<PathBuf>,
    /// Folders that were searched.
    pub looked: Vec<PathBuf>,
}

/// Searches for `program` on the PATH of `environment` and in known places. A name with a folder is used as it is.
#[must_use]
pub fn search(program: &str, environment: &[(OsString, OsString)]) -> Search {
    let path = Path::new(program);
    if path.is_absolute() {
        let found = which::which_in(path, None::<OsString>, "/").into_iter().collect();
        return Search { found, looked: path.parent().map(Path::to_owned).into_iter().collect() };
    }
    if program.is_empty() || path.components().count() > 1 {
        return Search::default();
    }
    let looked = folders(environment);
    // One folder at a time: what a person's PATH cannot hold, a folder with a colon, is looked into too.
    let found =
        looked.iter().filter_map(|folder| which::which_in(folder.join(program), None::<OsString>, "/").ok());
    Search { found: found.collect(), looked }
}

fn folders(environment: &[(OsString, OsString)]) -> Vec<PathBuf> {
    let on_path = value(environment, "PATH").map(|path| std::env::split_paths(path).collect::<Vec<_>>());
    let home = value(environment, "HOME").map(PathBuf::from).or_else(std::env::home_dir);
    let known = KNOWN.iter().flat_map(|known| expand(home.as_deref(), known));
    let mut all: Vec<PathBuf> = Vec::new();
    for folder in on_path.into_iter().flatten().chain(known) {
        if folder.is_absolute() && !all.contains(&folder) {
            all.push(folder);
        }
    }
    all
}

/// A known place with its `*` filled in, newest version first.
fn expand(home: Option<&Path>, known: &str) -> Vec<PathBuf> {
    let base = |text: &str| match (text.starts_with('/'), home) {
        (true, _) => Some(PathBuf::from(text)),
        (false, Some(home)) => Some(home.join(text)),
        (false, None) => None,
    };
    let Some((before, after)) = known.split_once("/*/") else { return base(known).into_iter().collect() };
    let Some(folder) = base(before) else { return Vec::new() };
    let mut names: Vec<OsString> = std::fs::read_dir(folder.as_path())
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    names.sort_by_key(|name| std::cmp::Reverse(version_of(name)));
    names.into_iter().map(|name| folder.join(name).join(after)).collect()
}

/// `v22.4.1` as numbers.
fn version_of(name: &OsStr) -> Vec<u32> {
    let text = name.to_string_lossy();
    text.trim_start_matches('v').split('.').map_while(|part| part.parse().ok()).collect()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn program(folder: &Path, name: &str, mode: u32) -> PathBuf {
        std::fs::create_dir_all(folder).unwrap();
        let path = folder.join(name);
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn path_comes_first_then_known_places_and_all_hits_are_told() {
        let home = tempfile::tempdir().unwrap();
        let on_path = program(&home.path().join("p"), "claude", 0o755);
        let local = program(&home.path().join(".local/bin"), "claude", 0o755);
        let new = program(&home.path().join(".nvm/versions/node/v22.10.0/bin"), "claude", 0o755);
        let old = program(&home.path().join(".nvm/versions/node/v9.11.0/bin"), "claude", 0o755);
        program(&home.path().join(".bun/bin"), "claude", 0o644);
        let path = format!("{}:relative", home.path().join("p").display());
        let environment = [("PATH".into(), path.into()), ("HOME".into(), home.path().into())];
        let found = search("claude", &environment);
        assert_eq!(found.found, [on_path.clone(), local, new, old]);
        assert!(found.looked.len() > 10 && found.looked.iter().all(|folder| folder.is_absolute()));
        assert_eq!(search(on_path.to_str().unwrap(), &[]).found, [on_path]);
        assert_eq!(search("../claude", &environment), Search::default());
        assert_eq!(search("", &environment), Search::default());
    }
}
