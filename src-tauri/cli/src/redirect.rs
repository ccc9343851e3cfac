//! The options of `loopdeck redirect`: exactly one kind of change, and the reason.

use loopdeck_core::formats::aot::{self, ConstraintPatch, Correction, NewAtom, ObjectivePatch};
use loopdeck_core::step::Operation;

use super::new_aot::ids;

/// The given values.
#[derive(clap::Args, Debug)]
pub(super) struct RedirectOptions {
    /// Why; the file keeps it as the correction
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
    /// Show what the change would do; write nothing
    #[arg(long)]
    dry_run: bool,
    /// The goal. A new objective clears the trail
    #[arg(long, value_name = "TEXT", help_heading = CHANGE)]
    goal: Option<String>,
    /// The background intent
    #[arg(long, value_name = "TEXT", help_heading = CHANGE)]
    background: Option<String>,
    /// The deliverables
    #[arg(long, value_name = "TEXT", help_heading = CHANGE)]
    deliverables: Option<String>,
    /// The definition of done
    #[arg(long, value_name = "TEXT", help_heading = CHANGE)]
    done: Option<String>,
    /// Limit of iterations, at least 1
    #[arg(long, value_name = "N", help_heading = CHANGE)]
    max_iterations: Option<u32>,
    /// Limit of agents in parallel, at least 1
    #[arg(long, value_name = "N", help_heading = CHANGE)]
    max_parallel: Option<u32>,
    /// Limit of rounds without progress, at least 1
    #[arg(long, value_name = "N", help_heading = CHANGE)]
    max_stalls: Option<u32>,
    /// Add an atom that does TEXT
    #[arg(long, value_name = "TEXT", help_heading = CHANGE)]
    add_atom: Option<String>,
    /// With --add-atom: its id (default: the next free A<n>)
    #[arg(long, value_name = "ID", help_heading = CHANGE)]
    atom_id: Option<String>,
    /// With --add-atom and --edit-atom: everything it waits for; '' for nothing
    #[arg(long, value_name = "A1,A2", help_heading = CHANGE)]
    after: Option<String>,
    /// With --add-atom: the OR group it is a choice of
    #[arg(long, value_name = "GROUP", help_heading = CHANGE)]
    group: Option<String>,
    /// Change an atom that is not resolved; needs --text or --after
    #[arg(long, value_name = "ID", help_heading = CHANGE)]
    edit_atom: Option<String>,
    /// With --edit-atom: its new description
    #[arg(long, value_name = "TEXT", help_heading = CHANGE)]
    text: Option<String>,
    /// Remove an atom that is not resolved
    #[arg(long, value_name = "ID", help_heading = CHANGE)]
    delete_atom: Option<String>,
    /// Split an atom that is not resolved into smaller ones; needs --child
    #[arg(long, value_name = "ID", help_heading = CHANGE)]
    decompose: Option<String>,
    /// With --decompose: what a smaller atom does; once for each of them
    #[arg(long = "child", value_name = "TEXT", help_heading = CHANGE)]
    children: Vec<String>,
    /// Select this branch instead of the current one
    #[arg(long, value_name = "GROUP=ID", help_heading = CHANGE)]
    choose: Option<String>,
    /// Redo these atoms and everything built on them
    #[arg(long, value_name = "A1,A2", help_heading = CHANGE)]
    redo: Option<String>,
    /// No change yet: the running loop waits for the new direction
    #[arg(long, help_heading = CHANGE)]
    hold: bool,
    /// No change after all: the holding loop continues as before
    #[arg(long, help_heading = CHANGE)]
    release: bool,
}

const CHANGE: &str = "Exactly one kind of change";

/// The request to `loopdeck redirect`.
#[derive(Debug)]
pub(super) enum WantedRedirect {
    /// Write it.
    Write(Operation),
    /// Show what it would do.
    Preview(Correction),
}

