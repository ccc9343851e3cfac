//! Files that other tools and hands left behind, after public bug reports: what is read, and the way out where verbs are refused.
#![allow(clippy::panic, reason = "a test that cannot go on must stop loudly")]

use loopdeck_core::control::{Intent, Situation};
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::formats::ccw::recover::Recovery;
use loopdeck_core::loops::{self, Place};
use loopdeck_core::problem::{Problem, Severity};
use loopdeck_core::recovery::{self, Remains};
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::{FileStatus, StatusWord};
use loopdeck_core::step::RepairCode;
use loopdeck_core::summary::Summary;
use loopdeck_core::times::Timestamp;
use loopdeck_core::view::{AtomView, LoopDetail};
use std::path::Path;

const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);
const SITUATION: Situation = Situation { shown: StatusWord::Interrupted, now: NOW };
const V2: &str = "loop-v2-20260301T101500-0a1b2c3d";

/// A file of `tests/fixtures/field`.
struct Case {
    place: Place,
    stem: &'static str,
    bytes: Vec<u8>,
}

impl Case {
    fn aot(name: &str) -> Self {
        Self::read(name, ".claude/aot-loop-state.md", Place::AotFile, "aot-loop-state")
    }

    fn ccw(name: &str) -> Self {
        Self::read(name, &format!(".workflow/.loop/{V2}.json"), Place::CcwFile, V2)
    }

    fn read(name: &str, file: &str, place: Place, stem: &'static str) -> Self {
        let field = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/field");
        let bytes = std::fs::read(field.join(name).join("ws").join(file)).expect(name);
        Self { place, stem, bytes }
    }

    fn with(&self, bytes: Vec<u8>) -> Self {
        Self { bytes, ..*self }
    }

    fn facts(&self) -> FileFacts<'static> {
        FileFacts { stem: self.stem, modified: NOW, now: NOW }
    }

    fn summary(&self) -> Summary {
        loops::summary(self.place, &self.bytes, &self.facts()).expect("a loop")
    }

    fn detail(&self) -> LoopDetail {
        loops::detail(self.summary().format, &self.bytes, &self.facts(), &SITUATION, &[])
    }

    /// Problems as `code line`, those of the plugin's layout with their rule.
    fn problems(&self, severity: Severity) -> Vec<String> {
        let name = |found: &Problem| match found.args.get("rule").filter(|_| severity == Severity::Lint) {
            Some(rule) => rule.clone(),
            None => found.code.name().to_owned(),
        };
        let line = |found: &Problem| found.line.map(|line| format!(" {line}")).unwrap_or_default();
        let problems = self.detail().problems.into_iter().filter(|found| found.severity == severity);
        problems.map(|found| name(&found) + &line(&found)).collect()
    }

    fn resumed(&self) -> Result<String, RefusalCode> {
        let intent = Intent::Resume { raise_limit_to: None };
        let carried = loops::carry_out(&self.summary(), &self.bytes, &self.facts(), &intent, &SITUATION);
        carried.map(|carried| String::from_utf8(carried.bytes).expect("text")).map_err(|refusal| refusal.code)
    }

    fn repaired(&self, code: RepairCode) -> Self {
        let carried =
            loops::carry_out(&self.summary(), &self.bytes, &self.facts(), &Intent::Repair(code), &SITUATION);
        self.with(carried.expect("a repair").bytes)
    }

    fn proposal(&self) -> Recovery {
        let remains = Remains { damaged: &self.bytes, ..Remains::default() };
        recovery::proposals(self.summary().format, &remains, &self.facts()).remove(0).1
    }

    /// Id, description, status and dependencies of each atom.
    fn atoms(&self) -> Vec<String> {
        let needs = |atom: &AtomView| atom.depends_on.iter().map(|on| on.id.clone()).collect::<Vec<_>>();
        let said =
            |atom: &AtomView| format!("{} {} {} {:?}", atom.id, atom.description, atom.status, needs(atom));
        self.detail().atoms.iter().map(said).collect()
    }
}

const NONE: [&str; 0] = [];
const BAKERY: [&str; 2] = ["A1 Collect the prices resolved []", "A2 Write the page pending [\"A1\"]"];

