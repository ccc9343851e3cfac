//! Links to one place in one loop, such as
//! `loopdeck:///home/ana/shop/.workflow/.loop/x.json?tab=debug&item=H2`: for pasting into a chat, and for
//! opening as an argument.

use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

const SCHEME: &str = "loopdeck://";
/// Characters that a chat or a shell would not treat as part of the link.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'&')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'\'');

/// A place in a loop, or a folder. Untrusted: it may come from a chat or a web page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Link {
    /// The state file or the folder, absolute.
    pub(crate) file: PathBuf,
    /// Part of the loop, such as `debug`.
    pub(crate) tab: Option<String>,
    /// In that part: the id of a hypothesis or atom, or the position of a test.
    pub(crate) item: Option<String>,
}

impl Link {
    /// Reads a link; `None` for anything else.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix(SCHEME)?;
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let decode = |text: &str| percent_decode_str(text).decode_utf8().ok().map(String::from);
        let mut link = Self { file: decode(path)?.into(), ..Self::default() };
        for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            match name {
                "tab" => link.tab = decode(value),
                "item" => link.item = decode(value),
                _ => {} // from a later version
            }
        }
        link.file.is_absolute().then_some(link)
    }

    /// As text.
    pub(crate) fn text(file: &Path, tab: Option<&str>, item: Option<&str>) -> String {
        let encode = |text: &str| utf8_percent_encode(text, ESCAPED).to_string();
        let named = [("tab", tab), ("item", item)];
        let query: Vec<String> =
            named.iter().filter_map(|(name, value)| Some(format!("{name}={}", encode((*value)?)))).collect();
        let mark = if query.is_empty() { "" } else { "?" };
        format!("{SCHEME}{}{mark}{}", encode(&file.to_string_lossy()), query.join("&"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let file = Path::new("/home/an a/50%?#&/.loop/x.json");
        let text = Link::text(file, Some("debug"), Some("H2 & \"more\""));
        assert!(!text.contains(' ') && !text.contains('"'), "{text}");
        let link = Link { file: file.into(), tab: Some("debug".into()), item: Some("H2 & \"more\"".into()) };
        assert_eq!(Link::parse(&text), Some(link));
        let bare = Link::text(Path::new("/a/b.json"), None, None);
        assert_eq!(bare, "loopdeck:///a/b.json");
        assert_eq!(Link::parse(&bare).map(|link| link.file), Some("/a/b.json".into()));
    }

    #[test]
    fn anything_else_is_no_link() {
        for text in ["/a/b.json", "loopdeck:/a", "loopdeck://b.json", "https://a/b", "loopdeck://%ff"] {
            assert_eq!(Link::parse(text), None, "{text}");
        }
    }
}
