//! The table test of the status function: one line per row and boundary of the status contract §2.

use super::*;

const ZERO: TimeDelta = TimeDelta::zero();
const MILLISECOND: TimeDelta = TimeDelta::milliseconds(1);
const ALIVE: Process = Process::Alive { quiet: ZERO, started: true };

fn quiet_for(quiet: TimeDelta) -> Process {
    Process::Alive { quiet, started: true }
}

fn facts(file: FileStatus, lease: Lease, process: Process) -> Facts {
    Facts { lease, process, ..Facts::of_file(file, FRESH_WITHIN + MILLISECOND, false) }
}

struct Case {
    line: u32,
    facts: Facts,
    word: StatusWord,
    group: Group,
}

macro_rules! table {
    ($($file:ident $lease:ident $process:expr, {$($field:ident: $value:expr),*} => $word:ident $group:ident;)*) => {
        vec![$(Case {
            line: line!(),
            facts: Facts { $($field: $value,)* ..facts(FileStatus::$file, Lease::$lease, $process) },
            word: StatusWord::$word,
            group: Group::$group,
        },)*]
    };
}

fn table() -> Vec<Case> {
    [asked_and_ordered(), at_work(), nobody_at_work()].into_iter().flatten().collect()
}

/// Rows 1 to 6: what is asked, left behind, or ordered.
#[rustfmt::skip]
fn asked_and_ordered() -> Vec<Case> {
    table! {
        // 1: unreadable beats everything
        Unreadable None Process::None, {} => CannotRead Attention;
        Unreadable Ours ALIVE, {} => CannotRead Attention;
        Unreadable Ours ALIVE, {question: true} => CannotRead Attention;
        Unreadable Other Process::None, {} => CannotRead Attention;
        Unreadable Ours Process::Gone, {stop_report: StopReport::Left} => CannotRead Attention;
        // 2: a question needs our living agent and no stop request
        Running Ours ALIVE, {question: true} => NeedsYou Attention;
        Running Ours ALIVE, {question: true, pending: Pending::Pause} => NeedsYou Attention;
        Paused Ours ALIVE, {question: true} => NeedsYou Attention;
        Running Ours ALIVE, {question: true, pending: Pending::Stop} => Stopping Active;
        Running Ours Process::Gone, {question: true} => Interrupted Attention;
        Running None Process::None, {question: true} => Interrupted Attention;
        // 3: left-over processes
        StoppedByUser Ours Process::Gone, {stop_report: StopReport::Left} => NotFullyStopped Attention;
        StoppedByUser Ours Process::Gone, {stop_report: StopReport::Unknown} => NotFullyStopped Attention;
        Completed Ours Process::Gone, {stop_report: StopReport::Left} => NotFullyStopped Attention;
        StoppedByUser Ours Process::Gone, {} => Stopped Idle;
        StoppedByUser None Process::None, {stop_report: StopReport::Left} => Stopped Idle;
        // 4: stopping
        Running Ours ALIVE, {pending: Pending::Stop} => Stopping Active;
        StoppedByUser Ours ALIVE, {} => Stopping Active;
        Paused Ours ALIVE, {pending: Pending::Stop} => Stopping Active;
        Running None Process::None, {pending: Pending::Stop} => Interrupted Attention;
        // 5: pausing
        Running Ours ALIVE, {pending: Pending::Pause} => Pausing Active;
        Paused Ours ALIVE, {} => Pausing Active;
        Paused Ours Process::Gone, {} => Paused Idle;
        // 6: usage limit
        Running Ours ALIVE, {usage_limit: true} => UsageLimit Active;
        Running Ours Process::None, {usage_limit: true} => UsageLimit Active;
        Running Ours Process::Gone, {usage_limit: true} => UsageLimit Active;
        Running None Process::None, {usage_limit: true} => Interrupted Attention;
    }
}

