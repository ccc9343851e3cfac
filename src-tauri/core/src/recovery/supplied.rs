//! API fields without a source: a person enters them over a proposal for a damaged file (the CCW contract
//! §16, "user must supply or confirm").

use crate::control::MetadataPatch;
use crate::format::{FileFacts, Format};
use crate::formats::ccw::recover::Recovery;
use crate::formats::ccw_v2::edit::{metadata, placed, valid};
use crate::problem::Severity;
use crate::recovery::remains::ProposalSource;
use crate::refusal::{Refusal, RefusalCode};
use crate::times::{self, Timestamp};
use loopdeck_text::json_span::change::{Change, NewValue};
use loopdeck_text::json_span::splice::Outline;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::text_edit;
use serde::{Deserialize, Serialize};
use specta::Type;

/// A person's input; absent fields stay as proposed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(default, deny_unknown_fields)]
pub struct Supplied {
    /// Title, description, limit and labels.
    pub metadata: MetadataPatch,
    /// `status`.
    pub status: Option<StatusChoice>,
    /// `current_iteration`, from 0.
    pub current_iteration: Option<u32>,
    /// `created_at`: ISO 8601, such as `2026-01-22T10:00:00Z`.
    pub created_at: Option<String>,
}

/// A status that a person can give a recovered loop (§4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum StatusChoice {
    /// Not started. Loop-B has no such word.
    Created,
    /// Running; without an agent it is shown as interrupted.
    Running,
    /// Paused.
    Paused,
    /// Completed.
    Completed,
    /// Failed.
    Failed,
    /// Left by the user.
    UserExit,
}

impl StatusChoice {
    fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::UserExit => "user_exit",
        }
    }
}

/// A field that a person can enter. Words: catalogue `api_field.<name>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ApiField {
    /// `title`
    Title,
    /// `description`
    Description,
    /// `status`
    Status,
    /// `current_iteration`
    CurrentIteration,
    /// `max_iterations`
    MaxIterations,
    /// `created_at`
    CreatedAt,
    /// `tags`
    Tags,
    /// `priority`
    Priority,
    /// `notes`
    Notes,
}

/// What a person can enter for a format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SuppliedFields {
    /// What is said about the loop.
    pub(crate) editable: &'static [&'static str],
    /// Whether it has a word for a loop that was not started.
    pub(crate) has_created: bool,
}

/// A field to ask a person for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct Asked {
    /// Which one.
    pub field: ApiField,
    /// The proposed value; empty when the proposal has no such field. Untrusted text.
    pub value: String,
}

const FIELDS: [(ApiField, &str); 9] = [
    (ApiField::Title, "title"),
    (ApiField::Description, "description"),
    (ApiField::Status, "status"),
    (ApiField::CurrentIteration, "current_iteration"),
    (ApiField::MaxIterations, "max_iterations"),
    (ApiField::CreatedAt, "created_at"),
    (ApiField::Tags, "tags"),
    (ApiField::Priority, "priority"),
    (ApiField::Notes, "notes"),
];

/// The fields that a proposal makes up, and the labels that may have been lost with them. None when nothing was made up.
#[must_use]
pub fn asked(format: Format, recovery: &Recovery) -> Vec<Asked> {
    let Some(SuppliedFields { editable, .. }) = format.rules().supplied_fields() else { return Vec::new() };
    let Ok(root) = Node::parse(recovery.text.as_bytes()) else { return Vec::new() };
    let source =
        |key: &str| recovery.provenance.iter().find(|field| field.path == key).map(|field| field.source);
    let is_made_up = |key: &str| match source(key) {
        Some(source) => matches!(source, "proposed" | "missing") || (key == "created_at" && source == "stem"),
        None => editable.contains(&key),
    };
    let asked: Vec<Asked> = FIELDS
        .into_iter()
        .filter(|(_, key)| is_made_up(key))
        .map(|(field, key)| {
            let node = root.get(key);
            let value = node.text().map(str::to_owned).or_else(|| node.shown(60)).unwrap_or_default();
            Asked { field, value: if node.is_null() { String::new() } else { value } }
        })
        .collect();
    let labels = |asked: &Asked| matches!(asked.field, ApiField::Tags | ApiField::Priority | ApiField::Notes);
    if asked.iter().all(labels) { Vec::new() } else { asked }
}

