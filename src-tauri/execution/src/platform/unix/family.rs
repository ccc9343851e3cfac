//! The processes of the run, seen from the guardian: everything below it.
//!
//! The child stays unreaped until the very end, so that its pid, which is also its group's number, cannot come to mean
//! anything else.

use super::start::Leader;
use crate::runs::report::Exit;
use loopdeck_system::processes as tree;
use loopdeck_system::processes::{CannotTell, Process, ProcessId, Sent, SignalKind, Snapshot};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process_group, wait, waitid, waitpid,
};
use std::io;
use std::thread;
use std::time::Duration;

pub(crate) struct Family {
    run_id: String,
    me: u32,
    child: Option<Pid>,
    child_reaped: bool,
    /// Whether orphans become our children: only then is what is not below us not there.
    reaper: bool,
}

/// What the kernel says about our children.
pub(crate) enum Proof {
    /// There is none, and so no descendant either.
    None,
    /// There is at least one, or there may be descendants that are not ours.
    Some,
}

impl Family {
    /// The family of this process, in its own session.
    pub(crate) fn found(run_id: &str) -> io::Result<Self> {
        let _ = rustix::process::setsid(); // an error means that our parent did it
        let reaper = become_reaper();
        Ok(Self {
            reaper,
            run_id: run_id.to_owned(),
            me: std::process::id(),
            child: None,
            child_reaped: false,
        })
    }

    /// The child was started.
    pub(crate) fn begin(&mut self, pid: u32) -> Option<ProcessId> {
        self.child = as_pid(pid);
        tree::find_process(pid).ok().flatten().map(|process| process.id)
    }

    /// The living processes of the run. Reaps orphans that ended.
    pub(crate) fn processes_below(&self) -> Result<Vec<Process>, CannotTell> {
        if !self.reaper {
            return Err(CannotTell("processes that lose their parent cannot be followed here".to_owned()));
        }
        let snapshot = Snapshot::take()?;
        let below = snapshot.below(&[self.me]);
        for process in below.iter().filter(|process| process.zombie && process.parent == self.me) {
            self.reap_orphan(process.id.pid);
        }
        Ok(below.into_iter().filter(|process| !process.zombie).cloned().collect())
    }

    /// Living processes that carry the run's id and are not below us.
    pub(crate) fn processes_elsewhere(&self) -> Result<Vec<Process>, CannotTell> {
        let snapshot = Snapshot::take()?;
        let mut marked = snapshot.marked(&self.run_id);
        marked.retain(|process| !process.zombie && process.id.pid != self.me);
        Ok(marked.into_iter().cloned().collect())
    }

    /// Signals the child's group, as long as its number can mean nothing else.
    pub(crate) fn signal_group(&self, kind: SignalKind) {
        if let Some(child) = self.child.filter(|_| !self.child_reaped) {
            let _ = kill_process_group(child, number(kind)); // an error means that it is empty
        }
    }

    /// SIGINT to the child alone.
    pub(crate) fn interrupt(&self) {
        if let Some(child) = self.child.filter(|_| !self.child_reaped) {
            let _ = rustix::process::kill_process(child, Signal::INT); // an error means that it is gone
        }
    }

    pub(crate) fn signal(process: &Process, kind: SignalKind) -> bool {
        matches!(tree::signal(process.id, kind), Ok(Sent::Sent))
    }

    /// Whether anything is left below us, by the kernel's word. Only when the child has exited: it is reaped here.
    pub(crate) fn proof(&mut self) -> Proof {
        self.child_reaped = true;
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return Proof::Some,
                Err(_) if self.reaper => return Proof::None, // ECHILD is the only other answer
                Err(_) => return Proof::Some,
            }
        }
    }

    fn reap_orphan(&self, pid: u32) {
        let pid = as_pid(pid).filter(|pid| self.child_reaped || Some(*pid) != self.child);
        if pid.is_some() {
            let _ = waitpid(pid, WaitOptions::NOHANG); // an error means that it was reaped already
        }
    }
}

/// Tells of the child's exit, without reaping it.
pub(crate) fn tell_exit(child: Leader, told: impl FnOnce(Exit) + Send + 'static) {
    thread::spawn(move || {
        let Some(pid) = as_pid(child.id()) else { return };
        let status = loop {
            match waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
                Err(Errno::INTR) => {}
                other => break other.ok().flatten(),
            }
        };
        let signal = status.and_then(|status| status.terminating_signal());
        let code = status.and_then(|status| status.exit_status());
        told(signal.map_or(Exit::Code { code: code.unwrap_or(-1) }, |signal| Exit::Signal { signal }));
    });
}

/// Descendants that lose their parent become our children: nothing of the tree can get away by leaving its session.
/// Whether that is so: Linux only.
fn become_reaper() -> bool {
    #[cfg(target_os = "linux")]
    return rustix::process::set_child_subreaper(Some(rustix::process::getpid())).is_ok();
    #[cfg(not(target_os = "linux"))]
    false
}

fn as_pid(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw)
}

fn number(kind: SignalKind) -> Signal {
    match kind {
        SignalKind::Interrupt => Signal::INT,
        SignalKind::Terminate => Signal::TERM,
        SignalKind::Kill => Signal::KILL,
    }
}

/// Ends everything below this process, without record or report: it is about to fail.
pub(crate) fn last_resort() {
    for _ in 0..20 {
        let Ok(snapshot) = Snapshot::take() else { return };
        let below = snapshot.below(&[std::process::id()]);
        if below.iter().all(|process| process.zombie) {
            return;
        }
        for process in below {
            let _ = tree::signal(process.id, SignalKind::Kill); // checked again
        }
        thread::sleep(Duration::from_millis(25));
    }
}
