//! A run as the journal keeps it: JSON whose fields and numbers are those of version 0.1.0, so that either version reads the
//! other's.

use loopdeck_agents::Level;
use loopdeck_agents::outcome::Outcome;
use loopdeck_core::driver::Checked;
use loopdeck_core::times::Timestamp;
use loopdeck_execution::changes::ChangeTotals;
use loopdeck_execution::rows::{Resumed, StopView};
use loopdeck_execution::run::{Run, RunAction};
use loopdeck_results::unread::UnreadReport;
use loopdeck_system::words::from_word;
use serde::{Deserialize, Deserializer, Serialize};

/// The record of a run. What its fields mean, [`Run`] says; points in time are milliseconds since 1970 UTC.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RunRecord {
    id: String,
    action: String,
    task: Option<String>,
    iteration: u32,
    agent: String,
    #[serde(default)]
    agent_id: String,
    #[serde(default)]
    level: Option<Level>,
    #[serde(default)]
    worktree: Option<String>,
    model: Option<String>,
    started: f64,
    ended: Option<f64>,
    #[serde(default, deserialize_with = "kept_outcome")]
    outcome: Option<Outcome>,
    message: Option<String>,
    denied: Option<u32>,
    tokens: Option<f64>,
    cost_usd: Option<f64>,
    exit_code: Option<i32>,
    argv: Vec<String>,
    folder: String,
    environment: Vec<String>,
    session: Option<String>,
    resumed: Option<Resumed>,
    pid: Option<u32>,
    stop: Option<StopView>,
    #[serde(default)]
    unconcluded: bool,
    rows: u32,
    /// Always empty: where the output is, is worked out when a run is shown. Version 0.1.0 needs the field.
    #[serde(default)]
    log: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    changes: Option<ChangeTotals>,
    checked: Option<Checked>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unread: Vec<UnreadReport>,
}

/// A word of another version is `unknown`; no word is none.
fn kept_outcome<'de, D: Deserializer<'de>>(kept: D) -> Result<Option<Outcome>, D::Error> {
    let word = Option::<String>::deserialize(kept)?;
    Ok(word.map(|word| from_word(&word).unwrap_or(Outcome::Unknown)))
}

impl From<&Run> for RunRecord {
    #[allow(clippy::cast_precision_loss)] // exact up to 9e15 tokens
    fn from(run: &Run) -> Self {
        let run = run.clone();
        Self {
            id: run.id,
            action: run.action.word().to_owned(),
            task: run.task,
            iteration: run.iteration,
            agent: run.agent,
            agent_id: run.agent_id,
            level: run.level,
            worktree: run.worktree,
            model: run.model,
            started: run.started.number(),
            ended: run.ended.map(Timestamp::number),
            outcome: run.outcome,
            message: run.message,
            denied: run.denied,
            tokens: run.tokens.map(|tokens| tokens as f64),
            cost_usd: run.cost_usd,
            exit_code: run.exit_code,
            argv: run.argv,
            folder: run.folder,
            environment: run.environment,
            session: run.session,
            resumed: run.resumed,
            pid: run.pid,
            stop: run.stop,
            unconcluded: run.unconcluded,
            rows: run.rows,
            log: String::new(),
            changes: run.changes,
            checked: run.checked,
            unread: run.unread,
        }
    }
}

impl From<RunRecord> for Run {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    fn from(kept: RunRecord) -> Self {
        Self {
            id: kept.id,
            action: RunAction::from_word(&kept.action),
            task: kept.task,
            iteration: kept.iteration,
            agent: kept.agent,
            agent_id: kept.agent_id,
            level: kept.level,
            worktree: kept.worktree,
            model: kept.model,
            started: Timestamp::from_number(kept.started),
            ended: kept.ended.map(Timestamp::from_number),
            outcome: kept.outcome,
            message: kept.message,
            denied: kept.denied,
            tokens: kept.tokens.map(|tokens| tokens as u64),
            cost_usd: kept.cost_usd,
            exit_code: kept.exit_code,
            argv: kept.argv,
            folder: kept.folder,
            environment: kept.environment,
            session: kept.session,
            resumed: kept.resumed,
            pid: kept.pid,
            stop: kept.stop,
            unconcluded: kept.unconcluded,
            rows: kept.rows,
            changes: kept.changes,
            checked: kept.checked,
            unread: kept.unread,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_core::phase::CcwPhase;
    use serde_json::Value;

    /// As version 0.1.0 kept it.
    const OLD: &str = r#"{"id":"r1","action":"validate","task":"task-001","iteration":2,"agent":"","agent_id":"codex",
        "level":"edit_files","worktree":"/w/1","model":"m","started":1795148661870.0,"ended":1795148662000.0,
        "outcome":"task_failed","message":"no","denied":1,"tokens":1200.0,"cost_usd":0.25,"exit_code":1,
        "argv":["sh","-c","x"],"folder":"~/w","environment":["CI"],"session":"s","resumed":{"how":"goes_on","session":"s"},
        "pid":7,"stop":{"result":"all_gone","ended":2},"unconcluded":true,"rows":3,"log":"","checked":null}"#;

    fn read(text: &str) -> Run {
        serde_json::from_str::<RunRecord>(text).expect("a record of an older version").into()
    }

    #[test]
    fn a_record_of_an_older_version_is_read_and_written_as_it_was() {
        let run = read(OLD);
        assert_eq!(run.action, RunAction::Phase(CcwPhase::Validate));
        assert_eq!((run.started.millis(), run.tokens), (1_795_148_661_870, Some(1_200)));
        assert_eq!(run.ended.map(|ended| ended.since(run.started).num_milliseconds()), Some(130));
        let written = serde_json::to_value(RunRecord::from(&run)).expect("a record");
        assert_eq!(written, serde_json::from_str::<Value>(OLD).expect("JSON"));
    }

    #[test]
    fn fields_and_words_that_a_version_does_not_have_are_no_damage() {
        let mut kept: Value = serde_json::from_str(OLD).expect("JSON");
        for field in ["agent_id", "level", "worktree", "unconcluded", "outcome", "log"] {
            kept.as_object_mut().expect("an object").remove(field);
        }
        let run = read(&kept.to_string());
        assert_eq!((run.outcome, run.level, run.unconcluded), (None, None, false));
        kept["outcome"] = "of_a_later_version".into();
        kept["action"] = "of_a_later_version".into();
        let run = read(&kept.to_string());
        assert_eq!((run.outcome, run.action.word()), (Some(Outcome::Unknown), "of_a_later_version"));
    }
}
