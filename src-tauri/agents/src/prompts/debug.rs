//! Prompts for DEBUG: hypotheses, log statements to test them, and their removal.

use super::Action;
use super::parts::{Parts, cut};
use super::{PromptContext, failed_tests, others, summaries};
use crate::answers::records::Hypothesis;
use loopdeck_text::json_span::json::Json;

/// Every logging line that an agent inserts has this in a comment, followed by the id of the hypothesis.
pub const MARK: &str = "loopdeck:debug";
/// The environment variable with the absolute path of the log.
pub const VARIABLE: &str = "LOOPDECK_DEBUG_LOG";

/// Whether the action uses log statements.
pub(super) fn logs(action: &Action, context: &PromptContext) -> bool {
    matches!(action, Action::Debug { .. }) && !context.debug_log.is_empty()
}

pub(super) fn debug(parts: &mut Parts, context: &PromptContext, round: Option<u32>) {
    parts.heading("What to do now");
    let logs = round.is_some() && !context.debug_log.is_empty();
    match round {
        // A person can request it before any test failed.
        Some(round) if context.failed_tests.is_empty() => parts.line(&format!(
            "Round {round} of debugging: look for defects in the work so far, and find their cause."
        )),
        Some(round) => parts.line(&format!("Round {round} of debugging: the tests fail. Find the cause.")),
        None => parts.line("Look for defects in the work so far. If tests fail, find the cause."),
    }
    if let Some(id) = &context.confirmed {
        parts.line(&format!(
            "Hypothesis {id} was confirmed earlier, and the tests still fail. If its cause is not removed yet, remove it now; if it is, reject {id} or find what else is wrong."
        ));
    }
    parts.line("1. State hypotheses that can be tested: what would show each, and where to look (file:function:line).");
    parts.line(if logs {
        "2. Gather evidence: add log statements at the logging points as described below, run the failing tests or the program, and read the log."
    } else {
        "2. Gather evidence: read the code, and run the failing tests if you can. Log statements that you add for it are taken out again before you end."
    });
    parts.line("3. Give each hypothesis a verdict: confirmed, rejected, inconclusive; pending when you did not get to it.");
    if logs {
        parts.line(&format!(
            "4. When a root cause is confirmed, remove every line marked {MARK} and check that none is left."
        ));
    }
    let last = if logs { 5 } else { 4 };
    parts.line(&format!("{last}. Then remove the cause in this same run and say \"fixed\": true; files must have changed. Do not weaken, skip or delete tests."));
    if logs {
        logging(parts, &context.debug_log);
    }
    failed_tests(parts, context);
    hypotheses(parts, context);
    others(parts, context);
    summaries(parts, context);
}

/// How log statements write, and how they are found again (the CCW contract §17).
fn logging(parts: &mut Parts, log: &str) {
    parts.heading("Log statements");
    parts.list("The debug log of this loop", &[log.to_owned()], 2_000);
    for line in [
        format!("- Each statement appends one line of JSON to the file that the environment variable {VARIABLE} names; that is the debug log above. Where the variable is not set it does nothing."),
        "- The line: {\"hid\": \"H1\", \"ts\": 1767225600000, \"func\": \"refresh\", \"data\": {\"now\": 1500}}. hid: the hypothesis that it tests. ts: milliseconds since 1970 UTC, a number. func: the function. data: what you want to know, never a secret.".to_owned(),
        format!("- Mark each line of code that you add with a comment: {MARK} H1 (with the id of its hypothesis). That is how it is found again."),
        "- Append only, keep it to what decides a hypothesis, and do not change what the program does.".to_owned(),
        "- No cause confirmed yet: marked lines that the next round needs may stay.".to_owned(),
        "- Where nothing can be logged, read the code instead, and say so in verdict_reason.".to_owned(),
    ] {
        parts.line(&line);
    }
}

/// Log statements of an earlier round that are still in the code.
pub(super) fn left_in(parts: &mut Parts, action: &Action, context: &PromptContext) {
    if context.instrumented.is_empty() || *action == Action::Init {
        return;
    }
    parts.heading("Log statements are still in the code");
    parts.list("Files", &context.instrumented, 2_000);
    parts.line(&match action {
        Action::Debug { .. } => {
            format!("Lines marked {MARK} were left there in an earlier round. Use them, or remove them.")
        }
        _ => format!("Remove every line marked {MARK} from them: debugging left it there."),
    });
}

pub(super) fn hypotheses(parts: &mut Parts, context: &PromptContext) {
    let lines: Vec<String> = context.hypotheses.iter().map(hypothesis).collect();
    parts.entries("Hypotheses so far; give an id again to change its verdict", &lines, 10_000);
}

fn hypothesis(known: &Hypothesis) -> String {
    let evidence = if known.evidence == Json::Null { String::new() } else { known.evidence.compact() };
    let mut text = format!("{} [{}] {}", known.id, known.status, cut(&known.description, 600));
    for (name, value) in [
        ("condition", known.testable_condition.as_str()),
        ("logging point", known.logging_point.as_str()),
        ("reason", known.verdict_reason.as_deref().unwrap_or_default()),
        ("evidence", evidence.as_str()),
    ] {
        if !value.is_empty() {
            text += &format!("\n  {name}: {}", cut(value, 400));
        }
    }
    text
}
