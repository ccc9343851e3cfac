//! What the servers keep: read, written and followed.
//!
//! A server delivers a reply, and a message pushed by a consumer, to whatever subject it is asked for. So nobody makes a
//! consumer here. Streams are read by number ("direct get" in batches), into an inbox that nobody else knows; that there is
//! something new is only a hint on `seen.>`, which may be false. One that has the message with it, which its owner signed, saves
//! the way to the server and back: what the stream has is asked a moment later. The library's own watch makes a consumer.

use crate::layout::{self, hint_subject, key_subject};
use crate::nats::NatsResult;
use async_nats::jetstream::{self, message::PublishMessage};
use async_nats::{Client, HeaderMap, Message, StatusCode, Subscriber};
use futures_util::{FutureExt as _, StreamExt as _};
use loopdeck_core::times::{Timestamp, parse};
use serde_json::json;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// So many messages are asked for at once. A subscription holds more.
const BATCH: u32 = 250;
/// So many bytes of them.
const BATCH_BYTES: u32 = 4 << 20;
/// How long a server may take between two of them.
const PATIENCE: Duration = Duration::from_secs(5);
/// What a server says after the last message of a batch.
const END_OF_BATCH: u16 = 204;
/// Without a hint, it is looked after this: a hint can be lost.
const LOOK: Duration = Duration::from_secs(15);
/// After a hint that had its message with it, the stream is asked after this, once for all that come meanwhile.
const CHECK: Duration = Duration::from_millis(250);
/// A server that answers may be behind the one that hinted: it is asked again after these, in ms.
const BEHIND: [u64; 8] = [5, 10, 20, 40, 80, 160, 320, 640];
/// So many messages that came with hints may wait. In a flood, the stream is asked, which has the last of each subject.
const MOST_WAITING: usize = 256;

/// The way to what the servers keep.
#[derive(Clone, Debug)]
pub(crate) struct Servers {
    pub(crate) client: Client,
    pub(crate) jetstream: jetstream::Context,
}

/// A message that a stream has.
#[derive(Clone, Debug)]
pub(crate) struct StoredMessage {
    pub(crate) subject: String,
    pub(crate) value: Vec<u8>,
    /// Its number in the stream; 0 when only a hint says that it is there.
    pub(crate) revision: u64,
    /// When the server took it, by its clock.
    pub(crate) stored: Timestamp,
}

/// What following brings.
#[derive(Debug)]
pub(crate) enum Heard {
    Message(StoredMessage),
    /// Everything that was there at the beginning was heard. Said once.
    Current,
}

impl Servers {
    /// The last message under a subject.
    pub(crate) async fn last_message(
        &self,
        stream: &str,
        subject: &str,
    ) -> NatsResult<Option<StoredMessage>> {
        let api = format!("$JS.API.DIRECT.GET.{stream}.{subject}");
        let answer = self.client.request(api, Vec::new().into()).await?;
        match answer.status {
            None => Ok(Some(stored_message(&answer)?)),
            Some(StatusCode::NOT_FOUND) => Ok(None),
            Some(status) => Err(refusal_text(status, answer.description).into()),
        }
    }

    /// Follows a stream whose subjects have one message each, from its beginning: those that `filter` matches.
    pub(crate) async fn follow(&self, stream: &str, filter: &str) -> NatsResult<Followed> {
        let hints = self.client.subscribe(hint_subject(filter)).await?;
        let inbox = self.client.new_inbox();
        let answers = self.client.subscribe(inbox.clone()).await?;
        Ok(Followed {
            client: self.client.clone(),
            stream: stream.to_owned(),
            filter: filter.to_owned(),
            hints,
            inbox,
            answers,
            next: 1,
            hinted: 0,
            is_at_end: false,
            is_current: false,
            check_at: None,
            is_asked: false,
            waiting: VecDeque::new(),
        })
    }
}

