//! Anchors and aliases: no tool of the format writes them, but YAML has them. They are resolved on reading,
//! but edits leave them alone, because one line would mean two things.

use loopdeck_text::yaml_span::{Entry, MAX_DEPTH, Tree, YamlKind, YamlNode};
use std::collections::HashMap;

/// More values behind aliases than any real loop has.
const MAX_EXPANDED: usize = 20_000;

/// The aliases stand for more than the limit, or for themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooManyAliases;

/// The tree with every alias replaced by its value, and without anchors; `None` when it has neither.
pub(crate) fn resolved<'a>(text: &str, tree: &Tree<'a>) -> Result<Option<YamlNode<'a>>, TooManyAliases> {
    // Few files contain these characters at all, and then mostly in texts.
    if memchr::memchr2(b'&', b'*', text.as_bytes()).is_none() || !is_linked(&tree.root) {
        return Ok(None);
    }
    let mut anchors = HashMap::new();
    collect(&tree.root, &mut anchors);
    let mut links = Links { anchors, left: MAX_EXPANDED };
    links.node(&tree.root, 0, false).map(Some)
}

/// Whether a node contains an anchor or an alias. Recursion is bounded by the depth of the tree.
pub(crate) fn is_linked(node: &YamlNode<'_>) -> bool {
    node.anchor != 0
        || match &node.kind {
            YamlKind::Alias(_) => true,
            YamlKind::Scalar(..) => false,
            YamlKind::Seq(items, _) => items.iter().any(is_linked),
            YamlKind::Map(entries, _) => {
                entries.iter().any(|entry| is_linked(&entry.key) || is_linked(&entry.value))
            }
        }
}

fn collect<'n, 'a>(node: &'n YamlNode<'a>, anchors: &mut HashMap<usize, &'n YamlNode<'a>>) {
    if node.anchor != 0 {
        anchors.insert(node.anchor, node);
    }
    match &node.kind {
        YamlKind::Seq(items, _) => items.iter().for_each(|item| collect(item, anchors)),
        YamlKind::Map(entries, _) => entries.iter().for_each(|entry| {
            collect(&entry.key, anchors);
            collect(&entry.value, anchors);
        }),
        YamlKind::Scalar(..) | YamlKind::Alias(_) => {}
    }
}

struct Links<'n, 'a> {
    anchors: HashMap<usize, &'n YamlNode<'a>>,
    left: usize,
}

impl<'a> Links<'_, 'a> {
    fn node(
        &mut self,
        node: &YamlNode<'a>,
        depth: usize,
        expanded: bool,
    ) -> Result<YamlNode<'a>, TooManyAliases> {
        if depth > MAX_DEPTH {
            return Err(TooManyAliases);
        }
        if expanded {
            self.left = self.left.checked_sub(1).ok_or(TooManyAliases)?;
        }
        let kind = match &node.kind {
            YamlKind::Alias(target) => {
                let target = self.anchors.get(target).copied().ok_or(TooManyAliases)?;
                let meant = self.node(target, depth + 1, true)?;
                // It takes the alias's position.
                return Ok(YamlNode { range: node.range.clone(), line: node.line, ..meant });
            }
            YamlKind::Scalar(text, style) => YamlKind::Scalar(text.clone(), *style),
            YamlKind::Seq(items, layout) => {
                let items = items.iter().map(|item| self.node(item, depth + 1, expanded));
                YamlKind::Seq(items.collect::<Result<_, _>>()?, *layout)
            }
            YamlKind::Map(entries, layout) => {
                let entries = entries.iter().map(|entry| {
                    Ok(Entry {
                        key: self.node(&entry.key, depth + 1, expanded)?,
                        value: self.node(&entry.value, depth + 1, expanded)?,
                    })
                });
                YamlKind::Map(entries.collect::<Result<_, _>>()?, *layout)
            }
        };
        Ok(YamlNode { kind, range: node.range.clone(), line: node.line, anchor: 0, tagged: node.tagged })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_text::yaml_span::parse;

    fn meaning(text: &str) -> Result<Option<YamlNode<'_>>, TooManyAliases> {
        resolved(text, &parse(text, 0, 1).expect(text))
    }

    #[test]
    fn aliases_become_what_they_stand_for() {
        let text = "a: &x [1, &y 2]\nb: *x\nc: {*y : *y }\n";
        let found = meaning(text).expect("bounded").expect("linked");
        let same = parse("a: [1, 2]\nb: [1, 2]\nc: {2: 2}\n", 0, 1).expect("yaml").root;
        assert!(found.says_the_same(&same), "{found:?}");
        assert_eq!(found.get("b").map(|node| node.line), Some(2));
        assert_eq!(meaning("a: x & y * z\n"), Ok(None));
    }

    #[test]
    fn what_does_not_end_is_not_followed() {
        assert_eq!(meaning("a: &x [*x]\n"), Err(TooManyAliases));
        let mut bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n".to_owned();
        for n in 1..9 {
            bomb.push_str(&format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 10].join(", ")));
        }
        assert_eq!(meaning(&bomb), Err(TooManyAliases));
    }
}
