//! How much of the past is kept: the last versions of every loop, bounded by age and size.

use super::{Error, Journal};
use loopdeck_core::times::{TimeDelta, Timestamp};
use loopdeck_system::clock;
use loopdeck_system::logged::Logged as _;
use rusqlite::{Connection, params};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// What is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Older versions go.
    pub age: TimeDelta,
    /// All versions together, in bytes; twice as much before the last ones of a loop go too.
    pub bytes: u64,
    /// So many versions of each loop stay whatever their age.
    pub versions: u32,
    /// So many notes of what happened stay.
    pub events: u32,
}

impl Default for Retention {
    fn default() -> Self {
        Self { age: TimeDelta::days(30), bytes: 256 << 20, versions: 10, events: 50_000 }
    }
}

/// Says that a database is a journal of Loopdeck: "Loop". Written after each checkpoint, as the first entry of the new log.
const APPLICATION: i32 = 0x4c6f_6f70;

/// When the past is looked through although nothing was added.
const PRUNE_EVERY: Duration = Duration::from_secs(3_600);

/// How large the past is, without asking the database each time.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    bytes: u64,
    /// Pruned when larger than that; rises when everything left must stay.
    prune_above: Option<u64>,
    pruned: Option<Instant>,
}

impl Sizes {
    pub(super) fn measure(connection: &Connection) -> rusqlite::Result<Self> {
        Ok(Self { bytes: total(connection)?, ..Self::default() })
    }

    pub(super) fn add(&mut self, bytes: u64) {
        self.bytes += bytes;
    }
}

impl Journal {
    /// When housekeeping is due.
    #[must_use]
    pub fn housekeeping_at(&self) -> Option<Instant> {
        self.housekeeping_at
    }

    /// Housekeeping, when it is due: removes what is too old or too much, and moves what was committed into the main
    /// file. Whatever fails is tried again after the next write.
    pub fn checkpoint_and_prune_if_due(&mut self) {
        if self.housekeeping_at.is_some_and(|at| at <= Instant::now()) {
            self.housekeeping_at = None;
            self.checkpoint_and_prune().logged("the journal is not tended");
        }
    }

    /// The same now, due or not.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn checkpoint_and_prune(&mut self) -> Result<(), Error> {
        let above = self.sizes.prune_above.unwrap_or(self.retention.bytes);
        let due = self.sizes.pruned.is_none_or(|at| at.elapsed() >= PRUNE_EVERY);
        if due || self.sizes.bytes > above {
            self.prune(clock::now())?;
        }
        let connection = self.database()?;
        connection.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(()))?;
        // The log keeps its place on the disk and starts over now: a guarded write waits for neither.
        connection.pragma_update(None, "application_id", APPLICATION)?;
        Ok(())
    }

    /// Removes what is too old or too much, and gives the room back to the disk.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn prune(&mut self, now: Timestamp) -> Result<(), Error> {
        let limits = self.retention;
        let transaction = self.database()?.transaction()?;
        for id in versions_to_remove(&kept_versions(&transaction)?, &limits, now) {
            transaction.prepare_cached("DELETE FROM snapshots WHERE id = ?1")?.execute([id])?;
        }
        // Writes whose end was never observed, in workspaces that were not opened again.
        transaction
            .execute("DELETE FROM snapshots WHERE landed = 0 AND at < ?1", [(now - limits.age).millis()])?;
        transaction.execute("DELETE FROM contents WHERE id NOT IN (SELECT content FROM snapshots)", [])?;
        transaction.execute("DELETE FROM steps WHERE at < ?1", [(now - limits.age).millis()])?;
        forget_events(&transaction, &limits, now)?;
        let bytes = total(&transaction)?;
        transaction.commit()?;
        // One row per freed page: all must be asked for.
        let mut vacuum = self.database()?.prepare("PRAGMA incremental_vacuum")?;
        let mut rows = vacuum.query([])?;
        while rows.next()?.is_some() {}
        drop(rows);
        drop(vacuum);
        let above = limits.bytes.max(bytes + limits.bytes / 16);
        self.sizes = Sizes { bytes, prune_above: Some(above), pruned: Some(Instant::now()) };
        Ok(())
    }
}

fn total(connection: &Connection) -> rusqlite::Result<u64> {
    let bytes: i64 =
        connection.query_row("SELECT coalesce(sum(size), 0) FROM contents", [], |row| row.get(0))?;
    Ok(u64::try_from(bytes).unwrap_or(0))
}

fn forget_events(connection: &Connection, limits: &Retention, now: Timestamp) -> rusqlite::Result<()> {
    let before = now - limits.age;
    connection.execute(
        "DELETE FROM events WHERE (at < ?1 OR id <= (SELECT max(id) FROM events) - ?2)
         AND state IS NOT 'planned' AND id NOT IN (SELECT event FROM snapshots WHERE event IS NOT NULL)",
        params![before.millis(), limits.events],
    )?;
    connection.execute("DELETE FROM intents WHERE outcome <> 'open' AND at < ?1", [before.millis()])?;
    Ok(())
}

