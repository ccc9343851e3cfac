//! The options of `loopdeck redirect`: exactly one kind of change, and why.

use lexopt::prelude::ValueExt as _;
use loopdeck_core::aot::{self, Change, ConstraintPatch, NewAtom, ObjectivePatch};
use loopdeck_core::step::Operation;

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
    ];

    /// Reads the value of one of [`Redirect::OPTIONS`].
    pub(super) fn take(&mut self, option: &str, parser: &mut lexopt::Parser) -> Result<(), lexopt::Error> {
        let flag = match option {
            "hold" => Some(&mut self.hold),
            "release" => Some(&mut self.release),
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
            "after" => self.atom.depends_on = ids(&text),
            "group" => self.atom.or_group = Some(text),
            "delete-atom" => self.delete = Some(text),
            "choose" => self.choose = Some(text),
            "redo" => self.redo = Some(ids(&text)),
            other => return Err(lexopt::Error::UnexpectedOption(format!("--{other}"))),
        }
        Ok(())
    }

    /// The one change that was asked for; the error is a sentence for the person.
    pub(super) fn operation(self) -> Result<Operation, &'static str> {
        let Self { why, hold, release, objective, limits, add, atom, delete, choose, redo } = self;
        if add.is_none() && atom != NewAtom::default() {
            return Err("--atom-id, --after and --group belong to --add-atom");
        }
        let kinds = [
            hold,
            release,
            objective != ObjectivePatch::default(),
            limits != ConstraintPatch::default(),
            add.is_some(),
            delete.is_some(),
            choose.is_some(),
            redo.is_some(),
        ];
        if kinds.iter().filter(|given| **given).count() != 1 {
            return Err("redirect needs exactly one kind of change: the objective (--goal, --background, \
                        --deliverables, --done), the limits (--max-iterations, --max-parallel, --max-stalls), --add-atom, \
                        --delete-atom, --choose, --redo, --hold or --release");
        }
        let step = match (hold || release, why) {
            (true, None) if hold => aot::Operation::HoldForRedirect,
            (true, None) => aot::Operation::ReleaseHold,
            (true, Some(_)) if hold => {
                return Err("--hold takes no --why: give it with the change that follows");
            }
            (true, Some(_)) => return Err("--release takes no --why: nothing changes"),
            (false, None) => return Err("redirect needs --why TEXT: the file keeps it as the correction"),
            (false, Some(description)) => {
                let change = match (add, delete, choose, redo) {
                    (Some(description), ..) => Change::AddAtom(NewAtom { description, ..atom }),
                    (_, Some(id), ..) => Change::DeleteAtom { id },
                    (_, _, Some(choice), _) => selection(&choice, &description)?,
                    (.., Some(ids)) => Change::Redo { ids },
                    _ if limits == ConstraintPatch::default() => Change::Objective(objective),
                    _ => Change::Constraints(limits),
                };
                aot::Operation::Redirect { change, description }
            }
        };
        Ok(Operation::Aot { step })
    }
}

fn selection(choice: &str, why: &str) -> Result<Change, &'static str> {
    let (group, id) = choice.split_once('=').ok_or("--choose needs GROUP=ATOM")?;
    Ok(Change::ForceSelection { group: group.to_owned(), id: id.to_owned(), reason: why.to_owned() })
}

fn ids(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned).collect()
}
