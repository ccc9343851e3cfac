//! Which steps are offered, where and in which order (AoT contract §7, §9.4, §9.5).

use crate::{NOW, text};
use loopdeck_core::aot;
use loopdeck_core::control::Situation;
use loopdeck_core::status::StatusWord;
use loopdeck_core::step::{StepCode as S, StepOffer, StepSubject as On};

fn offers(file: &str, shown: StatusWord) -> Vec<StepOffer> {
    aot::detail(file.as_bytes(), &crate::FACTS, &Situation { shown, now: NOW }, &[]).steps
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
    assert_eq!(on(On::Atom), [S::AotResolve, S::AotFail, S::AotDecompose]);
    assert_eq!(on(On::Branch), [S::AotResolve, S::AotBacktrack, S::AotSelect, S::AotDecompose]);
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
