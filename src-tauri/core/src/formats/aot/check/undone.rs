//! Detects that a person's change of direction is missing from a later version of the file, because a writer
//! restored an older copy (AoT contract §7). Corrections are only ever added, so a missing one is proof.

use crate::formats::aot::read::state;
use crate::formats::aot::read::state::{Document, text};
use crate::problem::{Problem, ProblemCode};
use loopdeck_text::yaml_span::YamlNode;
use std::borrow::Cow;
use std::collections::HashSet;

/// What of `ours`, the file after our last redirect or hold, is undone in `now`. `None` when nothing is, when
/// either is unreadable, or when another loop replaced it.
#[must_use]
pub fn undone(ours: &[u8], now: &[u8]) -> Option<Problem> {
    let (before, after) = (state::read(ours).ok()?, state::read(now).ok()?);
    if ours[before.front.body.clone()] != now[after.front.body.clone()] {
        return None;
    }
    let (known, found) = (corrections(&before), corrections(&after));
    let there: HashSet<&CorrectionKey<'_>> = found.iter().collect();
    let problem = |path: &str| Problem::new(ProblemCode::V22_redirect_undone, path);
    if let Some((_, _, description)) = known.iter().find(|correction| !there.contains(correction)) {
        return Some(problem("corrections").with("found", description));
    }
    let (held, control) = (&before.state.control, &after.state.control);
    let waits = held.redirect_requested && held.status == "running";
    // A later change of direction answers the hold.
    let is_undone =
        waits && control.status == "running" && !control.redirect_requested && found.len() <= known.len();
    let line = (control.line > 0).then_some(control.line);
    is_undone.then(|| problem("control.redirect_requested").at_line(line).with("found", "redirect_requested"))
}

/// Time, type and description.
type CorrectionKey<'a> = (Cow<'a, str>, Cow<'a, str>, Cow<'a, str>);

fn corrections<'a>(document: &Document<'a>) -> Vec<CorrectionKey<'a>> {
    let items = document.root().get("corrections").map(YamlNode::items).unwrap_or_default();
    let correction = |item: &YamlNode<'a>| {
        (text(item.get("timestamp")), text(item.get("type")), text(item.get("description")))
    };
    items.iter().map(correction).collect()
}
