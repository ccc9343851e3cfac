//! An invitation: the file with which a machine joins a team. It contains a secret, so it is kept readable for its owner
//! only.

use crate::jwt;
use crate::seat::{Role, Seat};
use crate::server_token::ServerToken;
use loopdeck_core::times::Timestamp;
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::files;
use nkeys::KeyPair;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The version of invitations that this Loopdeck reads.
const VERSION: u32 = 1;
/// An invitation is about 4 kB.
const LONGEST: u64 = 64 << 10;

/// Where the servers are, and who this machine is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invitation {
    /// Version of this file.
    pub loopdeck_team: u32,
    /// Addresses of the servers: `nats://host:port`, `tls://host:port`.
    pub servers: Vec<String>,
    /// Public key of the account, which says who belongs to the team.
    pub account: String,
    /// Which machine of whom.
    pub seat: Seat,
    /// What it may do.
    pub role: Role,
    /// Claims and seed. Secret.
    pub credentials: String,
    /// The token for a server that doesn't take the credentials; they then only sign messages. Secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_token: Option<ServerToken>,
}

impl Invitation {
    /// Reads an invitation.
    ///
    /// # Errors
    /// `BadInvitation` (`path`, `reason`).
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let bad = |reason: &str| {
            Failure::new(FailureKind::BadInvitation)
                .with("path", loopdeck_system::dirs::shown(path))
                .with("reason", reason)
        };
        let bytes = files::read_named(path, LONGEST).map_err(|error| match error.kind() {
            std::io::ErrorKind::FileTooLarge => bad("too large"),
            _ => bad(&error.to_string()),
        })?;
        Self::parse(&bytes).map_err(|reason| bad(&reason))
    }

    /// Takes the content of the file apart. Why it is no invitation, if it is none.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let invitation: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if invitation.loopdeck_team > VERSION {
            return Err(format!("version {}", invitation.loopdeck_team));
        }
        if invitation.servers.is_empty() || invitation.keys().is_none() {
            return Err("no server or no credentials".to_owned());
        }
        Ok(invitation)
    }

    /// Writes it so that only its owner can read it.
    ///
    /// # Errors
    /// What the disk says.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        let text = serde_json::to_vec_pretty(self).map_err(std::io::Error::other)?;
        files::write_own(path, &text)
    }

    /// Makes one for these credentials.
    #[must_use]
    pub fn new(servers: &[String], account: &str, seat: Seat, role: Role, credentials: String) -> Self {
        let (servers, account) = (servers.to_vec(), account.to_owned());
        Self { loopdeck_team: VERSION, servers, account, seat, role, credentials, server_token: None }
    }

    /// The user's claims, which say who signed a message.
    pub(crate) fn token(&self) -> Option<String> {
        jwt::split_credentials(&self.credentials).map(|(token, _)| token)
    }

    /// When it ends.
    pub(crate) fn ends_at(&self) -> Option<Timestamp> {
        self.token()
            .and_then(|token| jwt::end_of_claims(&token))
            .map(|seconds| Timestamp::from_millis(seconds.saturating_mul(1_000)))
    }

    /// Whether it has ended without any server noticing: one that asks for a token looks at nothing else.
    pub(crate) fn has_ended_unnoticed(&self, now: Timestamp) -> bool {
        self.server_token.is_some() && self.ends_at().is_some_and(|end| end.millis() <= now.millis())
    }

    /// The keys to sign with.
    pub(crate) fn keys(&self) -> Option<KeyPair> {
        let (_, seed) = jwt::split_credentials(&self.credentials)?;
        KeyPair::from_seed(&seed).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_end_beyond_all_time_is_its_end() {
        let seat = Seat::new("ada", "laptop").unwrap();
        let ends = |end: i64| {
            let claims = json!({ "sub": "U", "name": "ada.laptop", "exp": end, "nats": {} });
            let token = jwt::sign(claims, &KeyPair::new_account()).unwrap();
            let text = jwt::credentials_file(&token, &KeyPair::new_user().seed().unwrap());
            let made = Invitation::new(&["nats://a:1".to_owned()], "A", seat.clone(), Role::Member, text);
            Invitation::parse(&serde_json::to_vec(&made).unwrap()).unwrap().ends_at()
        };
        assert_eq!(ends(5), Some(Timestamp::from_millis(5_000)));
        assert_eq!((ends(i64::MAX), ends(i64::MIN)), (Some(Timestamp::MAX), Some(Timestamp::MIN)));
    }
}
