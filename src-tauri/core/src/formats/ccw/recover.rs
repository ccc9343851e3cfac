//! Shared by both recoveries: what can be saved of a damaged master, and a proposal with the origin of each
//! field (the CCW contract §16). Nothing is written here; a person agrees first.

pub(crate) mod docs;
pub(crate) mod fill;
pub(crate) mod fullness;
pub(crate) mod reading;
use crate::format::FileFacts;
use crate::times::Timestamp;
use crate::view::{Companion, CompanionKind};
use loopdeck_text::almost_json::{self, Corrected, CutText, PathPart};
use loopdeck_text::json_span::json::Json;
use std::collections::BTreeSet;

/// A proposed master.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// A valid master of this loop as JSON text.
    pub text: String,
    /// Where each field came from, in the order of the text.
    pub provenance: Vec<Provenance>,
    /// Lost fields; a person must supply or confirm them.
    pub lost: Vec<String>,
    /// How many of the newest values of the loop it has; empty and proposed ones do not count.
    pub recovered: u32,
    /// How many there are, with the lost ones that no proposal has.
    pub known: u32,
}

/// Where a field came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// Such as `skill_state.develop.tasks`.
    pub path: String,
    /// `stem`, `prefix`, `elsewhere`, `last_good`, `proposed`, `missing`, or the name of a companion such as
    /// `develop.md`. A merged list has several. `ours` and `theirs` say which side of a merge conflict was taken.
    pub source: &'static str,
}

/// The remains of a damaged file: every value that can be read, in its containers.
#[derive(Debug, Default)]
pub(crate) struct Salvage {
    pub(crate) json: Json,
    /// Paths of lost values.
    lost: Vec<Vec<PathPart>>,
    /// The lost values, and the innermost list or object in which the file breaks off.
    damaged: Vec<Vec<PathPart>>,
}

impl Salvage {
    /// Reads a file of any quality.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let (text, _) = almost_json::decode(bytes);
        almost_json::correct(&text, CutText::Lost).map(|object| Self::of(&object)).unwrap_or_default()
    }

    /// What was read of a file.
    pub(crate) fn of(object: &Corrected<'_>) -> Self {
        let lost: Vec<Vec<PathPart>> = object.lost.iter().map(|lost| lost.path.clone()).collect();
        let damaged = lost.iter().chain(&object.open).cloned().collect();
        Self { json: Json::from_node(&object.node()), lost, damaged }
    }

    /// The value at a path, unless it or a part of it is lost.
    pub(crate) fn complete_value(&self, path: &[&str]) -> Option<&Json> {
        if self.damaged.iter().any(|damaged| is_within(damaged, path)) { None } else { self.value_at(path) }
    }

    /// Whether a part of an item of the list at `path` is lost.
    pub(crate) fn is_damaged_item(&self, path: &[&str], index: usize) -> bool {
        let is_it = |damaged: &Vec<PathPart>| damaged.get(path.len()) == Some(&PathPart::Index(index));
        self.damaged.iter().any(|damaged| is_within(damaged, path) && is_it(damaged))
    }

    /// The value at a path, or its remains.
    pub(crate) fn value_at(&self, path: &[&str]) -> Option<&Json> {
        path.iter().try_fold(&self.json, |json, key| json.get(key))
    }

    /// Paths of the lost values that `proposal` doesn't have either, items by their ids.
    pub(crate) fn not_in(&self, proposal: &Json) -> Vec<String> {
        let missing = self.lost.iter().filter(|path| !path.is_empty() && !has(proposal, &self.json, path));
        missing.map(|path| self.named(path)).collect()
    }

    fn named(&self, path: &[PathPart]) -> String {
        let (mut names, mut json) = (Vec::new(), Some(&self.json));
        for part in path {
            let name = match part {
                PathPart::Key(key) => {
                    json = json.and_then(|json| json.get(key));
                    key.clone()
                }
                PathPart::Index(index) => {
                    json = json.and_then(|json| items(Some(json)).get(*index));
                    format!("[{}]", json.and_then(fullness::identity).unwrap_or_else(|| index.to_string()))
                }
            };
            names.push(name);
        }
        fullness::path_text(&names)
    }
}

fn is_within(damaged: &[PathPart], path: &[&str]) -> bool {
    let same = |(part, key): (&PathPart, &&str)| matches!(part, PathPart::Key(own) if own == key);
    damaged.len() >= path.len() && damaged.iter().zip(path).all(same)
}

