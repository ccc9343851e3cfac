//! Where there are no packages to unpack.

use xtask::Failure;

use crate::tally::Tally;

const LACKING: &str = "cross needs packages of Debian or Ubuntu: a compiler, mingw-w64, Wine";

/// What this system lacks, in one line.
pub(crate) fn lacks() -> Result<Option<String>, Failure> {
    Ok(Some(LACKING.into()))
}

/// Fails.
pub(crate) fn check() -> Result<Tally, Failure> {
    Err(LACKING.into())
}

/// Fails.
pub(crate) fn package(_optimised: bool) -> Result<Tally, Failure> {
    Err(LACKING.into())
}

/// Fails.
pub(crate) fn test() -> Result<Tally, Failure> {
    Err(LACKING.into())
}
