//! `debug.md` (legacy `understanding.md`): append-only, so sections repeat and the last one counts.

use super::Head;
use super::lines::{
    self, HeadingSection, filled, named_value, one_line, read_block, text_of, timed, write_block, write_value,
};
use super::records::{Confidence, Hypothesis};
use crate::problem::Problem;
use loopdeck_agents::answers::is_id;
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::Node;
use std::collections::BTreeMap;
use std::fmt::Write;

/// How many entries of evidence are written.
pub const MOST_EVIDENCE: usize = 3;

/// The content of `debug.md`; `head.task` is the bug.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DebugDoc {
    /// The head.
    pub head: Head,
    /// The highest iteration.
    pub iteration: Option<u32>,
    /// In order of their first definition, with their last verdict.
    pub hypotheses: Vec<Hypothesis>,
    /// Loop-B: the mechanism of a hypothesis, by id.
    pub mechanisms: BTreeMap<String, String>,
    /// Loop-B: how sure the agent is of a hypothesis, by id, instead of a likelihood rank.
    pub confidences: BTreeMap<String, Confidence>,
    /// The id below the last `Root Cause Identified`.
    pub confirmed: Option<String>,
    /// The newest understanding: the consolidated one, or the one of a later round.
    pub understanding: String,
    /// Time of the last iteration, as written.
    pub last_analysis: Option<String>,
    /// The timeline, oldest first.
    pub rounds: Vec<DebugRound>,
    /// Unreadable parts.
    pub problems: Vec<Problem>,
}

/// One round of the timeline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebugRound {
    /// `### Iteration <n>`; a resolution has none.
    pub iteration: Option<u32>,
    /// `Initial Exploration`, `Evidence Analysis`, `Resolution`, or as written.
    pub title: String,
    /// As written.
    pub time: Option<String>,
}

/// Reads `debug.md` in every variant. Linear even with many hypotheses: they are found by id.
#[must_use]
pub fn read(bytes: &[u8]) -> DebugDoc {
    let mut doc = DebugDoc::default();
    let text = text_of(bytes, "debug.md", &mut doc.problems);
    let mut places = BTreeMap::new();
    // A third-level heading below this heading is a hypothesis, whatever its id looks like.
    let mut listed = false;
    // Below the consolidated understanding, headings are its parts.
    let (mut consolidated, mut parts) = (false, String::new());
    for section in lines::sections(&text) {
        if section.level == 2 {
            listed = section.title == "Hypotheses";
        }
        consolidated = match section.level {
            0..=2 => section.title.starts_with("Current Consolidated Understanding"),
            _ => {
                consolidated
                    && !section.title.starts_with("Iteration ")
                    && !section.title.starts_with("Resolution")
            }
        };
        if consolidated || matches!(section.title, "Current Understanding" | "Corrected Understanding") {
            understood(&section, &mut doc, &mut parts);
            continue;
        }
        match section.level {
            0 | 1 => top(&section, &mut doc.head),
            3 if section.title.starts_with("Iteration ") => iteration(&section, &mut doc),
            3 if section.title.starts_with("Resolution") => {
                let (title, time) = timed(section.title);
                round(None, title, time, &mut doc);
            }
            3 => loop_b_hypothesis(&section, listed, &mut doc, &mut places),
            _ => hypotheses(&section, &mut doc, &mut places),
        }
    }
    doc
}

/// An understanding that says something takes the place of an earlier one. The consolidated one may have `parts`, below headings.
fn understood(section: &HeadingSection<'_>, doc: &mut DebugDoc, parts: &mut String) {
    let text = read_block(&section.lines);
    match section.level {
        0..=2 => parts.clone_from(&text),
        3 if !text.is_empty() => {
            let gap = if parts.is_empty() { "" } else { "\n\n" };
            parts.push_str(&format!("{gap}{}\n{text}", section.title));
        }
        _ => {}
    }
    let newest = if section.level <= 3 { parts.clone() } else { text };
    if !newest.is_empty() {
        doc.understanding = newest;
    }
}

type DebugPlaces = BTreeMap<String, usize>;

fn top(section: &HeadingSection<'_>, head: &mut Head) {
    lines::head(section, head);
    if let Some((_, time)) = section.title.split_once("Progress - ") {
        head.time = head.time.take().or_else(|| filled(time)); // role variant
    }
}

fn iteration(section: &HeadingSection<'_>, doc: &mut DebugDoc) {
    let (title, time) = timed(section.title);
    let number = title.trim_start_matches("Iteration ").split(' ').next().and_then(|word| word.parse().ok());
    doc.iteration = doc.iteration.max(number);
    round(number, title.split_once(" - ").map_or("", |(_, name)| name), time, doc);
    doc.last_analysis = time.map(str::to_owned).or_else(|| doc.last_analysis.take());
}

