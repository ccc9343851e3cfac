//! Where something shared is: whose it is, and under which names.

use crate::seat::Seat;

/// A share of a machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SharePlace {
    pub(crate) seat: Seat,
    /// Its name on the server.
    pub(crate) id: String,
}

/// A file in a share; of a loop, its state file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FilePlace {
    pub(crate) share: SharePlace,
    /// Below the shared folder.
    pub(crate) file: String,
}