/// Whether a proposal has the value at `path`, which `remains` lost. Items are the same by their ids, or else by their
/// places; a lost item is there again in a longer list.
fn has(proposal: &Json, remains: &Json, path: &[PathPart]) -> bool {
    match path {
        [] => !fill::is_open(proposal),
        [PathPart::Key(key), rest @ ..] => {
            let there =
                proposal.get(key).map(|there| has(there, remains.get(key).unwrap_or(&Json::Null), rest));
            there.unwrap_or_default()
        }
        [PathPart::Index(_)] => items(Some(proposal)).len() > items(Some(remains)).len(),
        [PathPart::Index(index), rest @ ..] => {
            let Some(own) = items(Some(remains)).get(*index) else { return false };
            let same = |item: &&Json| {
                fullness::identity(own).is_some() && fullness::identity(item) == fullness::identity(own)
            };
            let there = items(Some(proposal));
            there.iter().find(same).or_else(|| there.get(*index)).is_some_and(|item| has(item, own, rest))
        }
    }
}

/// The sources of values, in order of precedence.
pub(crate) struct CcwSources<'s> {
    /// The remains of the master itself.
    pub(crate) prefix: Salvage,
    /// The name of that source.
    pub(crate) own: &'static str,
    pub(crate) last_good: Salvage,
    pub(crate) companions: &'s [Companion],
    pub(crate) now: Timestamp,
    complete: bool,
}

/// The bytes of a master, and their name as a source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnBytes<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) source: &'static str,
}

impl<'b> OwnBytes<'b> {
    /// The damaged file itself.
    pub(crate) fn damaged(bytes: &'b [u8]) -> Self {
        Self { bytes, source: "prefix" }
    }
}

impl<'s> CcwSources<'s> {
    /// Nothing is taken from another loop's master; a complete one needs no older version.
    pub(crate) fn new(
        own: OwnBytes<'_>,
        last_good: Option<&[u8]>,
        companions: &'s [Companion],
        facts: &FileFacts<'_>,
    ) -> Self {
        let read = reading::best(own.bytes, facts.stem);
        let is_complete = read.whole(facts.stem).is_some();
        let prefix = Salvage::of(&read.object);
        let older = |bytes: &&[u8]| !is_complete && !reading::is_of_another(bytes, facts.stem);
        let last_good = last_good.filter(older).map(Salvage::from_bytes).unwrap_or_default();
        Self { prefix, own: own.source, last_good, companions, now: facts.now, complete: is_complete }
    }

    /// Whether the master itself is complete.
    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    /// The first companion of a kind.
    pub(crate) fn bytes(&self, kind: CompanionKind) -> Option<&'s [u8]> {
        let found = self.companions.iter().find(|companion| companion.kind == kind);
        found.map(|companion| companion.bytes.as_slice())
    }

    /// From the masters' remains, if `good` accepts the value for the field.
    pub(crate) fn master(&self, path: &[&str], good: impl Fn(&Json) -> bool) -> Option<(Json, &'static str)> {
        let prefix = self.prefix.complete_value(path).map(|json| (json, self.own));
        let last_good = self.last_good.complete_value(path).map(|json| (json, "last_good"));
        let found = |(json, source): (&Json, &'static str)| {
            // A number that is written as a text is clear.
            let number = json.as_text().and_then(|text| serde_json::from_str(text.trim()).ok());
            let number = number.map(|number: serde_json::Number| Json::Number(number.to_string()));
            let meant = [Some(json.clone()), number];
            meant.into_iter().flatten().find(|json| good(json)).map(|json| (json, source))
        };
        [prefix, last_good].into_iter().flatten().find_map(found)
    }

    /// The items of a list in the damaged file, with what is left of a damaged one.
    pub(crate) fn complete_items(&self, path: &[&str]) -> &[Json] {
        items(self.prefix.value_at(path))
    }

    /// The items of a list in the last good version.
    pub(crate) fn older(&self, path: &[&str]) -> &[Json] {
        items(self.last_good.value_at(path))
    }
}

fn items(json: Option<&Json>) -> &[Json] {
    if let Some(Json::List(items)) = json { items } else { &[] }
}

/// A proposal being built.
pub(crate) struct Proposal {
    json: Json,
    prefix: String,
    provenance: Vec<Provenance>,
    lost: Vec<String>,
}

impl Proposal {
    /// An object whose fields have paths below `prefix`.
    pub(crate) fn new(prefix: &str) -> Self {
        let json = Json::Object(Vec::new());
        Self { json, prefix: prefix.to_owned(), provenance: Vec::new(), lost: Vec::new() }
    }

