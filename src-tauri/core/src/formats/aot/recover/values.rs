//! What a section keeps when one of its values cannot stay: the value becomes what it clearly means, or is left out alone.

use crate::formats::aot::edit::canonical;
use crate::formats::aot::read::state::{self, strict_integer, unreadable_in_ids};
use loopdeck_text::yaml_span::{Entry, ScalarForm, YamlKind, YamlNode};
use std::collections::{HashMap, HashSet};

const CONTROL: [&str; 4] = ["pending", "running", "stopped", "completed"];
const ATOM: [&str; 3] = ["pending", "in_progress", "resolved"];
/// Fields that name atoms.
const NAMES: [&str; 7] =
    ["depends_on", "decomposed_from", "parent", "children", "choices", "selected", "failed"];

/// A section without the values that cannot stay.
pub(crate) struct ReadableSection {
    pub(crate) entry: Entry<'static>,
    /// Paths of what was left out or made up.
    pub(crate) lost: Vec<String>,
    /// Ids that no reader of the format takes, with those that took their place.
    pub(crate) renamed: Vec<(String, String)>,
}

/// What of a section can stay.
pub(crate) fn readable(entry: &Entry<'_>) -> ReadableSection {
    let entry = Entry { key: entry.key.detached(), value: entry.value.detached() };
    let name = state::text(Some(&entry.key)).into_owned();
    let mut section = ReadableSection { entry, lost: Vec::new(), renamed: Vec::new() };
    let value = &mut section.entry.value;
    simple(value, &name, &mut section.lost);
    match name.as_str() {
        "control" => control(value, &mut section.lost),
        "objective" => constraints(value, &mut section.lost),
        "atoms" => atoms(value, &mut section.lost, &mut section.renamed),
        _ => {}
    }
    section
}

/// No anchors, tags and merge keys, and each key once: the first, which the plugin takes.
fn simple(node: &mut YamlNode<'static>, path: &str, lost: &mut Vec<String>) {
    (node.anchor, node.tagged) = (0, false);
    match &mut node.kind {
        YamlKind::Scalar(..) => {}
        YamlKind::Alias(_) => {
            lost.push(path.to_owned());
            node.kind = YamlKind::Scalar("".into(), ScalarForm::Plain);
        }
        YamlKind::Seq(items, _) => {
            for (index, item) in items.iter_mut().enumerate() {
                let path = path_of(item, path, index);
                simple(item, &path, lost);
            }
        }
        YamlKind::Map(entries, _) => {
            merge(entries, path, lost);
            let mut first: HashMap<String, String> = HashMap::with_capacity(entries.len());
            entries.retain(|entry| {
                let (key, value) = (state::text(Some(&entry.key)), state::text(Some(&entry.value)));
                match first.get(key.as_ref()) {
                    Some(known) if !known.is_empty() && *known == *value => false,
                    Some(_) => {
                        lost.push(format!("{path}.{key}"));
                        false
                    }
                    None => first.insert(key.into_owned(), value.into_owned()).is_none(),
                }
            });
            for entry in entries {
                (entry.key.anchor, entry.key.tagged) = (0, false);
                let path = format!("{path}.{}", state::text(Some(&entry.key)));
                simple(&mut entry.value, &path, lost);
            }
        }
    }
}

/// The fields of merged maps, where the map has none of its own.
fn merge(entries: &mut Vec<Entry<'static>>, path: &str, lost: &mut Vec<String>) {
    let is_merge = |entry: &Entry<'_>| entry.key.text().is_some_and(|key| key == "<<");
    let merged: Vec<Entry<'static>> = entries.extract_if(.., |entry| is_merge(entry)).collect();
    for Entry { value, .. } in merged {
        if !value.is_map() {
            lost.push(format!("{path}.<<"));
        }
        for field in value.entries() {
            if !entries.iter().any(|own| own.key.text() == field.key.text()) {
                entries.push(field.clone());
            }
        }
    }
}

fn path_of(item: &YamlNode<'_>, path: &str, index: usize) -> String {
    match item.get("id").and_then(YamlNode::text).filter(|id| !id.is_empty()) {
        Some(id) => format!("{path}.{id}"),
        None => format!("{path}[{index}]"),
    }
}

fn put(map: &mut YamlNode<'static>, key: &'static str, text: String) {
    let written = YamlNode::written(text, ScalarForm::Plain, 0);
    if let Some(value) = map.get_mut(key) {
        *value = written;
    } else if let YamlKind::Map(entries, _) = &mut map.kind {
        entries.push(Entry { key: YamlNode::written(key, ScalarForm::Plain, 0), value: written });
    }
}

