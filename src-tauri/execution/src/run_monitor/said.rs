//! What an agent said, as rows for the eye.

use crate::output::{Source, StoredRow};
use crate::rows::OutputKind as Kind;
use crate::rows::OutputRow;
use loopdeck_agents::event::AgentEvent;
use loopdeck_agents::usage::UsageView;
use loopdeck_agents::{Clip, Stream};
use loopdeck_core::times::Timestamp;

/// A text that comes in pieces is one row up to so many bytes.
const JOINED: usize = 3_500;
/// Characters of the last line that is shown of a run.
const LINE: usize = 160;

/// Rows on their way to the disk.
#[derive(Default)]
pub(crate) struct Rows {
    ready: Vec<StoredRow>,
    /// A text that still comes in pieces.
    open: Option<StoredRow>,
    untold: bool,
    last_line: String,
}

impl Rows {
    /// Adds what an event shows.
    pub(crate) fn add(&mut self, event: &AgentEvent, stream: Stream, at: Timestamp, source: Source) {
        if let AgentEvent::Text { text, delta: true, parent, .. } = event {
            self.join(&text.text, parent.is_some(), at);
            return;
        }
        self.end();
        if let Some(mut row) = row(event, stream) {
            row.at = number(at);
            let source = row.cut.map(|_| source);
            self.push(StoredRow { row, source });
        }
    }

    /// Loopdeck itself says something.
    pub(crate) fn add_note(&mut self, name: &str, text: &str, at: Timestamp) {
        self.end();
        let row =
            OutputRow { at: number(at), name: name.to_owned(), text: text.to_owned(), ..plain(Kind::Note) };
        self.push(StoredRow { row, source: None });
    }

    /// Nothing more came for a moment: a piece that ends a line is shown.
    pub(crate) fn pause(&mut self) {
        if self.open.as_ref().is_some_and(|open| open.row.text.ends_with(['\n', '.', ':'])) {
            self.end();
        }
    }

    /// The text in pieces is whole.
    pub(crate) fn end(&mut self) {
        if let Some(open) = self.open.take().filter(|open| !open.row.text.trim().is_empty()) {
            self.push(open);
        }
    }

    /// Rows that can go to disk.
    pub(crate) fn take_finished(&mut self) -> Vec<StoredRow> {
        std::mem::take(&mut self.ready)
    }

    pub(crate) fn is_untold(&self) -> bool {
        self.untold
    }

    pub(crate) fn mark_reported(&mut self) {
        self.untold = false;
    }

    /// Its last line of output, at most [`LINE`] characters.
    pub(crate) fn last_line(&self) -> &str {
        &self.last_line
    }

    fn push(&mut self, row: StoredRow) {
        if let Some(line) = line_of(&row.row) {
            self.last_line = line;
        }
        self.ready.push(row);
        self.untold = true;
    }

    fn join(&mut self, piece: &str, nested: bool, at: Timestamp) {
        if self.open.as_ref().is_some_and(|open| open.row.text.len() + piece.len() > JOINED) {
            self.end();
        }
        let empty =
            || StoredRow { row: OutputRow { depth: u32::from(nested), ..plain(Kind::Text) }, source: None };
        let open = self.open.get_or_insert_with(empty);
        open.row.at = number(at);
        open.row.text.push_str(piece);
    }
}

/// What a row says in one line; nothing of one that says nothing.
fn line_of(row: &OutputRow) -> Option<String> {
    let last = row.text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let parts = [row.name.as_str(), last].into_iter().filter(|part| !part.is_empty());
    let line: String = parts.collect::<Vec<_>>().join(" · ").chars().take(LINE).collect();
    Some(line).filter(|line| !line.is_empty() && row.kind != Kind::Started)
}

#[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
fn number(at: Timestamp) -> f64 {
    at.number()
}

fn plain(kind: Kind) -> OutputRow {
    OutputRow { at: 0.0, kind, name: String::new(), text: String::new(), cut: None, ok: None, depth: 0 }
}

fn text_row(kind: Kind, text: &Clip) -> OutputRow {
    OutputRow { text: text.text.clone(), cut: text.cut_from, ..plain(kind) }
}

/// Tools that change a file, in the words of the agents.
const EDITS: [&str; 9] = [
    "Edit",
    "Write",
    "MultiEdit",
    "NotebookEdit",
    "file_change",
    "edit",
    "write_file",
    "replace",
    "notebook_edit",
];

