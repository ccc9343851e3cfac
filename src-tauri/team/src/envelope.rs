//! What every message is wrapped in: a version, a signature over subject and content, a small head, a body.
//!
//! ```text
//! loopdeck 1 <signature, base64>\n
//! {"at":…,…}\n
//! body
//! ```
//!
//! The signature covers the subject. A message that a consumer of somebody else's delivers to another subject is
//! therefore no message, although the server has accepted it.

use crate::layout::LARGEST;
use data_encoding::BASE64URL_NOPAD;
use nkeys::KeyPair;
use serde::Serialize;
use serde::de::DeserializeOwned;

const NAME: &str = "loopdeck";
/// The version of messages that this Loopdeck writes and reads.
pub(crate) const VERSION: u32 = 1;
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
}

/// A message that was read, its signature not yet checked.
#[derive(Debug)]
pub(crate) struct Sealed<'a> {
    signature: Vec<u8>,
    signed: &'a [u8],
    head: &'a [u8],
    /// What follows the head.
    pub(crate) body: &'a [u8],
}

/// Wraps `head` and `body` for `subject`.
pub(crate) fn seal(
    keys: &KeyPair,
    subject: &str,
    head: &impl Serialize,
    body: &[u8],
) -> Result<Vec<u8>, String> {
    let mut signed = serde_json::to_vec(head).map_err(|error| error.to_string())?;
    signed.push(b'\n');
    signed.extend_from_slice(body);
    let signature = keys.sign(&covered(subject, &signed)).map_err(|error| error.to_string())?;
    let mut bytes = format!("{NAME} {VERSION} {}\n", BASE64URL_NOPAD.encode(&signature)).into_bytes();
    bytes.extend_from_slice(&signed);
    if bytes.len() > LARGEST {
        return Err(format!("{} bytes are more than a message can have", bytes.len()));
    }
    Ok(bytes)
}

/// Takes a message apart, within bounds.
pub(crate) fn open(bytes: &[u8]) -> Result<Sealed<'_>, Fault> {
    if bytes.len() > LARGEST {
        return Err(Fault::Malformed);
    }
    let (first, signed) = line(bytes, 200).ok_or(Fault::Malformed)?;
    let first = std::str::from_utf8(first).map_err(|_| Fault::Malformed)?;
    let mut words = first.split(' ');
    if words.next() != Some(NAME) {
        return Err(Fault::Malformed);
    }
    let version: u32 = words.next().and_then(|word| word.parse().ok()).ok_or(Fault::Malformed)?;
    if version > VERSION {
        return Err(Fault::Newer(version));
    }
    let signature = words.next().and_then(|word| BASE64URL_NOPAD.decode(word.as_bytes()).ok());
    let (head, body) = line(signed, LONGEST_HEAD).ok_or(Fault::Malformed)?;
    Ok(Sealed { signature: signature.ok_or(Fault::Malformed)?, signed, head, body })
}

impl Sealed<'_> {
    /// The head, when the owner of `key` signed all of it for `subject`.
    pub(crate) fn verified<T: DeserializeOwned>(&self, subject: &str, key: &str) -> Result<T, Fault> {
        let signer = KeyPair::from_public_key(key).map_err(|_| Fault::Forged)?;
        signer.verify(&covered(subject, self.signed), &self.signature).map_err(|_| Fault::Forged)?;
        self.claimed()
    }

    /// The head, unverified: for messages that bring the key they are to be checked with.
    pub(crate) fn claimed<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        serde_json::from_slice(self.head).map_err(|_| Fault::Malformed)
    }
}

fn covered(subject: &str, signed: &[u8]) -> Vec<u8> {
    [subject.as_bytes(), b"\n", signed].concat()
}

/// The first line, when it ends within `longest` bytes, and what follows.
fn line(bytes: &[u8], longest: usize) -> Option<(&[u8], &[u8])> {
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
        let bytes = seal(&keys, "a.b", &json!({ "at": 5 }), b"text\nmore").unwrap();
        let sealed = open(&bytes).unwrap();
        assert_eq!(sealed.body, b"text\nmore");
        assert_eq!(sealed.verified::<Value>("a.b", &keys.public_key()).unwrap(), json!({ "at": 5 }));
        assert_eq!(sealed.verified::<Value>("a.c", &keys.public_key()), Err(Fault::Forged));
        assert_eq!(sealed.verified::<Value>("a.b", &other.public_key()), Err(Fault::Forged));
        let mut changed = bytes.clone();
        *changed.last_mut().unwrap() = b'!';
        assert_eq!(open(&changed).unwrap().verified::<Value>("a.b", &keys.public_key()), Err(Fault::Forged));
    }

    #[test]
    fn what_is_no_message_is_refused_without_being_read() {
        for (bytes, fault) in [
            (&b""[..], Fault::Malformed),
            (b"loopdeck 1 x", Fault::Malformed),
            (b"loopdeck 1 !!\n{}\n", Fault::Malformed),
            (b"loopdeck x AA\n{}\n", Fault::Malformed),
            (b"other 1 AA\n{}\n", Fault::Malformed),
            (b"loopdeck 1 AA\n{}", Fault::Malformed),
            (b"loopdeck 2 AA\n{}\n", Fault::Newer(2)),
        ] {
            assert_eq!(open(bytes).map(drop), Err(fault), "{bytes:?}");
        }
        assert_eq!(open(&vec![b'x'; LARGEST + 1]).map(drop), Err(Fault::Malformed));
        let long = [b"loopdeck 1 AA\n".to_vec(), vec![b'x'; LONGEST_HEAD + 2], b"\n".to_vec()].concat();
        assert_eq!(open(&long).map(drop), Err(Fault::Malformed));
        assert!(seal(&KeyPair::new_user(), "a", &json!({}), &vec![0; LARGEST]).is_err());
    }
}
