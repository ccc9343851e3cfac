//! A person's input: filled start forms, short and long.

use crate::extreme::texts;
use crate::look::Amount;
use loopdeck_agents::Level;
use loopdeck_runtime::drivers::plan::{RunPlan, StartForm};
use loopdeck_tests::driving::{PASSING, form_for};
use std::path::Path;

/// More than a form accepts.
const TOO_MANY: usize = 200;

/// A form for `goal` in `folder`, run by `agent`.
pub(crate) fn form(goal: &str, folder: &Path, agent: &str) -> StartForm {
    let plan = RunPlan {
        agent: agent.into(),
        level: Some(Level::FullAccess),
        test_command: PASSING.into(),
        ..RunPlan::default()
    };
    form_for(goal, folder, plan)
}

/// A form just before the person presses start.
pub(crate) fn filled(amount: Amount, folder: &Path) -> StartForm {
    let mut form = form(
        "Prices end in one digit of cents, and discounts round down. Make the tests of the shop pass.",
        folder,
        "claude",
    );
    form.plan.level = Some(Level::EditFiles);
    form.plan.test_command = "sh test.sh".into();
    form.plan.ask = true;
    form.work.tasks = ["Write two digits of cents", "Round half a cent up", "Say so in the README"]
        .map(Into::into)
        .to_vec();
    if amount == Amount::Extreme {
        lengthen(&mut form);
    }
    form
}

/// Too much of everything, some of it wrong.
fn lengthen(form: &mut StartForm) {
    form.work.goal = (0..60).map(texts::text).collect::<Vec<_>>().join("\n\n");
    form.work.title = texts::WORD.repeat(2);
    form.work.tasks = (0..TOO_MANY).map(|n| format!("{n}: {}", texts::text(n)).as_str().into()).collect();
    form.work.max_iterations = Some(100_000);
    form.worktree = format!("fix/{}", texts::WORD);
    form.plan.model = texts::WORD.into();
    form.plan.extra_args = (0..40).map(|n| format!("--option-{n}={}", texts::path(n))).collect();
    form.plan.test_command =
        format!("npm test -- {}", (0..12).map(texts::path).collect::<Vec<_>>().join(" "));
    form.plan.results = (0..12).map(texts::path).collect();
    form.plan.minutes = Some(1_000_000);
}
