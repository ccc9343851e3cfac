//! Files that are larger than a message: cut into parts, each signed and kept under its machine's name, and joined again
//! by whoever receives the head.
//!
//! Not the object store of JetStream: it replaces what it knows of an object by a rollup, with which a member can wipe the
//! whole bucket, and its chunks have subjects without a member's name, which no permission tells apart.

use crate::envelope::{Fault, Signer, open};
use crate::layout::{self, LARGEST_FILE, PARTS};
use crate::message::{Parts, SharedPart};
use crate::stored::Bucket;

/// Room for the first line and the head of a message.
pub(crate) const HEAD: usize = 1_000;
/// The size of a part.
const PART: usize = 900_000;

/// In how many parts so many bytes are sent.
pub(crate) const fn part_count(length: usize) -> u32 {
    let parts = length.div_ceil(PART);
    if parts > u32::MAX as usize { u32::MAX } else { parts as u32 }
}

/// The key of a part of the file under `key`.
pub(crate) fn part_key(key: &str, number: u32) -> String {
    format!("{key}_{number}")
}

/// The messages of a file, with their keys.
pub(crate) fn seal_parts(
    signer: &Signer,
    of: &str,
    about: &Parts,
    body: &[u8],
) -> Result<Vec<(String, Vec<u8>)>, String> {
    let message = |(number, bytes): (u32, &[u8])| {
        let key = part_key(of, number);
        let head = SharedPart { number, of: about.clone() };
        let message = signer.seal(&layout::key_subject(PARTS, &key), &head, bytes)?;
        Ok((key, message))
    };
    (0..).zip(body.chunks(PART)).map(message).collect()
}

/// How many bytes the file has; `None` when it says so many that there is none.
pub(crate) fn length_in_bounds(about: &Parts) -> Option<usize> {
    let length = usize::try_from(about.size).ok()?;
    (about.size <= LARGEST_FILE && about.count == part_count(length)).then_some(length)
}

/// Fetches and joins the parts of the file under `of`. They were signed by `signer`, for exactly this content, or there is
/// no file.
///
/// # Errors
/// `Malformed` when a part is missing or of another version: a newer head is on its way then.
pub(crate) async fn fetch_and_join(
    bucket: &Bucket,
    of: &str,
    about: &Parts,
    signer: &str,
) -> Result<Vec<u8>, Fault> {
    let length = length_in_bounds(about).ok_or(Fault::Malformed)?;
    let mut whole = Vec::new(); // what is said of the size is no reason to reserve it
    for number in 0..about.count {
        let key = part_key(of, number);
        let entry = bucket.entry(&key).await.ok().flatten().ok_or(Fault::Malformed)?;
        let sealed = open(&entry.message.value)?;
        let head: SharedPart = sealed.verified_head(&layout::key_subject(PARTS, &key), signer)?;
        if (head.number, &head.of) != (number, about) {
            return Err(Fault::Malformed);
        }
        whole.extend_from_slice(sealed.body);
        if whole.len() > length {
            return Err(Fault::Malformed);
        }
    }
    if whole.len() == length { Ok(whole) } else { Err(Fault::Malformed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_cut_into_parts_that_say_what_they_are_of() {
        let keys = Signer::new(nkeys::KeyPair::new_user());
        let body: Vec<u8> = (0..2_000_001_u32).map(|at| at.to_le_bytes()[0]).collect();
        let about = Parts { count: part_count(body.len()), size: body.len() as u64, hash: 5 };
        let messages = seal_parts(&keys, "ada.laptop.0a.f_x", &about, &body).unwrap();
        assert_eq!((messages.len(), about.count), (3, 3));
        let mut whole = Vec::new();
        for (number, (key, message)) in (0..).zip(&messages) {
            assert_eq!(*key, format!("ada.laptop.0a.f_x_{number}"));
            let sealed = open(message).unwrap();
            let subject = format!("$KV.PARTS.{key}");
            let head: SharedPart = sealed.verified_head(&subject, &keys.keys.public_key()).unwrap();
            assert_eq!((head.number, head.of), (number, about.clone()));
            whole.extend_from_slice(sealed.body);
        }
        assert!(whole == body);
        assert_eq!((part_count(1), part_count(PART), part_count(PART + 1)), (1, 1, 2));
    }

    #[test]
    fn a_size_that_its_parts_cannot_have_is_none() {
        let length = |count, size| length_in_bounds(&Parts { count, size, hash: 5 });
        assert_eq!(length(2, 900_001), Some(900_001));
        assert_eq!(length(19, LARGEST_FILE), Some(16 << 20));
        for (count, size) in [(1, 900_001), (3, 900_001), (19, LARGEST_FILE + 1), (u32::MAX, u64::MAX)] {
            assert_eq!(length(count, size), None, "{count} {size}");
        }
    }
}
