//! Who asked from another machine: the person and machine behind a request or write, and what this machine asked of others.

use super::{Error, Journal, LoopRef, add_event};
use crate::views::to_word;
use loopdeck_core::past::{Asker, WriteCause};
use loopdeck_core::times::Timestamp;
use rusqlite::Connection;

pub(super) const SCHEMA: &str = "
    ALTER TABLE intents ADD COLUMN asker TEXT;
    ALTER TABLE events ADD COLUMN asker TEXT;
    ALTER TABLE events ADD COLUMN command TEXT;
    CREATE INDEX events_of_command ON events (command) WHERE command IS NOT NULL;
";

/// The same for a journal of an earlier version that is only read: views in the place of its tables.
const SEEN_WITHOUT: &str = "
    PRAGMA temp_store = MEMORY;
    CREATE TEMP VIEW intents AS SELECT *, NULL AS asker FROM main.intents;
    CREATE TEMP VIEW events AS SELECT *, NULL AS asker, NULL AS command FROM main.events;
";

/// The longest word of a refusal that is kept.
const LONGEST_WORD: usize = 60;

/// How far a command of another machine had come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandProgress {
    /// Nothing was begun.
    None,
    /// It was recorded, and perhaps written.
    Begun,
    /// A write of it is in the file.
    Written,
}

/// On whose behalf the journal records now.
#[derive(Debug, Default)]
pub(super) struct AskedBy(Option<Named>);

/// Who asked, by which command.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) asker: String,
    pub(super) command: String,
}

impl AskedBy {
    /// Who asked for a write or request with this word.
    pub(super) fn name(&self, word: &str) -> Option<Named> {
        // The steps that follow a start are the driver's own.
        self.0.clone().filter(|_| word != "operate")
    }
}

impl Journal {
    /// Records requests and writes as asked for by somebody, by a command, from now on, until this is called again.
    pub fn name_asker(&mut self, asker: Option<(&Asker, &str)>) {
        let named = |(asker, command): (&Asker, &str)| Named {
            asker: asker.to_string(),
            command: command.to_owned(),
        };
        self.behalf = AskedBy(asker.map(named));
    }

    /// On whose behalf something is done now.
    #[must_use]
    pub fn asker(&self) -> Option<&str> {
        self.behalf.0.as_ref().map(|named| &*named.asker)
    }

    /// How far a command had come, by what was recorded for it.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn progress_of(&mut self, command: &str) -> Result<CommandProgress, Error> {
        let sql = "SELECT max(state IS 'landed') FROM events WHERE command = ?1";
        let landed: Option<bool> = self.database()?.query_row(sql, [command], |row| row.get(0))?;
        Ok(match landed {
            None => CommandProgress::None,
            Some(false) => CommandProgress::Begun,
            Some(true) => CommandProgress::Written,
        })
    }

    /// Notes that `asker` asked for something across machines, by which command where it is to be carried out here.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn note_asked(
        &mut self,
        of: LoopRef<'_>,
        cause: WriteCause,
        (asker, command): (&Asker, Option<&str>),
        at: Timestamp,
    ) -> Result<(), Error> {
        self.note_across(of, ("asked", cause, None), (asker, command), at)
    }

    /// Notes what another machine answered to a command of `asker`: why not, or that it carried it out. Once, however often the
    /// answer is delivered.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn note_answered(
        &mut self,
        of: LoopRef<'_>,
        (cause, refused): (WriteCause, Option<&str>),
        (asker, command): (&Asker, &str),
        at: Timestamp,
    ) -> Result<(), Error> {
        let known = "SELECT EXISTS (SELECT 1 FROM events WHERE command = ?1 AND kind = 'answered')";
        if self.database()?.query_row(known, [command], |row| row.get(0))? {
            return Ok(());
        }
        let is_word = |text: &str| {
            text.len() <= LONGEST_WORD && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        };
        let refused = refused.map(|word| if is_word(word) { word } else { "other" });
        self.note_across(of, ("answered", cause, refused), (asker, Some(command)), at)
    }

    fn note_across(
        &mut self,
        of: LoopRef<'_>,
        (kind, cause, state): (&str, WriteCause, Option<&str>),
        (asker, command): (&Asker, Option<&str>),
        at: Timestamp,
    ) -> Result<(), Error> {
        let connection = self.database()?.transaction()?;
        add_event(&connection, of, kind, &to_word(cause), None, at)?;
        let event = connection.last_insert_rowid();
        let sql = "UPDATE events SET asker = ?2, state = ?3, command = ?4 WHERE id = ?1";
        connection.execute(sql, rusqlite::params![event, asker.to_string(), state, command])?;
        connection.commit()?;
        self.changed();
        Ok(())
    }
}

