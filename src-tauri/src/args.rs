//! The arguments of the window: `loopdeck-desktop [PATH…] [--data-dir DIR]`. The program `loopdeck` passes
//! its own arguments on when they contain no command. Three options need no command parser, so clap stays in
//! the command line's package.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use lexopt::prelude::{Long, Short, Value};
use loopdeck_runtime::data_dir;

/// Commands of the program `loopdeck`. A folder with such a name is written `./list`, in both programs.
const COMMANDS: [&str; 38] = [
    "archive",
    "change",
    "changes",
    "check",
    "comment",
    "completions",
    "delete",
    "edit",
    "export",
    "finalise",
    "finish",
    "help",
    "history",
    "import",
    "list",
    "man",
    "new",
    "node",
    "pause",
    "pin",
    "pr",
    "recover",
    "redirect",
    "reopen",
    "repair",
    "report",
    "restore",
    "resume",
    "run",
    "say",
    "show",
    "snooze",
    "start",
    "stop",
    "summary",
    "team",
    "undo",
    "verify",
];

const HELP: &str = "\
Opens the Loopdeck window. For commands, see 'loopdeck --help'.

Usage: loopdeck-desktop [OPTIONS] [PATH]...

Arguments:
  [PATH]...         Folders to open as workspaces (./list for a folder named like a command of loopdeck), or links as
                    the window copies them (loopdeck://…); a link leads only to folders that were opened before

Options:
  --data-dir DIR    Keep Loopdeck's own data in DIR (also: LOOPDECK_DATA_DIR)
  --poll            Poll the files every 2 seconds instead of watching them
  -V, --version     Print the version
  -h, --help        Print this help";

/// What the person asked for.
#[derive(Debug, PartialEq)]
pub(crate) enum Request {
    /// Open the window.
    Open(Args),
    /// Print this text and exit.
    Print(String),
}

/// How to open the window.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Args {
    /// Folders and links to open, as given; folders may be relative to the caller's directory.
    pub(crate) paths: Vec<PathBuf>,
    /// Folder for our own data, instead of the user's application data folder.
    pub(crate) data_dir: Option<PathBuf>,
    /// Poll instead of watching for changes (network folders).
    pub(crate) poll: bool,
}

/// Reads `args` (without the program's name); the error is a sentence for the person.
pub(crate) fn parse(args: impl Iterator<Item = OsString>) -> Result<Request, String> {
    read(args).map_err(|error| format!("{error}\nTry 'loopdeck-desktop --help'."))
}

fn read(args: impl Iterator<Item = OsString>) -> Result<Request, lexopt::Error> {
    let mut parser = lexopt::Parser::from_args(args);
    let mut found = Args { data_dir: data_dir::from_environment(), ..Args::default() };
    let mut only_paths = false;
    loop {
        only_paths |= parser.try_raw_args().is_some_and(|rest| rest.peek() == Some(OsStr::new("--")));
        let Some(arg) = parser.next()? else { break };
        match arg {
            Value(word) if !only_paths && found.paths.is_empty() && is_command(&word) => {
                return Err(no_window(&word));
            }
            Value(path) => found.paths.push(path.into()),
            Long("data-dir") => found.data_dir = Some(parser.value()?.into()),
            Long("poll") => found.poll = true,
            Long("version") | Short('V') => return Ok(Request::Print(version())),
            Long("help") | Short('h') => return Ok(Request::Print(HELP.into())),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Request::Open(found))
}

fn is_command(word: &OsStr) -> bool {
    COMMANDS.iter().any(|command| word == *command)
}

/// A command needs no window, so none opens. Nothing else runs instead, because a script should name what it
/// starts.
fn no_window(word: &OsStr) -> lexopt::Error {
    let word = word.to_string_lossy();
    let sentence = format!(
        "'{word}' is a command of the program loopdeck: run 'loopdeck {word} …'. To open a folder of that name, write ./{word}."
    );
    lexopt::Error::Custom(sentence.into())
}

fn version() -> String {
    format!("loopdeck-desktop {}", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_words(words: &[&str]) -> Result<Request, String> {
        parse(words.iter().map(OsString::from))
    }

    #[test]
    fn paths_and_data_dir() {
        let expected =
            Args { paths: vec!["a b".into(), "/c".into()], data_dir: Some("d".into()), poll: true };
        assert_eq!(parse_words(&["a b", "--data-dir", "d", "--poll", "/c"]), Ok(Request::Open(expected)));
    }

    #[test]
    fn dashes_after_the_separator_are_paths() {
        let expected = Args { paths: vec!["--help".into()], data_dir: None, poll: false };
        assert_eq!(parse_words(&["--", "--help"]), Ok(Request::Open(expected)));
    }

    #[test]
    fn a_command_opens_no_window_and_says_how_it_is_called() {
        for words in [&["list", "d"][..], &["--data-dir", "x", "list", "d"], &["help"]] {
            let message = parse_words(words).expect_err("refused");
            assert!(message.contains("'loopdeck ") && message.contains("./"), "{message}");
        }
        for words in [&["d", "list"][..], &["./list"], &["--", "list"], &["--poll", "--", "list"]] {
            assert!(matches!(parse_words(words), Ok(Request::Open(_))), "{words:?}");
        }
    }

    #[test]
    fn the_commands_are_those_of_the_command_line() {
        assert_eq!(COMMANDS.map(str::to_owned).to_vec(), loopdeck_cli::commands());
    }

    #[test]
    fn version_is_printed() {
        let Ok(Request::Print(text)) = parse_words(&["-V"]) else { panic!("no text") };
        assert!(text.starts_with("loopdeck-desktop "));
    }

    #[test]
    fn unknown_options_are_refused_with_a_hint() {
        let message = parse_words(&["--nonsense"]).expect_err("refused");
        assert!(message.contains("--nonsense") && message.contains("--help"), "{message}");
    }
}
