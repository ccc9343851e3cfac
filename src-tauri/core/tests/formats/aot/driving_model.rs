//! Random loops with random workers, judges and answers, killed and stopped at random: invariants after every
//! write, and the end of every run.

use crate::aot::driving::{DRIVEN, FACTS, Said, Stage};
use loopdeck_core::checklist::{CommandEnd, Verdict};
use loopdeck_core::control::Intent;
use loopdeck_core::driver::{Action, AgentTask, Conclusion, EndReason, Memory, QuestionCode, Reply};
use loopdeck_core::formats::aot::drive::{self, AotNext, BatchEnd, CommandCheck, FileCheck, FileFound};
use loopdeck_core::formats::aot::{self, AotOperation};
use loopdeck_core::problem::{ProblemCode, Severity};
use loopdeck_core::view::{AtomView, LoopDetail};
use loopdeck_text::text_edit;
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

    /// True once in `sides` times on average.
    fn hits(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }
}

#[derive(Clone, Debug)]
struct Case {
    atoms: usize,
    seed: u64,
    /// One in this many workers fails, decomposes, asks or crashes; higher is calmer.
    calm: u64,
    agents: u64,
    iterations: u64,
    stalls: u64,
    kills: u64,
    /// A stop is requested once in this many steps.
    stops: u64,
}

fn cases() -> impl Strategy<Value = Case> {
    let atoms = prop_oneof![4 => 1..12_usize, 2 => 12..50_usize, 1 => 50..=200_usize];
    let stops = prop_oneof![1 => 10..120_u64, 2 => Just(u64::MAX)];
    (atoms, any::<u64>(), 2..9_u64, 1..5_u64, 1..50_u64, 1..6_u64, 6..60_u64, stops).prop_map(
        |(atoms, seed, calm, agents, iterations, stalls, kills, stops)| Case {
            atoms,
            seed,
            calm,
            agents,
            iterations,
            stalls,
            kills,
            stops,
        },
    )
}

/// The completion checks of the loops; [`Run::passes`] says when each passes.
const CHECKS: [&str; 5] = [
    crate::aot::driving::ONE_COMMAND,
    "    checklist:\n      - item: \"Tests\"\n        check:\n          type: command\n          value: \"npm test\"\n      - item: \"Nice\"\n        check:\n          type: assertion\n          value: \"It is nice\"\n",
    "    checklist:\n      - item: \"Any\"\n        any_of:\n          - item: \"Tests\"\n            check:\n              type: command\n              value: \"npm test\"\n          - item: \"File\"\n            check:\n              type: file\n              value: \"out\"\n",
    "    checklist:\n      - item: \"Tests\"\n        check:\n          type: command\n          value: \"npm test\"\n      - item: \"Readable\"\n        check:\n          type: quality\n          pass_threshold: 3.5\n          rubric:\n            - criterion: \"Naming\"\n              weight: 3\n            - criterion: \"Structure\"\n              weight: 1\n",
    "    type: quality\n    pass_threshold: 3.5\n    rubric:\n      - criterion: \"Naming\"\n        weight: 3\n      - criterion: \"Structure\"\n        weight: 1\n",
];

/// Why the person stops a loop.
const ENOUGH: &str = "Enough for today";
/// More attempts than any judge has.
const MANY_TRIES: usize = 10;

