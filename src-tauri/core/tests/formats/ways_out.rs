//! No dead ends: whatever forbids verbs has a repair, a recovery, or a line to edit by hand. A new error without an input here, or
//! without a way out, fails.
#![allow(clippy::panic, reason = "a test that cannot go on must stop loudly")]

use loopdeck_core::control::{Intent, Situation, Verb};
use loopdeck_core::format::FileFacts;
use loopdeck_core::loops::{self, Place};
use loopdeck_core::problem::{ProblemCode as Code, Severity};
use loopdeck_core::recovery::{self, Remains};
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::{FileStatus, StatusWord};
use loopdeck_core::summary::Summary;
use loopdeck_core::times::Timestamp;
use std::collections::BTreeSet;
use std::path::Path;

const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);
const SITUATION: Situation = Situation { shown: StatusWord::Interrupted, now: NOW };
const V2: &str = "loop-v2-20260122T020000-3fa91c0e";
const B: &str = "loop-b-20260122T110000-k3v9x2ab";

/// A file that has a problem.
struct Input {
    code: Code,
    place: Place,
    stem: &'static str,
    bytes: Vec<u8>,
}

/// What leads out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Repair,
    Recovery,
    ByHand,
}

fn v2() -> String {
    format!(
        "{{\n  \"loop_id\": \"{V2}\",\n  \"title\": \"T\",\n  \"description\": \"D\",\n  \"max_iterations\": 10,\n  \"status\": \"paused\",\n  \"current_iteration\": 3,\n  \"created_at\": \"2026-01-22T02:00:00.000Z\",\n  \"updated_at\": \"2026-01-22T02:30:00.000Z\",\n  \"skill_state\": {{\n    \"mode\": \"auto\"\n  }}\n}}\n"
    )
}

fn b() -> String {
    let text = v2().replace(V2, B).replace("  \"status\"", "  \"mode\": \"auto\",\n  \"status\"");
    text.replace("\"mode\": \"auto\"\n", "\"phase\": \"develop\"\n")
}

const AOT: &str = "---\nobjective:\n  goal: \"Prices\"\n  background_intent: \"Calls\"\n  deliverables: \"A page\"\n  definition_of_done: \"It passes\"\n  base_case:\n    checklist:\n      - item: \"Prices are there\"\n        check:\n          type: file\n          value: \"prices.html\"\n  constraints:\n    max_iterations: 12\n    max_parallel_agents: 2\n    max_stall_count: 3\ncontrol:\n  status: stopped\n  iteration: 2\n  stall_count: 0\n  prev_pending_count: 2\n  stop_requested: false\n  stop_reason: \"By hand\"\n  redirect_requested: false\natoms:\n  - id: A1\n    description: \"Collect\"\n    status: resolved\n    depends_on: []\n  - id: A2\n    description: \"Write the page\"\n    status: pending\n    depends_on: [A1]\n  - id: A3\n    description: \"Send it\"\n    status: pending\n    depends_on: [A2]\ndecompositions: []\nor_groups: {}\nbindings:\n  A1:\n    summary: \"In prices.csv\"\n    artifacts: [prices.csv]\ntrail: []\ncorrections: []\n---\n\n# Original Prompt\n\nPrint the prices.\n";

const RALPH: &str = "<!-- loop: status=paused iteration=3 max=20 -->\n# Shop\n\n- [ ] one\n";

/// Inputs that have `code`, as `from` and `to` in a sound file, or whole.
fn inputs(code: Code) -> Vec<Input> {
    let of = Inputs(code);
    [of.unreadable(), of.masters(), of.values_of_masters(), of.front_matters(), of.values_of_front_matters()]
        .into_iter()
        .flatten()
        .collect()
}

/// Makes inputs that have this code.
#[derive(Clone, Copy)]
struct Inputs(Code);

impl Inputs {
    fn file(self, place: Place, stem: &'static str, bytes: Vec<u8>) -> Input {
        Input { code: self.0, place, stem, bytes }
    }

    fn v2_with(self, from: &str, to: &str) -> Input {
        self.file(Place::CcwFile, V2, swapped(&v2(), from, to))
    }

    fn b_with(self, from: &str, to: &str) -> Input {
        self.file(Place::CcwFile, B, swapped(&b(), from, to))
    }

    fn both(self, from: &str, to: &str) -> Vec<Input> {
        vec![self.v2_with(from, to), self.b_with(from, to)]
    }

    fn aot(self, from: &str, to: &str) -> Input {
        self.file(Place::AotFile, "aot-loop-state", swapped(AOT, from, to))
    }

    fn aot_is(self, text: &str) -> Input {
        self.file(Place::AotFile, "aot-loop-state", text.as_bytes().to_vec())
    }

