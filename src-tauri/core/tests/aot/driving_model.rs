//! Random loops with random workers, killed at random: what holds after every write, and how every run ends.

use crate::driving::{DRIVEN, FACTS, Said, Stage};
use loopdeck_core::aot::drive::{self, BatchEnd, CommandResult, FileFound, Next};
use loopdeck_core::aot::{self, Operation};
use loopdeck_core::ccw::driver::{AgentTask, Conclusion, EndReason, Memory, QuestionCode, Reply};
use loopdeck_core::checklist::CommandEnd;
use loopdeck_core::problem::{ProblemCode, Severity};
use loopdeck_core::view::{AtomView, LoopDetail};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Numbers from a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % sides
    }

    /// Once in `sides` times.
    fn hits(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }
}

#[derive(Clone, Debug)]
struct Case {
    atoms: usize,
    seed: u64,
    /// One in so many workers fails, decomposes, asks or crashes; more is calmer.
    calm: u64,
    agents: u64,
    iterations: u64,
    stalls: u64,
    kills: u64,
}

fn cases() -> impl Strategy<Value = Case> {
    let atoms = prop_oneof![4 => 1..12_usize, 2 => 12..50_usize, 1 => 50..=200_usize];
    (atoms, any::<u64>(), 2..9_u64, 1..5_u64, 1..50_u64, 1..6_u64, 6..60_u64).prop_map(
        |(atoms, seed, calm, agents, iterations, stalls, kills)| Case {
            atoms,
            seed,
            calm,
            agents,
            iterations,
            stalls,
            kills,
        },
    )
}

const CHECKS: [&str; 3] = [
    crate::driving::ONE_COMMAND,
    "    checklist:\n      - item: \"Tests\"\n        check:\n          type: command\n          value: \"npm test\"\n      - item: \"Nice\"\n        check:\n          type: assertion\n          value: \"It is nice\"\n",
    "    checklist:\n      - item: \"Any\"\n        any_of:\n          - item: \"Tests\"\n            check:\n              type: command\n              value: \"npm test\"\n          - item: \"File\"\n            check:\n              type: file\n              value: \"out\"\n",
];

