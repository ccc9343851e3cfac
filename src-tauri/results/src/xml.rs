//! XML by events, for reports: DTDs are ignored, only the five entities of XML are expanded, depth is
//! bounded.

use super::json::line_of;
use super::unread::UnreadReason;
use quick_xml::errors::SyntaxError;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Error, Reader};
use std::borrow::Cow;

/// Reading stops at deeper elements: no report nests like that.
const MAX_DEPTH: usize = 200;

/// The next part of a document.
pub(super) enum Part<'a> {
    /// An element begins.
    Open(Element<'a>),
    /// The innermost element ends.
    Close(String),
    /// Text, decoded; it can come in pieces.
    Text(Cow<'a, str>),
}

/// The beginning of an element.
pub(super) struct Element<'a>(BytesStart<'a>);

impl Element<'_> {
    /// Its name without prefix.
    pub(super) fn name(&self) -> String {
        self.0.local_name().into_inner().to_owned()
    }

    /// Names of its attributes.
    pub(super) fn attributes(&self) -> Vec<String> {
        let mut all = self.0.attributes();
        all.with_checks(false)
            .flatten()
            .take(100)
            .map(|attribute| attribute.key.as_ref().to_owned())
            .collect()
    }

    /// An attribute, decoded; the first one of that name.
    pub(super) fn attribute(&self, name: &str) -> Option<String> {
        let mut all = self.0.attributes();
        // The duplicate check takes quadratic time.
        let found = all.with_checks(false).flatten().find(|attribute| attribute.key.as_ref() == name)?;
        Some(decoded(&found.value))
    }

    /// Whether its attributes are not well formed: a quote that is missing or too many, or a `<` in a value, with
    /// which a value may hold what are elements.
    pub(super) fn is_damaged(&self) -> bool {
        let mut all = self.0.attributes();
        all.with_checks(false).any(|attribute| attribute.map_or(true, |found| found.value.contains('<')))
    }
}

/// Text with the entities of XML expanded and all others unchanged.
fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut pieces = text.split('&');
    out.extend(pieces.next());
    for piece in pieces {
        match piece.split_once(';').and_then(|(name, rest)| Some((entity(name)?, rest))) {
            Some((value, rest)) => {
                out.push_str(&value);
                out.push_str(rest);
            }
            None => {
                out.push('&');
                out.push_str(piece);
            }
        }
    }
    out
}

/// One of the five, or a character by its number.
fn entity(name: &str) -> Option<Cow<'static, str>> {
    if let Some(value) = resolve_xml_entity(name) {
        return Some(Cow::Borrowed(value));
    }
    let number = name.strip_prefix('#').filter(|number| number.len() < 10)?;
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(code).map(|char| Cow::Owned(char.to_string()))
}

fn reference(reference: &BytesRef<'_>) -> Cow<'static, str> {
    let name: &str = reference;
    entity(name).unwrap_or_else(|| Cow::Owned(format!("&{name};")))
}

/// Reads a document from front to back.
pub(super) struct Document<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// Elements that are open.
    depth: usize,
    /// It ended early, or stopped being XML.
    broken: bool,
    /// The first place that is not well formed, in bytes; what is behind it can still be read.
    damaged: Option<u64>,
}

impl<'a> Document<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        Self { text, reader, depth: 0, broken: false, damaged: None }
    }

    /// The next part; `None` at the end, or where a broken document stops.
    pub(super) fn next(&mut self) -> Option<Part<'a>> {
        if self.broken {
            return None;
        }
        let at = loop {
            let at = self.reader.buffer_position();
            match self.reader.read_event() {
                Ok(Event::Start(_)) if self.depth >= MAX_DEPTH => break at,
                Ok(Event::Start(start)) => {
                    self.depth += 1;
                    let element = Element(start);
                    if self.damaged.is_none() && element.is_damaged() {
                        self.damaged = Some(at);
                    }
                    return Some(Part::Open(element));
                }
                Ok(Event::End(end)) => {
                    self.depth = self.depth.saturating_sub(1);
                    return Some(Part::Close(end.local_name().into_inner().to_owned()));
                }
                Ok(Event::Text(text)) => return Some(Part::Text(text.into_inner())),
                Ok(Event::CData(text)) => return Some(Part::Text(text.into_inner())),
                Ok(Event::GeneralRef(name)) => return Some(Part::Text(reference(&name))),
                Ok(Event::Eof) if self.depth == 0 => return None,
                Ok(Event::Eof) => return self.cut_off(),
                Err(Error::Syntax(error)) if self.is_cut(error) => return self.cut_off(),
                Err(_) => break self.reader.error_position(),
                Ok(_) => {}
            }
        };
        self.broken = true;
        self.damaged = self.damaged.or(Some(at));
        None
    }

    fn cut_off(&mut self) -> Option<Part<'a>> {
        self.broken = true;
        None
    }

    /// Whether what is not closed at the end was cut off. A tag in which other tags begin lacks a quote instead.
    fn is_cut(&self, error: SyntaxError) -> bool {
        use SyntaxError::{
            UnclosedDoubleQuotedAttributeValue, UnclosedSingleQuotedAttributeValue, UnclosedTag,
        };
        match error {
            SyntaxError::InvalidBangMarkup => false,
            UnclosedDoubleQuotedAttributeValue | UnclosedSingleQuotedAttributeValue | UnclosedTag => {
                let at = usize::try_from(self.reader.error_position()).unwrap_or(usize::MAX);
                self.text.get(at.saturating_add(1)..).is_none_or(|rest| !rest.contains('<'))
            }
            _ => true,
        }
    }

    /// How it is damaged, once it was read.
    pub(super) fn fault(&self) -> Option<UnreadReason> {
        let offset = self.damaged.map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        let line = offset.map(|at| UnreadReason::NotWellFormed { line: line_of(self.text, at) });
        line.or(self.broken.then_some(UnreadReason::CutOff))
    }
}

/// The name of the outermost element, and its attribute `name`.
pub(super) fn root(text: &str, name: &str) -> Option<(String, Option<String>)> {
    let mut document = Document::new(text);
    loop {
        match document.next()? {
            Part::Open(element) => return Some((element.name(), element.attribute(name))),
            Part::Close(_) => return None,
            Part::Text(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> (String, bool) {
        let mut document = Document::new(text);
        let mut out = String::new();
        while let Some(part) = document.next() {
            match part {
                Part::Open(element) => {
                    out.push_str(&format!("<{} {:?}>", element.name(), element.attribute("a")));
                }
                Part::Close(name) => out.push_str(&format!("</{name}>")),
                Part::Text(text) => out.push_str(&text),
            }
        }
        (out, document.fault().is_some())
    }

    #[test]
    fn only_the_entities_of_xml_are_expanded() {
        let bomb = r#"<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x a="&b;&lt;&#65;&#x42;&">&b; &amp;&#10;<![CDATA[&lt;]]></x>"#;
        assert_eq!(all(bomb), ("<x Some(\"&b;<AB&\")>&b; &\n&lt;</x>".to_owned(), false));
    }

    #[test]
    fn depth_and_damage_end_the_reading() {
        assert!(all(&"<a>".repeat(1_000_000)).1);
        assert!(all("<a><b>").1);
        assert!(all("<a></b>").1);
        assert_eq!(
            root("<?xml version='1.0'?><!-- c --><p:coverage a='1'/>", "a"),
            Some(("coverage".into(), Some("1".into())))
        );
        assert_eq!(root("no xml", "a"), None);
    }
}
