//! Tasks that a person names in the start form.

use crate::formats::ccw::progress_docs::records::PlannedTask;
use crate::formats::ccw_v2::create::initial::USUAL_PRIORITY;
use crate::formats::ccw_v2::forms::{STEPS, TASKS, takes_tool};
use serde::{Deserialize, Deserializer, Serialize};
use specta::Type;

/// A task that a person names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct NewTask {
    /// What to do; not blank.
    pub description: String,
    /// The agent that does it, by its task name; the plan's if blank.
    pub tool: String,
    /// `analysis`, `write`, `review`; `write` if blank.
    pub mode: String,
}

impl NewTask {
    /// Whether a form accepts it.
    #[must_use]
    pub fn is_good(&self) -> bool {
        let tool = self.tool.trim().is_empty() || takes_tool(self.tool.trim());
        let mode = self.mode.is_empty() || TASKS.modes.contains(&self.mode.as_str());
        !self.description.trim().is_empty() && tool && mode
    }
}

impl From<&str> for NewTask {
    fn from(description: &str) -> Self {
        Self { description: description.to_owned(), ..Self::default() }
    }
}

impl<'de> Deserialize<'de> for NewTask {
    /// A form kept by an earlier version has only a text for each task.
    fn deserialize<D: Deserializer<'de>>(kept: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Kept {
            Text(String),
            Task {
                description: String,
                #[serde(default)]
                tool: String,
                #[serde(default)]
                mode: String,
            },
        }
        Ok(match Kept::deserialize(kept)? {
            Kept::Text(description) => Self { description, ..Self::default() },
            Kept::Task { description, tool, mode } => Self { description, tool, mode },
        })
    }
}

/// A person's tasks, as INIT plans them; `tool` does those that name none.
#[must_use]
pub fn planned(tasks: &[NewTask], tool: &str) -> Vec<PlannedTask> {
    let or = |said: &str, otherwise: &str| {
        if said.trim().is_empty() { otherwise.to_owned() } else { said.trim().to_owned() }
    };
    let planned = |(index, task): (usize, &NewTask)| PlannedTask {
        id: STEPS.task_id.id(index + 1),
        description: task.description.trim().to_owned(),
        tool: or(&task.tool, tool),
        mode: or(&task.mode, TASKS.first_mode),
        priority: USUAL_PRIORITY,
        files: Vec::new(),
    };
    tasks.iter().enumerate().map(planned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_text_is_a_task_without_a_choice() {
        let kept = r#"["Write it",{"description":"Look at it","tool":"codex","mode":"analysis"}]"#;
        let tasks: Vec<NewTask> = serde_json::from_str(kept).unwrap();
        let chosen =
            NewTask { description: "Look at it".into(), tool: "codex".into(), mode: "analysis".into() };
        assert_eq!(tasks, ["Write it".into(), chosen]);
        let again: Vec<NewTask> = serde_json::from_str(&serde_json::to_string(&tasks).unwrap()).unwrap();
        assert_eq!(again, tasks);
        let ways: Vec<_> =
            planned(&tasks, "claude").into_iter().map(|task| (task.id, task.tool, task.mode)).collect();
        let way = |id: &str, tool: &str, mode: &str| (id.to_owned(), tool.to_owned(), mode.to_owned());
        assert_eq!(ways, [way("task-001", "claude", "write"), way("task-002", "codex", "analysis")]);
    }

    #[test]
    fn words_that_are_none_are_refused() {
        let task = |tool: &str, mode: &str| NewTask {
            description: "x".into(),
            tool: tool.into(),
            mode: mode.into(),
        };
        let table = [
            ("", "", true),
            ("custom:mine", "review", true),
            ("vim", "", false),
            ("bash", "write", true),
            ("a b", "", false),
            ("", "moon", false),
        ];
        for (tool, mode, good) in table {
            assert_eq!(task(tool, mode).is_good(), good, "{tool} {mode}");
        }
        assert!(!NewTask::from(" ").is_good());
    }
}
