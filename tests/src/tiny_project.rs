//! The tiny project of the sample workspace, with a real test command and two failing tests, and a model that repairs it action by action.

use crate::model_server::{Rule, Script, Step};
use crate::scripted;
use std::fs;
use std::path::Path;

/// Runs its tests.
pub const TEST_COMMAND: &str = "sh test.sh";

/// Runs its agent, which needs no model: `LOOPDECK_ACTION` and the like tell it what to do.
pub const AGENT_COMMAND: &str = "sh agent.sh";

/// The line of `money` that drops a zero, and the correct one.
pub const MONEY: (&str, &str) =
    ("	echo \"$(($1 / 100)).$(($1 % 100))\"", "	printf \"%d.%02d\\n\" \"$(($1 / 100))\" \"$(($1 % 100))\"");
/// The line of `discounted` that rounds half a cent down.
pub const CUT: &str = "	echo $(($1 * (100 - $2) / 100))";
const NEARLY: &str = "	echo $((($1 * (100 - $2) + 5) / 100))";
/// The line of `discounted` that rounds half a cent up.
pub const RIGHT: &str = "	echo $((($1 * (100 - $2) + 50) / 100))";

/// Copies the project into `folder`.
///
/// # Panics
/// When it cannot be written.
pub fn lay_out(folder: &Path) {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src-tauri/runtime/sample");
    fs::create_dir_all(folder.join("src")).expect("a folder");
    for file in ["README.md", "agent.sh", "test.sh", "src/cart.sh", "src/money.sh"] {
        fs::copy(project.join(file), folder.join(file)).expect("copied");
    }
}

/// The model of a whole Loop v2 on the project in `folder`, for Loopdeck's prompts: a plan of three tasks,
/// one of which leaves a test failing, then a round of debugging that repairs it.
#[must_use]
pub fn script(folder: &Path) -> Script {
    let path = |file: &str| folder.join(file).display().to_string();
    let develop = |task: &str, file: &str, old: &str, new: &str| {
        let edit = Step::Edit { path: path(file), old: old.into(), new: new.into() };
        let rule = Rule::when(&["You do one action of a loop: DEVELOP", &format!("Task {task}")]);
        rule.then(Step::Read { path: path(file) }).then(edit).says(developed(task, file))
    };
    let debug = Rule::when(&["You do one action of a loop: DEBUG"])
        .then(Step::Read { path: path("src/cart.sh") })
        .then(Step::Edit { path: path("src/cart.sh"), old: NEARLY.into(), new: RIGHT.into() })
        .says(DEBUGGED);
    Script::with(vec![
        Rule::when(&["You do one action of a loop: INIT"]).shell("ls src").says(PLAN),
        develop("task-001", "src/money.sh", MONEY.0, MONEY.1),
        develop("task-002", "src/cart.sh", CUT, NEARLY),
        develop("task-003", "README.md", "# Tiny shop", "# Tiny shop, repaired"),
        debug,
    ])
}

/// [`script`], with a plan in which the tasks name these tools in order.
#[must_use]
pub fn script_of_tools(folder: &Path, tools: [&str; 3]) -> Script {
    let mut plan = block(PLAN);
    for (task, tool) in plan["tasks"].as_array_mut().into_iter().flatten().zip(tools) {
        (task["tool"], task["mode"]) = (tool.into(), "write".into());
    }
    let mut script = script(folder);
    script.rules[0].answer = said("Three tasks.", &plan);
    script
}

