//! What atoms have left behind, in the page of a window: only the beginning of each when all of them are long. A page of 23 MB takes
//! longer to hand over than to read.

use loopdeck_core::view::AtomView;

/// So many bytes of results are one page.
const WHOLE: usize = 512 << 10;
/// Characters of each when they are more: a line of the outline.
const BEGINNING: usize = 120;

/// Leaves of each result only its beginning when all of them together are too long for one page.
pub(crate) fn keep_beginnings(atoms: &mut [AtomView]) {
    let lengths = atoms.iter().filter_map(|atom| atom.summary.as_ref()).map(String::len);
    if lengths.sum::<usize>() <= WHOLE {
        return;
    }
    for atom in atoms {
        let Some(summary) = &mut atom.summary else { continue };
        let beginning = loopdeck_text::shorten(summary, BEGINNING);
        atom.summary_cut = beginning != *summary;
        *summary = beginning;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_core::view::AtomState;

    fn atom(summary: &str) -> AtomView {
        AtomView {
            id: "A1".to_owned(),
            description: String::new(),
            status: "resolved".to_owned(),
            state: AtomState::Resolved,
            depends_on: Vec::new(),
            blocked_by: Vec::new(),
            on_critical_path: false,
            ready_to_resolve: false,
            or_group: None,
            parent: None,
            children: Vec::new(),
            summary: Some(summary.to_owned()),
            summary_cut: false,
            artifacts: Vec::new(),
            has_result: true,
            line: None,
        }
    }

    #[test]
    fn long_results_keep_their_beginnings_and_say_so() {
        let mut atoms = [atom(&"ä".repeat(WHOLE / 2)), atom("short")];
        keep_beginnings(&mut atoms);
        let kept = atoms.map(|atom| (atom.summary, atom.summary_cut));
        assert_eq!(kept, [(Some("ä".repeat(BEGINNING) + "…"), true), (Some("short".to_owned()), false)]);
    }

    #[test]
    fn results_that_fit_one_page_stay_whole() {
        let mut atoms = [atom(&"x".repeat(WHOLE))];
        keep_beginnings(&mut atoms);
        assert_eq!(atoms, [atom(&"x".repeat(WHOLE))]);
    }
}
