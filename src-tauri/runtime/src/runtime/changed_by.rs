//! Which runs changed the files of a loop, and the lines that comments are about: as the runs' own records have it.

use super::Runtime;
use crate::store::journal::{Journal, RunChanged, places_in};
use crate::views::{Comment, Failure};
use loopdeck_core::times::Timestamp;
use loopdeck_execution::changes::{ChangedFile, RunChanges, paths_in};
use loopdeck_execution::git::line_after;
use loopdeck_execution::mask::Mask;
use loopdeck_execution::runs::folder_of;
use std::collections::HashMap;

/// Longest line that is quoted, in characters.
const LONGEST_QUOTE: usize = 200;

/// A comment whose answer is looked for.
struct Open<'c> {
    comment: &'c Comment,
    /// The place of its file in the list of files.
    file: u32,
    /// The line that it is about, without secrets.
    quote: Option<String>,
    /// Where that line is in the version that the last run left, from 0.
    line: Option<usize>,
    answer: Answer,
}

/// The runs that answered a comment, as places in the list of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    /// The first one that changed its file.
    pub(super) file: Option<usize>,
    /// The first one that changed its line.
    pub(super) line: Option<usize>,
}

impl<'c> Open<'c> {
    fn new(comment: &'c Comment, file: u32, mask: &Mask) -> Self {
        let quote = comment.quote.clone().map(|quote| mask.hide(quote));
        let line = comment.line.and_then(|line| usize::try_from(line.checked_sub(1)?).ok());
        Self { comment, file, quote, line, answer: Answer::default() }
    }
}

impl Runtime {
    /// The runs of a loop that changed one of these files, oldest first, each with the places of the files in `paths`; with `since`,
    /// those that began then or later.
    pub(super) fn changing_runs<'p>(
        &self,
        key: &str,
        paths: impl Iterator<Item = &'p str>,
        since: Option<Timestamp>,
    ) -> Result<Vec<RunChanged>, Failure> {
        // Runs keep names without secrets.
        let mask = self.choices.read(Mask::of_all);
        let wanted: HashMap<String, u32> = paths.map(|path| mask.hide(path.to_owned())).zip(0..).collect();
        let (mut runs, wanted) = self.in_journal(key, move |journal, of| {
            Journal::changing_runs(journal, of, &wanted).map(|runs| (runs, wanted))
        })?;
        runs.retain(|run| since.is_none_or(|since| run.started >= since));
        for run in runs.iter_mut().filter(|run| run.files.is_none()) {
            let paths = folder_of(&self.dirs().runs(), &run.id).and_then(|folder| paths_in(&folder));
            run.files = Some(places_in(&wanted, &paths.unwrap_or_default()));
        }
        runs.retain(|run| run.files.as_ref().is_some_and(|files| !files.is_empty()));
        Ok(runs)
    }

    /// For each of these comments the runs that answered it, and those runs.
    pub(super) fn answers(
        &self,
        key: &str,
        comments: &[&Comment],
    ) -> Result<(Vec<Answer>, Vec<RunChanged>), Failure> {
        let taken = comments.iter().filter_map(|comment| comment.taken_at);
        let Some(first) = taken.min_by(f64::total_cmp) else {
            return Ok((vec![Answer::default(); comments.len()], Vec::new()));
        };
        let mut paths: Vec<&str> = comments.iter().filter_map(|comment| comment.path.as_deref()).collect();
        paths.sort_unstable();
        paths.dedup();
        let mask = self.choices.read(Mask::of_all);
        #[allow(clippy::cast_possible_truncation)] // milliseconds since 1970 are exact in f64
        let since = Timestamp::from_millis(first as i64);
        let runs = self.changing_runs(key, paths.iter().copied(), Some(since))?;
        let place = |path: &str| paths.binary_search(&path).ok().and_then(|at| u32::try_from(at).ok());
        let file = |comment: &Comment| comment.path.as_deref().and_then(place).unwrap_or(u32::MAX);
        let mut all: Vec<Open<'_>> =
            comments.iter().map(|comment| Open::new(comment, file(comment), &mask)).collect();
        for (at, run) in runs.iter().enumerate() {
            self.look_for_answers(&mut all, &paths, (at, run));
        }
        Ok((all.into_iter().map(|open| open.answer).collect(), runs))
    }

    /// What one run did about comments that were taken up before it. Its versions are read once, and only when a line is looked for.
    fn look_for_answers(&self, all: &mut [Open<'_>], paths: &[&str], (at, run): (usize, &RunChanged)) {
        let files = run.files.as_deref().unwrap_or_default();
        #[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
        let began = run.started.millis() as f64;
        let is_later = |open: &&mut Open<'_>| {
            open.comment.taken_at.is_some_and(|taken| taken <= began) && files.contains(&open.file)
        };
        let mut versions: Option<Option<RunChanges>> = None;
        for open in all.iter_mut().filter(is_later) {
            open.answer.file.get_or_insert(at);
            if open.answer.line.is_some() || open.line.is_none() {
                continue;
            }
            let read = || {
                let folder = folder_of(&self.dirs().runs(), &run.id).ok()?;
                RunChanges::read(&folder).ok()
            };
            let Some(changes) = versions.get_or_insert_with(read) else { continue };
            let path = usize::try_from(open.file).ok().and_then(|at| paths.get(at));
            let file = changes.files.iter().find(|file| path.is_some_and(|path| *path == file.path));
            if file.is_some_and(|file| has_changed_line(open, file)) {
                open.answer.line = Some(at);
            }
        }
    }
}

