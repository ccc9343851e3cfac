//! What every message is wrapped in: a version, a number, a signature over all of it, a small head, a body.
//!
//! ```text
//! loopdeck 2 <number> <signature, base64>\n
//! {"at":…,…}\n
//! body
//! ```
//!
//! The signature covers the subject, so that a message is none anywhere else, and the number, which rises with each message
//! of a machine: under one subject, an older message is never taken after a newer one.

use crate::jwt::{Identity, Reader};
use crate::layout::LARGEST;
use data_encoding::BASE64URL_NOPAD;
use loopdeck_system::clock;
use nkeys::KeyPair;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};

const NAME: &str = "loopdeck";
/// The version of messages that this Loopdeck writes and reads.
pub(crate) const VERSION: u32 = 2;
/// A head is a few hundred bytes.
const LONGEST_HEAD: usize = 16_384;

/// Why something that arrived is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// From a newer Loopdeck.
    Newer(u32),
    /// Not in the form of a message, or too large.
    Malformed,
    /// Not signed by whom it claims to be from.
    Forged,
    /// Older than what was heard.
    Old,
}

/// A message that was read, its signature not yet checked.
#[derive(Debug)]
pub(crate) struct Sealed<'a> {
    signature: Vec<u8>,
    signed: &'a [u8],
    /// What of its sender's messages it is. Signed too.
    pub(crate) number: u64,
    head: &'a [u8],
    /// What follows the head.
    pub(crate) body: &'a [u8],
}

/// Signs what a machine publishes.
pub(crate) struct Signer {
    pub(crate) keys: KeyPair,
    /// The number of the last message.
    last: AtomicU64,
}

impl Signer {
    /// Signs with these keys.
    pub(crate) fn new(keys: KeyPair) -> Self {
        Self { keys, last: AtomicU64::new(0) }
    }

    /// A higher number than every one before. It begins at the time in ms, and a clock that is set back lowers nothing.
    pub(crate) fn next_number(&self) -> u64 {
        let now = u64::try_from(clock::now().millis()).unwrap_or(0);
        let next = |last: u64| Some(now.max(last.saturating_add(1)));
        let before = self.last.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next);
        now.max(before.unwrap_or_default().saturating_add(1))
    }

    /// Learns of a number that this machine gave at an earlier time, when its clock may have been ahead.
    pub(crate) fn learn(&self, number: u64) {
        self.last.fetch_max(number, Ordering::SeqCst);
    }

    /// Wraps `head` and `body` for `subject`.
    pub(crate) fn seal(&self, subject: &str, head: &impl Serialize, body: &[u8]) -> Result<Vec<u8>, String> {
        seal(&self.keys, (subject, self.next_number()), head, body)
    }
}

/// Wraps `head` and `body` for `subject`, as message `number`.
pub(crate) fn seal(
    keys: &KeyPair,
    (subject, number): (&str, u64),
    head: &impl Serialize,
    body: &[u8],
) -> Result<Vec<u8>, String> {
    let mut signed = serde_json::to_vec(head).map_err(|error| error.to_string())?;
    signed.push(b'\n');
    signed.extend_from_slice(body);
    let signature = keys.sign(&signed_bytes(subject, number, &signed)).map_err(|error| error.to_string())?;
    let mut bytes = first_line(number, &signature).into_bytes();
    bytes.push(b'\n');
    bytes.extend_from_slice(&signed);
    if bytes.len() > LARGEST {
        return Err(format!("{} bytes are more than a message can have", bytes.len()));
    }
    Ok(bytes)
}

fn first_line(number: u64, signature: &[u8]) -> String {
    format!("{NAME} {VERSION} {number} {}", BASE64URL_NOPAD.encode(signature))
}

/// Takes a message apart, within bounds.
pub(crate) fn open(bytes: &[u8]) -> Result<Sealed<'_>, Fault> {
    if bytes.len() > LARGEST {
        return Err(Fault::Malformed);
    }
    let (first, signed) = split_line(bytes, 200).ok_or(Fault::Malformed)?;
    let first = std::str::from_utf8(first).map_err(|_| Fault::Malformed)?;
    let mut words = first.split(' ');
    if words.next() != Some(NAME) {
        return Err(Fault::Malformed);
    }
    let version: u32 = words.next().and_then(|word| word.parse().ok()).ok_or(Fault::Malformed)?;
    if version > VERSION {
        return Err(Fault::Newer(version));
    }
    let number = words.next().and_then(|word| word.parse().ok()).ok_or(Fault::Malformed)?;
    let signature = words.next().and_then(|word| BASE64URL_NOPAD.decode(word.as_bytes()).ok());
    let signature = signature.ok_or(Fault::Malformed)?;
    // The signature does not cover this line. Written otherwise, it is not what was signed.
    if first != first_line(number, &signature) {
        return Err(Fault::Malformed);
    }
    let (head, body) = split_line(signed, LONGEST_HEAD).ok_or(Fault::Malformed)?;
    Ok(Sealed { signature, signed, number, head, body })
}

/// What a message says of its sender, whose claims it brings.
#[derive(Deserialize)]
struct Vouched {
    token: String,
}