/// Rows 7 to 10: an agent is at work, of this Loopdeck or another.
#[rustfmt::skip]
fn at_work() -> Vec<Case> {
    table! {
        // 7: silent, boundaries at 5 and 15 minutes
        Running Ours quiet_for(QUIET - MILLISECOND), {} => Running Active;
        Running Ours quiet_for(QUIET), {} => Silent Active;
        Running Ours quiet_for(LONG_QUIET - MILLISECOND), {} => Silent Active;
        Running Ours quiet_for(LONG_QUIET), {} => Silent Attention;
        // 8: starting, running
        Running Ours Process::Alive { quiet: ZERO, started: false }, {} => Starting Active;
        NotStarted Ours Process::Alive { quiet: ZERO, started: false }, {} => Starting Active;
        NotStarted Ours ALIVE, {} => Running Active;
        Running Ours ALIVE, {at_limit: true} => Running Active;
        Running Ours ALIVE, {age: ZERO} => Running Active;
        // the same words when another Loopdeck runs it
        Running Other Process::None, {} => Running Active;
        Running Other Process::CannotTell, {at_limit: true} => Running Active;
        NotStarted Other Process::None, {} => Running Active;
        Paused Other Process::None, {} => Pausing Active;
        Running Other Process::Gone, {pending: Pending::Pause} => Pausing Active;
        Running Other Process::None, {pending: Pending::Stop} => Stopping Active;
        StoppedByUser Other Process::Gone, {stop_report: StopReport::Left} => Stopping Active;
        Completed Other Process::None, {} => Finishing Active;
        Unknown Other Process::None, {} => Unknown Attention;
        // 9 and 10: ended, agent alive, boundary at ten seconds
        Completed Ours ALIVE, {} => Finishing Active;
        Completed Ours ALIVE, {since_final: FINISHING} => Finishing Active;
        Completed Ours ALIVE, {since_final: FINISHING + MILLISECOND} => EndedStillRunning Attention;
        Failed Ours ALIVE, {since_final: FINISHING} => Finishing Active;
        Failed Ours ALIVE, {since_final: FINISHING + MILLISECOND} => EndedStillRunning Attention;
        UserExit Ours ALIVE, {since_final: FINISHING + MILLISECOND} => EndedStillRunning Attention;
        LimitReached Ours ALIVE, {since_final: FINISHING + MILLISECOND} => EndedStillRunning Attention;
    }
}