impl Case {
    /// Atoms wait for earlier ones; some are choices of groups, some parts of an earlier container.
    fn file(&self, check: &str, dice: &mut Dice) -> String {
        let ids: Vec<String> = (1..=self.atoms).map(|at| format!("A{at}")).collect();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut containers: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut needs: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); self.atoms];
        // Parts of alternatives: what waits for one would wait for ever when its alternative is given up.
        let mut parts: BTreeSet<usize> = BTreeSet::new();
        let mut at = 0;
        while at < self.atoms {
            let size = 2 + usize::try_from(dice.roll(2)).expect("small");
            let kind = dice.roll(9);
            let fits = at + size < self.atoms;
            // What was there before this place; neither a sibling nor the container itself.
            let before = |dice: &mut Dice| -> BTreeSet<usize> {
                let many = dice.roll(3);
                let one = |dice: &mut Dice| usize::try_from(dice.roll(at.max(1) as u64)).expect("small");
                let found: Vec<usize> = (0..many).filter(|_| at > 0).map(|_| one(dice)).collect();
                found.into_iter().filter(|need| !parts.contains(need)).collect()
            };
            if kind == 0 && fits {
                let shared = before(dice);
                needs[at..at + size].iter_mut().for_each(|own| own.clone_from(&shared));
                groups.push((at..at + size).collect());
                at += size;
            } else if kind == 1 && fits {
                let shared = before(dice);
                needs[at..=at + size].iter_mut().for_each(|own| own.clone_from(&shared));
                containers.push((at, (at + 1..=at + size).collect()));
                at += size + 1;
            } else if kind == 2 && at + 3 * size < self.atoms {
                // Alternatives that are decomposed into two parts each, the last one perhaps not.
                let shared = before(dice);
                needs[at..at + 3 * size].iter_mut().for_each(|own| own.clone_from(&shared));
                groups.push((at..at + size).collect());
                let whole = usize::from(dice.hits(2));
                for choice in 0..size - whole {
                    let first = at + size + 2 * choice;
                    containers.push((at + choice, vec![first, first + 1]));
                    parts.extend([first, first + 1]);
                }
                at += 3 * size;
            } else {
                needs[at] = before(dice);
                at += 1;
            }
        }
        let group_of: BTreeMap<usize, usize> = groups
            .iter()
            .enumerate()
            .flat_map(|(group, members)| members.iter().map(move |member| (*member, group)))
            .collect();
        let atoms: Vec<(String, Vec<&str>, Option<String>)> = (0..self.atoms)
            .map(|at| {
                let needs = needs[at].iter().map(|need| ids[*need].as_str()).collect();
                (ids[at].clone(), needs, group_of.get(&at).map(|group| format!("g{group}")))
            })
            .collect();
        let atoms: Vec<crate::driving::Atom<'_>> = atoms
            .iter()
            .map(|(id, needs, group)| (id.as_str(), "pending", needs.as_slice(), group.as_deref()))
            .collect();
        let mut rest = String::from(if containers.is_empty() {
            "\ndecompositions: []\n"
        } else {
            "\ndecompositions:\n"
        });
        for (parent, children) in &containers {
            let children: Vec<&str> = children.iter().map(|child| ids[*child].as_str()).collect();
            let _ = write!(
                rest,
                "  - parent: {}\n    children: [{}]\n    reason: \"r\"\n",
                ids[*parent],
                children.join(", ")
            );
        }
        rest.push_str(if groups.is_empty() { "\nor_groups: {}\n" } else { "\nor_groups:\n" });
        for (name, members) in groups.iter().enumerate() {
            let members: Vec<&str> = members.iter().map(|member| ids[*member].as_str()).collect();
            let _ = write!(
                rest,
                "  g{name}:\n    choices: [{}]\n    selected: null\n    failed: []\n",
                members.join(", ")
            );
        }
        rest.push_str("\nbindings: {}\n\ntrail: []\n");
        let text = crate::driving::file(check, &atoms, &rest);
        let [iterations, agents, stalls] =
            [self.iterations, self.agents, self.stalls].map(|number| number.to_string());
        crate::driving::with(
            text,
            &[
                ("max_iterations", iterations.as_str()),
                ("max_parallel_agents", agents.as_str()),
                ("max_stall_count", stalls.as_str()),
            ],
        )
    }
}

/// How a run ended.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
enum End {
    Completed,
    Stopped,
    WaitsForPerson,
}

/// A run: the file on its way, the memory as it was last kept, and what must hold.
struct Run {
    stage: Stage,
    kept: String,
    dice: Dice,
    case: Case,
    taken: BTreeMap<String, u32>,
    /// What the last command, file and answer of the person said.
    saw: [bool; 3],
    check: usize,
}

impl Run {
    fn new(case: &Case) -> Self {
        let mut dice = Dice(case.seed);
        let check = usize::try_from(dice.roll(3)).expect("small");
        let stage = Stage::new(&case.file(CHECKS[check], &mut dice));
        let mut run = Self {
            stage,
            kept: String::new(),
            dice,
            case: case.clone(),
            taken: BTreeMap::new(),
            saw: [false; 3],
            check,
        };
        run.keep();
        run.holds();
        run
    }

    fn keep(&mut self) {
        self.kept = serde_json::to_string(&self.stage.memory).expect("it can be kept");
    }

    /// Perhaps the program is killed here: what it remembers is what was kept, or nothing.
    fn may_die(&mut self) -> bool {
        let dies = self.dice.hits(self.case.kills);
        if dies {
            let lost = self.dice.hits(4);
            self.stage.memory = if lost {
                Memory::default()
            } else {
                serde_json::from_str(&self.kept).expect("it can be read")
            };
            self.keep();
        }
        dies
    }

