//! Why a run failed, taken from everything it wrote besides its events: all of stderr, and the lines of
//! stdout that are not events.
//!
//! Warnings often come before the reason (Codex warns whenever its home is below a temporary folder), so the
//! position of a line says little. Lines are ranked by their own label, and the first of the best rank is the
//! reason. What libraries log and what is left of events ranks last.

use super::provider::Told;
use super::{Clip, OutputKind, Stream};
use loopdeck_text::plain;
use std::borrow::Cow;

/// A known error, wherever its line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The agent does not know the conversation to resume.
    UnknownConversation,
    /// The agent does not know an argument of the command line.
    UnknownArgument,
}

/// What a run wrote besides its events; bounded for any output.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Complaints {
    known: Option<(Cause, Clip)>,
    /// The last line by which the provider refuses, and what it tells.
    refusal: Option<(Clip, Told)>,
    error: Option<Clip>,
    failure: Option<Clip>,
    said: Option<Clip>,
    printed: Option<Clip>,
    logged: Option<Clip>,
    aside: Option<Clip>,
    raw: Option<Clip>,
    /// For output without events: the last line of stderr that is not a warning.
    last: Option<Clip>,
    /// The last line of stderr was set aside; lines indented below it belong to it.
    is_aside: bool,
}

/// The label of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rank {
    /// It calls itself an error.
    Error,
    /// It says that something did not work.
    Failure,
    Said,
    Logged,
    Aside,
    /// A part of something for programs.
    Raw,
}

/// Characters of a line for programs that stand for a reason when there is no other.
const LONGEST_RAW: usize = 200;

/// Words of a line that says what did not work, with or without calling itself an error.
const FAILURE_WORDS: [&str; 24] = [
    "fail",
    "cannot",
    "can't",
    "could not",
    "couldn't",
    "unable to",
    "denied",
    "refused",
    "rejected",
    "invalid",
    "not found",
    "no such",
    "missing",
    "exhausted",
    "exceeded",
    "unauthorized",
    "forbidden",
    "timed out",
    "expired",
    "please set",
    "please run",
    "not logged in",
    "must be",
    "needs authentication",
];

impl Complaints {
    /// Reads one line, cut to the limit of an event.
    pub fn read(&mut self, kind: OutputKind, stream: Stream, line: &Clip) {
        let text = plain(&line.text);
        if text.trim().is_empty() {
            return;
        }
        let kept = || Clip { text: text.trim().to_owned(), cut_from: line.cut_from };
        let begin = || {
            let text: String = text.trim().chars().take(LONGEST_RAW).collect();
            let full = line.cut_from.unwrap_or_else(|| u32::try_from(line.text.len()).unwrap_or(u32::MAX));
            Clip { cut_from: Some(full).filter(|full| *full as usize > text.len()), text }
        };
        if self.known.is_none() {
            self.known = cause(kind, text.trim()).map(|cause| (cause, kept()));
        }
        let continues = self.is_aside && stream == Stream::Stderr && text.starts_with([' ', '\t']);
        let rank = if continues { Rank::Aside } else { rank(kind, text.trim()) };
        if stream == Stream::Stderr {
            self.is_aside = rank == Rank::Aside;
            if kind == OutputKind::Text && rank != Rank::Aside {
                self.last = Some(kept());
            }
        }
        if matches!(rank, Rank::Error | Rank::Failure | Rank::Said | Rank::Logged) && kind != OutputKind::Text
        {
            let told = Told::from_message(text.trim());
            if told.refusal("").is_some() {
                self.refusal = Some((kept(), told));
            }
        }
        let place = match (rank, stream) {
            (Rank::Raw, _) => {
                self.raw.get_or_insert_with(begin);
                return;
            }
            (Rank::Error, _) => &mut self.error,
            (Rank::Failure, _) => &mut self.failure,
            (Rank::Said, Stream::Stderr) => &mut self.said,
            (Rank::Said, Stream::Stdout) => &mut self.printed,
            (Rank::Logged, _) => &mut self.logged,
            (Rank::Aside, _) => &mut self.aside,
        };
        place.get_or_insert_with(kept);
    }

    /// The known error among its lines. It is meaningful only if the run refused to start: later lines may
    /// come from a tool.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        self.known.as_ref().map(|(cause, _)| *cause)
    }

    /// The last line by which the provider refused, and what it tells.
    #[must_use]
    pub fn refusal(&self) -> Option<&(Clip, Told)> {
        self.refusal.as_ref()
    }

    /// The line that best explains a failed agent. `began`: it reported its start, so a known error is just
    /// one line among others. A warning is returned only when there is nothing else.
    #[must_use]
    pub fn reason(&self, began: bool) -> Option<&Clip> {
        let known = self.known.as_ref().filter(|_| !began).map(|(_, line)| line);
        let lines =
            [&self.error, &self.failure, &self.said, &self.printed, &self.logged, &self.aside, &self.raw];
        known.or_else(|| lines.into_iter().find_map(Option::as_ref))
    }

    /// The same for a command, whose stdout is its result: the last line on stderr.
    #[must_use]
    pub fn last(&self) -> Option<&Clip> {
        self.last.as_ref().or(self.aside.as_ref())
    }

    /// Every line kept, for masking secrets in them.
    pub fn lines_mut(&mut self) -> impl Iterator<Item = &mut Clip> {
        let known = self.known.iter_mut().map(|(_, line)| line);
        let refusal = self.refusal.iter_mut().map(|(line, _)| line);
        let others = [
            &mut self.error,
            &mut self.failure,
            &mut self.said,
            &mut self.printed,
            &mut self.logged,
            &mut self.aside,
            &mut self.raw,
            &mut self.last,
        ];
        known.chain(refusal).chain(others.into_iter().flatten())
    }
}

