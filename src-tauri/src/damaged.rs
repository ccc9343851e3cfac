//! Files of ours that were unreadable at the start, apart from those of the runtime. The page names them.

use loopdeck_runtime::views::Failure;
use parking_lot::Mutex;

/// Why each was unreadable.
#[derive(Debug, Default)]
pub(crate) struct Damaged(Mutex<Vec<Failure>>);

impl Damaged {
    /// Remembers them for the next page that begins.
    pub(crate) fn note(&self, failures: Vec<Failure>) {
        self.0.lock().extend(failures);
    }

    /// All of them.
    pub(crate) fn all(&self) -> Vec<Failure> {
        self.0.lock().clone()
    }
}
