//! Custom agents: the form's record and the core's.

use crate::rows::{CustomAgentForm, FormProblem};
use loopdeck_agents::OutputKind;
use loopdeck_agents::custom::{CustomAgent, PromptBy};
use loopdeck_system::words::to_word;
use std::collections::BTreeMap;

/// The record that a form means. An unknown output is text.
#[must_use]
pub fn record_of(form: &CustomAgentForm) -> CustomAgent {
    let given = |args: &Vec<String>| (!args.is_empty()).then(|| args.clone());
    CustomAgent {
        id: form.id.clone(),
        name: form.name.clone(),
        program: form.program.clone(),
        args: form.args.clone(),
        prompt: if form.prompt_in_file { PromptBy::File } else { PromptBy::Stdin },
        output: OutputKind::ALL
            .into_iter()
            .find(|kind| word(*kind) == form.output)
            .unwrap_or(OutputKind::Text),
        look_only: form.look_only.clone(),
        edit_files: form.edit_files.clone(),
        full_access: form.full_access.clone(),
        resume: given(&form.resume),
        version_args: form.version.clone(),
        env: form.environment.clone(),
    }
}

/// The form of a record.
#[must_use]
pub fn form_of(agent: &CustomAgent) -> CustomAgentForm {
    CustomAgentForm {
        id: agent.id.clone(),
        name: agent.name.clone(),
        program: agent.program.clone(),
        args: agent.args.clone(),
        prompt_in_file: agent.prompt == PromptBy::File,
        output: word(agent.output).to_owned(),
        look_only: agent.look_only.clone(),
        edit_files: agent.edit_files.clone(),
        full_access: agent.full_access.clone(),
        resume: agent.resume.clone().unwrap_or_default(),
        version: agent.version_args.clone(),
        environment: agent.env.clone(),
    }
}

/// What is wrong with a form.
#[must_use]
pub fn problems(form: &CustomAgentForm) -> Vec<FormProblem> {
    let problem = |found: loopdeck_agents::custom::CustomProblem| FormProblem {
        field: found.field,
        code: to_word(found.code),
        args: found.value.map(|value| BTreeMap::from([("value".to_owned(), value)])).unwrap_or_default(),
        blocks: true,
    };
    record_of(form).problems().into_iter().map(problem).collect()
}

fn word(kind: OutputKind) -> &'static str {
    match kind {
        OutputKind::Text => "text",
        OutputKind::ClaudeJsonl => "claude-jsonl",
        OutputKind::QwenJsonl => "qwen-jsonl",
        OutputKind::CodexJsonl => "codex-jsonl",
        OutputKind::GeminiJsonl => "gemini-jsonl",
    }
}
