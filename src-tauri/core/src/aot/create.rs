//! The first text of an AoT loop (AoT contract §1, §4): complete, valid and pending, in the canonical layout that the
//! plugin's hook and scripts read.

use super::base_case::{BaseCase, text_of};
use super::forms::{ITERATIONS, USUAL_ITERATIONS};
use super::operate::bad_value;
use super::written::{Written, item_lines, one_line};
use crate::control::{Refusal, RefusalCode};
use crate::format::FileFacts;
use crate::problem::Severity;
use crate::times::Millis;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeSet;

/// What a person says of a new AoT loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename = "NewAotLoop")]
pub struct NewLoop {
    /// What is to hold in the end; one line in the file, whole in the body.
    pub goal: String,
    /// Why; the goal when blank.
    pub background_intent: String,
    /// What there will be; the goal when blank.
    pub deliverables: String,
    /// When it is done; named after the check when blank.
    pub definition_of_done: String,
    /// What decides that it is done.
    pub base_case: BaseCase,
    /// The first steps; one that is the goal itself when empty. Each may wait for steps before it.
    pub atoms: Vec<FirstAtom>,
    /// At least 1; 20 when `None`.
    pub max_iterations: Option<u32>,
}

/// A step that the work begins with. Its id is made: `A1`, `A2`, …
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct FirstAtom {
    /// What to do.
    pub description: String,
    /// Numbers of steps before it, from 1.
    pub after: Vec<u32>,
}

/// Most first steps.
const MAX_ATOMS: usize = 200;

/// The whole file.
///
/// # Errors
/// A refusal that names the field: `goal`, `max_iterations`, `atoms`, or a part of the check.
pub fn create(new: &NewLoop, now: Millis) -> Result<String, Refusal> {
    let goal = one_line(&new.goal, 20_000);
    let limit = new.max_iterations.unwrap_or(USUAL_ITERATIONS);
    if goal.is_empty() {
        return Err(bad_value("goal"));
    }
    if !ITERATIONS.take(limit) {
        return Err(bad_value("max_iterations"));
    }
    let or_goal =
        |text: &str| if text.trim().is_empty() { Written::text(&goal) } else { Written::text(text) };
    let done = if new.definition_of_done.trim().is_empty() {
        Written::text("Every check of base_case passes.")
    } else {
        Written::text(&new.definition_of_done)
    };
    let line = |key: &str, value: &Written| format!("  {key}: {}\n", value.yaml(4, "\n"));
    let mut text = "---\nobjective:\n".to_owned();
    text.push_str(&line("goal", &Written::text(&goal)));
    text.push_str(&text_of(&new.base_case, "  ")?);
    text.push_str(&line("background_intent", &or_goal(&new.background_intent)));
    text.push_str(&line("deliverables", &or_goal(&new.deliverables)));
    text.push_str(&line("definition_of_done", &done));
    text.push_str(&format!(
        "  constraints:\n    max_iterations: {limit}\n    max_parallel_agents: 3\n    max_stall_count: 3\n"
    ));
    text.push_str(CONTROL);
    text.push_str(&atoms(&goal, &new.atoms)?);
    text.push_str(EMPTY_SECTIONS);
    text.push_str(&body(&new.goal));
    sound(text, now)
}

const CONTROL: &str = "\ncontrol:\n  status: pending\n  iteration: 0\n  stall_count: 0\n  prev_pending_count: -1\n  \
                       stop_requested: false\n  redirect_requested: false\n  stop_reason: null\n\natoms:\n";
const EMPTY_SECTIONS: &str =
    "\ndecompositions: []\n\nor_groups: {}\n\nbindings: {}\n\ntrail: []\n\ncorrections: []\n---\n\n";

fn atoms(goal: &str, first: &[FirstAtom]) -> Result<String, Refusal> {
    let whole = [FirstAtom { description: goal.to_owned(), after: Vec::new() }];
    let first = if first.is_empty() { &whole } else { first };
    if first.len() > MAX_ATOMS {
        return Err(bad_value("atoms"));
    }
    let mut text = String::new();
    for (index, atom) in first.iter().enumerate() {
        let before: BTreeSet<usize> = atom.after.iter().map(|number| *number as usize).collect();
        let waits_for_later = before.iter().any(|number| *number == 0 || *number > index);
        if one_line(&atom.description, 20_000).is_empty() || waits_for_later {
            return Err(bad_value("atoms"));
        }
        let ids: Vec<String> = before.iter().map(|number| format!("A{number}")).collect();
        let fields = vec![
            ("id", Written::id(&format!("A{}", index + 1))),
            ("description", Written::text(&atom.description)),
            ("status", Written::word("pending")),
            ("depends_on", Written::ids(ids.iter().map(String::as_str))),
        ];
        text.push_str(&item_lines(&fields, "  ", "\n"));
    }
    Ok(text)
}

