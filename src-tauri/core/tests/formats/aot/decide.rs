//! Decisions after a round: the table and sequences of AoT contract §5, and the plugin's hook on the same bytes.
#![allow(
    clippy::disallowed_methods,
    reason = "the plugin is a set of shell tools; the ban protects the app's users"
)]

use crate::aot::{fixtures, text};
use loopdeck_core::formats::aot::{self, Decision, EndCause};
use loopdeck_text::text_edit;
use proptest::prelude::*;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// The hook's stop path by the parser facts of §4: prints the decision, then the new file.
const HOOK: &str = r#"
file=$(cat; printf x); file=${file%x}
front=$(printf '%s' "$file" | awk '/^---$/ { n++; next } n == 1 { print } n >= 2 { exit }')
value() { sed -e 's/^[^:]*: *//' -e "s/^[\"']//" -e "s/[\"']\$//"; }
control() { printf '%s\n' "$front" | grep -m1 "^  $1:" | value; }
limit() { printf '%s\n' "$front" | grep -m1 "^    $1:" | value; }
count() { printf '%s\n' "$front" | grep -c "^    status: $1"; }
set_field() { file=$(printf '%s' "$file" | sed -e "s/^  $1: .*/  $1: $2/"; printf x); file=${file%x}; }
answer() { printf '%s\n' "$1"; printf '%s' "$file"; exit 0; }
status=$(control status)
[ "$status" = completed ] && answer completed
[ "$status" = running ] || answer inactive
[ "$(control redirect_requested)" = true ] && answer hold
if [ "$(control stop_requested)" = true ]; then set_field status stopped; answer requested; fi
iteration=$(control iteration); iteration=${iteration:-0}
stall=$(control stall_count); stall=${stall:-0}
prev=$(control prev_pending_count); prev=${prev:--1}
max=$(limit max_iterations); max=${max:-20}
max_stall=$(limit max_stall_count); max_stall=${max_stall:-3}
if [ "$iteration" -ge "$max" ]; then
  set_field status stopped; set_field stop_reason '"Max iterations reached"'; answer max_iterations
fi
unresolved=$(( $(count pending) + $(count in_progress) ))
resolved=$(count resolved)
if [ "$prev" -lt 0 ] || [ "$unresolved" -lt "$prev" ]; then stall=0; else stall=$((stall + 1)); fi
if [ "$stall" -ge "$max_stall" ]; then
  set_field status stopped; set_field stop_reason '"Max stall count reached"'; set_field stall_count $stall
  answer max_stalls
fi
if [ "$unresolved" -eq 0 ] && [ "$resolved" -eq 0 ]; then
  set_field status stopped; set_field stop_reason '"No atoms in Work Graph"'; answer no_atoms
fi
set_field iteration $((iteration + 1)); set_field stall_count $stall
if printf '%s\n' "$file" | grep -q '^  prev_pending_count: '; then set_field prev_pending_count $unresolved
else file=$(printf '%s' "$file" | sed -e "s/^\(  stall_count: .*\)/\1\n  prev_pending_count: $unresolved/"; printf x); file=${file%x}
fi
answer "continue $((iteration + 1))"
"#;

fn hook(bytes: &[u8]) -> (String, Vec<u8>) {
    let mut shell = Command::new("sh")
        .args(["-c", HOOK])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell");
    shell.stdin.take().expect("stdin").write_all(bytes).expect("the script reads");
    let output = shell.wait_with_output().expect("the script ends").stdout;
    let end = output.iter().position(|byte| *byte == b'\n').expect("a decision");
    (String::from_utf8(output[..end].to_vec()).expect("utf-8"), output[end + 1..].to_vec())
}

