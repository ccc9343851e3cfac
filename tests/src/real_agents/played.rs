//! Loopdeck with one real agent, as a person uses it: a trusted workspace with the tiny project.

use super::alone::refusals;
use super::{Installed, RealAgent, processes};
use crate::driving::Driven;
use crate::live::Live;
use crate::tiny_project;
use loopdeck_agents::Level;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::plan::StartForm;
use loopdeck_runtime::drivers::rows::{Need, NeedKind, OutputRow, RunView};
use loopdeck_runtime::runs::GuardianProgram;
use loopdeck_runtime::views::LoopRow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A whole loop takes six processes; the slowest agent needs ten seconds for each on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// Loopdeck, and its workspace.
pub struct Played {
    /// The runtime and its workspace.
    pub driven: Driven,
    /// The agent.
    pub agent: RealAgent,
    stage: PathBuf,
}

impl Played {
    pub(super) fn on(stage: &Path, agent: RealAgent, guardian: &str) -> Self {
        let installed = Installed::by_xtask();
        let program = GuardianProgram { program: guardian.into(), args: Vec::new() };
        let workspace = stage.join("workspace");
        let live =
            Live::inside(&workspace, |options| options.guardian = Some(program), tiny_project::lay_out);
        for known in RealAgent::ALL {
            let path = installed.program(known).to_string_lossy().into_owned();
            live.runtime.set_program(known.name(), Some(path)).expect("kept");
        }
        let driven = Driven { live };
        driven.live.runtime.trust(&driven.folder(), true).expect("trusted");
        Self { driven, agent, stage: stage.to_owned() }
    }

    /// A filled form for this agent, at the given level.
    pub fn form(&self, level: Level) -> StartForm {
        let mut form = self.driven.form(self.agent.name());
        form.plan.level = Some(level);
        if self.agent == RealAgent::Qwen {
            form.plan.extra_args = vec!["--auth-type".into(), "openai".into()];
        }
        form
    }

    /// Starts a loop and returns its name.
    pub fn start(&mut self, form: &StartForm) -> String {
        self.driven.start(form)
    }

    /// Waits until the row satisfies the condition.
    ///
    /// # Panics
    /// When it never does.
    pub fn wait(&mut self, name: &str, what: &str, holds: impl Fn(&LoopRow) -> bool) {
        let came = self.driven.live.waits(PATIENCE, |live| live.row(name).is_some_and(&holds));
        assert!(came, "never: {what}\n{}", self.driven.told(name));
    }

    /// Waits until the loop shows `word` and none of our processes works on it.
    ///
    /// # Panics
    /// When it never does, or a need comes up on the way.
    pub fn wait_for_word(&mut self, name: &str, word: StatusWord) {
        let at_rest = |row: &LoopRow| row.word == word && row.run.as_ref().is_none_or(|run| !run.alive);
        let asks = |row: &LoopRow| row.run.as_ref().is_some_and(|run| run.needs > 0);
        self.wait(name, &format!("{word:?} and at rest"), |row| at_rest(row) || asks(row));
        assert!(self.driven.live.row(name).is_some_and(at_rest), "not {word:?}\n{}", self.told(name));
    }

    /// Waits for a need of this kind.
    ///
    /// # Panics
    /// When another one comes up.
    pub fn wait_for_need(&mut self, name: &str, kind: NeedKind) -> Need {
        self.wait(name, &format!("needs {kind:?}"), |row| row.run.as_ref().is_some_and(|run| run.needs > 0));
        let key = self.driven.live.key(name);
        let needs = self.driven.live.runtime.needs().needs;
        let found = needs.into_iter().find(|need| need.key == key && need.kind == kind);
        found.unwrap_or_else(|| panic!("no {kind:?}\n{}", self.driven.told(name)))
    }

    /// Waits for a need of this kind that is not `last`.
    ///
    /// # Panics
    /// When none comes up.
    pub fn wait_for_another(&mut self, name: &str, kind: NeedKind, last: &str) -> Need {
        let key = self.driven.live.key(name);
        let mut found = None;
        let came = self.driven.live.waits(PATIENCE, |live| {
            let needs = live.runtime.needs().needs;
            found = needs.into_iter().find(|need| need.key == key && need.kind == kind && need.id != last);
            found.is_some()
        });
        assert!(came, "no other {kind:?}\n{}", self.driven.told(name));
        found.expect("it came")
    }

    /// Waits for a file, below the workspace.
    ///
    /// # Panics
    /// When it never comes.
    pub fn wait_for_file(&mut self, name: &str, file: &str) {
        self.wait_for_path(name, &self.driven.live.workspace.join(file));
    }

    /// Waits until the model server has refused a request.
    pub fn wait_for_refusal(&mut self, name: &str) {
        self.wait_for_path(name, &refusals(&self.stage));
    }

    fn wait_for_path(&mut self, name: &str, path: &Path) {
        let end = Instant::now() + PATIENCE;
        while !path.exists() {
            assert!(Instant::now() < end, "no {}\n{}", path.display(), self.driven.told(name));
            std::thread::sleep(Duration::from_millis(50)); // files send no notification
        }
    }

    /// Waits until the newest run of the loop shows a matching row.
    ///
    /// # Panics
    /// When it never does.
    pub fn wait_for_output(&mut self, name: &str, fits: impl Fn(&OutputRow) -> bool) {
        let key = self.driven.live.key(name);
        let came = self.driven.live.waits(PATIENCE, |live| {
            live.runtime.output(&key, None, 0, 1_000).is_ok_and(|page| page.rows.iter().any(&fits))
        });
        assert!(came, "no such row\n{}", self.told(name));
    }

    /// Runs of the loop, oldest first.
    pub fn runs(&self, name: &str) -> Vec<RunView> {
        let mut runs = self.driven.live.runtime.runs(&self.driven.live.key(name)).expect("runs");
        runs.reverse();
        runs
    }

    /// All rows of the output of a run.
    pub fn rows(&self, name: &str, run: &RunView) -> Vec<OutputRow> {
        let key = self.driven.live.key(name);
        self.driven.live.runtime.output(&key, Some(&run.id), 0, 1_000).expect("output").rows
    }

    /// Everything known, for a message.
    pub fn told(&self, name: &str) -> String {
        self.driven.told(name)
    }

    /// Checks that no process of any run of the loop is left.
    ///
    /// # Panics
    /// When one is.
    pub fn nothing_is_left(&self, name: &str) {
        for run in self.runs(name) {
            let left = processes::still_there(&run.id, Duration::from_secs(2));
            assert!(left.is_empty(), "{} left {left:?}\n{}", run.action, self.told(name));
        }
        let here = self.driven.processes();
        assert!(here.is_empty(), "{here:?} work in the workspace\n{}", self.told(name));
    }
}
