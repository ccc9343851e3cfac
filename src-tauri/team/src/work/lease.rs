//! The lease of a job: a key that its holder renews, and that the server forgets when it is not renewed. Its revision is the
//! fencing token: of two who write it, the server takes one.
//!
//! What the holder may do hangs on a fence, which closes well before the lease ends, so that whatever runs has ended by the
//! time at which somebody else can have it.

use crate::layout::{self, LEASES};
use crate::nats::NatsResult;
use crate::seat::Seat;
use crate::stored::{Bucket, Entry};
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use loopdeck_system::fence::{Fence, moment};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long ending a process tree takes at most: asking it to terminate, and killing what is left.
const ENDING: Duration = Duration::from_secs(12);

/// No server is behind the others for so long.
const ENDED_FOR: Duration = Duration::from_secs(3_600);

/// How long things last, all from the length of a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spans {
    /// The server forgets a lease after this.
    pub(crate) lease: Duration,
}

impl Spans {
    /// How long work may go on after a renewal.
    pub(crate) fn fence(self) -> Duration {
        self.lease - ENDING.min(self.lease / 3)
    }

    /// How often it is renewed, and the queue hears that the job is at work.
    pub(crate) fn renewal(self) -> Duration {
        (self.lease / 9).min(layout::WORK_SIGN)
    }
}

/// What a lease says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Holder {
    seat: Seat,
    /// Tells one holding from another of the same machine.
    nonce: String,
    /// The job ended with this holding.
    #[serde(default)]
    ended: bool,
}

impl Holder {
    /// Whether an entry says that this is the holder.
    fn is_in(&self, entry: &Entry) -> bool {
        serde_json::from_slice::<Self>(&entry.message.value)
            .is_ok_and(|holder| holder.seat == self.seat && holder.nonce == self.nonce)
    }
}

/// A lease that this machine holds.
#[derive(Clone, Debug)]
pub(crate) struct Lease {
    job: String,
    holder: Holder,
    /// The fencing token: larger than that of every earlier holder.
    pub(crate) revision: u64,
}

/// What came of a renewal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Renewed {
    Held,
    /// Somebody else has it, or could have had it.
    Lost,
}

impl Lease {
    /// Takes the lease of `job`, unless somebody has it. One that this very holding has already is taken up again.
    pub(crate) async fn take(
        leases: &Bucket,
        (job, seat, nonce): (&str, &Seat, &str),
        (spans, fence): (Spans, Option<&Fence>),
    ) -> NatsResult<Option<Self>> {
        let holder = Holder { seat: seat.clone(), nonce: nonce.to_owned(), ended: false };
        let mut lease = Self { job: job.to_owned(), holder, revision: 0 };
        if let Some(entry) = leases.entry(job).await? {
            lease.revision = entry.message.revision;
            if !lease.holder.is_in(&entry) {
                return Ok(None);
            }
        }
        match lease.renew(leases, spans, fence).await? {
            Renewed::Held => Ok(Some(lease)),
            Renewed::Lost => Ok(None),
        }
    }

    /// Renews it, and the fence with it.
    pub(crate) async fn renew(
        &mut self,
        leases: &Bucket,
        spans: Spans,
        fence: Option<&Fence>,
    ) -> NatsResult<Renewed> {
        let since = moment(); // what the server counts from is later
        if self.write(leases, spans.lease).await? == Renewed::Lost {
            return Ok(Renewed::Lost);
        }
        if let Some(fence) = fence {
            fence.open(since, spans.fence())?;
        }
        Ok(Renewed::Held)
    }

    /// Says that its job ended, to whoever would take it next: a server may be behind with the reports, but of two who write a lease
    /// it takes one.
    pub(crate) async fn mark_ended(&mut self, leases: &Bucket) -> NatsResult<Renewed> {
        self.holder.ended = true;
        self.write(leases, ENDED_FOR).await
    }

    /// Writes it. An earlier write may have been stored without our hearing of it.
    async fn write(&mut self, leases: &Bucket, lasts: Duration) -> NatsResult<Renewed> {
        match self.publish(leases, lasts).await {
            Err(PublishErrorKind::WrongLastSequence) => {}
            put => return put.map(|()| Renewed::Held).map_err(|error| error.to_string().into()),
        }
        let there = leases.entry(&self.job).await?;
        let Some(entry) = there.filter(|entry| self.holder.is_in(entry)) else { return Ok(Renewed::Lost) };
        self.revision = entry.message.revision;
        match self.publish(leases, lasts).await {
            Err(PublishErrorKind::WrongLastSequence) => Ok(Renewed::Lost),
            put => put.map(|()| Renewed::Held).map_err(|error| error.to_string().into()),
        }
    }

    async fn publish(&mut self, leases: &Bucket, lasts: Duration) -> Result<(), PublishErrorKind> {
        let value = serde_json::to_vec(&self.holder).map_err(|_| PublishErrorKind::Other)?;
        let message = PublishMessage::build()
            .payload(value.into())
            .expected_last_subject_sequence(self.revision)
            .ttl(lasts.max(Duration::from_secs(1)));
        let subject = layout::key_subject(LEASES, &self.job);
        let jetstream = &leases.servers.jetstream;
        let sent = jetstream.send_publish(subject, message).await.map_err(|error| error.kind())?;
        self.revision = sent.await.map_err(|error| error.kind())?.sequence;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_can_have_it_next_finds_nobody_at_work() {
        for seconds in [6, 30, 90, 600] {
            let spans = Spans { lease: Duration::from_secs(seconds) };
            assert!(spans.fence() + ENDING.min(spans.lease / 3) <= spans.lease);
            assert!(spans.renewal() * 3 < spans.fence(), "two lost renewals end nothing");
        }
    }
}
