//! Loops that really run: a workspace with the tiny project, a runtime whose guardians are a program of these
//! tests, and an agent that follows a script.

use crate::live::{Live, ROOT};
use crate::scripted::{Output, Rule, Scripted, Step};
use crate::tiny_project;
use crate::waiting::eventually;
use loopdeck_agents::Level;
use loopdeck_agents::outcome::Outcome;
use loopdeck_core::formats::aot::AotWork;
use loopdeck_core::start::{NewWork, Recipe};
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::plan::{RunPlan, StartForm};
use loopdeck_runtime::drivers::rows::{CustomAgentForm, Need, NeedAnswer, NeedKind, RunView};
use loopdeck_runtime::runs::GuardianProgram;
use loopdeck_runtime::views::{Failure, LoopRow};
use loopdeck_runtime::{Options, Runtime};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Longer than [`Live`] waits by default: whole loops take several processes, and machines may be busy.
const PATIENCE: Duration = Duration::from_secs(300);

/// A trusted workspace with the tiny project.
pub struct Driven {
    /// The runtime and its workspace.
    pub live: Live,
}

impl Driven {
    /// With the programs `guardian` and `scripted_agent`; the agent is `custom:scripted`.
    pub fn new(guardian: &str, agent: &str) -> Self {
        Self::with(guardian, agent, |_| {})
    }

    /// The same, with `change` applied to its options.
    pub fn with(guardian: &str, agent: &str, change: impl FnOnce(&mut Options)) -> Self {
        let program = GuardianProgram { program: guardian.into(), args: Vec::new() };
        let start = |options: &mut Options| {
            options.guardian = Some(program);
            change(options);
        };
        let driven = Self { live: Live::start(start, tiny_project::lay_out) };
        driven.live.runtime.trust(&driven.folder(), true).expect("trusted");
        driven.add_agent("scripted", agent, "text");
        driven.add_agent("claude-like", agent, "claude-jsonl");
        driven
    }

    /// Adds a custom agent that has every level.
    pub fn add_agent(&self, id: &str, program: &str, output: &str) {
        add_agent(&self.live.runtime, id, program, output);
    }

    /// The workspace, as the form names it.
    pub fn folder(&self) -> String {
        self.live.workspace.to_string_lossy().into_owned()
    }

    /// How `agent` works on the tiny project.
    pub fn plan(&self, agent: &str) -> RunPlan {
        RunPlan {
            agent: agent.into(),
            level: Some(Level::FullAccess),
            shell_command: tiny_project::AGENT_COMMAND.into(),
            test_command: tiny_project::TEST_COMMAND.into(),
            ..RunPlan::default()
        }
    }

    /// A filled form.
    pub fn form(&self, agent: &str) -> StartForm {
        let folder = &self.live.workspace;
        form_for("Make the tests of the tiny shop pass", folder, self.plan(agent))
    }

    /// A form for [`small`] work of the scripted agent: one or more tasks, and passing tests.
    pub fn small_form(&self, agent: &str) -> StartForm {
        let mut form = self.form(agent);
        form.plan.test_command = PASSING.into();
        form
    }

    /// Puts a script into the workspace.
    pub fn script(&self, script: &Scripted) {
        script.put_into(&self.live.workspace);
    }

    /// Starts the agent of an existing loop.
    ///
    /// # Errors
    /// The failure a person would see.
    pub fn launch(&self, name: &str) -> Result<(), Failure> {
        self.live.runtime.launch(&self.live.key(name), None, None)
    }

    /// Answers an open need.
    pub fn answer(&self, need: &Need, answer: NeedAnswer) {
        self.live.runtime.answer(&need.id, answer).expect("answered");
    }

    /// Waits until the loop shows `word`.
    pub fn wait_for_word(&mut self, name: &str, word: StatusWord) {
        self.wait(name, &format!("{word:?}"), |row| row.word == word);
    }

    /// Opens a gate that a step of the script waits for.
    pub fn open(&self, gate: &str) {
        std::fs::write(self.live.workspace.join(gate), "").expect("a gate");
    }

