//! Why a job is put down before its end.

use async_nats::jetstream::stream::{DirectGetError, DirectGetErrorKind};
use loopdeck_execution::git;
use loopdeck_system::failure::{Failure, FailureKind};

/// Why a job is put down before its end.
#[derive(Debug)]
pub(super) enum Stop {
    /// Its lease is somebody else's, or may be.
    Lost,
    /// It cannot be done here, however often it is tried.
    Failed(Failure),
    /// The disk, or git, for now: a disk that is full, a file that is locked. It is handed out again, a few times.
    Passing(Failure),
    /// The servers. It is handed out again.
    Again(String),
}

impl Stop {
    fn of(error: std::io::Error, kind: FailureKind) -> Self {
        let passes = git::passes(&error);
        let failure = Failure::new(kind).with("reason", error);
        if passes { Stop::Passing(failure) } else { Stop::Failed(failure) }
    }

    pub(super) fn of_git(error: std::io::Error) -> Self {
        Self::of(error, FailureKind::GitRefused)
    }
}

impl From<async_nats::Error> for Stop {
    fn from(error: async_nats::Error) -> Self {
        let error = match error.downcast::<std::io::Error>() {
            Ok(error) => return Self::of(*error, FailureKind::OwnData),
            Err(error) => error,
        };
        let gone = |error: &DirectGetError| error.kind() == DirectGetErrorKind::NotFound;
        match error.downcast_ref::<DirectGetError>().is_some_and(gone) {
            true => Stop::Failed(Failure::own_data(error)),
            false => Stop::Again(error.to_string()),
        }
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::of(error, FailureKind::OwnData)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        // A machine that was too busy to renew its lease is no reason to refuse the job: whoever has it next can do it.
        if failure.kind == FailureKind::LeaseLost { Stop::Lost } else { Stop::Failed(failure) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_that_a_busy_machine_lost_does_not_refuse_the_job() {
        assert!(matches!(Stop::from(Failure::new(FailureKind::LeaseLost)), Stop::Lost));
        assert!(matches!(Stop::from(Failure::new(FailureKind::Untrusted)), Stop::Failed(_)));
    }
}
