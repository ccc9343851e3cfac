//! stderr of real agents, line by line, and the reason found in it.

use super::*;

use OutputKind::{
    ClaudeJsonl as Claude, CodexJsonl as Codex, GeminiJsonl as Gemini, QwenJsonl as Qwen, Text,
};

/// What Codex 0.169.0 prints first whenever its home is below the system's temporary folder.
const CODEX_WARNS: &str = "WARNING: proceeding, even though we could not create PATH aliases: Refusing to create helper \
     binaries under temporary dir \"/tmp\" (codex_home: AbsolutePathBuf(\"/tmp/home/.codex\"))";
const CODEX_GONE: &str = "Error: thread/resume: thread/resume failed: no rollout found for thread id \
     00000000-0000-4000-8000-000000000001 (code -32600)";
const CODEX_LOGS: &str = "2026-11-20T12:36:30.088548Z ERROR codex_core::session: failed to record rollout items: thread \
     00000000-0000-4000-8000-000000000001 not found";
const GEMINI_WARNS: &str = "Warning: 256-color support not detected. Using a terminal with at least 256-color support is \
     recommended for a better visual experience.";
const QWEN_WARNS: &str = "Warning: running headless with --yolo / approval-mode=yolo and no sandbox.";

fn complaints(kind: OutputKind, stderr: &[&str]) -> Complaints {
    let mut all = Complaints::default();
    for line in stderr {
        all.read(kind, Stream::Stderr, &Clip::from_text(line));
    }
    all
}

const CODEX_USAGE: &str = "error: unexpected argument '--no-such-flag-here' found";
const CODEX_TIP: &str = "  tip: to pass '--no-such-flag-here' as a value, use '-- --no-such-flag-here'";

/// Lines of stderr, which of them is the reason, and its cause if that is known.
const ROWS: [(OutputKind, &[&str], &str, Option<Cause>); 20] = [
    (Codex, &[CODEX_WARNS, CODEX_GONE], CODEX_GONE, Some(Cause::UnknownConversation)),
    (Codex, &[CODEX_GONE, CODEX_WARNS], CODEX_GONE, Some(Cause::UnknownConversation)),
    (Codex, &[CODEX_LOGS, CODEX_GONE], CODEX_GONE, Some(Cause::UnknownConversation)),
    (Codex, &[CODEX_WARNS, CODEX_USAGE, "", CODEX_TIP, ""], CODEX_USAGE, Some(Cause::UnknownArgument)),
    (Codex, &[CODEX_WARNS, "No prompt provided via stdin."], "No prompt provided via stdin.", None),
    (
        Codex,
        &[CODEX_WARNS, "Error: No such file or directory (os error 2)"],
        "Error: No such file or directory (os error 2)",
        None,
    ),
    (Codex, &[CODEX_WARNS, CODEX_LOGS], CODEX_LOGS, None),
    (Codex, &[CODEX_WARNS], CODEX_WARNS, None),
    (
        Codex,
        &["Reading prompt from stdin...", "2026-11-20T12:36:30Z  WARN codex_core: slow", "Error: x"],
        "Error: x",
        None,
    ),
    (
        Claude,
        &["Warning: no stdin data received in 3s", "error: unknown option '--no-such-flag-here'"],
        "error: unknown option '--no-such-flag-here'",
        Some(Cause::UnknownArgument),
    ),
    (
        Claude,
        &[
            "(node:12) [DEP0040] DeprecationWarning: The `punycode` module is deprecated.",
            "(Use `node --trace-deprecation ...` to show where the warning was created)",
            "No conversation found with session ID: 00000000-0000-4000-8000-000000000001",
        ],
        "No conversation found with session ID: 00000000-0000-4000-8000-000000000001",
        Some(Cause::UnknownConversation),
    ),
    (
        Gemini,
        &[
            GEMINI_WARNS,
            "YOLO mode is enabled. All tool calls will be automatically approved.",
            "Ripgrep is not available. Falling back to GrepTool.",
            "Error resuming session: No previous sessions found for this project.",
        ],
        "Error resuming session: No previous sessions found for this project.",
        Some(Cause::UnknownConversation),
    ),
    (
        Gemini,
        &[GEMINI_WARNS, "Unknown arguments: such-flag-here, suchFlagHere", "Usage: gemini [options]"],
        "Unknown arguments: such-flag-here, suchFlagHere",
        Some(Cause::UnknownArgument),
    ),
    (
        Qwen,
        &[QWEN_WARNS, "No saved session found with ID 6f. Run `qwen --resume` without an ID."],
        "No saved session found with ID 6f. Run `qwen --resume` without an ID.",
        Some(Cause::UnknownConversation),
    ),
    (
        Qwen,
        &["Ripgrep not available: spawn rg EACCES.", QWEN_WARNS, "Reached max session turns"],
        "Reached max session turns",
        None,
    ),
    // Lines below a warning belong to it, even if they sound worse.
    (
        Claude,
        &["Warning: the server docs could not be started", "  Error: connect ECONNREFUSED", "Out of memory"],
        "Out of memory",
        None,
    ),
    (Claude, &["file:///agent.mjs:3", "  throw error", "Error: boom", "    at main"], "Error: boom", None),
    (Claude, &["\u{1b}[33mwarning\u{1b}[0m: old", "\u{1b}[31mError:\u{1b}[0m new"], "Error: new", None),
    (Claude, &["npm warn old package", "[WARN] old", "⚠ Warning: old", "gone"], "gone", None),
    (Claude, &["error handling is off", "Error: real"], "Error: real", None),
];

#[test]
fn the_reason_is_found_behind_warnings_and_notices() {
    for (kind, lines, reason, cause) in ROWS {
        let found = complaints(kind, lines);
        assert_eq!(found.reason(false).unwrap().text, reason, "{kind:?} {lines:?}");
        assert_eq!(found.cause(), cause, "{kind:?} {lines:?}");
    }
}

#[test]
fn a_known_error_is_one_line_among_others_once_the_agent_began() {
    let found = complaints(Codex, &["Error: first", CODEX_GONE]);
    assert_eq!(found.reason(false).unwrap().text, CODEX_GONE);
    assert_eq!(found.reason(true).unwrap().text, "Error: first");
}

#[test]
fn lines_on_standard_output_are_reasons_too_before_warnings() {
    let mut found = complaints(Gemini, &[GEMINI_WARNS]);
    found.read(Gemini, Stream::Stdout, &Clip::from_text("Open the address below."));
    assert_eq!(found.reason(false).unwrap().text, "Open the address below.");
    found.read(Gemini, Stream::Stderr, &Clip::from_text("It is not running in a trusted directory."));
    assert_eq!(found.reason(false).unwrap().text, "It is not running in a trusted directory.");
}

#[test]
fn a_command_says_last_what_went_wrong_and_warnings_behind_it_are_set_aside() {
    let last = |lines: &[&str]| complaints(Text, lines).last().map(|line| line.text.clone());
    assert_eq!(
        last(&["error: no such file", "warning: 1 warning emitted"]).as_deref(),
        Some("error: no such file")
    );
    assert_eq!(last(&["first", "second", " "]).as_deref(), Some("second"));
    assert_eq!(last(&["warning: old"]).as_deref(), Some("warning: old"), "there is nothing else");
    assert_eq!(last(&[]), None);
    assert_eq!(complaints(Text, &["error: unknown option '--x'"]).cause(), None, "of any program it starts");
}

#[test]
fn nothing_is_found_in_nothing() {
    assert_eq!(complaints(Claude, &["", "  ", "\u{1b}[0m"]), Complaints::default());
    assert_eq!(Complaints::default().reason(false), None);
}