/// Rows 11 to 21: no agent of a Loopdeck is at work.
#[rustfmt::skip]
fn nobody_at_work() -> Vec<Case> {
    table! {
        // 11: elsewhere, boundary at fresh_within
        Running None Process::None, {age: ZERO} => RunningElsewhere Active;
        Running None Process::None, {age: FRESH_WITHIN} => RunningElsewhere Active;
        Running None Process::None, {age: FRESH_WITHIN + MILLISECOND} => Interrupted Attention;
        Running None Process::None, {age: ZERO, at_limit: true} => RunningElsewhere Active;
        Running None Process::None, {age: TimeDelta::minutes(1), fresh_within: TimeDelta::minutes(1) - MILLISECOND} => Interrupted Attention;
        Running None Process::CannotTell, {age: ZERO} => RunningElsewhere Active;
        Running None Process::None, {age: TimeDelta::seconds(-5)} => RunningElsewhere Active;
        // the process of the file's own lock says more than the age
        Running None Process::None, {holder: Holder::Alive} => RunningElsewhere Active;
        Running Ours Process::Gone, {holder: Holder::Alive} => RunningElsewhere Active;
        NotStarted None Process::None, {holder: Holder::Alive} => RunningElsewhere Active;
        Running None Process::None, {holder: Holder::Gone, age: ZERO} => Interrupted Attention;
        NotStarted None Process::None, {holder: Holder::Gone, age: ZERO} => NotStarted Idle;
        Paused None Process::None, {holder: Holder::Alive} => Paused Idle;
        Completed None Process::None, {holder: Holder::Alive} => Completed Finished;
        Running Ours ALIVE, {holder: Holder::Gone} => Running Active;
        // 12: limit
        Running None Process::None, {at_limit: true} => LimitReached Attention;
        Running Ours Process::Gone, {at_limit: true} => LimitReached Attention;
        LimitReached None Process::None, {} => LimitReached Attention;
        // 13: interrupted; a fresh change does not hide that our own run ended
        Running Ours Process::Gone, {} => Interrupted Attention;
        Running Ours Process::Gone, {age: ZERO} => Interrupted Attention;
        Running None Process::None, {} => Interrupted Attention;
        Running None Process::Gone, {} => Interrupted Attention;
        // A plan without a status that rests half done is nobody's accident.
        Running None Process::None, {derived: true} => Interrupted Idle;
        Running None Process::None, {derived: true, age: ZERO} => RunningElsewhere Active;
        NotStarted None Process::None, {derived: true} => NotStarted Idle;
        // 2, without an agent of ours: the file asks a person
        Running None Process::None, {asks: true} => NeedsYou Attention;
        Paused None Process::None, {asks: true} => NeedsYou Attention;
        NotStarted None Process::None, {asks: true} => NeedsYou Attention;
        Completed None Process::None, {asks: true} => Completed Finished;
        Failed None Process::None, {asks: true} => Failed Attention;
        // 14: cannot tell
        Running None Process::CannotTell, {} => AgentUnknown Attention;
        Running Ours Process::CannotTell, {} => AgentUnknown Attention;
        // 15 to 21: the file's status
        Failed None Process::None, {} => Failed Attention;
        Failed Ours Process::Gone, {} => Failed Attention;
        Paused None Process::None, {} => Paused Idle;
        Paused None Process::None, {age: ZERO} => Paused Idle;
        StoppedByUser None Process::None, {} => Stopped Idle;
        StoppedByUser None Process::None, {age: ZERO} => Stopped Idle;
        UserExit None Process::None, {} => LeftByUser Idle;
        Completed None Process::None, {} => Completed Finished;
        Completed None Process::None, {warnings: true} => CompletedWithWarnings Finished;
        Completed None Process::None, {at_limit: true} => Completed Finished;
        NotStarted None Process::None, {} => NotStarted Idle;
        NotStarted None Process::None, {age: ZERO} => NotStarted Idle;
        Unknown None Process::None, {} => Unknown Attention;
        Unknown Ours ALIVE, {} => Unknown Attention;
    }
}

#[test]
fn every_row_and_boundary_of_the_status_table() {
    let table = table();
    assert!(table.len() >= 60, "L2.1 asks for at least 60 cases, there are {}", table.len());
    for (index, case) in table.iter().enumerate() {
        let shown = show(&case.facts);
        assert_eq!(
            (shown.word, shown.group),
            (case.word, case.group),
            "case {index}, line {}: {:?}",
            case.line,
            case.facts
        );
    }
}

#[test]
fn only_ends_that_nobody_chose_wait_until_they_are_opened() {
    for case in table() {
        let shown = show(&case.facts);
        let expected = matches!(shown.word, StatusWord::LimitReached | StatusWord::Failed);
        assert_eq!(shown.word.is_until_opened(), expected, "line {}", case.line);
        assert!(!expected || shown.group == Group::Attention, "line {}", case.line);
    }
}

#[test]
fn the_agent_is_a_fact_of_its_own() {
    let fact = |file, lease, process, age| agent(&Facts { age, ..facts(file, lease, process) });
    assert_eq!(fact(FileStatus::Running, Lease::Ours, ALIVE, ZERO), AgentFact::Ours);
    assert_eq!(fact(FileStatus::Running, Lease::None, Process::None, ZERO), AgentFact::Elsewhere);
    assert_eq!(
        fact(FileStatus::Running, Lease::None, Process::None, FRESH_WITHIN + MILLISECOND),
        AgentFact::None
    );
    assert_eq!(fact(FileStatus::Paused, Lease::None, Process::None, ZERO), AgentFact::None);
    assert_eq!(fact(FileStatus::Running, Lease::Ours, Process::Gone, ZERO), AgentFact::Gone);
    assert_eq!(
        fact(FileStatus::Running, Lease::None, Process::CannotTell, FRESH_WITHIN + MILLISECOND),
        AgentFact::CannotTell
    );
}