    /// Waits until a step of the script has created this file.
    pub fn wait_for_file(&self, name: &str) {
        eventually(name, || self.live.workspace.join(name).exists().then_some(()));
    }

    /// Runs of a loop, oldest first: action, task, outcome.
    pub fn ran(&self, name: &str) -> Vec<String> {
        let runs = self.live.runtime.runs(&self.live.key(name)).expect("runs");
        let said = |run: &RunView| {
            let task = run.task.as_ref().map(|task| format!(" {task}")).unwrap_or_default();
            format!("{}{task} {}", run.action, run.outcome.map_or_else(|| "-".to_owned(), word_of))
        };
        runs.iter().rev().map(said).collect()
    }

    /// The state of a loop, as JSON.
    pub fn state(&self, name: &str) -> Value {
        serde_json::from_str(&self.live.read(name)).expect("JSON")
    }

    /// Expects that nothing is working in the workspace.
    pub fn all_gone(&self) {
        assert_eq!(self.processes(), Vec::<u32>::new());
    }

    /// Starts it and returns the name of its state file.
    pub fn start(&mut self, form: &StartForm) -> String {
        let key = self.live.runtime.start_loop(form).expect("starts");
        self.live.pull();
        let file = key.split_once(':').map_or(key.as_str(), |(_, file)| file);
        file.strip_prefix(&format!("{ROOT}/")).unwrap_or(file).to_owned()
    }

    /// Waits until the row of `name` satisfies the condition.
    pub fn wait(&mut self, name: &str, what: &str, holds: impl Fn(&LoopRow) -> bool) {
        if !self.live.waits(PATIENCE, |live| live.row(name).is_some_and(&holds)) {
            panic!("never: {name}: {what}\n{:#?}\n{}", self.live.row(name), self.told(name));
        }
    }

    /// The same for a state file anywhere, by its path below the opened workspace or one inside it.
    pub fn wait_at(&mut self, file: &str, what: &str, holds: impl Fn(&LoopRow) -> bool) {
        let came = self.live.waits(PATIENCE, |live| live.rows.get(file).is_some_and(&holds));
        assert!(came, "never: {file}: {what}\n{:#?}", self.live.rows.get(file));
    }

    /// Waits for a need of this kind.
    pub fn wait_for_need(&mut self, name: &str, kind: NeedKind) -> Need {
        let find = |driven: &Self| {
            let key = driven.live.row(name).map(|row| row.key.clone());
            let needs = driven.live.runtime.needs().needs;
            needs.into_iter().find(|need| Some(&need.key) == key.as_ref() && need.kind == kind)
        };
        self.wait(name, &format!("needs {kind:?}"), |row| row.run.as_ref().is_some_and(|run| run.needs > 0));
        find(self).unwrap_or_else(|| panic!("no {kind:?}: {}", self.told(name)))
    }

    /// Everything known about a loop, for a message.
    pub fn told(&self, name: &str) -> String {
        let runtime = &self.live.runtime;
        let file = std::fs::read_to_string(self.live.path(name)).unwrap_or_default();
        let Some(row) = self.live.row(name) else { return file };
        let runs = runtime.runs(&row.key).unwrap_or_default();
        let mut said = format!("{file}\n{:#?}\n{:#?}\n", row.run, runtime.needs().needs);
        for run in runs.iter().rev() {
            said += &format!("--- {} {:?} {:?} {:?}\n", run.action, run.outcome, run.exit_code, run.message);
            if let Ok(page) = runtime.output(&row.key, Some(&run.id), 0, 200) {
                for row in page.rows {
                    said += &format!("  {:?} {} {}\n", row.kind, row.name, row.text);
                }
            }
        }
        said
    }

    /// Processes that are working in the workspace.
    pub fn processes(&self) -> Vec<u32> {
        processes_in(&self.live.workspace)
    }
}

/// A form for `goal` in `folder`, as a bug that needs fixing.
#[must_use]
pub fn form_for(goal: &str, folder: &Path, plan: RunPlan) -> StartForm {
    let work = NewWork {
        recipe: Recipe::FixBug,
        format: None,
        mode: None,
        goal: goal.to_owned(),
        title: String::new(),
        max_iterations: None,
        tasks: Vec::new(),
        base_case: None,
        follow_up: None,
        plan: None,
        aot: AotWork::default(),
    };
    let folder = folder.to_string_lossy().into_owned();
    StartForm { work, folder, worktree: String::new(), plan, page: 0, replace: false }
}

