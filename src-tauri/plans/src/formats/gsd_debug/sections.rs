//! The sections of a debug session: `key: value`, alone or as entries of a list, as agents write them, which is only nearly YAML.

use loopdeck_text::shorten;

/// Most characters of a text that is shown.
pub(super) const MOST_SHOWN: usize = 4_000;
/// The keys that the tool's template and its agents use. Others are prose: people write colons.
const KEYS: &str = "hypothesis test expecting next_action bug_class timestamp checked found finding implication \
    evidence reason file result root_cause fix verification files_changed expected actual errors reproduction \
    started oracle_type";
/// The text of an entry that has no key.
pub(super) const TEXT: &str = "text";
/// Lines that belong to no key and no entry.
pub(super) const PROSE: &str = "prose";

/// A `##` section.
pub(super) struct NotesSection<'t> {
    /// Its heading in lower case.
    name: String,
    /// One for each entry of its list; what is outside of a list is the first one.
    pub(super) entries: Vec<Entry<'t>>,
}

/// Keys with their values.
pub(super) struct Entry<'t>(Vec<Field<'t>>);

struct Field<'t> {
    key: &'static str,
    /// Where the key is: what is further right belongs to its value.
    column: usize,
    lines: Vec<&'t str>,
}

/// The sections of a text, without comments.
pub(super) fn sections(body: &str) -> Vec<NotesSection<'_>> {
    let mut all: Vec<NotesSection<'_>> = Vec::new();
    let (mut is_fenced, mut is_comment) = (false, false);
    for line in body.lines() {
        let trimmed = line.trim();
        if is_comment || trimmed.starts_with("<!--") {
            is_comment = !trimmed.contains("-->");
            continue;
        }
        let is_fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
        is_fenced ^= is_fence;
        if let Some(name) = line.strip_prefix("## ").filter(|_| !is_fenced) {
            let first = Entry(vec![Field::without_key(PROSE, "")]);
            all.push(NotesSection { name: name.trim().to_lowercase(), entries: vec![first] });
        } else if let Some(section) = all.last_mut() {
            section.add(line, is_fenced || is_fence);
        }
    }
    all
}

impl<'t> NotesSection<'t> {
    /// Whether its heading begins with this.
    pub(super) fn is(&self, name: &str) -> bool {
        self.name.starts_with(name)
    }

    /// Whether its entries are a list of things of one kind.
    pub(super) fn is_list(&self) -> bool {
        self.is("eliminated") || self.is("evidence")
    }

    fn add(&mut self, line: &'t str, is_fenced: bool) {
        let is_list = self.is_list();
        let Some(Entry(fields)) = self.entries.last_mut() else { return };
        let Some(current) = fields.last_mut() else { return };
        let trimmed = line.trim();
        let indent = line.len() - line.trim_start().len();
        let bullet = trimmed.strip_prefix("- ").or_else(|| trimmed.strip_prefix("* "));
        let heading = trimmed.strip_prefix("### ").filter(|_| is_list);
        let is_inner = indent + usize::from(bullet.is_some()) > current.column && heading.is_none();
        if is_fenced || is_inner || trimmed.is_empty() {
            current.lines.push(line);
        } else if let Some((key, value)) = key(bullet.unwrap_or(trimmed)) {
            let column = indent + if bullet.is_some() { 2 } else { 0 };
            let field = Field { key, column, lines: vec![value] };
            // Entries without bullets: a key comes again.
            if is_list && (bullet.is_some() || fields.iter().any(|field| field.key == key)) {
                self.entries.push(Entry(vec![field]));
            } else {
                fields.push(field);
            }
        } else if let Some(text) = heading.or(bullet).filter(|_| is_list) {
            self.entries.push(Entry(vec![Field::without_key(TEXT, text)]));
        } else if is_other_key(trimmed) || trimmed.starts_with('#') || bullet.is_none() && current.is_empty()
        {
            // A key without a value takes no line that isn't its own.
            fields.push(Field::without_key(PROSE, line));
        } else {
            current.lines.push(line);
        }
    }
}

impl Entry<'_> {
    /// What it says first of one of these keys; `None` for nothing and for what only says that there is nothing yet.
    pub(super) fn value(&self, keys: &[&str]) -> Option<String> {
        let value = |key| self.0.iter().filter(|field| field.key == key).find_map(Field::said);
        keys.iter().find_map(|key| value(*key))
    }
}

impl<'t> Field<'t> {
    fn without_key(key: &'static str, line: &'t str) -> Self {
        Self { key, column: usize::MAX, lines: vec![line] }
    }

    /// Whether it has a key only, or what says that there is nothing yet.
    fn is_empty(&self) -> bool {
        let mut lines = self.lines.iter().skip(1);
        lines.all(|line| line.trim().is_empty()) && self.said().is_none()
    }

    /// Its lines as one text, without quotes and YAML's signs for a text of several lines.
    fn said(&self) -> Option<String> {
        let (first, rest) = self.lines.split_first()?;
        let is_sign = matches!(first.trim().trim_end_matches(['-', '+']), "|" | ">");
        let first = if is_sign { "" } else { first.trim() };
        let lines = std::iter::once(first).chain(rest.iter().map(|line| line.trim()));
        let text = lines.collect::<Vec<_>>().join("\n");
        let text = text.trim();
        let unquoted = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
        let text = unquoted('"').or_else(|| unquoted('\'')).unwrap_or(text);
        (!is_nothing(text)).then(|| shorten(text, MOST_SHOWN))
    }
}

/// Whether a text only says that there is nothing yet.
fn is_nothing(text: &str) -> bool {
    let bare = text.trim_matches(|letter: char| "()[]{}<>*_\"'`.".contains(letter)).trim().to_lowercase();
    let words =
        ["", "null", "~", "tbd", "pending", "unknown", "none", "n/a", "to be determined", "investigating"];
    let begins = ["empty until", "not yet", "none ", "to be determined", "tbd ", "pending "];
    // A long text that begins so says more.
    words.contains(&bare.as_str()) || bare.len() < 80 && begins.iter().any(|begin| bare.starts_with(begin))
}

/// The key that a line begins with, bold or not, with its value.
fn key(line: &str) -> Option<(&'static str, &str)> {
    let (name, value) = line.split_once(':')?;
    let is_bold = name.starts_with("**");
    let value = if is_bold { value.trim_start_matches('*') } else { value };
    let name = name.trim_matches(['*', '_', '`', ' ']);
    let is_same =
        |key: &&str| key.len() == name.len() && key.eq_ignore_ascii_case(&name.replace([' ', '-'], "_"));
    let key = KEYS.split_ascii_whitespace().find(is_same)?;
    // `found:nothing` is no key, `**Found:**nothing` is.
    (is_bold || value.is_empty() || value.starts_with(char::is_whitespace)).then_some((key, value))
}

/// A key of this kind that isn't read: `tdd_checkpoint: null`.
fn is_other_key(line: &str) -> bool {
    let name = line.split_once(':').map_or("", |(name, _)| name);
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}
