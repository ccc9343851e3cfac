//! A member of a team with a client of its own: publishes what it likes, as a hostile member or a simulated machine does.

use async_nats::jetstream;
use async_nats::{Client, ConnectOptions};
use data_encoding::BASE64URL_NOPAD;
use loopdeck_runtime::clock;
use loopdeck_team::invitation::Invitation;
use loopdeck_team::seat::Seat;
use nkeys::KeyPair;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::runtime::Runtime;

/// Somebody with an invitation who does not use Loopdeck.
pub struct RawMember {
    /// Its claims.
    pub token: String,
    seat: Seat,
    client: Client,
    keys: KeyPair,
    number: AtomicU64,
    refused: Arc<Mutex<Vec<String>>>,
    tokio: Arc<Runtime>,
}

/// What comes of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// An answer.
    Answered(String),
    /// The server does not let it ask.
    Refused,
}

impl RawMember {
    /// Connects.
    pub fn new(invitation: &Invitation, tokio: &Arc<Runtime>) -> Self {
        let line = |begin: &str| {
            let (_, rest) = invitation.credentials.split_once(begin).expect("credentials");
            rest.lines().find(|line| !line.is_empty()).expect("a line").to_owned()
        };
        let keys = KeyPair::from_seed(&line("-----BEGIN USER NKEY SEED-----")).expect("a seed");
        let token = line("-----BEGIN NATS USER JWT-----");
        let refused = Arc::<Mutex<Vec<String>>>::default();
        let told = Arc::clone(&refused);
        let options = match &invitation.server_token {
            Some(token) => ConnectOptions::with_token(token.clone().into()),
            None => ConnectOptions::with_credentials(&invitation.credentials).expect("credentials"),
        };
        let options = options
            .custom_inbox_prefix(format!("_INBOX_{}_{}", invitation.seat.member(), invitation.seat.machine()))
            .event_callback(move |event| {
                told.lock().expect("no panic").push(event.to_string());
                std::future::ready(())
            });
        let client = tokio.block_on(options.connect(invitation.servers.as_slice())).expect("connected");
        let number = AtomicU64::new(u64::try_from(clock::now().millis()).expect("a time since 1970"));
        let seat = invitation.seat.clone();
        Self { token, seat, client, keys, number, refused, tokio: Arc::clone(tokio) }
    }

    /// A thread for clients.
    pub fn tokio() -> Arc<Runtime> {
        let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        Arc::new(tokio.expect("a runtime"))
    }

    /// As Loopdeck seals a message.
    pub fn seal(&self, subject: &str, head: &Value, body: &[u8]) -> Vec<u8> {
        self.seal_as(self.number.fetch_add(1, Ordering::SeqCst), subject, head, body)
    }

    /// The same as its message `number`.
    pub fn seal_as(&self, number: u64, subject: &str, head: &Value, body: &[u8]) -> Vec<u8> {
        let signed = [head.to_string().as_bytes(), b"\n", body].concat();
        let covered = [format!("{subject}\n{number}\n").as_bytes(), &signed[..]].concat();
        let signature = BASE64URL_NOPAD.encode(&self.keys.sign(&covered).expect("signed"));
        [format!("loopdeck 2 {number} {signature}\n").into_bytes(), signed].concat()
    }

    /// Publishes, and does not wait for anything but the connection.
    pub fn publish(&self, subject: &str, bytes: Vec<u8>) {
        self.tokio.block_on(async {
            self.client.publish(subject.to_owned(), bytes.into()).await.expect("published");
            self.client.flush().await.expect("flushed");
        });
    }

    /// Publishes into a stream; whether the stream keeps it.
    pub fn keeps(&self, subject: &str, bytes: Vec<u8>) -> bool {
        self.tokio.block_on(async {
            let jetstream = jetstream::new(self.client.clone());
            match jetstream.publish(subject.to_owned(), bytes.into()).await {
                Ok(ack) => ack.await.is_ok(),
                Err(_) => false,
            }
        })
    }

    /// Publishes with the headers by which a server says what a stream has.
    pub fn publish_as_stored(&self, subject: &str, [as_subject, as_number]: [&str; 2]) {
        let headers = [("Nats-Subject", as_subject), ("Nats-Sequence", as_number), ("Nats-Num-Pending", "0")];
        self.publish_with(subject, &headers);
    }

