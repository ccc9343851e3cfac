//! Options of `loopdeck new`: the checks that prove a loop, and with `--format aot` the rest of the objective and atoms.

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};
use loopdeck_core::formats::aot::{
    AotWork, BaseCase, Check, CheckItem, CheckKind, CheckPart, Criteria, NewAtom, Quality,
};

/// The default score that a quality check needs, in hundredths.
const USUAL_THRESHOLD: u32 = 350;

/// What was given.
#[derive(clap::Args, Debug, Default, PartialEq)]
pub(super) struct AotOptions {
    /// Background intent
    #[arg(long, value_name = "TEXT", help_heading = OBJECTIVE)]
    background: Option<String>,
    /// Deliverables
    #[arg(long, value_name = "TEXT", help_heading = OBJECTIVE)]
    deliverables: Option<String>,
    /// Definition of done (default: every check passes)
    #[arg(long, value_name = "TEXT", help_heading = OBJECTIVE)]
    done: Option<String>,
    /// What is part of it; repeat for several
    #[arg(long, value_name = "TEXT", help_heading = OBJECTIVE)]
    in_scope: Vec<String>,
    /// What is not part of it; repeat for several
    #[arg(long, value_name = "TEXT", help_heading = OBJECTIVE)]
    out_of_scope: Vec<String>,
    /// Agents in parallel
    #[arg(long, value_name = "N", help_heading = OBJECTIVE)]
    max_parallel: Option<u32>,
    /// Rounds without progress before it stops (default: 3)
    #[arg(long, value_name = "N", help_heading = OBJECTIVE)]
    max_stalls: Option<u32>,
    /// Instead of single checks: a list with groups and rubrics, as base_case of 'loopdeck change'
    #[arg(long = "checks", value_name = "JSON", help_heading = CHECKS, value_parser = base_case)]
    list: Option<BaseCase>,
    /// Passes when no change since the loop began weakens a test. Not with --format aot
    #[arg(long, help_heading = CHECKS)]
    check_tests_kept: bool,
    #[command(flatten)]
    ordered: Ordered,
}

const OBJECTIVE: &str = "With --format aot, the rest of the objective";
const CHECKS: &str = "Checks that prove that it is done; all must pass. --format aot needs at least one";
const ATOMS: &str =
    "With --format aot, the first atoms; repeat for several (default: one, which is the goal)";

/// Options that belong to the preceding check or atom, so their order matters.
const ORDERED: [(&str, &str, &str, &str); 13] = [
    ("check", "COMMAND", CHECKS, "Passes when the shell command succeeds; repeat for more"),
    ("check-fails", "COMMAND", CHECKS, "Passes when the shell command fails"),
    ("check-file", "PATH", CHECKS, "Passes when the file exists; * ? ** match names"),
    ("check-no-file", "PATH", CHECKS, "Passes when the file does not exist"),
    (
        "check-coverage",
        "PERCENT:REPORT",
        CHECKS,
        "Passes when a fresh report says that so much is covered, such as 80:coverage/lcov.info; not with --format aot",
    ),
    ("check-person", "SENTENCE", CHECKS, "Passes when a person confirms the sentence"),
    ("check-quality", "CRITERIA", CHECKS, "Passes when a model scores it high enough, from 1 to 5"),
    ("threshold", "N", CHECKS, "Of the --check-quality before it: the score it needs (default: 3.5)"),
    ("name", "TEXT", CHECKS, "Name of the check before it (default: what it checks)"),
    ("atom", "TEXT", ATOMS, "An atom that does TEXT"),
    ("atom-id", "ID", ATOMS, "Of the --atom before it: its id (default: the next free A<n>)"),
    ("after", "A1,A2", ATOMS, "Of the --atom before it: what it waits for"),
    (
        "group",
        "GROUP",
        ATOMS,
        "Of the --atom before it: the OR group it is a choice of; the first choice is tried first",
    ),
];

/// Checks and atoms, in the order given.
#[derive(Debug, Default, PartialEq)]
struct Ordered {
    checks: Vec<Named>,
    atoms: Vec<NewAtom>,
}

/// A check, and its name if given.
#[derive(Debug, PartialEq)]
struct Named {
    name: Option<String>,
    part: CheckPart,
}

