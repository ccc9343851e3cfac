//! Reading a command's arguments, and its help.

use std::ffi::OsStr;
use std::path::PathBuf;

use lexopt::prelude::{Long, Short, Value, ValueExt as _};
use loopdeck_core::control::Verb;
use loopdeck_runtime::rows::VerbOptions;

use super::{Command, Task};
use crate::args::Request;

/// What a command's word stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    List,
    Show,
    Check,
    Act(Verb),
}

/// Commands by the word a person types.
const COMMANDS: [(&str, Kind); 9] = [
    ("list", Kind::List),
    ("show", Kind::Show),
    ("check", Kind::Check),
    ("start", Kind::Act(Verb::Start)),
    ("pause", Kind::Act(Verb::Pause)),
    ("resume", Kind::Act(Verb::Resume)),
    ("stop", Kind::Act(Verb::Stop)),
    ("reopen", Kind::Act(Verb::Reopen)),
    ("finalise", Kind::Act(Verb::Finalise)),
];

impl Kind {
    /// `--raise-limit` means something.
    fn raises(self) -> bool {
        matches!(self, Kind::Act(Verb::Resume | Verb::Reopen))
    }

    /// `--reason` means something.
    fn has_reason(self) -> bool {
        self == Kind::Act(Verb::Stop)
    }

    /// The task on the loop `id`; none when it needs an id.
    fn task(self, id: Option<String>, options: VerbOptions) -> Option<Task> {
        match self {
            Kind::List => Some(Task::List),
            Kind::Show => id.map(|id| Task::Show { id }),
            Kind::Check => Some(Task::Check { id }),
            Kind::Act(verb) => id.map(|id| Task::Act { id, verb, options }),
        }
    }
}

/// Whether `word` is a command rather than a folder to open.
pub(crate) fn is_command(word: &OsStr) -> bool {
    COMMANDS.iter().any(|(name, _)| word == *name)
}

/// Reads what follows the command `word`; `data_dir` is what stood before it.
pub(crate) fn parse(
    word: &OsStr,
    parser: &mut lexopt::Parser,
    mut data_dir: Option<PathBuf>,
) -> Result<Request, lexopt::Error> {
    let Some((name, kind)) = COMMANDS.into_iter().find(|(name, _)| word == *name) else {
        return Err(lexopt::Error::UnexpectedArgument(word.to_owned()));
    };
    let (mut dir, mut id, mut json) = (None, None, false);
    let mut options = VerbOptions::default();
    while let Some(arg) = parser.next()? {
        match arg {
            Long("help") | Short('h') => return Ok(Request::Print(help(name, kind))),
            Long("json") => json = true,
            Long("data-dir") => data_dir = Some(parser.value()?.into()),
            Long("raise-limit") if kind.raises() => options.raise_limit_to = Some(parser.value()?.parse()?),
            Long("reason") if kind.has_reason() => options.reason = Some(parser.value()?.string()?),
            Value(value) if dir.is_none() => dir = Some(PathBuf::from(value)),
            Value(value) if id.is_none() && kind != Kind::List => id = Some(value.string()?),
            other => return Err(other.unexpected()),
        }
    }
    let dir = dir.ok_or_else(|| missing(name, "DIR"))?;
    let task = kind.task(id, options).ok_or_else(|| missing(name, "ID"))?;
    Ok(Request::Headless(Command { task, dir, json, data_dir }))
}

fn missing(name: &str, what: &str) -> lexopt::Error {
    lexopt::Error::Custom(format!("{name} needs {what}; see 'loopdeck {name} --help'").into())
}

const COMMON: &str = include_str!("../../words/help/common.txt");
const RAISE_LIMIT: &str = include_str!("../../words/help/raise-limit.txt");
const REASON: &str = include_str!("../../words/help/reason.txt");

fn help(name: &str, kind: Kind) -> String {
    let own = match kind {
        Kind::List => include_str!("../../words/help/list.txt").to_owned(),
        Kind::Show => include_str!("../../words/help/show.txt").to_owned(),
        Kind::Check => include_str!("../../words/help/check.txt").to_owned(),
        Kind::Act(verb) => {
            let text = include_str!("../../words/help/act.txt");
            text.replace("{verb}", name).replace("{what}", meaning(verb).trim_end())
        }
    };
    let raise = if kind.raises() { RAISE_LIMIT } else { "" };
    let reason = if kind.has_reason() { REASON } else { "" };
    format!("{own}{COMMON}{raise}{reason}").trim_end().to_owned()
}

fn meaning(verb: Verb) -> &'static str {
    match verb {
        Verb::Start => include_str!("../../words/help/start.txt"),
        Verb::Pause => include_str!("../../words/help/pause.txt"),
        Verb::Resume => include_str!("../../words/help/resume.txt"),
        Verb::Stop => include_str!("../../words/help/stop.txt"),
        Verb::Reopen => include_str!("../../words/help/reopen.txt"),
        Verb::Finalise => include_str!("../../words/help/finalise.txt"),
        Verb::EditMetadata | Verb::Delete => "", // no commands
    }
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
        let options = VerbOptions { raise_limit_to: Some(12), reason: None };
        let expected = Task::Act { id: "x".into(), verb: Verb::Resume, options };
        assert_eq!((&command.task, command.json), (&expected, true));
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
        for (name, _) in COMMANDS {
            let Ok(Request::Print(text)) = parse_words(&[name, "--help"]) else { panic!("{name}: no help") };
            for part in [&*format!("loopdeck {name} "), "DIR", "--json", "--data-dir", "Exit codes", "Keys"] {
                assert!(text.contains(part), "{name} lacks {part}:\n{text}");
            }
            assert!(!text.contains('{'), "{text}");
        }
    }
}
