//! The command line of Windows on a small workspace: what it says, and what it makes of the file.

use std::fs;
use std::path::Path;

use xtask::Failure;
use xtask::workspace::root;

use super::wine::Wine;
use crate::steps;
use crate::tally::Tally;

/// The workspace has one loop, from the fixtures.
const LOOP: &str = "loop-v2-20260122-abc123";
const FIXTURE: &str = "tests/fixtures/ccw/seed-000-initialised";

/// A command, what it prints among other things, and the status that the file has afterwards.
const TABLE: [(&str, &str, &str); 8] = [
    ("list", "loop-v2-20260122-abc123", "running"),
    ("show", "You can: pause, stop", "running"),
    ("check", "W1_counters", "running"),
    ("pause", "Shown as: Paused.", "paused"),
    ("list", "Paused", "paused"),
    ("resume", "Shown as: Interrupted.", "running"),
    ("undo", "Shown as: Paused.", "paused"),
    ("history", "pause", "paused"),
];

/// Runs the commands one after the other in a workspace below `state`.
pub(super) fn table(wine: &Wine, program: &Path, state: &Path) -> Result<Tally, Failure> {
    let workspace = state.join("workspace");
    if workspace.exists() {
        fs::remove_dir_all(&workspace)?;
    }
    let folder = workspace.join(".workflow/.loop");
    fs::create_dir_all(&folder)?;
    let file = folder.join(format!("{LOOP}.json"));
    fs::copy(root().join(FIXTURE).join(format!("{LOOP}.json")), &file)?;
    let before = fs::read_to_string(&file)?;
    let mut total = Tally::default();
    for (verb, says, status) in TABLE {
        let mut command = wine.command(program);
        command.current_dir(&workspace).args([verb, "."]);
        if !["list", "check"].contains(&verb) {
            command.arg(LOOP);
        }
        let result = steps::output(&mut command).map_err(|error| error.to_string()).and_then(|printed| {
            println!("{verb}: {}", printed.lines().next().unwrap_or_default());
            let there = fs::read_to_string(&file).map_err(|error| error.to_string())?;
            fault(&printed, says, &before, &there, status)
        });
        total +=
            result.map_or_else(|why| Tally::failed(&format!("loopdeck {verb}"), &why), |()| Tally::passed());
    }
    // No temporary file, and no second name of an old version.
    let names = fs::read_dir(&folder)?.count();
    if names != 1 {
        total += Tally::failed("What is left", &format!("{names} files in {}", folder.display()));
    }
    Ok(total)
}

/// What is wrong with what a command printed, and with the file: only its status and the time of the change may differ.
fn fault(printed: &str, says: &str, before: &str, there: &str, status: &str) -> Result<(), String> {
    if !printed.contains(says) {
        return Err(format!("not “{says}”, but:\n{printed}"));
    }
    if !there.contains(&format!("\n  \"status\": \"{status}\",\n")) {
        return Err(format!("the file doesn't say “{status}”:\n{there}"));
    }
    let others = |text: &str| -> Vec<String> {
        let is_other =
            |line: &&str| !line.starts_with("  \"status\":") && !line.starts_with("  \"updated_at\":");
        text.split('\n').filter(is_other).map(str::to_owned).collect()
    };
    if others(before) == others(there) { Ok(()) } else { Err(format!("more of the file changed:\n{there}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_nobody_asked_to_change_is_a_fault() {
        let before = "{\n  \"status\": \"running\",\n  \"updated_at\": \"1\",\n  \"title\": \"a\"\n}\n";
        let paused = before.replace("running", "paused").replace("\"1\"", "\"2\"");
        assert_eq!(fault("Shown as: Paused.", "Paused", before, &paused, "paused"), Ok(()));
        assert!(fault("Shown as: Running.", "Paused", before, &paused, "paused").is_err());
        assert!(fault("Shown as: Paused.", "Paused", before, before, "paused").is_err());
        for damaged in [paused.replace("\"a\"", "\"b\""), paused.replace('\n', "\r\n")] {
            assert!(fault("Shown as: Paused.", "Paused", before, &damaged, "paused").is_err());
        }
    }
}
