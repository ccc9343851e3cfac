//! The doctor: every agent with its program, version and sign-in, what is wrong, and the command that mends it.

use super::environment::{environment, value};
use super::places::{self, Search};
use crate::brief::{Question, ask};
use crate::dirs::shown;
use crate::drivers::choices::Choices;
use crate::drivers::custom::{form_of, record_of};
use crate::drivers::rows::{AgentRow, AgentState};
use crate::stamp::Stamp;
use loopdeck_core::agent::custom::CustomAgent;
use loopdeck_core::agent::table::{self, Agent};
use loopdeck_core::agent::versions::{self, VersionVerdict};
use loopdeck_core::agent::{AgentId, Level, OutputKind};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(10);

/// What was found of programs, by version of the file: asked once.
#[derive(Debug, Default)]
pub struct Doctor {
    answers: Mutex<HashMap<PathBuf, (Stamp, String)>>,
}

impl Doctor {
    /// All agents, those that Loopdeck brings along first. `again`: programs are asked again.
    #[must_use]
    pub fn agents(&self, choices: &Choices, again: bool) -> Vec<AgentRow> {
        if again {
            self.answers.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
        let built_in =
            AgentId::BUILT_IN.iter().filter_map(table::agent).map(|agent| self.built_in(agent, choices));
        let own = choices.agents.iter().map(|form| self.custom(&record_of(form), choices));
        built_in.chain([shell()]).chain(own).collect()
    }

    fn built_in(&self, agent: &Agent, choices: &Choices) -> AgentRow {
        let id = agent.id.to_string();
        let search = find(&id, agent.program, choices);
        let mut row = row(&id, agent.name, &search);
        row.levels = Level::ALL.to_vec();
        row.asks = agent.asking.is_some();
        row.reports_cost = agent.max_money.is_some();
        row.reports_tokens = true;
        row.limits_turns = agent.max_turns.is_some();
        row.runs_commands = Level::ALL.into_iter().filter(|level| runs_commands(agent, *level)).collect();
        row.skill = has_skill(agent);
        let Some(program) = search.found.first() else {
            row.fix = Some(format!("npm install -g {}", agent.install.npm));
            return row;
        };
        match self.version(program, &versions::VERSION_ARGS) {
            Ok(said) => {
                row.state = match versions::judge(&agent.id, &said) {
                    Some(VersionVerdict::Known) | None => AgentState::Ready,
                    Some(VersionVerdict::Newer { .. }) => AgentState::Newer,
                    Some(VersionVerdict::TooOld { .. }) => AgentState::TooOld,
                    Some(VersionVerdict::Unreadable { .. }) => AgentState::Broken,
                };
                row.version = versions::parse(&said).map(|version| version.to_string()).or(first_line(&said));
            }
            Err(why) => (row.state, row.version) = (AgentState::Broken, Some(why)),
        }
        if matches!(row.state, AgentState::TooOld | AgentState::Broken) {
            row.fix = Some(format!("npm install -g {}@latest", agent.install.npm));
        }
        row.signed_in = signed_in(agent);
        if row.signed_in == Some(false) && row.fix.is_none() {
            row.fix = Some(agent.sign_in.command.join(" "));
        }
        row
    }

    fn custom(&self, agent: &CustomAgent, choices: &Choices) -> AgentRow {
        let id = AgentId::Custom { id: agent.id.clone() }.to_string();
        let search = find(&id, &agent.program, choices);
        let mut row = row(&id, &agent.name, &search);
        let levels = [&agent.look_only, &agent.edit_files, &agent.full_access];
        row.levels = Level::ALL
            .into_iter()
            .zip(levels)
            .filter(|(_, args)| args.is_some())
            .map(|(level, _)| level)
            .collect();
        row.runs_commands.clone_from(&row.levels); // nobody can tell: the person wrote its arguments
        row.reports_cost = agent.output == OutputKind::ClaudeJsonl;
        row.reports_tokens = agent.output != OutputKind::Text;
        row.custom = Some(form_of(agent));
        if let Some(program) = search.found.first() {
            row.state = AgentState::Ready;
            let args: Vec<&str> = agent.version_args.iter().map(String::as_str).collect();
            if !args.is_empty() {
                match self.version(program, &args) {
                    Ok(said) => row.version = first_line(&said),
                    Err(why) => (row.state, row.version) = (AgentState::Broken, Some(why)),
                }
            }
        }
        row
    }

    /// What the program answers when asked for its version, or why it does not.
    fn version(&self, program: &Path, args: &[&str]) -> Result<String, String> {
        let stamp = Stamp::at(program).map_err(|error| error.to_string())?;
        let known = self.answers.lock().unwrap_or_else(PoisonError::into_inner).get(program).cloned();
        if let Some((_, said)) = known.filter(|(then, _)| *then == stamp) {
            return Ok(said);
        }
        let question = Question {
            program,
            args: args.iter().map(OsStr::new).collect(),
            folder: None,
            environment: Some(environment()),
            also: &[],
            limit: LIMIT,
        };
        let answer = ask(&question).map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&answer.stdout).into_owned();
        if answer.code != Some(0) {
            let why = String::from_utf8_lossy(&answer.stderr);
            return Err(first_line(&why).or(first_line(&said)).unwrap_or_else(|| "?".to_owned()));
        }
        self.answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(program.to_owned(), (stamp, said.clone()));
        Ok(said)
    }
}