fn round(iteration: Option<u32>, title: &str, time: Option<&str>, doc: &mut DebugDoc) {
    let (title, time) = (title.trim().to_owned(), time.map(str::to_owned));
    doc.rounds.push(DebugRound { iteration, title, time });
}

/// The hypothesis with this id, created if new.
fn named_by<'d>(id: &str, doc: &'d mut DebugDoc, places: &mut DebugPlaces) -> Option<&'d mut Hypothesis> {
    let place = *places.entry(id.to_owned()).or_insert_with(|| {
        doc.hypotheses.push(Hypothesis {
            id: id.to_owned(),
            status: "pending".to_owned(),
            ..Hypothesis::default()
        });
        doc.hypotheses.len() - 1
    });
    doc.hypotheses.get_mut(place)
}

/// `**H1**: …` and `**H1** (Likelihood: n): …` with the bullets below; under other headings there are none.
fn hypotheses(section: &HeadingSection<'_>, doc: &mut DebugDoc, places: &mut DebugPlaces) {
    // In Loop-B the heading is `Root Cause`; it says that the cause is still unknown, or names a hypothesis.
    let root_cause = matches!(section.title, "Root Cause Identified" | "Root Cause");
    if !root_cause && !matches!(section.title, "Hypotheses" | "Log Analysis Results") {
        return;
    }
    let mut id = None;
    for line in &section.lines {
        if let Some((name, likelihood, text)) = labelled(line) {
            id = Some(name);
            if root_cause {
                doc.confirmed = Some(name.to_owned());
            }
            let Some(hypothesis) = named_by(name, doc, places) else { continue };
            define(hypothesis, likelihood, text, root_cause);
        } else if let Some(hypothesis) = id.and_then(|id| named_by(id, doc, places)) {
            detail(line, hypothesis);
        }
    }
}

fn labelled(line: &str) -> Option<(&str, Option<f64>, &str)> {
    let (id, rest) = line.strip_prefix("**")?.split_once("**")?;
    let id = Some(id.trim()).filter(|id| !id.is_empty() && !id.contains('*'))?;
    if let Some(text) = rest.strip_prefix(':') {
        return Some((id, None, text.trim()));
    }
    let (label, text) = rest.trim_start().strip_prefix("(Likelihood:")?.split_once("):")?;
    Some((id, lines::number(label), text.trim()))
}

fn define(hypothesis: &mut Hypothesis, likelihood: Option<f64>, text: &str, root_cause: bool) {
    match text {
        "CONFIRMED" | "REJECTED" | "INCONCLUSIVE" => hypothesis.status = text.to_lowercase(),
        _ if root_cause => {
            "confirmed".clone_into(&mut hypothesis.status);
            if hypothesis.description.is_empty() {
                text.clone_into(&mut hypothesis.description);
            }
        }
        _ => text.clone_into(&mut hypothesis.description),
    }
    hypothesis.likelihood = likelihood.or(hypothesis.likelihood);
}

fn detail(line: &str, hypothesis: &mut Hypothesis) {
    let Some((name, value)) = named_value(line) else { return };
    let field = match name {
        "Testable condition" | "Testing" | "Testable" => &mut hypothesis.testable_condition,
        "Logging point" | "Logging at" => &mut hypothesis.logging_point,
        "Evidence to confirm" => &mut hypothesis.confirm,
        "Evidence to reject" => &mut hypothesis.reject,
        "Verdict" => {
            hypothesis.status = value.to_lowercase();
            return;
        }
        "Likelihood" => {
            hypothesis.likelihood = lines::number(value).or(hypothesis.likelihood);
            return;
        }
        "Reasoning" => {
            hypothesis.verdict_reason = filled(value);
            return;
        }
        "Evidence" => {
            let json = Node::parse(value.as_bytes());
            hypothesis.evidence = json.map_or_else(|_| Json::text(value), |node| Json::from_node(&node));
            return;
        }
        _ => return,
    };
    value.clone_into(field);
}

