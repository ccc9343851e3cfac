//! A new loop from a person's start form: the recipe chooses the format, the first files are created, and a
//! pasted text (a Markdown issue, a task list) fills in the form.

use crate::follow_up::FollowUp;
use crate::format::Handling;
use crate::formats::aot::{AotWork, BaseCase, Missing};
use crate::formats::ccw_v2::forms::InitMode;
use crate::forms::Bounds;
use crate::refusal::{Refusal, RefusalCode};
use crate::times::Timestamp;
use serde::{Deserialize, Serialize};
use specta::Type;

mod first_file;
mod first_task;
mod like;
pub mod prefill;
mod task;
pub use crate::format::NewFormat;
pub use crate::formats::loop_b::create::WorkMode;
pub use first_file::{FirstFile, FirstText};
pub(crate) use like::aot_like;
pub use task::{NewTask, planned};

/// The kind of work. Words: catalogue `recipe.<name>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Recipe {
    /// Something is wrong: find the cause, fix it, prove it.
    FixBug,
    /// Something is missing: plan it, build it, prove it.
    BuildFeature,
    /// Checks decide when it is done.
    Checklist,
}

/// The modes to choose from, by who drives the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Modes {
    /// Loopdeck.
    pub loopdeck: &'static [WorkMode],
    /// The skill of the format.
    pub skill: &'static [WorkMode],
}

impl NewFormat {
    /// Allowed values of `max_iterations`.
    #[must_use]
    pub fn iterations(self) -> Bounds {
        self.format().rules().iterations()
    }

    /// Default of `max_iterations`.
    #[must_use]
    pub fn usual_iterations(self) -> u32 {
        self.new_loops().usual_iterations()
    }

    /// The ways in which its loops go through their actions, when Loopdeck drives them or their own skill does; none where
    /// there is nothing to choose.
    #[must_use]
    pub fn modes(self) -> Modes {
        self.new_loops().modes()
    }

    /// Whether Loopdeck runs its loops; others are written and wait.
    #[must_use]
    pub fn is_run(self) -> bool {
        self.format().handling() == Handling::Driven
    }

    /// The one file that a folder can have of it; `None` when each loop has a file of its own.
    #[must_use]
    pub fn only_file(self) -> Option<&'static str> {
        self.new_loops().only_file()
    }
}

impl Recipe {
    /// The matching format; an expert may choose another one.
    #[must_use]
    pub fn format(self) -> NewFormat {
        match self {
            Recipe::FixBug | Recipe::BuildFeature => NewFormat::LoopV2,
            Recipe::Checklist => NewFormat::Aot,
        }
    }
}

/// The work as described by a person, without how it is run: that never goes into a state file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct NewWork {
    /// What kind.
    pub recipe: Recipe,
    /// Another format than the recipe's.
    pub format: Option<NewFormat>,
    /// How the loop goes through its actions; `auto` when `None`. Loop v2 has no `parallel`, AoT none at all.
    pub mode: Option<WorkMode>,
    /// In plain words; not blank, at most [`MAX_GOAL`] characters.
    pub goal: String,
    /// 1 to 100 characters; derived from the goal if blank.
    pub title: String,
    /// 1 to 100 (AoT 1 to 10,000); the format's default when `None`.
    pub max_iterations: Option<u32>,
    /// Known tasks, in order; if empty, the agent plans them. AoT: the first atoms, if none are named.
    pub tasks: Vec<NewTask>,
    /// AoT: what decides that it is done.
    pub base_case: Option<BaseCase>,
    /// The completed loop it follows from; the new loop's description names that on its own line.
    #[serde(default)]
    pub follow_up: Option<FollowUp>,
    /// The plan of another tool that it works off, below the workspace; such a loop has no items of its own. Ralph only.
    #[serde(default)]
    pub plan: Option<String>,
    /// AoT: the rest of its objective, its limits and its first atoms.
    #[serde(default)]
    pub aot: AotWork,
}

