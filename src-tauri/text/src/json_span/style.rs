//! How new members and values are written, so that they look like their surroundings.

use super::change::NewValue;
use super::json::Separators;
use super::tree::quote;

/// How an array of strings is laid out.
pub(super) enum ArrayStyle {
    /// `["a","b"]`
    Minified,
    /// `["a", "b"]`
    Inline,
    /// One item per line; the line break with the indent of the member, and one more step.
    Lines { line: String, unit: String },
}

impl ArrayStyle {
    /// The layout around a member of `document`, from the text between two of them.
    pub(super) fn of_separator(separator: &str, document: &str) -> Self {
        match separator.find(['\r', '\n']) {
            Some(at) => {
                ArrayStyle::Lines { unit: unit_of(document).to_owned(), line: separator[at..].to_owned() }
            }
            None if separator.len() > 1 => ArrayStyle::Inline,
            None => ArrayStyle::Minified,
        }
    }

    /// A replaced value keeps its own layout when it has one.
    pub(super) fn of_value(old: &str, around: &ArrayStyle) -> ArrayStyle {
        let inline = old.starts_with('[') && old != "[]" && !old.contains('\n');
        match around {
            ArrayStyle::Lines { .. } if inline && old.contains(", ") => ArrayStyle::Inline,
            ArrayStyle::Lines { .. } if inline && old.contains(',') => ArrayStyle::Minified,
            ArrayStyle::Lines { .. } if inline => ArrayStyle::Inline,
            ArrayStyle::Lines { line, unit } => ArrayStyle::Lines { line: line.clone(), unit: unit.clone() },
            ArrayStyle::Inline => ArrayStyle::Inline,
            ArrayStyle::Minified => ArrayStyle::Minified,
        }
    }

    /// The layout for values of any depth.
    pub(super) fn layout(&self) -> Separators {
        match self {
            ArrayStyle::Minified => Separators::inline("", ""),
            ArrayStyle::Inline => Separators::inline(" ", " "),
            ArrayStyle::Lines { line, unit } => {
                Separators { line: line.clone(), unit: unit.clone(), after_colon: " ", inline: None }
            }
        }
    }

    /// `value` as JSON text.
    pub(super) fn render(&self, value: &NewValue) -> String {
        let texts = match value {
            NewValue::Text(text) => return quote(text),
            NewValue::Integer(number) => return number.to_string(),
            NewValue::Texts(texts) => texts,
            NewValue::Json(json) => return json.laid_out(&self.layout()),
        };
        let quoted: Vec<String> = texts.iter().map(|text| quote(text)).collect();
        match self {
            _ if quoted.is_empty() => "[]".to_owned(),
            ArrayStyle::Minified => format!("[{}]", quoted.join(",")),
            ArrayStyle::Inline => format!("[{}]", quoted.join(", ")),
            ArrayStyle::Lines { line, unit } => {
                let between = format!(",{line}{unit}");
                format!("[{line}{unit}{}{line}]", quoted.join(&between))
            }
        }
    }
}

/// One indentation step, taken from the first indented line.
pub(super) fn unit_of(document: &str) -> &str {
    let indents = document.lines().skip(1).take(50).map(|line| {
        let inner = line.trim_start_matches([' ', '\t']);
        &line[..line.len() - inner.len()]
    });
    match indents.into_iter().find(|indent| !indent.is_empty()) {
        Some(indent) if indent.starts_with('\t') => "\t",
        Some(indent) => indent,
        None => "  ",
    }
}

/// `,\n\n  ` becomes `,\n  `: a blank line before one member is not repeated before the next.
pub(super) fn without_blank_lines(gap: &str) -> String {
    let Some(last) = gap.rfind('\n') else { return gap.to_owned() };
    let last = if gap[..last].ends_with('\r') { last - 1 } else { last };
    let first = gap.find(['\r', '\n']).unwrap_or(last);
    // A comma between two line breaks stays.
    let comma = gap[..last].find(',').map_or(0, |at| at + 1);
    format!("{}{}", &gap[..first.max(comma)], &gap[last..])
}

#[cfg(test)]
mod tests {
    use super::without_blank_lines;

    #[test]
    fn blank_lines_go_and_the_comma_stays() {
        for (gap, expected) in [(",\n\n  ", ",\n  "), ("\n,\n", "\n,\n"), ("\n  , ", "\n  , "), (", ", ", ")]
        {
            assert_eq!(without_blank_lines(gap), expected);
        }
    }
}
