//! The completion check of a file for editing in a form (AoT contract §4, §11): the same structure that a
//! change is written from.

use crate::checklist;
use crate::checklist::wanted::{
    BaseCase, Check, CheckItem, CheckKind, CheckPart, Criteria, Criterion, PresentChecks, Quality,
};
use crate::formats::aot::read::state::text;
use loopdeck_text::yaml_span::YamlNode;

/// More items than a person edits.
const MAX_ITEMS: usize = 5_000;

/// The content of `objective.base_case`.
pub(crate) fn present_checks(base_case: Option<&YamlNode<'_>>) -> PresentChecks {
    let mut reading = Reading::default();
    let list = base_case.and_then(|node| node.get("checklist"));
    let base_case = match (list, base_case.filter(|node| node.is_map())) {
        (Some(list), _) => BaseCase::Checklist(reading.items(list)),
        (None, Some(check)) => match reading.check(check) {
            Some(CheckPart::Check(check)) => BaseCase::Single(check),
            Some(CheckPart::Quality(quality)) => BaseCase::Quality(quality),
            _ => BaseCase::Checklist(Vec::new()),
        },
        (None, None) => BaseCase::Checklist(Vec::new()),
    };
    PresentChecks { base_case, lost: reading.lost }
}

#[derive(Default)]
struct Reading {
    seen: usize,
    lost: u32,
}

impl Reading {
    // Recursion is bounded by the depth of the tree.
    fn items(&mut self, list: &YamlNode<'_>) -> Vec<CheckItem> {
        list.items().iter().filter_map(|item| self.item(item)).collect()
    }

    fn item(&mut self, item: &YamlNode<'_>) -> Option<CheckItem> {
        self.seen += 1;
        if self.seen > MAX_ITEMS {
            return self.lose();
        }
        let part = match (item.get("group"), item.get("any_of"), item.get("check")) {
            (Some(list), _, _) => CheckPart::Group(self.items(list)),
            (_, Some(list), _) => CheckPart::AnyOf(self.items(list)),
            (_, _, Some(check)) => self.check(check)?,
            _ => return self.lose(),
        };
        Some(CheckItem { item: text(item.get("item")).into_owned(), part })
    }

    fn check(&mut self, check: &YamlNode<'_>) -> Option<CheckPart> {
        let word = text(check.get("type"));
        if word == "quality" {
            return Some(CheckPart::Quality(quality(check)));
        }
        let Some(kind) = CheckKind::from_word(&word) else { return self.lose() };
        let value = text(check.get("value"));
        let value = if kind.is_path() { checklist::path_of(&value) } else { &value };
        Some(CheckPart::Check(Check { kind, value: value.to_owned() }))
    }

    fn lose<T>(&mut self) -> Option<T> {
        self.lost += 1;
        None
    }
}

fn quality(check: &YamlNode<'_>) -> Quality {
    let rubric = check.get("rubric").map(YamlNode::items).unwrap_or_default();
    let criteria = if rubric.is_empty() {
        Criteria::Text(text(check.get("criteria")).into_owned())
    } else {
        Criteria::Rubric(rubric.iter().map(criterion).collect())
    };
    Quality {
        criteria,
        pass_threshold: hundredths(check.get("pass_threshold")).unwrap_or_default(),
        scope: check.get("scope").map(checklist::joined).filter(|scope| !scope.is_empty()),
    }
}

fn criterion(row: &YamlNode<'_>) -> Criterion {
    let level = |entry: &loopdeck_text::yaml_span::Entry<'_>| {
        let score = text(Some(&entry.key)).trim().parse().ok()?;
        Some((score, text(Some(&entry.value)).into_owned()))
    };
    let levels = row.get("levels").map(YamlNode::entries).unwrap_or_default();
    Criterion {
        criterion: text(row.get("criterion")).into_owned(),
        description: Some(text(row.get("description")).into_owned()).filter(|text| !text.trim().is_empty()),
        weight: hundredths(row.get("weight")),
        levels: levels.iter().filter_map(level).collect(),
    }
}

