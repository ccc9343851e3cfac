//! Hearing: the output of a loop on another machine, from the first question of a window until it stops asking.

use super::heard::HeardLoop;
use crate::context::{Context, run_blocking};
use crate::envelope::{Fault, open};
use crate::layout;
use crate::machines;
use crate::message::SharedOutput;
use crate::nats::{Endless, NatsResult};
use crate::place::FilePlace;
use crate::stored::{Bucket, Heard, Servers, StoredMessage};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use loopdeck_system::failure::{Failure, FailureKind};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// How often it is checked whether somebody still asks. A question that comes just after that waits longer than this.
const LOOK: Duration = Duration::from_secs(2);

/// Follows the loops that somebody asks about.
pub(crate) async fn hear_output(context: &Context, servers: &Servers, machines: &Bucket) -> Endless {
    let (mut followed, mut ends) = (HashSet::new(), FuturesUnordered::new());
    loop {
        let asked = context.output_asked.notified();
        for (place, of) in context.heard.wanted_loops() {
            if followed.insert(place.clone()) {
                let listener = Listener { context, machines, place, of };
                ends.push(listener.listen(servers));
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
    machines: &'a Bucket,
    place: FilePlace,
    of: Arc<HeardLoop>,
}

impl Listener<'_> {
    /// Follows it while somebody asks, or until it fails: then the next look begins again.
    async fn listen(self, servers: &Servers) -> FilePlace {
        if let Err(error) = self.follow(servers).await {
            tracing::warn!(%error, "the output of another machine is not followed");
            let servers = self.context.invitation.servers.join(", ");
            let failure = Failure::new(FailureKind::TeamUnreachable).with("address", servers);
            self.of.set_answer(Err(failure.with("reason", error)));
        }
        self.place
    }

    async fn follow(&self, servers: &Servers) -> NatsResult<()> {
        let filter = layout::output_subject(&self.place, None);
        let mut messages = servers.follow(layout::OUTPUT, &filter).await?;
        while self.of.is_wanted() {
            let Ok(heard) = tokio::time::timeout(LOOK, messages.next()).await else { continue };
            match heard? {
                Heard::Current => self.of.set_answer(Ok(())),
                Heard::Message(message) => {
                    if let Err(fault) = self.take_message(&message).await {
                        tracing::warn!(subject = %message.subject, ?fault, "output of another machine is not taken");
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes what the machine of the loop signed for exactly this loop. An empty message is what it has removed.
    async fn take_message(&self, message: &StoredMessage) -> Result<(), Fault> {
        if message.value.is_empty() {
            return Ok(());
        }
        let sealed = open(&message.value)?;
        let seat = &self.place.share.seat;
        let signer = machines::contributor_key(self.context, self.machines, seat).await?;
        let head: SharedOutput = sealed.verified_head(&message.subject, &signer)?;
        match run_blocking(|| self.of.take_page(head, sealed.body)) {
            Ok(true) => self.context.note_remote_runs(&self.place),
            Ok(false) => {}
            Err(error) => tracing::warn!(%error, "output of another machine is not kept"),
        }
        Ok(())
    }
}
