//! Processes that are asked one thing and end: `git`, `--version`, the login shell's environment. Bounded in time and
//! in what they may say; they never wait for input. Runs of agents are another matter (see `runs`).

use crate::platform::{Begun, begin, end_group, outputs};
use parking_lot::Mutex;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

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
    let mut child = start(question)?;
    let (stdout, stderr) = outputs(&mut child);
    let (stdout, stderr) = (drain(stdout), drain(stderr));
    let ended = wait(&mut child, question.limit);
    if ended.is_err() {
        end_group(&child);
        let _ = child.kill();
        let _ = child.wait();
    }
    let code = ended?;
    // A background process of its own may hold the pipes: whatever was said until now is the answer.
    Ok(Answer { code, stdout: taken(stdout), stderr: taken(stderr) })
}

#[expect(clippy::disallowed_methods, reason = "the one place for processes that answer at once")]
fn start(question: &Question<'_>) -> io::Result<Begun> {
    let mut command = Command::new(question.program);
    command.args(&question.args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(environment) = question.environment {
        command.env_clear().envs(environment.iter().map(|(name, value)| (name, value)));
    }
    command.envs(question.also.iter().copied());
    if let Some(folder) = question.folder {
        command.current_dir(folder);
    }
    begin(command)
}

fn wait(child: &mut Begun, limit: Duration) -> io::Result<Option<i32>> {
    let until = Instant::now() + limit;
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code());
        }
        if Instant::now() >= until {
            return Err(io::ErrorKind::TimedOut.into());
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// What one pipe said so far, and who reads it.
struct PipeReader {
    said: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> Option<PipeReader> {
    let mut pipe = pipe?;
    let said = Arc::<Mutex<Vec<u8>>>::default();
    let shared = Arc::clone(&said);
    let read = move || {
        let mut bytes = [0; 16 << 10];
        loop {
            let count = match pipe.read(&mut bytes) {
                Ok(0) => return,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            let mut said = shared.lock();
            let room = MOST.saturating_sub(said.len()); // it is read on, because a full pipe would hold the writer
            said.extend_from_slice(&bytes[..count.min(room)]);
        }
    };
    let reader = std::thread::Builder::new().name("brief".into()).spawn(read).ok()?;
    Some(PipeReader { said, reader })
}

fn taken(drain: Option<PipeReader>) -> Vec<u8> {
    let Some(drain) = drain else { return Vec::new() };
    let until = Instant::now() + HELD;
    while !drain.reader.is_finished() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::mem::take(&mut *drain.said.lock())
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
    fn what_was_said_counts_although_somebody_holds_the_pipe() {
        let holder = tempfile::tempdir().unwrap();
        let gate = holder.path().join("gate");
        let text = format!("while [ ! -e {} ]; do sleep 0.05; done & printf said", gate.display());
        let answer = shell(&text, Duration::from_secs(60)).unwrap();
        std::fs::write(gate, "").unwrap();
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
