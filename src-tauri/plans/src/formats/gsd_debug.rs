//! GSD: a debug session (`.planning/debug/<slug>.md`, moved to `debug/resolved/` once a person confirmed the fix).
//!
//! Front matter with a status, and sections of `key: value` that agents fill in: the suspected cause being looked into, those that were
//! eliminated, what was found, and the cause. The same folder holds a knowledge base and notes; they aren't sessions.

use crate::boxes::one_line;
use crate::fields::is_plain_name;
use crate::format::{Found, PlanFormat, ReadError, Source};
use crate::front_matter::FrontMatter;
use crate::order::{disagreement, unknown_status};
use crate::plan::{Event, Fact, FactValue, Hypothesis, Plan, PlanStatus, Verdict};
use loopdeck_text::shorten;
use sections::{Entry, MOST_SHOWN, NotesSection, PROSE, TEXT, sections};

mod sections;

pub(crate) struct GsdDebug;

/// Keys that are told as they are.
const FACTS: &str =
    "next_action expected actual errors reproduction started bug_class fix verification files_changed";

impl PlanFormat for GsdDebug {
    fn found(&self) -> &'static [Found] {
        &[
            Found::EachFile { root: ".planning/debug", ending: ".md" },
            Found::EachFile { root: ".planning/debug/resolved", ending: ".md" },
        ]
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let front = FrontMatter::of(source.text()?);
        // The collection of solved faults has front matter too in some repositories.
        let is_session = !source.name().eq_ignore_ascii_case("knowledge-base.md");
        let Some(word) = front.value("status").filter(|_| is_session) else { return Ok(None) };
        let found = sections(front.body());
        let status = status(word);
        let mut plan = Plan {
            title: title(front.body()).or_else(|| source.name().strip_suffix(".md").map(str::to_owned)),
            goal: trigger(&front),
            word: word.to_owned(),
            status: Some(status),
            hypotheses: hypotheses(&found),
            facts: facts(&front, &found),
            events: entries(&found, "evidence").filter_map(event).collect(),
            ..Plan::default()
        };
        if word.eq_ignore_ascii_case("awaiting_human_verify") {
            let asked = value(&found, &["next_action", "verification"]);
            plan.needs.extend(asked.or_else(|| plan.goal.clone()).or_else(|| plan.title.clone()));
        }
        let line = front.line("status");
        plan.findings.extend(unknown_status(&plan, line));
        // Its tool moves a session there after it was confirmed.
        let is_moved = source.file.contains("/debug/resolved/");
        if is_moved && !matches!(status, PlanStatus::Completed | PlanStatus::Unknown) {
            plan.findings.push(disagreement("status", word, "resolved", source.file).at_line(line));
        }
        Ok(Some(plan))
    }

    fn command(&self, source: &Source<'_>, plan: &Plan) -> Option<Vec<String>> {
        let slug = source.name().strip_suffix(".md")?;
        let is_running = plan.status == Some(PlanStatus::Running);
        let goes_on = is_running && !plan.word.eq_ignore_ascii_case("gathering");
        (is_plain_name(slug) && goes_on)
            .then(|| vec!["claude".to_owned(), "-p".to_owned(), format!("/gsd-debug continue {slug}")])
    }
}

