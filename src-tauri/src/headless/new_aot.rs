//! Options of `loopdeck new --format aot`: the rest of the objective, checks and atoms.

use lexopt::prelude::ValueExt as _;
use loopdeck_core::formats::aot::{
    AotWork, BaseCase, Check, CheckItem, CheckKind, CheckPart, Criteria, NewAtom, Quality,
};

/// The score that a quality check needs when none is given, in hundredths.
const USUAL_THRESHOLD: u32 = 350;

/// What was given.
#[derive(Debug, Default, PartialEq)]
pub(super) struct AotOptions {
    work: AotWork,
    checks: Vec<Named>,
    /// All of them as JSON.
    list: Option<BaseCase>,
}

/// A check, and its name once it was given.
#[derive(Debug, PartialEq)]
struct Named {
    name: Option<String>,
    part: CheckPart,
}

impl AotOptions {
    /// Every option it takes.
    pub(super) const OPTIONS: &'static [&'static str] = &[
        "background",
        "deliverables",
        "done",
        "in-scope",
        "out-of-scope",
        "max-parallel",
        "max-stalls",
        "check",
        "check-fails",
        "check-file",
        "check-no-file",
        "check-person",
        "check-quality",
        "threshold",
        "name",
        "checks",
        "atom",
        "atom-id",
        "after",
        "group",
    ];

    /// Reads the value of one of [`AotOptions::OPTIONS`].
    pub(super) fn take(&mut self, option: &str, parser: &mut lexopt::Parser) -> Result<(), lexopt::Error> {
        let value = parser.value()?;
        let work = &mut self.work;
        let limit = match option {
            "max-parallel" => Some(&mut work.max_parallel_agents),
            "max-stalls" => Some(&mut work.max_stall_count),
            _ => None,
        };
        if let Some(limit) = limit {
            *limit = Some(value.parse()?);
            return Ok(());
        }
        let text = value.string()?;
        match option {
            "background" => work.background_intent = text,
            "deliverables" => work.deliverables = text,
            "done" => work.definition_of_done = text,
            "in-scope" => work.in_scope.push(text),
            "out-of-scope" => work.out_of_scope.push(text),
            "atom" => work.atoms.push(NewAtom { description: text, ..NewAtom::default() }),
            "atom-id" => last(&mut work.atoms, "--atom-id", "--atom")?.id = Some(text),
            "after" => last(&mut work.atoms, "--after", "--atom")?.depends_on = ids(&text),
            "group" => last(&mut work.atoms, "--group", "--atom")?.or_group = Some(text),
            "name" => last(&mut self.checks, "--name", "--check")?.name = Some(text),
            "threshold" => self.threshold(&text)?,
            "checks" => {
                let read = serde_json::from_str(&text);
                self.list = Some(read.map_err(|error| custom(&format!("--checks: {error}")))?);
            }
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
                    "check-person" => CheckKind::Assertion,
                    _ => CheckKind::Command,
                };
                let part = CheckPart::Check(Check { kind, value: text });
                self.checks.push(Named { name: None, part });
            }
        }
        Ok(())
    }

    /// `3.5` of the quality check before it.
    fn threshold(&mut self, text: &str) -> Result<(), lexopt::Error> {
        let Named { part: CheckPart::Quality(quality), .. } =
            last(&mut self.checks, "--threshold", "--check-quality")?
        else {
            return Err(custom("--threshold belongs to the --check-quality before it"));
        };
        let score: f64 = text.parse().map_err(|_| custom("--threshold needs a score such as 3.5"))?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // a wrong one is refused by the form
        let hundredths = (score * 100.0).round().clamp(0.0, 1_000.0) as u32;
        quality.pass_threshold = hundredths;
        Ok(())
    }

    /// Whether anything was given.
    pub(super) fn is_given(&self) -> bool {
        *self != Self::default()
    }

    /// What is wrong with the options together.
    pub(super) fn mistake(&self) -> Option<&'static str> {
        match (&self.list, self.checks.is_empty()) {
            (None, true) => {
                Some("needs a check for --format aot: --check COMMAND, or one of the other checks")
            }
            (Some(_), false) => Some("takes either --checks JSON or single checks"),
            _ => None,
        }
    }

    /// The check or checks, and the rest.
    pub(super) fn into_parts(self) -> (Option<BaseCase>, AotWork) {
        let Self { work, mut checks, list } = self;
        let single = (checks.len() == 1 && checks[0].name.is_none()).then(|| checks.remove(0).part);
        let base_case = match (list, single) {
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
    /// A check without a name goes by what it asks.
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

fn last<'l, T>(list: &'l mut [T], option: &str, to: &str) -> Result<&'l mut T, lexopt::Error> {
    list.last_mut().ok_or_else(|| custom(&format!("{option} belongs to the {to} before it")))
}

/// `A1,A2`.
pub(super) fn ids(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned).collect()
}

fn custom(sentence: &str) -> lexopt::Error {
    lexopt::Error::Custom(sentence.to_owned().into())
}