/// Loop-B: `### H1: <text>` with confidence, test and mechanism. `listed`: it is below `## Hypotheses`.
fn loop_b_hypothesis(
    section: &HeadingSection<'_>,
    listed: bool,
    doc: &mut DebugDoc,
    places: &mut DebugPlaces,
) {
    let Some((id, text)) = section.title.split_once(": ") else { return };
    let numbered = id.strip_prefix('H').is_some_and(|digits| digits.parse::<u32>().is_ok());
    if !(numbered || listed && is_id(id)) {
        return;
    }
    for (name, value) in section.lines.iter().filter_map(|line| named_value(line)) {
        if name == "Mechanism" {
            doc.mechanisms.insert(id.to_owned(), value.to_owned());
        } else if name == "Confidence"
            && let Some(confidence) = Confidence::from_word(value)
        {
            doc.confidences.insert(id.to_owned(), confidence);
        }
    }
    let Some(hypothesis) = named_by(id, doc, places) else { return };
    text.trim().clone_into(&mut hypothesis.description);
    for line in &section.lines {
        detail(line, hypothesis);
    }
}

/// The start of the file, at the first exploration; `head.task` is the bug.
#[must_use]
pub fn begin(head: &Head) -> String {
    format!(
        "# Understanding Document\n\n**Loop ID**: {}\n**Bug Description**: {}\n**Started**: {}\n\n---\n\n\
         ## Exploration Timeline\n\n",
        one_line(head.loop_id.as_deref().unwrap_or_default()),
        write_value(head.task.as_deref()),
        one_line(head.time.as_deref().unwrap_or_default()),
    )
}

/// An exploration: the current understanding, and the hypotheses with their tests.
#[must_use]
pub fn append_exploration(
    iteration: u32,
    time: &str,
    hypotheses: &[Hypothesis],
    understanding: &str,
) -> String {
    let mut text = format!(
        "### Iteration {iteration} - Initial Exploration ({})\n\n#### Hypotheses\n\n",
        one_line(time)
    );
    for hypothesis in hypotheses {
        let _ = write!(
            text,
            "\n**{}**: {}\n- Testable condition: {}\n- Logging point: {}\n- Evidence to confirm: {}\n\
             - Evidence to reject: {}\n",
            one_line(&hypothesis.id),
            one_line(&hypothesis.description),
            one_line(&hypothesis.testable_condition),
            one_line(&hypothesis.logging_point),
            one_line(&hypothesis.confirm),
            one_line(&hypothesis.reject),
        );
        if let Some(likelihood) = hypothesis.likelihood {
            let _ = writeln!(text, "- Likelihood: {likelihood}");
        }
    }
    let _ = write!(
        text,
        "\n\n---\n\n## Current Consolidated Understanding\n\n{}\n\n",
        write_block(understanding)
    );
    text
}

/// An analysis: a verdict for each of `hypotheses` that has one, and the root cause or the next step.
#[must_use]
pub fn append_analysis(
    iteration: u32,
    time: &str,
    hypotheses: &[Hypothesis],
    corrected: &str,
    confirmed: Option<&Hypothesis>,
) -> String {
    let mut text = format!(
        "### Iteration {iteration} - Evidence Analysis ({})\n\n#### Log Analysis Results\n\n",
        one_line(time)
    );
    for hypothesis in hypotheses.iter().filter(|hypothesis| is_verdict(&hypothesis.status)) {
        let _ = write!(
            text,
            "\n**{}**: {}\n- Evidence: {}\n- Reasoning: {}\n\n",
            one_line(&hypothesis.id),
            hypothesis.status.to_uppercase(),
            first_entries(&hypothesis.evidence).compact(),
            one_line(hypothesis.verdict_reason.as_deref().unwrap_or_default()),
        );
    }
    let _ = write!(text, "\n#### Corrected Understanding\n\n{}\n\n\n", write_block(corrected));
    match confirmed {
        Some(cause) => {
            let (id, cause) = (one_line(&cause.id), one_line(&cause.description));
            let _ = write!(text, "#### Root Cause Identified\n\n**{id}**: {cause}\n\n\n---\n");
        }
        None => text.push_str("#### Next Steps\n\n- Test the open hypotheses\n\n---\n"),
    }
    text
}

/// Files that a round changed: the fix of a confirmed cause, or an attempt.
#[must_use]
pub fn append_files(time: &str, files: &[String], fixed: bool) -> String {
    let mut text = match fixed {
        true => format!("\n### Resolution ({})\n\n#### Fix Applied\n\n", one_line(time)),
        false => "\n#### Files Changed\n\n".to_owned(),
    };
    for file in files {
        let _ = writeln!(text, "- `{}`", one_line(file));
    }
    text.push_str("\n---\n");
    text
}

/// Whether a status is the result of an analysis.
#[must_use]
pub fn is_verdict(status: &str) -> bool {
    matches!(status, "confirmed" | "rejected" | "inconclusive")
}

fn first_entries(evidence: &Json) -> Json {
    match evidence {
        Json::List(items) => Json::List(items.iter().take(MOST_EVIDENCE).cloned().collect()),
        other => other.clone(),
    }
}
