//! Ports for servers that a test starts. The system hands the ports from 32,768 on to whoever asks for any one, clients too, so a
//! server that listens a moment later could find its own taken. These are below, and each is given to one test only.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

/// Where the first one may be: far enough below those of the system for all that follow, and for [`NEXT`].
const FIRST: u16 = 10_000;
const PROCESSES: u32 = 16_000;
/// From a port to the second one that is free with it.
const NEXT: u16 = 2_000;

/// A port on loopback that nobody listens on; the one 2,000 above it is free too, for the other servers of a cluster.
///
/// # Panics
/// When a thousand in a row are taken.
pub fn free_port() -> u16 {
    static GIVEN: AtomicU16 = AtomicU16::new(0);
    let process = u16::try_from(std::process::id() % PROCESSES).expect("small");
    let is_free = |port: u16| TcpListener::bind(("127.0.0.1", port)).is_ok();
    let mut ports = (0..1_000).map(|_| FIRST + process + GIVEN.fetch_add(1, Relaxed));
    ports.find(|port| is_free(*port) && is_free(port + NEXT)).expect("a free port")
}