    fn publish_with(&self, subject: &str, headers: &[(&str, &str)]) {
        let header = |(name, value): &(&str, &str)| {
            let name: async_nats::HeaderName = name.parse().expect("a name");
            (name, async_nats::HeaderValue::from(*value))
        };
        let headers = headers.iter().map(header).collect();
        self.tokio.block_on(async {
            let jetstream = jetstream::new(self.client.clone());
            let sent = jetstream.publish_with_headers(subject.to_owned(), headers, Vec::new().into()).await;
            sent.expect("sent").await.expect("kept");
        });
    }

    /// Asks for something, and hears what comes of it.
    pub fn ask(&self, subject: &str, question: &str) -> Asked {
        use futures_util::StreamExt as _;
        self.tokio.block_on(async {
            let inbox = self.client.new_inbox();
            let mut answers = self.client.subscribe(inbox.clone()).await.expect("subscribed");
            self.publish_for(subject, question, &inbox).await;
            loop {
                let look = std::time::Duration::from_millis(10);
                match tokio::time::timeout(look, answers.next()).await {
                    Ok(answer) => {
                        let answer = answer.expect("connected").payload;
                        return Asked::Answered(String::from_utf8_lossy(&answer).into_owned());
                    }
                    Err(_) if self.is_refused(subject) => return Asked::Refused,
                    Err(_) => {}
                }
            }
        })
    }

    /// Asks for something whose answer is to go to the subject `to`.
    pub fn ask_for(&self, subject: &str, question: &str, to: &str) {
        self.tokio.block_on(self.publish_for(subject, question, to));
    }

    async fn publish_for(&self, subject: &str, question: &str, to: &str) {
        let (subject, question) = (subject.to_owned(), question.to_owned());
        let published = self.client.publish_with_reply(subject, to.to_owned(), question.into()).await;
        published.expect("published");
        self.client.flush().await.expect("flushed");
    }

    /// Whether the server lets it hear a subject.
    pub fn hears(&self, subject: &str) -> bool {
        // The server says in order what it refuses: what it has to say of the first was said before the second.
        let after = format!("after.{}", self.number.fetch_add(1, Ordering::SeqCst));
        self.tokio.block_on(async {
            let _heard = self.client.subscribe(subject.to_owned()).await.expect("subscribed");
            let _after = self.client.subscribe(after.clone()).await.expect("subscribed");
            self.client.flush().await.expect("flushed");
            while !self.is_refused(&after) {
                tokio::time::sleep(std::time::Duration::from_millis(1)).await; // an event has no other sign
            }
        });
        !self.is_refused(subject)
    }

    /// Whether the server refused something on this subject. It says it in small letters.
    fn is_refused(&self, subject: &str) -> bool {
        let subject = format!("\"{}\"", subject.to_lowercase());
        let is_about = |said: &String| {
            let said = said.to_lowercase();
            said.contains("permissions violation") && said.contains(&subject)
        };
        self.events().iter().any(is_about)
    }

    /// What the server said to it.
    pub fn events(&self) -> Vec<String> {
        self.refused.lock().expect("no panic").clone()
    }

    /// Says that its machine is there, as an older Loopdeck does.
    pub fn announce(&self) {
        self.announce_as(&json!({ "token": self.token, "version": "0" }));
    }

    /// The same with the time of its clock, in ms since 1970 UTC.
    pub fn announce_at(&self, at: i64) {
        self.announce_as(&json!({ "token": self.token, "version": "0", "at": at }));
    }

    fn announce_as(&self, head: &Value) {
        let subject = format!("$KV.MACHINES.{}", self.seat);
        assert!(self.keeps(&subject, self.seal(&subject, head, b"")), "announced");
    }

    /// Shares a folder with this id.
    pub fn share(&self, share: &str) {
        let subject = format!("$KV.LOOPS.{}.{share}.about", self.seat);
        let head = json!({ "at": 1, "name": "simulated", "scope": "state", "steering": "leads" });
        assert!(self.keeps(&subject, self.seal(&subject, &head, b"")), "shared");
    }

    /// Publishes a file of it, as of `at`, in ms since 1970 UTC.
    pub fn put(&self, share: &str, file: &str, at: i64, bytes: &[u8]) {
        let key = BASE64URL_NOPAD.encode(file.as_bytes());
        let subject = format!("$KV.LOOPS.{}.{share}.f_{key}", self.seat);
        let head = json!({ "at": at, "modified": at });
        self.publish(&subject, self.seal(&subject, &head, bytes));
    }

