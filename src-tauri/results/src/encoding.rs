//! The text of a report: by its byte order mark, by what its first line declares, or UTF-8.

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};
use std::borrow::Cow;

/// Bytes of an XML declaration.
const DECLARATION: usize = 200;

/// The text of `bytes`, or the name of an encoding that can't be read. Single bytes that mean nothing become U+FFFD.
pub(super) fn text(bytes: &[u8]) -> Result<Cow<'_, str>, String> {
    if bytes.starts_with(&[0xff, 0xfe, 0, 0]) || bytes.starts_with(&[0, 0, 0xfe, 0xff]) {
        return Err("UTF-32".to_owned());
    }
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return Ok(encoding.decode_without_bom_handling(&bytes[mark..]).0);
    }
    let encoding = match bytes {
        // Every report begins with an ASCII character.
        [0, first, 0, second, ..] if *first != 0 && *second != 0 => UTF_16BE,
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => UTF_16LE,
        _ => declared(bytes)?,
    };
    Ok(encoding.decode_without_bom_handling(bytes).0)
}

/// The encoding that an XML declaration names.
fn declared(bytes: &[u8]) -> Result<&'static Encoding, String> {
    let begin = bytes.trim_ascii_start();
    let end = memchr::memmem::find(&begin[..begin.len().min(DECLARATION)], b"?>");
    let Some(declaration) = end.filter(|_| begin.starts_with(b"<?xml")).map(|end| &begin[..end]) else {
        return Ok(UTF_8);
    };
    let declaration = String::from_utf8_lossy(declaration);
    let Some((_, value)) = declaration.split_once("encoding") else { return Ok(UTF_8) };
    let value = value.trim_start().trim_start_matches('=').trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''));
    let name = quote.and_then(|quote| value[1..].split(quote).next()).unwrap_or_default().trim();
    match Encoding::for_label(name.as_bytes()) {
        // Written as UTF-16 and saved otherwise: .NET's StringWriter says so.
        Some(encoding) if encoding == UTF_16LE || encoding == UTF_16BE => Ok(UTF_8),
        Some(encoding) if encoding != REPLACEMENT => Ok(encoding),
        _ if std::str::from_utf8(bytes).is_ok() => Ok(UTF_8),
        _ => Err(super::text::kept(name, 100).unwrap_or_else(|| "?".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<String, String> {
        text(bytes).map(Cow::into_owned)
    }

    #[test]
    fn marks_and_declarations_decide() {
        let wide = |big: bool, mark: bool| -> Vec<u8> {
            let units = mark.then_some(0xfeff).into_iter().chain("<a>ü</a>".encode_utf16());
            units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
        };
        for (big, mark) in [(false, false), (false, true), (true, false), (true, true)] {
            assert_eq!(read(&wide(big, mark)).as_deref(), Ok("<a>ü</a>"));
        }
        assert_eq!(read(b"\xef\xbb\xbf<a>\xc3\xbc</a>").as_deref(), Ok("<a>ü</a>"));
        for name in ["ISO-8859-1", "latin1", "windows-1252", "iso-8859-15"] {
            let mut bytes = format!("<?xml version='1.0' encoding = '{name}'?><a>").into_bytes();
            bytes.push(0xfc);
            assert!(read(&bytes).is_ok_and(|text| text.ends_with("<a>ü")), "{name}");
        }
        let utf8 = "<?xml version=\"1.0\" encoding=\"utf-16\"?><a>ü</a>";
        assert_eq!(read(utf8.as_bytes()).as_deref(), Ok(utf8));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        assert_eq!(read(b"\xff\xfe\0\0<\0\0\0"), Err("UTF-32".to_owned()));
        assert_eq!(
            read(b"<?xml version='1.0' encoding='EBCDIC-CP-US'?>\xfc"),
            Err("EBCDIC-CP-US".to_owned())
        );
        assert_eq!(read(b"<?xml version='1.0' encoding='x-own'?><a/>").map(|text| text.len()), Ok(42));
        assert_eq!(read(b"").as_deref(), Ok(""));
    }
}
