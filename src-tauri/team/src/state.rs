//! What is known of the team right now, for the screen.

use crate::connection::Happened;
use crate::jwt::Identity;
use crate::place::{FilePlace, SharePlace};
use crate::seat::{Role, Seat};
use crate::share::{Scope, Steering};
use crate::work::offer::Offer;
use loopdeck_core::past::WriteCause;
use loopdeck_core::times::Timestamp;
use loopdeck_execution::rows::Need;
use loopdeck_runtime::elsewhere::Elsewhere;
use loopdeck_runtime::views::RequestView;
use loopdeck_system::clock;
use loopdeck_system::failure::{Failure, FailureKind};
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A machine that was not heard of for so long is not reachable. It says every 10 seconds that it is there.
const SILENT_AFTER_MS: i64 = 30_000;
/// A clock that is further from the server's is told of.
const CLOCKS_DIFFER_MS: i64 = 60_000;
/// So many answers are remembered.
const ANSWERS: usize = 50;

/// The connection, as the page shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ConnectionView {
    /// Not yet there.
    #[default]
    Connecting,
    /// There.
    Connected {
        /// Version of the server.
        server: String,
    },
    /// Lost. Everything local keeps working, and what was not sent is sent later.
    Lost {
        /// Since when, ms since 1970 UTC.
        since: f64,
        /// Why, when that is known.
        failure: Option<Failure>,
    },
}

/// A machine of the team.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct MachineView {
    /// Which.
    pub seat: Seat,
    /// What it may do.
    pub role: Role,
    /// When it was last heard of, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub seen: f64,
    /// Whether it is there now.
    pub reachable: bool,
    /// So many minutes its clock is ahead of the server's, or behind it when less than 0; `None` when it is right.
    pub clock_ahead: Option<i32>,
    /// Its version of Loopdeck.
    pub version: String,
    /// Names of the folders that it shares. Untrusted text.
    pub folders: Vec<String>,
    /// What it runs for others, if it is a node.
    pub offer: Option<Offer>,
}

/// What became of a request of ours.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct AnswerView {
    /// Whose loop.
    pub seat: Seat,
    /// Its state file.
    pub file: String,
    /// What was asked.
    pub verb: WriteCause,
    /// When, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub at: f64,
    /// Why it was not carried out: the kind of a failure or refusal. `None`: it was.
    pub refused: Option<String>,
}

/// The team on the screen.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct TeamView {
    /// This machine.
    pub seat: Seat,
    /// What it may do.
    pub role: Role,
    /// Addresses of the servers.
    pub servers: Vec<String>,
    /// The connection.
    pub connection: ConnectionView,
    /// What the server does not allow, in its own words; empty when all is well.
    pub refused: Option<String>,
    /// Every machine that was ever there, this one included, by name.
    pub machines: Vec<MachineView>,
    /// Requests that wait to be sent.
    pub waiting: u32,
    /// The last answers, newest first.
    pub answers: Vec<AnswerView>,
    /// Files of shared folders that are too large to be sent.
    pub too_large: Vec<String>,
    /// Why the server has no room for more, in its own words; empty when it has. What was not sent is sent later.
    pub full: Option<String>,
}

/// What the server had no room for when it was tried last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NoRoom {
    pub(crate) commands: Option<String>,
    pub(crate) files: Option<String>,
    pub(crate) output: Option<String>,
}

/// One machine as it is known here.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) identity: Identity,
    pub(crate) seen: Timestamp,
    /// When the server stored its word, of a machine that was not heard of since.
    pub(crate) stored: Option<Timestamp>,
    /// When it said so by its own clock, ms since 1970 UTC.
    pub(crate) said_at: i64,
    /// How far its clock is ahead of the server's, in ms; `None` when it does not say.
    pub(crate) ahead: Option<i64>,
    /// The number of that message.
    pub(crate) number: u64,
    pub(crate) version: String,
    /// What it runs for others, if it is a node.
    pub(crate) offer: Option<Offer>,
}

/// As minutes, when a clock is so far ahead that people should know. A machine says any number.
fn minutes_ahead(ms: i64) -> Option<i32> {
    let minutes = ms.saturating_abs().saturating_add(30_000) / 60_000 * ms.signum();
    let most = if ms < 0 { i32::MIN } else { i32::MAX };
    (ms.saturating_abs() > CLOCKS_DIFFER_MS).then(|| i32::try_from(minutes).unwrap_or(most))
}

impl Machine {
    /// Whether the page shows `newer` otherwise than this, at `now`.
    pub(crate) fn looks_different(&self, newer: &Self, now: Timestamp) -> bool {
        self.unreachable_since(now).is_some()
            || self.identity != newer.identity
            || self.version != newer.version
            || self.clock_ahead() != newer.clock_ahead()
            || self.offer != newer.offer
    }

    /// How many minutes its clock is ahead, when people should know.
    pub(crate) fn clock_ahead(&self) -> Option<i32> {
        self.ahead.and_then(minutes_ahead)
    }

    /// Since when it is not reachable.
    pub(crate) fn unreachable_since(&self, now: Timestamp) -> Option<Timestamp> {
        (now.millis() - self.seen.millis() > SILENT_AFTER_MS).then_some(self.seen)
    }
}

/// A share of another machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SharedFolder {
    pub(crate) name: String,
    pub(crate) steering: Steering,
    pub(crate) scope: Scope,
}

/// What waits for a person in loops of other machines.
pub(crate) type SharedNeedsByLoop = BTreeMap<FilePlace, Vec<Need>>;

