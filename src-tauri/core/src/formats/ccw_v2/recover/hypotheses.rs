//! The hypotheses of a damaged Loop v2. `hypotheses.json`, `debug.md` and the last good copy may be from
//! different rounds: the newest one counts, and the others fill its gaps (the CCW contract §16).

use super::parts::Put;
use crate::formats::ccw::progress_docs::debug::is_verdict;
use crate::formats::ccw::progress_docs::records::{CcwRecord, Hypothesis};
use crate::formats::ccw::progress_docs::{ndjson, side};
use crate::formats::ccw::recover::docs::RecoveryTexts;
use crate::formats::ccw::recover::fill::{ItemPositions, fill};
use crate::formats::ccw::recover::{CcwSources, is_text};
use crate::times;
use crate::view::CompanionKind;
use loopdeck_text::almost_json;
use loopdeck_text::json_span::json::Json;
use std::collections::BTreeMap;

/// One source.
#[derive(Debug)]
struct Layer {
    source: &'static str,
    items: Vec<Json>,
    iteration: Option<f64>,
    bug: Option<String>,
    analysed: Option<String>,
    confirmed: Option<String>,
}

/// All sources of hypotheses besides the damaged file itself, newest first.
#[derive(Debug, Default)]
pub(crate) struct HypothesisSources {
    layers: Vec<Layer>,
    logged: BTreeMap<String, Vec<Json>>,
}

impl HypothesisSources {
    pub(crate) fn read(sources: &CcwSources<'_>, docs: &RecoveryTexts) -> Self {
        let mut found = Self::default();
        found.layers.extend(side_file(sources));
        found.layers.extend(docs.debug.as_ref().map(|doc| Layer {
            source: "debug.md",
            items: doc.hypotheses.iter().map(Hypothesis::json).collect(),
            iteration: doc.iteration.map(f64::from),
            bug: doc.head.task.clone(),
            analysed: doc.last_analysis.clone(),
            confirmed: doc.confirmed.clone(),
        }));
        found.layers.extend(last_good(sources));
        // Stable: within one round, the side file has most, and the last good copy is the oldest.
        found.layers.sort_by_key(|layer| std::cmp::Reverse(layer.round()));
        if let Some(bytes) = sources.bytes(CompanionKind::DebugLog) {
            for entry in ndjson::debug_entries(bytes).entries {
                found.logged.entry(entry.hid).or_default().push(entry.entry);
            }
        }
        found
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.layers.is_empty()
    }

    /// All hypotheses. Complete ones of the damaged file stay unchanged, damaged ones are completed.
    pub(crate) fn hypotheses(&mut self, sources: &CcwSources<'_>) -> Put {
        let mut put = Put::default();
        let path = ["skill_state", "debug", "hypotheses"];
        for own in sources.complete_items(&path) {
            put.add(own.clone(), sources.own);
        }
        let is_damaged = |place| sources.prefix.is_damaged_item(&path, place);
        let begun = put.items.len();
        for layer in &self.layers {
            let places = ItemPositions::from_items(put.items.iter());
            for item in &layer.items {
                match places.find(item) {
                    Some(place) if place < begun && !is_damaged(place) => {}
                    Some(place) => {
                        if merge(&mut put.items[place], item) {
                            put.add_source(layer.source);
                        }
                    }
                    None => put.add(item.clone(), layer.source),
                }
            }
        }
        for hypothesis in &mut put.items[begun..] {
            let id = hypothesis.get("id").and_then(Json::as_text).unwrap_or_default().to_owned();
            if let Some(entries) = self.logged.remove(&id)
                && longer(hypothesis.get("evidence"), &entries)
            {
                hypothesis.set("evidence", Json::List(entries));
            }
        }
        put
    }

