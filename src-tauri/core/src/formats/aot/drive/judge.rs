//! What a judge's answer means for a quality check of the file (AoT contract §11).

use super::verify::{AotConclusion, VerificationDesk};
use crate::checklist::outcome::is_asked;
use crate::driver::judge::{check_of, judged, judges};
use crate::driver::{AgentTask, Conclusion, Ended, Memory};
use crate::format::FileFacts;
use crate::formats::aot::checklist_of;
use crate::formats::aot::read::state;

/// What follows from the end of a judge: its scores are weighted, or it is asked again. `bytes`: the current file.
pub fn conclude_judge(
    task: &AgentTask,
    ended: &Ended<'_>,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> AotConclusion {
    let document = state::read(bytes).ok();
    let checklist = document.as_ref().map(checklist_of).unwrap_or_default();
    let threshold = checklist.rows.get(check_of(task).0).and_then(|check| check.pass_threshold);
    let outcome = match judged(task, ended, threshold, memory) {
        Ok(outcome) => outcome,
        Err(concluded) => return *concluded,
    };
    let Some(mut desk) = VerificationDesk::open(bytes, facts, memory) else {
        return Conclusion::Write(Vec::new());
    };
    desk.take_result(outcome, |_, now| is_asked(now) && judges(task, now));
    desk.close()
}
