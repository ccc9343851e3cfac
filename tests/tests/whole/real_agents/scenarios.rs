//! The scenarios for every agent, each in one function.

use super::*;

/// A tool call and a last word.
pub(super) fn success(agent: RealAgent) {
    let stage = Stage::new(agent, Script::plain());
    let ended = run(&stage, "success", &Launch::FullAccess.argv(agent, &[]), "Say hello.");
    assert_eq!(ended.exit, Some(0), "{ended:#?}");
    assert!(finished_well(agent, &ended), "{ended:#?}");
    assert!(ended.text().contains("loopback tool ran"), "the tool's output is in the stream: {ended:#?}");
    assert!(ended.text().contains("The loopback model is done."), "{ended:#?}");
    assert!(ended.left.is_empty(), "{ended:#?}");
    let keys = stage.server.requests();
    let foreign = keys.iter().flat_map(|request| &request.headers).any(|(name, value)| {
        ["authorization", "x-api-key", "x-goog-api-key"].contains(&name.as_str())
            && value.trim_start_matches("Bearer ") != "any"
    });
    assert!(!foreign, "only the stage's key is ever sent");
}

/// A file is read and changed with the agent's own tools, at the level that has no shell (Codex: in its sandbox).
pub(super) fn edit(agent: RealAgent) {
    let stage = Stage::behind(agent, "", |workspace| {
        let path = workspace.join("note.txt").display().to_string();
        let edit = Step::Edit { path: path.clone(), old: "old words".into(), new: "new words".into() };
        let rule = Rule::when(&["Change the note"]).then(Step::Read { path }).then(edit);
        Script::with(vec![rule.says("The note is changed.")])
    });
    let note = &stage.workspace().join("note.txt");
    std::fs::write(note, "first\nold words\nlast\n").unwrap();
    let ended = run(&stage, "edit", &Launch::EditFiles.argv(agent, &[]), "Change the note.");
    assert_eq!(std::fs::read_to_string(note).unwrap(), "first\nnew words\nlast\n", "{ended:#?}");
    assert!(finished_well(agent, &ended), "{ended:#?}");
}

/// A command at a level without commands: it does not run, and the run continues.
pub(super) fn denied(agent: RealAgent) {
    let name = match agent {
        RealAgent::Claude => "Bash",
        RealAgent::Codex => "exec_command",
        RealAgent::Gemini | RealAgent::Qwen => "run_shell_command",
    };
    let command = "echo no > forbidden.txt";
    let input = match agent {
        RealAgent::Claude => json!({ "command": command, "description": "writes" }),
        RealAgent::Codex => json!({ "cmd": command }),
        _ => json!({ "command": command, "description": "writes", "is_background": false }),
    };
    let script = Script::with(vec![
        Rule::when(&["forbidden"]).then(Step::Raw { name: name.into(), input }).says("I was not allowed to."),
    ]);
    let stage = Stage::new(agent, script);
    let mut argv = Launch::LookOnly.argv(agent, &[]);
    if agent == RealAgent::Claude {
        // The tool is offered but not allowed: a denial, not an unknown tool.
        argv = ["-p", "--output-format", "stream-json", "--verbose", "--tools", "Bash,Read"]
            .into_iter()
            .chain(["--permission-mode", "dontAsk", "--permission-prompts", "none"])
            .map(str::to_owned)
            .collect();
    }
    let ended = run(&stage, "denied", &argv, "Write forbidden.txt with the shell.");
    assert!(!stage.workspace().join("forbidden.txt").exists(), "{ended:#?}");
    assert_eq!(ended.exit, Some(0), "{ended:#?}");
    if agent == RealAgent::Claude {
        let result = &ended.of_type("result")[0];
        assert_eq!(result["permission_denials"][0]["tool_name"], "Bash", "{ended:#?}");
    }
}

/// 401 from the provider.
pub(super) fn unauthorized(agent: RealAgent) {
    let stage = Stage::behind(agent, "/err", |_| Script::plain());
    let ended = run(&stage, "unauthorized", &Launch::FullAccess.argv(agent, &[]), "Say hello.");
    assert!(!finished_well(agent, &ended), "{ended:#?}");
    assert_ne!(ended.exit, Some(0), "{ended:#?}");
    assert!(ended.text().contains("401"), "{ended:#?}");
}

