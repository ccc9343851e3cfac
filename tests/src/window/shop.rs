//! A workspace in which the scripted agent works, as seen from outside the window: files and processes.

use super::Stage;
use crate::driving::processes_in;
use crate::live::ROOT;
use crate::runs::{end_all, eventually, with_argument};
use crate::scripted::{IN_WORKSPACE, Scripted, Step};
use crate::tiny_project;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// The workspace. Processes in it end with it.
#[derive(Debug)]
pub struct Shop<'a> {
    /// Its path without links.
    pub folder: PathBuf,
    stage: &'a Stage,
}

impl<'a> Shop<'a> {
    /// A folder of this name on the stage, with the tiny project and a script for the agent.
    pub fn new(stage: &'a Stage, name: &str, script: &Scripted) -> Self {
        let folder = stage.folder().canonicalize().expect("the stage's folder").join(name);
        tiny_project::lay_out(&folder);
        fs::create_dir_all(folder.join(ROOT)).expect("a folder");
        script.put_into(&folder);
        Self { folder, stage }
    }

    /// Opens a gate that a step of the script waits for.
    pub fn open(&self, gate: &str) {
        fs::write(self.folder.join(gate), "").expect("a gate");
    }

    /// Waits until a step of the script has created this file.
    pub fn wait_for(&self, name: &str) {
        eventually(name, || self.folder.join(name).exists().then_some(()));
    }

    /// The state files.
    pub fn files(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(self.folder.join(ROOT)).expect("the folder of loops").flatten();
        let files = files.map(|entry| entry.path());
        files.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect()
    }

    /// The only state file, parsed.
    pub fn state(&self) -> Value {
        let files = self.files();
        let [file] = files.as_slice() else { panic!("not one: {files:?}") };
        serde_json::from_slice(&fs::read(file).expect("a state file")).expect("JSON")
    }

    /// Status words of the tasks.
    pub fn tasks(&self) -> Vec<String> {
        let state = self.state();
        let tasks = state["skill_state"]["develop"]["tasks"].as_array().cloned().unwrap_or_default();
        tasks.iter().map(|task| task["status"].as_str().unwrap_or_default().to_owned()).collect()
    }

    fn noted(&self) -> Vec<Value> {
        let notes = fs::read_to_string(self.folder.join(format!("{IN_WORKSPACE}.runs"))).unwrap_or_default();
        notes.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// Every start of the agent, as recorded by the agent: action and task.
    pub fn starts(&self) -> Vec<String> {
        let word = |value: &Value| value.as_str().map(|word| format!(" {word}")).unwrap_or_default();
        let starts = self.noted();
        starts
            .iter()
            .map(|start| (word(&start["action"]) + &word(&start["task"])).trim().to_owned())
            .collect()
    }

    /// Process id of the agent that was started last.
    pub fn agent(&self) -> u32 {
        let noted = self.noted();
        let pid = noted.last().and_then(|start| start["pid"].as_u64()).expect("a start");
        u32::try_from(pid).expect("a pid")
    }

    /// Processes that are working in it.
    pub fn processes(&self) -> Vec<u32> {
        processes_in(&self.folder)
    }

    /// Expects that nothing is working in it.
    pub fn is_quiet(&self) {
        assert_eq!(self.processes(), [0; 0], "{:?}", self.folder);
    }
}

impl Drop for Shop<'_> {
    fn drop(&mut self) {
        // Left-over processes of a failed test must not disturb the others.
        end_all(&self.stage.guardians());
        end_all(&self.processes());
    }
}

impl Stage {
    /// Guardians of runs.
    pub fn guardians(&self) -> Vec<u32> {
        let runs = self.data_dir().join("runs");
        let runs = runs.as_os_str().as_encoded_bytes();
        with_argument(|argument| argument.starts_with(runs))
    }

    /// The prompts of agents, in any order.
    pub fn prompts(&self) -> Vec<String> {
        let runs = fs::read_dir(self.data_dir().join("runs")).expect("runs").flatten();
        runs.filter_map(|run| fs::read_to_string(run.path().join("stdin.txt")).ok()).collect()
    }

    /// Kills the app like a crash, without a word to its runs.
    pub fn kill_app(&self) {
        let data_dir = self.data_dir();
        let is_app = |argument: &[u8]| argument == data_dir.as_os_str().as_encoded_bytes();
        let pids = with_argument(is_app);
        assert!(!pids.is_empty(), "the app is open");
        end_all(&pids);
        eventually("the end of the app", || (!self.is_open()).then_some(()));
    }
}

/// Creates an empty file.
#[must_use]
pub fn write(path: &str) -> Step {
    Step::Write { path: path.into(), text: String::new() }
}
