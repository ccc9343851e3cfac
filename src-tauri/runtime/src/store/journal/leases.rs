//! Which Loopdeck looks after a loop: of several processes that share the journal (a window, a script, another user's
//! session) only one guards a request, so that they never fight each other.

use super::{Error, Journal, LEASE_LASTS, LoopRef};
use loopdeck_core::times::Timestamp;
use loopdeck_system::processes as tree;
use loopdeck_system::processes::ProcessId;
use rusqlite::{Connection, OptionalExtension as _, params};

impl Journal {
    /// Takes or renews the lease on a loop for `holder`; false when another holder's still lasts.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn hold_lease(&mut self, of: LoopRef<'_>, holder: &str, now: Timestamp) -> Result<bool, Error> {
        // One transaction: of two that see the same dead holder, only the first takes its place.
        let transaction = self.database()?.transaction()?;
        let sql = "SELECT holder, until FROM leases WHERE workspace = ?1 AND file = ?2";
        let found = transaction
            .query_row(sql, params![of.workspace, of.file], |row| {
                Ok((row.get::<_, String>(0)?, Timestamp::from_millis(row.get(1)?)))
            })
            .optional()?;
        let is_free = found.is_none_or(|(other, until)| other == holder || until <= now || !lives(&other));
        if is_free {
            take_free_lease(&transaction, of, holder, now)?;
        }
        transaction.commit()?;
        Ok(is_free)
    }

    /// Whether `holder` has the lease on a loop; a look only.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn has_lease(&mut self, of: LoopRef<'_>, holder: &str) -> Result<bool, Error> {
        let sql = "SELECT holder = ?3 FROM leases WHERE workspace = ?1 AND file = ?2";
        let mut found = self.database()?.prepare_cached(sql)?;
        let has: Option<bool> =
            found.query_row(params![of.workspace, of.file, holder], |row| row.get(0)).optional()?;
        Ok(has == Some(true))
    }

    /// Takes the lease from its holder: a person's newest word decides who looks after it.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn take_lease(&mut self, of: LoopRef<'_>, holder: &str, now: Timestamp) -> Result<(), Error> {
        take_free_lease(self.database()?, of, holder, now)?;
        Ok(())
    }

    /// The same for several loops, in one transaction.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn take_leases<'a>(
        &mut self,
        of: impl IntoIterator<Item = LoopRef<'a>>,
        holder: &str,
        now: Timestamp,
    ) -> Result<(), Error> {
        let mut of = of.into_iter().peekable();
        if of.peek().is_none() {
            return Ok(());
        }
        let transaction = self.database()?.transaction()?;
        for of in of {
            take_free_lease(&transaction, of, holder, now)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Leaves the lease, as a holder does whose process ends: the next process finds it, see [`Journal::left_leases`].
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn leave_lease(&mut self, of: LoopRef<'_>, holder: &str) -> Result<(), Error> {
        self.database()?.execute(
            "UPDATE leases SET holder = 'left', until = 0 WHERE workspace = ?1 AND file = ?2 AND holder = ?3",
            params![of.workspace, of.file, holder],
        )?;
        Ok(())
    }

    /// State files of a workspace whose lease has a holder that is gone: its work there was not finished.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn left_leases(&mut self, workspace: &str) -> Result<Vec<String>, Error> {
        let mut found =
            self.database()?.prepare_cached("SELECT file, holder FROM leases WHERE workspace = ?1")?;
        let rows = found
            .query_map(params![workspace], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        Ok(rows.flatten().filter(|(_, holder)| !lives(holder)).map(|(file, _)| file).collect())
    }

    /// Gives the lease back, when `holder` has it.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn give_lease_back(&mut self, of: LoopRef<'_>, holder: &str) -> Result<(), Error> {
        self.database()?.execute(
            "DELETE FROM leases WHERE workspace = ?1 AND file = ?2 AND holder = ?3",
            params![of.workspace, of.file, holder],
        )?;
        Ok(())
    }
}

fn take_free_lease(
    connection: &Connection,
    of: LoopRef<'_>,
    holder: &str,
    now: Timestamp,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO leases (workspace, file, holder, until) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![of.workspace, of.file, holder, (now + LEASE_LASTS).millis()])?;
    Ok(())
}

/// The name of this process in leases; `now` tells two holders in one process apart.
#[must_use]
pub fn holder(now: Timestamp) -> String {
    holder_of(std::process::id(), now)
}

/// The name of a process in leases: its pid, when it began, and the start of the machine in which both mean something. A pid
/// alone may be another process after a power cut.
#[must_use]
pub fn holder_of(pid: u32, now: Timestamp) -> String {
    let start = tree::find_process(pid).ok().flatten().map_or(0, |process| process.id.start);
    format!("{pid}-{start}-{}-{}", now.millis(), tree::boot_id().unwrap_or_default())
}

