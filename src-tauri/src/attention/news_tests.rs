use super::*;
use crate::words::words;
use loopdeck_agents::Level;
use loopdeck_core::format::Format;
use loopdeck_core::status::{AgentFact, Group};
use loopdeck_runtime::drivers::rows::{LeftHow, LoopRun};
use loopdeck_runtime::views::ListMarks;
use std::collections::BTreeMap;

const ALL: Notify = Notify { needs_you: true, failed: true, limit: true, finished: true };

fn need(id: &str, kind: NeedKind) -> Need {
    Need {
        id: id.into(),
        key: format!("w:{id}.json"),
        run: None,
        title: format!("Loop {id}"),
        kind,
        since: 0.0,
        agent: "Claude Code".into(),
        tool: Some("Bash".into()),
        input: Some("rm -rf secret".into()),
        cut_from: None,
        folder: String::new(),
        text: "the agent's own words".into(),
        args: BTreeMap::new(),
        choices: Vec::new(),
        extension: None,
        until: None,
        answers: Vec::new(),
        processes: Vec::new(),
        wrong: Vec::new(),
        lines: Vec::new(),
        left: None,
        requested: None,
    }
}

fn row(word: StatusWord, alive: bool, needs: u32) -> LoopRow {
    let run = LoopRun {
        workers: Vec::new(),
        agent: "Shell".into(),
        level: Some(Level::FullAccess),
        alive,
        action: None,
        last_output: None,
        cost_usd: None,
        tokens: None,
        stop: None,
        needs,
    };
    LoopRow {
        claims: None,
        pull_request: None,
        key: "w:x.json".into(),
        workspace: "w".into(),
        id: "x".into(),
        format: Format::LoopV2,
        handling: Format::LoopV2.handling(),
        file: "x.json".into(),
        title: "Loop x".into(),
        word,
        group: Group::Active,
        until_opened: false,
        agent: AgentFact::None,
        runner: None,
        file_word: String::new(),
        reason: None,
        limit: None,
        phase: None,
        iteration: None,
        mode: None,
        priority: None,
        tags: Vec::new(),
        labels: Vec::new(),
        marks: ListMarks::default(),
        changed: 0.0,
        created: None,
        errors: 0,
        problem: None,
        primary: None,
        verbs: Vec::new(),
        request: None,
        run: Some(run),
    }
}

fn told_of(kind: NeedKind) -> Vec<Notice> {
    let words = words("en");
    notices(Told::default().new_needs(&[need("a", kind)], &words), ALL, true, &words)
}

#[test]
fn a_loop_that_only_waits_to_be_resumed_is_not_told_as_interrupted() {
    let words = words("en");
    for (left, body) in [
        (
            LeftHow::Finished,
            "Loopdeck closed during this run. Changes to your files were kept; resume the loop to continue.",
        ),
        (
            LeftHow::Recorded,
            "Loopdeck closed during this run. Changes to your files were kept; resume the loop to continue.",
        ),
        (
            LeftHow::Between,
            "Loopdeck closed during this run. Changes to your files were kept; resume the loop to continue.",
        ),
        (LeftHow::Failed, "The run was interrupted."),
        (LeftHow::CutOff, "The run was interrupted."),
    ] {
        let mut need = need("a", NeedKind::Interrupted);
        need.left = Some(left);
        let told = notices(Told::default().new_needs(&[need], &words), ALL, true, &words);
        assert_eq!(told[0].body, body, "{left:?}");
    }
}

#[test]
fn each_need_is_told_under_its_switch() {
    use NeedKind::{
        Failed, Interrupted, LeftOver, LimitReached, Menu, Permission, Question, SignIn, UsageLimit,
    };
    let kinds = [
        (Permission, Kind::NeedsYou, "Claude Code asks for permission."),
        (Question, Kind::NeedsYou, "The loop has a question."),
        (Menu, Kind::NeedsYou, "Choose the next action."),
        (SignIn, Kind::NeedsYou, "Claude Code is not signed in."),
        (LimitReached, Kind::Limit, "The loop reached its limit."),
        (UsageLimit, Kind::Limit, "Claude Code reached its usage limit."),
        (Failed, Kind::Failed, "The run failed."),
        (LeftOver, Kind::Failed, "Processes are still running after the stop."),
        (Interrupted, Kind::Failed, "The run was interrupted."),
    ];
    let words = words("en");
    for (need_kind, kind, text) in kinds {
        let told = told_of(need_kind);
        assert_eq!(told.len(), 1, "{need_kind:?}");
        assert_eq!((told[0].title.as_str(), told[0].body.as_str()), ("Loop a", text));
        assert_eq!(told[0].opens, Opens::Loop("w:a.json".into()));
        let off = match kind {
            Kind::NeedsYou => Notify { needs_you: false, ..ALL },
            Kind::Failed => Notify { failed: false, ..ALL },
            Kind::Limit => Notify { limit: false, ..ALL },
            Kind::Finished => unreachable!("no need is that"),
        };
        let news = Told::default().new_needs(&[need("a", need_kind)], &words);
        assert_eq!(notices(news, off, true, &words), [], "{need_kind:?}");
    }
}

