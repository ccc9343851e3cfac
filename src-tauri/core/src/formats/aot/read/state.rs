//! Tolerant read of a state file (AoT contract §1, §3): always a state, together with its errors.
//!
//! Reading never repairs: absent values get the plugin's defaults, everything else is kept as written.

use super::front_matter::{self, FrontMatter};
use super::shell_value;
use crate::problem::{Problem, ProblemCode};
use loopdeck_text::yaml_span::{self, Tree, YamlKind, YamlNode};
use std::borrow::Cow;

/// Default of `max_iterations` (§1.2).
pub(crate) const MAX_ITERATIONS: i64 = 20;
/// Default of `max_parallel_agents` and `max_stall_count` (§1.2).
pub(crate) const MAX_PARALLEL_AND_STALLS: i64 = 3;

/// A state file that could be parsed.
#[derive(Clone, Debug)]
pub(crate) struct Document<'a> {
    /// The parts of the file.
    pub(crate) front: FrontMatter<'a>,
    /// The front matter with byte ranges, as it is written.
    pub(crate) tree: Tree<'a>,
    /// The tree with its anchors and aliases resolved, if it has any.
    pub(crate) meaning: Option<YamlNode<'a>>,
    /// Its content.
    pub(crate) state: AotState<'a>,
    /// Errors found while reading (V1 to V6); those of the graph and the lints come later.
    pub(crate) problems: Vec<Problem>,
}

impl<'a> Document<'a> {
    /// The tree to read from, with its aliases resolved.
    pub(crate) fn root(&self) -> &YamlNode<'a> {
        self.meaning.as_ref().unwrap_or(&self.tree.root)
    }
}

impl Document<'_> {
    /// The text written where a number should be; none when it is a number.
    pub(crate) fn misread(&self, path: &str) -> Option<&str> {
        let is_number = |code| matches!(code, ProblemCode::V4_bad_number | ProblemCode::V4_shell_value);
        let found = self.problems.iter().find(|problem| is_number(problem.code) && problem.path == path);
        found.map(|problem| problem.args.get("found").map_or("", String::as_str))
    }
}

/// The content of the front matter.
#[derive(Clone, Debug, Default)]
pub(crate) struct AotState<'a> {
    /// `objective`.
    pub(crate) objective: Objective<'a>,
    /// `control`.
    pub(crate) control: ControlFlags<'a>,
    /// `atoms` in file order.
    pub(crate) atoms: Vec<Atom<'a>>,
    /// `decompositions`.
    pub(crate) decompositions: Vec<Decomposition<'a>>,
    /// `or_groups` in file order.
    pub(crate) or_groups: Vec<OrGroup<'a>>,
    /// `bindings` in file order.
    pub(crate) bindings: Vec<Binding<'a>>,
}

/// The objective's plain fields; the view reads `base_case`, `clarifications` and `scope`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Objective<'a> {
    /// `goal`.
    pub(crate) goal: Cow<'a, str>,
    /// `background_intent`.
    pub(crate) background_intent: Cow<'a, str>,
    /// `deliverables`.
    pub(crate) deliverables: Cow<'a, str>,
    /// `definition_of_done`.
    pub(crate) definition_of_done: Cow<'a, str>,
    /// `constraints.max_iterations`.
    pub(crate) max_iterations: i64,
    /// `constraints.max_parallel_agents`.
    pub(crate) max_parallel_agents: i64,
    /// `constraints.max_stall_count`.
    pub(crate) max_stall_count: i64,
}

/// The control flags.
#[derive(Clone, Debug, Default)]
pub(crate) struct ControlFlags<'a> {
    /// `status` as written.
    pub(crate) status: Cow<'a, str>,
    /// `iteration`.
    pub(crate) iteration: i64,
    /// `stall_count`.
    pub(crate) stall_count: i64,
    /// `prev_pending_count`; -1 = not evaluated yet.
    pub(crate) prev_pending_count: i64,
    /// `stop_requested`.
    pub(crate) stop_requested: bool,
    /// `stop_reason`.
    pub(crate) stop_reason: Option<Cow<'a, str>>,
    /// `redirect_requested`.
    pub(crate) redirect_requested: bool,
    /// 1-based line of `control`.
    pub(crate) line: u32,
}

