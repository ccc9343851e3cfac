//! The parts of the help besides the options: command groups, exit codes, and the keys of JSON answers.

mod fields;

use clap::Command;

/// All types exchanged with the page; a test keeps them equal to this program's.
const BINDINGS: &str = include_str!("../../../ui/src/host/bindings.ts");

/// The file `words/help/NAME.txt`, followed by other files.
macro_rules! words {
    ($($name:literal),+) => { concat!($(include_str!(concat!("../words/help/", $name, ".txt"))),+) };
}

pub(super) const LIST: &str = words!("list", "exit");
pub(super) const SHOW: &str = words!("show", "exit");
pub(super) const CHECK: &str = words!("check", "exit-check");
pub(super) const VERIFY: &str = words!("verify");
pub(super) const HISTORY: &str = words!("history", "exit");
pub(super) const SUMMARY: &str = words!("summary", "exit");
pub(super) const REPORT: &str = words!("report", "exit");
pub(super) const EXPORT: &str = words!("export", "exit");
pub(super) const IMPORT: &str = words!("import", "exit");
pub(super) const NEW: &str = words!("new", "exit");
pub(super) const RUN: &str = words!("run");
/// For the control verbs.
pub(super) const ACT: &str = words!("act", "exit-act");
/// For commands whose answer has the same keys as other changes.
pub(super) const CHANGED: &str = words!("changed", "exit");
pub(super) const REDIRECT: &str = words!("changed", "redirect", "exit-act");
pub(super) const REPAIR: &str = words!("repair", "changed", "exit");
pub(super) const RECOVER: &str = words!("recover", "changed", "exit");
pub(super) const DELETE: &str = words!("delete", "exit");
pub(super) const CHANGES: &str = words!("changes", "exit");
pub(super) const COMMENT: &str = words!("comment", "exit");
pub(super) const SAY: &str = words!("say", "exit");
pub(super) const FINISH: &str = words!("finish");
pub(super) const PR: &str = words!("pr", "exit");
pub(super) const MARK: &str = words!("mark", "exit");
pub(super) const NODE: &str = words!("node");
pub(super) const TEAM: &str = words!("team");
const CHANGE: &str = words!("change");
const CHANGE_ANSWER: &str = words!("changed", "exit-act");

/// The help of `loopdeck change` with every type and field of a change. Built only on request.
pub(super) fn with_fields(change: Command) -> Command {
    let fields = fields::reachable(BINDINGS, "LoopChange");
    change.after_long_help(format!(
        "{CHANGE}{CHANGE_ANSWER}\nEvery field, as TypeScript (a field that may be null may be left out):\n{fields}"
    ))
}

/// The help of the program: clap's own, with the commands in `groups`, each with its title.
pub(super) fn template(program: &Command, groups: &[(&str, Command)]) -> String {
    let width = program.get_subcommands().map(|word| word.get_name().len()).max().unwrap_or(0);
    let lines = |group: &Command| -> String {
        let line = |word: &Command| {
            let about = word.get_about().map(ToString::to_string).unwrap_or_default();
            format!("  {:width$}  {about}\n", word.get_name())
        };
        group.get_subcommands().map(line).collect()
    };
    let groups: Vec<String> =
        groups.iter().map(|(title, group)| format!("{title}:\n{}", lines(group))).collect();
    format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\nArguments:\n{{positionals}}\n\n{}\nOptions:\n{{options}}{{after-help}}",
        groups.join("\n")
    )
}
