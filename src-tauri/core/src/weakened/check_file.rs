//! Files that say what is checked, and how: scripts, build files, files of CI servers, settings of test tools.

use super::assertion::numbers;
use super::change::ChangedFile;
use super::language::{file_name, is_ci, is_config, is_makefile, is_script};
use super::source::{SourceLine, find_word};
use super::{Weakening, WeakeningKind};
use serde_json::Value;

/// What a check is run with.
const RUNNERS: [&str; 51] = [
    "cargo test",
    "cargo nextest",
    "cargo clippy",
    "cargo check",
    "cargo tarpaulin",
    "cargo llvm-cov",
    "npm test",
    "npm t",
    "npm run",
    "yarn test",
    "yarn lint",
    "pnpm test",
    "pnpm lint",
    "vitest",
    "jest",
    "mocha",
    "pytest",
    "tox",
    "nox",
    "unittest",
    "go test",
    "go vet",
    "mvn",
    "gradle",
    "gradlew",
    "dotnet test",
    "phpunit",
    "pest",
    "rspec",
    "rake",
    "bats",
    "ctest",
    "swift test",
    "xcodebuild",
    "eslint",
    "tsc",
    "mypy",
    "ruff",
    "golangci-lint",
    "playwright",
    "cypress",
    "ava",
    "make test",
    "make check",
    "deno test",
    "bun test",
    "shellcheck",
    "c8",
    "nyc",
    "coverage",
    "svelte-check",
];

/// Risks in one file that is no code.
pub(super) fn risks(file: &ChangedFile<'_>) -> Vec<Weakening> {
    if !is_config(file.path) || file.before.lines.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for line in file.new_lines().filter(|line| !is_comment(line.text)) {
        if swallows(file, line) {
            found.push(file.risk_now(WeakeningKind::FailureSwallowed, line));
        } else if lowers(file, line) {
            found.push(file.risk_now(WeakeningKind::ThresholdLowered, line));
        } else if excludes(file, line) {
            found.push(file.risk_now(WeakeningKind::TestsExcluded, line));
        }
    }
    found.extend(file.gone_lines().filter(|line| !is_comment(line.text)).filter_map(|line| gone(file, line)));
    if file_name(file.path) == "package.json" {
        edited_scripts(file, &mut found);
    }
    found
}

pub(super) fn is_comment(text: &str) -> bool {
    (text.starts_with('#') && !text.starts_with("#[") && !text.starts_with("#!"))
        || text.starts_with("//")
        || text.is_empty()
}

fn is_check(text: &str) -> bool {
    RUNNERS.iter().any(|runner| find_word(text, runner).is_some())
}

/// Whether a new line makes a failed check pass.
fn swallows(file: &ChangedFile<'_>, line: &SourceLine<'_>) -> bool {
    const ALWAYS: [&str; 19] = [
        "passWithNoTests: true",
        "--passWithNoTests",
        "--pass-with-no-tests",
        "\"passWithNoTests\": true",
        "continue-on-error: true",
        "allow_failure: true",
        "allowFailure: true",
        "--exit-zero",
        "ignoreFailures = true",
        "ignoreFailures.set(true)",
        "<skipTests>true",
        "-DskipTests",
        "-Dmaven.test.skip",
        "testFailureIgnore>true",
        "ignoreExitCode: true",
        "if: false",
        "if: ${{ false }}",
        "continueOnError: true",
        ".IGNORE:",
    ];
    let text = line.text;
    if ALWAYS.iter().any(|word| text.contains(word)) || (text.starts_with("trap ") && text.contains("exit 0"))
    {
        return true;
    }
    if is_check(text) {
        let ignored =
            is_makefile(file.path) && line.indent > 0 && text.trim_start_matches('@').starts_with('-');
        return ignored || outcome_is_lost(text, file);
    }
    let shell = is_script(file.path) || is_ci(file.path) || is_makefile(file.path);
    let later = |wanted: &dyn Fn(&str) -> bool| {
        file.after.lines.iter().any(|next| next.number > line.number && wanted(next.text))
    };
    let has_check = file.after.lines.iter().chain(&file.before.lines).any(|line| is_check(line.text));
    match text {
        "set +e" | "set +o errexit" => shell && has_check && !later(&|text| text.starts_with("set -e")),
        "exit 0" => {
            let stops = file.after.lines.iter().any(|line| line.text.starts_with("set -e"));
            shell && line.indent == 0 && has_check && (!stops || later(&is_check))
        }
        _ => false,
    }
}

/// Whether what follows a check in its line decides in its place.
fn outcome_is_lost(text: &str, file: &ChangedFile<'_>) -> bool {
    let Some(at) = RUNNERS.iter().filter_map(|runner| find_word(text, runner)).min() else { return false };
    let rest = text[at..].trim_end_matches(['"', '\'', ',', ' ']);
    let ends = [
        "|| true",
        "||true",
        "|| :",
        "|| exit 0",
        "|| echo",
        "|| /bin/true",
        "; true",
        ";true",
        "; exit 0",
        ";exit 0",
        "; :",
        "|| printf",
        "|| return 0",
    ];
    let piped = rest.contains(" | ") && !file.after.lines.iter().any(|line| line.text.contains("pipefail"));
    ends.iter().any(|end| rest.contains(end)) || piped || (rest.ends_with(" &") && !rest.ends_with("&&"))
}