/// Requests for loops of other machines, as their machines tell of them.
pub(crate) type SharedRequestByLoop = BTreeMap<FilePlace, RequestView>;

/// Everything that is known, changed by the tasks and read by the screen.
#[derive(Debug, Default)]
pub(crate) struct State {
    connection: ConnectionView,
    /// Version of the server that was there last.
    server: String,
    refused: Option<String>,
    /// By seat.
    pub(crate) machines: BTreeMap<Seat, Machine>,
    /// When this machine said last that it is there, ms since 1970 UTC.
    pub(crate) said_at: i64,
    /// How far its clock is ahead of the server's, in ms, once that is known.
    pub(crate) ahead: Option<i64>,
    /// Of other machines.
    pub(crate) folders: BTreeMap<SharePlace, SharedFolder>,
    /// Those of them that the server does not have, although their owner did not say that they are gone.
    pub(crate) missing: BTreeSet<SharePlace>,
    pub(crate) requests: SharedRequestByLoop,
    pub(crate) needs: SharedNeedsByLoop,
    /// Copies as they are shown.
    pub(crate) copies: BTreeMap<SharePlace, Elsewhere>,
    /// Machines that are shown as not reachable.
    pub(crate) silent: BTreeSet<Seat>,
    /// Everything that was there at the beginning of the connection has arrived.
    pub(crate) current: bool,
    /// So have the reports on jobs.
    pub(crate) jobs_current: bool,
    pub(crate) waiting: u32,
    pub(crate) answers: VecDeque<AnswerView>,
    pub(crate) too_large: Vec<String>,
    pub(crate) full: NoRoom,
}

impl State {
    /// The connection is there.
    pub(crate) fn note_connected(&mut self, server: String) {
        self.server.clone_from(&server);
        self.connection = ConnectionView::Connected { server };
        self.refused = None;
    }

    /// It is not, or no longer. The first moment of a silence is kept.
    pub(crate) fn note_lost(&mut self, failure: Option<Failure>) {
        let since = match &self.connection {
            ConnectionView::Lost { since, .. } => *since,
            ConnectionView::Connecting | ConnectionView::Connected { .. } => clock::now().number(),
        };
        self.connection = ConnectionView::Lost { since, failure };
    }

    /// Something happened to the connection.
    pub(crate) fn note_happened(&mut self, happened: &Happened) {
        match happened {
            Happened::Connected => self.note_connected(self.server.clone()),
            Happened::Lost => self.note_lost(None),
            Happened::Refused(reason) => self.refused = Some(reason.clone()),
        }
    }

    /// Why nothing comes from other machines.
    pub(crate) fn why_unreachable(&self, servers: &[String]) -> Failure {
        match &self.connection {
            ConnectionView::Lost { failure: Some(failure), .. } => failure.clone(),
            _ => Failure::new(FailureKind::TeamUnreachable).with("address", servers.join(", ")),
        }
    }

    /// Since when a share is not reachable: its machine is silent, or the server does not have it.
    pub(crate) fn unreachable_since(&self, share: &SharePlace, now: Timestamp) -> Option<Timestamp> {
        match self.machines.get(&share.seat) {
            Some(machine) if self.missing.contains(share) => Some(machine.seen),
            Some(machine) => machine.unreachable_since(now),
            None => Some(now),
        }
    }

    /// Machines that are not reachable.
    pub(crate) fn silent_machines(&self, now: Timestamp) -> BTreeSet<Seat> {
        let silent = self.machines.iter().filter(|(_, machine)| machine.unreachable_since(now).is_some());
        silent.map(|(seat, _)| seat.clone()).collect()
    }

    /// Remembers an answer.
    pub(crate) fn remember_answer(&mut self, answer: AnswerView) {
        self.answers.push_front(answer);
        self.answers.truncate(ANSWERS);
    }

    /// The machines as they are shown at `now`.
    pub(crate) fn machine_views(&self, now: Timestamp) -> Vec<MachineView> {
        let folders = |seat: &Seat| {
            let own = self.folders.iter().filter(|(share, _)| share.seat == *seat);
            own.map(|(_, folder)| folder.name.clone()).collect()
        };
        let view = |(seat, machine): (&Seat, &Machine)| MachineView {
            seat: seat.clone(),
            role: machine.identity.role,
            seen: machine.seen.number(),
            reachable: machine.unreachable_since(now).is_none(),
            clock_ahead: machine.clock_ahead(),
            version: machine.version.clone(),
            folders: folders(seat),
            offer: machine.offer.clone(),
        };
        self.machines.iter().map(view).collect()
    }

    /// All of it.
    pub(crate) fn view(&self, seat: &Seat, role: Role, servers: &[String]) -> TeamView {
        let NoRoom { commands, files, output } = self.full.clone();
        TeamView {
            seat: seat.clone(),
            role,
            servers: servers.to_vec(),
            connection: self.connection.clone(),
            refused: self.refused.clone(),
            machines: self.machine_views(clock::now()),
            waiting: self.waiting,
            answers: self.answers.iter().cloned().collect(),
            too_large: self.too_large.clone(),
            full: commands.or(files).or(output),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_far_off_is_told_in_minutes_however_far() {
        assert_eq!([0, CLOCKS_DIFFER_MS, -CLOCKS_DIFFER_MS].map(minutes_ahead), [None; 3]);
        let minutes = [600_000, -630_000, i64::MAX, i64::MIN].map(minutes_ahead);
        assert_eq!(minutes, [Some(10), Some(-11), Some(i32::MAX), Some(i32::MIN)]);
    }
}
