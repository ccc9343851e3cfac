//! Tests that are gone, or no longer run.

use super::assertion::{assertions, demands};
use super::change::ChangedFile;
use super::language::is_test_path;
use super::skip::{asks_for_tests, ends_well, focuses, skips};
use super::source::{Block, Source, SourceLine};
use super::{Weakening, WeakeningKind};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Test files that are gone, and tests that are gone from files that stay.
pub(super) fn lost_tests(files: &[ChangedFile<'_>]) -> Vec<Weakening> {
    let mut moved_in = names_only_in_new(files);
    let telling = |line: &&SourceLine<'_>| line.text.len() > 8 && !line.code.is_empty();
    let new_lines: HashSet<&str> =
        files.iter().flat_map(|file| file.new_lines().filter(telling).map(|line| line.text)).collect();
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.has_tests()) {
        let lost = tests_lost(file, &mut moved_in);
        if is_emptied(file)
            && !is_elsewhere(file, &new_lines)
            && (!lost.is_empty() || file.before.tests.is_empty())
        {
            let first = lost.first().map(|test| &file.before.lines[test.first]);
            let first = first.or_else(|| file.before.lines.iter().find(|line| !line.text.is_empty()));
            found.extend(first.map(|line| file.risk_before(WeakeningKind::TestFileGone, line)));
        } else if !is_emptied(file) {
            found.extend(
                lost.iter()
                    .map(|test| file.risk_before(WeakeningKind::FewerTests, first_line(&file.before, test))),
            );
        }
    }
    found
}

/// The line that names a test: that behind its marks.
fn first_line<'s, 't>(source: &'s Source<'t>, test: &Block) -> &'s SourceLine<'t> {
    let block = source.block(test);
    block.iter().find(|line| line.text.contains(&*test.name)).unwrap_or(&source.lines[test.first])
}

/// Whether a file that demanded something has no test any more.
fn is_emptied(file: &ChangedFile<'_>) -> bool {
    let Some(language) = file.language else { return false };
    let demanded =
        !file.before.tests.is_empty() || file.before.lines.iter().any(|line| demands(&line.code, language));
    let is_blank = file.texts.1.trim().is_empty();
    let has_none = is_test_path(file.path) && !file.before.tests.is_empty() && file.after.tests.is_empty();
    demanded && (is_blank || has_none)
}

/// Whether at least half of its lines are new in other files.
fn is_elsewhere(file: &ChangedFile<'_>, new_lines: &HashSet<&str>) -> bool {
    let telling: Vec<&str> = file.gone_lines().map(|line| line.text).filter(|text| text.len() > 8).collect();
    let there = telling.iter().filter(|text| new_lines.contains(**text)).count();
    !telling.is_empty() && there * 2 >= telling.len()
}

/// How often a name is a test in the new version of a file and not in the old one, by file.
fn names_only_in_new<'f>(files: &'f [ChangedFile<'_>]) -> HashMap<&'f str, u32> {
    let mut names = HashMap::new();
    for file in files {
        for test in extra(&file.after.tests, &file.before.tests) {
            *names.entry(&*test.name).or_default() += 1;
        }
    }
    names
}

/// The blocks of `one` whose name `other` has less often.
fn extra<'b>(one: &'b [Block], other: &[Block]) -> Vec<&'b Block> {
    let mut there: HashMap<&str, u32> = HashMap::new();
    for block in other {
        *there.entry(&block.name).or_default() += 1;
    }
    let mut is_there = |block: &&Block| match there.get_mut(&*block.name) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    one.iter().filter(|block| is_there(block)).collect()
}

/// The tests that a file lost, without those that have another name or another place.
fn tests_lost<'f>(file: &'f ChangedFile<'_>, moved_in: &mut HashMap<&str, u32>) -> Vec<&'f Block> {
    let body = |source: &Source<'_>, block: &Block| -> Vec<String> {
        let lines =
            source.block(block).iter().map(|line| line.text).filter(|text| !text.contains(&*block.name));
        lines.filter(|text| text.len() > 2).map(str::to_owned).collect()
    };
    let mut new: Vec<&Block> = extra(&file.after.tests, &file.before.tests);
    let mut lost = Vec::new();
    for test in extra(&file.before.tests, &file.after.tests) {
        if let Some(count) = moved_in.get_mut(&*test.name).filter(|count| **count > 0) {
            *count -= 1;
        } else {
            let same = new.iter().position(|other| body(&file.after, other) == body(&file.before, test));
            match same {
                Some(at) => drop(new.remove(at)),
                None => lost.push(test),
            }
        }
    }
    // As many others are new here: they may be the same under other names.
    let renamed = new.len().min(lost.len());
    lost.drain(..renamed);
    lost
}

