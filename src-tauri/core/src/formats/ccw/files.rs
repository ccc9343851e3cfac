//! Where CCW loops and legacy sessions are (the CCW contract §1.2, §1.3, §7, §9).

use super::{format_by_name, outline, summary};
use crate::format::Format;
use crate::formats::loop_format::KnownFile;
use crate::formats::state_files::{StateFiles, folder, name_without};
use crate::summary::Summary;
use crate::view::{Companion, CompanionKind as Kind};

/// What the skills leave below `<id>.progress/`. A loop of the Claude skill keeps older names there (the CCW contract §7).
const PROGRESS: [(Kind, &str); 12] = [
    (Kind::DevelopDoc, "develop.md"),
    (Kind::DevelopDoc, "progress.md"),
    (Kind::DebugDoc, "debug.md"),
    (Kind::DebugDoc, "understanding.md"),
    (Kind::ValidateDoc, "validate.md"),
    (Kind::ValidateDoc, "validation.md"),
    (Kind::SummaryDoc, "summary.md"),
    (Kind::ChangesLog, "changes.log"),
    (Kind::DebugLog, "debug.log"),
    (Kind::Hypotheses, "hypotheses.json"),
    (Kind::TestResults, "test-results.json"),
    (Kind::Coverage, "coverage.json"),
];

/// What a legacy session folder holds (the CCW contract §9).
const SESSION: [(Kind, &str); 11] = [
    (Kind::SessionMeta, "meta.json"),
    (Kind::SessionTasks, "develop/tasks.json"),
    (Kind::SummaryDoc, "summary.md"),
    (Kind::DevelopDoc, "develop/progress.md"),
    (Kind::ChangesLog, "develop/changes.log"),
    (Kind::DebugDoc, "debug/understanding.md"),
    (Kind::Hypotheses, "debug/hypotheses.json"),
    (Kind::DebugLog, "debug/debug.log"),
    (Kind::ValidateDoc, "validate/validation.md"),
    (Kind::TestResults, "validate/test-results.json"),
    (Kind::Coverage, "validate/coverage.json"),
];

const SESSION_FOLDERS: [&str; 3] = ["develop", "debug", "validate"];

/// A `.json` file in a CCW root.
pub(crate) struct CcwFiles;

impl StateFiles for CcwFiles {
    fn summary(&self, (bytes, facts): KnownFile<'_>, _beside: &[Companion]) -> Option<Summary> {
        summary(bytes, facts)
    }

    fn outline(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        outline::outline(bytes)
    }

    fn format_by_name(&self, stem: &str) -> Format {
        format_by_name(stem)
    }

    fn stem<'f>(&self, file: &'f str) -> &'f str {
        name_without(file, ".json")
    }

    fn companion_names(&self, file: &str) -> Vec<(Kind, String)> {
        let stem = self.stem(file);
        let lists =
            [format!("{stem}.tasks.jsonl"), format!("{stem}/tasks.jsonl")].map(|name| (Kind::TaskList, name));
        let progress = PROGRESS.iter().map(|(kind, name)| (*kind, format!("{stem}.progress/{name}")));
        // Of the Claude skill only one action uses the folder above; the others keep to a session folder (§7).
        let session = SESSION.iter().map(|(kind, name)| (*kind, format!("{stem}/{name}")));
        lists.into_iter().chain(progress).chain(session).collect()
    }

    fn workers_folder(&self, file: &str) -> Option<String> {
        Some(format!("{}.workers", self.stem(file)))
    }

    fn companion_folders(&self, file: &str) -> Vec<String> {
        let stem = self.stem(file);
        let beside = [format!("{stem}.progress"), format!("{stem}.workers"), stem.to_owned()];
        beside.into_iter().chain(SESSION_FOLDERS.map(|below| format!("{stem}/{below}"))).collect()
    }

    fn belongings(&self, file: &str) -> Vec<String> {
        let path = format!("{}/{}", folder(file), self.stem(file));
        [".json", ".json.backup", ".tasks.jsonl", "", ".progress", ".workers"]
            .map(|ending| format!("{path}{ending}"))
            .to_vec()
    }
}

/// `state.json` of a legacy session folder.
pub(crate) struct LegacyFiles;

impl StateFiles for LegacyFiles {
    fn outline(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        outline::outline(bytes)
    }

    fn format_by_name(&self, _stem: &str) -> Format {
        Format::Legacy
    }

    fn companion_names(&self, _file: &str) -> Vec<(Kind, String)> {
        SESSION.map(|(kind, name)| (kind, name.to_owned())).to_vec()
    }

    fn companion_folders(&self, _file: &str) -> Vec<String> {
        std::iter::once("").chain(SESSION_FOLDERS).map(str::to_owned).collect()
    }

    fn has_own_folder(&self) -> bool {
        true
    }
}
