//! `loopdeck verify`: claims, evidence and the folder, compared by the real program with a real git.

use crate::place::Place;
use loopdeck_core::checklist::Verdict;
use loopdeck_core::evidence::{EvidenceCheck, EvidenceRecord, addition, claimed};
use loopdeck_runtime::views::LoopPage;
use loopdeck_runtime::{Options, Runtime, Traces};
use loopdeck_tests::repository::{commit_all, git};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

const FILE: &str = ".ralph/ship/TODO.md";
const EVIDENCE: &str = ".ralph/ship/TODO.evidence.jsonl";

/// A trusted repository with a list of which one item is ticked.
struct Shop {
    place: Place,
}

impl Shop {
    fn new() -> Self {
        let place = Place::empty();
        place.write(FILE, "# Ship\n\n- [x] Write the parser\n- [ ] Write the printer\n");
        place.write(".ralph/ship/PROMPT.md", "Work.\n");
        place.write("check.sh", "test -f parser.txt\n");
        place.write("parser.txt", "parser");
        commit_all(&place.workspace());
        Self { place }
    }

    /// What Loopdeck itself sees of the loop and of the folder.
    fn seen(&self) -> (LoopPage, String) {
        let data = self.place.folder.path().join("look");
        let runtime = Runtime::start(&Options::once(data, Traces::Nothing)).unwrap();
        let workspace = self.place.workspace();
        runtime.open_workspace(&workspace).unwrap();
        runtime.trust(&workspace.to_string_lossy(), true).unwrap();
        let row = runtime.rows().into_iter().find(|row| row.file == FILE).unwrap();
        let content = runtime.content_of(&workspace, FILE).unwrap();
        (runtime.read_loop(&row.key).unwrap(), content)
    }

    /// A result for what is claimed and in the folder now.
    fn result(&self, command: &str, code: i32) -> EvidenceRecord {
        let (page, content) = self.seen();
        EvidenceRecord {
            file: FILE.to_owned(),
            items: claimed(&page.detail, false).items,
            check: Some(EvidenceCheck { kind: "command".to_owned(), value: command.to_owned() }),
            verdict: if code == 0 { Verdict::Pass } else { Verdict::Fail },
            exit_code: Some(code),
            at: "2026-11-30T08:00:00Z".to_owned(),
            content: Some(content),
            ..EvidenceRecord::default()
        }
    }

    fn add(&self, record: EvidenceRecord) {
        let path = self.evidence();
        let there = fs::read(&path).unwrap_or_default();
        fs::write(path, [&there[..], &addition(&there, &[record])].concat()).unwrap();
    }

    fn evidence(&self) -> PathBuf {
        self.place.workspace().join(EVIDENCE)
    }

    /// The exit code and the codes of the findings.
    fn found(&self, more: &[&str]) -> (i32, Vec<String>) {
        let answer = self.place.run("verify", &[&["ship", "--yes-trust", "--json"][..], more].concat());
        assert!(answer.code != 2, "{answer:?}");
        let codes = answer.json().as_array().unwrap().iter().map(code).collect();
        (answer.code, codes)
    }
}

fn code(finding: &Value) -> String {
    finding["code"].as_str().unwrap().to_owned()
}

fn proven() -> (i32, Vec<String>) {
    (0, Vec::new())
}

fn unproven(code: &str) -> (i32, Vec<String>) {
    (1, vec![code.to_owned()])
}

#[test]
fn only_what_is_proven_for_the_files_of_now_passes() {
    let shop = Shop::new();
    let workspace = shop.place.workspace();
    assert_eq!(shop.found(&[]), unproven("EV1_no_evidence"));
    shop.add(shop.result("sh check.sh", 0));
    assert_eq!(shop.found(&[]), proven());
    git(&workspace, &["add", "."]);
    git(&workspace, &["commit", "-qm", "with its evidence"]);
    assert_eq!(shop.found(&[]), proven(), "committed or not");
    shop.place.write(FILE, "# Ship\n\n- [x] Write the parser\n- [x] Write the printer\n");
    assert_eq!(shop.found(&[]), unproven("EV7_item_unproven"), "a box ticked elsewhere");
    git(&workspace, &["checkout", "-q", "--", "."]);
    shop.place.write("parser.txt", "another parser");
    assert_eq!(shop.found(&[]), unproven("EV5_other_content"), "a report of yesterday");
    git(&workspace, &["checkout", "-q", "--", "."]);
    shop.add(shop.result("sh check.sh", 1));
    let honest = fs::read_to_string(shop.evidence()).unwrap();
    fs::write(
        shop.evidence(),
        honest.replacen("\"verdict\":\"fail\",\"exit_code\":1", "\"verdict\":\"pass\",\"exit_code\":0", 1),
    )
    .unwrap();
    // The last line can be edited by whoever writes it anew: only a check that is made again shows that.
    assert_eq!(shop.found(&[]), proven());
    fs::write(shop.evidence(), honest.replacen("\"exit_code\":0", "\"exit_code\":3", 1)).unwrap();
    assert!(shop.found(&[]).1.contains(&"EV2_broken_chain".to_owned()));
}