/// A stream that is followed.
#[derive(Debug)]
pub(crate) struct Followed {
    client: Client,
    stream: String,
    filter: String,
    hints: Subscriber,
    inbox: String,
    answers: Subscriber,
    /// The number of the next message to ask for.
    next: u64,
    /// The number of the newest message that somebody hinted at.
    hinted: u64,
    /// The last batch was the last of what was there.
    is_at_end: bool,
    is_current: bool,
    /// When to ask what the stream has of what hints brought.
    check_at: Option<Instant>,
    /// A question is not answered to its end yet.
    is_asked: bool,
    waiting: VecDeque<StoredMessage>,
}

impl Followed {
    /// What comes next. May be cancelled.
    ///
    /// # Errors
    /// What the server says.
    pub(crate) async fn next(&mut self) -> NatsResult<Heard> {
        loop {
            if let Some(message) = self.waiting.pop_front() {
                return Ok(Heard::Message(message));
            }
            if self.is_at_end && !self.is_current {
                self.is_current = true;
                return Ok(Heard::Current);
            }
            // A cancelled question still has answers on their way.
            let is_due = self.is_asked || (self.hinted >= self.next && self.check_at.is_none());
            if !self.is_at_end || is_due || self.wait_for_hint().await? {
                self.ask_for_more().await?;
            }
        }
    }

    /// Until there may be something new; whether the stream is to be asked for it now.
    async fn wait_for_hint(&mut self) -> NatsResult<bool> {
        let until = self.check_at.unwrap_or_else(|| Instant::now() + LOOK);
        let Ok(hint) = tokio::time::timeout_at(until, self.hints.next()).await else {
            self.check_at = None;
            return Ok(true);
        };
        self.take_hint(&hint.ok_or("the connection ended")?);
        while let Some(more) = self.hints.next().now_or_never() {
            self.take_hint(&more.ok_or("the connection ended")?);
        }
        Ok(self.check_at.is_none())
    }

    /// Takes a hint, with the message that it has.
    fn take_hint(&mut self, hint: &Message) {
        self.hinted = self.hinted.max(header_number(hint.headers.as_ref(), "Nats-Sequence").unwrap_or(0));
        if hint.payload.is_empty() {
            self.check_at = None;
            return;
        }
        self.check_at.get_or_insert_with(|| Instant::now() + CHECK);
        if self.waiting.len() >= MOST_WAITING {
            return;
        }
        let subject = layout::subject_of_hint(&hint.subject);
        let stored = Timestamp::from_millis(0);
        self.waiting.push_back(StoredMessage { subject, value: hint.payload.to_vec(), revision: 0, stored });
    }

    /// Asks for the next messages, again while the server is behind the hint.
    async fn ask_for_more(&mut self) -> NatsResult<()> {
        self.ask_once().await?;
        for after in BEHIND {
            if !self.waiting.is_empty() || !self.is_at_end || self.hinted < self.next {
                break;
            }
            tokio::time::sleep(Duration::from_millis(after)).await;
            self.ask_once().await?;
        }
        // A hint that does not come true was false.
        self.hinted = 0;
        Ok(())
    }

    async fn ask_once(&mut self) -> NatsResult<()> {
        if !self.is_asked {
            self.put_question().await?;
            self.is_asked = true;
        }
        loop {
            let answer = tokio::time::timeout(PATIENCE, self.answers.next()).await;
            let answer = answer.map_err(|_| "the server does not answer")?.ok_or("the connection ended")?;
            match answer.status {
                None => {
                    let message = stored_message(&answer)?;
                    self.next = self.next.max(message.revision + 1);
                    self.waiting.push_back(message);
                }
                // The end of a batch.
                Some(status) if status.as_u16() == END_OF_BATCH => {
                    self.is_at_end = header_number(answer.headers.as_ref(), "Nats-Num-Pending")
                        .is_none_or(|more| more == 0);
                    break;
                }
                Some(StatusCode::NOT_FOUND) => {
                    self.is_at_end = true;
                    break;
                }
                Some(status) => return Err(refusal_text(status, answer.description).into()),
            }
        }
        self.is_asked = false;
        Ok(())
    }

