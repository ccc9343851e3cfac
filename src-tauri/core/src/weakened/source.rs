//! A text as lines of code, and the tests and functions in it.

use super::language::Language;
use super::masked::{is_word, masked};

/// One version of a file.
pub(super) struct Source<'t> {
    pub(super) lines: Vec<SourceLine<'t>>,
    /// In the order of the file. The lines of one end where the next one begins.
    pub(super) tests: Vec<Block>,
}

/// One line of it.
#[derive(Clone)]
pub(super) struct SourceLine<'t> {
    /// 1-based.
    pub(super) number: u32,
    /// Blanks before it, in bytes.
    pub(super) indent: usize,
    /// As it is, without blanks around it.
    pub(super) text: &'t str,
    /// Its code; what is in strings and comments is blank.
    pub(super) code: String,
}

/// A test or another function: its name, and its lines by index.
pub(super) struct Block {
    pub(super) name: String,
    pub(super) first: usize,
    pub(super) end: usize,
}

impl<'t> Source<'t> {
    pub(super) fn read(text: &'t str, language: Option<Language>) -> Self {
        let code = language.map_or_else(|| text.to_owned(), |language| masked(text, language));
        let mut lines = Vec::new();
        let mut tests = Vec::new();
        let both: Vec<(&str, &str)> = text.lines().zip(code.lines()).collect();
        for (index, (line, code)) in both.iter().enumerate() {
            if let Some(name) = language.and_then(|language| test_at(language, &both, index)) {
                let above = tests.last().map_or(0, |last: &Block| last.first + 1);
                tests.push(Block { name, first: first_mark(&both, index, above), end: both.len() });
            }
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            let indent = line.len() - line.trim_start().len();
            lines.push(SourceLine { number, indent, text: line.trim(), code: code.trim().to_owned() });
        }
        for index in 1..tests.len() {
            tests[index - 1].end = tests[index].first;
        }
        Self { lines, tests }
    }

    pub(super) fn block(&self, block: &Block) -> &[SourceLine<'t>] {
        &self.lines[block.first..block.end]
    }

    /// The functions that are no tests.
    pub(super) fn functions(&self) -> Vec<Block> {
        let mut found: Vec<Block> = Vec::new();
        for (index, line) in self.lines.iter().enumerate() {
            let Some(name) = defined(&line.code) else { continue };
            if let Some(last) = found.last_mut() {
                last.end = index;
            }
            found.push(Block { name: name.to_owned(), first: index, end: self.lines.len() });
        }
        found
    }
}

/// The first of the marks right above a test, not above the line `from`.
fn first_mark(lines: &BothLines<'_>, index: usize, from: usize) -> usize {
    let is_mark = |line: usize| {
        lines[line].1.trim_start().starts_with(['@', '[']) || lines[line].1.trim_start().starts_with("#[")
    };
    let mut first = index;
    while first > from && is_mark(first - 1) {
        first -= 1;
    }
    first
}

/// The name of the function that a line defines.
fn defined(code: &str) -> Option<&str> {
    let words = ["fn ", "def ", "function ", "func ", "const ", "let ", "void "];
    let (at, word) = words.iter().find_map(|word| Some((find_word(code, word.trim_end())?, word)))?;
    let rest = code.get(at + word.len()..)?;
    let name = &rest[..rest.bytes().take_while(|byte| is_word(*byte)).count()];
    let is_function = !matches!(*word, "const " | "let ") || rest.contains("=>") || rest.contains("function");
    (is_function && !name.is_empty()).then_some(name)
}

/// Where `word` stands as a whole word.
pub(super) fn find_word(code: &str, word: &str) -> Option<usize> {
    let bytes = code.as_bytes();
    code.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = at.checked_sub(1).is_none_or(|before| !is_word(bytes[before]));
        before && bytes.get(at + word.len()).is_none_or(|byte| !is_word(*byte))
    })
}

/// The same where it is called by its own name, not as a method of something.
pub(super) fn find_call(code: &str, name: &str) -> Option<usize> {
    let at = find_word(code, name)?;
    let own = at.checked_sub(1).is_none_or(|before| code.as_bytes()[before] != b'.');
    (own && code[at + name.len()..].trim_start().starts_with(['(', '.', '`', '<'])).then_some(at)
}

type BothLines<'l> = [(&'l str, &'l str)];

/// The name of the test that begins in this line.
fn test_at(language: Language, lines: &BothLines<'_>, index: usize) -> Option<String> {
    let (text, code) = lines[index];
    match language {
        Language::Rust => rust_test(lines, index),
        Language::Script => script_test(text, code),
        Language::Python => prefixed(code, "def ", "test"),
        Language::Go => ["Test", "Fuzz", "Example"]
            .iter()
            .find_map(|start| prefixed(code, "func ", start))
            .or_else(|| named_call(text, code, "t.Run(")),
        Language::Java => annotated_test(lines, index),
        Language::Ruby => ["it ", "specify ", "scenario ", "test "]
            .iter()
            .find(|word| code.trim_start().starts_with(**word))
            .and_then(|_| quoted(text))
            .or_else(|| prefixed(code, "def ", "test_")),
        Language::Php => prefixed(code, "function ", "test")
            .or_else(|| ["it(", "test("].iter().find_map(|call| named_call(text, code, call)))
            .or_else(|| if code.trim() == "#[Test]" { defined_below(lines, index) } else { None }),
        Language::Swift => prefixed(code, "func ", "test")
            .or_else(|| if find_word(code, "@Test").is_some() { defined_below(lines, index) } else { None }),
        Language::Shell => {
            let bats = if code.trim_start().starts_with("@test ") { quoted(text) } else { None };
            let name =
                code.trim_start().trim_start_matches("function ").split('(').next().unwrap_or_default();
            let function = name.starts_with("test") && code.contains("()");
            bats.or_else(|| function.then(|| name.to_owned()))
        }
    }
}