/// 429 from the provider: a limit, or silent retries.
pub(super) fn rate_limited(agent: RealAgent) {
    let stage = Stage::behind(agent, "/r429", |_| Script::plain());
    let argv = Launch::FullAccess.argv(agent, &[]);
    let silent = matches!(agent, RealAgent::Gemini | RealAgent::Qwen);
    if silent {
        let mut running = stage.start(&argv).asked("Say hello.");
        assert!(!running.ends_within(Duration::from_secs(20)), "it retries");
        running.signal_group(Signal::TERM);
        let ended = running.end(Duration::from_secs(10));
        keep(&stage, "rate_limited", &ended);
        assert!(ended.of_type("result").is_empty(), "{ended:#?}");
        return;
    }
    let ended = run(&stage, "rate_limited", &argv, "Say hello.");
    assert!(!finished_well(agent, &ended), "{ended:#?}");
    assert!(ended.text().contains("429"), "{ended:#?}");
}

/// A cap of the tool's own, if it has one.
pub(super) fn budget(agent: RealAgent) {
    let caps: &[(&str, &[&str])] = match agent {
        RealAgent::Claude => {
            &[("budget_money", &["--max-budget-usd", "0.0001"]), ("budget_turns", &["--max-turns", "1"])]
        }
        RealAgent::Qwen => {
            &[("budget_turns", &["--max-session-turns", "1"]), ("budget_tools", &["--max-tool-calls", "0"])]
        }
        RealAgent::Codex | RealAgent::Gemini => panic!("it has no cap"),
    };
    for (name, cap) in caps {
        let stage = Stage::new(agent, Script::plain());
        let ended = run(&stage, name, &Launch::FullAccess.argv(agent, cap), "Say hello.");
        assert_ne!(ended.exit, Some(0), "{name}: {ended:#?}");
        assert!(!finished_well(agent, &ended), "{name}: {ended:#?}");
    }
}

/// SIGINT to the process in the middle of a tool; left-over processes are then killed.
pub(super) fn interrupted(agent: RealAgent) {
    let (stage, mut running) = in_a_tool(agent);
    running.signal(Signal::INT);
    let ended = running.end(Duration::from_secs(15));
    if agent == RealAgent::Claude {
        // Seen once in five runs: exit code 0 without the last event, for an unknown reason.
        let results = ended.of_type("result");
        let name = if results.is_empty() { "interrupted_without_result" } else { "interrupted" };
        keep(&stage, name, &ended);
        assert_eq!(ended.exit, Some(0), "{ended:#?}");
        assert!(ended.text().contains("[Request interrupted by user"), "{ended:#?}");
        assert!(results.iter().all(|result| result["terminal_reason"] == "aborted_tools"), "{ended:#?}");
    } else {
        keep(&stage, "interrupted", &ended);
    }
    assert!(!finished_well(agent, &ended), "{ended:#?}");
}

/// SIGKILL to the group in the middle of a tool: the stream ends without a result.
pub(super) fn killed_in_a_tool(agent: RealAgent) {
    let (stage, mut running) = in_a_tool(agent);
    running.signal_group(Signal::KILL);
    let ended = running.end(PATIENCE);
    keep(&stage, "killed_in_a_tool", &ended);
    assert_eq!(ended.signal, Some(Signal::KILL.as_raw()), "{ended:#?}");
    assert!(!finished_well(agent, &ended), "{ended:#?}");
}

/// The second run resumes the session of the first.
pub(super) fn resumed(agent: RealAgent) {
    let stage = Stage::new(agent, Script::plain());
    let first =
        run(&stage, "resumed_first", &Launch::FullAccess.argv(agent, &[]), "Remember the word zebra.");
    let id = session(agent, &first);
    let asked_before = stage.server.requests().len();
    let argv = Launch::FullAccess.resuming(agent, &id);
    let second = run(&stage, "resumed_second", &argv, "Which word?");
    assert_eq!(second.exit, Some(0), "{second:#?}");
    assert_eq!(session(agent, &second), id, "{second:#?}");
    let later = &stage.server.requests()[asked_before..];
    assert!(later.iter().any(|request| request.body.to_string().contains("zebra")), "the past is sent again");
}

