//! Whose streams are on a server that asks only for a token. All who have the token share one account there: other programs,
//! perhaps another team. A stream of theirs with one of our names must not get our limits, which delete messages.

use crate::layout::{ANSWERS, COMMANDS, OUTPUT, PARCELS, RUNS};
use async_nats::jetstream::context::GetStreamErrorKind;
use async_nats::jetstream::{self, ErrorCode, stream};
use loopdeck_system::failure::{Failure, FailureKind};

/// A stream without messages. Its description is the public key of the account whose streams the others are.
const CLAIM: &str = "LOOPDECK_TEAM";
/// Streams that no other program may have.
const NAMES: [&str; 10] = [
    COMMANDS,
    ANSWERS,
    RUNS,
    OUTPUT,
    PARCELS,
    "KV_LOOPS",
    "KV_PARTS",
    "KV_MACHINES",
    "KV_REPORTS",
    "KV_LEASES",
];

/// Makes sure that the streams of the server are those of the team with this account, or that there are none yet.
///
/// # Errors
/// `Exists` (`path`) when somebody else has a stream of such a name; `TeamNotSetUp` (`reason`).
pub(crate) async fn claim_streams(
    context: &jetstream::Context,
    account: &str,
    replicas: usize,
) -> Result<(), Failure> {
    if let Some(claimed) = find_stream(context, CLAIM).await? {
        let is_ours = claimed.description.is_some_and(|of| of == account);
        return if is_ours { Ok(()) } else { Err(already_there(CLAIM)) };
    }
    for name in NAMES {
        if find_stream(context, name).await?.is_some() {
            return Err(already_there(name));
        }
    }
    let config = stream::Config {
        name: CLAIM.to_owned(),
        subjects: vec!["loopdeck.team".to_owned()],
        max_messages: 1,
        num_replicas: replicas,
        description: Some(account.to_owned()),
        ..stream::Config::default()
    };
    context.create_stream(config).await.map(drop).map_err(|error| not_set_up(&error))
}

async fn find_stream(context: &jetstream::Context, name: &str) -> Result<Option<stream::Config>, Failure> {
    match context.get_stream(name).await {
        Ok(stream) => Ok(Some(stream.cached_info().config.clone())),
        Err(error) => match error.kind() {
            GetStreamErrorKind::JetStream(why) if why.error_code() == ErrorCode::STREAM_NOT_FOUND => Ok(None),
            _ => Err(not_set_up(&error)),
        },
    }
}

fn already_there(name: &str) -> Failure {
    Failure::new(FailureKind::Exists).with("path", name)
}

/// The streams are not as they should be.
pub(crate) fn not_set_up(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(FailureKind::TeamNotSetUp).with("reason", error)
}
