//! GSD: a debug session (`.planning/debug/<slug>.md`, moved to `debug/resolved/` once a person confirmed the fix).
//!
//! Front matter with a status, and sections of `key: value` that agents fill in: the suspected cause being looked into, those that were
//! eliminated, what was found, and the cause. The same folder holds a knowledge base and notes; they aren't sessions.

use crate::boxes::one_line;
use crate::finding::{Finding, FindingCode};
use crate::format::{Found, Lines, PlanFormat, ReadError, Source};
use crate::front_matter::FrontMatter;
use crate::plan::{Event, Fact, FactValue, Hypothesis, Plan, PlanStatus, Verdict};
use loopdeck_text::shorten;
use sections::{Entry, Section, sections};

mod sections;

pub(crate) struct GsdDebug;

/// Most characters of a text that is shown.
const MOST_SHOWN: usize = 4_000;

impl PlanFormat for GsdDebug {
    fn found(&self) -> &'static [Found] {
        &[
            Found::EachFile { root: ".planning/debug", ending: ".md" },
            Found::EachFile { root: ".planning/debug/resolved", ending: ".md" },
        ]
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let text = source.text()?;
        // The collection of solved faults has front matter too in some repositories.
        if source.name().eq_ignore_ascii_case("knowledge-base.md") {
            return Ok(None);
        }
        let Some(front) = FrontMatter::read(text) else { return Ok(None) };
        let Some(word) = front.value("status") else { return Ok(None) };
        let found = sections(front.body());
        let status = status(word);
        let mut plan = Plan {
            title: title(front.body()).or_else(|| source.name().strip_suffix(".md").map(str::to_owned)),
            goal: trigger(&front),
            word: word.to_owned(),
            status: Some(status),
            hypotheses: hypotheses(&found),
            facts: facts(&front, &found),
            events: events(&found),
            ..Plan::default()
        };
        if word.eq_ignore_ascii_case("awaiting_human_verify") {
            let asked = ["next_action", "verification"].iter().find_map(|key| value(&found, key));
            plan.needs.extend(asked.or_else(|| plan.goal.clone()).or_else(|| plan.title.clone()));
        }
        let line = front.place("status").map_or(0, |place| Lines::of(text).of_byte(place.start));
        if status == PlanStatus::Unknown {
            let finding = Finding::new(FindingCode::UnknownWord).with("item", "status");
            plan.findings.push(finding.with("found", word).at_line(line));
        } else if source.file.contains("/debug/resolved/") && status != PlanStatus::Completed {
            // Its tool moves a session there after it was confirmed.
            let finding =
                Finding::new(FindingCode::SourcesDisagree).with("item", "status").with("found", word);
            plan.findings.push(finding.with("expected", "resolved").with("file", source.file).at_line(line));
        }
        Ok(Some(plan))
    }

    fn command(&self, source: &Source<'_>, plan: &Plan) -> Option<Vec<String>> {
        let slug = source.name().strip_suffix(".md")?;
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        let is_slug = slug.len() <= 120 && slug.starts_with(|letter: char| letter.is_ascii_alphanumeric());
        let goes_on =
            plan.status == Some(PlanStatus::Running) && !plan.word.eq_ignore_ascii_case("gathering");
        (is_slug && slug.chars().all(is_plain) && goes_on)
            .then(|| vec!["claude".to_owned(), "-p".to_owned(), format!("/gsd-debug continue {slug}")])
    }
}

/// What the word of a session means. `diagnosed` is a found cause without a fix; only `resolved` and `complete` end a session for its
/// own tool, and agents write `fixed` too.
fn status(word: &str) -> PlanStatus {
    match word.to_ascii_lowercase().as_str() {
        "gathering" | "investigating" | "fixing" | "verifying" => PlanStatus::Running,
        "awaiting_human_verify" | "diagnosed" => PlanStatus::Paused,
        "resolved" | "complete" | "completed" | "fixed" => PlanStatus::Completed,
        _ => PlanStatus::Unknown,
    }
}

/// The heading of the session; the template has none, only sections.
fn title(body: &str) -> Option<String> {
    let heading = body.lines().find(|line| line.starts_with('#'))?.strip_prefix("# ")?;
    Some(one_line(heading)).filter(|heading| !heading.is_empty())
}

/// What the person reported.
fn trigger(front: &FrontMatter<'_>) -> Option<String> {
    let value = front.value("trigger")?;
    // A text of several lines, or with escapes, is YAML's to read.
    let is_plain = !value.starts_with(['|', '>']) && !value.contains('\\');
    let parsed = if is_plain { None } else { front.yaml() };
    let text = parsed.and_then(|root| Some(root.get("trigger")?.text()?.to_string()));
    Some(shorten(text.as_deref().unwrap_or(value).trim(), MOST_SHOWN)).filter(|text| !text.is_empty())
}