fn ours(bytes: &[u8]) -> (String, Vec<u8>) {
    let decided = aot::decide(bytes).expect("readable");
    let word = match decided.decision {
        Decision::Inactive => "inactive".to_owned(),
        Decision::Completed => "completed".to_owned(),
        Decision::Hold => "hold".to_owned(),
        Decision::End(EndCause::Requested) => "requested".to_owned(),
        Decision::End(EndCause::MaxIterations) => "max_iterations".to_owned(),
        Decision::End(EndCause::MaxStalls) => "max_stalls".to_owned(),
        Decision::End(EndCause::NoAtoms) => "no_atoms".to_owned(),
        Decision::Continue { iteration } => format!("continue {iteration}"),
    };
    (word, text_edit::apply(bytes, &decided.edits).expect("edits do not overlap"))
}

fn agree(name: &str, bytes: &[u8]) -> (String, Vec<u8>) {
    let (found, expected) = (ours(bytes), hook(bytes));
    let lossy =
        |(word, bytes): &(String, Vec<u8>)| (word.clone(), String::from_utf8_lossy(bytes).into_owned());
    assert_eq!(lossy(&found), lossy(&expected), "{name}");
    found
}

/// A running loop with these fields and atoms with these statuses.
fn running(fields: &[(&str, &str)], atoms: &[&str]) -> String {
    let mut file = text("seed-002-s6-2-before");
    for (key, value) in fields {
        let deep = format!("    {key}: ");
        let lead = if key.starts_with("max_") { deep } else { format!("  {key}: ") };
        let start = file.find(&lead).expect(key) + lead.len();
        let end = start + file[start..].find('\n').expect("line");
        file.replace_range(start..end, value);
    }
    let atoms: String = atoms
        .iter()
        .enumerate()
        .map(|(n, status)| {
            format!("  - id: A{n}\n    description: \"x\"\n    status: {status}\n    depends_on: []\n")
        })
        .collect();
    let start = file.find("atoms:\n").expect("atoms") + "atoms:\n".len();
    let end = file.find("decompositions:").expect("decompositions");
    file.replace_range(start..end, &format!("{atoms}\n"));
    file
}

const OPEN: [&str; 3] = ["resolved", "pending", "in_progress"];

/// Fields to set, statuses of the atoms, the decision.
type Row<'r> = (&'r [(&'r str, &'r str)], &'r [&'r str], &'r str);

#[test]
fn the_table_decides_as_the_hook_does() {
    let rows: &[Row<'_>] = &[
        (&[("status", "completed")], &OPEN, "completed"),
        (&[("status", "\"completed\"")], &OPEN, "completed"),
        (&[("status", "stopped")], &OPEN, "inactive"),
        (&[("status", "pending")], &OPEN, "inactive"),
        (&[("redirect_requested", "true"), ("stop_requested", "true")], &OPEN, "hold"),
        (&[("stop_requested", "true"), ("iteration", "99")], &OPEN, "requested"),
        (&[("stop_requested", "'true'")], &OPEN, "requested"),
        (&[("stop_requested", "\"true\"")], &OPEN, "requested"),
        (&[("iteration", "20")], &OPEN, "max_iterations"),
        (&[("iteration", "20"), ("stall_count", "3")], &OPEN, "max_iterations"),
        (&[("max_iterations", "0")], &OPEN, "max_iterations"),
        (&[("max_iterations", "-5")], &OPEN, "max_iterations"),
        (&[("max_stall_count", "0"), ("prev_pending_count", "9")], &OPEN, "max_stalls"),
        (&[("prev_pending_count", "2"), ("stall_count", "2")], &OPEN, "max_stalls"),
        (&[("prev_pending_count", "1"), ("stall_count", "0")], &OPEN, "continue 6"),
        (&[("prev_pending_count", "3"), ("stall_count", "2")], &OPEN, "continue 6"),
        (&[("prev_pending_count", "-1"), ("stall_count", "2")], &["resolved"], "continue 6"),
    ];
    for (fields, atoms, expected) in rows {
        let file = running(fields, atoms);
        assert_eq!(agree(&format!("{fields:?}"), file.as_bytes()).0, *expected, "{fields:?}");
    }
    let (_, after) = agree("reason", running(&[("iteration", "20")], &OPEN).as_bytes());
    assert!(
        String::from_utf8_lossy(&after).contains("  status: stopped\n  iteration: 20\n  stall_count: 0\n")
    );
    let unknown = running(&[("prev_pending_count", "-1")], &["pendin", "done"]);
    assert_eq!(agree("no atoms", unknown.as_bytes()).0, "no_atoms");
}

