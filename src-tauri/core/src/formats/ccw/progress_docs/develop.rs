//! `develop.md` (legacy `progress.md`).

use super::lines::{
    self, HeadingSection, bold, bullet, filled, one_line, paths, read_block, text_of, timed, write_block,
    write_value,
};
use super::{Flavour, Head, loop_b};
use crate::problem::Problem;
use loopdeck_text::markdown::{Document, Mark};
use std::fmt::Write;

/// The content of `develop.md`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DevelopDoc {
    /// The head.
    pub head: Head,
    /// The task list in order: whether its box is ticked, and its text.
    pub tasks: Vec<(bool, String)>,
    /// Legacy: files worth knowing.
    pub key_files: Vec<String>,
    /// The timeline, oldest first.
    pub entries: Vec<DevelopEntry>,
    /// Unreadable parts.
    pub problems: Vec<Problem>,
}

/// One piece of work in the timeline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DevelopEntry {
    /// `### Iteration <n>`; Loop-B entries have none.
    pub iteration: Option<u32>,
    /// Task id.
    pub task_id: Option<String>,
    /// The task's text.
    pub description: String,
    /// As written.
    pub time: Option<String>,
    /// Tool.
    pub tool: Option<String>,
    /// Mode.
    pub mode: Option<String>,
    /// What was done.
    pub summary: String,
    /// Files changed.
    pub files: Vec<String>,
    /// Status word in lower case; `success` is read as `completed`.
    pub status: Option<String>,
}

/// Reads `develop.md` in every variant.
#[must_use]
pub fn read(bytes: &[u8]) -> DevelopDoc {
    let mut doc = DevelopDoc::default();
    let text = text_of(bytes, "develop.md", &mut doc.problems);
    let mut done = None;
    for section in lines::sections(&text) {
        match section.level {
            0 | 1 => top(&section, &mut doc.head),
            2 => done = part(&section, &mut doc),
            3 => entry(&section, done, &mut doc),
            _ => detail(&section, &mut doc),
        }
    }
    doc
}

fn top(section: &HeadingSection<'_>, head: &mut Head) {
    lines::head(section, head);
    if let Some((_, time)) = section.title.split_once("Progress - ") {
        head.time = head.time.take().or_else(|| filled(time)); // role variant
    }
}

