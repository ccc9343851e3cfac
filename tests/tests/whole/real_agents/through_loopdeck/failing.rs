//! Obstacles, and how a person learns about them.

use super::*;
use loopdeck_agents::launch::levels;
use loopdeck_agents::outcome::Outcome;
use loopdeck_agents::table::LaunchNote;

/// A command, and a file outside of the folder, at the level *Edit files*. Neither takes effect unless the
/// level allows it; the loop continues, and the run says how often the agent was denied something, if the
/// agent reports it.
pub(super) fn what_is_not_allowed(scene: Scene<'_>) {
    let agent = scene.agent;
    let outside = |workspace: &Path| workspace.parent().unwrap().join("home/outside.txt");
    let script = |workspace: &Path| {
        let path = outside(workspace).display().to_string();
        let name = if agent == RealAgent::Claude { "Bash" } else { "run_shell_command" };
        let command =
            json!({ "command": "echo no > forbidden.txt", "description": "writes", "is_background": false });
        let forbidden = match agent {
            // Its shell runs at this level, but what it writes outside fails.
            RealAgent::Codex => Step::Shell(format!("echo no > '{path}'")),
            _ => Step::Raw { name: name.into(), input: command },
        };
        let mut script = tiny_project::script(workspace);
        let plan = Rule::when(&["action of a loop: INIT"]).then(forbidden);
        let plan = plan.then(Step::Write { path, text: "no".into() }).says(tiny_project::PLAN);
        script.rules.insert(0, plan);
        script
    };
    scene.play(script, |played| {
        let name = played.start(&played.form(Level::EditFiles));
        played.wait_for_word(&name, StatusWord::Completed);
        let offers = levels(&AgentId::parse(agent.name()).unwrap(), &[]);
        let notes = &offers.iter().find(|offer| offer.level == Level::EditFiles).unwrap().notes;
        let anywhere = notes.contains(&LaunchNote::WritesAnywhere);
        let outside = outside(&played.driven.live.workspace);
        assert_eq!(outside.exists(), anywhere, "{}", played.told(&name));
        assert!(!played.driven.live.workspace.join("forbidden.txt").exists(), "{}", played.told(&name));
        let runs = played.runs(&name);
        let told = played.told(&name);
        assert_eq!(runs[0].outcome, Some(Outcome::Ok), "{told}");
        let rows = played.rows(&name, &runs[0]);
        let shown = rows.iter().filter(|row| row.kind == OutputKind::Denied).count();
        if agent == RealAgent::Codex {
            assert_eq!((runs[0].denied, shown), (None, 0), "{told}");
        } else {
            assert!(runs[0].denied.is_some_and(|denied| denied > 0), "{told}");
            assert_eq!(runs[0].denied, Some(u32::try_from(shown).unwrap()), "{told}");
        }
        played.nothing_is_left(&name);
    });
}

/// 401 from the provider: a person has to sign in. Nothing is retried before that.
pub(super) fn not_signed_in(mut scene: Scene<'_>) {
    scene.prefix = "/err";
    scene.play(
        |_| Script::plain(),
        |played| {
            let name = played.start(&played.form(Level::FullAccess));
            let need = played.wait_for_need(&name, NeedKind::SignIn);
            assert!(need.text.contains("invalid credentials"), "{need:#?}");
            assert_eq!(need.args["code"], "auth");
            let runs = played.runs(&name);
            assert_eq!(runs.len(), 1, "{}", played.told(&name));
            assert_eq!(runs[0].outcome, Some(Outcome::Auth));
            played.nothing_is_left(&name);
        },
    );
}

/// 429 from the provider: a limit that the person is told about, or an agent that retries until it is
/// stopped.
pub(super) fn no_more_served(mut scene: Scene<'_>) {
    let agent = scene.agent;
    scene.prefix = "/r429";
    scene.play(
        |_| Script::plain(),
        |played| {
            let name = played.start(&played.form(Level::FullAccess));
            if matches!(agent, RealAgent::Claude | RealAgent::Codex) {
                let need = played.wait_for_need(&name, NeedKind::UsageLimit);
                assert_eq!(need.args["code"], "limit");
                let runs = played.runs(&name);
                assert_eq!(runs.len(), 1, "{}", played.told(&name));
                assert_eq!(runs[0].outcome, Some(Outcome::Limit));
            } else {
                played.wait_for_refusal(&name);
                if agent == RealAgent::Gemini {
                    let tries = "Attempt 1 failed with status 429"; // Qwen Code prints nothing at all
                    played.wait_for_output(&name, |row| row.text.starts_with(tries));
                }
                let alive = played.driven.live.row(&name).unwrap().run.as_ref().is_some_and(|run| run.alive);
                assert!(alive, "it tries again: {}", played.told(&name));
                let key = played.driven.live.key(&name);
                played.driven.live.runtime.stop_now(&key).unwrap();
                played.wait_for_word(&name, StatusWord::Stopped);
                let runs = played.runs(&name);
                assert_eq!(runs[0].outcome, Some(Outcome::Cancelled), "{}", played.told(&name));
                assert!(matches!(runs[0].stop, Some(StopView::AllGone { .. })), "{}", played.told(&name));
            }
            played.nothing_is_left(&name);
        },
    );
}

