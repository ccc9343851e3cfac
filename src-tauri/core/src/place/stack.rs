//! Places in the text of a test, in the forms that common languages' tools write.

use super::{TextPlace, number};

/// Most places listed of one text.
const MOST: usize = 200;
/// Longer words are not paths.
const LONGEST: usize = 1_000;
/// URL prefixes for files of the project.
const FILE_ADDRESSES: [&str; 4] = ["file://", "webpack-internal:///", "webpack:///", "vite-node:///"];

/// Every place in `text`, in order and without overlaps.
///
/// Known forms are `path:line[:column]` (JavaScript, Rust, Go, Ruby, C, Java, …), `path(line[,column])`
/// (TypeScript, C#, PHP), `"path", line n` (Python), `path:line n` (C#) and `path line n`, `path on line n`
/// (Perl, PHP).
#[must_use]
pub fn places_in(text: &str) -> Vec<TextPlace> {
    let mut found = Vec::new();
    let mut units = Units { text, at: 0, units: 0 };
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let mut from = 0;
        while let Some(seen) = next_in(line, from) {
            if found.len() == MOST {
                return found;
            }
            from = seen.end;
            found.push(TextPlace {
                start: units.count_to(line_start + seen.start),
                end: units.count_to(line_start + seen.end),
                file: seen.file,
                line: seen.line,
                column: seen.column,
            });
        }
        line_start += line.len();
    }
    found
}

/// Converts byte positions to UTF-16 units; queried in ascending order.
struct Units<'t> {
    text: &'t str,
    at: usize,
    units: usize,
}

impl Units<'_> {
    fn count_to(&mut self, byte: usize) -> u32 {
        self.units += self.text[self.at..byte].chars().map(char::len_utf16).sum::<usize>();
        self.at = byte;
        u32::try_from(self.units).unwrap_or(u32::MAX)
    }
}

/// A place within one line, in bytes.
struct SeenPlace {
    start: usize,
    end: usize,
    file: String,
    line: u32,
    column: Option<u32>,
}

/// The first place in `line` from the byte `from` on.
fn next_in(line: &str, from: usize) -> Option<SeenPlace> {
    let mut at = from;
    while at < line.len() {
        let rest = &line[at..];
        let skipped = rest.len() - rest.trim_start_matches(separates).len();
        let quoted = skipped > 0 && rest[..skipped].ends_with(['"', '\'']);
        let start = at + skipped;
        let word = if quoted {
            let quote = &line[start - 1..start];
            quoted_path(line, start, quote).or_else(|| seen_at(line, start))
        } else {
            seen_at(line, start)
        };
        if word.is_some() {
            return word;
        }
        at = start + word_end(&line[start..]);
    }
    None
}

/// `"path with spaces.py", line 12`: only the text after the quote makes it a place.
fn quoted_path(line: &str, start: usize, quote: &str) -> Option<SeenPlace> {
    let path = &line[start..start + line[start..].find(quote)?];
    let after = start + path.len() + quote.len();
    let behind = line[after..].strip_prefix(", line ").or_else(|| line[after..].strip_prefix(" line "))?;
    let digits = leading_digits(behind);
    let known = path.len() <= LONGEST && !path.is_empty() && !path.starts_with('<');
    let end = line.len() - behind.len() + digits.len();
    known.then_some(())?;
    Some(SeenPlace { start, end, file: path.to_owned(), line: number(digits)?, column: None })
}

/// The place formed by the word at `start`.
fn seen_at(line: &str, start: usize) -> Option<SeenPlace> {
    let word = &line[start..start + word_end(&line[start..])];
    if word.len() > LONGEST {
        return None;
    }
    let (address, path) = without_address(word)?;
    let start = start + address.len();
    with_numbers(line, start, path).or_else(|| with_behind(line, start, path)).map(|seen| SeenPlace {
        file: if address == "file://" { decoded(&seen.file) } else { seen.file },
        ..seen
    })
}

