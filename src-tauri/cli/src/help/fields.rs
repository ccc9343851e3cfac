//! Every field that `loopdeck change` accepts, taken from the types: handwritten help would miss some.

use std::collections::BTreeSet;

/// The definitions of `root` and of every type it uses, from the TypeScript `bindings`, each once, `root`
/// first.
pub(super) fn reachable(bindings: &str, root: &str) -> String {
    let mut open = vec![root.to_owned()];
    let mut known = BTreeSet::from([root.to_owned()]);
    let mut text = String::new();
    while let Some(name) = open.pop() {
        let Some(definition) = definition(bindings, &name) else { continue };
        let plain = plain(definition);
        // The stack is last in, first out: reversed, definitions follow in order of use.
        for word in names(&plain).rev() {
            if known.insert(word.to_owned()) {
                open.push(word.to_owned());
            }
        }
        text += &plain;
        text.push('\n');
    }
    text
}

/// `export type NAME = …;`, with the comment above it.
fn definition<'b>(bindings: &'b str, name: &str) -> Option<&'b str> {
    let start = bindings.find(&format!("export type {name} = "))?;
    let above = bindings[..start].trim_end();
    let start = if above.ends_with("*/") { above.rfind("/**").unwrap_or(start) } else { start };
    let body = &bindings[start..];
    let end = body.find(";\n\n").map_or(body.len(), |end| end + 1);
    Some(body[..end].trim_end())
}

/// Types that a definition names: capitalised words outside quotes.
fn names(definition: &str) -> impl DoubleEndedIterator<Item = &str> {
    let code = definition.lines().filter(|line| !line.trim_start().starts_with("//"));
    let words: Vec<&str> = code
        .flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '"'))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase()))
        .collect();
    words.into_iter()
}

/// The same for people: a comment gets its own line, indented like the item it belongs to.
fn plain(definition: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut comments: Vec<&str> = Vec::new();
    for line in definition.lines().map(str::trim_end) {
        let rest = line.trim_start();
        // A comment of several lines has an asterisk before each.
        if let Some(comment) = rest.strip_prefix("/**").or_else(|| rest.strip_prefix('*')) {
            let comment = comment.trim_end_matches('/').trim_matches(['*', ' ']);
            comments.extend(Some(comment).filter(|comment| !comment.is_empty()));
            continue;
        }
        let indent = match () {
            () if rest.starts_with("export ") => "  ",
            () if line.starts_with(['\t', '{', '"', '}']) => "    ",
            () => "      ",
        };
        lines.extend(comments.drain(..).map(|comment| format!("{indent}// {comment}")));
        lines.push(format!("{indent}{}", rest.trim_start_matches("export ")));
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_that_is_needed_is_printed_once_and_no_other() {
        let bindings = "/**  A. */\nexport type A = \n/**  One. */\n{ kind: \"one\"; \n/**  B of it. */\nb: B; \n/**  Again. */\nc: B[] };\n\n\
                        export type B = \"x\" | \"Y\";\n\nexport type C = number;\n\n";
        let text = reachable(bindings, "A");
        assert_eq!(text.matches("type B").count(), 1, "{text}");
        assert!(
            text.contains("// B of it.") && text.contains("type A") && !text.contains("type C"),
            "{text}"
        );
        assert!(text.find("type A") < text.find("type B"));
        let long = "export type A = {\n\t/**\n\t *  One\n\t *  and two.\n\t */\n\ta: string,\n};\n\n";
        assert_eq!(
            reachable(long, "A"),
            "  type A = {\n    // One\n    // and two.\n    a: string,\n    };\n\n"
        );
    }
}
