//! Options of `loopdeck new` and `loopdeck run` about how to run a loop.

use clap::ValueEnum;
use loopdeck_agents::Level;
use loopdeck_core::formats::aot::Probes;
use loopdeck_runtime::drivers::plan::{Driver, RunPlan};

use super::code::code;

/// The given values; absent means: as remembered for the loop.
#[derive(clap::Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "How the loop runs (saved for the loop)")]
pub(super) struct PlanOptions {
    /// claude, codex, gemini, qwen, shell, or custom:ID of an agent of your own
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// Permissions
    #[arg(long, value_parser = code::<Level>())]
    level: Option<Level>,
    /// Model, by the agent's name for it
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Shell command that does each action; chooses the shell agent
    #[arg(long, value_name = "COMMAND")]
    shell: Option<String>,
    /// Shell command that VALIDATE runs
    #[arg(long, value_name = "COMMAND")]
    test: Option<String>,
    /// Result file that the test command writes, below DIR; repeat for several
    #[arg(long, value_name = "FILE")]
    results: Vec<String>,
    /// Time limit of the whole run
    #[arg(long, value_name = "N")]
    minutes: Option<u32>,
    /// Money limit of the whole run
    #[arg(long, value_name = "USD")]
    money: Option<f64>,
    /// Token limit of the whole run
    #[arg(long, value_name = "N")]
    tokens: Option<u32>,
    /// Turn limit of each agent run
    #[arg(long, value_name = "N")]
    turns: Option<u32>,
    /// The runner: loopdeck (default), skill, or a /COMMAND that starts a skill or plugin
    ///
    /// skill is the agent's own CCW skill, or with aot the plugin in Claude Code, whose hook approves tools without asking.
    #[arg(long, value_name = "WHO", value_parser = driver)]
    driver: Option<Driver>,
    /// With aot: workers of one round get git worktrees, and their changes are merged (default: no)
    #[arg(long, value_name = "ANSWER")]
    worktrees: Option<YesNo>,
    /// With aot: a read-only run checks first whether an atom is feasible (default: never)
    #[arg(long, value_name = "WHICH", value_parser = code::<Probes>())]
    probes: Option<Probes>,
    /// How long one command of the checks may take (default: 120)
    #[arg(long, value_name = "N")]
    check_seconds: Option<u32>,
    /// Keep what the checks say in the repository too, next to the loop: 'loopdeck verify' reads it
    #[arg(long)]
    keep_evidence: bool,
    /// Run without your own plugins, hooks and servers, where the agent supports it
    #[arg(long)]
    clean: bool,
    /// Resume when the agent's usage limit resets, up to twice
    #[arg(long = "wait-for-limit")]
    wait: bool,
}

/// A yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum YesNo {
    Yes,
    No,
}

impl PlanOptions {
    /// `plan` with the given values. `--shell` alone chooses the shell agent.
    pub(super) fn apply_to(self, plan: RunPlan) -> RunPlan {
        let shell = self.shell.as_ref().map(|_| "shell".to_owned());
        let agent = self.agent.or(shell).unwrap_or_else(|| plan.agent.clone());
        // A level and a model belong to the agent they were chosen for, which may be named later.
        let same = plan.agent.is_empty() || agent == plan.agent;
        let (level, model) = if same { (plan.level, plan.model) } else { (None, String::new()) };
        RunPlan {
            agent,
            model: self.model.unwrap_or(model),
            level: self.level.or(level),
            shell_command: self.shell.unwrap_or(plan.shell_command),
            test_command: self.test.unwrap_or(plan.test_command),
            results: if self.results.is_empty() { plan.results } else { self.results },
            minutes: self.minutes.or(plan.minutes),
            money_usd: self.money.or(plan.money_usd),
            tokens: self.tokens.or(plan.tokens),
            turns: self.turns.or(plan.turns),
            clean: self.clean || plan.clean,
            keep_evidence: self.keep_evidence || plan.keep_evidence,
            wait_for_limit: self.wait || plan.wait_for_limit,
            probes: self.probes.unwrap_or(plan.probes),
            check_seconds: self.check_seconds.or(plan.check_seconds),
            worktrees: self.worktrees.map_or(plan.worktrees, |answer| answer == YesNo::Yes),
            driver: self.driver.unwrap_or(plan.driver),
            ..plan
        }
    }
}

/// `loopdeck`, `skill`, or the command that starts a skill or plugin.
fn driver(word: &str) -> Result<Driver, &'static str> {
    match word {
        "loopdeck" => Ok(Driver::Loopdeck),
        "skill" => Ok(Driver::Skill { command: String::new() }),
        _ if word.starts_with(['/', '$']) => Ok(Driver::Skill { command: word.to_owned() }),
        _ => Err("not one of loopdeck, skill, /COMMAND"),
    }
}
