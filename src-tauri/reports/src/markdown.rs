//! The report as Markdown. Every text is escaped, so that none of it is a heading, a link or HTML.

use crate::Report;
use crate::html::{made, pairs, title};
use crate::shown::{ACTION_COLUMNS, ShownLoop, top_line};
use crate::words::Words;

pub(crate) fn markdown(report: &Report) -> String {
    let words = Words::new(report.options.language);
    let loops = report.loops.iter().map(|reported| ShownLoop::new(reported, &report.options, words));
    let mut lines = vec![format!("# {}", plain(&title(report, words))), String::new()];
    if report.loops.is_empty() {
        lines.push(plain(&words.word("reportFile.empty")));
    } else {
        lines.push(format!("**{}**", plain(&words.list(&top_line(report, words)))));
    }
    lines.extend([String::new(), plain(&made(report, words))]);
    for shown in loops {
        one(&shown, words, &mut lines);
    }
    lines.push(String::new());
    lines.join("\n")
}

fn one(shown: &ShownLoop, words: Words, lines: &mut Vec<String>) {
    lines.extend([String::new(), format!("## {}", plain(&shown.title)), String::new()]);
    lines.push(format!("**{}** {}", plain(&shown.status), plain(&shown.sentence)).trim_end().to_owned());
    for text in [&shown.reason, &shown.goal].into_iter().filter(|text| !text.is_empty()) {
        lines.extend([String::new(), format!("> {}", plain(text))]);
    }
    for note in &shown.notes {
        lines.extend([String::new(), plain(note)]);
    }
    list(shown.risks.iter().map(|risk| format!("⚠ {}", plain(risk))), lines);
    heading("happened", words, lines);
    let reasoned = |(said, reason): &(String, String)| {
        if reason.is_empty() { plain(said) } else { format!("{}: {}", plain(said), plain(reason)) }
    };
    if shown.decisions.is_empty() && shown.files.is_empty() && shown.actions.is_empty() {
        lines.push(plain(&words.word("reportFile.nothingHappened")));
    }
    list(shown.decisions.iter().map(reasoned), lines);
    list(shown.files.iter().map(|file| code(file)), lines);
    table(words, ACTION_COLUMNS, &shown.actions, lines);
    heading("now", words, lines);
    if shown.test_runs.is_empty() && shown.checks.is_empty() {
        lines.push(plain(&words.word("reportFile.nothingProven")));
    }
    table(words, ["time", "passed", "failed", "skipped", "total"], &shown.test_runs, lines);
    list(shown.failed_tests.iter().map(|name| code(name)), lines);
    table(words, ["check", "result"], &pairs(&shown.checks), lines);
    table(words, ["item", "result"], &pairs(&shown.claims), lines);
    if !shown.accepted.is_empty() {
        lines.extend([String::new(), plain(&shown.accepted)]);
    }
    heading("next", words, lines);
    if shown.open.is_empty() {
        lines.push(plain(&words.word("reportFile.nothingOpen")));
    }
    list(shown.open.iter().map(|open| plain(open)), lines);
}

fn heading(name: &str, words: Words, lines: &mut Vec<String>) {
    lines.extend([
        String::new(),
        format!("### {}", plain(&words.word(&format!("reportFile.{name}")))),
        String::new(),
    ]);
}

fn list(items: impl Iterator<Item = String>, lines: &mut Vec<String>) {
    let items: Vec<String> = items.map(|item| format!("- {item}")).collect();
    if !items.is_empty() {
        lines.push(String::new());
        lines.extend(items);
    }
}

fn table<const N: usize>(words: Words, heads: [&str; N], rows: &[[String; N]], lines: &mut Vec<String>) {
    if rows.is_empty() {
        return;
    }
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    lines.push(String::new());
    lines.push(row(heads.iter().map(|head| plain(&words.word(&format!("reportFile.{head}")))).collect()));
    lines.push(row(vec!["---".to_owned(); N]));
    lines.extend(rows.iter().map(|cells| row(cells.iter().map(|cell| plain(cell)).collect())));
}

/// The text on one line, with everything escaped that Markdown or HTML could take for its own.
pub(crate) fn plain(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '#' | '+' | '!' | '|' | '~' => {
                escaped.extend(['\\', c]);
            }
            c if c.is_control() => {}
            c => escaped.push(c),
        }
    }
    // A line that begins with these would be a list or a rule, and an address a link.
    match escaped.chars().next() {
        Some('-' | '=' | '.') => format!("\\{escaped}"),
        _ => escaped.replace("://", ":\u{2060}//"),
    }
}

/// A name in monospace; a fence longer than any run of backticks in it keeps it one.
fn code(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let longest = line.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    format!("{fence} {line} {fence}")
}
