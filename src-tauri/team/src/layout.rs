//! Streams, buckets and subjects of a team, with their limits: the one place that says how long what is kept.
//!
//! | what | subjects | keeps |
//! |---|---|---|
//! | bucket `LOOPS` | `$KV.LOOPS.<member>.<machine>.<share>.<file>` | the last version of each shared file |
//! | bucket `PARTS` | `$KV.PARTS.<member>.<machine>.<share>.<file>_<number>` | the same of files over 1 MB, in parts |
//! | bucket `MACHINES` | `$KV.MACHINES.<member>.<machine>` | who it is and when it was last there |
//! | stream `COMMANDS` | `cmd.<to>.<from>`, both seats | commands until they are carried out, 7 days at most |
//! | stream `ANSWERS` | `answer.<to>.<from>` | what became of commands, until it is heard, 7 days at most |

use crate::jwt::Allowed;
use crate::seat::{Role, Seat};
use async_nats::jetstream::{self, kv, stream};
use std::time::Duration;

/// The bucket of shared files.
pub(crate) const LOOPS: &str = "LOOPS";
/// The bucket of parts of large files.
pub(crate) const PARTS: &str = "PARTS";
/// The bucket of machines.
pub(crate) const MACHINES: &str = "MACHINES";
/// The stream of commands.
pub(crate) const COMMANDS: &str = "COMMANDS";
/// The stream of answers.
pub(crate) const ANSWERS: &str = "ANSWERS";

/// The largest command: a change of direction has texts of a person.
pub(crate) const LARGEST_COMMAND: usize = 256 << 10;
/// The largest message: what a server takes unless it is configured otherwise, minus room for headers.
pub(crate) const LARGEST: usize = 1_000_000;
/// How long commands and answers are kept.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3_600);
/// What all shared files together may take on the server, and once more in parts.
const LOOPS_BYTES: i64 = 8 << 30;
/// What commands may take, and answers.
const COMMANDS_BYTES: i64 = 256 << 20;
/// What of them one sender may leave waiting for one machine.
const WAITING: i64 = 1_000;

/// Where `machine`'s commands from `sender` go.
pub(crate) fn command(to: &Seat, from: &Seat) -> String {
    format!("cmd.{to}.{from}")
}

/// Where answers to `to` go.
pub(crate) fn answer(to: &Seat, from: &Seat) -> String {
    format!("answer.{to}.{from}")
}

/// Key of a file in [`LOOPS`].
pub(crate) fn file_key(seat: &Seat, share: &str, file: &str) -> String {
    format!("{seat}.{share}.{file}")
}

/// Subject of a key, as the server checks and the signature covers it.
pub(crate) fn key_subject(bucket: &str, key: &str) -> String {
    format!("$KV.{bucket}.{key}")
}

/// Name of the durable consumer of a machine in a stream. `_` is in no name of a seat.
pub(crate) fn consumer(stream: &str, seat: &Seat) -> String {
    format!("{}_{}_{}", stream.to_lowercase(), seat.member(), seat.machine())
}

/// What a machine's inbox begins with.
pub(crate) fn inbox(seat: &Seat) -> String {
    format!("_INBOX_{}_{}", seat.member(), seat.machine())
}

