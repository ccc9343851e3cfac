//! The sections of a debug session: `key: value`, alone or as entries of a list, as agents write them, which is only nearly YAML.

/// A `##` section.
pub(super) struct Section<'t> {
    /// Its heading in lower case.
    name: String,
    /// Lines that belong to no key and no entry.
    prose: Vec<&'t str>,
    /// What is outside of a list first, then one for each entry of its lists.
    pub(super) entries: Vec<Entry<'t>>,
}

/// Keys with their values.
#[derive(Default)]
pub(super) struct Entry<'t> {
    /// A list's entry without a key.
    text: Vec<&'t str>,
    fields: Vec<Field<'t>>,
}

struct Field<'t> {
    key: &'static str,
    lines: Vec<&'t str>,
    /// The column of its key.
    column: usize,
    /// In a list, where a bullet further left is the next entry.
    in_list: bool,
}

/// The keys that the tool's template and its agents use. Others are prose: people write colons.
const KEYS: [&str; 24] = [
    "hypothesis",
    "test",
    "expecting",
    "next_action",
    "bug_class",
    "timestamp",
    "checked",
    "found",
    "finding",
    "implication",
    "evidence",
    "reason",
    "file",
    "result",
    "root_cause",
    "fix",
    "verification",
    "files_changed",
    "expected",
    "actual",
    "errors",
    "reproduction",
    "started",
    "oracle_type",
];

/// The sections of a text, without comments.
pub(super) fn sections(body: &str) -> Vec<Section<'_>> {
    let mut all: Vec<Section<'_>> = Vec::new();
    let mut is_fenced = false;
    let mut is_comment = false;
    for line in body.lines() {
        let trimmed = line.trim();
        if is_comment || trimmed.starts_with("<!--") {
            is_comment = !trimmed.contains("-->");
            continue;
        }
        let is_fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
        is_fenced ^= is_fence;
        if let Some(name) = line.strip_prefix("## ").filter(|_| !is_fenced) {
            all.push(Section { name: name.trim().to_lowercase(), prose: Vec::new(), entries: Vec::new() });
        } else if let Some(section) = all.last_mut() {
            section.push(line, is_fenced || is_fence);
        }
    }
    all
}

impl<'t> Section<'t> {
    /// Whether its heading begins with this.
    pub(super) fn is(&self, name: &str) -> bool {
        self.name.starts_with(name)
    }

    /// Whether its entries are a list of things of one kind.
    pub(super) fn is_list(&self) -> bool {
        self.is("eliminated") || self.is("evidence")
    }

    /// All that isn't a value.
    pub(super) fn prose(&self) -> String {
        self.prose.join("\n").trim().to_owned()
    }

    fn push(&mut self, line: &'t str, is_fenced: bool) {
        let trimmed = line.trim();
        let indent = line.len() - line.trim_start().len();
        let bullet = trimmed.strip_prefix("- ").or_else(|| trimmed.strip_prefix("* "));
        let heading = trimmed.strip_prefix("### ").filter(|_| self.is_list());
        let current = self.entries.last().and_then(|entry| entry.fields.last());
        // What is further right than its key goes on with its value.
        let is_inner = current.is_some_and(|field| indent + usize::from(bullet.is_some()) > field.column);
        if is_fenced || (is_inner && heading.is_none()) && !trimmed.is_empty() {
            return self.go_on(line);
        }
        let starts = bullet.is_some() && current.is_none_or(|field| field.in_list || self.is_list());
        if let Some((key, value)) = key(bullet.unwrap_or(trimmed)) {
            let column = indent + if bullet.is_some() { 2 } else { 0 };
            let in_list =
                bullet.is_some() || current.is_some_and(|field| field.in_list && field.column == column);
            let field = Field { key, lines: vec![value], column, in_list };
            // Entries without bullets: a key comes again.
            let is_next =
                |entry: &Entry<'_>| self.is_list() && entry.fields.iter().any(|field| field.key == key);
            let goes_on = self.entries.last().is_some_and(|entry| !starts && !is_next(entry));
            match self.entries.last_mut().filter(|_| goes_on) {
                Some(entry) => entry.fields.push(field),
                None => self.entries.push(Entry { text: Vec::new(), fields: vec![field] }),
            }
            return;
        }
        if let Some(text) = heading.or(bullet.filter(|_| starts)).filter(|_| self.is_list()) {
            return self.entries.push(Entry { text: vec![text], fields: Vec::new() });
        }
        let ends = is_other_key(trimmed)
            || trimmed.starts_with('#')
            || current.is_some_and(|field| field.is_empty() && bullet.is_none());
        if ends && !trimmed.is_empty() {
            // A key without a value takes no line that isn't its own.
            self.entries.push(Entry::default());
            self.prose.push(line);
        } else {
            self.go_on(line);
        }
    }

