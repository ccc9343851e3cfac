//! Running one program of a longer job: its output passes through, with the elapsed time now and then.

use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::process::{ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use xtask::Failure;
use xtask::child::{end_tree, named};

/// How often a long step reports that it is still running.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// A step whose output is read ends after this time without a line: a hanging test must fail, not use up the
/// whole run. A cold build prints nothing to stdout, so this is longer than any build.
const SILENCE: Duration = Duration::from_secs(20 * 60);

/// Prints a heading that is easy to find in a long log.
pub(crate) fn heading(title: &str) {
    println!("\n== {title}");
    let _ = io::stdout().flush(); // the rest goes to another stream; a closed one has no reader
}

/// Runs `command` to its end and fails with `what` if it fails.
pub(crate) fn run(what: &str, command: &mut Command) -> Result<(), Failure> {
    let status = status(what, command)?;
    if status.success() { Ok(()) } else { Err(format!("{what} failed ({status})").into()) }
}

/// Runs `command` to its end; shows `what` and the elapsed seconds as a sign of life.
pub(crate) fn status(what: &str, command: &mut Command) -> Result<ExitStatus, Failure> {
    let mut child = command.stdin(Stdio::null()).spawn().map_err(|error| named(&error, command))?;
    with_heartbeat(what, || child.wait()).map_err(Into::into)
}

/// Runs programs at the same time. What each prints is shown when all have ended, in their order.
pub(crate) fn together<const N: usize>(programs: [(&str, Command); N]) -> [(&str, Result<(), Failure>); N] {
    let titles = programs.each_ref().map(|(title, _)| *title).join(", ");
    let ended = with_heartbeat(&titles, || {
        thread::scope(|scope| {
            let run = |(title, mut command): (_, Command)| {
                (
                    title,
                    scope.spawn(move || {
                        command.stdin(Stdio::null()).output().map_err(|error| named(&error, &command))
                    }),
                )
            };
            programs.map(run).map(|(title, thread)| (title, thread.join()))
        })
    });
    ended.map(|(title, output)| {
        heading(title);
        let output = output.unwrap_or_else(|_| Err(io::Error::other("its thread ended")));
        (title, output.map_err(Into::into).and_then(|output| shown(title, &output)))
    })
}

/// Shows what a program printed, and fails with `what` if it failed.
fn shown(what: &str, output: &Output) -> Result<(), Failure> {
    print!("{}", String::from_utf8_lossy(&output.stdout));
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    if output.status.success() { Ok(()) } else { Err(format!("{what} failed ({})", output.status).into()) }
}

/// What `command` prints, without the line end; an error when it fails.
pub(crate) fn output(command: &mut Command) -> Result<String, Failure> {
    let answer = command.output().map_err(|error| named(&error, command))?;
    if !answer.status.success() {
        let name = command.get_program().to_string_lossy().into_owned();
        let complaint = String::from_utf8_lossy(&answer.stderr).into_owned();
        return Err(format!("{name} failed ({}): {}", answer.status, complaint.trim()).into());
    }
    Ok(String::from_utf8_lossy(&answer.stdout).trim_end().to_owned())
}

/// Like [`status`], and returns the program's standard output. Ends the program when it prints nothing for
/// [`SILENCE`].
pub(crate) fn status_and_output(what: &str, command: &mut Command) -> Result<(ExitStatus, String), Failure> {
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| named(&error, command))?;
    let lines = lines_of(child.stdout.take());
    let mut text = String::new();
    let status = with_heartbeat(what, || {
        loop {
            match lines.recv_timeout(SILENCE) {
                Ok(line) => {
                    println!("{line}");
                    text.push_str(&line);
                    text.push('\n');
                }
                Err(RecvTimeoutError::Disconnected) => return child.wait(),
                Err(RecvTimeoutError::Timeout) => {
                    println!("{what}: no output for {} minutes, so it was ended", SILENCE.as_secs() / 60);
                    end_tree(child.id());
                    return child.wait();
                }
            }
        }
    })?;
    Ok((status, text))
}

/// The lines of `pipe` as they arrive, read in a separate thread.
fn lines_of(pipe: Option<ChildStdout>) -> mpsc::Receiver<String> {
    let (line, lines) = mpsc::channel();
    thread::spawn(move || {
        for bytes in pipe.into_iter().flat_map(|pipe| BufReader::new(pipe).split(b'\n')) {
            let Ok(bytes) = bytes else { return };
            if line.send(String::from_utf8_lossy(&bytes).into_owned()).is_err() {
                return;
            }
        }
    });
    lines
}

/// Does `work` and shows the elapsed time now and then.
pub(crate) fn with_heartbeat<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let (done, is_done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            while is_done.recv_timeout(HEARTBEAT) == Err(RecvTimeoutError::Timeout) {
                beat(what, started.elapsed());
            }
        });
        let result = work();
        drop(done);
        result
    })
}

fn beat(what: &str, elapsed: Duration) {
    // On a terminal, one line that counts up; in a log, one line per beat.
    let end = if io::stderr().is_terminal() { '\r' } else { '\n' };
    eprint!("   … {what}: {} s{end}", elapsed.as_secs());
}
