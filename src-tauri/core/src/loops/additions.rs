//! One more thing to do, in the form that the list of a loop has for it.

use crate::control::Situation;
use crate::driver::Memory;
use crate::format::Format;
use crate::formats::list::operation::ListOperation;
use crate::formats::loop_format::KnownFile;
use crate::formats::plan::operation::PlanOperation;
use crate::status::StatusWord;
use crate::step::Operation;
use crate::view::{Companion, LoopDetail};

/// What adds an item with this text behind those that `detail` has; `None` where there is none to add it behind. A format without such
/// a list refuses it.
#[must_use]
pub fn addition(format: Format, detail: &LoopDetail, text: &str) -> Option<Operation> {
    let new = text.to_owned();
    if format.plan().is_none() {
        return Some(Operation::List { step: ListOperation::Add { text: new } });
    }
    let (at, last) = detail.tasks.iter().enumerate().next_back()?;
    let (at, text) = (u32::try_from(at).ok()?, last.description.clone());
    Some(Operation::Plan { step: PlanOperation::Add { at, text, new } })
}

/// The oldest item that waits for the end of an agent, and what adds it to the file as it is now. It waits no longer.
#[must_use]
pub fn take_addition(
    format: Format,
    file: KnownFile<'_>,
    beside: &[Companion],
    memory: &mut Memory,
) -> Option<(String, Option<Operation>)> {
    let text = (!memory.additions.is_empty()).then(|| memory.additions.remove(0))?;
    let situation = Situation { shown: StatusWord::Running, now: file.1.now };
    let detail = format.rules().detail(file, &situation, beside);
    let operation = addition(format, &detail, &text);
    Some((text, operation))
}
