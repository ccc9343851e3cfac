//! `summary` and `report`.

use crate::ID;
use crate::place::{Place, everything};
use loopdeck_tests::live::{ROOT, loop_v2};
use std::collections::BTreeSet;
use std::fs;

const SUMMARY_KEYS: [&str; 22] = [
    "id",
    "file",
    "sentence",
    "key",
    "workspace",
    "format",
    "title",
    "notes",
    "word",
    "file_word",
    "section",
    "outcome",
    "reason",
    "needs",
    "fired",
    "need_since",
    "created",
    "changed",
    "facts",
    "runs",
    "account",
    "claims",
];

#[test]
fn summary_has_the_promised_keys_for_every_format_and_leaves_no_trace() {
    let place = Place::with_sample();
    let before = everything(&place.workspace());
    let summaries = place.json("summary", &[]);
    let all = summaries.as_array().unwrap();
    let promised: BTreeSet<&str> = SUMMARY_KEYS.into();
    for summary in all {
        let keys: BTreeSet<&str> = summary.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, promised, "{summary}");
    }
    let help = place.run("summary", &["--help"]).out;
    assert!(promised.iter().all(|key| help.contains(key)), "{help}");
    assert!(all.iter().any(|summary| summary["facts"]["root_cause"]["id"].is_string()), "{summaries}");
    assert!(all.iter().any(|summary| summary["facts"]["atoms"]["total"].as_u64() > Some(0)));
    assert_eq!(place.run("summary", &[]).out.lines().count(), all.len());
    assert_eq!(everything(&place.workspace()), before);
    assert!(!place.data().exists(), "a look leaves nothing");
}

#[test]
fn a_report_is_one_file_without_paths() {
    let place = Place::with_sample();
    let file = place.folder.path().join("report.html");
    let answer = place.run("report", &["-o", file.to_str().unwrap()]);
    assert_eq!((answer.code, answer.err.as_str()), (0, ""), "{answer:?}");
    let html = fs::read_to_string(&file).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("Content-Security-Policy"));
    assert!(!html.contains(&*place.workspace().to_string_lossy()), "no absolute path");
    for outside in ["<script", "http://", "https://", "<link"] {
        assert!(!html.contains(outside), "{outside}");
    }
    let markdown = place.run("report", &["--format", "md", "--language", "ja", "--title", "Week 47"]);
    assert!(markdown.out.starts_with("# Week 47\n") && markdown.out.contains("起きたこと"), "{markdown:?}");
    assert!(!place.data().exists(), "a look leaves nothing");
}

#[test]
fn a_report_takes_the_loops_and_the_period_that_are_asked_for() {
    let place = Place::with(ID, &loop_v2(ID, "completed"));
    let other = ID.replace("d8ff7e62", "00000001");
    place.write(&format!("{ROOT}/{other}.json"), &loop_v2(&other, "failed"));
    let both = place.run("report", &["--format", "md"]).out;
    let at = |text: &str, id: &str| text.find(&format!("## Title of {id}")).or(text.find(&id[..20]));
    assert!(at(&both, &other) < at(&both, ID), "failures first: {both}");
    let one = place.run("report", &["--format", "md", ID]).out;
    assert_eq!(one.matches("\n## ").count(), 1, "{one}");
    let none = place.run("report", &["--format", "md", "--since", "2999-01-01"]).out;
    assert!(none.contains("No loops in this report"), "{none}");
    let bad = place.run("report", &["--since", "yesterday"]);
    assert!(bad.code == 2 && bad.err.contains("“yesterday” is not a date"), "{bad:?}");
    let lost = place.run("report", &["-o", "/nonexistent/report.html"]);
    assert!(lost.code == 2 && lost.err.contains("/nonexistent/report.html"), "{lost:?}");
}

#[test]
fn what_is_kept_is_exported_and_imported_into_another_data_folder() {
    let place = Place::with(ID, &loop_v2(ID, "running"));
    let id = ID;
    assert_eq!(place.run("pause", &[id]).code, 0);
    let file = place.data().join("../export.jsonl");
    let name = file.to_str().unwrap();
    let written = place.json("export", &["-o", name]);
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(written["lines"].as_u64(), Some(text.lines().count() as u64));
    assert!(text.starts_with("{\"kind\":\"loopdeck\"") && text.contains("\"kind\":\"version\""), "{text}");
    let again = place.json("import", &[name]);
    assert_eq!((again["loops"].as_u64(), again["known"].as_u64()), (Some(0), Some(1)), "{again}");
    fs::remove_dir_all(place.data()).unwrap();
    let fresh = place.json("import", &[name]);
    assert_eq!((fresh["loops"].as_u64(), fresh["known"].as_u64()), (Some(1), Some(0)), "{fresh}");
    assert!(!place.json("history", &[id]).as_array().unwrap().is_empty());
    fs::write(&file, "{}\n").unwrap();
    let refused = place.run("import", &[name]);
    assert!(refused.code == 2 && refused.err.contains("Line 1 of"), "{}", refused.err);
}
