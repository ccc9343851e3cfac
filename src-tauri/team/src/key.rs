//! Keys of the bucket of shared files: what is of which share.

use crate::place::{FilePlace, SharePlace};
use crate::seat::{Seat, is_token};
use crate::share::is_shareable;
use data_encoding::BASE64URL_NOPAD;
use std::fmt;

/// A key, taken apart and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// The share itself.
    About(SharePlace),
    /// One of its files.
    File(FilePlace),
    /// The request for one of its loops.
    Request(FilePlace),
    /// What waits for a person in one of its loops.
    Needs(FilePlace),
}

impl Key {
    /// Takes `<member>.<machine>.<share>.<about | file>` apart; `None` for anything that is not exactly that.
    pub(crate) fn parse(key: &str) -> Option<Self> {
        let mut parts = key.split('.');
        let seat = Seat::new(parts.next()?, parts.next()?)?;
        let id = parts.next().filter(|share| is_token(share))?.to_owned();
        let (share, last) = (SharePlace { seat, id }, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        if last == "about" {
            return Some(Key::About(share));
        }
        let (kind, name) = last.split_once('_')?;
        let bytes = BASE64URL_NOPAD.decode(name.as_bytes()).ok()?;
        let file = String::from_utf8(bytes).ok().filter(|file| is_shareable(file))?;
        let place = FilePlace { share, file };
        match kind {
            "f" => Some(Key::File(place)),
            "q" => Some(Key::Request(place)),
            "n" => Some(Key::Needs(place)),
            _ => None,
        }
    }

    /// The share that it is of.
    pub(crate) fn share(&self) -> &SharePlace {
        match self {
            Key::About(share) => share,
            Key::File(place) | Key::Request(place) | Key::Needs(place) => &place.share,
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SharePlace { seat, id } = self.share();
        let (kind, file) = match self {
            Key::About(_) => return write!(f, "{seat}.{id}.about"),
            Key::File(place) => ("f", &place.file),
            Key::Request(place) => ("q", &place.file),
            Key::Needs(place) => ("n", &place.file),
        };
        write!(f, "{seat}.{id}.{kind}_{}", BASE64URL_NOPAD.encode(file.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_a_path() {
        let share = SharePlace { seat: Seat::new("ada", "laptop").unwrap(), id: "0a1b".to_owned() };
        let key = |file: &str| Key::File(FilePlace { share: share.clone(), file: file.to_owned() });
        let written = key(".loop/a.json").to_string();
        assert_eq!(Key::parse(&written), Some(key(".loop/a.json")));
        assert_eq!(Key::parse("ada.laptop.0a1b.about"), Some(Key::About(share.clone())));
        for file in ["../../x.json", "/etc/passwd", ".loop/../../../x.json", ".claude/settings.json", "a.sh"]
        {
            assert_eq!(Key::parse(&key(file).to_string()), None, "{file}");
        }
        for wrong in [
            "",
            "ada",
            "ada.laptop",
            "ada.laptop.x",
            "ada.laptop.x.about.y",
            "ada.laptop.x/y.about",
            "A.b.c.about",
        ] {
            assert_eq!(Key::parse(wrong), None, "{wrong}");
        }
    }
}
