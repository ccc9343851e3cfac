//! The processes of the run: those in the guardian's job, which all are that start below it, and which nobody leaves.

use super::start::Leader;
use crate::runs::report::Exit;
use loopdeck_system::processes as tree;
use loopdeck_system::processes::{CannotTell, Process, ProcessId, Sent, SignalKind, Snapshot};
use loopdeck_windows::console::ask_group;
use loopdeck_windows::job::Job;
use std::io;
use std::thread;

pub(crate) struct Family {
    me: u32,
    child: Option<u32>,
    job: Job,
}

/// What the system says about the processes of our job.
pub(crate) enum Proof {
    /// There is none but us.
    None,
    /// There is at least one, or it is not known.
    Some,
}

impl Family {
    /// The family of this process, in its own job.
    pub(crate) fn found(_run_id: &str) -> io::Result<Self> {
        Ok(Self { me: std::process::id(), child: None, job: Job::with_this_process()? })
    }

    /// The child was started.
    pub(crate) fn begin(&mut self, pid: u32) -> Option<ProcessId> {
        self.child = Some(pid);
        tree::find_process(pid).ok().flatten().map(|process| process.id)
    }

    /// The living processes of the run.
    pub(crate) fn processes_below(&self) -> Result<Vec<Process>, CannotTell> {
        let pids = self.others().map_err(|error| CannotTell(format!("the job cannot be read: {error}")))?;
        if pids.is_empty() {
            return Ok(Vec::new());
        }
        Ok(Snapshot::take()?.among(&pids).into_iter().cloned().collect())
    }

    /// None: nobody leaves a job.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the other platform has to look")]
    pub(crate) fn processes_elsewhere(&self) -> Result<Vec<Process>, CannotTell> {
        Ok(Vec::new())
    }

    /// Ends all processes of the run; short of that, asks the child and those that it started in its group.
    pub(crate) fn signal_group(&self, kind: SignalKind) {
        match kind {
            SignalKind::Interrupt | SignalKind::Terminate => self.interrupt(),
            SignalKind::Kill => {
                for process in self.processes_below().unwrap_or_default() {
                    Self::signal(&process, kind); // looked at again
                }
            }
        }
    }

    /// Ctrl-Break, which is for a whole group.
    pub(crate) fn interrupt(&self) {
        if let Some(child) = self.child {
            let _ = ask_group(child); // an error means that nobody is left there
        }
    }

    pub(crate) fn signal(process: &Process, kind: SignalKind) -> bool {
        matches!(tree::signal(process.id, kind), Ok(Sent::Sent))
    }

    /// Whether anything is left in the job, by the system's word.
    pub(crate) fn proof(&mut self) -> Proof {
        if self.others().is_ok_and(|others| others.is_empty()) { Proof::None } else { Proof::Some }
    }

    fn others(&self) -> io::Result<Vec<u32>> {
        let mut pids = self.job.processes()?;
        pids.retain(|pid| *pid != self.me);
        Ok(pids)
    }
}

/// Tells of the child's exit.
pub(crate) fn tell_exit(mut child: Leader, told: impl FnOnce(Exit) + Send + 'static) {
    thread::spawn(move || {
        let code = child.wait().ok().flatten();
        told(Exit::Code { code: code.unwrap_or(-1) });
    });
}

/// Nothing: the job ends with this process.
pub(crate) fn last_resort() {}
