//! A large graph is followed by its changes, without reading its page each time.

use loopdeck_core::view::{AtomState, LoopDetail, WorkChange};
use loopdeck_tests::atoms::{FILE_CHECK, loop_with};
use loopdeck_tests::live::{AOT, Live};
use std::fs;

/// A plan of this many atoms, each waiting for the one before it.
fn plan(atoms: usize) -> String {
    let names: Vec<(String, String)> = (1..=atoms)
        .map(|n| (format!("A{n}"), if n > 1 { format!("A{}", n - 1) } else { String::new() }))
        .collect();
    let atoms: Vec<(&str, &str, &str)> = names.iter().map(|(id, after)| (&**id, &**after, "")).collect();
    loop_with(FILE_CHECK, &atoms, " {}")
}

/// The loop, listed.
fn opened(text: &str) -> Live {
    let mut live = Live::with(|workspace| {
        fs::create_dir_all(workspace.join(".claude")).unwrap();
        fs::write(workspace.join(AOT), text).unwrap();
    });
    live.wait_for("it is listed", |live| live.row(AOT).is_some());
    live
}

fn write(live: &Live, text: &str) {
    fs::write(live.workspace.join("new"), text).unwrap();
    fs::rename(live.workspace.join("new"), live.workspace.join(AOT)).unwrap();
}

/// The plan with this atom done.
fn with_done(text: &str, atom: &str) -> String {
    let (before, after) = text.split_once(&format!("- id: {atom}\n")).unwrap();
    format!("{before}- id: {atom}\n{}", after.replacen("status: pending", "status: resolved", 1))
}

fn changes(live: &Live, since: u32) -> Option<WorkChange> {
    live.runtime.work_changes(&live.key(AOT), since).unwrap()
}

/// Ids and states of the changes.
fn told(change: &WorkChange) -> Vec<(&str, AtomState)> {
    change.units.iter().map(|unit| (unit.atom.id.as_str(), unit.atom.state)).collect()
}

/// The detail with the changes, as the page applies them.
fn changed(mut detail: LoopDetail, change: &WorkChange) -> LoopDetail {
    let work = detail.work.as_mut().unwrap();
    for one in &change.units {
        detail.atoms[one.unit.at as usize] = one.atom.clone();
        work.units[one.place as usize] = one.unit.clone();
    }
    work.totals = change.totals;
    detail.batch.clone_from(&change.batch);
    detail
}

#[test]
fn only_what_changed_is_told_and_makes_the_page_that_is_read() {
    let text = plan(1_200);
    let live = opened(&text);
    let page = live.runtime.open_loop(&live.key(AOT)).unwrap();
    let first = page.work_revision.expect("it is large");
    assert_eq!(told(&changes(&live, first).unwrap()), []);
    let one = with_done(&text, "A1");
    write(&live, &one);
    let change = changes(&live, first).unwrap();
    assert_eq!(told(&change), [("A1", AtomState::Resolved), ("A2", AtomState::Ready)]);
    assert!(change.revision > first && change.totals.done == 1 && change.batch == ["A2"]);
    let two = with_done(&one, "A2");
    write(&live, &two);
    let rest = changes(&live, change.revision).unwrap();
    assert_eq!(told(&rest), [("A2", AtomState::Resolved), ("A3", AtomState::Ready)]);
    // A page that missed the first change gets both.
    let both = changes(&live, first).unwrap();
    assert_eq!(both.units.len(), 3);
    let whole = live.runtime.open_loop(&live.key(AOT)).unwrap();
    assert_eq!(whole.work_revision, Some(both.revision));
    let followed = changed(page.detail, &both);
    assert_eq!((&followed.atoms, &followed.batch), (&whole.detail.atoms, &whole.detail.batch));
    let (one, other) = (followed.work.unwrap(), whole.detail.work.unwrap());
    assert_eq!((one.units, one.totals), (other.units, other.totals));
}