/// The number that a text means; `None` when that is not clear.
fn whole(text: &str) -> Option<i64> {
    let text = text.trim();
    let number = text.parse().ok().or_else(|| text.strip_suffix(".0")?.parse().ok());
    // In YAML 1.1 this is an octal number, which nobody means here.
    number.filter(|_| text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.".contains(&byte)))
}

fn number(
    map: &mut YamlNode<'static>,
    key: &'static str,
    (least, usual): (i64, i64),
    path: &str,
    lost: &mut Vec<String>,
) {
    let Some(value) = map.get(key).filter(|value| !value.is_null()) else { return };
    let text = value.text().map(AsRef::as_ref).unwrap_or_default();
    if strict_integer(text, least < 0).is_some_and(|number| number >= least) {
        return;
    }
    let meant = whole(text).filter(|number| *number >= least);
    if meant.is_none() {
        lost.push(format!("{path}.{key}"));
    }
    put(map, key, meant.unwrap_or(usual).to_string());
}

fn control(map: &mut YamlNode<'static>, lost: &mut Vec<String>) {
    if !map.is_map() {
        return;
    }
    for (key, rule) in [("iteration", (0, 0)), ("stall_count", (0, 0)), ("prev_pending_count", (-1, -1))] {
        number(map, key, rule, "control", lost);
    }
    let status = word(map, &CONTROL);
    // What takes its place is decided where the whole section is known.
    put(map, "status", status.unwrap_or("unknown").to_owned());
}

fn constraints(objective: &mut YamlNode<'static>, lost: &mut Vec<String>) {
    let Some(map) = objective.get_mut("constraints") else { return };
    let usual = state::MAX_PARALLEL_AND_STALLS;
    for (key, usual) in [
        ("max_iterations", state::MAX_ITERATIONS),
        ("max_parallel_agents", usual),
        ("max_stall_count", usual),
    ] {
        number(map, key, (1, usual), "objective.constraints", lost);
    }
}

/// The status that a map has, in any case.
fn word(map: &YamlNode<'_>, words: &[&'static str]) -> Option<&'static str> {
    let said = map.get("status").and_then(YamlNode::text)?.trim().to_lowercase();
    words.iter().copied().find(|word| *word == said)
}

fn atoms(list: &mut YamlNode<'static>, lost: &mut Vec<String>, renamed: &mut Vec<(String, String)>) {
    let YamlKind::Seq(items, _) = &mut list.kind else { return };
    let mut index = 0;
    items.retain_mut(|item| {
        index += 1;
        if let Some(text) = item.text().map(|text| text.clone().into_owned()) {
            *item = YamlNode::written_map(Vec::new(), 0);
            put(item, "description", text);
        }
        if !item.is_map() {
            lost.push(format!("atoms[{}]", index - 1));
        }
        item.is_map()
    });
    let id_of = |item: &YamlNode<'_>| state::text(item.get("id")).into_owned();
    let given: HashSet<String> = items.iter().map(&id_of).collect();
    let mut used: HashSet<String> = HashSet::new();
    for item in items {
        let id = id_of(item);
        let sound = !id.is_empty() && !id.contains(unreadable_in_ids);
        let own = if sound && used.insert(id.clone()) {
            id
        } else {
            let is_free = |name: &String| !given.contains(name) && !used.contains(name);
            let own = if id.is_empty() {
                (1..).map(|number| format!("A{number}")).find(is_free)
            } else {
                let letter = |letter| if unreadable_in_ids(letter) { '_' } else { letter };
                let begin: String = id.chars().map(letter).collect();
                let numbered = (2..).map(|number| format!("{begin}_{number}"));
                std::iter::once(begin.clone()).chain(numbered).find(is_free)
            };
            let own = own.unwrap_or_default();
            if !sound && !id.is_empty() {
                renamed.push((id, own.clone()));
            }
            lost.push(format!("atoms.{own}.id"));
            put(item, "id", own.clone());
            used.insert(own.clone());
            own
        };
        match word(item, &ATOM) {
            Some(word) => put(item, "status", word.to_owned()),
            None => {
                lost.push(format!("atoms.{own}.status"));
                put(item, "status", "pending".to_owned());
            }
        }
    }
}