    /// By the checks of this loop, in the order of [`CHECKS`].
    fn passes(&self) -> bool {
        let [command, file, person] = self.saw;
        [command, command && person, command || file][self.check]
    }

    fn read(&self) -> LoopDetail {
        self.stage.detail()
    }

    fn write(&mut self, operation: &Operation) {
        let before = self.read();
        if let Operation::StartAtoms { ids } = operation {
            starts_only_what_is_ready(ids, &before, self.case.agents);
        }
        if let Operation::Resolve { id, .. } = operation {
            *self.taken.entry(id.clone()).or_default() += 1;
            assert_eq!(self.taken[id], 1, "the result of {id} is taken up once");
        }
        if *operation == Operation::Complete {
            assert!(self.passes(), "completed although the last check did not pass");
        }
        self.stage.write(operation);
        let after = self.read();
        grows_only_with_an_entry(operation, &before, &after);
        never_undoes(&before, &after);
        self.holds();
    }

    /// The invariants of the file.
    fn holds(&self) {
        let bytes = &self.stage.bytes;
        let summary = aot::summary(bytes, &FACTS);
        let error = summary.problems.iter().find(|problem| problem.severity == Severity::Error);
        assert!(error.is_none(), "{error:?}\n{}", self.stage.text());
        let bar = summary.iteration.expect("a bar");
        assert!(bar.current <= bar.limit, "more rounds than allowed");
        assert!(u64::from(summary.in_progress) <= self.case.agents, "more agents than allowed");
        let detail = aot::detail(bytes, &FACTS, &DRIVEN, &[]);
        let exhausted = self.stage.text().contains("OR group exhausted");
        for problem in &detail.problems {
            let code = problem.code;
            let is_wrong = match code {
                // The last choice stays selected when all have failed.
                ProblemCode::V10_or_group => !exhausted,
                ProblemCode::V9_unknown_dependency
                | ProblemCode::V11_decomposition
                | ProblemCode::V12_child_dependency
                | ProblemCode::V13_binding
                | ProblemCode::V14_binding_unresolved
                | ProblemCode::V15_trail
                | ProblemCode::V20_layout => true,
                _ => false,
            };
            assert!(!is_wrong, "{problem:?}\n{}", self.stage.text());
        }
    }

    fn said(&mut self, task: &AgentTask<Operation>) -> Said {
        let id = task.matter.task.as_ref().expect("an atom").id.clone();
        if !self.dice.hits(self.case.calm) {
            return Said::resolved(&format!("did {id}"));
        }
        match self.dice.roll(9) {
            0 | 1 => Said::failed("it does not work"),
            2 => Said::Fails("exit code 1".into()),
            3 | 4 => self.children(),
            5 => Said::Asks("Which one?".into()),
            6 => Said::Answer("no JSON at all".into()),
            7 => Said::Cancelled,
            _ => Said::Unavailable,
        }
    }

    fn children(&mut self) -> Said {
        let many = 1 + self.dice.roll(3);
        let child = |at: u64| {
            let needs = if at > 0 { format!("\"p{}\"", at - 1) } else { String::new() };
            format!("{{\"id\":\"p{at}\",\"description\":\"part {at}\",\"depends_on\":[{needs}]}}")
        };
        Said::split(&format!("[{}]", (0..many).map(child).collect::<Vec<_>>().join(",")))
    }

