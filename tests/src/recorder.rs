//! A program in place of an editor: it reports its arguments through a pipe that a test waits at.

use crate::programs::write_program;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);

/// The program and its pipe, in a folder of the test.
#[derive(Debug)]
pub struct Recorder {
    /// The program; its name contains a space and a quote.
    pub program: PathBuf,
    pipe: PathBuf,
}

impl Recorder {
    /// Writes the program into `folder`.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        let (program, pipe) = (folder.join("my \"editor\""), folder.join("said"));
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR)
            .expect("a pipe");
        let script = format!("#!/bin/sh\nprintf '%s\\0' \"$@\" > '{}'\n", pipe.display());
        write_program(&program, &script);
        Self { program, pipe }
    }

    /// The command that uses it, with `arguments`.
    #[must_use]
    pub fn command(&self, arguments: &[&str]) -> Vec<String> {
        let program = self.program.to_str().expect("text");
        std::iter::once(program).chain(arguments.iter().copied()).map(str::to_owned).collect()
    }

    /// The arguments of its next start.
    #[must_use]
    pub fn heard(&self) -> Vec<String> {
        let (tell, said) = mpsc::channel();
        let pipe = self.pipe.clone();
        std::thread::spawn(move || drop(tell.send(fs::read(pipe))));
        let bytes = said.recv_timeout(PATIENCE).expect("the editor is started").expect("readable");
        let text = String::from_utf8(bytes).expect("text");
        text.split_terminator('\0').map(str::to_owned).collect()
    }
}
