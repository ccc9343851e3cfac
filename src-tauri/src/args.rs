//! The command line: `loopdeck [PATH…] [--data-dir DIR]`, or a command such as `loopdeck list DIR`.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::prelude::{Long, Short, Value};

use crate::headless;

/// Name of the variable that does what `--data-dir` does.
const DATA_DIR_VARIABLE: &str = "LOOPDECK_DATA_DIR";

const HELP: &str = "\
Shows and controls agent loops.

Usage: loopdeck [OPTIONS] [PATH]...
       loopdeck COMMAND DIR [ID] [OPTIONS] [--json]

Arguments:
  [PATH]...         Folders to open as workspaces (./list for a folder called like a command), or links to a loop
                    as the window copies them (loopdeck://…)

Commands, which answer without a window (loopdeck COMMAND --help says more):
  list DIR          Every loop with its status
  show DIR ID       Everything known about one loop
  check DIR [ID]    Problems in the files; exit code 1 when there are errors
  history DIR ID    Its kept versions
  new DIR --goal TEXT
                    Create a new loop
  run DIR ID        Run a loop to its end, here and now
  start, pause, resume, stop, reopen, finalise DIR ID
                    Control one loop
  edit DIR ID       Change its title, limit or labels
  delete DIR ID     Move it to the trash
  redirect DIR ID   Change the direction of an AoT loop
  repair DIR ID [CODE]
                    List what can be repaired, or repair it
  recover DIR ID    Propose a replacement for an unreadable file; --write writes it
  change DIR ID     Any change as JSON: repairs, steps of the work, the task list
  undo DIR ID       Undo the last change by Loopdeck
  restore DIR ID VERSION
                    Restore a version of the history

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
    /// Answer without a window.
    Headless(Box<headless::Command>),
    /// Print this text and end.
    Print(String),
}

/// How to open the window.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Args {
    /// Folders and links to open, as given: folders possibly relative to the caller's directory.
    pub(crate) paths: Vec<PathBuf>,
    /// Where our own data goes instead of the user's application data folder.
    pub(crate) data_dir: Option<PathBuf>,
    /// Poll instead of watching for changes (network folders).
    pub(crate) poll: bool,
}

/// Reads `args` (without the program's name); the error is a sentence for the person.
pub(crate) fn parse(args: impl Iterator<Item = OsString>) -> Result<Request, String> {
    read(args).map_err(|error| format!("{error}\nTry 'loopdeck --help'."))
}

fn read(args: impl Iterator<Item = OsString>) -> Result<Request, lexopt::Error> {
    let mut parser = lexopt::Parser::from_args(args);
    let variable = std::env::var_os(DATA_DIR_VARIABLE).filter(|value| !value.is_empty());
    let mut found = Args { data_dir: variable.map(PathBuf::from), ..Args::default() };
    while let Some(arg) = parser.next()? {
        match arg {
            Value(word) if found.paths.is_empty() && headless::args::is_command(&word) => {
                return headless::args::parse(&word, &mut parser, found.data_dir);
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

fn version() -> String {
    format!("loopdeck {}", env!("CARGO_PKG_VERSION"))
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
    fn a_command_comes_before_paths_only() {
        assert!(matches!(parse_words(&["list", "d"]), Ok(Request::Headless(_))));
        assert!(matches!(parse_words(&["--data-dir", "x", "list", "d"]), Ok(Request::Headless(_))));
        assert!(matches!(parse_words(&["d", "list"]), Ok(Request::Open(_))));
        assert!(matches!(parse_words(&["./list"]), Ok(Request::Open(_))));
    }

    #[test]
    fn version_is_printed() {
        let Ok(Request::Print(text)) = parse_words(&["-V"]) else { panic!("no text") };
        assert!(text.starts_with("loopdeck "));
    }

    #[test]
    fn unknown_options_are_refused_with_a_hint() {
        let message = parse_words(&["--nonsense"]).expect_err("refused");
        assert!(message.contains("--nonsense") && message.contains("--help"), "{message}");
    }
}
