//! Paths of file checks (AoT contract §11): relative to the workspace, with `*`, `?` and `**` as patterns.
//! Everything else is literal: `[ab]`, `{a,b}` and `~` are names. `*` and `?` do not match names that start
//! with a dot.

/// The path of a check, parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathPattern {
    /// One path.
    Plain(Vec<String>),
    /// Parts to match, one for each folder level; `**` is any number of folders.
    Glob(Vec<String>),
}

impl PathPattern {
    /// Reads the value of a check; none when it leads out of the workspace.
    #[must_use]
    pub fn read(value: &str) -> Option<Self> {
        let value = super::path_of(value.trim());
        let is_absolute = value.starts_with(['/', '\\']) || value.as_bytes().get(1) == Some(&b':');
        let parts: Vec<&str> = value.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        // A path that leaves and comes back may pass a link on its way.
        if value.is_empty() || is_absolute || parts.contains(&"..") {
            return None;
        }
        let parts = parts.into_iter().map(str::to_owned).collect();
        Some(if value.contains(['*', '?']) { Self::Glob(parts) } else { Self::Plain(parts) })
    }
}

/// Whether a name matches one part of a glob.
#[must_use]
pub fn fits(part: &str, name: &str) -> bool {
    if name.starts_with('.') && !part.starts_with('.') {
        return false;
    }
    let (part, name): (Vec<char>, Vec<char>) = (part.chars().collect(), name.chars().collect());
    let (mut at, mut in_name) = (0, 0);
    // The last `*`, and how much of the name it has matched: on a mismatch it takes one more.
    let mut star: Option<(usize, usize)> = None;
    while in_name < name.len() {
        match part.get(at) {
            Some('*') => {
                star = Some((at, in_name));
                at += 1;
            }
            Some(sign) if *sign == '?' || *sign == name[in_name] => (at, in_name) = (at + 1, in_name + 1),
            _ => {
                let Some((from, taken)) = star else { return false };
                star = Some((from, taken + 1));
                (at, in_name) = (from + 1, taken + 1);
            }
        }
    }
    part[at..].iter().all(|sign| *sign == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_stars_and_question_marks_make_a_pattern() {
        let parts = |value: &str| value.split('/').map(str::to_owned).collect::<Vec<_>>();
        let plain = |value: &str, path: &str| (value.to_owned(), Some(PathPattern::Plain(parts(path))));
        let glob = |value: &str, path: &str| (value.to_owned(), Some(PathPattern::Glob(parts(path))));
        let table = [
            plain("src/a.ts", "src/a.ts"),
            plain("./dist//x/", "dist/x"),
            plain("exists: ./x", "x"),
            plain("[ab]/{c,d}/~", "[ab]/{c,d}/~"),
            glob("src/**/*.t?", "src/**/*.t?"),
            ("/etc/passwd".to_owned(), None),
            ("../x".to_owned(), None),
            ("a/../../x".to_owned(), None),
            ("C:/x".to_owned(), None),
            (" ".to_owned(), None),
        ];
        for (value, expected) in table {
            assert_eq!(PathPattern::read(&value), expected, "{value}");
        }
    }

    #[test]
    fn names_fit_parts_as_a_shell_matches_them() {
        let table = [
            ("*", "a.ts", true),
            ("*", ".env", false),
            (".*", ".env", true),
            ("?", "字", true),
            ("?", "ab", false),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxbyy", false),
            ("*.ts", "x.tsx", false),
            ("[ab]*", "[ab]c", true),
            ("[ab]*", "ac", false),
            ("**", "x", true),
            ("", "", true),
            ("a*", "a", true),
        ];
        for (part, name, expected) in table {
            assert_eq!(fits(part, name), expected, "{part} {name}");
        }
        // Many stars on a long name cost their product, no more.
        assert!(!fits(&"*a".repeat(60), &"a".repeat(59)));
    }
}