fn cause(kind: OutputKind, line: &str) -> Option<Cause> {
    let conversation: &str = match kind {
        OutputKind::ClaudeJsonl => "No conversation found with session ID",
        OutputKind::CodexJsonl => "no rollout found for thread id",
        OutputKind::GeminiJsonl => "Error resuming session",
        OutputKind::QwenJsonl => "No saved session found",
        // A command knows no conversations, and its complaints about arguments may come from any program it
        // starts.
        OutputKind::Text => return None,
    };
    if line.contains(conversation) {
        return Some(Cause::UnknownConversation);
    }
    let line = line.strip_prefix("error: ").unwrap_or(line);
    let arguments =
        ["unknown option '", "unexpected argument '", "Unknown argument: ", "Unknown arguments: "];
    arguments.iter().any(|words| line.starts_with(words)).then_some(Cause::UnknownArgument)
}

fn rank(kind: OutputKind, line: &str) -> Rank {
    if is_notice(kind, line) {
        return Rank::Aside;
    }
    if kind != OutputKind::Text && is_raw(line) {
        return Rank::Raw;
    }
    if let Some(level) = logged_level(line) {
        return if level.eq_ignore_ascii_case("error") { Rank::Logged } else { Rank::Aside };
    }
    match first_word(line).as_ref() {
        "error" | "fatal" => return Rank::Error,
        "warning" | "warn" | "note" | "notice" | "info" | "debug" | "trace" | "hint" | "tip" => {
            return Rank::Aside;
        }
        _ => {}
    }
    let lower = line.to_ascii_lowercase();
    let fails = kind != OutputKind::Text && FAILURE_WORDS.iter().any(|word| lower.contains(word));
    match (is_tagged(line), fails) {
        (true, true) => Rank::Logged,
        (true, false) => Rank::Aside,
        (false, true) => Rank::Failure,
        (false, false) => Rank::Said,
    }
}

/// JSON, whole or in part, and other lines of an object that is printed over several.
fn is_raw(line: &str) -> bool {
    line.starts_with(['{', '}', ']', '"']) || line.starts_with("[{") || line.starts_with("[\"") || line == "["
}

/// `[log_abc123] sending request`: what a library tells of itself.
fn is_tagged(line: &str) -> bool {
    let Some((tag, rest)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
        return false;
    };
    let is_sign =
        |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '-' | '.' | ':' | '/' | '#' | '@');
    !tag.is_empty() && tag.chars().all(is_sign) && rest.starts_with([' ', ':'])
}

/// The first word of a line if it is a label: `Warning: …`, `[WARN] …`, `warning[E1]: …`, `npm warn …`,
/// `⚠ Warning: …`.
fn first_word(line: &str) -> Cow<'static, str> {
    let rest = line.trim_start_matches(|next: char| !next.is_ascii_alphabetic());
    let rest = rest.strip_prefix("npm ").unwrap_or(rest);
    let end = rest.find(|next: char| !next.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    // `error handling is off` is a sentence; a label is followed by a sign or written in capitals.
    let is_label =
        after.starts_with([':', ']', '[', '(']) || word.chars().all(|next| next.is_ascii_uppercase());
    let is_npm = line.starts_with("npm ");
    if is_label || is_npm { Cow::Owned(word.to_ascii_lowercase()) } else { Cow::Borrowed("") }
}

/// The level of a log line: `2026-11-20T12:36:30.088548Z  WARN codex_core: …`.
fn logged_level(line: &str) -> Option<&str> {
    let (time, rest) = line.split_once(' ')?;
    let is_time = time.len() >= 19
        && time.as_bytes()[..4].iter().all(u8::is_ascii_digit)
        && time.as_bytes()[4] == b'-'
        && time.as_bytes()[10] == b'T';
    let level = rest.split_whitespace().next()?;
    let levels = ["ERROR", "WARN", "INFO", "DEBUG", "TRACE"];
    levels.into_iter().find(|known| is_time && known.eq_ignore_ascii_case(level))
}

/// Messages that agents and their runtime print at every start or in passing, without calling them warnings.
fn is_notice(kind: OutputKind, line: &str) -> bool {
    let begins: &[&str] = match kind {
        OutputKind::GeminiJsonl | OutputKind::QwenJsonl => {
            &["YOLO mode is enabled", "Ripgrep ", "Loaded cached credentials", "[STARTUP] "]
        }
        OutputKind::CodexJsonl => &["Reading prompt from stdin", "Reading additional input from stdin"],
        OutputKind::ClaudeJsonl | OutputKind::Text => &[],
    };
    let is_of_node =
        (line.starts_with("(node:") && line.contains("Warning: ")) || line.starts_with("(Use `node --trace-");
    is_of_node || begins.iter().any(|begin| line.starts_with(begin))
}

#[cfg(test)]
#[path = "complaint_tests.rs"]
mod tests;
