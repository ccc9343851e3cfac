//! Marks that keep a test from running: its own, and those that make all the others wait.

use super::language::Language;
use super::source::{find_call, find_word};

/// Whether a line of code skips a test.
pub(super) fn skips(code: &str, text: &str, language: Language) -> bool {
    let any = |words: &[&str]| words.iter().any(|word| code.contains(word));
    match language {
        Language::Rust => any(&["#[ignore", "#[cfg(any())]", "#[cfg(FALSE)]", "#[cfg(false)]", ", ignore)]"]),
        Language::Script => skips_in_script(code),
        Language::Python => any(&[
            "mark.skip",
            "mark.xfail",
            "@skip",
            "@unittest.skip",
            "pytest.skip(",
            "skipTest(",
            "SkipTest",
            "expectedFailure",
            "__test__ = False",
            "importorskip(",
            "pytest.xfail(",
        ]),
        Language::Go => {
            any(&["t.Skip(", "t.SkipNow(", "t.Skipf(", "b.Skip("]) || text.starts_with("//go:build ignore")
        }
        Language::Java => {
            any(&[
                "@Disabled",
                "@Ignore",
                "[Ignore",
                "Skip =",
                "Assumptions.",
                "Assume.",
                "@EnabledIf",
                "Assert.Ignore",
                "Assert.Inconclusive",
            ]) || ["assumeTrue", "assumeFalse"].iter().any(|word| find_call(code, word).is_some())
        }
        Language::Ruby => {
            let first = code.split([' ', '(']).next().unwrap_or_default();
            matches!(first, "skip" | "pending" | "xit" | "xdescribe" | "xcontext" | "xspecify" | "xscenario")
                || any(&["skip: ", ", :skip", "pending: "])
        }
        Language::Php => {
            any(&["markTestSkipped(", "markTestIncomplete(", "->skip(", "->todo(", "#[RequiresPhp"])
        }
        Language::Swift => any(&["XCTSkip", ".disabled(", "XCTExpectFailure"]),
        Language::Shell => code == "skip" || code.starts_with("skip ") || code.starts_with("startSkipping"),
    }
}

fn skips_in_script(code: &str) -> bool {
    let methods = [
        ".skip(",
        ".skip.",
        ".todo(",
        ".fixme(",
        ".failing(",
        ".fails(",
        ".skipIf(",
        ".runIf(",
        "this.skip(",
    ];
    let blocks = ["it", "test", "describe", "suite", "context", "specify", "this", "t", "ctx"];
    let is_marked = methods.iter().any(|method| code.contains(method))
        && blocks.iter().any(|block| find_word(code, block).is_some());
    is_marked
        || ["xit", "xdescribe", "xtest", "xcontext", "xspecify", "pending"]
            .iter()
            .any(|word| find_call(code, word).is_some())
}

/// Whether a line runs one test and hides the others.
pub(super) fn focuses(code: &str, language: Language) -> bool {
    match language {
        Language::Script => {
            let blocks = ["it", "test", "describe", "suite", "context"];
            let only = code.contains(".only(") || code.contains(".only.");
            (only && blocks.iter().any(|block| find_call(code, block).is_some()))
                || ["fit", "fdescribe", "ftest"].iter().any(|word| find_call(code, word).is_some())
        }
        Language::Ruby => {
            ["fit ", "fdescribe ", "fcontext ", "fspecify "].iter().any(|word| code.starts_with(word))
                || [":focus", "focus: true"].iter().any(|word| code.contains(word))
        }
        Language::Php => code.contains("->only("),
        _ => false,
    }
}

/// Whether a line ends the tests as if they had passed, or keeps a failure of theirs to itself.
pub(super) fn ends_well(code: &str, next: &str, language: Language) -> bool {
    let exits = [
        "process.exit(0)",
        "os._exit(0)",
        "sys.exit(0)",
        "process::exit(0)",
        "os.Exit(0)",
        "System.exit(0)",
        "exit!(0)",
        "Environment.Exit(0)",
    ];
    let silent = match language {
        Language::Script => {
            code.contains("catch") && (code.ends_with("{}") || (code.ends_with('{') && next.starts_with('}')))
        }
        Language::Python => code.starts_with("except") && next == "pass",
        Language::Java | Language::Php => {
            code.contains("catch (")
                && (code.ends_with("{}") || (code.ends_with('{') && next.starts_with('}')))
        }
        _ => false,
    };
    silent || exits.iter().any(|exit| code.contains(exit))
}

/// Whether code that is no test asks if tests are running.
pub(super) fn asks_for_tests(code: &str, text: &str, language: Language) -> bool {
    let of_language = match language {
        Language::Rust => code.contains("cfg!(test)") || code.contains("#[cfg(not(test))]"),
        Language::Script => ["JEST_WORKER_ID", "process.env.VITEST", "import.meta.vitest"]
            .iter()
            .any(|word| code.contains(word)),
        Language::Go => code.contains("testing.Testing()"),
        _ => false,
    };
    let node = code.contains("NODE_ENV")
        && ["=== 'test'", "=== \"test\"", "== 'test'", "== \"test\""].iter().any(|word| text.contains(word));
    let python = text.contains("PYTEST_CURRENT_TEST")
        || (text.contains("\"pytest\" in") || text.contains("'pytest' in"));
    of_language || node || (language == Language::Python && python)
}
