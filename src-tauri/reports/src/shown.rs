//! A loop as a report shows it: words in place of codes, and nothing that was not asked for.

use crate::sentence::{duration, money, risks, sentence};
use crate::words::{Slot, Words, number};
use crate::{Options, Report, ReportedLoop};
use loopdeck_core::checklist::{CheckResult, CheckType};
use loopdeck_core::driver::ChangedLines;
use loopdeck_core::evidence::Acceptance;
use loopdeck_core::facts::{CheckFact, KeyDecision, OpenWork, TestTotals};
use loopdeck_core::times::to_iso_millis;
use loopdeck_core::view::ClaimedItem;
use serde::Serialize;

/// Names of the columns about actions, as the catalogue has them.
pub(crate) const ACTION_COLUMNS: [&str; 5] = ["action", "runs", "time", "cost", "lines"];

/// The text of one loop, ready to be escaped and written.
pub(crate) struct ShownLoop {
    pub(crate) title: String,
    pub(crate) workspace: String,
    pub(crate) status: String,
    pub(crate) sentence: String,
    pub(crate) reason: String,
    pub(crate) goal: String,
    /// Labels, then the note; empty unless asked for.
    pub(crate) notes: Vec<String>,
    pub(crate) risks: Vec<String>,
    /// What was decided: words, then the reason.
    pub(crate) decisions: Vec<(String, String)>,
    pub(crate) files: Vec<String>,
    pub(crate) test_runs: Vec<[String; 5]>,
    pub(crate) failed_tests: Vec<String>,
    /// Checks and their results.
    pub(crate) checks: Vec<(String, String)>,
    /// Items that are called done, and what became of that.
    pub(crate) claims: Vec<(String, String)>,
    /// Who accepts what is not proven, and why; empty when nobody does.
    pub(crate) accepted: String,
    pub(crate) open: Vec<String>,
    /// The cells of [`ACTION_COLUMNS`].
    pub(crate) actions: Vec<[String; 5]>,
}

impl ShownLoop {
    pub(crate) fn new(reported: &ReportedLoop, options: &Options, words: Words) -> Self {
        let text = |text: &str| if options.paths { text.to_owned() } else { without_paths(text) };
        let account = &reported.account;
        let status = name(reported.word);
        Self {
            title: text(&reported.title),
            workspace: reported.workspace.clone(),
            status: words.say(
                &format!("status.{status}"),
                &[("word", Slot::Text(&reported.file_word)), ("minutes", Slot::Text("–"))],
            ),
            sentence: sentence(&reported.facts, reported.claims, reported.runs.as_ref(), options.language),
            reason: text(reported.reason.as_deref().unwrap_or_default()),
            goal: text(&account.goal),
            notes: notes(reported, options, words),
            risks: risks(reported, words),
            decisions: account.decisions.iter().map(|one| decision(one, words, text)).collect(),
            files: if options.paths { account.files.clone() } else { Vec::new() },
            test_runs: account.test_runs.iter().map(test_run).collect(),
            failed_tests: account.failed_tests.iter().map(|name| text(name)).collect(),
            checks: account.checks.iter().map(|one| check(one, options, words)).collect(),
            claims: account.claimed.iter().map(|item| (text(&item.text), claim(item, words))).collect(),
            accepted: account.accepted.as_ref().map(|one| accepted(one, words, text)).unwrap_or_default(),
            open: account.open.iter().map(|one| open(one, words, text)).collect(),
            actions: actions(reported, words),
        }
    }
}

/// How many loops have which status, in the order of the report.
pub(crate) fn top_line(report: &Report, words: Words) -> Vec<String> {
    let mut counted: Vec<(String, f64)> = Vec::new();
    for reported in &report.loops {
        let status = name(reported.word);
        let slots = [("word", Slot::Text(reported.file_word.as_str())), ("minutes", Slot::Text("–"))];
        let said = words.say(&format!("status.{status}"), &slots);
        match counted.iter_mut().find(|(known, _)| *known == said) {
            Some((_, count)) => *count += 1.0,
            None => counted.push((said, 1.0)),
        }
    }
    // Inside a sentence a status begins small, where its language has small letters.
    counted.iter().map(|(status, count)| format!("{} {}", number(*count), status.to_lowercase())).collect()
}

