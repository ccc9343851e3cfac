//! The connection to the servers of a team, and what is wrong when there is none.

use crate::invitation::Invitation;
use crate::layout;
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, ServerError, jetstream};
use loopdeck_system::clock;
use loopdeck_system::failure::{Failure, FailureKind};
use std::sync::Arc;
use std::time::Duration;

/// The oldest server that has what we need: keys whose time runs out, and the fields that the library reads.
const OLDEST_SERVER: (u32, u32) = (2, 11);
/// How long one server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// So many messages of a subscription wait to be read. More than a batch of answers; hints beyond that are asked for.
const HELD: usize = 512;
/// The longest wait before another try to connect.
const LONGEST_WAIT: Duration = Duration::from_secs(4);

/// What a server says to an invitation that has ended; said by us where the server doesn't look at it.
pub(crate) const EXPIRED: &str = "user authentication expired";

/// Something that happened to the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Happened {
    /// It is there (again).
    Connected,
    /// It is not.
    Lost,
    /// The server refuses something: a credential or a permission, in its own words.
    Refused(String),
}

/// Connects once, and reconnects by itself from then on.
///
/// # Errors
/// `TeamRefused` when the server does not take the credentials, `TeamUnreachable` when no server answers, `OldTeamServer`.
pub(crate) async fn connect(
    invitation: &Invitation,
    tell: Arc<dyn Fn(Happened) + Send + Sync>,
) -> Result<Client, Failure> {
    let refused =
        |reason: &dyn std::fmt::Display| Failure::new(FailureKind::TeamRefused).with("reason", reason);
    if invitation.has_ended_unnoticed(clock::now()) {
        return Err(refused(&EXPIRED));
    }
    let options = match &invitation.server_token {
        Some(token) => ConnectOptions::with_token(token.text().to_owned()),
        None => ConnectOptions::with_credentials(&invitation.credentials).map_err(|error| refused(&error))?,
    };
    let options = options
        .name(format!("loopdeck {}", invitation.seat))
        .custom_inbox_prefix(layout::inbox_prefix(&invitation.seat))
        .connection_timeout(PATIENCE)
        .request_timeout(Some(PATIENCE))
        .subscription_capacity(HELD)
        .ping_interval(Duration::from_secs(10))
        .require_tls(invitation.servers.iter().any(|server| server.starts_with("tls://")))
        .reconnect_delay_callback(reconnect_delay)
        .event_callback(move |event| {
            let happened = match event {
                Event::Connected => Some(Happened::Connected),
                Event::Disconnected | Event::Closed => Some(Happened::Lost),
                Event::ServerError(ServerError::AuthorizationViolation) => {
                    Some(Happened::Refused("authorization violation".to_owned()))
                }
                Event::ServerError(ServerError::Other(text)) => Some(Happened::Refused(text)),
                _ => None,
            };
            let tell = Arc::clone(&tell);
            async move {
                if let Some(happened) = happened {
                    tell(happened);
                }
            }
        });
    let client =
        options.connect(invitation.servers.as_slice()).await.map_err(|error| match error.kind() {
            ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => refused(&error),
            _ => Failure::new(FailureKind::TeamUnreachable)
                .with("address", invitation.servers.join(", "))
                .with("reason", &error),
        })?;
    let version = client.server_info().version;
    if !is_new_enough(&version) {
        return Err(Failure::new(FailureKind::OldTeamServer).with("version", version));
    }
    Ok(client)
}

/// The way to streams and buckets.
pub(crate) fn jetstream(client: &Client) -> jetstream::Context {
    let mut context = jetstream::new(client.clone());
    context.set_timeout(PATIENCE);
    context
}

/// Doubles up to the longest, and differs between machines: a server that comes back is not overrun.
fn reconnect_delay(attempts: usize) -> Duration {
    let doubled = Duration::from_millis(50) * 2_u32.pow(u32::try_from(attempts.min(7)).unwrap_or(7));
    let longest = doubled.min(LONGEST_WAIT);
    let spread = u32::from(std::process::id().to_le_bytes()[0]) + 256;
    longest * spread / 512
}

fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= OLDEST_SERVER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_server_is_recognised() {
        for (version, enough) in
            [("2.11.0", true), ("2.15.1", true), ("3.0.0-beta", true), ("2.9.10", false), ("", false)]
        {
            assert_eq!(is_new_enough(version), enough, "{version}");
        }
    }

    #[test]
    fn waits_grow_to_a_limit() {
        assert!(reconnect_delay(1) < reconnect_delay(4) && reconnect_delay(4) < reconnect_delay(20));
        assert!(reconnect_delay(1_000) <= LONGEST_WAIT);
    }
}
