//! Whether two written paths are the same file, and whether a text mentions a file: by the last part of its
//! path, provided that is not part of a longer name in the text.

/// The last part of a path, with any separators.
#[must_use]
pub fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// A canonical spelling for the path of a file: `./src\\a.ts` and `src/a.ts` are the same file.
#[must_use]
pub fn same_path(file: &str) -> String {
    let slashed = file.trim().replace('\\', "/");
    let parts = slashed.split('/').enumerate().filter(|(place, part)| match *part {
        "" => *place == 0, // the root
        part => part != ".",
    });
    parts.map(|(_, part)| part).collect::<Vec<_>>().join("/")
}

/// Whether `text` mentions the file at `path`.
#[must_use]
pub fn mentions(text: &str, path: &str) -> bool {
    !Names::new([base_name(path)]).in_text(text).is_empty()
}

/// Names to search for together, in one pass over a text however many there are.
#[derive(Debug, Default)]
pub struct Names<'n> {
    sorted: Vec<&'n str>,
    /// For each name, the longest other name that is a prefix of it.
    shorter: Vec<Option<usize>>,
}

impl<'n> Names<'n> {
    /// Base names of files; empty ones are never found.
    #[must_use]
    pub fn new(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut sorted: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let mut shorter: Vec<Option<usize>> = Vec::with_capacity(sorted.len());
        for at in 0..sorted.len() {
            let begun = beginning(sorted[at], at.checked_sub(1), &sorted, &shorter);
            shorter.push(begun);
        }
        Self { sorted, shorter }
    }

    /// The index of a name.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        self.sorted.binary_search(&name).ok()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// Indices of the names that occur in `text`, each once, in no particular order.
    #[must_use]
    pub fn in_text(&self, text: &str) -> Vec<usize> {
        let mut found = Vec::new();
        let mut within = false;
        for (at, letter) in text.char_indices() {
            if !within {
                self.at_start(&text[at..], &mut found);
            }
            within = is_of_name(letter) || letter == '.';
        }
        found
    }

    /// The names that are prefixes of `rest`.
    fn at_start(&self, rest: &str, found: &mut Vec<usize>) {
        let last = self.sorted.partition_point(|name| *name <= rest).checked_sub(1);
        let mut next = beginning(rest, last, &self.sorted, &self.shorter);
        while let Some(at) = next {
            let ends = !rest[self.sorted[at].len()..].starts_with(is_of_name);
            if ends && !found.contains(&at) {
                found.push(at);
            }
            next = self.shorter[at];
        }
    }
}

/// The longest name that is a prefix of `text`. Every name that sorts between it and `text` starts with it
/// too, so it is a prefix of the name sorted just before `text`.
fn beginning(text: &str, before: Option<usize>, sorted: &[&str], shorter: &[Option<usize>]) -> Option<usize> {
    let mut next = before;
    while let Some(at) = next.filter(|at| !text.starts_with(sorted[*at])) {
        next = shorter[at];
    }
    next
}

/// After a name, these continue it; a dot may end a sentence.
fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_names_a_file_by_its_base_name_alone() {
        for (text, expected) in [
            ("at src/limit/key.ts:31", true),
            ("key.ts", true),
            ("src\\limit\\key.ts", true),
            ("Look at key.ts.", true),
            ("monkey.ts", false),
            ("key.tsx", false),
            ("a.key.ts", false),
            ("key.ts-old", false),
            ("größekey.ts", false),
            ("monkey.ts and (key.ts)", true),
            ("key", false),
            ("", false),
        ] {
            assert_eq!(mentions(text, "src/limit/key.ts"), expected, "{text}");
        }
        assert!(mentions("in src/routes/[id].svelte", "[id].svelte"));
        assert!(!mentions("anything", "src/") && !mentions("", ""));
    }

    #[test]
    fn a_file_is_the_same_but_for_the_spelling_of_its_path() {
        for path in ["./src\\a.ts", "src/a.ts", " src//./a.ts "] {
            assert_eq!(same_path(path), "src/a.ts");
        }
        assert_eq!(
            (same_path("a.ts"), same_path("/a.ts"), same_path("")),
            ("a.ts".into(), "/a.ts".into(), String::new())
        );
    }

    #[test]
    fn names_that_begin_alike_are_told_apart() {
        let names = Names::new(["key", "key.ts", "key.ts.snap", "kez", "", "key"]);
        let said = |text: &str| {
            let mut found: Vec<_> = names.in_text(text).iter().map(|at| names.sorted[*at]).collect();
            found.sort_unstable();
            found
        };
        assert_eq!(said("see key.ts.snap"), ["key", "key.ts", "key.ts.snap"]);
        assert_eq!(said("see key.tsx, kez"), ["key", "kez"]);
        assert_eq!(said("keyring"), Vec::<&str>::new());
        assert_eq!((names.place("key.ts"), names.len()), (Some(1), 4));
    }

    /// The simple implementation for one name.
    fn named(text: &str, name: &str) -> bool {
        text.char_indices().any(|(at, _)| {
            let Some(rest) = text[at..].strip_prefix(name) else { return false };
            let before = text[..at].chars().next_back();
            !before.is_some_and(|letter| is_of_name(letter) || letter == '.') && !rest.starts_with(is_of_name)
        })
    }

    proptest! {
        #[test]
        fn many_names_are_found_as_each_of_them_is(
            names in proptest::collection::vec("[ab.( ]{1,4}", 1..6),
            text in "[ab.( ]{0,12}",
        ) {
            let all = Names::new(names.iter().map(String::as_str));
            let found = all.in_text(&text);
            for name in &names {
                let at = all.place(name).expect("it is one of them");
                prop_assert_eq!(found.contains(&at), named(&text, name), "{:?} in {:?}", name, text);
            }
        }
    }
}
