//! Command lines: from what the person chose and what the driver wants to what is really started.

use crate::agents::doctor;
use crate::agents::environment::environment;
use crate::preferences::choices::Choices;
use crate::preferences::custom::record_of;
use crate::preferences::plan::{Driver, RunPlan};
use crate::run::Run;
use crate::runs::{IfAppEnds, Limits, LoopKey, RunSpec, StdinKind, StopHow};
use loopdeck_agents::custom::CustomAgent;
use loopdeck_agents::launch::{CommandLine, Launch, LaunchProblem, Session, Stdin, command_line};
use loopdeck_agents::{AgentId, Level, OutputKind, control, table};
use loopdeck_core::control::{Intent, Situation, Verb};
use loopdeck_core::driver::AgentTask;
use loopdeck_core::format::Format;
use loopdeck_core::loops;
use loopdeck_core::skill_prompt::{
    SkillFlavour, SkillRun, custom_skill_prompt, plain_skill_prompt, skill_prompt,
};
use loopdeck_core::start::WorkMode;
use loopdeck_core::status::FileStatus;
use loopdeck_core::summary::Summary;
use loopdeck_system::clock;
use loopdeck_system::dirs;
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::platform::{SHELL, is_root, private_folder, shell_command};
use loopdeck_system::words::to_word;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An agent as it can be used: found, with its display name.
#[derive(Clone, Debug)]
pub struct UsableAgent {
    /// Which.
    pub id: AgentId,
    /// Display name.
    pub name: String,
    /// Its program.
    pub program: PathBuf,
    /// Agents of the person's own.
    pub custom: Vec<CustomAgent>,
}

/// The agent that a plan names so.
///
/// # Errors
/// `NoAgent` when there is none of this name, or its program is not found.
pub fn usable_agent(named: &str, choices: &Choices) -> Result<UsableAgent, Failure> {
    let custom: Vec<CustomAgent> = choices.agents.iter().map(record_of).collect();
    let missing = |name: &str| Failure::new(FailureKind::NoAgent).with("agent", name);
    let id = AgentId::parse(named).ok_or_else(|| missing(named))?;
    let (name, program) = match (&id, table::agent(&id)) {
        (_, Some(agent)) => (agent.name.to_owned(), agent.program.to_owned()),
        (AgentId::Custom { id }, _) => {
            let agent = custom.iter().find(|agent| agent.id == *id).ok_or_else(|| missing(id))?;
            (agent.name.clone(), agent.program.clone())
        }
        _ => ("Shell".to_owned(), SHELL.to_owned()),
    };
    let found = doctor::find(named, &program, choices).found;
    let program = found.into_iter().next().ok_or_else(|| missing(&name))?;
    Ok(UsableAgent { id, name, program, custom })
}

/// What an agent run is for.
pub struct Wanted<'a> {
    /// How the loop is run.
    pub plan: &'a RunPlan,
    /// The agent that is started.
    pub agent: &'a UsableAgent,
    /// Its instructions.
    pub prompt: &'a str,
    /// JSON schema of the answer, when one is wanted.
    pub schema: Option<&'a str>,
    /// For agents that read no prompt.
    pub variables: Vec<(String, String)>,
    /// Where it works.
    pub folder: &'a Path,
    /// Where schema and prompt files are put.
    pub run_dir: &'a Path,
    /// Id of the run.
    pub run: &'a str,
    /// The conversation it starts or continues.
    pub session: Session,
    /// Money that may still be spent.
    pub money: Option<f64>,
    /// Hooks are switched off: the run is one of an AoT loop of ours.
    pub without_hooks: bool,
}

