//! How file events and journal records become entries.

use super::*;
use crate::compare::{Changed, ChangedWhat};
use crate::past::{
    ActionChange, Asker, KeptVersion, Note, Noted, Past, RequestOutcome, VersionChange, VersionWriter,
    WriteCause, WriteState,
};
use crate::times::{TimeDelta, TimeView, Timestamp, to_iso_millis};
use crate::view::{CorrectionKind, EventKind, EventSays, HistoryView, LoopDetail};

const NOON: Timestamp = Timestamp::from_millis(1_795_176_000_000);

fn at(minutes: i64) -> Timestamp {
    NOON + TimeDelta::minutes(minutes)
}

fn time(minutes: i64) -> Option<TimeView> {
    Some(TimeView::read(&to_iso_millis(at(minutes)), false))
}

fn event(minutes: i64, kind: EventKind, file: &str, text: &str) -> EventView {
    let (file, text) = (file.to_owned(), text.to_owned());
    EventView { time: time(minutes), kind, file, text, ..EventView::default() }
}

fn of_events(events: Vec<EventView>) -> Vec<TimelineEntry> {
    entries(&LoopDetail { events, ..LoopDetail::default() }, &Past::default())
}

fn of_past(past: &Past) -> Vec<TimelineEntry> {
    entries(&LoopDetail::default(), past)
}

fn foreign(id: u32, minutes: i64) -> KeptVersion {
    KeptVersion { id, at: at(minutes), who: VersionWriter::Foreign, cause: None, note: None, asker: None }
}

fn ours(id: u32, minutes: i64, cause: WriteCause, note: i64) -> KeptVersion {
    let (who, cause, note) = (VersionWriter::Ours, Some(cause), Some(note));
    KeptVersion { id, at: at(minutes), who, cause, note, asker: None }
}

fn note(number: i64, minutes: i64, file: &str, beside: &[&str], what: Noted) -> Note {
    let beside = beside.iter().map(|file| (*file).to_owned()).collect();
    Note { number, at: at(minutes), file: file.to_owned(), beside, asker: None, what }
}

fn written(cause: WriteCause, state: WriteState) -> Noted {
    Noted::Written { cause: Some(cause), state: Some(state) }
}

fn changed(what: ChangedWhat, id: &str, to: &str) -> VersionChange {
    let changed = Changed {
        what,
        id: id.to_owned(),
        from: None,
        to: Some(to.to_owned()),
        from_status: None,
        to_status: None,
    };
    VersionChange { changes: vec![changed], ..VersionChange::default() }
}

fn ids(entries: &[TimelineEntry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.id.as_str()).collect()
}

#[test]
fn what_two_files_tell_is_told_once_with_what_each_of_them_adds() {
    let task = |kind, file: &str, subject: &str, iteration, files: &[&str]| EventView {
        subject: Some(subject.to_owned()),
        iteration,
        files: files.iter().map(|file| (*file).to_owned()).collect(),
        ..event(1, kind, file, "Done")
    };
    let told = of_events(vec![
        task(EventKind::ChangeLog, "changes.log", "task-1", None, &["a"]),
        task(EventKind::DevelopEntry, "develop.md", "task-1", Some(2.0), &["a", "b"]),
        task(EventKind::ChangeLog, "changes.log", "task-2", None, &[]),
        task(EventKind::ChangeLog, "changes.log", "task-2", None, &[]),
    ]);
    assert_eq!(told.len(), 3, "what one file tells twice happened twice");
    assert_eq!(told[0].sources, ["changes.log", "develop.md"]);
    assert_eq!(
        (told[0].files.as_slice(), told[0].said_iteration),
        (&["a".into(), "b".into()][..], Some(2.0))
    );
    assert_eq!(told[0].iteration, Some(2.0));
    assert_eq!(told[1].sources, ["changes.log"]);
}

