//! A plan's own tool: the command with which it continues the plan, and the time in which Loopdeck runs that.

use super::{PlanRules, beside_of, rules_of};
use crate::control::Situation;
use crate::format::Format;
use crate::formats::loop_format::KnownFile;
use crate::status::StatusWord;
use crate::view::Companion;
use loopdeck_plans::Plan;

impl PlanRules {
    /// The command, word by word; empty where there is none.
    pub(super) fn own_command(
        self,
        file: KnownFile<'_>,
        plan: &Plan,
        companions: &[Companion],
    ) -> Vec<String> {
        let beside = beside_of(companions);
        self.0.format().command(&self.source(file, &beside), plan).unwrap_or_default()
    }
}

/// The command with which the own tool of a plan continues it now; `None` where there is none that Loopdeck runs.
pub(crate) fn command(format: Format, file: KnownFile<'_>, companions: &[Companion]) -> Option<Vec<String>> {
    format.plan()?;
    let rules = rules_of(format);
    let plan = rules.plan(file, companions).ok()??;
    Some(rules.own_command(file, &plan, companions)).filter(|command| can_run(command))
}

/// Whether Loopdeck runs it: its program is one of the computer, by its plain name. A script of the folder is only shown.
pub(super) fn can_run(command: &[String]) -> bool {
    command.first().is_some_and(|program| !program.is_empty() && !program.contains(['/', '\\']))
}

/// Whether the tool runs under Loopdeck: nothing but a run of ours gives a plan these words.
pub(super) fn runs(situation: &Situation) -> bool {
    use StatusWord as W;
    matches!(situation.shown, W::Starting | W::Running | W::Silent | W::Pausing | W::Stopping)
}