fn row(event: &AgentEvent, stream: Stream) -> Option<OutputRow> {
    let depth = |parent: &Option<String>| u32::from(parent.is_some());
    Some(match event {
        AgentEvent::Started(started) => {
            let parts = [&started.model, &started.mode, &started.version];
            let text: Vec<&str> = parts.iter().filter_map(|part| part.as_deref()).collect();
            OutputRow { text: text.join(" · "), ..plain(Kind::Started) }
        }
        AgentEvent::Text { text, parent, .. } => {
            let kind = if stream == Stream::Stderr { Kind::Stderr } else { Kind::Text };
            OutputRow { depth: depth(parent), ..text_row(kind, text) }
        }
        AgentEvent::Reasoning { text, parent } => {
            OutputRow { depth: depth(parent), ..text_row(Kind::Thinking, text) }
        }
        AgentEvent::ToolStart { name, input, parent, .. } => {
            let kind = if EDITS.contains(&name.as_str()) { Kind::Edit } else { Kind::ToolStart };
            OutputRow { name: name.clone(), depth: depth(parent), ..text_row(kind, input) }
        }
        AgentEvent::ToolEnd { ok, output, parent, .. } => {
            OutputRow { ok: Some(*ok), depth: depth(parent), ..text_row(Kind::ToolEnd, output) }
        }
        AgentEvent::Retry { n, of, wait_ms, cause, .. } => {
            let count = n.map(|n| of.map_or(format!("{n}"), |of| format!("{n}/{of}"))).unwrap_or_default();
            let wait = wait_ms.map(|wait| format!(" {:.0} s", wait / 1000.0)).unwrap_or_default();
            OutputRow { name: format!("{count}{wait}").trim().to_owned(), ..text_row(Kind::Retry, cause) }
        }
        AgentEvent::Warning { code, text } => {
            OutputRow { name: code.clone().unwrap_or_default(), ..text_row(Kind::Warning, text) }
        }
        AgentEvent::PermissionRequest(request) => {
            OutputRow { name: request.tool.clone(), ..text_row(Kind::Permission, &request.input) }
        }
        AgentEvent::Denied(denied) => {
            let said_why = denied.reason.as_ref().or(denied.input.as_ref()).cloned().unwrap_or_default();
            OutputRow { name: denied.tool.clone(), ..text_row(Kind::Denied, &said_why) }
        }
        AgentEvent::Usage { usage } => OutputRow { text: usage_line(usage), ..plain(Kind::Usage) },
        AgentEvent::Finished { error, word, text } => OutputRow {
            name: word.clone().unwrap_or_default(),
            ok: Some(!error),
            ..text_row(Kind::Finished, text)
        },
        AgentEvent::Other { raw } => text_row(Kind::Other, raw),
        // What the provider's allowance is and what was withdrawn says nothing to the eye.
        AgentEvent::Allowance { .. }
        | AgentEvent::PermissionWithdrawn { .. }
        | AgentEvent::ControlAnswer { .. } => {
            return None;
        }
    })
}

/// Figures without words: the window has those.
fn usage_line(usage: &UsageView) -> String {
    let cost = usage.cost_usd.map(|cost| format!(" · {}", dollars(cost))).unwrap_or_default();
    format!("↑ {} · ↓ {}{cost}", usage.input, usage.output)
}

/// Money as the window writes it elsewhere: whole cents, and no zero for what was not free.
fn dollars(cost: f64) -> String {
    if cost > 0.0 && cost < 0.01 { "< 0.01 USD".to_owned() } else { format!("{cost:.2} USD") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_told_in_whole_cents() {
        let told: Vec<String> = [0.0, 0.004, 0.01, 1.005_1, 12.0].into_iter().map(dollars).collect();
        assert_eq!(told, ["0.00 USD", "< 0.01 USD", "0.01 USD", "1.01 USD", "12.00 USD"]);
    }

    const SOURCE: Source = Source { frame: 0, offset: 0 };

    fn text(text: &str, delta: bool) -> AgentEvent {
        AgentEvent::Text { text: Clip::from_text(text), parent: None, delta, stream: Stream::Stdout }
    }

    #[test]
    fn pieces_become_one_row_that_ends_with_the_next_event() {
        let mut rows = Rows::default();
        for piece in ["Hel", "lo ", "there"] {
            rows.add(&text(piece, true), Stream::Stdout, Timestamp::from_millis(5), SOURCE);
            rows.pause();
        }
        assert_eq!(rows.take_finished().len(), 0, "it may go on");
        rows.add(&text("whole", false), Stream::Stdout, Timestamp::from_millis(6), SOURCE);
        let texts: Vec<String> = rows.take_finished().into_iter().map(|stored| stored.row.text).collect();
        assert_eq!(texts, ["Hello there", "whole"]);
    }

    #[test]
    fn edits_errors_and_cut_texts_are_told_apart() {
        let mut rows = Rows::default();
        let start = |name: &str| AgentEvent::ToolStart {
            id: "1".into(),
            name: name.into(),
            input: Clip::from_text("{}"),
            parent: Some("p".into()),
        };
        rows.add(&start("Edit"), Stream::Stdout, Timestamp::from_millis(1), SOURCE);
        rows.add(&start("Bash"), Stream::Stdout, Timestamp::from_millis(1), SOURCE);
        rows.add(&text(&"x".repeat(9_000), false), Stream::Stderr, Timestamp::from_millis(1), SOURCE);
        let rows = rows.take_finished();
        let kinds: Vec<Kind> = rows.iter().map(|stored| stored.row.kind).collect();
        assert_eq!(kinds, [Kind::Edit, Kind::ToolStart, Kind::Stderr]);
        assert_eq!((rows[0].row.depth, rows[2].row.cut, rows[2].source), (1, Some(9_000), Some(SOURCE)));
    }
}