#[test]
fn each_event_has_its_kind_its_place_and_what_it_says() {
    use EntryKind as K;
    use EntryPart as P;
    let kinds = [
        (EventKind::ChangeLog, K::Work, Some(P::Work)),
        (EventKind::DebugLog, K::Log, Some(P::Debug)),
        (EventKind::DevelopEntry, K::Work, Some(P::Work)),
        (EventKind::DebugEntry, K::Debug, Some(P::Debug)),
        (EventKind::ValidateEntry, K::Tests, Some(P::Tests)),
        (EventKind::SummaryEntry, K::Work, None),
        (EventKind::Error, K::Errors, None),
        (EventKind::Worker, K::Work, Some(P::Work)),
        (EventKind::Trail, K::Choices, Some(P::Work)),
        (EventKind::Correction, K::Corrections, None),
        (EventKind::Decomposition, K::Choices, Some(P::Work)),
    ];
    for (event_kind, kind, part) in kinds {
        let told = of_events(vec![event(0, event_kind, "", "x")]);
        let content = EntryContent::Event { event: event_kind, text: "x".to_owned() };
        assert_eq!((told[0].kind, told[0].part, &told[0].content), (kind, part, &content));
        assert!(told[0].sources.is_empty(), "the state file itself is no source");
        let word = serde_json::to_value(event_kind).unwrap_or_default();
        assert!(told[0].id.starts_with(&format!("{}:", word.as_str().unwrap_or_default())), "{}", told[0].id);
    }
}

#[test]
fn a_test_run_says_how_it_ended_and_how_long_it_took() {
    for (passed, total, duration_ms, outcome, took) in [
        (3, 3, Some(9_100.0), TestOutcome::Passed, Some(9_100.0)),
        (2, 3, None, TestOutcome::Failed, None),
        (0, 0, Some(-1.0), TestOutcome::NoTests, None),
        (0, 2, Some(f64::NAN), TestOutcome::Failed, None),
        (4, 3, Some(0.0), TestOutcome::Failed, Some(0.0)),
    ] {
        let says = EventSays::TestRun { passed, total, duration_ms };
        let told = of_events(vec![EventView { says, ..event(0, EventKind::ValidateEntry, "", "") }]);
        assert_eq!(told[0].content, EntryContent::TestRun { passed, total, outcome });
        assert_eq!(told[0].took_ms, took, "{passed}/{total}");
    }
}

#[test]
fn a_correction_keeps_the_word_of_its_kind() {
    let (kind, word) = (CorrectionKind::Other, "mood".to_owned());
    let says = EventSays::Correction { kind, word: word.clone(), description: "why: x".to_owned() };
    let told = of_events(vec![EventView { says, ..event(0, EventKind::Correction, "", "mood: why: x") }]);
    assert_eq!(told[0].content, EntryContent::Correction { kind, word, text: "why: x".to_owned() });
}

#[test]
fn the_note_of_a_write_belongs_to_the_version_that_it_made() {
    let past = Past {
        versions: vec![ours(2, 5, WriteCause::Pause, 70), foreign(1, 0)],
        notes: vec![
            note(90, 9, "x.json", &[], written(WriteCause::Pause, WriteState::Landed)),
            note(70, 5, "x.json", &["p/a.md"], written(WriteCause::Pause, WriteState::TakenBack)),
        ],
        changes: [(2, changed(ChangedWhat::Task, "task-1", "completed"))].into(),
    };
    let told = of_past(&past);
    assert_eq!(ids(&told), ["version:2".to_owned(), format!("journal:write:{}", at(9).millis())]);
    let EntryContent::Version { write, item, who, .. } = &told[0].content else { panic!("{told:?}") };
    assert_eq!(
        (*write, item.as_deref(), *who),
        (Some(WriteState::TakenBack), Some("task-1"), VersionWriter::Ours)
    );
    assert_eq!((told[0].files.as_slice(), told[0].part), (&["p/a.md".to_owned()][..], Some(EntryPart::Work)));
    assert_eq!(told[1].files, ["x.json"]);
}

#[test]
fn a_version_is_shown_when_it_changed_something_or_is_of_note() {
    use WriteCause::{Operate, Pause};
    use WriteState::{Landed, Lost, Planned};
    let (who, other) = (VersionWriter::Ours, VersionWriter::Foreign);
    for (who, cause, state, beside, changes, shown) in [
        (other, None, None, &[][..], false, false),
        (other, None, None, &[], true, true),
        (who, Some(Pause), Some(Landed), &[], false, true),
        (who, None, None, &[], false, true),
        (who, Some(Operate), Some(Landed), &[], false, false),
        (who, Some(Operate), Some(Landed), &[], true, true),
        (who, Some(Operate), Some(Landed), &["p/a.md"], false, true),
        (who, Some(Operate), Some(Planned), &[], false, true),
        (who, Some(Operate), Some(Lost), &["p/a.md"], false, true),
        // Its note has expired: a step that nothing else records.
        (who, Some(Operate), None, &[], false, false),
    ] {
        let note =
            state.map(|state| note(7, 0, "x.json", beside, Noted::Written { cause, state: Some(state) }));
        let change = changes.then(|| (1, changed(ChangedWhat::Fact, "status", "paused")));
        let past = Past {
            versions: vec![KeptVersion { id: 1, at: at(0), who, cause, asker: None, note: Some(7) }],
            notes: note.into_iter().collect(),
            changes: change.into_iter().collect(),
        };
        let told = of_past(&past);
        assert_eq!(
            ids(&told),
            if shown { vec!["version:1"] } else { vec![] },
            "{cause:?} {state:?} {changes}"
        );
    }
}