/// One atom.
#[derive(Clone, Debug, Default)]
pub(crate) struct Atom<'a> {
    /// `id`, empty when missing.
    pub(crate) id: Cow<'a, str>,
    /// `description`.
    pub(crate) description: Cow<'a, str>,
    /// `status` as written.
    pub(crate) word: Cow<'a, str>,
    /// `depends_on`.
    pub(crate) depends_on: Vec<Cow<'a, str>>,
    /// `or_group`.
    pub(crate) or_group: Option<Cow<'a, str>>,
    /// `decomposed_from`.
    pub(crate) decomposed_from: Option<Cow<'a, str>>,
    /// 1-based line.
    pub(crate) line: u32,
}

/// One decomposition.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decomposition<'a> {
    /// `parent`.
    pub(crate) parent: Cow<'a, str>,
    /// `children`.
    pub(crate) children: Vec<Cow<'a, str>>,
    /// `reason`.
    pub(crate) reason: Cow<'a, str>,
    /// `timestamp`.
    pub(crate) timestamp: Option<Cow<'a, str>>,
    /// 1-based line.
    pub(crate) line: u32,
}

/// One OR group.
#[derive(Clone, Debug, Default)]
pub(crate) struct OrGroup<'a> {
    /// Its key.
    pub(crate) name: Cow<'a, str>,
    /// `choices`.
    pub(crate) choices: Vec<Cow<'a, str>>,
    /// `selected`.
    pub(crate) selected: Option<Cow<'a, str>>,
    /// Whether the key `selected` exists; `null` is a choice that is still to be made.
    pub(crate) has_selected: bool,
    /// `failed`.
    pub(crate) failed: Vec<Cow<'a, str>>,
    /// Whether the key `failed` exists (v1.2 has none).
    pub(crate) has_failed: bool,
    /// `speculative`.
    pub(crate) speculative: bool,
    /// 1-based line.
    pub(crate) line: u32,
}

/// One binding.
#[derive(Clone, Debug, Default)]
pub(crate) struct Binding<'a> {
    /// Atom id.
    pub(crate) id: Cow<'a, str>,
    /// `summary`.
    pub(crate) summary: Cow<'a, str>,
    /// `artifacts`.
    pub(crate) artifacts: Vec<Cow<'a, str>>,
    /// 1-based line.
    pub(crate) line: u32,
}

/// Reads a whole file.
///
/// # Errors
/// The one problem that makes it unreadable: F5, F6, F7 or V1.
pub(crate) fn read(bytes: &[u8]) -> Result<Document<'_>, Problem> {
    let front = front_matter::split(bytes)?;
    let tree = yaml_span::parse(front.text, front.start, front.first_line).map_err(|error| {
        let code = if error.too_deep { ProblemCode::F7_too_deep } else { ProblemCode::V1_bad_yaml };
        let problem = Problem::new(code, "").at_line(error.line).with("reason", error.reason);
        if error.too_deep { problem.with("limit", yaml_span::MAX_DEPTH) } else { problem }
    })?;
    if !tree.root.is_map() {
        let problem = Problem::new(ProblemCode::V1_bad_yaml, "").at_line(tree.root.line);
        return Err(problem.with("reason", "the top level is not a map"));
    }
    let mut reader = Reader::default();
    let meaning = super::links::resolved(front.text, &tree);
    if meaning.is_err() {
        let problem = Problem::new(ProblemCode::V1_bad_yaml, "").at_line(tree.root.line);
        reader.problems.push(problem.with("reason", "aliases that stand for too much, or for themselves"));
    }
    let meaning = meaning.unwrap_or_default();
    let state = reader.state(meaning.as_ref().unwrap_or(&tree.root));
    let mut problems = reader.problems;
    super::ambiguous::duplicate_keys(&tree, &mut problems);
    super::ambiguous::ambiguous_lines(&front, &tree.root, &mut problems);
    // Found by the hook elsewhere, or a comment to YAML.
    let known = |found: &Problem| {
        problems.iter().any(|problem| (problem.code, problem.line) == (found.code, found.line))
    };
    let more: Vec<Problem> = shell_value::lines(bytes).into_iter().filter(|found| !known(found)).collect();
    problems.extend(more);
    Ok(Document { front, tree, meaning, state, problems })
}

/// A scalar's text; empty for null, absent and collections.
pub(crate) fn text<'a>(node: Option<&YamlNode<'a>>) -> Cow<'a, str> {
    node.and_then(YamlNode::text).cloned().unwrap_or_default()
}

/// A scalar's text unless it is null or blank.
pub(crate) fn optional_text<'a>(node: Option<&YamlNode<'a>>) -> Option<Cow<'a, str>> {
    node.and_then(YamlNode::text).filter(|text| !text.trim().is_empty()).cloned()
}

