//! A new loop from what a person says in the start form: which format the recipe chooses, the files that begin it, and
//! what a pasted text (a Markdown issue, a task list) fills in.

use crate::aot::{self, BaseCase, FirstAtom};
use crate::ccw::progress_docs::records::PlannedTask;
use crate::ccw_v2::forms::{STEPS, TASKS};
use crate::control::{Refusal, RefusalCode};
use crate::format::{Format, Handling};
use crate::forms::Bounds;
use crate::loop_b::create::{Birth, WorkMode};
use crate::times::Millis;
use crate::{ccw_v2, loop_b};
use serde::{Deserialize, Serialize};
use specta::Type;

pub mod prefill;

/// What kind of work it is. Words: catalogue `recipe.<name>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Recipe {
    /// Something is wrong: find out why, mend it, prove it.
    FixBug,
    /// Something is missing: plan it, build it, prove it.
    BuildFeature,
    /// Checks decide when it is done.
    Checklist,
}

/// Formats that a new loop can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum NewFormat {
    /// CCW Loop v2.
    LoopV2,
    /// CCW Loop-B.
    LoopB,
    /// AoT loop.
    Aot,
}

impl NewFormat {
    /// All of them.
    pub const ALL: [Self; 3] = [NewFormat::LoopV2, NewFormat::LoopB, NewFormat::Aot];

    /// What `max_iterations` can be.
    #[must_use]
    pub fn iterations(self) -> Bounds {
        match self {
            NewFormat::LoopV2 | NewFormat::LoopB => ccw_v2::forms::ITERATIONS,
            NewFormat::Aot => aot::forms::ITERATIONS,
        }
    }

    /// `max_iterations` when nobody said one.
    #[must_use]
    pub fn usual_iterations(self) -> u32 {
        match self {
            NewFormat::LoopV2 | NewFormat::LoopB => ccw_v2::forms::USUAL_ITERATIONS,
            NewFormat::Aot => aot::forms::USUAL_ITERATIONS,
        }
    }

    /// The same format, as a file has it.
    #[must_use]
    pub fn format(self) -> Format {
        match self {
            NewFormat::LoopV2 => Format::LoopV2,
            NewFormat::LoopB => Format::LoopB,
            NewFormat::Aot => Format::Aot,
        }
    }

    /// Whether Loopdeck runs loops of it; others are written and wait.
    #[must_use]
    pub fn is_run(self) -> bool {
        self.format().handling() == Handling::Driven
    }
}

impl Recipe {
    /// The format that fits; an expert may choose another one.
    #[must_use]
    pub fn format(self) -> NewFormat {
        match self {
            Recipe::FixBug | Recipe::BuildFeature => NewFormat::LoopV2,
            Recipe::Checklist => NewFormat::Aot,
        }
    }
}

/// The work as a person describes it. Nothing of how it is run: that never goes into a state file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct NewWork {
    /// What kind.
    pub recipe: Recipe,
    /// Another format than the recipe's.
    pub format: Option<NewFormat>,
    /// How a Loop-B goes through its actions; `auto` when `None`.
    pub mode: Option<WorkMode>,
    /// In plain words; not blank, at most [`MAX_GOAL`] characters.
    pub goal: String,
    /// 1 to 100 characters; made of the goal when blank.
    pub title: String,
    /// 1 to 100 (AoT 1 to 10,000); the format's default when `None`.
    pub max_iterations: Option<u32>,
    /// Tasks that are known already, in order; the agent plans them when empty. AoT: the first atoms.
    pub tasks: Vec<String>,
    /// AoT: what decides that it is done.
    pub base_case: Option<BaseCase>,
}

/// A file that begins a loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct FirstFile {
    /// Relative to the workspace, `/` between the parts.
    pub file: String,
    /// Its whole text.
    pub text: String,
}

/// Most tasks that a form takes.
pub const MAX_TASKS: usize = 20;
/// Longest goal that a form takes, in characters without the blanks around it.
pub const MAX_GOAL: usize = 20_000;

impl NewWork {
    /// The format it will have.
    #[must_use]
    pub fn format(&self) -> NewFormat {
        self.format.unwrap_or_else(|| self.recipe.format())
    }

    /// The title as it is written: the person's, or the first line of the goal, cut at a word.
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

    /// The state file. `random`: any number; a name that is taken needs another one.
    ///
    /// # Errors
    /// A refusal with the `field` that the person has to mend.
    pub fn first_file(&self, now: Millis, random: u32) -> Result<FirstFile, Refusal> {
        if self.goal.trim().is_empty() || self.is_too_long() {
            return Err(bad("goal"));
        }
        if self.tasks.len() > MAX_TASKS || self.tasks.iter().any(|task| task.trim().is_empty()) {
            return Err(bad("tasks"));
        }
        match self.format() {
            NewFormat::LoopV2 => self.loop_v2(now, random),
            NewFormat::LoopB => self.loop_b(now, random),
            NewFormat::Aot => self.aot(now),
        }
    }

    fn ccw(&self) -> ccw_v2::create::NewLoop {
        ccw_v2::create::NewLoop {
            title: self.written_title(),
            description: self.goal.trim().to_owned(),
            max_iterations: self.max_iterations,
        }
    }

