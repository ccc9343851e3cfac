//! Named pipes between programs of one user: both directions at once, with an end that other threads can bring about.

use crate::call::{done, error, last_error, length_of, owned, wide};
use crate::user::OnlyThisUser;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::io::{AsRawHandle as _, OwnedHandle};
use std::sync::Arc;
use std::time::Duration;
use windows_sys::Win32::Foundation::{
    ERROR_BROKEN_PIPE, ERROR_IO_PENDING, ERROR_NO_DATA, ERROR_OPERATION_ABORTED, ERROR_PIPE_CONNECTED,
    ERROR_PIPE_NOT_CONNECTED, HANDLE, WAIT_OBJECT_0,
};
use windows_sys::Win32::Security::SECURITY_ATTRIBUTES;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_FIRST_PIPE_INSTANCE, FILE_FLAG_OVERLAPPED, PIPE_ACCESS_DUPLEX, ReadFile,
    SECURITY_IDENTIFICATION, WriteFile,
};
use windows_sys::Win32::System::IO::{CancelIoEx, GetOverlappedResult, OVERLAPPED};
use windows_sys::Win32::System::Pipes::{
    ConnectNamedPipe, CreateNamedPipeW, GetNamedPipeServerProcessId, PIPE_READMODE_BYTE,
    PIPE_REJECT_REMOTE_CLIENTS, PIPE_TYPE_BYTE, PIPE_UNLIMITED_INSTANCES, PIPE_WAIT,
};
use windows_sys::Win32::System::Threading::{
    CreateEventW, INFINITE, SetEvent, WaitForMultipleObjects, WaitForSingleObject,
};

/// Bytes that a pipe holds in each direction until somebody reads them.
const ROOM: u32 = 64 << 10;

/// Waits for programs that connect to a name.
#[derive(Debug)]
pub struct Listener {
    name: Vec<u16>,
    user: OnlyThisUser,
    next: OwnedHandle,
    ready: OwnedHandle,
}

impl Listener {
    /// Takes `\\.\pipe\` and `name`, for programs of this user on this machine.
    ///
    /// # Errors
    /// What the system says: another program has that name.
    pub fn bind(name: &str) -> io::Result<Self> {
        let (name, user) = (wide(OsStr::new(&path(name))), OnlyThisUser::describe()?);
        let next = instance(&name, &user, FILE_FLAG_FIRST_PIPE_INSTANCE)?;
        Ok(Self { name, user, next, ready: event()? })
    }

    /// Waits until a program has connected.
    ///
    /// # Errors
    /// What the system says.
    pub fn accept(&mut self) -> io::Result<Pipe> {
        loop {
            let connected = self.connect();
            let taken = std::mem::replace(&mut self.next, instance(&self.name, &self.user, 0)?);
            match connected {
                Ok(()) => return Pipe::from_handle(taken),
                // It came and went.
                Err(fault) if is_end(&fault) => {}
                Err(fault) => return Err(fault),
            }
        }
    }

    fn connect(&self) -> io::Result<()> {
        let mut overlapped = OVERLAPPED { hEvent: self.ready.as_raw_handle(), ..Default::default() };
        // SAFETY: the handle is a pipe's; `overlapped` stays where it is until the call is over, which is waited for below.
        let answer = unsafe { ConnectNamedPipe(self.next.as_raw_handle(), &raw mut overlapped) };
        if answer == 0 {
            match last_error() {
                ERROR_PIPE_CONNECTED => return Ok(()),
                ERROR_IO_PENDING => {}
                number => return Err(error(number)),
            }
        }
        result(self.next.as_raw_handle(), &mut overlapped).map(drop)
    }
}

/// One end of a connection. Clones are the same end; each may be used by a thread of its own, and none waits for another.
#[derive(Debug)]
pub struct Pipe {
    end: Arc<End>,
    ready: OwnedHandle,
    patience: Option<Duration>,
}

#[derive(Debug)]
struct End {
    handle: OwnedHandle,
    over: OwnedHandle,
}

impl Pipe {
    /// Connects to `\\.\pipe\` and `name`. The other side learns who we are, and cannot act in our name.
    ///
    /// # Errors
    /// What the system says: nobody listens, or not yet again.
    pub fn connect(name: &str) -> io::Result<Self> {
        Self::from_handle(open(name)?)
    }

