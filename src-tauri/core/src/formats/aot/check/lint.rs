//! V20: lines that Loopdeck reads and the plugin reads differently (AoT contract §4, rules L1 to L22).
//!
//! Only rules that are visible in the bytes are checked; each finding names its rule.

use crate::formats::aot::read::front_matter::line_end;
use crate::formats::aot::read::hook::{CONTROL_KEYS, hook_lines, status_lines};
use crate::formats::aot::read::state::{Document, SECTIONS};
use crate::formats::aot::read::{comments, lines, links};
use crate::problem::{Problem, ProblemCode};
use loopdeck_text::yaml_span::{Entry, ScalarForm, YamlKind, YamlNode};
use memchr::memmem;
use std::collections::HashSet;

/// More findings than a person reads.
const MANY: usize = 200;

/// Everything the plugin would read differently.
pub(crate) fn layout(bytes: &[u8], document: &Document<'_>) -> Vec<Problem> {
    let mut lint = Lint { bytes, found: Vec::new() };
    lint.file(document);
    let root = &document.tree.root;
    lint.sections(root);
    lint.comments(document);
    lint.links(root, "");
    if let Some(control) = root.get("control") {
        lint.control(control);
    }
    if let Some(objective) = root.get("objective") {
        lint.objective(objective);
    }
    for (index, atom) in root.get("atoms").map(YamlNode::items).unwrap_or_default().iter().enumerate() {
        lint.atom(atom, index);
    }
    for entry in root.get("bindings").map(YamlNode::entries).unwrap_or_default() {
        lint.binding(entry);
    }
    for entry in root.get("or_groups").map(YamlNode::entries).unwrap_or_default() {
        lint.or_group(entry);
    }
    for name in ["decompositions", "trail", "corrections"] {
        for (index, item) in root.get(name).map(YamlNode::items).unwrap_or_default().iter().enumerate() {
            lint.item(item, &format!("{name}[{index}]"));
        }
    }
    lint.stray_lines(document);
    lint.found
}

pub(crate) struct Lint<'b> {
    pub(crate) bytes: &'b [u8],
    found: Vec<Problem>,
}

