//! The command line of a custom agent.

use super::{CommandLine, Launch, LaunchProblem, LaunchProblemCode, Session, Stdin, is_session, removed};
use crate::custom::{CustomAgent, PromptBy, is_placeholder};
use crate::table::LaunchNote;
use crate::{Level, OutputKind};

/// The command line of a run; [`super::command_line`] checks the launch itself.
pub(super) fn command_line(agent: &CustomAgent, launch: &Launch) -> Result<CommandLine, Vec<LaunchProblem>> {
    let mut filled = Filled { launch, args: Vec::new(), problems: Vec::new() };
    if launch.ask {
        filled.refuse(LaunchProblemCode::CannotAsk, &agent.name);
    }
    filled.add(&agent.args);
    match agent.level(launch.level) {
        Some(args) => filled.add(args),
        None => filled.refuse(LaunchProblemCode::LevelNotDefined, &agent.name),
    }
    if let Session::Resume(id) = &launch.session {
        match &agent.resume {
            Some(args) if is_session(id) => filled.add(args),
            Some(_) => filled.refuse(LaunchProblemCode::BadSession, id),
            None => filled.refuse(LaunchProblemCode::CannotResume, &agent.name),
        }
    }
    filled.args.extend_from_slice(&launch.extra_args);
    let stdin = match (agent.prompt, &launch.prompt_file) {
        (PromptBy::Stdin, _) => Stdin::Text(launch.prompt.clone()),
        (PromptBy::File, _) => Stdin::Null,
    };
    if !filled.problems.is_empty() {
        return Err(filled.problems);
    }
    Ok(CommandLine {
        program: launch.program.clone().unwrap_or_else(|| agent.program.clone()),
        args: filled.args,
        stdin,
        env_add: agent.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        env_remove: removed(),
        output: agent.output,
        notes: notes(agent, launch),
    })
}

fn notes(agent: &CustomAgent, launch: &Launch) -> Vec<LaunchNote> {
    let full = launch.level == Level::FullAccess;
    let new = matches!(launch.session, Session::New(_)) && !agent.args.iter().any(|arg| arg == "{session}");
    let notes = [
        (full, LaunchNote::NotConfined),
        (true, LaunchNote::InheritsConfig),
        (launch.clean, LaunchNote::CleanNotPossible),
        (new, LaunchNote::SessionByAgent),
        (launch.max_turns.is_some(), LaunchNote::TurnsByApp),
        (launch.budget_usd.is_some(), LaunchNote::MoneyByApp),
        (launch.answer_schema.is_some(), LaunchNote::SchemaByPrompt),
        (matches!(agent.output, OutputKind::Text | OutputKind::CodexJsonl), LaunchNote::DenialsNotReported),
    ];
    notes.into_iter().filter_map(|(holds, note)| holds.then_some(note)).collect()
}

struct Filled<'a> {
    launch: &'a Launch,
    args: Vec<String>,
    problems: Vec<LaunchProblem>,
}

impl Filled<'_> {
    fn refuse(&mut self, code: LaunchProblemCode, value: &str) {
        self.problems.push(LaunchProblem::new(code, value));
    }

    fn add(&mut self, args: &[String]) {
        let launch = self.launch;
        let session = match &launch.session {
            Session::New(id) | Session::Resume(id) => Some(id).filter(|id| is_session(id)),
            Session::None => None,
        };
        for arg in args {
            let value = match arg.as_str() {
                "{model}" => launch.model.as_ref(),
                "{session}" => session,
                "{dir}" => Some(&launch.folder),
                "{prompt_file}" => launch.prompt_file.as_ref(),
                _ => Some(arg).filter(|arg| !is_placeholder(arg)),
            };
            match value {
                Some(value) => self.args.push(value.clone()),
                None => self.refuse(LaunchProblemCode::EmptyPlaceholder, arg),
            }
        }
    }
}