    /// Begins a batch, lets it end, and takes it up; killed anywhere in between, its results are found again or lost.
    fn batch(&mut self, begin: &Operation, tasks: &[AgentTask<Operation>]) -> Option<EndReason> {
        self.write(begin);
        let said: Vec<Said> = tasks.iter().map(|task| self.said(task)).collect();
        let ends: Vec<BatchEnd<'_>> = tasks
            .iter()
            .zip(&said)
            .map(|(task, said)| BatchEnd { task, ended: said.ended(), left: None })
            .collect();
        if self.may_die() && self.dice.hits(2) {
            return None;
        }
        loop {
            let concluded = drive::conclude_batch(&ends, &self.stage.bytes, &FACTS, &mut self.stage.memory);
            let (operations, end) = match concluded {
                Conclusion::Write(operations) => (operations, None),
                Conclusion::WriteThenEnd(operations, end) => (operations, Some(end)),
                other => panic!("{other:?}"),
            };
            // What is remembered is kept before the writes, or after them.
            if self.dice.hits(2) {
                self.keep();
            }
            let killed = operations.iter().any(|operation| {
                let dies = self.may_die();
                if !dies {
                    self.write(operation);
                }
                dies
            });
            if !killed {
                self.keep();
                return end;
            }
            if self.dice.hits(2) {
                return None;
            }
        }
    }

    fn reply(&mut self, code: QuestionCode) -> bool {
        let reply = match code {
            QuestionCode::AgentAsks => Reply::Text { text: "The first".into() },
            QuestionCode::ConfirmAssertion if self.dice.hits(3) => Reply::Deny { text: None },
            QuestionCode::ConfirmAssertion => Reply::Confirm,
            _ => return false,
        };
        if code == QuestionCode::ConfirmAssertion {
            self.saw[2] = reply == Reply::Confirm;
        }
        self.stage.memory.reply(&reply);
        true
    }

    fn runs_until_it_ends(&mut self) -> End {
        for _ in 0..5_000 {
            self.may_die();
            match self.stage.next() {
                Next::Write(operation) => self.write(&operation),
                Next::Batch { begin, tasks } => {
                    let end = self.batch(&begin, &tasks);
                    if let Some(end) = end {
                        let unharmed =
                            matches!(end, EndReason::Cancelled | EndReason::AgentUnavailable { .. });
                        assert!(unharmed, "{end:?}");
                        self.stage.memory.start_again();
                    }
                }
                Next::Command(check) => {
                    let exit = i32::from(self.dice.hits(3));
                    self.saw[0] = exit == 0;
                    let end = CommandEnd::Exit(exit);
                    let result = CommandResult { end, stdout: "out", stderr: "", took_ms: 1.0 };
                    let _ = drive::conclude_command(
                        &check,
                        &result,
                        &self.stage.bytes,
                        &FACTS,
                        &mut self.stage.memory,
                    );
                }
                Next::Files(files) => {
                    let is_there = self.dice.hits(2);
                    if !files.is_empty() {
                        self.saw[1] = is_there;
                    }
                    let found =
                        if is_there { FileFound::Found(vec!["out".into()]) } else { FileFound::Nothing };
                    let found: Vec<_> = files.into_iter().map(|file| (file, found.clone())).collect();
                    let _ = drive::conclude_files(&found, &self.stage.bytes, &FACTS, &mut self.stage.memory);
                }
                Next::Ask(question) => {
                    self.stage.memory.question = Some(question.clone());
                    self.keep();
                    if !self.reply(question.code) {
                        return End::WaitsForPerson;
                    }
                }
                Next::End(EndReason::Completed) => return End::Completed,
                Next::End(EndReason::Limit { .. } | EndReason::Stopped) => {
                    assert_ne!(self.stage.control("stop_reason"), "null", "stopped with a reason");
                    return End::Stopped;
                }
                other => panic!("{other:?}\n{}", self.stage.text()),
            }
            if self.dice.hits(2) {
                self.keep();
            }
        }
        panic!("it does not end\n{}", self.stage.text());
    }
}

fn unresolved(detail: &LoopDetail) -> usize {
    detail.atoms.iter().filter(|atom| atom.status != "resolved").count()
}

