//! The texts that operations write next to a master.

use loopdeck_core::formats::ccw::progress_docs::{debug, develop, ndjson, side, summary, validate};
use loopdeck_core::outcome::{FileWrite, WriteHow};
use loopdeck_core::problem::Problem;
use loopdeck_text::json_span::tree::Node;

/// Each is next to the master, and our reader of its kind finds no problems.
pub(super) fn check(stem: &str, files: &[FileWrite]) {
    for write in files {
        let rest = write.file.strip_prefix(stem).and_then(|rest| rest.strip_prefix('.'));
        let (folder, name) = rest.and_then(|rest| rest.split_once('/')).expect("a folder of the loop");
        assert!(matches!(folder, "progress" | "workers") && !name.contains(['/', '\\']), "{}", write.file);
        let text = match &write.how {
            WriteHow::Replace | WriteHow::ReplaceOnly { .. } => write.text.clone(),
            WriteHow::Append { begin } => format!("{begin}{}", write.text),
        };
        assert_eq!(problems(name, text.as_bytes()), [], "{name}:\n{text}");
    }
}

fn problems(name: &str, bytes: &[u8]) -> Vec<Problem> {
    match name {
        "develop.md" => develop::read(bytes).problems,
        "debug.md" => debug::read(bytes).problems,
        "validate.md" => validate::read(bytes).problems,
        "summary.md" => summary::read(bytes).problems,
        "hypotheses.json" => side::hypotheses(bytes).problems,
        "test-results.json" => side::test_results(bytes).problems,
        "coverage.json" => side::coverage(bytes).problems,
        "changes.log" => {
            let log = ndjson::changes(bytes);
            assert_eq!((log.entries.len(), log.foreign), (1, 0), "one line");
            log.problems
        }
        _ => {
            let node = Node::parse(bytes).expect("JSON");
            let action = name.strip_suffix(".output.json").expect("a name we know");
            assert_eq!(node.get("action").text(), Some(action));
            Vec::new()
        }
    }
}
