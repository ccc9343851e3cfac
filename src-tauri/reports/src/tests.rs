use super::*;
use loopdeck_core::checklist::{CheckResult, CheckType};
use loopdeck_core::driver::ChangedLines;
use loopdeck_core::evidence::Acceptance;
use loopdeck_core::facts::{
    ActionCost, CheckFact, DecisionKind, KeyDecision, OpenWork, OpenWorkKind, Portion, Risk, RiskKind,
    TestProgress, TestTotals,
};
use loopdeck_core::view::ClaimedItem;

fn totals(passed: u32, failed: u32) -> TestTotals {
    TestTotals { passed, failed, skipped: 0, total: passed + failed, at: Some(1_795_623_238_885.0) }
}

/// Was proven, and is broken now.
fn broken() -> ClaimedItem {
    ClaimedItem {
        id: "1".into(),
        text: "Round up".into(),
        claimed: 4,
        proven: Some(5),
        broke: Some(7),
        accepted: true,
    }
}

fn reported(title: &str) -> ReportedLoop {
    let tests = TestProgress { first: totals(3, 5), last: totals(8, 0), runs: 2 };
    ReportedLoop {
        title: title.to_owned(),
        workspace: "shop".to_owned(),
        word: StatusWord::Completed,
        file_word: "completed".to_owned(),
        reason: None,
        changed: Timestamp::from_millis(1),
        claims: Some(ClaimCounts { claimed: 12, proven: 9 }),
        facts: LoopFacts {
            tests: Some(tests),
            tasks: Some(Portion { done: 12, total: 15 }),
            files_changed: 2,
            risks: vec![Risk { kind: RiskKind::SkippedTests, count: 1 }],
            ..LoopFacts::default()
        },
        runs: Some(RunFacts {
            denied: 1,
            actions: vec![ActionCost {
                action: "develop".into(),
                runs: 2,
                cost_usd: Some(0.5),
                lines: Some(ChangedLines { added: 1200, removed: 3 }),
                ..Default::default()
            }],
            ..RunFacts::default()
        }),
        account: LoopAccount {
            goal: "Fix the price".to_owned(),
            decisions: vec![KeyDecision {
                kind: DecisionKind::Confirmed,
                id: "H1".into(),
                text: "Wrong in /home/ana/code/shop/src/price.rs line 3".into(),
                reason: "seen".into(),
                time: None,
            }],
            files: vec!["src/price.rs".to_owned()],
            checks: vec![CheckFact {
                item: "Tests pass".into(),
                kind: Some(CheckType::Command),
                value: "cargo test --secret".into(),
                result: CheckResult::Pass,
            }],
            test_runs: vec![totals(3, 5), totals(8, 0)],
            failed_tests: vec!["price::rounds".to_owned()],
            claimed: vec![broken()],
            accepted: Some(Acceptance { by: "ada".into(), why: "The server is down.".into() }),
            open: vec![OpenWork { kind: OpenWorkKind::FailedTask, id: "t1".into(), text: "Round".into() }],
        },
        note: "Ask Ana first".to_owned(),
        labels: vec!["release 2".to_owned()],
        rank: 3,
    }
}

fn text(loops: Vec<ReportedLoop>, options: Options, format: Format) -> String {
    Report { loops, options, made: Timestamp::from_millis(1_795_623_238_885) }.text(format)
}

#[test]
fn both_formats_say_what_happened_what_is_true_and_what_is_next() {
    for format in [Format::Html, Format::Markdown] {
        let said = text(vec![reported("Prices")], Options::default(), format);
        for part in [
            "Prices",
            "Completed",
            "tests passed 3 → 8 of 8",
            "12 of 15 claimed, 9 proven",
            "Round up",
            "claimed in iteration 4 · proven in 5 · broke again in 7",
            "Accepted as it is by ada: The server is down.",
            "2 files changed",
            "Skipped tests: 1",
            "Actions denied: 1",
            "What happened",
            "What is true now",
            "What to do next",
            "H1",
            "seen",
            "Tests pass",
            "0.50 USD",
            "1,200 −3",
            "Round",
            "2026-11-25",
        ] {
            assert!(said.contains(part), "{format:?}: {part}\n{said}");
        }
    }
}

