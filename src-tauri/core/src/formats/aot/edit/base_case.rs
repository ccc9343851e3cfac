//! A new completion check, written so that the plugin's scripts read it the same way (AoT contract §4, L20,
//! L21; §11).

use super::draft::PendingChanges;
use super::lengths::within;
use super::quality;
use super::written::{MAX_TEXT, Written, one_line};
use crate::checklist::wanted::{BaseCase, Check, CheckItem, CheckPart};
use crate::formats::aot::read::lines;
use crate::refusal::{Refusal, bad_value, not_editable};
use loopdeck_text::text_edit::TextEdit;
use loopdeck_text::yaml_span::{self, CollectionStyle, YamlKind};

/// Deeper than anyone nests.
pub(crate) const MAX_DEPTH: usize = 8;

impl PendingChanges<'_> {
    /// Replaces `objective.base_case`.
    pub(crate) fn base_case(&mut self, base_case: &BaseCase) -> Result<(), Refusal> {
        let refusal = || not_editable("base_case");
        let bytes = self.bytes;
        let objective = self.root.get_mut("objective").ok_or_else(refusal)?;
        let YamlKind::Map(entries, CollectionStyle::Block) = &mut objective.kind else {
            return Err(refusal());
        };
        let mut same =
            entries.iter_mut().filter(|entry| entry.key.text().is_some_and(|key| key == "base_case"));
        let (Some(entry), None) = (same.next(), same.next()) else { return Err(refusal()) };
        let indent = lines::indent_of(bytes, entry).ok_or_else(refusal)?;
        if entry.value.anchor != 0 || entry.value.tagged {
            return Err(refusal());
        }
        let at = lines::line_start(bytes, entry.key.range.start);
        let end = lines::next_line(bytes, lines::entry_end(bytes, entry)).ok_or_else(refusal)?;
        let eol = lines::eol_before(bytes, end);
        let text = text_of(base_case, &indent)?.replace('\n', eol);
        // The intended content is parsed from this text: the guard then compares the whole file with it.
        let said = yaml_span::parse(&text, 0, 1).map_err(|_| refusal())?;
        let value = said.root.get("base_case").ok_or_else(refusal)?.detached();
        entry.value = yaml_span::YamlNode { range: entry.value.range.clone(), ..value };
        self.edits.push(TextEdit::replace(at + indent.len()..end, &text[indent.len()..]));
        Ok(())
    }
}

/// The lines of `base_case` for a key after `indent`.
pub(crate) fn text_of(base_case: &BaseCase, indent: &str) -> Result<String, Refusal> {
    let inner = format!("{indent}  ");
    let body = match base_case {
        BaseCase::Single(check) => check_lines(check, &inner)?,
        BaseCase::Quality(quality) => quality::lines(quality, &inner)?,
        BaseCase::Checklist(items) => {
            format!("{inner}checklist:\n{}", item_lines(items, &format!("{inner}  "), 0)?)
        }
    };
    Ok(format!("{indent}base_case:\n{body}"))
}

fn item_lines(items: &[CheckItem], indent: &str, depth: usize) -> Result<String, Refusal> {
    if items.is_empty() || depth > MAX_DEPTH {
        return Err(bad_value("checklist"));
    }
    let mut text = String::new();
    for item in items {
        within("item", &item.item, MAX_TEXT)?;
        let name = one_line(&item.item, MAX_TEXT);
        if name.is_empty() || name.contains('"') {
            return Err(bad_value("item"));
        }
        text.push_str(&format!("{indent}- item: {}\n", Written::Quoted(name).yaml(0, "\n")));
        let inner = format!("{indent}    ");
        text.push_str(&match &item.part {
            CheckPart::Check(check) => format!("{indent}  check:\n{}", check_lines(check, &inner)?),
            CheckPart::Quality(quality) => {
                format!("{indent}  check:\n{}", quality::lines(quality, &inner)?)
            }
            CheckPart::Group(items) => format!("{indent}  group:\n{}", item_lines(items, &inner, depth + 1)?),
            CheckPart::AnyOf(items) => {
                format!("{indent}  any_of:\n{}", item_lines(items, &inner, depth + 1)?)
            }
        });
    }
    Ok(text)
}

fn check_lines(check: &Check, indent: &str) -> Result<String, Refusal> {
    if !check.kind.is_in_files() {
        return Err(bad_value("kind"));
    }
    let value = check_value(&check.value, check.kind.is_shell()).ok_or_else(|| bad_value("value"))?;
    Ok(format!("{indent}type: {}\n{indent}value: {value}\n", check.kind.word()))
}

/// L20: the scripts strip outer quotes and never unescape. An extra space or ` ;` does not matter to a shell,
/// but it does to a path.
pub(crate) fn check_value(value: &str, shell: bool) -> Option<String> {
    let value = value.trim();
    let control = value.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}'));
    if value.is_empty() || value.contains("---") || control {
        return None;
    }
    let outer = |end: bool| if end { value.ends_with('\'') } else { value.starts_with('\'') };
    if !value.contains(['"', '\\']) && (shell || !(outer(false) || outer(true))) {
        let space = |needed: bool| if needed { " " } else { "" };
        return Some(format!("\"{}{value}{}\"", space(outer(false)), space(outer(true))));
    }
    if !value.contains('\'') {
        // The scripts strip double quotes first only when they are outermost, so single quotes protect an
        // outer one.
        return Some(format!("'{value}'"));
    }
    let indicator = value.starts_with(|c: char| "-?:,[]{}#&*!|>'\"%@`".contains(c));
    let plain = !value.contains(": ") && !value.contains(" #") && !indicator && !value.ends_with(':');
    let quote_last = value.ends_with(['"', '\'']);
    match shell {
        _ if !plain => None,
        // Another one would be an empty command.
        true if value.ends_with([';', '&']) => Some(value.to_owned()),
        true => Some(format!("{value} ;")),
        false => (!quote_last).then(|| value.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_the_scripts_read_them() {
        for (value, written) in [
            ("npm test", Some("\"npm test\"")),
            ("sh -c 'true'", Some("\"sh -c 'true' \"")),
            ("'a' b", Some("\" 'a' b\"")),
            ("grep \"x\" f", Some("'grep \"x\" f'")),
            ("a \\ 'b' \"c\"", Some("a \\ 'b' \"c\" ;")),
            ("a 'b' \"c\";", Some("a 'b' \"c\";")),
            ("a 'b' \"c\" &", Some("a 'b' \"c\" &")),
            ("a: 'b' \"c\"", None),
            ("\"c\" 'b'", None),
            (" ", None),
            ("git log --- x", None),
            ("a\nb", None),
        ] {
            assert_eq!(check_value(value, true).as_deref(), written, "{value}");
        }
    }
    /// An extra space or semicolon would be a different path.
    #[test]
    fn paths_are_written_exactly_or_not_at_all() {
        for (value, written) in [
            ("dist/*", Some("\"dist/*\"")),
            ("it's/a.txt", Some("\"it's/a.txt\"")),
            ("a \"b\"", Some("'a \"b\"'")),
            ("the 'a' \"b\" c", Some("the 'a' \"b\" c")),
            ("'a'", None),
            ("the \"b\" 'a'", None),
        ] {
            assert_eq!(check_value(value, false).as_deref(), written, "{value}");
        }
    }
}
