//! The folder of a team's operator: keys, the server's configuration, who was invited and who was shown out.
//!
//! ```text
//! keys.json       seeds of operator and accounts: whoever has them is the team
//! members.json    who has which key
//! server.conf     for nats-server, made again after each change; server-2.conf, server-3.conf in a cluster
//! operator.json   the invitation with which the streams are made
//! ```

use crate::invitation::Invitation;
use crate::jwt;
use crate::layout;
use crate::our_files::read_json;
use crate::seat::{Role, Seat};
use crate::server_token::ServerToken;
use loopdeck_core::times::Timestamp;
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::{clock, dirs, files};
use nkeys::KeyPair;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Seeds. Secret.
#[derive(Debug, Serialize, Deserialize)]
struct Keys {
    operator: String,
    /// The members' account.
    account: String,
    /// The account that has the streams; of a team that an older Loopdeck made, it is made when it is opened.
    #[serde(default)]
    streams: String,
    /// The operator's claims. Signed once: a server that reads its configuration again takes no others.
    operator_claims: String,
    /// Public key of the server's own account; nobody logs in to it.
    system: String,
    /// Its claims.
    system_claims: String,
    servers: Vec<String>,
    /// With this the servers of a cluster know each other.
    cluster: String,
    /// What the servers ask for, where they don't know the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    server_token: Option<ServerToken>,
}

/// One machine that was invited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invited {
    /// Which.
    pub seat: Seat,
    /// What it may do.
    pub role: Role,
    /// Its public key.
    pub key: String,
    /// Since when it is shut out, in seconds since 1970.
    pub revoked: Option<i64>,
}

/// A team's folder.
#[derive(Debug)]
pub struct Authority {
    folder: PathBuf,
    keys: Keys,
    members: Vec<Invited>,
}

impl Authority {
    /// Makes the folder of a new team whose servers are at `servers`, each with a configuration of its own. The servers of a
    /// cluster talk to each other on a port 2,000 above that for clients. With `server_token`, the servers ask every machine
    /// for that and for nothing else.
    ///
    /// # Errors
    /// `Exists` when there is a team already; `OwnData` when the folder cannot be written.
    pub fn init(
        folder: &Path,
        servers: &[String],
        server_token: Option<ServerToken>,
        now: Timestamp,
    ) -> Result<Self, Failure> {
        if folder.join("keys.json").exists() {
            return Err(Failure::new(FailureKind::Exists).with("path", dirs::shown(folder)));
        }
        std::fs::create_dir_all(folder).map_err(Failure::own_data)?;
        let seed = |keys: &KeyPair| keys.seed().map_err(Failure::own_data);
        let operator = KeyPair::new_operator();
        let system = KeyPair::new_account().public_key();
        let sign = |claims: Value| jwt::sign(claims, &operator).map_err(Failure::own_data);
        let keys = Keys {
            operator: seed(&operator)?,
            account: seed(&KeyPair::new_account())?,
            streams: seed(&KeyPair::new_account())?,
            operator_claims: sign(jwt::operator_claims(&operator.public_key(), &system, seconds(now)))?,
            system_claims: sign(jwt::system_account_claims(&system, seconds(now)))?,
            system,
            servers: servers.to_vec(),
            cluster: jwt::random_id(),
            server_token,
        };
        write_json(&folder.join("keys.json"), &keys)?;
        let mut authority = Self { folder: folder.to_owned(), keys, members: Vec::new() };
        authority.invite_operator(now)?;
        Ok(authority)
    }

    fn invite_operator(&mut self, now: Timestamp) -> Result<(), Failure> {
        let seat = Seat::new("operator", "keys").ok_or_else(|| Failure::own_data("a name"))?;
        let invitation = self.invite(&seat, Role::Operator, now, None)?;
        invitation.write(&self.folder.join("operator.json")).map_err(Failure::own_data)
    }

    /// Opens the folder of a team.
    ///
    /// # Errors
    /// `NoTeam` (`path`) when there is none.
    pub fn open(folder: &Path) -> Result<Self, Failure> {
        let none = || Failure::new(FailureKind::NoTeam).with("path", dirs::shown(folder));
        let keys: Keys = read_json(&folder.join("keys.json")).ok().flatten().ok_or_else(none)?;
        let members = read_json(&folder.join("members.json")).ok().flatten().ok_or_else(none)?;
        let mut authority = Self { folder: folder.to_owned(), keys, members };
        if authority.keys.streams.is_empty() {
            authority.keys.streams = KeyPair::new_account().seed().map_err(Failure::own_data)?;
            write_json(&folder.join("keys.json"), &authority.keys)?;
            authority.invite_operator(clock::now())?;
        }
        Ok(authority)
    }

