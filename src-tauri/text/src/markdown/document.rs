//! What a text has, with its places.

use std::ops::Range;

/// What a text has, in its order. All ranges are bytes of the text, at borders of characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Where Markdown begins: behind a byte order mark and front matter, which must stay what a file begins with.
    pub start: usize,
    /// Headings outside of quotes, of both kinds.
    pub headings: Vec<Heading>,
    /// Items of every list, at any depth.
    pub items: Vec<Item>,
    /// What is between `<!--` and `-->` of comments that begin a line and end on it, outside of quotes.
    pub comments: Vec<Range<usize>>,
    /// What a reader could take for a box and that is none.
    pub lookalikes: Vec<Lookalike>,
}

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: usize,
    /// Its text; several lines where it is underlined and its paragraph has several.
    pub text: Range<usize>,
    /// All of it, with its marks.
    pub range: Range<usize>,
}

/// An item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Where its bullet or number begins.
    pub start: usize,
    /// The rest of the first line of its text, behind its box, without blanks around it.
    pub text: Range<usize>,
    /// Its box, with the bytes between the brackets.
    pub mark: Option<(Mark, Range<usize>)>,
}

/// What is in a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A blank.
    Open,
    /// `x` or `X`.
    Ticked,
    /// Anything else, such as `~` or `>`. What it says is a matter of habit, so it never says that the work is done.
    Unknown,
}

/// What looks like a box and is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookalike {
    /// Its line, without blanks around it.
    pub line: Range<usize>,
    /// It looks open.
    pub is_open: bool,
    /// Why it is none.
    pub place: LookalikePlace,
}

/// Why something is no box although it looks like one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookalikePlace {
    /// Text that a person reads: `\[ \]`, `[  ]`, `☐`, a box without a bullet, in a heading or a table.
    Text,
    /// Code or a comment that ends nowhere, or whose marks don't come in pairs: perhaps it was not meant to be there.
    Unclosed,
    /// Indented code, or front matter.
    Verbatim,
}

impl Document {
    /// Items with a box.
    pub fn boxes(&self) -> impl Iterator<Item = (&Item, Mark)> {
        self.items.iter().filter_map(|item| Some((item, item.mark.as_ref()?.0)))
    }

    /// Whether nothing may be work that is open and that no box tells.
    #[must_use]
    pub fn is_clear(&self) -> bool {
        !self.lookalikes.iter().any(Lookalike::may_be_open)
    }
}

impl Lookalike {
    /// It may be work that is open: it looks open, and is not meant as code or data.
    #[must_use]
    pub fn may_be_open(&self) -> bool {
        self.is_open && self.place != LookalikePlace::Verbatim
    }
}
