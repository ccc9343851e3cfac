//! One loop in one sentence, clause by clause as the window says it.

use crate::words::{Slot, Words};
use crate::{Language, ReportedLoop};
use loopdeck_core::facts::{LoopFacts, Portion, Risk, RiskKind, RunFacts};
use loopdeck_core::view::ClaimCounts;

/// The facts of a loop as one sentence; empty when nothing is known.
#[must_use]
pub fn sentence(
    facts: &LoopFacts,
    claims: Option<ClaimCounts>,
    runs: Option<&RunFacts>,
    language: Language,
) -> String {
    let words = Words::new(language);
    let clauses = [tests(facts, words)]
        .into_iter()
        .flatten()
        .chain(portions(facts, claims, words))
        .chain(counts(facts, words))
        .chain(runs.into_iter().flat_map(|runs| cost(runs, words)));
    words.list(&clauses.collect::<Vec<_>>())
}

fn tests(facts: &LoopFacts, words: Words) -> Option<String> {
    let tests = facts.tests?;
    let (first, last) = (f64::from(tests.first.passed), f64::from(tests.last.passed));
    let total = Slot::Number(f64::from(tests.last.total));
    Some(if tests.runs > 1 {
        let slots = [("before", Slot::Number(first)), ("after", Slot::Number(last)), ("total", total)];
        words.say("report.testsFromTo", &slots)
    } else {
        words.say("report.tests", &[("passed", Slot::Number(last)), ("total", total)])
    })
}

/// Tasks that checks of a plan decide on are not done because their file says so: they are claimed, and proven or not.
fn portions(facts: &LoopFacts, claims: Option<ClaimCounts>, words: Words) -> impl Iterator<Item = String> {
    let checks = facts.checks.filter(|checks| checks.total > 0);
    let tasks = if claims.is_some() { "proof.of" } else { "report.tasks" };
    let all = [("report.checks", checks), ("report.atoms", facts.atoms), (tasks, facts.tasks)];
    all.into_iter().filter_map(move |(path, portion)| {
        let Portion { done, total } = portion?;
        let ClaimCounts { claimed, proven } = claims.unwrap_or_default();
        let slots = [("done", done), ("total", total), ("claimed", claimed), ("proven", proven)];
        Some(words.say(path, &slots.map(|(name, count)| (name, Slot::Number(f64::from(count))))))
    })
}

fn counts(facts: &LoopFacts, words: Words) -> Vec<String> {
    let mut clauses = Vec::new();
    if facts.files_changed > 0 {
        let count = Slot::Number(f64::from(facts.files_changed));
        clauses.push(words.say("report.files", &[("count", count)]));
    }
    if let Some(bar) = facts.iterations.filter(|bar| bar.limit > 0.0) {
        let slots = [("current", Slot::Number(bar.current)), ("limit", Slot::Number(bar.limit))];
        clauses.push(words.say("report.iterations", &slots));
    }
    clauses
}

fn cost(runs: &RunFacts, words: Words) -> Vec<String> {
    let mut clauses = Vec::new();
    if runs.worked_ms > 0.0 {
        let time = duration(runs.worked_ms, words);
        clauses.push(words.say("report.worked", &[("time", Slot::Text(&time))]));
    }
    match (runs.cost_usd, runs.tokens) {
        (Some(cost), _) => clauses.push(money(cost)),
        (None, Some(tokens)) => clauses.push(words.say("report.tokens", &[("count", Slot::Number(tokens))])),
        (None, None) => {}
    }
    clauses
}

/// An amount of money; less than a cent is not nothing.
pub(crate) fn money(usd: f64) -> String {
    if usd > 0.0 && usd < 0.01 { "< 0.01 USD".to_owned() } else { format!("{usd:.2} USD") }
}

/// How long something took, to the second or the minute.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // times within centuries
pub(crate) fn duration(ms: f64, words: Words) -> String {
    let seconds = (ms.max(0.0) / 1_000.0) as u64;
    let number = |value: u64| Slot::Number(value as f64);
    match seconds {
        0..60 => words.say("units.seconds", &[("count", number(seconds))]),
        60..3_600 => words.say(
            "units.minutesSeconds",
            &[("minutes", number(seconds / 60)), ("seconds", number(seconds % 60))],
        ),
        _ => {
            let minutes = format!("{:02}", seconds % 3_600 / 60);
            words.say(
                "units.hoursMinutes",
                &[("hours", number(seconds / 3_600)), ("minutes", Slot::Text(&minutes))],
            )
        }
    }
}

/// The risks of a loop in words, also those that only its runs tell.
pub(crate) fn risks(reported: &ReportedLoop, words: Words) -> Vec<String> {
    let told = reported.runs.as_ref().map_or([0, 0], |runs| [runs.denied, runs.limits_raised]);
    let kinds = [RiskKind::DeniedPermissions, RiskKind::LimitsRaised];
    let of_runs = kinds.into_iter().zip(told).filter(|(_, count)| *count > 0);
    let of_runs: Vec<Risk> = of_runs.map(|(kind, count)| Risk { kind, count }).collect();
    let said = |risk: &Risk| {
        let name = serde_json::to_value(risk.kind).ok();
        let name = name.as_ref().and_then(|name| name.as_str()).unwrap_or_default();
        words.say(&format!("risk.{name}"), &[("count", Slot::Number(f64::from(risk.count)))])
    };
    reported.facts.risks.iter().chain(&of_runs).map(said).collect()
}
