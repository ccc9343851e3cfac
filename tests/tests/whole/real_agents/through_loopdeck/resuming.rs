//! Resumed conversations: by the adapters' own command lines, decoders and verdicts, and in a loop whose
//! action was interrupted. The drivers start a conversation with each new action, because everything
//! important is in the files.

use super::*;
use loopdeck_agents::Stream;
use loopdeck_agents::decode::Decoder;
use loopdeck_agents::facts::Facts;
use loopdeck_agents::launch::{Launch, Session, Stdin, command_line};
use loopdeck_agents::outcome::{ExitHow, Outcome, judge};
use loopdeck_agents::usage::share;
use loopdeck_runtime::drivers::rows::Resumed;
use std::fs;
use std::time::Duration;

const NEW: &str = "6f1c2d3e-4a5b-4c6d-8e7f-901234567890";

/// The facts of one run.
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

/// The second run resumes the first: the model sees both, the id stays, each run has its own share of the
/// usage.
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

/// The first task, with a command before it that reports its start and takes long the first time.
fn slow_task(workspace: &Path) -> Script {
    let slow = "test -e again || { touch again; echo began > began.txt; sleep 300; }";
    let mut script = tiny_project::script(workspace);
    let first = |rule: &Rule| rule.when.iter().any(|word| word == "Task task-001");
    let rule = script.rules.iter_mut().find(|rule| first(rule)).unwrap();
    rule.steps.insert(0, Step::Shell(slow.into()));
    script
}

/// Tries of the first task, oldest first.
fn tries(played: &Played, name: &str) -> Vec<RunView> {
    played.runs(name).into_iter().filter(|run| run.task.as_deref() == Some("task-001")).collect()
}

fn paused_in_the_task(played: &mut Played) -> String {
    let name = played.start(&played.form(Level::FullAccess));
    played.wait_for_file(&name, "began.txt");
    let key = played.driven.live.key(&name);
    played.driven.live.runtime.pause_now(&key).unwrap();
    played.wait_for_word(&name, StatusWord::Paused);
    played.nothing_is_left(&name);
    let tries = tries(played, &name);
    assert_eq!(tries.len(), 1, "{}", played.told(&name));
    assert_eq!(tries[0].session.as_ref().map(String::len), Some(36), "{}", played.told(&name));
    name
}

/// *Pause now* in the middle of a task, then resume: the same conversation continues, its model sees the
/// earlier messages, and the loop finishes.
pub(super) fn cut_off_and_gone_on(scene: Scene<'_>) {
    let stage = scene.play(slow_task, |played| {
        let name = paused_in_the_task(played);
        played.driven.launch(&name).unwrap();
        played.wait_for_word(&name, StatusWord::Completed);
        let tries = tries(played, &name);
        let told = played.told(&name);
        assert_eq!(tries.len(), 2, "{told}");
        let session = tries[0].session.clone().unwrap();
        assert_eq!(tries[1].resumed, Some(Resumed::GoesOn { session: session.clone() }), "{told}");
        assert_eq!(tries[1].session.as_ref(), Some(&session), "{told}");
        assert_eq!(tries[1].outcome, Some(Outcome::Ok), "{told}");
        let rows = played.rows(&name, &tries[1]);
        assert!(rows.iter().any(|row| row.name == "goes_on" && row.text == session), "{rows:#?}");
        let sessions: Vec<_> =
            of_the_agent(&played.runs(&name)).iter().map(|run| run.session.clone()).collect();
        let again = sessions.iter().filter(|id| id.as_ref() == Some(&session)).count();
        assert_eq!(again, 2, "any other action has its own: {sessions:?}");
        played.nothing_is_left(&name);
    });
    let Some(stage) = stage else { return };
    let asked = stage.server.requests().into_iter().filter_map(|request| request.asked);
    let says = |turn: &Turn, words: &str| matches!(turn, Turn::User(text) if text.contains("DEVELOP") && text.contains(words));
    let both = |turns: &[Turn]| {
        let whole = turns.iter().position(|turn| says(turn, "Never edit the files below .workflow"));
        let short = turns.iter().position(|turn| says(turn, "## Go on where you were"));
        whole.zip(short).is_some_and(|(whole, short)| whole < short)
    };
    assert!(asked.into_iter().any(|asked| both(&asked.turns)), "the model does not hear what was before");
    only_the_stages_key(&stage);
}