fn hundredths(node: Option<&YamlNode<'_>>) -> Option<u32> {
    let number = node.and_then(checklist::number)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    Some((number * 100.0).round() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::aot::edit::base_case::text_of;
    use loopdeck_text::yaml_span;

    fn present(text: &str) -> PresentChecks {
        let tree = yaml_span::parse(text, 0, 1).expect("YAML");
        present_checks(tree.root.get("base_case"))
    }

    fn check(kind: CheckKind, value: &str) -> Check {
        Check { kind, value: value.to_owned() }
    }

    #[test]
    fn it_is_taken_up_in_the_shape_in_which_it_stands() {
        let table = [
            ("type: command\n  value: npm test", BaseCase::Single(check(CheckKind::Command, "npm test"))),
            ("type: file\n  value: \"exists: dist/*\"", BaseCase::Single(check(CheckKind::File, "dist/*"))),
            (
                "type: quality\n  criteria: Easy to read\n  pass_threshold: 3.5",
                BaseCase::Quality(Quality {
                    criteria: Criteria::Text("Easy to read".into()),
                    pass_threshold: 350,
                    scope: None,
                }),
            ),
            ("checklist: []", BaseCase::Checklist(vec![])),
        ];
        for (text, expected) in table {
            let found = present(&format!("base_case:\n  {text}\n"));
            assert_eq!(found, PresentChecks { base_case: expected, lost: 0 }, "{text}");
        }
        assert_eq!(present("other: 1\n").base_case, BaseCase::Checklist(vec![]));
    }

    #[test]
    fn what_no_form_can_write_is_counted() {
        let list = "base_case:\n  checklist:\n    - item: Odd\n      check:\n        type: moon\n        value: full\n    \
                    - item: Bare\n    - item: All\n      group:\n        - item: Odd too\n          check: {type: tide}\n        \
                    - item: Good\n          check: {type: assertion, value: yes it is}\n";
        let found = present(list);
        assert_eq!(found.lost, 3);
        let BaseCase::Checklist(items) = found.base_case else { panic!("a list") };
        let CheckPart::Group(inside) = &items[0].part else { panic!("a group") };
        assert_eq!((items.len(), inside.len(), inside[0].item.as_str()), (1, 1, "Good"));
        assert_eq!(present("base_case:\n  type: moon\n").lost, 1);
    }

    #[test]
    fn what_is_written_is_taken_up_as_it_was() {
        let item = |name: &str, part| CheckItem { item: name.into(), part };
        let naming = Criterion {
            criterion: "Naming".into(),
            description: Some("Names say what things are".into()),
            weight: Some(60),
            levels: vec![(1, "Hard: to read".into()), (5, "Reads like prose".into())],
        };
        let rest = Criterion { criterion: "Rest".into(), ..Criterion::default() };
        let judged = Quality {
            criteria: Criteria::Rubric(vec![naming, rest]),
            pass_threshold: 425,
            scope: Some("src/*".into()),
        };
        let one = |kind, value: &str| CheckPart::Check(check(kind, value));
        let all = vec![
            item("Tests", CheckPart::Group(vec![item("Unit", one(CheckKind::Command, "npm test"))])),
            item("Any", CheckPart::AnyOf(vec![item("No logs", one(CheckKind::NotFile, "*.log"))])),
            item("Readable", CheckPart::Quality(judged.clone())),
            item("Not there", one(CheckKind::NotCommand, "grep -r TODO src")),
        ];
        for base_case in [
            BaseCase::Checklist(all),
            BaseCase::Quality(judged),
            BaseCase::Single(check(CheckKind::Assertion, "It is \"done\"")),
        ] {
            let text = text_of(&base_case, "").expect("writable");
            assert_eq!(present(&text), PresentChecks { base_case, lost: 0 }, "{text}");
        }
    }
}
