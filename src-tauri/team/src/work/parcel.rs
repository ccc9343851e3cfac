//! Things that are too large for a message, in pieces on a stream of their own. A piece is under the seat of its sender, where
//! the server checks it. The object store of NATS would be less code, but its buckets need rollup, with which any member could
//! wipe what the others left there.
//!
//! A parcel is a git bundle, and counts only for the commit that a signed message names: git checks every byte.

use crate::layout::{self, PARCELS};
use crate::nats::NatsResult;
use crate::seat::Seat;
use async_nats::jetstream::{self, message::PublishMessage};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// The largest piece.
const PIECE: usize = 700 << 10;
/// The most pieces: 256 MB together.
const MOST_PIECES: usize = 375;
/// So many pieces are under way at once.
const AHEAD: usize = 4;

/// Where the pieces of a parcel are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Parcel {
    /// Whose it is.
    pub(crate) from: Seat,
    /// Their places on the stream, in order.
    pub(crate) pieces: Vec<u64>,
}

impl Parcel {
    /// Whether it is within bounds.
    pub(crate) fn is_sound(&self) -> bool {
        (1..=MOST_PIECES).contains(&self.pieces.len())
    }
}

/// Whether a file of this size can be sent.
pub(crate) fn is_sendable(bytes: u64) -> bool {
    bytes > 0 && bytes <= (PIECE * MOST_PIECES) as u64
}

/// Sends the file at `path`; `id` names it among the sender's. Sent again, a piece that is there already is not stored twice.
pub(crate) async fn send_parcel(
    jetstream: &jetstream::Context,
    (from, id): (&Seat, &str),
    path: &Path,
) -> NatsResult<Parcel> {
    let mut file = tokio::fs::File::open(path).await?;
    let subject = layout::parcel_subject(from, id);
    let (mut pieces, mut under_way) = (Vec::new(), std::collections::VecDeque::new());
    loop {
        let mut piece = vec![0; PIECE];
        let mut filled = 0;
        while filled < PIECE {
            match file.read(&mut piece[filled..]).await? {
                0 => break,
                more => filled += more,
            }
        }
        if filled > 0 {
            piece.truncate(filled);
            let number = pieces.len() + under_way.len();
            let message =
                PublishMessage::build().payload(piece.into()).message_id(format!("{subject}.{number}"));
            under_way.push_back(jetstream.send_publish(subject.clone(), message).await?);
        }
        while under_way.len() > AHEAD || (filled < PIECE && !under_way.is_empty()) {
            let Some(sent) = under_way.pop_front() else { break };
            pieces.push(sent.await?.sequence);
        }
        if filled < PIECE {
            return Ok(Parcel { from: from.clone(), pieces });
        }
    }
}

/// Writes a parcel to the file at `path`.
pub(crate) async fn fetch_parcel(
    jetstream: &jetstream::Context,
    parcel: &Parcel,
    path: &Path,
) -> NatsResult<()> {
    if !parcel.is_sound() {
        return Err(io::Error::from(io::ErrorKind::InvalidData).into());
    }
    let stream = jetstream.get_stream_no_info(PARCELS).await?;
    let mut file = tokio::fs::File::create(path).await?;
    let from = layout::parcel_subject(&parcel.from, "");
    for piece in &parcel.pieces {
        let message = stream.direct_get(*piece).await?;
        // Whoever names the pieces of somebody else has mixed something up, or means harm.
        if !message.subject.starts_with(&from) {
            return Err(io::Error::from(io::ErrorKind::InvalidData).into());
        }
        file.write_all(&message.payload).await?;
    }
    file.sync_all().await?;
    Ok(())
}
