//! Programs that answer one question and exit: `git`, `--version`, the login shell's environment. Their time and their output are
//! bounded, and they never wait for input. Runs of agents are different (see `runs`).

use crate::platform::{begin, end_group, outputs};
use crate::tasks;
use parking_lot::Mutex;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// More than this is cut.
const MOST: usize = 16 << 20;
/// A background process of a program that has exited may hold its pipes open forever: this is how long we wait for output on its way.
const HELD: Duration = Duration::from_millis(500);

/// A question.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// Absolute path or a name on PATH.
    pub program: &'a Path,
    /// As they are; no shell reads them.
    pub args: Vec<&'a OsStr>,
    /// Where it runs.
    pub folder: Option<&'a Path>,
    /// The whole environment; ours when `None`.
    pub environment: Option<&'a [(std::ffi::OsString, std::ffi::OsString)]>,
    /// Added to it.
    pub also: &'a [(&'a str, &'a str)],
    /// Longest time it may take.
    pub limit: Duration,
}

/// Its output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// At most 16 MB.
    pub stdout: Vec<u8>,
    /// At most 16 MB.
    pub stderr: Vec<u8>,
}

impl Answer {
    /// Its standard output as text without the blanks around it, when it succeeded.
    #[must_use]
    pub fn good_text(&self) -> Option<String> {
        (self.code == Some(0)).then(|| String::from_utf8_lossy(&self.stdout).trim().to_owned())
    }
}

/// Runs it to its end.
///
/// # Errors
/// `NotFound` when there is no such program, `TimedOut` when it took too long (it is ended then, with its group), or
/// what the system says.
pub fn ask(question: &Question<'_>) -> io::Result<Answer> {
    let (command, limit) = (command(question), question.limit);
    tasks::wait_for(run(command, limit))?
}

#[expect(clippy::disallowed_methods, reason = "the one place for processes that answer at once")]
fn command(question: &Question<'_>) -> Command {
    let mut command = Command::new(question.program);
    command.args(&question.args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(environment) = question.environment {
        command.env_clear().envs(environment.iter().map(|(name, value)| (name, value)));
    }
    command.envs(question.also.iter().copied());
    if let Some(folder) = question.folder {
        command.current_dir(folder);
    }
    command
}

async fn run(command: Command, limit: Duration) -> io::Result<Answer> {
    let mut child = begin(command)?;
    let (stdout, stderr) = outputs(&mut child);
    let (stdout, stderr) = (PipeReader::start(stdout), PipeReader::start(stderr));
    let Ok(ended) = timeout(limit, child.wait()).await else {
        end_group(&child).await;
        let _ = child.start_kill();
        let _ = child.wait().await;
        return Err(io::ErrorKind::TimedOut.into());
    };
    Ok(Answer {
        code: ended?.code(),
        stdout: stdout.collect_output().await,
        stderr: stderr.collect_output().await,
    })
}

/// The output of one pipe so far, and the task that reads it.
struct PipeReader {
    said: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl PipeReader {
    fn start(pipe: Option<impl AsyncRead + Send + Unpin + 'static>) -> Self {
        let said = Arc::<Mutex<Vec<u8>>>::default();
        let shared = Arc::clone(&said);
        let reader = pipe.map(|pipe| tokio::spawn(read_to_end(pipe, shared)));
        Self { said, reader }
    }

    /// A background process of the program may hold the pipe: the output so far is the answer.
    async fn collect_output(self) -> Vec<u8> {
        if let Some(reader) = self.reader {
            let stop = reader.abort_handle();
            if timeout(HELD, reader).await.is_err() {
                stop.abort();
            }
        }
        std::mem::take(&mut *self.said.lock())
    }
}

async fn read_to_end(mut pipe: impl AsyncRead + Unpin, said: Arc<Mutex<Vec<u8>>>) {
    let mut bytes = vec![0; 16 << 10];
    while let Ok(count @ 1..) = pipe.read(&mut bytes).await {
        let mut said = said.lock();
        let room = MOST.saturating_sub(said.len()); // the rest is read all the same, because a full pipe would stop the writer
        said.extend_from_slice(&bytes[..count.min(room)]);
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn shell(text: &str, limit: Duration) -> io::Result<Answer> {
        let args = vec![OsStr::new("-c"), OsStr::new(text)];
        ask(&Question {
            program: Path::new("/bin/sh"),
            args,
            folder: None,
            environment: None,
            also: &[("X", "é")],
            limit,
        })
    }

    #[test]
    fn it_answers_with_code_and_both_outputs() {
        let answer =
            shell("printf %s \"$X\"; echo bad >&2; read line; exit 3", Duration::from_secs(20)).unwrap();
        assert_eq!(answer, Answer { code: Some(3), stdout: "é".into(), stderr: b"bad\n".to_vec() });
        assert_eq!(answer.good_text(), None);
    }

    #[test]
    fn one_that_does_not_end_is_ended_with_what_it_started() {
        let marker = tempfile::NamedTempFile::new().unwrap();
        let text = format!("(sleep 100; echo late > {0}) & sleep 100", marker.path().display());
        let error = shell(&text, Duration::from_millis(50)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(std::fs::read(marker.path()).unwrap(), b"");
    }

    #[test]
    fn one_that_is_ended_may_clean_up() {
        let folder = tempfile::tempdir().unwrap();
        let (ready, cleaned) = (folder.path().join("ready"), folder.path().join("cleaned"));
        let text = format!(
            "trap 'echo > {}; exit' TERM; echo > {}; while :; do sleep 0.01; done",
            cleaned.display(),
            ready.display()
        );
        // Until it is heard, the shell has no trap yet.
        while !ready.exists() {
            shell(&text, Duration::from_millis(300)).unwrap_err();
        }
        assert!(cleaned.exists());
    }

    #[test]
    fn what_was_said_counts_although_somebody_holds_the_pipe() {
        let holder = tempfile::tempdir().unwrap();
        // It holds the pipe as long as this test lasts, however that ends.
        let text = format!("while [ -d {} ]; do sleep 0.05; done & printf said", holder.path().display());
        let answer = shell(&text, Duration::from_secs(60)).unwrap();
        assert_eq!(answer.good_text().as_deref(), Some("said"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn nobody_is_asked_in_the_session_of_our_terminal() {
        let text = "read -r line < /proc/$$/stat; set -- $$ $line; echo $1 $7";
        let answer = shell(text, Duration::from_secs(60)).unwrap().good_text().unwrap();
        let (process, session) = answer.split_once(' ').unwrap();
        assert_eq!(process, session);
    }

    #[test]
    fn a_missing_program_is_told_apart() {
        let question = Question {
            program: Path::new("/nowhere/x"),
            args: vec![],
            folder: None,
            environment: None,
            also: &[],
            limit: Duration::from_secs(1),
        };
        assert_eq!(ask(&question).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
