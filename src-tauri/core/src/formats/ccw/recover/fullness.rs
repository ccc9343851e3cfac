//! How much of a loop a proposal restores, and what it lacks. Every non-empty value counts once; list items
//! are identified by their ids, so that a task is the same task in every proposal.

use crate::formats::ccw::recover::Recovery;
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::Node;
use std::collections::{BTreeMap, BTreeSet};

/// Values by their path.
pub(crate) type Leaves = BTreeMap<Vec<String>, String>;

/// Most places that are named.
const MOST_NAMED: usize = 40;

/// The values of `json` that are not empty.
pub(crate) fn leaves(json: &Json) -> Leaves {
    let mut found = Leaves::new();
    gather(json, &mut Vec::new(), &mut found);
    found
}

fn gather(json: &Json, path: &mut Vec<String>, found: &mut Leaves) {
    let value = match json {
        Json::Object(members) => {
            for (key, value) in members {
                path.push(key.clone());
                gather(value, path, found);
                path.pop();
            }
            return;
        }
        Json::List(items) => {
            let mut seen = BTreeSet::new();
            for (index, item) in items.iter().enumerate() {
                let own = identity(item).filter(|own| seen.insert(own.clone()));
                path.push(format!("[{}]", own.unwrap_or_else(|| index.to_string())));
                gather(item, path, found);
                path.pop();
            }
            return;
        }
        Json::Null => return,
        Json::Text(text) if text.trim().is_empty() => return,
        Json::Number(text) => text.parse().map_or_else(|_| text.clone(), |number: f64| number.to_string()),
        Json::Text(text) => text.clone(),
        Json::Bool(flag) => flag.to_string(),
    };
    found.insert(path.clone(), value);
}

/// What identifies a list item: its id, its name, or its run.
pub(crate) fn identity(item: &Json) -> Option<String> {
    let text = |key: &str| item.get(key).and_then(Json::as_text).filter(|text| !text.trim().is_empty());
    if let Some(id) = text("id").or_else(|| text("task_id")) {
        return Some(id.to_owned());
    }
    if let Some(name) = text("test_name") {
        return Some(format!("{}/{name}", text("suite").unwrap_or_default()));
    }
    let Some(Json::Number(iteration)) = item.get("iteration") else { return None };
    Some(format!("{iteration} {}", text("timestamp").unwrap_or_default()).trim().to_owned())
}

/// The values of a proposal that are not made up.
pub(crate) fn given_values(recovery: &Recovery) -> Leaves {
    let json = Node::parse(recovery.text.as_bytes()).map(|node| Json::from_node(&node)).unwrap_or_default();
    let made_up: BTreeSet<Vec<&str>> = recovery
        .provenance
        .iter()
        .filter(|field| matches!(field.source, "proposed" | "missing" | "stem"))
        .map(|field| field.path.split('.').collect())
        .collect();
    let mut found = leaves(&json);
    found.retain(|path, _| {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        (1..=path.len()).all(|end| !made_up.contains(&path[..end]))
    });
    found
}

/// How many of the newest values a proposal has.
pub(crate) fn shared(own: &Leaves, newest: &Leaves) -> usize {
    newest.iter().filter(|(path, value)| own.get(*path) == Some(*value)).count()
}

/// What `own` lacks of `newest`, named by the largest parts that are completely missing.
pub(crate) fn lacks(own: &Leaves, newest: &Leaves) -> Vec<String> {
    let there: BTreeSet<&[String]> =
        own.keys().flat_map(|path| (1..=path.len()).map(|end| &path[..end])).collect();
    let gone = |depth: usize| -> Vec<String> {
        let (mut named, mut seen) = (Vec::new(), BTreeSet::new());
        for path in newest.keys().filter(|path| !own.contains_key(*path)) {
            let whole = (1..path.len()).find(|end| !there.contains(&path[..*end])).unwrap_or(path.len());
            let name = path_text(&path[..whole.min(depth)]);
            if seen.insert(name.clone()) {
                named.push(name);
            }
        }
        named
    };
    let each = gone(usize::MAX);
    if each.len() > MOST_NAMED { gone(3) } else { each }
}

/// Each part once, and none within another.
pub(crate) fn largest(paths: &[String]) -> Vec<String> {
    let all: BTreeSet<&str> = paths.iter().map(String::as_str).collect();
    let is_within = |path: &str| {
        let ends = path.char_indices().filter(|(_, letter)| matches!(letter, '.' | '[')).map(|(at, _)| at);
        ends.into_iter().any(|end| all.contains(&path[..end]))
    };
    let mut seen = BTreeSet::new();
    let kept = paths.iter().filter(|path| !is_within(path) && seen.insert(path.as_str()));
    kept.cloned().collect()
}

/// A path as it is shown.
pub(crate) fn path_text(path: &[String]) -> String {
    let mut text = String::new();
    for part in path {
        if !text.is_empty() && !part.starts_with('[') {
            text.push('.');
        }
        text.push_str(part);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Leaves {
        leaves(&Json::from_node(&Node::parse(text.as_bytes()).expect("JSON")))
    }

    #[test]
    fn what_is_gone_is_named_by_its_largest_part() {
        let newest = of(
            "{\"a\":1,\"s\":{\"tasks\":[{\"id\":\"x\",\"d\":\"t\"},{\"id\":\"y\",\"d\":\"u\"}],\"sum\":{\"n\":1,\"m\":2}},\"e\":\"\",\"l\":[]}",
        );
        assert_eq!(newest.len(), 7, "empty values are none");
        assert_eq!(
            lacks(&of("{\"a\":2,\"s\":{\"tasks\":[{\"id\":\"y\",\"d\":\"v\"}]}}"), &newest),
            ["s.sum", "s.tasks[x]"]
        );
        assert_eq!(
            lacks(
                &of("{\"s\":{\"tasks\":[{\"id\":\"x\"},{\"id\":\"y\",\"d\":\"u\"}],\"sum\":{\"m\":2}}}"),
                &newest
            ),
            ["a", "s.sum.n", "s.tasks[x].d"]
        );
        assert_eq!(lacks(&of("{}"), &newest), ["a", "s"]);
        assert_eq!(shared(&of("{\"a\":1.0,\"s\":{\"sum\":{\"n\":3}}}"), &newest), 1);
    }

    #[test]
    fn a_run_is_known_by_its_iteration_and_time() {
        let run = "{\"iteration\":2,\"timestamp\":\"t\",\"tests\":[{\"test_name\":\"n\",\"suite\":\"s\",\"status\":\"passed\"}]}";
        let found = of(&format!("[{run},{run}]"));
        assert!(found.keys().any(|path| path_text(path) == "[2 t].tests[s/n].status"), "{found:?}");
        assert!(found.keys().any(|path| path_text(path).starts_with("[1].")), "twice the same: by place");
    }
}
