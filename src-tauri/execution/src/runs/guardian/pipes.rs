//! The child's pipes: output to disk, text to stdin.

use super::Message;
use crate::runs::log::{FrameBuffer, LogWriter, Stream};
use loopdeck_system::clock;
use parking_lot::Mutex;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;

/// Reads output until it ends, whatever happens to the disk: a child must never wait for us.
pub(crate) struct OutputDrain {
    shared: Arc<Shared>,
    inbox: Sender<Message>,
}

struct Shared {
    log: Mutex<LogWriter>,
    /// Whether `More` is in the inbox already.
    told: AtomicBool,
    /// Bytes that could not be kept.
    lost: AtomicU64,
}

impl OutputDrain {
    pub(crate) fn open(folder: &Path, cap: u64, inbox: &Sender<Message>) -> io::Result<Self> {
        let log = Mutex::new(LogWriter::open(folder, cap)?);
        let shared = Shared { log, told: AtomicBool::new(false), lost: AtomicU64::new(0) };
        Ok(Self { shared: Arc::new(shared), inbox: inbox.clone() })
    }

    /// Reads `pipe` in a thread of its own.
    pub(crate) fn read(&self, pipe: impl Read + Send + 'static, stream: Stream) {
        let (shared, inbox) = (Arc::clone(&self.shared), self.inbox.clone());
        thread::spawn(move || {
            shared.read(pipe, stream, &inbox);
            let _ = inbox.send(Message::OutputEnded);
        });
    }

    /// Apps are being told of earlier output: the next output is announced again.
    pub(crate) fn passed_on(&self) {
        self.shared.told.store(false, Ordering::SeqCst);
    }

    pub(crate) fn end(&self) -> u64 {
        self.shared.log().end()
    }

    pub(crate) fn lost(&self) -> u64 {
        self.shared.lost.load(Ordering::SeqCst)
    }

    pub(crate) fn sync(&self) {
        let _ = self.shared.log().sync(); // it is all there unless the power fails
    }
}

impl Shared {
    fn log(&self) -> parking_lot::MutexGuard<'_, LogWriter> {
        self.log.lock()
    }

    fn read(&self, mut pipe: impl Read, stream: Stream, inbox: &Sender<Message>) {
        let mut framed = FrameBuffer::default();
        loop {
            match framed.fill(&mut pipe) {
                Ok(0) => return,
                Ok(len) => self.keep(&mut framed, len, stream),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
            if !self.told.swap(true, Ordering::SeqCst) {
                let _ = inbox.send(Message::More);
            }
        }
    }

    fn keep(&self, framed: &mut FrameBuffer, len: usize, stream: Stream) {
        if self.log().append(framed, stream, clock::now()).is_err() {
            self.lost.fetch_add(len as u64, Ordering::SeqCst);
        }
    }
}

/// Writes stdin in a thread of its own: the child may never read it.
pub(crate) struct StdinWriter(Option<Sender<String>>);

impl StdinWriter {
    /// Writes `first`, then what is sent; or only `first`.
    pub(crate) fn start(
        mut stdin: impl Write + Send + 'static,
        mut first: impl Read + Send + 'static,
        only_that: bool,
    ) -> Self {
        let (sender, texts) = mpsc::channel::<String>();
        thread::spawn(move || {
            // Errors mean that the reader is gone; dropping stdin closes it.
            if io::copy(&mut first, &mut stdin).and_then(|_| stdin.flush()).is_err() {
                return;
            }
            for text in texts {
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        });
        Self((!only_that).then_some(sender))
    }

    /// Sends text; nothing when stdin was closed.
    pub(crate) fn send(&self, text: String) {
        if let Some(sender) = &self.0 {
            let _ = sender.send(text); // an error means that the reader is gone
        }
    }

    /// Closes stdin behind what was sent.
    pub(crate) fn close(&mut self) {
        self.0 = None;
    }

    pub(crate) fn is_open(&self) -> bool {
        self.0.is_some()
    }
}
