//! Claims of NATS: JSON signed with an Ed25519 key, as operators, accounts and users have them.
//!
//! Ours because the library that makes them in Rust is unpublished, and the format is three base64 parts. The same claims
//! say who signed a message: a user's claims are signed by the account, whose key everybody has from the invitation.

use crate::seat::{Role, Seat};
use data_encoding::BASE64URL_NOPAD;
use nkeys::KeyPair;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const HEADER: &str = r#"{"typ":"JWT","alg":"ed25519-nkey"}"#;
/// The claims of a user are about 2 kB.
const LONGEST: usize = 16_384;

/// Signs `claims` (its `iss` and `jti` are set here).
///
/// # Errors
/// When the key has no seed.
pub(crate) fn sign(mut claims: Value, issuer: &KeyPair) -> Result<String, nkeys::error::Error> {
    claims["iss"] = issuer.public_key().into();
    claims["jti"] = random_id().into();
    let body = format!(
        "{}.{}",
        BASE64URL_NOPAD.encode(HEADER.as_bytes()),
        BASE64URL_NOPAD.encode(claims.to_string().as_bytes())
    );
    let signature = issuer.sign(body.as_bytes())?;
    Ok(format!("{body}.{}", BASE64URL_NOPAD.encode(&signature)))
}

/// A name that nobody has had and nobody can guess.
pub(crate) fn random_id() -> String {
    KeyPair::new_user().public_key()
}

/// Who a user is, as the account says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) seat: Seat,
    pub(crate) role: Role,
    /// Public key of the user.
    pub(crate) key: String,
    /// When the account's word ends, in seconds since 1970.
    end: Option<i64>,
}

impl Identity {
    /// Whether the account's word still counts at `now`, in seconds since 1970.
    pub(crate) fn counts(&self, now: i64) -> bool {
        self.end.is_none_or(|end| end > now)
    }
}

/// Who reads what others send, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    /// Public key of the account that says who is who.
    pub(crate) account: &'a str,
    pub(crate) seat: &'a Seat,
    /// Seconds since 1970.
    pub(crate) now: i64,
}

impl Reader<'_> {
    /// Whose these claims are; `None` when the account does not say so.
    pub(crate) fn identity(&self, token: &str) -> Option<Identity> {
        identity(token, self.account, self.now)
    }
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    name: String,
    #[serde(default)]
    exp: Option<i64>,
    nats: UserClaims,
}

#[derive(Deserialize)]
struct UserClaims {
    #[serde(default)]
    tags: Vec<String>,
}

/// Reads the claims of a user that `account` signed and that have not expired at `now`, in seconds since 1970. `None` for
/// anything else: text from another machine.
pub(crate) fn identity(token: &str, account: &str, now: i64) -> Option<Identity> {
    if token.len() > LONGEST {
        return None;
    }
    let (signed, signature) = token.rsplit_once('.')?;
    let (_, body) = signed.split_once('.')?;
    let claims: Claims = serde_json::from_slice(&BASE64URL_NOPAD.decode(body.as_bytes()).ok()?).ok()?;
    let signature = BASE64URL_NOPAD.decode(signature.as_bytes()).ok()?;
    if claims.iss != account {
        return None;
    }
    KeyPair::from_public_key(account).ok()?.verify(signed.as_bytes(), &signature).ok()?;
    let role = claims.nats.tags.iter().find_map(|tag| Role::from_word(tag.strip_prefix("role:")?))?;
    let end = claims.exp.filter(|end| *end != 0);
    let identity = Identity { seat: Seat::parse(&claims.name)?, role, key: claims.sub, end };
    identity.counts(now).then_some(identity)
}

/// When the claims of a user end, in seconds since 1970. Not verified: they are this machine's own.
pub(crate) fn end_of_claims(token: &str) -> Option<i64> {
    let (_, rest) = token.split_once('.')?;
    let (body, _) = rest.split_once('.')?;
    let claims: Claims = serde_json::from_slice(&BASE64URL_NOPAD.decode(body.as_bytes()).ok()?).ok()?;
    claims.exp.filter(|end| *end != 0)
}

/// What a user may publish and receive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Allowed {
    pub(crate) publish: Vec<String>,
    pub(crate) subscribe: Vec<String>,
}

/// The claims of a user. `end` is in seconds since 1970.
pub(crate) fn user_claims(
    seat: &Seat,
    role: Role,
    key: &str,
    allowed: &Allowed,
    now: i64,
    end: Option<i64>,
) -> Value {
    let mut claims = json!({
        "iat": now, "sub": key, "name": seat.to_string(),
        "nats": {
            "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1,
            "pub": { "allow": allowed.publish }, "sub": { "allow": allowed.subscribe },
            "tags": [format!("role:{}", role.word())],
        }
    });
    if let Some(end) = end {
        claims["exp"] = end.into();
    }
    claims
}

/// The claims of the account that has the streams. Members may ask its `services`, where more than one answer may come, and
/// hear its `hints`. `revoked`: keys of users, and since when.
pub(crate) fn streams_claims(
    key: &str,
    (services, hints): (&[(&str, bool)], &str),
    revoked: &Value,
    now: i64,
) -> Value {
    let service = |(subject, many): &(&str, bool)| {
        let answers = if *many { "Stream" } else { "Singleton" };
        json!({ "name": subject, "subject": subject, "type": "service", "response_type": answers })
    };
    let mut exports: Vec<Value> = services.iter().map(service).collect();
    exports.push(json!({ "name": hints, "subject": hints, "type": "stream" }));
    let mut claims = account_claims((key, "streams"), (&json!([]), &json!(exports)), revoked, now);
    for limit in ["mem_storage", "disk_storage", "streams", "consumer"] {
        claims["nats"]["limits"][limit] = (-1).into();
    }
    claims
}

