//! Requests to other machines on their way: sent in order, and shown until they are answered.

use crate::commands;
use crate::envelope::{Fault, open};
use crate::jwt;
use crate::layout::{self, ANSWERS};
use crate::message::{Answer, Command, is_id};
use crate::seat::Seat;
use crate::state::AnswerView;
use crate::team::{Context, outside};
use async_nats::jetstream::{self, Message};
use futures_util::StreamExt as _;
use loopdeck_runtime::views::{RequestState, RequestView};
use loopdeck_system::clock;
use std::convert::Infallible;
use std::time::Duration;

/// A request that the server could not keep is tried again after this.
const AGAIN: Duration = Duration::from_secs(1);

/// Sends what waits, oldest first, each once the server keeps the one before.
pub(crate) async fn send(
    context: &Context,
    jetstream: &jetstream::Context,
) -> Result<Infallible, async_nats::Error> {
    loop {
        let more = context.asked.notified();
        for (path, command) in context.outbox.waiting() {
            let subject = layout::command(&command.to, &command.from);
            commands::send(context, jetstream, (&subject, &command.id), &command).await?;
            context.outbox.sent(&path)?;
        }
        context.note_waiting();
        tokio::select! {
            () = more => {}
            () = tokio::time::sleep(AGAIN * 30) => {}
        }
    }
}

/// Hears what became of them.
pub(crate) async fn hear(
    context: &Context,
    jetstream: &jetstream::Context,
) -> Result<Infallible, async_nats::Error> {
    let filter = format!("answer.{}.>", context.seat());
    let mut messages = commands::messages(context, jetstream, ANSWERS, filter).await?;
    while let Some(message) = messages.next().await {
        let message = message?;
        match read(context, &message) {
            // Only the machine that was asked can answer.
            Ok((answer, seat)) => match context.outbox.answered(&answer.id) {
                Some(command) if command.to == seat => take(context, &command, answer.refused),
                _ => {}
            },
            Err(fault) => tracing::warn!(subject = %message.subject, ?fault, "an answer is not taken"),
        }
        message.double_ack().await?;
    }
    Err("the answers ended".into())
}

/// Reads an answer, and from whom it is.
fn read(context: &Context, message: &Message) -> Result<(Answer, Seat), Fault> {
    let subject = message.subject.as_str();
    let sealed = open(&message.payload)?;
    let claimed: Answer = sealed.claimed()?;
    let now = clock::now().millis() / 1_000;
    let identity = jwt::identity(&claimed.token, &context.invitation.account, now).ok_or(Fault::Forged)?;
    let answer: Answer = sealed.verified(subject, &identity.key)?;
    let matches = subject == layout::answer(context.seat(), &identity.seat) && is_id(&answer.id);
    if matches { Ok((answer, identity.seat)) } else { Err(Fault::Forged) }
}

fn take(context: &Context, command: &Command, refused: Option<String>) {
    let at = (command.to.clone(), command.share.clone(), command.file.clone());
    let told = context.state.lock().requests.get(&at).cloned();
    match (&refused, told) {
        (Some(_), _) => context.show_request(command, RequestState::Failed),
        // Its machine tells how far it is there; what settled at once is in effect.
        (None, Some(request)) => context.show_state((&at.0, &at.1, &at.2), Some(request)),
        (None, None) => context.show_request(command, RequestState::InEffect),
    }
    context.state.lock().answered(AnswerView {
        seat: command.to.clone(),
        file: command.file.clone(),
        verb: command.verb,
        at: clock::now().number(),
        refused: refused.map(|word| word.chars().take(60).collect()),
    });
    context.tell();
}

impl Context {
    /// Shows how far a request of ours is.
    pub(crate) fn show_request(&self, command: &Command, state: RequestState) {
        let request = RequestView {
            verb: command.verb,
            at: loopdeck_core::times::Timestamp::from_millis(command.at).number(),
            state,
            sent_again: 0,
            overruled_at: None,
        };
        self.show_state((&command.to, &command.share, &command.file), Some(request));
    }

    /// Shows the request for a loop of another machine.
    pub(crate) fn show_state(&self, (seat, share, file): (&Seat, &str, &str), request: Option<RequestView>) {
        let folder = self.home.mirrors().join(seat.to_string()).join(share);
        let workspace = loopdeck_system::dirs::id_of(&folder);
        outside(|| self.runtime.show_remote_request(&workspace, file, request));
    }

    /// Counts the requests that wait.
    pub(crate) fn note_waiting(&self) {
        self.state.lock().waiting = u32::try_from(self.outbox.waiting().len()).unwrap_or(u32::MAX);
        self.tell();
    }

    /// Keeps a request, and has it sent.
    pub(crate) fn keep_request(&self, command: &Command) -> Result<(), loopdeck_system::failure::Failure> {
        self.outbox.put(command)?;
        self.asked.notify_one();
        self.note_waiting();
        Ok(())
    }
}