/// What the word of a session means. `diagnosed` is a found cause without a fix; agents write `root_cause_found` for it. Only `resolved`
/// and `complete` end a session for its own tool, and agents write `fixed` too.
fn status(word: &str) -> PlanStatus {
    match word.to_ascii_lowercase().as_str() {
        "gathering" | "investigating" | "fixing" | "verifying" => PlanStatus::Running,
        "awaiting_human_verify" | "diagnosed" | "root_cause_found" => PlanStatus::Paused,
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

/// The first value of these keys that says something, outside of what is only a part of a list.
fn value(found: &[NotesSection<'_>], keys: &[&str]) -> Option<String> {
    let sections = || found.iter().filter(|section| !section.is_list()).flat_map(|section| &section.entries);
    keys.iter().find_map(|key| sections().find_map(|entry| entry.value(&[key])))
}

/// The entries of the sections whose headings begin so.
fn entries<'s>(found: &'s [NotesSection<'_>], name: &str) -> impl Iterator<Item = &'s Entry<'s>> {
    found.iter().filter(move |section| section.is(name)).flat_map(|section| &section.entries)
}

fn hypotheses(found: &[NotesSection<'_>]) -> Vec<Hypothesis> {
    let mut all = Vec::new();
    if let Some(text) = value(found, &["hypothesis"]) {
        let test = ["test", "expecting"].iter().filter_map(|key| value(found, &[key]));
        let test = test.collect::<Vec<_>>().join("\n");
        all.push(Hypothesis { test, ..hypothesis("current".to_owned(), verdict(&text), text) });
    }
    let eliminated = entries(found, "eliminated");
    let claims = eliminated.filter_map(|entry| Some((entry, entry.value(&["hypothesis", TEXT])?)));
    all.extend(claims.enumerate().map(|(at, (entry, text))| {
        let evidence =
            ["evidence", "reason", "finding", "found"].iter().filter_map(|key| entry.value(&[key]));
        let id = format!("eliminated-{}", at + 1);
        Hypothesis { evidence: evidence.collect(), ..hypothesis(id, Verdict::Rejected, text) }
    }));
    let written = || entries(found, "root cause").find_map(|entry| entry.value(&[PROSE]));
    let cause = value(found, &["root_cause"]).or_else(written);
    all.extend(cause.map(|text| hypothesis("root_cause".to_owned(), Verdict::Confirmed, text)));
    // What was found belongs to the cause, or to what is being looked into while there is none.
    let target = ["root_cause", "current"].iter().find_map(|id| all.iter().position(|one| one.id == *id));
    if let Some(target) = target {
        all[target].evidence = entries(found, "evidence").filter_map(finding).collect();
    }
    all
}

fn hypothesis(id: String, verdict: Verdict, text: String) -> Hypothesis {
    Hypothesis { id, verdict, text, ..Hypothesis::default() }
}

/// Agents write the verdict in front of the text.
fn verdict(text: &str) -> Verdict {
    let word = text.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let begins = |words: &[&str]| words.iter().any(|begin| word.starts_with(begin));
    match () {
        () if begins(&["CONFIRMED"]) => Verdict::Confirmed,
        () if begins(&["REJECTED", "ELIMINATED", "DISPROVED", "DISPROVEN"]) => Verdict::Rejected,
        () => Verdict::Pending,
    }
}

/// What an entry of evidence says.
fn finding(entry: &Entry<'_>) -> Option<String> {
    let found = entry.value(&["found", "finding", "result", "evidence", TEXT]);
    match (found, entry.value(&["implication"])) {
        (Some(found), Some(implication)) => Some(format!("{found}\n{implication}")),
        (found, implication) => {
            found.or(implication).or_else(|| entry.value(&["checked"])).or_else(|| dated(entry).1)
        }
    }
}

/// The time of an entry, and what stands behind it on its line: `2026-03-01 — It rusts`.
fn dated(entry: &Entry<'_>) -> (String, Option<String>) {
    let written = entry.value(&["timestamp"]).unwrap_or_default();
    let parts = [" — ", " – ", " - "].iter().find_map(|sign| written.split_once(sign));
    match parts {
        Some((time, text)) => (time.to_owned(), Some(text.trim().to_owned())),
        None => (written, None),
    }
}

/// What was looked at, with its time; what it showed is the evidence of a hypothesis.
fn event(entry: &Entry<'_>) -> Option<Event> {
    let (time, more) = dated(entry);
    let text = entry.value(&["checked", "file", "found", "finding", "result"]).or(more)?;
    Some(Event { time, text: one_line(&text), item: None })
}

fn facts(front: &FrontMatter<'_>, found: &[NotesSection<'_>]) -> Vec<Fact> {
    let time = |name| Some(Fact { name, value: FactValue::Time(front.value(name)?.to_owned()) });
    let told = |name| {
        let text = value(found, &[name])?;
        let value = match name {
            "bug_class" => FactValue::code(text.split_whitespace().next()?)?,
            "files_changed" => FactValue::List(list(&text)),
            _ => FactValue::Text(text),
        };
        Some(Fact { name, value })
    };
    let times = ["created", "updated"].into_iter().filter_map(time);
    times.chain(FACTS.split(' ').filter_map(told)).collect()
}

/// The entries of a list, each on its line or all in brackets.
fn list(text: &str) -> Vec<String> {
    let inner = text.trim().trim_start_matches('[').trim_end_matches(']');
    let separator = if text.starts_with('[') { ',' } else { '\n' };
    let bare = |part: &str| part.trim().trim_start_matches("- ").trim_matches(['"', '\'', '`']).to_owned();
    inner.split(separator).map(bare).filter(|part| !part.is_empty()).collect()
}
