//! Generated loops, and a simple model of a file's content.

use crate::aot::detail;
use loopdeck_core::status::StatusWord;
use loopdeck_core::view::FactValue;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The content of a file, without layout.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Model {
    pub(crate) facts: BTreeMap<String, String>,
    pub(crate) goal: String,
    pub(crate) atoms: Vec<Atom>,
    pub(crate) groups: Vec<Group>,
    pub(crate) splits: Vec<(String, Vec<String>, String)>,
    pub(crate) trail: Vec<(String, String, String)>,
    pub(crate) corrections: Vec<(String, String, bool)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Atom {
    pub(crate) id: String,
    pub(crate) description: String,
    pub(crate) status: String,
    pub(crate) needs: Vec<String>,
    pub(crate) group: Option<String>,
    pub(crate) result: Option<(String, Vec<String>)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) choices: Vec<String>,
    pub(crate) selected: Option<String>,
    pub(crate) failed: Vec<String>,
}

impl Model {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let detail = detail(bytes, StatusWord::Running);
        let fact = |value: FactValue| match value {
            FactValue::Text(text) | FactValue::Code(text) => text,
            FactValue::Number(number) => number.to_string(),
            FactValue::Flag(flag) => flag.to_string(),
            FactValue::NotCounted => "-1".to_owned(),
            other => format!("{other:?}"),
        };
        // Counted from the atoms, which are compared themselves.
        let facts = detail.facts.into_iter().filter(|fact| !fact.name.starts_with("unresolved"));
        let atom = |atom: loopdeck_core::view::AtomView| Atom {
            needs: atom.depends_on.into_iter().map(|need| need.id).collect(),
            result: atom.summary.map(|summary| (summary, atom.artifacts)),
            id: atom.id,
            description: atom.description,
            status: atom.status,
            group: atom.or_group,
        };
        let group = |group: loopdeck_core::view::OrGroupView| Group {
            name: group.name,
            failed: group
                .choices
                .iter()
                .filter(|choice| choice.failed)
                .map(|choice| choice.id.clone())
                .collect(),
            choices: group.choices.into_iter().map(|choice| choice.id).collect(),
            selected: group.selected,
        };
        Self {
            facts: facts.map(|named| (named.name, fact(named.value))).collect(),
            goal: detail.objective.expect("objective").goal,
            atoms: detail.atoms.into_iter().map(atom).collect(),
            groups: detail.or_groups.into_iter().map(group).collect(),
            splits: detail.decompositions.into_iter().map(|d| (d.parent, d.children, d.reason)).collect(),
            trail: detail.trail.into_iter().map(|t| (t.or_group, t.selected, t.reason)).collect(),
            corrections: detail
                .corrections
                .into_iter()
                .map(|c| (c.word, c.description, c.trail_cleared))
                .collect(),
        }
    }

    pub(crate) fn atom(&mut self, id: &str) -> &mut Atom {
        self.atoms.iter_mut().find(|atom| atom.id == id).expect(id)
    }

    pub(crate) fn group(&mut self, name: &str) -> &mut Group {
        self.groups.iter_mut().find(|group| group.name == name).expect(name)
    }

    pub(crate) fn set(&mut self, fact: &str, value: &str) {
        self.facts.insert(fact.to_owned(), value.to_owned());
    }

    pub(crate) fn release(&mut self) {
        self.atoms
            .iter_mut()
            .filter(|atom| atom.status == "in_progress")
            .for_each(|atom| atom.status = "pending".into());
    }
}

/// A loop to write: atoms `A1`.., the last of which may be alternatives of group `g`.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Status and dependencies (by bit, earlier ones only).
    atoms: Vec<(u8, u8)>,
    alternatives: usize,
    selected: Option<prop::sample::Index>,
    split: bool,
    control: (u8, i64),
    windows: bool,
    block_lists: bool,
    remarks: bool,
}

pub(crate) fn plans() -> impl Strategy<Value = Plan> {
    (
        proptest::collection::vec((0..4_u8, any::<u8>()), 1..7),
        0..4_usize,
        proptest::option::of(any::<prop::sample::Index>()),
        any::<bool>(),
        (0..3_u8, -1..4_i64),
        any::<(bool, bool, bool)>(),
    )
        .prop_map(|(atoms, alternatives, selected, split, control, (windows, block_lists, remarks))| {
            Plan { atoms, alternatives, selected, split, control, windows, block_lists, remarks }
        })
}

