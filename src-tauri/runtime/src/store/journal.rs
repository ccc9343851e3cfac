//! Our own memory (SQLite): every control request is written down before the file is touched, and with it the bytes
//! that are replaced and those that replace them. A crash loses nothing, and every write of ours can be undone.
//!
//! One commit with an fsync comes before a write; everything else (that it landed, foreign versions, pruning) is committed without, and
//! moved into the main file in quiet moments.

mod asking;
mod changed_files;
mod driving;
mod events;
mod exchange;
mod finishing;
mod follow_ups;
mod groups;
mod handing;
mod last_writes;
mod leases;
mod list_marks;
mod look;
mod messages;
mod migrations;
mod notes;
mod past;
mod requests;
mod retention;
mod run_facts;
mod run_record;
mod runs;
mod snapshots;
mod steps;
mod verifications;
mod writes;

pub use asking::CommandProgress;
pub use changed_files::{RunChanged, places_in};
pub use events::Recorded;
pub use exchange::{ImportFault, Imported};
pub(crate) use finishing::Began;
pub use finishing::{BEGAN, FileVersion, Revert, RevertedFile};
pub use follow_ups::RecordedFollowUp;
pub use groups::UndoGroup;
pub use handing::HandedRequest;
pub use last_writes::{LastRedirect, LastWrite};
pub use leases::{RecordedRunner, holder, holder_of};
pub use list_marks::{KeptMarks, RecordedMarks};
pub use loopdeck_execution::records::{LEASE_LASTS, LoopRef, RecordedRun, Spent};
pub use notes::RecordedNotes;
pub use past::{PastVersion, RunCost};
pub use retention::Retention;
pub use runs::KnownRecipes;
pub(crate) use snapshots::KnownVersion;
pub use snapshots::{Version, Writer};
pub use steps::{OpenStep, RemainingWrites, StepText, StepWrite};
pub use writes::{Plan, PlanFault, Planned, RequestLink, UNDO, Unresolved};

use loopdeck_core::control::{Intent, Verb};
use loopdeck_core::past::Asker;
use loopdeck_core::times::Timestamp;
use loopdeck_system::logged::Logged as _;
use loopdeck_system::platform::make_private;
use rusqlite::{Connection, ErrorCode, TransactionBehavior, params};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// So many statements stay prepared: more than a guarded write and its guard use.
const STATEMENTS: usize = 64;
/// Others (headless commands) may hold the database for a moment; many at once wait for each other's disk.
const BUSY: Duration = Duration::from_secs(10);
/// How long until something is tried again that SQLite refuses without waiting for [`BUSY`].
const AGAIN: Duration = Duration::from_millis(5);
/// How long a pause the housekeeping waits for after a write.
const TEND_AFTER: Duration = Duration::from_secs(2);

/// The journal's database. Opened again automatically when it was not available before.
#[derive(Debug)]
pub struct Journal {
    /// `None` when it is kept in memory.
    path: Option<PathBuf>,
    connection: Option<Connection>,
    retention: Retention,
    housekeeping_at: Option<Instant>,
    sizes: retention::Sizes,
    behalf: asking::AskedBy,
}

/// Why the journal is not available.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A newer Loopdeck has changed its tables: this one would not keep what it wrote.
    #[error("the journal is from a newer version of Loopdeck")]
    Newer,
    /// What SQLite says.
    #[error(transparent)]
    Database(#[from] rusqlite::Error),
    /// What the disk says.
    #[error(transparent)]
    Disk(#[from] std::io::Error),
    /// A record that has no text.
    #[error(transparent)]
    Text(#[from] serde_json::Error),
    /// This process cannot be named in a lease.
    #[error("{0}")]
    Process(String),
    /// It could not be opened.
    #[error("the journal is not open")]
    Closed,
}

/// A request as the journal keeps it.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedRequest {
    /// Its number.
    pub id: i64,
    /// Canonical workspace path.
    pub workspace: String,
    /// State file below it.
    pub file: String,
    /// What was asked.
    pub intent: Intent,
    /// When.
    pub at: Timestamp,
    /// How often it was written again.
    pub sent_again: u32,
    /// Who asked for it from another machine.
    pub asker: Option<Asker>,
}

impl RecordedRequest {
    /// Which loop the request is about.
    #[must_use]
    pub fn loop_ref(&self) -> LoopRef<'_> {
        LoopRef { workspace: &self.workspace, file: &self.file }
    }
}

/// How a request ended, or that it has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Still guarded.
    Open,
    /// In effect, or answered by the loop.
    Settled,
    /// A newer request took its place.
    Superseded,
    /// Not legal, or the disk refused.
    Refused,
    /// A person put an older version back.
    Undone,
    /// Another tool decided otherwise.
    Overruled,
}

impl Outcome {
    fn word(self) -> &'static str {
        match self {
            Outcome::Open => "open",
            Outcome::Settled => "settled",
            Outcome::Superseded => "superseded",
            Outcome::Refused => "refused",
            Outcome::Undone => "undone",
            Outcome::Overruled => "overruled",
        }
    }
}

// Housekeeping is ours (`checkpoint_and_prune`): a checkpoint must not fall into a guarded write.
const SETTINGS: &str = "
    PRAGMA auto_vacuum = INCREMENTAL;
    PRAGMA journal_mode = WAL;
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA journal_size_limit = 4194304;
    PRAGMA synchronous = NORMAL;
    PRAGMA temp_store = MEMORY;
";

impl Journal {
    /// The journal at `path`. When it is not available now, every use tries again: until then nothing can be recorded, and so nothing is
    /// written.
    #[must_use]
    pub fn open(path: &Path, retention: Retention) -> Self {
        let sizes = retention::Sizes::default();
        let mut journal = Self { path: Some(path.to_owned()), retention, sizes, ..Self::without_database() };
        let _ = journal.database(); // said when something is to be recorded
        journal
    }

