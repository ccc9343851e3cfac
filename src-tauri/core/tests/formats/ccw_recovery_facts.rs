//! How much of the true state of a CCW loop a recovered one has. Written without the code under test.

use serde_json::Value;

/// The parts of the true state that a proposal has, one by one.
pub(crate) fn facts(found: &Value, truth: &Value) -> Vec<String> {
    let mut facts = Facts(Vec::new());
    facts.of_fields(found, truth);
    let (own, skill) = (&found["skill_state"], &truth["skill_state"]);
    facts.of_work(own, skill);
    facts.of_runs(own, skill);
    facts.of_ends(own, skill);
    facts.0
}

/// The names of the parts found.
struct Facts(Vec<String>);

impl Facts {
    fn same(&mut self, name: String, found: &Value, truth: &Value) {
        if !truth.is_null() && equal(found, truth) {
            self.0.push(name);
        }
    }

    fn of_fields(&mut self, found: &Value, truth: &Value) {
        for key in [
            "title",
            "description",
            "status",
            "mode",
            "current_iteration",
            "max_iterations",
            "created_at",
            "completed_at",
        ] {
            self.same(key.to_owned(), &found[key], &truth[key]);
        }
        let (own, skill) = (&found["skill_state"], &truth["skill_state"]);
        for key in [
            "last_action",
            "completed_actions",
            "mode",
            "phase",
            "action_index",
            "workers_completed",
            "errors",
        ] {
            self.same(key.to_owned(), &own[key], &skill[key]);
        }
        for key in ["total", "completed", "last_progress_at"] {
            self.same(format!("develop.{key}"), &own["develop"][key], &skill["develop"][key]);
        }
        for key in ["active_bug", "hypotheses_count", "confirmed_hypothesis", "iteration", "last_analysis_at"]
        {
            self.same(format!("debug.{key}"), &own["debug"][key], &skill["debug"][key]);
        }
        for key in ["pass_rate", "passed", "failed_tests", "coverage", "last_run_at"] {
            self.same(format!("validate.{key}"), &own["validate"][key], &skill["validate"][key]);
        }
    }

    /// Tasks and hypotheses.
    fn of_work(&mut self, own: &Value, skill: &Value) {
        for (name, found, truth) in [
            ("task", &own["develop"]["tasks"], &skill["develop"]["tasks"]),
            ("pending", &own["pending_tasks"], &skill["pending_tasks"]),
            ("completed", &own["completed_tasks"], &skill["completed_tasks"]),
        ] {
            for task in items(truth) {
                let found = items(found).find(|found| found["id"] == task["id"]).unwrap_or(&Value::Null);
                for key in ["description", "status", "files_changed", "priority", "tool", "completed_at"] {
                    self.same(format!("{name} {} {key}", task["id"]), &found[key], &task[key]);
                }
            }
        }
        for hypothesis in items(&skill["debug"]["hypotheses"]) {
            let found = items(&own["debug"]["hypotheses"]).find(|found| found["id"] == hypothesis["id"]);
            let found = found.unwrap_or(&Value::Null);
            for key in
                ["description", "status", "evidence", "verdict_reason", "likelihood", "evidence_criteria"]
            {
                self.same(format!("hypothesis {} {key}", hypothesis["id"]), &found[key], &hypothesis[key]);
            }
        }
    }

    fn of_runs(&mut self, own: &Value, skill: &Value) {
        for run in items(&skill["validate"]["test_results"]) {
            let found =
                items(&own["validate"]["test_results"]).find(|found| found["timestamp"] == run["timestamp"]);
            let found = found.unwrap_or(&Value::Null);
            self.same(
                format!("run {}", run["timestamp"]),
                &found["summary"]["total"],
                &run["summary"]["total"],
            );
            for row in items(&run["tests"]) {
                let found = items(&found["tests"]).find(|found| found["test_name"] == row["test_name"]);
                let found = found.unwrap_or(&Value::Null);
                self.same(
                    format!("run {} {}", run["timestamp"], row["test_name"]),
                    &found["status"],
                    &row["status"],
                );
            }
        }
    }

    /// The summary, and a merge.
    fn of_ends(&mut self, own: &Value, skill: &Value) {
        for part in ["duration", "iterations", "develop", "debug", "validate"] {
            self.same(format!("summary {part}"), &own["summary"][part], &skill["summary"][part]);
        }
        for part in ["develop", "debug", "conflicts", "merged_at"] {
            self.same(
                format!("merge {part}"),
                &own["parallel_results"][part]["summary"],
                &skill["parallel_results"][part]["summary"],
            );
            self.same(
                format!("merge of {part}"),
                &own["parallel_results"][part],
                &skill["parallel_results"][part],
            );
        }
    }
}

pub(crate) fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn equal(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => (one - other).abs() < 1e-9,
        _ => one == other,
    }
}
