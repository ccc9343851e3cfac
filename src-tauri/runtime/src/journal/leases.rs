//! Which Loopdeck looks after a loop: of several processes that share the journal (a window, a script, another user's
//! session) only one guards a request, so that they never fight each other.

use super::{Error, Journal, LoopRef};
use loopdeck_core::times::Millis;
use rusqlite::{OptionalExtension as _, params};

/// A lease that is not renewed for so long, in milliseconds, is free whatever became of its holder. Guards renew theirs
/// more often; a holder that is known to be gone is followed at once.
pub const LEASE_LASTS: Millis = 20 * 60_000;

impl Journal {
    /// Takes or renews the lease on a loop for `holder`; false when another holder's still lasts.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn hold_lease(&mut self, of: LoopRef<'_>, holder: &str, now: Millis) -> Result<bool, Error> {
        let mut held = self.database()?.prepare_cached(
            "INSERT INTO leases (workspace, file, holder, until) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (workspace, file) DO UPDATE SET holder = ?3, until = ?4
             WHERE holder = ?3 OR until <= ?5",
        )?;
        let until = now + LEASE_LASTS;
        if held.execute(params![of.workspace, of.file, holder, until, now])? > 0 {
            return Ok(true);
        }
        drop(held);
        let sql = "SELECT holder FROM leases WHERE workspace = ?1 AND file = ?2";
        let other: Option<String> =
            self.database()?.query_row(sql, params![of.workspace, of.file], |row| row.get(0)).optional()?;
        if other.as_deref().is_some_and(lives) {
            return Ok(false);
        }
        self.take_lease(of, holder, now)?;
        Ok(true)
    }

    /// Takes the lease from whoever has it: a person's newest word decides who looks after it.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn take_lease(&mut self, of: LoopRef<'_>, holder: &str, now: Millis) -> Result<(), Error> {
        self.database()?.execute(
            "INSERT OR REPLACE INTO leases (workspace, file, holder, until) VALUES (?1, ?2, ?3, ?4)",
            params![of.workspace, of.file, holder, now + LEASE_LASTS],
        )?;
        Ok(())
    }

    /// Leaves the lease behind, as a holder does whose process ends: whoever comes next finds it, see
    /// [`Journal::left_leases`].
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

    /// State files of a workspace whose lease somebody had who is not there any more: what they did there was not ended.
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

/// The name of this process in leases: its process id, and when it started.
#[must_use]
pub fn holder(now: Millis) -> String {
    format!("{}-{now}", std::process::id())
}

/// Whether the process behind a name may still be there; where nobody can tell, its lease runs out by itself.
fn lives(holder: &str) -> bool {
    let Some(pid) = holder.split('-').next().and_then(|pid| pid.parse::<u32>().ok()) else { return false };
    !cfg!(target_os = "linux") || std::path::Path::new(&format!("/proc/{pid}")).exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Retention;

    #[test]
    fn one_holder_at_a_time_and_a_dead_one_is_followed() -> Result<(), Error> {
        let mut journal = Journal::in_memory(Retention::default())?;
        let of = LoopRef { workspace: "/w", file: ".workflow/.loop/a.json" };
        let (window, script) = (holder(1), holder(2));
        assert!(journal.hold_lease(of, &window, 0)?);
        assert!(!journal.hold_lease(of, &script, 1)?);
        assert!(journal.hold_lease(of, &window, LEASE_LASTS - 1)?, "renewed by its holder");
        assert!(!journal.hold_lease(of, &script, LEASE_LASTS + 1)?);
        assert!(journal.hold_lease(of, &script, 3 * LEASE_LASTS)?, "run out");
        journal.take_lease(of, &window, 3 * LEASE_LASTS)?;
        journal.give_lease_back(of, &script)?;
        assert!(!journal.hold_lease(of, &script, 3 * LEASE_LASTS)?, "only the holder gives it back");
        journal.give_lease_back(of, &window)?;
        assert!(journal.hold_lease(of, &script, 3 * LEASE_LASTS)?);
        Ok(())
    }

    #[test]
    fn a_lease_that_was_left_is_found_and_free() -> Result<(), Error> {
        let mut journal = Journal::in_memory(Retention::default())?;
        let of = LoopRef { workspace: "/w", file: "f" };
        assert!(journal.hold_lease(of, &holder(1), 0)?);
        assert_eq!(journal.left_leases("/w")?, [""; 0]);
        journal.leave_lease(of, &holder(2))?;
        assert_eq!(journal.left_leases("/w")?, [""; 0], "only its holder leaves it");
        journal.leave_lease(of, &holder(1))?;
        assert_eq!(
            (journal.left_leases("/w")?, journal.left_leases("/v")?),
            (vec!["f".to_owned()], Vec::new())
        );
        assert!(journal.hold_lease(of, &holder(2), 1)?);
        Ok(())
    }

    #[cfg(target_os = "linux")] // elsewhere a dead holder's lease runs out
    #[test]
    fn a_holder_that_was_killed_is_followed_at_once() -> Result<(), Error> {
        let mut journal = Journal::in_memory(Retention::default())?;
        let of = LoopRef { workspace: "/w", file: ".workflow/.loop/a.json" };
        assert!(journal.hold_lease(of, &format!("{}-1", u32::MAX), 0)?);
        assert!(journal.hold_lease(of, &holder(2), 1)?);
        Ok(())
    }
}