#[test]
fn rounds_without_progress_end_after_the_last_stall() {
    for (max, decisions) in [
        ("3", vec!["continue 6", "continue 7", "continue 8", "max_stalls"]),
        ("1", vec!["continue 6", "max_stalls"]),
    ] {
        for atoms in [&OPEN[..], &["resolved"]] {
            let mut bytes =
                running(&[("prev_pending_count", "-1"), ("max_stall_count", max)], atoms).into_bytes();
            for expected in &decisions {
                let (found, after) = agree(max, &bytes);
                assert_eq!(found, *expected);
                bytes = after;
            }
            assert_eq!(agree(max, &bytes).0, "inactive");
        }
    }
}

#[test]
fn a_limit_of_m_means_m_rounds() {
    let mut bytes =
        running(&[("iteration", "1"), ("max_iterations", "2"), ("prev_pending_count", "-1")], &OPEN)
            .into_bytes();
    for expected in ["continue 2", "max_iterations"] {
        let (found, after) = agree(expected, &bytes);
        assert_eq!(found, expected);
        bytes = after;
    }
}

#[test]
fn the_seeds_example_is_decided_only_without_its_comments() {
    let commented = text("seed-002-s3");
    let (found, after) = agree("verbatim", commented.as_bytes());
    assert_eq!((found.as_str(), after.as_slice()), ("inactive", commented.as_bytes()));
    let bare: String = commented
        .lines()
        .map(|line| format!("{}\n", line.split(" #").next().unwrap_or_default().trim_end()))
        .collect();
    let (found, after) = agree("stripped", bare.as_bytes());
    assert_eq!(found, "continue 6");
    assert!(String::from_utf8_lossy(&after).contains("  stall_count: 1\n  prev_pending_count: 3\n"));
}

#[test]
fn a_missing_previous_count_is_inserted_where_the_hook_inserts_it() {
    let file = running(&[], &OPEN).replacen("  prev_pending_count: 3\n", "", 1);
    let (found, after) = agree("missing", file.as_bytes());
    assert_eq!(found, "continue 6");
    assert!(String::from_utf8_lossy(&after).contains("  stall_count: 0\n  prev_pending_count: 2\n"));
}

#[test]
fn what_is_no_number_is_not_decided_on() {
    for (key, value) in [
        ("iteration", "X[$(touch /nowhere)]"),
        ("stall_count", "08"),
        ("max_iterations", "5.0"),
        ("prev_pending_count", "-2"),
    ] {
        let refusal = aot::decide(running(&[(key, value)], &OPEN).as_bytes()).expect_err(key);
        assert_eq!(refusal.args["field"], key);
    }
    assert!(aot::decide(b"---\na: 1\n").is_err());
}

#[test]
fn fixtures_decide_as_the_hook_does() {
    for (name, bytes) in fixtures() {
        agree(&name, &bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_canonical_file_is_decided_as_the_hook_does(
        numbers in (0..12_i64, 0..4_i64, -1..6_i64, 0..12_i64, 0..5_i64),
        flags in (0..8_u8, 0..8_u8, 0..9_usize),
        atoms in proptest::collection::vec(0..3_usize, 1..7),
    ) {
        let (iteration, stall, previous, max, max_stall) = numbers;
        let flag = |n: u8| if n == 0 { "true" } else { "false" };
        let file = running(&[
            ("status", ["pending", "stopped", "completed"].get(flags.2).copied().unwrap_or("running")),
            ("stop_requested", flag(flags.0)),
            ("redirect_requested", flag(flags.1)),
            ("iteration", &iteration.to_string()),
            ("stall_count", &stall.to_string()),
            ("prev_pending_count", &previous.to_string()),
            ("max_iterations", &max.to_string()),
            ("max_stall_count", &max_stall.to_string()),
        ], &atoms.iter().map(|n| OPEN[*n]).collect::<Vec<_>>());
        agree("generated", file.as_bytes());
    }
}
