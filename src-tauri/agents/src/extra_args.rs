//! Arguments that a person adds. They may not override what Loopdeck promises about a run: its level, its
//! folder, its conversation, its output. No prompt may hide among them either.

use super::launch::{LaunchProblem, LaunchProblemCode};
use super::table::Agent;
use loopdeck_text::json_span::tree::Node;

/// What is wrong with `args` for `agent`; the values are the refused arguments.
#[must_use]
pub fn problems(agent: &Agent, args: &[String]) -> Vec<LaunchProblem> {
    let mut problems = Vec::new();
    let mut refuse = |code, value: &str| problems.push(LaunchProblem::new(code, value));
    // A value belongs to the flag before it. Two in a row, or one at the start, would be a prompt or a
    // command.
    let mut flag: Option<&str> = None;
    for arg in args {
        if let Some(name) = flag_name(arg) {
            match is_bundle(arg) {
                true => refuse(LaunchProblemCode::BundledFlags, arg),
                false if is_reserved(agent, name) => refuse(LaunchProblemCode::ReservedFlag, name),
                false => {}
            }
            if let Some((_, value)) = arg.split_once('=')
                && overrides(agent, name, value)
            {
                refuse(LaunchProblemCode::ReservedFlag, arg);
            }
            flag = (!arg.contains('=')).then_some(name);
        } else {
            match flag.take() {
                None => refuse(LaunchProblemCode::PositionalArgument, arg),
                Some(name) if overrides(agent, name, arg) => {
                    refuse(LaunchProblemCode::ReservedFlag, &format!("{name} {arg}"));
                }
                Some(_) => {}
            }
        }
    }
    problems
}

/// The name of a flag without its value; none for values, `-` and `--`.
fn flag_name(arg: &str) -> Option<&str> {
    let name = arg.split('=').next().unwrap_or(arg);
    let letters = name.trim_start_matches('-');
    // `-1` is a number.
    let flag = name.starts_with('-') && letters.starts_with(|first: char| first.is_ascii_alphabetic());
    flag.then_some(name)
}

/// `-sVALUE` or `-ab`: the meaning depends on the agent, so nothing can be guaranteed.
fn is_bundle(arg: &str) -> bool {
    !arg.starts_with("--") && arg.chars().count() > 2
}

fn is_reserved(agent: &Agent, name: &str) -> bool {
    agent.reserved.iter().any(|reserved| same_flag(reserved, name))
}

/// Some agents accept `--approvalMode` for `--approval-mode`, and all accept `--no-verbose` for the opposite.
fn same_flag(reserved: &str, name: &str) -> bool {
    if !reserved.starts_with("--") {
        return reserved == name;
    }
    let plain = |name: &str| name.replace(['-', '_'], "").to_ascii_lowercase();
    let (reserved, name) = (plain(reserved), plain(name.split('.').next().unwrap_or(name)));
    name == reserved || name.strip_prefix("no").is_some_and(|name| name == reserved)
}

/// Whether a value sets what a reserved flag would: configuration keys of Codex, permissions in settings of Claude.
fn overrides(agent: &Agent, name: &str, value: &str) -> bool {
    match name {
        "-c" | "--config" if !agent.reserved_keys.is_empty() => {
            let key = value.trim_start().trim_start_matches(['"', '\'']);
            agent.reserved_keys.iter().any(|reserved| key.starts_with(reserved))
                // A profile or a table of settings may contain any of them.
                || key.starts_with("profile")
        }
        "--settings" => {
            let node = Node::parse(value.as_bytes());
            let keys = ["permissions", "permissionMode", "sandbox", "env"];
            node.is_ok_and(|node| keys.into_iter().any(|key| node.find(key).is_some()))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AgentId, table};
    use super::*;

    fn refused(agent: &AgentId, args: &[&str]) -> Vec<(LaunchProblemCode, String)> {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let problems = problems(table::agent(agent).expect("built in"), &args);
        problems.into_iter().map(|problem| (problem.code, problem.value.unwrap_or_default())).collect()
    }

    #[test]
    fn flags_that_would_take_back_a_promise_are_refused_by_name() {
        use LaunchProblemCode::ReservedFlag;
        let cases: [(AgentId, &[&str], &str); 14] = [
            (AgentId::Claude, &["--permission-mode", "bypassPermissions"], "--permission-mode"),
            (AgentId::Claude, &["--dangerously-skip-permissions"], "--dangerously-skip-permissions"),
            (AgentId::Claude, &["--output-format=text"], "--output-format"),
            (AgentId::Claude, &["--allowed-tools", "Bash"], "--allowed-tools"),
            (AgentId::Claude, &["-c"], "-c"),
            (AgentId::Claude, &["--no-session-persistence"], "--no-session-persistence"),
            (AgentId::Claude, &["--settings", r#"{"permissions":{}}"#], r#"--settings {"permissions":{}}"#),
            (AgentId::Codex, &["--sandbox=danger-full-access"], "--sandbox"),
            (AgentId::Codex, &["--full-auto"], "--full-auto"),
            (
                AgentId::Codex,
                &["-c", "sandbox_mode=danger-full-access"],
                "-c sandbox_mode=danger-full-access",
            ),
            (AgentId::Codex, &["--config=approval_policy=never"], "--config=approval_policy=never"),
            (AgentId::Gemini, &["--approvalMode", "yolo"], "--approvalMode"),
            (AgentId::Gemini, &["-y"], "-y"),
            (AgentId::Qwen, &["--no-chat-recording"], "--no-chat-recording"),
        ];
        for (agent, args, name) in cases {
            assert_eq!(refused(&agent, args), [(ReservedFlag, name.to_owned())], "{args:?}");
        }
    }

    #[test]
    fn no_prompt_and_no_command_hides_among_them() {
        use LaunchProblemCode::{BundledFlags, PositionalArgument};
        let one = |code, value: &str| [(code, value.to_owned())];
        assert_eq!(refused(&AgentId::Claude, &["do it"]), one(PositionalArgument, "do it"));
        assert_eq!(refused(&AgentId::Codex, &["-p", "mine", "resume"]), one(PositionalArgument, "resume"));
        assert_eq!(refused(&AgentId::Codex, &["-"]), one(PositionalArgument, "-"));
        assert_eq!(refused(&AgentId::Claude, &["--", "x"]).len(), 2);
        assert_eq!(
            refused(&AgentId::Codex, &["-sdanger-full-access"]),
            one(BundledFlags, "-sdanger-full-access")
        );
    }

    #[test]
    fn everything_else_is_the_persons_affair() {
        let claude = ["--plugin-dir", "/p", "--settings", r#"{"disableAllHooks": true}"#, "--agent", "x"];
        assert_eq!(refused(&AgentId::Claude, &claude), []);
        let codex = ["-p", "mine", "-c", "tools.web_search=true", "--search-depth=-1"];
        assert_eq!(refused(&AgentId::Codex, &codex), []);
        assert_eq!(refused(&AgentId::Qwen, &["--auth-type", "openai", "--max-wall-time", "30m"]), []);
    }
}
