//! Taking messages from a queue of a machine, which the operator made: one at a time, because what was handed out and not begun
//! would be handed out again. The library's own pull asks first what the consumer is, which only its account may.

use crate::nats::NatsResult;
use crate::stored::Servers;
use async_nats::jetstream::Message;
use async_nats::{StatusCode, Subscriber};
use futures_util::StreamExt as _;
use serde_json::json;
use std::time::Duration;

/// How much later the server may say that there was none.
const PATIENCE: Duration = Duration::from_secs(5);

/// A queue.
#[derive(Debug)]
pub(crate) struct Queue {
    servers: Servers,
    api: String,
    inbox: String,
    answers: Subscriber,
}

impl Queue {
    /// The queue of this name in a stream.
    pub(crate) async fn new(servers: &Servers, (stream, name): (&str, &str)) -> NatsResult<Self> {
        let inbox = servers.client.new_inbox();
        let answers = servers.client.subscribe(inbox.clone()).await?;
        let api = format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.{name}");
        Ok(Self { servers: servers.clone(), api, inbox, answers })
    }

    /// The next message, if there is one within `expires`.
    ///
    /// # Errors
    /// What the server says; also when it does not answer, as in a team that was not set up for this machine.
    pub(crate) async fn next_within(&mut self, expires: Duration) -> NatsResult<Option<Message>> {
        let question = json!({ "batch": 1, "expires": u64::try_from(expires.as_nanos())? });
        let question = serde_json::to_vec(&question)?;
        let (api, inbox) = (self.api.clone(), self.inbox.clone());
        self.servers.client.publish_with_reply(api, inbox, question.into()).await?;
        loop {
            let answer = tokio::time::timeout(expires + PATIENCE, self.answers.next()).await;
            let answer = answer.map_err(|_| "the server does not answer")?.ok_or("the connection ended")?;
            match answer.status {
                None => {
                    let context = self.servers.jetstream.clone();
                    return Ok(Some(Message { message: answer, context }));
                }
                Some(StatusCode::NOT_FOUND | StatusCode::TIMEOUT) => return Ok(None),
                Some(StatusCode::IDLE_HEARTBEAT) => {}
                Some(status) => {
                    let why = answer.description.unwrap_or_default();
                    return Err(format!("{} {why}", status.as_u16()).into());
                }
            }
        }
    }
}

/// When the server stored a message, ms since 1970 UTC by its clock; 0 when it does not say.
pub(crate) fn stored_at(message: &Message) -> i64 {
    let at = message.info().map(|info| info.published.unix_timestamp_nanos() / 1_000_000);
    at.ok().and_then(|millis| i64::try_from(millis).ok()).unwrap_or(0)
}
