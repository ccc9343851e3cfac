//! What is wrong with a plan, with a stable code and the place.

use loopdeck_text::text_edit::TextEdit;

/// Something that a person should know of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What.
    pub code: FindingCode,
    /// 1-based line of the plan's own file; `None` for the whole, or for another file.
    pub line: Option<u32>,
    /// Named values for the sentence: `item`, `found`, `expected`, `file`. Untrusted texts.
    pub args: Vec<(&'static str, String)>,
    /// What puts it right in the plan's own file, where that is safe; empty where a person has to.
    pub repair: Vec<TextEdit>,
}

impl Finding {
    /// A finding about the whole.
    #[must_use]
    pub fn new(code: FindingCode) -> Self {
        Self { code, line: None, args: Vec::new(), repair: Vec::new() }
    }

    /// On this 1-based line.
    #[must_use]
    pub fn at_line(mut self, line: u32) -> Self {
        self.line = Some(line).filter(|line| *line > 0);
        self
    }

    /// With a value for the sentence.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl std::fmt::Display) -> Self {
        self.args.push((name, loopdeck_text::shorten(&value.to_string(), 200)));
        self
    }

    /// With the bytes that put it right.
    #[must_use]
    pub fn repaired_by(mut self, edits: impl IntoIterator<Item = TextEdit>) -> Self {
        self.repair.extend(edits);
        self
    }
}

/// What can be wrong with a plan. The names are stable: scripts use them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingCode {
    /// Its own tool can't raise the counter of iterations, so it never ends (`found`).
    CounterStuck,
    /// It has no limit of iterations.
    NoLimit,
    /// It ends with a phrase that its prompt never asks for (`found`: the phrase).
    PromiseNotAsked,
    /// Any session in the folder can take it over, because it names none.
    AnySession,
    /// Its prompt is options or a number, no work (`found`).
    OptionsAsPrompt,
    /// It waits for something that is never done: an id that isn't there, or itself (`item`, `found`).
    NeverReady,
    /// Several items share an id (`item`).
    RepeatedId,
    /// It is done, and parts of it are open (`item`, `found`: how many).
    DoneWithOpenParts,
    /// It says that it runs, and nothing shows that it does (`found`: the word).
    StaleRunning,
    /// Its files say different things of one item or of the whole (`item`, `found`, `expected`, `file`: who says the first).
    SourcesDisagree,
    /// A word that the format doesn't define (`item`, `found`).
    UnknownWord,
    /// A file that it names isn't there (`file`).
    FileMissing,
    /// The truth is elsewhere: this file is an export (`found`: where).
    ExportOnly,
    /// There is no work in it that can be counted.
    NoItems,
    /// Two items that may be done at the same time change one file (`item`, `found`: the other one, `file`).
    FileConflict,
    /// A schedule of it starts an agent without a person (`item`, `found`: when).
    CanFire,
    /// It isn't valid JSON; what was meant was read (`found`: what was corrected first).
    Corrected,
}