    /// A field and its source.
    pub(crate) fn put(&mut self, key: &str, (value, source): (Json, &'static str)) {
        self.put_together(key, value, &[source]);
    }

    /// A field that comes from several sources.
    pub(crate) fn put_together(&mut self, key: &str, value: Json, sources: &[&'static str]) {
        let path = format!("{}{key}", self.prefix);
        if sources.iter().any(|source| matches!(*source, "proposed" | "missing")) {
            self.lost.push(path.clone());
        }
        self.json.set(key, value);
        self.provenance.extend(sources.iter().map(|source| Provenance { path: path.clone(), source }));
    }

    /// The value of a field that was put.
    pub(crate) fn get(&self, key: &str) -> Option<&Json> {
        self.json.get(key)
    }

    /// Records something that cannot be restored.
    pub(crate) fn lose(&mut self, path: &str) {
        self.lost.push(format!("{}{path}", self.prefix));
    }

    /// A section with its own fields.
    pub(crate) fn nest(&mut self, key: &str, inner: Proposal) {
        self.json.set(key, inner.json);
        self.provenance.extend(inner.provenance);
        self.lost.extend(inner.lost);
    }

    /// Fields of the masters that no rule covers. From the last good version, only those after everything
    /// that the damaged file still has: anything before that was removed since.
    pub(crate) fn others(&mut self, sources: &CcwSources<'_>, path: &[&str], left_out: &[&str]) {
        let still_there = sources.prefix.value_at(path).map(Json::members).unwrap_or_default();
        let still_there: BTreeSet<&str> = still_there.iter().map(|(key, _)| key.as_str()).collect();
        for (salvage, source) in [(&sources.prefix, sources.own), (&sources.last_good, "last_good")] {
            let members = salvage.value_at(path).map(Json::members).unwrap_or_default();
            let last = members.iter().rposition(|(key, _)| still_there.contains(key.as_str()));
            let start = if source == "last_good" { last.map_or(0, |last| last + 1) } else { 0 };
            let known: BTreeSet<&str> = self.json.members().iter().map(|(key, _)| key.as_str()).collect();
            let is_new = |key: &str| !known.contains(key) && !left_out.contains(&key);
            let mut new: Vec<_> = members[start..].iter().filter(|(key, _)| is_new(key)).cloned().collect();
            for (key, value) in &mut new {
                let path: Vec<&str> = path.iter().copied().chain([key.as_str()]).collect();
                self.provenance.push(Provenance { path: format!("{}{key}", self.prefix), source });
                // What it lost, an older version may have.
                if salvage.complete_value(&path).is_none()
                    && let Some(older) = sources.last_good.value_at(&path)
                    && fill::fill(value, older)
                {
                    let source = "last_good";
                    self.provenance.push(Provenance { path: format!("{}{key}", self.prefix), source });
                }
            }
            if let Json::Object(own) = &mut self.json {
                own.extend(new);
            }
        }
    }

    pub(crate) fn finish(self) -> Recovery {
        let mut lost: Vec<String> = Vec::new();
        for path in self.lost {
            if !lost.contains(&path) {
                lost.push(path);
            }
        }
        let text = self.json.pretty() + "\n";
        Recovery { text, provenance: self.provenance, lost, ..Recovery::default() }
    }
}

/// A finite number of at least `least`.
pub(crate) fn is_number(json: &Json, least: f64) -> bool {
    let Json::Number(text) = json else { return false };
    text.parse().is_ok_and(|number: f64| number.is_finite() && number >= least)
}

/// A text that is not blank.
pub(crate) fn is_text(json: &Json) -> bool {
    json.as_text().is_some_and(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_can_be_read_is_saved() {
        let salvage = Salvage::from_bytes(
            b"{\"a\":1,\"s\":{\"b\":\"x\",\"l\":[{\"id\":\"p\",\"k\":@,\"n\":3},{\"i\":2,\"k\":",
        );
        assert_eq!(
            salvage.json.compact(),
            "{\"a\":1,\"s\":{\"b\":\"x\",\"l\":[{\"id\":\"p\",\"n\":3},{\"i\":2}]}}"
        );
        assert!(salvage.complete_value(&["s", "l"]).is_none() && salvage.complete_value(&["s"]).is_none());
        assert_eq!(salvage.complete_value(&["s", "b"]), Some(&Json::text("x")));
        assert!(salvage.is_damaged_item(&["s", "l"], 0) && salvage.is_damaged_item(&["s", "l"], 1));
        assert_eq!(salvage.not_in(&salvage.json), ["s.l[p].k", "s.l[1].k"]);
        let older = Salvage::from_bytes(b"{\"s\":{\"l\":[{\"i\":0},{\"id\":\"p\",\"k\":4}]}}");
        assert_eq!(salvage.not_in(&older.json), [""; 0], "by its id, and by its place");
        let tail = Salvage::from_bytes(b"{\"a\":1}  \"b\": 2}\xff");
        assert_eq!((tail.json.compact().as_str(), tail.lost.len()), ("{\"a\":1}", 0));
        assert_eq!(Salvage::from_bytes(b"\xff").json, Json::Null);
    }
}