/// A function whose name begins with `start`.
fn prefixed(code: &str, word: &str, start: &str) -> Option<String> {
    let at = find_word(code, word.trim_end())?;
    let rest = code.get(at + word.len()..)?;
    let name = &rest[..rest.bytes().take_while(|byte| is_word(*byte)).count()];
    name.starts_with(start).then(|| name.to_owned())
}

/// The first string of a line that calls `call`.
fn named_call(text: &str, code: &str, call: &str) -> Option<String> {
    let at = find_word(code, call.trim_end_matches('('))?;
    code[at..].starts_with(call).then(|| quoted(text.get(at..).unwrap_or_default())).flatten()
}

/// What the first quotes of a text hold.
fn quoted(text: &str) -> Option<String> {
    let open = text.find(['"', '\'', '`'])?;
    let quote = char::from(text.as_bytes()[open]);
    let rest = &text[open + 1..];
    Some(rest.split(quote).next().unwrap_or(rest).to_owned())
}

/// The function that follows an attribute or an annotation.
fn defined_below(lines: &BothLines<'_>, index: usize) -> Option<String> {
    lines[index..].iter().take(12).find_map(|(_, code)| defined(code).map(str::to_owned))
}

/// An attribute whose last part is `test` is one, and so is each case of a table in attributes.
fn rust_test(lines: &BothLines<'_>, index: usize) -> Option<String> {
    let (text, code) = lines[index];
    let attribute = code.trim_start().strip_prefix("#[")?;
    let path = attribute.split([']', '(', ' ', ',']).next()?;
    let last = path.rsplit("::").next()?;
    if matches!(last, "case" | "test_case") {
        return Some(text.trim().to_owned());
    }
    matches!(last, "test" | "rstest" | "quickcheck" | "wasm_bindgen_test")
        .then(|| defined_below(lines, index))
        .flatten()
}

/// `it`, `test` and their like, with what is written behind a dot.
fn script_test(text: &str, code: &str) -> Option<String> {
    const MODIFIERS: [&str; 13] = [
        "",
        "only",
        "skip",
        "each",
        "concurrent",
        "failing",
        "fails",
        "todo",
        "sequential",
        "fixme",
        "skipIf",
        "runIf",
        "for",
    ];
    let names = ["it", "test", "specify", "xit", "fit", "xtest", "Deno.test"];
    let (at, name) = names.iter().find_map(|name| Some((find_call(code, name)?, name)))?;
    let rest = &code[at + name.len()..];
    let modifiers = rest.split(['(', '`', '<']).next()?.trim();
    if !modifiers.split('.').all(|modifier| MODIFIERS.contains(&modifier)) {
        return None;
    }
    let rest = text.get(at + name.len()..)?;
    let direct = rest.split_once('(').map(|(_, inner)| inner.trim_start());
    let direct = direct.filter(|inner| inner.starts_with(['"', '\'', '`']));
    let behind_table = || rest.split_once(")(").map(|(_, inner)| inner.trim_start());
    let named = direct.or_else(behind_table).and_then(quoted);
    Some(named.unwrap_or_else(|| text.trim().to_owned()))
}

/// A method below an annotation of Java, Kotlin or C#; a row of a table is a test too.
fn annotated_test(lines: &BothLines<'_>, index: usize) -> Option<String> {
    const MARKS: [&str; 7] =
        ["Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "Fact", "Theory", "TestMethod"];
    let (text, code) = lines[index];
    let mark = code.trim_start();
    let name = mark.strip_prefix(['@', '['])?;
    let name = &name[..name.bytes().take_while(|byte| is_word(*byte)).count()];
    if matches!(name, "InlineData" | "TestCase" | "DataRow") {
        return Some(text.trim().to_owned());
    }
    if !MARKS.contains(&name) {
        return None;
    }
    let is_method = |(text, code): &(&str, &str)| {
        let code = code.trim();
        let code = code.strip_prefix("@Test").unwrap_or(code).trim_start();
        if code.starts_with(['@', '[']) {
            return None;
        }
        if let Some(kotlin) = text.split('`').nth(1) {
            return Some(kotlin.to_owned());
        }
        let before = code.split('(').next().filter(|before| before.len() < code.len())?;
        before.split_whitespace().last().map(str::to_owned)
    };
    lines[index..].iter().take(12).find_map(is_method)
}
