//! The bytes of a file as text.

use super::CorrectionKind;
use std::borrow::Cow;

/// The bytes as text, and what had to be done for it: UTF-16 if its mark says so, invalid UTF-8 as Windows-1252, without
/// surrounding NULs. Offsets of a reading count in this text.
#[must_use]
pub fn decode(bytes: &[u8]) -> (Cow<'_, str>, Vec<CorrectionKind>) {
    let wide = |pair: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2).map(|chunk| pair([chunk[0], chunk[1]]));
        let text = char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER));
        (Cow::Owned(text.collect::<String>()), vec![CorrectionKind::Utf16])
    };
    match bytes {
        [0xff, 0xfe, ..] => return wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => return wide(u16::from_be_bytes),
        _ => {}
    }
    let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(start, |last| last + 1);
    let mut done = if end - start < bytes.len() { vec![CorrectionKind::Nul] } else { Vec::new() };
    let bytes = &bytes[start..end];
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (Cow::Borrowed(text), done);
    }
    done.push(CorrectionKind::NotUtf8);
    let mut text = String::with_capacity(bytes.len());
    let mut foreign: Vec<u8> = Vec::new();
    for chunk in bytes.utf8_chunks() {
        if !chunk.valid().is_empty() {
            letters(&mut foreign, &mut text);
            text.push_str(chunk.valid());
        }
        foreign.extend(chunk.invalid());
    }
    letters(&mut foreign, &mut text);
    (Cow::Owned(text), done)
}

/// The bytes as text in which every character is where it is in the file: bytes that are not UTF-8 become NUL.
#[must_use]
pub fn same_places(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '\0'));
    }
    Cow::Owned(text)
}

/// A few bytes in a row are letters; more are garbage, and a value with a NUL is lost.
fn letters(foreign: &mut Vec<u8>, text: &mut String) {
    const MOST_IN_A_ROW: usize = 3;
    let is_text = foreign.len() <= MOST_IN_A_ROW;
    text.extend(foreign.drain(..).map(|byte| if is_text { latin(byte) } else { '\0' }));
}

fn latin(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}
