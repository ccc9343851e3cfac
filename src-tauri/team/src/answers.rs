//! Requests to other machines on their way: sent in order, and shown until they are answered.

use crate::commands;
use crate::envelope::{Fault, open};
use crate::full::Full;
use crate::jwt::Reader;
use crate::layout::{self, ANSWERS};
use crate::message::{Answer, Asked, is_id};
use crate::queue::Queue;
use crate::seat::Seat;
use crate::state::AnswerView;
use crate::stored::Servers;
use crate::team::{Context, outside};
use async_nats::jetstream;
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::past::WriteCause;
use loopdeck_runtime::elsewhere::RemoteChange;
use loopdeck_runtime::views::{RequestState, RequestView};
use loopdeck_system::clock;
use loopdeck_system::logged::Logged as _;
use std::collections::HashSet;
use std::convert::Infallible;
use std::time::Duration;

/// A request that the server could not keep is tried again after this.
const AGAIN: Duration = Duration::from_secs(1);

/// Sends what waits, oldest first, each once the server keeps the one before. A machine whose commands the server has no
/// room for keeps nobody else waiting.
pub(crate) async fn send(
    context: &Context,
    jetstream: &jetstream::Context,
) -> Result<Infallible, async_nats::Error> {
    loop {
        let more = context.asked.notified();
        let mut full: HashSet<Seat> = HashSet::new();
        let mut said = None;
        for (path, Asked { mut command, change }) in context.outbox.waiting() {
            if full.contains(&command.to) {
                continue; // in order, or not at all
            }
            // Whoever hears it tells from this how long it waited here, whatever the clocks say.
            command.sent = clock::now().millis();
            let subject = layout::command(&command.to, &command.from);
            let body = serde_json::to_vec(&change)?;
            match commands::send(context, jetstream, (&subject, &command.id), (&command, &body)).await? {
                Ok(()) => context.outbox.sent(&path)?,
                Err(Full(reason)) => {
                    said = Some(reason);
                    full.insert(command.to);
                }
            }
        }
        context.note_no_room(|full| &mut full.commands, said);
        context.note_waiting();
        let again = if full.is_empty() { AGAIN * 30 } else { AGAIN };
        tokio::select! {
            () = more => {}
            () = tokio::time::sleep(again) => {}
        }
    }
}

/// Hears what became of them.
pub(crate) async fn hear(context: &Context, servers: &Servers) -> Result<Infallible, async_nats::Error> {
    let mut messages = Queue::new(servers, (ANSWERS, &layout::consumer(ANSWERS, context.seat()))).await?;
    loop {
        let message = messages.next().await?;
        match read(context.reader(), &message.subject, &message.payload) {
            // Only the machine that was asked can answer.
            Ok((answer, seat)) => match context.outbox.unanswered_by(&answer.id) {
                Some((path, asked)) if asked.command.to == seat => {
                    record(context, &asked, answer.refused.clone());
                    context.outbox.answered(&path);
                    take(context, &asked, answer.refused);
                }
                _ => {}
            },
            Err(fault) => tracing::warn!(subject = %message.subject, ?fault, "an answer is not taken"),
        }
        message.double_ack().await?;
    }
}

/// Reads an answer, and from whom it is.
pub(crate) fn read(reader: Reader<'_>, subject: &str, bytes: &[u8]) -> Result<(Answer, Seat), Fault> {
    let sealed = open(bytes)?;
    let claimed: Answer = sealed.claimed()?;
    let identity = reader.identity(&claimed.token).ok_or(Fault::Forged)?;
    let answer: Answer = sealed.verified(subject, &identity.key)?;
    let matches = subject == layout::answer(reader.seat, &identity.seat) && is_id(&answer.id);
    if matches { Ok((answer, identity.seat)) } else { Err(Fault::Forged) }
}

/// Records an answer, once however often it is delivered: before its request is forgotten, so that none is lost when this program
/// ends in between.
fn record(context: &Context, Asked { command, change }: &Asked, refused: Option<String>) {
    let Some(cause) = change.cause() else { return };
    let key = context.copy_key(&command.to, &command.share, &command.file);
    let asker = commands::asker(command);
    let note = || context.runtime.note_remote_answer(&key, (cause, refused), (&asker, &command.id));
    outside(note).logged("an answer of another machine is not recorded here");
}

fn take(context: &Context, asked: &Asked, refused: Option<String>) {
    let Asked { command, change } = asked;
    let Some(cause) = change.cause() else { return };
    let at = (command.to.clone(), command.share.clone(), command.file.clone());
    let told = context.state.lock().requests.get(&at).cloned();
    match (&refused, told, change) {
        (Some(_), ..) => context.show_request(asked, RequestState::Failed),
        // Its machine tells how far it is there; what settled at once is in effect.
        (None, Some(request), RemoteChange::Verb { .. }) => {
            context.show_state((&at.0, &at.1, &at.2), Some(request));
        }
        (None, ..) => context.show_request(asked, RequestState::InEffect),
    }
    context.show_needs(&command.to, &command.share);
    context.state.lock().answered(AnswerView {
        seat: command.to.clone(),
        file: command.file.clone(),
        verb: cause,
        at: clock::now().number(),
        refused: refused.map(|word| word.chars().take(60).collect()),
    });
    context.tell();
}

impl Context {
    /// Shows how far a request of ours is. Of an answer its card tells.
    pub(crate) fn show_request(&self, Asked { command, change }: &Asked, state: RequestState) {
        let Some(verb) = change.cause().filter(|cause| *cause != WriteCause::Answer) else { return };
        let request = RequestView {
            verb,
            at: loopdeck_core::times::Timestamp::from_millis(command.at).number(),
            state,
            sent_again: 0,
            overruled_at: None,
            asker: Some(commands::asker(command)),
        };
        self.show_state((&command.to, &command.share, &command.file), Some(request));
    }

    /// Names the copy of a loop of another machine.
    pub(crate) fn copy_key(&self, seat: &Seat, share: &str, file: &str) -> LoopId {
        let folder = self.home.mirrors().join(seat.to_string()).join(share);
        LoopId::new(&loopdeck_system::dirs::id_of(&folder), file)
    }

    /// Shows the request for a loop of another machine.
    pub(crate) fn show_state(&self, (seat, share, file): (&Seat, &str, &str), request: Option<RequestView>) {
        let folder = self.home.mirrors().join(seat.to_string()).join(share);
        let workspace = loopdeck_system::dirs::id_of(&folder);
        outside(|| self.runtime.show_remote_request(&workspace, file, request));
    }

    /// Counts the requests that wait.
    pub(crate) fn note_waiting(&self) {
        let waiting = u32::try_from(self.outbox.waiting().len()).unwrap_or(u32::MAX);
        self.state.lock().waiting = waiting;
        self.tell();
    }

    /// Keeps a request, and has it sent.
    pub(crate) fn keep_request(&self, asked: &Asked) -> Result<(), loopdeck_system::failure::Failure> {
        self.outbox.put(asked)?;
        self.asked.notify_one();
        self.note_waiting();
        Ok(())
    }
}
