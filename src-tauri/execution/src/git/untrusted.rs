//! What git says and what files of a repository hold, as bytes: a door for whoever checks with arbitrary ones that the readers hold.
//!
//! Nothing in Loopdeck comes in here. The readers are private to this module, because nobody else asks git, and the checks of the
//! fuzzer (`fuzz/checks/src/git.rs`) are in another package. The one function here calls the readers that answers of git go through
//! and answers what a check has to know; it decides nothing.

use super::settings::{Settings, difference};
use super::{apart, bundle, errors, lines, names, place, repository, since};
use crate::brief::Answer;
use std::ffi::OsString;
use std::io;
use std::path::Path;

/// What bytes are, read as everything that git answers and that a repository's files hold.
#[derive(Debug)]
pub struct Read {
    /// Names of files that were taken from status, diffs, merges and lists.
    pub names: Vec<String>,
    /// Full names of commits and other objects that were taken.
    pub objects: Vec<String>,
    /// As the configuration that git gets instead of the repository's own; an extension that is not known.
    pub configuration: Result<String, String>,
    /// Settings that may not change.
    pub lasting: Vec<String>,
    /// The name of a setting in which it differs from an empty configuration.
    pub differs: Option<String>,
    /// As HEAD.
    pub branch: String,
    /// The name of a worktree, from its `.git`.
    pub worktree: Option<OsString>,
    /// As what git says when it refuses, with each of its ends.
    pub errors: Vec<io::Error>,
}

/// Reads `bytes` as everything that git answers about the folder `inner` of a repository.
#[must_use]
pub fn read(bytes: &[u8], inner: &str) -> Read {
    let text = apart::line(bytes);
    let mut found: Vec<String> = super::listed(bytes, inner);
    found.extend(names(bytes));
    found.extend(lines::parse_numstat(bytes).into_keys());
    found.extend(apart::submodules(&text));
    found
        .extend(since::parse_list(bytes).into_iter().flat_map(|file| [Some(file.path), file.from]).flatten());
    let mut objects: Vec<String> = bundle::commits(&text).map(str::to_owned).collect();
    objects.extend(apart::entry(&text).map(|(_, object)| object.to_owned()));
    if let Some((tree, conflicts)) = apart::parse_merge(bytes) {
        objects.push(tree);
        found.extend(conflicts);
    }
    let _ = repository::names_safe(&text, Path::new("/no/such/folder"));
    let answer = |code, stdout: &[u8], stderr: &[u8]| Answer {
        code,
        stdout: stdout.to_vec(),
        stderr: stderr.to_vec(),
    };
    let settings = Settings::listed(&answer(Some(0), bytes, b"")).unwrap_or_default();
    let _ = (settings.value("core.worktree"), settings.is_on("extensions.worktreeconfig"));
    let lasting = settings.clone().and(settings.clone()).lasting();
    let copied = settings.copied().map(|copy| String::from_utf8_lossy(&copy).into_owned());
    Read {
        names: found,
        objects,
        configuration: copied.map_err(|error| error.to_string()),
        differs: difference(&[], &lasting).map(str::to_owned),
        lasting,
        branch: place::checked_out(&text),
        worktree: repository::noted_as(&text).map(ToOwned::to_owned),
        errors: [Some(0), Some(128), None].map(|code| errors::git_error(&answer(code, b"", bytes))).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn only_names_below_the_folder_are_names() {
        let names = |said: &[u8]| super::super::listed(said, "in");
        assert_eq!(names(b" M in/a b\0?? in/sub/\0?? other\0"), ["a b", "sub/"]);
        for outside in ["../x", "/etc/passwd", "..", "a/../../x", "./x", ""] {
            assert_eq!(names(format!(" M in/{outside}\0").as_bytes()), [""; 0], "{outside}");
            assert!(lines::parse_numstat(format!("1\t2\t{outside}\0").as_bytes()).is_empty(), "{outside}");
            let moved = format!(":100644 100644 {COMMIT} {COMMIT} R100\0a\0{outside}\0");
            assert_eq!(since::parse_list(moved.as_bytes()), [], "{outside}");
            assert_eq!(apart::parse_merge(format!("{COMMIT}\0{outside}/a\0").as_bytes()), None, "{outside}");
            assert_eq!(apart::submodules(&format!("160000 {COMMIT} 0\t{outside}")), [""; 0], "{outside}");
        }
        let counted = lines::parse_numstat(b"3\t1\ta\tb\0-\t-\tc\0");
        assert_eq!((counted["a\tb"].added, counted["a\tb"].removed, counted["c"].added), (3, 1, 0));
        let files = vec!["a".to_owned(), "b".to_owned()];
        let said = format!("{COMMIT}\0a\0b\0");
        assert_eq!(apart::parse_merge(said.as_bytes()), Some((COMMIT.to_owned(), files)));
        assert_eq!(apart::parse_merge(b"no tree\0a\0"), None);
        assert_eq!(apart::submodules(&format!("100644 {COMMIT} 0\ta\0160000 {COMMIT} 0\tb")), ["b"]);
    }

    #[test]
    fn what_git_lists_is_taken_in_its_form_only() {
        let entry = format!("100644 blob {COMMIT}\ta b");
        assert_eq!(apart::entry(&entry), Some(("100644", COMMIT)));
        assert_eq!((apart::entry(""), apart::entry(&format!("1,2 blob {COMMIT}\ta"))), (None, None));
        let listed = format!("warning: x\n{COMMIT}\n{}\n", &COMMIT[1..]);
        assert_eq!(bundle::commits(&listed).collect::<Vec<_>>(), [COMMIT]);
        let long = read("x".repeat(5_000).as_bytes(), "");
        let lengths: Vec<usize> = long.errors.iter().map(|error| error.to_string().len()).collect();
        assert_eq!((lengths, long.branch.len()), (vec![1_000; 3], 10));
        assert_eq!(read(b"gitdir: /a/.git/worktrees/w\n", "").worktree, Some("w".into()));
        assert_eq!(read(b"gitdir: ..", "").worktree, None);
    }
}
