//! Which command runs the tests of a workspace, and where its results appear. These are proposals for a
//! person to confirm.
//!
//! A proposal never runs by itself. It is an argument list, so no file content reaches a shell.

mod javascript;
mod others;
mod python;

use super::Dialect;
use serde::{Deserialize, Serialize};
use specta::Type;

/// A file of the workspace folder.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Path below the workspace with `/`, such as `Cargo.toml` or `.config/nextest.toml`.
    pub path: &'a str,
    /// Its content when it is small and [`wanted`]; empty otherwise.
    pub bytes: &'a [u8],
}

/// A command that runs tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ProposedTests {
    /// Program and arguments; run in the workspace folder.
    pub command: Vec<String>,
    /// The same as one readable line, quoted as a shell would need it.
    pub shown: String,
    /// The workspace file it was detected from: `Cargo.toml`, `pytest.ini`, the first test file.
    pub found_by: String,
    /// Files with the results, below the workspace or in the results folder as given. Empty when the results
    /// are in the output. A name that ends in `/` is a folder: every `.xml` file directly in it counts. They
    /// must be deleted before the command starts, or an earlier run is read.
    pub leaves: Vec<String>,
    /// The format of the results; `None` when the command can be anything. It is the hint of [`super::read`].
    pub dialect: Option<Dialect>,
}

impl ProposedTests {
    fn new(found_by: &str, command: &[&str], leaves: &[&str], dialect: Option<Dialect>) -> Self {
        let command: Vec<String> = command.iter().map(|&word| word.to_owned()).collect();
        let shown = quoted_line(&command);
        let leaves = leaves.iter().map(|&leaf| leaf.to_owned()).collect();
        Self { command, shown, found_by: found_by.to_owned(), leaves, dialect }
    }
}

