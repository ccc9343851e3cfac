//! A person ends an agent's work.

use super::*;
use loopdeck_agents::outcome::Outcome;

/// *Pause now* in the middle of a tool, then resume: the same action is redone, and the loop finishes.
pub(super) fn interrupted_and_gone_on(scene: Scene<'_>) {
    scene.play(
        |workspace| slow_at_first(tiny_project::script(workspace)),
        |played| {
            let name = played.start(&played.form(Level::FullAccess));
            played.wait_for_file(&name, "began.txt");
            let key = played.driven.live.key(&name);
            played.driven.live.runtime.pause_now(&key).unwrap();
            played.wait_for_word(&name, StatusWord::Paused);
            let runs = played.runs(&name);
            assert_eq!(runs.len(), 1, "{}", played.told(&name));
            assert_eq!(runs[0].outcome, Some(Outcome::Cancelled), "{}", played.told(&name));
            assert!(matches!(runs[0].stop, Some(StopView::AllGone { ended }) if ended > 1), "{:#?}", runs[0]);
            played.nothing_is_left(&name);
            played.driven.live.runtime.launch(&key, None, None).unwrap();
            played.wait_for_word(&name, StatusWord::Completed);
            let runs = played.runs(&name);
            let actions: Vec<&str> = runs.iter().take(3).map(|run| run.action.as_str()).collect();
            assert_eq!(actions, ["init", "init", "develop"], "{}", played.told(&name));
            assert_eq!(runs[1].resumed.is_some(), runs[0].session.is_some(), "{}", played.told(&name));
            played.nothing_is_left(&name);
        },
    );
}

/// *Stop* in the middle of a tool that would take minutes: nothing is left, and that is verified.
pub(super) fn stopped_in_a_tool(scene: Scene<'_>) {
    scene.play(
        |workspace| slow_at_first(tiny_project::script(workspace)),
        |played| {
            let name = played.start(&played.form(Level::FullAccess));
            played.wait_for_file(&name, "began.txt");
            let key = played.driven.live.key(&name);
            played.driven.live.runtime.stop_now(&key).unwrap();
            played.wait_for_word(&name, StatusWord::Stopped);
            let row = played.driven.live.row(&name).unwrap().run.clone().unwrap();
            assert!(
                matches!(row.stop, Some(StopView::AllGone { ended }) if ended > 1),
                "{}",
                played.told(&name)
            );
            let runs = played.runs(&name);
            assert_eq!(runs.len(), 1, "{}", played.told(&name));
            assert_eq!(runs[0].outcome, Some(Outcome::Cancelled), "{}", played.told(&name));
            assert!(played.driven.live.runtime.needs().needs.is_empty(), "{}", played.told(&name));
            played.nothing_is_left(&name);
        },
    );
}
