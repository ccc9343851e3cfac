//! Streams, buckets and subjects of a team, with their limits and with who may ask for what: the one place that says how long what
//! is kept.
//!
//! | what | subjects | keeps |
//! |---|---|---|
//! | bucket `LOOPS` | `$KV.LOOPS.<member>.<machine>.<share>.<file>` | the last version of each shared file |
//! | bucket `PARTS` | `$KV.PARTS.<member>.<machine>.<share>.<file>_<number>` | the same of files over 1 MB, in parts |
//! | bucket `MACHINES` | `$KV.MACHINES.<member>.<machine>` | who it is and when it was last there |
//! | stream `COMMANDS` | `cmd.<to>.<from>`, both seats | commands until they are carried out, 7 days at most |
//! | stream `ANSWERS` | `answer.<to>.<from>` | what became of commands, until it is heard, 7 days at most |
//! | stream `RUNS` | `run.any.<agent>.<from>`, `run.at.<to>.<from>` | work that nobody has done yet, 7 days |
//! | bucket `LEASES` | `$KV.LEASES.<job>` | who works on it; the server forgets one that is not renewed |
//! | bucket `REPORTS` | `$KV.REPORTS.<job>.<from>` | what becomes of work, 7 days |
//! | stream `OUTPUT` | `output.<member>.<machine>.<share>.<file>.<place>` | the newest output of a loop, in a ring of places, 7 days |
//! | stream `PARCELS` | `parcel.<from>.<commit>` | commits as git bundles, 7 days |

use crate::jwt::Allowed;
use crate::nats::NatsResult;
use crate::place::FilePlace;
use crate::seat::{Role, Seat};
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::{self, stream};
use data_encoding::BASE64URL_NOPAD;
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

/// The work queue.
pub(crate) const RUNS: &str = "RUNS";
/// The bucket of leases.
pub(crate) const LEASES: &str = "LEASES";
/// The bucket of what becomes of work.
pub(crate) const REPORTS: &str = "REPORTS";
/// The stream of commits on their way.
pub(crate) const PARCELS: &str = "PARCELS";

/// The stream of output.
pub(crate) const OUTPUT: &str = "OUTPUT";
/// So many messages of output are kept for each loop, a page of rows in each.
pub(crate) const OUTPUT_PLACES: u32 = 512;

/// The largest command: a change of direction has texts of a person.
pub(crate) const LARGEST_COMMAND: usize = 256 << 10;
/// The largest file that is shared.
pub(crate) const LARGEST_FILE: u64 = 16 << 20;
/// The largest message: what a server takes unless it is configured otherwise, minus room for headers.
pub(crate) const LARGEST: usize = 1_000_000;
/// How long jobs, commands and answers are kept.
pub(crate) const KEPT: Duration = Duration::from_secs(7 * 24 * 3_600);
/// What all shared files together may take on the server.
const LOOPS_BYTES: i64 = 4 << 30;
/// What their parts may take, where they are larger than one message.
const PARTS_BYTES: i64 = 1 << 30;
/// What commands may take, and answers.
const COMMANDS_BYTES: i64 = 256 << 20;
/// What work that waits may take.
const RUNS_BYTES: i64 = 256 << 20;
/// What commits on their way may take.
const PARCELS_BYTES: i64 = 4 << 30;
/// What the output of all runs may take. The oldest goes first.
const OUTPUT_BYTES: i64 = 1 << 30;
/// What the bucket of machines may take, and that of leases.
const NAMES_BYTES: i64 = 16 << 20;
/// What reports may take.
const REPORTS_BYTES: i64 = 256 << 20;
/// What all of it together may take on the disk of each server.
///
/// The configuration of the server says it too. By default, a server offers three quarters of its free disk, and refuses
/// streams with higher limits: whether a team can be set up would depend on the machine.
pub(crate) const STORED_BYTES: i64 = LOOPS_BYTES
    + PARTS_BYTES
    + 2 * COMMANDS_BYTES
    + RUNS_BYTES
    + PARCELS_BYTES
    + OUTPUT_BYTES
    + 2 * NAMES_BYTES
    + REPORTS_BYTES;