/// The proposal for an AoT file keeps everything, and the loop can be resumed.
fn recovered(case: &Case, atoms: [&str; 2]) -> Recovery {
    let recovery = case.proposal();
    let after = case.with(recovery.text.clone().into_bytes());
    assert_eq!(after.problems(Severity::Error), NONE, "{}", recovery.text);
    assert_eq!(after.problems(Severity::Lint), NONE, "{}", recovery.text);
    assert_eq!(after.atoms(), atoms);
    assert!(
        recovery.text.contains("    summary: \"Prices are in prices.csv\"\n    artifacts: [prices.csv]\n")
            || recovery
                .text
                .contains("    summary: \"Prices are in prices.csv\"\n    artifacts: [\"prices.csv\"]\n"),
        "{}",
        recovery.text
    );
    assert!(recovery.text.ends_with("---\n\n# Original Prompt\n\nPrint the prices.\n"), "{}", recovery.text);
    assert!(
        recovery.text.contains("  iteration: 2\n") && recovery.text.contains("By hand")
            || recovery.text.contains("Interrupted by hand"),
        "{}",
        recovery.text
    );
    if let Err(code) = after.resumed() {
        panic!("{code:?}\n{}", recovery.text);
    }
    recovery
}

#[test]
fn case_22_numbers_as_text_are_an_error_with_a_way_out() {
    let case = Case::ccw("22-ccw-numbers-as-text");
    assert_eq!(case.problems(Severity::Error), ["E6_bad_iteration 7", "E6_bad_iteration 5"]);
    let summary = case.summary();
    assert_eq!((summary.status, summary.status_word.as_str()), (FileStatus::Paused, "Paused"));
    assert_eq!(case.resumed(), Err(RefusalCode::DamagedFile));
    let text = case.proposal().text;
    assert!(text.contains("\"max_iterations\": 10,") && text.contains("\"current_iteration\": 3,"), "{text}");
    assert!(case.with(text.into_bytes()).resumed().is_ok());
}

#[test]
fn case_23_words_of_other_tools_are_shown_as_written() {
    let case = Case::ccw("23-ccw-task-words");
    let words: Vec<String> = case
        .detail()
        .problems
        .into_iter()
        .filter(|found| found.code.name() == "W7_unknown_word")
        .map(|found| found.args["found"].clone())
        .collect();
    for word in ["done", "in-progress", "blocked"] {
        assert!(words.iter().any(|found| found == word), "{words:?}");
    }
    let detail = case.detail();
    let statuses: Vec<&str> = detail.tasks.iter().map(|task| task.status.as_str()).collect();
    assert!(!statuses.contains(&"completed"), "{statuses:?}");
    assert_eq!(case.problems(Severity::Error), NONE);
}

#[test]
fn case_29_an_unquoted_colon_is_quoted() {
    let case = Case::aot("29-aot-unquoted-colon");
    assert_eq!(case.problems(Severity::Error), ["V1_bad_yaml 31"]);
    let recovery = recovered(&case, [BAKERY[0], "A2 Write the page: header, list, footer pending [\"A1\"]"]);
    assert!(recovery.text.contains("    description: \"Write the page: header, list, footer\"\n"));
    assert_eq!(recovery.lost, NONE);
}

#[test]
fn case_30_a_tab_becomes_blanks() {
    let case = Case::aot("30-aot-tab-indent");
    assert_eq!(case.problems(Severity::Error), ["V1_bad_yaml 32"]);
    assert_eq!(recovered(&case, BAKERY).lost, NONE);
}

#[test]
fn case_31_words_of_yaml_are_texts() {
    let case = Case::aot("31-aot-norway");
    assert_eq!(case.atoms(), ["1.0 Collect the prices resolved []", "no Write the page pending [\"1.0\"]"]);
    let lints = case.problems(Severity::Lint);
    assert!(lints.contains(&"L16 26".to_owned()) && lints.contains(&"L16 30".to_owned()), "{lints:?}");
    let warnings = case.problems(Severity::Warning);
    assert!(
        !warnings.iter().any(|found| found.starts_with("V9") || found.starts_with("V13")),
        "{warnings:?}"
    );
    assert_eq!(case.detail().atoms[0].summary.as_deref(), Some("Prices are in prices.csv"));
    assert!(case.summary().title == "0x1F", "{}", case.summary().title);
}

#[test]
fn case_32_an_alias_before_its_anchor_is_an_error_and_costs_one_value() {
    let case = Case::aot("32-aot-anchors-merge");
    assert_eq!(case.problems(Severity::Error), ["V1_bad_yaml 32"]);
    assert!(case.detail().problems[0].args["reason"].contains("anchor"));
    let recovery = recovered(&case, [BAKERY[0], "A2 Write the page pending []"]);
    assert_eq!(recovery.lost, ["atoms.A2.status"]);
}

#[test]
fn case_33_a_merge_key_is_honoured_in_the_proposal() {
    let case = Case::aot("33-aot-anchors-merge-back");
    assert!(case.problems(Severity::Error).contains(&"V3_unknown_status 33".to_owned()));
    assert_ne!(case.detail().atoms[1].status, "resolved");
    recovered(&case, [BAKERY[0], "A2 Write the page pending []"]);
}

