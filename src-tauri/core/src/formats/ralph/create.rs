//! The files of a new Ralph loop (the Ralph contract §6).

use super::forms::{ITERATIONS, USUAL_ITERATIONS};
use super::read::{PLAN, encoded};
use super::write::line;
use crate::formats::plan::linked::plans_at;
use crate::refusal::{Refusal, bad_value};

/// Letters of a name that come from the title.
const LONGEST_NAME: usize = 40;

/// A new loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewRalphLoop {
    /// One line.
    pub(crate) title: String,
    /// What the loop is for, in the person's words.
    pub(crate) goal: String,
    /// Known items, in order; if empty, the agent plans them.
    pub(crate) tasks: Vec<String>,
    /// `max`; the usual one when `None`.
    pub(crate) max_iterations: Option<u32>,
    /// The plan that it works off, in place of items of its own; below the workspace.
    pub(crate) plan: Option<String>,
}

/// The name of its folder: words of the title that every system allows, and a number that tells two of the same title apart.
pub(crate) fn name(title: &str, random: u32) -> String {
    let mut name = String::new();
    for letter in title.chars().map(|letter| letter.to_ascii_lowercase()) {
        match letter {
            'a'..='z' | '0'..='9' if name.len() < LONGEST_NAME => name.push(letter),
            _ if name.ends_with('-') || name.is_empty() => {}
            _ => name.push('-'),
        }
    }
    let name = name.trim_end_matches('-');
    let name = if name.is_empty() { "loop" } else { name };
    format!("{name}-{:04x}", random & 0xffff)
}

impl NewRalphLoop {
    /// The text of `TODO.md`.
    ///
    /// # Errors
    /// A refusal with the `field` that the person has to fix.
    pub(crate) fn todo(&self) -> Result<String, Refusal> {
        let max = self.max_iterations.unwrap_or(USUAL_ITERATIONS);
        if !ITERATIONS.accepts(max) {
            return Err(bad_value("max_iterations"));
        }
        if let Some(plan) = &self.plan {
            if !plans_at(plan).any(|kind| kind.format().when_done().is_some()) {
                return Err(bad_value("plan"));
            }
            let line = line("pending", 0, max).replace(" -->", &format!(" {PLAN}={} -->", encoded(plan)));
            return Ok(format!("{line}\n# {}\n\nThe work is in {plan}.\n", one_line(&self.title)));
        }
        let items: Vec<String> =
            self.tasks.iter().map(|task| format!("- [ ] {}\n", one_line(task))).collect();
        let items = if items.is_empty() { FIRST_ITEM.to_owned() } else { items.concat() };
        Ok(format!("{}\n# {}\n\n{items}", line("pending", 0, max), one_line(&self.title)))
    }

    /// The text of `PROMPT.md`.
    pub(crate) fn prompt(&self) -> String {
        let head = format!("# {}\n\n{}\n", one_line(&self.title), self.goal.trim());
        let kind = self.plan.as_deref().and_then(|plan| plans_at(plan).next());
        match kind.and_then(|kind| kind.format().when_done()) {
            Some(done) => head + &HOW_BY_PLAN.replace("{done}", done),
            None => head + HOW,
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a list begins with when nobody knows its items yet.
const FIRST_ITEM: &str = "- [ ] Plan the work: replace this item with the items that lead to the goal, each small enough for one run\n";

const HOW: &str = "
## How to work

1. Read TODO.md next to this file. Take the first item whose box is open, and no other.
2. Do it completely, and check that it works.
3. Tick its box, and add items for work that you found.
4. End. The next item is done in a new conversation that knows only these files.
";

const HOW_BY_PLAN: &str = "
## How to work

1. You are told which items of the plan are next. Read the plan, and take the first of them, and no other.
2. Do it completely, and check that it works.
3. {done}
4. End. The next item is done in a new conversation that knows only these files.
";

#[cfg(test)]
mod tests {
    use super::*;

    fn new(tasks: &[&str], max: Option<u32>) -> NewRalphLoop {
        NewRalphLoop {
            title: "Fix the\ncart".into(),
            goal: " The cart is wrong. ".into(),
            tasks: tasks.iter().map(|task| (*task).to_owned()).collect(),
            max_iterations: max,
            plan: None,
        }
    }

    #[test]
    fn a_list_has_one_line_for_each_item() {
        let todo = new(&["Look\n- [x] at it", "Fix it"], Some(5)).todo().unwrap();
        let expected = "<!-- loop: status=pending iteration=0 max=5 -->\n# Fix the cart\n\n\
                        - [ ] Look - [x] at it\n- [ ] Fix it\n";
        assert_eq!(todo, expected);
        assert!(new(&[], None).todo().unwrap().contains("max=20 -->\n# Fix the cart\n\n- [ ] Plan"));
        for max in [0, 1_001] {
            assert_eq!(new(&[], Some(max)).todo().unwrap_err().args["field"], "max_iterations");
        }
        assert!(new(&[], None).prompt().starts_with("# Fix the cart\n\nThe cart is wrong.\n\n## How"));
        for plan in ["README.md", ".beads/issues.jsonl", ".claude/ralph-loop.local.md"] {
            let todo = NewRalphLoop { plan: Some(plan.to_owned()), ..new(&[], None) }.todo();
            assert_eq!(
                todo.unwrap_err().args["field"],
                "plan",
                "{plan}: no agent can say there what is done"
            );
        }
        for (plan, done) in
            [("specs/001-cart/tasks.md", "Mark it as done"), (".planning/STATE.md", "SUMMARY.md")]
        {
            let prompt = NewRalphLoop { plan: Some(plan.to_owned()), ..new(&[], None) }.prompt();
            assert!(prompt.contains(done) && !prompt.contains("{done}"), "{prompt}");
        }
    }

    #[test]
    fn a_folder_is_named_after_the_title() {
        for (title, expected) in [
            ("Fix the cart!", "fix-the-cart-002a"),
            ("../../etc", "etc-002a"),
            ("直す", "loop-002a"),
            (&"word ".repeat(20), "word-word-word-word-word-word-word-word-002a"),
        ] {
            assert_eq!(name(title, 0xabc_002a), expected, "{title}");
        }
    }
}
