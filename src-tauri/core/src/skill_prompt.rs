//! The prompt that starts a skill which drives the loop itself (the CCW contract §5.5), or the plugin of AoT
//! loops: the command first, nothing before it.

use crate::format::Format;
use crate::formats::loop_b::create::WorkMode;

/// The form of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkillFlavour {
    /// A slash command.
    Claude,
    /// A skill named with `$`.
    Codex,
}

/// The command of the AoT plugin that drives the loop of its folder. Each folder has one loop, so the command
/// names none.
pub const PLUGIN_COMMAND: &str = "/ralph-wiggum-aot:enter-recursion";

/// The plugin's environment: no limit of Claude's own on rounds, workers below a coordinator, and nothing in
/// the background that outlives a round.
pub const PLUGIN_ENVIRONMENT: [(&str, &str); 3] = [
    ("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "0"),
    ("CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH", "2"),
    ("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1"),
];

/// The loop for a skill to drive.
#[derive(Clone, Copy, Debug)]
pub struct SkillRun<'a> {
    /// Loop v2, Loop-B or AoT.
    pub format: Format,
    /// Stem of the state file.
    pub id: &'a str,
    /// The mode; Loop v2 uses `auto` for anything but `interactive`.
    pub mode: WorkMode,
    /// The state file, relative to the folder the agent runs in.
    pub file: &'a str,
}

/// What is wrong with a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// Nothing in it, or blanks before the command.
    #[error("it does not begin with a command")]
    NoCommand,
    /// It names neither the loop nor its file.
    #[error("it names neither the loop nor its file")]
    NoLoop,
    /// A placeholder other than `{id}` and `{file}`.
    #[error("it has a placeholder other than {{id}} and {{file}}")]
    UnknownPlaceholder,
}

/// The prompt for an installed skill. The Claude skill only searches `.loop`: any other location is named
/// after the command.
#[must_use]
pub fn skill_prompt(flavour: SkillFlavour, run: &SkillRun<'_>) -> String {
    if run.format.traits().has_plugin {
        return PLUGIN_COMMAND.to_owned();
    }
    let command = command(flavour, run);
    let usual = match flavour {
        SkillFlavour::Claude => format!(".loop/{}.json", run.id),
        SkillFlavour::Codex => format!(".workflow/.loop/{}.json", run.id),
    };
    if run.file == usual {
        command
    } else {
        format!("{command}\n\nThe state file of this loop is {}", run.file)
    }
}

fn command(flavour: SkillFlavour, run: &SkillRun<'_>) -> String {
    let id = run.id;
    let sign = match flavour {
        SkillFlavour::Claude => '/',
        SkillFlavour::Codex => '$',
    };
    if run.format.joins_results() {
        return format!("{sign}ccw-loop-b --loop-id={id} --mode={}", run.mode.word());
    }
    let auto = if run.mode == WorkMode::Interactive { "" } else { " --auto" };
    match flavour {
        SkillFlavour::Claude => format!("/ccw-loop --loop-id {id}{auto}"),
        SkillFlavour::Codex => format!("$ccw-loop --loop-id={id}{auto}"),
    }
}

/// A person's own command with `{id}` and `{file}`. One for an AoT loop need not name it.
///
/// # Errors
/// When the template would start no command, or one that does not name the loop.
pub fn custom_skill_prompt(template: &str, run: &SkillRun<'_>) -> Result<String, TemplateError> {
    if template.is_empty() || template.starts_with(char::is_whitespace) {
        return Err(TemplateError::NoCommand);
    }
    let mut text = String::new();
    let mut named = run.format.traits().has_plugin;
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('{') {
        let (name, after) = behind.split_once('}').ok_or(TemplateError::UnknownPlaceholder)?;
        text += before;
        text += match name {
            "id" => run.id,
            "file" => run.file,
            _ => return Err(TemplateError::UnknownPlaceholder),
        };
        named = true;
        rest = after;
    }
    text += rest;
    if named { Ok(text) } else { Err(TemplateError::NoLoop) }
}

/// For an agent without the skill: the file, its rules and the control signals in plain words.
#[must_use]
pub fn plain_skill_prompt(run: &SkillRun<'_>) -> String {
    let SkillRun { id, file, .. } = *run;
    let (steps, mode) = if run.format.joins_results() {
        (LOOP_B, format!("Mode: {}.\n", run.mode.word()))
    } else {
        (LOOP_V2, String::new())
    };
    format!(
        "Drive the loop {id}. Its state is the JSON file {file}, relative to the current folder.\n{mode}\n## Control signals\n{SIGNALS}\n## Actions\n{steps}\n## Rules for the state file\n{FILE_RULES}"
    )
}

const SIGNALS: &str = "Read the file again before every action and look at \"status\":
- running: go on.
- paused: stop working and end. Do not change the status.
- failed, or anything else: stop working and end. Do not change the status.
When current_iteration has reached max_iterations, end.
";

