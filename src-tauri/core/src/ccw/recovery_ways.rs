//! The ways out of a damaged CCW file, each by itself and in the order in which they are offered (the CCW contract §16):
//! our last-good copy, the JSON prefix, the engine's backup, a rebuilt file. A person sees the difference and picks one.

use super::recover::{Provenance, Recovery};
use super::{legacy_summary, summary};
use crate::ccw_v2::repair::first_value;
use crate::format::{FileFacts, Format, Summary};
use crate::json_span::tree::Node;
use crate::problem::Severity;
use crate::view::Companion;
use crate::{ccw_v2, loop_b};
use serde::{Deserialize, Serialize};
use specta::Type;

/// Where a proposal comes from. Words: catalogue `way.<name>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// The last good version that Loopdeck has seen, byte for byte.
    LastGood,
    /// What is left of the damaged file itself: without the garbage behind it, or closed where it breaks off.
    Prefix,
    /// The `.json.backup` that the v1 engine keeps, byte for byte.
    Backup,
    /// Made again field by field from everything that is left: prefix, last good version, progress files.
    Rebuilt,
}

/// The proposals for a damaged master, in the order of [`Way`]. Each is a valid file of this loop without errors; a text
/// that an earlier way has already given, or that the damaged file already is, is left out.
///
/// `format` is what the damaged file was taken for; [`Format::Unknown`] takes the format of the first good source.
/// `last_good` and `backup` are whole files. Nothing can be rebuilt of the formats that are read-only, and AoT files
/// have their own recovery: for them the list is empty.
#[must_use]
pub fn ways(
    format: Format,
    damaged: &[u8],
    last_good: Option<&[u8]>,
    backup: Option<&[u8]>,
    companions: &[Companion],
    facts: &FileFacts<'_>,
) -> Vec<(Way, Recovery)> {
    if format == Format::Aot {
        return Vec::new();
    }
    let complete = complete_prefix(damaged, facts);
    let format = known(format, [last_good, complete, backup], facts);
    let found = [
        (Way::LastGood, last_good.and_then(|bytes| as_it_is(bytes, "last_good"))),
        (Way::Prefix, prefix(format, damaged, complete, facts)),
        (Way::Backup, backup.and_then(|bytes| as_it_is(bytes, "backup"))),
        (Way::Rebuilt, rebuilt(format, damaged, last_good, companions, facts)),
    ];
    let mut offered: Vec<(Way, Recovery)> = Vec::new();
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
    offered
}

/// What the whole file is, read as `format` would be.
fn read(format: Format, bytes: &[u8], facts: &FileFacts<'_>) -> Option<Summary> {
    if format == Format::Legacy { Some(legacy_summary(bytes, facts)) } else { summary(bytes, facts) }
}

fn is_good(format: Format, bytes: &[u8], facts: &FileFacts<'_>) -> bool {
    read(format, bytes, facts).is_some_and(|summary| {
        let errors = summary.problems.iter().any(|problem| problem.severity == Severity::Error);
        summary.format == format && format != Format::Unknown && !errors
    })
}

/// A damaged file whose name does not say what it is, is what its sources are.
fn known(format: Format, sources: [Option<&[u8]>; 3], facts: &FileFacts<'_>) -> Format {
    if format != Format::Unknown {
        return format;
    }
    let formats = sources.into_iter().flatten().filter_map(|bytes| Some(summary(bytes, facts)?.format));
    formats.into_iter().find(|format| *format != Format::Unknown).unwrap_or(format)
}

/// The file as it stands there, when it is text with an object in it.
fn as_it_is(bytes: &[u8], source: &'static str) -> Option<Recovery> {
    let root = Node::parse(bytes).ok().filter(Node::is_object)?;
    let mut provenance = Vec::new();
    fields(&root, "", source, &mut provenance);
    Some(Recovery { text: std::str::from_utf8(bytes).ok()?.to_owned(), provenance, lost: Vec::new() })
}

/// Fields as a rebuilt file names them: sections of the skill state one by one.
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

/// The damaged file up to the end of its first value, when that is an object of this loop with a status.
fn complete_prefix<'b>(damaged: &'b [u8], facts: &FileFacts<'_>) -> Option<&'b [u8]> {
    let (node, end) = first_value(damaged)?;
    let is_loop = names(&node, facts) && node.get("status").text().is_some();
    // The newline at its end belongs to the file, not to what was left behind it.
    let newline = usize::from(damaged.get(end) == Some(&b'\n'));
    is_loop.then(|| &damaged[..end + newline])
}

fn names(node: &Node<'_>, facts: &FileFacts<'_>) -> bool {
    let id = node.get("loop_id").text().or_else(|| node.get("session_id").text());
    id == Some(facts.stem)
}

/// The complete prefix as it is; else what is before the cut, with the rest as it begins.
fn prefix(
    format: Format,
    damaged: &[u8],
    complete: Option<&[u8]>,
    facts: &FileFacts<'_>,
) -> Option<Recovery> {
    if let Some(bytes) = complete.filter(|bytes| is_good(format, bytes, facts)) {
        return as_it_is(bytes, "prefix");
    }
    // A whole object that is not of this loop stays another loop's, whatever it is called here.
    if first_value(damaged).is_some_and(|(node, _)| !names(&node, facts)) {
        return None;
    }
    let closed = rebuilt(format, damaged, None, &[], facts)?;
    let said = |field: &Provenance| field.source == "prefix" && field.path != "loop_id";
    closed.provenance.iter().any(said).then_some(closed)
}

fn rebuilt(
    format: Format,
    damaged: &[u8],
    last_good: Option<&[u8]>,
    companions: &[Companion],
    facts: &FileFacts<'_>,
) -> Option<Recovery> {
    match format {
        Format::LoopV2 => Some(ccw_v2::recover::recover(damaged, last_good, companions, facts)),
        Format::LoopB => Some(loop_b::recover::recover(damaged, last_good, companions, facts)),
        Format::Aot | Format::V1 | Format::Legacy | Format::Unknown => None,
    }
}