impl RedirectOptions {
    /// The one requested change; the error is a sentence for the person.
    pub(super) fn requested_change(self) -> Result<WantedRedirect, &'static str> {
        if let Some(mistake) = self.mistake() {
            return Err(mistake);
        }
        if self.hold || self.release {
            let step =
                if self.hold { aot::AotOperation::HoldForRedirect } else { aot::AotOperation::ReleaseHold };
            return Ok(WantedRedirect::Write(Operation::Aot { step }));
        }
        let (dry_run, why) = (self.dry_run, self.why.clone());
        // The effects do not depend on the reason.
        let description = why.or_else(|| dry_run.then(|| "preview".to_owned()));
        let description =
            description.ok_or("redirect needs --why TEXT: the file keeps it as the correction")?;
        let change = self.change(&description)?;
        if dry_run {
            return Ok(WantedRedirect::Preview(change));
        }
        let step = aot::AotOperation::Redirect { change, description };
        Ok(WantedRedirect::Write(Operation::Aot { step }))
    }

    fn mistake(&self) -> Option<&'static str> {
        let kinds = [
            self.hold,
            self.release,
            self.objective() != ObjectivePatch::default(),
            self.limits() != ConstraintPatch::default(),
            self.add_atom.is_some(),
            self.delete_atom.is_some(),
            self.choose.is_some(),
            self.redo.is_some(),
            self.edit_atom.is_some(),
            self.decompose.is_some(),
        ];
        if self.add_atom.is_none() && (self.atom_id.is_some() || self.group.is_some()) {
            return Some("--atom-id and --group belong to --add-atom");
        }
        if self.after.is_some() && self.add_atom.is_none() && self.edit_atom.is_none() {
            return Some("--after belongs to --add-atom and --edit-atom");
        }
        if self.edit_atom.is_some()
            != (self.text.is_some() || (self.after.is_some() && self.add_atom.is_none()))
        {
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

    fn objective(&self) -> ObjectivePatch {
        ObjectivePatch {
            goal: self.goal.clone(),
            background_intent: self.background.clone(),
            deliverables: self.deliverables.clone(),
            definition_of_done: self.done.clone(),
            base_case: None,
        }
    }

    fn limits(&self) -> ConstraintPatch {
        ConstraintPatch {
            max_iterations: self.max_iterations,
            max_parallel_agents: self.max_parallel,
            max_stall_count: self.max_stalls,
        }
    }

    /// The change; exactly one kind was given.
    fn change(self, why: &str) -> Result<Correction, &'static str> {
        let (objective, limits) = (self.objective(), self.limits());
        let after = self.after.as_deref().map(ids);
        let new = |description: String| NewAtom { description, ..NewAtom::default() };
        if let Some(description) = self.add_atom {
            let depends_on = after.unwrap_or_default();
            return Ok(Correction::AddAtom(NewAtom {
                id: self.atom_id,
                description,
                depends_on,
                or_group: self.group,
            }));
        }
        if let Some(id) = self.edit_atom {
            return Ok(Correction::EditAtom { id, description: self.text, depends_on: after });
        }
        if let Some(parent) = self.decompose {
            let children = self.children.into_iter().map(new).collect();
            return Ok(Correction::Decompose { parent, children, reason: why.to_owned() });
        }
        if let Some(choice) = self.choose {
            return selection(&choice, why);
        }
        Ok(match (self.delete_atom, self.redo) {
            (Some(id), _) => Correction::DeleteAtom { id },
            (_, Some(redo)) => Correction::Redo { ids: ids(&redo) },
            _ if limits == ConstraintPatch::default() => Correction::Objective(objective),
            _ => Correction::Constraints(limits),
        })
    }
}

fn selection(choice: &str, why: &str) -> Result<Correction, &'static str> {
    let (group, id) = choice.split_once('=').ok_or("--choose needs GROUP=ATOM")?;
    Ok(Correction::ForceSelection { group: group.to_owned(), id: id.to_owned(), reason: why.to_owned() })
}
