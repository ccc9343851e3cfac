//! Reading a command's arguments, and its help.

use std::ffi::OsStr;
use std::path::PathBuf;

use lexopt::prelude::{Long, Short, Value, ValueExt as _};
use loopdeck_core::control::Verb;

use super::{Command, TASKS, Task};
use crate::args::Request;

/// Reads what follows the command `word`; `data_dir` is what stood before it.
pub(crate) fn parse(
    word: &OsStr,
    parser: &mut lexopt::Parser,
    data_dir: Option<PathBuf>,
) -> Result<Request, lexopt::Error> {
    let Some((name, mut task)) = TASKS.into_iter().find(|(name, _)| word == *name) else {
        return Err(lexopt::Error::UnexpectedArgument(word.to_owned()));
    };
    let (mut dir, mut id, mut json, mut data_dir) = (None, None, false, data_dir);
    while let Some(arg) = parser.next()? {
        match arg {
            Long("help") | Short('h') => return Ok(Request::Print(help(name, &task))),
            Long("json") => json = true,
            Long("data-dir") => data_dir = Some(parser.value()?.into()),
            Long("raise-limit") if raises(&task) => set_limit(&mut task, parser.value()?.parse()?),
            Long("reason") if is_stop(&task) => set_reason(&mut task, parser.value()?.string()?),
            Value(value) if dir.is_none() => dir = Some(PathBuf::from(value)),
            Value(value) if id.is_none() && task != Task::List => id = Some(value.string()?),
            other => return Err(other.unexpected()),
        }
    }
    let dir = dir.ok_or_else(|| missing(name, "DIR"))?;
    if id.is_none() && !matches!(task, Task::List | Task::Check) {
        return Err(missing(name, "ID"));
    }
    Ok(Request::Headless(Command { task, dir, id, json, data_dir }))
}

fn missing(name: &str, what: &str) -> lexopt::Error {
    lexopt::Error::Custom(format!("{name} needs {what}; see 'loopdeck {name} --help'").into())
}

fn raises(task: &Task) -> bool {
    matches!(task, Task::Act(Verb::Resume | Verb::Reopen, _))
}

fn is_stop(task: &Task) -> bool {
    matches!(task, Task::Act(Verb::Stop, _))
}

fn set_limit(task: &mut Task, limit: u32) {
    if let Task::Act(_, options) = task {
        options.raise_limit_to = Some(limit);
    }
}

fn set_reason(task: &mut Task, reason: String) {
    if let Task::Act(_, options) = task {
        options.reason = Some(reason);
    }
}

fn help(name: &str, task: &Task) -> String {
    let own = match task {
        Task::List => include_str!("../../words/help/list.txt"),
        Task::Show => include_str!("../../words/help/show.txt"),
        Task::Check => include_str!("../../words/help/check.txt"),
        Task::Act(verb, _) => return act_help(name, *verb),
    };
    format!("{own}\n{}", include_str!("../../words/help/common.txt").trim_end())
}

fn act_help(name: &str, verb: Verb) -> String {
    let (what, option) = match verb {
        Verb::Start => (include_str!("../../words/help/start.txt"), ""),
        Verb::Resume => {
            (include_str!("../../words/help/resume.txt"), include_str!("../../words/help/raise-limit.txt"))
        }
        Verb::Stop => {
            (include_str!("../../words/help/stop.txt"), include_str!("../../words/help/reason.txt"))
        }
        Verb::Reopen => {
            (include_str!("../../words/help/reopen.txt"), include_str!("../../words/help/raise-limit.txt"))
        }
        Verb::Finalise => (include_str!("../../words/help/finalise.txt"), ""),
        Verb::Pause | Verb::EditMetadata | Verb::Delete => (include_str!("../../words/help/pause.txt"), ""),
    };
    let own =
        include_str!("../../words/help/act.txt").replace("{verb}", name).replace("{what}", what.trim_end());
    format!("{own}\n{}{option}", include_str!("../../words/help/common.txt")).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn parse_words(words: &[&str]) -> Result<Request, String> {
        crate::args::parse(words.iter().map(OsString::from))
    }

    #[test]
    fn options_belong_to_their_verbs() {
        let Ok(Request::Headless(command)) = parse_words(&["resume", "d", "x", "--raise-limit=12", "--json"])
        else {
            panic!("no command")
        };
        let Task::Act(Verb::Resume, options) = &command.task else { panic!("{command:?}") };
        assert_eq!(
            (options.raise_limit_to, command.json, command.id.as_deref()),
            (Some(12), true, Some("x"))
        );
        for words in [
            &["pause", "d", "x", "--raise-limit", "12"][..],
            &["resume", "d", "x", "--raise-limit", "many"],
            &["resume", "d", "x", "--reason", "r"],
            &["show", "d"],
            &["list"],
            &["list", "d", "x"],
            &["check", "d", "x", "y"],
        ] {
            assert!(parse_words(words).is_err(), "{words:?}");
        }
    }

    #[test]
    fn every_command_has_help() {
        for (name, _) in TASKS {
            let Ok(Request::Print(text)) = parse_words(&[name, "--help"]) else { panic!("{name}: no help") };
            for part in [&*format!("loopdeck {name} "), "DIR", "--json", "--data-dir", "Exit codes", "Keys"] {
                assert!(text.contains(part), "{name} lacks {part}:\n{text}");
            }
            assert!(!text.contains('{'), "{text}");
        }
    }
}
