//! Options that say how a loop is run, of `loopdeck new` and `loopdeck run`.

use lexopt::prelude::ValueExt as _;
use loopdeck_agents::Level;
use loopdeck_core::formats::aot::Probes;
use loopdeck_runtime::drivers::plan::{Driver, RunPlan};

use super::code::known;

/// What was given; absent means: as remembered for the loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PlanOptions {
    agent: Option<String>,
    model: Option<String>,
    level: Option<Level>,
    shell: Option<String>,
    test: Option<String>,
    results: Vec<String>,
    minutes: Option<u32>,
    money: Option<f64>,
    tokens: Option<u32>,
    turns: Option<u32>,
    clean: bool,
    wait: bool,
    driver: Option<Driver>,
    worktrees: Option<bool>,
    probes: Option<Probes>,
    check_seconds: Option<u32>,
}

impl PlanOptions {
    /// Every option it takes.
    pub(super) const OPTIONS: &'static [&'static str] = &[
        "agent",
        "model",
        "level",
        "shell",
        "test",
        "results",
        "minutes",
        "money",
        "tokens",
        "turns",
        "clean",
        "wait-for-limit",
        "driver",
        "worktrees",
        "probes",
        "check-seconds",
    ];

    /// Reads the value of one of [`PlanOptions::OPTIONS`]; `false` for any other option.
    pub(super) fn take(&mut self, option: &str, parser: &mut lexopt::Parser) -> Result<bool, lexopt::Error> {
        match option {
            "agent" => self.agent = Some(parser.value()?.string()?),
            "model" => self.model = Some(parser.value()?.string()?),
            "level" => self.level = Some(known(&parser.value()?.string()?)?),
            "shell" => self.shell = Some(parser.value()?.string()?),
            "test" => self.test = Some(parser.value()?.string()?),
            "results" => self.results.push(parser.value()?.string()?),
            "minutes" => self.minutes = Some(parser.value()?.parse()?),
            "money" => self.money = Some(parser.value()?.parse()?),
            "tokens" => self.tokens = Some(parser.value()?.parse()?),
            "turns" => self.turns = Some(parser.value()?.parse()?),
            "clean" => self.clean = true,
            "wait-for-limit" => self.wait = true,
            "probes" => self.probes = Some(known(&parser.value()?.string()?)?),
            "check-seconds" => self.check_seconds = Some(parser.value()?.parse()?),
            "worktrees" => self.worktrees = Some(yes_or_no(&parser.value()?.string()?)?),
            "driver" => self.driver = Some(driver(&parser.value()?.string()?)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `plan` with what was given. `--shell` alone chooses the shell agent.
    pub(super) fn over(self, plan: RunPlan) -> RunPlan {
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
            wait_for_limit: self.wait || plan.wait_for_limit,
            probes: self.probes.unwrap_or(plan.probes),
            check_seconds: self.check_seconds.or(plan.check_seconds),
            worktrees: self.worktrees.unwrap_or(plan.worktrees),
            driver: self.driver.unwrap_or(plan.driver),
            ..plan
        }
    }
}

/// `loopdeck`, `skill`, or the command that starts a skill or plugin.
fn driver(word: &str) -> Result<Driver, lexopt::Error> {
    match word {
        "loopdeck" => Ok(Driver::Loopdeck),
        "skill" => Ok(Driver::Skill { command: String::new() }),
        _ if word.starts_with(['/', '$']) => Ok(Driver::Skill { command: word.to_owned() }),
        _ => Err(lexopt::Error::Custom(format!("'{word}' is not one of loopdeck, skill, /COMMAND").into())),
    }
}

fn yes_or_no(word: &str) -> Result<bool, lexopt::Error> {
    match word {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(lexopt::Error::Custom(format!("'{word}' is not one of yes, no").into())),
    }
}