#[test]
fn another_graph_another_loop_and_too_much_are_read_as_a_whole() {
    let text = plan(1_200);
    let live = opened(&text);
    let opened_now = || live.runtime.open_loop(&live.key(AOT)).unwrap().work_revision.unwrap();
    let first = opened_now();
    write(&live, &text.replace("status: pending", "status: resolved"));
    assert_eq!(changes(&live, first), None, "all of it changed");
    write(&live, &text);
    let now = opened_now();
    write(&live, &text.replace("depends_on: [A2]", "depends_on: [A1]"));
    assert_eq!(changes(&live, now), None, "it hangs together in another way");
    let now = opened_now();
    assert!(changes(&live, now).is_some_and(|change| change.units.is_empty()));
    assert_eq!(changes(&live, now + 1), None, "of a Loopdeck that has ended");
    write(&live, "half a f");
    assert_eq!(changes(&live, now), None, "it cannot be read");
    let small = opened(&plan(12));
    assert_eq!(small.runtime.open_loop(&small.key(AOT)).unwrap().work_revision, None);
}

#[test]
fn an_outline_with_its_part_is_the_page_that_is_read() {
    let begun =
        plan(1_200).replacen("\"Do A1\"\n    status: pending", "\"Do A1\"\n    status: in_progress", 1);
    let text = with_done(&begun, "A3");
    let bound = text.replacen("bindings: {}\n", "bindings:\n  A3:\n    summary: \"It is done\"\n", 1);
    let live = opened(&bound);
    let key = live.key(AOT);
    let outline = live.runtime.open_outline(&key).unwrap();
    let revision = outline.work_revision.expect("it is large");
    let later = outline.work_later.clone().expect("its graph is left out");
    assert_eq!((later.atoms, later.results, later.in_progress), (1_200, 1, vec!["A1".to_owned()]));
    let part = live.runtime.work_part(&key, revision).unwrap().expect("nothing else was read");
    let mut detail = outline.detail;
    assert!(detail.atoms.is_empty() && detail.work.as_ref().unwrap().units.is_empty());
    detail.atoms = part.atoms;
    detail.work.as_mut().unwrap().units = part.units;
    let whole = live.runtime.open_loop(&key).unwrap();
    assert_eq!(detail, whole.detail);
    assert_eq!((whole.work_later, whole.work_revision), (None, Some(revision)));
}

#[test]
fn the_part_of_an_outline_is_told_as_long_as_nothing_newer_was_read() {
    let text = plan(1_200);
    let live = opened(&text);
    let key = live.key(AOT);
    let revision = || live.runtime.open_outline(&key).unwrap().work_revision.unwrap();
    let first = revision();
    assert_eq!(revision(), first, "the same file");
    write(&live, &with_done(&text, "A1"));
    assert!(live.runtime.work_part(&key, first).unwrap().is_some(), "it is what was read with the outline");
    let change = changes(&live, first).unwrap();
    assert_eq!(told(&change), [("A1", AtomState::Resolved), ("A2", AtomState::Ready)]);
    assert_eq!(live.runtime.work_part(&key, first).unwrap(), None, "the changes are newer");
    assert_eq!(revision(), change.revision);
}

#[test]
fn an_outline_of_a_small_loop_is_all_of_it() {
    let live = opened(&plan(12));
    let key = live.key(AOT);
    assert_eq!(live.runtime.open_outline(&key).unwrap().work_later, None);
    assert_eq!(live.runtime.open_outline(&key).unwrap().detail, live.runtime.open_loop(&key).unwrap().detail);
    assert_eq!(live.runtime.work_part(&key, 1).unwrap(), None);
}

#[test]
fn long_results_of_atoms_are_in_the_page_as_their_beginnings_and_whole_when_asked_for() {
    let result = "Every field is validated in the shared module. ".repeat(400);
    let bindings: String =
        (1..=40).map(|n| format!("  A{n}:\n    summary: \"{n}: {result}\"\n    artifacts: []\n")).collect();
    let text = plan(40).replacen("bindings: {}\n", &format!("bindings:\n{bindings}"), 1);
    let live = opened(&text);
    let key = live.key(AOT);
    let page = live.runtime.open_loop(&key).unwrap();
    let atom = page.detail.atoms.into_iter().find(|atom| atom.id == "A7").unwrap();
    let beginning = atom.summary.unwrap();
    assert!(atom.summary_cut && beginning.starts_with("7: Every field") && beginning.chars().count() == 121);
    let whole = format!("7: {result}");
    assert_eq!(live.runtime.atom_summary(&key, "A7").unwrap(), Some(whole));
    assert_eq!(live.runtime.atom_summary(&key, "A99").unwrap(), None);
    let for_scripts = live.runtime.read_loop(&key).unwrap().detail.atoms;
    assert!(
        for_scripts.iter().all(|atom| !atom.summary_cut && atom.summary.as_ref().unwrap().len() > 18_000)
    );
}
