//! A loop far larger than any real one, opened in the real window: an AoT loop of 22 MB with 10,000 atoms. Compared with what
//! nobody can avoid, one pass of a parser over its front matter and two frames.

use crate::editing;
use crate::interaction;
use crate::report::{Report, ms, percentile};
use crate::views::{PATIENCE, frame_at_rest};
use loopdeck_tests::window::Stage;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Instant;

const ATOMS: usize = 10_000;
/// Sentences of a binding: about 2 KB.
pub(crate) const SENTENCES: usize = 35;
const ROUNDS: u32 = 9;

/// Opens it from the list until its first tab is painted.
pub(crate) fn measure(report: &mut Report, folder: &Path) {
    let text = plan(ATOMS);
    let workspace = folder.join("large");
    let path = workspace.join(".claude/aot-loop-state.md");
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(&path, &text).expect("written");
    let mut passes: Vec<f64> = (0..ROUNDS).map(|_| parser_pass(&text)).collect();
    let stage = Stage::new("bench-large");
    let app = stage.open(&[workspace.as_os_str()]);
    app.page.wait_until("return document.querySelector('[data-loops]')?.dataset.loops === '1'", PATIENCE);
    let (rest, pass) = (frame_at_rest(&app), percentile(&mut passes, 0.5));
    let opened = percentile(&mut interaction::open_loops(&app, ROUNDS), 0.5);
    let size = text.len() / 1_000_000;
    Report::note(&format!("AoT, {size} MB, {ATOMS} atoms: one pass of a parser"), pass, "ms");
    Report::note("frame at rest, p95", rest, "ms");
    Report::note("from the click to its first tab", opened, "ms");
    report.limit(
        "from the click to its first tab / one pass and two frames",
        opened / (pass + 2.0 * rest),
        2.0,
        "x",
    );
}

fn parser_pass(text: &str) -> f64 {
    let front = &text[4..text.rfind("\n---\n").expect("an end")];
    let start = Instant::now();
    let events = granit_parser::Parser::new_from_str(front).filter(Result::is_ok).count();
    assert!(events > 2 * ATOMS, "{events}");
    ms(start.elapsed())
}

/// An AoT loop of so many atoms. Half of them are resolved; each of all has a binding, as after a redirection that reset the other half.
pub(crate) fn plan(atoms: usize) -> String {
    let text = editing::aot(atoms).replacen("status: pending", "status: resolved", atoms / 2);
    let mut bindings = String::from("bindings:\n");
    for n in 1..=atoms {
        let summary = format!("Field {n} is validated in the shared module, with a test. ").repeat(SENTENCES);
        let _ = write!(
            bindings,
            "  A{n}:\n    summary: \"{}\"\n    artifacts: [\"src/form/field{n}.ts\"]\n",
            summary.trim_end()
        );
    }
    text.replace("bindings: {}\n", &bindings)
}