    /// Makes an invitation, which ends at `end`. A machine that was invited before gets new keys; the old ones are shut out
    /// once the server has read the new configuration.
    ///
    /// # Errors
    /// `OwnData` when it cannot be recorded.
    pub fn invite(
        &mut self,
        seat: &Seat,
        role: Role,
        now: Timestamp,
        end: Option<Timestamp>,
    ) -> Result<Invitation, Failure> {
        let (user, account) = (KeyPair::new_user(), key_pair(&self.keys.account)?);
        let (now, end) = (seconds(now), end.map(seconds));
        let claims =
            jwt::user_claims(seat, role, &user.public_key(), &layout::permissions(seat, role), now, end);
        let signer = if role == Role::Operator { &key_pair(&self.keys.streams)? } else { &account };
        let token = jwt::sign(claims, signer).map_err(Failure::own_data)?;
        let seed = user.seed().map_err(Failure::own_data)?;
        self.shut_out(|invited| invited.seat == *seat, now);
        self.members.push(Invited { seat: seat.clone(), role, key: user.public_key(), revoked: None });
        self.save(now)?;
        let credentials = jwt::credentials_file(&token, &seed);
        let made =
            Invitation::new(&self.keys.servers, &account.public_key(), seat.clone(), role, credentials);
        Ok(Invitation { server_token: self.keys.server_token.clone(), ..made })
    }

    /// Whether the servers ask for a token and for nothing else: they then know no machine from another.
    #[must_use]
    pub fn is_token_only(&self) -> bool {
        self.keys.server_token.is_some()
    }

    /// Records the token that the servers ask for from now on. Machines that were invited before need new invitations.
    ///
    /// # Errors
    /// `OwnData` when it cannot be recorded.
    pub fn change_token(&mut self, token: ServerToken, now: Timestamp) -> Result<(), Failure> {
        self.keys.server_token = Some(token);
        write_json(&self.folder.join("keys.json"), &self.keys)?;
        self.invite_operator(now)
    }

    /// Shuts a machine out. In force once the server has read its configuration again; where it asks for a token, only once
    /// it asks for another one.
    ///
    /// # Errors
    /// `UnknownMember` (`member`); `OwnData`.
    pub fn revoke(&mut self, seat: &Seat, now: Timestamp) -> Result<(), Failure> {
        if !self.shut_out(|invited| invited.seat == *seat, seconds(now)) {
            return Err(Failure::new(FailureKind::UnknownMember).with("member", seat));
        }
        self.save(seconds(now))
    }

    /// Everybody who was invited, the operator included, in the order of invitations.
    #[must_use]
    pub fn members(&self) -> &[Invited] {
        &self.members
    }

    /// The configuration of the first nats-server, or of the only one.
    #[must_use]
    pub fn server_configuration(&self) -> PathBuf {
        self.configuration_of(0)
    }

    /// Configurations of all servers, in the order of their addresses.
    #[must_use]
    pub fn server_configurations(&self) -> Vec<PathBuf> {
        (0..self.keys.servers.len()).map(|at| self.configuration_of(at)).collect()
    }

    fn configuration_of(&self, at: usize) -> PathBuf {
        let name = if at == 0 { "server.conf".to_owned() } else { format!("server-{}.conf", at + 1) };
        self.folder.join(name)
    }

    /// The invitation with which the streams are made.
    ///
    /// # Errors
    /// As [`Invitation::read`].
    pub fn operator(&self) -> Result<Invitation, Failure> {
        Invitation::read(&self.folder.join("operator.json"))
    }

    fn shut_out(&mut self, whom: impl Fn(&Invited) -> bool, now: i64) -> bool {
        let of = self.members.iter_mut().filter(|invited| invited.revoked.is_none() && whom(invited));
        of.map(|invited| invited.revoked = Some(now)).count() > 0
    }

    fn save(&self, now: i64) -> Result<(), Failure> {
        write_json(&self.folder.join("members.json"), &self.members)?;
        for (at, server) in self.keys.servers.iter().enumerate() {
            let text = self.configuration_text(server, now)?;
            files::write_own(&self.configuration_of(at), text.as_bytes()).map_err(Failure::own_data)?;
        }
        Ok(())
    }

