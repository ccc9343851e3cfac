//! What the journal has of a workspace as JSON lines, to keep it elsewhere or to take it to another computer.
//!
//! Files are named below the workspace, so that the other computer may have it anywhere. Writes are exported as the versions that they
//! made: what was written there is not undone here.

mod import;

use super::notes::RecordedNotes;
use super::snapshots::Writer;
use super::{Error, Journal};
pub use import::{ImportFault, Imported};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::Write;

/// Rises when lines change their meaning.
const FORM: u32 = 1;

/// One line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum Line {
    /// The first line.
    Loopdeck { form: u32 },
    /// Note and labels of a loop.
    Notes { file: String, note: String, labels: Vec<String>, at: i64 },
    /// A request and how it ended.
    Request {
        file: String,
        verb: String,
        reason: Option<String>,
        raise_limit_to: Option<i64>,
        at: i64,
        outcome: String,
        settled_at: Option<i64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asker: Option<String>,
    },
    /// What a state file said.
    Version { file: String, at: i64, ours: bool, readable: bool, content: VersionContent },
    /// What was noticed about a loop.
    Event {
        file: String,
        at: i64,
        what: String,
        word: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asker: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refused: Option<String>,
    },
    /// A run of an agent or of the tests.
    Run { file: String, id: String, started: i64, run: Value },
    /// A verification of an AoT loop.
    Verification { file: String, started: i64, verification: Value },
}

/// The bytes of a version.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum VersionContent {
    /// As text.
    Text(String),
    /// Bytes that are no text.
    Bytes(Vec<u8>),
}

impl Journal {
    /// Writes everything that is kept of `workspace` to `out`; answers how many lines that were.
    ///
    /// # Errors
    /// When the journal cannot be read or `out` not be written.
    pub fn export(&mut self, workspace: &str, out: &mut dyn Write) -> Result<u64, Error> {
        let notes = self.all_notes()?;
        let connection = self.database()?;
        let mut lines = Lines { out, count: 0 };
        lines.write(&Line::Loopdeck { form: FORM })?;
        for notes in notes.into_iter().filter(|notes| notes.workspace == workspace) {
            let RecordedNotes { file, note, labels, at, .. } = notes;
            lines.write(&Line::Notes { file, note, labels, at: at.millis() })?;
        }
        export_requests(connection, workspace, &mut lines)?;
        export_versions(connection, workspace, &mut lines)?;
        export_events(connection, workspace, &mut lines)?;
        export_runs(connection, workspace, &mut lines)?;
        Ok(lines.count)
    }
}

struct Lines<'a> {
    out: &'a mut dyn Write,
    count: u64,
}

impl Lines<'_> {
    fn write(&mut self, line: &Line) -> Result<(), Error> {
        serde_json::to_writer(&mut *self.out, line)?;
        self.out.write_all(b"\n")?;
        self.count += 1;
        Ok(())
    }
}

fn export_requests(connection: &Connection, workspace: &str, lines: &mut Lines<'_>) -> Result<(), Error> {
    let sql = "SELECT file, verb, reason, raise_limit_to, at, outcome, settled_at, asker FROM intents
         WHERE workspace = ?1 ORDER BY id";
    let mut found = connection.prepare(sql)?;
    let mut rows = found.query([workspace])?;
    while let Some(row) = rows.next()? {
        lines.write(&Line::Request {
            file: row.get(0)?,
            verb: row.get(1)?,
            reason: row.get(2)?,
            raise_limit_to: row.get(3)?,
            at: row.get(4)?,
            outcome: row.get(5)?,
            settled_at: row.get(6)?,
            asker: row.get(7)?,
        })?;
    }
    Ok(())
}

fn export_versions(connection: &Connection, workspace: &str, lines: &mut Lines<'_>) -> Result<(), Error> {
    let sql = "SELECT s.file, s.at, s.who, s.readable, c.bytes FROM snapshots s
         JOIN contents c ON c.id = s.content WHERE s.workspace = ?1 AND s.landed = 1 ORDER BY s.id";
    let mut found = connection.prepare(sql)?;
    let mut rows = found.query([workspace])?;
    while let Some(row) = rows.next()? {
        let who: String = row.get(2)?;
        let bytes: Vec<u8> = row.get(4)?;
        let content = String::from_utf8(bytes)
            .map_or_else(|bad| VersionContent::Bytes(bad.into_bytes()), VersionContent::Text);
        let ours = who == Writer::Ours.word();
        lines.write(&Line::Version {
            file: row.get(0)?,
            at: row.get(1)?,
            ours,
            readable: row.get(3)?,
            content,
        })?;
    }
    Ok(())
}

fn export_events(connection: &Connection, workspace: &str, lines: &mut Lines<'_>) -> Result<(), Error> {
    let sql = "SELECT file, at, kind, word, asker, CASE kind WHEN 'answered' THEN state END FROM events
         WHERE workspace = ?1 AND kind <> 'write' ORDER BY id";
    let mut found = connection.prepare(sql)?;
    let mut rows = found.query([workspace])?;
    while let Some(row) = rows.next()? {
        let (file, at) = (row.get(0)?, row.get(1)?);
        let (what, word, asker, refused) = (row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?);
        lines.write(&Line::Event { file, at, what, word, asker, refused })?;
    }
    Ok(())
}

