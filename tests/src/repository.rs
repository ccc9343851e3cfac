//! A git repository as a person has it, made and looked at from outside.

use std::path::Path;
use std::process::Command;

/// Runs git in `folder`, as somebody with a name, and answers what it prints.
///
/// # Panics
/// When git fails.
pub fn git(folder: &Path, args: &[&str]) -> String {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@t"];
    let answer = Command::new("git").current_dir(folder).args(identity).args(args).output().unwrap();
    assert!(answer.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&answer.stderr));
    String::from_utf8_lossy(&answer.stdout).trim().to_owned()
}

/// Makes `folder` a repository with one commit of everything in it.
///
/// # Panics
/// When git fails.
pub fn commit_all(folder: &Path) {
    git(folder, &["init", "-q", "-b", "main"]);
    git(folder, &["add", "."]);
    git(folder, &["commit", "-qm", "x"]);
}
