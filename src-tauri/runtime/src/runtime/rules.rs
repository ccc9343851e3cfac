//! The door of attention rules.

use super::Runtime;
use crate::rules::{TriedLoop, TriedWorkspace, try_rule};
use crate::views::{Failure, FailureKind, RuleTrial};
use loopdeck_core::facts::AttentionRule;
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::past::Past;
use loopdeck_core::timeline::entries;
use loopdeck_core::times::Timestamp;
use loopdeck_system::clock;

/// Most rules of a person.
const MOST_RULES: usize = 50;

impl Runtime {
    /// The person's rules.
    pub fn attention_rules(&self) -> Vec<AttentionRule> {
        self.remembered(|remembered| remembered.rules.clone())
    }

    /// Keeps rules in the place of those before.
    ///
    /// # Errors
    /// `BadForm` when a number cannot be compared with; `OwnData` when they cannot be saved, or the journal cannot be read.
    pub fn save_attention_rules(&self, rules: Vec<AttentionRule>) -> Result<(), Failure> {
        if rules.len() > MOST_RULES || rules.iter().any(|rule| !rule.is_valid()) {
            return Err(Failure::new(FailureKind::BadForm).with("field", "limit"));
        }
        self.remember(|remembered| remembered.rules = rules)?;
        self.look_at_rules()
    }

    /// What a rule would have done in the last week.
    ///
    /// # Errors
    /// `BadForm` when its number cannot be compared with; `OwnData` when the journal cannot be read.
    pub fn try_attention_rule(&self, rule: &AttentionRule) -> Result<RuleTrial, Failure> {
        if !rule.is_valid() {
            return Err(Failure::new(FailureKind::BadForm).with("field", "limit"));
        }
        let workspaces: Vec<TriedWorkspace> = self.read(|catalog| {
            let about = catalog.workspaces.iter().filter(|workspace| rule.is_about(&workspace.id));
            let loops = |id: &str| {
                let of = catalog.entries().filter(|(_, entry)| &*entry.workspace == id);
                let tried = of.map(|(key, entry)| TriedLoop {
                    key: key.clone(),
                    candidate: entry.candidate.clone(),
                    title: entry.summary.title.clone(),
                });
                tried.map(|tried| (tried.candidate.file.clone(), tried)).collect()
            };
            let tried = about.map(|workspace| TriedWorkspace {
                path: workspace.path.to_string_lossy().into_owned(),
                loops: loops(&workspace.id),
            });
            tried.collect()
        });
        let mut journal = self.journal_for_reading()?;
        let signs = |key: &LoopId| self.signs_of_life(key);
        try_rule(rule, &workspaces, &mut journal, clock::now(), signs).map_err(Failure::own_data)
    }

    /// When anything of a loop happened, as its files say it now; and when one of them changed last.
    fn signs_of_life(&self, key: &LoopId) -> Vec<Timestamp> {
        let Ok(found) = self.find(key) else { return Vec::new() };
        let told = entries(&found.detail().0, &Past::default());
        let told = told.iter().filter_map(|entry| entry.ms).map(Timestamp::from_number);
        told.chain([found.entry.foreign_change]).collect()
    }
}
