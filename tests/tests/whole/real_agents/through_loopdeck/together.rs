//! Loops that more than one agent process works on: tasks that name their tool, and the workers of a parallel
//! round.

use super::*;
use loopdeck_agents::outcome::Outcome;
use loopdeck_core::driver::MenuChoice as C;
use loopdeck_core::formats::loop_b::create::WorkMode;
use loopdeck_core::start::NewFormat;
use loopdeck_runtime::drivers::plan::FurtherAgent;

/// Claude Code and Codex do the tasks of one Loop v2 that a person leads by its menu.
pub(super) fn by_the_menu(scene: Scene<'_>) {
    let agent = scene.agent;
    let other = if agent == RealAgent::Claude { RealAgent::Codex } else { RealAgent::Claude };
    let tools = [agent.name(), other.name(), agent.name()];
    let scene = Scene { also: Some(other), ..scene };
    let script = |folder: &Path| tiny_project::script_of_tools(folder, tools);
    let stage = scene.play(script, |played| {
        let mut form = played.form(Level::FullAccess);
        (form.work.format, form.work.mode) = (Some(NewFormat::LoopV2), Some(WorkMode::Interactive));
        form.plan.further =
            vec![FurtherAgent { agent: other.name().to_owned(), level: Some(Level::FullAccess) }];
        let name = played.start(&form);
        let mut last = String::new();
        for choice in [C::Develop, C::Develop, C::Develop, C::Validate, C::Debug, C::Validate, C::Complete] {
            last = choose(played, &name, choice, &last);
        }
        played.wait_for_word(&name, StatusWord::Completed);
        let runs = played.runs(&name);
        let did: Vec<_> = of_the_agent(&runs)
            .into_iter()
            .map(|run| (run.action.as_str(), run.agent_id.as_str(), run.outcome))
            .collect();
        let (one, two, ok) = (agent.name(), other.name(), Some(Outcome::Ok));
        let expected = [("init", one), ("develop", one), ("develop", two), ("develop", one), ("debug", one)];
        assert_eq!(did, expected.map(|(action, agent)| (action, agent, ok)), "{}", played.told(&name));
        let state = played.driven.state(&name);
        let named = state["skill_state"]["develop"]["tasks"].as_array().unwrap().iter();
        assert_eq!(named.map(|task| task["tool"].as_str().unwrap()).collect::<Vec<_>>(), tools);
        is_without_a_warning(played, &name);
    });
    if let Some(stage) = stage {
        only_the_stages_key(&stage);
    }
}

/// Answers the next menu; returns its id.
fn choose(played: &mut Played, name: &str, choice: C, last: &str) -> String {
    let need = played.wait_for_another(name, NeedKind::Menu, last);
    let at = need.choices.iter().position(|offered| *offered == choice);
    let at = at.unwrap_or_else(|| panic!("{choice:?} of {:?}\n{}", need.choices, played.told(name)));
    played.driven.answer(&need, NeedAnswer::Choose { index: u32::try_from(at).unwrap() });
    need.id
}

/// Two workers of a Loop-B and the tests in parallel, then the tests once more.
pub(super) fn in_parallel(scene: Scene<'_>) {
    let stage = scene.play(tiny_project::parallel_script, |played| {
        let mut form = played.form(Level::FullAccess);
        (form.work.format, form.work.mode) = (Some(NewFormat::LoopB), Some(WorkMode::Parallel));
        let name = played.start(&form);
        played.wait_for_word(&name, StatusWord::Completed);
        let runs = played.runs(&name);
        let mut actions: Vec<&str> = runs.iter().map(|run| run.action.as_str()).collect();
        actions[1..4].sort_unstable();
        assert_eq!(actions, ["init", "debug", "develop", "validate", "validate"], "{}", played.told(&name));
        assert!(
            of_the_agent(&runs).iter().all(|run| run.outcome == Some(Outcome::Ok)),
            "{}",
            played.told(&name)
        );
        let state = played.driven.state(&name);
        let results = &state["skill_state"]["parallel_results"];
        assert_eq!(results["develop"]["suggestions"], json!(["Test negative amounts"]), "{results}");
        assert_eq!(state["skill_state"]["findings"], json!(["Cents were cut off"]));
        is_without_a_warning(played, &name);
    });
    if let Some(stage) = stage {
        only_the_stages_key(&stage);
    }
}

/// Checks that `loopdeck check` finds nothing about the loop, and that nothing is left of its runs.
fn is_without_a_warning(played: &Played, name: &str) {
    assert_eq!(played.driven.live.detail(name).problems, [], "{}", played.told(name));
    assert!(played.driven.live.runtime.needs().needs.is_empty(), "{}", played.told(name));
    played.nothing_is_left(name);
}
