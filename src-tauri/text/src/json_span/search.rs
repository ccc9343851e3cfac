//! Finding the one position in a document that a path names.

use super::change::Step;
use super::scan::{Reader, Scan, ValueKind};

/// Reads the whole next value. Passes the value at `path` to `arrive` if it is of `kind`, and checks and
/// skips everything else; notes a repeated key of the path in `duplicate`.
pub(super) fn descend<'a>(
    reader: &mut Reader<'a>,
    path: &[Step<'_>],
    kind: ValueKind,
    duplicate: &mut Option<String>,
    arrive: &mut dyn FnMut(&mut Reader<'a>) -> Scan<()>,
) -> Scan<()> {
    let found = reader.peek()?;
    match (path.split_first(), found) {
        (None, _) if found == kind => arrive(reader),
        (Some((Step::Key(wanted), rest)), ValueKind::Object) => {
            let mut seen = false;
            reader.object(|value, key| {
                if key.name != *wanted {
                    return value.skip().map(drop);
                }
                if std::mem::replace(&mut seen, true) {
                    *duplicate = Some(key.name.into_owned());
                }
                descend(value, rest, kind, duplicate, arrive)
            })
        }
        (Some((Step::Index(wanted), rest)), ValueKind::List) => {
            let mut index = 0;
            reader.list(|item| {
                index += 1;
                if index == *wanted + 1 {
                    descend(item, rest, kind, duplicate, arrive)
                } else {
                    item.skip().map(drop)
                }
            })
        }
        _ => reader.skip().map(drop),
    }
}
