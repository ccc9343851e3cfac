//! Custom agents.

use loopdeck_agents::custom::{CustomAgent, CustomProblemCode as Code, PromptBy};
use loopdeck_agents::launch::{Launch, LaunchProblemCode, Session, Stdin, command_line};
use loopdeck_agents::table::LaunchNote;
use loopdeck_agents::{AgentId, Level, OutputKind};

const ID: &str = "6f1c2d3e-4a5b-4c6d-8e7f-901234567890";

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

fn agent() -> CustomAgent {
    CustomAgent {
        id: "mine".to_owned(),
        name: "Mine".to_owned(),
        program: "mine-cli".to_owned(),
        args: texts(&["run", "--model", "{model}", "--dir", "{dir}", "{\"a\": 1}"]),
        prompt: PromptBy::Stdin,
        output: OutputKind::CodexJsonl,
        look_only: Some(texts(&["--read-only"])),
        edit_files: None,
        full_access: Some(Vec::new()),
        resume: Some(texts(&["--resume", "{session}"])),
        version_args: texts(&["--version"]),
        env: [("MINE_HOME".to_owned(), "/x y".to_owned())].into(),
    }
}

fn launch() -> Launch {
    Launch {
        model: Some("m 1".replace(' ', "-")),
        ..Launch::new(AgentId::Custom { id: "mine".to_owned() }, "Do it", "/work/my shop")
    }
}

fn codes(agent: &CustomAgent) -> Vec<(String, Code)> {
    agent.problems().into_iter().map(|problem| (problem.field, problem.code)).collect()
}

fn refused(launch: &Launch, agent: CustomAgent) -> Vec<LaunchProblemCode> {
    command_line(launch, &[agent]).unwrap_err().into_iter().map(|problem| problem.code).collect()
}

#[test]
fn a_placeholder_becomes_one_argument() {
    assert_eq!(codes(&agent()), []);
    let line = command_line(&launch(), &[agent()]).unwrap();
    assert_eq!(line.program, "mine-cli");
    let expected = ["run", "--model", "m-1", "--dir", "/work/my shop", "{\"a\": 1}", "--read-only"];
    assert_eq!(line.args, expected);
    assert_eq!((line.stdin, line.output), (Stdin::Text("Do it".to_owned()), OutputKind::CodexJsonl));
    assert_eq!(line.env_add, [("MINE_HOME".to_owned(), "/x y".to_owned())]);
    assert!(line.env_remove.contains(&"CLAUDECODE".to_owned()));
    assert!(line.notes.contains(&LaunchNote::InheritsConfig));
    let resumed = Launch { session: Session::Resume(ID.to_owned()), ..launch() };
    assert!(command_line(&resumed, &[agent()]).unwrap().args.ends_with(&texts(&["--resume", ID])));
}

#[test]
fn a_level_that_is_missing_is_not_defined() {
    let edits = Launch { level: Level::EditFiles, ..launch() };
    assert_eq!(refused(&edits, agent()), [LaunchProblemCode::LevelNotDefined]);
    let full = Launch { level: Level::FullAccess, ..launch() };
    assert!(command_line(&full, &[agent()]).unwrap().notes.contains(&LaunchNote::NotConfined));
}

#[test]
fn a_run_without_a_value_for_a_placeholder_does_not_start() {
    let no_model = Launch { model: None, ..launch() };
    assert_eq!(refused(&no_model, agent()), [LaunchProblemCode::EmptyPlaceholder]);
    let latest = Launch { session: Session::Resume("latest".to_owned()), ..launch() };
    assert_eq!(refused(&latest, agent()), [LaunchProblemCode::BadSession]);
    let resume = Launch { session: Session::Resume(ID.to_owned()), ..launch() };
    assert_eq!(refused(&resume, CustomAgent { resume: None, ..agent() }), [LaunchProblemCode::CannotResume]);
    assert_eq!(refused(&Launch { ask: true, ..launch() }, agent()), [LaunchProblemCode::CannotAsk]);
}