/// A proposal that we put together, with the time at which it is written as `updated_at`; a version that existed stays byte
/// for byte.
#[must_use]
pub fn stamped(format: Format, way: ProposalSource, text: String, now: Timestamp) -> String {
    let is_ours = matches!(way, ProposalSource::Prefix | ProposalSource::Rebuilt);
    if !is_ours || format.rules().supplied_fields().is_none() {
        return text;
    }
    let now = NewValue::Text(times::to_iso_millis(now));
    edited(&text, &[placed("updated_at", now)]).unwrap_or(text)
}

/// The proposal with a person's input; the other fields stay byte for byte.
///
/// # Errors
/// `BadValue` with the field, `NotInFormat` for a format without such input.
pub fn supply(
    format: Format,
    text: &str,
    supplied: &Supplied,
    facts: &FileFacts<'_>,
) -> Result<String, Refusal> {
    if *supplied == Supplied::default() {
        return Ok(text.to_owned());
    }
    let fields = format.rules().supplied_fields().ok_or_else(|| Refusal::new(RefusalCode::NotInFormat))?;
    let mut changes = metadata(&supplied.metadata, fields.editable, "")?;
    changes.retain(|change| change.key() != "updated_at"); // that is the time of the last work on the loop
    if let Some(status) = supplied.status {
        valid("status", fields.has_created || status != StatusChoice::Created)?;
        changes.push(placed("status", NewValue::Text(status.word().to_owned())));
    }
    if let Some(iteration) = supplied.current_iteration {
        changes.push(placed("current_iteration", NewValue::Integer(iteration)));
    }
    if let Some(time) = &supplied.created_at {
        valid("created_at", times::parse(time).is_some())?;
        changes.push(placed("created_at", NewValue::Text(time.trim().to_owned())));
    }
    let changed = edited(text, &changes).ok_or_else(|| Refusal::new(RefusalCode::NotEditable))?;
    let summary = crate::formats::ccw::summary(changed.as_bytes(), facts);
    let problem = summary.into_iter().flat_map(|summary| summary.problems);
    match problem.into_iter().find(|problem| problem.severity == Severity::Error) {
        Some(problem) => Err(Refusal::new(RefusalCode::BadValue).with("field", problem.path)),
        None => Ok(changed),
    }
}

