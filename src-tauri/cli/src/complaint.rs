//! Why a command could not be carried out: a stable code and a sentence, on stderr, with exit code 2.

use std::process::ExitCode;

use loopdeck_core::refusal::Refusal;
use loopdeck_runtime::views::{Failure, FailureKind, LoopRow};

use super::text;

/// What went wrong.
#[derive(Debug)]
pub(super) struct Complaint {
    code: String,
    sentence: String,
}

impl Complaint {
    /// A complaint with a finished sentence.
    pub(super) fn new(code: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self { code: code.into(), sentence: sentence.into() }
    }

    /// A complaint of the command line only; words: catalogue `headless.<code>`.
    pub(super) fn own(code: &str, args: &[(&str, &str)]) -> Self {
        Self::new(code, text::sentence("headless", code, args.iter().copied()))
    }

    /// A failure of the runtime; a refusal of a verb has its own code and names the status of `row`.
    pub(super) fn from_failure(failure: &Failure, row: Option<&LoopRow>) -> Self {
        let Some(refusal) = &failure.refusal else {
            let code = text::name(failure.kind);
            return Self::new(&*code, text::sentence("failure", &code, text::pairs(&failure.args)));
        };
        let reason = reason(refusal, row);
        let refused = text::name(FailureKind::Refused);
        Self::new(text::name(refusal.code), text::sentence("failure", &refused, [("reason", &*reason)]))
    }

    /// The same for a change of the loop `row`. Where its file has errors, `recover` is the command that shows what can be done.
    pub(super) fn of_change(failure: &Failure, row: &LoopRow, recover: &str) -> Self {
        let mut complaint = Self::from_failure(failure, Some(row));
        if failure.refusal.is_some() && row.errors > 0 {
            let args = [("sentence", &*complaint.sentence), ("command", recover)];
            complaint.sentence = text::sentence("headless", "ways_out", args);
        }
        complaint
    }

    /// The folder is not trusted, in a command that takes `--yes-trust`.
    pub(super) fn untrusted(failure: &Failure) -> Self {
        let path = failure.args.get("path").map(String::as_str).unwrap_or_default();
        Self::own("run_untrusted", &[("path", path)])
    }

    /// Its repository changed since the folder was trusted, in a command that takes `--yes-trust`.
    pub(super) fn changed(failure: &Failure) -> Self {
        let told = Self::from_failure(failure, None);
        let sentence = text::sentence("headless", "run_changed", [("sentence", &*told.sentence)]);
        Self { sentence, ..told }
    }

    /// What it says.
    pub(super) fn sentence(&self) -> &str {
        &self.sentence
    }

    /// Prints it.
    pub(super) fn print(&self) -> ExitCode {
        eprintln!("loopdeck: {}: {}", self.code, text::plain(&self.sentence));
        ExitCode::from(2)
    }
}

/// Names on stderr the files of our own that are unreadable; the command continues without them.
pub(super) fn tell(damaged: &[Failure]) {
    for failure in damaged {
        let code = text::name(failure.kind);
        let sentence = text::sentence("failure", &code, text::pairs(&failure.args));
        eprintln!("loopdeck: {code}: {}", text::plain(&sentence));
    }
}

/// Why something is not legal now, with the status of `row`.
pub(super) fn reason(refusal: &Refusal, row: Option<&LoopRow>) -> String {
    let shown = row.map(text::status);
    let status = shown.as_deref().map(|status| ("status", status));
    // The window's field name is preferred to the file's; not every refusal names a field, or is of a loop that is known.
    let [field, state] = ["a_field", "a_status"].map(|word| text::sentence("headless", word, []));
    let unnamed = [("field", &*field), ("status", &*state)];
    let args = status.into_iter().chain(text::pairs(&refusal.args)).chain(unnamed);
    text::sentence("refusal", &text::name(refusal.code), args)
}

/// Prints clap's message: help and version to stdout with exit code 0, a wrong argument to stderr with exit
/// code 2.
pub(super) fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        return ExitCode::from(if error.print().is_ok() { 0 } else { 2 });
    }
    let text = error.render().to_string();
    eprint!("loopdeck: {}", text.strip_prefix("error: ").unwrap_or(&text));
    ExitCode::from(2)
}

impl From<Failure> for Complaint {
    fn from(failure: Failure) -> Self {
        Self::from_failure(&failure, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_core::refusal::RefusalCode;

    #[test]
    fn a_refusal_without_a_row_is_a_sentence() {
        for (code, says) in [
            (RefusalCode::AlreadyPaused, "the loop is already in this state."),
            (RefusalCode::NotRunning, "the loop is not running. It is in this state."),
            (RefusalCode::WrongStep, "a field can’t follow the current phase (in this state)."),
        ] {
            assert_eq!(reason(&Refusal::new(code), None), says);
        }
    }
}
