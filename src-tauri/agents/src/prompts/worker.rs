//! Instructions for Loop-B workers.

use super::parts::Parts;
use super::{PromptContext, failed_tests, hypotheses, others, summaries};

pub(super) fn develop(parts: &mut Parts, context: &PromptContext) {
    parts.heading("What to do now");
    if context.task.is_some() {
        parts.line(
            "Work through the pending tasks in their order. Name those that you finished in completed_tasks.",
        );
    } else {
        parts.line("No task is pending. Fix the issues below, and nothing else.");
    }
    issues(parts, context);
    others(parts, context);
    summaries(parts, context);
    failed_tests(parts, context);
}

pub(super) fn debug(parts: &mut Parts, context: &PromptContext) {
    parts.heading("What to do now");
    for line in [
        "Look for defects in the work so far. If tests fail, find the cause.",
        "1. State hypotheses that can be tested: how each would cause the failure, how sure you are of it, and what would show it.",
        "2. Gather evidence: read the code, and run the failing tests if you can. Log statements that you add for it are taken out again before you end.",
        "3. Give each hypothesis a verdict: confirmed, rejected, inconclusive; pending when you did not get to it.",
        "4. When a root cause is confirmed, remove it in this same run and say \"fixed\": true. Do not weaken, skip or delete tests.",
        "5. Name in issues_found what is wrong and you did not fix. A develop worker gets that list.",
    ] {
        parts.line(line);
    }
    failed_tests(parts, context);
    issues(parts, context);
    hypotheses(parts, context);
    others(parts, context);
    summaries(parts, context);
}

fn issues(parts: &mut Parts, context: &PromptContext) {
    parts.entries("Issues that debugging found", &context.issues, 8_000);
}
