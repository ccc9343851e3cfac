//! A command of the person's own, as a list of arguments.

use super::Spot;
use std::ffi::OsString;

const FILE: &str = "{file}";
/// Behind these a shell takes the next argument as a program, and a file is never one.
const RUNS_NEXT: [&str; 5] = ["-c", "-lc", "-ic", "/c", "-e"];

/// Program and arguments with the place filled in; nothing when the command cannot be used: there is no program, or no
/// `{file}`, or one where its text would be a part of something else.
///
/// Without a line, `{line}` and `{column}` are 1. Only numbers are put inside of an argument: a file name is an argument of its own, or
/// precedes `:{line}`, so that it can never become an option or code.
pub(super) fn fill_in(command: &[String], spot: &Spot) -> Option<Vec<OsString>> {
    let (program, arguments) = command.split_first()?;
    if program.trim().is_empty() || program.contains('{') {
        return None;
    }
    let named = arguments.iter().filter(|argument| argument.contains(FILE)).count();
    let before = std::iter::once(program).chain(arguments);
    let run = before
        .zip(arguments)
        .any(|(before, argument)| RUNS_NEXT.contains(&before.as_str()) && argument.contains(FILE));
    if named != 1 || run || command.iter().any(|argument| argument.contains('\0')) {
        return None;
    }
    let mut argv = vec![OsString::from(program.trim())];
    for argument in arguments {
        argv.push(filled_argument(argument, spot)?);
    }
    Some(argv)
}

fn filled_argument(argument: &str, spot: &Spot) -> Option<OsString> {
    let Some(behind) = argument.strip_prefix(FILE) else {
        return (!argument.contains(FILE)).then(|| numbers(argument, spot).into());
    };
    let numbered = behind.is_empty() || behind.starts_with(":{line}");
    (numbered && !behind.contains(FILE)).then(|| {
        let mut filled = spot.file.as_os_str().to_owned();
        filled.push(numbers(behind, spot));
        filled
    })
}

fn numbers(text: &str, spot: &Spot) -> String {
    let number = |number: Option<u32>| number.map_or(1, |number| number.max(1)).to_string();
    text.replace("{line}", &number(spot.line)).replace("{column}", &number(spot.column))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled_as(command: &[&str], line: Option<u32>) -> Option<Vec<String>> {
        let command: Vec<String> = command.iter().map(|one| (*one).to_owned()).collect();
        let spot = Spot { file: "/w/{line} ä\"$(x).ts".into(), line, column: None };
        let argv = fill_in(&command, &spot)?;
        Some(argv.iter().map(|one| one.to_string_lossy().into_owned()).collect())
    }

    #[test]
    fn the_place_is_filled_in_and_a_file_name_stays_as_it_is() {
        let file = "/w/{line} ä\"$(x).ts";
        assert_eq!(
            filled_as(&["kitty", "vim", "+{line}", "{file}"], Some(7)).unwrap(),
            ["kitty", "vim", "+7", file]
        );
        assert_eq!(
            filled_as(&["e", "--at={line},{column}", "{file}:{line}:{column}"], Some(7)).unwrap(),
            ["e", "--at=7,1", &format!("{file}:7:1")]
        );
        assert_eq!(filled_as(&["e", "{file}"], None).unwrap(), ["e", file]);
        assert_eq!(filled_as(&["e", "+{line}", "{file}"], None).unwrap()[1], "+1");
    }

    #[test]
    fn commands_in_which_a_file_name_could_become_something_else_are_refused() {
        for command in [
            &[][..],
            &["", "{file}"],
            &["e"],
            &["{file}"],
            &["{file}", "{file}"],
            &["e", "--open={file}"],
            &["e", "{file}x"],
            &["e", "{file}", "{file}"],
            &["sh", "-c", "{file}"],
            &["sh", "-c", "vim '{file}'"],
            &["xterm", "-e", "{file}"],
        ] {
            assert_eq!(filled_as(command, Some(1)), None, "{command:?}");
        }
        assert!(filled_as(&["xterm", "-e", "vim", "{file}"], None).is_some());
    }
}
