//! Which rule, and how often each was used: kept in a file, because every start is another process.

use crate::prompt::Prompt;
use loopdeck_tests::scripted::{Rule, Scripted};
use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Number of the first rule that matches and is not used up.
pub(crate) fn choose(script: &Scripted, prompt: &Prompt, resumed: bool, file: &Path) -> Option<usize> {
    let log = fs::read_to_string(log(file)).unwrap_or_default();
    let taken: Vec<Value> = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let times = |number: usize| taken.iter().filter(|run| run["rule"] == number).count();
    let fits = |number: usize, rule: &Rule| {
        let same = |wanted: &Option<String>, found: &Option<String>| wanted.is_none() || wanted == found;
        same(&rule.action, &prompt.action)
            && same(&rule.task, &prompt.task)
            && (resumed || !rule.forgets)
            && rule.times.is_none_or(|most| times(number) < most)
    };
    script.rules.iter().enumerate().position(|(number, rule)| fits(number, rule))
}

/// Records this start.
pub(crate) fn note(file: &Path, rule: usize, prompt: &Prompt, arguments: &[String]) {
    let run = json!({
        "rule": rule, "action": prompt.action, "task": prompt.task, "pid": std::process::id(), "arguments": arguments,
    });
    let log = OpenOptions::new().create(true).append(true).open(log(file));
    let line = format!("{run}\n"); // one write, so that simultaneous starts do not mix
    log.and_then(|mut log| log.write_all(line.as_bytes())).expect("the start is noted");
}

fn log(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".runs");
    name.into()
}
