//! Recoveries of a damaged CCW file, most complete first (the CCW contract §16): our last good copy, the
//! remains of the file, the engine's backup, the loop's state in another loop's file, a rebuilt file. A
//! person sees the difference and picks one.

use crate::format::{FileFacts, Format};
use crate::formats::ccw::recover::fullness::{self, Leaves};
use crate::formats::ccw::recover::reading;
use crate::formats::ccw::recover::{OwnBytes, Provenance, Recovery, Salvage};
use crate::formats::ccw::summary;
use crate::problem::Severity;
use crate::recovery;
use crate::recovery::remains::{ProposalSource, Remains};
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::Node;
use std::collections::BTreeSet;

/// The proposals for a damaged master, most complete first. Each is a valid file of this loop without errors.
/// A text that an earlier proposal or the damaged file itself already has is left out.
///
/// `format` is what the damaged file was taken for; [`Format::Unknown`] takes the format of the first good
/// source. `last_good` and `backup` are whole files. Read-only formats cannot be rebuilt.
#[must_use]
pub(crate) fn proposals(
    format: Format,
    remains: &Remains<'_>,
    facts: &FileFacts<'_>,
) -> Vec<(ProposalSource, Recovery)> {
    let Remains { damaged, last_good, backup, elsewhere, .. } = *remains;
    // A copy in another file that is older than the last good version adds nothing.
    let is_newest =
        |bytes: &&[u8]| last_good.is_none_or(|good| recovery::written(bytes) >= recovery::written(good));
    let elsewhere = elsewhere.filter(is_newest);
    let remains = &Remains { elsewhere, ..*remains };
    let read = reading::best(damaged, facts.stem);
    let complete = read.whole(facts.stem);
    let complete = complete.as_deref();
    let format = known_format(format, [last_good, complete, backup, elsewhere], facts);
    let rebuilt = rebuilt(format, remains, facts);
    let own = if elsewhere.is_some() { Salvage::default() } else { Salvage::of(&read.object) };
    let gone = rebuilt.as_ref().map(|recovery| not_recovered(recovery, &own)).unwrap_or_default();
    let newest = rebuilt.as_ref().map(fullness::given_values).unwrap_or_default();
    // If the content is another loop's, only a copy elsewhere can be used.
    let is_empty = newest.is_empty() && reading::is_of_another(damaged, facts.stem);
    let found = [
        (ProposalSource::LastGood, last_good.and_then(|bytes| as_it_is(bytes, "last_good"))),
        (ProposalSource::Prefix, prefix(format, damaged, complete, facts)),
        (ProposalSource::Backup, backup.and_then(|bytes| as_it_is(bytes, "backup"))),
        (ProposalSource::Elsewhere, elsewhere.and_then(|bytes| as_it_is(bytes, "elsewhere"))),
        (ProposalSource::Rebuilt, rebuilt.filter(|_| !is_empty)),
    ];
    let mut offered: Vec<(ProposalSource, Recovery)> = Vec::new();
    for (way, recovery) in found {
        let Some(recovery) = recovery.filter(|recovery| is_good(format, recovery.text.as_bytes(), facts))
        else {
            continue;
        };
        let is_new = recovery.text.as_bytes() != damaged
            && offered.iter().all(|(_, earlier)| earlier.text != recovery.text);
        if is_new {
            offered.push((way, recovery));
        }
    }
    rank(&mut offered, &newest, &own, gone.len());
    if let Some((side, paths)) = &read.side {
        for (_, recovery) in &mut offered {
            name_side(recovery, side, paths);
        }
    }
    offered
}

/// What even the fullest proposal doesn't recover: lost values of the file, and fields that are made up.
fn not_recovered(rebuilt: &Recovery, own: &Salvage) -> Vec<String> {
    let json = Node::parse(rebuilt.text.as_bytes()).map(|node| Json::from_node(&node)).unwrap_or_default();
    let all: Vec<String> = own.not_in(&json).into_iter().chain(rebuilt.lost.iter().cloned()).collect();
    fullness::largest(&all)
}

