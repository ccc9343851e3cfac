//! Ways to fake a proof by changing tests, each with the risk that it is, or with the reason why it is not found.

mod checked;
mod demanded;
mod lost;
mod skipped;

use super::WeakeningKind as Kind;
use super::{FileVersions, weakenings};

/// A path with the text before and after.
type File = (&'static str, &'static str, &'static str);

struct Fake {
    name: &'static str,
    files: &'static [File],
    expected: Result<Kind, &'static str>,
}

const fn found(expected: Kind, name: &'static str, files: &'static [File]) -> Fake {
    Fake { name, files, expected: Ok(expected) }
}

const fn missed(why: &'static str, name: &'static str, files: &'static [File]) -> Fake {
    Fake { name, files, expected: Err(why) }
}

const PY: &str =
    "def test_sum():\n    assert add(1, 2) == 3\n\ndef test_zero():\n    assert add(0, 0) == 0\n";
const JS: &str = "describe('sum', () => {\n  it('adds', () => {\n    expect(add(1, 2)).toBe(3);\n  });\n  it('is zero', () => {\n    expect(add(0, 0)).toBe(0);\n  });\n});\n";
const RS: &str = "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 3);\n    }\n\n    #[test]\n    fn is_zero() {\n        assert_eq!(add(0, 0), 0);\n    }\n}\n";
const GO: &str = "func TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal(\"wrong\")\n\t}\n}\n";

const NOT_FOUND: &[Fake] = &[
    missed(
        "a change of behaviour has to change it too",
        "the expected value is what the code answers",
        &[(
            "test_sum.py",
            "def test_sum():\n    assert add(1, 2) == 3\n",
            "def test_sum():\n    assert add(1, 2) == -1\n",
        )],
    ),
    missed(
        "rows of a table are data, and honest changes drop some",
        "a row of a table in code is gone",
        &[(
            "sum.test.js",
            "it.each([[1, 2, 3], [0, 0, 0]])('adds', (a, b, c) => {\n  expect(add(a, b)).toBe(c);\n});\n",
            "it.each([[0, 0, 0]])('adds', (a, b, c) => {\n  expect(add(a, b)).toBe(c);\n});\n",
        )],
    ),
    missed(
        "what a mock stands for is not read",
        "what is tested is a mock",
        &[(
            "sum.test.js",
            "it('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n",
            "vi.mock('./sum', () => ({ add: () => 3 }));\n\nit('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n",
        )],
    ),
    missed(
        "the code is not run: hidden tests or a person find it",
        "the code knows the answers of the tests",
        &[(
            "src/sum.py",
            "def add(a, b):\n    return a - b\n",
            "def add(a, b):\n    return {(1, 2): 3}.get((a, b), 0)\n",
        )],
    ),
    missed(
        "counted are the tests, not what they are worth",
        "a test is replaced by another that demands less elsewhere",
        &[(
            "test_sum.py",
            "def test_sum():\n    assert add(1, 2) == 3\n",
            "def test_module():\n    assert add(0, 0) == 0\n",
        )],
    ),
    missed(
        "the check itself: the driver compares its command",
        "a program in the way of the runner",
        &[("bin/jest", "", "#!/bin/sh\nexit 0\n")],
    ),
    missed(
        "rules of linters are no tests",
        "a rule is off",
        &[(
            "eslint.config.js",
            "export default [{ rules: { 'no-undef': 'error' } }];\n",
            "export default [{ rules: { 'no-undef': 'off' } }];\n",
        )],
    ),
];

#[test]
fn ways_to_fake_a_proof_are_found_or_listed_with_a_reason() {
    let all: Vec<&Fake> =
        [lost::ALL, skipped::ALL, demanded::ALL, checked::ALL, NOT_FOUND].into_iter().flatten().collect();
    assert!(all.len() >= 40, "{}", all.len());
    let mut wrong = Vec::new();
    for fake in all {
        let versions =
            |(path, before, after): &File| FileVersions { path, before: Some(before), after: Some(after) };
        let files: Vec<FileVersions<'_>> = fake.files.iter().map(versions).collect();
        let risks = weakenings(&files);
        let right = match fake.expected {
            Ok(kind) => risks.iter().any(|risk| risk.kind == kind),
            Err(_) => risks.is_empty(),
        };
        let places = risks.iter().all(|risk| {
            let file = fake.files.iter().find(|(path, ..)| *path == risk.path);
            let text = file.map(|(_, before, after)| if risk.in_before { before } else { after });
            text.and_then(|text| text.lines().nth(risk.line as usize - 1))
                .is_some_and(|line| line.trim() == risk.text)
        });
        if !right || !places {
            wrong.push(format!("{}: {:?}, found {risks:?}", fake.name, fake.expected));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
