//! Tools that a repository shows by a path and whose plans aren't read: what to tell a person instead. And the schedules of Claude
//! Code, which can start agents by themselves.

use crate::finding::{Finding, FindingCode};
use crate::format::ReadError;
use crate::json::{Json, word};
use loopdeck_text::json_span::tree::{Node, Value};

/// A tool that is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownTool {
    /// A stable name.
    pub id: &'static str,
    /// Its name on the screen, never translated.
    pub name: &'static str,
    /// What shows it, below the repository: one of these groups, all signs of it.
    pub signs: &'static [&'static [Sign]],
    /// What to tell.
    pub advice: Advice,
}

/// A path that shows a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// This file.
    File(&'static str),
    /// This folder.
    Folder(&'static str),
    /// A file with this ending in a folder, not below it.
    Ending {
        /// The folder.
        folder: &'static str,
        /// The end of the name.
        ending: &'static str,
    },
}

/// What a person can do about a plan that isn't read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Advice {
    /// Its state is in a database; its own tool shows it.
    Database,
    /// Its state is with a service, not in the repository.
    Cloud,
    /// Its files can be read as documents; its own tool shows how far they are.
    ReadOnlyElsewhere,
    /// Its files could be read by a later version.
    NotYet,
    /// There are only prompts and definitions, which keep no state.
    DefinitionsOnly,
    /// It starts agents by the clock: see [`schedules`].
    Schedules,
}

const fn file(path: &'static str) -> Sign {
    Sign::File(path)
}

const fn folder(path: &'static str) -> Sign {
    Sign::Folder(path)
}

/// The tools, by name.
pub const KNOWN: &[KnownTool] = &[
    tool("archon", "Archon", &[&[folder(".archon/workflows")]], Advice::Database),
    tool(
        "backlog-md",
        "Backlog.md",
        &[&[file("backlog/config.yml")], &[file(".backlog/config.yml")], &[folder("backlog/tasks")]],
        Advice::NotYet,
    ),
    tool(
        "beads-database",
        "Beads",
        &[&[folder(".beads/dolt")], &[Sign::Ending { folder: ".beads", ending: ".db" }]],
        Advice::Database,
    ),
    tool(
        "ccw",
        "Claude Code Workflow",
        &[&[Sign::Ending { folder: ".workflow", ending: ".db" }]],
        Advice::Database,
    ),
    tool("claude-loop", "Claude Code /loop", &[&[file(".claude/loop.md")]], Advice::DefinitionsOnly),
    tool("claude-schedules", "Claude Code", &[&[file(SCHEDULES)]], Advice::Schedules),
    tool(
        "claude-workflows",
        "Claude Code workflows",
        &[&[Sign::Ending { folder: ".claude/workflows", ending: ".js" }]],
        Advice::DefinitionsOnly,
    ),
    tool("gsd-2", "GSD-2", &[&[file(".gsd/gsd.db")]], Advice::Database),
    tool("kiro", "Kiro", &[&[folder(".kiro/specs")]], Advice::ReadOnlyElsewhere),
    tool("oh-my-codex", "oh-my-codex", &[&[folder(".omx")]], Advice::NotYet),
    tool("pi-autoresearch", "pi-autoresearch", &[&[file(".auto/log.jsonl")]], Advice::NotYet),
    tool(
        "ralph-playbook",
        "Ralph playbook",
        &[&[file("IMPLEMENTATION_PLAN.md"), file("PROMPT_build.md")]],
        Advice::NotYet,
    ),
    tool("ralph-tui", "Ralph TUI", &[&[file(".ralph-tui/config.toml")]], Advice::ReadOnlyElsewhere),
    tool("ralphex", "ralphex", &[&[folder(".ralphex")]], Advice::NotYet),
    tool("superpowers", "Superpowers", &[&[folder("docs/superpowers/plans")]], Advice::NotYet),
    tool("symphony", "Symphony", &[&[file("WORKFLOW.md")]], Advice::Cloud),
];

const fn tool(
    id: &'static str,
    name: &'static str,
    signs: &'static [&'static [Sign]],
    advice: Advice,
) -> KnownTool {
    KnownTool { id, name, signs, advice }
}

/// The tools that a repository shows; `is_there` looks for a sign.
pub fn known_tools(mut is_there: impl FnMut(Sign) -> bool) -> Vec<&'static KnownTool> {
    let mut shows = |signs: &&[Sign]| signs.iter().all(|sign| is_there(*sign));
    KNOWN.iter().filter(|tool| tool.signs.iter().any(&mut shows)).collect()
}

/// Where Claude Code keeps schedules that outlive a session, below the repository.
pub const SCHEDULES: &str = ".claude/scheduled_tasks.json";

/// A schedule that can start an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Its name; made from its place where the file gives none.
    pub id: String,
    /// When, as five fields of cron.
    pub cron: String,
    /// What the agent is given.
    pub prompt: String,
    /// Again and again, or once.
    pub recurring: bool,
    /// When it was made, milliseconds since 1970.
    pub created: Option<i64>,
    /// When it fired last, milliseconds since 1970.
    pub fired: Option<i64>,
    /// 1-based line.
    pub line: u32,
}

impl Schedule {
    /// That it can fire.
    #[must_use]
    pub fn finding(&self) -> Finding {
        let finding = Finding::new(FindingCode::ScheduleFires).with("item", &self.id);
        finding.with("found", &self.cron).with("file", SCHEDULES).at_line(self.line)
    }
}

