//! Streams of public bug reports (`tests/fixtures/field`), printed by an agent in a loop that really runs: which message is the
//! answer, and that a refusal of the provider is asked about at once and not tried again.

use loopdeck_core::start::{NewFormat, Recipe};
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::plan::StartForm;
use loopdeck_runtime::drivers::rows::{Need, NeedKind};
use loopdeck_tests::driving::{Driven, PASSING, form_for};
use loopdeck_tests::runs::eventually;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use tempfile::TempDir;

/// A workspace, and an agent that prints one recorded stream.
struct Field {
    driven: Driven,
    agent: String,
    _programs: TempDir,
}

impl Field {
    /// With the agent of a case. `before`: what it does before it prints.
    fn new(case: &str, output: &str, before: &str) -> Self {
        let folder = folder(case);
        let script = format!(
            "{before}\ncat '{folder}/stream.ndjson'\n\
             [ ! -f '{folder}/stderr.txt' ] || cat '{folder}/stderr.txt' >&2\nexit $(cat '{folder}/exit')\n"
        );
        Self::with_script(output, &script)
    }

    /// With an agent that is a shell script.
    fn with_script(output: &str, script: &str) -> Self {
        let driven = Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"));
        let programs = tempfile::tempdir().unwrap();
        let program = programs.path().join("agent");
        fs::write(&program, format!("#!/bin/sh\ncat > /dev/null\n{script}")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        driven.add_agent("field", program.to_str().unwrap(), output);
        Self { driven, agent: "custom:field".to_owned(), _programs: programs }
    }

    fn form(&self, format: NewFormat) -> StartForm {
        let mut form =
            form_for("Finish the price list", &self.driven.live.workspace, self.driven.plan(&self.agent));
        form.work.recipe = Recipe::BuildFeature;
        form.work.format = Some(format);
        form.work.tasks = vec!["Write the prices".into()];
        form.plan.test_command = if format == NewFormat::Ralph { String::new() } else { PASSING.to_owned() };
        form
    }

    fn start(&mut self, format: NewFormat) -> String {
        let form = self.form(format);
        self.driven.start(&form)
    }
}

/// The folder of a case.
fn folder(case: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/field").join(case).display().to_string()
}

#[test]
fn a_refusal_of_the_provider_is_asked_about_at_once_and_not_tried_again() {
    let cases = [
        ("76-claude-session-limit-no-event", "claude-jsonl", "resets 10:10pm (Europe/Madrid)", true),
        ("78-claude-limit-plain-text", "claude-jsonl", "resets 8pm (America/Indianapolis)", true),
        ("79-claude-no-credit", "claude-jsonl", "Credit balance is too low", false),
        ("83b-codex-limit-texts", "codex-jsonl", "The usage limit has been reached", true),
        ("85-gemini-capacity-reset", "gemini-jsonl", "Your quota will reset after 3h24m2s.", true),
        ("89-qwen-quota", "qwen-jsonl", "Your free daily quota has been reached.", false),
    ];
    for (case, output, said, tells_when) in cases {
        let mut field = Field::new(case, output, "");
        let name = field.start(NewFormat::Ralph);
        let need: Need = field.driven.wait_for_need(&name, NeedKind::UsageLimit);
        assert!(need.text.contains(said), "{case}: {}", need.text);
        assert_eq!(need.until.is_some(), tells_when, "{case}: {need:?}");
        field.driven.wait_for_word(&name, StatusWord::Interrupted);
        assert_eq!(field.driven.ran(&name), ["iterate limit"], "{case}");
        field.driven.all_gone();
    }
}

#[test]
fn a_limit_whose_end_is_told_in_words_is_waited_for() {
    for (case, output) in
        [("76-claude-session-limit-no-event", "claude-jsonl"), ("85-gemini-capacity-reset", "gemini-jsonl")]
    {
        let mut field = Field::new(case, output, "");
        let mut form = field.form(NewFormat::Ralph);
        form.plan.wait_for_limit = true;
        let name = field.driven.start(&form);
        field.driven.wait_for_word(&name, StatusWord::UsageLimit);
        let need = field.driven.wait_for_need(&name, NeedKind::UsageLimit);
        let left = need.until.unwrap() - need.since;
        assert!(left > 0.0 && left <= 24.0 * 3_600_000.0, "{case}: {left}");
        assert_eq!(field.driven.ran(&name), ["iterate limit"], "{case}: it waits");
    }
}

#[test]
fn a_closing_remark_or_an_empty_result_does_not_hide_the_answer() {
    for (case, output) in [
        ("91-v2-empty-result", "claude-jsonl"),
        ("94-v2-two-objects", "claude-jsonl"),
        ("98-codex-answer-then-remark", "codex-jsonl"),
    ] {
        let mut field = Field::new(case, output, "touch cart.js");
        let name = field.start(NewFormat::LoopV2);
        field.driven.wait_for_word(&name, StatusWord::Completed);
        let develops: Vec<String> =
            field.driven.ran(&name).into_iter().filter(|run| run.starts_with("develop")).collect();
        assert_eq!(develops, ["develop task-001 ok"], "{case}: done once");
    }
}

#[test]
fn a_run_whose_background_task_goes_on_is_not_ended_at_its_first_result() {
    let folder = folder("74-claude-interim-result-then-silence");
    let waits = |gate: &str| format!("while [ ! -e {gate} ]; do sleep 0.05; done\n");
    let notice = r#"{"type":"system","subtype":"notice","message":"still here"}"#;
    let script = format!(
        "cat '{folder}/stream.ndjson'\n{}echo '{notice}'\n{}grep '^{{' '{folder}/after.sh'\n\
         sed -i 's/^- \\[ \\]/- [x]/' .ralph/*/TODO.md\necho late > late.txt\n",
        waits("gate-1"),
        waits("gate-2"),
    );
    let mut field = Field::with_script("claude-jsonl", &script);
    let name = field.start(NewFormat::Ralph);
    let said = |field: &Field, words: &str| {
        let (runtime, key) = (&field.driven.live.runtime, field.driven.live.key(&name));
        let run = runtime.runs(&key).ok()?.into_iter().next()?.id;
        let rows = runtime.output(&key, Some(&run), 0, 200).ok()?.rows;
        rows.iter().any(|row| row.text.contains(words)).then_some(run)
    };
    eventually("its first result", || said(&field, "I wait for my helpers."));
    field.driven.open("gate-1");
    // What it says later is read after the first result was.
    let run = eventually("what it says later", || said(&field, "still here"));
    let record = fs::read_to_string(field.driven.live.data().runs().join(&run).join("run.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    assert!(record["final_seen_at"].is_null(), "no grace begins: {record}");
    field.driven.open("gate-2");
    field.driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(field.driven.ran(&name), ["iterate ok"]);
    let row = field.driven.live.runtime.runs(&field.driven.live.key(&name)).unwrap().remove(0);
    assert_eq!(row.cost_usd, Some(0.09));
    assert!(field.driven.live.workspace.join("late.txt").exists());
}
