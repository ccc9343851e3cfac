//! A conversation that goes on: the adapters' own command lines, decoders and verdicts, without a loop. The drivers begin a
//! conversation with each action, because what matters stands in the files.

use super::*;
use loopdeck_core::agent::Stream;
use loopdeck_core::agent::decode::Decoder;
use loopdeck_core::agent::facts::Facts;
use loopdeck_core::agent::launch::{Launch, Session, Stdin, command_line};
use loopdeck_core::agent::outcome::{ExitHow, Outcome, judge};
use loopdeck_core::agent::usage::share;
use std::time::Duration;

const NEW: &str = "6f1c2d3e-4a5b-4c6d-8e7f-901234567890";

/// What came of one run.
fn run(stage: &Stage, session: Session, prompt: &str) -> Facts {
    let id = AgentId::parse(stage.agent.name()).unwrap();
    let folder = stage.workspace().display().to_string();
    let auth = ["--auth-type".to_owned(), "openai".to_owned()];
    let launch = Launch {
        level: Level::FullAccess,
        session,
        as_root: true,
        extra_args: auth.into_iter().filter(|_| stage.agent == RealAgent::Qwen).collect(),
        ..Launch::new(id, prompt, &folder)
    };
    let line = command_line(&launch, &[]).unwrap();
    assert_eq!(line.stdin, Stdin::Text(prompt.to_owned()));
    let ended = stage.start(&line.args).asked(prompt).end(Duration::from_secs(90));
    let mut decoder = Decoder::new(line.output);
    ended.stdout.iter().for_each(|text| drop(decoder.push(Stream::Stdout, text.as_bytes())));
    ended.stderr.iter().for_each(|text| drop(decoder.push(Stream::Stderr, text.as_bytes())));
    let facts = decoder.facts().clone();
    let verdict = judge(line.output, &facts, ExitHow::Code(ended.exit.unwrap()), None);
    assert_eq!(verdict.outcome, Outcome::Ok, "{verdict:#?}\n{ended:#?}");
    assert!(ended.left.is_empty(), "{ended:#?}");
    facts
}

/// The second run goes on with the first: the model sees both, the id stays, each run has its own share of the use.
pub(super) fn one_conversation(scene: Scene<'_>) {
    let stage = Stage::new(scene.agent, Script::plain());
    let first = run(&stage, Session::New(NEW.to_owned()), "Remember the word zebra.");
    let id = first.session.clone().unwrap();
    assert_eq!(id == NEW, scene.agent != RealAgent::Codex, "Codex chooses itself: {id}");
    let before = stage.server.requests().len();
    let second = run(&stage, Session::Resume(id.clone()), "Which word?");
    assert_eq!(second.session, Some(id));
    let heard = stage.server.requests().split_off(before).into_iter().filter_map(|request| request.asked);
    let remembers = |turn: &Turn| matches!(turn, Turn::User(text) if text.contains("zebra"));
    assert!(heard.into_iter().any(|asked| asked.turns.iter().any(remembers)));
    let kind = table::agent(&AgentId::parse(scene.agent.name()).unwrap()).unwrap().output;
    let one = share(kind, first.usage.unwrap(), None);
    let two = share(kind, second.usage.unwrap(), Some(one.baseline));
    assert_eq!((one.run.input, one.run.output), (two.run.input, two.run.output));
}