/// A form for a feature of one task, in which `agent` edits files and the tests pass.
#[must_use]
pub fn one_task_form(folder: &Path, agent: &str) -> StartForm {
    let plan = RunPlan {
        agent: agent.to_owned(),
        level: Some(Level::EditFiles),
        test_command: PASSING.to_owned(),
        ..RunPlan::default()
    };
    let mut form = form_for("Write a note", folder, plan);
    form.work.recipe = Recipe::BuildFeature;
    form.work.tasks = vec!["Write it".into()];
    form
}

/// Adds a custom agent that has every level to what a runtime knows.
///
/// # Panics
/// When it is not saved.
pub fn add_agent(runtime: &Runtime, id: &str, program: &str, output: &str) {
    let none = || Some(Vec::new());
    let agent = CustomAgentForm {
        id: id.into(),
        name: format!("The {id} agent"),
        program: program.into(),
        output: output.into(),
        look_only: none(),
        edit_files: none(),
        full_access: none(),
        ..CustomAgentForm::default()
    };
    assert_eq!(runtime.save_agent(agent).expect("saved"), []);
}

/// The answer that adds `amount` to a used-up limit, by its name in `Need::args`.
///
/// # Panics
/// When there is no such limit.
#[must_use]
pub fn more(limit: &str, amount: u32) -> NeedAnswer {
    assert!(["iterations", "time", "money", "tokens", "turns"].contains(&limit), "{limit}");
    let of = |name: &str| (name == limit).then_some(amount);
    NeedAnswer::Extend {
        iterations: of("iterations"),
        minutes: of("time"),
        money_usd: of("money").map(f64::from),
        tokens: of("tokens"),
        turns: of("turns"),
    }
}

/// A test command that passes.
pub const PASSING: &str = "printf 'TAP version 13\\n1..1\\nok 1 - all is well\\n'";

/// INIT's answer with this many tasks.
#[must_use]
pub fn planned(tasks: u32) -> Rule {
    let task = |number| json!({"id": format!("task-{number:03}"), "description": format!("Part {number}"), "priority": number, "files": []});
    let tasks: Vec<Value> = (1..=tasks).map(task).collect();
    Rule::on("init").answers(json!({ "tasks": tasks, "needs": null }))
}

/// DEVELOP's answer for a finished task.
#[must_use]
pub fn done(rule: Rule, task: &str) -> Rule {
    rule.answers(json!({
        "task_id": task, "status": "completed", "summary": format!("Did {task}"), "files_changed": [], "needs": null,
    }))
}

/// DEVELOP of a task that succeeds.
#[must_use]
pub fn develops(task: &str) -> Rule {
    done(Rule::on("develop").task(task), task)
}

/// The serialised word of an outcome.
fn word_of(outcome: Outcome) -> String {
    serde_json::to_value(outcome).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// The work of an agent with one task that is done immediately, after `rules`.
#[must_use]
pub fn small(output: Output, rules: Vec<Rule>) -> Scripted {
    let rules = rules.into_iter().chain([planned(1), develops("task-001"), develops("task-002")]).collect();
    Scripted { output, rules }
}

/// An agent that the provider rejects once, until `seconds` from now.
#[must_use]
pub fn turned_away(seconds: u64) -> Rule {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let info = json!({ "status": "rejected", "resetsAt": now + seconds, "rateLimitType": "five_hour" });
    let event = json!({ "type": "rate_limit_event", "rate_limit_info": info, "session_id": "s" });
    let result = json!({
        "subtype": "success", "is_error": true, "api_error_status": 429, "terminal_reason": "api_error",
        "result": "You've hit your limit",
    });
    Rule { result, ..Rule::on("develop").times(1).then(Step::Raw(format!("{event}\n"))) }
}

/// Processes whose current folder is `folder`.
pub fn processes_in(folder: &Path) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == folder)).collect()
}