    /// A journal that ends with the process: for a look that must leave nothing behind.
    ///
    /// # Errors
    /// When SQLite itself fails.
    pub fn in_memory(retention: Retention) -> Result<Self, Error> {
        let connection = Some(prepare(Connection::open_in_memory()?)?);
        Ok(Self { connection, retention, ..Self::without_database() })
    }

    fn without_database() -> Self {
        let (retention, sizes) = (Retention::default(), retention::Sizes::default());
        let behalf = asking::AskedBy::default();
        Self { path: None, connection: None, retention, housekeeping_at: None, sizes, behalf }
    }

    /// Whether it is available now. A blank one is, and stays without tables.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&mut self) -> Result<(), Error> {
        if self.is_blank() {
            return Ok(());
        }
        self.database().map(drop)
    }

    /// The open database.
    fn database(&mut self) -> Result<&mut Connection, Error> {
        // A folder that was removed under us takes what is written into it along.
        if self.path.as_ref().is_some_and(|path| !path.exists()) {
            self.connection = None;
        }
        if let (None, Some(path)) = (&self.connection, &self.path) {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            let connection = retry_while_busy(|| connect(path))?;
            self.sizes = retention::Sizes::measure(&connection)?;
            self.connection = Some(connection);
            self.changed(); // what a killed Loopdeck left to tidy
        }
        if self.is_blank() {
            self.connection = Some(look::empty_database()?);
        }
        self.connection.as_mut().ok_or(Error::Closed)
    }

    /// Notes something about a loop that no write of ours is behind: `deleted`, `refused`.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn note(&mut self, of: LoopRef<'_>, kind: &str, word: &str, at: Timestamp) -> Result<(), Error> {
        let connection = self.database()?;
        add_event(connection, of, kind, word, None, at)?;
        self.changed();
        Ok(())
    }

    fn changed(&mut self) {
        self.housekeeping_at.get_or_insert_with(|| Instant::now() + TEND_AFTER);
    }
}

/// Does what SQLite refuses at once while another process opens, recovers or closes the database: again, until [`BUSY`]
/// is over.
fn retry_while_busy<T>(mut attempt: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    let end = Instant::now() + BUSY;
    loop {
        match attempt() {
            Err(Error::Database(error)) if is_busy(&error) && Instant::now() < end => {
                std::thread::sleep(AGAIN);
            }
            done => return done,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Opens the database; a file that is not one, or no longer is, is set aside, never overwritten.
fn connect(path: &Path) -> Result<Connection, Error> {
    let damaged = |error: &rusqlite::Error| {
        matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
    };
    match prepare(Connection::open(path)?) {
        Err(Error::Database(error)) if damaged(&error) => {
            let aside = free_ending(path);
            for file in files_of(path) {
                std::fs::rename(&file, format!("{file}{aside}"))
                    .logged("an unreadable file is not set aside"); // its two companions may be missing
            }
            prepare(Connection::open(path)?)
        }
        done => done,
    }
}

/// The database and its two companions.
fn files_of(path: &Path) -> [String; 3] {
    ["", "-wal", "-shm"].map(|ending| format!("{}{ending}", path.display()))
}

/// An ending under which none of its files was set aside yet.
fn free_ending(path: &Path) -> String {
    let numbered = (2_u32..).map(|number| format!(".unreadable-{number}"));
    let mut endings = std::iter::once(".unreadable".to_owned()).chain(numbered);
    let is_free = |ending: &String| {
        files_of(path).iter().all(|file| Path::new(&format!("{file}{ending}")).symlink_metadata().is_err())
    };
    endings.find(is_free).unwrap_or_default()
}

fn prepare(mut connection: Connection) -> Result<Connection, Error> {
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    migrations::refuse_newer(&connection)?;
    // A transaction that begins with a look and then writes is refused at once when another process wrote in between.
    connection.set_transaction_behavior(TransactionBehavior::Immediate);
    if let Some(path) = connection.path().filter(|path| !path.is_empty()) {
        // It holds copies of files that may be readable for their owner only. A read-only disk refuses.
        make_private(Path::new(path)).logged("the journal may be readable for others");
    }
    connection.execute_batch(SETTINGS)?;
    let vacuum: i64 = connection.query_row("PRAGMA auto_vacuum", [], |row| row.get(0))?;
    if vacuum == 0 {
        // Made by a version before this one: only a rewrite lets the file shrink from now on.
        connection.execute_batch("VACUUM")?;
    }
    migrations::bring_up_to_date(&mut connection)?;
    Ok(connection)
}

fn add_event(
    connection: &Connection,
    of: LoopRef<'_>,
    kind: &str,
    word: &str,
    intent: Option<i64>,
    at: Timestamp,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO events (workspace, file, at, kind, word, intent) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    statement.execute(params![of.workspace, of.file, at.millis(), kind, word, intent])?;
    Ok(())
}

/// The word an intent is kept under.
#[must_use]
pub fn intent_word(intent: &Intent) -> &'static str {
    match intent {
        Intent::Repair(_) => "repair",
        Intent::Operate(operation) if operation.is_redirect() => "redirect",
        Intent::Operate(_) => "operate",
        _ => intent.verb().map_or("operate", verb_word),
    }
}

/// The word a verb is kept under.
#[must_use]
pub fn verb_word(verb: Verb) -> &'static str {
    match verb {
        Verb::Start => "start",
        Verb::Pause => "pause",
        Verb::Resume => "resume",
        Verb::Stop => "stop",
        Verb::Reopen => "reopen",
        Verb::Finalise => "finalise",
        Verb::EditMetadata => "edit_metadata",
        Verb::Delete => "delete",
    }
}
