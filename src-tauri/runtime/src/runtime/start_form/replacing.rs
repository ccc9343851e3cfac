//! A new loop of which a folder can have one: what its gate asks for, and the loop whose place it takes (AoT contract §8, §13).

use super::StartForm;
use crate::Runtime;
use crate::files::Canonical as _;
use loopdeck_core::formats::aot::Missing;
use loopdeck_core::start::FirstFile;
use loopdeck_execution::rows::FormProblem;
use loopdeck_execution::rows::problem;
use loopdeck_system::failure::Failure;
use std::path::Path;

/// What the gate asks for; what the form itself says of the goal is not said twice.
pub(crate) fn gate_problems(form: &StartForm) -> Vec<FormProblem> {
    let is_said = |missing: &Missing| missing.field == "goal" && matches!(missing.code, "blank" | "too_long");
    let missing = form.work.missing().into_iter().filter(|missing| !is_said(missing));
    let said =
        |missing: Missing| FormProblem { args: missing.args, ..problem(&missing.field, missing.code, true) };
    missing.map(said).collect()
}

impl Runtime {
    /// The folder has a loop of this format already, and a folder can have one.
    pub(crate) fn there_is_another(&self, form: &StartForm) -> Option<FormProblem> {
        let folder = Path::new(&form.folder);
        let file = form.work.format().only_file().filter(|_| form.worktree.trim().is_empty())?;
        if !folder.join(file).exists() {
            return None;
        }
        if !form.replace {
            return Some(problem("replace", "aot_exists", true));
        }
        let is_live = folder
            .canonical()
            .is_ok_and(|folder| self.is_live(&format!("{}:{file}", loopdeck_system::dirs::id_of(&folder))));
        Some(if is_live {
            problem("replace", "aot_runs", true)
        } else {
            problem("replace", "aot_replaced", false)
        })
    }

    /// Puts the new loop in the place of the old one, whose bytes are kept.
    pub(crate) fn replace_with(&self, workspace: &str, file: FirstFile) -> Result<String, Failure> {
        self.rescan()?;
        let key = format!("{workspace}:{}", file.file);
        self.ask_replace(&key, file.text)?;
        Ok(file.file)
    }
}
