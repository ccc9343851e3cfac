//! No file is so long that nobody reads it as a whole, and no function so long that nobody sees all of it at once.

use super::root;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const MOST_LINES_OF_A_FILE: usize = 500;
const MOST_LINES_OF_A_FUNCTION: usize = 60;

/// Longer files that are still to be split, with their lines. The list may only become shorter and its numbers smaller.
const OPEN_FILES: &[(&str, usize)] = &[
    ("src-tauri/core/src/formats/aot/drive/verify.rs", 512),
    ("src-tauri/core/src/formats/ccw_v2/operate_tests.rs", 547),
    ("src-tauri/core/src/formats/loop_b/drive_tests.rs", 669),
    ("src-tauri/core/tests/formats/aot/driving_checks.rs", 526),
    ("src-tauri/core/tests/formats/aot/driving_model.rs", 655),
    ("src-tauri/core/tests/formats/aot/operations.rs", 548),
    ("src-tauri/team/src/team.rs", 608),
    ("src-tauri/team/src/work/carrying.rs", 572),
    ("tests/src/team.rs", 507),
    ("tests/tests/whole/team_chaos.rs", 609),
];

/// The same of functions.
const OPEN_FUNCTIONS: &[(&str, usize)] = &[
    ("src-tauri/cli/tests/headless/teaming.rs: every_command_of_the_page_about_teams_works", 78),
    ("src-tauri/core/src/formats/ccw/read/clock.rs: only_proof_shifts", 110),
    ("src-tauri/core/src/formats/ccw_v2/view_tests.rs: contradictions_are_warnings_with_their_place", 84),
    ("src-tauri/core/src/formats/loop_b/drive_tests.rs: play", 63),
    ("src-tauri/core/src/formats/loop_b/recover/tasks.rs: put_tasks", 70),
    ("src-tauri/core/src/status_table.rs: table", 101),
    (
        "src-tauri/core/tests/formats/aot/driving_checks.rs: all_checks_run_in_their_order_and_none_is_left_out",
        65,
    ),
    ("src-tauri/core/tests/formats/aot/driving_model.rs: file", 98),
    ("src-tauri/core/tests/formats/aot/effects.rs: carried", 77),
    ("src-tauri/core/tests/formats/aot/generated.rs: file", 70),
    ("src-tauri/core/tests/formats/aot/layouts.rs: layouts", 79),
    ("src-tauri/core/tests/formats/aot/problems.rs: every_layout_rule_is_found_where_it_stands", 69),
    ("src-tauri/core/tests/formats/aot/problems.rs: every_warning_is_found_where_it_stands", 97),
    ("src-tauri/core/tests/formats/aot/seed_002/fields.rs: rows", 215),
    ("src-tauri/core/tests/formats/aot/seed_002/operations.rs: rows", 110),
    ("src-tauri/core/tests/formats/aot/seed_002/rules.rs: rows", 132),
    ("src-tauri/core/tests/formats/aot/verbs.rs: every_verb_in_every_state", 175),
    ("src-tauri/core/tests/formats/ccw_properties.rs: soup", 69),
    ("src-tauri/core/tests/formats/ccw_recovery_damage.rs: facts", 78),
    ("src-tauri/core/tests/formats/ways_out.rs: inputs", 141),
    ("src-tauri/team/src/team.rs: start", 81),
    ("src-tauri/team/src/work/carrying.rs: take_up", 67),
    ("src-tauri/team/tests/hostile.rs: garbage_and_forgeries_change_nothing_and_a_flood_holds_nobody_up", 84),
    (
        "src-tauri/team/tests/roles.rs: what_is_put_in_the_place_of_another_is_not_believed_and_put_right_at_once",
        68,
    ),
    (
        "tests/tests/whole/team_asking.rs: a_permission_that_waits_on_another_machine_is_answered_from_here_once",
        68,
    ),
];

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
