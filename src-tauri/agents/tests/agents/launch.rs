//! Command lines, argument by argument.

use loopdeck_agents::launch::{
    CommandLine, Launch, LaunchProblemCode as Code, Session, Shell, Stdin, command_line, levels,
};
use loopdeck_agents::table::LaunchNote as Note;
use loopdeck_agents::table::{self, ENV_REMOVED};
use loopdeck_agents::{AgentId, Level, OutputKind};

const ID: &str = "6f1c2d3e-4a5b-4c6d-8e7f-901234567890";
const PROMPT: &str = "/ccw-loop --loop-id loop-v2-1 --auto\n\"quoted\" 日本";

fn launch(agent: AgentId) -> Launch {
    Launch { session: Session::New(ID.to_owned()), ..Launch::new(agent, PROMPT, "/code/shop") }
}

fn line(launch: &Launch) -> CommandLine {
    command_line(launch, &[]).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn args(launch: &Launch) -> String {
    line(launch).args.join(" ")
}

fn problems(launch: &Launch) -> Vec<Code> {
    command_line(launch, &[]).unwrap_err().into_iter().map(|problem| problem.code).collect()
}

#[test]
fn every_agent_at_every_level() {
    let cases = [
        (
            AgentId::Claude,
            "-p --output-format stream-json --verbose",
            [
                "--tools Read,Glob,Grep --permission-mode dontAsk --permission-prompts none",
                "--tools Read,Glob,Grep,Edit,Write,NotebookEdit --permission-mode acceptEdits --permission-prompts none",
                "--permission-mode bypassPermissions",
            ],
            "--session-id 6f1c2d3e-4a5b-4c6d-8e7f-901234567890",
        ),
        (
            AgentId::Codex,
            "exec --json --skip-git-repo-check",
            [
                "-s read-only -C /code/shop",
                "-s workspace-write -C /code/shop",
                "-s danger-full-access -C /code/shop",
            ],
            "-",
        ),
        (
            AgentId::Gemini,
            "-o stream-json --skip-trust",
            ["--approval-mode plan", "--approval-mode auto_edit", "--approval-mode yolo"],
            "--session-id 6f1c2d3e-4a5b-4c6d-8e7f-901234567890",
        ),
        (
            AgentId::Qwen,
            "-o stream-json",
            ["--approval-mode plan", "--approval-mode auto-edit", "--approval-mode yolo"],
            "--session-id 6f1c2d3e-4a5b-4c6d-8e7f-901234567890",
        ),
    ];
    for (agent, base, levels, tail) in cases {
        for (level, expected) in Level::ALL.into_iter().zip(levels) {
            let launch = Launch { level, ..launch(agent.clone()) };
            assert_eq!(args(&launch), format!("{base} {expected} {tail}"));
        }
    }
}

#[test]
fn the_prompt_is_never_an_argument() {
    for agent in AgentId::BUILT_IN {
        for ask in [false, true] {
            let launch = Launch { ask, ..launch(agent.clone()) };
            let Ok(line) = command_line(&launch, &[]) else {
                assert!(ask && agent != AgentId::Claude);
                continue;
            };
            assert!(line.args.iter().all(|arg| !arg.contains("ccw-loop")), "{:?}", line.args);
            match line.stdin {
                Stdin::Text(text) => assert_eq!(text, PROMPT),
                Stdin::Stream(first) => {
                    let value: serde_json::Value = serde_json::from_str(&first).unwrap();
                    assert_eq!(value["message"]["content"][0]["text"], PROMPT);
                }
                Stdin::Null => panic!("no prompt"),
            }
        }
    }
}

#[test]
fn codex_resumes_with_everything_before_the_word() {
    let launch = Launch {
        session: Session::Resume(ID.to_owned()),
        model: Some("gpt-6-codex".to_owned()),
        extra_folders: vec!["/code/lib".to_owned()],
        extra_args: vec!["-p".to_owned(), "mine".to_owned()],
        answer_schema: Some("{}".to_owned()),
        schema_file: Some("/data/runs/1/schema.json".to_owned()),
        clean: true,
        ..launch(AgentId::Codex)
    };
    assert_eq!(
        args(&launch),
        format!(
            "exec --json --skip-git-repo-check -s read-only -C /code/shop --add-dir /code/lib -m gpt-6-codex \
             --output-schema /data/runs/1/schema.json --ignore-user-config -p mine resume {ID} -"
        )
    );
}

#[test]
fn the_others_resume_by_their_flag() {
    for agent in [AgentId::Claude, AgentId::Gemini, AgentId::Qwen] {
        let launch = Launch { session: Session::Resume(ID.to_owned()), ..launch(agent) };
        assert!(args(&launch).ends_with(&format!("--resume {ID}")), "{}", args(&launch));
        assert!(!args(&launch).contains("--session-id"));
    }
}

#[test]
fn nothing_but_an_id_resumes() {
    for agent in AgentId::BUILT_IN {
        for id in [
            "latest",
            "1",
            "",
            "--last",
            "6f1c2d3e-4a5b-4c6d-8e7f-90123456789",
            "6f1c2d3e44a5b44c6d48e7f4901234567890",
        ] {
            for session in [Session::Resume(id.to_owned()), Session::New(id.to_owned())] {
                assert_eq!(
                    problems(&Launch { session, ..launch(agent.clone()) }),
                    [Code::BadSession],
                    "{id}"
                );
            }
        }
    }
}

#[test]
fn a_conversation_that_is_not_stored() {
    let unstored = |agent| line(&Launch { session: Session::None, ..launch(agent) });
    assert!(unstored(AgentId::Claude).args.ends_with(&["--no-session-persistence".to_owned()]));
    assert!(unstored(AgentId::Codex).args.ends_with(&["--ephemeral".to_owned(), "-".to_owned()]));
    assert!(unstored(AgentId::Qwen).args.ends_with(&["--chat-recording".to_owned(), "false".to_owned()]));
    assert!(unstored(AgentId::Gemini).notes.contains(&Note::SessionStored));
    assert!(line(&launch(AgentId::Codex)).notes.contains(&Note::SessionByAgent));
}

#[test]
fn claude_as_root_gets_a_list_of_tools_instead_of_bypass() {
    let root = Launch { level: Level::FullAccess, as_root: true, ..launch(AgentId::Claude) };
    let made = line(&root);
    let joined = made.args.join(" ");
    assert!(!joined.contains("bypassPermissions"), "{joined}");
    let at = made.args.iter().position(|arg| arg == "--allowedTools").unwrap();
    assert!(made.args[at + 1].starts_with("Bash Edit Write "), "one argument");
    assert!(joined.contains("--permission-mode dontAsk --permission-prompts none"));
    assert!(made.notes.contains(&Note::RootToolList));
    let looking = Launch { as_root: true, ..launch(AgentId::Claude) };
    assert_eq!(args(&looking), args(&launch(AgentId::Claude)), "the other levels are the same");
    let codex = Launch { level: Level::FullAccess, as_root: true, ..launch(AgentId::Codex) };
    assert!(args(&codex).contains("-s danger-full-access"));
}

#[test]
fn asking_is_a_channel_of_claude_and_never_mixed_with_not_asking() {
    for level in Level::ALL {
        let asking = Launch { ask: true, level, ..launch(AgentId::Claude) };
        let made = line(&asking);
        let joined = made.args.join(" ");
        assert!(joined.contains("--input-format stream-json --permission-prompt-tool stdio"), "{joined}");
        for unattended in
            ["--permission-prompts", "dontAsk", "acceptEdits", "bypassPermissions", "--allowedTools"]
        {
            assert!(!joined.contains(unattended), "{joined}");
        }
        assert!(matches!(made.stdin, Stdin::Stream(_)));
        assert!(made.notes.contains(&Note::AsksFirst));
    }
    for agent in [AgentId::Codex, AgentId::Gemini, AgentId::Qwen] {
        assert_eq!(problems(&Launch { ask: true, ..launch(agent) }), [Code::CannotAsk]);
    }
    assert!(!args(&launch(AgentId::Claude)).contains("stdio"));
}

#[test]
fn limits_go_to_the_agent_or_are_said_to_stay_here() {
    let limited = |agent| line(&Launch { max_turns: Some(5), budget_usd: Some(0.000_25), ..launch(agent) });
    assert!(limited(AgentId::Claude).args.join(" ").contains("--max-turns 5 --max-budget-usd 0.00025"));
    let qwen = limited(AgentId::Qwen);
    assert!(qwen.args.join(" ").contains("--max-session-turns 5"));
    assert!(qwen.notes.contains(&Note::MoneyByApp) && !qwen.notes.contains(&Note::TurnsByApp));
    for agent in [AgentId::Codex, AgentId::Gemini] {
        let notes = limited(agent).notes;
        assert!(notes.contains(&Note::TurnsByApp) && notes.contains(&Note::MoneyByApp));
    }
}

#[test]
fn hooks_are_switched_off_where_an_agent_has_such() {
    let off = r#"--settings {"disableAllHooks":true}"#;
    for level in Level::ALL {
        let without = Launch { without_hooks: true, level, ..launch(AgentId::Claude) };
        assert!(args(&without).contains(off), "{level:?}");
        // A clean run has none in the first place.
        assert!(!args(&Launch { clean: true, ..without }).contains("disableAllHooks"));
        assert!(!args(&Launch { level, ..launch(AgentId::Claude) }).contains("disableAllHooks"));
    }
    for agent in [AgentId::Codex, AgentId::Gemini, AgentId::Qwen] {
        assert!(!args(&Launch { without_hooks: true, ..launch(agent) }).contains("disableAllHooks"));
    }
}

#[test]
fn the_shape_of_the_answer() {
    let schema = r#"{"type":"object"}"#;
    let shaped = |agent| Launch { answer_schema: Some(schema.to_owned()), ..launch(agent) };
    let claude = line(&shaped(AgentId::Claude)).args;
    let at = claude.iter().position(|arg| arg == "--json-schema").unwrap();
    assert_eq!(claude[at + 1], schema);
    assert_eq!(problems(&shaped(AgentId::Codex)), [Code::FileMissing]);
    for agent in [AgentId::Gemini, AgentId::Qwen] {
        assert!(line(&shaped(agent)).notes.contains(&Note::SchemaByPrompt));
    }
    let bad = Launch { answer_schema: Some("[]".to_owned()), ..launch(AgentId::Gemini) };
    assert_eq!(problems(&bad), [Code::BadSchema]);
}

#[test]
fn environment_of_children() {
    let pairs = |launch: &Launch| line(launch).env_add;
    let pair = |name: &str| vec![(name.to_owned(), "1".to_owned())];
    assert_eq!(pairs(&launch(AgentId::Claude)), []);
    assert_eq!(pairs(&launch(AgentId::Gemini)), pair("GEMINI_CLI_NO_RELAUNCH"));
    let yolo = Launch { level: Level::FullAccess, ..launch(AgentId::Qwen) };
    assert_eq!(pairs(&yolo), pair("QWEN_CODE_SUPPRESS_YOLO_WARNING"));
    assert_eq!(pairs(&launch(AgentId::Qwen)), []);
    assert_eq!(line(&yolo).env_remove, ENV_REMOVED);
}

#[test]
fn clean_runs_and_what_a_person_should_know() {
    let clean = |agent| line(&Launch { clean: true, ..launch(agent) });
    for agent in [AgentId::Claude, AgentId::Qwen] {
        assert!(clean(agent).args.contains(&"--safe-mode".to_owned()));
    }
    assert!(clean(AgentId::Gemini).notes.contains(&Note::CleanNotPossible));
    assert!(line(&launch(AgentId::Claude)).notes.contains(&Note::InheritsConfig));
    let notes = |agent, level| line(&Launch { level, ..launch(agent) }).notes;
    for agent in AgentId::BUILT_IN {
        assert!(notes(agent.clone(), Level::FullAccess).contains(&Note::NotConfined), "{agent}");
    }
    for agent in [AgentId::Claude, AgentId::Gemini, AgentId::Qwen] {
        assert!(notes(agent.clone(), Level::EditFiles).contains(&Note::NoCommands), "{agent}");
    }
    assert!(notes(AgentId::Codex, Level::EditFiles).contains(&Note::CommandsConfined));
    assert!(notes(AgentId::Codex, Level::LookOnly).contains(&Note::DenialsNotReported));
}

#[test]
fn a_plain_command_is_one_argument_of_a_shell() {
    let command = "npm test -- --filter \"a b\" && echo ok";
    let plain = |shell| Launch {
        shell,
        shell_command: Some(command.to_owned()),
        prompt: String::new(),
        ..launch(AgentId::Shell)
    };
    let made = line(&plain(Shell::Posix));
    assert_eq!((made.program.as_str(), made.args), ("/bin/sh", vec!["-c".to_owned(), command.to_owned()]));
    assert_eq!((made.stdin, made.output), (Stdin::Null, OutputKind::Text));
    assert_eq!(made.notes, [Note::RunsAsYou]);
    assert_eq!(line(&plain(Shell::Cmd)).args[..3], ["/d", "/s", "/c"]);
    assert_eq!(line(&plain(Shell::PowerShell)).args[..3], ["-NoProfile", "-NonInteractive", "-Command"]);
    let nothing = Launch { shell_command: Some(" ".to_owned()), ..plain(Shell::Posix) };
    assert_eq!(problems(&nothing), [Code::NoCommand]);
}

#[test]
fn what_is_wrong_is_said_by_code_and_all_at_once() {
    let one = |change: fn(&mut Launch)| {
        let mut launch = launch(AgentId::Claude);
        change(&mut launch);
        problems(&launch)
    };
    assert_eq!(one(|l| l.model = Some("--help".to_owned())), [Code::BadModel]);
    assert_eq!(one(|l| l.model = Some("a b".to_owned())), [Code::BadModel]);
    assert_eq!(one(|l| l.folder = "shop".to_owned()), [Code::BadFolder]);
    assert_eq!(one(|l| l.extra_folders = vec!["--x".to_owned()]), [Code::BadFolder]);
    assert_eq!(one(|l| l.prompt = " \n".to_owned()), [Code::NoPrompt]);
    assert_eq!(one(|l| l.max_turns = Some(0)), [Code::BadLimit]);
    assert_eq!(one(|l| l.budget_usd = Some(f64::NAN)), [Code::BadLimit]);
    assert_eq!(one(|l| l.extra_args = vec!["--yes\0".to_owned()]), [Code::BadCharacter]);
    assert_eq!(one(|l| l.extra_args = vec!["--resume=x".to_owned()]), [Code::ReservedFlag]);
    let both = one(|l| {
        l.folder = String::new();
        l.extra_args = vec!["--model".to_owned(), "x".to_owned(), "--continue".to_owned()];
    });
    assert_eq!(both, [Code::BadFolder, Code::ReservedFlag, Code::ReservedFlag]);
    let windows = Launch { folder: r"C:\work\shop".to_owned(), ..launch(AgentId::Claude) };
    assert_eq!(line(&windows).program, "claude");
    let found = Launch { program: Some("/opt/claude".to_owned()), ..launch(AgentId::Claude) };
    assert_eq!(line(&found).program, "/opt/claude");
    let nobody = Launch { agent: AgentId::Custom { id: "x".to_owned() }, ..launch(AgentId::Claude) };
    assert_eq!(problems(&nobody), [Code::UnknownAgent]);
}

#[test]
fn everything_that_a_run_sets_is_reserved() {
    for id in AgentId::BUILT_IN {
        let agent = table::agent(&id).unwrap();
        let full = Launch {
            model: Some("m".to_owned()),
            extra_folders: vec!["/x".to_owned()],
            max_turns: Some(1),
            budget_usd: Some(1.0),
            answer_schema: Some("{}".to_owned()),
            schema_file: Some("/s".to_owned()),
            clean: true,
            ..launch(id.clone())
        };
        let mut launches = vec![full.clone(), Launch { session: Session::None, ..full.clone() }];
        for level in Level::ALL {
            launches.push(Launch { level, as_root: true, ..full.clone() });
        }
        for flag in launches.iter().flat_map(|launch| line(launch).args) {
            if flag.starts_with('-') && flag.len() > 1 {
                let again = Launch { extra_args: vec![flag.clone()], ..launch(id.clone()) };
                assert_eq!(problems(&again), [Code::ReservedFlag], "{} {flag}", agent.name);
            }
        }
    }
}

#[test]
fn levels_are_offered_with_what_to_know() {
    for agent in AgentId::BUILT_IN {
        let offers = levels(&agent, &[]);
        assert_eq!(offers.iter().map(|offer| offer.level).collect::<Vec<_>>(), Level::ALL);
        for offer in offers {
            let made = line(&Launch { level: offer.level, ..launch(agent.clone()) });
            assert!(offer.defined && offer.notes.iter().all(|note| made.notes.contains(note)), "{offer:?}");
        }
    }
    assert_eq!(levels(&AgentId::Shell, &[]), []);
    assert_eq!(levels(&AgentId::Custom { id: "x".to_owned() }, &[]), []);
}
