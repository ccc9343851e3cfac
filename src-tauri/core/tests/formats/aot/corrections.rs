//! Corrections of single atoms by a person: edited, decomposed, done again (AoT contract §9.5).

use crate::aot::operations::{
    BACKTRACKED, bare, changed, child, done, operate, read, redirect, refused, status,
};
use crate::aot::{detail, text};
use loopdeck_core::formats::aot::{AotOperation, Correction, NewAtom};
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::StatusWord;
use loopdeck_core::step::StepCode;

fn edit(id: &str, description: Option<&str>, needs: Option<&[&str]>) -> AotOperation {
    redirect(Correction::EditAtom {
        id: id.into(),
        description: description.map(Into::into),
        depends_on: needs.map(|needs| needs.iter().map(|need| (*need).to_owned()).collect()),
    })
}

#[test]
fn an_atom_is_edited_in_its_own_lines() {
    let file = text(BACKTRACKED);
    let lines = changed(&file, &edit("A5", Some("Say \"hi\""), Some(&["A1", "A4", "A1"])));
    let own: Vec<&String> = lines.iter().take_while(|line| !line.contains("corrections")).collect();
    assert!(own.iter().any(|line| *line == "+    description: \"Say \\\"hi\\\"\""), "{lines:#?}");
    assert!(own.iter().any(|line| *line == "+    depends_on: [A1, A4]"), "{lines:#?}");
    let after = done(&file, &edit("A5", Some("Less"), None));
    let (old, new) = (read(&file), read(&after));
    assert_eq!(new.atoms.len(), old.atoms.len());
    let correction = new.corrections.last().expect("a correction");
    assert_eq!((&*correction.word, &*correction.description), ("dag_adjustment", "why"));
    assert!(after.contains("prev_pending_count: -1\n"));
}

#[test]
fn an_edit_that_cannot_be_is_refused() {
    let file = text(BACKTRACKED);
    let table = [
        (edit("A1", Some("x"), None), RefusalCode::AtomResolved),
        (edit("A77", Some("x"), None), RefusalCode::UnknownAtom),
        (edit("A5", None, Some(&["A77"])), RefusalCode::UnknownAtom),
        (edit("A5", Some(" "), None), RefusalCode::BadValue),
        (edit("A5", None, None), RefusalCode::BadValue),
        (edit("A5", None, Some(&["A5"])), RefusalCode::WouldCycle),
        (edit("A4", None, Some(&["A5"])), RefusalCode::WouldCycle),
        (edit("A3_postgres", None, Some(&["A2"])), RefusalCode::WouldCycle),
        (edit("A2", None, Some(&["A3_files"])), RefusalCode::WouldCycle),
    ];
    for (operation, code) in table {
        assert_eq!(refused(&file, &operation), code, "{operation:?}");
    }
    let cycle = |operation: &AotOperation| {
        operate(file.as_bytes(), operation).expect_err("a circle").args.remove("cycle").expect("its path")
    };
    assert_eq!(cycle(&edit("A5", None, Some(&["A5"]))), "A5 -> A5");
    assert_eq!(cycle(&edit("A2", None, Some(&["A3_files"]))), "A2 -> A3_files -> A2");
}

#[test]
fn a_circle_in_the_file_is_broken_by_rewiring_and_by_nothing_that_leaves_it() {
    let file = text(BACKTRACKED).replacen("depends_on: [A3_sqlite]", "depends_on: [A5]", 1);
    let broken = done(&file, &edit("A5", None, Some(&[])));
    assert!(broken.contains("depends_on: []"), "{broken}");
    assert_eq!(refused(&file, &edit("A5", Some("Still"), None)), RefusalCode::WouldCycle);
    assert_eq!(refused(&file, &AotOperation::ResetInProgress), RefusalCode::DamagedFile);
    let offers = detail(file.as_bytes(), StatusWord::Interrupted).steps;
    let open: Vec<StepCode> =
        offers.iter().filter(|offer| offer.refusal.is_none()).map(|offer| offer.step).collect();
    assert_eq!(open, [StepCode::AotRedirect]);
}

#[test]
fn children_follow_what_their_container_waits_for() {
    let new = done(&text(BACKTRACKED), &redirect(Correction::AddAtom(child("First"))));
    let needs = |file: &str, id: &str| -> Vec<String> {
        let atom = read(file).atoms.into_iter().find(|atom| atom.id == id).expect(id);
        atom.depends_on.into_iter().map(|need| need.id).collect()
    };
    let own = needs(&new, "A2");
    let with: Vec<&str> = own.iter().map(String::as_str).chain(["A6"]).collect();
    let after = done(&new, &edit("A2", None, Some(&with)));
    assert!(needs(&after, "A2").contains(&"A6".to_owned()));
    assert!(needs(&after, "A3_postgres").contains(&"A6".to_owned()), "{after}");
    let back = done(&after, &edit("A2", None, Some(&with[..with.len() - 1])));
    assert_eq!(needs(&back, "A3_postgres"), needs(&new, "A3_postgres"));
}

#[test]
fn an_unknown_dependency_that_is_there_can_stay_and_go() {
    let file = text(BACKTRACKED).replacen("depends_on: [A4]", "depends_on: [A4, A77]", 1);
    assert!(file.contains("A77"), "{file}");
    let after = done(&file, &edit("A5", None, Some(&["A77", "A1"])));
    assert!(after.contains("depends_on: [A77, A1]"));
    assert!(!done(&file, &edit("A5", None, Some(&["A4"]))).contains("A77"));
}

#[test]
fn a_person_decomposes_an_atom_and_says_why() {
    let parts = |parent: &str, reason: &str| {
        redirect(Correction::Decompose {
            parent: parent.into(),
            children: vec![child("One"), NewAtom { depends_on: vec!["A6".into()], ..child("Two") }],
            reason: reason.into(),
        })
    };
    let file = text(BACKTRACKED).replacen("status: running", "status: stopped", 1);
    let after = done(&file, &parts("A5", "too big"));
    let read = read(&after);
    let record = read.decompositions.last().expect("a record");
    assert_eq!((&*record.parent, &*record.reason), ("A5", "too big"));
    assert_eq!(record.children, ["A6", "A7"]);
    let correction = read.corrections.last().expect("a correction");
    assert_eq!((&*correction.word, &*correction.description), ("dag_adjustment", "why"));
    assert!(after.contains("    depends_on: [A4, A6]\n") && after.contains("status: stopped"), "{after}");
    assert_eq!(refused(&file, &parts("A1", "x")), RefusalCode::AtomResolved);
    assert_eq!(refused(&file, &parts("A5", " ")), RefusalCode::BadValue);
}

#[test]
fn redone_work_takes_everything_built_on_it_along() {
    let file = bare("seed-002-s6-4-after");
    let after = done(&file, &redirect(Correction::Redo { ids: vec!["A3".into()] }));
    assert_eq!(
        ["A1", "A2", "A3", "A4"].map(|id| status(&after, id)),
        ["resolved", "pending", "pending", "resolved"]
    );
    let bound: Vec<bool> = read(&after).atoms.iter().map(|atom| atom.summary.is_some()).collect();
    assert_eq!(bound, [true, false, false, true], "{after}");
    let all = done(&file, &redirect(Correction::Redo { ids: vec!["A1".into()] }));
    assert!(all.contains("\nbindings: {}\n") && !all.contains("status: resolved"), "{all}");
}