/// `path:12:5`, possibly followed by `:` and more (`app.rb:12:in 'call'`).
fn with_numbers(line: &str, start: usize, word: &str) -> Option<SeenPlace> {
    let colon = word.match_indices(':').map(|(at, _)| at).find(|at| is_file(&word[..*at]))?;
    let behind = &word[colon + 1..];
    let digits = leading_digits(behind);
    // C#: `Cart.cs:line 12`
    if behind == "line" {
        let said = line[start + word.len()..].strip_prefix(' ').map(leading_digits)?;
        let end = start + word.len() + 1 + said.len();
        return Some(SeenPlace {
            start,
            end,
            file: word[..colon].to_owned(),
            line: number(said)?,
            column: None,
        });
    }
    let row = number(digits)?;
    let more = &behind[digits.len()..];
    if !(more.is_empty() || more.starts_with(':')) {
        return None;
    }
    let second = more.strip_prefix(':').map(leading_digits).filter(|second| {
        let after = &more[1 + second.len()..];
        after.is_empty() || after.starts_with(':')
    });
    let column = second.and_then(number);
    let length = colon + 1 + digits.len() + if column.is_some() { 1 + second.map_or(0, str::len) } else { 0 };
    Some(SeenPlace { start, end: start + length, file: word[..colon].to_owned(), line: row, column })
}

/// `path(12,5)`, `path(12)`, `path line 12`, `path on line 12`.
fn with_behind(line: &str, start: usize, word: &str) -> Option<SeenPlace> {
    if !is_file(word) {
        return None;
    }
    let after = start + word.len();
    let behind = &line[after..];
    let file = word.to_owned();
    if let Some(inside) = behind.strip_prefix('(') {
        let inside = &inside[..inside.find(')')?];
        let (row, column) =
            inside.split_once(',').map_or((inside, None), |(row, column)| (row, Some(column)));
        let column = match column {
            Some(column) => Some(number(column.trim())?),
            None => None,
        };
        let end = after + inside.len() + 2;
        return Some(SeenPlace { start, end, file, line: number(row)?, column });
    }
    let said = behind.strip_prefix(" on line ").or_else(|| behind.strip_prefix(" line "))?;
    let digits = leading_digits(said);
    let end = line.len() - said.len() + digits.len();
    Some(SeenPlace { start, end, file, line: number(digits)?, column: None })
}

/// URL prefix and path of a word; none for a URL that is not a file of the project.
fn without_address(word: &str) -> Option<(&str, &str)> {
    for address in FILE_ADDRESSES {
        if let Some(path) = word.strip_prefix(address) {
            return Some((address, path));
        }
    }
    (!word.contains("://")).then_some(("", word))
}

/// A path that ends in `.ending`: a name, a dot, a letter and at most seven more.
fn is_file(path: &str) -> bool {
    let Some((before, ending)) = path.rsplit_once('.') else { return false };
    let named = before.chars().next_back().is_some_and(|last| !matches!(last, '.' | '/' | '\\' | ':'));
    let word = ending.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    named && word && ending.len() <= 8 && ending.starts_with(|first: char| first.is_ascii_alphabetic())
}

fn separates(letter: char) -> bool {
    letter.is_whitespace() || "()[]{}\"'`<>,;|".contains(letter)
}

fn word_end(text: &str) -> usize {
    text.find(separates).unwrap_or(text.len())
}

fn leading_digits(text: &str) -> &str {
    &text[..text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len())]
}