/// The file with other values in canonical sections.
fn relaid(text: &str, change: impl FnOnce(&mut YamlNode<'static>)) -> Option<String> {
    let document = state::read(text.as_bytes()).ok()?;
    let mut root = document.root().detached();
    change(&mut root);
    let front: Option<Vec<String>> = root.entries().iter().map(canonical::section).collect();
    Some(format!("---\n{}---\n{}", front?.join("\n"), &text[document.front.body.start..]))
}

/// The file with these ids renamed wherever they are named.
pub(crate) fn rename(text: &str, renamed: &[(String, String)]) -> Option<String> {
    let new = |old: &str| renamed.iter().find(|(known, _)| known == old).map(|(_, new)| new.clone());
    relaid(text, |root| {
        let YamlKind::Map(sections, _) = &mut root.kind else { return };
        for section in sections {
            let is_bindings = section.key.text().is_some_and(|name| name == "bindings");
            if let (true, YamlKind::Map(bindings, _)) = (is_bindings, &mut section.value.kind) {
                for binding in bindings {
                    if let Some(new) = binding.key.text().and_then(|id| new(id)) {
                        binding.key = YamlNode::written(new, ScalarForm::Plain, 0);
                    }
                }
            } else {
                names(&mut section.value, false, &new);
            }
        }
    })
}

fn names(node: &mut YamlNode<'static>, is_name: bool, new: &impl Fn(&str) -> Option<String>) {
    match &mut node.kind {
        YamlKind::Scalar(text, _) => {
            if let Some(new) = new(text).filter(|_| is_name) {
                *node = YamlNode::written(new, ScalarForm::Plain, 0);
            }
        }
        YamlKind::Seq(items, _) => items.iter_mut().for_each(|item| names(item, is_name, new)),
        YamlKind::Map(entries, _) => {
            for entry in entries {
                let named = entry.key.text().is_some_and(|key| NAMES.contains(&key.as_ref()));
                names(&mut entry.value, named, new);
            }
        }
        YamlKind::Alias(_) => {}
    }
}

/// The file without one dependency of a `cycle` (ids joined by arrows), and the path of what was left out.
pub(crate) fn without_a_dependency(text: &str, cycle: &str) -> Option<(String, String)> {
    let ids: Vec<&str> = cycle.split(" -> ").collect();
    let mut dropped = None;
    let text = relaid(text, |root| {
        let Some(YamlKind::Seq(atoms, _)) = root.get_mut("atoms").map(|list| &mut list.kind) else { return };
        // The last ones close the circle.
        for (one, other) in ids.windows(2).rev().flat_map(|pair| [(pair[0], pair[1]), (pair[1], pair[0])]) {
            let atom = atoms.iter_mut().find(|atom| state::text(atom.get("id")) == one);
            let needs = atom.and_then(|atom| atom.get_mut("depends_on"));
            let Some(needs) = needs.filter(|needs| state::texts(Some(&**needs)).iter().any(|id| id == other))
            else {
                continue;
            };
            match &mut needs.kind {
                YamlKind::Seq(items, _) => items.retain(|item| state::text(Some(item)) != other),
                _ => needs.kind = YamlKind::Scalar("".into(), ScalarForm::Plain),
            }
            dropped = Some(format!("atoms.{one}.depends_on"));
            return;
        }
    })?;
    Some((text, dropped?))
}

/// Tabs at the start of lines, which YAML forbids, become the blanks that the lines around them have.
pub(crate) fn untabbed(front: &str) -> String {
    let mut out = String::with_capacity(front.len());
    let mut known: Vec<(&str, usize)> = Vec::new();
    let (mut column, mut opens) = (0, false);
    for line in front.split_inclusive('\n') {
        let rest = line.trim_start_matches([' ', '\t']);
        let indent = &line[..line.len() - rest.len()];
        if rest.trim().is_empty() {
            out.push_str(rest);
            continue;
        }
        let own = if indent.contains('\t') {
            let found = known.iter().find(|(one, _)| *one == indent).map(|(_, column)| *column);
            let own = found.unwrap_or(if opens { column + 2 } else { column });
            if found.is_none() {
                known.push((indent, own));
            }
            own
        } else {
            indent.len()
        };
        if own == 0 {
            known.clear();
        }
        out.push_str(&" ".repeat(own));
        out.push_str(rest);
        column = own + if rest.starts_with("- ") { 2 } else { 0 };
        opens = rest.trim_end().ends_with(':');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tab_becomes_the_blanks_of_its_neighbours() {
        let tabs = "control:\n\tstatus: x\nobjective:\n\tconstraints:\n\t\tmax: 1\n\tgoal: y\natoms:\n  - id: A1\n\tstatus: z\n\n";
        let blanks = "control:\n  status: x\nobjective:\n  constraints:\n    max: 1\n  goal: y\natoms:\n  - id: A1\n    status: z\n\n";
        assert_eq!(untabbed(tabs), blanks);
        assert_eq!(untabbed(blanks), blanks);
    }

    #[test]
    fn what_a_number_means_is_kept_when_it_is_clear() {
        for (text, meant) in [("08", Some(8)), ("5.0", Some(5)), (" 7 ", Some(7)), ("+3", Some(3))] {
            assert_eq!(whole(text), meant, "{text}");
        }
        for text in ["", "ten", "1e3", "X[$(id)]", "5.5", "99999999999999999999"] {
            assert_eq!(whole(text), None, "{text}");
        }
    }
}
