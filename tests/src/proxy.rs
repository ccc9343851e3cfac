//! A network between two programs on one computer: it can be cut, and it can become slow in one direction.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::Duration;

/// How often a stopped direction looks whether it may go on.
const LOOK: Duration = Duration::from_millis(20);

const FROM_CLIENT: u8 = 1;
const FROM_SERVER: u8 = 2;
const ENDED: u8 = 4;

/// Forwards connections to a server.
pub struct Proxy {
    address: SocketAddr,
    stopped: Arc<AtomicU8>,
}

impl Proxy {
    /// In front of `server`.
    pub fn new(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let stopped = Arc::<AtomicU8>::default();
        let shared = Arc::clone(&stopped);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if shared.load(Ordering::SeqCst) & ENDED != 0 {
                    return;
                }
                let Ok(server) = TcpStream::connect(server) else { continue };
                let pairs = [(&client, &server, FROM_CLIENT), (&server, &client, FROM_SERVER)];
                for (from, to, direction) in pairs {
                    let (from, to) = (from.try_clone().expect("a stream"), to.try_clone().expect("a stream"));
                    let shared = Arc::clone(&shared);
                    thread::spawn(move || forward(from, to, &shared, direction));
                }
            }
        });
        Self { address, stopped }
    }

    /// Where clients connect.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Nothing gets through any longer, and no connection ends: as with a cable that was pulled out.
    pub fn cut(&self) {
        self.stopped.fetch_or(FROM_CLIENT | FROM_SERVER, Ordering::SeqCst);
    }

    /// What the server says does not arrive.
    pub fn hold_back(&self) {
        self.stopped.fetch_or(FROM_SERVER, Ordering::SeqCst);
    }

    /// Everything gets through again, what was on its way too.
    pub fn heal(&self) {
        self.stopped.store(0, Ordering::SeqCst);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.stopped.store(ENDED, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address); // wakes the listener, which then ends
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream, stopped: &AtomicU8, direction: u8) {
    let mut buffer = vec![0; 64 << 10];
    from.set_read_timeout(Some(LOOK)).expect("a time-out");
    loop {
        let state = stopped.load(Ordering::SeqCst);
        if state & ENDED != 0 {
            return;
        }
        if state & direction != 0 {
            thread::sleep(LOOK); // nobody reads: the sender's buffers fill up
            continue;
        }
        match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) if to.write_all(&buffer[..length]).is_ok() => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            _ => break,
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Both); // the other side has ended too
}