/// Whether the process of this name may still be alive; where that is unknown, its lease expires.
pub(super) fn lives(holder: &str) -> bool {
    let mut parts = holder.splitn(4, '-');
    let (Some(pid), Some(start), Some(_), Some(boot)) = (
        parts.next().and_then(|pid| pid.parse().ok()),
        parts.next().and_then(|start| start.parse().ok()),
        parts.next(),
        parts.next(),
    ) else {
        return false;
    };
    let is_other_start = tree::boot_id().is_ok_and(|now| now != boot);
    !is_other_start && tree::is_alive(ProcessId { pid, start }).unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::journal::Retention;

    const LASTS: i64 = LEASE_LASTS.num_milliseconds();

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    #[test]
    fn one_holder_at_a_time_and_a_dead_one_is_followed() -> Result<(), Error> {
        let mut journal = Journal::in_memory(Retention::default())?;
        let of = LoopRef { workspace: "/w", file: ".workflow/.loop/a.json" };
        let (window, script) = (holder(at(1)), holder(at(2)));
        assert!(journal.hold_lease(of, &window, at(0))?);
        assert!(!journal.hold_lease(of, &script, at(1))?);
        assert!(journal.hold_lease(of, &window, at(LASTS - 1))?, "renewed by its holder");
        assert!(!journal.hold_lease(of, &script, at(LASTS + 1))?);
        assert!(journal.hold_lease(of, &script, at(3 * LASTS))?, "run out");
        journal.take_lease(of, &window, at(3 * LASTS))?;
        journal.give_lease_back(of, &script)?;
        assert!(!journal.hold_lease(of, &script, at(3 * LASTS))?, "only the holder gives it back");
        journal.give_lease_back(of, &window)?;
        assert!(journal.hold_lease(of, &script, at(3 * LASTS))?);
        Ok(())
    }

    #[test]
    fn a_lease_that_was_left_is_found_and_free() -> Result<(), Error> {
        let mut journal = Journal::in_memory(Retention::default())?;
        let of = LoopRef { workspace: "/w", file: "f" };
        assert!(journal.hold_lease(of, &holder(at(1)), at(0))?);
        assert_eq!(journal.left_leases("/w")?, [""; 0]);
        journal.leave_lease(of, &holder(at(2)))?;
        assert_eq!(journal.left_leases("/w")?, [""; 0], "only its holder leaves it");
        journal.leave_lease(of, &holder(at(1)))?;
        assert_eq!(
            (journal.left_leases("/w")?, journal.left_leases("/v")?),
            (vec!["f".to_owned()], Vec::new())
        );
        assert!(journal.hold_lease(of, &holder(at(2)), at(1))?);
        Ok(())
    }

    #[cfg(target_os = "linux")] // elsewhere a dead holder's lease runs out
    #[test]
    fn a_holder_that_was_killed_is_followed_at_once() -> Result<(), Error> {
        let mut journal = Journal::in_memory(Retention::default())?;
        let of = LoopRef { workspace: "/w", file: ".workflow/.loop/a.json" };
        assert!(journal.hold_lease(of, &holder_of(u32::MAX, at(1)), at(0))?);
        assert!(journal.hold_lease(of, &holder(at(2)), at(1))?);
        Ok(())
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn of_many_that_follow_a_dead_holder_one_does() -> Result<(), Error> {
        const MANY: usize = 4;
        let folder = tempfile::TempDir::with_prefix("loopdeck-leases-")?;
        let path = folder.path().join("journal.sqlite");
        let mut journals: Vec<Journal> =
            (0..MANY).map(|_| Journal::open(&path, Retention::default())).collect();
        for round in 0..40 {
            let file = round.to_string();
            let of = LoopRef { workspace: "/w", file: &file };
            journals[0].take_lease(of, &holder_of(u32::MAX, at(1)), at(0))?;
            let start = std::sync::Barrier::new(MANY);
            let held = std::thread::scope(|scope| {
                let follow = |(name, journal)| {
                    let start = &start;
                    scope.spawn(move || {
                        start.wait();
                        Journal::hold_lease(journal, of, &holder(at(name)), at(1))
                    })
                };
                let all: Vec<_> = (2..).zip(&mut journals).map(follow).collect();
                all.into_iter().filter_map(|one| one.join().ok()).collect::<Result<Vec<bool>, Error>>()
            })?;
            assert_eq!(held.iter().filter(|held| **held).count(), 1, "round {round}");
        }
        Ok(())
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pid_that_was_given_to_another_process_is_not_the_holder() -> Result<(), Error> {
        let me = tree::find_process(std::process::id()).ok().flatten().map(|process| process.id);
        let ProcessId { pid, start } = me.ok_or_else(|| Error::Process("no process".into()))?;
        let boot = tree::boot_id().map_err(|cannot| Error::Process(cannot.0))?;
        let of = LoopRef { workspace: "/w", file: "f" };
        let names = [
            (format!("{pid}-{start}-1-{boot}"), true),
            (format!("{pid}-{}-1-{boot}", start + 1), false),
            // The same numbers before the power cut.
            (format!("{pid}-{start}-1-00000000-0000-0000-0000-000000000000"), false),
            (format!("{pid}-1"), false),
        ];
        for (name, there) in names {
            let mut journal = Journal::in_memory(Retention::default())?;
            assert!(journal.hold_lease(of, &name, at(0))?);
            assert_eq!(journal.left_leases("/w")?.is_empty(), there, "{name}");
            assert_eq!(journal.hold_lease(of, &holder(at(2)), at(1))?, !there, "{name}");
        }
        Ok(())
    }
}