#[test]
fn checks_are_made_again_only_where_the_person_trusts_the_folder() {
    let shop = Shop::new();
    shop.add(shop.result("sh check.sh", 0));
    shop.place.write("parser.txt", "another parser");
    assert_eq!(shop.found(&[]), unproven("EV5_other_content"));
    assert_eq!(shop.found(&["--rerun"]), proven(), "it passes with what is there now");
    fs::remove_file(shop.place.workspace().join("parser.txt")).unwrap();
    assert_eq!(shop.found(&["--rerun"]), unproven("EV6_not_passed"));
    shop.place.refused("verify", &["ship", "--rerun"], "run_untrusted");
    let told = shop.place.run("verify", &["ship"]);
    assert!(told.code == 1 && told.out.contains("EV10_content_unknown"), "{told:?}");
}

#[test]
fn a_workflow_gets_annotations_and_a_script_every_key() {
    let shop = Shop::new();
    let told = shop.place.run("verify", &["ship", "--yes-trust", "--format", "github"]);
    assert!(
        told.code == 1 && told.out.starts_with(&format!("::error file={FILE},title=EV1_no_evidence::")),
        "{told:?}"
    );
    let answer = shop.place.run("verify", &["--format", "json"]);
    let keys = ["id", "file", "evidence", "code", "severity", "line", "args", "message"];
    shop.place.promises("verify", &answer.json()[0], &keys);
}

#[test]
fn a_driven_loop_leaves_evidence_that_proves_it_on_every_machine() {
    let place = Place::empty();
    place.write("check.sh", "test -f made.txt\n");
    commit_all(&place.workspace());
    let agent = "echo 1 >made.txt; sed -i 's/^- \\[ \\]/- [x]/' .ralph/*/TODO.md";
    let more = ["--goal", "Ship it", "--shell", agent, "--check", "sh check.sh", "--keep-evidence"];
    let made = place.json("new", &[&["--format", "ralph", "--task", "Make it"][..], &more].concat());
    let id = made["id"].as_str().unwrap();
    let ran = place.run("run", &[id, "--yes-trust"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let found = |data: &str, more: &[&str]| {
        let answer = place.run_with(data, "verify", &[&[id, "--yes-trust", "--json"][..], more].concat());
        (answer.code, answer.json().as_array().unwrap().iter().map(code).collect::<Vec<_>>())
    };
    assert_eq!(found("data", &[]), proven());
    git(&place.workspace(), &["add", "."]);
    git(&place.workspace(), &["commit", "-qm", "with its evidence"]);
    assert_eq!(found("of somebody else", &[]), proven(), "nothing but the repository is needed");
    place.write("made.txt", "2\n");
    assert_eq!(found("data", &[]), unproven("EV5_other_content"));
    assert_eq!(found("data", &["--rerun"]), proven());
    fs::remove_file(place.workspace().join("made.txt")).unwrap();
    assert_eq!(found("data", &["--rerun"]), unproven("EV6_not_passed"));
}

#[test]
fn tests_that_a_check_runs_are_counted_and_fewer_of_them_are_told() {
    let place = Place::empty();
    let report = |skipped: &str, cases: &str| {
        format!("echo '<testsuite><testcase name=\"a\"/>{cases}{skipped}</testsuite>' >junit.xml\n")
    };
    let whole = report("<testcase name=\"c\"><skipped/></testcase>", "<testcase name=\"b\"/>");
    place.write("check.sh", &whole);
    place.write("tap.sh", "printf 'TAP version 13\\n1..2\\nok 1 - a\\nok 2 - b\\n'\n");
    place.write(".gitignore", "junit.xml\n");
    commit_all(&place.workspace());
    let agent = "sed -i 's/^- \\[ \\]/- [x]/' .ralph/*/TODO.md";
    let checks = ["--check", "sh check.sh", "--check", "sh tap.sh", "--keep-evidence"];
    let more =
        [&["--format", "ralph", "--task", "Make it", "--goal", "Ship it", "--shell", agent][..], &checks];
    let made = place.json("new", &more.concat());
    let id = made["id"].as_str().unwrap();
    let ran = place.run("run", &[id, "--yes-trust"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let found = |more: &[&str]| {
        let answer = place.run("verify", &[&[id, "--yes-trust", "--json"][..], more].concat());
        let told = |one: &Value| format!("{} {}", code(one), one["args"]);
        (answer.code, answer.json().as_array().unwrap().iter().map(told).collect::<Vec<_>>())
    };
    let counted = [
        r#"EV15_tests_counted {"check":"sh check.sh","failed":"0","passed":"2","skipped":"1"}"#,
        r#"EV15_tests_counted {"check":"sh tap.sh","failed":"0","passed":"2","skipped":"0"}"#,
    ];
    assert_eq!(found(&[]), (0, counted.map(str::to_owned).into()));
    assert_eq!(
        found(&["--rerun"]),
        (0, counted.map(str::to_owned).into()),
        "a report of before is not counted"
    );
    let told = place.run("verify", &[id, "--yes-trust"]);
    assert!(told.out.contains("2 passed, 0 failed, 1 skipped"), "{told:?}");
    place.write("check.sh", &report("", ""));
    let (exit, fewer) = found(&["--rerun"]);
    assert_eq!((exit, &*fewer[0]), (1, r#"EV16_fewer_tests {"check":"sh check.sh","now":"1","then":"2"}"#));
}
