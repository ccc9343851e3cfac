//! Versions of state files: what a loop said, when, and who wrote it.

use super::{Error, Journal, LoopRef};
use loopdeck_core::past::Asker;
use loopdeck_core::times::Timestamp;
use loopdeck_system::hash::hash;
use rusqlite::{Connection, OptionalExtension as _, params};

/// Who wrote a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// Loopdeck.
    Ours,
    /// Anybody else.
    Foreign,
}

impl Writer {
    pub(super) fn word(self) -> &'static str {
        match self {
            Writer::Ours => "ours",
            Writer::Foreign => "foreign",
        }
    }
}

/// One kept version, without its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Its number.
    pub id: i64,
    /// When it was written (foreign: as the file says).
    pub at: Timestamp,
    /// Who wrote it.
    pub who: Writer,
    /// What it was for when it is ours: a verb, `undo` or `restore`.
    pub word: Option<String>,
    /// The number of the write that made it, when it is ours ([`super::Recorded::number`]).
    pub event: Option<i64>,
    /// Bytes.
    pub size: u64,
    /// Finds equal contents; bytes decide.
    pub hash: i64,
    /// Whether it could be read as a loop.
    pub readable: bool,
    /// Who asked for it from another machine.
    pub asker: Option<Asker>,
}

/// A version as it is known when another one is to be judged.
pub(crate) struct KnownVersion {
    /// What it says.
    pub(crate) bytes: Vec<u8>,
    /// It is the first write of the request, or came after it.
    pub(crate) since: bool,
}

/// Versions that a foreign one is compared with, at most: after our first write of a request, and before it.
const COMPARED_SINCE: u32 = 64;
const COMPARED_BEFORE: u32 = 32;
/// Most bytes of each of both; a few are compared whatever their size.
const COMPARED_BYTES: usize = 16 << 20;
const ALWAYS_COMPARED: usize = 4;

/// A version to be stored.
pub(super) struct New<'a> {
    pub(super) of: LoopRef<'a>,
    pub(super) at: Timestamp,
    pub(super) bytes: &'a [u8],
    pub(super) who: Writer,
    pub(super) intent: Option<i64>,
    pub(super) readable: bool,
    pub(super) landed: bool,
}

const COLUMNS: &str = "s.id, s.at, s.who, e.word, length(c.bytes), s.hash, s.readable, s.event,
    coalesce(e.asker, i.asker)";
const JOINS: &str = "snapshots s JOIN contents c ON c.id = s.content LEFT JOIN events e ON e.id = s.event
    LEFT JOIN intents i ON i.id = s.intent";

impl Journal {
    /// Keeps a version that another program wrote, unless the newest one is the same. Not synchronised: a power cut may lose it, a kill
    /// does not.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn keep_foreign(
        &mut self,
        of: LoopRef<'_>,
        bytes: &[u8],
        at: Timestamp,
        readable: bool,
    ) -> Result<(), Error> {
        let transaction = self.database()?.transaction()?;
        let new = New { of, at, bytes, who: Writer::Foreign, intent: None, readable, landed: true };
        let (_, added) = keep_unless_newest(&transaction, &new)?;
        transaction.commit()?;
        self.sizes.add(added);
        if added > 0 {
            self.changed();
        }
        Ok(())
    }

    /// Kept versions of a loop, newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn versions(&mut self, of: LoopRef<'_>, limit: u32) -> Result<Vec<Version>, Error> {
        let sql = format!(
            "SELECT {COLUMNS} FROM {JOINS} WHERE s.workspace = ?1 AND s.file = ?2 AND s.landed = 1
             ORDER BY s.id DESC LIMIT ?3"
        );
        let mut statement = self.database()?.prepare(&sql)?;
        let rows = statement.query_map(params![of.workspace, of.file, limit], version)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// One version of a loop with its bytes; `None` when it is not kept, or no longer is.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn version(&mut self, of: LoopRef<'_>, id: i64) -> Result<Option<(Version, Vec<u8>)>, Error> {
        self.one(of, "s.id = ?3", id)
    }

    /// The newest readable versions of a loop with their bytes, newest first; the first one that was written for `request`
    /// and those right before it are among them, however many came after. None when nothing was written.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(crate) fn known_versions(
        &mut self,
        of: LoopRef<'_>,
        request: i64,
    ) -> Result<Vec<KnownVersion>, Error> {
        let connection = self.database()?;
        let first: Option<i64> = connection
            .prepare_cached(
                "SELECT min(after) FROM events WHERE workspace = ?1 AND file = ?2 AND kind = 'write'
                 AND state = 'landed' AND intent = ?3",
            )?
            .query_row(params![of.workspace, of.file, request], |row| row.get(0))?;
        let Some(first) = first else { return Ok(Vec::new()) };
        let mut known = Vec::new();
        for (from, to, since, most) in [
            (first + 1, i64::MAX, true, COMPARED_SINCE),
            (first, first, true, 1),
            (i64::MIN, first - 1, false, COMPARED_BEFORE),
        ] {
            let found = newest_between(connection, of, (from, to), most)?;
            known.extend(found.into_iter().map(|bytes| KnownVersion { bytes, since }));
        }
        Ok(known)
    }

    /// The newest version of a loop that could be read.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn newest_readable(&mut self, of: LoopRef<'_>) -> Result<Option<(Version, Vec<u8>)>, Error> {
        self.one(of, "s.readable = ?3", 1)
    }

    fn one(
        &mut self,
        of: LoopRef<'_>,
        condition: &str,
        value: i64,
    ) -> Result<Option<(Version, Vec<u8>)>, Error> {
        let sql = format!(
            "SELECT {COLUMNS}, c.bytes FROM {JOINS} WHERE s.workspace = ?1 AND s.file = ?2 AND s.landed = 1
             AND {condition} ORDER BY s.id DESC LIMIT 1"
        );
        let row = |row: &rusqlite::Row<'_>| Ok((version(row)?, row.get(9)?));
        let connection = self.database()?;
        Ok(connection.query_row(&sql, params![of.workspace, of.file, value], row).optional()?)
    }
}

