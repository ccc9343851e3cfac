//! Where there are no packages to unpack.

use xtask::Failure;

use crate::tally::Tally;

const LACKING: &str = "cross needs packages of Debian or Ubuntu: a compiler, mingw-w64, Wine";

/// Says so.
pub(crate) fn check_if_possible() -> Result<Tally, Failure> {
    crate::steps::heading(&format!("Windows and macOS are not checked: {LACKING}"));
    Ok(Tally::default())
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
