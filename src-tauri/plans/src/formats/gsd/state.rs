//! STATE.md: front matter that GSD's tool writes, and the body, which is all that older files have.

use super::lists::entries;
use crate::finding::{Finding, FindingCode};
use crate::format::Lines;
use crate::front_matter::FrontMatter;
use crate::plan::{Fact, FactValue, Plan, PlanStatus};
use loopdeck_text::shorten;

/// The file with its two parts.
pub(super) struct PositionFile<'t> {
    text: &'t str,
    front: Option<FrontMatter<'t>>,
    body: &'t str,
}

impl<'t> PositionFile<'t> {
    /// `None` for a file of another tool.
    pub(super) fn read(text: &'t str) -> Option<Self> {
        let front = FrontMatter::read(text);
        let body = front.as_ref().map_or(text, FrontMatter::body);
        let has_version = front.as_ref().is_some_and(|front| front.raw("gsd_state_version").is_some());
        let is_ours =
            |line: &str| line.starts_with("# Project State") || line.starts_with("## Current Position");
        let is_ours = has_version || body.trim_start_matches('\u{feff}').lines().any(is_ours);
        is_ours.then_some(Self { text, front, body })
    }

    /// A field of the front matter.
    pub(super) fn front(&self, key: &str) -> Option<&'t str> {
        self.front.as_ref()?.value(key)
    }

    /// A count below `progress`.
    pub(super) fn count(&self, key: &str) -> Option<usize> {
        let inner = &self.text[self.front.as_ref()?.inner.clone()];
        let line = inner.lines().find_map(|line| {
            line.strip_prefix([' ', '\t'])?.trim_start().strip_prefix(key)?.strip_prefix(':')
        });
        line?.trim().trim_matches('"').parse().ok()
    }

    /// A field of the body: `Status: …`, `**Status:** …`, or a row of a table.
    fn body(&self, name: &str) -> Option<&'t str> {
        let value = |line: &'t str| {
            let line = line.trim_start_matches(['*', '-', '|', ' ']);
            let rest = line
                .get(..name.len())
                .filter(|start| start.eq_ignore_ascii_case(name))
                .map(|start| &line[start.len()..])?;
            let rest = rest.trim_start_matches(['*', ' ']).strip_prefix([':', '|'])?;
            Some(rest.trim_matches(['*', '|', ' ', '\t', '\r'])).filter(|value| !value.is_empty())
        };
        self.body.lines().find_map(value)
    }

    fn either(&self, key: &str, name: &str) -> Option<&'t str> {
        self.front(key).or_else(|| self.body(name))
    }

    /// The number of the phase that is being worked on, as it says.
    pub(super) fn working_on(&self) -> Option<String> {
        let is_running = self.either("status", "Status").and_then(meaning) == Some(PlanStatus::Running);
        let written = self.front("active_phase").or_else(|| self.either("current_phase", "Phase"));
        let written = written.filter(|_| is_running)?.split_whitespace().next()?;
        super::names::number(written)
    }

    /// Says of the plan what the file says.
    pub(super) fn fill(&self, plan: &mut Plan) {
        plan.goal = self.body("Core value").map(|text| shorten(text, 1_000));
        self.front("status").or_else(|| self.body("Status")).unwrap_or_default().clone_into(&mut plan.word);
        plan.status = meaning(&plan.word);
        let written = self.front.as_ref().and_then(|front| front.place("status"));
        if let Some(place) = written.filter(|_| plan.status.is_none() && !plan.word.is_empty()) {
            plan.status = Some(PlanStatus::Unknown);
            let finding =
                Finding::new(FindingCode::UnknownWord).with("item", "status").with("found", &plan.word);
            plan.findings.push(finding.at_line(Lines::of(self.text).of_byte(place.start)));
        }
        if self.front("paused_at").is_some() {
            plan.status = Some(PlanStatus::Paused);
        }
        let reason = self.front("paused_at").or_else(|| self.either("stopped_at", "Stopped at"));
        plan.reason = reason.map(|text| shorten(text, 2_000));
        plan.word = shorten(&plan.word, 200);
        let code = |text: Option<&str>| FactValue::code(text.unwrap_or_default());
        let text = |text: Option<&str>| FactValue::text(shorten(text.unwrap_or_default(), 2_000));
        let time = |time: Option<&str>| time.map(|time| FactValue::Time(time.to_owned()));
        let inner = self.front.as_ref().map_or("", |front| &self.text[front.inner.clone()]);
        let list = |list: Vec<String>| {
            Some(FactValue::List(list)).filter(|value| *value != FactValue::List(Vec::new()))
        };
        let facts = [
            ("milestone", code(self.front("milestone"))),
            ("milestone_name", text(self.front("milestone_name"))),
            ("current_phase", text(self.either("current_phase", "Phase"))),
            ("current_phase_name", text(self.front("current_phase_name"))),
            ("current_plan", text(self.either("current_plan", "Plan"))),
            ("active_phase", code(self.front("active_phase"))),
            ("next_action", code(self.front("next_action"))),
            ("next_phases", list(entries(inner, "next_phases"))),
            ("last_activity", text(self.either("last_activity", "Last activity"))),
            ("last_updated", time(self.front("last_updated"))),
            ("blockers", list(self.blockers())),
        ];
        let facts = facts.into_iter().filter_map(|(name, value)| value.map(|value| Fact { name, value }));
        plan.facts.extend(facts);
    }

    /// What it lists as in the way.
    fn blockers(&self) -> Vec<String> {
        let below = self.body.lines().skip_while(|line| !line.starts_with("### Blockers")).skip(1);
        let section = below.take_while(|line| !line.starts_with('#'));
        let entry = section.filter_map(|line| line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")));
        let over = ["none", "resolved", "closed", "~~"];
        let is_one = |text: &&str| {
            let lower = text.trim_start_matches(['*', '[', '✅', ' ']).to_ascii_lowercase();
            !over.iter().any(|word| lower.starts_with(word))
        };
        entry.map(str::trim).filter(is_one).take(100).map(|text| shorten(text, 1_000)).collect()
    }
}

/// What its tool reads in a status, in its order; `in-progress` is none of its words.
fn meaning(word: &str) -> Option<PlanStatus> {
    let lower = word.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    match () {
        () if has(&["paused", "stopped"]) => Some(PlanStatus::Paused),
        () if has(&["executing", "in progress", "planning", "ready to plan", "discussing", "verif"]) => {
            Some(PlanStatus::Running)
        }
        () if has(&["complete", "done", "awaiting next milestone"]) => Some(PlanStatus::Completed),
        () if has(&["ready to execute"]) => Some(PlanStatus::Running),
        () => None,
    }
}
