//! Licence expressions of SPDX: `MIT OR Apache-2.0`, `(A OR B) AND C`, `Apache-2.0 WITH LLVM-exception`.

use std::fmt;
use std::iter::Peekable;
use std::str::SplitWhitespace;

/// What an expression says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Licence {
    /// One licence, with its exception if it has one.
    Named(String),
    /// All of them hold.
    All(Vec<Licence>),
    /// The one who uses it chooses.
    Any(Vec<Licence>),
}

impl Licence {
    /// Reads an expression; none when it is not one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        // Cargo once allowed a slash for OR.
        let spaced = text.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
        let mut words = spaced.split_whitespace().peekable();
        let parsed = any(&mut words)?;
        words.next().is_none().then_some(parsed)
    }

    /// The licences to follow, the first of `preferred` where there is a choice. None when one that is needed is not in the list.
    pub(crate) fn chosen(&self, preferred: &[String]) -> Option<Vec<String>> {
        match self {
            Self::Named(name) => preferred.contains(name).then(|| vec![name.clone()]),
            Self::All(parts) => {
                let parts: Option<Vec<_>> = parts.iter().map(|part| part.chosen(preferred)).collect();
                Some(parts?.concat())
            }
            Self::Any(parts) => {
                let possible = parts.iter().filter_map(|part| part.chosen(preferred));
                possible.min_by_key(|names| worst(names, preferred))
            }
        }
    }
}

impl fmt::Display for Licence {
    /// One way of writing for one meaning: what is a choice is sorted.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |parts: &[Self]| -> Vec<String> {
            let within = |part: &Self| match part {
                Self::Any(_) => format!("({part})"),
                _ => part.to_string(),
            };
            parts.iter().map(within).collect()
        };
        match self {
            Self::Named(name) => f.write_str(name),
            Self::All(parts) => f.write_str(&told(parts).join(" AND ")),
            Self::Any(parts) => {
                let mut names = told(parts);
                names.sort();
                f.write_str(&names.join(" OR "))
            }
        }
    }
}

/// The place of the least preferred of `names`.
fn worst(names: &[String], preferred: &[String]) -> Option<usize> {
    names.iter().filter_map(|name| preferred.iter().position(|other| other == name)).max()
}

type Words<'a> = Peekable<SplitWhitespace<'a>>;

fn any(words: &mut Words<'_>) -> Option<Licence> {
    joined(words, "OR", all, Licence::Any)
}

fn all(words: &mut Words<'_>) -> Option<Licence> {
    joined(words, "AND", one, Licence::All)
}

fn joined(
    words: &mut Words<'_>,
    by: &str,
    part: fn(&mut Words<'_>) -> Option<Licence>,
    join: fn(Vec<Licence>) -> Licence,
) -> Option<Licence> {
    let mut parts = vec![part(words)?];
    while words.next_if_eq(&by).is_some() {
        parts.push(part(words)?);
    }
    if parts.len() > 1 { Some(join(parts)) } else { parts.pop() }
}

fn one(words: &mut Words<'_>) -> Option<Licence> {
    match words.next()? {
        "(" => {
            let inside = any(words)?;
            words.next_if_eq(&")")?;
            Some(inside)
        }
        ")" | "OR" | "AND" | "WITH" => None,
        name if words.next_if_eq(&"WITH").is_some() => {
            Some(Licence::Named(format!("{name} WITH {}", words.next()?)))
        }
        name => Some(Licence::Named(name.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(text: &str) -> Option<String> {
        let preferred = ["Apache-2.0", "Apache-2.0 WITH LLVM-exception", "MIT", "Unicode-3.0"];
        let preferred: Vec<String> = preferred.map(str::to_owned).into();
        Some(Licence::parse(text)?.chosen(&preferred)?.join(" + "))
    }

    #[test]
    fn a_choice_takes_what_is_preferred_and_possible() {
        let cases = [
            ("MIT", Some("MIT")),
            ("MIT OR Apache-2.0", Some("Apache-2.0")),
            ("MIT/Apache-2.0", Some("Apache-2.0")),
            ("GPL-3.0 OR MIT", Some("MIT")),
            ("GPL-3.0 AND MIT", None),
            ("GPL-3.0", None),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", Some("Apache-2.0 + Unicode-3.0")),
            ("Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT", Some("Apache-2.0")),
            ("Apache-2.0 WITH Other-exception", None),
        ];
        for (text, expected) in cases {
            assert_eq!(chosen(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn one_meaning_is_written_in_one_way() {
        let cases = [
            ("MIT/Apache-2.0", "Apache-2.0 OR MIT"),
            ("Apache-2.0 / MIT", "Apache-2.0 OR MIT"),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", "(Apache-2.0 OR MIT) AND Unicode-3.0"),
            ("Zlib OR Apache-2.0 WITH LLVM-exception", "Apache-2.0 WITH LLVM-exception OR Zlib"),
        ];
        for (text, expected) in cases {
            assert_eq!(Licence::parse(text).map(|licence| licence.to_string()).as_deref(), Some(expected));
        }
    }

    #[test]
    fn what_is_no_expression_is_none() {
        for text in ["", "OR", "MIT OR", "(MIT", "MIT)", "MIT Apache-2.0", "SEE LICENSE IN FILE", "MIT WITH"]
        {
            assert_eq!(Licence::parse(text), None, "{text}");
        }
    }
}