/// The head of a message that brings the claims of its sender, who that is, and the message itself.
///
/// # Errors
/// `Forged` unless the account vouches for the sender, and its key signed all of it for `subject`.
pub(crate) fn open_vouched<'b, T: DeserializeOwned>(
    reader: Reader<'_>,
    subject: &str,
    bytes: &'b [u8],
) -> Result<(T, Identity, Sealed<'b>), Fault> {
    let sealed = open(bytes)?;
    let Vouched { token } = sealed.claimed_head()?;
    let identity = reader.identity(&token).ok_or(Fault::Forged)?;
    Ok((sealed.verified_head(subject, &identity.key)?, identity, sealed))
}

impl Sealed<'_> {
    /// The head, when the owner of `key` signed all of it for `subject`.
    pub(crate) fn verified_head<T: DeserializeOwned>(&self, subject: &str, key: &str) -> Result<T, Fault> {
        let signer = KeyPair::from_public_key(key).map_err(|_| Fault::Forged)?;
        signer
            .verify(&signed_bytes(subject, self.number, self.signed), &self.signature)
            .map_err(|_| Fault::Forged)?;
        self.claimed_head()
    }

    /// The head, unverified: for messages that bring the key they are to be checked with.
    pub(crate) fn claimed_head<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        serde_json::from_slice(self.head).map_err(|_| Fault::Malformed)
    }
}

fn signed_bytes(subject: &str, number: u64, signed: &[u8]) -> Vec<u8> {
    [format!("{subject}\n{number}\n").as_bytes(), signed].concat()
}

/// The first line, when it ends within `longest` bytes, and what follows.
fn split_line(bytes: &[u8], longest: usize) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().take(longest + 1).position(|byte| *byte == b'\n')?;
    Some((&bytes[..end], &bytes[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn what_was_sealed_for_a_subject_is_a_message_there_and_nowhere_else() {
        let (keys, other) = (KeyPair::new_user(), KeyPair::new_user());
        let bytes = seal(&keys, ("a.b", 7), &json!({ "at": 5 }), b"text\nmore").unwrap();
        let sealed = open(&bytes).unwrap();
        assert_eq!((sealed.body, sealed.number), (&b"text\nmore"[..], 7));
        assert_eq!(sealed.verified_head::<Value>("a.b", &keys.public_key()).unwrap(), json!({ "at": 5 }));
        assert_eq!(sealed.verified_head::<Value>("a.c", &keys.public_key()), Err(Fault::Forged));
        assert_eq!(sealed.verified_head::<Value>("a.b", &other.public_key()), Err(Fault::Forged));
        let renumbered = String::from_utf8(bytes.clone()).unwrap().replacen(" 7 ", " 8 ", 1);
        let renumbered =
            open(renumbered.as_bytes()).unwrap().verified_head::<Value>("a.b", &keys.public_key());
        assert_eq!(renumbered, Err(Fault::Forged));
        let mut changed = bytes.clone();
        *changed.last_mut().unwrap() = b'!';
        assert_eq!(
            open(&changed).unwrap().verified_head::<Value>("a.b", &keys.public_key()),
            Err(Fault::Forged)
        );
    }

    #[test]
    fn numbers_rise_whatever_the_clock_says() {
        let signer = Signer::new(KeyPair::new_user());
        let first = signer.next_number();
        assert!(signer.next_number() > first);
        let worn = Signer::new(KeyPair::new_user());
        worn.learn(u64::MAX);
        assert_eq!(worn.next_number(), u64::MAX);
        signer.learn(first * 2);
        assert_eq!([signer.next_number(), signer.next_number()], [first * 2 + 1, first * 2 + 2]);
    }

    #[test]
    fn what_is_no_message_is_refused_without_being_read() {
        for (bytes, fault) in [
            (&b""[..], Fault::Malformed),
            (b"loopdeck 2 5 x", Fault::Malformed),
            (b"loopdeck 2 5 !!\n{}\n", Fault::Malformed),
            (b"loopdeck x AA\n{}\n", Fault::Malformed),
            (b"other 2 5 AA\n{}\n", Fault::Malformed),
            (b"loopdeck 2 5 AA\n{}", Fault::Malformed),
            (b"loopdeck 1 AA\n{}\n", Fault::Malformed),
            (b"loopdeck 1 5 AA\n{}\n", Fault::Malformed),
            (b"loopdeck 02 5 AA\n{}\n", Fault::Malformed),
            (b"loopdeck 2 +5 AA\n{}\n", Fault::Malformed),
            (b"loopdeck 2 5 AA more\n{}\n", Fault::Malformed),
            (b"loopdeck 3 5 AA\n{}\n", Fault::Newer(3)),
        ] {
            assert_eq!(open(bytes).map(drop), Err(fault), "{bytes:?}");
        }
        assert_eq!(open(&vec![b'x'; LARGEST + 1]).map(drop), Err(Fault::Malformed));
        let long = [b"loopdeck 2 5 AA\n".to_vec(), vec![b'x'; LONGEST_HEAD + 2], b"\n".to_vec()].concat();
        assert_eq!(open(&long).map(drop), Err(Fault::Malformed));
        assert!(seal(&KeyPair::new_user(), ("a", 1), &json!({}), &vec![0; LARGEST]).is_err());
    }
}
