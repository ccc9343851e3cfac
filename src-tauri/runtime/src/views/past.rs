//! The past of a loop: its versions, what they changed, and its timeline.

use super::{Failure, LoopRow};
use loopdeck_core::compare::Changed;
pub use loopdeck_core::past::{Asker, VersionWriter, WriteCause};
use loopdeck_core::timeline::TimelineEntry;
use loopdeck_core::view::LoopDetail;
use serde::Serialize;
use specta::Type;

/// One kept version of a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct VersionView {
    /// Names it in [`version`](crate), `restore`.
    pub id: u32,
    /// When it was written, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub at: f64,
    /// Who wrote it.
    pub who: VersionWriter,
    /// For ours: what it was for.
    pub cause: Option<WriteCause>,
    /// Bytes.
    #[specta(type = u32)] // a finite number in TypeScript
    pub size: f64,
    /// The file has these bytes now.
    pub current: bool,
    /// Whether it can be read as a loop.
    pub readable: bool,
    /// Who asked for it from another machine.
    pub asker: Option<Asker>,
}

/// A loop as it was then. Nothing can be done on the strength of it but restoring it.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct VersionPage {
    /// Names it.
    pub id: u32,
    /// When it was written, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub at: f64,
    /// What a list would have shown: the file alone tells it, and no verb is possible.
    pub row: LoopRow,
    /// Everything the file said; its companions are not kept.
    pub detail: LoopDetail,
    /// What changed from then to now.
    pub since: Vec<Changed>,
    /// What the file alone told then, oldest first.
    pub timeline: Vec<TimelineEntry>,
}

/// What one kept version changed against the one before it.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct PastChange {
    /// Names the version.
    pub id: u32,
    /// When it was written, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub at: f64,
    /// Who wrote it.
    pub who: VersionWriter,
    /// For ours: what it was for.
    pub cause: Option<WriteCause>,
    /// What it changed.
    pub changes: Vec<Changed>,
}

/// The timeline of a loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct TimelinePage {
    /// What happened, oldest first.
    pub entries: Vec<TimelineEntry>,
    /// The kept versions that entries name, newest first; at most 200.
    pub versions: Vec<VersionView>,
    /// Not all versions are compared with the ones before them yet: asked again, the page is whole.
    pub more: bool,
    /// Why the journal could not be read; then this is what the files say, with what was known of the journal before.
    pub failure: Option<Failure>,
}
