use super::*;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser};

/// Boxes as a line of letters: `o` open, `x` ticked, `?` another mark.
fn marks(text: &str) -> String {
    let list = Document::read(text);
    let letter = |mark| match mark {
        Mark::Open => 'o',
        Mark::Ticked => 'x',
        Mark::Unknown => '?',
    };
    list.boxes().map(|(_, mark)| letter(mark)).collect()
}

/// What only looks like a box: its text, with `?` where it looks open.
fn doubts(text: &str) -> Vec<String> {
    let list = Document::read(text);
    let said = |found: &Lookalike| {
        let open = if found.is_open && found.place != LookalikePlace::Verbatim { "?" } else { "" };
        format!("{open}{}", &text[found.line.clone()])
    };
    list.lookalikes.iter().map(said).collect()
}

#[test]
fn an_item_of_any_list_has_a_box() {
    for (text, expected) in [
        ("- [ ] a\n* [x] b\n+ [X]\tc\n", "oxx"),
        ("1. [ ] a\n2. [x] b\n\n3) [ ] c\n", "oxo"),
        ("- [x] a\n  - [ ] b\n    1. [x] c\n", "xox"),
        ("- - [ ] a\n", "o"),
        ("- [ ]\n- [x]\n", "ox"),
        ("-\n  [ ] below its bullet\n", "o"),
        ("- [x] a\r\n- [ ] b\r\n", "xo"),
        ("- [\t] a\n", "o"),
        ("> - [ ] quoted\n> - [x] quoted\n", "ox"),
        ("- [ ] a | b\n  --- | ---\n", "o"),
        ("- [x]: https://example.org\n- [x] a\n", "x"),
        ("- [~] a\n- [-] b\n- [/] c\n- [!] d\n- [>] e\n- [✔️] f\n- [ｘ] g\n- [y] h\n", "????????"),
        ("- [1] a reference\n\n[1]: https://example.org\n", ""),
        ("- [a]: b c\n- [2026-01-29] moved\n- [x](y)\n- [l](https://example.org)\n- [x][y]\n", ""),
        ("- `[ ]` open\n- text [ ]\n", ""),
    ] {
        assert_eq!(marks(text), expected, "{text:?}");
    }
}

#[test]
fn code_comments_and_front_matter_have_no_boxes() {
    for text in [
        "```\n- [ ] a\n```\n",
        "````md\n```\n- [ ] a\n```\n- [ ] b\n````\n",
        "~~~ text\n- [ ] a\n```\n~~~\n",
        "- b\n\n   ```\n   - [ ] a\n   ```\n",
        "<!--\n- [ ] a\n\n- [ ] b\n-->\n",
        "- b\n  <!--\n  - [ ] a\n  -->\n",
        "<pre>\n- [ ] a\n\n- [ ] b\n</pre>\n",
    ] {
        assert_eq!((marks(text), doubts(text)), (String::new(), Vec::new()), "{text:?}");
    }
    // What is perhaps not meant to be hidden is told.
    for (text, expected) in [
        ("a\n\n    - [ ] b\n", "- [ ] b"),
        ("---\nnotes: |\n  - [ ] b\n---\n", "- [ ] b"),
        ("```\n- [ ] b\n", "?- [ ] b"),
        ("~~~\n```\n- [ ] b\n```\n", "?- [ ] b"),
        ("- a\n  ```\n  - [ ] b\n\nc\n", "?- [ ] b"),
        ("> ```\n> - [ ] b\n\nc\n", "?> - [ ] b"),
        ("<!-- a\n- [ ] b\n", "?- [ ] b"),
        ("<!-- a\n- [ ] b\n<!-- c -->\n", "?- [ ] b"),
        ("<pre>\n- [ ] b\n", "?- [ ] b"),
        // A fence too many: no pair can be trusted.
        ("```\n\n- [ ] b\n\n```\ncode\n```\n", "?- [ ] b"),
    ] {
        assert_eq!((marks(text), doubts(text)), (String::new(), vec![expected.to_owned()]), "{text:?}");
    }
}