    fn ralph(self, from: &str, to: &str) -> Input {
        self.file(Place::RalphList, "shop", swapped(RALPH, from, to))
    }

    fn ccw_is(self, bytes: &[u8]) -> impl Iterator<Item = Input> {
        [V2, B].map(|stem| self.file(Place::CcwFile, stem, bytes.to_vec())).into_iter()
    }

    /// Any file that cannot be read as text or data.
    fn unreadable(self) -> Vec<Input> {
        match self.0 {
            Code::F5_being_written => self.ccw_is(b"").chain([self.aot_is("")]).collect(),
            Code::F6_not_utf8 => {
                let broken = |text: &str, from: &str| {
                    let at = text.find(from).unwrap_or_else(|| panic!("{from}")) + from.len() - 1;
                    [&text.as_bytes()[..at], b"\xe9", &text.as_bytes()[at..]].concat()
                };
                vec![
                    self.file(Place::CcwFile, V2, broken(&v2(), "\"title\": \"T\"")),
                    self.file(Place::CcwFile, B, broken(&b(), "\"title\": \"T\"")),
                    self.file(Place::AotFile, "aot-loop-state", broken(AOT, "\"Collect\"")),
                    self.file(Place::RalphList, "shop", broken(RALPH, "# Shop")),
                ]
            }
            Code::F7_too_deep => {
                let nested = format!("{}{}", "[".repeat(400), "]".repeat(400));
                vec![
                    self.v2_with("\"mode\": \"auto\"", &format!("\"mode\": \"auto\", \"x\": {nested}")),
                    self.b_with("\"phase\"", &format!("\"x\": {nested}, \"phase\"")),
                    self.aot("trail: []\n", &format!("x: {nested}\ntrail: []\n")),
                ]
            }
            _ => Vec::new(),
        }
    }

    /// A master that is no JSON, or has no identity.
    fn masters(self) -> Vec<Input> {
        match self.0 {
            Code::E1_not_json => {
                let mut found = self.both("\"title\": \"T\",", "\"title\": \"T\" \"x\",");
                found.extend(
                    self.ccw_is(b"hello\n").chain(self.ccw_is(b"[1,2,3]")).chain(self.ccw_is(b"null")),
                );
                found.extend(self.both("  }\n}\n", ""));
                found
            }
            Code::E1_trailing_garbage => self.both("  }\n}\n", "  }\n}\n: 3\n  }\n}\n"),
            Code::E2_no_id => vec![
                self.v2_with(&format!("  \"loop_id\": \"{V2}\",\n"), ""),
                self.b_with(&format!("  \"loop_id\": \"{B}\",\n"), ""),
                self.v2_with(&format!("\"{V2}\""), "7"),
            ],
            Code::E3_no_title => self.both("  \"title\": \"T\",\n  \"description\": \"D\",\n", ""),
            Code::E4_no_status => {
                let mut found = self.both("  \"status\": \"paused\",\n", "");
                found.extend(self.both("\"status\": \"paused\"", "\"status\": 5"));
                found
            }
            Code::E4_unknown_status => {
                let mut found = self.both("\"status\": \"paused\"", "\"status\": \"sleeping\"");
                found.push(self.ralph("status=paused", "status=sleeping"));
                found
            }
            Code::E5_id_mismatch => {
                vec![self.v2_with("3fa91c0e", "00000000"), self.b_with("k3v9x2ab", "aaaaaaaa")]
            }
            Code::E5_id_is_path => vec![self.v2_with(V2, "../../x"), self.b_with(B, "a/b")],
            _ => Vec::new(),
        }
    }

    /// Numbers and parts of a master.
    fn values_of_masters(self) -> Vec<Input> {
        match self.0 {
            Code::E6_bad_iteration => {
                let mut found = Vec::new();
                for value in ["\"10\"", "-1", "null", "\"many\"", "[]"] {
                    found
                        .extend(self.both("\"max_iterations\": 10", &format!("\"max_iterations\": {value}")));
                    found.extend(
                        self.both("\"current_iteration\": 3", &format!("\"current_iteration\": {value}")),
                    );
                }
                found.push(self.ralph("iteration=3", "iteration=-1"));
                found.push(self.ralph("max=20", "max=0"));
                found
            }
            Code::E7_bad_skill_state => vec![
                self.v2_with("{\n    \"mode\": \"auto\"\n  }", "\"lost\""),
                self.b_with("{\n    \"phase\": \"develop\"\n  }", "[1]"),
                self.b_with("\"mode\": \"auto\"", "\"mode\": \"turbo\""),
            ],
            Code::E8_duplicate_key => {
                let mut found = self.both(
                    "  \"status\": \"paused\",\n",
                    "  \"status\": \"paused\",\n  \"status\": \"running\",\n",
                );
                found.push(self.ralph("status=paused", "status=paused status=running"));
                found.push(self.ralph("# Shop", "<!-- loop: status=running iteration=1 max=5 -->\n# Shop"));
                found
            }
            _ => Vec::new(),
        }
    }

