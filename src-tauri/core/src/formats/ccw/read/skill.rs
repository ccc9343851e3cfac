//! Counts of `skill_state` for the list: how many tasks, hypotheses and tests, without keeping any.

use crate::view::HypothesisVerdict;
use loopdeck_text::json_span::scan::{RawText, Reader, Scan, ValueKind};

/// The parts of `skill_state` that the list needs, for v2, Loop-B and legacy.
#[derive(Debug, Default)]
pub(crate) struct Skill<'a> {
    /// Loop-B; also set when it is not a string.
    pub(crate) has_phase: bool,
    pub(crate) phase: Option<RawText<'a>>,
    pub(crate) current_action: Option<RawText<'a>>,
    pub(crate) last_action: Option<RawText<'a>>,
    pub(crate) mode: Option<RawText<'a>>,
    pub(crate) tasks: Tasks,
    pub(crate) develop_total: Option<f64>,
    pub(crate) develop_completed: Option<f64>,
    pub(crate) hypotheses: u32,
    pub(crate) judged: u32,
    pub(crate) confirmed: Option<RawText<'a>>,
    pub(crate) passed: Option<bool>,
    pub(crate) latest_run: Option<RunTotals>,
    /// Loop-B.
    pub(crate) pending_tasks: u32,
    pub(crate) completed_tasks: u32,
    /// Times of the sections, for the shift of the CCW contract §15.
    pub(crate) times: [Option<RawText<'a>>; 3],
}

/// Develop tasks by status.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tasks {
    pub(crate) total: u32,
    pub(crate) pending: u32,
    pub(crate) in_progress: u32,
    pub(crate) completed: u32,
}

/// The counts of one validation run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RunTotals {
    pub(crate) iteration: f64,
    pub(crate) passed: u32,
    pub(crate) total: u32,
}

impl<'a> Skill<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>) -> Scan<Self> {
        let mut skill = Self::default();
        reader.object(|value, key| match &*key.name {
            "phase" => {
                skill.has_phase = true;
                text(value).map(|text| skill.phase = text)
            }
            "current_action" => text(value).map(|text| skill.current_action = text),
            "last_action" => text(value).map(|text| skill.last_action = text),
            "mode" => text(value).map(|text| skill.mode = text),
            "pending_tasks" => {
                let tasks = tasks(value)?;
                skill.pending_tasks = tasks.total;
                skill.tasks.in_progress = tasks.in_progress;
                Ok(())
            }
            "completed_tasks" => count(value).map(|items| skill.completed_tasks = items),
            name => skill.section(name, value),
        })?;
        Ok(skill)
    }

    /// Reads a section by its name; skips other names.
    pub(crate) fn section(&mut self, name: &str, reader: &mut Reader<'a>) -> Scan<()> {
        match name {
            "develop" => self.develop(reader),
            "debug" => self.debug(reader),
            "validate" => self.validate(reader),
            _ => reader.skip().map(drop),
        }
    }

    fn develop(&mut self, reader: &mut Reader<'a>) -> Scan<()> {
        object(reader, |value, key| match key {
            "total" => number(value).map(|number| self.develop_total = number.or(self.develop_total)),
            "total_count" => number(value).map(|number| self.develop_total = self.develop_total.or(number)),
            "completed" => number(value).map(|n| self.develop_completed = n.or(self.develop_completed)),
            "completed_count" => number(value).map(|n| self.develop_completed = self.develop_completed.or(n)),
            "tasks" => tasks(value).map(|tasks| self.tasks = tasks),
            "last_progress_at" => text(value).map(|text| self.times[0] = text),
            _ => value.skip().map(drop),
        })
    }

    fn debug(&mut self, reader: &mut Reader<'a>) -> Scan<()> {
        object(reader, |value, key| match key {
            "hypotheses" => {
                (self.hypotheses, self.judged) = (0, 0);
                each_status(value, |status| {
                    self.hypotheses = self.hypotheses.saturating_add(1);
                    if HypothesisVerdict::from_word(status).is_judged() {
                        self.judged = self.judged.saturating_add(1);
                    }
                })
            }
            "confirmed_hypothesis" => text(value).map(|text| self.confirmed = text),
            "last_analysis_at" => text(value).map(|text| self.times[1] = text),
            _ => value.skip().map(drop),
        })
    }

    fn validate(&mut self, reader: &mut Reader<'a>) -> Scan<()> {
        object(reader, |value, key| match key {
            "passed" => {
                let flag = value.peek()? == ValueKind::Bool;
                value.flag().map(|passed| self.passed = flag.then_some(passed))
            }
            "test_results" => runs(value).map(|run| self.latest_run = run),
            "last_run_at" => text(value).map(|text| self.times[2] = text),
            _ => value.skip().map(drop),
        })
    }
}