impl Wanted<'_> {
    /// The command line, without anything being written.
    ///
    /// # Errors
    /// The first of everything that is wrong with it: [`Wanted::refused`].
    pub fn line(&self) -> Result<CommandLine, Vec<LaunchProblem>> {
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let launch = Launch {
            agent: self.agent.id.clone(),
            program: Some(text(self.agent.program.clone())),
            level: self.plan.level.unwrap_or(Level::LookOnly),
            ask: self.plan.ask,
            model: Some(self.plan.model.clone()).filter(|model| !model.trim().is_empty()),
            extra_args: self.plan.extra_args.clone(),
            session: self.session.clone(),
            max_turns: self.plan.turns,
            budget_usd: self.money,
            answer_schema: self.schema.map(str::to_owned),
            schema_file: self.schema.map(|_| text(self.run_dir.join(SCHEMA_FILE))),
            prompt_file: Some(text(self.run_dir.join(PROMPT_FILE))),
            clean: self.plan.clean,
            without_hooks: self.without_hooks,
            as_root: is_root(),
            shell_command: Some(self.plan.shell_command.clone()).filter(|text| !text.trim().is_empty()),
            ..Launch::new(self.agent.id.clone(), self.prompt, &self.folder.to_string_lossy())
        };
        command_line(&launch, &self.agent.custom)
    }

    /// `CannotStart` with what is wrong with the command line.
    pub fn failure_of(&self, problems: &[LaunchProblem]) -> Failure {
        let named = problems.iter().map(|problem| {
            let value = problem.value.as_deref().map(|value| format!(" {value}")).unwrap_or_default();
            format!("{}{value}", to_word(problem.code))
        });
        let reason = named.collect::<Vec<_>>().join(", ");
        let code = problems.first().map(|problem| to_word(problem.code)).unwrap_or_default();
        let failure = Failure::new(FailureKind::CannotStart).with("agent", &self.agent.name);
        failure.with("reason", reason).with("code", code)
    }

    /// What is started; its prompt and schema files are written.
    ///
    /// # Errors
    /// `CannotStart` with everything that is wrong with the command line; `OwnData` when a file cannot be written.
    pub fn spec(&self, about: LoopKey, wall: Option<Duration>) -> Result<(RunSpec, OutputKind), Failure> {
        let line = self.line().map_err(|problems| self.failure_of(&problems))?;
        private_folder(self.run_dir).map_err(Failure::own_data)?;
        if let Some(schema) = self.schema {
            std::fs::write(self.run_dir.join(SCHEMA_FILE), schema).map_err(Failure::own_data)?;
        }
        if line.args.iter().any(|arg| arg.ends_with(PROMPT_FILE)) {
            std::fs::write(self.run_dir.join(PROMPT_FILE), self.prompt).map_err(Failure::own_data)?;
        }
        let asks = matches!(line.stdin, Stdin::Stream(_));
        let argv = std::iter::once(line.program).chain(line.args).collect();
        let mut spec = RunSpec::new(argv, self.folder.to_owned());
        let mut added: BTreeMap<String, String> = line.env_add.into_iter().collect();
        added.extend(self.variables.iter().cloned());
        spec.environment = child_environment(&line.env_remove, &added);
        spec.plan.env_added = added.into_keys().collect();
        (spec.plan.stdin, spec.stdin_text) = match line.stdin {
            Stdin::Null => (StdinKind::Null, String::new()),
            Stdin::Text(text) => (StdinKind::Text, text),
            Stdin::Stream(text) => (StdinKind::Stream, text),
        };
        let ask = asks.then(|| control::interrupt_line(&format!("stop-{}", self.run)));
        let interrupt_first = matches!(self.agent.id, AgentId::Claude | AgentId::Codex);
        spec.plan.stop = StopHow { ask, interrupt_first };
        finish(&mut spec, self.run, about, wall);
        Ok((spec, line.output))
    }
}

const SCHEMA_FILE: &str = "answer-schema.json";
const PROMPT_FILE: &str = "prompt.md";

/// The test command of a workspace: a shell line of the person's.
pub(crate) fn tests_spec(
    command: &str,
    folder: &Path,
    run: &str,
    about: LoopKey,
    wall: Option<Duration>,
) -> RunSpec {
    let argv = shell_command(command);
    let mut spec = RunSpec::new(argv, folder.to_owned());
    // Tools that wait for a key, or colour what is to be read, do not under CI.
    let added = BTreeMap::from([("CI".to_owned(), "1".to_owned()), ("NO_COLOR".to_owned(), "1".to_owned())]);
    // Tests of an agent's own tools would take themselves for a part of the agent that Loopdeck was started from.
    spec.environment = child_environment(&table::ENV_REMOVED.map(str::to_owned), &added);
    spec.plan.env_added = added.into_keys().collect();
    finish(&mut spec, run, about, wall);
    spec
}