    /// How the servers of a cluster find each other; nothing for one server.
    fn cluster_section(&self, server: &str) -> String {
        let routes: Vec<String> = self
            .keys
            .servers
            .iter()
            .filter_map(|server| route_address(listen_address(server)))
            .map(|route| format!("nats://loopdeck:{}@{route}", self.keys.cluster))
            .collect();
        let Some(own) = route_address(listen_address(server)).filter(|_| routes.len() > 1) else {
            return String::new();
        };
        format!(
            "server_name: \"{name}\"\n\
             cluster {{\n    name: \"loopdeck\"\n    listen: \"{own}\"\n    authorization {{ user: loopdeck, password: \"{secret}\" }}\n    routes: [{routes}]\n}}\n",
            name = listen_address(server),
            secret = self.keys.cluster,
            routes = routes.join(", "),
        )
    }

    fn configuration_text(&self, server: &str, now: i64) -> Result<String, Failure> {
        let login = match &self.keys.server_token {
            // What JSON escapes, a quote and a backslash, is escaped in the same way here.
            Some(token) => format!("authorization {{ token: {} }}\n", json!(token)),
            None => self.accounts_section(now)?,
        };
        Ok(format!(
            "# Made by `loopdeck team`. Reload the server after a change: nats-server --signal reload\n\
             listen: \"{listen}\"\n\
             max_payload: 1MB\n\
             jetstream {{ store_dir: \"jetstream\", max_file_store: {stored} }}\n\
             {cluster}\
             {tls}\
             {login}",
            listen = listen_address(server),
            stored = layout::STORED_BYTES,
            cluster = self.cluster_section(server),
            tls = tls_section(server),
        ))
    }

    /// The part of a configuration that says who may log in: whom the account has signed and nobody has shut out.
    fn accounts_section(&self, now: i64) -> Result<String, Failure> {
        let (operator, account) =
            (key_pair(&self.keys.operator)?, key_pair(&self.keys.account)?.public_key());
        let streams = key_pair(&self.keys.streams)?.public_key();
        // NATS shuts out what was issued up to this second.
        let revoked: BTreeMap<&str, i64> =
            self.members.iter().filter_map(|one| Some((one.key.as_str(), one.revoked?))).collect();
        let (revoked, shared) = (json!(revoked), (&layout::SERVICES[..], layout::HINTS));
        let sign = |claims: Value| jwt::sign(claims, &operator).map_err(Failure::own_data);
        let system = &self.keys.system;
        let resolved = [
            (&streams, sign(jwt::streams_claims(&streams, shared, &revoked, now))?),
            (&account, sign(jwt::members_claims(&account, &streams, shared, &revoked, now))?),
            (system, self.keys.system_claims.clone()),
        ];
        let resolved: Vec<String> =
            resolved.iter().map(|(key, token)| format!("    {key}: \"{token}\"\n")).collect();
        Ok(format!(
            "operator: \"{operator}\"\n\
             system_account: \"{system}\"\n\
             resolver: MEMORY\n\
             resolver_preload: {{\n{resolved}}}\n",
            operator = self.keys.operator_claims,
            resolved = resolved.concat(),
        ))
    }
}

/// A server whose address says so has a certificate, in the folder where it is started.
fn tls_section(server: &str) -> &'static str {
    if server.starts_with("tls://") {
        "# Certificate and key of this server, in the folder where it is started.\n\
         tls { cert_file: \"cert.pem\", key_file: \"key.pem\" }\n"
    } else {
        "# Connections are not encrypted. For that, make the team with an address that begins with tls://.\n"
    }
}

/// The part of an address that a server listens on.
fn listen_address(server: &str) -> &str {
    server.split_once("://").map_or(server, |(_, address)| address)
}

/// Where a server listens for the others of its cluster.
fn route_address(address: &str) -> Option<String> {
    let (host, port) = address.rsplit_once(':')?;
    Some(format!("{host}:{}", port.parse::<u16>().ok()?.checked_add(2_000)?))
}

fn key_pair(seed: &str) -> Result<KeyPair, Failure> {
    KeyPair::from_seed(seed).map_err(Failure::own_data)
}

fn seconds(at: Timestamp) -> i64 {
    at.millis() / 1_000
}

