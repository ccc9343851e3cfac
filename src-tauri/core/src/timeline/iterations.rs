//! Which iteration of the loop each timeline entry belongs to.

use super::draft::{CountedBy, Draft};

/// Decides it for all `drafts`, which are in time order: an entry without an iteration belongs to that of the
/// one before it.
///
/// Once the state file itself gives its iteration, the counts of documents and engines no longer start new
/// ones. Iterations never go back: a document with a smaller number than before counts something else.
pub(super) fn decide(drafts: &mut [Draft]) {
    let (mut known, mut by_file) = (None::<f64>, false);
    for draft in drafts {
        match draft.counted {
            CountedBy::ByFile(number) => {
                by_file = true;
                known = Some(number);
            }
            CountedBy::ByDocument(number) if !by_file && known.is_none_or(|known| number >= known) => {
                known = Some(number);
            }
            CountedBy::ByEngine(number) if !by_file => known = Some(number),
            CountedBy::ByDocument(_) | CountedBy::ByEngine(_) | CountedBy::Nothing => {}
        }
        draft.entry.iteration = known;
    }
}

#[cfg(test)]
mod tests {
    use super::super::entry::{EntryContent, EntryKind};
    use super::*;
    use CountedBy::{ByDocument, ByEngine, ByFile, Nothing};

    /// An entry's count, and the resulting iteration.
    type Row = (CountedBy, Option<f64>);

    #[test]
    fn each_entry_belongs_to_the_iteration_that_counts() {
        let table: [(&str, &[Row]); 6] = [
            ("before the first one there is none", &[(Nothing, None), (ByDocument(1.0), Some(1.0))]),
            (
                "what names none belongs to the one before",
                &[(ByDocument(1.0), Some(1.0)), (Nothing, Some(1.0)), (ByDocument(2.0), Some(2.0))],
            ),
            (
                "a document that says a smaller number counts something else",
                &[(ByDocument(2.0), Some(2.0)), (ByDocument(1.0), Some(2.0)), (ByDocument(3.0), Some(3.0))],
            ),
            (
                "the file's own count wins from then on",
                &[
                    (ByDocument(1.0), Some(1.0)),
                    (ByFile(7.0), Some(7.0)),
                    (ByDocument(9.0), Some(7.0)),
                    (ByEngine(9.0), Some(7.0)),
                ],
            ),
            ("the file may go back", &[(ByFile(7.0), Some(7.0)), (ByFile(0.0), Some(0.0))]),
            ("an engine may go back", &[(ByEngine(2.0), Some(2.0)), (ByEngine(1.0), Some(1.0))]),
        ];
        for (name, rows) in table {
            let draft = |counted| {
                let new = Draft::new(String::new(), EntryKind::Work, None, EntryContent::Deleted);
                Draft { counted, ..new }
            };
            let mut drafts: Vec<Draft> = rows.iter().map(|(counted, _)| draft(*counted)).collect();
            decide(&mut drafts);
            let found: Vec<_> = drafts.iter().map(|draft| draft.entry.iteration).collect();
            let expected: Vec<_> = rows.iter().map(|(_, iteration)| *iteration).collect();
            assert_eq!(found, expected, "{name}");
        }
    }
}
