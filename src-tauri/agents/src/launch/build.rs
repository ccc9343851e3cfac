//! Command lines of built-in agents and of plain commands.

use super::{
    CommandLine, Launch, LaunchProblem, LaunchProblemCode, Session, Shell, Stdin, is_absolute, is_uuid,
    removed,
};
use crate::table::LaunchNote;
use crate::table::{Agent, Resume, Schema};
use crate::{Level, OutputKind, control, extra_args};

/// A plain command, passed to a shell as one argument.
pub(super) fn shell(launch: &Launch) -> Result<CommandLine, Vec<LaunchProblem>> {
    let mut problems = Vec::new();
    let command = launch.shell_command.as_deref().filter(|command| !command.trim().is_empty());
    if command.is_none() {
        problems.push(LaunchProblem::new(LaunchProblemCode::NoCommand, ""));
    }
    if launch.ask {
        problems.push(LaunchProblem::new(LaunchProblemCode::CannotAsk, ""));
    }
    if let Some(arg) = launch.extra_args.first() {
        problems.push(LaunchProblem::new(LaunchProblemCode::PositionalArgument, arg));
    }
    let Some(command) = command.filter(|_| problems.is_empty()) else { return Err(problems) };
    let (program, args): (_, &[&str]) = match launch.shell {
        Shell::Posix => ("/bin/sh", &["-c"]),
        Shell::Cmd => ("cmd.exe", &["/d", "/s", "/c"]),
        Shell::PowerShell => ("powershell.exe", &["-NoProfile", "-NonInteractive", "-Command"]),
    };
    let args = args.iter().copied().chain([command]).map(str::to_owned).collect();
    Ok(CommandLine {
        program: launch.program.clone().unwrap_or_else(|| program.to_owned()),
        args,
        stdin: Stdin::Null,
        env_add: Vec::new(),
        env_remove: removed(),
        output: OutputKind::Text,
        notes: vec![LaunchNote::RunsAsYou],
    })
}

/// Builds the command line of a built-in agent from its entry in the table.
pub(super) struct Builder<'a> {
    agent: &'static Agent,
    launch: &'a Launch,
    args: Vec<String>,
    env: Vec<(String, String)>,
    notes: Vec<LaunchNote>,
    problems: Vec<LaunchProblem>,
}

impl<'a> Builder<'a> {
    /// For one run.
    pub(super) fn new(agent: &'static Agent, launch: &'a Launch) -> Self {
        let (args, env, notes, problems) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { agent, launch, args, env, notes, problems }
    }

    /// The command line, or everything that is wrong with it.
    pub(super) fn build(mut self) -> Result<CommandLine, Vec<LaunchProblem>> {
        let (agent, launch) = (self.agent, self.launch);
        self.add(agent.base);
        self.add_env(agent.env);
        self.level();
        self.folders();
        if let Some(model) = &launch.model {
            self.pair(agent.model, model);
        }
        self.limits();
        self.schema();
        self.clean();
        self.problems.extend(extra_args::problems(agent, &launch.extra_args));
        self.new_session();
        self.args.extend_from_slice(&launch.extra_args);
        self.resume();
        self.add(agent.tail);
        self.notes.extend(agent.notes);
        let stdin = match launch.ask {
            true => Stdin::Stream(control::user_line(&launch.prompt)),
            false => Stdin::Text(launch.prompt.clone()),
        };
        if !self.problems.is_empty() {
            return Err(self.problems);
        }
        Ok(CommandLine {
            program: launch.program.clone().unwrap_or_else(|| agent.program.to_owned()),
            args: self.args,
            stdin,
            env_add: self.env,
            env_remove: removed(),
            output: agent.output,
            notes: self.notes,
        })
    }

    fn add(&mut self, args: &[&str]) {
        self.args.extend(args.iter().map(|arg| (*arg).to_owned()));
    }

    fn pair(&mut self, flag: &str, value: &str) {
        self.add(&[flag, value]);
    }

    fn add_env(&mut self, env: &[(&str, &str)]) {
        self.env.extend(env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    }

    fn refuse(&mut self, code: LaunchProblemCode, value: &str) {
        self.problems.push(LaunchProblem::new(code, value));
    }

    fn level(&mut self) {
        let (agent, launch) = (self.agent, self.launch);
        let level = agent.level(launch.level);
        self.notes.extend(level.notes);
        if launch.ask {
            let Some(asking) = agent.asking else {
                return self.refuse(LaunchProblemCode::CannotAsk, agent.name);
            };
            self.notes.push(LaunchNote::AsksFirst);
            self.add(asking.args);
            return self.add(asking.levels[launch.level as usize]);
        }
        match agent.full_as_root {
            Some(args) if launch.as_root && launch.level == Level::FullAccess => {
                self.notes.push(LaunchNote::RootToolList);
                self.add(args);
            }
            _ => {
                self.add(level.args);
                self.add_env(level.env);
            }
        }
    }

    fn folders(&mut self) {
        let (agent, launch) = (self.agent, self.launch);
        if let Some(flag) = agent.folder {
            self.pair(flag, &launch.folder);
        }
        for folder in &launch.extra_folders {
            self.pair(agent.extra_folder, folder);
        }
    }

    fn limits(&mut self) {
        let (agent, launch) = (self.agent, self.launch);
        if let Some(turns) = launch.max_turns {
            match agent.max_turns {
                Some(flag) => self.pair(flag, &turns.to_string()),
                None => self.notes.push(LaunchNote::TurnsByApp),
            }
        }
        if let Some(budget) = launch.budget_usd {
            match agent.max_money {
                Some(flag) => self.pair(flag, &budget.to_string()),
                None => self.notes.push(LaunchNote::MoneyByApp),
            }
        }
    }

    fn schema(&mut self) {
        let Some(schema) = &self.launch.answer_schema else { return };
        match (self.agent.schema, &self.launch.schema_file) {
            (Schema::Text(flag), _) => self.pair(flag, schema),
            (Schema::File(flag), Some(file)) if is_absolute(file) => self.pair(flag, file),
            (Schema::File(flag), _) => self.refuse(LaunchProblemCode::FileMissing, flag),
            (Schema::Prompt, _) => self.notes.push(LaunchNote::SchemaByPrompt),
        }
    }

    fn clean(&mut self) {
        match self.agent.clean.filter(|_| self.launch.clean) {
            Some(args) => self.add(args),
            None if self.launch.clean => self.notes.push(LaunchNote::CleanNotPossible),
            None => self.notes.push(LaunchNote::InheritsConfig),
        }
        if self.launch.without_hooks && !self.launch.clean {
            self.add(self.agent.without_hooks.unwrap_or_default());
        }
    }

    fn new_session(&mut self) {
        let agent = self.agent;
        match &self.launch.session {
            Session::New(id) if !is_uuid(id) => self.refuse(LaunchProblemCode::BadSession, id),
            Session::New(id) => match agent.new_session {
                Some(flag) => self.pair(flag, id),
                None => self.notes.push(LaunchNote::SessionByAgent),
            },
            Session::None => match agent.no_session {
                Some(args) => self.add(args),
                None => self.notes.push(LaunchNote::SessionStored),
            },
            Session::Resume(_) => {}
        }
    }

    fn resume(&mut self) {
        let Session::Resume(id) = &self.launch.session else { return };
        if !is_uuid(id) {
            return self.refuse(LaunchProblemCode::BadSession, id);
        }
        match self.agent.resume {
            Resume::Flag(word) | Resume::Word(word) => self.pair(word, id),
        }
    }
}