/// What the server lets a machine publish and receive.
pub(crate) fn allowed(seat: &Seat, role: Role) -> Allowed {
    let subscribe = vec![format!("{}.>", inbox(seat))];
    if role == Role::Operator {
        // Makes streams; sees and changes everything, so it is used for nothing else.
        return Allowed { publish: vec![">".to_owned()], subscribe: vec![">".to_owned()] };
    }
    let mut publish: Vec<String> = vec!["$JS.API.INFO".to_owned(), "$JS.FC.>".to_owned()];
    for stream in ["KV_LOOPS", "KV_PARTS", "KV_MACHINES", COMMANDS, ANSWERS] {
        publish.push(format!("$JS.API.STREAM.INFO.{stream}"));
    }
    publish.push("$JS.API.DIRECT.GET.KV_PARTS.>".to_owned()); // nobody reads all of them
    for bucket in ["KV_LOOPS", "KV_MACHINES"] {
        publish.push(format!("$JS.API.CONSUMER.CREATE.{bucket}"));
        publish.push(format!("$JS.API.CONSUMER.CREATE.{bucket}.>"));
        publish.push(format!("$JS.API.CONSUMER.INFO.{bucket}.*"));
        publish.push(format!("$JS.API.CONSUMER.DELETE.{bucket}.*"));
        publish.push(format!("$JS.API.DIRECT.GET.{bucket}.>"));
    }
    let mut reads = |stream: &str, filter: String| {
        let name = consumer(stream, seat);
        publish.push(format!("$JS.API.CONSUMER.CREATE.{stream}.{name}.{filter}"));
        publish.push(format!("$JS.API.CONSUMER.INFO.{stream}.{name}"));
        publish.push(format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.{name}"));
        publish.push(format!("$JS.ACK.{stream}.{name}.>"));
    };
    if role != Role::Viewer {
        reads(COMMANDS, format!("cmd.{seat}.>"));
        reads(ANSWERS, format!("answer.{seat}.>"));
        publish.push(key_subject(LOOPS, &format!("{seat}.>")));
        publish.push(key_subject(PARTS, &format!("{seat}.>")));
        publish.push(format!("cmd.*.*.{seat}"));
        publish.push(format!("answer.*.*.{seat}"));
    }
    publish.push(key_subject(MACHINES, &seat.to_string()));
    Allowed { publish, subscribe }
}

/// Makes what is missing. For the operator only; `replicas` is 3 where there are three servers.
///
/// # Errors
/// What the server says.
pub(crate) async fn create(context: &jetstream::Context, replicas: usize) -> Result<(), async_nats::Error> {
    for (bucket, max_bytes) in [(LOOPS, LOOPS_BYTES), (PARTS, LOOPS_BYTES), (MACHINES, 16 << 20)] {
        let largest = i32::try_from(LARGEST).unwrap_or(i32::MAX);
        context
            .create_or_update_stream(stream::Config {
                name: format!("KV_{bucket}"),
                subjects: vec![format!("$KV.{bucket}.>")],
                max_bytes,
                max_message_size: largest,
                max_messages_per_subject: 1,
                num_replicas: replicas,
                discard: stream::DiscardPolicy::New,
                allow_direct: true,
                // With it, a member could wipe the whole bucket by one header on its own key.
                allow_rollup: false,
                ..stream::Config::default()
            })
            .await?;
    }
    for (name, subject) in [(COMMANDS, "cmd.*.*.*.*"), (ANSWERS, "answer.*.*.*.*")] {
        context
            .create_or_update_stream(stream::Config {
                name: name.to_owned(),
                subjects: vec![subject.to_owned()],
                max_age: KEPT,
                max_bytes: COMMANDS_BYTES,
                max_message_size: i32::try_from(LARGEST_COMMAND).unwrap_or(i32::MAX),
                // What was carried out goes; what waits is never pushed out by something newer.
                retention: stream::RetentionPolicy::WorkQueue,
                discard: stream::DiscardPolicy::New,
                discard_new_per_subject: true,
                max_messages_per_subject: WAITING,
                num_replicas: replicas,
                duplicate_window: Duration::from_secs(3_600),
                allow_rollup: false,
                ..stream::Config::default()
            })
            .await?;
    }
    Ok(())
}

/// Opens a bucket.
///
/// # Errors
/// What the server says.
pub(crate) async fn bucket(
    context: &jetstream::Context,
    name: &str,
) -> Result<kv::Store, jetstream::context::KeyValueError> {
    context.get_key_value(name).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_may_write_only_below_its_own_name() {
        let seat = Seat::new("ada", "laptop").unwrap();
        let member = allowed(&seat, Role::Member).publish;
        assert!(member.contains(&"$KV.LOOPS.ada.laptop.>".to_owned()));
        assert!(member.contains(&"cmd.*.*.ada.laptop".to_owned()));
        let viewer = allowed(&seat, Role::Viewer).publish;
        assert!(!viewer.iter().any(|subject| subject.starts_with("cmd") || subject.starts_with("$KV.LOOPS")));
        let creates = |subjects: &[String]| subjects.iter().any(|subject| subject.contains("STREAM.CREATE"));
        assert!(!creates(&member) && !creates(&viewer));
    }
}
