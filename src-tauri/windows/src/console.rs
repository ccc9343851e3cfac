//! Consoles: asking a group of processes to end, being asked.

use crate::call::done;
use std::io;
use std::os::windows::io::{AsRawHandle as _, BorrowedHandle};
use std::sync::OnceLock;
use std::thread;
use windows_sys::Win32::Foundation::{HANDLE_FLAG_INHERIT, SetHandleInformation};
use windows_sys::Win32::System::Console::{
    CTRL_BREAK_EVENT, CTRL_C_EVENT, GenerateConsoleCtrlEvent, SetConsoleCtrlHandler,
};
use windows_sys::Win32::System::Threading::{
    CREATE_BREAKAWAY_FROM_JOB, CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW,
};

/// Flags of a start: a console that nobody sees, a group of its own for [`ask_group`], and outside of the job of who starts it.
pub const OUTLIVES_ITS_STARTER: u32 = CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP | CREATE_BREAKAWAY_FROM_JOB;
/// The same where the job lets nobody out: it ends with that.
pub const IN_THE_JOB_OF_ITS_STARTER: u32 = CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP;
/// Flags of a start: on the console of who starts it, which [`ask_group`] needs, in a group of its own.
pub const IN_ITS_OWN_GROUP: u32 = CREATE_NEW_PROCESS_GROUP;

/// What a console says to its programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsoleEvent {
    /// Somebody pressed Ctrl-C or Ctrl-Break, or another program asks.
    Interrupt,
    /// The window is closed, the person signs out, or the system shuts down: this process ends in a few seconds.
    End,
}

type Told = Box<dyn Fn(ConsoleEvent) + Send + Sync>;

static TOLD: OnceLock<Told> = OnceLock::new();

/// Sends Ctrl-Break to the group that this process leads. It must have been started with [`IN_ITS_OWN_GROUP`], by us.
///
/// # Errors
/// What the system says: nobody is left there, or it has another console.
pub fn ask_group(leader: u32) -> io::Result<()> {
    // SAFETY: it takes numbers.
    done(unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, leader) })
}

/// Calls `told`, in a thread of its own, for whatever the console says from now on, instead of ending this process. Once per process.
///
/// # Errors
/// What the system says, or `AlreadyExists`.
pub fn on_event(told: impl Fn(ConsoleEvent) + Send + Sync + 'static) -> io::Result<()> {
    TOLD.set(Box::new(told)).map_err(|_| io::ErrorKind::AlreadyExists)?;
    // SAFETY: `handle` lives as long as the process, and may be called from any thread.
    done(unsafe { SetConsoleCtrlHandler(Some(handle), 1) })
}

/// The system calls this in a thread of its own.
unsafe extern "system" fn handle(event: u32) -> i32 {
    let event = match event {
        CTRL_C_EVENT | CTRL_BREAK_EVENT => ConsoleEvent::Interrupt,
        _ => ConsoleEvent::End,
    };
    if let Some(told) = TOLD.get() {
        told(event);
    }
    if event == ConsoleEvent::End {
        // The process ends when this returns. What has to be done before has as long as the system allows.
        loop {
            thread::park();
        }
    }
    1
}

/// Programs that this one starts no longer get this handle, unless it is given to them by name: it would stay open as long as they run.
///
/// # Errors
/// What the system says.
pub fn keep_to_ourselves(handle: BorrowedHandle<'_>) -> io::Result<()> {
    // SAFETY: the handle is open as long as it is borrowed.
    done(unsafe { SetHandleInformation(handle.as_raw_handle(), HANDLE_FLAG_INHERIT, 0) })
}
