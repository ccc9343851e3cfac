//! `loopdeck recover DIR ID`: what can replace an unreadable file, and on request writing it.

use loopdeck_core::problem::Severity;
use loopdeck_core::recovery::{ApiField, ProposalSource, StatusChoice, Supplied};
use loopdeck_runtime::views::{LoopChange, LoopPage, LoopRow, RecoveryOption, RecoveryPage};
use serde::Serialize;

use super::Task;
use super::change::{self, WantedChange};
use super::code::code;
use super::complaint::Complaint;
use super::edit::EditOptions;
use super::output::Answer;
use super::text;
use super::workspace::Workspace;

/// Proposals for scripts. The names are a promise: `words/help/recover.txt` documents them.
#[derive(Debug, Serialize)]
struct Proposals<'a> {
    id: &'a str,
    file: &'a str,
    aside: &'a str,
    options: &'a [RecoveryOption],
    by_hand: &'a [String],
}

/// What was given.
#[derive(clap::Args, Debug, PartialEq)]
pub(super) struct RecoverOptions {
    /// Only this one: the last version that could be read, the readable part of the file, its backup, this loop's state
    /// in another loop's file, or a combination of the file, the last good version and the files next to it
    #[arg(long, value_parser = code::<ProposalSource>())]
    way: Option<ProposalSource>,
    /// Write it
    #[arg(long)]
    write: bool,
    /// Such as 2026-01-22T10:00:00Z
    #[arg(long, value_name = "TIME", help_heading = SUPPLIED)]
    created_at: Option<String>,
    /// The iterations used
    #[arg(long, value_name = "N", help_heading = SUPPLIED)]
    current_iteration: Option<u32>,
    /// The status
    #[arg(long, value_name = "WORD", value_parser = code::<StatusChoice>(), help_heading = SUPPLIED)]
    status: Option<StatusChoice>,
    #[command(flatten, next_help_heading = SUPPLIED)]
    metadata: EditOptions,
}

const SUPPLIED: &str = "Values for fields that the proposal makes up, together with --write";

impl RecoverOptions {
    /// The task for the loop `id`; the error is a sentence for the person.
    pub(super) fn task(self, id: String) -> Result<Task, &'static str> {
        let Self { way, write, created_at, current_iteration, status, metadata } = self;
        let metadata = metadata.patch().unwrap_or_default();
        let supplied = Supplied { metadata, status, current_iteration, created_at };
        match write {
            true => Ok(Task::Recover { id, way, supplied }),
            false if supplied == Supplied::default() => Ok(Task::Proposals { id, way }),
            false => Err("values are typed in together with --write"),
        }
    }
}

/// The option for a requested field.
fn flag_of(field: ApiField) -> String {
    if field == ApiField::Tags {
        "--tag".to_owned()
    } else {
        format!("--{}", text::name(field).replace('_', "-"))
    }
}

/// The possible recoveries, all or only `way`. Changes nothing.
pub(super) fn proposals(
    workspace: &Workspace,
    id: &str,
    way: Option<ProposalSource>,
) -> Result<Answer, Complaint> {
    let row = workspace.find(id)?;
    let page = page(workspace, row, way)?;
    let by_hand = if page.options.is_empty() { by_hand(workspace, row) } else { Vec::new() };
    let shown = Proposals {
        id: &row.id,
        file: &page.file,
        aside: &page.aside,
        options: &page.options,
        by_hand: &by_hand,
    };
    Answer::new(&shown, lines(&page, &by_hand))
}

/// Writes the first proposal, or the one that `way` names, with the `supplied` fields; the damaged file is
/// kept next to it.
pub(super) fn write(
    workspace: &mut Workspace,
    id: &str,
    way: Option<ProposalSource>,
    supplied: Supplied,
) -> Result<Answer, Complaint> {
    let row = workspace.find(id)?;
    let page = page(workspace, row, way)?;
    let Some(option) = page.options.into_iter().next() else {
        let sentence = no_proposal(&row.file, &by_hand(workspace, row)).join(" ");
        return Err(Complaint::new("no_proposal", sentence));
    };
    let change = LoopChange::Recover { way: option.way, fingerprint: option.fingerprint, supplied };
    change::answer(workspace, id, WantedChange::This(Box::new(change)))
}

fn page(
    workspace: &Workspace,
    row: &LoopRow,
    way: Option<ProposalSource>,
) -> Result<RecoveryPage, Complaint> {
    let page = workspace.runtime.recovery(&row.key);
    let mut page = page.map_err(|failure| Complaint::from_failure(&failure, Some(row)))?;
    let Some(way) = way else { return Ok(page) };
    let offered: Vec<String> = page.options.iter().map(|option| text::name(option.way)).collect();
    page.options.retain(|option| option.way == way);
    if page.options.is_empty() {
        let (way, offered) = (text::name(way), offered.join(", "));
        return Err(Complaint::own("way_not_offered", &[("way", &way), ("offered", &offered)]));
    }
    Ok(page)
}

/// What to edit by hand: each error with its line and what to do.
fn by_hand(workspace: &Workspace, row: &LoopRow) -> Vec<String> {
    let sentences = |page: &LoopPage| -> Vec<String> {
        let errors = page.detail.problems.iter().filter(|problem| problem.severity == Severity::Error);
        errors.map(|problem| text::to_do(&row.file, problem)).collect()
    };
    workspace.each_page(std::slice::from_ref(row), sentences).into_iter().flatten().collect()
}

fn no_proposal(file: &str, by_hand: &[String]) -> Vec<String> {
    let mut lines = vec![text::plain(&text::sentence("headless", "no_proposal", [("file", file)]))];
    if !by_hand.is_empty() {
        lines.push(text::sentence("headless", "by_hand", []));
        lines.extend(by_hand.iter().cloned());
    }
    lines
}

fn lines(page: &RecoveryPage, by_hand: &[String]) -> Vec<String> {
    let say = |code: &str, args: &[(&str, &str)]| {
        text::plain(&text::sentence("headless", code, args.iter().copied()))
    };
    if page.options.is_empty() {
        return no_proposal(&page.file, by_hand);
    }
    let whole = say("whole_file", &[]);
    let mut lines =
        vec![say("damaged", &[("file", &page.file)]), say("damaged_kept", &[("aside", &page.aside)])];
    for option in &page.options {
        lines.push(say("way", &[("way", &text::name(option.way)), ("size", &option.text.len().to_string())]));
        if option.known > 0 {
            let (count, total) = (option.recovered.to_string(), option.known.to_string());
            lines.push(say("brings_back", &[("count", &count), ("total", &total)]));
        }
        lines.extend(option.fields.iter().map(|field| {
            let path = if field.path.is_empty() { &whole } else { &field.path };
            say("field_from", &[("path", path), ("source", &field.source)])
        }));
        lines.extend(option.lost.iter().map(|path| say("field_lost", &[("path", path)])));
        lines.extend(option.asked.iter().map(|asked| {
            let flag = flag_of(asked.field);
            let value = if asked.value.is_empty() { say("nothing", &[]) } else { text::plain(&asked.value) };
            say("field_asked", &[("option", &flag), ("value", &value)])
        }));
    }
    lines.push(say("nothing_written", &[]));
    lines
}
