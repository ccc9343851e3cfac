//! The order in which plans of GSD are carried out, and when one is done.

use crate::common::{finding, ids};
use crate::gsd::{Files, STATE, item, next, with};
use loopdeck_plans::{FindingCode, ItemState, Plan};

/// A project of two phases with these plans: name, wave, what it waits for, the file that it changes.
pub(crate) fn project(plans: &[(&str, &str, &str, &str)]) -> Files {
    let roadmap = "# Roadmap\n\n- [ ] **Phase 1: One**\n- [ ] **Phase 10: Ten**\n- [ ] **Phase 2: Two**\n";
    let mut files = vec![
        ("STATE.md".to_owned(), b"---\ngsd_state_version: '1.0'\n---\n".to_vec()),
        ("ROADMAP.md".to_owned(), roadmap.as_bytes().to_vec()),
    ];
    for (name, wave, waits, file) in plans {
        let text = format!("---\n{wave}\ndepends_on: [{waits}]\nfiles_modified: [{file}]\n---\n");
        files.push((format!("phases/{name}-PLAN.md"), text.into_bytes()));
    }
    files
}

/// Writes what the tool's own agent writes at the end of a plan.
pub(crate) fn carry_out(files: &mut Files, plan: &str, front: &str) {
    files.push((format!("phases/{plan}-SUMMARY.md"), format!("---\n{front}\n---\n# Done\n").into_bytes()));
    files.sort();
}

#[test]
fn plans_are_taken_by_phase_then_wave_then_number() {
    let mut files = project(&[
        ("02-two/02-01", "wave: 1", "", "x"),
        ("01-one/01-01", "wave: 2", "", "a"),
        ("01-one/01-02", "wave: 1", "", "a"),
        ("01-one/01-03", "wave: 10", "", "c"),
        ("01-one/01-04", "wave: 1", "", "b"),
        ("01-one/01-05", "wave: 1", "01-04", "d"),
        ("01-one/01-06", "", "", "a"),
    ]);
    let read = |files: &Files| with(STATE, files, |_, plan| plan.unwrap());
    let plan = read(&files);
    assert_eq!(
        ids(&plan.items),
        ["1", "01-02", "01-04", "01-05", "01-06", "01-01", "01-03", "2", "02-01", "10"],
        "as they are carried out"
    );
    // 01-06 changes the file of 01-02, and can be begun all the same; without a wave it is of the first.
    assert_eq!(next(&plan), ["01-02", "01-04", "01-06", "02-01", "10"]);
    assert_eq!(finding(&plan, FindingCode::FileConflict).args[1].1, "01-06");
    for (done, expected) in [
        ("01-one/01-04", vec!["01-02", "01-05", "01-06", "02-01", "10"]),
        ("01-one/01-02", vec!["01-05", "01-06", "02-01", "10"]),
        ("01-one/01-06", vec!["01-05", "02-01", "10"]),
        ("01-one/01-05", vec!["01-01", "02-01", "10"]),
        ("01-one/01-01", vec!["01-03", "02-01", "10"]),
        ("01-one/01-03", vec!["02-01", "10"]),
    ] {
        carry_out(&mut files, done, "status: complete");
        assert_eq!(next(&read(&files)), expected, "after {done}");
    }
}

#[test]
fn a_plan_is_done_when_its_summary_is_there_and_not_before() {
    let mut files =
        project(&[("01-one/01-01", "status: complete", "", "a"), ("01-one/01-02", "wave: 2", "01-01", "b")]);
    let roadmap = "# Roadmap\n\n- [ ] **Phase 1: One**\n\n### Phase 1: One\n- [x] 01-01: a\n- [x] 01-02: b\n- [ ] 01-03: c\n";
    files[1].1 = roadmap.as_bytes().to_vec();
    let read = |files: &Files| with(STATE, files, |_, plan| plan.unwrap());
    let states = |plan: &Plan| ["1", "01-01", "01-02", "01-03"].map(|id| item(plan, id).state);
    use ItemState::{Active, Blocked, Done, Open};
    // Neither the plan's own word nor a box is enough.
    let plan = read(&files);
    assert_eq!((states(&plan), plan.progress(), next(&plan)), ([Open; 4], (0, 3), vec!["01-01"]));
    carry_out(&mut files, "01-one/01-01", "completed: 2026-05-01");
    let plan = read(&files);
    assert_eq!((states(&plan), plan.progress()), ([Active, Done, Open, Open], (1, 3)));
    assert_eq!(next(&plan), ["01-02"]);
    // One that says that it was halted isn't done; the next wave goes on, as with its own tool.
    let mut halted = files.clone();
    carry_out(&mut halted, "01-one/01-02", "status: halted");
    let plan = read(&halted);
    assert_eq!((states(&plan), next(&plan)), ([Done, Done, Blocked, Open], vec!["01-03"]));
    // An empty one is enough.
    files.push(("phases/01-one/01-02-SUMMARY.md".to_owned(), Vec::new()));
    // A plan that only the roadmap has is done with its summary too.
    carry_out(&mut files, "01-one/01-03-later", "status: complete");
    let plan = read(&files);
    assert_eq!((states(&plan), plan.progress(), next(&plan)), ([Done; 4], (3, 3), vec![]));
}

#[test]
fn a_phase_at_work_without_plans_is_next() {
    let mut files = project(&[]);
    files[1].1 = b"# Roadmap | Lamp\n\n- [~] **Phase 1: Bulb**\n- [ ] **Phase 2: Cord**\n".to_vec();
    let plan = with(STATE, &files, |_, plan| plan.unwrap());
    assert_eq!((next(&plan), plan.title.as_deref()), (vec!["1", "2"], Some("Lamp")));
}
