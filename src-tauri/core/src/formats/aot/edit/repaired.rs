//! A verb on a file whose layout the plugin's hook cannot read (AoT contract §4, §6). Either the layout is
//! repaired in the same write, or only the lines of the flag are written, or the answer says that the
//! plugin's tools will not see it.

use super::written::Written;
use super::{draft, flag_lines, normalise};
use crate::control::{Control, Intent, Notice, NoticeCode, Situation, Verb};
use crate::formats::aot::check::lint;
use crate::formats::aot::check::rules::PAUSE_REASON;
use crate::formats::aot::edit;
use crate::formats::aot::read::front_matter;
use crate::formats::aot::read::hook::HookView;
use crate::formats::aot::read::state::{self, Document};
use crate::refusal::{Refusal, RefusalCode};
use loopdeck_text::text_edit::{self, TextEdit};

/// How a verb is carried out.
pub(crate) struct RepairedFirst {
    pub(crate) edits: Vec<TextEdit>,
    /// What the layout added.
    notice: Option<Notice>,
}

/// The edits that carry out `intent`, readable for the plugin's hook wherever possible.
///
/// # Errors
/// A refusal when a field cannot be edited, or when the loop would run in a layout that the hook cannot read.
pub(crate) fn edits(
    bytes: &[u8],
    document: Document<'_>,
    intent: &Intent,
    situation: &Situation,
) -> Result<RepairedFirst, Refusal> {
    let wanted = Wanted::from_intent(intent, &document);
    let is_json = draft::is_json(&document.front, &document.tree.root);
    let plain = edit::edits(bytes, document, intent, situation);
    let is_read = |edits: &Vec<TextEdit>| wanted.is_read_after(bytes, edits);
    match plain {
        Ok(edits) if is_read(&edits) => Ok(RepairedFirst { edits, notice: None }),
        // A JSON document stays one, unless a person asks for the repair; the hook reads none of it.
        plain if is_json && intent.starts_work() => {
            Err(plain.map_or_else(|refusal| refusal, |_| unread_layout(bytes)))
        }
        plain => match elsewise(bytes, intent, situation, &wanted).filter(|_| !is_json) {
            Some(carried) => Ok(carried),
            None if !intent.starts_work() => {
                let notice = Some(Notice::new(NoticeCode::HiddenFromTools, &[]));
                plain.map(|edits| RepairedFirst { edits, notice })
            }
            None => Err(plain.map_or_else(|refusal| refusal, |_| unread_layout(bytes))),
        },
    }
}

/// The other ways, the one that repairs most first.
fn elsewise(bytes: &[u8], intent: &Intent, situation: &Situation, wanted: &Wanted) -> Option<RepairedFirst> {
    repaired_first(bytes, intent, situation, wanted).or_else(|| {
        let edits = edits_of_unreadable(bytes, intent)?;
        let after = text_edit::apply(bytes, &edits).ok()?;
        let is_raised = state::read(&after).is_ok_and(|document| document.state.control.stop_requested);
        let notice = Some(Notice::new(NoticeCode::WritesLinesOnly, &[]));
        is_raised.then_some(RepairedFirst { edits, notice })
    })
}

/// The repaired layout with the verb carried out on it, as one change.
fn repaired_first(
    bytes: &[u8],
    intent: &Intent,
    situation: &Situation,
    wanted: &Wanted,
) -> Option<RepairedFirst> {
    let document = state::read(bytes).ok()?;
    let lints = lint::layout(bytes, &document);
    let layout = normalise::normalised(bytes, &document, &lints)?;
    let laid_out = text_edit::apply(bytes, &layout.edits).ok()?;
    let again = edit::edits(&laid_out, state::read(&laid_out).ok()?, intent, situation).ok()?;
    let after = text_edit::apply(&laid_out, &again).ok()?;
    if !wanted.is_read(&after) {
        return None;
    }
    let (old, new) = (document.front.body.start, front_matter::split(&after).ok()?.body.start);
    let text = |bytes: &'_ [u8]| std::str::from_utf8(bytes).ok().map(str::to_owned);
    let (before, now) = (text(&bytes[..old])?, text(&after[..new])?);
    let in_body = layout.edits.iter().filter(|edit| edit.range.start >= old).cloned();
    let edits = normalise::difference(&before, &now).into_iter().chain(in_body).collect();
    let args = [("rules", layout.rules.join(", ")), ("comments", layout.comments.to_string())];
    Some(RepairedFirst { edits, notice: Some(Notice::new(NoticeCode::RepairsLayout, &args)) })
}

