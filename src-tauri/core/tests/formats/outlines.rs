//! Outlines: the row of a loop, and none of its texts.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must stop loudly")]

use loopdeck_core::format::FileFacts;
use loopdeck_core::loops::{Place, outline, summary};
use loopdeck_core::summary::Summary;
use loopdeck_core::times::Timestamp;
use std::path::{Path, PathBuf};

fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => files(&path, ending, found),
            false if path.extension().is_some_and(|known| known == ending) => found.push(path),
            false => {}
        }
    }
}

/// Every quoted text of several words.
fn sentences(text: &str) -> Vec<&str> {
    let quoted = text.lines().flat_map(|line| line.split('"').skip(1).step_by(2));
    quoted.filter(|text| text.trim().contains(' ') && text.len() > 20).collect()
}

fn beginning(text: &str) -> String {
    text.trim().chars().take(100).collect()
}

/// Everything of a row but its title.
fn row(one: &Summary) -> impl PartialEq + std::fmt::Debug {
    let words = (one.format, one.status, one.status_word.clone(), one.reason.clone());
    let progress = (one.iteration, one.phase.clone(), one.limit, one.in_progress);
    (words, progress, one.mode.clone(), one.priority.clone(), one.tags.clone(), one.created)
}

#[test]
fn an_outline_has_the_row_of_its_file_and_none_of_its_sentences() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let mut checked = 0;
    for (folder, ending, place) in [("ccw", "json", Place::CcwFile), ("aot", "md", Place::AotFile)] {
        let mut found = Vec::new();
        files(&fixtures.join(folder), ending, &mut found);
        for path in found {
            let bytes = std::fs::read(&path).unwrap();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            let at = Timestamp::from_millis(1_795_176_000_000);
            let facts = FileFacts { stem, modified: at, now: at };
            let Some(before) = summary(place, &bytes, &facts) else { continue };
            if before.status_word.contains(' ') {
                continue; // a template with a sentence in the place of each word, which is left out like any other
            }
            let Some(outlined) = outline(place, &bytes) else { continue };
            let (shown, text) = (path.display(), String::from_utf8(outlined.clone()).unwrap());
            let after = summary(place, &outlined, &facts).unwrap();
            assert_eq!(format!("{:?}", row(&after)), format!("{:?}", row(&before)), "{shown}: {text}");
            assert_eq!(beginning(&after.title), beginning(&before.title), "{shown}");
            let codes: Vec<_> = before.problems.iter().map(|problem| problem.code).collect();
            for problem in &after.problems {
                assert!(codes.contains(&problem.code), "{shown}: {problem:?} in {text}");
            }
            let row = format!("{} {}", before.title, before.reason.unwrap_or_default());
            for sentence in sentences(&String::from_utf8_lossy(&bytes)) {
                let is_shown = row.contains(&beginning(sentence));
                assert!(is_shown || !text.contains(sentence), "{shown}: {sentence} in {text}");
            }
            checked += 1;
        }
    }
    assert!(checked > 20, "{checked} fixtures");
}

#[test]
fn an_outline_of_a_list_has_its_boxes_and_none_of_their_texts() {
    let at = Timestamp::from_millis(1_795_176_000_000);
    let facts = FileFacts { stem: "shop", modified: at, now: at };
    for status in
        ["status=running iteration=3 max=7", "status=Odd iteration=x", "status=paused status=running"]
    {
        let text = format!(
            "---\nowner: Ada Lovelace\n---\n<!-- loop: {status} note=secret -->\nTell nobody.\n\n\
             # Tidy the shop\n\n- [x] Remove the old prices\n  1. [ ] Ask the supplier\n```\n- [ ] code\n```\n"
        );
        let outlined = outline(Place::RalphList, text.as_bytes()).unwrap();
        let [before, after] =
            [text.as_bytes(), &outlined].map(|bytes| summary(Place::RalphList, bytes, &facts).unwrap());
        let outlined = String::from_utf8(outlined).unwrap();
        assert_eq!(format!("{:?}", row(&after)), format!("{:?}", row(&before)), "{outlined}");
        let codes = |of: &Summary| of.problems.iter().map(|problem| problem.code).collect::<Vec<_>>();
        assert_eq!((&after.title, codes(&after)), (&before.title, codes(&before)), "{outlined}");
        assert_eq!(after.title, "Tidy the shop");
        for secret in ["Ada", "secret", "nobody", "prices", "supplier", "code"] {
            assert!(!outlined.contains(secret), "{outlined}");
        }
    }
    assert_eq!(outline(Place::RalphList, b"\xff"), None);
}

#[test]
fn what_cannot_be_read_has_no_outline() {
    for bytes in [&b""[..], b"{", b"---\na: [\n---\n", b"\xff\xfe"] {
        assert_eq!(outline(Place::CcwFile, bytes), None);
        assert_eq!(outline(Place::AotFile, bytes), None);
    }
}
