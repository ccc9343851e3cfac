//! Files of ours that could not be read at the start, apart from those of the runtime: the page tells the person.

use loopdeck_runtime::views::Failure;
use std::sync::{Mutex, PoisonError};

/// What is to be told of them.
#[derive(Debug, Default)]
pub(crate) struct Damaged(Mutex<Vec<Failure>>);

impl Damaged {
    /// Remembers them for the next page that begins.
    pub(crate) fn note(&self, failures: Vec<Failure>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = failures;
    }

    /// All of them.
    pub(crate) fn all(&self) -> Vec<Failure> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
