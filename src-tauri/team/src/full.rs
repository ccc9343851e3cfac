//! A server that has no room: nothing is lost, what was to be sent is sent later, and the screen says so.

use crate::context::Context;
use crate::nats::NatsResult;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{self, ErrorCode};

/// What the server refuses to keep for now, in its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Full(pub(crate) String);

impl Full {
    /// Tells a server that has no room from one that cannot be reached.
    ///
    /// # Errors
    /// `error` itself, when it is something else.
    pub(crate) fn from_error(error: async_nats::Error) -> NatsResult<Self> {
        let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&*error);
        while let Some(this) = cause {
            if let Some(said) = this.downcast_ref::<jetstream::Error>().filter(|said| is_full(said)) {
                return Ok(Self(said.to_string()));
            }
            cause = this.source();
        }
        Err(error)
    }
}

fn is_full(said: &jetstream::Error) -> bool {
    let full = [
        ErrorCode::STREAM_STORE_FAILED,
        ErrorCode::INSUFFICIENT_RESOURCES,
        ErrorCode::ACCOUNT_RESOURCES_EXCEEDED,
    ];
    full.contains(&said.error_code())
}

/// Publishes a message and waits until the server keeps it. A repetition under the same id is no second message. `Full`
/// when the server has no room for it now.
pub(crate) async fn publish_once(
    context: &Context,
    jetstream: &jetstream::Context,
    (subject, id): (&str, &str),
    (head, body): (&impl serde::Serialize, &[u8]),
) -> NatsResult<Result<(), Full>> {
    let message = context.signer.seal(subject, head, body)?;
    let publish = PublishMessage::build().payload(message.into()).message_id(id);
    match jetstream.send_publish(subject.to_owned(), publish).await?.await {
        Ok(_) => Ok(Ok(())),
        Err(error) => Full::from_error(error.into()).map(Err),
    }
}