fn edited(text: &str, changes: &[Change<'_>]) -> Option<String> {
    let edits = Outline::read(text.as_bytes(), &[]).ok()?.edit(changes).ok()?;
    String::from_utf8(text_edit::apply(text.as_bytes(), &edits).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recovery::{Remains, proposals};

    const STEM: &str = "loop-v2-20260122T020000-3fa91c0e";
    const FACTS: FileFacts<'static> = FileFacts {
        stem: STEM,
        modified: Timestamp::from_millis(1_795_148_661_870),
        now: Timestamp::from_millis(1_795_148_661_870),
    };

    fn proposal(damaged: &str) -> Recovery {
        let remains = Remains { damaged: damaged.as_bytes(), ..Remains::default() };
        proposals(Format::LoopV2, &remains, &FACTS).into_iter().next().expect("a proposal").1
    }

    #[test]
    fn what_is_made_up_is_asked_for() {
        let fields = |damaged: &str| -> Vec<(ApiField, String)> {
            let asked = asked(Format::LoopV2, &proposal(damaged));
            asked.into_iter().map(|asked| (asked.field, asked.value)).collect()
        };
        let head =
            format!("{{\"loop_id\":\"{STEM}\",\"title\":\"T\",\"description\":\"D\",\"max_iterations\":5,");
        let asked = fields(&head);
        let names: Vec<ApiField> = asked.iter().map(|(field, _)| *field).collect();
        let labels = [ApiField::Tags, ApiField::Priority, ApiField::Notes];
        assert_eq!(names[..3], [ApiField::Status, ApiField::CurrentIteration, ApiField::CreatedAt]);
        assert_eq!(names[3..], labels);
        assert_eq!((asked[0].1.as_str(), asked[1].1.as_str()), ("paused", "0"));
        assert_eq!(asked[2].1, "2026-01-22T02:00:00.000Z", "from the name");
        let whole = format!(
            "{head}\"status\":\"paused\",\"current_iteration\":1,\"created_at\":\"2026-01-22T02:00:00Z\",\"updated_at\":\"2026-01-22T02:00:00Z\"}} tail"
        );
        assert_eq!(fields(&whole), [], "everything is there");
    }

    #[test]
    fn what_is_typed_in_takes_the_place_of_what_was_proposed() {
        let text = proposal("").text;
        let supplied = Supplied {
            metadata: MetadataPatch {
                title: Some(" Login ".to_owned()),
                description: Some("All of it".to_owned()),
                max_iterations: Some(7),
                tags: Some(vec!["auth".to_owned()]),
                ..MetadataPatch::default()
            },
            status: Some(StatusChoice::Failed),
            current_iteration: Some(4),
            created_at: Some("2026-01-21T10:00:00Z".to_owned()),
        };
        let changed = supply(Format::LoopV2, &text, &supplied, &FACTS).expect("good values");
        let root = Node::parse(changed.as_bytes()).expect("JSON");
        let said = |key: &str| root.get(key).text().map(str::to_owned);
        assert_eq!(said("title").as_deref(), Some("Login"));
        assert_eq!(
            (said("status").as_deref(), said("created_at").as_deref()),
            (Some("failed"), Some("2026-01-21T10:00:00Z"))
        );
        assert_eq!(root.get("max_iterations").number(), Some(7.0));
        assert_eq!(root.get("current_iteration").number(), Some(4.0));
        assert_eq!(root.get("tags").items().len(), 1);
        let updated = Node::parse(text.as_bytes()).expect("JSON").get("updated_at").text().map(str::to_owned);
        assert_eq!(said("updated_at"), updated);
        assert_eq!(supply(Format::LoopV2, &text, &Supplied::default(), &FACTS).as_deref(), Ok(&*text));
    }

    #[test]
    fn bad_values_are_refused() {
        let text = proposal("").text;
        let bad = |supplied: Supplied, format: Format| {
            let refusal = supply(format, &text, &supplied, &FACTS).expect_err("refused");
            (refusal.code, refusal.args.get("field").cloned().unwrap_or_default())
        };
        let title = MetadataPatch { title: Some("  ".to_owned()), ..MetadataPatch::default() };
        let time = Supplied { created_at: Some("yesterday".to_owned()), ..Supplied::default() };
        let created = Supplied { status: Some(StatusChoice::Created), ..Supplied::default() };
        for (supplied, format, code, field) in [
            (
                Supplied { metadata: title, ..Supplied::default() },
                Format::LoopV2,
                RefusalCode::BadValue,
                "title",
            ),
            (time, Format::LoopV2, RefusalCode::BadValue, "created_at"),
            (created.clone(), Format::LoopB, RefusalCode::BadValue, "status"),
            (created, Format::Aot, RefusalCode::NotInFormat, ""),
        ] {
            assert_eq!(bad(supplied, format), (code, field.to_owned()));
        }
        assert_eq!(
            proposals(Format::Aot, &Remains::default(), &FACTS)
                .iter()
                .map(|(way, _)| *way)
                .collect::<Vec<ProposalSource>>(),
            []
        );
    }
}
