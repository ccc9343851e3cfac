//! The inputs of an operation.

use crate::formats::ccw::read::state::CcwState;
use crate::summary::Summary;
use crate::times;
use crate::view::Companion;

/// The inputs of an operation.
pub(crate) struct OperationInputs<'s> {
    pub(crate) bytes: &'s [u8],
    pub(crate) state: &'s CcwState<'s>,
    pub(crate) summary: &'s Summary,
    pub(crate) stem: &'s str,
    pub(crate) now: String,
    pub(crate) now_ms: times::Timestamp,
    /// The number of this round.
    pub(crate) round: f64,
    pub(crate) companions: &'s [Companion],
}
