//! The person's home in these pictures: the installed agents, and the folders that loops work in.

use crate::look::Amount;
use loopdeck_agents::AgentId;
use loopdeck_agents::table::agent;
use loopdeck_runtime::drivers::rows::CustomAgentForm;
use loopdeck_tests::programs::write_program;
use loopdeck_tests::scripted::Scripted;
use loopdeck_tests::tiny_project;
use loopdeck_tests::window::Stage;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The custom agents of a typical home: id, name, output.
const OWN: [(&str, &str, &str); 2] =
    [("house", "House agent", "text"), ("night-shift", "Night shift (internal gateway)", "claude-jsonl")];
/// How many more there are in an extreme one.
const MANY: usize = 24;

/// The home folder of one stage.
pub(crate) struct Home {
    folder: PathBuf,
    agent: PathBuf,
}

impl Home {
    /// Installs the agents for this amount: none at all, or Claude Code, a broken Codex and an old Qwen Code.
    pub(crate) fn furnish(stage: &Stage, amount: Amount) -> Self {
        let folder = stage.folder().canonicalize().expect("a home");
        let bin = folder.join(".local/bin");
        fs::create_dir_all(&bin).expect("a folder for programs");
        let beside = std::env::current_exe().expect("our own path").with_file_name("scripted_agent");
        assert!(beside.is_file(), "{} is not built", beside.display());
        let own = bin.join("house-agent");
        if amount != Amount::Small {
            symlink(&beside, &own).expect("a program");
            symlink(&beside, bin.join("claude")).expect("a program");
            program(
                &bin.join("codex"),
                "echo 'Error: Cannot find module @openai/codex-linux-x64' >&2; exit 1",
            );
            program(&bin.join("qwen"), "echo 0.1.2");
            sign_in(&folder);
        }
        Self { folder, agent: own }
    }

    /// The app's environment, so that no agent of this machine is found.
    pub(crate) fn environment(&self) -> Vec<(&'static str, OsString)> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let without_agents = std::env::split_paths(&path).filter(|folder| {
            AgentId::BUILT_IN.iter().filter_map(agent).all(|agent| !folder.join(agent.program).exists())
        });
        let all = [self.folder.join(".local/bin")].into_iter().chain(without_agents);
        vec![("PATH", std::env::join_paths(all).expect("a path")), ("SHELL", "/bin/sh".into())]
    }

    /// The custom agents.
    pub(crate) fn own_agents(&self, amount: Amount) -> Vec<CustomAgentForm> {
        if amount == Amount::Small {
            return Vec::new();
        }
        let more = (0..if amount == Amount::Extreme { MANY } else { 0 }).map(|n| {
            (format!("agent-{n}"), format!("{} {n}", crate::extreme::texts::text(n)), "text".to_owned())
        });
        let usual = OWN.map(|(id, name, output)| (id.to_owned(), name.to_owned(), output.to_owned()));
        usual.into_iter().chain(more).map(|(id, name, output)| self.own_agent(id, &name, output)).collect()
    }

    fn own_agent(&self, id: String, name: &str, output: String) -> CustomAgentForm {
        CustomAgentForm {
            id,
            name: name.chars().take(80).collect(),
            program: self.agent.to_string_lossy().into_owned(),
            args: vec!["run".into(), "--quiet".into()],
            output,
            look_only: Some(vec!["--read-only".into()]),
            edit_files: Some(vec!["--write".into()]),
            full_access: Some(vec!["--write".into(), "--execute".into()]),
            version: vec!["--version".into()],
            ..CustomAgentForm::default()
        }
    }

    /// A folder with the tiny project, under git, and an agent that follows `script`.
    pub(crate) fn project(&self, name: &str, script: &Scripted) -> PathBuf {
        let folder = self.folder.join(name);
        tiny_project::lay_out(&folder);
        fs::create_dir_all(folder.join(".workflow/.loop")).expect("a root");
        script.put_into(&folder);
        fs::write(folder.join(".gitignore"), ".scripted-agent*\n.workflow\n").expect("written");
        git(&folder, &["init", "--quiet", "--initial-branch=main"]);
        git(&folder, &["add", "."]);
        git(&folder, &["commit", "--quiet", "--message=Begin"]);
        folder
    }
}

fn program(file: &Path, body: &str) {
    write_program(file, &format!("#!/bin/sh\n{body}\n"));
}

/// A sign that Claude Code is signed in; nothing reads its content.
fn sign_in(home: &Path) {
    fs::create_dir_all(home.join(".claude")).expect("a folder");
    fs::write(home.join(".claude/.credentials.json"), "{}").expect("written");
}

fn git(folder: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=A person", "-c", "user.email=person@example.org"]).args(args);
    let done = command.env("HOME", folder).current_dir(folder).status().expect("git starts");
    assert!(done.success(), "git {args:?}");
}
