//! Failures without a caller to report to: they go to the log, so that none is swallowed.

use std::fmt::Debug;

/// A result that can be ignored.
pub trait Logged {
    /// Logs its failure; `what` names what is missing because of it.
    fn logged(self, what: &'static str);
}

impl<T, E: Debug> Logged for Result<T, E> {
    fn logged(self, what: &'static str) {
        if let Err(error) = self {
            tracing::warn!(?error, "{what}");
        }
    }
}