    /// Both ends of a connection that nobody else can have; the second to be given to a program that is started. `name` must be new.
    ///
    /// # Errors
    /// What the system says.
    pub fn pair(name: &str) -> io::Result<(Self, OwnedHandle)> {
        let listener = Listener::bind(name)?;
        let its = open(name)?;
        listener.connect()?;
        Ok((Self::from_handle(listener.next)?, its))
    }

    /// The end that was made by [`Self::pair`] in the program that started this one.
    ///
    /// # Errors
    /// What the system says.
    pub fn from_handle(handle: OwnedHandle) -> io::Result<Self> {
        Ok(Self { end: Arc::new(End { handle, over: event()? }), ready: event()?, patience: None })
    }

    /// The same end, for another thread.
    ///
    /// # Errors
    /// What the system says.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { end: Arc::clone(&self.end), ready: event()?, patience: self.patience })
    }

    /// How long this clone waits for a reader; `None`: without end.
    pub fn set_write_timeout(&mut self, patience: Option<Duration>) {
        self.patience = patience;
    }

    /// The number of the process that listened.
    ///
    /// # Errors
    /// What the system says.
    pub fn listening_process(&self) -> io::Result<u32> {
        let mut pid = 0;
        // SAFETY: the handle is a pipe's; the number may be written.
        done(unsafe { GetNamedPipeServerProcessId(self.end.handle.as_raw_handle(), &raw mut pid) })?;
        Ok(pid)
    }

    /// Ends the connection for all clones: who reads finds its end, who writes fails. What was written before can still be read.
    pub fn shut_down(&self) {
        // SAFETY: the handle is an event's.
        unsafe { SetEvent(self.end.over.as_raw_handle()) };
    }

    /// Has the system begin with something, and waits until it is over: done, out of time, or the connection was ended.
    fn transfer(
        &self,
        patience: Option<Duration>,
        begin: impl FnOnce(HANDLE, *mut OVERLAPPED) -> i32,
    ) -> io::Result<usize> {
        let (handle, over) = (self.end.handle.as_raw_handle(), &self.end.over);
        // SAFETY: the handle is an event's.
        if unsafe { WaitForSingleObject(over.as_raw_handle(), 0) } == WAIT_OBJECT_0 {
            return Err(error(ERROR_BROKEN_PIPE));
        }
        let mut overlapped = OVERLAPPED { hEvent: self.ready.as_raw_handle(), ..Default::default() };
        if begin(handle, &raw mut overlapped) == 0 && last_error() != ERROR_IO_PENDING {
            return Err(error(last_error()));
        }
        let waited = wait_for_first([over, &self.ready], patience);
        if waited != WAIT_OBJECT_0 + 1 {
            // SAFETY: the handle is open, and `overlapped` is the one that was begun with.
            unsafe { CancelIoEx(handle, &raw const overlapped) }; // an error means that it is over
        }
        match result(handle, &mut overlapped) {
            Err(fault) if fault.raw_os_error() == Some(ERROR_OPERATION_ABORTED.cast_signed()) => {
                Err(if waited == WAIT_OBJECT_0 {
                    error(ERROR_BROKEN_PIPE)
                } else {
                    io::ErrorKind::TimedOut.into()
                })
            }
            other => other,
        }
    }
}