/// SIGTERM to the group in the middle of a tool.
pub(super) fn terminated(agent: RealAgent) {
    let (stage, mut running) = in_a_tool(agent);
    running.signal_group(Signal::TERM);
    let ended = running.end(Duration::from_secs(15));
    keep(&stage, "terminated", &ended);
    assert!(!finished_well(agent, &ended), "{ended:#?}");
}

/// Every action of a whole loop, each in its own process, with Loopdeck's first lines as prompts.
pub(super) fn whole_loop(agent: RealAgent) {
    let stage = Stage::behind(agent, "", tiny_project::script);
    tiny_project::lay_out(&stage.workspace());
    let mut failing = vec![tests_that_fail(&stage)];
    let prompts = ["INIT", "DEVELOP task-001", "DEVELOP task-002", "DEVELOP task-003", "DEBUG"];
    for (number, words) in prompts.iter().enumerate() {
        let (action, task) = words.split_once(' ').unwrap_or((words, "none"));
        let prompt = format!("You do one action of a loop: {action}.\n\n## What to do now\nTask {task}:\n");
        let argv = Launch::FullAccess.argv(agent, &[]);
        let ended = run(&stage, &format!("loop_{number}_{}", action.to_lowercase()), &argv, &prompt);
        assert!(finished_well(agent, &ended), "{words}: {ended:#?}");
        let answer = if action == "INIT" { "task-003" } else { task.trim_start_matches("none") };
        assert!(
            ended.stdout.join("").contains("```json") && ended.stdout.join("").contains(answer),
            "{ended:#?}"
        );
        failing.push(tests_that_fail(&stage));
    }
    assert_eq!(failing, [2, 2, 1, 1, 1, 0]);
}

/// The last word by a schema, if the tool has a flag for one.
pub(super) fn structured(agent: RealAgent) {
    let answer = "Done.\n```json\n{\"status\":\"success\"}\n```";
    let stage = Stage::new(agent, Script::with(vec![Rule::when(&["by the schema"]).says(answer)]));
    let schema = json!({
        "type": "object", "properties": { "status": { "type": "string" } }, "required": ["status"],
        "additionalProperties": false,
    });
    let file = stage.folder().join("schema.json").display().to_string();
    std::fs::write(&file, schema.to_string()).unwrap();
    let argv = match agent {
        RealAgent::Claude => Launch::FullAccess.argv(agent, &["--json-schema", &schema.to_string()]),
        RealAgent::Codex => Launch::FullAccess.argv(agent, &["--output-schema", &file]),
        RealAgent::Gemini | RealAgent::Qwen => panic!("it has no flag for a schema"),
    };
    let ended = run(&stage, "structured", &argv, "Answer by the schema.");
    assert!(finished_well(agent, &ended), "{ended:#?}");
    if agent == RealAgent::Claude {
        assert_eq!(ended.of_type("result")[0]["structured_output"]["status"], "success", "{ended:#?}");
    } else {
        let said = &ended.of_type("item.completed").pop().unwrap()["item"];
        assert_eq!(said["text"], "{\"status\":\"success\"}", "{ended:#?}");
    }
}

/// A flag that it does not have.
pub(super) fn unknown_flag(agent: RealAgent) {
    let stage = Stage::new(agent, Script::plain());
    let argv = Launch::FullAccess.argv(agent, &["--no-such-flag-here"]);
    let ended = run(&stage, "unknown_flag", &argv, "Say hello.");
    assert_ne!(ended.exit, Some(0), "{ended:#?}");
    assert!(ended.text().to_lowercase().contains("such-flag-here"), "{ended:#?}");
}

/// A session that it does not know.
pub(super) fn bad_session(agent: RealAgent) {
    let stage = Stage::new(agent, Script::plain());
    let argv = Launch::FullAccess.resuming(agent, "0e5f6a10-0000-4000-8000-0123456789ab");
    let ended = run(&stage, "bad_session", &argv, "Say hello.");
    assert_ne!(ended.exit, Some(0), "{ended:#?}");
    assert!(!finished_well(agent, &ended), "{ended:#?}");
}
