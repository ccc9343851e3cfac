//! Requests to other machines on their way: sent in order, and shown until they are answered.

use crate::context::{Context, run_blocking};
use crate::envelope::{Fault, open_vouched};
use crate::full::{Full, publish_once};
use crate::jwt::Reader;
use crate::layout::{self, ANSWERS};
use crate::message::{Answer, AskedChange, is_id};
use crate::nats::Endless;
use crate::queue::Queue;
use crate::seat::Seat;
use crate::state::AnswerView;
use crate::stored::Servers;
use async_nats::jetstream;
use loopdeck_core::past::WriteCause;
use loopdeck_runtime::elsewhere::RemoteChange;
use loopdeck_runtime::views::{RequestState, RequestView};
use loopdeck_system::clock;
use loopdeck_system::logged::Logged as _;
use std::collections::HashSet;
use std::time::Duration;

/// A request that the server could not keep is tried again after this.
const AGAIN: Duration = Duration::from_secs(1);

/// How long one question waits for a message at the server. When the connection breaks, that is for how long a message may be
/// delivered to nobody.
const EXPIRES: Duration = Duration::from_secs(5);

/// Sends what waits, oldest first, each once the server keeps the one before. A machine whose commands the server has no
/// room for keeps nobody else waiting.
pub(crate) async fn send_requests(context: &Context, jetstream: &jetstream::Context) -> Endless {
    loop {
        let more = context.asked.notified();
        let mut full: HashSet<Seat> = HashSet::new();
        let mut said = None;
        for (path, AskedChange { mut command, change }) in context.outbox.waiting_requests() {
            if full.contains(&command.to) {
                continue; // in order, or not at all
            }
            // Whoever hears it tells from this how long it waited here, whatever the clocks say.
            command.sent = clock::now().millis();
            let subject = layout::command_subject(&command.to, &command.from);
            let body = serde_json::to_vec(&change)?;
            match publish_once(context, jetstream, (&subject, &command.id), (&command, &body)).await? {
                Ok(()) => context.outbox.mark_sent(&path)?,
                Err(Full(reason)) => {
                    said = Some(reason);
                    full.insert(command.to);
                }
            }
        }
        context.note_if_new(|state| &mut state.full.commands, said);
        context.note_waiting();
        let again = if full.is_empty() { AGAIN * 30 } else { AGAIN };
        tokio::select! {
            () = more => {}
            () = tokio::time::sleep(again) => {}
        }
    }
}

/// Hears what became of them.
pub(crate) async fn hear_answers(context: &Context, servers: &Servers) -> Endless {
    let mut messages =
        Queue::new(servers, (ANSWERS, &layout::consumer_name(ANSWERS, context.seat()))).await?;
    loop {
        let Some(message) = messages.next_within(EXPIRES).await? else { continue };
        match read_answer(context.reader(), &message.subject, &message.payload) {
            // Only the machine that was asked can answer.
            Ok((answer, seat)) => match context.outbox.unanswered_by(&answer.id) {
                Some((path, asked)) if asked.command.to == seat => {
                    record_answer(context, &asked, answer.refused.clone());
                    context.outbox.forget(&path);
                    show_answer(context, &asked, answer.refused);
                }
                _ => {}
            },
            Err(fault) => tracing::warn!(subject = %message.subject, ?fault, "an answer is not taken"),
        }
        message.double_ack().await?;
    }
}

/// Reads an answer, and from whom it is.
pub(crate) fn read_answer(reader: Reader<'_>, subject: &str, bytes: &[u8]) -> Result<(Answer, Seat), Fault> {
    let (answer, identity, _): (Answer, _, _) = open_vouched(reader, subject, bytes)?;
    let matches = subject == layout::answer_subject(reader.seat, &identity.seat) && is_id(&answer.id);
    if matches { Ok((answer, identity.seat)) } else { Err(Fault::Forged) }
}

/// Records an answer, once however often it is delivered: before its request is forgotten, so that none is lost when this program
/// ends in between.
fn record_answer(context: &Context, AskedChange { command, change }: &AskedChange, refused: Option<String>) {
    let Some(cause) = change.cause() else { return };
    let (key, asker) = (context.copy_key(&command.place()), command.asker());
    let note = || context.runtime.note_remote_answer(&key, (cause, refused), (&asker, &command.id));
    run_blocking(note).logged("an answer of another machine is not recorded here");
}

fn show_answer(context: &Context, asked: &AskedChange, refused: Option<String>) {
    let AskedChange { command, change } = asked;
    let Some(cause) = change.cause() else { return };
    let place = command.place();
    let told = context.state.lock().requests.get(&place).cloned();
    match (&refused, told, change) {
        (Some(_), ..) => context.show_request(asked, RequestState::Failed),
        // Its machine tells how far it is there; what settled at once is in effect.
        (None, Some(request), RemoteChange::Verb { .. }) => {
            context.show_remote_request(&place, Some(request));
        }
        (None, ..) => context.show_request(asked, RequestState::InEffect),
    }
    context.show_needs(&place.share);
    context.state.lock().remember_answer(AnswerView {
        seat: command.to.clone(),
        file: command.file.clone(),
        verb: cause,
        at: clock::now().number(),
        refused: refused.map(|word| word.chars().take(60).collect()),
    });
    context.tell_screen();
}

impl Context {
    /// Shows how far a request of ours is. Of an answer its card tells.
    pub(crate) fn show_request(&self, AskedChange { command, change }: &AskedChange, state: RequestState) {
        let Some(verb) = change.cause().filter(|cause| *cause != WriteCause::Answer) else { return };
        let request = RequestView {
            verb,
            at: loopdeck_core::times::Timestamp::from_millis(command.at).number(),
            state,
            sent_again: 0,
            overruled_at: None,
            asker: Some(command.asker()),
        };
        self.show_remote_request(&command.place(), Some(request));
    }

    /// Counts the requests that wait.
    fn note_waiting(&self) {
        let waiting = u32::try_from(self.outbox.waiting_requests().len()).unwrap_or(u32::MAX);
        self.state.lock().waiting = waiting;
        self.tell_screen();
    }

    /// Keeps a request, and has it sent.
    pub(crate) fn keep_request(&self, asked: &AskedChange) -> Result<(), loopdeck_system::failure::Failure> {
        self.outbox.put(asked)?;
        self.asked.notify_one();
        self.note_waiting();
        Ok(())
    }
}