/// Arguments as one line, quoted where a shell would need it.
#[must_use]
pub fn quoted_line(command: &[String]) -> String {
    let quoted = |word: &String| {
        let plain = |char: char| char.is_ascii_alphanumeric() || "-_./=:@%+,".contains(char);
        let bare = !word.is_empty() && word.chars().all(plain);
        if bare { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    command.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Whether the content of a file matters, not only its name. `path` is below the workspace.
#[must_use]
pub fn needs_content(path: &str) -> bool {
    [
        "Cargo.toml",
        "package.json",
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        "Makefile",
        "makefile",
        "GNUmakefile",
    ]
    .contains(&path)
}

/// Proposals for a workspace, the likeliest of each kind first. `results` is the folder to write results to,
/// below the workspace or absolute, with `/` separators and no trailing one; the caller creates it.
#[must_use]
pub fn detect(entries: &[Entry<'_>], results: &str) -> Vec<ProposedTests> {
    let folder = Folder { entries, results };
    let mut all = others::cargo(&folder);
    all.extend(javascript::proposed(&folder));
    all.extend(python::proposed(&folder));
    all.extend(others::go(&folder));
    all.extend(others::jvm(&folder));
    all.extend(others::make(&folder));
    all.extend(others::scripts(&folder));
    all
}

/// The workspace being examined.
struct Folder<'a> {
    entries: &'a [Entry<'a>],
    results: &'a str,
}

impl Folder<'_> {
    fn has(&self, path: &str) -> bool {
        self.entries.iter().any(|entry| entry.path == path)
    }

    /// The first of `paths` that exists.
    fn first<'p>(&self, paths: &[&'p str]) -> Option<&'p str> {
        paths.iter().copied().find(|path| self.has(path))
    }

    /// The first file whose path matches.
    fn one_that(&self, fits: impl Fn(&str) -> bool) -> Option<&str> {
        self.entries.iter().map(|entry| entry.path).find(|path| fits(path))
    }

    /// The content of a file as text; empty when it does not exist.
    fn text(&self, path: &str) -> std::borrow::Cow<'_, str> {
        let entry = self.entries.iter().find(|entry| entry.path == path);
        String::from_utf8_lossy(entry.map_or(b"", |entry| entry.bytes))
    }

    /// A file in the results folder.
    fn result(&self, name: &str) -> String {
        format!("{}/{name}", self.results)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let entries: Vec<_> =
            files.iter().map(|(path, text)| Entry { path, bytes: text.as_bytes() }).collect();
        let line = |tests: ProposedTests| {
            let dialect = tests.dialect.map_or("any".to_owned(), |dialect| format!("{dialect:?}"));
            format!("{} -> {} ({dialect})", tests.shown, tests.leaves.join(" "))
        };
        detect(&entries, ".out").into_iter().map(line).collect()
    }

    #[test]
    fn rust() {
        let manifest = ("Cargo.toml", "[package]\nname = \"shop\"\n");
        assert_eq!(found(&[manifest]), ["cargo test --no-fail-fast ->  (Libtest)"]);
        let workspace = ("Cargo.toml", "[workspace]\nmembers = []\n");
        assert_eq!(found(&[workspace]), ["cargo test --workspace --no-fail-fast ->  (Libtest)"]);
        let nextest = (".config/nextest.toml", "");
        assert_eq!(
            found(&[manifest, nextest]),
            ["cargo nextest run --no-fail-fast ->  (Nextest)", "cargo test --no-fail-fast ->  (Libtest)"]
        );
    }

    #[test]
    fn javascript() {
        let jest =
            ("package.json", r#"{"scripts": {"test": "jest --ci"}, "devDependencies": {"jest": "^30"}}"#);
        let jest_line = "npm test -- --json --outputFile=.out/jest.json -> .out/jest.json (Jest)";
        assert_eq!(found(&[jest]), [jest_line]);
        let vitest = ("package.json", r#"{"scripts": {"test": "vitest"}}"#);
        let line =
            "pnpm exec vitest run --reporter=json --outputFile=.out/vitest.json -> .out/vitest.json (Vitest)";
        assert_eq!(found(&[vitest, ("pnpm-lock.yaml", "")]), [line]);
        let chained = ("package.json", r#"{"scripts": {"test": "tsc && vitest run"}}"#);
        let line = "npx --no-install vitest run --reporter=json --outputFile=.out/vitest.json -> .out/vitest.json (Vitest)";
        assert_eq!(found(&[chained]), [line]);
        let mocha = ("package.json", r#"{"scripts": {"test": "mocha spec"}}"#);
        assert_eq!(found(&[mocha]), ["npm test -- --reporter tap ->  (Tap)"]);
        let yarn = ("package.json", r#"{"scripts": {"test": "node --test"}}"#);
        let node = "yarn run test --test-reporter=tap ->  (Tap)";
        assert_eq!(found(&[yarn, ("yarn.lock", "")]), [node]);
        let other = ("package.json", r#"{"scripts": {"test": "./run.sh"}}"#);
        assert_eq!(found(&[other]), ["npm test ->  (any)"]);
        let none = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;
        assert!(found(&[("package.json", none)]).is_empty());
        assert!(found(&[("package.json", "{\"scripts\": 1")]).is_empty());
    }

    #[test]
    fn python() {
        let line = "python3 -m pytest --junitxml=.out/pytest.xml -> .out/pytest.xml (Junit)";
        for files in [
            &[("pytest.ini", "")][..],
            &[("pyproject.toml", "[tool.pytest.ini_options]\n")],
            &[("setup.cfg", "[tool:pytest]\n")],
            &[("pyproject.toml", "[project]\n"), ("tests/test_cart.py", "")],
            &[("tests/test_cart.py", "")],
        ] {
            assert_eq!(found(files), [line], "{files:?}");
        }
        let uv = found(&[("pytest.ini", ""), ("uv.lock", "")]);
        assert_eq!(uv, ["uv run pytest --junitxml=.out/pytest.xml -> .out/pytest.xml (Junit)"]);
        assert!(found(&[("pyproject.toml", "[project]\n"), ("src/shop.py", "")]).is_empty());
    }

    #[test]
    fn everything_else() {
        assert_eq!(found(&[("go.mod", "")]), ["go test -json ./... ->  (GoJson)"]);
        let maven = found(&[("pom.xml", ""), ("mvnw", "")]);
        assert_eq!(maven, ["./mvnw -B test -> target/surefire-reports/ (Junit)"]);
        let gradle = found(&[("build.gradle.kts", "")]);
        assert_eq!(gradle, ["gradle test --continue -> build/test-results/test/ (Junit)"]);
        let make = ("Makefile", "all: x\n\ttest: no\n.PHONY: test\nbuild test : deps\n\trun\n");
        assert_eq!(found(&[make]), ["make test ->  (any)"]);
        assert!(found(&[("Makefile", "test := 1\ntests: x\n\ttest:\n# test:\n")]).is_empty());
        let bats = found(&[("test/cart.bats", ""), ("test.sh", "")]);
        assert_eq!(bats, ["bats --tap test/cart.bats ->  (Tap)", "sh ./test.sh ->  (any)"]);
    }

    #[test]
    fn a_proposal_says_which_file_it_was_found_by() {
        let by = |files: &[&str]| -> Vec<String> {
            let entries: Vec<_> = files.iter().map(|path| Entry { path, bytes: b"[tool.pytest" }).collect();
            detect(&entries, ".out").into_iter().map(|tests| tests.found_by).collect()
        };
        assert_eq!(by(&["Cargo.toml", ".config/nextest.toml"]), [".config/nextest.toml", "Cargo.toml"]);
        assert_eq!(by(&["src/shop.py", "tests/test_cart.py"]), ["tests/test_cart.py"]);
        assert_eq!(by(&["tests/test_cart.py", "pyproject.toml"]), ["pyproject.toml"]);
        assert_eq!(by(&["go.work"]), ["go.work"]);
        assert_eq!(by(&["build.gradle.kts", "pom.xml"]), ["pom.xml", "build.gradle.kts"]);
        assert_eq!(by(&["test/cart.bats", "test.sh"]), ["test/cart.bats", "test.sh"]);
    }

    #[test]
    fn words_are_quoted() {
        let words = ["a b", "", "it's", "--x=1", "$(rm)"].map(str::to_owned);
        assert_eq!(quoted_line(&words), r"'a b' '' 'it'\''s' --x=1 '$(rm)'");
    }
}
