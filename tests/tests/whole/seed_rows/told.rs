//! The traces of a loop: every version of its state file, the files next to it, and its page.

use loopdeck_tests::driving::Driven;
use loopdeck_tests::live::{Live, ROOT};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// One loop after its work.
pub(crate) struct Told {
    /// All written versions, oldest first.
    pub(crate) states: Vec<Value>,
    /// Files of the loop by their path below the root, without the state file.
    pub(crate) files: BTreeMap<String, String>,
    /// The page as sent to the window: `row` and `detail`.
    pub(crate) page: Value,
    /// Single tests of each run, oldest run first.
    pub(crate) tests: Value,
    /// File stem.
    pub(crate) id: String,
}

impl Told {
    /// The loop in `name`, driven or not.
    pub(crate) fn of(live: &Live, name: &str) -> Self {
        let key = live.key(name);
        let runtime = &live.runtime;
        let mut versions = runtime.history(&key, 1_000).expect("a history");
        versions.reverse();
        let source = |id| runtime.version_source(&key, id, 1, 20_000).expect("its text").lines.join("\n");
        let mut states: Vec<Value> =
            versions.iter().filter_map(|version| serde_json::from_str(&source(version.id)).ok()).collect();
        states.push(serde_json::from_str(&live.read(name)).expect("JSON"));
        let page = serde_json::to_value(runtime.read_loop(&key).expect("a page")).expect("JSON");
        let tests = serde_json::to_value(runtime.test_runs(&key).unwrap_or_default()).expect("JSON");
        let id = name.trim_end_matches(".json").to_owned();
        let mut files = BTreeMap::new();
        collect(&live.workspace.join(ROOT), "", &id, &mut files);
        Self { states, files, page, tests, id }
    }

    pub(crate) fn of_driven(driven: &Driven, name: &str) -> Self {
        Self::of(&driven.live, name)
    }

    /// The final state file.
    pub(crate) fn last(&self) -> &Value {
        self.states.last().expect("a state")
    }

    /// A value of the last version, by JSON pointer.
    pub(crate) fn at(&self, pointer: &str) -> &Value {
        self.last().pointer(pointer).unwrap_or(&Value::Null)
    }

    /// Whether some version had this value there.
    pub(crate) fn was(&self, pointer: &str, value: &Value) -> bool {
        self.states.iter().any(|state| state.pointer(pointer) == Some(value))
    }

    /// The versions before and after each change of `pointer` to `value`.
    pub(crate) fn changes(&self, pointer: &str, value: &Value) -> Vec<(&Value, &Value)> {
        let to = |state: &Value| state.pointer(pointer) == Some(value);
        let pairs = self.states.windows(2).map(|pair| (&pair[0], &pair[1]));
        pairs.filter(|(before, after)| !to(before) && to(after)).collect()
    }

    /// A file next to the state file: `progress/develop.md`, `workers/init.output.json`, `tasks.jsonl`.
    pub(crate) fn file(&self, name: &str) -> &str {
        self.files.get(name).unwrap_or_else(|| panic!("no {name} among {:?}", self.files.keys()))
    }

    /// Whether the page shows this value anywhere.
    pub(crate) fn shows(&self, value: &Value) -> bool {
        contains(&self.page, value) || contains(&self.tests, value)
    }

    /// The page's value at this place: a pointer such as `/row/title`, or the name of a fact such as `mode`.
    pub(crate) fn place(&self, place: &str) -> &Value {
        if place.starts_with('/') {
            return self.page.pointer(place).unwrap_or(&Value::Null);
        }
        let facts =
            ["/facts", "/summary"].into_iter().filter_map(|list| self.detail(list).as_array()).flatten();
        let mut named = facts.filter(|fact| fact["name"] == place);
        named.next().and_then(|fact| fact.pointer("/value/value")).unwrap_or(&Value::Null)
    }

    /// Part of the page.
    pub(crate) fn detail(&self, pointer: &str) -> &Value {
        self.page["detail"].pointer(pointer).unwrap_or(&Value::Null)
    }
}

fn collect(root: &Path, below: &str, id: &str, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(root.join(below)).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        if entry.path().is_dir() {
            collect(root, &path, id, files);
        } else if let Some(rest) = path.strip_prefix(id)
            && rest != ".json"
        {
            let text = fs::read(entry.path()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            files.insert(rest.trim_start_matches(['.', '/']).to_owned(), text.unwrap_or_default());
        }
    }
}

/// Whether the page shows this value of the file. A time is compared by its text in the file.
pub(crate) fn same(shown: &Value, value: &Value) -> bool {
    let shown = shown.get("text").unwrap_or(shown);
    match (shown, value) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (one, other) => one == other,
    }
}

/// Whether `value` is in `tree`; numbers also as text and within a longer text.
pub(crate) fn contains(tree: &Value, value: &Value) -> bool {
    let same = match (tree, value) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::String(one), Value::Number(other)) => *one == other.to_string(),
        (Value::String(one), Value::String(other)) => one.contains(other.as_str()),
        (one, other) => one == other,
    };
    same || match tree {
        Value::Array(items) => items.iter().any(|item| contains(item, value)),
        Value::Object(fields) => fields.values().any(|field| contains(field, value)),
        _ => false,
    }
}

/// Files of the actual work: the scripted agent counts its starts in a separate file.
pub(crate) fn worked_on(files: &Value) -> Vec<&str> {
    let names = files.as_array().into_iter().flatten().filter_map(Value::as_str);
    names.filter(|name| !name.starts_with(".scripted-agent")).collect()
}
