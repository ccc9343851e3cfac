//! The quick way past valid JSON. Everything here answers `None` for what is invalid; then the careful reader goes over it again and
//! says what is wrong, and where. Answers are small, so that none is returned through memory.

use super::strings::plain_end;

/// The end of the valid value that starts at `at`; at most `room` containers may be open in each other.
pub(super) fn value_end(bytes: &[u8], mut at: usize, room: usize) -> Option<usize> {
    let (mut objects, mut depth) = (0_u128, 0); // one bit per open container: set for an object
    loop {
        match *bytes.get(at)? {
            b'"' => at = string_end(bytes, at)?,
            open @ (b'{' | b'[') => {
                if depth == room {
                    return None;
                }
                at = blank(bytes, at + 1);
                let object = open == b'{';
                if bytes.get(at) != Some(if object { &b'}' } else { &b']' }) {
                    depth += 1;
                    objects = objects << 1 | u128::from(object);
                    if object {
                        at = key_end(bytes, at)?;
                    }
                    continue;
                }
                at += 1;
            }
            _ => at = scalar_end(bytes, at)?,
        }
        loop {
            if depth == 0 {
                return Some(at);
            }
            at = blank(bytes, at);
            let object = objects & 1 == 1;
            match *bytes.get(at)? {
                b',' if object => {
                    at = key_end(bytes, blank(bytes, at + 1))?;
                    break;
                }
                b',' => {
                    at = blank(bytes, at + 1);
                    break;
                }
                b'}' if object => {}
                b']' if !object => {}
                _ => return None,
            }
            at += 1;
            depth -= 1;
            objects >>= 1;
        }
    }
}

/// Where the name of a key at `at` ends when it has no escapes, and where its value starts.
#[inline]
pub(super) fn plain_key(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let end = plain_string(bytes, at)?;
    Some((end, after_colon(bytes, end + 1)?))
}

/// Where the text of a string at `at` ends when it has no escapes.
#[inline]
pub(crate) fn plain_string(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let end = plain_end(bytes, at + 1);
    (bytes.get(end) == Some(&b'"')).then_some(end)
}

/// The next byte that is no white space.
#[inline]
pub(super) fn blank(bytes: &[u8], mut at: usize) -> usize {
    match bytes.get(at) {
        Some(b' ' | b'\n' | b'\r' | b'\t') => at += 1,
        _ => return at,
    }
    match bytes.get(at) {
        Some(byte) if *byte > b' ' => at,
        _ => long_blank(bytes, at),
    }
}

#[inline(never)]
fn long_blank(bytes: &[u8], mut at: usize) -> usize {
    loop {
        // Indentation: eight spaces at a time.
        while let Some(b"        ") = bytes.get(at..at + 8) {
            at += 8;
        }
        match bytes.get(at) {
            Some(b' ' | b'\n' | b'\r' | b'\t') => at += 1,
            _ => return at,
        }
    }
}

#[inline(always)]
fn key_end(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    after_colon(bytes, string_end(bytes, at)?)
}

#[inline(always)]
fn after_colon(bytes: &[u8], at: usize) -> Option<usize> {
    let at = blank(bytes, at);
    (bytes.get(at) == Some(&b':')).then(|| blank(bytes, at + 1))
}

/// The end of the string whose quote is at `at`.
#[inline(always)]
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let end = plain_end(bytes, at + 1);
    if bytes.get(end) == Some(&b'"') { Some(end + 1) } else { escaped_end(bytes, end) }
}

#[cold]
#[inline(never)]
fn escaped_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += escape_length(&bytes[at..])?,
            _ => return None,
        }
        at = plain_end(bytes, at);
    }
}

fn escape_length(text: &[u8]) -> Option<usize> {
    match *text.get(1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => text.get(2..6)?.iter().all(u8::is_ascii_hexdigit).then_some(6),
        _ => None,
    }
}

#[inline(always)]
fn scalar_end(bytes: &[u8], at: usize) -> Option<usize> {
    let word = |word: &[u8]| (bytes.get(at..at + word.len()) == Some(word)).then_some(at + word.len());
    match bytes[at] {
        b't' => word(b"true"),
        b'f' => word(b"false"),
        b'n' => word(b"null"),
        b'-' | b'0'..=b'9' => number_end(bytes, at),
        _ => None,
    }
}

#[inline(always)]
fn number_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    if bytes[at] == b'-' {
        at += 1;
    }
    at = if bytes.get(at) == Some(&b'0') { at + 1 } else { digits_end(bytes, at)? };
    if bytes.get(at) == Some(&b'.') {
        at = digits_end(bytes, at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = bytes.get(at) {
            at += 1;
        }
        at = digits_end(bytes, at)?;
    }
    Some(at)
}

#[inline(always)]
fn digits_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    (at > start).then_some(at)
}
