//! `loopdeck summary` and `loopdeck report`: what happened in loops, for scripts and for people who get a file.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use loopdeck_core::times::{Timestamp, parse};
use loopdeck_reports::{Format, Language, Options, sentence};
use loopdeck_runtime::views::{LoopReport, LoopRow, LoopSummary};
use serde::Serialize;

use super::complaint::Complaint;
use super::output::Answer;
use super::text;
use super::workspace::Workspace;

/// What `report` writes, and where.
#[derive(Args, Debug, PartialEq)]
pub(super) struct ReportArgs {
    /// Write the report to FILE; - writes it to stdout
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(super) output: PathBuf,
    /// Write HTML or Markdown
    #[arg(long, value_enum, default_value = "html")]
    format: WrittenAs,
    /// Only loops that changed on or after DATE: a day such as 2026-11-20, or a time such as 2026-11-20T08:00:00Z
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Also include paths, commands or notes; all are left out by default
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    include: Vec<Included>,
    /// The title of the report
    #[arg(long, value_name = "TEXT", default_value = "")]
    title: String,
    /// The language of the report
    #[arg(long, value_name = "LANGUAGE", value_parser = ["en", "zh-CN", "ja"], default_value = "en")]
    language: String,
}

/// What a report is written as.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum WrittenAs {
    Html,
    Md,
}

/// What a report has only when it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Included {
    Paths,
    Commands,
    Notes,
}

/// A loop's summary for scripts. The names are a promise: `words/help/summary.txt` documents them.
#[derive(Debug, Serialize)]
struct Summarised<'a> {
    id: &'a str,
    file: &'a str,
    sentence: String,
    #[serde(flatten)]
    summary: &'a LoopSummary,
}

/// The summaries of the loops `ids`, or of all.
pub(super) fn summary(workspace: &Workspace, ids: &[String]) -> Result<Answer, Complaint> {
    let rows = chosen(workspace, ids)?;
    let summaries = rows
        .iter()
        .map(|row| workspace.runtime.loop_summary(&row.key))
        .collect::<Result<Vec<LoopSummary>, _>>()?;
    let said: Vec<Summarised<'_>> =
        rows.iter().zip(&summaries).map(|(row, summary)| summarised(row, summary)).collect();
    let lines = rows.iter().zip(&said).map(|(row, said)| {
        let parts = [text::status(row), row.title.clone(), said.sentence.clone()];
        text::plain(&parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · "))
    });
    Answer::new(&said, lines.collect())
}

fn summarised<'a>(row: &'a LoopRow, summary: &'a LoopSummary) -> Summarised<'a> {
    let facts = summary.report.facts.clone().unwrap_or_default();
    let LoopReport { claims, runs, .. } = &summary.report;
    let sentence = sentence(&facts, *claims, runs.as_ref(), Language::English);
    Summarised { id: &row.id, file: &row.file, sentence, summary }
}

/// The report file that was written; its text when it goes to stdout.
pub(super) fn answer(workspace: &Workspace, ids: &[String], args: &ReportArgs) -> Result<Answer, Complaint> {
    let keys: Vec<String> = chosen(workspace, ids)?.iter().map(|row| row.key.clone()).collect();
    let since = args.since.as_deref().map(moment).transpose()?;
    let options = Options {
        title: args.title.clone(),
        language: Language::from_tag(&args.language).unwrap_or_default(),
        paths: args.include.contains(&Included::Paths),
        commands: args.include.contains(&Included::Commands),
        notes: args.include.contains(&Included::Notes),
    };
    let format = match args.format {
        WrittenAs::Html => Format::Html,
        WrittenAs::Md => Format::Markdown,
    };
    let report = workspace.runtime.report((Some(&keys), since), &options, format)?;
    if args.output == Path::new("-") {
        return Answer::new(&report, report.lines().map(str::to_owned).collect());
    }
    let shown = args.output.display().to_string();
    std::fs::write(&args.output, &report).map_err(|error| {
        Complaint::own("cannot_write", &[("path", &shown), ("reason", &error.to_string())])
    })?;
    let written = text::sentence("headless", "report_written", [("path", &*shown)]);
    Answer::new(&serde_json::json!({ "file": shown, "loops": keys.len() }), vec![text::plain(&written)])
}

fn chosen<'a>(workspace: &'a Workspace, ids: &[String]) -> Result<Vec<&'a LoopRow>, Complaint> {
    if ids.is_empty() {
        return Ok(workspace.rows.iter().collect());
    }
    ids.iter().map(|id| workspace.find(id)).collect()
}

/// A day begins at midnight, UTC.
pub(super) fn moment(date: &str) -> Result<Timestamp, Complaint> {
    let whole = if date.len() == 10 { format!("{date}T00:00:00Z") } else { date.to_owned() };
    parse(&whole).ok_or_else(|| Complaint::own("bad_date", &[("date", date)]))
}