/// A command or an answer that is not acknowledged is delivered again after this time. A command that takes longer too: it is then
/// answered once more, and not carried out again. Nothing else is delivered meanwhile.
const IN_ORDER: (Duration, i64) = (Duration::from_secs(10), 1);
/// A job of which the queue hears nothing for so long is handed out again. So many are at work at once.
const WORK: (Duration, i64) = (Duration::from_secs(15), 1_000);
/// How often the queue hears of a job that is at work.
pub(crate) const WORK_SIGN: Duration = Duration::from_secs(5);
/// That something is gone is kept for so long: whoever is away longer sees it as not reachable.
pub(crate) const GONE_KEPT: Duration = Duration::from_secs(30 * 24 * 3_600);
/// How many commands, answers or jobs one sender may leave waiting under one subject.
const WAITING: i64 = 1_000;
/// How long the server knows the ids of messages: a repetition within this is no second message.
const DUPLICATES: Duration = Duration::from_secs(3_600);

/// Where commands for `to` go.
pub(crate) fn command_subject(to: &Seat, from: &Seat) -> String {
    format!("cmd.{to}.{from}")
}

/// Where answers to `to` go.
pub(crate) fn answer_subject(to: &Seat, from: &Seat) -> String {
    format!("answer.{to}.{from}")
}

/// Where work for this machine goes; from anybody without `from`.
pub(crate) fn run_at_subject(to: &Seat, from: Option<&Seat>) -> String {
    format!("run.at.{to}.{}", from.map_or("*.*".to_owned(), Seat::to_string))
}

/// Where work for any machine with this agent goes.
pub(crate) fn run_any_subject(agent: &str, from: &Seat) -> String {
    format!("run.any.{}.{from}", agent_token(agent))
}

/// Name of the queue of a machine's own work.
pub(crate) fn own_queue(seat: &Seat) -> String {
    consumer_name("at", seat)
}

/// Name of the queue that all nodes share.
pub(crate) const POOL: &str = "any";

/// An agent's id as a token of a subject.
fn agent_token(agent: &str) -> String {
    let known = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    agent.chars().map(|letter| if known(letter) { letter } else { '_' }).collect()
}

/// Where a parcel of this sender goes.
pub(crate) fn parcel_subject(from: &Seat, id: &str) -> String {
    format!("parcel.{from}.{id}")
}

/// Where output of a loop goes, by its state file: to one of the places of its ring, or to any of them.
pub(crate) fn output_subject(FilePlace { share, file }: &FilePlace, place: Option<u32>) -> String {
    let file = BASE64URL_NOPAD.encode(file.as_bytes());
    let place = place.map_or_else(|| "*".to_owned(), |place| place.to_string());
    format!("output.{}.{}.{file}.{place}", share.seat, share.id)
}

/// Key of what `from` tells of a job.
pub(crate) fn report_key(job: &str, from: &Seat) -> String {
    format!("{job}.{from}")
}

/// Subject of a key, as the server checks and the signature covers it.
pub(crate) fn key_subject(bucket: &str, key: &str) -> String {
    format!("$KV.{bucket}.{key}")
}

/// Name of the durable consumer of a machine in a stream. `_` is in no name of a seat.
pub(crate) fn consumer_name(stream: &str, seat: &Seat) -> String {
    format!("{}_{}_{}", stream.to_lowercase(), seat.member(), seat.machine())
}

/// What a machine's inbox begins with.
pub(crate) fn inbox_prefix(seat: &Seat) -> String {
    format!("_INBOX_{}_{}", seat.member(), seat.machine())
}

/// Where a stream says that it has something new of one of its subjects; [`create_streams`] has it do so.
pub(crate) fn hint_subject(subject: &str) -> String {
    format!("seen.{}", subject.strip_prefix("$KV.").unwrap_or(subject))
}

/// The subject of a bucket that a hint is about.
pub(crate) fn subject_of_hint(hint: &str) -> String {
    format!("$KV.{}", hint.strip_prefix("seen.").unwrap_or(hint))
}

/// Services of the account with the streams that members may ask, each as far as [`permissions`] lets them. Whether one
/// answer comes or several is said of each.
pub(crate) const SERVICES: [(&str, bool); 9] = [
    ("$JS.API.DIRECT.GET.>", true),
    ("$JS.API.CONSUMER.MSG.NEXT.>", true),
    ("$JS.ACK.>", false),
    ("$KV.>", false),
    ("cmd.>", false),
    ("answer.>", false),
    ("run.>", false),
    ("output.>", false),
    ("parcel.>", false),
];
/// What that account lets members hear.
pub(crate) const HINTS: &str = "seen.>";