/// The model of a parallel Loop-B on the project in `folder`: a plan, a worker that repairs everything, and one that finds
/// nothing.
#[must_use]
pub fn parallel_script(folder: &Path) -> Script {
    let edit = |file: &str, old: &str, new: &str| {
        let path = folder.join(file).display().to_string();
        [Step::Read { path: path.clone() }, Step::Edit { path, old: old.into(), new: new.into() }]
    };
    let worker = |action: &str, more: serde_json::Value| {
        let mut answer = serde_json::json!({
            "status": "success", "summary": format!("Did {action}"), "files_changed": [], "completed_tasks": [],
            "suggestions": [], "issues_found": [], "findings": [], "hypotheses": [], "confirmed": null, "fixed": null,
            "lines_added": null, "lines_removed": null, "next_suggestion": null, "loop_back_to": null,
            "detailed_output": null, "needs": null,
        });
        for (key, value) in more.as_object().into_iter().flatten() {
            answer[key] = value.clone();
        }
        said("The work is done.", &answer)
    };
    let develop = Rule::when(&["You do one action of a loop: DEVELOP"]);
    let steps = [edit("src/money.sh", MONEY.0, MONEY.1), edit("src/cart.sh", CUT, RIGHT)].concat();
    let develop = steps.into_iter().fold(develop, Rule::then).says(worker(
        "develop",
        serde_json::json!({
            "files_changed": ["src/money.sh", "src/cart.sh"], "findings": ["Cents were cut off"],
            "completed_tasks": ["task-001", "task-002", "task-003"], "suggestions": ["Test negative amounts"],
        }),
    ));
    Script::with(vec![
        Rule::when(&["You do one action of a loop: INIT"]).shell("ls src").says(PLAN),
        develop,
        Rule::when(&["You do one action of a loop: DEBUG"])
            .shell("ls src")
            .says(worker("debug", serde_json::json!({}))),
    ])
}

/// A last word with an object in it.
fn said(sentence: &str, answer: &serde_json::Value) -> String {
    format!("{sentence}\n```json\n{answer}\n```")
}

/// [`script`] for `scripted_agent`, in its own format.
#[must_use]
pub fn rules() -> Vec<scripted::Rule> {
    let edit = |path: &str, old: &str, new: &str| scripted::Step::Edit {
        path: path.into(),
        old: old.into(),
        new: new.into(),
    };
    let develop = |task: &str, file: &str, old: &str, new: &str| {
        let rule = scripted::Rule::on("develop").task(task).then(edit(file, old, new));
        rule.answers(block(&developed(task, file)))
    };
    vec![
        scripted::Rule::on("init").answers(block(PLAN)),
        develop("task-001", "src/money.sh", MONEY.0, MONEY.1),
        develop("task-002", "src/cart.sh", CUT, NEARLY),
        develop("task-003", "README.md", "# Tiny shop", "# Tiny shop, repaired"),
        scripted::Rule::on("debug").then(edit("src/cart.sh", NEARLY, RIGHT)).answers(block(DEBUGGED)),
    ]
}

/// The object in an answer.
fn block(answer: &str) -> serde_json::Value {
    let block = answer.split("```json").nth(1).and_then(|rest| rest.split("```").next());
    serde_json::from_str(block.unwrap_or_default()).expect("our own answers are JSON")
}

/// The last word of DEVELOP.
#[must_use]
pub fn developed(task: &str, file: &str) -> String {
    let answer = serde_json::json!({
        "task_id": task, "status": "completed", "summary": format!("Changed {file}."), "files_changed": [file],
        "needs": null,
    });
    said("The task is done.", &answer)
}

/// The last word of INIT.
pub const PLAN: &str = r#"Three tasks.
```json
{"tasks": [
  {"id": "task-001", "description": "money writes two digits of cents", "priority": 1, "files": ["src/money.sh"], "tool": null, "mode": null},
  {"id": "task-002", "description": "discounted rounds half a cent up", "priority": 2, "files": ["src/cart.sh"], "tool": null, "mode": null},
  {"id": "task-003", "description": "The title of the README says that it is repaired", "priority": 3, "files": ["README.md"], "tool": null, "mode": null}
], "needs": null}
```"#;

/// The last word of DEBUG.
pub const DEBUGGED: &str = r#"The half was too small.
```json
{"hypotheses": [
  {"id": "H1", "description": "The half that discounted adds is too small", "testable_condition": "995 less 10 % is 895",
   "logging_point": "src/cart.sh:discounted:15", "confirm": "89555 / 100 is cut to 895", "reject": "895 comes from elsewhere",
   "likelihood": 1, "status": "confirmed", "evidence": "(995 * 90 + 5) / 100 = 895",
   "verdict_reason": "Half of the divisor 100 is 50, not 5"}
], "understanding": "Before a division by 100 the half is 50.", "confirmed": "H1", "fixed": true,
 "files_changed": ["src/cart.sh"], "needs": null}
```"#;