/// The claims of the members' account, which has no streams and asks those of the account `of`.
pub(crate) fn members_claims(
    key: &str,
    of: &str,
    (services, hints): (&[(&str, bool)], &str),
    revoked: &Value,
    now: i64,
) -> Value {
    let import = |subject: &str, kind: &str| json!({ "name": subject, "subject": subject, "account": of, "local_subject": subject, "type": kind });
    let mut imports: Vec<Value> = services.iter().map(|(subject, _)| import(subject, "service")).collect();
    imports.push(import(hints, "stream"));
    account_claims((key, "loopdeck"), (&json!(imports), &json!([])), revoked, now)
}

fn account_claims(
    (key, name): (&str, &str),
    (imports, exports): (&Value, &Value),
    revoked: &Value,
    now: i64,
) -> Value {
    json!({
        "iat": now, "sub": key, "name": name,
        "nats": {
            "type": "account", "version": 2, "revocations": revoked, "imports": imports, "exports": exports,
            "limits": unlimited(),
            "default_permissions": { "pub": {}, "sub": {} },
        }
    })
}

fn unlimited() -> Value {
    json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true,
        "conn": -1, "leaf": -1,
    })
}

/// The claims of the account that a server needs for itself.
pub(crate) fn system_account_claims(key: &str, now: i64) -> Value {
    json!({
        "iat": now, "sub": key, "name": "SYS",
        "nats": {
            "type": "account", "version": 2,
            "limits": unlimited(),
            "default_permissions": { "pub": {}, "sub": {} },
        }
    })
}

/// The claims of an operator, signed by itself.
pub(crate) fn operator_claims(key: &str, system_account: &str, now: i64) -> Value {
    json!({
        "iat": now, "sub": key, "name": "loopdeck",
        "nats": { "type": "operator", "version": 2, "system_account": system_account }
    })
}

/// The two parts of a credentials file.
pub(crate) fn credentials_file(token: &str, seed: &str) -> String {
    format!(
        "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n\
         -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
    )
}

/// Takes credentials apart: the claims and the seed.
pub(crate) fn split_credentials(credentials: &str) -> Option<(String, String)> {
    let line = |begin: &str| {
        let (_, rest) = credentials.split_once(begin)?;
        let text = rest.lines().map(str::trim).find(|line| !line.is_empty())?;
        (!text.starts_with('-')).then(|| text.to_owned())
    };
    Some((line("-----BEGIN NATS USER JWT-----")?, line("-----BEGIN USER NKEY SEED-----")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(issuer: &KeyPair, role: &str, end: Option<i64>) -> String {
        let seat = Seat::new("ada", "laptop").unwrap();
        let none = Allowed { publish: Vec::new(), subscribe: Vec::new() };
        let mut claims = user_claims(&seat, Role::Lead, "UKEY", &none, 100, end);
        claims["nats"]["tags"] = json!([format!("role:{role}")]);
        sign(claims, issuer).unwrap()
    }

    #[test]
    fn only_the_account_says_who_somebody_is() {
        let (account, other) = (KeyPair::new_account(), KeyPair::new_account());
        let key = account.public_key();
        let found = identity(&token(&account, "lead", None), &key, 200).unwrap();
        assert_eq!(
            (found.seat.to_string().as_str(), found.role, found.key.as_str()),
            ("ada.laptop", Role::Lead, "UKEY")
        );
        assert!(identity(&token(&other, "lead", None), &key, 200).is_none(), "signed by somebody else");
        assert!(identity(&token(&account, "king", None), &key, 200).is_none(), "no role");
        assert!(identity(&token(&account, "lead", Some(150)), &key, 200).is_none(), "expired");
        assert!(identity(&token(&account, "lead", Some(250)), &key, 200).is_some());
        assert_eq!(end_of_claims(&token(&account, "lead", Some(250))), Some(250));
        assert_eq!((end_of_claims(&token(&account, "lead", None)), end_of_claims("x")), (None, None));
        let changed = token(&account, "viewer", None);
        let (head, rest) = changed.split_once('.').unwrap();
        let (body, signature) = rest.split_once('.').unwrap();
        let text = String::from_utf8(BASE64URL_NOPAD.decode(body.as_bytes()).unwrap()).unwrap();
        let body = BASE64URL_NOPAD.encode(text.replace("viewer", "lead").as_bytes());
        assert!(identity(&format!("{head}.{body}.{signature}"), &key, 200).is_none(), "changed on its way");
        for garbage in ["", ".", "..", "a.b.c", &"x".repeat(20_000)] {
            assert!(identity(garbage, &key, 200).is_none());
        }
    }

    #[test]
    fn credentials_come_apart_as_they_were_put_together() {
        let text = credentials_file("a.b.c", "SUSEED");
        assert_eq!(split_credentials(&text), Some(("a.b.c".to_owned(), "SUSEED".to_owned())));
        assert_eq!(split_credentials("nothing"), None);
    }
}
