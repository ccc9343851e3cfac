//! The outline of a CCW state file.

use crate::outline::{LEFT_OUT, kept, line};
use loopdeck_text::json_span::tree::{Node, Value};

/// Fields that the title is taken from, the first that is not blank.
const TITLES: [&str; 3] = ["title", "task_description", "description"];

/// The same object without its texts; `None` when it is none.
pub(crate) fn outline(bytes: &[u8]) -> Option<Vec<u8>> {
    let root = Node::parse(bytes).ok().filter(Node::is_object)?;
    let is_title = |name: &&str| root.get(name).text().is_some_and(|text| !text.trim().is_empty());
    let title = TITLES.into_iter().find(is_title);
    let mut text = String::from("{");
    for (at, (name, node)) in root.fields().iter().enumerate() {
        field(&mut text, at, name);
        match node.text().filter(|_| title == Some(&**name)) {
            Some(title) => quoted(&mut text, &line(title)),
            None => value(&mut text, name, node),
        }
    }
    text.push_str("}\n");
    Some(text.into_bytes())
}

fn value(text: &mut String, name: &str, node: &Node<'_>) {
    match &node.value {
        Value::Null => text.push_str("null"),
        Value::Bool(flag) => text.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => text.push_str(number),
        Value::Text(said) => quoted(text, &kept(name, said)),
        Value::List(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                value(text, name, item);
            }
            text.push(']');
        }
        Value::Object(fields) => {
            text.push('{');
            for (at, (name, node)) in fields.iter().enumerate() {
                field(text, at, name);
                value(text, name, node);
            }
            text.push('}');
        }
    }
}

fn field(text: &mut String, at: usize, name: &str) {
    text.push_str(if at > 0 { ",\n" } else { "\n" });
    quoted(text, if name.len() > 64 { LEFT_OUT } else { name });
    text.push(':');
}

fn quoted(text: &mut String, said: &str) {
    text.push_str(&serde_json::Value::from(said).to_string());
}