/// The latest run: run records by iteration, then position; flat rows together are one run (§2).
fn runs(reader: &mut Reader<'_>) -> Scan<Option<RunTotals>> {
    if reader.peek()? != ValueKind::List {
        return reader.skip().map(|_| None);
    }
    let mut latest: Option<RunTotals> = None;
    let mut flat = RunTotals::default();
    reader.list(|item| {
        match run(item)? {
            SkillRow::Test(passed) => {
                flat.total = flat.total.saturating_add(1);
                flat.passed = flat.passed.saturating_add(u32::from(passed));
            }
            SkillRow::Run(run) if latest.is_none_or(|latest| run.iteration >= latest.iteration) => {
                latest = Some(run);
            }
            SkillRow::Run(_) | SkillRow::Other => {}
        }
        Ok(())
    })?;
    Ok(latest.or((flat.total > 0).then_some(flat)))
}

enum SkillRow {
    Test(bool),
    Run(RunTotals),
    Other,
}

fn run(reader: &mut Reader<'_>) -> Scan<SkillRow> {
    let mut run = RunTotals::default();
    let (mut is_run, mut summed, mut test) = (false, false, None);
    object(reader, |value, key| match key {
        "summary" => {
            is_run = true;
            object(value, |value, key| match key {
                "passed" => whole(value).map(|number| (run.passed, summed) = (number, true)),
                "total" => whole(value).map(|number| (run.total, summed) = (number, true)),
                _ => value.skip().map(drop),
            })
        }
        "tests" => {
            is_run = true;
            if summed {
                return value.skip().map(drop);
            }
            each_status(value, |status| {
                run.total = run.total.saturating_add(1);
                run.passed = run.passed.saturating_add(u32::from(status == "passed"));
            })
        }
        "iteration" => number(value).map(|number| run.iteration = number.unwrap_or_default()),
        "status" => text(value).map(|text| test = Some(text.is_some_and(|text| text.decode() == "passed"))),
        "test_name" => {
            test = test.or(Some(false));
            value.skip().map(drop)
        }
        _ => value.skip().map(drop),
    })?;
    Ok(match test {
        _ if is_run => SkillRow::Run(run),
        Some(passed) => SkillRow::Test(passed),
        None => SkillRow::Other,
    })
}

fn tasks(reader: &mut Reader<'_>) -> Scan<Tasks> {
    let mut tasks = Tasks::default();
    each_status(reader, |status| {
        tasks.total = tasks.total.saturating_add(1);
        match status {
            "pending" => tasks.pending += 1,
            "in_progress" => tasks.in_progress += 1,
            "completed" => tasks.completed += 1,
            _ => {}
        }
    })?;
    Ok(tasks)
}

/// Calls `seen` with the lower-case status of every object of a list; empty when it has none.
fn each_status(reader: &mut Reader<'_>, mut seen: impl FnMut(&str)) -> Scan<()> {
    if reader.peek()? != ValueKind::List {
        return reader.skip().map(drop);
    }
    reader.list(|item| {
        if item.peek()? != ValueKind::Object {
            return item.skip().map(drop);
        }
        let mut status = None;
        item.object(|value, key| match &*key.name {
            "status" => text(value).map(|text| status = text),
            _ => value.skip().map(drop),
        })?;
        let status = status.map(RawText::decode).unwrap_or_default();
        if status.bytes().any(|byte| byte.is_ascii_uppercase()) {
            seen(&status.to_ascii_lowercase());
        } else {
            seen(&status);
        }
        Ok(())
    })
}

fn object<'a>(reader: &mut Reader<'a>, mut field: impl FnMut(&mut Reader<'a>, &str) -> Scan<()>) -> Scan<()> {
    if reader.peek()? != ValueKind::Object {
        return reader.skip().map(drop);
    }
    reader.object(|value, key| field(value, &key.name))
}

fn text<'a>(reader: &mut Reader<'a>) -> Scan<Option<RawText<'a>>> {
    if reader.peek()? == ValueKind::Text {
        return reader.string().map(Some);
    }
    reader.skip().map(|_| None)
}

fn number(reader: &mut Reader<'_>) -> Scan<Option<f64>> {
    if reader.peek()? == ValueKind::Number {
        return reader.number().map(|text| text.parse().ok().filter(|number: &f64| number.is_finite()));
    }
    reader.skip().map(|_| None)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates: a count beyond 4 billion is absurd
fn whole(reader: &mut Reader<'_>) -> Scan<u32> {
    number(reader).map(|number| number.unwrap_or_default() as u32)
}

fn count(reader: &mut Reader<'_>) -> Scan<u32> {
    let mut items: u32 = 0;
    if reader.peek()? != ValueKind::List {
        return reader.skip().map(|_| 0);
    }
    reader.list(|item| {
        items = items.saturating_add(1);
        item.skip().map(drop)
    })?;
    Ok(items)
}
