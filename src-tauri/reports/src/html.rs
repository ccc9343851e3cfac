//! The report as one HTML file: no script, no other file, readable on a phone and on paper.

use crate::Report;
use crate::shown::{ACTION_COLUMNS, ShownLoop, day_and_time, top_line};
use crate::words::{Slot, Words};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("report.css");
/// Nothing may be loaded, and nothing run: also where the file is opened by another program.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

pub(crate) fn html(report: &Report) -> String {
    let words = Words::new(report.options.language);
    let loops: Vec<ShownLoop> =
        report.loops.iter().map(|reported| ShownLoop::new(reported, &report.options, words)).collect();
    let title = title(report, words);
    let page = html! {
        (DOCTYPE)
        html lang=(report.options.language.tag()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title) }
                    p.top { (words.list(&top_line(report, words))) }
                    p.made { (made(report, words)) }
                }
                main {
                    @if loops.is_empty() { p { (words.word("reportFile.empty")) } }
                    @if loops.len() > 1 { (all(&loops, words)) }
                    @for (number, shown) in loops.iter().enumerate() { (one(number, shown, words)) }
                }
            }
        }
    };
    page.into_string()
}

pub(crate) fn title(report: &Report, words: Words) -> String {
    let own = report.options.title.trim();
    if own.is_empty() { words.word("reportFile.title") } else { own.chars().take(200).collect() }
}

#[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
pub(crate) fn made(report: &Report, words: Words) -> String {
    let time = day_and_time(report.made.number());
    words.say("reportFile.made", &[("time", Slot::Text(&time))])
}

/// Every loop in one row.
fn all(loops: &[ShownLoop], words: Words) -> Markup {
    html! {
        section.all aria-labelledby="all" {
            h2 id="all" { (words.word("reportFile.all")) }
            table {
                thead {
                    tr {
                        th scope="col" { (words.word("reportFile.loop")) }
                        th scope="col" { (words.word("reportFile.status")) }
                        th scope="col" { (words.word("reportFile.facts")) }
                    }
                }
                tbody {
                    @for (number, shown) in loops.iter().enumerate() {
                        tr {
                            th scope="row" {
                                a href=(format!("#loop-{number}")) { (shown.title) }
                                div.quiet { (shown.workspace) }
                            }
                            td { (shown.status) }
                            td { (shown.sentence) (risks(shown)) }
                        }
                    }
                }
            }
        }
    }
}

fn risks(shown: &ShownLoop) -> Markup {
    html! {
        @if !shown.risks.is_empty() { ul.risks { @for risk in &shown.risks { li { (risk) } } } }
    }
}

fn one(number: usize, shown: &ShownLoop, words: Words) -> Markup {
    html! {
        article id=(format!("loop-{number}")) aria-labelledby=(format!("title-{number}")) {
            h2 id=(format!("title-{number}")) { (shown.title) }
            p.state { strong { (shown.status) } " " (shown.sentence) }
            @if !shown.reason.is_empty() { p.quiet { (shown.reason) } }
            (risks(shown))
            @if !shown.goal.is_empty() { p.goal { (shown.goal) } }
            @for note in &shown.notes { p.note { (note) } }
            (happened(shown, words))
            (now(shown, words))
            (next(shown, words))
        }
    }
}

fn happened(shown: &ShownLoop, words: Words) -> Markup {
    html! {
        h3 { (words.word("reportFile.happened")) }
        @if shown.decisions.is_empty() && shown.files.is_empty() && shown.actions.is_empty() {
            p.quiet { (words.word("reportFile.nothingHappened")) }
        }
        @if !shown.decisions.is_empty() {
            ul {
                @for (said, reason) in &shown.decisions {
                    li { (said) @if !reason.is_empty() { div.quiet { (reason) } } }
                }
            }
        }
        @if !shown.files.is_empty() {
            h4 { (words.word("reportFile.files")) }
            ul.code { @for file in &shown.files { li { code { (file) } } } }
        }
        @if !shown.actions.is_empty() {
            (table(words, ACTION_COLUMNS, &shown.actions))
        }
    }
}

fn now(shown: &ShownLoop, words: Words) -> Markup {
    html! {
        h3 { (words.word("reportFile.now")) }
        @if shown.test_runs.is_empty() && shown.checks.is_empty() {
            p.quiet { (words.word("reportFile.nothingProven")) }
        }
        @if !shown.test_runs.is_empty() {
            (table(words, ["time", "passed", "failed", "skipped", "total"], &shown.test_runs))
        }
        @if !shown.failed_tests.is_empty() {
            h4 { (words.word("reportFile.failedTests")) }
            ul.code { @for name in &shown.failed_tests { li { code { (name) } } } }
        }
        @if !shown.checks.is_empty() {
            (table(words, ["check", "result"], &pairs(&shown.checks)))
        }
        @if !shown.claims.is_empty() {
            (table(words, ["item", "result"], &pairs(&shown.claims)))
        }
        @if !shown.accepted.is_empty() { p { (shown.accepted) } }
    }
}

fn next(shown: &ShownLoop, words: Words) -> Markup {
    html! {
        h3 { (words.word("reportFile.next")) }
        @if shown.open.is_empty() { p.quiet { (words.word("reportFile.nothingOpen")) } }
        @if !shown.open.is_empty() { ul { @for open in &shown.open { li { (open) } } } }
    }
}

pub(crate) fn pairs(checks: &[(String, String)]) -> Vec<[String; 2]> {
    checks.iter().map(|(check, result)| [check.clone(), result.clone()]).collect()
}

/// A table whose first column names its rows.
fn table<const N: usize>(words: Words, heads: [&str; N], rows: &[[String; N]]) -> Markup {
    html! {
        div.wide {
            table {
                thead { tr { @for head in heads { th scope="col" { (words.word(&format!("reportFile.{head}"))) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (at, cell) in row.iter().enumerate() {
                                @if at == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