#[test]
fn a_version_leads_to_the_first_thing_that_it_changed() {
    use ChangedWhat as W;
    use EntryPart as P;
    for (what, place) in [
        (W::Task, Some((P::Work, "id"))),
        (W::Atom, Some((P::Work, "id"))),
        (W::Branch, Some((P::Work, "id"))),
        (W::Worker, Some((P::Work, "id"))),
        (W::Hypothesis, Some((P::Debug, "id"))),
        (W::RootCause, Some((P::Debug, "to"))),
        (W::TestRun, Some((P::Tests, "id"))),
        (W::Fact, None),
        (W::Correction, None),
        (W::Errors, None),
    ] {
        let change = changed(what, "id", "to");
        let past = Past { versions: vec![foreign(1, 0)], changes: [(1, change)].into(), ..Past::default() };
        let told = of_past(&past);
        let EntryContent::Version { item, .. } = &told[0].content else { panic!("{told:?}") };
        assert_eq!(told[0].part.zip(item.as_deref()), place, "{what:?}");
    }
}

#[test]
fn an_action_took_as_long_as_the_file_named_it() {
    let action = |ended: &str, begun: &str| {
        let name = |name: &str| Some(name.to_owned()).filter(|name| !name.is_empty());
        let action = Some(ActionChange { ended: name(ended), begun: name(begun) });
        VersionChange { action, ..changed(ChangedWhat::Fact, "current_action", begun) }
    };
    let past = Past {
        versions: (1..=6).rev().map(|id| foreign(id, i64::from(id) * 10)).collect(),
        changes: [
            (1, action("", "debug")),
            (2, changed(ChangedWhat::Fact, "title", "T")),
            (3, action("debug", "develop")),
            (4, action("develop", "")),
            (5, action("validate", "develop")),
            (6, action("init", "")),
        ]
        .into(),
        ..Past::default()
    };
    let took: Vec<_> = of_past(&past).iter().map(|entry| entry.took_ms).collect();
    assert_eq!(took, [None, None, Some(1_200_000.0), Some(600_000.0), None, None]);
}

#[test]
fn a_request_lasts_until_it_ended() {
    let asked = |ended: Option<i64>, outcome| {
        let cause = Some(WriteCause::Pause);
        let what = Noted::Requested { cause, outcome, ended: ended.map(at) };
        let told = of_past(&Past { notes: vec![note(1, 0, "x.json", &[], what)], ..Past::default() });
        assert_eq!(told[0].content, EntryContent::Request { cause, outcome });
        assert_eq!(
            (told[0].kind, told[0].sources.as_slice()),
            (EntryKind::Loopdeck, &["x.json".to_owned()][..])
        );
        told[0].took_ms
    };
    assert_eq!(asked(Some(2), Some(RequestOutcome::Superseded)), Some(120_000.0));
    assert_eq!(asked(None, Some(RequestOutcome::Open)), None);
    assert_eq!(asked(Some(-1), None), None, "a clock that was set back");
}

#[test]
fn whoever_asked_from_another_machine_is_named() {
    let bob = Asker::parse("bob.tower");
    let cause = Some(WriteCause::Pause);
    let version = KeptVersion { asker: bob.clone(), ..ours(1, 2, WriteCause::Pause, 7) };
    let landed = written(WriteCause::Pause, WriteState::Landed);
    let refused = Some("not_allowed".to_owned());
    let notes = [
        note(9, 4, "x.json", &[], Noted::AnsweredAcross { cause, refused: refused.clone() }),
        note(8, 3, "x.json", &[], Noted::AskedAcross { cause }),
        note(7, 2, "x.json", &[], landed),
        note(6, 1, "x.json", &[], Noted::Requested { cause, outcome: None, ended: None }),
        note(5, 0, "x.json", &[], Noted::Requested { cause, outcome: None, ended: None }),
    ];
    let mut notes = notes.map(|note| Note { asker: bob.clone(), ..note }).to_vec();
    notes[4].asker = None;
    let told = of_past(&Past { versions: vec![version], notes, ..Past::default() });
    let askers: Vec<_> = told.iter().map(|entry| entry.asker.clone()).collect();
    assert_eq!(askers, [None, bob.clone(), bob.clone(), bob.clone(), bob], "{told:?}");
    assert_eq!(told[3].content, EntryContent::AskedAcross { cause });
    assert_eq!(told[4].content, EntryContent::AnsweredAcross { cause, refused });
}