impl clap::Args for Ordered {
    fn augment_args(command: Command) -> Command {
        command.args(ORDERED.map(|(name, value, heading, help)| {
            let arg = Arg::new(name).long(name).value_name(value).action(ArgAction::Append);
            arg.help_heading(heading).help(help)
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Ordered {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let of = |name| {
            let places = matches.indices_of(name).into_iter().flatten();
            places
                .zip(matches.get_many::<String>(name).into_iter().flatten())
                .map(move |(at, text)| (at, name, text))
        };
        let mut given: Vec<(usize, &str, &String)> =
            ORDERED.iter().flat_map(|(name, ..)| of(*name)).collect();
        given.sort_unstable_by_key(|(at, ..)| *at);
        let mut ordered = Self::default();
        for (_, name, text) in given {
            ordered.take_option(name, text.clone()).map_err(|sentence| {
                clap::Error::raw(
                    ErrorKind::ValueValidation,
                    format!("{sentence}; see 'loopdeck new --help'\n"),
                )
            })?;
        }
        Ok(ordered)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Ordered {
    /// Handles one of [`ORDERED`]; the error is a sentence for the person.
    fn take_option(&mut self, option: &str, text: String) -> Result<(), String> {
        match option {
            "atom" => self.atoms.push(NewAtom { description: text, ..NewAtom::default() }),
            "atom-id" => last(&mut self.atoms, "--atom-id", "--atom")?.id = Some(text),
            "after" => last(&mut self.atoms, "--after", "--atom")?.depends_on = ids(&text),
            "group" => last(&mut self.atoms, "--group", "--atom")?.or_group = Some(text),
            "name" => last(&mut self.checks, "--name", "--check")?.name = Some(text),
            "threshold" => self.threshold(&text)?,
            "check-quality" => {
                let criteria = Criteria::Text(text);
                let quality = Quality { criteria, pass_threshold: USUAL_THRESHOLD, scope: None };
                self.checks.push(Named { name: None, part: CheckPart::Quality(quality) });
            }
            kind => {
                let kind = match kind {
                    "check-fails" => CheckKind::NotCommand,
                    "check-file" => CheckKind::File,
                    "check-no-file" => CheckKind::NotFile,
                    "check-coverage" => CheckKind::Coverage,
                    "check-person" => CheckKind::Assertion,
                    _ => CheckKind::Command,
                };
                let part = CheckPart::Check(Check { kind, value: text });
                self.checks.push(Named { name: None, part });
            }
        }
        Ok(())
    }

    /// `3.5` for the preceding quality check.
    fn threshold(&mut self, text: &str) -> Result<(), String> {
        let Named { part: CheckPart::Quality(quality), .. } =
            last(&mut self.checks, "--threshold", "--check-quality")?
        else {
            return Err("--threshold belongs to the --check-quality before it".to_owned());
        };
        let score: f64 = text.parse().map_err(|_| "--threshold needs a score such as 3.5")?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // the form refuses a wrong one
        let hundredths = (score * 100.0).round().clamp(0.0, 1_000.0) as u32;
        quality.pass_threshold = hundredths;
        Ok(())
    }
}

/// A completion check of any shape; a list alone is a checklist.
fn base_case(text: &str) -> Result<BaseCase, String> {
    let list = text.trim_start().starts_with('[');
    let parsed =
        if list { serde_json::from_str(text).map(BaseCase::Checklist) } else { serde_json::from_str(text) };
    parsed.map_err(|error| error.to_string())
}

impl AotOptions {
    /// Whether there is anything that only an AoT loop has: checks are for every loop.
    pub(super) fn needs_aot(&self) -> bool {
        let Self { background, deliverables, done, in_scope, out_of_scope, max_parallel, max_stalls, .. } =
            self;
        let texts = [background, deliverables, done].iter().any(|text| text.is_some());
        let scope = !in_scope.is_empty() || !out_of_scope.is_empty();
        texts || scope || max_parallel.is_some() || max_stalls.is_some() || !self.ordered.atoms.is_empty()
    }

    /// What is wrong with the combination of options.
    pub(super) fn mistake(&self, is_aot: bool) -> Option<&'static str> {
        let has_none = self.ordered.checks.is_empty() && !self.check_tests_kept;
        match (&self.list, has_none) {
            _ if is_aot && self.check_tests_kept => {
                Some("takes --check-tests-kept without --format aot only")
            }
            (None, true) if is_aot => {
                Some("needs a check for --format aot: --check COMMAND, or one of the other checks")
            }
            (Some(_), false) => Some("takes either --checks JSON or single checks"),
            _ => None,
        }
    }

    /// The check or checks, and the rest.
    pub(super) fn into_parts(self) -> (Option<BaseCase>, AotWork) {
        let Ordered { mut checks, atoms } = self.ordered;
        if self.check_tests_kept {
            let check = Check { kind: CheckKind::TestsKept, value: String::new() };
            checks.push(Named { name: None, part: CheckPart::Check(check) });
        }
        let mut work =
            AotWork { atoms, in_scope: self.in_scope, out_of_scope: self.out_of_scope, ..AotWork::default() };
        work.background_intent = self.background.unwrap_or_default();
        work.deliverables = self.deliverables.unwrap_or_default();
        work.definition_of_done = self.done.unwrap_or_default();
        work.max_parallel_agents = self.max_parallel;
        work.max_stall_count = self.max_stalls;
        let single = (checks.len() == 1 && checks[0].name.is_none()).then(|| checks.remove(0).part);
        let base_case = match (self.list, single) {
            (Some(list), _) => Some(list),
            (None, Some(CheckPart::Check(check))) => Some(BaseCase::Single(check)),
            (None, Some(CheckPart::Quality(quality))) => Some(BaseCase::Quality(quality)),
            (None, _) if checks.is_empty() => None,
            (None, _) => Some(BaseCase::Checklist(checks.into_iter().map(Named::item).collect())),
        };
        (base_case, work)
    }
}

impl Named {
    /// A check without a name is named after its question.
    fn item(self) -> CheckItem {
        let Self { name, part } = self;
        let asked = match &part {
            CheckPart::Check(check) => check.value.as_str(),
            CheckPart::Quality(Quality { criteria: Criteria::Text(text), .. }) => text,
            _ => "",
        };
        let item = name.unwrap_or_else(|| asked.replace('"', "'"));
        CheckItem { item, part }
    }
}

fn last<'l, T>(list: &'l mut [T], option: &str, to: &str) -> Result<&'l mut T, String> {
    list.last_mut().ok_or_else(|| format!("{option} belongs to the {to} before it"))
}

/// `A1,A2`.
pub(super) fn ids(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned).collect()
}