/// Whether the line that a comment is about is no longer there after the file was changed; where it is from now on is noted.
fn has_changed_line(open: &mut Open<'_>, file: &ChangedFile) -> bool {
    let (Some(before), Some(after)) = (&file.before, &file.after) else { return false };
    let Some(at) = open.line else { return false };
    let Some(line) = place_of(before, at, open.quote.as_deref()) else { return false };
    match line_after(before.as_bytes(), after.as_bytes(), line) {
        Some(later) => {
            open.line = Some(later);
            false
        }
        None => true,
    }
}

/// The line nearest to `at` that holds the quote; `at` itself without one. `None` when there is none.
fn place_of(text: &str, at: usize, quote: Option<&str>) -> Option<usize> {
    let Some(quote) = quote else { return text.lines().nth(at).map(|_| at) };
    let is_quoted = |line: &str| as_quote(line) == quote;
    let places = text.lines().enumerate().filter(|(_, line)| is_quoted(line)).map(|(place, _)| place);
    places.min_by_key(|place| place.abs_diff(at))
}

/// A line as it is quoted.
pub(super) fn as_quote(line: &str) -> String {
    loopdeck_text::shorten(line.trim(), LONGEST_QUOTE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_execution::changes::ChangeKind;

    #[test]
    fn the_line_of_a_comment_is_followed_until_a_run_changes_it() {
        let file = |before: &str, after: &str| ChangedFile {
            path: "a".into(),
            kind: ChangeKind::Changed,
            lines: None,
            before: Some(before.into()),
            after: Some(after.into()),
            hashes: None,
        };
        let comment = Comment::default();
        let open = |quote: Option<&str>, line| Open {
            quote: quote.map(str::to_owned),
            line: Some(line),
            ..Open::new(&comment, 0, &Mask::default())
        };
        let mut two = open(Some("two"), 1);
        assert!(!has_changed_line(&mut two, &file("one\n  two\n", "zero\none\n  two\n")));
        assert_eq!(two.line, Some(2), "it moved");
        assert!(!has_changed_line(&mut two, &file("two\nzero\none\n  two\n", "two\nZERO\none\n  two\n")));
        assert_eq!(two.line, Some(3), "the nearest one, although a person moved it meanwhile");
        assert!(!has_changed_line(&mut two, &file("nothing\n", "else\n")), "it cannot be told");
        let hidden = ChangedFile { before: None, ..file("", "") };
        assert!(!has_changed_line(&mut two, &hidden), "it cannot be told either");
        assert!(has_changed_line(&mut two, &file("one\ntwo\n", "one\n2\n")));
        assert!(has_changed_line(&mut open(None, 1), &file("one\ntwo\n", "one\n")));
        assert!(!has_changed_line(&mut open(None, 5), &file("one\ntwo\n", "one\n")));
    }
}
