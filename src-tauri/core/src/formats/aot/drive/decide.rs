//! The decision at the end of a round (AoT contract §5): the same as the plugin's hook for every file that
//! follows §4.

use crate::formats::aot::edit::draft::PendingChanges;
use crate::formats::aot::edit::written::Written;
use crate::formats::aot::read::state::{self, Document, strict_integer};
use crate::refusal::{Refusal, RefusalCode};
use loopdeck_text::text_edit::TextEdit;
use loopdeck_text::yaml_span::YamlNode;

/// Why the decision ended the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndCause {
    /// A stop was requested; its reason is kept.
    Requested,
    /// The iterations are used up.
    MaxIterations,
    /// Too many rounds without progress.
    MaxStalls,
    /// There is nothing to work on.
    NoAtoms,
}

/// The decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The loop is not running: nothing to decide.
    Inactive,
    /// The completion check passed.
    Completed,
    /// A redirect is in progress: wait, nothing changes.
    Hold,
    /// It ends.
    End(EndCause),
    /// The next round starts.
    Continue {
        /// The number of the next round.
        iteration: i64,
    },
}

/// A decision with its edits and its inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The decision.
    pub decision: Decision,
    /// Its edits.
    pub edits: Vec<TextEdit>,
    /// `pending` and `in_progress` atoms, inactive alternatives and containers included.
    pub unresolved: i64,
    /// The same before this round; -1 if not counted yet.
    pub previous: i64,
    /// Rounds without progress, this one included.
    pub stalls: i64,
    /// How many of those end the loop.
    pub max_stalls: i64,
}

/// The numbers that a decision depends on.
struct Numbers {
    iteration: i64,
    stalls: i64,
    previous: i64,
    max_iterations: i64,
    max_stalls: i64,
}

/// Decides what follows after the round that ended in `bytes`.
///
/// # Errors
/// A refusal when the file is unreadable, a number field is not a number (rule L7), or a line cannot be
/// edited safely.
pub fn decide(bytes: &[u8]) -> Result<Decided, Refusal> {
    let document = state::read(bytes)
        .map_err(|problem| Refusal::new(RefusalCode::DamagedFile).with("problem", problem.code.name()))?;
    decide_on(bytes, document)
}

/// The same for a file that was already read.
pub(crate) fn decide_on(bytes: &[u8], document: Document<'_>) -> Result<Decided, Refusal> {
    let control = &document.state.control;
    let nothing = |decision| Decided {
        decision,
        edits: Vec::new(),
        unresolved: unresolved(&document),
        previous: control.prev_pending_count,
        stalls: control.stall_count,
        max_stalls: document.state.objective.max_stall_count,
    };
    match hook_status(&document) {
        Some("completed") => return Ok(nothing(Decision::Completed)),
        Some("running") => {}
        _ => return Ok(nothing(Decision::Inactive)),
    }
    if control.redirect_requested {
        return Ok(nothing(Decision::Hold));
    }
    if control.stop_requested {
        let decided = nothing(Decision::End(EndCause::Requested));
        return write(bytes, document, decided);
    }
    let numbers = Numbers::read(&document.tree.root)?;
    let decided = judge(&document, &numbers);
    write(bytes, document, decided)
}

/// Rows 5 to 9.
fn judge(document: &Document<'_>, numbers: &Numbers) -> Decided {
    let unresolved = unresolved(document);
    let resolved = document.state.atoms.iter().any(|atom| atom.word == "resolved");
    let stalls = if numbers.previous < 0 || unresolved < numbers.previous {
        0
    } else {
        numbers.stalls.saturating_add(1)
    };
    let decision = if numbers.iteration >= numbers.max_iterations {
        Decision::End(EndCause::MaxIterations)
    } else if stalls >= numbers.max_stalls {
        Decision::End(EndCause::MaxStalls)
    } else if unresolved == 0 && !resolved {
        Decision::End(EndCause::NoAtoms)
    } else {
        Decision::Continue { iteration: numbers.iteration.saturating_add(1) }
    };
    let Numbers { previous, max_stalls, .. } = *numbers;
    Decided { decision, edits: Vec::new(), unresolved, previous, stalls, max_stalls }
}