    /// Front matter that is missing or no YAML.
    fn front_matters(self) -> Vec<Input> {
        match self.0 {
            Code::V1_no_front_matter => vec![self.aot_is("# Notes\n\nNothing.\n"), self.aot_is("{}\n")],
            Code::V1_unclosed => vec![self.aot("corrections: []\n---\n", "corrections: []\n")],
            Code::V1_bad_yaml => vec![
                self.aot("\"Write the page\"", "Write the page: header, list"),
                self.aot("    status: pending", "\tstatus: pending"),
                self.aot("    status: pending\n", "    <<: *page\n"),
                self.aot("depends_on: [A1]", "depends_on: [A1"),
                self.aot("summary: \"In prices.csv\"", "summary: \"In prices.csv\"\n    summary: \"Other\""),
                self.aot("trail: []\n", "trail: []\ntrail: []\n"),
            ],
            Code::V1_unescaped_quote => vec![self.aot("\"Write the page\"", "\"Write the \"page\" now\"")],
            Code::V2_missing_section => {
                let part = |from: &str, to: &str| {
                    let (start, end) = (AOT.find(from), AOT.find(to));
                    let (start, end) = start.zip(end).unwrap_or_else(|| panic!("{from} {to}"));
                    self.aot_is(&format!("{}{}", &AOT[..start], &AOT[end..]))
                };
                vec![
                    part("objective:", "control:"),
                    part("control:", "atoms:"),
                    part("atoms:", "decompositions:"),
                    self.aot("control:\n  status: stopped", "control: {}\nother:\n  status: stopped"),
                ]
            }
            _ => Vec::new(),
        }
    }

    /// Fields of front matter.
    fn values_of_front_matters(self) -> Vec<Input> {
        match self.0 {
            Code::V3_unknown_status => vec![
                self.aot("  status: stopped", "  status: paused"),
                self.aot("    status: pending", "    status: done"),
                self.aot("    status: pending\n", ""),
                self.aot("  status: stopped\n", ""),
            ],
            Code::V4_bad_number => vec![
                self.aot("iteration: 2", "iteration: two"),
                self.aot("iteration: 2", "iteration: 02"),
                self.aot("max_iterations: 12", "max_iterations: -5"),
                self.aot("max_stall_count: 3", "max_stall_count: many"),
            ],
            Code::V4_shell_value => vec![
                self.aot("iteration: 2", "iteration: X[$(id)]"),
                self.aot("max_iterations: 12", "max_iterations: X[$(id)]"),
            ],
            Code::V5_bad_id => vec![
                self.aot("- id: A3", "- id: A2"),
                self.aot("- id: A2", "- id: \"A 2\""),
                self.aot("  - id: A2\n    description", "  - description"),
                self.aot("  - id: A2\n", "  - just a text\n  - id: A2\n"),
            ],
            Code::V6_ambiguous_field => vec![
                self.aot("  status: stopped", "  status: stopped\n  status: running"),
                self.aot("    max_iterations: 12", "    max_iterations: 12\n    max_iterations: 99"),
                self.aot("trail: []\n", "trail: []\nnotes:\n  status: running\n"),
            ],
            Code::V7_cycle => {
                vec![
                    self.aot("depends_on: [A1]", "depends_on: [A3]"),
                    self.aot("depends_on: [A1]", "depends_on: [A1, A2]"),
                ]
            }
            _ => Vec::new(),
        }
    }
}

fn swapped(text: &str, from: &str, to: &str) -> Vec<u8> {
    assert!(text.contains(from), "{from:?} is not in the file");
    text.replacen(from, to, 1).into_bytes()
}

/// Errors of the place of a file: nothing in it can be read, and a person has to look there. The sentence says where.
const OF_THE_PLACE: [Code; 7] = [
    Code::F1_too_large,
    Code::F2_not_a_file,
    Code::F3_outside_workspace,
    Code::F4_not_readable,
    Code::F5_empty,
    Code::F8_folder_gone,
    Code::F9_file_gone,
];

/// Errors of files that other tools keep: Loopdeck begins no work in them, and their own tool writes them again. The sentence says so.
const OF_OTHER_TOOLS: [Code; 1] = [Code::P0_not_parsed];

fn errors(summary: &Summary) -> Vec<Code> {
    let errors = summary.problems.iter().filter(|problem| problem.severity == Severity::Error);
    errors.map(|problem| problem.code).collect()
}

fn facts(input: &Input) -> FileFacts<'static> {
    FileFacts { stem: input.stem, modified: NOW, now: NOW }
}