/// Decodes `%20` and the like; sequences that are not text stay unchanged.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, others @ ..] = rest {
        let escaped = (*first == b'%').then(|| others.get(..2)).flatten();
        let byte = escaped.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &others[2..] } else { others };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The text of the span, and the place.
    fn seen(text: &str) -> Vec<(String, String, u32, Option<u32>)> {
        let units: Vec<u16> = text.encode_utf16().collect();
        let spans = places_in(text).into_iter().map(|place| {
            let covered = String::from_utf16_lossy(&units[place.start as usize..place.end as usize]);
            (covered, place.file, place.line, place.column)
        });
        spans.collect()
    }

    #[test]
    fn the_tools_of_common_languages_are_understood() {
        for (text, span, file, line, column) in [
            (
                "    at check (src/a/case_3.spec.ts:7:11)",
                "src/a/case_3.spec.ts:7:11",
                "src/a/case_3.spec.ts",
                7,
                Some(11),
            ),
            (
                "at file:///home/ana/my%20shop/a.mjs:3:9",
                "/home/ana/my%20shop/a.mjs:3:9",
                "/home/ana/my shop/a.mjs",
                3,
                Some(9),
            ),
            ("at webpack-internal:///./src/x.js:12:1", "./src/x.js:12:1", "./src/x.js", 12, Some(1)),
            ("thread 'main' panicked at src/main.rs:12:5:", "src/main.rs:12:5", "src/main.rs", 12, Some(5)),
            ("  --> src/lib.rs:3:1", "src/lib.rs:3:1", "src/lib.rs", 3, Some(1)),
            ("\t/go/src/shop/cart.go:88 +0x1d", "/go/src/shop/cart.go:88", "/go/src/shop/cart.go", 88, None),
            ("app/cart.rb:12:in 'Cart#add'", "app/cart.rb:12", "app/cart.rb", 12, None),
            ("error in src/main.c:4:", "src/main.c:4", "src/main.c", 4, None),
            ("at shop.Cart.add(Cart.java:31)", "Cart.java:31", "Cart.java", 31, None),
            (
                "  File \"/srv/my shop/cart.py\", line 31, in add",
                "/srv/my shop/cart.py\", line 31",
                "/srv/my shop/cart.py",
                31,
                None,
            ),
            (
                "tests/test_cart.py:12: AssertionError",
                "tests/test_cart.py:12",
                "tests/test_cart.py",
                12,
                None,
            ),
            (
                "   at Shop.Cart.Add() in /src/Cart.cs:line 42",
                "/src/Cart.cs:line 42",
                "/src/Cart.cs",
                42,
                None,
            ),
            ("src/app.ts(12,5): error TS2304", "src/app.ts(12,5)", "src/app.ts", 12, Some(5)),
            ("#0 /var/www/cart.php(31): add()", "/var/www/cart.php(31)", "/var/www/cart.php", 31, None),
            ("in /var/www/cart.php on line 7", "/var/www/cart.php on line 7", "/var/www/cart.php", 7, None),
            ("Died at lib/Cart.pm line 9.", "lib/Cart.pm line 9", "lib/Cart.pm", 9, None),
            ("File \"C:\\work\\app.py:12\"", "C:\\work\\app.py:12", "C:\\work\\app.py", 12, None),
            ("𝔸 größe/ä.rs:2:1", "größe/ä.rs:2:1", "größe/ä.rs", 2, Some(1)),
        ] {
            let expected = vec![(span.to_owned(), file.to_owned(), line, column)];
            assert_eq!(seen(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_place_is_none() {
        for text in [
            "expected 12.5:30 to be 3",
            "see https://example.org/page.html:80:1",
            "left: Ok(Claims { sub: 1 })",
            "http://localhost:5173/src/app.ts:3:4",
            "at native code",
            "File \"<string>\", line 1",
            "12:30:45.678Z",
            "a.ts:",
            "a.ts:12x",
            "a.ts(x)",
            "127.0.0.1:8080",
        ] {
            assert_eq!(seen(text), [], "{text}");
        }
    }

    #[test]
    fn many_places_are_cut() {
        assert_eq!(places_in(&"src/a.ts:1:2\n".repeat(MOST + 5)).len(), MOST);
    }

    proptest! {
        #[test]
        fn spans_lie_in_the_text_one_behind_the_other(
            words in proptest::collection::vec(
                prop_oneof![
                    "[ \\t\\n(){}\"'.:,/a-cä𝔸0-9]{0,6}",
                    proptest::sample::select(vec!["src/ä.ts:1:2", "\"a b.py\", line 3", "x.cs:line 4", "(a.ts(1,2)", "%f", "file://"]).prop_map(String::from),
                ],
                0..12,
            )
        ) {
            let text = words.concat();
            let length = text.encode_utf16().count();
            let mut end = 0;
            for place in places_in(&text) {
                prop_assert!(place.start as usize >= end && place.start < place.end);
                end = place.end as usize;
                prop_assert!(end <= length && !place.file.is_empty() && !place.file.contains('\n'));
            }
        }
    }
}