    fn loop_v2(&self, now: Millis, random: u32) -> Result<FirstFile, Refusal> {
        let stem = ccw_v2::create::stem(now, random);
        let text = ccw_v2::create::create(&stem, &self.ccw(), now)?;
        Ok(FirstFile { file: format!("{CCW_ROOT}/{stem}.json"), text })
    }

    fn loop_b(&self, now: Millis, random: u32) -> Result<FirstFile, Refusal> {
        // One random number gives eight base-36 digits; it is spread so that all of them differ.
        let stem = loop_b::create::stem(now, u64::from(random).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 16);
        let mode = self.mode.unwrap_or(WorkMode::Auto);
        let text = loop_b::create::create(&stem, &self.ccw(), mode, Birth::Paused, now)?;
        Ok(FirstFile { file: format!("{CCW_ROOT}/{stem}.json"), text })
    }

    fn aot(&self, now: Millis) -> Result<FirstFile, Refusal> {
        let base_case = self.base_case.clone().ok_or_else(|| bad("base_case"))?;
        let atom = |description: &String| FirstAtom { description: description.clone(), after: Vec::new() };
        let new = aot::NewLoop {
            goal: self.goal.clone(),
            background_intent: String::new(),
            deliverables: String::new(),
            definition_of_done: String::new(),
            base_case,
            atoms: self.tasks.iter().map(atom).collect(),
            max_iterations: self.max_iterations,
        };
        Ok(FirstFile { file: AOT_FILE.to_owned(), text: aot::create(&new, now)? })
    }
}

/// Tasks that a person named, as INIT plans them for `tool`.
#[must_use]
pub fn planned(tasks: &[String], tool: &str) -> Vec<PlannedTask> {
    let planned = |(index, description): (usize, &String)| PlannedTask {
        id: STEPS.task_id.id(index + 1),
        description: description.trim().to_owned(),
        tool: tool.to_owned(),
        mode: TASKS.first_mode.to_owned(),
        priority: 2,
        files: Vec::new(),
    };
    tasks.iter().enumerate().map(planned).collect()
}

/// Where new CCW loops go (the CCW contract §1.2).
const CCW_ROOT: &str = ".workflow/.loop";
/// Where the one AoT loop of a workspace lies (AoT contract §1).
pub const AOT_FILE: &str = ".claude/aot-loop-state.md";

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
    use crate::aot::{Check, CheckKind};

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
        }
    }

    #[test]
    fn the_recipe_chooses_the_format_and_where_the_file_goes() {
        let file = |recipe| work(recipe, "Mend it").first_file(0, 7).expect("valid").file;
        assert_eq!(file(Recipe::FixBug), ".workflow/.loop/loop-v2-19700101T000000-00000007.json");
        assert_eq!(file(Recipe::Checklist), ".claude/aot-loop-state.md");
        let b = NewWork { format: Some(NewFormat::LoopB), ..work(Recipe::FixBug, "x") };
        let file = b.first_file(0, 7).expect("valid");
        assert!(file.file.starts_with(".workflow/.loop/loop-b-"), "{}", file.file);
        assert!(file.text.contains("\"paused\""), "waits until its agent is started");
    }

    #[test]
    fn the_title_is_the_first_line_cut_at_a_word() {
        assert_eq!(work(Recipe::FixBug, "  Mend it\nnow ").written_title(), "Mend it");
        let long = "word ".repeat(40);
        let title = work(Recipe::FixBug, &long).written_title();
        assert!(title.ends_with("word…") && title.chars().count() <= 100, "{title}");
        let unbroken = work(Recipe::FixBug, &"字".repeat(300)).written_title();
        assert_eq!(unbroken.chars().count(), 100);
        assert!(work(Recipe::FixBug, &"字".repeat(300)).first_file(0, 1).is_ok());
    }

    #[test]
    fn a_mistake_is_named() {
        let field = |work: NewWork| work.first_file(0, 1).expect_err("refused").args["field"].clone();
        assert_eq!(field(work(Recipe::FixBug, " \n")), "goal");
        for recipe in [Recipe::FixBug, Recipe::Checklist] {
            assert_eq!(field(work(recipe, &"字".repeat(MAX_GOAL + 1))), "goal");
        }
        let longest = format!(" {}\n", "字".repeat(MAX_GOAL));
        assert!(work(Recipe::FixBug, &longest).first_file(0, 1).is_ok(), "blanks around it count nothing");
        assert_eq!(
            field(NewWork { tasks: vec!["a".into(), " ".into()], ..work(Recipe::FixBug, "x") }),
            "tasks"
        );
        assert_eq!(field(NewWork { max_iterations: Some(0), ..work(Recipe::FixBug, "x") }), "max_iterations");
        assert_eq!(field(NewWork { base_case: None, ..work(Recipe::Checklist, "x") }), "base_case");
        assert_eq!(
            field(NewWork { title: "x".into(), tasks: vec!["a".into(); 21], ..work(Recipe::FixBug, "x") }),
            "tasks"
        );
    }
}
