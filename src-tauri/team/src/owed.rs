//! Answers to other machines, one file each, until the server has them: whoever asked waits for every one of them.

use crate::our_files::{json_files, read_json, remove_older};
use crate::seat::Seat;
use loopdeck_system::{clock, files};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// So many are kept for one machine: one that takes no answers must not fill this disk.
const MOST: usize = 1_000;

/// What became of a command of another machine, which does not know it yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OwedAnswer {
    /// The command.
    pub(crate) id: String,
    /// Who asked.
    pub(crate) to: Seat,
    /// Why it was not carried out.
    pub(crate) refused: Option<String>,
}

/// The answers that this machine owes.
#[derive(Clone, Debug)]
pub(crate) struct OwedAnswers {
    folder: PathBuf,
}

impl OwedAnswers {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Keeps an answer, once however often its command is delivered. How many are owed to the same machine.
    ///
    /// # Errors
    /// What the disk says: then its command must be delivered again.
    pub(crate) fn keep(&self, answer: &OwedAnswer) -> std::io::Result<usize> {
        let ending = format!("-{}.json", answer.id);
        let (all, theirs) = (self.paths(None), self.paths(Some(&answer.to)));
        if theirs.iter().any(|path| file_name(path).ends_with(&ending)) {
            return Ok(theirs.len());
        }
        if theirs.len() >= MOST {
            tracing::warn!(to = %answer.to, "an answer is not kept: nobody there hears any");
            return Ok(theirs.len());
        }
        // In the order in which they came about, whatever the clock says.
        let last = all.last().and_then(|path| file_name(path).split_once('-')?.0.parse::<i64>().ok());
        let at = clock::now().millis().max(last.map_or(0, |last| last + 1));
        let path = self.folder.join(format!("{at:016}-{}{ending}", answer.to));
        files::write_own(&path, &serde_json::to_vec(answer)?)?;
        Ok(theirs.len() + 1)
    }

    /// Those to a machine, or all, oldest first.
    pub(crate) fn list(&self, to: Option<&Seat>) -> Vec<(PathBuf, OwedAnswer)> {
        let read = |path: PathBuf| read_json(&path).ok().flatten().map(|answer| (path, answer));
        self.paths(to).into_iter().filter_map(read).collect()
    }

    /// Forgets one that the server has.
    pub(crate) fn forget(path: &Path) {
        let _ = std::fs::remove_file(path); // sent once more, under the same id
    }

    /// Forgets answers to commands that the server no longer keeps.
    pub(crate) fn forget_old(&self, older_than: Duration) {
        remove_older(&self.folder, older_than);
    }

    fn paths(&self, to: Option<&Seat>) -> Vec<PathBuf> {
        let of = to.map(|to| format!("-{to}-"));
        let mut paths = json_files(&self.folder);
        paths.retain(|path| of.as_ref().is_none_or(|of| file_name(path).contains(of)));
        paths
    }
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_owed_once_and_in_order_until_it_is_sent() {
        let dir = tempfile::tempdir().unwrap();
        let owed = OwedAnswers::new(dir.path().join("owed"));
        let seat = |member| Seat::new(member, "tower").unwrap();
        let answer = |id: &str, to| OwedAnswer { id: id.to_owned(), to: seat(to), refused: None };
        let counts = [("B", "bob"), ("A", "bob"), ("D", "eve"), ("B", "bob"), ("C", "bob")]
            .map(|(id, to)| owed.keep(&answer(id, to)).unwrap());
        assert_eq!(counts, [1, 2, 1, 2, 3]);
        let ids =
            |to: Option<&Seat>| owed.list(to).into_iter().map(|(_, answer)| answer.id).collect::<Vec<_>>();
        assert_eq!(ids(None), ["B", "A", "D", "C"]);
        owed.forget_old(Duration::from_secs(3_600));
        OwedAnswers::forget(&owed.list(None)[0].0);
        assert_eq!(
            (ids(Some(&seat("bob"))), ids(Some(&seat("eve")))),
            (vec!["A".into(), "C".into()], vec!["D".into()])
        );
        let counts = (0..MOST).map(|number| owed.keep(&answer(&format!("E{number}"), "eve")).unwrap());
        assert_eq!(counts.max(), Some(MOST));
        assert_eq!((ids(Some(&seat("eve"))).len(), ids(Some(&seat("bob"))).len()), (MOST, 2));
    }
}
