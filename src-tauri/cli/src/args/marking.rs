//! The commands for which loops the list shows, and which come first. They change no loop.

use super::{SomeMarked, WorkspaceArgs};
use crate::mark::{Mark, Until};
use crate::{Task, help};
use clap::Subcommand;

/// Choose what the list shows.
#[derive(Debug, Subcommand)]
pub(super) enum Marking {
    /// Take loops out of the list until they are started or need you
    #[command(after_long_help = help::MARK)]
    Archive(SomeMarked),
    /// Let loops come first in the list
    #[command(after_long_help = help::MARK)]
    Pin(SomeMarked),
    /// Take loops out of the list until a time, or until they ask something new
    #[command(after_long_help = help::MARK)]
    Snooze {
        #[command(flatten)]
        of: SomeMarked,
        /// How long (30m, 2h, 3d, 1w), or until when (2027-01-31, 2027-01-31T09:00, in your time zone)
        #[arg(long, value_name = "WHEN", required_unless_present = "undo", conflicts_with = "undo")]
        until: Option<Until>,
    },
}

impl Marking {
    pub(super) fn task(self) -> (WorkspaceArgs, Task) {
        let (SomeMarked { at, ids, undo }, mark) = match self {
            Self::Archive(of) => (of, Mark::Archive),
            Self::Pin(of) => (of, Mark::Pin),
            Self::Snooze { of, until } => (of, Mark::Snooze(until)),
        };
        (at, Task::Mark { ids, mark, undo })
    }
}