const LOOP_V2: &str = "Everything of yours stands in \"skill_state\".
1. INIT, when skill_state is missing or null: write it with current_action, last_action, completed_actions, mode \"auto\", develop {total, completed, current_task, tasks, last_progress_at}, debug {active_bug, hypotheses_count, hypotheses, confirmed_hypothesis, iteration, last_analysis_at}, validate {pass_rate, coverage, test_results, passed, failed_tests, last_run_at}, errors. Plan 3 to 7 tasks {id, description, tool, mode, status: \"pending\", priority, files, created_at, completed_at}.
2. DEVELOP, while a task is pending: do it, then set its status to completed, completed_at, files_changed, and develop.completed.
3. VALIDATE, when no task is pending: run the real tests; append a run record to validate.test_results and set passed, pass_rate, failed_tests, last_run_at. Never invent results.
4. DEBUG, when tests fail: write hypotheses with evidence and verdicts, remove the confirmed cause, then VALIDATE again.
5. COMPLETE, when the tests pass and no task is pending: set status to completed, completed_at, skill_state.summary.
After each action set last_action, append it to completed_actions, and add 1 to current_iteration.
";

const LOOP_B: &str = "Everything of yours stands in \"skill_state\": phase, action_index, workers_completed, parallel_results, pending_tasks, completed_tasks, findings.
Go through init, develop, debug, validate, complete; in parallel mode develop, debug and validate are done at once and put together in parallel_results with their conflicts.
- init plans tasks {id, description, priority, status: \"pending\", files} into pending_tasks.
- develop moves finished tasks from pending_tasks to completed_tasks.
- validate runs the real tests. Never invent results. When they fail, go back to debug.
- complete sets status to completed and completed_at.
After each worker write <id>.workers/<action>.output.json beside the file and add 1 to current_iteration.
";

const FILE_RULES: &str = "- Write the whole object back with all fields you do not know. Change neither loop_id, title, description, max_iterations nor created_at.
- Read it right before you write it: a person may have changed status meanwhile. Never set paused or failed back to running.
- Times are UTC: 2026-01-22T10:00:00.000Z. Set updated_at with every write.
- Work in the current folder only, start nothing that does not end by itself, and ask nothing: nobody answers.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skills_are_started_by_their_command_with_nothing_before_it() {
        use SkillFlavour::{Claude, Codex};
        let id = "loop-v2-1";
        let run = |format, mode, file| SkillRun { format, id, mode, file };
        for (flavour, run, expected) in [
            (
                Claude,
                run(Format::LoopV2, WorkMode::Auto, ".loop/loop-v2-1.json"),
                "/ccw-loop --loop-id loop-v2-1 --auto",
            ),
            (
                Claude,
                run(Format::LoopV2, WorkMode::Auto, ".workflow/.loop/loop-v2-1.json"),
                "/ccw-loop --loop-id loop-v2-1 --auto\n\nThe state file of this loop is .workflow/.loop/loop-v2-1.json",
            ),
            (
                Codex,
                run(Format::LoopV2, WorkMode::Auto, ".workflow/.loop/loop-v2-1.json"),
                "$ccw-loop --loop-id=loop-v2-1 --auto",
            ),
            (
                Codex,
                run(Format::LoopV2, WorkMode::Interactive, ".workflow/.loop/loop-v2-1.json"),
                "$ccw-loop --loop-id=loop-v2-1",
            ),
            (
                Claude,
                run(Format::LoopB, WorkMode::Parallel, ".loop/loop-v2-1.json"),
                "/ccw-loop-b --loop-id=loop-v2-1 --mode=parallel",
            ),
            (
                Codex,
                run(Format::LoopB, WorkMode::Auto, ".workflow/.loop/loop-v2-1.json"),
                "$ccw-loop-b --loop-id=loop-v2-1 --mode=auto",
            ),
        ] {
            assert_eq!(skill_prompt(flavour, &run), expected);
        }
        let run = run(Format::LoopV2, WorkMode::Auto, "f.json");
        assert_eq!(
            custom_skill_prompt("/x {id} {file} {id}", &run).as_deref(),
            Ok("/x loop-v2-1 f.json loop-v2-1")
        );
        for (template, error) in [
            ("", TemplateError::NoCommand),
            (" /x {id}", TemplateError::NoCommand),
            ("/x", TemplateError::NoLoop),
            ("/x {id} {dir}", TemplateError::UnknownPlaceholder),
            ("/x {id", TemplateError::UnknownPlaceholder),
        ] {
            assert_eq!(custom_skill_prompt(template, &run), Err(error), "{template}");
        }
        for format in [Format::LoopV2, Format::LoopB] {
            let text = plain_skill_prompt(&SkillRun { format, ..run });
            for part in ["f.json", "paused", "failed", "max_iterations", "Never invent results", "updated_at"]
            {
                assert!(text.contains(part), "{part}");
            }
        }
    }

    #[test]
    fn the_plugin_is_started_by_its_command_alone() {
        let run = SkillRun {
            format: Format::Aot,
            id: "aot-loop-state",
            mode: WorkMode::Auto,
            file: ".claude/aot-loop-state.md",
        };
        assert_eq!(skill_prompt(SkillFlavour::Claude, &run), "/ralph-wiggum-aot:enter-recursion");
        assert_eq!(
            custom_skill_prompt("/aot:go", &run).as_deref(),
            Ok("/aot:go"),
            "there is one loop in each folder"
        );
        assert_eq!(custom_skill_prompt(" /aot:go", &run), Err(TemplateError::NoCommand));
    }
}
