//! Tests that stay and demand less.

use super::assertion::{Assertion, always_holds, assertions, demands_less};
use super::change::ChangedFile;
use super::language::{Language, is_snapshot, is_test_path};
use super::lost::{demands_by_call, same_tests};
use super::source::{Block, Source, SourceLine};
use super::{Weakening, WeakeningKind};
use std::collections::{HashMap, HashSet};

/// Assertions that are gone, hollow or weaker, in tests that are still there.
pub(super) fn loosened(files: &[ChangedFile<'_>]) -> Vec<Weakening> {
    let mut came = assertions_that_came(files);
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.has_tests() && !file.texts.0.is_empty()) {
        let Some(language) = file.language else { continue };
        let (old, new) = (assertions(&file.before.lines, language), assertions(&file.after.lines, language));
        let hollow = minus(&new, &old).into_iter().filter(|assertion| always_holds(assertion));
        let hollow: Vec<Assertion<'_>> = hollow.collect();
        found
            .extend(hollow.iter().map(|it| file.risk(WeakeningKind::AlwaysHolds, it.number, it.text, false)));
        for pair in pairs(file) {
            compare(file, files, language, pair, &mut came, &mut found);
        }
    }
    found
}

/// How often each assertion is new in a test. One that came to another test is not gone.
fn assertions_that_came(files: &[ChangedFile<'_>]) -> HashMap<String, u32> {
    let mut came = HashMap::new();
    for file in files.iter().filter(|file| file.has_tests()) {
        let Some(language) = file.language else { continue };
        let pairs = pairs(file);
        let is_alone = |test: &&Block| {
            !pairs.iter().any(|(_, after)| after.first == test.first && after.end == test.end)
        };
        let alone =
            file.after.tests.iter().filter(is_alone).map(|test| assertions(file.after.block(test), language));
        let paired = pairs.iter().map(|(before, after)| {
            minus(
                &assertions(file.after.block(after), language),
                &assertions(file.before.block(before), language),
            )
        });
        for assertion in alone.chain(paired).flatten() {
            *came.entry(assertion.whole).or_default() += 1;
        }
    }
    came
}

/// Parts of both versions that belong together: each test, and what stands before the first one.
fn pairs(file: &ChangedFile<'_>) -> Vec<(Block, Block)> {
    let copy = |block: &Block| Block { name: block.name.clone(), first: block.first, end: block.end };
    let head = |source: &Source<'_>| {
        let end = source.tests.first().map_or(source.lines.len(), |test| test.first);
        Block { name: String::new(), first: 0, end }
    };
    let mut pairs: Vec<(Block, Block)> =
        same_tests(file).into_iter().map(|(before, after)| (copy(before), copy(after))).collect();
    let is_gone = file.texts.1.trim().is_empty();
    if !is_gone && (is_test_path(file.path) || !file.before.tests.is_empty()) {
        pairs.push((head(&file.before), head(&file.after)));
    }
    pairs
}

/// What one test demanded and no longer does.
fn compare(
    file: &ChangedFile<'_>,
    files: &[ChangedFile<'_>],
    language: Language,
    (before, after): (Block, Block),
    came: &mut HashMap<String, u32>,
    found: &mut Vec<Weakening>,
) {
    let (old, new) = (file.before.block(&before), file.after.block(&after));
    let (old_ones, new_ones) = (assertions(old, language), assertions(new, language));
    let mut added = minus(&new_ones, &old_ones);
    let removed: Vec<Assertion<'_>> = minus(&old_ones, &new_ones)
        .into_iter()
        .filter(|assertion| match came.get_mut(&assertion.whole).filter(|count| **count > 0) {
            Some(count) => {
                *count -= 1;
                false
            }
            None => true,
        })
        .collect();
    let mut lost = Vec::new();
    for assertion in &removed {
        let like = (0..added.len()).max_by_key(|at| likeness(&assertion.whole, &added[*at].whole));
        let Some(instead) = like.map(|at| added.remove(at)) else {
            lost.push(assertion);
            continue;
        };
        if !always_holds(&instead) && demands_less(&assertion.whole, &instead.whole) {
            found.push(file.risk(WeakeningKind::AssertionLoosened, instead.number, instead.text, false));
        }
    }
    let known: HashSet<&str> = old.iter().map(|line| line.text).collect();
    let fresh: Vec<&SourceLine<'_>> = new.iter().filter(|line| !known.contains(line.text)).collect();
    if !lost.is_empty() && !demands_by_call(&fresh, files) {
        found.extend(lost.iter().map(|it| file.risk(WeakeningKind::AssertionGone, it.number, it.text, true)));
    }
}

/// Letters that two texts have in common at both ends.
fn likeness(one: &str, other: &str) -> usize {
    let same = |(left, right): &(char, char)| left == right;
    let front = one.chars().zip(other.chars()).take_while(same).count();
    front + one.chars().rev().zip(other.chars().rev()).take_while(same).count()
}

/// The assertions of `one` that `other` has less often.
fn minus<'t>(one: &[Assertion<'t>], other: &[Assertion<'_>]) -> Vec<Assertion<'t>> {
    let mut there: HashMap<&str, u32> = HashMap::new();
    for assertion in other {
        *there.entry(&assertion.whole).or_default() += 1;
    }
    let mut rest = Vec::new();
    for assertion in one {
        match there.get_mut(&*assertion.whole) {
            Some(count) if *count > 0 => *count -= 1,
            _ => rest.push(assertion.clone()),
        }
    }
    rest
}

/// Snapshots that say something else now, while the code changed that they are about.
pub(super) fn snapshots(files: &[ChangedFile<'_>]) -> Vec<Weakening> {
    let is_source = |file: &ChangedFile<'_>| {
        file.language.is_some() && !is_test_path(file.path) && !is_snapshot(file.path)
    };
    if !files.iter().any(is_source) {
        return Vec::new();
    }
    let first = |file: &ChangedFile<'_>| {
        let line = file.gone_lines().next()?;
        Some(file.risk_before(WeakeningKind::SnapshotRewritten, line))
    };
    files.iter().filter(|file| is_snapshot(file.path)).filter_map(first).collect()
}
