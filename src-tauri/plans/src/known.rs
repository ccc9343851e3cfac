//! Tools that a repository shows by a path and whose plans aren't read: what to tell a person instead.

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

/// The tools that a repository shows, each with the first sign that showed it; `is_there` looks for a sign.
pub fn known_tools(mut is_there: impl FnMut(Sign) -> bool) -> Vec<(&'static KnownTool, Sign)> {
    let mut shows = |signs: &&&[Sign]| signs.iter().all(|sign| is_there(*sign));
    let mut shown = |tool: &'static KnownTool| Some((tool, *tool.signs.iter().find(&mut shows)?.first()?));
    KNOWN.iter().filter_map(&mut shown).collect()
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
        known_tools(is_there).into_iter().map(|(tool, _)| tool.id).collect()
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
    fn a_tool_comes_with_what_shows_it() {
        let shown = known_tools(|sign| sign == Sign::Folder("backlog/tasks"));
        assert_eq!(shown.len(), 1);
        assert_eq!((shown[0].0.id, shown[0].1), ("backlog-md", Sign::Folder("backlog/tasks")));
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
}
