//! Instrumentation of DEBUG: what an agent's log statements wrote to `debug.log`, and the mark for finding
//! them again (the CCW contract §17; seeds 000 and 001, "debug.log").

use crate::formats::ccw::progress_docs::ndjson;
use loopdeck_agents::answers::is_id;
use loopdeck_text::json_span::json::Json;
use loopdeck_text::shorten;
use std::collections::BTreeMap;

pub use loopdeck_agents::prompts::{MARK, VARIABLE};
/// Bytes of the log that are read, from its end.
pub const MOST_BYTES: u64 = 1 << 20;
/// How many of the newest log entries become evidence of a hypothesis.
pub const MOST_EVIDENCE: usize = 5;
/// Characters of one entry; the data of a longer one is cut and kept as text.
const LONGEST_ENTRY: usize = 1_000;
/// Hypotheses whose entries are kept.
const MOST_IDS: usize = 200;

/// Whether a file has a line with [`MARK`] and an id.
#[must_use]
pub fn is_marked(bytes: &[u8]) -> bool {
    memchr::memmem::find_iter(bytes, MARK).any(|at| {
        let after = &bytes[at + MARK.len()..];
        let line = after.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let line = line.get(..200).unwrap_or(line);
        let named = String::from_utf8_lossy(line.strip_prefix(b" ").unwrap_or_default());
        named.chars().next().is_some_and(char::is_alphanumeric)
    })
}

/// The content of `debug.log`, by hypothesis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DebugLog {
    newest: BTreeMap<String, Vec<Json>>,
    /// Entries that name a hypothesis.
    pub entries: u32,
    /// Lines that are not entries: output of the program.
    pub foreign: u32,
}

impl DebugLog {
    /// Reads the log, or the end of it.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        let said = ndjson::debug_entries(bytes);
        let mut log = Self { foreign: said.foreign, ..Self::default() };
        for entry in said.entries {
            let is_known = log.newest.contains_key(&entry.hid);
            if !is_id(&entry.hid) || (!is_known && log.newest.len() >= MOST_IDS) {
                log.foreign = log.foreign.saturating_add(1);
                continue;
            }
            log.entries = log.entries.saturating_add(1);
            let newest = log.newest.entry(entry.hid).or_default();
            newest.push(bounded(entry.entry));
            let old = newest.len().saturating_sub(MOST_EVIDENCE);
            newest.drain(..old);
        }
        log
    }

    /// The newest entries of a hypothesis, as its evidence; null without any (§2).
    #[must_use]
    pub fn evidence(&self, id: &str) -> Json {
        self.newest.get(id).map_or(Json::Null, |entries| Json::List(entries.clone()))
    }
}

/// Whether evidence consists only of log entries, so that newer entries replace it.
pub(crate) fn is_from_log(evidence: &Json) -> bool {
    match evidence {
        Json::Null => true,
        Json::List(items) => items.iter().all(|item| item.get("hid").is_some()),
        _ => false,
    }
}

fn bounded(mut entry: Json) -> Json {
    if entry.compact().chars().count() <= LONGEST_ENTRY {
        return entry;
    }
    let data = entry.get("data").map(Json::compact).unwrap_or_default();
    let short = |key: &str| entry.get(key).and_then(Json::as_text).map(|text| Json::text(shorten(text, 200)));
    let (hid, func) = (short("hid"), short("func"));
    let ts = entry.get("ts").filter(|ts| matches!(ts, Json::Number(_))).cloned();
    entry = Json::object(vec![("hid", hid.unwrap_or(Json::Null)), ("ts", ts.unwrap_or(Json::Null))]);
    entry.set("func", func.unwrap_or(Json::Null));
    entry.set("data", Json::text(shorten(&data, LONGEST_ENTRY / 2)));
    entry
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_agents::prompts::{Action, PromptContext, prompt};

    #[test]
    fn entries_are_linked_to_hypotheses_and_bounded() {
        let mut text = String::from("\u{feff}starting\n");
        for ts in 0..9 {
            text += &format!("{{\"hid\":\"H1\",\"ts\":{ts},\"func\":\"f\",\"data\":{{\"a\":{ts}}}}}\n");
        }
        text += "{\"hid\":\"no id\",\"ts\":1}\n{\"other\":1}\n{\"hid\":\"H2\",\"ts\":1,\"func\":\"g\",\"data\":{}}\n{\"hid\":";
        let log = DebugLog::read(text.as_bytes());
        assert_eq!((log.entries, log.foreign), (10, 4));
        let Json::List(entries) = log.evidence("H1") else { panic!("a list") };
        assert_eq!(entries.len(), MOST_EVIDENCE);
        assert_eq!(
            entries[4].compact(),
            r#"{"hid":"H1","ts":8,"func":"f","data":{"a":8}}"#,
            "as it was written"
        );
        assert_eq!(log.evidence("H3"), Json::Null);
        let long = format!(
            "{{\"hid\":\"H1\",\"ts\":5,\"func\":\"f\",\"data\":{{\"a\":\"{}\"}}}}",
            "x".repeat(9_000)
        );
        let Json::List(entries) = DebugLog::read(long.as_bytes()).evidence("H1") else { panic!("a list") };
        assert!(entries[0].compact().chars().count() < LONGEST_ENTRY);
        assert_eq!((entries[0].get("ts"), entries.len()), (Some(&Json::Number("5".into())), 1));
        let many: String = (0..500).map(|id| format!("{{\"hid\":\"H{id}\"}}\n")).collect();
        let log = DebugLog::read(many.as_bytes());
        assert_eq!((log.entries, log.foreign), (200, 300));
    }

    #[test]
    fn a_mark_needs_an_id() {
        for (text, marked) in [
            ("x(); // loopdeck:debug H1\n", true),
            ("# loopdeck:debug H12", true),
            ("<!-- loopdeck:debug H1 -->", true),
            ("\u{feff}\u{0}\u{1} loopdeck:debug H1", true),
            ("see loopdeck:debug\nH1", false),
            ("`loopdeck:debug <id>`", false),
            ("loopdeck:debugger H1", false),
            ("loopdeck: debug H1", false),
            ("", false),
        ] {
            assert_eq!(is_marked(text.as_bytes()), marked, "{text:?}");
        }
    }

    #[test]
    fn only_entries_of_the_log_give_way_to_newer_ones() {
        let entry = || Json::object(vec![("hid", Json::text("H1"))]);
        assert!(is_from_log(&Json::Null) && is_from_log(&Json::List(vec![entry()])));
        assert!(!is_from_log(&Json::text("seen")) && !is_from_log(&entry()));
        assert!(!is_from_log(&Json::List(vec![entry(), Json::text("and more")])));
    }

    #[test]
    fn the_example_of_the_prompt_is_an_entry() {
        let context = PromptContext { debug_log: "debug.log".to_owned(), ..PromptContext::default() };
        let text = prompt(&Action::Debug { round: 1 }, &context);
        let line = text.lines().find_map(|line| line.strip_prefix("- The line: ")).expect("an example");
        let line = &line[..=line.find("}}").expect("its end") + 1];
        let log = DebugLog::read(line.as_bytes());
        assert_eq!((log.entries, log.foreign), (1, 0), "{line}");
    }
}
