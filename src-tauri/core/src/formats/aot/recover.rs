//! Rebuilding a state file from its remains: first the sections before the damage, then the last good copy,
//! then what a new file would contain (AoT contract §1.1, §3). Nothing is written here; a person agrees
//! first.

pub(crate) mod quotes;
pub(crate) mod salvage;
pub(crate) mod salvage_parts;
pub(crate) mod values;

use crate::format::FileFacts;
use crate::formats::aot::check::{lint, rules};
use crate::formats::aot::edit::written::{MAX_REASON, Written, one_line};
use crate::formats::aot::edit::{canonical, normalise};
use crate::formats::aot::read::state::{self, SECTIONS};
use crate::formats::aot::recover::salvage::{AotSalvage, HEADLINE};
use crate::formats::aot::recover::salvage_parts::Slot;
use crate::formats::ccw::recover::{Provenance, Recovery};
use crate::problem::{Problem, ProblemCode, Severity};
use crate::times::Timestamp;
use loopdeck_text::text_edit;
use std::collections::HashSet;

/// Further attempts would not help.
const ATTEMPTS: usize = 2 * SECTIONS.len() + 2;

/// The proposed file; `None` when there is nothing to build one from: no objective, or neither atoms nor a
/// goal.
///
/// The result has no errors and no line that the plugin would read differently. Sources: `prefix`,
/// `last_good`, `proposed` (added by us), `missing` (nothing is left, so it is empty).
#[must_use]
pub fn recover(damaged: &[u8], last_good: Option<&[u8]>, facts: &FileFacts<'_>) -> Option<Recovery> {
    let sources = AotSources {
        prefix: AotSalvage::from_bytes(damaged),
        last_good: last_good.map(AotSalvage::from_bytes).unwrap_or_default(),
        refused: HashSet::new(),
    };
    attempts(sources, facts)
}

/// Leaves out one bad section after the other until the file is valid.
fn attempts(mut sources: AotSources, facts: &FileFacts<'_>) -> Option<Recovery> {
    for _ in 0..ATTEMPTS {
        let mut recovery = sources.propose()?;
        mend(&mut recovery.text);
        open_circles(&mut recovery, facts);
        match fault(&recovery.text, facts) {
            None => return Some(recovery),
            Some(Problem { path, .. }) => {
                let name = path.split(['.', '[']).next().unwrap_or_default();
                let from = |field: &Provenance| (field.path.clone(), field.source);
                let own = recovery.provenance.iter().find(|field| field.path == name).map(from);
                // A line that looks like another field can be in a section that no schema lists.
                let is_other = |field: &&Provenance| {
                    !SECTIONS.contains(&field.path.as_str())
                        && field.path != "prompt"
                        && !field.path.contains('.')
                };
                let other = || recovery.provenance.iter().find(is_other).map(from);
                let (name, source) = own.or_else(other)?;
                if !sources.refused.insert((name, source)) {
                    return None;
                }
            }
        }
    }
    None
}

/// Repairs what a canonical section cannot: unknown words, and lines of the prompt that look like fields
/// (L12).
fn mend(text: &mut String) {
    for code in [ProblemCode::V3_unknown_status, ProblemCode::V20_layout] {
        let edits = normalise::repair(text.as_bytes(), code, Timestamp::from_millis(0)).unwrap_or_default();
        if let Ok(repaired) = text_edit::apply(text.as_bytes(), &edits) {
            *text = String::from_utf8(repaired).unwrap_or_default();
        }
    }
}

/// Leaves out one dependency of each cycle.
fn open_circles(recovery: &mut Recovery, facts: &FileFacts<'_>) {
    const MOST: usize = 100;
    for _ in 0..MOST {
        let circle = fault(&recovery.text, facts).filter(|problem| problem.code == ProblemCode::V7_cycle);
        let opened = circle
            .and_then(|problem| values::without_a_dependency(&recovery.text, problem.args.get("cycle")?));
        let Some((text, lost)) = opened else { return };
        recovery.text = text;
        recovery.lost.push(lost);
    }
}

/// The first error or layout finding.
fn fault(text: &str, facts: &FileFacts<'_>) -> Option<Problem> {
    let document = match state::read(text.as_bytes()) {
        Ok(document) => document,
        Err(problem) => return Some(problem),
    };
    let problems = super::summarise(&document, facts).problems;
    let error = problems.into_iter().find(|problem| problem.severity == Severity::Error);
    error.or_else(|| lint::layout(text.as_bytes(), &document).into_iter().next())
}

