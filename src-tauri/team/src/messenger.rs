//! The runtime's way to other machines: requests of the person, and the output of runs there.

use crate::context::Context;
use crate::jwt;
use crate::layout;
use crate::message::{AskedChange, Command, is_id};
use crate::place::FilePlace;
use loopdeck_core::past::Asker;
use loopdeck_core::refusal::{Refusal, RefusalCode};
use loopdeck_runtime::elsewhere::{Messenger, RemoteLoop, RemoteRequest, RemoteRun};
use loopdeck_runtime::views::RequestState;
use loopdeck_system::clock;
use loopdeck_system::failure::{Failure, FailureKind};
use std::sync::{Arc, Weak};

/// Hands requests of the person on.
pub(crate) struct TeamMessenger(pub(crate) Weak<Context>);

impl TeamMessenger {
    /// What the tasks share, and the loop that is meant.
    fn find(&self, of: &RemoteLoop) -> Result<(Arc<Context>, FilePlace), Failure> {
        let none = || Failure::new(FailureKind::NotInTeam);
        let context = self.0.upgrade().ok_or_else(none)?;
        let share = context.share_of(&of.workspace).ok_or_else(none)?;
        Ok((context, FilePlace { share, file: of.file.clone() }))
    }
}

impl Messenger for TeamMessenger {
    fn request(&self, request: RemoteRequest) -> Result<Asker, Failure> {
        let (context, place) = self.find(&request.of)?;
        let command = Command {
            id: jwt::random_id(),
            token: context.token.clone(),
            from: context.seat().clone(),
            to: place.share.seat,
            at: clock::now().millis(),
            sent: 0,
            share: place.share.id,
            file: place.file,
        };
        debug_assert!(is_id(&command.id));
        let asker = command.asker();
        let asked = AskedChange { command, change: request.change };
        check_size(&asked)?;
        context.keep_request(&asked)?;
        context.show_request(&asked, RequestState::Requested);
        context.show_needs(&asked.command.place().share);
        Ok(asker)
    }

    fn output(&self, of: &RemoteLoop) -> Result<Vec<RemoteRun>, Failure> {
        let (context, place) = self.find(of)?;
        context.remote_runs(&place)
    }
}

/// Refuses what no message can carry: it would wait for ever.
fn check_size(asked: &AskedChange) -> Result<(), Failure> {
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