#[test]
fn what_only_looks_like_code_or_front_matter_hides_nothing() {
    for (text, expected) in [
        ("```npm test``` is green\n\n- [ ] a\n", "o"),
        ("``` `a` \n- [ ] a\n", "o"),
        ("---\n- [ ] a\n---\n- [x] b\n", "ox"),
        ("---\n\n# Title\n\n- [ ] a\n\n---\n- [x] b\n", "ox"),
        ("---\nTodo:\n- [ ] a\n---\n", "o"),
        ("---\nNote: [ ] means open: see below\n- [ ] a\n---\n", "o"),
        (" ---\na: b\n\n- [ ] c\n\n---\n", "o"),
        ("- [ ] a\n---\n- [ ] b\n", "oo"),
        ("text <!--\n- [ ] a\n-->\n", "o"),
        ("<!-- a -->\n- [ ] a\n", "o"),
        ("<details>\n<summary>s</summary>\n\n- [ ] a\n\n</details>\n", "o"),
        ("- b\n  ```\n  code\n- [ ] a\n", "o"),
    ] {
        assert_eq!(marks(text), expected, "{text:?}");
    }
}

#[test]
fn front_matter_is_a_map_of_yaml() {
    for (text, start) in [
        ("# a\n", 0),
        ("\u{feff}# a\n", 3),
        ("---\na: b\n---\n# a\n", 13),
        ("---\r\na: b\r\n---\r\n", 16),
        ("---\na: b\n...\n# a\n", 13),
        ("---\n---\n# a\n", 8),
        ("---\n# a remark\na: b\n---\n", 24),
        ("---\na: b: c\n---\n# a\n", 16),
        ("---\nnever closed\n", 0),
        ("---\nonly words\n---\n", 0),
        ("---\n- a\n---\n", 0),
        ("", 0),
    ] {
        assert_eq!(Document::read(text).start, start, "{text:?}");
    }
}

#[test]
fn what_a_person_takes_for_a_box_is_told() {
    for (text, expected) in [
        ("☐ a\n☑ b\n", &["?☐ a", "☑ b"][..]),
        ("- ☐ a\n", &["?- ☐ a"]),
        ("- \\[ \\] a\n- \\[x\\] b\n- &#91; &#93; c\n", &["?- \\[ \\] a", "- \\[x\\] b", "?- &#91; &#93; c"]),
        (
            "- [  ] a\n- [] b\n- [ x ] c\n- [x]d\n- [ ]e\n",
            &["?- [  ] a", "?- [] b", "- [ x ] c", "- [x]d", "?- [ ]e"],
        ),
        ("- **[ ] a**\n- **b**\n", &["?- **[ ] a**"]),
        ("-[ ] a\n", &["?-[ ] a"]),
        ("[ ] a\n", &["?[ ] a"]),
        ("a:\n2) [ ] b\n", &["?2) [ ] b"]),
        ("- [x] a\n      - [ ] b\n", &["?- [ ] b"]),
        ("### [ ] a\n", &["?### [ ] a"]),
        ("| | a |\n|---|---|\n| [x] | [ ] |\n", &["?| [x] | [ ] |"]),
        ("| | a |\n|---|---|\n| [ ] | b |\n| [x] | c |\n", &["?| [ ] | b |", "| [x] | c |"]),
        ("<details>\n- [ ] a\n</details>\n", &["?- [ ] a"]),
        ("<ul>\n<li>[ ] a</li>\n</ul>\n", &["?<li>[ ] a</li>"]),
        ("- <input type=\"checkbox\"> a\n", &["?- <input type=\"checkbox\"> a"]),
        ("- ( ) a\n- ［ ］ b\n", &["?- ( ) a", "?- ［ ］ b"]),
        ("> [ ] a\n", &["?> [ ] a"]),
        // Not boxes, for nobody.
        ("[link](a) b\n[1] b\n[x][y]\n✅ c\n> [!NOTE]\n> d\n[]: e\n- (a) f\n- `[ ]` g\n", &[]),
        ("- [x] a\n- [ ] b\n  [c] d\n", &[]),
    ] {
        assert_eq!(doubts(text), expected, "{text:?}");
    }
}

#[test]
fn everything_has_its_place() {
    let text = "\u{feff}# A #\n\nB\n===\n\n> ## quoted\n\n- [x]  one \n  more\n<!-- c --> <!-- d -->\n<!-- e --> f\n> <!-- g -->\n";
    let list = Document::read(text);
    let titles: Vec<_> =
        list.headings.iter().map(|heading| (heading.level, &text[heading.text.clone()])).collect();
    assert_eq!(titles, [(1, "A"), (1, "B")]);
    let ranges: Vec<_> = list.headings.iter().map(|heading| text[heading.range.clone()].trim_end()).collect();
    assert_eq!(ranges, ["# A #", "B\n==="]);
    let item = &list.items[0];
    assert!(text[item.start..].starts_with("- [x]"));
    assert_eq!((&text[item.text.clone()], item.mark.clone().map(|(_, at)| &text[at])), ("one", Some("x")));
    let comments: Vec<_> = list.comments.iter().map(|inner| &text[inner.clone()]).collect();
    assert_eq!(comments, [" c "]);
}