/// The agents' stored conversations are gone: each says so, and the action starts over, once.
pub(super) fn a_conversation_that_is_gone(scene: Scene<'_>) {
    scene.play(slow_task, |played| {
        let name = paused_in_the_task(played);
        let session = tries(played, &name)[0].session.clone().unwrap();
        forget(played.driven.live.workspace.parent().unwrap(), &session);
        played.driven.launch(&name).unwrap();
        played.wait_for_word(&name, StatusWord::Completed);
        let tries = tries(played, &name);
        let told = played.told(&name);
        let outcomes: Vec<_> = tries.iter().filter_map(|run| run.outcome).collect();
        assert_eq!(outcomes, [Outcome::Cancelled, Outcome::Unknown, Outcome::Ok], "{told}");
        assert_eq!(tries[2].resumed, Some(Resumed::BeganAnew { session: session.clone() }), "{told}");
        assert_ne!(tries[2].session, Some(session), "{told}");
        let rows = played.rows(&name, &tries[2]);
        assert!(rows.iter().any(|row| row.name == "began_anew"), "{rows:#?}");
        if scene.home_is_temporary {
            warned_first(played, &name, &tries[1]);
        }
        played.nothing_is_left(&name);
    });
}

/// The same after a harmless warning.
pub(super) fn a_conversation_that_is_gone_behind_a_warning(scene: Scene<'_>) {
    a_conversation_that_is_gone(Scene { home_is_temporary: true, ..scene });
}

/// Removes every file below `folder` that is named after the conversation, or that is a conversation and names it.
fn forget(folder: &Path, session: &str) {
    let mut removed = 0;
    let mut folders = vec![folder.join("home"), folder.join("config")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
                continue;
            }
            let named = entry.file_name().to_string_lossy().contains(session);
            let kept = path.extension().is_some_and(|kind| kind == "json" || kind == "jsonl");
            if named || (kept && fs::read_to_string(&path).is_ok_and(|text| text.contains(session))) {
                fs::remove_file(&path).unwrap();
                removed += 1;
            }
        }
    }
    assert!(removed > 0, "it keeps no conversation below {}", folder.display());
}

/// A person's own hook defers a tool until the person has seen it: the loop asks, and the answer continues
/// the same conversation.
pub(super) fn deferred(scene: Scene<'_>) {
    let script = |workspace: &Path| {
        let mut script = tiny_project::script(workspace);
        let first = |rule: &Rule| rule.when.iter().any(|word| word == "Task task-001");
        let rule = script.rules.iter_mut().find(|rule| first(rule)).unwrap();
        rule.steps.insert(0, Step::Shell("echo it ran > deferred.txt".into()));
        script
    };
    scene.play(script, |played| {
        let workspace = played.driven.live.workspace.clone();
        let (hook, seen) = (workspace.join("../hook.sh"), workspace.join("../seen"));
        let says = |word: &str| json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "permissionDecision": word } });
        let text = format!(
            "#!/bin/sh\ngrep -q 'it ran' || exit 0\nif test -e '{}'; then echo '{}'; else echo '{}'; fi\n",
            seen.display(), says("allow"), says("defer")
        );
        fs::write(&hook, text).unwrap();
        let command = format!("sh '{}'", hook.display());
        let hooks = json!([{ "matcher": "Bash", "hooks": [{ "type": "command", "command": command }] }]);
        let settings = json!({ "hooks": { "PreToolUse": hooks } });
        fs::write(workspace.join("../config/settings.json"), settings.to_string()).unwrap();
        let name = played.start(&played.form(Level::FullAccess));
        let need = played.wait_for_need(&name, NeedKind::Question);
        assert_eq!(need.args["question"], "agent_asks");
        assert!(need.text.starts_with("Bash") && need.text.contains("it ran"), "{need:#?}");
        assert!(!workspace.join("deferred.txt").exists());
        fs::write(&seen, "").unwrap();
        let answer = NeedAnswer::Say { text: "Run it".into() };
        played.driven.live.runtime.answer(&need.id, answer).unwrap();
        played.wait_for_word(&name, StatusWord::Completed);
        let tries = tries(played, &name);
        let told = played.told(&name);
        assert!(workspace.join("deferred.txt").exists(), "{told}");
        assert_eq!(tries.len(), 2, "{told}");
        assert_eq!(tries[0].session, tries[1].session, "{told}");
        assert_eq!(need.run.as_ref(), Some(&tries[0].id), "{told}");
        played.nothing_is_left(&name);
    });
}