/// A list of texts; a single text is a list of one (§3).
pub(crate) fn texts<'a>(node: Option<&YamlNode<'a>>) -> Vec<Cow<'a, str>> {
    let Some(node) = node else { return Vec::new() };
    match &node.kind {
        YamlKind::Seq(items, _) => items.iter().filter_map(YamlNode::text).cloned().collect(),
        _ => node.text().cloned().into_iter().collect(),
    }
}

/// `true` in the spellings of YAML 1.1 (§3).
pub(crate) fn flag(node: Option<&YamlNode<'_>>) -> bool {
    node.and_then(YamlNode::text)
        .is_some_and(|text| ["true", "yes", "on", "y"].iter().any(|yes| text.eq_ignore_ascii_case(yes)))
}

/// Reads an integer as rule L7 spells it; `-1` only with `minus_one`.
pub(crate) fn strict_integer(text: &str, minus_one: bool) -> Option<i64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = digits && (text == "0" || !text.starts_with('0'));
    if canonical || (minus_one && text == "-1") { text.parse().ok() } else { None }
}

#[derive(Default)]
struct Reader {
    problems: Vec<Problem>,
}

/// Allowed values of a number field.
#[derive(Clone, Copy)]
struct NumberRule {
    default: i64,
    at_least: i64,
}

impl Reader {
    fn report(&mut self, code: ProblemCode, path: impl Into<String>, line: u32, found: &str) {
        // The first thousand are enough for a million broken atoms.
        if self.problems.len() >= 1_000 {
            return;
        }
        let problem = Problem::new(code, path).at_line((line > 0).then_some(line));
        self.problems.push(if found.is_empty() { problem } else { problem.with("found", found) });
    }

    fn state<'a>(&mut self, root: &YamlNode<'a>) -> AotState<'a> {
        AotState {
            objective: self.objective(root),
            control: self.control(root),
            atoms: self.atoms(root),
            decompositions: entries_of(root, "decompositions").map(decomposition).collect(),
            or_groups: root.get("or_groups").map(or_groups).unwrap_or_default(),
            bindings: root.get("bindings").map(bindings).unwrap_or_default(),
        }
    }

    fn objective<'a>(&mut self, root: &YamlNode<'a>) -> Objective<'a> {
        let node = root.get("objective");
        if node.is_none_or(|node| node.entries().is_empty()) {
            self.report(ProblemCode::V2_missing_section, "objective", node.map_or(0, |node| node.line), "");
        }
        let get = |key: &str| node.and_then(|node| node.get(key));
        let constraints = get("constraints");
        let mut limit = |key: &str, default| {
            let value = constraints.and_then(|map| map.get(key));
            self.number(value, "objective.constraints", key, NumberRule { default, at_least: 1 })
        };
        Objective {
            max_iterations: limit("max_iterations", MAX_ITERATIONS),
            max_parallel_agents: limit("max_parallel_agents", MAX_PARALLEL_AND_STALLS),
            max_stall_count: limit("max_stall_count", MAX_PARALLEL_AND_STALLS),
            goal: text(get("goal")),
            background_intent: text(get("background_intent")),
            deliverables: text(get("deliverables")),
            definition_of_done: text(get("definition_of_done")),
        }
    }

    fn control<'a>(&mut self, root: &YamlNode<'a>) -> ControlFlags<'a> {
        let node = root.get("control");
        let line = node.map_or(0, |node| node.line);
        if node.is_none_or(|node| node.entries().is_empty()) {
            self.report(ProblemCode::V2_missing_section, "control", line, "");
        }
        let get = |key: &str| node.and_then(|node| node.get(key));
        let status = text(get("status"));
        if node.is_some_and(YamlNode::is_map)
            && !matches!(status.as_ref(), "pending" | "running" | "stopped" | "completed")
        {
            let line = get("status").map_or(line, |node| node.line);
            self.report(ProblemCode::V3_unknown_status, "control.status", line, &status);
        }
        let mut number = |key: &str, default, at_least| {
            self.number(get(key), "control", key, NumberRule { default, at_least })
        };
        ControlFlags {
            status,
            iteration: number("iteration", 0, 0),
            stall_count: number("stall_count", 0, 0),
            prev_pending_count: number("prev_pending_count", -1, -1),
            stop_requested: flag(get("stop_requested")),
            stop_reason: optional_text(get("stop_reason")),
            redirect_requested: flag(get("redirect_requested")),
            line,
        }
    }

    /// An integer by rule L7; absent or empty means the default (§3), anything else is V4.
    fn number(&mut self, node: Option<&YamlNode<'_>>, section: &str, key: &str, rule: NumberRule) -> i64 {
        let Some(node) = node.filter(|node| !node.is_null()) else { return rule.default };
        let written = node.text().map(AsRef::as_ref).unwrap_or_default();
        match strict_integer(written, rule.at_least < 0).filter(|value| *value >= rule.at_least) {
            Some(value) => value,
            None if shell_value::is_dangerous(written) => {
                self.problems.push(shell_value::problem(section, key, node.line, written));
                rule.default
            }
            None => {
                self.report(ProblemCode::V4_bad_number, format!("{section}.{key}"), node.line, written);
                rule.default
            }
        }
    }

    fn atoms<'a>(&mut self, root: &YamlNode<'a>) -> Vec<Atom<'a>> {
        let node = root.get("atoms");
        let items = node.map(YamlNode::items).unwrap_or_default();
        if items.is_empty() {
            self.report(ProblemCode::V2_missing_section, "atoms", node.map_or(0, |node| node.line), "");
        }
        let mut seen = std::collections::HashSet::with_capacity(items.len());
        let mut atoms: Vec<Atom<'a>> = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let atom = self.atom(index, item);
            if !atom.id.is_empty() && !seen.insert(atom.id.clone()) {
                self.report(ProblemCode::V5_bad_id, format!("atoms[{index}].id"), atom.line, &atom.id);
            }
            atoms.push(atom);
        }
        atoms
    }

    fn atom<'a>(&mut self, index: usize, item: &YamlNode<'a>) -> Atom<'a> {
        let atom = Atom {
            id: text(item.get("id")),
            description: text(item.get("description")),
            word: text(item.get("status")),
            depends_on: texts(item.get("depends_on")),
            or_group: optional_text(item.get("or_group")),
            decomposed_from: optional_text(item.get("decomposed_from")),
            line: item.line,
        };
        if atom.id.is_empty() || atom.id.contains(unreadable_in_ids) {
            self.report(ProblemCode::V5_bad_id, format!("atoms[{index}].id"), atom.line, &atom.id);
        }
        if !matches!(atom.word.as_ref(), "pending" | "in_progress" | "resolved") {
            let line = item.get("status").map_or(atom.line, |node| node.line);
            self.report(ProblemCode::V3_unknown_status, format!("atoms[{index}].status"), line, &atom.word);
        }
        atom
    }
}