fn export_runs(connection: &Connection, workspace: &str, lines: &mut Lines<'_>) -> Result<(), Error> {
    // A run that is still alive is not history yet.
    let sql =
        "SELECT file, id, started, run FROM runs WHERE workspace = ?1 AND alive = 0 ORDER BY started, id";
    let mut found = connection.prepare(sql)?;
    let mut rows = found.query([workspace])?;
    while let Some(row) = rows.next()? {
        let run = serde_json::from_str(&row.get::<_, String>(3)?)?;
        lines.write(&Line::Run { file: row.get(0)?, id: row.get(1)?, started: row.get(2)?, run })?;
    }
    let sql = "SELECT file, started, verification FROM verifications WHERE workspace = ?1 ORDER BY started";
    let mut found = connection.prepare(sql)?;
    let mut rows = found.query([workspace])?;
    while let Some(row) = rows.next()? {
        let verification = serde_json::from_str(&row.get::<_, String>(2)?)?;
        lines.write(&Line::Verification { file: row.get(0)?, started: row.get(1)?, verification })?;
    }
    Ok(())
}

impl Line {
    fn file(&self) -> &str {
        match self {
            Self::Loopdeck { .. } => "",
            Self::Notes { file, .. }
            | Self::Request { file, .. }
            | Self::Version { file, .. }
            | Self::Event { file, .. }
            | Self::Run { file, .. }
            | Self::Verification { file, .. } => file,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LoopRef, Retention};
    use super::*;
    use loopdeck_core::past::{Asker, WriteCause};
    use loopdeck_core::times::Timestamp;
    use loopdeck_execution::run::Run;

    fn filled() -> Journal {
        let mut journal = Journal::in_memory(Retention::default()).expect("a journal");
        let of = |file| LoopRef { workspace: "/here", file };
        let at = Timestamp::from_millis;
        journal.keep_foreign(of("a.json"), b"{\"n\": 1}", at(1), true).expect("kept");
        journal.keep_foreign(of("a.json"), b"{\"n\": \xff", at(2), false).expect("kept");
        let run = Run { id: "r1".into(), started: at(3), ended: Some(at(4)), ..Run::default() };
        journal.keep_run(of("a.json"), &run).expect("kept");
        let notes = |file: &str, note: &str, at| RecordedNotes {
            workspace: "/here".into(),
            file: file.into(),
            note: note.into(),
            labels: vec!["release".into()],
            at: Timestamp::from_millis(at),
        };
        journal.keep_notes(&notes("a.json", "new", 9)).expect("kept");
        journal.keep_notes(&notes("b.json", "old", 5)).expect("kept");
        let bob = Asker::parse("bob.tower").expect("somebody");
        let refused = (WriteCause::Stop, Some("not_allowed"));
        journal.note_answered(of("a.json"), refused, (&bob, "C1"), at(10)).expect("kept");
        journal
            .keep_foreign(LoopRef { workspace: "/other", file: "a.json" }, b"x", at(1), true)
            .expect("kept");
        journal
    }

    fn exported(journal: &mut Journal, workspace: &str) -> String {
        let mut out = Vec::new();
        journal.export(workspace, &mut out).expect("exported");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn what_was_exported_is_imported_elsewhere_once() {
        let text = exported(&mut filled(), "/here");
        assert!(text.contains(r#""asker":"bob.tower","refused":"not_allowed""#), "{text}");
        assert!(text.lines().count() == 7 && !text.contains("/here"), "{text}");
        let mut other = Journal::in_memory(Retention::default()).expect("a journal");
        let imported = other.import("/there", &mut text.as_bytes()).expect("imported");
        assert_eq!(imported, Imported { notes: 2, loops: 1, known: 0 });
        assert_eq!(exported(&mut other, "/there"), text);
        let again = other.import("/there", &mut text.as_bytes()).expect("imported");
        assert_eq!(again, Imported { notes: 0, loops: 0, known: 1 });
        assert_eq!(exported(&mut other, "/there"), text);
    }

    #[test]
    fn newer_notes_stay() {
        let text = exported(&mut filled(), "/here");
        let mut other = Journal::in_memory(Retention::default()).expect("a journal");
        let mine = RecordedNotes {
            workspace: "/there".into(),
            file: "b.json".into(),
            note: "mine".into(),
            labels: Vec::new(),
            at: Timestamp::from_millis(6),
        };
        other.keep_notes(&mine).expect("kept");
        assert_eq!(other.import("/there", &mut text.as_bytes()).expect("imported").notes, 1);
        assert!(other.all_notes().expect("read").contains(&mine));
    }

    #[test]
    fn a_wrong_line_takes_nothing_in() {
        let good = r#"{"kind":"notes","file":"a.json","note":"n","labels":[],"at":1}"#;
        let head = r#"{"kind":"loopdeck","form":1}"#;
        let bad_path = good.replace("a.json", "../a.json");
        let newer = head.replace('1', "99");
        for (text, line) in [
            (format!("{good}\n"), Some(1)),
            (format!("{head}\n{good}\nno json\n"), Some(3)),
            (format!("{head}\n{good}\n{bad_path}\n"), Some(3)),
            (format!("{head}\n{good}\n{{\"kind\":\"else\"}}\n"), Some(3)),
            (newer, None),
            (format!("{}{head}\n", " ".repeat(1 << 13)), Some(1)),
            ("\0".repeat(1 << 13), Some(1)),
            (format!("{head}\n{good}\n\u{7f}\n"), Some(3)),
        ] {
            let mut journal = Journal::in_memory(Retention::default()).expect("a journal");
            let fault = journal.import("/w", &mut text.as_bytes()).expect_err("refused");
            match line {
                Some(line) => assert!(matches!(fault, ImportFault::Line(at) if at == line), "{fault:?}"),
                None => assert!(matches!(fault, ImportFault::Newer), "{fault:?}"),
            }
            assert!(journal.all_notes().expect("read").is_empty(), "{text}");
        }
    }
}