struct AotSources {
    prefix: AotSalvage,
    last_good: AotSalvage,
    /// Sections that make a file invalid, with their source.
    refused: HashSet<(String, &'static str)>,
}

/// Lines with their source.
type FoundLines = (String, &'static str);

impl AotSources {
    fn propose(&self) -> Option<Recovery> {
        let mut recovery = Recovery::default();
        let mut text = "---\n".to_owned();
        for name in SECTIONS {
            if name == "corrections" {
                self.others(&mut text, &mut recovery);
            }
            let (lines, source) = match name {
                "objective" => self.section(name).or_else(|| self.new_objective())?,
                "control" => self.control(&mut recovery),
                "atoms" => self.section(name).or_else(|| self.first_atom())?,
                _ => self.section(name).unwrap_or_else(|| empty(name)),
            };
            put_source(&mut recovery, name, source);
            if let Some(salvage) = self.salvage(source) {
                recovery.lost.extend(salvage.lost.iter().filter(|path| is_below(path, name)).cloned());
            }
            let lines =
                if source == "prefix" { self.with_lost_items(name, lines, &mut recovery) } else { lines };
            text.push_str(&lines);
            text.push('\n');
        }
        text.truncate(text.len() - 1);
        let (body, source) = self.body();
        put_source(&mut recovery, "prompt", source);
        recovery.text = format!("{text}---\n{body}");
        let atoms = recovery.provenance.iter().find(|field| field.path == "atoms");
        let renamed = atoms.and_then(|field| self.salvage(field.source)).map(|salvage| &salvage.renamed[..]);
        if let Some(renamed) = renamed.filter(|renamed| !renamed.is_empty()) {
            recovery.text = values::rename(&recovery.text, renamed).unwrap_or(recovery.text);
        }
        Some(recovery)
    }

    fn salvage(&self, source: &str) -> Option<&AotSalvage> {
        match source {
            "prefix" => Some(&self.prefix),
            "last_good" => Some(&self.last_good),
            _ => None,
        }
    }

    /// What the work is for is in the prompt, or has to be written again.
    fn new_objective(&self) -> Option<FoundLines> {
        self.section("atoms")?;
        let (body, _) = self.body();
        let goal = body.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
        // As the canonical layout has it, so that a second recovery changes nothing.
        let line = one_line(goal.unwrap_or_default(), MAX_REASON);
        let goal = Written::reason(&line.split_whitespace().collect::<Vec<_>>().join(" "));
        let lines = format!("objective:\n  goal: {}\n{NEW_OBJECTIVE}", goal.yaml(0, "\n"));
        Some((lines, "proposed"))
    }

    fn section(&self, name: &str) -> Option<FoundLines> {
        let usable = |source| !self.refused.contains(&(name.to_owned(), source));
        let from = |salvage: &AotSalvage, source| {
            salvage.section(name).filter(|_| usable(source)).map(|lines| (lines.to_owned(), source))
        };
        // If a complete file does not have the section, there is nothing in it.
        let silent = || {
            let empty = canonical::empty(name).filter(|_| self.prefix.complete && usable("prefix"));
            empty.map(|empty| (format!("{name}: {empty}\n"), "prefix"))
        };
        from(&self.prefix, "prefix").or_else(silent).or_else(|| from(&self.last_good, "last_good"))
    }

    /// The section with its lost items restored from the last good copy if it has them; the others are named.
    fn with_lost_items(&self, name: &str, lines: String, recovery: &mut Recovery) -> String {
        let Some(slots) = self.prefix.parts.get(name) else { return lines };
        let usable = !self.refused.contains(&(name.to_owned(), "last_good"));
        let older = self.last_good.section(name).filter(|_| usable);
        let older = older.map(|lines| salvage_parts::slots(name, lines)).unwrap_or_default();
        let mut filled: Vec<Slot> = Vec::new();
        let mut from_older = false;
        for slot in slots {
            let known = || older.iter().find(|old| !slot.id.is_empty() && old.id == slot.id).cloned();
            let found = if slot.lines.is_some() { Some(slot.clone()) } else { known() };
            from_older |= slot.lines.is_none() && found.is_some();
            if found.is_none() {
                let id = if slot.id.is_empty() { "?" } else { &slot.id };
                recovery.lost.push(format!("{name}.{id}"));
            }
            filled.extend(found);
        }
        if self.prefix.cut.as_deref() == Some(name) {
            let more = older.iter().filter(|old| !slots.iter().any(|slot| slot.id == old.id)).cloned();
            let before = filled.len();
            filled.extend(more);
            from_older |= filled.len() > before;
        }
        let section = salvage_parts::section(name, &filled);
        let whole = from_older.then(|| AotSalvage::of_section(&section)).flatten();
        let Some(whole) = whole else { return lines };
        put_source(recovery, name, "last_good");
        whole
    }

    /// The control fields. The counters of an older copy are worth keeping, but it does not show that the
    /// loop is running.
    fn control(&self, recovery: &mut Recovery) -> FoundLines {
        let (lines, source) = self.section("control").unwrap_or_else(|| (NEW_CONTROL.to_owned(), "proposed"));
        let said = |key: &str| {
            let line = lines.lines().find_map(|line| line.strip_prefix("  ")?.strip_prefix(key));
            line.and_then(|rest| rest.strip_prefix(": ")).unwrap_or_default().to_owned()
        };
        let status = said("status");
        let known = match source {
            "prefix" => matches!(status.as_str(), "pending" | "running" | "stopped" | "completed"),
            // Both end what the plugin approves without asking (§12).
            "last_good" => matches!(status.as_str(), "stopped" | "completed"),
            _ => false,
        };
        if known {
            return (lines, source);
        }
        put_source(recovery, "control.status", "proposed");
        let reason = Written::reason(rules::INTERRUPTED_REASON);
        let safe = lines
            .replacen(&format!("  status: {status}\n"), "  status: stopped\n", 1)
            .replacen("  stop_reason: null\n", &format!("  stop_reason: {}\n", reason.yaml(0, "\n")), 1)
            .replacen("  redirect_requested: true\n", "  redirect_requested: false\n", 1);
        (safe, source)
    }

    /// One atom for the whole goal, as in a new loop (§2).
    fn first_atom(&self) -> Option<FoundLines> {
        let (objective, _) = self.section("objective")?;
        let goal = objective.lines().find_map(|line| line.strip_prefix("  goal: "))?;
        let usable =
            !self.refused.contains(&("atoms".to_owned(), "proposed")) && goal != "\"\"" && goal != "null";
        let atom =
            format!("atoms:\n  - id: A1\n    description: {goal}\n    status: pending\n    depends_on: []\n");
        usable.then_some((atom, "proposed"))
    }

    /// Fields that no schema lists, before `corrections`, which stays last (L19).
    fn others(&self, text: &mut String, recovery: &mut Recovery) {
        let older = self.last_good.others().filter(|_| !self.prefix.complete);
        let older = older.filter(|(name, _)| self.prefix.section(name).is_none());
        let sources = self.prefix.others().map(|other| (other, "prefix"));
        for ((name, lines), source) in sources.chain(older.map(|other| (other, "last_good"))) {
            if self.refused.contains(&(name.clone(), source)) {
                recovery.lost.push(name.clone());
            } else {
                put_source(recovery, name, source);
                text.push_str(lines);
                text.push('\n');
            }
        }
    }

    fn body(&self) -> FoundLines {
        let from = |salvage: &AotSalvage, source| salvage.body.clone().map(|body| (body, source));
        let found = from(&self.prefix, "prefix").or_else(|| from(&self.last_good, "last_good"));
        let (body, source) = found.unwrap_or_else(|| (format!("\n{HEADLINE}\n"), "missing"));
        // Found by its headline, so it has lost the line above.
        let gap = if body.starts_with(HEADLINE) { "\n" } else { "" };
        (format!("{gap}{body}"), source)
    }
}

/// The control fields of an idle loop.
const NEW_CONTROL: &str = "control:\n  status: stopped\n  iteration: 0\n  stall_count: 0\n  prev_pending_count: -1\n  stop_requested: false\n  stop_reason: null\n  redirect_requested: false\n";

/// The rest of an objective that has to be written again; the limits are the usual ones.
const NEW_OBJECTIVE: &str = "  background_intent: \"\"\n  deliverables: \"\"\n  definition_of_done: \"\"\n  constraints:\n    max_iterations: 20\n    max_parallel_agents: 3\n    max_stall_count: 3\n";

/// Whether a path is of a section.
fn is_below(path: &str, section: &str) -> bool {
    path.strip_prefix(section).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn empty(name: &str) -> FoundLines {
    (format!("{name}: {}\n", canonical::empty(name).unwrap_or("[]")), "missing")
}

fn put_source(recovery: &mut Recovery, path: &str, source: &'static str) {
    if matches!(source, "proposed" | "missing") {
        recovery.lost.push(path.to_owned());
    }
    recovery.provenance.push(Provenance { path: path.to_owned(), source });
}