    /// How long a plain message takes from publish to subscriber, `rounds` times, in ms.
    pub fn round_trips(&self, rounds: usize) -> Vec<f64> {
        use futures_util::StreamExt as _;
        let inbox = format!("_INBOX_{}_{}.bare", self.seat.member(), self.seat.machine());
        self.tokio.block_on(async {
            let mut heard = self.client.subscribe(inbox.clone()).await.expect("subscribed");
            self.client.flush().await.expect("flushed");
            let mut times = Vec::new();
            for _ in 0..rounds {
                let start = std::time::Instant::now();
                self.client.publish(inbox.clone(), vec![b'x'; 2_000].into()).await.expect("published");
                heard.next().await.expect("heard");
                times.push(start.elapsed().as_secs_f64() * 1_000.0);
            }
            times
        })
    }

    /// Changes the limits of a stream. For the operator.
    pub fn limit(&self, stream: &str, change: impl FnOnce(&mut jetstream::stream::Config)) {
        self.tokio.block_on(async {
            let jetstream = jetstream::new(self.client.clone());
            let mut config =
                jetstream.get_stream(stream).await.expect("a stream").cached_info().config.clone();
            change(&mut config);
            jetstream.update_stream(config).await.expect("updated");
        });
    }

    /// As [`Server::room`](crate::team::Server::room) does. For the operator.
    pub fn room(&self, stream: &str, bytes: Option<i64>) -> Option<i64> {
        /// Less than any message has.
        const NOTHING: u64 = 100;
        self.tokio.block_on(async {
            let jetstream = jetstream::new(self.client.clone());
            let mut stream = jetstream.get_stream(stream).await.ok()?;
            let info = stream.info().await.ok()?;
            let (mut config, has) = (info.config.clone(), info.state.bytes);
            let wanted = bytes.or_else(|| i64::try_from(has + NOTHING).ok())?;
            let before = std::mem::replace(&mut config.max_bytes, wanted);
            jetstream.update_stream(config).await.ok().map(|_| before)
        })
    }

    /// Whether every server of a cluster has what the others have of every stream. For the operator.
    pub fn in_step(&self) -> bool {
        use futures_util::StreamExt as _;
        self.tokio.block_on(async {
            let jetstream = jetstream::new(self.client.clone());
            let mut streams = jetstream.streams();
            let mut seen = 0;
            while let Some(stream) = streams.next().await {
                let Some(cluster) = stream.ok().and_then(|stream| stream.cluster) else { return false };
                let all = cluster.replicas.iter().all(|other| other.current && !other.offline);
                if cluster.leader.is_none() || !all {
                    return false;
                }
                seen += 1;
            }
            seen > 0
        })
    }

    /// How many messages and bytes a stream has. For the operator.
    pub fn size(&self, stream: &str) -> (u64, u64) {
        self.tokio.block_on(async {
            let stream = jetstream::new(self.client.clone()).get_stream(stream).await.expect("a stream");
            let state = &stream.cached_info().state;
            (state.messages, state.bytes)
        })
    }

    /// The last value of a key of a bucket. For the operator.
    pub fn value(&self, bucket: &str, key: &str) -> Option<Vec<u8>> {
        self.tokio.block_on(async {
            let bucket = jetstream::new(self.client.clone()).get_key_value(bucket).await.ok()?;
            bucket.get(key).await.ok()?.map(|value| value.to_vec())
        })
    }

    /// The number and content of the last message on a subject, whichever stream has it. For the operator.
    pub fn last(&self, subject: &str) -> Option<(u64, Vec<u8>)> {
        self.tokio.block_on(async {
            let jetstream = jetstream::new(self.client.clone());
            let stream = jetstream.stream_by_subject(subject).await.ok()?;
            let stream = jetstream.get_stream(stream).await.ok()?;
            let message = stream.get_last_raw_message_by_subject(subject).await.ok()?;
            Some((message.sequence, message.payload.to_vec()))
        })
    }

    /// How many messages of a queue were given to somebody. For the operator.
    pub fn delivered(&self, stream: &str, queue: &str) -> u64 {
        self.tokio.block_on(async {
            let stream = jetstream::new(self.client.clone()).get_stream(stream).await.expect("a stream");
            let mut consumer: jetstream::consumer::PullConsumer =
                stream.get_consumer(queue).await.expect("a queue");
            consumer.info().await.expect("what it is").delivered.consumer_sequence
        })
    }

    /// Marks a key of a bucket as deleted, as the library does. For the operator.
    pub fn mark_deleted(&self, subject: &str) {
        self.publish_with(subject, &[("KV-Operation", "DEL")]);
    }

    /// Name of the server that leads a stream. For the operator.
    pub fn leader(&self, stream: &str) -> Option<String> {
        self.tokio.block_on(async {
            let stream = jetstream::new(self.client.clone()).get_stream(stream).await.ok()?;
            stream.cached_info().cluster.as_ref()?.leader.clone()
        })
    }
}
