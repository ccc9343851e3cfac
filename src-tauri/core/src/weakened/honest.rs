//! Honest changes: none of them is a risk.

use super::{FileVersions, weakenings};

/// What was done, and the files with the text before and after.
type Change = (&'static str, &'static [(&'static str, &'static str, &'static str)]);

const PY: &str =
    "def test_sum():\n    assert add(1, 2) == 3\n\ndef test_zero():\n    assert add(0, 0) == 0\n";
const JEST: &str = "it('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n";

const TESTS: &[Change] = &[
    (
        "a test is added",
        &[(
            "test_sum.py",
            PY,
            "def test_sum():\n    assert add(1, 2) == 3\n\ndef test_zero():\n    assert add(0, 0) == 0\n\ndef test_less():\n    assert add(1, -1) == 0\n",
        )],
    ),
    ("a test file is new", &[("tests/test_sum.py", "", PY)]),
    ("a test file moves", &[("tests/test_sum.py", PY, ""), ("tests/unit/test_sum.py", "", PY)]),
    (
        "a test moves into another file",
        &[
            ("test_sum.py", PY, "def test_sum():\n    assert add(1, 2) == 3\n"),
            ("test_zero.py", "", "def test_zero():\n    assert add(0, 0) == 0\n"),
        ],
    ),
    (
        "a test gets a better name",
        &[(
            "test_sum.py",
            PY,
            "def test_adds_two_numbers():\n    assert add(1, 2) == 3\n\ndef test_zero():\n    assert add(0, 0) == 0\n",
        )],
    ),
    (
        "a file of helpers is renamed",
        &[
            ("tests/helpers.py", "def given_numbers():\n    return [1, 2, 3, 4]\n", ""),
            ("tests/given.py", "", "def given_numbers():\n    return [1, 2, 3, 4]\n"),
        ],
    ),
    (
        "code is formatted",
        &[(
            "sum.test.js",
            JEST,
            "it(\"adds\", () => {\n    expect(\n        add(1, 2),\n    ).toBe(3);\n});\n",
        )],
    ),
    (
        "a test no longer waits for a skip",
        &[("sum.test.js", "it.skip('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n", JEST)],
    ),
    (
        "a skip is only talked about",
        &[(
            "sum.test.js",
            JEST,
            "// it.skip('adds') and .only are for later; assert(true) too\nit('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n",
        )],
    ),
    (
        "assertions move into a function",
        &[(
            "test_sum.py",
            "def test_sum():\n    assert add(1, 2) == 3\n    assert add(2, 2) == 4\n",
            "def check(a, b, sum):\n    assert add(a, b) == sum\n\ndef test_sum():\n    check(1, 2, 3)\n    check(2, 2, 4)\n",
        )],
    ),
    (
        "a test is split",
        &[(
            "test_sum.py",
            "def test_sum():\n    assert add(1, 2) == 3\n    assert add(0, 0) == 0\n",
            "def test_sum():\n    assert add(1, 2) == 3\n\ndef test_zero():\n    assert add(0, 0) == 0\n",
        )],
    ),
    (
        "an assertion demands more",
        &[("sum.test.js", "it('adds', () => {\n  expect(add(1, 2)).toBeDefined();\n});\n", JEST)],
    ),
    (
        "a narrower tolerance",
        &[(
            "sum.test.js",
            "it('adds', () => {\n  expect(add(1, 2)).toBeCloseTo(3, 2);\n});\n",
            "it('adds', () => {\n  expect(add(1, 2)).toBeCloseTo(3, 6);\n});\n",
        )],
    ),
    (
        "equal to true becomes true",
        &[(
            "tests/sum.rs",
            "#[test]\nfn is_even() {\n    assert_eq!(even(2), true);\n}\n",
            "#[test]\nfn is_even() {\n    assert!(even(2));\n}\n",
        )],
    ),
    (
        "the expected value changes with the behaviour",
        &[(
            "src/sum.rs",
            "pub fn add() -> i32 {\n    3\n}\n#[test]\nfn adds() {\n    assert_eq!(add(), 3);\n}\n",
            "pub fn add() -> i32 {\n    4\n}\n#[test]\nfn adds() {\n    assert_eq!(add(), 4);\n}\n",
        )],
    ),
    ("code is deleted that has no tests", &[("src/old.py", "def old():\n    return 1\n", "")]),
    (
        "code of the product returns early",
        &[(
            "src/sum.go",
            "func Add(a, b int) int {\n\treturn a + b\n}\n",
            "func Add(a, b int) int {\n\tif a == 0 {\n\t\treturn b\n\t}\n\treturn a + b\n}\n",
        )],
    ),
    (
        "a setup returns where there is nothing to do",
        &[(
            "sum_test.go",
            "func TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal(\"wrong\")\n\t}\n}\n",
            "func TestAdd(t *testing.T) {\n\tclean := func() {\n\t\tif noDisk {\n\t\t\treturn\n\t\t}\n\t}\n\tclean()\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal(\"wrong\")\n\t}\n}\n",
        )],
    ),
    (
        "only the snapshot of a test with a new name",
        &[
            ("src/a.test.ts", JEST, "it('adds up', () => {\n  expect(add(1, 2)).toBe(3);\n});\n"),
            ("src/__snapshots__/a.test.ts.snap", "exports[`adds`] = `3`;\n", "exports[`adds up`] = `3`;\n"),
        ],
    ),
    (
        "a new snapshot beside new code",
        &[
            ("src/page.ts", "export const a = 1;\n", "export const a = 1;\nexport const b = 2;\n"),
            (
                "src/__snapshots__/p.snap",
                "exports[`a`] = `1`;\n",
                "exports[`a`] = `1`;\nexports[`b`] = `2`;\n",
            ),
        ],
    ),
];

const CHECKS: &[Change] = &[
    (
        "more is checked",
        &[(
            "package.json",
            "{\n  \"scripts\": {\n    \"test\": \"jest\"\n  }\n}\n",
            "{\n  \"scripts\": {\n    \"test\": \"eslint . && jest --coverage\"\n  }\n}\n",
        )],
    ),
    (
        "a dependency is updated",
        &[(
            "package.json",
            "{\n  \"devDependencies\": {\n    \"jest\": \"^29.0.0\"\n  }\n}\n",
            "{\n  \"devDependencies\": {\n    \"jest\": \"^30.1.0\"\n  }\n}\n",
        )],
    ),
    (
        "an action and a version are updated",
        &[(
            ".github/workflows/ci.yml",
            "    - uses: actions/checkout@v3\n    - run: npm test\n      node: 18\n",
            "    - uses: actions/checkout@v4\n    - run: npm test\n      node: 22\n",
        )],
    ),
    (
        "a step is added to CI",
        &[(
            ".github/workflows/ci.yml",
            "jobs:\n  test:\n    steps:\n      - run: npm test\n",
            "jobs:\n  test:\n    steps:\n      - run: npm run lint\n      - run: npm test\n",
        )],
    ),
    (
        "a matrix grows",
        &[(".github/workflows/ci.yml", "        node: [18, 20]\n", "        node: [18, 20, 22]\n")],
    ),
    (
        "cleaning up may fail",
        &[(
            "scripts/check.sh",
            "#!/bin/sh\nset -e\ncargo test\n",
            "#!/bin/sh\nset -e\nrm -r build || true\ncargo test\n",
        )],
    ),
    (
        "a script can say what it does",
        &[(
            "scripts/check.sh",
            "#!/bin/sh\nset -e\ncargo test\n",
            "#!/bin/sh\nset -e\nif [ \"$1\" = --help ]; then\n  echo usage\n  exit 0\nfi\ncargo test\n",
        )],
    ),
    (
        "set +e around one command",
        &[(
            "scripts/check.sh",
            "#!/bin/sh\nset -e\ncargo test\n",
            "#!/bin/sh\nset -e\nset +e\ngrep -q x y\nfound=$?\nset -e\ncargo test\n",
        )],
    ),
    (
        "a log is kept with the exit code",
        &[(
            "scripts/check.sh",
            "#!/bin/bash\nset -eo pipefail\ncargo test\n",
            "#!/bin/bash\nset -eo pipefail\ncargo test | tee log\n",
        )],
    ),
    ("a higher threshold", &[(".coveragerc", "[report]\nfail_under = 80\n", "[report]\nfail_under = 90\n")]),
    (
        "more tests are found",
        &[(
            "jest.config.js",
            "module.exports = {\n  testMatch: ['**/*.test.js'],\n};\n",
            "module.exports = {\n  testMatch: ['**/*.test.js', '**/*.spec.js'],\n};\n",
        )],
    ),
    (
        "less is excluded",
        &[(
            "vitest.config.ts",
            "export default {\n  test: {\n    exclude: ['a', 'b'],\n  },\n};\n",
            "export default {\n  test: {\n    exclude: ['a'],\n  },\n};\n",
        )],
    ),
    (
        "a test tool is set up",
        &[(
            "jest.config.js",
            "",
            "module.exports = {\n  testMatch: ['**/*.test.js'],\n  testPathIgnorePatterns: ['node_modules'],\n};\n",
        )],
    ),
    (
        "another target of make",
        &[("Makefile", "test:\n\tgo test ./...\n", "test:\n\tgo test ./...\n\nclean:\n\t-rm -r out\n")],
    ),
];

#[test]
fn an_honest_change_is_no_risk() {
    let all: Vec<&Change> = [TESTS, CHECKS].into_iter().flatten().collect();
    assert!(all.len() >= 20);
    let mut wrong = Vec::new();
    for (name, files) in all {
        let versions = |(path, before, after): &(&'static str, &'static str, &'static str)| FileVersions {
            path,
            before: Some(before),
            after: Some(after),
        };
        let risks = weakenings(&files.iter().map(versions).collect::<Vec<_>>());
        if !risks.is_empty() {
            wrong.push(format!("{name}: {risks:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_not_text_is_not_judged() {
    let binary = FileVersions { path: "tests/test_sum.py", before: Some(PY), after: None };
    assert_eq!(weakenings(&[binary]), []);
}

proptest::proptest! {
    /// Texts of agents hold anything: whatever is cut off in the middle of a word is read to its end.
    #[test]
    fn any_text_is_read(path in 0..PATHS.len(), before in words(), after in words()) {
        let _ = weakenings(&[FileVersions { path: PATHS[path], before: Some(&before), after: Some(&after) }]);
    }
}

const PATHS: [&str; 12] = [
    "tests/a.rs",
    "a.test.ts",
    "test_a.py",
    "a_test.go",
    "ATest.java",
    "a_spec.rb",
    "ATest.php",
    "ATests.swift",
    "a.bats",
    "package.json",
    ".github/workflows/ci.yml",
    "jest.config.js",
];

fn words() -> impl proptest::strategy::Strategy<Value = String> {
    const WORDS: [&str; 40] = [
        "it(",
        "test(",
        "expect(",
        ").toBe(",
        "assert",
        "assert!(",
        "assert_eq!(",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "'",
        "\"",
        "`",
        "é",
        "“",
        "\\",
        "//",
        "/*",
        "*/",
        "#",
        "r#\"",
        "\"\"\"",
        "\n",
        "\n  ",
        " ",
        ",",
        "||",
        "fn ",
        "def test_",
        "#[test]",
        "1e-",
        "0.5",
        "func TestA",
        "@Test",
        "exclude: [",
        "jest",
        "|| true",
    ];
    use proptest::strategy::Strategy as _;
    proptest::collection::vec(0..WORDS.len(), 0..30)
        .prop_map(|picked| picked.into_iter().map(|at| WORDS[at]).collect())
}
