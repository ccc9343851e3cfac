//! Processes that outlive their guardian or their loop: they are shown, and ended when the person says so.

use super::*;

#[test]
fn with_its_guardian_killed_too_what_is_left_is_shown_and_ended() {
    let (mut driven, name) = two_tasks_elsewhere(|app, workspace| {
        killed_at("begun")(app, workspace);
        let data = workspace.parent().unwrap().join("data");
        for run in std::fs::read_dir(loopdeck_runtime::dirs::Dirs { data }.runs()).unwrap().flatten() {
            let record = RunRecord::read(&run.path()).unwrap();
            if record.ended.is_none() {
                kill(record.guardian.unwrap().pid);
            }
        }
    });
    let need = driven.wait_for_need(&name, NeedKind::LeftOver);
    driven.wait_for_word(&name, StatusWord::NotFullyStopped);
    assert!(!need.processes.is_empty() && !driven.processes().is_empty());
    driven.answer(&need, NeedAnswer::EndLeft);
    driven.wait_for_word(&name, StatusWord::Interrupted);
    driven.all_gone();
    driven.open("gate");
    driven.launch(&name).unwrap();
    driven.wait_for_word(&name, StatusWord::Completed);
}

#[test]
fn a_guardian_that_is_killed_under_us_leads_to_no_second_agent() {
    let (mut driven, name) = at_work();
    let guardian = record(&driven, &last_run(&driven, &name)).guardian.unwrap();
    kill(guardian.pid);
    let need = driven.wait_for_need(&name, NeedKind::LeftOver);
    driven.wait_for_word(&name, StatusWord::NotFullyStopped);
    assert_eq!(driven.ran(&name).len(), 2, "init and one develop: {:?}", driven.ran(&name));
    driven.answer(&need, NeedAnswer::EndLeft);
    driven.wait_for_word(&name, StatusWord::Interrupted);
    driven.all_gone();
}

#[test]
fn what_a_stop_left_is_told_again_after_a_restart() {
    let (mut driven, name) = at_work();
    kill(record(&driven, &last_run(&driven, &name)).guardian.unwrap().pid);
    driven.wait_for_need(&name, NeedKind::LeftOver);
    let mut driven = Driven { live: driven.live.restarted() };
    let need = driven.wait_for_need(&name, NeedKind::LeftOver);
    driven.wait_for_word(&name, StatusWord::NotFullyStopped);
    let left: Vec<u32> = need.processes.iter().map(|process| process.pid).collect();
    assert!(!left.is_empty() && left.iter().all(|pid| driven.processes().contains(pid)), "{left:?}");
    driven.answer(&need, NeedAnswer::EndLeft);
    driven.wait_for_word(&name, StatusWord::Interrupted);
    driven.all_gone();
    let driven = Driven { live: driven.live.restarted() };
    assert_eq!(driven.live.runtime.needs().needs, [], "there is nothing left to tell");
}

#[test]
fn what_a_stop_left_and_what_ended_since_is_not_told_again() {
    let (mut driven, name) = at_work();
    kill(record(&driven, &last_run(&driven, &name)).guardian.unwrap().pid);
    driven.wait_for_need(&name, NeedKind::LeftOver);
    let driven = Driven {
        live: driven.live.restarted_after(|_, workspace| {
            loopdeck_tests::driving::processes_in(workspace).into_iter().for_each(kill);
            eventually("gone", || loopdeck_tests::driving::processes_in(workspace).is_empty().then_some(()));
        }),
    };
    assert_eq!(driven.live.runtime.needs().needs, []);
    let stop = last_run(&driven, &name).stop;
    assert!(matches!(stop, Some(StopView::AllGone { .. })), "{stop:?}");
}

#[test]
fn an_agent_whose_loop_was_deleted_meanwhile_can_be_ended() {
    let (driven, name) = at_work();
    let path = driven.live.path(&name);
    let driven = Driven { live: driven.live.restarted_after(|_, _| std::fs::remove_file(path).unwrap()) };
    let need = eventually("said", || {
        driven.live.runtime.needs().needs.into_iter().find(|need| need.kind == NeedKind::LeftOver)
    });
    assert!(!need.processes.is_empty() && !driven.processes().is_empty());
    driven.answer(&need, NeedAnswer::EndLeft);
    eventually("ended", || driven.processes().is_empty().then_some(()));
    driven.live.runtime.rescan().unwrap();
    assert_eq!(driven.live.runtime.needs().needs, []);
}
