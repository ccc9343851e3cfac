//! What the start form takes and begins with, and how far a limit that was reached can be raised: once, for the checks
//! here and, as constants of the bindings, for the page.

use crate::preferences::plan::RunPlan;
use crate::rows::Extension;
use loopdeck_agents::Level;
use loopdeck_core::checklist::wanted::CheckKind;
use loopdeck_core::driver::{Probes, UsedUp};
use loopdeck_core::format::Format;
use loopdeck_core::forms::Bounds;
use loopdeck_core::loops;
use loopdeck_core::phase::IterationBar;
use loopdeck_core::start::{MAX_TASKS, Modes, NewFormat, Recipe};
use serde::Serialize;
use std::collections::BTreeMap;

/// Minutes that a loop may take: at most thirty days.
pub const MINUTES: Bounds = Bounds { least: 1, most: 60 * 24 * 30 };
/// Tokens that a loop may use.
pub const TOKENS: Bounds = Bounds { least: 1, most: 4_000_000_000 };
/// Turns of one agent run.
pub const TURNS: Bounds = Bounds { least: 1, most: 10_000 };
/// Seconds that one command of a completion check may take: at most a day.
pub const CHECK_SECONDS: Bounds = Bounds { least: 1, most: 86_400 };
/// The same when the plan does not say (AoT contract §11).
pub const USUAL_CHECK_SECONDS: u32 = 120;
/// The smallest and the largest amount that is added to a budget at once, in USD.
const MONEY: (f64, f64) = (0.01, 10_000.0);

/// The format of each kind of work.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ByRecipe {
    /// [`Recipe::FixBug`].
    pub fix_bug: NewFormat,
    /// [`Recipe::BuildFeature`].
    pub build_feature: NewFormat,
    /// [`Recipe::Checklist`].
    pub checklist: NewFormat,
}

/// What a new form starts with, in addition to the choices for the last loop.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FormDefaults {
    /// `fix_bug`.
    pub recipe: Recipe,
    /// Iterations.
    pub max_iterations: u32,
    /// Minutes.
    pub minutes: u32,
    /// USD.
    pub money_usd: f64,
}

/// What the start form takes.
#[derive(Clone, Debug, Serialize)]
pub struct StartBounds {
    /// Formats to choose from.
    pub formats: [NewFormat; 4],
    /// Levels, the smallest first.
    pub levels: [Level; 3],
    /// The format that fits each kind of work.
    pub format_of: ByRecipe,
    /// Whether Loopdeck runs loops of a format; others are written and wait.
    pub runs: BTreeMap<NewFormat, bool>,
    /// Modes to choose from.
    pub modes: BTreeMap<NewFormat, Modes>,
    /// `max_iterations` of each format.
    pub iterations: BTreeMap<NewFormat, Bounds>,
    /// `max_iterations` of each format when none is given.
    pub usual_iterations: BTreeMap<NewFormat, u32>,
    /// `agent` of a plan that is run by the plain shell: it has no levels.
    pub shell: &'static str,
    /// Atoms that can be probed for feasibility first.
    pub probes: [Probes; 3],
    /// The command by which the AoT plugin takes a loop up.
    pub plugin_command: &'static str,
    /// Most tasks.
    pub most_tasks: usize,
    /// Minutes.
    pub minutes: Bounds,
    /// Tokens.
    pub tokens: Bounds,
    /// Turns.
    pub turns: Bounds,
    /// Seconds for a command of a completion check.
    pub check_seconds: Bounds,
    /// The same when none are given.
    pub usual_check_seconds: u32,
    /// Checks that need no judge in a plan of ours, the form's default first.
    pub check_kinds: [CheckKind; 7],
    /// A budget in USD is more than this.
    pub money_above: f64,
    /// What a new form begins with.
    pub begun: FormDefaults,
}

/// What the start form takes and begins with.
#[must_use]
pub fn start_bounds() -> StartBounds {
    StartBounds {
        formats: NewFormat::ALL,
        levels: Level::ALL,
        format_of: ByRecipe {
            fix_bug: Recipe::FixBug.format(),
            build_feature: Recipe::BuildFeature.format(),
            checklist: Recipe::Checklist.format(),
        },
        runs: NewFormat::map(NewFormat::is_run),
        modes: NewFormat::map(NewFormat::modes),
        iterations: NewFormat::map(NewFormat::iterations),
        usual_iterations: NewFormat::map(NewFormat::usual_iterations),
        shell: "shell",
        probes: [Probes::Never, Probes::Alternatives, Probes::All],
        plugin_command: loopdeck_core::skill_prompt::PLUGIN_COMMAND,
        most_tasks: MAX_TASKS,
        minutes: MINUTES,
        tokens: TOKENS,
        turns: TURNS,
        check_seconds: CHECK_SECONDS,
        usual_check_seconds: USUAL_CHECK_SECONDS,
        check_kinds: CheckKind::IN_PLANS,
        money_above: 0.0,
        begun: FormDefaults { recipe: Recipe::FixBug, max_iterations: 10, minutes: 120, money_usd: 5.0 },
    }
}

