//! What is asked of a format.

use crate::order;
use crate::plan::{ItemState, Mark, Plan};
use loopdeck_text::text_edit::TextEdit;
use std::ops::Range;

/// A kind of plan. What a format leaves out is: it can't be changed in place, has nothing next to it, and is worked off in order.
pub trait PlanFormat: Sync {
    /// Where its files are, below a repository.
    fn found(&self) -> &'static [Found];

    /// The files next to one that [`PlanFormat::read`] wants, by their names below its folder.
    fn wanted(&self) -> &'static [Wanted] {
        &[]
    }

    /// Whether [`PlanFormat::named`] ever has any: only then is the file read for it.
    fn names_files(&self) -> bool {
        false
    }

    /// Whether one file can hold several plans: [`PlanFormat::parts`] has all but the first.
    fn has_parts(&self) -> bool {
        false
    }

    /// The other plans in the file, each by the name that [`Source::file`] ends with behind a `#`.
    fn parts(&self, _bytes: &[u8]) -> Vec<String> {
        Vec::new()
    }

    /// Files next to it whose names follow from what it says; each has to be a plain name below the folder (`plans/a.md`).
    fn named(&self, _bytes: &[u8]) -> Vec<String> {
        Vec::new()
    }

    /// What it says; `None` when the file is of another tool.
    ///
    /// # Errors
    /// Why it can't be read.
    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError>;

    /// What is written at [`crate::Item::mark`] for a state; `None` for one that can't be written.
    fn mark(&self, _to: ItemState) -> Option<Mark> {
        None
    }

    /// How its items stand in the file, for changes of their texts and their order.
    fn layout(&self) -> Layout {
        Layout::Fixed
    }

    /// How an agent says in the plan that an item is done, as an instruction; `None` where no agent of Loopdeck's can work it off.
    fn when_done(&self) -> Option<&'static str> {
        self.mark(ItemState::Done).map(|_| MARK_AS_DONE)
    }

    /// Indices of the items that can be begun now, in the order in which the format's own tool takes them.
    fn next(&self, plan: &Plan) -> Vec<usize> {
        order::ready(plan)
    }

    /// What its own tool understands as this request; `None` where it has no such thing.
    fn request(&self, _source: &Source<'_>, _plan: &Plan, _request: Request) -> Option<Change> {
        None
    }

    /// Whether its own tool understands such a request at all.
    fn understands(&self, _request: Request) -> bool {
        false
    }

    /// Whether its own tool ends when the file is gone, so that its way to the trash is a way to end it.
    fn ends_without_file(&self) -> bool {
        false
    }

    /// The documented command, program first, with which its own tool continues this plan without a person, for a person to copy. Nothing of the file is in it but checked names.
    fn command(&self, _source: &Source<'_>, _plan: &Plan) -> Option<Vec<String>> {
        None
    }
}

/// What an agent does where states are words or boxes of the plan's file.
const MARK_AS_DONE: &str = "Mark it as done in the plan, in the way that the plan marks what is done. Change nothing else in that file.";

/// How the items of a format stand in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Only states can be written: the rest is its tool's, or no list.
    Fixed,
    /// Boxes of a Markdown text.
    Boxes,
    /// Objects of a JSON text.
    Objects,
}

/// What a person asks of a loop that its own tool runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// End after what is being done; go on later.
    Pause,
    /// Go on.
    Resume,
    /// End for good.
    Stop,
}

/// What carries out a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Of the plan's own file.
    pub edits: Vec<TextEdit>,
    /// An empty file to make, its name below the plan's folder, where one `../` at the front is allowed.
    pub create: Option<&'static str>,
}

/// Where files of a format are, below a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// One file.
    File(&'static str),
    /// A file of this name in each folder below `root`.
    EachFolder {
        /// Below the repository.
        root: &'static str,
        /// The file's name.
        file: &'static str,
    },
    /// Every file with this ending in a folder, not below it.
    EachFile {
        /// Below the repository.
        root: &'static str,
        /// The end of the names.
        ending: &'static str,
    },
}