/// Whether a new line has a lower bound than the same line had.
fn lowers(file: &ChangedFile<'_>, line: &SourceLine<'_>) -> bool {
    const RISING: [&str; 15] = [
        "branches",
        "functions",
        "lines",
        "statements",
        "fail_under",
        "fail-under",
        "cov-fail",
        "target",
        "minimum",
        "min-coverage",
        "coverage",
        "msi",
        "high",
        "low",
        "break",
    ];
    const FALLING: [&str; 4] = ["max-warnings", "retries", "reruns", "threshold"];
    let has = |words: &[&str]| words.iter().any(|word| line.text.to_ascii_lowercase().contains(word));
    let (words, now) = numbers(line.text);
    let then =
        file.gone_lines().map(|line| numbers(line.text)).find(|(old, _)| *old == words).map(|(_, then)| then);
    let Some(then) = then.filter(|then| then.len() == now.len()) else { return false };
    let mut pairs = then.iter().zip(&now);
    // The threshold of codecov is what may be lost.
    if has(&FALLING) && (has(&["warnings", "retries", "reruns"]) || file.path.contains("codecov")) {
        return pairs.any(|(then, now)| now > then);
    }
    let context = file.after.lines.iter().any(|line| {
        ["hreshold", "fail_under", "fail-under", "coverage", "target", "minimum"]
            .iter()
            .any(|word| line.text.contains(word))
    });
    context && (has(&RISING) || has(&["threshold"])) && pairs.any(|(then, now)| now < then)
}

/// Whether a new line takes tests away from those that run.
fn excludes(file: &ChangedFile<'_>, line: &SourceLine<'_>) -> bool {
    const FLAGS: [&str; 13] = [
        " -k ",
        " -t ",
        "--deselect",
        "--ignore",
        "--skip",
        "--exclude",
        "--testNamePattern",
        "--testPathIgnorePatterns",
        "--grep",
        "--filter",
        " -run ",
        "-m \"not",
        "-m 'not",
    ];
    const ALWAYS: [&str; 5] = [
        "collect_ignore",
        "testPathIgnorePatterns",
        "norecursedirs",
        "autotests = false",
        "modulePathIgnorePatterns",
    ];
    let text = line.text;
    let had = |word: &str| file.gone_lines().any(|line| line.text.contains(word));
    let flagged = FLAGS.iter().any(|flag| text.contains(flag) && !had(flag));
    if flagged && (is_check(text) || text.starts_with("addopts") || text.contains("\"test")) {
        return true;
    }
    if ALWAYS.iter().any(|word| text.contains(word) && !had(word)) {
        return true;
    }
    if file_name(file.path) == "Cargo.toml" && matches!(text, "test = false" | "harness = false") {
        return section_of(file, line).is_some_and(|section| matches!(section, "[lib]" | "[[test]]"));
    }
    let Some(key) = of_tests(file, line) else { return false };
    let leaves_out = ["xclude", "gnore", "omit"].iter().any(|word| key.contains(word));
    let takes = [
        "testMatch",
        "testRegex",
        "include",
        "testpaths",
        "python_files",
        "python_functions",
        "specPattern",
        "testDir",
        "spec:",
        "roots",
    ];
    let takes = takes.iter().any(|word| key.contains(word));
    let adds_to_old = file.gone_lines().any(|old| has_words_of(text, old.text));
    (leaves_out && !is_shorter(file, text)) || (takes && key == text && !adds_to_old)
}

/// A list that lost an entry leaves out less.
fn is_shorter(file: &ChangedFile<'_>, text: &str) -> bool {
    file.gone_lines().any(|old| has_words_of(old.text, text))
}

/// The header of the section of a line, in files that have them.
fn section_of<'l>(file: &'l ChangedFile<'_>, line: &SourceLine<'_>) -> Option<&'l str> {
    let above = file.after.lines.iter().take_while(|other| other.number <= line.number);
    above.map(|line| line.text).filter(|text| text.starts_with('[') && text.ends_with(']')).last()
}

/// The line that has the key to which this line of a test tool's settings belongs; `None` elsewhere.
fn of_tests<'l>(file: &'l ChangedFile<'_>, line: &'l SourceLine<'_>) -> Option<&'l str> {
    let name = file_name(file.path);
    let above = || file.after.lines.iter().take_while(|other| other.number <= line.number);
    let is_table = matches!(name, "pyproject.toml" | "setup.cfg" | "tox.ini");
    let fits = section_of(file, line)
        .is_some_and(|section| ["pytest", "coverage", "testenv"].iter().any(|word| section.contains(word)));
    let is_tool = is_config(file.path)
        && !is_ci(file.path)
        && !is_script(file.path)
        && !is_makefile(file.path)
        && !matches!(name, "package.json" | "Cargo.toml" | "pom.xml")
        && !name.ends_with(".csproj");
    if !is_tool || (is_table && !fits) {
        return None;
    }
    // An entry of a list has its key above, where brackets are open.
    let mut open = 0_i32;
    let lines: Vec<&SourceLine<'_>> = above().collect();
    for other in lines.iter().rev().take(30) {
        if other.number != line.number || !other.text.contains([':', '=']) {
            open +=
                other.text.bytes().map(|byte| i32::from(byte == b'[') - i32::from(byte == b']')).sum::<i32>();
            if open <= 0 {
                continue;
            }
        }
        return Some(other.text);
    }
    None
}