fn write_json(path: &Path, what: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_vec_pretty(what).map_err(Failure::own_data)?;
    files::write_own(path, &text).map_err(Failure::own_data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_team_is_made_once_and_opened_again() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("team");
        let servers = ["nats://127.0.0.1:4222".to_owned()];
        let mut team = Authority::init(&folder, &servers, None, Timestamp::from_millis(1_000_000)).unwrap();
        let ada = Seat::new("ada", "laptop").unwrap();
        let invitation = team.invite(&ada, Role::Lead, Timestamp::from_millis(2_000_000), None).unwrap();
        let path = dir.path().join("ada.json");
        invitation.write(&path).unwrap();
        assert_eq!(Invitation::read(&path).unwrap(), invitation);
        let found = jwt::identity(&invitation.token().unwrap(), &invitation.account, 3_000).unwrap();
        assert_eq!((found.seat, found.role), (ada.clone(), Role::Lead));
        assert_eq!(found.key, invitation.keys().unwrap().public_key());

        let again = Authority::init(&folder, &servers, None, Timestamp::from_millis(0)).unwrap_err();
        assert_eq!(again.kind, FailureKind::Exists);
        let mut team = Authority::open(&folder).unwrap();
        assert_eq!(team.members().len(), 2);
        team.revoke(&ada, Timestamp::from_millis(4_000_000)).unwrap();
        assert_eq!(
            team.revoke(&ada, Timestamp::from_millis(4_000_000)).unwrap_err().kind,
            FailureKind::UnknownMember
        );
        assert_eq!(Authority::open(&folder).unwrap().members()[1].revoked, Some(4_000));
        assert_eq!(Authority::open(dir.path()).unwrap_err().kind, FailureKind::NoTeam);
    }

    #[test]
    fn the_servers_of_a_cluster_know_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let servers = ["nats://a:4222", "nats://b:4222", "nats://c:4222"].map(str::to_owned);
        let team =
            Authority::init(&dir.path().join("team"), &servers, None, Timestamp::from_millis(0)).unwrap();
        let texts: Vec<String> =
            team.server_configurations().iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
        assert_eq!(texts.len(), 3);
        assert!(texts.iter().all(|text| !text.contains("cert.pem")));
        let addresses = ["tls://a:4222".to_owned()];
        let encrypted =
            Authority::init(&dir.path().join("tls"), &addresses, None, Timestamp::from_millis(0)).unwrap();
        let text = std::fs::read_to_string(encrypted.server_configuration()).unwrap();
        assert!(text.contains("tls { cert_file: \"cert.pem\", key_file: \"key.pem\" }"), "{text}");
        for (text, host) in texts.iter().zip(["a", "b", "c"]) {
            assert!(text.contains(&format!("listen: \"{host}:6222\"")), "{text}");
            assert_eq!(text.matches("@").count(), 3, "a route to each");
        }
    }

    #[test]
    fn a_token_is_in_every_invitation_and_the_only_login_of_the_server() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, servers) = (dir.path().join("team"), ["nats://a:4222".to_owned()]);
        let at = Timestamp::from_millis(1_000_000);
        let token = ServerToken::parse(r#"quote-"-and-backslash-\-"#).unwrap();
        let mut team = Authority::init(&folder, &servers, Some(token.clone()), at).unwrap();
        let text = std::fs::read_to_string(team.server_configuration()).unwrap();
        assert!(text.contains(r#"authorization { token: "quote-\"-and-backslash-\\-" }"#), "{text}");
        assert!(!text.contains("operator:") && !text.contains("resolver"), "{text}");
        let ada = Seat::new("ada", "laptop").unwrap();
        let invitation = team.invite(&ada, Role::Lead, at, None).unwrap();
        assert_eq!(invitation.server_token, Some(token));
        assert!(jwt::identity(&invitation.token().unwrap(), &invitation.account, 3_000).is_some());

        let other = ServerToken::parse("another-token-of-the-server").unwrap();
        Authority::open(&folder).unwrap().change_token(other.clone(), at).unwrap();
        let mut team = Authority::open(&folder).unwrap();
        assert_eq!(team.operator().unwrap().server_token, Some(other.clone()));
        assert_eq!(team.invite(&ada, Role::Lead, at, None).unwrap().server_token, Some(other));
    }

    #[test]
    fn an_invitation_of_before_there_were_tokens_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let servers = ["nats://a:4222".to_owned()];
        let team = Authority::init(dir.path(), &servers, None, Timestamp::from_millis(0)).unwrap();
        let text = std::fs::read_to_string(dir.path().join("operator.json")).unwrap();
        assert!(!text.contains("server_token") && !team.is_token_only(), "{text}");
        let path = dir.path().join("x.json");
        std::fs::write(&path, text.replace("\"account\"", "\"server_token\": \"short\", \"account\""))
            .unwrap();
        assert_eq!(Invitation::read(&path).unwrap_err().kind, FailureKind::BadInvitation);
    }

    #[test]
    fn what_is_no_invitation_says_why() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.json");
        for text in ["", "{}", r#"{"loopdeck_team":9}"#, &"x".repeat(70_000)] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(Invitation::read(&path).unwrap_err().kind, FailureKind::BadInvitation, "{text:.20}");
        }
    }
}
