//! Where our own data lives, and how paths are shown.

use std::path::{Path, PathBuf};

/// The application's data folder and the files in it.
#[derive(Clone, Debug)]
pub struct Dirs {
    /// Our data folder; created on first write.
    pub data: PathBuf,
}

impl Dirs {
    /// Settings, open and recent workspaces.
    #[must_use]
    pub fn settings(&self) -> PathBuf {
        self.data.join("settings.json")
    }

    /// Trusted folders, custom agents, the unfinished form.
    #[must_use]
    pub fn choices(&self) -> PathBuf {
        self.data.join("choices.json")
    }

    /// One folder per run.
    #[must_use]
    pub fn runs(&self) -> PathBuf {
        self.data.join("runs")
    }

    /// Git worktrees made for loops.
    #[must_use]
    pub fn worktrees(&self) -> PathBuf {
        self.data.join("worktrees")
    }

    /// Git worktrees for parallel workers, for the length of a round.
    #[must_use]
    pub fn apart(&self) -> PathBuf {
        self.data.join("apart")
    }

    /// Until when this machine may work on workspaces that are lent to it.
    #[must_use]
    pub fn fences(&self) -> PathBuf {
        self.data.join("fences")
    }

    /// The journal.
    #[must_use]
    pub fn journal(&self) -> PathBuf {
        self.data.join("journal.sqlite")
    }

    /// The search index; made again when it is deleted.
    #[must_use]
    pub fn search(&self) -> PathBuf {
        self.data.join("search.sqlite")
    }

    /// Log files.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.data.join("logs")
    }

    /// The sample workspace.
    #[must_use]
    pub fn sample(&self) -> PathBuf {
        self.data.join("sample-workspace")
    }

    /// The sample workspace with plans of other tools.
    #[must_use]
    pub fn sample_plans(&self) -> PathBuf {
        self.data.join("sample-plans")
    }

    /// The sample workspace with an AoT loop to run.
    #[must_use]
    pub fn sample_receipt(&self) -> PathBuf {
        self.data.join("sample-receipt")
    }
}

/// A path for display: the home folder as `~`, invalid characters replaced.
#[must_use]
pub fn shown(path: &Path) -> String {
    let below_home = std::env::home_dir().and_then(|home| Some(path.strip_prefix(home).ok()?.to_owned()));
    match below_home {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

/// A path as written by a person or by [`shown`]: `~` is the home folder.
#[must_use]
pub fn written(path: &str) -> PathBuf {
    let below_home = path.strip_prefix("~/").or((path == "~").then_some(""));
    match (below_home, std::env::home_dir()) {
        (Some(below), Some(home)) => home.join(below),
        _ => PathBuf::from(path),
    }
}

/// A short stable id of a canonical path (FNV-1a): the same folder has the same id in every run.
#[must_use]
pub fn id_of(path: &Path) -> String {
    let hash = path.as_os_str().as_encoded_bytes().iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{:010x}", hash & 0xff_ffff_ffff)
}

/// Whether Windows shows this folder of a Linux that runs in it: `\\wsl$\…`, `\\wsl.localhost\…`.
#[must_use]
pub fn is_in_wsl(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let shared = text.strip_prefix(r"\\?\UNC\").or_else(|| text.strip_prefix(r"\\"));
    let server = shared.and_then(|rest| rest.split('\\').next());
    server.is_some_and(|server| ["wsl$", "wsl.localhost"].iter().any(|wsl| server.eq_ignore_ascii_case(wsl)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_shown_can_be_written() {
        let home = std::env::home_dir().unwrap();
        for path in [home.clone(), home.join("a b/c"), PathBuf::from("/elsewhere"), PathBuf::from("/x/~/y")] {
            assert_eq!(written(&shown(&path)), path);
        }
        assert_eq!(written("~other/x"), PathBuf::from("~other/x"));
    }

    #[test]
    fn folders_of_a_linux_in_windows_are_known() {
        for inside in [r"\\wsl$\Ubuntu\home", r"\\WSL.LocalHost\Debian", r"\\?\UNC\wsl$\x"] {
            assert!(is_in_wsl(Path::new(inside)), "{inside}");
        }
        for outside in [r"\\server\wsl$", r"C:\wsl$\x", r"\\wsl\x", "/home/wsl$", r"wsl$\x", "//wsl$/x", ""] {
            assert!(!is_in_wsl(Path::new(outside)), "{outside}");
        }
    }
}