/// The lines of the stop flag in a file that is not edited as YAML; none for other intents.
pub(crate) fn edits_of_unreadable(bytes: &[u8], intent: &Intent) -> Option<Vec<TextEdit>> {
    let reason = match intent {
        Intent::Pause => PAUSE_REASON.to_owned(),
        Intent::Stop { reason } => edit::stop_reason(reason.as_deref()),
        _ => return None,
    };
    let fields = [("stop_requested", &Written::word("true")), ("stop_reason", &Written::reason(&reason))];
    flag_lines::edits(bytes, &fields)
}

/// Why the loop is not set to running.
fn unread_layout(bytes: &[u8]) -> Refusal {
    let Ok(document) = state::read(bytes) else { return Refusal::new(RefusalCode::NotEditable) };
    let lints = lint::layout(bytes, &document);
    let is_repairable = normalise::normalised(bytes, &document, &lints).is_some();
    let code = if is_repairable { RefusalCode::UnreadLayout } else { RefusalCode::NotEditable };
    let rules = normalise::rules_of(lints.iter()).join(", ");
    Refusal::new(code).with("field", "control.status").with("rules", rules)
}

/// Adds to each possible verb what the layout means for it.
pub(crate) fn notices(
    bytes: &[u8],
    document: &Document<'_>,
    controls: &mut [Control],
    situation: &Situation,
) {
    let raised = u32::try_from(document.state.control.iteration.saturating_add(1)).unwrap_or(u32::MAX);
    for control in controls {
        let raise_limit_to = match &control.refusal {
            None => None,
            Some(refusal) if refusal.code == RefusalCode::LimitReached => Some(raised),
            Some(_) => continue,
        };
        let Some(intent) = intent_of(control.verb, raise_limit_to) else { continue };
        match edits(bytes, document.clone(), &intent, situation) {
            Ok(carried) => control.notice = carried.notice,
            // Said before the click, not after it.
            Err(refusal) if raise_limit_to.is_none() => control.refusal = Some(refusal),
            Err(_) => {}
        }
    }
}

/// The same for an unreadable file: only the lines of its flag are written.
pub(crate) fn notices_of_unreadable(bytes: &[u8], controls: &mut [Control]) {
    for control in controls.iter_mut().filter(|control| control.refusal.is_none()) {
        let Some(intent) = intent_of(control.verb, None) else { continue };
        match edits_of_unreadable(bytes, &intent) {
            Some(_) => control.notice = Some(Notice::new(NoticeCode::WritesLinesOnly, &[])),
            None => control.refusal = Some(Refusal::new(RefusalCode::DamagedFile)),
        }
    }
}

fn intent_of(verb: Verb, raise_limit_to: Option<u32>) -> Option<Intent> {
    Some(match verb {
        Verb::Start => Intent::Start,
        Verb::Pause => Intent::Pause,
        Verb::Resume => Intent::Resume { raise_limit_to },
        Verb::Stop => Intent::Stop { reason: None },
        Verb::Reopen => Intent::Reopen { raise_limit_to },
        Verb::Finalise => Intent::Finalise,
        Verb::EditMetadata | Verb::Delete => return None,
    })
}

/// What the hook should read afterwards.
struct Wanted {
    fields: Vec<(&'static str, &'static str)>,
    /// Numbers of unresolved and resolved atoms; none if the hook need not count them.
    atoms: Option<(usize, usize)>,
}

impl Wanted {
    fn from_intent(intent: &Intent, document: &Document<'_>) -> Self {
        let count = |words: &[&str]| {
            document.state.atoms.iter().filter(|atom| words.contains(&atom.word.as_ref())).count()
        };
        let mut fields = Vec::new();
        match intent {
            Intent::Pause | Intent::Stop { .. } => {
                fields.extend([("status", "running"), ("stop_requested", "true")]);
            }
            Intent::Finalise => fields.push(("status", "stopped")),
            _ => fields.extend([
                ("status", "running"),
                ("stall_count", "0"),
                ("prev_pending_count", "-1"),
                ("stop_requested", "false"),
                ("redirect_requested", "false"),
            ]),
        }
        let runs = intent.starts_work();
        let atoms = runs.then(|| (count(&["pending", "in_progress"]), count(&["resolved"])));
        Self { fields, atoms }
    }

    fn is_read_after(&self, bytes: &[u8], edits: &[TextEdit]) -> bool {
        text_edit::apply(bytes, edits).is_ok_and(|after| self.is_read(&after))
    }

    fn is_read(&self, after: &[u8]) -> bool {
        let Some(view) = HookView::from_bytes(after) else { return false };
        let counted = (view.count("pending") + view.count("in_progress"), view.count("resolved"));
        self.fields.iter().all(|(key, value)| view.control(key) == Some(value.as_bytes()))
            && self.atoms.is_none_or(|atoms| atoms == counted)
    }
}