/// Whether every word of `old` is in `new`, in the same order.
fn has_words_of(new: &str, old: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let parts = text.split(|letter: char| letter.is_whitespace() || "\"',[]()".contains(letter));
        parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let new = words(new);
    let mut rest = new.iter();
    let old = words(old);
    !old.is_empty() && old.iter().all(|word| rest.any(|other| other == word))
}

/// Whether `new` runs all that `old` ran, and more.
fn runs_all_of(new: &str, old: &str) -> bool {
    let Some(at) = new.find(old) else { return false };
    let before = new[..at].trim_end();
    (before.is_empty() || before.ends_with("&&") || before.ends_with(':') || before.ends_with('-'))
        && !new[at + old.len()..].contains("||")
}

/// What the loss of a line of a script or of a CI file means.
fn gone(file: &ChangedFile<'_>, line: &SourceLine<'_>) -> Option<Weakening> {
    let text = line.text;
    let risk = |kind| Some(file.risk_before(kind, line));
    let commands = is_script(file.path) || is_makefile(file.path) || is_ci(file.path);
    let stops = text.starts_with("set -e") || (text.starts_with("set ") && text.contains("pipefail"));
    if stops && commands && !file.new_lines().any(|line| line.text.starts_with("set -")) {
        return risk(WeakeningKind::FailureSwallowed);
    }
    let bounds = ["fail_under", "fail-under", "coverageThreshold", "check-coverage"];
    let is_gone =
        |word: &&str| text.contains(*word) && !file.after.lines.iter().any(|line| line.text.contains(*word));
    if bounds.iter().any(is_gone) {
        return risk(WeakeningKind::ThresholdLowered);
    }
    if is_check(text) && commands {
        let goes_on = file.new_lines().any(|line| {
            runs_all_of(line.text, command_of(text)) || no_versions(line.text) == no_versions(text)
        });
        return if goes_on { None } else { risk(WeakeningKind::CheckEdited) };
    }
    let told = file
        .new_lines()
        .any(|line| has_words_of(line.text, text) || no_versions(line.text) == no_versions(text));
    (is_ci(file.path) && !is_without_effect(text) && !told)
        .then(|| file.risk_before(WeakeningKind::CiEdited, line))
}

/// The command of a line of YAML or of a build file.
fn command_of(text: &str) -> &str {
    let text = text.trim_start_matches("- ").trim_start_matches('@');
    text.strip_prefix("run:").unwrap_or(text).trim()
}

/// A line of a CI file that decides nothing about what is checked.
fn is_without_effect(text: &str) -> bool {
    let key = text.trim_start_matches("- ").split(':').next().unwrap_or_default();
    matches!(
        key,
        "name"
            | "runs-on"
            | "timeout-minutes"
            | "description"
            | "cache"
            | "key"
            | "path"
            | "image"
            | "restore-keys"
    ) || text.len() < 3
}

/// A text without digits, and without the version of an action.
fn no_versions(text: &str) -> String {
    let text = if text.contains("uses:") { text.split('@').next().unwrap_or(text) } else { text };
    text.chars().filter(|letter| !letter.is_ascii_digit() && *letter != '.').collect()
}

/// Scripts of a `package.json` that check something and now do less.
fn edited_scripts(file: &ChangedFile<'_>, found: &mut Vec<Weakening>) {
    let scripts = |text: &str| match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(mut package)) => package.remove("scripts"),
        _ => None,
    };
    let (Some(Value::Object(then)), Some(Value::Object(now))) =
        (scripts(file.texts.0), scripts(file.texts.1))
    else {
        return;
    };
    for (name, old) in &then {
        let Some(old) = old.as_str().filter(|old| is_check(old) || name.contains("test")) else { continue };
        let goes_on = match now.get(name).and_then(Value::as_str) {
            Some(new) => runs_all_of(new, old) || now.values().any(|other| other == old),
            None => now.values().any(|other| other == old),
        };
        let key = format!("\"{name}\"");
        let line = file.after.lines.iter().find(|line| line.text.starts_with(&key));
        let told = |number: u32| found.iter().any(|risk| risk.line == number && !risk.in_before);
        match line {
            _ if goes_on => {}
            Some(line) if told(line.number) => {}
            Some(line) if now.contains_key(name) => {
                found.push(file.risk_now(WeakeningKind::CheckEdited, line));
            }
            _ => {
                let line = file.before.lines.iter().find(|line| line.text.starts_with(&key));
                found.extend(line.map(|line| file.risk_before(WeakeningKind::CheckEdited, line)));
            }
        }
    }
}