#[test]
fn all_is_in_the_order_of_time_and_what_has_none_stays_behind_the_one_before_it() {
    let step =
        HistoryView { step: "s".to_owned(), tool: "t".to_owned(), time: time(4), ..HistoryView::default() };
    let undated = EventView { time: None, ..event(0, EventKind::Error, "", "b") };
    let absurd = EventView {
        time: Some(TimeView { text: "9e15".to_owned(), ms: Some(9e15), shifted: false }),
        ..event(0, EventKind::DebugLog, "", "c")
    };
    let events =
        vec![event(1, EventKind::Error, "", "a"), undated, absurd, event(6, EventKind::Error, "", "e")];
    let detail = LoopDetail { events, history: vec![step], ..LoopDetail::default() };
    let deleted = note(1, 9, "x.json", &[], Noted::Deleted);
    let past = Past {
        versions: vec![foreign(2, 5), foreign(1, 0)],
        notes: vec![deleted],
        changes: [(2, changed(ChangedWhat::Fact, "title", "T"))].into(),
    };
    let told = entries(&detail, &past);
    let said: Vec<_> = told.iter().map(|entry| (entry.id.split(':').next(), entry.version_at)).collect();
    let expected = [
        (Some("error"), Some(1)),
        (Some("error"), None),
        (Some("debug_log"), None),
        (Some("step"), Some(1)),
        (Some("version"), Some(2)),
        (Some("error"), Some(2)),
        (Some("journal"), Some(2)),
    ];
    assert_eq!(said, expected);
    assert_eq!(told[2].ms, None, "no calendar has that time");
}

#[test]
fn the_version_of_a_moment_is_the_newest_that_is_not_younger() {
    // The time of version 3 was set back.
    let past = Past {
        versions: vec![foreign(4, 9), foreign(3, 2), foreign(2, 5), foreign(1, 0)],
        ..Past::default()
    };
    for (minutes, version) in
        [(-1, None), (0, Some(1)), (1, Some(1)), (2, Some(3)), (7, Some(3)), (9, Some(4))]
    {
        let events = vec![event(minutes, EventKind::Error, "", "")];
        let told = entries(&LoopDetail { events, ..LoopDetail::default() }, &past);
        assert_eq!(told[0].version_at, version, "minute {minutes}");
    }
}

#[test]
fn every_entry_has_an_id_of_its_own_that_stays_when_more_comes() {
    let some = |count: i64| -> Vec<EventView> {
        (0..count).map(|n| event(n / 3, EventKind::DebugLog, "debug.log", "x")).collect()
    };
    let (before, after) = (of_events(some(50)), of_events(some(60)));
    assert_eq!(ids(&before), ids(&after)[..50]);
    let unique: std::collections::HashSet<_> = ids(&after).into_iter().collect();
    assert_eq!(unique.len(), 60);
}

#[test]
fn rounds_of_debugging_are_no_iterations_and_a_hidden_version_may_begin_one() {
    let said = |iteration, kind| EventView { iteration: Some(iteration), ..event(3, kind, "f", "x") };
    let events = vec![said(2.0, EventKind::DevelopEntry), said(7.0, EventKind::DebugEntry)];
    let told = of_events(events.clone());
    let numbers: Vec<_> = told.iter().map(|entry| (entry.said_iteration, entry.iteration)).collect();
    assert_eq!(numbers, [(Some(2.0), Some(2.0)), (Some(7.0), Some(2.0))]);
    let begins = VersionChange { begins: Some(4.0), ..VersionChange::default() };
    let past = Past { versions: vec![foreign(1, 0)], changes: [(1, begins)].into(), ..Past::default() };
    let told = entries(&LoopDetail { events, ..LoopDetail::default() }, &past);
    let iterations: Vec<_> = told.iter().map(|entry| entry.iteration).collect();
    assert_eq!(iterations, [Some(4.0), Some(4.0)]);
}