/// Says which side of a merge conflict a value is from, where the sides differ.
fn name_side(recovery: &mut Recovery, side: &'static str, paths: &BTreeSet<String>) {
    let differs = |field: &str| {
        paths.iter().any(|path| {
            path.strip_prefix(field).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    };
    let of_file = recovery.provenance.iter_mut().filter(|field| field.source == "prefix");
    of_file.filter(|field| differs(&field.path)).for_each(|field| field.source = side);
}

/// Computes how much each proposal restores of the newest known values, and what it lacks; most complete
/// first. Only complete, newest values count, not older ones in the same place. `gone`: values that none has.
fn rank(offered: &mut [(ProposalSource, Recovery)], newest: &Leaves, damaged: &Salvage, gone: usize) {
    let gone = if newest.is_empty() { 0 } else { gone };
    let most = u32::try_from(newest.len() + gone).unwrap_or(u32::MAX);
    for (way, recovery) in offered.iter_mut() {
        let own = fullness::given_values(recovery);
        let json =
            Node::parse(recovery.text.as_bytes()).map(|node| Json::from_node(&node)).unwrap_or_default();
        recovery.lost.extend(damaged.not_in(&json));
        recovery.lost = fullness::largest(&recovery.lost);
        recovery.known = most;
        recovery.recovered = u32::try_from(fullness::shared(&own, newest)).unwrap_or(u32::MAX);
        if *way != ProposalSource::Rebuilt {
            recovery.lost.extend(fullness::lacks(&own, newest));
            recovery.lost = fullness::largest(&recovery.lost);
        }
    }
    offered.sort_by_key(|(way, recovery)| (std::cmp::Reverse(recovery.recovered), *way));
}

fn is_good(format: Format, bytes: &[u8], facts: &FileFacts<'_>) -> bool {
    format.rules().summary((bytes, facts)).is_some_and(|summary| {
        let errors = summary.problems.iter().any(|problem| problem.severity == Severity::Error);
        summary.format == format && format.is_known() && !errors
    })
}

/// The format of a damaged file whose name does not show it: that of its sources.
fn known_format(format: Format, sources: [Option<&[u8]>; 4], facts: &FileFacts<'_>) -> Format {
    if format.is_known() {
        return format;
    }
    let formats = sources.into_iter().flatten().filter_map(|bytes| Some(summary(bytes, facts)?.format));
    formats.into_iter().find(|format| format.is_known()).unwrap_or(format)
}

/// The file unchanged, if it is text with an object in it.
fn as_it_is(bytes: &[u8], source: &'static str) -> Option<Recovery> {
    let root = Node::parse(bytes).ok().filter(Node::is_object)?;
    let mut provenance = Vec::new();
    fields(&root, "", source, &mut provenance);
    let text = std::str::from_utf8(bytes).ok()?.to_owned();
    Some(Recovery { text, provenance, ..Recovery::default() })
}

/// Fields named as in a rebuilt file: sections of the skill state one by one.
fn fields(node: &Node<'_>, prefix: &str, source: &'static str, into: &mut Vec<Provenance>) {
    for (key, value) in node.fields() {
        let path = format!("{prefix}{key}");
        let nested = matches!(
            path.as_str(),
            "skill_state" | "skill_state.develop" | "skill_state.debug" | "skill_state.validate"
        );
        if nested && value.is_object() {
            fields(value, &format!("{path}."), source, into);
        } else {
            into.push(Provenance { path, source });
        }
    }
}

/// The file's own object with nothing but its faults corrected, when all of it can be read; otherwise what can be read,
/// with initial values for the rest.
fn prefix(
    format: Format,
    damaged: &[u8],
    complete: Option<&[u8]>,
    facts: &FileFacts<'_>,
) -> Option<Recovery> {
    if let Some(bytes) = complete.filter(|bytes| is_good(format, bytes, facts)) {
        return as_it_is(bytes, "prefix");
    }
    let closed = rebuilt(format, &Remains { damaged, ..Remains::default() }, facts)?;
    let said = |field: &Provenance| field.source == "prefix" && field.path != "loop_id";
    closed.provenance.iter().any(said).then_some(closed)
}

/// All remains merged. A copy elsewhere replaces the damaged file, which is then another loop's.
fn rebuilt(format: Format, remains: &Remains<'_>, facts: &FileFacts<'_>) -> Option<Recovery> {
    let own = match remains.elsewhere {
        Some(bytes) => OwnBytes { bytes, source: "elsewhere" },
        None => OwnBytes::damaged(remains.damaged),
    };
    format.rules().rebuild(own, remains, facts)
}
