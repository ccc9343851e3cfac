//! Successful runs.

use super::*;
use loopdeck_agents::outcome::Outcome;

const ACTIONS: [&str; 7] = ["init", "develop", "develop", "develop", "validate", "debug", "validate"];

/// From the form to the summary: a plan, three tasks, a test that still fails, its cause, tests that pass.
pub(super) fn a_whole_loop(scene: Scene<'_>) {
    let agent = scene.agent;
    let stage = scene.play(tiny_project::script, |played| {
        let name = played.start(&played.form(Level::FullAccess));
        played.wait_for_word(&name, StatusWord::Completed);
        is_completed(played, &name);
        let runs = played.runs(&name);
        let actions: Vec<&str> = runs.iter().map(|run| run.action.as_str()).collect();
        assert_eq!(actions, ACTIONS, "{}", played.told(&name));
        for run in of_the_agent(&runs) {
            assert_eq!(run.outcome, Some(Outcome::Ok), "{}", played.told(&name));
            assert!(run.tokens.is_some_and(|tokens| tokens > 0.0), "{run:#?}");
            assert_eq!(run.cost_usd.is_some_and(|cost| cost > 0.0), agent == RealAgent::Claude, "{run:#?}");
            assert_eq!(run.session.as_ref().map(String::len), Some(36), "{run:#?}");
            let told = (agent != RealAgent::Codex).then_some(0); // which does not report it
            assert_eq!((run.denied, &run.stop), (told, &None), "{run:#?}");
            let rows = played.rows(&name, run);
            // With a schema, Claude's last word is the call of a tool.
            let text = if agent == RealAgent::Claude { OutputKind::ToolStart } else { OutputKind::Text };
            for kind in [OutputKind::Started, text, OutputKind::ToolEnd, OutputKind::Finished] {
                assert!(rows.iter().any(|row| row.kind == kind), "no {kind:?} in {rows:#?}");
            }
            assert!(rows.iter().all(|row| row.kind != OutputKind::Other), "{rows:#?}");
        }
        let spent = of_the_agent(&runs).iter().filter_map(|run| run.tokens).sum::<f64>();
        let row = played.driven.live.row(&name).unwrap().run.clone().unwrap();
        assert_eq!(row.tokens, Some(spent), "{row:#?}");
        played.nothing_is_left(&name);
    });
    if let Some(stage) = stage {
        only_the_stages_key(&stage);
    }
}

fn is_completed(played: &Played, name: &str) {
    assert_eq!(played.driven.live.detail(name).problems, []);
    let file = played.driven.live.read(name);
    for said in ["\"status\": \"completed\"", "\"passed\": true", "\"confirmed_hypothesis\": \"H1\""] {
        assert!(file.contains(said), "{said}: {file}");
    }
    assert!(played.driven.live.runtime.needs().needs.is_empty(), "{}", played.told(name));
}

/// Plans of other tools: stories of a prd.json, tasks of a Spec Kit feature, and the prompt of a ralph-loop.
pub(super) fn plans_of_other_tools(scene: Scene<'_>) {
    let prd = "scripts/ralph/prd.json";
    let stories = r#"{"userStories":[{"id":"US-1","title":"Sow","acceptanceCriteria":[],"priority":1,"passes":false}]}"#;
    let feature = "specs/001-cart/tasks.md";
    let tasks = "# Tasks: Cart\n\n- [ ] T001 Weed\n- [ ] T002 Water, depends on T001\n";
    let ralph = ".claude/ralph-loop.local.md";
    let prompt = "---\nactive: true\niteration: 1\nsession_id: a\nmax_iterations: 3\ncompletion_promise: \"SOWN\"\n---\n\nHarvest. Say <promise>SOWN</promise> when it is true.\n";
    let script = |_: &Path| {
        let rule = |word: &str, command: &str| Rule::when(&[word]).shell(command).says("It is done.");
        Script::with(vec![
            rule("US-1", &format!("sed -i 's/false/true/' {prd}")),
            rule("T001 Weed", &format!("sed -i 's/- \\[ \\] T001/- [x] T001/' {feature}")).times(1),
            rule("T002 Water", &format!("sed -i 's/- \\[ \\] T002/- [x] T002/' {feature}")),
            rule("Harvest", "sed -i 's/- \\[ \\]/- [x]/' .ralph/*/TODO.md"),
        ])
    };
    scene.play(script, |played| {
        for (file, text) in [(prd, stories), (feature, tasks), (ralph, prompt)] {
            let path = played.driven.live.workspace.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        for (file, runs) in [(prd, 1), (feature, 2), (ralph, 1)] {
            played.driven.wait_at(file, "is there", |_| true);
            let mut form = played.form(Level::FullAccess);
            let key = played.driven.live.rows[file].key.clone();
            form.work = played.driven.live.runtime.form_of(&key).unwrap().work;
            form.plan.test_command = String::new();
            let name = played.start(&form);
            played.wait_for_word(&name, StatusWord::Completed);
            assert_eq!(of_the_agent(&played.runs(&name)).len(), runs, "{}", played.told(&name));
            played.nothing_is_left(&name);
        }
        let read = |file: &str| std::fs::read_to_string(played.driven.live.workspace.join(file)).unwrap();
        assert_eq!(read(prd), stories.replace("false", "true"));
        assert_eq!(read(feature), tasks.replace("[ ]", "[x]"));
        assert_eq!(read(ralph), prompt, "its own tool's file is as it was");
    });
}

/// The pinned version, its state and its sign-in; the others are also found and are not signed in.
pub(super) fn found_by_the_doctor(scene: Scene<'_>) {
    let agent = scene.agent;
    scene.play(
        |_| Script::plain(),
        |played| {
            let look = || played.driven.live.runtime.agents(false).unwrap();
            let late = |row: &AgentRow| row.version.as_deref() == Some("timed out");
            let mut rows = look();
            for _ in 0..5 {
                if !rows.iter().any(late) {
                    break;
                }
                rows = look(); // a busy machine; only those that did not answer are asked again
            }
            for known in RealAgent::ALL {
                let row = rows.iter().find(|row| row.id == known.name()).unwrap();
                let checked =
                    table::agent(&AgentId::parse(known.name()).unwrap()).unwrap().checked.to_string();
                assert_eq!(row.version.as_ref(), Some(&checked), "{row:#?}");
                assert_eq!(row.state, AgentState::Ready, "{row:#?}");
                let expected = match (known == agent, known) {
                    // Its provider is the person's own, so only a request would show it.
                    (true, RealAgent::Codex) => None,
                    // It accepts the key of Qwen Code's stage.
                    (false, RealAgent::Codex) if agent == RealAgent::Qwen => Some(true),
                    (here, _) => Some(here),
                };
                assert_eq!(row.signed_in, expected, "{row:#?}");
                assert_eq!(row.fix.is_some(), expected == Some(false), "{row:#?}");
            }
        },
    );
}
