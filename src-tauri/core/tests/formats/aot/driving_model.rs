//! Random loops with random workers, judges and answers, killed and stopped at random: the invariants hold
//! after every write, and every run ends.

use crate::aot::driving::{DRIVEN, FACTS, Said, Stage};
use crate::aot::driving_invariants::{grows_only_with_an_entry, never_undoes, starts_only_what_is_ready};
use crate::aot::driving_loops::{CHECKS, Case, Dice, cases};
use loopdeck_core::checklist::{CommandEnd, Verdict};
use loopdeck_core::control::Intent;
use loopdeck_core::driver::{Action, AgentTask, Conclusion, EndReason, Memory, QuestionCode, Reply};
use loopdeck_core::formats::aot::drive::{self, AotNext, BatchEnd, CommandCheck, FileCheck, FileFound};
use loopdeck_core::formats::aot::{self, AotOperation};
use loopdeck_core::problem::{ProblemCode, Severity};
use loopdeck_core::view::LoopDetail;
use loopdeck_text::text_edit;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Why the person stops a loop.
const ENOUGH: &str = "Enough for today";
/// More attempts than any judge has.
const MANY_TRIES: usize = 10;

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
