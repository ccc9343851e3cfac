//! Repeated keys and lines, of which different readers take different ones.

use super::front_matter::FrontMatter;
use super::hook::{CONTROL_KEYS, HOOK_LIMITS, hook_lines};
use crate::problem::{Problem, ProblemCode};
use loopdeck_text::yaml_span::{DuplicateKey, Tree, YamlNode};

/// Repeated keys: V6 where the plugin would choose by line, V1 elsewhere (YAML readers do not agree on
/// those).
pub(crate) fn duplicate_keys(tree: &Tree<'_>, problems: &mut Vec<Problem>) {
    let control = tree.root.get("control");
    let constraints = tree.root.get("objective").and_then(|node| node.get("constraints"));
    for found in &tree.duplicates {
        let section = [("control", control), ("objective.constraints", constraints)]
            .into_iter()
            .find_map(|(name, node)| node.filter(|node| holds(node, found)).map(|node| (name, node)));
        match section {
            Some((name, node)) => {
                let code = if values_differ(node, &found.key) {
                    ProblemCode::V6_ambiguous_field
                } else {
                    ProblemCode::V20_layout
                };
                let problem = Problem::new(code, format!("{name}.{}", found.key)).at_line(found.line);
                problems.push(problem.with("rule", "L10").with("found", said(node, &found.key)));
            }
            None => {
                let first = first_line(&tree.root, found).unwrap_or(found.line);
                let reason =
                    format!("the key {} stands twice, on lines {first} and {}", found.key, found.line);
                problems.push(
                    Problem::new(ProblemCode::V1_bad_yaml, "").at_line(found.line).with("reason", reason),
                );
            }
        }
    }
}

fn holds(map: &YamlNode<'_>, found: &DuplicateKey) -> bool {
    map.entries().iter().any(|entry| entry.key.range == found.range)
}

/// What each line with a repeated key says, such as `stopped (18), running (19)`.
fn said(map: &YamlNode<'_>, key: &str) -> String {
    let entries = map.entries().iter().filter(|entry| entry.key.text().is_some_and(|text| text == key));
    let said = entries.map(|entry| {
        let value = entry.value.text().map_or("null", AsRef::as_ref);
        format!("{value} ({})", entry.key.line)
    });
    said.collect::<Vec<_>>().join(", ")
}

/// The line on which a repeated key stands first.
fn first_line(node: &YamlNode<'_>, found: &DuplicateKey) -> Option<u32> {
    if holds(node, found) {
        return node.entry(&found.key).map(|entry| entry.key.line);
    }
    let mut below = node.items().iter().chain(node.entries().iter().map(|entry| &entry.value));
    below.find_map(|node| first_line(node, found))
}

fn values_differ(map: &YamlNode<'_>, key: &str) -> bool {
    let mut values =
        map.entries().iter().filter(|e| e.key.text().is_some_and(|t| t == key)).map(|e| e.value.text());
    let first = values.next();
    values.any(|value| Some(value) != first)
}

/// V6: lines with another value that the plugin could take for a control or limit field instead of the real
/// one.
pub(crate) fn ambiguous_lines(front: &FrontMatter<'_>, root: &YamlNode<'_>, problems: &mut Vec<Problem>) {
    let control = root.get("control");
    let constraints = root.get("objective").and_then(|node| node.get("constraints"));
    let known = |field: &&str| {
        let is = |p: &Problem| p.code == ProblemCode::V6_ambiguous_field && p.path.ends_with(field);
        problems.iter().any(is)
    };
    let mut told: Vec<&str> = CONTROL_KEYS.into_iter().chain(HOOK_LIMITS).filter(known).collect();
    for hook in hook_lines(front.text, front.first_line) {
        let (section, map) =
            if hook.indent == 2 { ("control", control) } else { ("objective.constraints", constraints) };
        let real = map.and_then(|map| map.entry(hook.field));
        if real.is_some_and(|entry| entry.key.line == hook.line) {
            continue;
        }
        let meant = real.map(|entry| entry.value.text().map_or("null", AsRef::as_ref));
        let path = format!("{section}.{}", hook.field);
        if meant != Some(hook.value) && !told.contains(&hook.field) {
            told.push(hook.field);
            let problem = Problem::new(ProblemCode::V6_ambiguous_field, path).at_line(hook.line);
            problems.push(problem.with("found", hook.value).with("expected", meant.unwrap_or_default()));
        }
    }
}