impl Plan {
    /// A loop at rest, as a resume leaves it.
    pub(crate) fn fresh(mut self) -> Self {
        self.control = (0, -1);
        self.atoms.iter_mut().for_each(|atom| atom.0 = if atom.0 == 2 { 2 } else { 0 });
        self
    }

    /// The running loop as a file.
    pub(crate) fn file(&self) -> Vec<u8> {
        let (stalls, prev) = self.control;
        let mut text = format!(
            "---\nobjective:\n  goal: \"Build it\"\n  base_case:\n    type: command\n    value: \"npm test\"\n  background_intent: \"b\"\n  deliverables: \"d\"\n  definition_of_done: \"e\"\n  constraints:\n    max_iterations: 20\n    max_parallel_agents: 3\n    max_stall_count: 9\n\ncontrol:\n  status: running\n  iteration: 5\n  stall_count: {stalls}\n  prev_pending_count: {prev}\n  stop_requested: false\n  stop_reason: null\n  redirect_requested: false\n\natoms:\n"
        );
        let alternatives = self.alternatives.min(self.atoms.len());
        let first = self.atoms.len() - alternatives;
        let choices: Vec<String> = (first..self.atoms.len()).map(|at| format!("A{}", at + 1)).collect();
        // The last atom before the alternatives contains them.
        let split = self.split && alternatives > 0 && first > 0 && self.atoms[first - 1].0 != 1;
        self.write_atoms(&mut text, first, split);
        if split {
            let _ = write!(
                text,
                "\ndecompositions:\n  - parent: A{first}\n    children: [{}]\n    reason: \"r\"\n",
                choices.join(", ")
            );
        } else {
            text.push_str("\ndecompositions: []\n");
        }
        let selected =
            self.selected.filter(|_| !choices.is_empty()).map(|at| choices[at.index(choices.len())].clone());
        if choices.is_empty() {
            text.push_str("\nor_groups: {}\n");
        } else {
            let selected = selected.as_deref().unwrap_or("null");
            let _ = write!(
                text,
                "\nor_groups:\n  g:\n    choices: [{}]\n    selected: {selected}\n    failed: []\n",
                choices.join(", ")
            );
        }
        self.write_bindings(&mut text);
        match selected {
            Some(id) => {
                let _ = write!(
                    text,
                    "\ntrail:\n  - or_group: g\n    selected: {id}\n    reason: \"first\"\n    timestamp: \"2026-01-01T00:00:00Z\"\n"
                );
            }
            None => text.push_str("\ntrail: []\n"),
        }
        text.push_str("\ncorrections: []\n---\n\n# Original Prompt\n\nDo it.\n");
        if self.windows { text.replace('\n', "\r\n").into_bytes() } else { text.into_bytes() }
    }

    /// The atoms; from `first` on they are alternatives.
    fn write_atoms(&self, text: &mut String, first: usize, split: bool) {
        // No alternative waits for the atom that waits for it.
        let known = first - usize::from(split);
        for (at, (status, needs)) in self.atoms.iter().enumerate() {
            let status = ["pending", "in_progress", "resolved", "pending"][usize::from(*status)];
            let needs: Vec<String> = (0..at.min(if at >= first { known } else { first }))
                .filter(|need| needs & (1 << need) != 0)
                .map(|need| format!("A{}", need + 1))
                .collect();
            if self.remarks {
                text.push_str("  # what comes next\n");
            }
            let _ = write!(text, "  - id: A{}\n    description: \"Do {at}\"\n    status: {status}\n", at + 1);
            if self.block_lists && !needs.is_empty() {
                let _ = writeln!(text, "    depends_on:\n      - {}", needs.join("\n      - "));
            } else {
                let _ = writeln!(text, "    depends_on: [{}]", needs.join(", "));
            }
            if at >= first {
                text.push_str("    or_group: g\n");
            }
        }
    }

    fn write_bindings(&self, text: &mut String) {
        let done: Vec<usize> = (0..self.atoms.len()).filter(|at| self.atoms[*at].0 == 2).collect();
        text.push_str(if done.is_empty() { "\nbindings: {}\n" } else { "\nbindings:\n" });
        for at in done {
            let _ =
                write!(text, "  A{}:\n    summary: \"Did {at}\"\n    artifacts: [\"src/{at}.ts\"]\n", at + 1);
        }
    }
}
