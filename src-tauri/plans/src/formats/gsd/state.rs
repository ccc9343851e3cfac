//! STATE.md: front matter that GSD's tool writes, and the body, which is all that older files have. A pause has a file of its own.

use super::roadmap::field;
use crate::fields::list;
use crate::finding::{Finding, FindingCode};
use crate::format::Source;
use crate::front_matter::FrontMatter;
use crate::json::{self, word};
use crate::plan::{Fact, FactValue, Plan, PlanStatus, facts_of};
use crate::records;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;

/// What its tool reads in a status, in its order; `in-progress` is none of its words.
const MEANINGS: [(&[&str], PlanStatus); 4] = [
    (&["paused", "stopped"], PlanStatus::Paused),
    (&["executing", "in progress", "planning", "ready to plan", "discussing", "verif"], PlanStatus::Running),
    (&["complete", "done", "awaiting next milestone"], PlanStatus::Completed),
    (&["ready to execute"], PlanStatus::Running),
];

/// Words that the tool writes and that say nothing of how far the work is: its items do.
const WITHOUT_MEANING: [&str; 4] = ["unknown", "active", "defining requirements", "shipped"];

fn meaning(word: &str) -> Option<PlanStatus> {
    let lower = word.to_lowercase();
    let found = MEANINGS.iter().find(|(words, _)| words.iter().any(|word| lower.contains(word)));
    found.map(|(_, status)| *status)
}

/// The file.
pub(super) struct PositionFile<'t> {
    front: FrontMatter<'t>,
}

impl<'t> PositionFile<'t> {
    /// `None` for a file of another tool.
    pub(super) fn read(text: &'t str) -> Option<Self> {
        let front = FrontMatter::of(text);
        let headings = ["# project state", "## current position"];
        let is_ours = |line: &str| {
            line.starts_with('#') && headings.iter().any(|own| line.to_ascii_lowercase().starts_with(own))
        };
        let body = front.body().trim_start_matches('\u{feff}');
        let is_ours = front.raw("gsd_state_version").is_some() || body.lines().any(is_ours);
        is_ours.then_some(Self { front })
    }

    /// A field of the front matter.
    pub(super) fn front(&self, key: &str) -> Option<&'t str> {
        self.front.value(key)
    }

    /// A count below `progress`.
    pub(super) fn count(&self, key: &str) -> Option<usize> {
        self.front.inner_text().lines().find_map(|line| field(line, key))?.trim_matches('"').parse().ok()
    }

    /// A field of the front matter, or the one of the body.
    fn either(&self, key: &str, name: &str) -> Option<&'t str> {
        self.front(key).or_else(|| self.body(name))
    }

    fn body(&self, name: &str) -> Option<&'t str> {
        self.front.body().lines().find_map(|line| field(line, name))
    }

    /// The number of the phase that is being worked on, as it says.
    pub(super) fn working_on(&self) -> Option<String> {
        let is_running = self.either("status", "Status").and_then(meaning) == Some(PlanStatus::Running);
        let written = self.front("active_phase").or_else(|| self.either("current_phase", "Phase"));
        super::names::number(written.filter(|_| is_running)?.split_whitespace().next()?)
    }

    /// A plan with what the file says.
    pub(super) fn plan(&self) -> Plan {
        let word = shorten(self.either("status", "Status").unwrap_or_default(), 200);
        let paused = self.front("paused_at").map(|_| PlanStatus::Paused);
        let reason = self.front("paused_at").or_else(|| self.either("stopped_at", "Stopped at"));
        let code = |text: Option<&str>| FactValue::code(text.unwrap_or_default());
        let text = |text: Option<&str>| FactValue::text(shorten(text.unwrap_or_default(), 2_000));
        let facts = facts_of([
            ("milestone", code(self.front("milestone"))),
            ("milestone_name", text(self.front("milestone_name"))),
            ("current_phase", text(self.either("current_phase", "Phase"))),
            ("current_phase_name", text(self.front("current_phase_name"))),
            ("current_plan", text(self.either("current_plan", "Plan"))),
            ("active_phase", code(self.front("active_phase"))),
            ("next_action", code(self.front("next_action"))),
            ("last_activity", text(self.either("last_activity", "Last activity"))),
            ("last_updated", self.front("last_updated").map(|time| FactValue::Time(time.to_owned()))),
        ]);
        let lists = [list("next_phases", self.front.list("next_phases")), list("blockers", self.blockers())];
        let mut plan = Plan {
            goal: self.body("Core value").map(|text| shorten(text, 1_000)),
            status: paused.or(meaning(&word)),
            reason: reason.map(|text| shorten(text, 2_000)),
            facts: facts.into_iter().chain(lists.into_iter().flatten()).collect(),
            word,
            ..Plan::default()
        };
        let lower = plan.word.to_lowercase();
        let is_unknown = plan.status.is_none() && !WITHOUT_MEANING.contains(&lower.as_str());
        plan.findings.extend(self.front("status").filter(|_| is_unknown).map(|_| {
            let finding = Finding::new(FindingCode::UnknownWord).with("item", "status");
            finding.with("found", &plan.word).at_line(self.front.line("status"))
        }));
        plan
    }

    /// What it lists as in the way.
    fn blockers(&self) -> Vec<String> {
        let below = self.front.body().lines().skip_while(|line| !line.starts_with("### Blockers")).skip(1);
        let section = below.take_while(|line| !line.starts_with('#'));
        let entry = section.filter_map(|line| line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")));
        let is_one = |text: &&str| {
            let lower = text.trim_start_matches(['*', '[', ' ']).to_ascii_lowercase();
            !["none", "resolved", "closed", "~~", "✅", "✓"].iter().any(|word| lower.starts_with(word))
        };
        entry.map(str::trim).filter(is_one).take(100).map(|text| shorten(text, 1_000)).collect()
    }
}

/// What the handoff of a pause says: why it rests, how to go on, and what a person has to do first.
pub(super) fn tell_pause(plan: &mut Plan, source: &Source<'_>, state: &PositionFile<'_>) {
    let Some(handoff) = records::beside(source, "HANDOFF.json") else { return };
    let root = handoff.root();
    let text = |key: &str| Some(word(root.get(key))).filter(|text| !text.is_empty());
    // The tool removes it when work resumes; one from before the day of the last change was forgotten.
    let days = text("timestamp").zip(state.front("last_updated"));
    if days.is_some_and(|(paused, updated)| paused.get(..10) < updated.get(..10)) {
        return;
    }
    if text("status").is_none_or(|status| status == "paused") && plan.status != Some(PlanStatus::Completed) {
        plan.status = Some(PlanStatus::Paused);
        plan.reason = text("context_notes").or(plan.reason.take());
    }
    let entries = ["human_actions_pending", "blockers"].iter().flat_map(|key| root.get(key).items());
    let entry = |node: &Node<'_>| word(json::first(node, &["action", "description"]).unwrap_or(node));
    plan.needs.extend(entries.map(entry).filter(|text| !text.is_empty()));
    let value = text("next_action").and_then(FactValue::text);
    plan.facts.extend(value.map(|value| Fact { name: "resume_with", value }));
}