    /// The confirmed one: according to the newest source, otherwise the first confirmed one.
    pub(crate) fn confirmed(&self, hypotheses: &[Json]) -> Option<String> {
        let is_confirmed = |hypothesis: &Json| status(hypothesis) == "confirmed";
        let named = self.layers.iter().filter_map(|layer| layer.confirmed.as_deref());
        let by_id = |id: &str| {
            hypotheses
                .iter()
                .any(|known| known.get("id").and_then(Json::as_text) == Some(id) && is_confirmed(known))
        };
        let named = named.into_iter().find(|id| by_id(id)).map(str::to_owned);
        named.or_else(|| {
            let first = hypotheses.iter().find(|hypothesis| is_confirmed(hypothesis))?;
            Some(first.get("id")?.as_text()?.to_owned())
        })
    }

    pub(crate) fn bug(&self) -> Option<(Json, &'static str)> {
        self.layers.iter().find_map(|layer| Some((Json::text(layer.bug.as_deref()?), layer.source)))
    }

    pub(crate) fn iteration(&self) -> Option<(Json, &'static str)> {
        self.layers.iter().find_map(|layer| Some((Json::number(layer.iteration?), layer.source)))
    }

    pub(crate) fn last_analysis(&self) -> Option<(Json, &'static str)> {
        self.layers.iter().find_map(|layer| Some((Json::text(layer.analysed.as_deref()?), layer.source)))
    }
}

impl Layer {
    /// How recent it is: its round, then the number of judged hypotheses, then its time.
    #[allow(clippy::cast_possible_truncation)] // saturates
    fn round(&self) -> (i64, usize, Option<times::Timestamp>) {
        let judged = self.items.iter().filter(|item| is_verdict(status(item))).count();
        let time = self.analysed.as_deref().and_then(times::parse);
        (self.iteration.map_or(-1, |number| number as i64), judged, time)
    }
}

fn status(hypothesis: &Json) -> &str {
    hypothesis.get("status").and_then(Json::as_text).unwrap_or_default()
}

/// A verdict stays if a later source has none, and the fullest evidence counts.
fn merge(own: &mut Json, older: &Json) -> bool {
    let mut filled = false;
    if !is_verdict(status(own)) && is_verdict(status(older)) {
        for key in ["status", "verdict_reason"] {
            own.set(key, older.get(key).cloned().unwrap_or_default());
        }
        filled = true;
    }
    if let Some(Json::List(entries)) = older.get("evidence")
        && longer(own.get("evidence"), entries)
    {
        own.set("evidence", Json::List(entries.clone()));
        filled = true;
    }
    fill(own, older) || filled
}

fn longer(own: Option<&Json>, entries: &[Json]) -> bool {
    match own {
        None | Some(Json::Null) => !entries.is_empty(),
        Some(Json::List(own)) => entries.len() > own.len(),
        _ => false,
    }
}

fn side_file(sources: &CcwSources<'_>) -> Option<Layer> {
    let bytes = sources.bytes(CompanionKind::Hypotheses)?;
    let file = side::hypotheses(bytes).content?;
    let node = almost_json::read_file(bytes)?.value;
    let items: Vec<Json> = node.get("hypotheses").items().iter().map(Json::from_node).collect();
    Some(Layer {
        source: "hypotheses.json",
        items,
        iteration: file.iteration,
        bug: file.bug_description,
        analysed: file.timestamp,
        confirmed: None,
    })
}

fn last_good(sources: &CcwSources<'_>) -> Option<Layer> {
    let of = |key: &str| sources.last_good.complete_value(&["skill_state", "debug", key]);
    let text = |key: &str| of(key).filter(|json| is_text(json)).and_then(Json::as_text).map(str::to_owned);
    let iteration = match of("iteration") {
        Some(Json::Number(number)) => number.parse().ok(),
        _ => None,
    };
    of("hypotheses")?;
    Some(Layer {
        source: "last_good",
        items: sources.older(&["skill_state", "debug", "hypotheses"]).to_vec(),
        iteration,
        bug: text("active_bug"),
        analysed: text("last_analysis_at"),
        confirmed: text("confirmed_hypothesis"),
    })
}
