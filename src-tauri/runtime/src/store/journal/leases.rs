//! Which Loopdeck looks after a loop: of several processes that share the journal (a window, a script, another user's
//! session) only one guards a request or runs the loop, so that they never fight each other. A lease says whether its holder
//! runs the loop, by which program, and since when.

use super::{Error, Journal, LEASE_LASTS, LoopRef};
use loopdeck_core::status::Program;
use loopdeck_core::times::Timestamp;
use loopdeck_system::processes as tree;
use loopdeck_system::processes::ProcessId;
use rusqlite::{Connection, OptionalExtension as _, params};

/// Who runs a loop, and since when.
pub(super) const SCHEMA: &str = "
    ALTER TABLE leases ADD COLUMN program TEXT;
    ALTER TABLE leases ADD COLUMN since INTEGER;
";

/// A process that runs a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedRunner {
    /// Its name in leases.
    pub holder: String,
    /// Which program it is.
    pub program: Program,
    /// Since when it runs the loop.
    pub since: Timestamp,
}

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
        let is_free = found.is_none_or(|(other, until)| other == holder || until <= now || !is_alive(&other));
        if is_free {
            take_free_lease(&transaction, of, holder, now)?;
        }
        transaction.commit()?;
        Ok(is_free)
    }

    /// Takes or renews the lease on a loop that `holder` runs; false when another holder's still lasts.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn hold_to_run(
        &mut self,
        of: LoopRef<'_>,
        (holder, program): (&str, Program),
        now: Timestamp,
    ) -> Result<bool, Error> {
        let is_held = self.hold_lease(of, holder, now)?;
        if is_held {
            let sql = "UPDATE leases SET program = ?4, since = coalesce(since, ?5)
                       WHERE workspace = ?1 AND file = ?2 AND holder = ?3";
            let values = params![of.workspace, of.file, holder, program.name(), now.millis()];
            self.database()?.prepare_cached(sql)?.execute(values)?;
        }
        Ok(is_held)
    }

    /// `holder` no longer runs the loop, and looks after a request on it still.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn end_running(&mut self, of: LoopRef<'_>, holder: &str) -> Result<(), Error> {
        self.database()?.execute(
            "UPDATE leases SET program = NULL, since = NULL WHERE workspace = ?1 AND file = ?2 AND holder = ?3",
            params![of.workspace, of.file, holder],
        )?;
        Ok(())
    }

    /// Living processes that run loops of a workspace, by state file.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn runners(
        &mut self,
        workspace: &str,
        now: Timestamp,
    ) -> Result<Vec<(String, RecordedRunner)>, Error> {
        let sql = "SELECT file, holder, program, since FROM leases
                   WHERE workspace = ?1 AND until > ?2 AND since IS NOT NULL";
        let mut found = self.database()?.prepare_cached(sql)?;
        let row = |row: &rusqlite::Row<'_>| {
            let (file, holder): (String, String) = (row.get(0)?, row.get(1)?);
            let (program, since): (String, i64) = (row.get(2)?, row.get(3)?);
            Ok((file, holder, program, Timestamp::from_millis(since)))
        };
        let rows = found.query_map(params![workspace, now.millis()], row)?.flatten();
        let known = rows.filter_map(|(file, holder, program, since)| {
            Some((file, RecordedRunner { holder, program: Program::from_name(&program)?, since }))
        });
        Ok(known.filter(|(_, runner)| is_alive(&runner.holder)).collect())
    }

    /// The living process that runs a loop.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn runner_of(&mut self, of: LoopRef<'_>, now: Timestamp) -> Result<Option<RecordedRunner>, Error> {
        let runners = self.runners(of.workspace, now)?;
        Ok(runners.into_iter().find(|(file, _)| file == of.file).map(|(_, runner)| runner))
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

    /// The same for several loops, in one transaction. Who runs a loop keeps its lease.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn take_leases<'a>(
        &mut self,
        of: impl IntoIterator<Item = LoopRef<'a>>,
        holder: &str,
        now: Timestamp,
    ) -> Result<(), Error> {
        let mut free = Vec::new();
        for of in of {
            if self.runner_of(of, now)?.is_none_or(|runner| runner.holder == holder) {
                free.push(of);
            }
        }
        if free.is_empty() {
            return Ok(());
        }
        let transaction = self.database()?.transaction()?;
        for of in free {
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
        Ok(rows.flatten().filter(|(_, holder)| !is_alive(holder)).map(|(file, _)| file).collect())
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
            "INSERT INTO leases (workspace, file, holder, until) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (workspace, file) DO UPDATE SET
                 program = CASE WHEN holder = excluded.holder THEN program END,
                 since = CASE WHEN holder = excluded.holder THEN since END,
                 holder = excluded.holder, until = excluded.until",
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
pub(super) fn is_alive(holder: &str) -> bool {
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
    fn a_lease_says_who_runs_the_loop_until_that_is_over() -> Result<(), Error> {
        let mut journal = Journal::in_memory(Retention::default())?;
        let of = LoopRef { workspace: "/w", file: "f" };
        let (window, script) = (holder(at(1)), holder(at(2)));
        assert!(journal.hold_lease(of, &window, at(0))?);
        assert_eq!(journal.runner_of(of, at(0))?, None, "it only looks after a request");
        assert!(journal.hold_to_run(of, (&window, Program::Window), at(3))?);
        assert!(journal.hold_to_run(of, (&window, Program::Window), at(9))?);
        let runner = RecordedRunner { holder: window.clone(), program: Program::Window, since: at(3) };
        assert!(journal.hold_lease(of, &window, at(10))?, "and looks after a request as well");
        assert_eq!(journal.runners("/w", at(10))?, [("f".to_owned(), runner.clone())]);
        assert!(!journal.hold_to_run(of, (&script, Program::Terminal), at(10))?);
        journal.take_leases([of], &script, at(10))?;
        assert_eq!(journal.runner_of(of, at(10))?, Some(runner), "a request takes no lease from who runs it");
        journal.end_running(of, &window)?;
        assert_eq!(journal.runner_of(of, at(10))?, None);
        journal.take_leases([of], &script, at(10))?;
        assert!(!journal.has_lease(of, &window)? && journal.has_lease(of, &script)?);
        assert!(journal.hold_to_run(of, (&script, Program::Terminal), at(11))?);
        journal.take_lease(of, &window, at(12))?;
        assert_eq!(journal.runner_of(of, at(12))?, None, "another holder begins as one that runs nothing");
        Ok(())
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn who_ran_a_loop_and_was_killed_runs_it_no_longer() -> Result<(), Error> {
        let mut journal = Journal::in_memory(Retention::default())?;
        let of = LoopRef { workspace: "/w", file: "f" };
        let dead = holder_of(u32::MAX, at(1));
        assert!(journal.hold_to_run(of, (&dead, Program::Terminal), at(0))?);
        assert_eq!(journal.runner_of(of, at(0))?, None);
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
