//! What is done once: making the streams, and trying a connection out.

use crate::claim::{claim_streams, not_set_up};
use crate::connection::{self, Happened};
use crate::invitation::Invitation;
use crate::layout;
use crate::seat::{Role, Seat};
use crate::stored::{Bucket, Servers};
use loopdeck_core::times::Timestamp;
use loopdeck_system::failure::{Failure, FailureKind};
use serde::Serialize;
use specta::Type;
use std::sync::Arc;
use tokio::sync::mpsc;

/// What a connection that was tried out can do.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct TriedTeam {
    /// Who the invitation is for.
    pub seat: Seat,
    /// Version of the server.
    pub server: String,
    /// Whether nobody can listen on the way.
    pub encrypted: bool,
    /// Whether the server asks for nothing but a token. It then limits no machine.
    pub token_only: bool,
    /// What the invitation allows.
    pub role: Role,
    /// The same one by one.
    pub can: Vec<Ability>,
    /// When the invitation ends, ms since 1970 UTC.
    pub until: Option<f64>,
}

/// Something that an invitation allows. Words: catalogue `team.can.<ability>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Ability {
    /// See loops of other machines.
    See,
    /// Share loops of this one.
    Share,
    /// Steer loops whose owner lets members do it.
    SteerAsMember,
    /// Steer loops whose owner lets leads do it.
    SteerAsLead,
    /// Send runs to nodes.
    SendRuns,
    /// Take runs of others.
    TakeRuns,
    /// Make the streams.
    SetUp,
}

impl Ability {
    fn all_of(role: Role) -> Vec<Self> {
        use Ability::{See, SendRuns, SetUp, Share, SteerAsLead, SteerAsMember, TakeRuns};
        match role {
            Role::Operator => vec![SetUp],
            Role::Viewer => vec![See],
            Role::Member => vec![See, Share, SteerAsMember, SendRuns],
            Role::Lead => vec![See, Share, SteerAsMember, SteerAsLead, SendRuns],
            Role::Node => vec![See, Share, TakeRuns],
        }
    }
}

/// Makes streams and buckets on the servers, `replicas` times each. Done again, it only brings limits up to date.
///
/// # Errors
/// As [`try_out`]; `Exists` when a server that asks only for a token has streams of another team or program.
pub fn set_up(operator: &Invitation, replicas: usize) -> Result<(), Failure> {
    block_on(operator, async |client| {
        let jetstream = connection::jetstream(&client);
        if operator.server_token.is_some() {
            claim_streams(&jetstream, &operator.account, replicas).await?;
        }
        layout::create_streams(&jetstream, replicas).await.map_err(|error| not_set_up(&error))
    })
}

/// Makes the queues of these machines: without them, nothing that is sent to them arrives. Done again, it changes nothing.
///
/// # Errors
/// As [`try_out`].
pub fn enlist(operator: &Invitation, machines: &[(Seat, Role)]) -> Result<(), Failure> {
    block_on(operator, async |client| {
        let jetstream = connection::jetstream(&client);
        for (seat, role) in machines {
            layout::make_queues(&jetstream, (seat, *role)).await.map_err(|error| not_set_up(&error))?;
        }
        Ok(())
    })
}

/// Connects, and looks what can be done: every stream that it may read answers, to exactly this credential.
///
/// # Errors
/// `TeamUnreachable`, `TeamRefused`, `OldTeamServer`; `TeamNotSetUp` when the streams are missing.
pub fn try_out(invitation: &Invitation) -> Result<TriedTeam, Failure> {
    block_on(invitation, async |client| {
        let servers = Servers { client: client.clone(), jetstream: connection::jetstream(&client) };
        for bucket in [layout::MACHINES, layout::LOOPS, layout::PARTS, layout::REPORTS] {
            let asked = Bucket::new(&servers, bucket).entry("nothing").await;
            asked.map_err(|error| not_set_up(&error))?;
        }
        let asked = servers.last_message(layout::OUTPUT, "output.nothing").await;
        asked.map_err(|error| not_set_up(&error))?;
        let (info, end) = (client.server_info(), invitation.ends_at());
        Ok(TriedTeam {
            seat: invitation.seat.clone(),
            encrypted: info.tls_required || invitation.servers.iter().all(|one| one.starts_with("tls://")),
            server: info.version,
            token_only: invitation.server_token.is_some(),
            role: invitation.role,
            can: Ability::all_of(invitation.role),
            until: end.map(Timestamp::number),
        })
    })
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