impl Lint<'_> {
    pub(crate) fn report(&mut self, rule: &str, path: impl Into<String>, line: u32) {
        if self.found.len() < MANY {
            let problem = Problem::new(ProblemCode::V20_layout, path).at_line((line > 0).then_some(line));
            self.found.push(problem.with("rule", rule));
        }
    }

    /// L1 and L13: delimiters, line ends, bytes of the body, dashes.
    fn file(&mut self, document: &Document<'_>) {
        let front = &document.front;
        if !front.exact {
            self.report("L1", "", 1);
        } else if let Some(at) = memchr::memchr(b'\r', front.text.as_bytes()) {
            self.report("L1", "", loopdeck_text::text_edit::line_of(self.bytes, front.start + at));
        }
        let body = &self.bytes[front.body.clone()];
        if let Err(error) = std::str::from_utf8(body) {
            let at = front.body.start + error.valid_up_to();
            self.report("L1", "", loopdeck_text::text_edit::line_of(self.bytes, at));
        }
        let mut told = 0;
        for at in memmem::find_iter(front.text.as_bytes(), b"---").take(MANY) {
            let at = front.start + at;
            // Once per line.
            if at >= told {
                told = line_end(self.bytes, at);
                self.report("L13", "", loopdeck_text::text_edit::line_of(self.bytes, at));
            }
        }
    }

    /// L14: comments that end their section for the scripts.
    fn comments(&mut self, document: &Document<'_>) {
        for at in ending_comments(self.bytes, document).into_iter().take(MANY) {
            self.report("L14", "", loopdeck_text::text_edit::line_of(self.bytes, at));
        }
    }

    /// L4: a line-based tool does not follow anchors and aliases.
    fn links(&mut self, node: &YamlNode<'_>, path: &str) {
        if !links::is_linked(node) {
            return;
        }
        if node.anchor != 0 || matches!(node.kind, YamlKind::Alias(_)) {
            self.report("L4", path, node.line);
        }
        for entry in node.entries() {
            let key = crate::formats::aot::read::state::text(Some(&entry.key));
            let path = if path.is_empty() { key.into_owned() } else { format!("{path}.{key}") };
            self.links(&entry.key, &path);
            self.links(&entry.value, &path);
        }
        for (index, item) in node.items().iter().enumerate() {
            self.links(item, &format!("{path}[{index}]"));
        }
    }

    /// L3, L18, L19: every section present, in order, in block style, empty ones as `[]` and `{}`.
    fn sections(&mut self, root: &YamlNode<'_>) {
        let known = |entry: &Entry<'_>| {
            let key = entry.key.text()?;
            SECTIONS.iter().position(|name| *name == key.as_ref())
        };
        let places: Vec<usize> = root.entries().iter().filter_map(known).collect();
        if places.len() < SECTIONS.len() || !places.is_sorted() {
            self.report("L19", "", 0);
        }
        for (index, name) in SECTIONS.iter().enumerate() {
            let Some(node) = root.get(name) else { continue };
            let empty = node.entries().is_empty() && node.items().is_empty();
            if empty && index > 2 {
                let canonical = if matches!(*name, "or_groups" | "bindings") {
                    matches!(node.kind, YamlKind::Map(..))
                } else {
                    matches!(node.kind, YamlKind::Seq(..))
                };
                if !canonical {
                    self.report("L18", *name, node.line);
                }
            } else if node.is_flow() {
                self.report("L3", *name, node.line);
            }
        }
    }

    /// L2, L4, L6 to L9.
    fn control(&mut self, control: &YamlNode<'_>) {
        for key in CONTROL_KEYS {
            let path = format!("control.{key}");
            let Some(entry) = control.entry(key) else {
                self.report("L8", path, control.line);
                continue;
            };
            let (value, line) = (&entry.value, entry.key.line);
            if value.range.is_empty() || (value.is_null() && key != "stop_reason") {
                self.report("L8", &*path, line);
            } else if !control.is_flow() {
                self.canonical_line(entry, &path, 2);
            }
            let (text, style) = scalar(value);
            match key {
                "stop_requested" | "redirect_requested" if !matches!(text, "true" | "false") => {
                    self.report("L6", path, line);
                }
                // The plugin's hook reads it, its gate does not.
                "status" if style != ScalarForm::Plain => self.report("L4", path, line),
                "iteration" | "stall_count" | "prev_pending_count" if style != ScalarForm::Plain => {
                    self.report("L7", path, line);
                }
                "stop_reason"
                    if !value.is_null() && (style != ScalarForm::Double || self.spans_lines(value)) =>
                {
                    self.report("L9", path, line);
                }
                _ => {}
            }
        }
    }

    /// L2 to L4, L7, L15, L20, L21.
    fn objective(&mut self, objective: &YamlNode<'_>) {
        for key in ["goal", "background_intent", "deliverables", "definition_of_done"] {
            if let Some(value) = objective.get(key).filter(|value| self.spans_lines(value)) {
                self.report("L15", format!("objective.{key}"), value.line);
            }
        }
        if let Some(limits) = objective.get("constraints") {
            if limits.is_flow() {
                self.report("L3", "objective.constraints", limits.line);
            }
            for entry in limits.entries().iter().filter(|_| !limits.is_flow()) {
                let path = format!(
                    "objective.constraints.{}",
                    crate::formats::aot::read::state::text(Some(&entry.key))
                );
                self.canonical_line(entry, &path, 4);
                if !matches!(scalar(&entry.value).1, ScalarForm::Plain) {
                    self.report("L7", path, entry.key.line);
                }
            }
        }
        if let Some(base) = objective.get("base_case") {
            self.checks(base, "objective.base_case");
        }
    }

    /// L2 to L5, L15 to L17.
    fn atom(&mut self, atom: &YamlNode<'_>, index: usize) {
        let path = format!("atoms[{index}]");
        if atom.is_flow() {
            self.report("L3", path, atom.line);
            return;
        }
        for entry in atom.entries() {
            let path = format!("{path}.{}", crate::formats::aot::read::state::text(Some(&entry.key)));
            self.canonical_line(entry, &path, 4);
        }
        if atom.entries().first().and_then(|entry| entry.key.text()).is_none_or(|key| key != "id") {
            self.report("L5", &*path, atom.line);
        }
        let quoted = |key: &str| atom.get(key).is_some_and(|value| scalar(value).1 != ScalarForm::Plain);
        if quoted("status") {
            self.report("L5", format!("{path}.status"), atom.line);
        }
        if quoted("id") || atom.get("id").and_then(YamlNode::text).is_some_and(|id| !is_plain_id(id)) {
            self.report("L16", format!("{path}.id"), atom.line);
        }
        if ["or_group", "decomposed_from"].into_iter().any(quoted) {
            self.report("L16", &*path, atom.line);
        }
        if let Some(value) = atom.get("description").filter(|value| self.spans_lines(value)) {
            self.report("L15", format!("{path}.description"), value.line);
            // The scripts of the plugin take such a line of the text for an atom.
            let text = String::from_utf8_lossy(&self.bytes[value.range.clone()]).into_owned();
            let first = loopdeck_text::text_edit::line_of(self.bytes, value.range.start);
            let items =
                text.split('\n').zip(first..).filter(|(line, _)| line.trim_start().starts_with("- id:"));
            for (_, line) in items {
                self.report("L11", format!("{path}.description"), line);
            }
        }
        if let Some(depends) = atom.get("depends_on") {
            let inline =
                depends.is_flow() && depends.items().iter().all(|id| scalar(id).1 == ScalarForm::Plain);
            if !inline || self.spans_lines(depends) {
                self.report("L17", format!("{path}.depends_on"), depends.line);
            }
        }
    }

    /// L16, L22.
    fn binding(&mut self, entry: &Entry<'_>) {
        let path = format!("bindings.{}", crate::formats::aot::read::state::text(Some(&entry.key)));
        if scalar(&entry.key).1 != ScalarForm::Plain {
            self.report("L16", &*path, entry.key.line);
        }
        self.columns(entry, &path);
        let summary = entry.value.get("summary").map(scalar);
        let artifacts = entry.value.get("artifacts");
        let readable = !entry.value.is_flow()
            && summary.is_some_and(|(_, style)| matches!(style, ScalarForm::Double | ScalarForm::Block))
            && artifacts.is_some_and(YamlNode::is_flow);
        if !readable {
            self.report("L22", path, entry.key.line);
        }
    }

    pub(crate) fn column(&self, entry: &Entry<'_>) -> usize {
        entry.key.range.start - lines::line_start(self.bytes, entry.key.range.start)
    }

    /// L10 to L12: lines that look like fields but are not.
    fn stray_lines(&mut self, document: &Document<'_>) {
        let root = &document.tree.root;
        let limits = root.get("objective").and_then(|node| node.get("constraints"));
        for hook in hook_lines(document.front.text, document.front.first_line) {
            let map = if hook.indent == 2 { root.get("control") } else { limits };
            let real = map.and_then(|map| map.entry(hook.field)).map(|entry| entry.key.line);
            if real != Some(hook.line) {
                self.report(if hook.indent == 2 { "L10" } else { "L11" }, hook.field, hook.line);
            }
        }
        let atoms = root.get("atoms").map(YamlNode::items).unwrap_or_default();
        let statuses: HashSet<u32> =
            atoms.iter().filter_map(|atom| atom.entry("status")).map(|entry| entry.key.line).collect();
        for line in status_lines(document.front.text, document.front.first_line) {
            if !statuses.contains(&line) {
                self.report("L11", "status", line);
            }
        }
        let body = String::from_utf8_lossy(&self.bytes[document.front.body.clone()]);
        let first = loopdeck_text::text_edit::line_of(self.bytes, document.front.body.start);
        let fields: Vec<u32> =
            hook_lines(&body, first).filter(|hook| hook.indent == 2).map(|hook| hook.line).collect();
        let items = body.split('\n').zip(first..).filter(|(line, _)| line.trim_start().starts_with("- id:"));
        let items: Vec<u32> = items.map(|(_, line)| line).collect();
        for line in fields.into_iter().chain(items) {
            self.report("L12", "", line);
        }
    }

    /// L2 and L4: `key: value`, at its column, and nothing after it.
    fn canonical_line(&mut self, entry: &Entry<'_>, path: &str, column: usize) {
        let key = &entry.key;
        if self.column(entry) != column {
            self.report("L2", path, key.line);
        }
        let value = &entry.value;
        let one_line = value.line == key.line && !value.range.is_empty();
        let joint = if one_line { &b": "[..] } else { b":" };
        let plain = scalar(key).1 == ScalarForm::Plain && self.bytes[key.range.end..].starts_with(joint);
        let spaced = !one_line || value.range.start == key.range.end + joint.len();
        let behind = lines::entry_end(self.bytes, entry);
        let tail = &self.bytes[behind..line_end(self.bytes, behind)];
        let rest = if value.range.is_empty() { tail.strip_prefix(b":").unwrap_or(tail) } else { tail };
        if !plain || !spaced || !matches!(rest, b"" | b"\r") {
            self.report("L4", path, key.line);
        }
    }

    fn spans_lines(&self, node: &YamlNode<'_>) -> bool {
        scalar(node).1 == ScalarForm::Block
            || memchr::memchr(b'\n', &self.bytes[node.range.clone()]).is_some()
    }
}

