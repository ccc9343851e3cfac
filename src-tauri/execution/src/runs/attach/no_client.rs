//! Where there is no guardian yet: a start is refused, because what it began could not be ended.

use super::{GuardianProgram, RunNotice};
use crate::runs::record::RunDir;
use crate::runs::spec::RunSpec;
use crate::runs::wire::Request;
use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use tokio::sync::mpsc::UnboundedReceiver;

/// A connection to a guardian; there is none.
#[derive(Debug)]
pub(crate) enum Client {}

/// Fails.
pub(super) fn connect(_run_dir: &Path) -> io::Result<Infallible> {
    Err(io::ErrorKind::Unsupported.into())
}

impl Client {
    /// Fails, and leaves no folder.
    pub(crate) fn spawn(_guardian: &GuardianProgram, _dir: RunDir, _spec: &RunSpec) -> io::Result<Arc<Self>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn of(_run_dir: PathBuf, stream: Infallible) -> io::Result<Arc<Self>> {
        match stream {}
    }

    pub(crate) fn run_dir(&self) -> &Path {
        match *self {}
    }

    pub(crate) fn send(&self, _request: &Request) -> io::Result<()> {
        match *self {}
    }

    pub(crate) fn subscribe(&self) -> Receiver<RunNotice> {
        match *self {}
    }

    pub(crate) fn subscribe_task(&self) -> UnboundedReceiver<RunNotice> {
        match *self {}
    }

    pub(crate) fn leave(&self) {
        match *self {}
    }

    pub(crate) fn is_left(&self) -> bool {
        match *self {}
    }
}