/// Verbs that begin or go on with work, and are legal.
fn legal(summary: &Summary) -> Vec<Verb> {
    let verbs = [Verb::Start, Verb::Resume, Verb::Reopen, Verb::Finalise];
    let refused = |verb: &Verb| loops::refuse(summary, *verb, &SITUATION);
    // A gate that asks for more text or work is about the work, and a limit can be raised.
    let asks = |code| matches!(code, RefusalCode::LimitReached | RefusalCode::GateNotMet);
    verbs.into_iter().filter(|verb| refused(verb).is_none_or(|refusal| asks(refusal.code))).collect()
}

fn read(input: &Input, bytes: &[u8], what: &str) -> Summary {
    loops::summary(input.place, bytes, &facts(input)).unwrap_or_else(|| panic!("no loop: {what}"))
}

fn opened(input: &Input, bytes: &[u8], what: &str) {
    let after = read(input, bytes, what);
    assert_eq!(errors(&after), [], "{what}\n{}", String::from_utf8_lossy(bytes));
    assert_ne!(legal(&after), [], "{what}: {after:?}");
}

/// The way out of one input, walked to its end.
fn way_out(input: &Input) -> Way {
    let text = String::from_utf8_lossy(&input.bytes).into_owned();
    let what = format!("{} in {:?} {}\n{text}", input.code.name(), input.place, input.stem);
    let summary = read(input, &input.bytes, &what);
    assert!(errors(&summary).contains(&input.code), "{:?}: {what}", errors(&summary));
    let runs = matches!(summary.status, FileStatus::Running) && input.place == Place::AotFile;
    assert!(runs || legal(&summary).is_empty(), "{:?} are legal: {what}", legal(&summary));
    assert!(recovery::is_recoverable(&summary), "{what}");
    let detail = loops::detail(summary.format, &input.bytes, &facts(input), &SITUATION, &[]);
    for offer in detail.repairs.iter().filter(|offer| offer.refusal.is_none()) {
        let intent = Intent::Repair(offer.code);
        let carried = loops::carry_out(&summary, &input.bytes, &facts(input), &intent, &SITUATION);
        let Ok(carried) = carried else { continue };
        if offer.ends.contains(&input.code) && errors(&summary) == [input.code] {
            opened(input, &carried.bytes, &what);
            return Way::Repair;
        }
    }
    let remains = Remains { damaged: &input.bytes, ..Remains::default() };
    let format = recovery::format_of(summary.format, &input.bytes, input.stem);
    if let Some((_, recovery)) = recovery::proposals(format, &remains, &facts(input)).into_iter().next() {
        opened(input, recovery.text.as_bytes(), &what);
        return Way::Recovery;
    }
    let found = summary.problems.iter().find(|problem| problem.code == input.code);
    let found = found.unwrap_or_else(|| panic!("{what}"));
    let is_whole = input.code.name().starts_with('F') || input.code == Code::V1_no_front_matter;
    assert!(found.line.is_some() || is_whole, "a dead end: {what}");
    Way::ByHand
}

/// What a person can do about each error, in the words of the page.
fn has_hint(code: Code) -> bool {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/words/en/problems.json");
    let words: serde_json::Value =
        serde_json::from_slice(&std::fs::read(path).expect("the catalogue")).expect("JSON");
    words["problem"][code.name()][1].as_str().is_some_and(|hint| !hint.is_empty())
}

#[test]
fn whatever_forbids_verbs_has_a_way_out() {
    for code in Code::ALL.iter().copied().filter(|code| code.severity() == Severity::Error) {
        assert!(has_hint(code), "{} does not say what to do", code.name());
        if OF_OTHER_TOOLS.contains(&code) {
            continue;
        }
        let inputs = inputs(code);
        if OF_THE_PLACE.contains(&code) {
            for (place, stem) in
                [(Place::CcwFile, V2), (Place::AotFile, "aot-loop-state"), (Place::RalphList, "s")]
            {
                let summary = loops::unreadable(place, stem, code, &[]);
                assert_eq!(legal(&summary), [], "{} {place:?}", code.name());
            }
            continue;
        }
        assert!(!inputs.is_empty(), "{} has no input: add one, and its way out", code.name());
        for input in &inputs {
            way_out(input);
        }
    }
}

/// By hand is the last way: only where nothing can be read, or where a person has to decide.
#[test]
fn most_errors_need_no_editing_by_hand() {
    let by_hand: BTreeSet<&str> = Code::ALL
        .iter()
        .flat_map(|code| inputs(*code))
        .filter(|input| input.place != Place::RalphList && way_out(input) == Way::ByHand)
        .map(|input| input.code.name())
        .collect();
    let expected = ["E5_id_is_path", "E5_id_mismatch", "F5_being_written", "V1_no_front_matter"];
    assert_eq!(by_hand.into_iter().collect::<Vec<_>>(), expected);
}
