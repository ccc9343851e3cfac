//! Requests to other machines, one file each, in the order in which they were asked. A file moves once the server has said that it
//! keeps the message, whose id makes a repetition harmless, and goes with the answer.

use crate::message::AskedChange;
use crate::our_files::{entries, json_files, read_json, remove_older, write_json};
use loopdeck_system::failure::Failure;
use loopdeck_system::files;
use std::path::{Path, PathBuf};

/// Below the folder of the waiting ones: requests that the server has.
const SENT: &str = "sent";

/// Requests of this machine that have no answer yet.
#[derive(Clone, Debug)]
pub(crate) struct Outbox {
    folder: PathBuf,
}

impl Outbox {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Keeps a request; from now on it will be sent.
    ///
    /// # Errors
    /// `OwnData` when the disk refuses.
    pub(crate) fn put(&self, asked: &AskedChange) -> Result<(), Failure> {
        // Sorted by time, and never before what waits already: clocks are set back. The id tells two of one millisecond apart.
        let last = json_files(&self.folder)
            .last()
            .and_then(|path| leading_number(path))
            .map_or(i64::MIN, |last| last + 1);
        let name = format!("{:016}-{}.json", asked.command.at.max(last), asked.command.id);
        write_json(&self.folder.join(name), asked)
    }

    /// Moves a request that the server keeps to those that wait for an answer.
    ///
    /// # Errors
    /// What the disk says: then it is sent once more, under the same id.
    pub(crate) fn mark_sent(&self, path: &Path) -> std::io::Result<()> {
        let folder = self.folder.join(SENT);
        std::fs::create_dir_all(&folder)?;
        match std::fs::rename(path, folder.join(path.file_name().unwrap_or_default())) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()), // answered already
            renamed => renamed,
        }
    }

    /// The request that an answer is to, with its file. `None` for one that was never sent from here, or is answered.
    ///
    /// It may still wait: a server can keep a message, and fail before it says so.
    pub(crate) fn unanswered_by(&self, id: &str) -> Option<(PathBuf, AskedChange)> {
        let ending = format!("-{id}.json");
        let has_id = |path: &PathBuf| path.to_string_lossy().ends_with(&ending);
        let found = entries(&self.folder.join(SENT)).chain(entries(&self.folder)).find(has_id)?;
        let asked = read_json(&found).ok().flatten()?; // one that is damaged was told at the start
        Some((found, asked))
    }

    /// Forgets a request whose answer is recorded.
    pub(crate) fn forget(&self, path: &Path) {
        let _ = std::fs::remove_file(path); // an answer that is delivered again is then told twice
    }

    /// What waits, oldest first. A file that is no request is left where it is, and logged.
    pub(crate) fn waiting_requests(&self) -> Vec<(PathBuf, AskedChange)> {
        requests(&self.folder)
    }

    /// Requests that cannot be read, whether they were sent or not. They are left where they are.
    pub(crate) fn damaged_requests(&self) -> Vec<Failure> {
        let all = [json_files(&self.folder.join(SENT)), json_files(&self.folder)];
        all.iter().flatten().filter_map(|path| read_json::<AskedChange>(path).err()).collect()
    }

    /// Everything that has no answer yet, whether it was sent or not.
    pub(crate) fn unanswered_requests(&self) -> Vec<AskedChange> {
        let all = [requests(&self.folder.join(SENT)), requests(&self.folder)];
        all.into_iter().flatten().map(|(_, asked)| asked).collect()
    }
}

/// The number with which the name of a request begins.
fn leading_number(path: &Path) -> Option<i64> {
    path.file_name()?.to_str()?.split_once('-')?.0.parse().ok()
}

/// The requests in a folder, oldest first.
fn requests(folder: &Path) -> Vec<(PathBuf, AskedChange)> {
    let readable = |path: PathBuf| match read_json::<AskedChange>(&path) {
        Ok(asked) => asked.map(|asked| (path, asked)),
        Err(failure) => {
            tracing::warn!(?failure, "a request to another machine cannot be read");
            None
        }
    };
    json_files(folder).into_iter().filter_map(readable).collect()
}

/// Commands that were begun here, one file each, so that a command that is delivered twice is carried out once.
#[derive(Clone, Debug)]
pub(crate) struct BegunCommands {
    folder: PathBuf,
}

/// How far a command had come.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Never seen; recorded as begun now.
    New,
    /// Begun, and this program ended before it was answered: it may or may not have been carried out.
    Unknown,
    /// Answered with this.
    Answered(Option<String>),
}

impl BegunCommands {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Records that a command begins, unless it had begun before.
    ///
    /// # Errors
    /// What the disk says: then the command must not be carried out.
    pub(crate) fn begin(&self, id: &str) -> std::io::Result<Progress> {
        let path = self.folder.join(id);
        if files::create_own(&path)? {
            return Ok(Progress::New);
        }
        let text = std::fs::read(&path)?;
        Ok(serde_json::from_slice(&text).map_or(Progress::Unknown, Progress::Answered))
    }