/// A file, or files, next to a plan. Names are below the folder of the plan; one `../` at the front is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// One file.
    File(&'static str),
    /// The end of a log that grows.
    End(&'static str),
    /// Every file with one of these endings in a folder and so many levels below it (0: in itself only).
    Files {
        /// The folder.
        folder: &'static str,
        /// Levels below it.
        depth: u8,
        /// The ends of the names.
        endings: &'static [&'static str],
    },
}

/// A plan's file with what is next to it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'f> {
    /// Below the repository, with `/`; with `#` and the name of the part for one of [`PlanFormat::parts`].
    pub file: &'f str,
    /// Its content.
    pub bytes: &'f [u8],
    /// What of [`PlanFormat::wanted`] and [`PlanFormat::named`] is there, sorted by name.
    pub beside: &'f [Beside<'f>],
    /// When it was changed last, milliseconds since 1970.
    pub modified: i64,
    /// Now, milliseconds since 1970.
    pub now: i64,
}

/// A file next to a plan.
#[derive(Clone, Copy, Debug)]
pub struct Beside<'f> {
    /// Its name below the plan's folder, as in [`Wanted`].
    pub file: &'f str,
    /// Its content.
    pub bytes: &'f [u8],
}

/// Why a plan can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// It isn't UTF-8 from this byte on.
    NotText {
        /// The first byte that isn't.
        offset: usize,
    },
    /// It isn't what its name says: JSON, YAML.
    NotParsed {
        /// In English, one line.
        reason: String,
        /// 1-based.
        line: Option<u32>,
    },
    /// There is nothing in it.
    Empty,
}

impl<'f> Source<'f> {
    /// The content as text, a byte order mark included, so that offsets are those of the file.
    ///
    /// # Errors
    /// Where it isn't UTF-8.
    pub fn text(&self) -> Result<&'f str, ReadError> {
        text_of(self.bytes)
    }

    /// Which of the file's parts is meant; `None` for its first plan.
    #[must_use]
    pub fn part(&self) -> Option<&'f str> {
        self.file.split_once('#').map(|(_, part)| part)
    }

    /// A file next to it, as text; `None` where it isn't there or isn't text.
    #[must_use]
    pub fn beside(&self, file: &str) -> Option<&'f str> {
        let found = self.beside.iter().find(|beside| beside.file == file)?;
        std::str::from_utf8(found.bytes).ok()
    }

    /// The files below a folder next to it, as text, with their names below that folder.
    pub fn below(&self, folder: &str) -> impl Iterator<Item = (&'f str, &'f str)> {
        self.beside.iter().filter_map(move |beside| {
            let name = beside.file.strip_prefix(folder)?.strip_prefix('/')?;
            Some((name, std::str::from_utf8(beside.bytes).ok()?))
        })
    }

    /// The name of the folder that it is in; empty at the top.
    #[must_use]
    pub fn folder(&self) -> &'f str {
        self.file.rsplit('/').nth(1).unwrap_or_default()
    }

    /// Its own name.
    #[must_use]
    pub fn name(&self) -> &'f str {
        self.file.rsplit('/').next().unwrap_or(self.file)
    }
}

/// Bytes as text, a byte order mark included: offsets in the text are offsets in the file.
pub(crate) fn text_of(bytes: &[u8]) -> Result<&str, ReadError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ReadError::Empty);
    }
    std::str::from_utf8(bytes).map_err(|error| ReadError::NotText { offset: error.valid_up_to() })
}

/// Where the lines of a text begin.
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    pub(crate) fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at + 1).collect())
    }

    /// The line of a byte, 1-based.
    pub(crate) fn of_byte(&self, at: usize) -> u32 {
        u32::try_from(self.0.partition_point(|start| *start <= at) + 1).unwrap_or(u32::MAX)
    }
}

/// A range of a text without the blanks around it; its start where there is nothing else.
pub(crate) fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inner = &text[range.clone()];
    if inner.trim().is_empty() {
        return range.start..range.start;
    }
    let start = range.start + (inner.len() - inner.trim_start().len());
    start..start + inner.trim().len()
}