/// A version as retention sees it.
#[derive(Clone, Copy, Debug)]
struct RetainedVersion {
    id: i64,
    at: Timestamp,
    /// 1 is the newest of its loop.
    rank: u32,
    content: i64,
    size: u64,
}

/// All versions, oldest first. A planned write is about to become the newest: never in question.
fn kept_versions(connection: &Connection) -> rusqlite::Result<Vec<RetainedVersion>> {
    let mut statement = connection.prepare(
        "SELECT s.id, s.at, row_number() OVER (PARTITION BY s.workspace, s.file ORDER BY s.id DESC), s.content, c.size
         FROM snapshots s JOIN contents c ON c.id = s.content WHERE s.landed = 1 ORDER BY s.id",
    )?;
    let rows = statement.query_map([], |row| {
        let size: i64 = row.get(4)?;
        let size = u64::try_from(size).unwrap_or(0);
        Ok(RetainedVersion {
            id: row.get(0)?,
            at: Timestamp::from_millis(row.get(1)?),
            rank: row.get(2)?,
            content: row.get(3)?,
            size,
        })
    })?;
    rows.collect()
}

/// Which of `kept` (oldest first) go.
fn versions_to_remove(kept: &[RetainedVersion], limits: &Retention, now: Timestamp) -> Vec<i64> {
    let mut uses: HashMap<i64, u32> = HashMap::new();
    let mut total = 0;
    for version in kept {
        let used = uses.entry(version.content).or_default();
        total += if *used == 0 { version.size } else { 0 };
        *used += 1;
    }
    let mut gone = Vec::new();
    let mut left = Vec::new();
    let mut go = |version: &RetainedVersion, total: &mut u64| {
        gone.push(version.id);
        let used = uses.entry(version.content).or_default();
        *used = used.saturating_sub(1);
        *total -= if *used == 0 { version.size } else { 0 };
    };
    for version in kept {
        let old = now - version.at > limits.age;
        if version.rank > limits.versions && (old || total > limits.bytes) {
            go(version, &mut total);
        } else {
            left.push(*version);
        }
    }
    for version in left.iter().filter(|version| version.rank > 1) {
        if total > limits.bytes * 2 {
            go(version, &mut total);
        }
    }
    gone
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept_versions(n: i64, loops: i64, size: u64) -> Vec<RetainedVersion> {
        let rank = |id: i64| u32::try_from((n - 1 - id) / loops + 1).unwrap();
        (0..n)
            .map(|id| RetainedVersion {
                id,
                at: Timestamp::from_millis(id),
                rank: rank(id),
                content: id,
                size,
            })
            .collect()
    }

    const LIMITS: Retention = Retention { age: TimeDelta::seconds(1), bytes: 100, versions: 10, events: 10 };

    #[test]
    fn old_versions_go_and_the_last_ten_stay() {
        assert_eq!(
            versions_to_remove(&kept_versions(15, 1, 1), &LIMITS, Timestamp::from_millis(500)),
            Vec::<i64>::new()
        );
        assert_eq!(
            versions_to_remove(&kept_versions(15, 1, 1), &LIMITS, Timestamp::from_millis(50_000)),
            [0, 1, 2, 3, 4]
        );
    }

    #[test]
    fn too_much_goes_oldest_first_and_the_last_ten_only_above_twice_the_bound() {
        assert_eq!(
            versions_to_remove(&kept_versions(15, 1, 8), &LIMITS, Timestamp::from_millis(0)),
            [0, 1, 2]
        );
        assert_eq!(
            versions_to_remove(&kept_versions(15, 1, 15), &LIMITS, Timestamp::from_millis(0)),
            [0, 1, 2, 3, 4],
            "150 bytes are within twice the bound"
        );
        assert_eq!(
            versions_to_remove(&kept_versions(15, 1, 30), &LIMITS, Timestamp::from_millis(0)),
            [0, 1, 2, 3, 4, 5, 6, 7, 8]
        );
        assert_eq!(
            versions_to_remove(&kept_versions(3, 3, 900), &LIMITS, Timestamp::from_millis(0)),
            Vec::<i64>::new(),
            "the newest of each loop always stays"
        );
    }

    #[test]
    fn equal_contents_count_once() {
        let mut versions = kept_versions(20, 1, 60);
        for version in &mut versions {
            version.content = 1;
        }
        assert_eq!(versions_to_remove(&versions, &LIMITS, Timestamp::from_millis(0)), Vec::<i64>::new());
    }
}
