//! What other machines of a team send: envelopes, claims, keys, heads and bodies, invitations.

use loopdeck_team::untrusted::{Opened, Sender, read};
use serde_json::Value;
use std::path::{Component, Path};
use std::sync::LazyLock;
use tempfile::TempDir;

const SUBJECT: &str = "$KV.LOOPS.ada.laptop.0a.about";
/// A longer head is none.
const LONGEST_HEAD: usize = 16_384;
/// So many bytes of a message are changed, one at a time.
const CHANGES: usize = 3;

static SENDER: LazyLock<Sender> = LazyLock::new(|| Sender::new([7; 32]).expect("keys"));
thread_local! {
    /// Where pages of output are kept for a moment.
    static FOLDER: TempDir = tempfile::tempdir().expect("a folder");
}

/// Nothing that arrives is more than it says, whether anybody signed it or not.
pub fn check(bytes: &[u8]) {
    unsigned(bytes);
    let (head, body) = parts(bytes);
    signed(bytes, &head, body);
    let taken = FOLDER.with(|folder| SENDER.deliver(&head, body, folder.path())).expect("a disk");
    let lines = body.split(|byte| *byte == b'\n').count() as u64;
    let first = head["first"].as_u64().unwrap_or(0);
    assert!(taken.rows.is_none_or(|rows| u64::from(rows) <= first + lines), "rows that nobody sent");
    assert!(taken.length.is_none_or(|length| length <= 16 << 20));
}

/// A head and a body: the first line, if need be as a text, and the rest.
fn parts(bytes: &[u8]) -> (Value, &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n');
    let (head, body) = end.map_or((bytes, &b""[..]), |end| (&bytes[..end], &bytes[end + 1..]));
    (serde_json::from_slice(head).unwrap_or_else(|_| String::from_utf8_lossy(head).into()), body)
}

fn unsigned(bytes: &[u8]) {
    let found = read(bytes);
    assert!(found.needs <= 20);
    if let Some(Opened { number, body, .. }) = &found.message {
        assert!(bytes.starts_with(format!("loopdeck 2 {number} ").as_bytes()) && bytes.ends_with(body));
    }
    if let Some(key) = &found.key {
        assert_eq!(key.written.as_bytes(), bytes, "one key, written in two ways");
        let below = |path: &Path, above: &Path| {
            let rest = path.strip_prefix(above).expect("below");
            rest.components().all(|part| matches!(part, Component::Normal(_)))
        };
        assert!(below(&key.share, Path::new("mirrors")));
        assert!(key.file.as_ref().is_none_or(|file| file != &key.share && below(file, &key.share)));
        assert_eq!(read(key.written.as_bytes()).key.as_ref(), Some(key));
    }
    for (kind, written) in &found.forms {
        let again = read(written).forms.iter().any(|(known, _)| known == kind);
        assert!(again, "{kind} that was read cannot be read again: {}", String::from_utf8_lossy(written));
    }
}

/// What is sealed opens as it was, for its subject only, and nobody changes a byte of it.
fn signed(bytes: &[u8], head: &Value, body: &[u8]) {
    let mut eight = [0; 8];
    eight.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    let number = u64::from_le_bytes(eight);
    let written = serde_json::to_vec(head).expect("JSON");
    let Ok(sealed) = SENDER.seal((SUBJECT, number), head, body) else {
        assert!(written.len() + body.len() > 999_000, "it is not too large");
        return;
    };
    let opened = SENDER.open(SUBJECT, &sealed);
    if written.len() > LONGEST_HEAD {
        return assert_eq!(opened, None);
    }
    // A number with more digits than are kept is read as its neighbour.
    let read: Value = serde_json::from_slice(&written).expect("what was written");
    assert_eq!(opened, Some(Opened { number, head: Some(read), body: body.to_vec() }));
    assert_eq!(SENDER.open("$KV.LOOPS.ada.laptop.0b.about", &sealed), None, "one message in two places");
    let again = SENDER.seal((SUBJECT, number), head, body).expect("as large as before");
    assert_eq!(again, sealed);
    let seed = bytes.iter().fold(number, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    let mut changed = sealed.clone();
    for step in 0..CHANGES {
        let turned = seed.rotate_left(u32::try_from(step * 9).unwrap_or(0));
        // The first line is what the signature does not cover: half of the changes are there.
        let most = if step % 2 == 0 { sealed.len() } else { sealed.len().min(120) };
        let at = usize::try_from(turned % most as u64).unwrap_or(0);
        changed[at] ^= 1 << ((turned >> 32) % 8);
        assert_eq!(SENDER.open(SUBJECT, &changed), None, "byte {at} was changed");
        changed[at] = sealed[at];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_reader_takes_one_of_the_seeds() {
        let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../seeds/messages");
        let (mut taken, mut forms, mut plain) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for seed in std::fs::read_dir(seeds).expect("a folder") {
            let bytes = std::fs::read(seed.expect("an entry").path()).expect("readable");
            let (head, body) = parts(&bytes);
            let of = FOLDER.with(|folder| SENDER.deliver(&head, body, folder.path())).expect("a disk");
            taken.extend(of.kinds);
            plain.extend(of.rows.is_some_and(|rows| rows > 0).then_some("rows"));
            plain.extend(of.length.is_some().then_some("length"));
            for bytes in [&bytes[..], &serde_json::to_vec(&head).expect("JSON"), body] {
                let found = read(bytes);
                forms.extend(found.forms.iter().map(|(kind, _)| *kind));
                plain.extend(found.message.is_some().then_some("message"));
                plain.extend(found.key.map(|key| if key.file.is_some() { "file key" } else { "key" }));
                plain.extend((found.needs == 20).then_some("needs"));
                plain.extend(found.is_invitation.then_some("invitation"));
            }
        }
        let all = |kinds: &[&'static str]| kinds.iter().copied().collect::<BTreeSet<_>>();
        assert_eq!(taken, all(&["answer", "command", "job", "output", "presence", "report"]));
        assert_eq!(plain, all(&["file key", "invitation", "key", "length", "message", "needs", "rows"]));
        assert_eq!(forms.len(), 16, "{forms:?}");
    }
}
