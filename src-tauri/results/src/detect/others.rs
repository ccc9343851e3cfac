//! Cargo, Go, Maven, Gradle, make, and scripts.

use super::{Dialect, Folder, ProposedTests};

/// `cargo test`, preceded by nextest where it is configured.
pub(super) fn cargo(folder: &Folder<'_>) -> Vec<ProposedTests> {
    if !folder.has("Cargo.toml") {
        return Vec::new();
    }
    let manifest = folder.text("Cargo.toml");
    let is_workspace = manifest.lines().any(|line| line.trim() == "[workspace]");
    let scope: &[&str] = if is_workspace { &["--workspace"] } else { &[] };
    let command = |found_by: &str, begin: &[&str], dialect| {
        // Every test program runs, even after one of them failed.
        ProposedTests::new(found_by, &[begin, scope, &["--no-fail-fast"]].concat(), &[], dialect)
    };
    let nextest = folder.first(&[".config/nextest.toml"]);
    let mut all: Vec<_> = nextest
        .iter()
        .map(|file| command(file, &["cargo", "nextest", "run"], Some(Dialect::Nextest)))
        .collect();
    all.push(command("Cargo.toml", &["cargo", "test"], Some(Dialect::Libtest)));
    all
}

/// `go test` with events.
pub(super) fn go(folder: &Folder<'_>) -> Option<ProposedTests> {
    let there = folder.first(&["go.mod", "go.work"]);
    there.map(|file| ProposedTests::new(file, &["go", "test", "-json", "./..."], &[], Some(Dialect::GoJson)))
}

/// Maven or Gradle, through the wrapper where there is one.
pub(super) fn jvm(folder: &Folder<'_>) -> Vec<ProposedTests> {
    let mut all = Vec::new();
    if folder.has("pom.xml") {
        let program = if folder.has("mvnw") { "./mvnw" } else { "mvn" };
        let command = [program, "-B", "test"];
        all.push(ProposedTests::new(
            "pom.xml",
            &command,
            &["target/surefire-reports/"],
            Some(Dialect::Junit),
        ));
    }
    if let Some(file) = folder.first(&["build.gradle", "build.gradle.kts"]) {
        let program = if folder.has("gradlew") { "./gradlew" } else { "gradle" };
        let command = [program, "test", "--continue"];
        all.push(ProposedTests::new(file, &command, &["build/test-results/test/"], Some(Dialect::Junit)));
    }
    all
}

/// A `test` target. Its output format is unknown.
pub(super) fn make(folder: &Folder<'_>) -> Option<ProposedTests> {
    let name = folder.first(&["GNUmakefile", "makefile", "Makefile"])?;
    let is_target = |line: &str| {
        let (targets, rest) = line.split_once(':')?;
        let fits =
            !line.starts_with(['\t', '#', '.', ' ']) && !rest.starts_with('=') && !targets.contains('=');
        (fits && targets.split_whitespace().any(|target| target == "test")).then_some(())
    };
    folder.text(name).lines().find_map(is_target)?;
    Some(ProposedTests::new(name, &["make", "test"], &[], None))
}

/// bats files in one folder, and `test.sh`.
pub(super) fn scripts(folder: &Folder<'_>) -> Vec<ProposedTests> {
    let mut all = Vec::new();
    let bats = folder.entries.iter().map(|entry| entry.path);
    // A name that starts with a dash would be an option.
    let bats: Vec<&str> =
        bats.filter(|path| path.ends_with(".bats") && !path.starts_with('-')).take(200).collect();
    if let Some(first) = bats.first() {
        all.push(ProposedTests::new(
            first,
            &[&["bats", "--tap"], bats.as_slice()].concat(),
            &[],
            Some(Dialect::Tap),
        ));
    }
    if folder.has("test.sh") {
        all.push(ProposedTests::new("test.sh", &["sh", "./test.sh"], &[], None));
    }
    all
}
