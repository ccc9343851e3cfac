//! Inside strings: where a plain run ends, and what escapes mean.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The first byte from `at` that ends a plain run of a string: quote, backslash or control character.
#[inline]
pub(super) fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..at + 8).and_then(|chunk| <[u8; 8]>::try_from(chunk).ok()) {
        let word = u64::from_le_bytes(chunk);
        // Turned like this, a quote is the only other byte that is as low as a control character.
        let turned = word ^ (ONES * 2);
        let slash = word ^ (ONES * b'\\' as u64);
        // Classic test for low and for zero bytes; the lowest hit is exact.
        let hits =
            ((turned.wrapping_sub(ONES * 0x21) & !turned) | (slash.wrapping_sub(ONES) & !slash)) & HIGHS;
        if hits != 0 {
            return at + hits.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f)) {
        at += 1;
    }
    at
}

/// Decodes the escapes of a valid string. A lone surrogate becomes U+FFFD: unlike `JSON.parse`, we cannot
/// keep it.
pub(super) fn unescape(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(slash) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..slash]);
        let (decoded, length) = escape(&rest[slash..]);
        out.push(decoded);
        rest = &rest[slash + length..];
    }
    out.push_str(rest);
    out
}

/// One escape at the start of `text`: the character and the bytes it takes.
fn escape(text: &str) -> (char, usize) {
    match text.as_bytes().get(1) {
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'n') => ('\n', 2),
        Some(b'r') => ('\r', 2),
        Some(b't') => ('\t', 2),
        Some(b'u') => unicode(text),
        Some(byte) => (char::from(*byte), 2),
        None => (char::REPLACEMENT_CHARACTER, text.len()),
    }
}

fn unicode(text: &str) -> (char, usize) {
    let unit = |at: usize| text.get(at..at + 4).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let Some(high) = unit(2) else { return (char::REPLACEMENT_CHARACTER, text.len()) };
    if (0xd800..0xdc00).contains(&high)
        && text.get(6..8) == Some("\\u")
        && let Some(low @ 0xdc00..0xe000) = unit(8)
    {
        let point = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
        return (char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER), 12);
    }
    (char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER), 6)
}

#[cfg(test)]
mod tests {
    use super::plain_end;

    #[test]
    fn every_byte_ends_a_plain_run_or_does_not_wherever_it_stands() {
        for byte in 0..=u8::MAX {
            for at in 0..20 {
                let mut text = [b'x'; 20];
                text[at] = byte;
                let ends = matches!(byte, b'"' | b'\\' | 0..=0x1f);
                assert_eq!(plain_end(&text, 0), if ends { at } else { text.len() }, "{byte:#x} at {at}");
            }
        }
    }
}