/// What the server lets a machine publish and receive. Members are in an account of their own without streams, so that
/// replies to what they ask, wherever they want them, never reach a stream.
pub(crate) fn permissions(seat: &Seat, role: Role) -> Allowed {
    let inbox = format!("{}.>", inbox_prefix(seat));
    if role == Role::Operator {
        // Makes streams; sees and changes everything, so it is used for nothing else.
        return Allowed { publish: vec![">".to_owned()], subscribe: vec![">".to_owned()] };
    }
    let mut publish = vec![key_subject(MACHINES, &seat.to_string())];
    for stream in ["KV_LOOPS", "KV_PARTS", "KV_MACHINES", "KV_REPORTS", OUTPUT] {
        publish.push(format!("$JS.API.DIRECT.GET.{stream}"));
        publish.push(format!("$JS.API.DIRECT.GET.{stream}.>"));
    }
    let mut takes = |stream: &str, queue: String| {
        publish.push(format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.{queue}"));
        publish.push(format!("$JS.ACK.{stream}.{queue}.>"));
    };
    if role != Role::Viewer {
        takes(COMMANDS, consumer_name(COMMANDS, seat));
        takes(ANSWERS, consumer_name(ANSWERS, seat));
    }
    if role == Role::Node {
        takes(RUNS, own_queue(seat));
        takes(RUNS, POOL.to_owned());
        publish.push(key_subject(LEASES, "*"));
        publish.push("$JS.API.DIRECT.GET.KV_LEASES.>".to_owned());
    }
    if role != Role::Viewer {
        publish.push(key_subject(LOOPS, &format!("{seat}.>")));
        publish.push(key_subject(PARTS, &format!("{seat}.>")));
        publish.push(format!("output.{seat}.*.*.*"));
        publish.push(format!("cmd.*.*.{seat}"));
        publish.push(format!("answer.*.*.{seat}"));
        publish.push(format!("run.any.*.{seat}"));
        publish.push(format!("run.at.*.*.{seat}"));
        publish.push(key_subject(REPORTS, &format!("*.{seat}")));
        publish.push(parcel_subject(seat, "*"));
        publish.push(format!("$JS.API.DIRECT.GET.{PARCELS}"));
        publish.push(format!("$JS.API.DIRECT.GET.{PARCELS}.>"));
    }
    Allowed { publish, subscribe: vec![inbox, HINTS.to_owned()] }
}

/// Makes the queues of a machine. For the operator only: whoever makes a consumer chooses where its messages go.
///
/// # Errors
/// What the server says.
pub(crate) async fn make_queues(context: &jetstream::Context, (seat, role): (&Seat, Role)) -> NatsResult<()> {
    let of_steering = [
        (COMMANDS, consumer_name(COMMANDS, seat), format!("cmd.{seat}.>"), IN_ORDER),
        (ANSWERS, consumer_name(ANSWERS, seat), format!("answer.{seat}.>"), IN_ORDER),
    ];
    let of_work = [(RUNS, own_queue(seat), run_at_subject(seat, None), WORK)];
    let steers = !matches!(role, Role::Viewer | Role::Operator);
    let queues = of_steering.into_iter().filter(|_| steers);
    for queue in queues.chain(of_work.into_iter().filter(|_| role == Role::Node)) {
        make_queue(context, queue).await?;
    }
    Ok(())
}

async fn make_queue(
    context: &jetstream::Context,
    (stream, name, filter, (ack_wait, max_ack_pending)): (&str, String, String, (Duration, i64)),
) -> NatsResult<()> {
    let config = pull::Config {
        durable_name: Some(name),
        filter_subject: filter,
        ack_policy: AckPolicy::Explicit,
        ack_wait,
        max_ack_pending,
        ..pull::Config::default()
    };
    context.create_consumer_on_stream(config, stream).await?;
    Ok(())
}

/// Makes what is missing. For the operator only; `replicas` is 3 where there are three servers.
///
/// # Errors
/// What the server says.
pub(crate) async fn create_streams(context: &jetstream::Context, replicas: usize) -> NatsResult<()> {
    let configs = [
        bucket_config(LOOPS, LOOPS_BYTES),
        bucket_config(PARTS, PARTS_BYTES),
        bucket_config(MACHINES, NAMES_BYTES),
        stream::Config { max_age: KEPT, ..bucket_config(REPORTS, REPORTS_BYTES) },
        bucket_config(LEASES, NAMES_BYTES),
        queue_config(COMMANDS, "cmd.*.*.*.*", (COMMANDS_BYTES, LARGEST_COMMAND)),
        queue_config(ANSWERS, "answer.*.*.*.*", (COMMANDS_BYTES, LARGEST_COMMAND)),
        queue_config(RUNS, "run.>", (RUNS_BYTES, 512 << 10)),
        stream::Config {
            allow_direct: true,
            duplicate_window: DUPLICATES,
            discard: stream::DiscardPolicy::New,
            ..stream_config(PARCELS, "parcel.>", (PARCELS_BYTES, LARGEST))
        },
        stream::Config {
            max_messages_per_subject: 1,
            allow_direct: true,
            republish: Some(republish_as_hints("output.>", true)),
            // Its owner still has all of it: what is newest is worth most.
            discard: stream::DiscardPolicy::Old,
            ..stream_config(OUTPUT, "output.*.*.*.*.*", (OUTPUT_BYTES, LARGEST))
        },
    ];
    for config in configs {
        // With a rollup, a member could wipe a whole bucket by one header on its own key.
        let config = stream::Config { num_replicas: replicas, allow_rollup: false, ..config };
        context.create_or_update_stream(config).await?;
    }
    make_queue(context, (RUNS, POOL.to_owned(), "run.any.>".to_owned(), WORK)).await
}

/// A stream of messages that are kept for as long as jobs are.
fn stream_config(name: &str, subject: &str, (max_bytes, largest): (i64, usize)) -> stream::Config {
    stream::Config {
        name: name.to_owned(),
        subjects: vec![subject.to_owned()],
        max_age: KEPT,
        max_bytes,
        max_message_size: i32::try_from(largest).unwrap_or(i32::MAX),
        ..stream::Config::default()
    }
}

/// What was carried out goes; what waits is never pushed out by something newer.
fn queue_config(name: &str, subject: &str, bytes: (i64, usize)) -> stream::Config {
    stream::Config {
        retention: stream::RetentionPolicy::WorkQueue,
        discard: stream::DiscardPolicy::New,
        discard_new_per_subject: true,
        max_messages_per_subject: WAITING,
        duplicate_window: DUPLICATES,
        ..stream_config(name, subject, bytes)
    }
}

/// The last message of each key.
fn bucket_config(bucket: &str, max_bytes: i64) -> stream::Config {
    let subject = key_subject(bucket, ">");
    let hints = bucket != LEASES && bucket != PARTS;
    stream::Config {
        max_age: Duration::ZERO,
        max_messages_per_subject: 1,
        discard: stream::DiscardPolicy::New,
        allow_direct: true,
        // A lease that is not renewed is forgotten, and so is in time that something is gone.
        allow_message_ttl: bucket == LEASES || bucket == LOOPS,
        republish: hints.then(|| republish_as_hints(&subject, bucket != LOOPS)),
        ..stream_config(&format!("KV_{bucket}"), &subject, (max_bytes, LARGEST))
    }
}

/// Has a stream say what is new. Files of loops come with the hint, because a person waits for them.
fn republish_as_hints(subject: &str, headers_only: bool) -> stream::Republish {
    stream::Republish { source: subject.to_owned(), destination: hint_subject(subject), headers_only }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_may_write_only_below_its_own_name() {
        let seat = Seat::new("ada", "laptop").unwrap();
        let member = permissions(&seat, Role::Member).publish;
        assert!(member.contains(&"$KV.LOOPS.ada.laptop.>".to_owned()));
        assert!(member.contains(&"cmd.*.*.ada.laptop".to_owned()));
        assert!(member.contains(&"output.ada.laptop.*.*.*".to_owned()));
        let viewer = permissions(&seat, Role::Viewer).publish;
        let own = |subject: &&String| !subject.starts_with("$JS.API.DIRECT.GET.");
        assert_eq!(viewer.iter().filter(own).collect::<Vec<_>>(), ["$KV.MACHINES.ada.laptop"]);
        let node = permissions(&seat, Role::Node).publish;
        let takes = |subjects: &[String]| {
            subjects.iter().any(|subject| subject.contains("LEASES.*") || subject.contains("NEXT.RUNS"))
        };
        assert!(takes(&node) && !takes(&member), "only nodes take work and hold leases");
        let makes = |subject: &String| subject.starts_with("$JS.API.") && subject.contains("CREATE");
        assert!(![member, viewer, node].concat().iter().any(makes), "nobody makes streams or consumers");
    }
}
