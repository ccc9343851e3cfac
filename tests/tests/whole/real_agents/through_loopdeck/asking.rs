//! Claude Code asks in the window before it acts.

use super::*;
use loopdeck_agents::outcome::Outcome;

/// Its first action runs a command that needs permission.
fn script(workspace: &Path) -> Script {
    let mut script = tiny_project::script(workspace);
    let command = "python3 -c \"open('asked.txt', 'w')\"";
    let plan = Rule::when(&["action of a loop: INIT"]).shell(command).says(tiny_project::PLAN);
    script.rules.insert(0, plan);
    script
}

fn asked(played: &mut Played) -> (String, loopdeck_runtime::drivers::rows::Need) {
    let mut form = played.form(Level::FullAccess);
    form.plan.ask = true;
    let name = played.start(&form);
    let need = played.wait_for_need(&name, NeedKind::Permission);
    assert_eq!(need.tool.as_deref(), Some("Bash"), "{need:#?}");
    assert!(need.input.as_deref().is_some_and(|input| input.contains("asked.txt")), "{need:#?}");
    (name, need)
}

/// Until the first action is over.
fn planned(played: &mut Played, name: &str) -> RunView {
    let over = |row: &loopdeck_runtime::views::LoopRow| {
        row.run.as_ref().is_some_and(|run| run.action.as_deref() == Some("develop"))
    };
    played.wait(name, "the first task", over);
    let run = played.runs(name)[0].clone();
    assert_eq!(run.outcome, Some(Outcome::Ok), "{}", played.told(name));
    run
}

/// Allowed: the tool runs. The same agent's later requests are asked again.
pub(super) fn allowed(scene: Scene<'_>) {
    scene.play(script, |played| {
        let (name, need) = asked(played);
        played.driven.live.runtime.answer(&need.id, NeedAnswer::AllowOnce).unwrap();
        planned(played, &name);
        assert!(played.driven.live.workspace.join("asked.txt").exists(), "{}", played.told(&name));
        // Its edits need permission as well: all of them, until the loop is done.
        let mut allowed = 0;
        loop {
            played.wait(&name, "the next question, or the end", |row| {
                row.word == StatusWord::Completed || row.run.as_ref().is_some_and(|run| run.needs > 0)
            });
            let needs = played.driven.live.runtime.needs().needs;
            let Some(need) = needs.first() else { break };
            assert_eq!(need.kind, NeedKind::Permission, "{need:#?}");
            // It may have been answered between two checks.
            if played.driven.live.runtime.answer(&need.id, NeedAnswer::AllowForRun).is_ok() {
                allowed += 1;
            }
        }
        assert_eq!(allowed, 4, "three tasks and a round of debugging change one file each");
        played.wait_for_word(&name, StatusWord::Completed);
        played.nothing_is_left(&name);
    });
}

/// Denied with a note: the model gets it, nothing runs, the action continues.
pub(super) fn refused(scene: Scene<'_>) {
    let stage = scene.play(script, |played| {
        let (name, need) = asked(played);
        let deny = NeedAnswer::Deny { note: "Not this file.".into() };
        played.driven.live.runtime.answer(&need.id, deny).unwrap();
        let run = planned(played, &name);
        assert!(!played.driven.live.workspace.join("asked.txt").exists());
        assert_eq!(run.denied, Some(1), "{}", played.told(&name));
        let key = played.driven.live.key(&name);
        played.driven.live.runtime.stop_now(&key).unwrap();
        played.wait_for_word(&name, StatusWord::Stopped);
        played.nothing_is_left(&name);
    });
    let Some(stage) = stage else { return };
    let told = stage.server.requests().into_iter().filter_map(|request| request.asked).any(|asked| {
        asked.turns.iter().any(|turn| matches!(turn, Turn::Result(text) if text.contains("Not this file.")))
    });
    assert!(told, "the model hears the person's note");
}

/// Stopped while the question is open: that is no consent, and the question is gone.
pub(super) fn stopped_while_it_asks(scene: Scene<'_>) {
    scene.play(script, |played| {
        let (name, need) = asked(played);
        let key = played.driven.live.key(&name);
        played.driven.live.runtime.stop_now(&key).unwrap();
        played.wait_for_word(&name, StatusWord::Stopped);
        assert!(!played.driven.live.workspace.join("asked.txt").exists());
        assert!(played.driven.live.runtime.answer(&need.id, NeedAnswer::AllowOnce).is_err());
        assert_eq!(played.runs(&name)[0].outcome, Some(Outcome::Cancelled), "{}", played.told(&name));
        played.nothing_is_left(&name);
    });
}