/// The schedules that can fire: with a time and a prompt, and not switched off. Versions of Claude Code were seen that ignore the switch.
///
/// # Errors
/// Why the file can't be read.
pub fn schedules(bytes: &[u8]) -> Result<Vec<Schedule>, ReadError> {
    let json = Json::read(bytes)?;
    let root = json.root();
    let list = if matches!(root.value, Value::List(_)) { &root } else { root.get("tasks") };
    let schedule = |(at, task): (usize, &Node<'_>)| {
        let text = |key: &str| Some(word(task.get(key))).filter(|text| !text.is_empty());
        let is_on = task.get("enabled").flag() != Some(false);
        Some(Schedule {
            id: text("id").unwrap_or(format!("#{}", at + 1)),
            cron: text("cron").filter(|_| is_on)?,
            prompt: text("prompt")?,
            recurring: task.get("recurring").flag() == Some(true),
            created: time(task.get("createdAt")),
            fired: time(task.get("lastFiredAt")),
            line: json.line(task),
        })
    };
    Ok(list.items().iter().enumerate().filter_map(schedule).collect())
}

/// A time in milliseconds.
fn time(node: &Node<'_>) -> Option<i64> {
    if let Value::Number(text) = &node.value { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(there: &[&str]) -> Vec<&'static str> {
        let is_there = |sign| match sign {
            Sign::File(path) => there.contains(&path),
            Sign::Folder(path) => there.iter().any(|file| file.starts_with(&format!("{path}/"))),
            Sign::Ending { folder, ending } => there.iter().any(|file| {
                file.rsplit_once('/').is_some_and(|(of, name)| of == folder && name.ends_with(ending))
            }),
        };
        known_tools(is_there).into_iter().map(|tool| tool.id).collect()
    }

    #[test]
    fn each_tool_is_known_by_its_paths() {
        for (there, id) in [
            (vec![".archon/workflows/fix.yaml"], "archon"),
            (vec!["backlog/tasks/task-1 - a.md"], "backlog-md"),
            (vec![".backlog/config.yml"], "backlog-md"),
            (vec![".beads/beads.db"], "beads-database"),
            (vec![".workflow/index.db"], "ccw"),
            (vec![".claude/loop.md"], "claude-loop"),
            (vec![".claude/scheduled_tasks.json"], "claude-schedules"),
            (vec![".claude/workflows/review.js"], "claude-workflows"),
            (vec![".gsd/gsd.db"], "gsd-2"),
            (vec![".kiro/specs/cart/tasks.md"], "kiro"),
            (vec![".omx/state/ralph.json"], "oh-my-codex"),
            (vec![".auto/log.jsonl"], "pi-autoresearch"),
            (vec!["IMPLEMENTATION_PLAN.md", "PROMPT_build.md"], "ralph-playbook"),
            (vec![".ralph-tui/config.toml"], "ralph-tui"),
            (vec![".ralphex/progress/a.txt"], "ralphex"),
            (vec!["docs/superpowers/plans/a.md"], "superpowers"),
            (vec!["WORKFLOW.md"], "symphony"),
        ] {
            assert_eq!(ids(&there), [id], "{there:?}");
        }
    }

    #[test]
    fn half_of_the_signs_and_other_places_show_nothing() {
        let there = ["IMPLEMENTATION_PLAN.md", ".gsd/STATE.md", ".workflow/sub/index.db", "docs/WORKFLOW.md"];
        assert!(ids(&there).is_empty());
    }

    #[test]
    fn names_are_used_once_in_order_and_paths_are_plain() {
        let names: Vec<&str> = KNOWN.iter().map(|tool| tool.id).collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(names, sorted);
        for sign in KNOWN.iter().flat_map(|tool| tool.signs.iter().copied().flatten()) {
            let (Sign::File(path) | Sign::Folder(path) | Sign::Ending { folder: path, .. }) = sign;
            assert!(path.split('/').all(|part| !matches!(part, "" | "." | "..")), "{path}");
        }
    }

    #[test]
    fn schedules_that_can_fire_are_listed() {
        let text = br#"{"tasks": [
            {"id": "a1", "cron": "*/8 * * * *", "prompt": "Look around.", "createdAt": 1775253686155, "recurring": true},
            {"id": "a2", "cron": "0 9 * * *", "prompt": "Off.", "enabled": false, "recurring": true},
            {"name": "job", "schedule": "* * * * *", "command": "true"},
            {"id": "mirror", "cron": "1 1 * * *", "workflow": "ci.yml"},
            {"cron": "5 5 1 1 *", "prompt": "Once.", "recurring": "yes", "lastFiredAt": "never"}, 7
        ]}"#;
        let found = schedules(text).unwrap();
        let ids: Vec<&str> = found.iter().map(|schedule| schedule.id.as_str()).collect();
        assert_eq!(ids, ["a1", "#5"]);
        assert_eq!((found[0].created, found[0].recurring, found[0].line), (Some(1_775_253_686_155), true, 2));
        assert_eq!((found[1].fired, found[1].recurring), (None, false));
        let finding = found[0].finding();
        assert_eq!((finding.code, finding.line), (FindingCode::ScheduleFires, Some(2)));
        assert_eq!(finding.args[..2], [("item", "a1".to_owned()), ("found", "*/8 * * * *".to_owned())]);
    }

    #[test]
    fn a_file_that_is_no_list_of_schedules_has_none() {
        assert_eq!(schedules(b"{\"tasks\": {\"id\": 1}}"), Ok(Vec::new()));
        assert_eq!(schedules(b" \n"), Err(ReadError::Empty));
        assert_eq!(schedules(b"\xff\xfe"), Err(ReadError::NotText { offset: 0 }));
        assert!(matches!(schedules(b"nothing"), Err(ReadError::NotParsed { .. })));
    }
}
