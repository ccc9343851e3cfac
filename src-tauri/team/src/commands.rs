//! Commands of other machines: checked, carried out once, answered.

use crate::envelope::{Fault, open, seal};
use crate::jwt::{self, Identity};
use crate::layout::{self, COMMANDS};
use crate::message::{Answer, Command, is_id};
use crate::outbox::{Begun, Progress};
use crate::team::Context;
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{self, Message};
use futures_util::StreamExt as _;
use loopdeck_core::control::{Standing, Verb};
use loopdeck_core::loop_id::LoopId;
use loopdeck_system::failure::Failure;
use loopdeck_system::{clock, dirs};
use std::convert::Infallible;
use std::time::Duration;

/// An older command is no longer what anybody wants.
const FRESH_MS: i64 = 24 * 3_600_000;
/// Clocks of two machines may differ by this.
const SKEW_MS: i64 = 5 * 60_000;
/// A command whose answer did not reach the server is delivered again after this. One that takes longer too: it is then
/// answered once more, and not carried out again.
const ACK_WAIT: Duration = Duration::from_secs(10);
/// The server keeps commands for 7 days.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(8 * 24 * 3_600);

/// The messages of a stream that are for this machine, one at a time.
pub(crate) async fn messages(
    context: &Context,
    jetstream: &jetstream::Context,
    stream: &str,
    filter: String,
) -> Result<pull::Stream, async_nats::Error> {
    let name = layout::consumer(stream, context.seat());
    let config = pull::Config {
        durable_name: Some(name.clone()),
        filter_subject: filter,
        ack_policy: AckPolicy::Explicit,
        ack_wait: ACK_WAIT,
        ..pull::Config::default()
    };
    let stream = jetstream.get_stream(stream).await?;
    let consumer = stream.get_or_create_consumer(&name, config).await?;
    // One at a time: what was handed out and not begun would be handed out again.
    Ok(consumer.stream().max_messages_per_batch(1).messages().await?)
}

/// Carries out what others ask of this machine.
pub(crate) async fn carry_out(
    context: &Context,
    jetstream: &jetstream::Context,
) -> Result<Infallible, async_nats::Error> {
    let begun = Begun::new(context.home.begun());
    begun.forget_old(FORGOTTEN_AFTER);
    let filter = format!("cmd.{}.>", context.seat());
    let mut messages = messages(context, jetstream, COMMANDS, filter).await?;
    while let Some(message) = messages.next().await {
        let message = message?;
        match read(context, &message) {
            Ok((command, identity)) => {
                let refused = tokio::task::block_in_place(|| once(context, &begun, &command, &identity))?;
                answer(context, jetstream, &command, refused).await?;
            }
            Err(fault) => tracing::warn!(subject = %message.subject, ?fault, "a command is not taken"),
        }
        message.double_ack().await?;
    }
    Err("the commands ended".into())
}

/// A command, when its sender is who it says, and it is for this machine, and new.
fn read(context: &Context, message: &Message) -> Result<(Command, Identity), Fault> {
    let subject = message.subject.as_str();
    let sealed = open(&message.payload)?;
    let claimed: Command = sealed.claimed()?;
    let now = clock::now().millis();
    let identity =
        jwt::identity(&claimed.token, &context.invitation.account, now / 1_000).ok_or(Fault::Forged)?;
    let command: Command = sealed.verified(subject, &identity.key)?;
    let matches = identity.seat == command.from
        && command.to == *context.seat()
        && subject == layout::command(&command.to, &command.from);
    let fresh = command.at > now - FRESH_MS && command.at < now + SKEW_MS;
    if matches && fresh && is_id(&command.id) { Ok((command, identity)) } else { Err(Fault::Forged) }
}

/// Carries out a command unless that was done before. Why not, if not.
fn once(
    context: &Context,
    begun: &Begun,
    command: &Command,
    identity: &Identity,
) -> std::io::Result<Option<String>> {
    let refused = match begun.begin(&command.id)? {
        Progress::Answered(refused) => return Ok(refused),
        Progress::New => perform(context, command, identity),
        Progress::Unknown => outcome(context, command),
    };
    begun.answered(&command.id, refused.as_ref())?;
    Ok(refused)
}

fn perform(context: &Context, command: &Command, identity: &Identity) -> Option<String> {
    let share = context.shares.lock().shares.iter().find(|share| share.id() == command.share).cloned();
    let Some(share) = share else { return Some("not_shared".to_owned()) };
    if !share.steering.allows(identity.role) {
        return Some("not_allowed".to_owned());
    }
    tracing::info!(from = %command.from, file = %command.file, verb = ?command.verb, "asked by another machine");
    let key = LoopId::new(&dirs::id_of(&share.path), &command.file);
    let done = match command.verb {
        Verb::Pause | Verb::Stop => context.runtime.act(&key, command.verb, command.options.clone()),
        // Never a file that says running without an agent: it is launched as it was here.
        Verb::Start | Verb::Resume | Verb::Reopen => {
            context.runtime.launch(&key, None, command.options.raise_limit_to)
        }
        Verb::Finalise | Verb::EditMetadata | Verb::Delete => return Some("not_allowed".to_owned()),
    };
    done.err().map(|failure| word(&failure))
}

/// This program ended in the middle of a command: the file says whether it was carried out.
fn outcome(context: &Context, command: &Command) -> Option<String> {
    let shares = context.shares.lock();
    let share = shares.shares.iter().find(|share| share.id() == command.share).cloned();
    drop(shares);
    let key = LoopId::new(&dirs::id_of(&share?.path), &command.file);
    match context.runtime.look_at_request(&key, command.verb) {
        Ok((Standing::Holds | Standing::Answered, _)) => None,
        Ok((Standing::Undone, _)) | Err(_) => Some("interrupted".to_owned()),
    }
}

/// The kind of a failure, or the code of a refusal, as it is written in the catalogues.
fn word(failure: &Failure) -> String {
    let code = match &failure.refusal {
        Some(refusal) => serde_json::to_value(refusal.code),
        None => serde_json::to_value(failure.kind),
    };
    code.ok().and_then(|code| code.as_str().map(str::to_owned)).unwrap_or_default()
}

async fn answer(
    context: &Context,
    jetstream: &jetstream::Context,
    command: &Command,
    refused: Option<String>,
) -> Result<(), async_nats::Error> {
    let answer = Answer { id: command.id.clone(), token: context.token.clone(), refused };
    let subject = layout::answer(&command.from, context.seat());
    send(context, jetstream, (&subject, &command.id), &answer).await
}

/// Publishes a message and waits until the server keeps it. A repetition under the same id is no second message.
pub(crate) async fn send(
    context: &Context,
    jetstream: &jetstream::Context,
    (subject, id): (&str, &str),
    head: &impl serde::Serialize,
) -> Result<(), async_nats::Error> {
    let message = seal(&context.keys, subject, head, b"")?;
    let publish = PublishMessage::build().payload(message.into()).message_id(id);
    jetstream.send_publish(subject.to_owned(), publish).await?.await?;
    Ok(())
}