    /// Records the answer.
    ///
    /// # Errors
    /// What the disk says.
    pub(crate) fn record_answer(&self, id: &str, refused: Option<&String>) -> std::io::Result<()> {
        let text = serde_json::to_vec(&refused).map_err(std::io::Error::other)?;
        files::write_own(&self.folder.join(id), &text)
    }

    /// Forgets commands that the server no longer keeps.
    pub(crate) fn forget_old(&self, older_than: std::time::Duration) {
        remove_older(&self.folder, older_than);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(id: &str) -> AskedChange {
        let seat = crate::seat::Seat::new("ada", "laptop").unwrap();
        let command = crate::message::Command {
            id: id.to_owned(),
            token: String::new(),
            from: seat.clone(),
            to: seat,
            at: 5,
            sent: 0,
            share: String::new(),
            file: String::new(),
        };
        let change = loopdeck_runtime::elsewhere::RemoteChange::Answer {
            need: "need-1".to_owned(),
            since: 5.0,
            answer: loopdeck_execution::rows::NeedAnswer::AllowOnce,
        };
        AskedChange { command, change }
    }

    #[test]
    fn an_answer_finds_its_request_however_far_that_had_come() {
        let dir = tempfile::tempdir().unwrap();
        let outbox = Outbox::new(dir.path().join("outbox"));
        outbox.put(&command("A")).unwrap();
        outbox.put(&command("B")).unwrap();
        let waiting = outbox.waiting_requests();
        outbox.mark_sent(&waiting[0].0).unwrap();
        assert_eq!(outbox.unanswered_requests(), [command("A"), command("B")]);
        let (sent, a) = outbox.unanswered_by("A").unwrap();
        assert_eq!(a, command("A"), "it was sent");
        assert_eq!(outbox.unanswered_by("A").unwrap().1, a, "until its answer is recorded");
        outbox.forget(&sent);
        let (waits, b) = outbox.unanswered_by("B").unwrap();
        assert_eq!(b, command("B"), "the server kept it, and nobody here knows yet");
        outbox.forget(&waits);
        outbox.mark_sent(&waiting[1].0).unwrap();
        assert_eq!((outbox.unanswered_by("B"), outbox.waiting_requests().len()), (None, 0));
    }

    #[test]
    fn a_damaged_request_is_told_and_stays_and_the_others_are_sent() {
        let dir = tempfile::tempdir().unwrap();
        let outbox = Outbox::new(dir.path().join("outbox"));
        for id in ["A", "B", "C"] {
            outbox.put(&command(id)).unwrap();
        }
        let [first, second, third] = outbox.waiting_requests().try_into().unwrap();
        outbox.mark_sent(&first.0).unwrap();
        let sent = dir.path().join("outbox").join(SENT).join(first.0.file_name().unwrap());
        std::fs::write(&sent, "{oops").unwrap();
        std::fs::write(&second.0, "").unwrap();
        let told: Vec<String> =
            outbox.damaged_requests().iter().map(|failure| failure.args["path"].clone()).collect();
        assert_eq!(told, [sent.display().to_string(), second.0.display().to_string()]);
        assert_eq!(outbox.waiting_requests(), [third]);
        assert_eq!((outbox.unanswered_by("A"), outbox.unanswered_requests()), (None, vec![command("C")]));
        assert!(sent.exists() && second.0.exists());
    }

    #[test]
    fn a_clock_that_is_set_back_changes_no_order() {
        let dir = tempfile::tempdir().unwrap();
        let outbox = Outbox::new(dir.path().join("outbox"));
        for (id, at) in [("B", 7_200_000), ("A", 3_600_000), ("C", 3_600_001)] {
            let mut asked = command(id);
            asked.command.at = at;
            outbox.put(&asked).unwrap();
        }
        let ids: Vec<String> =
            outbox.waiting_requests().into_iter().map(|(_, asked)| asked.command.id).collect();
        assert_eq!(ids, ["B", "A", "C"], "as they were asked");
    }

    #[test]
    fn a_command_begins_once() {
        let dir = tempfile::tempdir().unwrap();
        let begun = BegunCommands::new(dir.path().join("begun"));
        assert_eq!(begun.begin("A").unwrap(), Progress::New);
        assert_eq!(begun.begin("A").unwrap(), Progress::Unknown);
        begun.record_answer("A", None).unwrap();
        assert_eq!(begun.begin("A").unwrap(), Progress::Answered(None));
        begun.record_answer("A", Some(&"refused".to_owned())).unwrap();
        assert_eq!(begun.begin("A").unwrap(), Progress::Answered(Some("refused".to_owned())));
        assert_eq!(begun.begin("B").unwrap(), Progress::New);
    }
}