#[test]
fn nothing_that_an_agent_wrote_is_on_a_locked_screen() {
    for kind in [NeedKind::Permission, NeedKind::Question, NeedKind::Failed] {
        let told = format!("{:?}", told_of(kind));
        assert!(!told.contains("own words") && !told.contains("secret"), "{told}");
    }
}

#[test]
fn a_need_is_told_once() {
    let (mut told, words) = (Told::default(), words("en"));
    let (one, two) = (need("a", NeedKind::Question), need("b", NeedKind::Question));
    assert_eq!(told.new_needs(std::slice::from_ref(&one), &words).len(), 1);
    assert_eq!(told.new_needs(&[one.clone(), two.clone()], &words).len(), 1, "only the new one");
    assert_eq!(told.new_needs(&[one, two], &words), []);
    assert_eq!(told.new_needs(&[], &words), []);
}

#[test]
fn many_of_a_kind_are_told_as_one() {
    let words = words("en");
    let needs: Vec<Need> = ["a", "b", "c", "d", "e"].iter().map(|id| need(id, NeedKind::Question)).collect();
    let two = notices(Told::default().new_needs(&needs[..2], &words), ALL, true, &words);
    assert_eq!(two.len(), 2);
    let five = notices(Told::default().new_needs(&needs, &words), ALL, true, &words);
    let [five] = &five[..] else { panic!("{five:?}") };
    assert_eq!(five.title, "5 loops need you");
    assert_eq!(five.body, "Loop a, Loop b, Loop c and 2 more");
    assert_eq!(five.opens, Opens::Waiting);
    assert_eq!(five.needs.len(), 5);
}

#[test]
fn an_end_is_told_when_the_file_says_it_and_the_window_is_not_looked_at() {
    let (mut told, words) = (Told::default(), words("en"));
    assert_eq!(told.end(&row(StatusWord::Running, true, 0), &words), None);
    assert_eq!(told.end(&row(StatusWord::EndedStillRunning, false, 0), &words), None, "not read again yet");
    let end = told.end(&row(StatusWord::Completed, false, 0), &words).expect("an end");
    assert_eq!(told.end(&row(StatusWord::Completed, false, 0), &words), None, "told once");
    assert_eq!(end.kind, Kind::Finished);
    assert_eq!(notices(vec![end.clone()], ALL, true, &words), [], "the person sees it");
    assert_eq!(notices(vec![end.clone()], ALL, false, &words).len(), 1);
    assert_eq!(notices(vec![end], Notify { finished: false, ..ALL }, false, &words), []);
}

#[test]
fn what_the_person_did_or_is_asked_already_is_no_news() {
    let words = words("en");
    let after = |word, needs| {
        let mut told = Told::default();
        told.end(&row(StatusWord::Running, true, 0), &words);
        told.end(&row(word, false, needs), &words).map(|news| news.kind)
    };
    assert_eq!(after(StatusWord::Stopped, 0), None);
    assert_eq!(after(StatusWord::Paused, 0), None);
    assert_eq!(after(StatusWord::Failed, 1), None, "its need tells");
    assert_eq!(after(StatusWord::Failed, 0), Some(Kind::Failed));
    assert_eq!(after(StatusWord::CompletedWithWarnings, 0), Some(Kind::Finished));
}

#[test]
fn loops_that_others_run_and_ends_of_long_ago_are_no_news() {
    let words = words("en");
    let mut foreign = row(StatusWord::Completed, false, 0);
    foreign.run = None;
    assert_eq!(Told::default().end(&foreign, &words), None);
    assert_eq!(Told::default().end(&row(StatusWord::Completed, false, 0), &words), None);
}

#[test]
fn a_title_stays_a_line() {
    let mut long = need("a", NeedKind::Question);
    long.title = format!("one\ntwo {}", "x".repeat(200));
    let words = words("en");
    let told = notices(Told::default().new_needs(&[long], &words), ALL, true, &words);
    assert!(told[0].title.starts_with("one two x") && told[0].title.chars().count() == 81);
}
