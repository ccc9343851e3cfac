//! A step in the format of the offered tool: each command line names its tools differently.

use super::conversation::Asked;
use super::reply::Call;
use super::script::Step;
use serde_json::{Value, json};

/// The call for `step`; `None` when no tool for it is offered.
pub(super) fn call(step: &Step, asked: &Asked) -> Option<Call> {
    let shell = |command: &str| shell(command, asked);
    match step {
        // A request without any tool is a side question of the agent's own, and expects text.
        Step::Raw { .. } if asked.tools.is_empty() => None,
        Step::Raw { name, input } => Some(Call { name: name.clone(), input: input.clone() }),
        Step::Shell(command) => shell(command),
        Step::Write { path, text } => {
            let input = json!({ "file_path": path, "content": text });
            first(asked, &["Write", "write_file"], input)
                .or_else(|| shell(&format!("cat > '{path}' <<'LOOPDECK_END'\n{text}\nLOOPDECK_END")))
        }
        Step::Edit { path, old, new } => {
            edit(path, old, new, asked).or_else(|| shell(&patch(path, old, new)))
        }
        Step::Read { path } => first(asked, &["Read", "read_file"], json!({ "file_path": path }))
            .or_else(|| shell(&format!("cat '{path}'"))),
    }
}

fn shell(command: &str, asked: &Asked) -> Option<Call> {
    let plain = json!({ "command": command, "description": "a scripted command" });
    first(asked, &["Bash", "shell_command"], plain)
        .or_else(|| first(asked, &["exec_command"], json!({ "cmd": command })))
        .or_else(|| {
            // Qwen Code refuses the call without the last field.
            let input =
                json!({ "command": command, "description": "a scripted command", "is_background": false });
            first(asked, &["run_shell_command"], input)
        })
}

fn edit(path: &str, old: &str, new: &str, asked: &Asked) -> Option<Call> {
    let input = json!({ "file_path": path, "old_string": old, "new_string": new });
    let mut call = first(asked, &["Edit", "edit", "replace"], input)?;
    if call.name == "replace" {
        call.input["instruction"] = "a scripted edit".into(); // Gemini CLI requires a reason
    }
    Some(call)
}

/// The edit as Codex makes it: its shell knows `apply_patch`.
fn patch(path: &str, old: &str, new: &str) -> String {
    let lines =
        |sign: char, text: &str| text.lines().map(|line| format!("{sign}{line}\n")).collect::<String>();
    let (old, new) = (lines('-', old), lines('+', new));
    format!("apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: {path}\n@@\n{old}{new}*** End Patch\nEOF")
}

fn first(asked: &Asked, names: &[&str], input: Value) -> Option<Call> {
    let name = names.iter().find(|name| asked.offers(name))?;
    Some(Call { name: (*name).to_owned(), input })
}