fn name(code: impl Serialize) -> String {
    let value = serde_json::to_value(code).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

fn notes(reported: &ReportedLoop, options: &Options, words: Words) -> Vec<String> {
    if !options.notes {
        return Vec::new();
    }
    let labels = (!reported.labels.is_empty())
        .then(|| words.say("reportFile.labels", &[("labels", Slot::Text(&words.list(&reported.labels)))]));
    let note = (!reported.note.is_empty())
        .then(|| words.say("reportFile.note", &[("text", Slot::Text(&reported.note))]));
    labels.into_iter().chain(note).collect()
}

fn decision(decision: &KeyDecision, words: Words, text: impl Fn(&str) -> String) -> (String, String) {
    let slots = [("id", Slot::Text(&decision.id)), ("text", Slot::Text(&text(&decision.text)))];
    (words.say(&format!("decision.{}", name(decision.kind)), &slots), text(&decision.reason))
}

fn test_run(run: &TestTotals) -> [String; 5] {
    let time = run.at.map_or_else(|| "–".to_owned(), day_and_time);
    let count = |value: u32| number(f64::from(value));
    [time, count(run.passed), count(run.failed), count(run.skipped), count(run.total)]
}

fn check(check: &CheckFact, options: &Options, words: Words) -> (String, String) {
    let is_path = matches!(check.kind, Some(CheckType::File | CheckType::NotFile | CheckType::Coverage));
    let may_show = if is_path { options.paths } else { options.commands };
    let shown = if may_show && !check.value.is_empty() {
        words.say(
            "reportFile.checkWith",
            &[("item", Slot::Text(&check.item)), ("value", Slot::Text(&check.value))],
        )
    } else if options.paths {
        check.item.clone()
    } else {
        without_paths(&check.item)
    };
    let result = match check.result {
        CheckResult::Pass => "reportFile.passed",
        CheckResult::Fail => "reportFile.failed",
        CheckResult::Unknown | CheckResult::None => "reportFile.unknown",
    };
    (shown, words.word(result))
}

/// What the checks said of an item since it was called done, as the window says it.
fn claim(item: &ClaimedItem, words: Words) -> String {
    let path = match (item.proven, item.broke) {
        (Some(_), Some(_)) if !item.is_proven() => "proof.broke",
        (Some(_), _) => "proof.proven",
        (None, _) if item.accepted => "proof.accepted",
        (None, _) => "proof.claimed",
    };
    let number = |count: Option<u32>| Slot::Number(f64::from(count.unwrap_or_default()));
    let slots = [
        ("claimed", number(Some(item.claimed))),
        ("proven", number(item.proven)),
        ("broke", number(item.broke)),
    ];
    words.say(path, &slots)
}

fn accepted(acceptance: &Acceptance, words: Words, text: impl Fn(&str) -> String) -> String {
    let path = match (acceptance.by.is_empty(), acceptance.why.is_empty()) {
        (true, true) => "proof.plain",
        (true, false) => "proof.why",
        (false, true) => "proof.plainBy",
        (false, false) => "proof.whyBy",
    };
    words.say(path, &[("by", Slot::Text(&acceptance.by)), ("reason", Slot::Text(&text(&acceptance.why)))])
}

fn open(open: &OpenWork, words: Words, text: impl Fn(&str) -> String) -> String {
    let slots = [("id", Slot::Text(&open.id)), ("text", Slot::Text(&text(&open.text)))];
    words.say(&format!("openWork.{}", name(open.kind)), &slots)
}

fn actions(reported: &ReportedLoop, words: Words) -> Vec<[String; 5]> {
    let all = reported.runs.iter().flat_map(|runs| &runs.actions);
    let row = |cost: &loopdeck_core::facts::ActionCost| {
        let path = format!("action.{}", cost.action);
        let said = words.word(&path);
        [
            if said == path { cost.action.clone() } else { said },
            number(f64::from(cost.runs)),
            duration(cost.worked_ms, words),
            cost.cost_usd.map(money).or(cost.tokens.map(number)).unwrap_or_else(|| "–".to_owned()),
            cost.lines.map_or_else(|| "–".to_owned(), lines),
        ]
    };
    all.map(row).collect()
}

/// As git says it, with a real minus sign.
fn lines(lines: ChangedLines) -> String {
    format!("+{} −{}", number(f64::from(lines.added)), number(f64::from(lines.removed)))
}

/// `2026-11-26 13:05 UTC`: a file that is sent does not know where it is read.
pub(crate) fn day_and_time(ms: f64) -> String {
    #[allow(clippy::cast_possible_truncation)] // checked by the reader of times
    let iso = to_iso_millis(loopdeck_core::times::Timestamp::from_millis(ms as i64));
    match (iso.get(..10), iso.get(11..16)) {
        (Some(day), Some(time)) => format!("{day} {time} UTC"),
        _ => iso,
    }
}

/// The text with `…/name` in the place of every path that begins at a root or a home: a report is read elsewhere.
pub(crate) fn without_paths(text: &str) -> String {
    let is_end = |c: char| c.is_whitespace() || "\"'`<>()[]{},;|".contains(c);
    let mut shown = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let start = rest.find(|c| !is_end(c)).unwrap_or(rest.len());
        shown.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest.find(is_end).unwrap_or(rest.len());
        shown.push_str(&short_path(&rest[..end]));
        rest = &rest[end..];
    }
    shown
}

fn short_path(word: &str) -> String {
    let drive = word.as_bytes().get(1) == Some(&b':') && word.as_bytes()[0].is_ascii_alphabetic();
    let is_path = (word.starts_with('/') || word.starts_with("~/") || word.starts_with("file:/") || drive)
        && word.matches(['/', '\\']).count() > 1;
    match word.trim_end_matches(['/', '\\']).rsplit_once(['/', '\\']) {
        Some((_, name)) if is_path => format!("…/{name}"),
        _ => word.to_owned(),
    }
}
