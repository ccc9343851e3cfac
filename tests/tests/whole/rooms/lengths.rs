//! No file is so long that nobody reads it as a whole, and no function so long that nobody sees all of it at once.

use super::root;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const MOST_LINES_OF_A_FILE: usize = 500;
const MOST_LINES_OF_A_FUNCTION: usize = 60;

/// Longer ones that are still to be split, with their lines. The lists may only become shorter and their numbers smaller.
const OPEN_FILES: &[(&str, usize)] = &[];
const OPEN_FUNCTIONS: &[(&str, usize)] = &[];

#[test]
fn no_file_and_no_function_is_too_long() {
    let (mut files, mut functions) = (BTreeMap::new(), BTreeMap::new());
    for path in
        ["src-tauri", "tests", "fuzz", "xtask"].iter().flat_map(|folder| sources(&root().join(folder)))
    {
        let name = path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
        let text = fs::read_to_string(&path).unwrap();
        for (function, lines) in functions_of(&text) {
            let longest = functions.entry(format!("{name}: {function}")).or_default();
            *longest = lines.max(*longest);
        }
        files.insert(name, text.lines().count());
    }
    assert!(files.len() > 1_000, "{} files", files.len());
    let wrong = [
        told(files, MOST_LINES_OF_A_FILE, OPEN_FILES),
        told(functions, MOST_LINES_OF_A_FUNCTION, OPEN_FUNCTIONS),
    ];
    let wrong = wrong.concat();
    assert!(wrong.is_empty(), "split by what the parts are about:\n{}", wrong.join("\n"));
}

/// What is too long and not listed, longer than it is listed, or listed and no longer too long.
fn told(found: BTreeMap<String, usize>, most: usize, open: &[(&str, usize)]) -> Vec<String> {
    let mut open: BTreeMap<&str, usize> = open.iter().copied().collect();
    let mut told = Vec::new();
    for (name, lines) in found.into_iter().filter(|(_, lines)| *lines > most) {
        match open.remove(&*name) {
            None => told.push(format!("{name}: {lines} lines, {most} at most")),
            Some(known) if lines > known => told.push(format!("{name}: {lines} lines, it had {known}")),
            Some(_) => {}
        }
    }
    told.extend(open.keys().map(|name| format!("{name}: no longer too long, take it off the list")));
    told
}

/// Rust files below a folder, except what is built there.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let nested = entries.flat_map(|path| match path.is_dir() {
        true if path.ends_with("target") => Vec::new(),
        true => sources(&path),
        false => vec![path],
    });
    nested.filter(|path| path.extension().is_some_and(|ending| ending == "rs")).collect()
}

/// Functions of formatted code with their lines, without comments and attributes above them.
fn functions_of(text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let named = lines.iter().enumerate().filter_map(|(at, line)| Some((at, name_of(line)?)));
    named.map(|(at, name)| (name, lines_from(&lines[at..]))).collect()
}

/// The function that begins in this line.
fn name_of(line: &str) -> Option<&str> {
    let (before, after) = line.trim_start().split_once("fn ")?;
    let is_modifier = |word: &str| {
        word.starts_with("pub")
            || word.ends_with(')')
            || ["const", "async", "unsafe", "extern", "\"C\""].contains(&word)
    };
    let name = after.split(['(', '<']).next()?;
    let is_name = name.chars().all(|sign| sign.is_alphanumeric() || sign == '_'); // a macro names its functions later
    (is_name && before.split_whitespace().all(is_modifier)).then_some(name)
}

/// Lines of the function that begins in the first one; none of one without a body.
fn lines_from(lines: &[&str]) -> usize {
    let indent = lines[0].len() - lines[0].trim_start().len();
    let mut is_open = false;
    for (above, line) in lines.iter().enumerate() {
        if !is_open && line.ends_with(';') {
            return 0;
        }
        let is_end = if above == 0 {
            line.ends_with('}')
        } else {
            line.get(indent..).is_some_and(|rest| rest.starts_with('}')) && line[..indent].trim().is_empty()
        };
        if is_end {
            return above + 1;
        }
        is_open |= line.contains('{');
    }
    lines.len()
}

#[test]
fn what_is_too_long_is_found_and_the_list_only_shrinks() {
    let found = |lines: usize| BTreeMap::from([("a".to_owned(), lines), ("b".to_owned(), 5)]);
    let none = Vec::<String>::new();
    assert_eq!(told(found(60), 60, &[]), none);
    assert_eq!(told(found(61), 60, &[]), ["a: 61 lines, 60 at most"]);
    assert_eq!(told(found(70), 60, &[("a", 70)]), none);
    assert_eq!(told(found(71), 60, &[("a", 70)]), ["a: 71 lines, it had 70"]);
    assert_eq!(told(found(60), 60, &[("a", 70)]), ["a: no longer too long, take it off the list"]);
}

#[test]
fn lines_of_functions_are_counted() {
    let code = "/// a\n#[test]\nfn one() {\n    if a {\n    }\n}\n\nimpl A {\n    pub(in crate::a) async fn two<T>(\n        t: T,\n    ) -> T\n    \
                where\n        T: B,\n    {\n        t\n    }\n    fn three(&self);\n    const fn four() -> u8 { 4 }\n}\n// a fn in words\nfn $name() {\n";
    assert_eq!(functions_of(code), [("one", 4), ("two", 8), ("three", 0), ("four", 1)]);
}