/// Marks in code that keep tests from running, or from failing.
pub(super) fn silenced(files: &[ChangedFile<'_>]) -> Vec<Weakening> {
    let mut found = Vec::new();
    for file in files {
        let Some(language) = file.language else { continue };
        if !file.has_tests() {
            if !file.texts.1.is_empty() {
                let asks = |line: &&SourceLine<'_>| asks_for_tests(&line.code, line.text, language);
                found.extend(
                    file.new_lines()
                        .filter(asks)
                        .map(|line| file.risk_now(WeakeningKind::SourceKnowsTests, line)),
                );
            }
            continue;
        }
        let moved = moved_lines(file, files);
        let mut by_line: BTreeMap<u32, Weakening> = BTreeMap::new();
        for line in file.new_lines().filter(|line| !moved.contains(line.text)) {
            let next = file.after.lines.get(line.number as usize).map_or("", |line| &line.code);
            let kind = if focuses(&line.code, language) {
                WeakeningKind::TestsHidden
            } else if skips(&line.code, line.text, language) || is_never_true(&line.code) {
                WeakeningKind::TestSkipped
            } else if ends_well(&line.code, next, language) {
                WeakeningKind::FailureSwallowed
            } else if asks_for_tests(&line.code, line.text, language) && !is_test_path(file.path) {
                WeakeningKind::SourceKnowsTests
            } else {
                continue;
            };
            by_line.insert(line.number, file.risk_now(kind, line));
        }
        for (before, after) in same_tests(file) {
            let skip = |line: &&SourceLine<'_>| skips(&line.code, line.text, language);
            let had = file
                .before
                .block(before)
                .iter()
                .any(|line| skip(&line) || returns_early(file.before.block(before), line, file));
            let now = file.after.block(after);
            let line = now.iter().find(|line| skip(line) || returns_early(now, line, file));
            if let Some(line) = line.filter(|line| !had && !moved.contains(line.text)) {
                by_line.entry(line.number).or_insert_with(|| file.risk_now(WeakeningKind::TestSkipped, line));
            }
        }
        found.extend(by_line.into_values());
    }
    found
}

fn is_never_true(code: &str) -> bool {
    ["if false {", "if (false)", "if False:", "while (false)", "if (0)", "if 0:"]
        .iter()
        .any(|start| code.starts_with(start))
}

/// Whether a test returns in this line, on its own level, before it demands anything.
fn returns_early(test: &[SourceLine<'_>], line: &SourceLine<'_>, file: &ChangedFile<'_>) -> bool {
    if !matches!(line.code.trim_end_matches(';'), "return" | "return Ok(())" | "return 0" | "return None") {
        return false;
    }
    let (before, behind): (Vec<&SourceLine<'_>>, Vec<&SourceLine<'_>>) =
        test.iter().filter(|other| other.number != line.number).partition(|other| other.number < line.number);
    let level = before.iter().chain(&behind).map(|other| other.indent).filter(|indent| *indent > 0).min();
    let demands = |lines: &[&SourceLine<'_>]| {
        file.language.is_some_and(|language| lines.iter().any(|line| demands(&line.code, language)))
    };
    level.is_some_and(|level| line.indent <= level.max(first_indent(&before))) && demands(&behind)
}

/// Blanks before the first line of a test's body.
fn first_indent(lines: &[&SourceLine<'_>]) -> usize {
    let first = lines.first().map_or(0, |line| line.indent);
    lines.iter().map(|line| line.indent).find(|indent| *indent > first).unwrap_or(usize::MAX)
}

/// Tests of the same name in both versions of a file.
pub(super) fn same_tests<'f>(file: &'f ChangedFile<'_>) -> Vec<(&'f Block, &'f Block)> {
    let mut there: HashMap<&str, Vec<&Block>> = HashMap::new();
    for test in file.after.tests.iter().rev() {
        there.entry(&test.name).or_default().push(test);
    }
    file.before.tests.iter().filter_map(|test| Some((test, there.get_mut(&*test.name)?.pop()?))).collect()
}

/// Lines that came with tests from other files.
fn moved_lines<'f>(file: &ChangedFile<'_>, files: &'f [ChangedFile<'_>]) -> HashSet<&'f str> {
    let new: HashSet<&str> =
        extra(&file.after.tests, &file.before.tests).iter().map(|test| &*test.name).collect();
    let gave = |other: &&ChangedFile<'_>| {
        other.path != file.path
            && extra(&other.before.tests, &other.after.tests).iter().any(|test| new.contains(&*test.name))
    };
    files.iter().filter(gave).flat_map(|other| other.gone_lines().map(|line| line.text)).collect()
}

/// Whether one of these new lines calls a function that demands something in its place.
pub(super) fn demands_by_call(lines: &[&SourceLine<'_>], files: &[ChangedFile<'_>]) -> bool {
    let called = |name: &str| {
        lines
            .iter()
            .any(|line| line.code.contains(&format!("{name}(")) || line.code.contains(&format!("{name}!(")))
    };
    let mut known = false;
    for file in files {
        let Some(language) = file.language else { continue };
        for function in file.after.functions().iter().filter(|function| called(&function.name)) {
            known = true;
            if !assertions(&file.after.block(function)[1..], language).is_empty() {
                return true;
            }
        }
    }
    let elsewhere = ["check", "verify", "ensure", "assert_", "expect"];
    !known
        && lines.iter().any(|line| {
            elsewhere.iter().any(|start| line.code.starts_with(start) && !line.code.starts_with("expect("))
        })
}
