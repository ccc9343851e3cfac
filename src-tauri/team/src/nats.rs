//! What the servers answer.

use std::convert::Infallible;

/// An answer of the servers, or why there is none.
pub(crate) type NatsResult<T> = Result<T, async_nats::Error>;

/// How a task ends that never does by itself.
pub(crate) type Endless = NatsResult<Infallible>;
