//! Old folders of runs go: the newest of each loop stay, and all together stay below a size. Rows of runs in the journal stay.

use crate::runs::RunRecord;
use loopdeck_system::logged::Logged as _;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// How much of the past of runs is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeepLimits {
    /// Runs of each loop.
    pub(crate) runs: usize,
    /// All of them together, in bytes; the newest of each loop stays whatever its size.
    pub(crate) bytes: u64,
}

impl Default for KeepLimits {
    fn default() -> Self {
        Self { runs: 50, bytes: 2 << 30 }
    }
}

/// A folder that no run ever began in is removed when it is so old, in milliseconds.
const NEVER_BEGAN: i64 = 24 * 3_600_000;

/// Removes what is too much below `runs`. Runs that are not over, and such that left processes behind, stay.
pub(crate) fn clean_up(runs: &Path, keep: KeepLimits) {
    let mut by_loop: HashMap<(String, String), Vec<(i64, PathBuf)>> = HashMap::new();
    for folder in fs::read_dir(runs).into_iter().flatten().flatten().map(|entry| entry.path()) {
        match RunRecord::read(&folder) {
            Ok(record) if is_over(&record) => {
                let of = (record.plan.loop_key.workspace, record.plan.loop_key.file);
                by_loop.entry(of).or_default().push((record.created_at.millis(), folder));
            }
            Ok(_) => {}
            Err(_) => remove_if_old(&folder),
        }
    }
    let mut others = Vec::new();
    for mut of_loop in by_loop.into_values() {
        of_loop.sort_by(|one, other| other.cmp(one));
        for (_, folder) in of_loop.drain(of_loop.len().min(keep.runs)..) {
            remove(&folder);
        }
        others.extend(of_loop.into_iter().enumerate().map(|(place, (at, folder))| (place, at, folder)));
    }
    remove_over(keep.bytes, others);
}

/// The oldest go until what is left is not too much.
fn remove_over(most: u64, mut runs: Vec<(usize, i64, PathBuf)>) {
    runs.sort_by_key(|(_, at, _)| std::cmp::Reverse(*at));
    let mut bytes = 0;
    for (place, _, folder) in runs {
        let size = size_of(&folder);
        if place > 0 && bytes + size > most {
            remove(&folder);
        } else {
            bytes += size;
        }
    }
}

fn is_over(record: &RunRecord) -> bool {
    record.ended.as_ref().is_some_and(|ended| ended.report.is_all_gone())
}

fn remove_if_old(folder: &Path) {
    let at = folder.metadata().ok().and_then(|seen| seen.modified().ok());
    let age = at.and_then(|at| at.elapsed().ok()).map(|age| age.as_millis());
    if age.is_some_and(|age| age > u128::from(NEVER_BEGAN.unsigned_abs())) {
        remove(folder);
    }
}

fn remove(folder: &Path) {
    fs::remove_dir_all(folder).logged("a folder of ours is not removed"); // tried again the next time
}

fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(seen) if seen.is_dir() => size_of(&entry.path()),
        Ok(seen) => seen.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::{KeptSpec, LoopKey, StopReport};
    use loopdeck_core::times::Timestamp;

    fn run(runs: &Path, of: &str, at: i64, report: Option<StopReport>) -> PathBuf {
        let loop_key = LoopKey { workspace: "/w".into(), file: of.into() };
        let plan = KeptSpec { loop_key, ..KeptSpec::new(vec!["true".into()], "/w".into()) };
        let folder = runs.join(&plan.id);
        fs::create_dir_all(folder.join("log")).unwrap();
        fs::write(folder.join("log/0.log"), [b'x'; 10_000]).unwrap();
        let mut record = RunRecord { created_at: Timestamp::from_millis(at), ..RunRecord::new(plan) };
        let ended =
            |report| crate::runs::report::Ended { at: Timestamp::from_millis(at), report, by_guardian: true };
        record.ended = report.map(ended);
        record.write(&folder).unwrap();
        folder
    }

    const GONE: Option<StopReport> = Some(StopReport::AllGone { ended: 0 });

    #[test]
    fn the_newest_of_each_loop_stay_and_what_is_not_over() {
        let dir = tempfile::tempdir().unwrap();
        let old: Vec<PathBuf> = (0..5).map(|at| run(dir.path(), "a", at, GONE)).collect();
        let other = run(dir.path(), "b", 0, GONE);
        let alive = run(dir.path(), "a", 0, None);
        let left = run(dir.path(), "a", 0, Some(StopReport::Left { ended: 0, processes: Vec::new() }));
        clean_up(dir.path(), KeepLimits { runs: 2, bytes: 1 << 30 });
        let there: Vec<bool> = old.iter().map(|folder| folder.exists()).collect();
        assert_eq!(there, [false, false, false, true, true]);
        assert!(other.exists() && alive.exists() && left.exists());
    }

    #[test]
    fn all_together_stay_below_a_size_and_one_of_each_loop_stays() {
        let dir = tempfile::tempdir().unwrap();
        let mut folders: Vec<PathBuf> = (0..4).map(|at| run(dir.path(), "a", 10 + at, GONE)).collect();
        folders.push(run(dir.path(), "b", 1, GONE));
        clean_up(dir.path(), KeepLimits { runs: 50, bytes: 25_000 });
        let there: Vec<bool> = folders.iter().map(|folder| folder.exists()).collect();
        assert_eq!(there, [false, false, true, true, true]);
    }
}