/// The limits of a plan that it cannot have.
pub fn out_of_range(plan: &RunPlan) -> impl Iterator<Item = &'static str> {
    let beyond = |bounds: Bounds, number: Option<u32>| number.is_some_and(|number| !bounds.accepts(number));
    let money = plan.money_usd.is_some_and(|money| !(money.is_finite() && money > 0.0));
    let found = [
        ("minutes", beyond(MINUTES, plan.minutes)),
        ("money_usd", money),
        ("tokens", beyond(TOKENS, plan.tokens)),
        ("turns", beyond(TURNS, plan.turns)),
        ("check_seconds", beyond(CHECK_SECONDS, plan.check_seconds)),
    ];
    found.into_iter().filter(|(_, beyond)| *beyond).map(|(field, _)| field)
}

/// How far `limit` can be raised: half as many iterations again, up to what the format takes altogether; twice the turns;
/// as much of everything else as the last start had.
pub(crate) fn extension(
    limit: UsedUp,
    format: Format,
    bar: Option<IterationBar>,
    plan: &RunPlan,
) -> Extension {
    let within = |bounds: Bounds, proposed: u32| Extension {
        of: limit,
        least: f64::from(bounds.least),
        most: f64::from(bounds.most),
        whole: true,
        proposed: f64::from(proposed.clamp(bounds.least, bounds.most)),
    };
    match limit {
        // A limit of an AoT loop is raised with its iterations, or by a redirect.
        UsedUp::Iterations | UsedUp::Stalls | UsedUp::Choices => more_iterations(format, bar),
        UsedUp::Time => within(MINUTES, plan.minutes.unwrap_or(60)),
        UsedUp::Tokens => within(TOKENS, plan.tokens.unwrap_or(1_000_000)),
        UsedUp::Turns => within(TURNS, plan.turns.unwrap_or(25).saturating_mul(2)),
        UsedUp::Money => {
            let (least, most) = MONEY;
            let proposed = plan.money_usd.unwrap_or(5.0).clamp(least, most);
            Extension { of: limit, least, most, whole: false, proposed }
        }
    }
}

fn more_iterations(format: Format, bar: Option<IterationBar>) -> Extension {
    let bounds = loops::iterations(format);
    let all = f64::from(bounds.most);
    let limit = bar.map(|bar| bar.limit).filter(|limit| limit.is_finite());
    let most = (all - limit.unwrap_or_default().trunc().max(0.0)).max(1.0);
    let proposed = (limit.unwrap_or(10.0) / 2.0).round().clamp(1.0, most);
    Extension { of: UsedUp::Iterations, least: 1.0, most, whole: true, proposed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_agents::AgentId;

    #[test]
    fn a_limit_is_raised_by_what_fits_to_it() {
        let bar = |limit| Some(IterationBar { current: limit, limit });
        let plan = RunPlan { minutes: Some(90), turns: Some(30), money_usd: Some(2.5), ..RunPlan::default() };
        let none = RunPlan::default();
        let table = [
            (UsedUp::Iterations, bar(10.0), &none, (90.0, 5.0)),
            (UsedUp::Iterations, bar(98.0), &none, (2.0, 2.0)),
            (UsedUp::Iterations, bar(100.0), &none, (1.0, 1.0)),
            (UsedUp::Iterations, bar(f64::NAN), &none, (100.0, 5.0)),
            (UsedUp::Iterations, None, &none, (100.0, 5.0)),
            (UsedUp::Time, None, &plan, (43_200.0, 90.0)),
            (UsedUp::Time, None, &none, (43_200.0, 60.0)),
            (UsedUp::Money, None, &plan, (10_000.0, 2.5)),
            (UsedUp::Tokens, None, &none, (4e9, 1e6)),
            (UsedUp::Turns, None, &plan, (10_000.0, 60.0)),
            (UsedUp::Turns, None, &none, (10_000.0, 50.0)),
        ];
        for (limit, bar, plan, expected) in table {
            let said = extension(limit, Format::LoopV2, bar, plan);
            assert_eq!((said.most, said.proposed), expected, "{limit:?} {bar:?}");
            assert!(said.least <= said.proposed && said.whole == (limit != UsedUp::Money));
        }
    }

    #[test]
    fn an_aot_loop_takes_more_iterations_than_the_others() {
        let bar = Some(IterationBar { current: 100.0, limit: 100.0 });
        let said = extension(UsedUp::Iterations, Format::Aot, bar, &RunPlan::default());
        assert_eq!((said.most, said.proposed), (9_900.0, 50.0));
    }

    #[test]
    fn a_new_form_begins_with_numbers_that_it_takes() {
        let form = start_bounds();
        let begun = form.begun;
        for bounds in form.iterations.values() {
            assert!(bounds.accepts(begun.max_iterations));
        }
        let plan =
            RunPlan { minutes: Some(begun.minutes), money_usd: Some(begun.money_usd), ..RunPlan::default() };
        assert_eq!(out_of_range(&plan).count(), 0);
        assert_eq!(AgentId::parse(form.shell), Some(AgentId::Shell));
    }

    #[test]
    fn numbers_beyond_their_bounds_are_named() {
        let plan = RunPlan {
            minutes: Some(43_201),
            money_usd: Some(f64::NAN),
            tokens: Some(4_000_000_001),
            turns: Some(0),
            check_seconds: Some(0),
            ..RunPlan::default()
        };
        let named: Vec<_> = out_of_range(&plan).collect();
        assert_eq!(named, ["minutes", "money_usd", "tokens", "turns", "check_seconds"]);
    }
}