/// The first value of a key that says something, outside of what is only a part of an entry.
fn value(found: &[Section<'_>], key: &str) -> Option<String> {
    let entries = found.iter().filter(|section| !section.is_list()).flat_map(|section| &section.entries);
    entries.filter_map(|entry| entry.value(key)).map(|text| shorten(&text, MOST_SHOWN)).next()
}

fn hypotheses(found: &[Section<'_>]) -> Vec<Hypothesis> {
    let entries = |name: &'static str| {
        found.iter().filter(move |section| section.is(name)).flat_map(|section| &section.entries)
    };
    let mut all = Vec::new();
    if let Some(text) = value(found, "hypothesis") {
        let word = text.trim_start_matches(|letter: char| !letter.is_alphanumeric());
        // Agents write the verdict in front of the text.
        let verdict = match word {
            word if word.starts_with("CONFIRMED") => Verdict::Confirmed,
            word if ["REJECTED", "ELIMINATED", "DISPROVED", "DISPROVEN"]
                .iter()
                .any(|no| word.starts_with(no)) =>
            {
                Verdict::Rejected
            }
            _ => Verdict::Pending,
        };
        let test = [value(found, "test"), value(found, "expecting")];
        let test = test.into_iter().flatten().collect::<Vec<_>>().join("\n");
        all.push(Hypothesis { id: "current".to_owned(), text, test, verdict, ..Hypothesis::default() });
    }
    for (at, entry) in entries("eliminated").filter(|entry| entry.claim().is_some()).enumerate() {
        let evidence = ["evidence", "reason", "finding", "found"].iter().filter_map(|key| entry.value(key));
        all.push(Hypothesis {
            id: format!("eliminated-{}", at + 1),
            text: shorten(&entry.claim().unwrap_or_default(), MOST_SHOWN),
            evidence: evidence.map(|text| shorten(&text, MOST_SHOWN)).collect(),
            verdict: Verdict::Rejected,
            ..Hypothesis::default()
        });
    }
    let written = found.iter().find(|section| section.is("root cause")).map(Section::prose);
    if let Some(text) = value(found, "root_cause").or(written.filter(|text| !text.is_empty())) {
        let text = shorten(&text, MOST_SHOWN);
        let verdict = Verdict::Confirmed;
        all.push(Hypothesis { id: "root_cause".to_owned(), text, verdict, ..Hypothesis::default() });
    }
    // What was found belongs to the cause, or to what is being looked into while there is none.
    let evidence = entries("evidence").filter_map(Entry::finding).map(|text| shorten(&text, MOST_SHOWN));
    let target =
        all.iter().rposition(|one| one.id == "root_cause").or(all.iter().position(|one| one.id == "current"));
    if let Some(target) = target {
        all[target].evidence = evidence.collect();
    }
    all
}

/// What was looked at, with its time; what it showed is the evidence of a hypothesis.
fn events(found: &[Section<'_>]) -> Vec<Event> {
    let entries = found.iter().filter(|section| section.is("evidence")).flat_map(|section| &section.entries);
    let event = |entry: &Entry<'_>| {
        let text =
            ["checked", "file", "found", "finding", "result"].iter().find_map(|key| entry.value(key))?;
        let time = entry.value("timestamp").unwrap_or_default();
        Some(Event { time, text: one_line(&shorten(&text, MOST_SHOWN)), item: None })
    };
    entries.filter_map(event).collect()
}

fn facts(front: &FrontMatter<'_>, found: &[Section<'_>]) -> Vec<Fact> {
    let times = ["created", "updated"].map(|name| {
        let time = front.value(name).map(str::to_owned);
        time.map(|time| Fact { name, value: FactValue::Time(time) })
    });
    let texts = [
        "next_action",
        "expected",
        "actual",
        "errors",
        "reproduction",
        "started",
        "bug_class",
        "fix",
        "verification",
        "files_changed",
    ];
    let texts = texts.into_iter().filter_map(|name| {
        let text = value(found, name)?;
        let value = match name {
            "bug_class" => FactValue::code(text.split_whitespace().next().unwrap_or_default())?,
            "files_changed" => FactValue::List(list(&text)),
            _ => FactValue::text(text)?,
        };
        Some(Fact { name, value })
    });
    times.into_iter().flatten().chain(texts).collect()
}

/// The entries of a list, each on its line or all in brackets.
fn list(text: &str) -> Vec<String> {
    let inner = text.trim().strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let parts: Vec<&str> = inner.map_or_else(|| text.lines().collect(), |inner| inner.split(',').collect());
    let bare = |part: &str| part.trim().trim_start_matches("- ").trim_matches(['"', '\'', '`']).to_owned();
    parts.into_iter().map(bare).filter(|part| !part.is_empty()).collect()
}