/// Most tasks in a form.
pub const MAX_TASKS: usize = 20;
/// Longest goal in a form, in characters without surrounding blanks.
pub const MAX_GOAL: usize = 20_000;

impl NewWork {
    /// The format it will have.
    #[must_use]
    pub fn format(&self) -> NewFormat {
        self.format.unwrap_or_else(|| self.recipe.format())
    }

    /// The title to write: the person's, or the first line of the goal, cut at a word.
    #[must_use]
    pub fn written_title(&self) -> String {
        let title = self.title.trim();
        let first = self.goal.trim().lines().next().unwrap_or_default().trim();
        let whole = if title.is_empty() { first } else { title };
        cut_at_word(whole, 100)
    }

    /// Whether the goal has more than [`MAX_GOAL`] characters.
    #[must_use]
    pub fn is_too_long(&self) -> bool {
        self.goal.trim().chars().nth(MAX_GOAL).is_some()
    }

    /// The state file. `random`: any number; use another one if the name is taken.
    ///
    /// # Errors
    /// A refusal with the `field` that the person has to fix.
    pub fn first_file(&self, now: Timestamp, random: u32) -> Result<FirstFile, Refusal> {
        if self.goal.trim().is_empty() || self.is_too_long() {
            return Err(bad("goal"));
        }
        if self.tasks.len() > MAX_TASKS {
            return Err(bad("tasks").with("code", "too_many_tasks").with("limit", MAX_TASKS));
        }
        if !self.tasks.iter().all(NewTask::is_good) {
            return Err(bad("tasks").with("code", "bad_tasks"));
        }
        if self.follow_up.as_ref().is_some_and(|follow_up| follow_up.line().is_none()) {
            return Err(bad("follow_up"));
        }
        if self.plan.is_some() && self.format() != NewFormat::OF_PLANS {
            return Err(bad("plan"));
        }
        self.format().new_loops().first_file(self, now, random)
    }

    /// The mode that INIT of a Loop v2 writes.
    #[must_use]
    pub fn init_mode(&self) -> InitMode {
        match self.mode {
            Some(WorkMode::Interactive) => InitMode::Interactive,
            _ => InitMode::Auto,
        }
    }

    /// The line that names the loop it follows from; empty when there is none.
    pub(crate) fn parent_line(&self) -> String {
        self.follow_up.as_ref().and_then(FollowUp::line).unwrap_or_default()
    }

    /// What the gate of an AoT loop still needs (the AoT contract §8); nothing for other formats.
    #[must_use]
    pub fn missing(&self) -> Vec<Missing> {
        self.format().new_loops().missing(self)
    }
}

fn bad(field: &str) -> Refusal {
    Refusal::new(RefusalCode::BadValue).with("field", field)
}

