//! What a test demands: its assertions, whether one always holds, and whether one demands less than another.

use super::language::Language;
use super::masked::is_word;
use super::source::SourceLine;

/// One assertion, with everything in its brackets.
#[derive(Clone)]
pub(super) struct Assertion<'t> {
    /// 1-based line in which it begins.
    pub(super) number: u32,
    /// That line.
    pub(super) text: &'t str,
    /// All of it, without blanks.
    pub(super) whole: String,
}

/// An assertion over more lines than this is read as far as that.
const LONGEST: usize = 40;

/// The assertions in these lines.
pub(super) fn assertions<'t>(lines: &[SourceLine<'t>], language: Language) -> Vec<Assertion<'t>> {
    let mut found = Vec::new();
    let mut index = 0;
    while let Some(line) = lines.get(index) {
        let length = if demands(&line.code, language) { statement(&lines[index..]) } else { 0 };
        if length > 0 {
            let whole: String =
                lines[index..index + length].iter().map(|line| without_blanks(line.text)).collect();
            found.push(Assertion { number: line.number, text: line.text, whole });
        }
        index += length.max(1);
    }
    found
}

/// How many lines the statement has that begins in the first one.
fn statement(lines: &[SourceLine<'_>]) -> usize {
    let mut open = 0_i32;
    for (index, line) in lines.iter().take(LONGEST).enumerate() {
        for byte in line.code.bytes() {
            open += match byte {
                b'(' | b'[' | b'{' => 1,
                b')' | b']' | b'}' => -1,
                _ => 0,
            };
        }
        let goes_on = lines.get(index + 1).is_some_and(|next| next.code.starts_with('.'));
        if open <= 0 && !goes_on {
            return index + 1;
        }
    }
    1
}

pub(super) fn without_blanks(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut kept = String::with_capacity(text.len());
    for (index, letter) in text.char_indices() {
        let around = [
            index.checked_sub(1).map(|before| text.as_bytes()[before]),
            text.as_bytes().get(index + 1).copied(),
        ];
        // A blank between two words is more than layout.
        if letter != ' ' || around.iter().all(|byte| byte.is_some_and(is_word)) {
            kept.push(letter);
        }
    }
    kept
}

/// Whether a line of code demands something.
pub(super) fn demands(code: &str, language: Language) -> bool {
    if language == Language::Shell {
        let words = ["[ ", "[[ ", "assert", "grep ", "diff ", "cmp ", "test ", "refute"];
        return words.iter().any(|word| code.starts_with(word) || code.contains(&format!("| {word}")));
    }
    if language == Language::Rust && code.starts_with("#[should_panic") {
        return true;
    }
    if language == Language::Go
        && ["Error(", "Errorf(", "Fatal(", "Fatalf(", "Fail("]
            .iter()
            .any(|call| code.contains(&format!("t.{call}")) || code.contains(&format!("tb.{call}")))
    {
        return true;
    }
    words(code).any(|(word, next)| {
        let lower = word.to_ascii_lowercase();
        let starts = ["assert", "expect", "refute", "xctassert", "xctfail", "prop_assert", "debug_assert"];
        let named = starts.iter().any(|start| lower.starts_with(start));
        let by_language = match language {
            Language::Go => lower == "require",
            Language::Java => lower == "verify" || lower == "should" || lower == "shouldbe",
            Language::Python => lower == "raises",
            Language::Ruby | Language::Script => lower == "should" || lower.starts_with("must_"),
            Language::Swift => lower == "require" && code.contains("#require"),
            _ => false,
        };
        // In Rust, `expect` takes a value out.
        let named = named && !(language == Language::Rust && lower.starts_with("expect"));
        let is_statement = language == Language::Python && word == "assert";
        let called = matches!(next, Some(b'(' | b'!' | b'.' | b'<')) || language == Language::Ruby;
        by_language || (named && (is_statement || called))
    })
}

/// The words of a line, each with the byte behind it.
fn words(code: &str) -> impl Iterator<Item = (&str, Option<u8>)> {
    let bytes = code.as_bytes();
    let starts = move |at: &usize| {
        is_word(bytes[*at]) && at.checked_sub(1).is_none_or(|before| !is_word(bytes[before]))
    };
    (0..bytes.len()).filter(starts).map(move |at| {
        let end = at + bytes[at..].iter().take_while(|byte| is_word(**byte)).count();
        (&code[at..end], bytes.get(end).copied())
    })
}

/// Whether an assertion holds whatever the code does.
pub(super) fn always_holds(assertion: &Assertion<'_>) -> bool {
    let whole = assertion.whole.trim_end_matches([';', ',']);
    if let Some(stated) = whole.strip_prefix("assert ").or_else(|| whole.strip_prefix("assert(")) {
        let stated = if whole.starts_with("assert(") { stated.trim_end_matches(')') } else { stated };
        let condition = parts(stated);
        // In Python, a tuple is true whatever is in it.
        let is_tuple =
            whole.starts_with("assert(") && condition.len() > 1 && assertion.text.starts_with("assert (");
        return is_tuple || condition.first().is_some_and(|condition| is_true(condition));
    }
    let Some((name, inner)) = call(whole) else { return false };
    let lower = name.rsplit(['.', ':']).next().unwrap_or(name).trim_end_matches('!').to_ascii_lowercase();
    let mut arguments = parts(inner);
    if arguments.first().is_some_and(|first| matches!(*first, "t" | "$this")) {
        arguments.remove(0);
    }
    let first = arguments.first().copied().unwrap_or_default();
    if lower == "expect" {
        return expectation_holds(first, whole);
    }
    let pair = arguments.get(1).is_some_and(|second| *second == first) && !first.is_empty();
    if lower.contains("false") {
        matches!(first, "false" | "False")
    } else if ["eq", "same", "is"].iter().any(|word| lower.contains(word)) && !lower.contains("true") && pair
    {
        !lower.contains("not") && !lower.contains("ne")
    } else if [
        "assert",
        "assert_true",
        "asserttrue",
        "xctassert",
        "xctasserttrue",
        "ok",
        "true",
        "istrue",
        "prop_assert",
        "debug_assert",
    ]
    .contains(&&*lower)
    {
        is_true(first)
    } else {
        false
    }
}

/// `expect(a).toBe(a)` and what is as hollow.
fn expectation_holds(actual: &str, whole: &str) -> bool {
    let Some((_, matcher)) = whole.rsplit_once(").") else { return is_true(actual) };
    let Some((name, expected)) = call(matcher) else { return false };
    let negated = whole.contains(").not.");
    let is_length = actual.ends_with(".length") || actual.contains("len(");
    let equal =
        matches!(name, "toBe" | "toEqual" | "toStrictEqual" | "eq" | "eql" | "equal" | "to.equal" | "to.be");
    (equal && actual == expected && !negated)
        || (is_literal(actual) && matches!(name, "toBeTruthy" | "toBeDefined") && !negated)
        || (is_length && name == "toBeGreaterThanOrEqual" && expected == "0")
}

fn is_literal(text: &str) -> bool {
    let quoted = text.len() > 2 && text.starts_with(['"', '\'']) && text.ends_with(['"', '\'']);
    let number = text.parse::<f64>().is_ok_and(|number| number != 0.0);
    quoted || number || matches!(text, "true" | "True")
}

/// Whether a condition is true whatever the names in it mean.
fn is_true(condition: &str) -> bool {
    let condition =
        condition.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(condition);
    let alternatives = condition.split("||").flat_map(|part| part.split(" or ")).map(str::trim);
    let holds = |part: &str| {
        let same = ["===", "==", " is "].iter().any(|sign| {
            part.split_once(sign).is_some_and(|(left, right)| !left.is_empty() && left.trim() == right.trim())
        });
        let length = part.contains("len(") || part.contains(".length") || part.contains(".len");
        same || is_literal(part)
            || matches!(part, "!false" | "not False" | "!0")
            || (length && part.trim_end_matches(' ').ends_with(">=0"))
    };
    let parts: Vec<&str> = alternatives.collect();
    let opposite = |part: &str| {
        let other = if part.contains("is_ok()") {
            part.replace("is_ok()", "is_err()")
        } else {
            part.replace("is_some()", "is_none()")
        };
        other != part && parts.contains(&&*other)
    };
    parts.iter().any(|part| holds(part) || opposite(part))
}

/// The first call of a statement: its name, and what is in its brackets.
fn call(whole: &str) -> Option<(&str, &str)> {
    let open = whole.find('(')?;
    let from = whole[..open].rfind(|letter: char| !(letter.is_alphanumeric() || "_.!:$>-".contains(letter)));
    let from = from.map_or(0, |from| from + whole[from..].chars().next().map_or(1, char::len_utf8));
    let name = &whole[from..open];
    let mut depth = 0_i32;
    let close = whole[open..].char_indices().find(|(_, letter)| {
        depth += match letter {
            '(' | '[' | '{' => 1,
            ')' | ']' | '}' => -1,
            _ => 0,
        };
        depth == 0
    });
    let close = close.map_or(whole.len(), |(at, _)| open + at);
    Some((name, whole.get(open + 1..close).unwrap_or_default()))
}

/// What commas outside of brackets and quotes part.
fn parts(inner: &str) -> Vec<&str> {
    let (mut depth, mut from, mut found, mut quote) = (0_i32, 0, Vec::new(), None);
    for (at, letter) in inner.char_indices() {
        match (quote, letter) {
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => {
                found.push(inner[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(inner[from..].trim());
    found
}

/// Whether `new` demands less than `old`, which it replaces.
pub(super) fn demands_less(old: &str, new: &str) -> bool {
    let waits = |text: &str| text.starts_with("await ") || text.starts_with("return ");
    is_weaker_kind(old, new)
        || has_wider_number(old, new)
        || lost_its_reason(old, new)
        || (waits(old) && old.ends_with(new))
}

/// That something is there, in place of what it is.
fn is_weaker_kind(old: &str, new: &str) -> bool {
    const EXACT: [&str; 14] = [
        "toBe(",
        "toEqual(",
        "toStrictEqual(",
        "assert_eq!(",
        "assertEqual",
        "assertSame(",
        "==",
        "toHaveLength(",
        "strictEqual(",
        "deepEqual(",
        "Equal(",
        "toMatchObject(",
        "AreEqual(",
        ".to eq",
    ];
    const WEAK: [&str; 27] = [
        "toBeDefined(",
        "toBeTruthy(",
        "not.toBeNull(",
        "not.toBeUndefined(",
        "assertIsNotNone(",
        "is not None",
        "assertNotNull(",
        "is_ok()",
        "is_some()",
        "assert_ne!(",
        "not.toThrow(",
        "toBeInstanceOf(",
        "isinstance(",
        "assertNotNil",
        "NotNil(",
        "NotEmpty(",
        "expect.anything()",
        "expect.any(",
        "mock.ANY",
        "assertIsInstance(",
        "assertIn(",
        "toContain(",
        "assertNotEqual(",
        ">=",
        "be_truthy",
        "not_to be_nil",
        "typeof",
    ];
    let old_is_exact =
        EXACT.iter().any(|word| old.contains(word)) && !WEAK.iter().any(|word| old.contains(word));
    // Equal to true is no more than true.
    let is_truth = ["true", "True", "Ok(())", "null)", "None)"].iter().any(|word| old.contains(word));
    let weak = WEAK.iter().any(|word| new.contains(word));
    let keeps =
        EXACT.iter().any(|word| new.contains(word)) && !new.contains("expect.any") && !new.contains("ANY");
    old_is_exact && !is_truth && weak && !keeps
}

/// A tolerance or a bound that lets more through. Everything but the numbers is the same.
fn has_wider_number(old: &str, new: &str) -> bool {
    const LOWEST: [&str; 6] =
        ["toBeCloseTo(", "places=", "decimal=", "toBeGreaterThan", "assertGreater", "isAtLeast("];
    const HIGHEST: [&str; 15] = [
        "abs=",
        "rel=",
        "delta",
        "epsilon",
        "EPSILON",
        "tolerance",
        "atol",
        "rtol",
        "InDelta(",
        "InEpsilon(",
        "within(",
        "toBeLessThan",
        "assertLess",
        "accuracy",
        "isAtMost(",
    ];
    let ((old_words, old_numbers), (new_words, new_numbers)) = (numbers(old), numbers(new));
    if old_words != new_words || old_numbers.len() != new_numbers.len() {
        return false;
    }
    let any = |words: &[&str]| words.iter().any(|word| old.contains(word));
    let arrowless = old_words.replace("=>", "").replace("->", "");
    let is_bound =
        |sign: &str| arrowless.contains(&format!("{sign}0")) || arrowless.contains(&format!("{sign}=0"));
    let mut pairs = old_numbers.iter().zip(&new_numbers);
    if any(&HIGHEST) || is_bound("<") {
        pairs.any(|(old, new)| new > old)
    } else {
        (any(&LOWEST) || is_bound(">") || any(&["AlmostEqual("])) && pairs.any(|(old, new)| new < old)
    }
}

/// A text with `0` for each number, and the numbers.
pub(super) fn numbers(text: &str) -> (String, Vec<f64>) {
    let (mut words, mut found) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let is_new = !words.ends_with(|last: char| last.is_alphanumeric() || last == '_');
        if letter.is_ascii_digit() && is_new {
            let end = rest
                .find(|letter: char| !(letter.is_ascii_alphanumeric() || "._".contains(letter)))
                .unwrap_or(rest.len());
            // `1e-6` is one number.
            let end = if rest[..end].ends_with(['e', 'E']) && rest[end..].starts_with('-') {
                let more = rest[end + 1..].find(|letter: char| !letter.is_ascii_digit());
                more.map_or(rest.len(), |more| end + 1 + more)
            } else {
                end
            };
            let (number, rest_of) = rest.split_at(end);
            let plain: String =
                number.trim_end_matches('.').chars().filter(|letter| *letter != '_').collect();
            let plain = plain.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
            found.push(plain.parse().unwrap_or(0.0));
            words.push('0');
            rest = rest_of;
        } else {
            words.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    (words, found)
}

/// An error of any kind, in place of a certain one.
fn lost_its_reason(old: &str, new: &str) -> bool {
    let bare = [
        "toThrow()",
        "toThrowError()",
        "#[should_panic]",
        "raises(Exception)",
        "assertRaises(Exception",
        "raise_error",
        "assertThrows(Exception.class",
        "Throws<Exception>",
    ];
    let lost = bare.iter().any(|word| new.contains(word) && !old.contains(word));
    let kind = ["toThrow", "should_panic", "raises", "Raises", "raise_error", "hrows"];
    lost && kind.iter().any(|word| old.contains(word))
        && !new.contains("raise_error(")
        && !new.contains("match=")
}
