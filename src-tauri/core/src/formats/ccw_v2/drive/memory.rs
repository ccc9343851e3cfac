//! What the driver of a Loop v2 remembers between two actions.

use crate::driver::{ActionError, DriverQuestion, QuestionCode};
use crate::formats::ccw::read::debug_log::MARK;
use crate::phase::CcwPhase;
use crate::times::Timestamp;
use loopdeck_text::shorten;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

const MOST_ERRORS: usize = 20;
const LONGEST_ERROR: usize = 2_000;

/// What no file of a Loop v2 has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoopV2Memory {
    /// Rounds of DEBUG since the last test run or reply.
    pub debug_rounds: u32,
    /// Whether the last DEBUG round ended with a fix; `None` when nobody knows.
    pub fixed: Option<bool>,
    /// Test runs in the file when a person chose to continue although the same tests fail.
    pub excused_runs: u32,
    /// `debug.log` of the loop, relative to the folder; empty when the runtime does not say.
    pub debug_log: String,
    /// Files changed since the last test run.
    pub untested: bool,
    /// Files with log statements of debugging in them, as last seen.
    pub instrumented: BTreeSet<String>,
    /// Those that the loop's errors tell already.
    pub told_instrumented: BTreeSet<String>,
    /// Failures that the file does not have yet.
    pub errors: Vec<ActionError>,
}

impl LoopV2Memory {
    /// The person's reply to a question; what any other format asks changes nothing.
    pub(crate) fn answered(&mut self, question: &DriverQuestion) {
        match question.code {
            QuestionCode::DebugInconclusive => self.debug_rounds = 0,
            QuestionCode::TestsKeepFailing => {
                (self.excused_runs, self.debug_rounds) = (question.count, 0);
            }
            _ => {}
        }
    }

    /// An action failed: the file is to say so.
    pub(crate) fn error(&mut self, action: &str, message: &str, at: Timestamp) {
        let message = shorten(message.trim(), LONGEST_ERROR);
        self.errors.push(ActionError { action: action.to_uppercase(), message, at });
        let old = self.errors.len().saturating_sub(MOST_ERRORS);
        self.errors.drain(..old);
    }

    /// Files in which log statements of debugging were seen, of all that could have them.
    pub fn instrumented_now(&mut self, files: BTreeSet<String>) {
        self.told_instrumented.retain(|file| files.contains(file));
        self.instrumented = files;
    }

    /// The tests begin: log statements that should be gone are told once.
    pub fn tests_begin(&mut self, at: Timestamp) {
        let new: Vec<&str> =
            self.instrumented.difference(&self.told_instrumented).map(String::as_str).collect();
        if !new.is_empty() {
            let message = format!("Log statements marked {MARK} are still in: {}", new.join(", "));
            self.error(CcwPhase::Debug.word(), &message, at);
            self.told_instrumented.clone_from(&self.instrumented);
        }
    }
}