/// Lines that mean something to the reader, and lines that do not.
fn line() -> impl Strategy<Value = String> {
    let whole = prop::sample::select(vec![
        "---",
        "```",
        "```md",
        "~~~~",
        "    ",
        "# T",
        "===",
        "<!--",
        "-->",
        "<!-- a -->",
        "<div>",
        "</div>",
        "<pre>",
        "a: b",
        "| [ ] | a |",
        "|---|---|",
        "[x]: /a",
        "```a``` b",
        "",
    ]);
    let parts = (
        prop::sample::select(vec!["", "", " ", "  ", "      ", "\t", "> "]),
        prop::sample::select(vec!["- ", "* ", "+ ", "1. ", "2) ", "-", ""]),
        prop::sample::select(vec![
            "[ ] ", "[x] ", "[X] ", "[~] ", "[ ]", "\\[ \\] ", "☐ ", "[x](y) ", "[\t] ",
        ]),
        "[a-z\\[\\]()<>`*é]{0,6}",
    );
    prop_oneof![
        whole.prop_map(str::to_owned),
        parts.prop_map(|(blank, bullet, mark, text)| format!("{blank}{bullet}{mark}{text}")),
        ".{0,12}",
    ]
}

fn text() -> impl Strategy<Value = String> {
    let end = prop_oneof![Just("\n"), Just("\r\n")];
    (prop::collection::vec(line(), 0..14), end).prop_map(|(lines, end)| lines.join(end))
}

proptest! {
    #[test]
    fn every_range_is_a_piece_of_the_text(text in text()) {
        let list = Document::read(&text);
        let headings = list.headings.iter().flat_map(|heading| [&heading.text, &heading.range]);
        let items = list.items.iter().flat_map(|item| [Some(&item.text), item.mark.as_ref().map(|mark| &mark.1)]);
        let others = list.comments.iter().chain(list.lookalikes.iter().map(|found| &found.line));
        for range in headings.chain(items.flatten()).chain(others) {
            prop_assert!(range.start >= list.start && text.get(range.clone()).is_some() || range.end <= list.start, "{range:?}");
        }
        let starts: Vec<_> = list.items.iter().filter_map(|item| Some(item.mark.as_ref()?.1.start)).collect();
        prop_assert!(starts.is_sorted_by(|a, b| a < b), "{starts:?}");
    }

    #[test]
    fn a_tick_changes_one_box_and_no_other(text in text()) {
        let list = Document::read(&text);
        for (index, item) in list.items.iter().enumerate() {
            let Some((_, range)) = &item.mark else { continue };
            let ticked = format!("{}x{}", &text[..range.start], &text[range.end..]);
            let now = Document::read(&ticked);
            prop_assert_eq!(now.items.len(), list.items.len());
            for (at, (now, was)) in now.items.iter().zip(&list.items).enumerate() {
                let mark = |item: &Item| item.mark.as_ref().map(|mark| mark.0);
                let expected = if at == index { Some(Mark::Ticked) } else { mark(was) };
                prop_assert_eq!(mark(now), expected, "{:?}", ticked);
            }
        }
    }

    /// What the parser itself takes for a box, and shows as one, is a box here with the same state. A box more is one without text,
    /// with another mark, or in front of a link.
    #[test]
    fn boxes_are_those_that_are_shown(text in text()) {
        let list = Document::read(&text);
        let rest = &text[list.start..];
        let events = Parser::new_ext(rest, Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS);
        let shown: Vec<_> = events.into_offset_iter().filter_map(|(event, range)| match event {
            Event::TaskListMarker(ticked) => Some((list.start + range.start + 1, ticked)),
            _ => None,
        }).collect();
        let ours: Vec<_> = list.items.iter().filter_map(|item| {
            let (mark, range) = item.mark.as_ref()?;
            Some((range.start, *mark == Mark::Ticked))
        }).collect();
        // Behind a box without text, the parser takes what goes on with the same paragraph for a list of its own.
        let is_empty = |line: &str| {
            let mut from_end = line.trim_end().chars().rev();
            let mark = |sign: char| sign.is_whitespace() || "xX".contains(sign);
            from_end.next() == Some(']') && from_end.next().is_some_and(mark) && from_end.next() == Some('[')
        };
        let follows_empty = |at: usize| {
            let mut above = text[..at].lines().rev().skip(1).take_while(|line| !line.trim().is_empty());
            above.any(is_empty)
        };
        for found in shown.iter().filter(|found| !follows_empty(found.0)) {
            prop_assert!(ours.contains(found), "{found:?} {ours:?}");
        }
    }
}
