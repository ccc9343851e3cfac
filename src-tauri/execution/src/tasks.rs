//! The tokio runtime for the processes of this app: programs that answer one question, and connections to guardians.
//!
//! It is the package's own, so that callers need no runtime around them. One thread does the waiting; what blocks goes to its
//! pool of blocking threads.

use std::future::Future;
use std::io;
use std::sync::{LazyLock, mpsc};
use tokio::runtime::{Builder, Handle, Runtime};

static RUNTIME: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_multi_thread().worker_threads(1).thread_name("processes").enable_all().build()
});

/// Where tasks are spawned.
///
/// # Errors
/// When the system gives no thread.
pub(crate) fn handle() -> io::Result<&'static Handle> {
    match &*RUNTIME {
        Ok(runtime) => Ok(runtime.handle()),
        Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
    }
}

/// Waits for the result of a task. May be called from any thread that may block.
///
/// # Errors
/// When the system gives no thread, or the task panicked.
pub(crate) fn wait_for<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> io::Result<T> {
    let (reply, answer) = mpsc::sync_channel(1);
    handle()?.spawn(async move {
        let _ = reply.send(work.await); // the caller waits below
    });
    answer.recv().map_err(|_| io::Error::other("a task ended without a result"))
}

/// Has work done that blocks, by a thread of the pool. `None` when it panicked, which is logged.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => Some(done),
        Err(error) => {
            tracing::error!(%error, "a task ended without a result");
            None
        }
    }
}

/// Starts work that blocks, by a thread of the pool. Nobody waits for it.
///
/// # Errors
/// When the system gives no thread.
pub(crate) fn start(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    handle()?.spawn_blocking(work);
    Ok(())
}