/// At most `limit` characters; a longer text ends after a word, with an ellipsis.
fn cut_at_word(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let head: String = text.chars().take(limit - 1).collect();
    let end = head.rfind(char::is_whitespace).filter(|end| *end > head.len() / 2).unwrap_or(head.len());
    format!("{}…", head[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::aot::{Check, CheckKind};
    use crate::view::FollowUpKind;

    fn work(recipe: Recipe, goal: &str) -> NewWork {
        let check = BaseCase::Single(Check { kind: CheckKind::Command, value: "sh test.sh".into() });
        NewWork {
            recipe,
            format: None,
            mode: None,
            goal: goal.into(),
            title: String::new(),
            max_iterations: None,
            tasks: Vec::new(),
            base_case: Some(check),
            follow_up: None,
            plan: None,
            aot: AotWork::default(),
        }
    }

    #[test]
    fn the_recipe_chooses_the_format_and_where_the_file_goes() {
        let file =
            |recipe| work(recipe, "Fix it").first_file(Timestamp::from_millis(0), 7).expect("valid").file;
        assert_eq!(file(Recipe::FixBug), ".workflow/.loop/loop-v2-19700101T000000-00000007.json");
        assert_eq!(file(Recipe::Checklist), ".claude/aot-loop-state.md");
        let b = NewWork { format: Some(NewFormat::LoopB), ..work(Recipe::FixBug, "x") };
        let file = b.first_file(Timestamp::from_millis(0), 7).expect("valid");
        assert!(file.file.starts_with(".workflow/.loop/loop-b-"), "{}", file.file);
        assert!(file.text.contains("\"paused\""), "waits until its agent is started");
    }

    #[test]
    fn the_title_is_the_first_line_cut_at_a_word() {
        assert_eq!(work(Recipe::FixBug, "  Fix it\nnow ").written_title(), "Fix it");
        let long = "word ".repeat(40);
        let title = work(Recipe::FixBug, &long).written_title();
        assert!(title.ends_with("word…") && title.chars().count() <= 100, "{title}");
        let unbroken = work(Recipe::FixBug, &"字".repeat(300)).written_title();
        assert_eq!(unbroken.chars().count(), 100);
        assert!(work(Recipe::FixBug, &"字".repeat(300)).first_file(Timestamp::from_millis(0), 1).is_ok());
    }

    #[test]
    fn follow_up_work_names_its_parent_in_every_format() {
        let (kind, loop_id) = (FollowUpKind::Test, "loop-v2-20261120T042421-d8ff7e62".to_owned());
        let follow_up = Some(FollowUp { kind, loop_id, key: "w:f".into() });
        let text = |format| {
            let work = NewWork {
                format: Some(format),
                follow_up: follow_up.clone(),
                ..work(Recipe::FixBug, "Mend\n")
            };
            work.first_file(Timestamp::from_millis(0), 7).expect("valid").text
        };
        let line = "Follow-up (test) of loop-v2-20261120T042421-d8ff7e62";
        for format in [NewFormat::LoopV2, NewFormat::LoopB] {
            let text = text(format);
            assert!(text.contains(&format!("\"description\": \"Mend\\n\\n{line}\"")), "{text}");
            assert!(text.contains("\"title\": \"Mend\""), "{text}");
        }
        assert!(text(NewFormat::Aot).contains(line));
    }

    #[test]
    fn a_mistake_is_named() {
        let field = |work: NewWork| {
            work.first_file(Timestamp::from_millis(0), 1).expect_err("refused").args["field"].clone()
        };
        assert_eq!(field(work(Recipe::FixBug, " \n")), "goal");
        for recipe in [Recipe::FixBug, Recipe::Checklist] {
            assert_eq!(field(work(recipe, &"字".repeat(MAX_GOAL + 1))), "goal");
        }
        let longest = format!(" {}\n", "字".repeat(MAX_GOAL));
        assert!(
            work(Recipe::FixBug, &longest).first_file(Timestamp::from_millis(0), 1).is_ok(),
            "blanks around it count nothing"
        );
        assert_eq!(
            field(NewWork { tasks: vec!["a".into(), " ".into()], ..work(Recipe::FixBug, "x") }),
            "tasks"
        );
        assert_eq!(field(NewWork { max_iterations: Some(0), ..work(Recipe::FixBug, "x") }), "max_iterations");
        let parallel = NewWork { mode: Some(WorkMode::Parallel), ..work(Recipe::FixBug, "x") };
        let named_twice = FollowUp { kind: FollowUpKind::Doc, loop_id: "a b".into(), key: String::new() };
        let follow_up = NewWork { follow_up: Some(named_twice), ..work(Recipe::FixBug, "x") };
        assert_eq!(field(follow_up), "follow_up");
        assert_eq!(field(parallel), "mode", "a Loop v2 has one action at a time");
        assert_eq!(field(NewWork { base_case: None, ..work(Recipe::Checklist, "x") }), "base_case");
        assert_eq!(
            field(NewWork { title: "x".into(), tasks: vec!["a".into(); 21], ..work(Recipe::FixBug, "x") }),
            "tasks"
        );
    }
}
