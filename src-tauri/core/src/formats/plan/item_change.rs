//! Changes of a plan's items, in the plan's own file or in the one that an item names.

use super::operation::PlanOperation;
use super::{PlanRules, view};
use crate::formats::loop_format::KnownFile;
use crate::outcome::{FileChanges, FileWrite};
use crate::refusal::{Refusal, RefusalCode, not_editable};
use crate::view::{Companion, CompanionKind};
use loopdeck_plans::{Item, ItemChange, edits, is_meant};
use loopdeck_text::text_edit;

impl PlanRules {
    /// What carries out a change of an item. It is read back, and refused when it would be anything but what was meant.
    pub(super) fn change_item(
        self,
        file: KnownFile<'_>,
        step: &PlanOperation,
        beside: &[Companion],
    ) -> Result<FileChanges, Refusal> {
        let plan = self.good_plan(file, beside)?;
        let (at, shown) = step.item();
        let changed = || Refusal::new(RefusalCode::NoSuchTask).with("field", shown);
        let item = plan.items.get(at).filter(|item| view::shown_text(item) == shown).ok_or_else(changed)?;
        let (change, field) = change_of(step)?;
        if matches!(change, ItemChange::Mark(to) if item.state == to) {
            return Err(Refusal::new(RefusalCode::NothingChanges));
        }
        let refused = || not_editable(field);
        let bytes = file_of(item, file.0, beside).ok_or_else(refused)?;
        let text = std::str::from_utf8(bytes).map_err(|_| refused())?;
        let edits = edits(self.0.format(), text, &plan, at, change).ok_or_else(refused)?;
        let after = text_edit::apply(bytes, &edits).map_err(|_| refused())?;
        let read_back = match &item.file {
            None => self.good_plan((&after, file.1), beside)?,
            Some(name) => self.good_plan(file, &with_file(beside, name, &after))?,
        };
        if !is_meant(&plan, &read_back, at, change) {
            return Err(refused());
        }
        let Some(name) = &item.file else { return Ok(FileChanges::from(edits)) };
        let after = String::from_utf8(after).map_err(|_| refused())?;
        let write = FileWrite::replace_only(name.clone(), text.to_owned(), after);
        Ok(FileChanges { edits: Vec::new(), files: vec![write] })
    }
}

/// The change that a step asks for, and the field that a refusal names.
fn change_of(step: &PlanOperation) -> Result<(ItemChange<'_>, &'static str), Refusal> {
    let place = |place: &u32| usize::try_from(*place).unwrap_or(usize::MAX);
    Ok(match step {
        PlanOperation::Mark { to, .. } => {
            (ItemChange::Mark(view::item_state(*to).ok_or_else(|| not_editable("state"))?), "state")
        }
        PlanOperation::Reword { to, .. } => (ItemChange::Reword(to), "text"),
        PlanOperation::Move { before, .. } => (ItemChange::MoveBefore(before.as_ref().map(place)), "order"),
        PlanOperation::Add { new, .. } => (ItemChange::AddBehind(new), "text"),
    })
}

/// The bytes of the file that an item stands in.
fn file_of<'f>(item: &Item, own: &'f [u8], beside: &'f [Companion]) -> Option<&'f [u8]> {
    let Some(name) = &item.file else { return Some(own) };
    let is_it = |companion: &&Companion| companion.kind == CompanionKind::Plan && companion.file == *name;
    beside.iter().find(is_it).map(|companion| companion.bytes.as_slice())
}

/// The files next to a plan, one of them with other bytes.
fn with_file(beside: &[Companion], name: &str, bytes: &[u8]) -> Vec<Companion> {
    let mut beside = beside.to_vec();
    for companion in beside.iter_mut().filter(|one| one.kind == CompanionKind::Plan && one.file == name) {
        companion.bytes = bytes.to_vec();
    }
    beside
}
