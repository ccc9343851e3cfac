//! A test in a process of its own, whose whole environment is that of a stage.
//!
//! Loopdeck hands its own environment, and what the login shell adds, to the agents. So that a developer's account can never
//! be used, the test starts itself again with nothing but the stage's environment: there it plays Loopdeck, while the model
//! server and the last look at what is left stay outside.

use super::{Played, RealAgent, Stage, processes};
use crate::model_server::Script;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Names the stage to the process that plays on it, and marks everything that comes of it.
const STAGE: &str = "LOOPDECK_TEST_STAGE";
/// Beside the workspace: the model server has refused a request.
const REFUSED: &str = "refused";
/// Guardians end a moment after the app.
const SETTLING: Duration = Duration::from_secs(15);

/// What a test plays, and before which model.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Who acts.
    pub agent: RealAgent,
    /// Who else does, in the same loop.
    pub also: Option<RealAgent>,
    /// The test itself, as `cargo test` names it.
    pub test: &'a str,
    /// The program that guards runs.
    pub guardian: &'a str,
    /// Path prefix of the model server: `""`, `/err`, `/r429`.
    pub prefix: &'static str,
    /// The agent's home is below the temporary folder: Codex warns then, before anything else.
    pub home_is_temporary: bool,
}

impl Scene<'_> {
    /// Plays it. Outside it answers the stage with everything that the model was asked; inside nothing.
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

    /// This test once more, on the stage: whether it passed, and what it said.
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

/// A request that was refused is told by a file.
fn tell_of_refusals(stage: &Stage) {
    let refused = stage.server.wait_for(Duration::from_secs(3_600), |request| request.status >= 400);
    if refused.is_some() {
        std::fs::write(refusals(stage.folder()), "").expect("written");
    }
}

/// The file that says that the model server has refused a request.
pub(super) fn refusals(stage: &Path) -> PathBuf {
    stage.join(REFUSED)
}

/// A play that failed leaves nothing to the machine.
struct LeftOver<'a>(&'a str);

impl Drop for LeftOver<'_> {
    fn drop(&mut self) {
        processes::kill(&processes::with(self.0));
    }
}