    /// A line of the value, the entry, or the section.
    fn go_on(&mut self, line: &'t str) {
        let lines = match self.entries.last_mut() {
            Some(Entry { fields, text }) => match fields.last_mut() {
                Some(field) if line.trim().is_empty() && field.is_empty() => return,
                field => field.map_or(text, |field| &mut field.lines),
            },
            None => &mut self.prose,
        };
        lines.push(line);
    }
}

impl Field<'_> {
    /// Whether nothing is said yet.
    fn is_empty(&self) -> bool {
        self.lines.len() == 1 && (self.lines[0].trim().is_empty() || said(&self.lines).is_none())
    }
}

impl Entry<'_> {
    /// What it says of a key; `None` for nothing and for what only says that there is nothing yet.
    pub(super) fn value(&self, key: &str) -> Option<String> {
        let field = self.fields.iter().find(|field| field.key == key && !field.is_empty())?;
        said(&field.lines)
    }

    /// What an eliminated entry claims.
    pub(super) fn claim(&self) -> Option<String> {
        self.value("hypothesis").or_else(|| said(&self.text))
    }

    /// What an entry of evidence says.
    pub(super) fn finding(&self) -> Option<String> {
        let found = ["found", "finding", "result", "evidence"].iter().find_map(|key| self.value(key));
        match (found.or_else(|| said(&self.text)), self.value("implication")) {
            (Some(found), Some(implication)) => Some(format!("{found}\n{implication}")),
            (found, implication) => found.or(implication).or_else(|| self.value("checked")),
        }
    }
}

/// Lines as one text, without quotes and YAML's signs for a text of several lines.
fn said(lines: &[&str]) -> Option<String> {
    let (first, rest) = lines.split_first()?;
    let first = first.trim();
    let is_sign = matches!(first.trim_end_matches(['-', '+']), "|" | ">");
    let lines = std::iter::once(if is_sign { "" } else { first }).chain(rest.iter().map(|line| line.trim()));
    let text = lines.collect::<Vec<_>>().join("\n");
    let mut text = text.trim();
    for quote in ['"', '\''] {
        text = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)).unwrap_or(text);
    }
    let bare = text.trim_matches(|letter: char| "()[]{}<>*_\"'`.".contains(letter)).trim().to_lowercase();
    let nothing =
        ["", "null", "~", "tbd", "pending", "unknown", "none", "n/a", "to be determined", "investigating"];
    let begins = ["empty until", "not yet", "none ", "to be determined", "tbd ", "pending "];
    // A long text that begins so says more than that there is nothing.
    let is_nothing = nothing.contains(&bare.as_str())
        || bare.chars().count() < 80 && begins.iter().any(|begin| bare.starts_with(begin));
    (!is_nothing).then(|| text.to_owned())
}

/// The key that a line begins with, bold or not, with its value.
fn key(line: &str) -> Option<(&'static str, &str)> {
    let (name, value) = line.split_once(':')?;
    let bare = name.trim_matches(['*', '_', '`']);
    if bare.len() > 20 {
        return None;
    }
    let bare = bare.trim().to_ascii_lowercase().replace([' ', '-'], "_");
    let key = KEYS.into_iter().find(|key| *key == bare)?;
    let is_bold = name.starts_with("**");
    let value = if is_bold { value.trim_start_matches('*') } else { value };
    // `found:nothing` is no key, `**Found:**nothing` is.
    (is_bold || value.is_empty() || value.starts_with(char::is_whitespace)).then_some((key, value))
}

/// A key of this kind that isn't read: `tdd_checkpoint: null`.
fn is_other_key(line: &str) -> bool {
    let name = line.split_once(':').map_or("", |(name, _)| name);
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}