fn write(bytes: &[u8], document: Document<'_>, mut decided: Decided) -> Result<Decided, Refusal> {
    let Document { front, tree, .. } = document;
    let mut draft = PendingChanges::new(bytes, front, tree.root);
    let end = |draft: &mut PendingChanges<'_>, reason: &str| {
        draft.control("status", &Written::word("stopped"))?;
        draft.control("stop_reason", &Written::reason(reason))
    };
    match decided.decision {
        Decision::Inactive | Decision::Completed | Decision::Hold => {}
        Decision::End(EndCause::Requested) => draft.control("status", &Written::word("stopped"))?,
        Decision::End(EndCause::MaxIterations) => end(&mut draft, "Max iterations reached")?,
        Decision::End(EndCause::NoAtoms) => end(&mut draft, "No atoms in Work Graph")?,
        Decision::End(EndCause::MaxStalls) => {
            end(&mut draft, "Max stall count reached")?;
            draft.control("stall_count", &Written::number(decided.stalls))?;
        }
        Decision::Continue { iteration } => {
            draft.control("iteration", &Written::number(iteration))?;
            draft.control("stall_count", &Written::number(decided.stalls))?;
            draft.control("prev_pending_count", &Written::number(decided.unresolved))?;
        }
    }
    decided.edits = draft.finish()?;
    Ok(decided)
}

/// The status as the hook reads it: a comment, a carriage return or another layout makes it a different word
/// (L1, L2, L4).
fn hook_status<'d>(document: &Document<'d>) -> Option<&'d str> {
    let front = &document.front;
    if !front.exact {
        return None;
    }
    let line = front.text.split('\n').find_map(|line| line.strip_prefix("  status:"))?;
    let value = line.trim_start_matches(' ');
    let value = value.strip_prefix(['"', '\'']).unwrap_or(value);
    let value = value.strip_suffix(['"', '\'']).unwrap_or(value);
    // A value that the hook takes from another line is not the status.
    (document.state.control.status == value).then_some(value)
}

/// Counted like the hook: including containers, inactive alternatives and the pending parts of abandoned ones
/// (§5, rule e). Parts of an abandoned alternative stay `pending` in the file: `resolved` would be false, and
/// deleting them would look like progress to the hook. The remaining work is counted without them
/// ([`crate::formats::aot::check::counts::Counts`]), so that they block neither the completion check nor
/// completion.
fn unresolved(document: &Document<'_>) -> i64 {
    let open = |word: &str| matches!(word, "pending" | "in_progress");
    let count = document.state.atoms.iter().filter(|atom| open(&atom.word)).count();
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl Numbers {
    /// Absent means the default; a negative limit is reached immediately; anything else that is not a number
    /// is refused.
    fn read(root: &YamlNode<'_>) -> Result<Self, Refusal> {
        let limits = root.get("objective").and_then(|objective| objective.get("constraints"));
        let read = |map: Option<&YamlNode<'_>>, key: &str, default: i64, limit: bool| {
            let Some(node) = map.and_then(|map| map.get(key)).filter(|node| !node.is_null()) else {
                return Ok(default);
            };
            let text = node.text().map(AsRef::as_ref).unwrap_or_default();
            let negative =
                || text.strip_prefix('-').filter(|_| limit).and_then(|rest| strict_integer(rest, false));
            strict_integer(text, key == "prev_pending_count")
                .or_else(|| negative().map(|n: i64| -n))
                .ok_or_else(|| {
                    Refusal::new(RefusalCode::DamagedFile).with("problem", "V4_bad_number").with("field", key)
                })
        };
        let control = root.get("control");
        Ok(Self {
            iteration: read(control, "iteration", 0, false)?,
            stalls: read(control, "stall_count", 0, false)?,
            previous: read(control, "prev_pending_count", -1, false)?,
            max_iterations: read(limits, "max_iterations", state::MAX_ITERATIONS, true)?,
            max_stalls: read(limits, "max_stall_count", state::MAX_PARALLEL_AND_STALLS, true)?,
        })
    }
}