/// The bytes of readable versions with numbers in this range, newest first.
fn newest_between(
    connection: &Connection,
    of: LoopRef<'_>,
    (from, to): (i64, i64),
    most: u32,
) -> rusqlite::Result<Vec<Vec<u8>>> {
    let mut statement = connection.prepare_cached(
        "SELECT c.bytes FROM snapshots s JOIN contents c ON c.id = s.content
         WHERE s.workspace = ?1 AND s.file = ?2 AND s.landed = 1 AND s.readable = 1 AND s.id BETWEEN ?3 AND ?4
         ORDER BY s.id DESC LIMIT ?5",
    )?;
    let mut rows = statement.query(params![of.workspace, of.file, from, to, most])?;
    let (mut found, mut size) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let bytes: Vec<u8> = row.get(0)?;
        size += bytes.len();
        if size > COMPARED_BYTES && found.len() >= ALWAYS_COMPARED {
            break;
        }
        found.push(bytes);
    }
    Ok(found)
}

fn version(row: &rusqlite::Row<'_>) -> rusqlite::Result<Version> {
    let who: String = row.get(2)?;
    let size: i64 = row.get(4)?;
    Ok(Version {
        id: row.get(0)?,
        at: Timestamp::from_millis(row.get(1)?),
        who: if who == Writer::Ours.word() { Writer::Ours } else { Writer::Foreign },
        word: row.get(3)?,
        size: u64::try_from(size).unwrap_or(0),
        hash: row.get(5)?,
        readable: row.get(6)?,
        event: row.get(7)?,
        asker: row.get::<_, Option<String>>(8)?.as_deref().and_then(Asker::parse),
    })
}

/// The number of the newest version when it has these bytes, otherwise of a new one; and how many bytes that added.
pub(super) fn keep_unless_newest(connection: &Connection, new: &New<'_>) -> rusqlite::Result<(i64, u64)> {
    let newest = connection
        .prepare_cached(
            "SELECT id, content FROM snapshots WHERE workspace = ?1 AND file = ?2 AND landed = 1
             ORDER BY id DESC LIMIT 1",
        )?
        .query_row(params![new.of.workspace, new.of.file], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))
        .optional()?;
    match newest {
        Some((id, content)) if same_content(connection, content, new.bytes)? => Ok((id, 0)),
        _ => keep(connection, new),
    }
}

/// Stores a version; its bytes only once, however many versions have them.
pub(super) fn keep(connection: &Connection, new: &New<'_>) -> rusqlite::Result<(i64, u64)> {
    let hash = hash(new.bytes);
    let (content, added) = match known_content(connection, hash, new.bytes)? {
        Some(content) => (content, 0),
        None => {
            let size = i64::try_from(new.bytes.len()).unwrap_or(i64::MAX);
            connection
                .prepare_cached("INSERT INTO contents (hash, size, bytes) VALUES (?1, ?2, ?3)")?
                .execute(params![hash, size, new.bytes])?;
            (connection.last_insert_rowid(), new.bytes.len() as u64)
        }
    };
    connection
        .prepare_cached(
            "INSERT INTO snapshots (workspace, file, at, hash, content, who, intent, readable, landed)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            new.of.workspace,
            new.of.file,
            new.at.millis(),
            hash,
            content,
            new.who.word(),
            new.intent,
            new.readable,
            new.landed
        ])?;
    Ok((connection.last_insert_rowid(), added))
}

fn known_content(connection: &Connection, hash: i64, bytes: &[u8]) -> rusqlite::Result<Option<i64>> {
    let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
    let mut statement =
        connection.prepare_cached("SELECT id, bytes FROM contents WHERE hash = ?1 AND size = ?2")?;
    let mut rows = statement.query(params![hash, size])?;
    while let Some(row) = rows.next()? {
        if row.get_ref(1)?.as_blob().is_ok_and(|known| known == bytes) {
            return row.get(0).map(Some);
        }
    }
    Ok(None)
}

fn same_content(connection: &Connection, content: i64, bytes: &[u8]) -> rusqlite::Result<bool> {
    let mut statement =
        connection.prepare_cached("SELECT bytes FROM contents WHERE id = ?1 AND size = ?2")?;
    let mut rows = statement.query(params![content, i64::try_from(bytes.len()).unwrap_or(i64::MAX)])?;
    Ok(match rows.next()? {
        Some(row) => row.get_ref(0)?.as_blob().is_ok_and(|known| known == bytes),
        None => false,
    })
}
