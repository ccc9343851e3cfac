//! Hearing: the output of a loop on another machine, from the first question of a window until it stops asking.

use super::heard::{HeardLoop, Place};
use super::{Followed, follow, stream};
use crate::envelope::{Fault, open};
use crate::layout;
use crate::machines;
use crate::message::SharedOutput;
use crate::team::{Context, outside};
use async_nats::Client;
use async_nats::jetstream::{self, Message, kv, stream::Stream};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use loopdeck_system::failure::{Failure, FailureKind};
use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// How often it is checked whether somebody still asks. A question that comes just after that waits longer than this.
const LOOK: Duration = Duration::from_secs(2);

/// Follows the loops that somebody asks about.
pub(crate) async fn hear(
    context: &Context,
    (client, jetstream): (&Client, &jetstream::Context),
    machines: &kv::Store,
) -> Result<Infallible, async_nats::Error> {
    let kept = stream(jetstream).await;
    let (mut followed, mut ends) = (HashSet::new(), FuturesUnordered::new());
    loop {
        let asked = context.output_asked.notified();
        for (place, of) in context.heard.wanted() {
            match &kept {
                Ok(kept) if followed.insert(place.clone()) => {
                    let listener = Listener { context, machines, place, of };
                    ends.push(listener.listen(kept, client.new_inbox()));
                }
                Ok(_) => {}
                Err(error) => {
                    of.answer(Err(Failure::new(FailureKind::TeamNotSetUp).with("reason", error)));
                }
            }
        }
        tokio::select! {
            () = asked => {}
            () = tokio::time::sleep(LOOK) => {}
            Some(place) = ends.next(), if !ends.is_empty() => drop(followed.remove(&place)),
        }
    }
}

/// Follows one loop.
struct Listener<'a> {
    context: &'a Context,
    machines: &'a kv::Store,
    place: Place,
    of: Arc<HeardLoop>,
}

impl Listener<'_> {
    /// Follows it while somebody asks, or until it fails: then the next look begins again.
    async fn listen(self, kept: &Stream, inbox: String) -> Place {
        if let Err(error) = self.follow(kept, inbox).await {
            tracing::warn!(%error, "the output of another machine is not followed");
            let servers = self.context.invitation.servers.join(", ");
            let failure = Failure::new(FailureKind::TeamUnreachable).with("address", servers);
            self.of.answer(Err(failure.with("reason", error)));
        }
        self.place
    }

    async fn follow(&self, kept: &Stream, inbox: String) -> Result<(), async_nats::Error> {
        let (seat, share, file) = &self.place;
        let filter = layout::output(seat, share, file, None);
        let Followed { mut messages, is_empty } = follow(kept, inbox, (filter, false)).await?;
        if is_empty {
            self.of.answer(Ok(()));
        }
        while self.of.is_wanted() {
            let Ok(message) = tokio::time::timeout(LOOK, messages.next()).await else { continue };
            let message = message.ok_or("the output ended")??;
            if let Err(fault) = self.take(&message).await {
                tracing::warn!(subject = %message.subject, ?fault, "output of another machine is not taken");
            }
            if message.info()?.pending == 0 {
                self.of.answer(Ok(()));
            }
        }
        Ok(())
    }

    /// Takes what the machine of the loop signed for exactly this loop. An empty message is what it has removed.
    async fn take(&self, message: &Message) -> Result<(), Fault> {
        if message.payload.is_empty() {
            return Ok(());
        }
        let (seat, share, file) = &self.place;
        let sealed = open(&message.payload)?;
        let identity = machines::identity(self.context, self.machines, seat).await;
        let signer = identity.filter(|one| one.role.contributes()).ok_or(Fault::Forged)?.key;
        let head: SharedOutput = sealed.verified(&message.subject, &signer)?;
        match outside(|| self.of.take(head, sealed.body)) {
            Ok(true) => self.context.note_remote_runs(seat, share, file),
            Ok(false) => {}
            Err(error) => tracing::warn!(%error, "output of another machine is not kept"),
        }
        Ok(())
    }
}