/// The program of an agent: the person's choice, or the first one found.
#[must_use]
pub fn find(id: &str, program: &str, choices: &Choices) -> Search {
    match choices.programs.get(id) {
        Some(chosen) => places::search(&chosen.to_string_lossy(), environment()),
        None => places::search(program, environment()),
    }
}

fn row(id: &str, name: &str, search: &Search) -> AgentRow {
    AgentRow {
        id: id.to_owned(),
        name: name.to_owned(),
        program: search.found.first().map(|path| shown(path)),
        found: search.found.iter().map(|path| shown(path)).collect(),
        looked: search.looked.iter().map(|path| shown(path)).collect(),
        version: None,
        state: AgentState::Missing,
        signed_in: None,
        fix: None,
        levels: Vec::new(),
        asks: false,
        reports_cost: false,
        reports_tokens: false,
        limits_turns: false,
        runs_commands: Vec::new(),
        skill: false,
        custom: None,
    }
}

/// The plain shell: always there, without levels.
fn shell() -> AgentRow {
    let search = places::search(if cfg!(windows) { "cmd" } else { "/bin/sh" }, environment());
    let mut row = row("shell", "Shell", &search);
    row.state = if search.found.is_empty() { AgentState::Missing } else { AgentState::Ready };
    row.levels = vec![Level::FullAccess];
    row.runs_commands = vec![Level::FullAccess];
    row
}

/// Whether an agent can run commands, and so tests, at a level.
pub(crate) fn runs_commands(agent: &Agent, level: Level) -> bool {
    use loopdeck_core::agent::launch::LaunchNote;
    level != Level::LookOnly && !agent.level(level).notes.contains(&LaunchNote::NoCommands)
}

fn signed_in(agent: &Agent) -> Option<bool> {
    let environment = environment();
    let is_set = |name: &&str| value(environment, name).is_some_and(|value| !value.is_empty());
    if agent.sign_in.env.iter().any(is_set) {
        return Some(true);
    }
    let folder = own_folder(agent)?;
    if agent.sign_in.files.iter().any(|file| folder.join(file).is_file()) {
        return Some(true);
    }
    let hidden = agent.sign_in.keychain && cfg!(target_os = "macos");
    (!hidden && !has_own_provider(agent, &folder)).then_some(false)
}

/// A provider of the person's own has a key of its own: whether it is there, nobody but a request can tell.
fn has_own_provider(agent: &Agent, folder: &Path) -> bool {
    if agent.id != AgentId::Codex {
        return false;
    }
    let config = std::fs::read_to_string(folder.join("config.toml")).unwrap_or_default();
    config.lines().any(|line| line.trim_start().starts_with("model_provider"))
}

fn own_folder(agent: &Agent) -> Option<PathBuf> {
    let environment = environment();
    let named = value(environment, agent.sign_in.folder_env).map(PathBuf::from);
    match named {
        Some(named) if agent.sign_in.folder_env_is_home => Some(named.join(agent.sign_in.folder)),
        Some(named) => Some(named),
        None => {
            let home = value(environment, "HOME").map(PathBuf::from).or_else(std::env::home_dir)?;
            Some(home.join(agent.sign_in.folder))
        }
    }
}

/// Whether the CCW skill is installed for the person.
fn has_skill(agent: &Agent) -> bool {
    let Some(folder) = own_folder(agent) else { return false };
    ["skills/ccw-loop/SKILL.md", "commands/ccw-loop.md", "prompts/ccw-loop.md"]
        .iter()
        .any(|file| folder.join(file).is_file())
}

fn first_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().take(200).collect())
}