#[test]
fn case_34_escapes_of_json_are_read() {
    let case = Case::aot("34-aot-json-escapes");
    assert_eq!(case.problems(Severity::Error), NONE);
    assert_eq!(case.detail().atoms[1].description, "Write the page \u{1f950} caf\u{e9} \u{2014} / done");
}

#[test]
fn cases_35_and_36_lines_that_the_plugin_cannot_read_have_a_repair() {
    for name in ["35-aot-crlf-bom", "36-aot-dashes-with-blanks"] {
        let case = Case::aot(name);
        assert_eq!(
            (case.problems(Severity::Error), case.atoms()),
            (Vec::new(), BAKERY.map(str::to_owned).to_vec())
        );
        assert_eq!(case.problems(Severity::Lint)[0], "L1 1", "{name}");
        let repaired = case.repaired(RepairCode::Layout);
        assert_eq!(
            (repaired.problems(Severity::Lint), repaired.atoms()),
            (Vec::new(), case.atoms()),
            "{name}"
        );
        // What is set to running is readable for the plugin.
        assert!(case.resumed().is_ok_and(|text| text.starts_with("---\nobjective:\n")), "{name}");
    }
}

#[test]
fn case_37_a_text_that_looks_like_an_atom_is_a_text() {
    let case = Case::aot("37-aot-block-scalar-traps");
    let atoms = case.detail().atoms;
    assert_eq!(atoms.len(), 2);
    assert!(atoms[1].description.contains("- id: A9") && atoms[1].status == "pending", "{atoms:?}");
    let lints = case.problems(Severity::Lint);
    assert!(lints.iter().any(|found| found.starts_with("L11")), "{lints:?}");
}

#[test]
fn case_39_the_first_block_is_the_state() {
    let case = Case::aot("39-aot-two-documents");
    assert_eq!(
        (case.problems(Severity::Error), case.atoms()),
        (Vec::new(), BAKERY.map(str::to_owned).to_vec())
    );
    assert!(case.resumed().is_ok_and(|text| {
        text.ends_with("---\n\n---\nnote: second\n---\n\n# Original Prompt\n\nPrint the prices.\n")
    }));
}

#[test]
fn case_40_keys_that_are_there_twice_name_their_lines_and_have_a_way_out() {
    let case = Case::aot("40-aot-duplicate-keys");
    assert_eq!(case.problems(Severity::Error), ["V6_ambiguous_field 19", "V1_bad_yaml 40"]);
    let problems = case.detail().problems;
    assert_eq!(problems[0].args["found"], "stopped (18), running (19)");
    assert!(problems[1].args["reason"].ends_with("on lines 39 and 40"), "{:?}", problems[1]);
    assert_eq!(case.resumed(), Err(RefusalCode::DamagedFile));
    let recovery = recovered(&case, BAKERY);
    // The plugin takes the first.
    assert_eq!(recovery.lost, ["control.status", "bindings.A1.summary"]);
    assert_eq!(case.with(recovery.text.into_bytes()).summary().status, FileStatus::StoppedByUser);
}

#[test]
fn case_41_a_key_that_is_there_twice_has_a_way_out() {
    let case = Case::ccw("41-ccw-key-twice");
    assert_eq!(case.problems(Severity::Error), ["E8_duplicate_key 7"]);
    assert_eq!(case.resumed(), Err(RefusalCode::NotEditable));
    assert_eq!(case.summary().format, Format::LoopV2);
    let text = case.proposal().text;
    assert_eq!(text.matches("\"status\": \"running\"").count(), 1, "{text}");
    assert!(!text.contains("\"status\": \"paused\""), "{text}");
    assert!(case.with(text.into_bytes()).resumed().is_ok());
}

#[test]
fn a_status_of_something_else_is_not_counted_as_an_atom() {
    let sound = Case::aot("37-aot-block-scalar-traps");
    let text = String::from_utf8(sound.bytes.clone()).expect("text");
    let notes = "notes:\n  page:\n    status: pending\n";
    let text = text.replacen("corrections: []\n", &format!("{notes}corrections: []\n"), 1);
    let line = text.lines().take_while(|line| *line != "  page:").count() + 2;
    let case = sound.with(text.into_bytes());
    let finding = format!("L11 {line}");
    assert!(case.problems(Severity::Lint).contains(&finding), "{:?}", case.problems(Severity::Lint));
    assert!(!case.repaired(RepairCode::Layout).problems(Severity::Lint).contains(&finding));
    assert!(
        case.resumed().is_ok_and(|text| text.contains("\n     status: pending\n")),
        "{:?}",
        case.resumed()
    );
}