impl Case {
    /// Atoms wait for earlier ones; some are choices of groups, some parts of an earlier container.
    fn file(&self, check: &str, dice: &mut Dice) -> String {
        let ids: Vec<String> = (1..=self.atoms).map(|at| format!("A{at}")).collect();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut containers: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut needs: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); self.atoms];
        // Parts of alternatives: an atom that waits for one would wait forever once its alternative is
        // abandoned.
        let mut parts: BTreeSet<usize> = BTreeSet::new();
        let mut at = 0;
        while at < self.atoms {
            let size = 2 + usize::try_from(dice.roll(2)).expect("small");
            let kind = dice.roll(9);
            let fits = at + size < self.atoms;
            // Earlier atoms that are neither siblings nor the container itself.
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
                // Alternatives that are decomposed into two parts each, possibly except the last one.
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
        let atoms: Vec<crate::aot::driving::Atom<'_>> = atoms
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
        let text = crate::aot::driving::file(check, &atoms, &rest);
        let [iterations, agents, stalls] =
            [self.iterations, self.agents, self.stalls].map(|number| number.to_string());
        crate::aot::driving::with(
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
    /// By the person.
    Stopped,
    /// By exhausted iterations, stalls or alternatives.
    UsedUp,
    WaitsForPerson,
}

/// The latest result of each kind of check.
#[derive(Default)]
struct Saw {
    command: Verdict,
    file: Verdict,
    person: Verdict,
    judge: Verdict,
}

/// A run: the file in progress, the memory as last kept, and the invariants.
struct Run {
    stage: Stage,
    kept: String,
    dice: Dice,
    case: Case,
    taken: BTreeMap<String, u32>,
    saw: Saw,
    /// Index into [`CHECKS`].
    check: usize,
}

impl Run {
    fn new(case: &Case) -> Self {
        let mut dice = Dice(case.seed);
        let check = usize::try_from(dice.roll(CHECKS.len() as u64)).expect("small");
        let stage = Stage::new(&case.file(CHECKS[check], &mut dice));
        let mut run = Self {
            stage,
            kept: String::new(),
            dice,
            case: case.clone(),
            taken: BTreeMap::new(),
            saw: Saw::default(),
            check,
        };
        run.keep();
        run.holds();
        run
    }

    fn keep(&mut self) {
        self.kept = serde_json::to_string(&self.stage.memory).expect("it can be kept");
    }

    /// The program may be killed here: its memory is what was kept, or nothing.
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

    /// The person may request a stop here, the way any program writes it.
    fn may_be_stopped(&mut self) {
        let is_asked_for = self.dice.hits(self.case.stops);
        if !is_asked_for || self.stage.control("status") != "running" || self.is_to_stop() {
            return;
        }
        let stop = Intent::Stop { reason: Some(ENOUGH.to_owned()) };
        let edits = aot::edit(&self.stage.bytes, &FACTS, &stop, &DRIVEN).expect("it can be stopped");
        self.stage.bytes = text_edit::apply(&self.stage.bytes, &edits).expect("edits do not overlap");
        assert!(self.is_to_stop());
        self.holds();
    }

    fn is_to_stop(&self) -> bool {
        self.stage.control("stop_requested") == "true"
    }

    /// For the checks of this loop, in the order of [`CHECKS`].
    fn passes(&self) -> bool {
        let Saw { command, file, person, judge } = &self.saw;
        let [command, file, person, judge] =
            [command, file, person, judge].map(|verdict| *verdict == Verdict::Pass);
        [command, command && person, command || file, command && judge, judge][self.check]
    }

    fn read(&self) -> LoopDetail {
        self.stage.detail()
    }

    fn write(&mut self, operation: &AotOperation) {
        let before = self.read();
        if let AotOperation::StartAtoms { ids } = operation {
            assert!(!self.is_to_stop(), "{ids:?} began after a stop was asked for");
            starts_only_what_is_ready(ids, &before, self.case.agents);
        }
        if let AotOperation::Resolve { id, .. } = operation {
            *self.taken.entry(id.clone()).or_default() += 1;
            assert_eq!(self.taken[id], 1, "the result of {id} is taken up once");
        }
        if *operation == AotOperation::Complete {
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
        let detail = aot::detail(bytes, &FACTS, &DRIVEN);
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

    fn said(&mut self, task: &AgentTask) -> Said {
        let id = task.context.task.as_ref().expect("an atom").id.clone();
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
    fn batch(&mut self, begin: &AotOperation, tasks: &[AgentTask]) -> Option<EndReason> {
        self.write(begin);
        self.may_be_stopped();
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
            // The memory is kept before the writes, or after them.
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

    fn command(&mut self, check: &CommandCheck) {
        let exit = i32::from(self.dice.hits(3));
        self.saw.command = if exit == 0 { Verdict::Pass } else { Verdict::Fail };
        self.stage.command(check, CommandEnd::Exit(exit), "out");
    }

    /// The file exists or not, or the folder is too large to know.
    fn files(&mut self, files: Vec<FileCheck>) {
        let (found, verdict) = match self.dice.roll(5) {
            0 | 1 => (FileFound::Found(vec!["out".into()]), Verdict::Pass),
            2 | 3 => (FileFound::Nothing, Verdict::Fail),
            _ => (FileFound::TooMany, Verdict::Unknown),
        };
        if !files.is_empty() {
            self.saw.file = verdict;
        }
        let found: Vec<(FileCheck, FileFound)> =
            files.into_iter().map(|file| (file, found.clone())).collect();
        self.stage.files(&found);
    }

    /// A judge's answer, the same every time, and the resulting verdict.
    fn judged(&mut self) -> (Said, Verdict) {
        let said = match self.dice.roll(10) {
            0 => Said::Fails("exit code 1".into()),
            1 | 2 => Said::Answer("It is fine, 5 of 5".into()),
            3 => Said::Asks("Which files?".into()),
            4 => Said::Cancelled,
            5 => Said::Unavailable,
            _ => return self.scored(),
        };
        (said, Verdict::Unknown)
    }

    /// Scores from 1 to 5; the rubric requires 3.5, and naming weighs three times as much.
    fn scored(&mut self) -> (Said, Verdict) {
        let (naming, structure) = (1 + self.dice.roll(5), 1 + self.dice.roll(5));
        let one = |name: &str, score: u64| {
            format!("{{\"criterion\":\"{name}\",\"score\":{score},\"evidence\":\"saw {name}\"}}")
        };
        let scores = [one("Naming", naming), one("Structure", structure)].join(",");
        let verdict = if 3 * naming + structure >= 14 { Verdict::Pass } else { Verdict::Fail };
        (Said::Answer(format!("{{\"scores\":[{scores}]}}")), verdict)
    }

    /// Runs a judge until it is not asked again.
    fn judge(&mut self, task: &AgentTask) -> Option<EndReason> {
        assert!(matches!(task.action, Action::Judge { .. }), "{:?}", task.action);
        let (said, verdict) = self.judged();
        self.saw.judge = verdict;
        for _ in 0..MANY_TRIES {
            let (bytes, memory) = (&self.stage.bytes, &mut self.stage.memory);
            match drive::conclude_judge(task, &said.ended(), bytes, &FACTS, memory) {
                Conclusion::Retry { .. } => assert_eq!(verdict, Verdict::Unknown, "{said:?}"),
                Conclusion::Write(operations) => {
                    assert_eq!(operations, [], "a result is remembered, not written");
                    return None;
                }
                Conclusion::Ask(_) => return None,
                Conclusion::End(end) => return Some(end),
                other @ Conclusion::WriteThenEnd(..) => panic!("{other:?}"),
            }
        }
        panic!("the judge is asked for ever: {said:?}");
    }

    /// Whether the person answers; any question may be left open.
    fn answers(&mut self, code: QuestionCode) -> bool {
        if self.dice.hits(5) {
            return false;
        }
        let reply = match code {
            QuestionCode::AgentAsks => Reply::Text { text: "The first".into() },
            QuestionCode::ConfirmAssertion if self.dice.hits(3) => Reply::Deny { text: None },
            QuestionCode::ConfirmAssertion => Reply::Confirm,
            QuestionCode::VerificationUnknown => Reply::TryAgain,
            _ => return false,
        };
        if code == QuestionCode::ConfirmAssertion {
            self.saw.person = if reply == Reply::Confirm { Verdict::Pass } else { Verdict::Fail };
        }
        self.stage.memory.reply(&reply);
        true
    }

    /// After agents that were ended, or unavailable, the loop is started again.
    fn starts_again_after(&mut self, end: Option<&EndReason>) {
        let Some(end) = end else { return };
        assert!(matches!(end, EndReason::Cancelled | EndReason::AgentUnavailable { .. }), "{end:?}");
        self.stage.memory.start_again();
        self.keep();
    }

    fn stopped(&self, end: &EndReason) -> End {
        let reason = self.stage.control("stop_reason");
        assert_ne!(reason, "null", "stopped with a reason");
        if *end != EndReason::Stopped {
            return End::UsedUp;
        }
        assert!(self.is_to_stop() && reason.contains(ENOUGH), "{reason}");
        End::Stopped
    }

    /// One step of the driver; returns how the run ended, if it did.
    fn step(&mut self) -> Option<End> {
        match self.stage.next() {
            AotNext::Write(operation) => self.write(&operation),
            AotNext::Batch { begin, tasks } => {
                let end = self.batch(&begin, &tasks);
                self.starts_again_after(end.as_ref());
            }
            AotNext::Agent { task, .. } => {
                let end = self.judge(&task);
                self.starts_again_after(end.as_ref());
            }
            AotNext::Command(check) => self.command(&check),
            AotNext::Files(files) => self.files(files),
            AotNext::Ask(question) => {
                let code = question.code;
                self.stage.memory.question = Some(question);
                self.keep();
                if !self.answers(code) {
                    return Some(End::WaitsForPerson);
                }
            }
            AotNext::End(EndReason::Completed) => return Some(End::Completed),
            AotNext::End(end @ (EndReason::Limit { .. } | EndReason::Stopped)) => {
                return Some(self.stopped(&end));
            }
            other => panic!("{other:?}\n{}", self.stage.text()),
        }
        None
    }

    fn runs_until_it_ends(&mut self) -> End {
        for _ in 0..5_000 {
            self.may_die();
            self.may_be_stopped();
            if let Some(end) = self.step() {
                return end;
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

/// Satisfied by the words of the AoT contract alone (§9.2), without the driver's graph.
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

fn grows_only_with_an_entry(operation: &AotOperation, before: &LoopDetail, after: &LoopDetail) {
    if unresolved(after) <= unresolved(before) {
        return;
    }
    match operation {
        AotOperation::Decompose { .. } => {
            assert_eq!(after.decompositions.len(), before.decompositions.len() + 1);
        }
        AotOperation::AddAtoms { .. } => {
            let new = &after.atoms[before.atoms.len()..];
            assert!(new.iter().all(|atom| atom.description.starts_with("Make this check pass: ")));
        }
        other => panic!("{other:?} made more work"),
    }
}

/// The driver never removes work, and never forgets a failed choice.
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
    #![proptest_config(ProptestConfig { cases: 40, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn any_loop_comes_to_an_end_and_nothing_is_lost_on_the_way(case in cases()) {
        Run::new(&case).runs_until_it_ends();
    }
}

/// The cases prove little if they all end in the same way, or never complete with some check.
#[test]
fn runs_end_in_every_way() {
    let (mut ends, mut completed) = (BTreeSet::new(), BTreeSet::new());
    for seed in 0..120 {
        let case =
            Case { atoms: 6, seed, calm: 4, agents: 2, iterations: 12, stalls: 4, kills: 20, stops: 150 };
        let mut run = Run::new(&case);
        let end = run.runs_until_it_ends();
        ends.insert(end);
        if end == End::Completed {
            completed.insert(run.check);
        }
    }
    let all = [End::Completed, End::Stopped, End::UsedUp, End::WaitsForPerson];
    assert_eq!(ends.into_iter().collect::<Vec<_>>(), all);
    assert_eq!(completed.len(), CHECKS.len(), "{completed:?}");
}