pub(crate) fn scalar<'n>(node: &'n YamlNode<'_>) -> (&'n str, ScalarForm) {
    match &node.kind {
        YamlKind::Scalar(text, style) => (text.as_ref(), *style),
        _ => ("", ScalarForm::Plain),
    }
}

pub(crate) fn is_quoted(node: &YamlNode<'_>) -> bool {
    scalar(node).1 != ScalarForm::Plain
}

/// The start of each comment at the first column of a section that contains a colon (L14).
pub(crate) fn ending_comments(bytes: &[u8], document: &Document<'_>) -> Vec<usize> {
    let (start, end) = (document.front.start, document.front.closing);
    let sections = document.tree.root.entries();
    let inside = |at: usize| {
        let next = sections.partition_point(|entry| entry.key.range.start < at);
        next > 0 && lines::entry_end(bytes, &sections[next - 1]) > at
    };
    let found = comments::between(bytes, &document.tree.root, start, end).into_iter();
    let ending = found.filter(|comment| {
        let text = &bytes[comment.clone()];
        lines::line_start(bytes, comment.start) == comment.start
            && text.contains(&b':')
            && inside(comment.start)
    });
    ending.map(|comment| comment.start).collect()
}

/// L16.
pub(crate) fn is_plain_id(id: &str) -> bool {
    id.starts_with(|c: char| c.is_ascii_alphabetic())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        && !crate::formats::aot::edit::written::is_yaml_word(id)
}
