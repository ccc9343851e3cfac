//! `loopdeck repair DIR ID`: lists the available repairs. With a code, the repair is a change like any other.

use loopdeck_core::step::RepairOffer;

use super::complaint::{self, Complaint};
use super::output::Answer;
use super::text;
use super::workspace::Workspace;

/// The offers for the loop that `id` names. Changes nothing.
pub(super) fn offers(workspace: &Workspace, id: &str) -> Result<Answer, Complaint> {
    let row = workspace.find(id)?;
    let page = workspace.runtime.read_loop(&row.key)?;
    let offers = &page.detail.repairs;
    let line = |offer: &RepairOffer| {
        let ends: Vec<&str> = offer.ends.iter().map(|code| code.name()).collect();
        let (code, ends) = (text::name(offer.code), ends.join(", "));
        let Some(refusal) = &offer.refusal else {
            return text::sentence("headless", "repair", [("code", &*code), ("ends", &ends)]);
        };
        let reason = complaint::reason(refusal, Some(row));
        let args = [("code", &*code), ("ends", &ends), ("reason", &reason)];
        text::sentence("headless", "repair_refused", args)
    };
    let mut lines: Vec<String> = offers.iter().map(line).map(|line| text::plain(&line)).collect();
    if lines.is_empty() {
        let code = if row.errors == 0 { "no_repairs" } else { "no_repair_fits" };
        let recover = workspace.command("recover", &row.id);
        lines.push(text::sentence("headless", code, [("command", &*recover)]));
    }
    Answer::new(offers, lines)
}
