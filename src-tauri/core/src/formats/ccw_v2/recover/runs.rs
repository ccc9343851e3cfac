//! The validation runs of a damaged Loop v2: those of its own list, of `test-results.json`, of the last good
//! copy, and of `validate.md`, each run once and in order (the CCW contract §16).

use super::parts::Put;
use crate::formats::ccw::progress_docs::records::{CcwRecord, CoverageFigures, ValidationRun};
use crate::formats::ccw::progress_docs::{side, validate as validate_doc};
use crate::formats::ccw::recover::CcwSources;
use crate::formats::ccw::recover::docs::RecoveryTexts;
use crate::formats::ccw::recover::fill::fill;
use crate::times;
use crate::view::CompanionKind;
use loopdeck_text::almost_json;
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::Node;
use std::collections::BTreeMap;

/// The runs, latest last; and whether earlier ones are lost, of which progress files keep nothing.
pub(crate) fn runs(sources: &CcwSources<'_>, docs: &RecoveryTexts) -> (Put, bool) {
    let path = ["skill_state", "validate", "test_results"];
    let mut put = Put::default();
    for (items, source) in [
        (sources.complete_items(&path).to_vec(), sources.own),
        (side_file(sources).into_iter().collect(), "test-results.json"),
        (sources.older(&path).to_vec(), "last_good"),
        (
            docs.validate
                .as_ref()
                .filter(|doc| doc.passed.or(doc.failed).is_some())
                .map(reported)
                .into_iter()
                .collect(),
            "validate.md",
        ),
    ] {
        let places: BTreeMap<(u32, Option<String>), usize> =
            put.items.iter().enumerate().map(|(place, run)| (key(run), place)).collect();
        for item in items {
            match find(&places, &key(&item)) {
                // A report has no passing tests and rounded figures, so it only replaces a lost run.
                Some(place) if source == "last_good" || sources.prefix.is_damaged_item(&path, place) => {
                    if fill(&mut put.items[place], &item) {
                        put.add_source(source);
                    }
                }
                Some(_) => {}
                None => put.add(item, source),
            }
        }
    }
    put.items.sort_by_key(|run| (iteration(run), time(run).and_then(times::parse)));
    let counted = docs.summary.as_ref().and_then(|doc| doc.test_runs).unwrap_or_default();
    let counted = put.items.last().map_or(counted, |run| counted.max(iteration(run)));
    let lost = crate::formats::ccw::read::values::saturated(put.items.len()) < counted;
    (put, lost)
}

/// The latest run from its side file, with its coverage.
fn side_file(sources: &CcwSources<'_>) -> Option<Json> {
    let bytes = sources.bytes(CompanionKind::TestResults)?;
    let run = side::test_results(bytes).content?;
    let node = almost_json::read_file(bytes)?.value;
    let as_written = node.get("summary").is_object() && node.get("tests").items().len() == run.tests.len();
    let mut json = if as_written { Json::from_node(&node) } else { run.json() };
    if json.get("coverage").is_none_or(|figures| *figures == Json::Null) {
        let coverage = sources.bytes(CompanionKind::Coverage).and_then(almost_json::read_file);
        let overall = coverage.map(|read| Json::from_node(read.value.get("overall"))).unwrap_or_default();
        json.set("coverage", overall);
    }
    Some(json)
}

fn reported(doc: &validate_doc::ValidateDoc) -> Json {
    let overall = |statements| CoverageFigures { statements: Some(statements), ..CoverageFigures::default() };
    let run = ValidationRun {
        iteration: doc.iteration.unwrap_or_default(),
        timestamp: doc.head.time.clone().unwrap_or_default(),
        passed: doc.passed.unwrap_or_default(),
        failed: doc.failed.unwrap_or_default(),
        skipped: doc.skipped.unwrap_or_default(),
        duration_ms: doc.duration_ms,
        tests: doc.failed_tests.clone(),
        coverage: doc.overall_coverage.map(overall),
    };
    run.json()
}

/// Identifies a run: without a written time, only by the iteration.
fn key(run: &Json) -> (u32, Option<String>) {
    (iteration(run), time(run).map(str::to_owned))
}

fn find(places: &BTreeMap<(u32, Option<String>), usize>, key: &(u32, Option<String>)) -> Option<usize> {
    let without = (key.0, None);
    let found = places.get(key).or_else(|| places.get(&without));
    let any = || {
        places
            .range(without.clone()..)
            .next()
            .filter(|((round, _), _)| *round == key.0)
            .map(|(_, place)| place)
    };
    found.or_else(|| key.1.is_none().then(any).flatten()).copied()
}

fn time(run: &Json) -> Option<&str> {
    run.get("timestamp").and_then(Json::as_text).filter(|time| !time.is_empty())
}

fn iteration(run: &Json) -> u32 {
    let Some(Json::Number(text)) = run.get("iteration") else { return 0 };
    text.parse().unwrap_or_default()
}

/// The totals of a run.
pub(crate) struct Figures(ValidationRun);

impl Figures {
    pub(crate) fn read(run: &Json) -> Self {
        let text = run.compact();
        Self(Node::parse(text.as_bytes()).map(|node| ValidationRun::from_node(&node)).unwrap_or_default())
    }

    pub(crate) fn fields(&self) -> Vec<(&'static str, Json)> {
        let run = &self.0;
        let rate = (run.pass_rate().unwrap_or_default() * 10.0).round() / 10.0;
        let covered = run.coverage.and_then(|figures| figures.overall()).unwrap_or_default();
        vec![
            ("pass_rate", Json::number(rate)),
            ("coverage", Json::number(covered)),
            ("passed", Json::Bool(run.is_pass())),
            ("failed_tests", Json::texts(&run.failed_tests())),
            ("last_run_at", Json::optional(Some(run.timestamp.as_str()).filter(|time| !time.is_empty()))),
        ]
    }
}