/// A second-level section; returns the default status of its entries.
fn part(section: &HeadingSection<'_>, doc: &mut DevelopDoc) -> Option<&'static str> {
    match section.title {
        "Task List" => doc.tasks.extend(listed(&section.lines)),
        "Key Files" => doc.key_files = paths(section.lines.iter().copied()),
        "Tasks Completed" => return Some("completed"),
        "Pending Tasks" => {
            let pending = section.lines.iter().filter_map(|line| bullet(line)?.split_once(": "));
            doc.tasks.extend(pending.map(|(_, text)| (false, text.to_owned())));
        }
        title => {
            if let Some(id) = title.strip_prefix("Session:") {
                doc.head.loop_id = filled(id.trim());
            }
        }
    }
    None
}

/// The boxes of a list; one with a mark that isn't known is open.
fn listed(lines: &[&str]) -> Vec<(bool, String)> {
    let text = lines.join("\n");
    let list = Document::read(&text);
    list.boxes().map(|(item, mark)| (mark == Mark::Ticked, text[item.text.clone()].to_owned())).collect()
}

fn entry(section: &HeadingSection<'_>, status: Option<&str>, doc: &mut DevelopDoc) {
    let (title, time) = timed(section.title);
    let mut entry = DevelopEntry { time: time.map(str::to_owned), ..DevelopEntry::default() };
    if let Some(rest) = title.strip_prefix("Iteration ") {
        let (number, text) = rest.split_once(" - ").unwrap_or((rest, ""));
        entry.iteration = number.trim().parse().ok();
        entry.description = text.trim().to_owned();
    } else if let Some((id, text)) = title.strip_prefix("Task ").and_then(|rest| rest.split_once(" - ")) {
        (entry.task_id, entry.description) = (filled(id.trim()), text.trim().to_owned());
    } else if let Some((id, text)) = section.title.split_once(": ").filter(|_| status.is_some()) {
        // Role variant: `### T1: text ✓`
        (entry.task_id, entry.time) = (filled(id.trim()), None);
        text.trim_end_matches('✓').trim().clone_into(&mut entry.description);
        entry.summary = read_block(&section.lines);
    } else {
        return;
    }
    entry.status = status.map(str::to_owned);
    fields(section, &mut entry);
    doc.entries.push(entry);
}

/// Bold keys of Loop-B and of the seed, with the lines below them.
fn fields(section: &HeadingSection<'_>, entry: &mut DevelopEntry) {
    let mut key = "";
    let mut changes = Vec::new();
    for line in &section.lines {
        if let Some((name, value)) = bold(line) {
            key = name;
            match name {
                "Task" => value.clone_into(&mut entry.description),
                "Task ID" => entry.task_id = filled(value),
                "Summary" => value.clone_into(&mut entry.summary),
                "Status" => entry.status = Some(status_word(value)),
                _ => {}
            }
        } else if matches!(key, "Files Changed" | "Changes") {
            entry.files.extend(paths(std::iter::once(*line)));
            if key == "Changes" {
                changes.extend(bullet(line));
                let quoted =
                    bullet(line).and_then(|text| text.split('`').nth(1)).filter(|path| !path.is_empty());
                entry.files.extend(
                    quoted.filter(|path| !entry.files.iter().any(|file| file == path)).map(str::to_owned),
                );
            }
        }
    }
    if entry.summary.is_empty() {
        entry.summary = changes.join("\n");
    }
}

fn detail(section: &HeadingSection<'_>, doc: &mut DevelopDoc) {
    let Some(entry) = doc.entries.last_mut() else { return };
    match section.title {
        "Task Details" => {
            for (name, value) in section.lines.iter().filter_map(|line| lines::named_value(line)) {
                match name {
                    "ID" => entry.task_id = filled(value),
                    "Tool" => entry.tool = filled(value),
                    "Mode" => entry.mode = filled(value),
                    _ => {}
                }
            }
        }
        "Implementation Summary" => entry.summary = read_block(&section.lines),
        "Files Changed" => entry.files = paths(section.lines.iter().copied()),
        title => {
            if let Some(word) = title.strip_prefix("Status:") {
                entry.status = Some(status_word(word));
            }
        }
    }
}

fn status_word(word: &str) -> String {
    match word.trim().to_lowercase() {
        word if word == "success" => "completed".to_owned(),
        word => word,
    }
}

/// The start of the file, written by INIT; entries are appended to it.
#[must_use]
pub fn begin(head: &Head, tasks: &[&str]) -> String {
    titled("# Development Progress\n\n", "", head, tasks)
}

/// The start of the file, written by `init` of Loop-B: title and session of the seed, and the coordinator's
/// task list.
#[must_use]
pub fn begin_loop_b(head: &Head, tasks: &[&str]) -> String {
    let session = format!("\n## Session: {}\n", one_line(head.loop_id.as_deref().unwrap_or_default()));
    titled("# Develop Progress\n\n", &session, head, tasks)
}

fn titled(title: &str, session: &str, head: &Head, tasks: &[&str]) -> String {
    let mut text = title.to_owned();
    let _ = writeln!(text, "**Loop ID**: {}", one_line(head.loop_id.as_deref().unwrap_or_default()));
    let _ = writeln!(text, "**Task**: {}", write_value(head.task.as_deref()));
    let _ = writeln!(text, "**Started**: {}", one_line(head.time.as_deref().unwrap_or_default()));
    text.push_str(session);
    text.push_str("\n---\n\n## Task List\n\n");
    for (number, task) in (1..).zip(tasks) {
        let _ = writeln!(text, "{number}. [ ] {}", one_line(task));
    }
    text.push_str("\n---\n\n## Progress Timeline\n\n");
    text
}

/// One entry, to be appended.
#[must_use]
pub fn append(entry: &DevelopEntry, flavour: Flavour) -> String {
    let time = one_line(entry.time.as_deref().unwrap_or_default());
    let description = one_line(&entry.description);
    let id = one_line(entry.task_id.as_deref().unwrap_or_default());
    let status = one_line(entry.status.as_deref().unwrap_or("completed")).to_uppercase();
    let files = files(&entry.files);
    match flavour {
        Flavour::LoopV2 => format!(
            "\n### Iteration {} - {description} ({time})\n\n#### Task Details\n\n- **ID**: {id}\n- **Tool**: {}\n\
             - **Mode**: {}\n\n#### Implementation Summary\n\n{}\n\n#### Files Changed\n\n{files}\n\
             #### Status: {status}\n\n---\n\n",
            entry.iteration.unwrap_or_default(),
            one_line(entry.tool.as_deref().unwrap_or_default()),
            one_line(entry.mode.as_deref().unwrap_or_default()),
            write_block(&entry.summary),
        ),
        // The headings and keys of the seed, with the id and the summary of the coordinator's form.
        Flavour::LoopB => format!(
            "\n### Iteration {} ({time})\n\n**Task**: {description}\n**Task ID**: {id}\n\n**Changes**:\n{files}\n\
             **Summary**: {}\n\n**Status**: {}\n\n---\n",
            entry.iteration.unwrap_or_default(),
            one_line(&entry.summary),
            if status == "COMPLETED" {
                "Success".to_owned()
            } else {
                loop_b::status_word(&status.to_lowercase())
            },
        ),
    }
}

fn files(files: &[String]) -> String {
    let mut text = String::new();
    for file in files {
        let _ = writeln!(text, "- `{}`", one_line(file));
    }
    if files.is_empty() {
        text.push_str("- No files changed\n");
    }
    text
}