impl Read for Pipe {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let (most, to) = (length(bytes), bytes.as_mut_ptr());
        // SAFETY: `transfer` returns when the system no longer writes to `bytes`, which has room for `most`, or to `overlapped`.
        let begin =
            |handle, overlapped| unsafe { ReadFile(handle, to, most, std::ptr::null_mut(), overlapped) };
        match self.transfer(None, begin) {
            Err(fault) if is_end(&fault) => Ok(0),
            other => other,
        }
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (most, from) = (length(bytes), bytes.as_ptr());
        // SAFETY: `transfer` returns when the system no longer reads the `most` bytes, or writes to `overlapped`.
        let begin =
            |handle, overlapped| unsafe { WriteFile(handle, from, most, std::ptr::null_mut(), overlapped) };
        self.transfer(self.patience, begin)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn path(name: &str) -> String {
    format!(r"\\.\pipe\{name}")
}

fn open(name: &str) -> io::Result<OwnedHandle> {
    let mut options = File::options();
    options.read(true).write(true).share_mode(0);
    options.custom_flags(FILE_FLAG_OVERLAPPED).security_qos_flags(SECURITY_IDENTIFICATION);
    options.open(path(name)).map(OwnedHandle::from)
}

/// One more end that a program can connect to.
fn instance(name: &[u16], user: &OnlyThisUser, flags: u32) -> io::Result<OwnedHandle> {
    let security = SECURITY_ATTRIBUTES {
        nLength: length_of::<SECURITY_ATTRIBUTES>(),
        lpSecurityDescriptor: user.as_ptr(),
        bInheritHandle: 0,
    };
    // SAFETY: the name ends with a zero; `security` and what it describes live longer than the call.
    owned(unsafe {
        CreateNamedPipeW(
            name.as_ptr(),
            PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | flags,
            PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS,
            PIPE_UNLIMITED_INSTANCES,
            ROOM,
            ROOM,
            0,
            &raw const security,
        )
    })
}

/// An event that stays set, for this process alone.
fn event() -> io::Result<OwnedHandle> {
    // SAFETY: no attributes and no name are asked for.
    owned(unsafe { CreateEventW(std::ptr::null(), 1, 0, std::ptr::null()) })
}

/// Waits for one of two; which, as the system says it. The first wins.
fn wait_for_first(events: [&OwnedHandle; 2], patience: Option<Duration>) -> u32 {
    let handles = events.map(|event| event.as_raw_handle());
    let ms = patience.map_or(INFINITE, |patience| u32::try_from(patience.as_millis()).unwrap_or(INFINITE));
    // SAFETY: both are events, and borrowed for longer than the call.
    unsafe { WaitForMultipleObjects(2, handles.as_ptr(), 0, ms) }
}

/// Waits until what was begun with `overlapped` is over; the bytes that were transferred.
fn result(handle: HANDLE, overlapped: &mut OVERLAPPED) -> io::Result<usize> {
    let mut count = 0;
    // SAFETY: `overlapped` is the one that was begun with, on this handle, and has an event of its own.
    done(unsafe { GetOverlappedResult(handle, overlapped, &raw mut count, 1) })?;
    Ok(count as usize)
}

fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

/// The other side is gone, or the connection was ended here.
fn is_end(fault: &io::Error) -> bool {
    let number = fault.raw_os_error().map(i32::cast_unsigned);
    matches!(number, Some(ERROR_BROKEN_PIPE | ERROR_PIPE_NOT_CONNECTED | ERROR_NO_DATA))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead as _, BufReader};
    use std::thread;

    fn name(of: &str) -> String {
        format!("loopdeck-test-{of}-{}", std::process::id())
    }

    #[test]
    fn both_sides_talk_while_both_wait_for_an_answer() {
        let mut listener = Listener::bind(&name("talk")).unwrap();
        let answering = thread::spawn(move || {
            let mut said = Vec::new();
            for _ in 0..2 {
                let mut app = listener.accept().unwrap();
                let mut lines = BufReader::new(app.try_clone().unwrap());
                app.write_all(b"hello\n").unwrap();
                let mut line = String::new();
                lines.read_line(&mut line).unwrap();
                said.push(line);
                app.write_all(b"bye\n").unwrap();
            }
            said
        });
        for text in ["one\n", "two\n"] {
            let mut app = (0..).find_map(|_| Pipe::connect(&name("talk")).ok()).unwrap();
            assert_eq!(app.listening_process().unwrap(), std::process::id());
            let mut reading = app.try_clone().unwrap();
            let heard = thread::spawn(move || {
                let mut all = String::new();
                reading.read_to_string(&mut all).unwrap();
                all
            });
            app.write_all(text.as_bytes()).unwrap();
            assert_eq!(heard.join().unwrap(), "hello\nbye\n", "what was written before the end is read");
        }
        assert_eq!(answering.join().unwrap(), ["one\n", "two\n"]);
    }

    #[test]
    fn nobody_answers_where_nobody_listens() {
        // That a second listener is refused cannot be tested here: Wine 8 lets it in.
        Pipe::connect(&name("none")).unwrap_err();
    }

    #[test]
    fn who_waits_is_let_go_when_the_connection_is_ended_or_time_is_up() {
        let (ours, its) = Pipe::pair(&name("pair")).unwrap();
        let mut its = Pipe::from_handle(its).unwrap();
        its.set_write_timeout(Some(Duration::from_millis(20)));
        let too_much = vec![0; 16 * ROOM as usize];
        assert_eq!(its.write_all(&too_much).unwrap_err().kind(), io::ErrorKind::TimedOut);
        let mut waiting = its.try_clone().unwrap();
        let waits = thread::spawn(move || waiting.read(&mut [0; 8]).unwrap());
        its.shut_down();
        assert_eq!(waits.join().unwrap(), 0);
        its.write(b"x").unwrap_err();
        drop(ours);
    }
}
