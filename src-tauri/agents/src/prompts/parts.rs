//! A prompt under construction: headings, lines, fenced data, lists that lose their oldest entries.

/// The text so far.
#[derive(Default)]
pub(super) struct Parts {
    text: String,
}

impl Parts {
    pub(super) fn heading(&mut self, heading: &str) {
        self.text += &format!("\n## {heading}\n");
    }

    pub(super) fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    /// A text from the workspace.
    pub(super) fn data(&mut self, name: &str, text: &str) {
        self.quoted(&format!("{name} (data)"), text);
    }

    /// A text to be followed; fenced, so that nothing in it looks like a heading of ours.
    pub(super) fn quoted(&mut self, name: &str, text: &str) {
        let fence = fence(text);
        self.text += &format!("{name}:\n{fence}text\n{}\n{fence}\n", text.trim_end());
    }

    /// Entries from the workspace, oldest first; nothing for none.
    pub(super) fn entries(&mut self, name: &str, entries: &[String], most: usize) {
        if !entries.is_empty() {
            self.data(name, &newest(entries, most));
        }
    }

    /// Short words from the workspace; the first ones are kept.
    pub(super) fn list(&mut self, name: &str, items: &[String], most: usize) {
        if !items.is_empty() {
            self.data(name, &cut(&items.join("\n"), most));
        }
    }

    /// A person's remarks as bullets; the newest are kept.
    pub(super) fn bullets(&mut self, lines: &[String], most: usize) {
        let bullets: Vec<String> =
            lines.iter().map(|line| format!("- {}", line.replace('\n', "\n  "))).collect();
        self.line(&newest(&bullets, most));
    }

    /// The text and `end`, at most `most` bytes: a text that is too long is cut before `end`.
    pub(super) fn finish(self, most: usize, end: &str) -> String {
        cut(&self.text, most.saturating_sub(end.len())) + end
    }
}

/// A fence longer than any in the text.
fn fence(text: &str) -> String {
    let mut longest = 2;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    "`".repeat(longest + 1)
}

/// The newest entries that fit, and how many older ones were left out.
fn newest(entries: &[String], most: usize) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut used = 0;
    for entry in entries.iter().rev() {
        used += entry.len() + 1;
        if used > most && !kept.is_empty() {
            break;
        }
        kept.push(entry);
    }
    kept.reverse();
    let text = cut(&kept.join("\n"), most);
    match entries.len() - kept.len() {
        0 => text,
        left => format!("({left} older entries left out)\n{text}"),
    }
}

/// At most `most` bytes of a text; says how much is left out.
pub(super) fn cut(text: &str, most: usize) -> String {
    const MARK: &str = " … (cut)";
    let mut clean = String::with_capacity(text.len().min(most + 4));
    for c in text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')) {
        clean.push(c);
        if clean.len() > most {
            let mut end = most.saturating_sub(MARK.len());
            while !clean.is_char_boundary(end) {
                end -= 1;
            }
            clean.truncate(end);
            return clean + MARK;
        }
    }
    clean
}