/// Characters the plugin's scripts trip over in an id (V5).
pub(crate) fn unreadable_in_ids(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | '[' | ']' | ':' | '#' | '"' | '\'')
}

fn entries_of<'t, 'a>(
    root: &'t YamlNode<'a>,
    section: &str,
) -> impl Iterator<Item = &'t YamlNode<'a>> + use<'t, 'a> {
    root.get(section).map(YamlNode::items).unwrap_or_default().iter()
}

fn decomposition<'a>(item: &YamlNode<'a>) -> Decomposition<'a> {
    Decomposition {
        parent: text(item.get("parent")),
        children: texts(item.get("children")),
        reason: text(item.get("reason")),
        timestamp: optional_text(item.get("timestamp")),
        line: item.line,
    }
}

fn or_groups<'a>(section: &YamlNode<'a>) -> Vec<OrGroup<'a>> {
    let group = |entry: &yaml_span::Entry<'a>| OrGroup {
        name: text(Some(&entry.key)),
        choices: texts(entry.value.get("choices")),
        selected: optional_text(entry.value.get("selected")),
        has_selected: entry.value.get("selected").is_some(),
        failed: texts(entry.value.get("failed")),
        has_failed: entry.value.get("failed").is_some(),
        speculative: flag(entry.value.get("speculative")),
        line: entry.key.line,
    };
    section.entries().iter().map(group).collect()
}

fn bindings<'a>(section: &YamlNode<'a>) -> Vec<Binding<'a>> {
    let binding = |entry: &yaml_span::Entry<'a>| Binding {
        id: text(Some(&entry.key)),
        summary: text(entry.value.get("summary")),
        artifacts: texts(entry.value.get("artifacts")),
        line: entry.key.line,
    };
    section.entries().iter().map(binding).collect()
}

/// Sections in the order that keeps the plugin's scripts from losing data (L19).
pub(crate) const SECTIONS: [&str; 8] =
    ["objective", "control", "atoms", "decompositions", "or_groups", "bindings", "trail", "corrections"];