/// A person's flag that this version does not have: the agent's own line, once, and no silent retries.
pub(super) fn a_flag_it_does_not_know(scene: Scene<'_>) {
    scene.play(
        |_| Script::plain(),
        |played| {
            let mut form = played.form(Level::FullAccess);
            form.plan.extra_args.push("--no-such-flag-here".into());
            let name = played.start(&form);
            let need = played.wait_for_need(&name, NeedKind::Failed);
            assert!(need.text.contains("such-flag-here"), "{need:#?}");
            assert_eq!(need.args["code"], "unknown_argument");
            let runs = played.runs(&name);
            assert_eq!(runs.len(), 1, "{}", played.told(&name));
            assert_eq!(runs[0].outcome, Some(Outcome::Unknown));
            assert!(runs[0].argv.iter().any(|arg| arg == "--no-such-flag-here"), "{:?}", runs[0].argv);
            if scene.home_is_temporary {
                warned_first(played, &name, &runs[0]);
            }
            // An argument that would break a promise does not even start.
            form.plan.extra_args = vec!["--model".into(), "other".into()];
            let refused = played.driven.live.runtime.start_loop(&form).unwrap_err();
            assert_eq!(refused.args["code"], "reserved_flag", "{refused:#?}");
            played.nothing_is_left(&name);
        },
    );
}

/// The same after a harmless warning.
pub(super) fn a_flag_behind_a_warning(scene: Scene<'_>) {
    a_flag_it_does_not_know(Scene { home_is_temporary: true, ..scene });
}

/// Several runs together have used up the money limit; extending it continues.
pub(super) fn money_is_used_up(scene: Scene<'_>) {
    scene.play(tiny_project::script, |played| {
        let mut form = played.form(Level::FullAccess);
        form.plan.money_usd = Some(0.003);
        let name = played.start(&form);
        let need = played.wait_for_need(&name, NeedKind::LimitReached);
        assert_eq!(need.args["limit"], "money");
        let runs = played.runs(&name).len();
        assert!(runs < 7, "{}", played.told(&name));
        let extend = more("money", 1);
        played.driven.live.runtime.answer(&need.id, extend).unwrap();
        played.wait_for_word(&name, StatusWord::Completed);
        let row = played.driven.live.row(&name).unwrap().run.clone().unwrap();
        assert!(row.cost_usd.is_some_and(|cost| cost > 0.003), "{row:#?}");
    });
}

/// The agent itself ends at the cap it was given.
pub(super) fn money_of_one_run_is_used_up(scene: Scene<'_>) {
    let script = |_: &Path| {
        let mut rule = Rule::when(&["action of a loop: INIT"]).says(tiny_project::PLAN);
        for step in 0..40 {
            rule = rule.shell(&format!("echo step {step}"));
        }
        Script::with(vec![rule])
    };
    scene.play(script, |played| {
        let mut form = played.form(Level::FullAccess);
        form.plan.money_usd = Some(0.01);
        let name = played.start(&form);
        let need = played.wait_for_need(&name, NeedKind::LimitReached);
        assert_eq!(need.args["limit"], "money");
        let runs = played.runs(&name);
        assert_eq!(runs.len(), 1, "{}", played.told(&name));
        assert_eq!(runs[0].outcome, Some(Outcome::Budget), "{}", played.told(&name));
        played.nothing_is_left(&name);
    });
}

/// The time limit of a minute is reached in the middle of a tool: the whole tree ends, and the person is
/// asked.
pub(super) fn time_is_used_up(scene: Scene<'_>) {
    let script = |_: &Path| {
        // Codex returns to its model when a command takes longer than ten seconds, hence more than one.
        // Claude Code and Qwen Code run neither a command that only waits nor the same one repeatedly: these
        // print something first.
        let slow = Rule::when(&["action of a loop: INIT"]).says(tiny_project::PLAN);
        let command = |step: u32| format!("echo {step} > began.txt; sleep 300");
        Script::with(vec![(0..20).fold(slow, |rule, step| rule.shell(&command(step)))])
    };
    scene.play(script, |played| {
        let mut form = played.form(Level::FullAccess);
        form.plan.minutes = Some(1);
        let name = played.start(&form);
        let need = played.wait_for_need(&name, NeedKind::LimitReached);
        assert_eq!(need.args["limit"], "time");
        let runs = played.runs(&name);
        assert_eq!(runs.len(), 1, "{}", played.told(&name));
        assert_eq!(runs[0].outcome, Some(Outcome::Budget), "{}", played.told(&name));
        played.nothing_is_left(&name);
    });
}
