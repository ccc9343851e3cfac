//! Tests that demand less.

use super::{Fake, JS, Kind, PY, RS, found};

pub(super) const ALL: &[Fake] = &[
    found(
        Kind::AssertionGone,
        "an assertion is deleted",
        &[(
            "test_sum.py",
            PY,
            "def test_sum():\n    add(1, 2)\n\ndef test_zero():\n    assert add(0, 0) == 0\n",
        )],
    ),
    found(
        Kind::AssertionGone,
        "an assertion becomes a comment",
        &[(
            "src/sum.rs",
            RS,
            "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        // assert_eq!(add(1, 2), 3);\n    }\n\n    #[test]\n    fn is_zero() {\n        assert_eq!(add(0, 0), 0);\n    }\n}\n",
        )],
    ),
    found(
        Kind::AssertionGone,
        "an assertion becomes a call that demands nothing",
        &[(
            "test_sum.py",
            "def test_sum():\n    assert add(1, 2) == 3\n",
            "def check_sum(value):\n    print(value)\n\ndef test_sum():\n    check_sum(add(1, 2))\n",
        )],
    ),
    found(
        Kind::AlwaysHolds,
        "assert True",
        &[(
            "test_sum.py",
            PY,
            "def test_sum():\n    assert True\n\ndef test_zero():\n    assert add(0, 0) == 0\n",
        )],
    ),
    found(
        Kind::AlwaysHolds,
        "expect(true).toBe(true)",
        &[(
            "src/sum.test.ts",
            JS,
            "describe('sum', () => {\n  it('adds', () => {\n    expect(true).toBe(true);\n  });\n  it('is zero', () => {\n    expect(add(0, 0)).toBe(0);\n  });\n});\n",
        )],
    ),
    found(
        Kind::AlwaysHolds,
        "assert!(true)",
        &[(
            "tests/sum.rs",
            "#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n",
            "#[test]\nfn adds() {\n    assert!(true);\n}\n",
        )],
    ),
    found(
        Kind::AlwaysHolds,
        "a value equals itself",
        &[(
            "tests/sum.rs",
            "#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n",
            "#[test]\nfn adds() {\n    assert_eq!(\n        add(1, 2),\n        add(1, 2),\n    );\n}\n",
        )],
    ),
    found(
        Kind::AlwaysHolds,
        "or True",
        &[(
            "test_sum.py",
            "def test_sum():\n    assert add(1, 2) == 3\n",
            "def test_sum():\n    assert add(1, 2) == 3 or True\n",
        )],
    ),
    found(
        Kind::AlwaysHolds,
        "a result is Ok or Err",
        &[(
            "tests/sum.rs",
            "#[test]\nfn adds() {\n    assert!(add(1, 2).is_ok());\n}\n",
            "#[test]\nfn adds() {\n    assert!(add(1, 2).is_ok() || add(1, 2).is_err());\n}\n",
        )],
    ),
    found(
        Kind::AssertionLoosened,
        "toBe becomes toBeDefined",
        &[(
            "sum.test.js",
            "it('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n",
            "it('adds', () => {\n  expect(add(1, 2)).toBeDefined();\n});\n",
        )],
    ),
    found(
        Kind::AssertionLoosened,
        "toBeCloseTo with fewer digits",
        &[(
            "sum.test.js",
            "it('adds', () => {\n  expect(add(1, 2)).toBeCloseTo(3.1, 5);\n});\n",
            "it('adds', () => {\n  expect(add(1, 2)).toBeCloseTo(3.1, 0);\n});\n",
        )],
    ),
    found(
        Kind::AssertionLoosened,
        "a wider tolerance",
        &[(
            "tests/sum.rs",
            "#[test]\nfn adds() {\n    assert!((add(0.1, 0.2) - 0.3).abs() < 1e-9);\n}\n",
            "#[test]\nfn adds() {\n    assert!((add(0.1, 0.2) - 0.3).abs() < 0.5);\n}\n",
        )],
    ),
    found(
        Kind::AssertionLoosened,
        "any error will do",
        &[(
            "test_sum.py",
            "def test_sum():\n    with pytest.raises(OverflowError):\n        add(1, BIG)\n",
            "def test_sum():\n    with pytest.raises(Exception):\n        add(1, BIG)\n",
        )],
    ),
    found(
        Kind::AssertionLoosened,
        "a panic for any reason",
        &[(
            "tests/sum.rs",
            "#[test]\n#[should_panic(expected = \"too big\")]\nfn adds() {\n    add(1, BIG);\n}\n",
            "#[test]\n#[should_panic]\nfn adds() {\n    add(1, BIG);\n}\n",
        )],
    ),
    found(
        Kind::AssertionLoosened,
        "nobody waits for the assertion",
        &[(
            "sum.test.js",
            "it('adds', async () => {\n  await expect(add(1, 2)).resolves.toBe(3);\n});\n",
            "it('adds', async () => {\n  expect(add(1, 2)).resolves.toBe(3);\n});\n",
        )],
    ),
    found(
        Kind::FailureSwallowed,
        "a failing assertion is caught",
        &[(
            "sum.test.js",
            "it('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n",
            "it('adds', () => {\n  try {\n    expect(add(1, 2)).toBe(3);\n  } catch {}\n});\n",
        )],
    ),
    found(
        Kind::FailureSwallowed,
        "tests end the process with 0",
        &[(
            "tests/conftest.py",
            "import pytest\n",
            "import os\n\ndef pytest_sessionfinish():\n    os._exit(0)\n",
        )],
    ),
    found(
        Kind::SnapshotRewritten,
        "a snapshot is written anew with the code",
        &[
            ("src/page.ts", "export const title = 'A';\n", "export const title = '';\n"),
            (
                "src/__snapshots__/page.test.ts.snap",
                "exports[`page`] = `<h1>A</h1>`;\n",
                "exports[`page`] = `<h1></h1>`;\n",
            ),
        ],
    ),
    found(
        Kind::SourceKnowsTests,
        "the code answers what the test wants",
        &[(
            "src/sum.py",
            "def add(a, b):\n    return a - b\n",
            "def add(a, b):\n    if 'pytest' in sys.modules:\n        return 3\n    return a - b\n",
        )],
    ),
];
