//! The journal's records of a loop as timeline entries: kept versions with their changes, writes without a
//! version, requests from start to end.

use super::EVENT_TEXT;
use super::draft::{CountedBy, Draft, Ids, length, moment};
use super::entry::{EntryContent, EntryKind, EntryPart};
use crate::compare::{Changed, ChangedWhat};
use crate::past::{KeptVersion, Note, Noted, Past, VersionChange, VersionWriter, WriteCause, WriteState};
use crate::times::Timestamp;
use loopdeck_text::shorten;
use std::collections::{HashMap, HashSet};

/// Kept versions, and the other records; each oldest first. The record of one of our writes belongs to its
/// version.
pub(super) fn drafts(past: &Past, ids: &mut Ids) -> (Vec<Draft>, Vec<Draft>) {
    let writes = past.notes.iter().filter(|note| matches!(note.what, Noted::Written { .. }));
    let writes: HashMap<i64, &Note> = writes.map(|note| (note.number, note)).collect();
    let took = took_actions(past);
    let (mut versions, mut seen) = (Vec::new(), HashSet::new());
    for version in past.versions.iter().rev() {
        let write = version.note.and_then(|number| writes.get(&number).copied());
        seen.extend(write.map(|note| note.number));
        let change = past.changes.get(&version.id);
        versions.push(of_version(version, change, write, took.get(&version.id).copied()));
    }
    let besides = past.notes.iter().rev().filter(|note| !seen.contains(&note.number));
    let mut notes: Vec<Draft> = besides.map(|note| of_note(note, ids)).collect();
    notes.sort_by(|left, right| {
        left.entry.ms.unwrap_or_default().total_cmp(&right.entry.ms.unwrap_or_default())
    });
    (versions, notes)
}

/// The duration of the action that a version ends, in milliseconds, by version: as long as the file named it.
#[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
fn took_actions(past: &Past) -> HashMap<u32, f64> {
    let mut versions: Vec<&KeptVersion> = past.versions.iter().rev().collect();
    versions.sort_by_key(|version| version.at);
    let (mut took, mut running) = (HashMap::new(), None::<(&str, Timestamp)>);
    for version in versions {
        let Some(action) = past.changes.get(&version.id).and_then(|change| change.action.as_ref()) else {
            continue;
        };
        if let Some((name, since)) = running
            && action.ended.as_deref() == Some(name)
        {
            took.insert(version.id, (version.at - since).num_milliseconds() as f64);
        }
        running = action.begun.as_deref().map(|name| (name, version.at));
    }
    took
}

fn of_version(
    version: &KeptVersion,
    change: Option<&VersionChange>,
    write: Option<&Note>,
    took_ms: Option<f64>,
) -> Draft {
    let changes = change.map(|change| change.changes.clone()).unwrap_or_default();
    let place = changes.iter().find_map(place);
    let kind = match version.who {
        VersionWriter::Ours => EntryKind::Loopdeck,
        VersionWriter::Foreign => EntryKind::Files,
    };
    let shown = !changes.is_empty() || is_notable(version, write);
    let content = EntryContent::Version {
        id: version.id,
        who: version.who,
        cause: version.cause,
        changes,
        write: write.and_then(state),
        item: place.as_ref().and_then(|(_, item)| item.clone()),
    };
    let mut draft = Draft::new(format!("version:{}", version.id), kind, Some(moment(version.at)), content);
    let begins = change.and_then(|change| change.begins);
    draft.entry.took_ms = length(took_ms);
    draft.entry.said_iteration = begins;
    draft.entry.part = place.map(|(part, _)| part);
    draft.entry.files = write.map(|note| note.beside.clone()).unwrap_or_default();
    draft.entry.asker.clone_from(&version.asker);
    Draft { counted: begins.map_or(CountedBy::Nothing, CountedBy::ByFile), shown, ..draft }
}

/// Whether a version is a timeline event even without visible changes. A driver writes many steps; one that
/// landed and wrote nothing else is not worth an entry.
fn is_notable(version: &KeptVersion, write: Option<&Note>) -> bool {
    match (version.who, version.cause) {
        (VersionWriter::Foreign, _) => false,
        (VersionWriter::Ours, Some(WriteCause::Operate)) => {
            write.is_some_and(|note| state(note) != Some(WriteState::Landed) || !note.beside.is_empty())
        }
        (VersionWriter::Ours, _) => true,
    }
}

fn state(note: &Note) -> Option<WriteState> {
    match note.what {
        Noted::Written { state, .. } => state,
        _ => None,
    }
}

/// Where a change is shown, and its item.
fn place(change: &Changed) -> Option<(EntryPart, Option<String>)> {
    match change.what {
        ChangedWhat::Task
        | ChangedWhat::ListedTask
        | ChangedWhat::Atom
        | ChangedWhat::Branch
        | ChangedWhat::Worker => Some((EntryPart::Work, Some(change.id.clone()))),
        ChangedWhat::Hypothesis => Some((EntryPart::Debug, Some(change.id.clone()))),
        // The current hypothesis.
        ChangedWhat::RootCause => Some((EntryPart::Debug, change.to.clone())),
        ChangedWhat::TestRun => Some((EntryPart::Tests, Some(change.id.clone()))),
        ChangedWhat::Fact | ChangedWhat::Correction | ChangedWhat::Errors => None,
    }
}

#[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
fn of_note(note: &Note, ids: &mut Ids) -> Draft {
    let (word, content) = match note.what.clone() {
        Noted::Requested { cause, outcome, .. } => ("requested", EntryContent::Request { cause, outcome }),
        Noted::Written { cause, state } => ("write", EntryContent::Write { cause, state }),
        Noted::Deleted => ("deleted", EntryContent::Deleted),
        Noted::Message { text, by, delivered } => {
            let (text, delivered) = (shorten(&text, EVENT_TEXT), delivered.is_some());
            ("message", EntryContent::Message { text, by, delivered })
        }
        Noted::AskedAcross { cause } => ("asked", EntryContent::AskedAcross { cause }),
        Noted::AnsweredAcross { cause, refused } => {
            ("answered", EntryContent::AnsweredAcross { cause, refused })
        }
    };
    let id = ids.unique(format!("journal:{word}:{}", note.at.millis()));
    let kind = match content {
        EntryContent::Message { .. } => EntryKind::Corrections,
        _ => EntryKind::Loopdeck,
    };
    let mut draft = Draft::new(id, kind, Some(moment(note.at)), content);
    let file = Some(note.file.clone()).filter(|file| !file.is_empty());
    match note.what {
        Noted::Written { .. } => draft.entry.files = file.into_iter().chain(note.beside.clone()).collect(),
        Noted::Requested { ended, .. } | Noted::Message { delivered: ended, .. } => {
            draft.entry.sources.extend(file);
            draft.entry.took_ms = length(ended.map(|ended| (ended - note.at).num_milliseconds() as f64));
        }
        Noted::Deleted | Noted::AskedAcross { .. } | Noted::AnsweredAcross { .. } => {
            draft.entry.sources.extend(file);
        }
    }
    draft.entry.asker.clone_from(&note.asker);
    draft
}