#[test]
fn paths_and_commands_are_left_out_unless_asked_for() {
    for format in [Format::Html, Format::Markdown] {
        let without = text(vec![reported("Prices")], Options::default(), format);
        for hidden in ["/home/ana", "src/price.rs", "cargo test", "Ask Ana", "release 2"] {
            assert!(!without.contains(hidden), "{format:?}: {hidden}\n{without}");
        }
        assert!(without.contains("…/price.rs line 3"), "{without}");
        let options = Options { paths: true, commands: true, notes: true, ..Options::default() };
        let with = text(vec![reported("Prices")], options, format);
        for shown in ["/home/ana", "src/price.rs", "cargo test"] {
            assert!(with.contains(shown), "{format:?}: {shown}\n{with}");
        }
    }
}

#[test]
fn the_most_urgent_loop_comes_first() {
    let failed = ReportedLoop { rank: 1, word: StatusWord::Failed, ..reported("Broken") };
    let newer = ReportedLoop { changed: Timestamp::from_millis(9), ..reported("Newer") };
    let said = text(vec![reported("Older"), failed, newer], Options::default(), Format::Markdown);
    let at = |title: &str| said.find(&format!("## {title}")).expect(title);
    assert!(at("Broken") < at("Newer") && at("Newer") < at("Older"), "{said}");
    assert!(said.contains("**1 failed, 2 completed**"), "{said}");
}

#[test]
fn a_text_of_strangers_stays_text() {
    let hostile =
        "</title><script>alert(1)</script><img src=x onerror=alert(1)> [a](http://x) `b` | # c & \u{fffd}字";
    let mut loops = vec![reported(hostile)];
    loops[0].account.goal = hostile.repeat(3);
    loops[0].account.decisions[0].reason = hostile.to_owned();
    loops[0].account.failed_tests = vec![hostile.to_owned()];
    loops[0].workspace = hostile.to_owned();
    let options = Options { title: hostile.to_owned(), ..Options::default() };
    let html = text(loops.clone(), options.clone(), Format::Html);
    for tag in ["<script", "<img"] {
        assert!(!html.contains(tag), "{tag}\n{html}");
    }
    assert!(html.contains("&lt;script&gt;"));
    let markdown = text(loops, options, Format::Markdown);
    let outside: String = markdown.lines().filter(|line| !line.starts_with("- `")).collect();
    assert!(!outside.contains("<script") && !outside.contains("](http"), "{markdown}");
}

#[test]
fn the_html_loads_nothing() {
    let html = text(vec![reported("Prices")], Options::default(), Format::Html);
    for outside in ["http://", "https://", "src=", "<link", "@import", "url("] {
        assert!(!html.contains(outside), "{outside}\n{html}");
    }
    assert!(html.contains("Content-Security-Policy") && html.contains("default-src 'none'"));
}

#[test]
fn every_language_has_every_word() {
    for language in Language::ALL {
        let options = Options { language, paths: true, commands: true, notes: true, ..Options::default() };
        let html = text(vec![reported("A"), reported("B")], options.clone(), Format::Html);
        let markdown = text(Vec::new(), options, Format::Markdown);
        for said in [html, markdown] {
            for path in ["reportFile.", "report.t", "risk.", "decision.", "openWork.", "status.", "units."] {
                assert!(!said.contains(path), "{language:?}: {path}\n{said}");
            }
        }
    }
}

#[test]
fn fifty_loops_with_ten_thousand_tests_stay_small() {
    let mut large = reported("Large");
    large.account.test_runs = vec![totals(10_000, 0); 20];
    large.account.failed_tests =
        (0..500).map(|n| format!("suite::module::a_rather_long_name_of_a_test_{n}")).collect();
    large.account.open = (0..500)
        .map(|n| OpenWork { kind: OpenWorkKind::Atom, id: format!("A{n}"), text: "Do a part of it".into() })
        .collect();
    let html = text(vec![large; 50], Options::default(), Format::Html);
    assert!(html.len() < 5_000_000, "{}", html.len());
}