/// Satisfied by the words of the contract alone (§9.2), not by the graph that the driver uses.
fn satisfied(id: &str, detail: &LoopDetail) -> bool {
    let Some(atom) = detail.atoms.iter().find(|atom| atom.id == id) else { return false };
    if atom.status == "resolved" {
        return true;
    }
    let group = detail.or_groups.iter().find(|group| atom.or_group.as_ref() == Some(&group.name));
    if let Some(selected) =
        group.and_then(|group| group.selected.as_deref()).filter(|selected| *selected != id)
    {
        return satisfied(selected, detail);
    }
    let children: Vec<&AtomView> =
        detail.atoms.iter().filter(|child| child.parent.as_deref() == Some(id)).collect();
    !children.is_empty() && children.iter().all(|child| satisfied(&child.id, detail))
}

fn starts_only_what_is_ready(ids: &[String], before: &LoopDetail, agents: u64) {
    assert!(ids.len() as u64 <= agents && !ids.is_empty());
    for id in ids {
        let atom = before.atoms.iter().find(|atom| atom.id == *id).expect("it exists");
        assert_eq!(atom.status, "pending", "{id}");
        for need in &atom.depends_on {
            assert!(satisfied(&need.id, before), "{id} began before {}", need.id);
        }
        let group = before.or_groups.iter().find(|group| atom.or_group.as_ref() == Some(&group.name));
        assert!(group.is_none_or(|group| group.selected.as_ref() == Some(id)), "{id} is not selected");
        belongs_to_selected_choices(atom, before);
    }
}

/// No container above is a choice that has failed or is not selected.
fn belongs_to_selected_choices(atom: &AtomView, before: &LoopDetail) {
    let mut child = atom;
    while let Some(id) = &child.parent {
        let above = before.atoms.iter().find(|atom| atom.id == *id).expect("it exists");
        let group = before.or_groups.iter().find(|group| above.or_group.as_ref() == Some(&group.name));
        if let Some(group) = group {
            assert_eq!(group.selected.as_ref(), Some(id), "{} began for nothing", atom.id);
            assert!(!group.choices.iter().any(|choice| choice.id == *id && choice.failed), "{id} has failed");
        }
        child = above;
    }
}

fn grows_only_with_an_entry(operation: &Operation, before: &LoopDetail, after: &LoopDetail) {
    if unresolved(after) <= unresolved(before) {
        return;
    }
    match operation {
        Operation::Decompose { .. } => {
            assert_eq!(after.decompositions.len(), before.decompositions.len() + 1);
        }
        Operation::AddAtoms { .. } => {
            let new = &after.atoms[before.atoms.len()..];
            assert!(new.iter().all(|atom| atom.description.starts_with("Make this check pass: ")));
        }
        other => panic!("{other:?} made more work"),
    }
}

/// The driver takes no work away, and forgets no choice that failed.
fn never_undoes(before: &LoopDetail, after: &LoopDetail) {
    for (old, new) in before.atoms.iter().zip(&after.atoms) {
        assert_eq!(old.id, new.id);
        assert!(
            old.status != "resolved" || (new.status == "resolved" && new.summary == old.summary),
            "{}",
            old.id
        );
    }
    for (old, new) in before.or_groups.iter().zip(&after.or_groups) {
        for (old, new) in old.choices.iter().zip(&new.choices) {
            assert!(new.failed || !old.failed, "{} failed", old.id);
        }
    }
    assert!(after.trail.len() >= before.trail.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn any_loop_comes_to_an_end_and_nothing_is_lost_on_the_way(case in cases()) {
        Run::new(&case).runs_until_it_ends();
    }
}

/// The cases are no comfort if they all end in the same way.
#[test]
fn runs_end_in_every_way() {
    let mut ends = BTreeSet::new();
    for seed in 0..60 {
        let case = Case { atoms: 6, seed, calm: 4, agents: 2, iterations: 12, stalls: 4, kills: 20 };
        ends.insert(Run::new(&case).runs_until_it_ends());
    }
    assert_eq!(ends.into_iter().collect::<Vec<_>>(), [End::Completed, End::Stopped]);
}
