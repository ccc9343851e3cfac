//! An agent's output into events, line by line. Nothing can fail: unknown lines are passed on unchanged.

mod claude;
mod codex;
mod gemini;
mod json;
mod split;

use super::event::AgentEvent;
use super::facts::Facts;
use super::lines::{Line, LineSplitter};
use super::{Clip, OutputKind, Stream};
use loopdeck_text::json_span::tree::Node;
use split::{Piece, pieces};
use std::borrow::Cow;

/// Bytes of a line of text that an event carries.
const TEXT_LINE_LIMIT: usize = Clip::LIMIT;

/// Reads the output of one run and collects its [`Facts`].
#[derive(Clone, Debug)]
pub struct Decoder {
    kind: OutputKind,
    facts: Facts,
    claude: claude::ClaudeState,
    codex: codex::CodexState,
    gemini: gemini::GeminiState,
    /// The text of the last final event: the same event again says nothing new.
    last_final: String,
}

/// A line of JSON, and the text that its values' positions refer to.
struct Event<'a> {
    node: Node<'a>,
    text: &'a str,
    /// The part of the text that is this event.
    own: &'a str,
}

impl Decoder {
    /// A decoder for one run.
    #[must_use]
    pub fn new(kind: OutputKind) -> Self {
        Self {
            kind,
            facts: Facts::default(),
            claude: claude::ClaudeState::default(),
            codex: codex::CodexState::default(),
            gemini: gemini::GeminiState::default(),
            last_final: String::new(),
        }
    }

    /// Reads one complete line without its end.
    pub fn push(&mut self, stream: Stream, line: &[u8]) -> Vec<AgentEvent> {
        self.push_line(stream, Line::uncut(line))
    }

    /// Reads one line, which may have been cut.
    pub fn push_line(&mut self, stream: Stream, line: Line<'_>) -> Vec<AgentEvent> {
        let text = text_of(line);
        if stream == Stream::Stderr || self.kind == OutputKind::Text {
            return vec![self.plain_text(stream, &text, line)];
        }
        if text.trim().is_empty() {
            return Vec::new();
        }
        let is_claude = matches!(self.kind, OutputKind::ClaudeJsonl | OutputKind::QwenJsonl);
        if is_claude
            && line.full > line.bytes.len()
            && let Some(question) = claude::cut_question(&text, clip(&text, line))
        {
            return vec![question];
        }
        let mut events = Vec::new();
        for piece in pieces(&text) {
            match piece {
                Piece::Event(node, own) => {
                    self.read_event(&Event { node, text: &text, own }, line, &mut events);
                }
                Piece::Text(part) => {
                    if is_claude {
                        claude::cut_final(self.kind, part, &mut self.facts);
                    }
                    let is_all = part.len() == text.trim().len();
                    let raw = if is_all { clip(&text, line) } else { Clip::from_text(part) };
                    self.facts.complaints.read(self.kind, stream, &raw);
                    events.push(AgentEvent::Other { raw });
                }
            }
        }
        events
    }

    fn read_event(&mut self, event: &Event<'_>, line: Line<'_>, events: &mut Vec<AgentEvent>) {
        if self.facts.last.is_some() && self.last_final == event.own {
            return;
        }
        let before = events.len();
        let known = match self.kind {
            OutputKind::ClaudeJsonl | OutputKind::QwenJsonl => {
                self.claude.read(self.kind, event, &mut self.facts, events)
            }
            OutputKind::CodexJsonl => self.codex.read(&event.node, &mut self.facts, events),
            OutputKind::GeminiJsonl => self.gemini.read(&event.node, &mut self.facts, events),
            OutputKind::Text => true,
        };
        if events[before..].iter().any(|event| matches!(event, AgentEvent::Finished { .. })) {
            event.own.clone_into(&mut self.last_final);
        }
        if !known {
            let raw = clip(event.own, line);
            self.facts.last_unknown = Some(raw.clone());
            events.push(AgentEvent::Other { raw });
        }
    }

    /// What is known about the run so far.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The kind of output.
    #[must_use]
    pub fn kind(&self) -> OutputKind {
        self.kind
    }

    fn plain_text(&mut self, stream: Stream, text: &str, line: Line<'_>) -> AgentEvent {
        let text = clip(text, line);
        // A command's output is its result, not a complaint.
        if self.kind != OutputKind::Text || stream == Stream::Stderr {
            self.facts.complaints.read(self.kind, stream, &text);
        }
        AgentEvent::Text { text, parent: None, delta: false, stream }
    }
}

fn clip(text: &str, line: Line<'_>) -> Clip {
    // A replacement character is longer than the byte it replaces, so only a line that is really cut reports
    // its own length.
    let full = if line.full > line.bytes.len() { line.full } else { text.len() };
    Clip::cut(text, TEXT_LINE_LIMIT, full)
}

/// The line as text; invalid UTF-8 is replaced, half a character at a cut is left out.
fn text_of(line: Line<'_>) -> Cow<'_, str> {
    let bytes = line.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line.bytes);
    if line.full > line.bytes.len()
        && let Err(error) = std::str::from_utf8(bytes)
        && error.error_len().is_none()
    {
        return String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
    }
    String::from_utf8_lossy(bytes)
}

/// Both pipes of one run, fed with chunks as they arrive.
#[derive(Clone, Debug)]
pub struct Feed {
    decoder: Decoder,
    stdout: LineSplitter,
    stderr: LineSplitter,
}

impl Feed {
    /// A feed for one run.
    #[must_use]
    pub fn new(kind: OutputKind) -> Self {
        let of = |stream| LineSplitter::for_output(kind, stream);
        Self { decoder: Decoder::new(kind), stdout: of(Stream::Stdout), stderr: of(Stream::Stderr) }
    }

    /// Reads the next chunk of a pipe.
    pub fn push(&mut self, stream: Stream, chunk: &[u8]) -> Vec<AgentEvent> {
        let splitter = if stream == Stream::Stdout { &mut self.stdout } else { &mut self.stderr };
        let (decoder, mut events) = (&mut self.decoder, Vec::new());
        splitter.push(chunk, |line| events.extend(decoder.push_line(stream, line)));
        events
    }

    /// Both pipes ended: reads the text after the last line end.
    pub fn end(&mut self) -> Vec<AgentEvent> {
        let (decoder, mut events) = (&mut self.decoder, Vec::new());
        self.stdout.end(|line| events.extend(decoder.push_line(Stream::Stdout, line)));
        self.stderr.end(|line| events.extend(decoder.push_line(Stream::Stderr, line)));
        events
    }

    /// What is known about the run so far.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        self.decoder.facts()
    }
}
