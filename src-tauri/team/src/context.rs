//! What the tasks of a connection share, and outlives it.

use crate::envelope::Signer;
use crate::home::Home;
use crate::invitation::Invitation;
use crate::outbox::Outbox;
use crate::output::heard::HeardLoops;
use crate::own_shares::OwnShares;
use crate::place::SharePlace;
use crate::seat::Seat;
use crate::share::{Share, Shares};
use crate::state::State;
use crate::work::asked::AskedJobs;
use crate::work::node::Node;
use loopdeck_runtime::Runtime;
use loopdeck_system::failure::Failure;
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::Notify;

/// What a machine does in its team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Participation {
    /// Everything that its role allows.
    Full,
    /// It only looks: one command of a script.
    Looking,
    /// It looks, and has work sent elsewhere: one command of a script.
    Asking,
}

/// What all tasks share.
pub(crate) struct Context {
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) invitation: Invitation,
    pub(crate) signer: Signer,
    pub(crate) token: String,
    pub(crate) participation: Participation,
    pub(crate) home: Home,
    pub(crate) state: Mutex<State>,
    pub(crate) shares: OwnShares,
    pub(crate) outbox: Outbox,
    /// Something here may have changed.
    pub(crate) changed: Notify,
    /// It is known how far the clock here is from the server's.
    pub(crate) measured: Notify,
    /// A request waits to be sent.
    pub(crate) asked: Notify,
    /// A job waits to be sent, or its result to be fetched.
    pub(crate) asked_work: Notify,
    /// Runs here may have new output, or one began or ended.
    pub(crate) output_changed: Notify,
    /// Somebody asks for the output of another machine.
    pub(crate) output_asked: Notify,
    pub(crate) heard: HeardLoops,
    pub(crate) jobs: AskedJobs,
    pub(crate) node: Node,
    pub(crate) on_change: Box<dyn Fn() + Send + Sync>,
}

impl Context {
    /// This machine.
    pub(crate) fn seat(&self) -> &Seat {
        &self.invitation.seat
    }

    /// A share of this machine, by its name on the server.
    pub(crate) fn own_share(&self, id: String) -> SharePlace {
        SharePlace { seat: self.seat().clone(), id }
    }

    /// Changes what this machine shares.
    pub(crate) fn change_shares(&self, change: impl FnOnce(&mut Shares)) -> Result<(), Failure> {
        self.shares.change(change)?;
        self.changed.notify_one();
        self.tell_screen();
        Ok(())
    }

    /// Shares a folder, or shares it otherwise.
    pub(crate) fn put_share(&self, share: Share) -> Result<(), Failure> {
        self.change_shares(|shares| shares.put(share))
    }

    /// Shares a folder no longer.
    pub(crate) fn drop_share(&self, path: &Path) -> Result<(), Failure> {
        self.change_shares(|shares| {
            shares.remove(path);
        })
    }

    /// Tells the screen that there is something newer.
    pub(crate) fn tell_screen(&self) {
        (self.on_change)();
    }

    /// Notes something that the screen shows, and tells it when that differs.
    pub(crate) fn note_if_new<T: PartialEq>(&self, place: impl FnOnce(&mut State) -> &mut T, value: T) {
        let mut state = self.state.lock();
        let known = place(&mut state);
        if *known != value {
            *known = value;
            drop(state);
            self.tell_screen();
        }
    }
}

/// Asks the runtime, which may block, from wherever this is.
pub(crate) fn run_blocking<T>(ask: impl FnOnce() -> T) -> T {
    if tokio::runtime::Handle::try_current().is_ok() { tokio::task::block_in_place(ask) } else { ask() }
}