/// The own tool of a plan: `command` with its program as it was found. It is asked to stop as in a terminal.
pub(crate) fn own_tool_spec(
    command: &[String],
    program: &Path,
    folder: &Path,
    run: &str,
    about: LoopKey,
) -> RunSpec {
    let program = program.to_string_lossy().into_owned();
    let argv = std::iter::once(program).chain(command.iter().skip(1).cloned()).collect();
    let mut spec = RunSpec::new(argv, folder.to_owned());
    let added = BTreeMap::from([("NO_COLOR".to_owned(), "1".to_owned())]);
    // An agent that the tool starts would take itself for a part of the one that Loopdeck was started from.
    spec.environment = child_environment(&table::ENV_REMOVED.map(str::to_owned), &added);
    spec.plan.env_added = added.into_keys().collect();
    spec.plan.stop = StopHow { ask: None, interrupt_first: true };
    finish(&mut spec, run, about, None);
    spec
}

fn finish(spec: &mut RunSpec, run: &str, about: LoopKey, wall: Option<Duration>) {
    spec.plan.id = run.to_owned();
    spec.plan.loop_key = about;
    spec.plan.limits =
        Limits { wall_ms: wall.map(|wall| u64::try_from(wall.as_millis()).unwrap_or(u64::MAX)) };
    spec.plan.if_app_ends = IfAppEnds::Keep;
}

fn child_environment(removed: &[String], added: &BTreeMap<String, String>) -> Vec<(OsString, OsString)> {
    let kept = inherited_variables(removed, added).cloned();
    kept.chain(added.iter().map(|(name, value)| (name.into(), value.into()))).collect()
}

/// What is passed on as it is.
pub fn inherited_variables<'a>(
    removed: &'a [String],
    added: &'a BTreeMap<String, String>,
) -> impl Iterator<Item = &'static (OsString, OsString)> + 'a {
    environment().iter().filter(|(name, _)| {
        !name.to_str().is_some_and(|name| removed.iter().any(|r| r == name) || added.contains_key(name))
    })
}

/// The prompt of a skill that runs the loop without Loopdeck's steps.
///
/// # Errors
/// `BadForm` when the person's own command names no loop.
pub fn skill_words(plan: &RunPlan, agent: &AgentId, loop_: &SkillLoop<'_>) -> Result<String, Failure> {
    let mode = loop_.mode.unwrap_or(WorkMode::Auto);
    let run = SkillRun { format: loop_.format, id: loop_.stem, mode, file: loop_.file };
    match &plan.driver {
        Driver::Skill { command } if !command.trim().is_empty() => custom_skill_prompt(command, &run)
            .map_err(|_| Failure::new(FailureKind::BadForm).with("field", "skill_command")),
        // No other agent has the plugin, and plain words for what it does would be another driver.
        _ if loop_.format.traits().has_plugin && *agent != AgentId::Claude => {
            Err(Failure::new(FailureKind::BadForm).with("field", "skill_command"))
        }
        _ => Ok(match agent {
            AgentId::Codex => skill_prompt(SkillFlavour::Codex, &run),
            AgentId::Claude => skill_prompt(SkillFlavour::Claude, &run),
            _ => plain_skill_prompt(&run),
        }),
    }
}

/// The loop that a skill is to drive.
pub struct SkillLoop<'a> {
    /// Its format.
    pub format: Format,
    /// Its identity.
    pub stem: &'a str,
    /// Its state file, below the workspace.
    pub file: &'a str,
    /// The mode that it is given.
    pub mode: Option<WorkMode>,
}

/// Variables for agents that cannot read a prompt.
pub fn variables(task: &AgentTask, agent: &AgentId) -> Vec<(String, String)> {
    match agent {
        AgentId::Shell | AgentId::Custom { .. } => task.environment(),
        _ => Vec::new(),
    }
}

/// First start, resume or reopen, whichever is legal now.
pub fn starting_intent(summary: &Summary, situation: &Situation, raise_limit_to: Option<u32>) -> Intent {
    match summary.status {
        FileStatus::NotStarted => Intent::Start,
        FileStatus::Completed | FileStatus::Failed | FileStatus::StoppedByUser | FileStatus::UserExit
            if loops::refuse(summary, Verb::Resume, situation).is_some() =>
        {
            Intent::Reopen { raise_limit_to }
        }
        _ => Intent::Resume { raise_limit_to },
    }
}

/// The row of a run that is about to start.
pub(crate) fn row_of(spec: &RunSpec) -> Run {
    Run {
        id: spec.plan.id.clone(),
        started: clock::now(),
        iteration: 1,
        argv: spec.plan.argv.clone(),
        folder: dirs::shown(&spec.plan.cwd),
        environment: spec.plan.env_added.clone(),
        ..Run::default()
    }
}