#[test]
fn a_prompt_in_a_file_is_named_and_not_on_standard_input() {
    let by_file =
        CustomAgent { prompt: PromptBy::File, args: texts(&["--file", "{prompt_file}"]), ..agent() };
    assert_eq!(codes(&by_file), []);
    assert_eq!(refused(&launch(), by_file.clone()), [LaunchProblemCode::EmptyPlaceholder]);
    let written = Launch { prompt_file: Some("/data/runs/1/prompt.md".to_owned()), ..launch() };
    let line = command_line(&written, &[by_file]).unwrap();
    assert_eq!(line.args, ["--file", "/data/runs/1/prompt.md", "--read-only"]);
    assert_eq!(line.stdin, Stdin::Null);
}

#[test]
fn every_mistake_of_a_record_has_its_field_and_code() {
    let with = |change: fn(&mut CustomAgent)| {
        let mut agent = agent();
        change(&mut agent);
        codes(&agent)
    };
    let one = |field: &str, code| vec![(field.to_owned(), code)];
    assert_eq!(with(|a| a.id = "claude".to_owned()), one("id", Code::BadId));
    assert_eq!(with(|a| a.id = "../x".to_owned()), one("id", Code::BadId));
    assert_eq!(with(|a| a.name = " ".to_owned()), one("name", Code::Empty));
    assert_eq!(with(|a| a.name = "n".repeat(81)), one("name", Code::TooLong));
    assert_eq!(with(|a| a.program = String::new()), one("program", Code::Empty));
    assert_eq!(with(|a| a.program = "./mine".to_owned()), one("program", Code::RelativeProgram));
    assert_eq!(with(|a| a.program = "~/mine".to_owned()), one("program", Code::RelativeProgram));
    assert_eq!(with(|a| a.program = r"C:\mine.exe".to_owned()), []);
    assert_eq!(with(|a| a.program = "/opt/mine".to_owned()), []);
    assert_eq!(with(|a| a.args.push("{modle}".to_owned())), one("args[6]", Code::UnknownPlaceholder));
    assert_eq!(with(|a| a.args.push("--m={model}".to_owned())), one("args[6]", Code::PartialPlaceholder));
    assert_eq!(with(|a| a.args.push("a\0".to_owned())), one("args[6]", Code::BadCharacter));
    assert_eq!(
        with(|a| a.resume = Some(vec!["--continue".to_owned()])),
        one("resume", Code::ResumeWithoutSession)
    );
    assert_eq!(with(|a| a.prompt = PromptBy::File), one("args", Code::PromptFileUnused));
    assert_eq!(with(|a| a.args.push("{prompt_file}".to_owned())), one("prompt", Code::PromptFileMissing));
    assert_eq!(
        with(|a| drop(a.env.insert("LOOPDECK_RUN_ID".to_owned(), String::new()))),
        one("env", Code::BadEnvName)
    );
    assert_eq!(with(|a| drop(a.env.insert("A=B".to_owned(), String::new()))), one("env", Code::BadEnvName));
    let none = |a: &mut CustomAgent| (a.look_only, a.full_access) = (None, None);
    assert_eq!(with(none), one("look_only", Code::NoLevel));
}

#[test]
fn a_record_is_stored_in_plain_words() {
    let json = serde_json::to_value(agent()).unwrap();
    assert_eq!(json["output"], "codex-jsonl");
    assert_eq!(json["prompt"], "stdin");
    assert_eq!(serde_json::from_value::<CustomAgent>(json).unwrap(), agent());
    let least = r#"{"id":"a","name":"A","program":"a","output":"text"}"#;
    let least: CustomAgent = serde_json::from_str(least).unwrap();
    assert_eq!(codes(&least), [("look_only".to_owned(), Code::NoLevel)]);
}
