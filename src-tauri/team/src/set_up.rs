//! What is done once: making the streams, and trying a connection out.

use crate::connection::{self, Happened};
use crate::invitation::Invitation;
use crate::layout;
use crate::seat::Role;
use loopdeck_system::failure::{Failure, FailureKind};
use serde::Serialize;
use specta::Type;
use std::sync::Arc;
use tokio::sync::mpsc;

/// What a connection that was tried out can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct Tried {
    /// Version of the server.
    pub server: String,
    /// What the invitation allows.
    pub role: Role,
    /// Whether this machine can share loops and steer those of others.
    pub shares: bool,
}

/// Makes streams and buckets on the servers, `replicas` times each. Done again, it only brings limits up to date.
///
/// # Errors
/// As [`try_out`].
pub fn set_up(operator: &Invitation, replicas: usize) -> Result<(), Failure> {
    block_on(operator, async |client| {
        layout::create(&connection::jetstream(&client), replicas).await.map_err(|error| not_set_up(&error))
    })
}

/// Connects, and looks what can be done.
///
/// # Errors
/// `TeamUnreachable`, `TeamRefused`, `OldTeamServer`; `TeamNotSetUp` when the streams are missing.
pub fn try_out(invitation: &Invitation) -> Result<Tried, Failure> {
    block_on(invitation, async |client| {
        let jetstream = connection::jetstream(&client);
        layout::bucket(&jetstream, layout::MACHINES).await.map_err(|error| not_set_up(&error))?;
        layout::bucket(&jetstream, layout::LOOPS).await.map_err(|error| not_set_up(&error))?;
        let shares = matches!(invitation.role, Role::Member | Role::Lead | Role::Node);
        Ok(Tried { server: client.server_info().version, role: invitation.role, shares })
    })
}

fn not_set_up(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(FailureKind::TeamNotSetUp).with("reason", error)
}

/// Does `work` over a connection of its own. What the server refuses ends it at once, not by a timeout.
fn block_on<T>(
    invitation: &Invitation,
    work: impl AsyncFnOnce(async_nats::Client) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let tokio =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::own_data)?;
    tokio.block_on(async {
        let (tell, mut told) = mpsc::unbounded_channel();
        let tell = move |happened: Happened| drop(tell.send(happened));
        let client = connection::connect(invitation, Arc::new(tell)).await?;
        let refused = async {
            loop {
                match told.recv().await {
                    Some(Happened::Refused(reason)) => return reason,
                    Some(_) => {}
                    None => return std::future::pending().await,
                }
            }
        };
        tokio::select! {
            done = work(client) => done,
            reason = refused => Err(Failure::new(FailureKind::TeamRefused).with("reason", reason)),
        }
    })
}
