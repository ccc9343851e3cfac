//! A test in its own process, with exactly the environment of a stage.
//!
//! Loopdeck passes its own environment, and that of the login shell, to the agents. To rule out that a
//! developer's account is used, the test restarts itself with only the stage's environment. There it runs
//! Loopdeck, while the model server and the final check for left-over processes stay outside.

use super::{Played, RealAgent, Stage, processes};
use crate::model_server::Script;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Names the stage for the process that runs on it, and marks all its descendants.
const STAGE: &str = "LOOPDECK_TEST_STAGE";
/// Next to the workspace: the model server has refused a request.
const REFUSED: &str = "refused";
/// Guardians end a moment after the app.
const SETTLING: Duration = Duration::from_secs(15);

/// A test's play, with its model.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The agent.
    pub agent: RealAgent,
    /// A second agent in the same loop.
    pub also: Option<RealAgent>,
    /// The test itself, by its name in `cargo test`.
    pub test: &'a str,
    /// The program that guards runs.
    pub guardian: &'a str,
    /// Path prefix of the model server: `""`, `/err`, `/r429`.
    pub prefix: &'static str,
    /// The agent's home is below the temporary folder, so Codex prints a warning first.
    pub home_is_temporary: bool,
}

impl Scene<'_> {
    /// Runs the play. Outside, it returns the stage with all requests to the model; inside, nothing.
    ///
    /// # Panics
    /// When the play fails, or leaves a process behind.
    pub fn play(
        &self,
        script: impl FnOnce(&Path) -> Script,
        play: impl FnOnce(&mut Played),
    ) -> Option<Stage> {
        if let Some(folder) = std::env::var_os(STAGE) {
            play(&mut Played::on(Path::new(&folder), self.agent, self.guardian));
            return None;
        }
        let mut stage = Stage::behind(self.agent, self.prefix, script);
        (stage.home_is_temporary, stage.also) = (self.home_is_temporary, self.also);
        let marker = format!("{STAGE}={}", stage.folder().display());
        let left = LeftOver(&marker);
        let output = std::thread::scope(|scope| {
            scope.spawn(|| tell_of_refusals(&stage));
            let output = self.again(&stage);
            stage.server.close(); // ends the thread
            output
        });
        assert!(output.0, "{}", output.1);
        let there = processes::still_with(&marker, SETTLING);
        assert!(there.is_empty(), "left behind: {there:?}\n{}", output.1);
        drop(left);
        Some(stage)
    }

    /// Runs this test again, on the stage: returns whether it passed, and its output.
    fn again(&self, stage: &Stage) -> (bool, String) {
        let mut command = Command::new(std::env::current_exe().expect("ours"));
        command.args([self.test, "--exact", "--include-ignored", "--nocapture", "--test-threads=1"]);
        command.env_clear().envs(stage.environment());
        command.env(STAGE, stage.folder()).env("LOOPDECK_REAL_AGENTS", stage.installed.folder());
        command.current_dir(stage.folder()).stdin(Stdio::null());
        let output = command.output().expect("starts");
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let text = text.join("\n");
        (output.status.success() && text.contains("1 passed"), text)
    }
}

/// Creates a file when a request is refused.
fn tell_of_refusals(stage: &Stage) {
    let refused = stage.server.wait_for(Duration::from_secs(3_600), |request| request.status >= 400);
    if refused.is_some() {
        std::fs::write(refusals(stage.folder()), "").expect("written");
    }
}

/// The file that shows that the model server has refused a request.
pub(super) fn refusals(stage: &Path) -> PathBuf {
    stage.join(REFUSED)
}

/// Cleans up the processes of a failed play.
struct LeftOver<'a>(&'a str);

impl Drop for LeftOver<'_> {
    fn drop(&mut self) {
        processes::kill(&processes::with(self.0));
    }
}