/// The person's words, whole; lines that the plugin would take for its own get out of its way (L10, L12).
fn body(goal: &str) -> String {
    let line = |line: &str| {
        let line = line.trim_end();
        let own = line.strip_prefix("  ").is_some_and(|rest| {
            KEYS_OF_THE_HOOK
                .iter()
                .any(|key| rest.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')))
        });
        match line {
            _ if line.trim_start().starts_with("- id:") => format!("> {line}\n"),
            _ if own => format!(" {line}\n"),
            // A line of three dashes would be taken for the end of something.
            "---" => "\\---\n".to_owned(),
            _ => format!("{line}\n"),
        }
    };
    let text: String = goal.trim().lines().map(line).collect();
    format!("# Original Prompt\n\n{text}")
}

const KEYS_OF_THE_HOOK: [&str; 7] = [
    "status",
    "iteration",
    "stall_count",
    "prev_pending_count",
    "stop_reason",
    "stop_requested",
    "redirect_requested",
];

/// The text, once it reads back as a sound loop.
fn sound(text: String, now: Millis) -> Result<String, Refusal> {
    let facts = FileFacts { stem: "aot-loop-state", modified: now, now };
    let summary = super::summary(text.as_bytes(), &facts);
    let error = summary.problems.iter().find(|problem| problem.severity == Severity::Error);
    match error {
        None => Ok(text),
        Some(problem) => Err(Refusal::new(RefusalCode::BadValue)
            .with("field", "goal")
            .with("problem", problem.code.name())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aot::{Check, CheckItem, CheckKind, CheckPart};
    use crate::control::{Situation, Verb};
    use crate::status::StatusWord;

    fn new(goal: &str) -> NewLoop {
        NewLoop {
            goal: goal.into(),
            background_intent: String::new(),
            deliverables: String::new(),
            definition_of_done: String::new(),
            base_case: BaseCase::Single(Check { kind: CheckKind::Command, value: "npm test".into() }),
            atoms: Vec::new(),
            max_iterations: None,
        }
    }

    fn situation() -> Situation {
        Situation { shown: StatusWord::NotStarted, now: 0 }
    }

    fn facts() -> FileFacts<'static> {
        FileFacts { stem: "aot-loop-state", modified: 0, now: 0 }
    }

    #[test]
    fn the_file_is_pending_sound_and_can_be_started() {
        let list = vec![
            CheckItem {
                item: "Tests pass".into(),
                part: CheckPart::Check(Check { kind: CheckKind::Command, value: "sh -c 'true'".into() }),
            },
            CheckItem {
                item: "No leftovers".into(),
                part: CheckPart::AnyOf(vec![CheckItem {
                    item: "none".into(),
                    part: CheckPart::Check(Check {
                        kind: CheckKind::NotCommand,
                        value: "grep -r TODO src".into(),
                    }),
                }]),
            },
        ];
        let atoms = vec![
            FirstAtom { description: "Design".into(), after: vec![] },
            FirstAtom { description: "Build \"it\"".into(), after: vec![1] },
        ];
        let loop_ = NewLoop { base_case: BaseCase::Checklist(list), atoms, ..new("Add login\nwith tests") };
        let text = create(&loop_, 0).expect("valid");
        let detail = super::super::detail(text.as_bytes(), &facts(), &situation(), &[]);
        assert_eq!(detail.problems, [], "{text}");
        let start = detail.controls.iter().find(|control| control.verb == Verb::Start).expect("offered");
        assert_eq!(start.refusal, None);
        assert!(text.contains(
            "  - id: A2\n    description: \"Build \\\"it\\\"\"\n    status: pending\n    depends_on: [A1]\n"
        ));
        assert!(text.ends_with("# Original Prompt\n\nAdd login\nwith tests\n"));
        assert_eq!(super::super::repairs(text.as_bytes()).len(), 0, "nothing for the plugin to stumble over");
    }

    #[test]
    fn a_prompt_cannot_speak_to_the_plugin() {
        let text = create(&new("a\n---\n  status: completed\n- id: X\n  # ok"), 0).expect("valid");
        let body = text.split("# Original Prompt").nth(1).expect("there");
        assert!(
            !body
                .lines()
                .any(|line| line == "---" || line.starts_with("  status:") || line.starts_with("- id:"))
        );
        assert!(super::super::detail(text.as_bytes(), &facts(), &situation(), &[]).problems.is_empty());
    }

    #[test]
    fn what_the_form_does_not_take_is_refused_by_name() {
        let field = |new: &NewLoop| create(new, 0).expect_err("refused").args["field"].clone();
        assert_eq!(field(&new(" \n")), "goal");
        assert_eq!(field(&NewLoop { max_iterations: Some(0), ..new("x") }), "max_iterations");
        let atoms = |after: Vec<u32>| vec![FirstAtom { description: "a".into(), after }];
        assert_eq!(field(&NewLoop { atoms: atoms(vec![1]), ..new("x") }), "atoms");
        assert_eq!(field(&NewLoop { base_case: BaseCase::Checklist(vec![]), ..new("x") }), "checklist");
        let check = Check { kind: CheckKind::Command, value: "a --- b".into() };
        assert_eq!(field(&NewLoop { base_case: BaseCase::Single(check), ..new("x") }), "value");
    }
}