    async fn put_question(&self) -> NatsResult<()> {
        let question = json!({
            "seq": self.next, "batch": BATCH, "max_bytes": BATCH_BYTES, "next_by_subj": self.filter,
        });
        let api = format!("$JS.API.DIRECT.GET.{}", self.stream);
        let question = serde_json::to_vec(&question)?;
        self.client.publish_with_reply(api, self.inbox.clone(), question.into()).await?;
        Ok(())
    }
}

fn refusal_text(status: StatusCode, description: Option<String>) -> String {
    format!("{} {}", status.as_u16(), description.unwrap_or_default())
}

fn stored_message(message: &Message) -> NatsResult<StoredMessage> {
    let headers = message.headers.as_ref();
    let subject = header_text(headers, "Nats-Subject").ok_or("a message without a subject")?;
    let revision = header_number(headers, "Nats-Sequence").ok_or("a message without a number")?;
    let stored = header_text(headers, "Nats-Time-Stamp").and_then(parse);
    let (subject, stored) = (subject.to_owned(), stored.unwrap_or(Timestamp::from_millis(0)));
    Ok(StoredMessage { subject, value: message.payload.to_vec(), revision, stored })
}

/// The last value of a header: the server adds its own after those of whoever published, who may have used the same name.
fn header_text<'h>(headers: Option<&'h HeaderMap>, name: &str) -> Option<&'h str> {
    headers?.get_all(name).last().map(async_nats::HeaderValue::as_str)
}

fn header_number(headers: Option<&HeaderMap>, name: &str) -> Option<u64> {
    header_text(headers, name)?.parse().ok()
}

/// A bucket: a stream whose subjects are keys.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    pub(crate) servers: Servers,
    name: &'static str,
    stream: String,
}

impl Bucket {
    /// The bucket `name`.
    pub(crate) fn new(servers: &Servers, name: &'static str) -> Self {
        Self { servers: servers.clone(), name, stream: format!("KV_{name}") }
    }

    /// What is under a key.
    pub(crate) async fn entry(&self, key: &str) -> NatsResult<Option<Entry>> {
        let found = self.servers.last_message(&self.stream, &key_subject(self.name, key)).await?;
        Ok(found.map(|message| Entry { key: key.to_owned(), message }))
    }

    /// Puts something under a key.
    pub(crate) async fn put(&self, key: &str, value: Vec<u8>) -> NatsResult<()> {
        self.servers.jetstream.publish(key_subject(self.name, key), value.into()).await?.await?;
        Ok(())
    }

    /// The same; the server forgets it after `lasts`.
    pub(crate) async fn put_for(&self, key: &str, value: Vec<u8>, lasts: Duration) -> NatsResult<()> {
        let message = PublishMessage::build().payload(value.into()).ttl(lasts);
        let subject = key_subject(self.name, key);
        self.servers.jetstream.send_publish(subject, message).await?.await?;
        Ok(())
    }

    /// Follows the keys that `filter` matches.
    pub(crate) async fn follow(&self, filter: &str) -> NatsResult<FollowedKeys> {
        let followed = self.servers.follow(&self.stream, &key_subject(self.name, filter)).await?;
        Ok(FollowedKeys { followed, begin: key_subject(self.name, "") })
    }
}

/// What is under a key.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) message: StoredMessage,
}

/// FollowedKeys that are followed.
#[derive(Debug)]
pub(crate) struct FollowedKeys {
    followed: Followed,
    begin: String,
}

impl FollowedKeys {
    /// What comes next; nothing once when everything that was there was heard.
    pub(crate) async fn next(&mut self) -> NatsResult<Option<Entry>> {
        match self.followed.next().await? {
            Heard::Current => Ok(None),
            Heard::Message(message) => {
                let key = message.subject.strip_prefix(&self.begin).unwrap_or_default().to_owned();
                Ok(Some(Entry { key, message }))
            }
        }
    }
}
