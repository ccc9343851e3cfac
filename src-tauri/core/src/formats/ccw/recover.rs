//! Shared by both recoveries: what can be saved of a damaged master, and a proposal with the origin of each
//! field (the CCW contract §16). Nothing is written here; a person agrees first.

pub(crate) mod docs;
pub(crate) mod fill;
pub(crate) mod fullness;
pub(crate) mod reading;
use crate::format::FileFacts;
use crate::times::Timestamp;
use crate::view::{Companion, CompanionKind};
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::scan::{Fault, Reader, ScanError, ValueKind};
use reading::first_value;
use std::collections::{BTreeMap, BTreeSet};

/// A proposed master.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// A valid master of this loop as JSON text.
    pub text: String,
    /// Where each field came from, in the order of the text.
    pub provenance: Vec<Provenance>,
    /// Lost fields; a person must supply or confirm them.
    pub lost: Vec<String>,
    /// How many of the newest known values of the loop it has; empty and proposed ones do not count.
    pub recovered: u32,
    /// How many there are.
    pub known: u32,
}

/// Where a field came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// Such as `skill_state.develop.tasks`.
    pub path: String,
    /// `stem`, `prefix`, `elsewhere`, `last_good`, `proposed`, `missing`, or the name of a companion such as
    /// `develop.md`. A merged list has several.
    pub source: &'static str,
}

/// The remains of a truncated or overwritten file.
#[derive(Debug, Default)]
pub(crate) struct Salvage {
    /// Everything complete, in its containers.
    pub(crate) json: Json,
    /// The keys down to where it breaks off; empty if it is complete.
    pub(crate) cut: Vec<String>,
}

impl Salvage {
    /// Reads as far as the bytes are JSON.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
        let mut salvage = Self::default();
        if let Ok(mut reader) = Reader::new(&bytes[..valid]) {
            salvage.json = salvage.value(&mut reader).unwrap_or_else(|partial| partial).unwrap_or_default();
            salvage.cut.reverse();
        }
        salvage
    }

    /// The value, or its remains as an error.
    fn value(&mut self, reader: &mut Reader<'_>) -> Result<Option<Json>, Option<Json>> {
        let stop = || ScanError { fault: Fault::UnexpectedEnd, offset: 0 };
        match reader.peek() {
            Ok(ValueKind::Object) => {
                let mut members = Vec::new();
                let read = reader.object(|value, key| match self.value(value) {
                    Ok(json) => {
                        members.push((key.name.into_owned(), json.unwrap_or_default()));
                        Ok(())
                    }
                    Err(partial) => {
                        members.extend(partial.map(|json| (key.name.to_string(), json)));
                        self.cut.push(key.name.into_owned());
                        Err(stop())
                    }
                });
                let object = Json::Object(last_of_each(members));
                if read.is_ok() { Ok(Some(object)) } else { Err(Some(object)) }
            }
            Ok(ValueKind::List) => self.items(reader),
            Ok(_) => {
                let node = loopdeck_text::json_span::tree::Node::read(reader).map_err(|_| None)?;
                Ok(Some(Json::from_node(&node)))
            }
            Err(_) => Err(None),
        }
    }

    /// The complete items of an array.
    fn items(&mut self, reader: &mut Reader<'_>) -> Result<Option<Json>, Option<Json>> {
        let mut items = Vec::new();
        let read = reader.list(|item| match self.value(item) {
            Ok(json) => {
                items.extend(json);
                Ok(())
            }
            // A truncated item is dropped.
            Err(_) => {
                self.cut.clear();
                Err(ScanError { fault: Fault::UnexpectedEnd, offset: 0 })
            }
        });
        if read.is_ok() { Ok(Some(Json::List(items))) } else { Err(Some(Json::List(items))) }
    }

    /// The value at a path, unless it breaks off there.
    pub(crate) fn complete_value(&self, path: &[&str]) -> Option<&Json> {
        let cut = !self.cut.is_empty() && self.cut.iter().zip(path).all(|(cut, key)| cut == key);
        if cut && self.cut.len() >= path.len() {
            return None;
        }
        self.value_at(path)
    }

    /// Whether the value of `key` in the object at `path` is incomplete.
    fn breaks_at(&self, path: &[&str], key: &str) -> bool {
        let cut = self.cut.iter().map(String::as_str);
        cut.take(path.len() + 1).eq(path.iter().copied().chain([key]))
    }

    /// The value at a path, or its remains.
    pub(crate) fn value_at(&self, path: &[&str]) -> Option<&Json> {
        path.iter().try_fold(&self.json, |json, key| json.get(key))
    }
}

/// Of two equal keys the last one counts.
fn last_of_each(members: Vec<(String, Json)>) -> Vec<(String, Json)> {
    let last: BTreeMap<String, usize> =
        members.iter().enumerate().map(|(index, (key, _))| (key.clone(), index)).collect();
    let members = members.into_iter().enumerate();
    members.filter(|(index, (key, _))| last[key] == *index).map(|(_, member)| member).collect()
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
        let prefix = Salvage::from_bytes(&read);
        let is_complete = prefix.cut.is_empty() && first_value(&read).is_some();
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
        let found = [prefix, last_good].into_iter().flatten().find(|(json, _)| good(json));
        found.map(|(json, source)| (json.clone(), source))
    }

    /// The complete items of a list that breaks off in the damaged file.
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
            let is_new =
                |key: &str| !known.contains(key) && !left_out.contains(&key) && !salvage.breaks_at(path, key);
            let new: Vec<_> = members[start..].iter().filter(|(key, _)| is_new(key)).cloned().collect();
            for (key, _) in &new {
                self.provenance.push(Provenance { path: format!("{}{key}", self.prefix), source });
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
    fn everything_before_the_cut_is_saved() {
        let salvage = Salvage::from_bytes(b"{\"a\":1,\"s\":{\"b\":\"x\",\"l\":[{\"i\":1},{\"i\":2,\"k\":");
        assert_eq!(salvage.json.compact(), "{\"a\":1,\"s\":{\"b\":\"x\",\"l\":[{\"i\":1}]}}");
        assert_eq!(salvage.cut, ["s", "l"]);
        assert!(salvage.complete_value(&["s", "l"]).is_none() && salvage.complete_value(&["s"]).is_none());
        assert_eq!(salvage.complete_value(&["s", "b"]), Some(&Json::text("x")));
        assert_eq!(salvage.value_at(&["s", "l"]).map(Json::compact).as_deref(), Some("[{\"i\":1}]"));
        let tail = Salvage::from_bytes(b"{\"a\":1}  \"b\": 2}\xff");
        assert_eq!((tail.json.compact().as_str(), tail.cut.len()), ("{\"a\":1}", 0));
        assert_eq!(Salvage::from_bytes(b"\xff").json, Json::Null);
    }
}
