//! Which steps are offered, where and in which order (AoT contract §7, §9.4, §9.5).

use crate::aot::{NOW, text};
use loopdeck_core::control::Situation;
use loopdeck_core::formats::aot::{self, AotOperation, Correction, NewAtom};
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::StatusWord;
use loopdeck_core::step::{StepCode as S, StepOffer, StepSubject as On};

fn offers(file: &str, shown: StatusWord) -> Vec<StepOffer> {
    aot::detail(file.as_bytes(), &crate::aot::FACTS, &Situation { shown, now: NOW }).steps
}

#[test]
fn each_step_is_offered_where_it_is_taken_in_the_order_of_the_work() {
    let offers = offers(&text("sample-04-running-or-backtracked"), StatusWord::Interrupted);
    let on = |subject| -> Vec<S> {
        offers.iter().filter(|offer| offer.on.contains(&subject)).map(|offer| offer.step).collect()
    };
    let round =
        [S::AotStartAtoms, S::AotResolveContainers, S::AotResetInProgress, S::AotReleaseHold, S::AotComplete];
    assert_eq!(on(On::Whole), round);
    assert_eq!(on(On::Atom), [S::AotResolve, S::AotFail]);
    assert_eq!(on(On::Branch), [S::AotResolve, S::AotBacktrack]);
    assert_eq!(on(On::Direction), [S::AotRedirect, S::AotHold]);
    assert_eq!([on(On::Record), on(On::TaskList)], [vec![], vec![]]);
}

#[test]
fn a_redirect_waits_for_a_hold_only_where_one_is_possible() {
    let running = text("sample-04-running-or-backtracked");
    let held = running.replace("redirect_requested: false", "redirect_requested: true");
    let paused = running.replacen("status: running", "status: stopped", 1);
    let damaged = running.replacen("atoms:", "atoms: [", 1);
    let table = [
        (&running, StatusWord::Running, false, true),
        (&running, StatusWord::RunningElsewhere, false, true),
        (&running, StatusWord::Interrupted, true, true),
        (&held, StatusWord::Running, true, false),
        (&paused, StatusWord::Stopped, true, false),
        (&damaged, StatusWord::CannotRead, false, false),
    ];
    for (file, shown, now, after_hold) in table {
        let offers = offers(file, shown);
        let redirect = offers.iter().find(|offer| offer.step == S::AotRedirect);
        let said = redirect.map_or((false, false), |one| (one.refusal.is_none(), one.after_hold));
        assert_eq!(said, (now, after_hold), "{shown:?}");
        let others = offers.iter().filter(|offer| offer.step != S::AotRedirect);
        assert_eq!(others.filter(|offer| offer.after_hold).count(), 0);
    }
}

/// Every way in which a person changes the graph.
fn graph_changes() -> Vec<(&'static str, Correction)> {
    let atom = |description: &str| NewAtom { description: description.into(), ..NewAtom::default() };
    let edit = |needs: Option<Vec<String>>, description: Option<String>| Correction::EditAtom {
        id: "A5".into(),
        description,
        depends_on: needs,
    };
    let choose = Correction::ForceSelection {
        group: "storage_method".into(),
        id: "A3_sqlite".into(),
        reason: "r".into(),
    };
    vec![
        ("add", Correction::AddAtom(atom("More"))),
        ("edit", edit(None, Some("Less".into()))),
        ("rewire", edit(Some(vec!["A1".into()]), None)),
        ("delete", Correction::DeleteAtom { id: "A5".into() }),
        ("choose", choose),
        (
            "decompose",
            Correction::Decompose { parent: "A5".into(), children: vec![atom("x")], reason: "r".into() },
        ),
        ("redo", Correction::Redo { ids: vec!["A1".into()] }),
    ]
}

#[test]
fn a_person_changes_the_graph_of_any_loop_and_of_a_live_one_after_a_hold() {
    let running = text("sample-04-running-or-backtracked");
    let held = running.replace("redirect_requested: false", "redirect_requested: true");
    let word = |word: &str| running.replacen("status: running", &format!("status: {word}"), 1);
    let table = [
        (word("pending"), StatusWord::NotStarted, None),
        (word("stopped"), StatusWord::Stopped, None),
        (word("completed"), StatusWord::Completed, None),
        (running.clone(), StatusWord::Interrupted, None),
        (running.clone(), StatusWord::Running, Some(RefusalCode::Running)),
        (running.clone(), StatusWord::RunningElsewhere, Some(RefusalCode::Running)),
        (held.clone(), StatusWord::Running, None),
        (held, StatusWord::RunningElsewhere, None),
    ];
    for (file, shown, refusal) in table {
        for (name, change) in graph_changes() {
            let operation = AotOperation::Redirect { change, description: "why".into() };
            let situation = Situation { shown, now: NOW };
            let done = aot::operate(file.as_bytes(), &crate::aot::FACTS, &operation, &situation);
            assert_eq!(done.err().map(|refused| refused.code), refusal, "{name} while {shown:?}");
        }
    }
}
