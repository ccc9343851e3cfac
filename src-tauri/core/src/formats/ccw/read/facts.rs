//! Building blocks of the detail views: named values, fields that no schema lists, problems with their lines.

use crate::problem::{Problem, ProblemCode};
use crate::times::TimeView;
use crate::view::{ExtraField, Fact, FactValue};
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;
use loopdeck_text::text_edit::line_of;

/// Free text such as a description or a prompt.
pub(crate) const LONG: usize = 20_000;
/// A word, an id, a path.
pub(crate) const SHORT: usize = 1_000;
const MOST_EXTRAS: usize = 200;
const MOST_PER_CODE: usize = 20;

/// Facts in reading order; absent values are left out.
#[derive(Debug, Default)]
pub(crate) struct FactList(pub(crate) Vec<Fact>);

impl FactList {
    pub(crate) fn add(&mut self, name: &str, value: Option<FactValue>) {
        self.0.extend(value.map(|value| Fact { name: name.to_owned(), value }));
    }

    /// Prose from the file.
    pub(crate) fn text(&mut self, name: &str, node: &Node<'_>) {
        let text = node.shown(LONG).filter(|text| !text.is_empty());
        self.add(name, text.map(FactValue::Text));
    }

    /// A word, id or path.
    pub(crate) fn code(&mut self, name: &str, node: &Node<'_>) {
        let text = node.shown(SHORT).filter(|text| !text.is_empty());
        self.add(name, text.map(FactValue::Code));
    }

    /// A number; anything else is shown as written.
    pub(crate) fn number(&mut self, name: &str, node: &Node<'_>) {
        match node.lenient_number() {
            Some(number) => self.add(name, Some(FactValue::Number(number))),
            None => self.code(name, node),
        }
    }

    /// Yes or no; anything else is shown as written.
    pub(crate) fn flag(&mut self, name: &str, node: &Node<'_>) {
        match node.flag() {
            Some(flag) => self.add(name, Some(FactValue::Flag(flag))),
            None => self.code(name, node),
        }
    }

    /// Several texts; an empty list is left out.
    pub(crate) fn list(&mut self, name: &str, node: &Node<'_>) {
        let texts = texts(node);
        self.add(name, (!texts.is_empty()).then_some(FactValue::List(texts)));
    }

    /// A point in time.
    pub(crate) fn time(&mut self, name: &str, time: Option<TimeView>) {
        self.add(name, time.map(FactValue::Time));
    }
}

/// The items of a list, each as text; a single string counts as a list of one.
pub(crate) fn texts(node: &Node<'_>) -> Vec<String> {
    match node.text() {
        Some(text) => vec![shorten(text, SHORT)],
        None => node.items().iter().filter_map(|item| item.shown(SHORT)).collect(),
    }
}

/// A field as text; empty when absent.
pub(crate) fn text(node: &Node<'_>, key: &str) -> String {
    node.get(key).shown(LONG).unwrap_or_default()
}

/// A field as text, if present and not empty.
pub(crate) fn optional(node: &Node<'_>, key: &str) -> Option<String> {
    node.get(key).shown(LONG).filter(|text| !text.is_empty())
}

/// Fields of `node` outside `known`, with paths below `prefix`.
pub(crate) fn extras(node: &Node<'_>, prefix: &str, known: &[&str], into: &mut Vec<ExtraField>) {
    for (key, value) in node.fields() {
        if !known.contains(&&**key) && into.len() < MOST_EXTRAS {
            let path = shorten(&format!("{prefix}{key}"), 200);
            into.push(ExtraField { path, text: value.json(None, 2_000) });
        }
    }
}

/// Problems with their lines; a rule that fails everywhere is reported only a few times.
pub(crate) struct Findings<'b> {
    bytes: &'b [u8],
    pub(crate) problems: Vec<Problem>,
}

impl<'b> Findings<'b> {
    pub(crate) fn new(bytes: &'b [u8], problems: Vec<Problem>) -> Self {
        Self { bytes, problems }
    }

    /// Adds a problem at `node`, unless its code has been reported often enough.
    pub(crate) fn add(
        &mut self,
        code: ProblemCode,
        path: impl Into<String>,
        node: &Node<'_>,
        args: &[(&str, String)],
    ) {
        if self.problems.iter().filter(|problem| problem.code == code).count() >= MOST_PER_CODE {
            return;
        }
        // The node of an absent field has no position.
        let line = (node.at > 0).then(|| line_of(self.bytes, node.at));
        let problem = Problem::new(code, shorten(&path.into(), 200)).at_line(line);
        self.problems.push(args.iter().fold(problem, |problem, (name, value)| problem.with(name, value)));
    }

    /// Most severe first, file order within.
    pub(crate) fn finish(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| std::cmp::Reverse(problem.severity));
        self.problems
    }
}