/// Lets a journal of an earlier version be read like one of this.
pub(super) fn read_earlier(connection: &Connection) -> Result<(), Error> {
    let known = connection.prepare("SELECT asker FROM intents LIMIT 1").is_ok();
    if !known {
        connection.execute_batch(SEEN_WITHOUT)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Plan, RequestLink, Retention, UndoGroup};
    use super::*;
    use loopdeck_core::control::Intent;

    const OF: LoopRef<'_> = LoopRef { workspace: "/w", file: "f" };

    fn write(journal: &mut Journal, word: &str, ask: RequestLink<'_>, at: i64) {
        let new = format!("new {at}");
        let plan = Plan {
            of: OF,
            word,
            ask,
            before: (b"old", Timestamp::from_millis(1), true),
            after: (new.as_bytes(), true),
            life: Timestamp::from_millis(0),
            at: Timestamp::from_millis(at),
            group: UndoGroup::begin(),
        };
        let planned = journal.plan(&plan).unwrap();
        let temp = tempfile::NamedTempFile::new().unwrap();
        let stamp = loopdeck_system::fingerprint::Fingerprint::at(temp.path()).unwrap();
        journal.mark_landed(&planned, stamp).unwrap();
    }

    fn askers(journal: &mut Journal) -> Vec<(String, Option<String>)> {
        let beside = [(); 4].map(|()| "none".to_owned());
        let events = journal.events(OF, &beside, 50).unwrap();
        events
            .into_iter()
            .map(|one| (format!("{} {}", one.kind, one.word), one.asker.map(|asker| asker.to_string())))
            .collect()
    }

    #[test]
    fn whoever_asked_is_kept_with_the_request_and_its_writes_and_with_nothing_else() {
        let mut journal = Journal::in_memory(Retention::default()).unwrap();
        let bob = Asker::parse("bob.tower").unwrap();
        journal.name_asker(Some((&bob, "C1")));
        write(&mut journal, "pause", RequestLink::New(&Intent::Pause), 2);
        write(&mut journal, "operate", RequestLink::None, 3);
        write(&mut journal, "redirect", RequestLink::None, 4);
        journal.name_asker(None);
        write(&mut journal, "resume", RequestLink::New(&Intent::Resume { raise_limit_to: None }), 5);
        journal.note_asked(OF, WriteCause::Answer, (&bob, Some("C3")), Timestamp::from_millis(6)).unwrap();
        let known = ["C1", "C2", "C3"].map(|command| journal.progress_of(command).unwrap());
        assert_eq!(known, [CommandProgress::Written, CommandProgress::None, CommandProgress::Begun]);
        let answer = (WriteCause::Answer, Some("No such\nword"));
        for at in [7, 8] {
            journal.note_answered(OF, answer, (&bob, "C4"), Timestamp::from_millis(at)).unwrap();
        }
        let (bob, nobody) = (Some("bob.tower".to_owned()), None::<String>);
        let expected = [
            ("answered answer", bob.clone()),
            ("asked answer", bob.clone()),
            ("write resume", nobody.clone()),
            ("requested resume", nobody.clone()),
            ("write redirect", bob.clone()),
            ("write operate", nobody),
            ("write pause", bob.clone()),
            ("requested pause", bob.clone()),
        ];
        assert_eq!(askers(&mut journal), expected.map(|(word, asker)| (word.to_owned(), asker)));
        let versions = journal.versions(OF, 10).unwrap();
        let named: Vec<_> = versions.iter().map(|one| one.asker.as_ref().map(Asker::to_string)).collect();
        let (bobs, others) = (&bob, &None);
        let expected = [others, others, bobs, others, others, others, bobs, others].map(Clone::clone);
        assert_eq!(named, expected, "newest first, each after what was there before it");
        assert_eq!(journal.open_requests("/w").unwrap().len(), 1);
        write(&mut journal, "pause", RequestLink::Known(1), 8); // sent again later, in nobody's name
        assert_eq!(askers(&mut journal)[0], ("write pause".to_owned(), bob));
    }

    #[test]
    fn a_journal_from_before_is_read_and_brought_up_to_date() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        drop(Journal::open(&path, Retention::default()));
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch(
                "DROP TABLE handed_over; ALTER TABLE leases DROP COLUMN program; ALTER TABLE leases DROP COLUMN since;
                 DROP INDEX events_of_command;
                 ALTER TABLE intents DROP COLUMN asker; ALTER TABLE events DROP COLUMN asker;
                 ALTER TABLE events DROP COLUMN command;
                 DROP TABLE reverted_files;
                 INSERT INTO intents (workspace, file, verb, at) VALUES ('/w', 'f', 'pause', 1);
                 INSERT INTO events (workspace, file, at, kind, word, intent)
                     VALUES ('/w', 'f', 1, 'requested', 'pause', 1);
                 PRAGMA user_version = 7;",
            )
            .unwrap();
        drop(connection);
        let before = std::fs::read(&path).unwrap();
        let expected = [("requested pause".to_owned(), None)];
        let mut seen = Journal::open_for_reading(&path, Retention::default()).unwrap();
        assert_eq!((askers(&mut seen), seen.open_requests("/w").unwrap().len()), (expected.to_vec(), 1));
        drop(seen);
        assert_eq!(std::fs::read(&path).unwrap(), before, "a look changes nothing");
        let mut journal = Journal::open(&path, Retention::default());
        assert_eq!(askers(&mut journal), expected);
    }
}
