//! The runtime's way to other machines: requests of the person, and the output of runs there.

use crate::commands;
use crate::jwt;
use crate::layout;
use crate::message::{Asked, Command, is_id};
use crate::team::Context;
use loopdeck_core::past::Asker;
use loopdeck_core::refusal::{Refusal, RefusalCode};
use loopdeck_runtime::elsewhere::{Messenger, RemoteLoop, RemoteRequest, RemoteRun};
use loopdeck_runtime::views::RequestState;
use loopdeck_system::clock;
use loopdeck_system::failure::{Failure, FailureKind};
use std::sync::Weak;

/// Hands requests of the person on.
pub(crate) struct Sender(pub(crate) Weak<Context>);

impl Messenger for Sender {
    fn request(&self, request: RemoteRequest) -> Result<Asker, Failure> {
        let none = || Failure::new(FailureKind::NotInTeam);
        let context = self.0.upgrade().ok_or_else(none)?;
        let (to, share) = context.share_of(&request.of.workspace).ok_or_else(none)?;
        let command = Command {
            id: jwt::random_id(),
            token: context.token.clone(),
            from: context.seat().clone(),
            to,
            at: clock::now().millis(),
            sent: 0,
            share,
            file: request.of.file,
        };
        debug_assert!(is_id(&command.id));
        let asker = commands::asker(&command);
        let asked = Asked { command, change: request.change };
        fits(&asked)?;
        context.keep_request(&asked)?;
        context.show_request(&asked, RequestState::Requested);
        context.show_needs(&asked.command.to, &asked.command.share);
        Ok(asker)
    }

    fn output(&self, of: &RemoteLoop) -> Result<Vec<RemoteRun>, Failure> {
        let none = || Failure::new(FailureKind::NotInTeam);
        let context = self.0.upgrade().ok_or_else(none)?;
        let (seat, share) = context.share_of(&of.workspace).ok_or_else(none)?;
        context.remote_runs(&(seat, share, of.file.clone()))
    }
}

/// Refuses what no message can carry: it would wait for ever.
fn fits(asked: &Asked) -> Result<(), Failure> {
    /// The head, the signature and the server's own headers.
    const REST: usize = 32 << 10;
    let length = serde_json::to_vec(&asked.change).map_err(Failure::own_data)?.len();
    let limit = layout::LARGEST_COMMAND - REST;
    if length <= limit {
        return Ok(());
    }
    let refusal = Refusal::new(RefusalCode::TooLong).with("field", "description");
    Err(refusal.with("limit", limit).with("length", length).into())
}
