//! `package.json`: the `test` script, with a machine-readable reporter where the tool is known.

use super::{Dialect, Folder, ProposedTests};
use loopdeck_text::json_span::tree::Node;

/// What runs scripts and tools here.
enum Runner {
    Npm,
    Pnpm,
    Yarn,
    Bun,
}

impl Runner {
    fn detect(folder: &Folder<'_>) -> Self {
        match folder.first(&["pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"]) {
            Some("pnpm-lock.yaml") => Self::Pnpm,
            Some("yarn.lock") => Self::Yarn,
            Some(_) => Self::Bun,
            None => Self::Npm,
        }
    }

    /// Runs the `test` script with more arguments.
    fn script(&self, arguments: &[&str]) -> Vec<String> {
        let begin: &[&str] = match self {
            Self::Npm if arguments.is_empty() => &["npm", "test"],
            Self::Npm => &["npm", "test", "--"],
            Self::Pnpm => &["pnpm", "test"],
            Self::Yarn => &["yarn", "run", "test"],
            Self::Bun => &["bun", "run", "test"],
        };
        owned_words(begin, arguments)
    }

    /// Runs a tool that is installed in the workspace; nothing is downloaded.
    fn tool(&self, arguments: &[&str]) -> Vec<String> {
        let begin: &[&str] = match self {
            Self::Npm => &["npx", "--no-install"],
            Self::Pnpm => &["pnpm", "exec"],
            Self::Yarn => &["yarn", "run"],
            Self::Bun => &["bun", "x", "--no-install"],
        };
        owned_words(begin, arguments)
    }
}

fn owned_words(begin: &[&str], end: &[&str]) -> Vec<String> {
    begin.iter().chain(end).map(|&word| word.to_owned()).collect()
}

/// At most one: what `npm test` would run.
pub(super) fn proposed(folder: &Folder<'_>) -> Option<ProposedTests> {
    let text = folder.text("package.json");
    let package = Node::parse(text.as_bytes()).ok()?;
    let script = package.get("scripts").get("test").text()?;
    // What `npm init` writes.
    if script.trim().is_empty() || script.contains("no test specified") {
        return None;
    }
    let runner = Runner::detect(folder);
    // Arguments reach only the last command of a script, so the script must be nothing but the tool.
    let single = !script.contains(['&', ';', '|', '\n']);
    let uses = |tool: &str| {
        script.split(|char: char| !(char.is_alphanumeric() || char == '-')).any(|word| word == tool)
    };
    let (command, leaves, dialect) = if uses("vitest") {
        let file = folder.result("vitest.json");
        // `run`, because otherwise the tool watches files.
        let arguments = ["vitest", "run", "--reporter=json", &format!("--outputFile={file}")];
        (runner.tool(&arguments), vec![file], Some(Dialect::Vitest))
    } else if uses("jest") {
        let file = folder.result("jest.json");
        let output = format!("--outputFile={file}");
        let command = if single {
            runner.script(&["--json", &output])
        } else {
            runner.tool(&["jest", "--json", &output])
        };
        (command, vec![file], Some(Dialect::Jest))
    } else if single && uses("mocha") {
        (runner.script(&["--reporter", "tap"]), Vec::new(), Some(Dialect::Tap))
    } else if single && script.contains("node ") && script.contains("--test") {
        (runner.script(&["--test-reporter=tap"]), Vec::new(), Some(Dialect::Tap))
    } else {
        (runner.script(&[]), Vec::new(), None)
    };
    let found_by = "package.json".to_owned();
    Some(ProposedTests { shown: super::quoted_line(&command), command, found_by, leaves, dialect })
}
