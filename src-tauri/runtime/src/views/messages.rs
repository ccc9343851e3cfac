//! Messages to the agents of a loop, as the window shows them.

use loopdeck_core::times::Timestamp;
use loopdeck_execution::records::LoopMessage;
use serde::Serialize;
use specta::Type;

/// What a person said to the agents of a loop. Untrusted text.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct MessageView {
    /// Names it in every command.
    pub id: u32,
    /// When, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub at: f64,
    /// Who.
    pub by: String,
    /// What it is about: a place in a file; empty for the loop as a whole.
    pub about: String,
    /// What.
    pub text: String,
    /// The first run that has it in its prompt; `None` while it waits.
    pub run: Option<String>,
    /// When that run began, ms since 1970 UTC.
    pub delivered_at: Option<f64>,
}

impl From<LoopMessage> for MessageView {
    fn from(message: LoopMessage) -> Self {
        let (run, delivered) = message.delivered.unzip();
        Self {
            id: u32::try_from(message.id).unwrap_or(u32::MAX),
            at: message.at.number(),
            by: message.by,
            about: message.about,
            text: message.text,
            run,
            delivered_at: delivered.map(Timestamp::number),
        }
    }
}
