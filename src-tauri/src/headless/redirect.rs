//! The options of `loopdeck redirect`: exactly one kind of change, and why.

use lexopt::prelude::ValueExt as _;
use loopdeck_core::formats::aot::{self, Change, ConstraintPatch, NewAtom, ObjectivePatch};
use loopdeck_core::step::Operation;

use super::new_aot::ids;

/// What was given. Absent means: not given.
#[derive(Debug, Default)]
pub(super) struct Redirect {
    why: Option<String>,
    hold: bool,
    release: bool,
    objective: ObjectivePatch,
    limits: ConstraintPatch,
    add: Option<String>,
    /// Of the new atom; only together with `add`.
    atom: NewAtom,
    delete: Option<String>,
    choose: Option<String>,
    redo: Option<Vec<String>>,
    edit: Option<String>,
    /// Of the edited atom; only together with `edit`.
    text: Option<String>,
    /// What a new or an edited atom waits for.
    after: Option<Vec<String>>,
    decompose: Option<String>,
    /// The smaller atoms; only together with `decompose`.
    children: Vec<String>,
    dry_run: bool,
}

/// What `loopdeck redirect` is to do.
#[derive(Debug)]
pub(super) enum Wanted {
    /// Write it.
    Write(Operation),
    /// Say what it would do.
    Preview(Change),
}

impl Redirect {
    /// Every option it takes.
    pub(super) const OPTIONS: &'static [&'static str] = &[
        "why",
        "hold",
        "release",
        "goal",
        "background",
        "deliverables",
        "done",
        "max-iterations",
        "max-parallel",
        "max-stalls",
        "add-atom",
        "atom-id",
        "after",
        "group",
        "delete-atom",
        "choose",
        "redo",
        "edit-atom",
        "text",
        "decompose",
        "child",
        "dry-run",
    ];

    /// Reads the value of one of [`Redirect::OPTIONS`].
    pub(super) fn take(&mut self, option: &str, parser: &mut lexopt::Parser) -> Result<(), lexopt::Error> {
        let flag = match option {
            "hold" => Some(&mut self.hold),
            "release" => Some(&mut self.release),
            "dry-run" => Some(&mut self.dry_run),
            _ => None,
        };
        if let Some(flag) = flag {
            *flag = true;
            return Ok(());
        }
        let value = parser.value()?;
        let limit = match option {
            "max-iterations" => Some(&mut self.limits.max_iterations),
            "max-parallel" => Some(&mut self.limits.max_parallel_agents),
            "max-stalls" => Some(&mut self.limits.max_stall_count),
            _ => None,
        };
        if let Some(limit) = limit {
            *limit = Some(value.parse()?);
            return Ok(());
        }
        let text = value.string()?;
        match option {
            "why" => self.why = Some(text),
            "goal" => self.objective.goal = Some(text),
            "background" => self.objective.background_intent = Some(text),
            "deliverables" => self.objective.deliverables = Some(text),
            "done" => self.objective.definition_of_done = Some(text),
            "add-atom" => self.add = Some(text),
            "atom-id" => self.atom.id = Some(text),
            "after" => self.after = Some(ids(&text)),
            "group" => self.atom.or_group = Some(text),
            "delete-atom" => self.delete = Some(text),
            "choose" => self.choose = Some(text),
            "redo" => self.redo = Some(ids(&text)),
            "edit-atom" => self.edit = Some(text),
            "text" => self.text = Some(text),
            "decompose" => self.decompose = Some(text),
            "child" => self.children.push(text),
            other => return Err(lexopt::Error::UnexpectedOption(format!("--{other}"))),
        }
        Ok(())
    }

    /// The one change that was asked for; the error is a sentence for the person.
    pub(super) fn wanted(self) -> Result<Wanted, &'static str> {
        if let Some(mistake) = self.mistake() {
            return Err(mistake);
        }
        if self.hold || self.release {
            let step = if self.hold { aot::Operation::HoldForRedirect } else { aot::Operation::ReleaseHold };
            return Ok(Wanted::Write(Operation::Aot { step }));
        }
        let (dry_run, why) = (self.dry_run, self.why.clone());
        // What it would do does not depend on the reason.
        let description = why.or_else(|| dry_run.then(|| "preview".to_owned()));
        let description =
            description.ok_or("redirect needs --why TEXT: the file keeps it as the correction")?;
        let change = self.change(&description)?;
        if dry_run {
            return Ok(Wanted::Preview(change));
        }
        let step = aot::Operation::Redirect { change, description };
        Ok(Wanted::Write(Operation::Aot { step }))
    }

    fn mistake(&self) -> Option<&'static str> {
        let kinds = [
            self.hold,
            self.release,
            self.objective != ObjectivePatch::default(),
            self.limits != ConstraintPatch::default(),
            self.add.is_some(),
            self.delete.is_some(),
            self.choose.is_some(),
            self.redo.is_some(),
            self.edit.is_some(),
            self.decompose.is_some(),
        ];
        if self.add.is_none() && self.atom != NewAtom::default() {
            return Some("--atom-id and --group belong to --add-atom");
        }
        if self.after.is_some() && self.add.is_none() && self.edit.is_none() {
            return Some("--after belongs to --add-atom and --edit-atom");
        }
        if self.edit.is_some() != (self.text.is_some() || (self.after.is_some() && self.add.is_none())) {
            return Some("--edit-atom needs --text or --after, and --text belongs to it");
        }
        if self.decompose.is_none() != self.children.is_empty() {
            return Some("--decompose needs --child TEXT for each smaller atom");
        }
        if kinds.iter().filter(|given| **given).count() != 1 {
            return Some(
                "redirect needs exactly one kind of change: the objective (--goal, --background, --deliverables, \
                 --done), the limits (--max-iterations, --max-parallel, --max-stalls), --add-atom, --edit-atom, \
                 --delete-atom, --decompose, --choose, --redo, --hold or --release",
            );
        }
        match (self.hold, self.release) {
            (true, _) if self.why.is_some() => {
                Some("--hold takes no --why: give it with the change that follows")
            }
            (_, true) if self.why.is_some() => Some("--release takes no --why: nothing changes"),
            (false, false) => None,
            _ => self.dry_run.then_some("--dry-run goes with a change, not with --hold or --release"),
        }
    }

    /// The change; exactly one kind was given.
    fn change(self, why: &str) -> Result<Change, &'static str> {
        let new = |description: String| NewAtom { description, ..NewAtom::default() };
        if let Some(description) = self.add {
            let depends_on = self.after.unwrap_or_default();
            return Ok(Change::AddAtom(NewAtom { description, depends_on, ..self.atom }));
        }
        if let Some(id) = self.edit {
            return Ok(Change::EditAtom { id, description: self.text, depends_on: self.after });
        }
        if let Some(parent) = self.decompose {
            let children = self.children.into_iter().map(new).collect();
            return Ok(Change::Decompose { parent, children, reason: why.to_owned() });
        }
        if let Some(choice) = self.choose {
            return selection(&choice, why);
        }
        Ok(match (self.delete, self.redo) {
            (Some(id), _) => Change::DeleteAtom { id },
            (_, Some(ids)) => Change::Redo { ids },
            _ if self.limits == ConstraintPatch::default() => Change::Objective(self.objective),
            _ => Change::Constraints(self.limits),
        })
    }
}

fn selection(choice: &str, why: &str) -> Result<Change, &'static str> {
    let (group, id) = choice.split_once('=').ok_or("--choose needs GROUP=ATOM")?;
    Ok(Change::ForceSelection { group: group.to_owned(), id: id.to_owned(), reason: why.to_owned() })
}
