//! Tests that no longer run.

use super::{Fake, GO, JS, Kind, PY, found};

pub(super) const ALL: &[Fake] = &[
    found(
        Kind::TestSkipped,
        "it.skip",
        &[(
            "src/sum.test.ts",
            JS,
            "describe('sum', () => {\n  it.skip('adds', () => {\n    expect(add(1, 2)).toBe(3);\n  });\n  it('is zero', () => {\n    expect(add(0, 0)).toBe(0);\n  });\n});\n",
        )],
    ),
    found(
        Kind::TestSkipped,
        "xit",
        &[(
            "src/sum.test.ts",
            JS,
            "describe('sum', () => {\n  xit('adds', () => {\n    expect(add(1, 2)).toBe(3);\n  });\n  it('is zero', () => {\n    expect(add(0, 0)).toBe(0);\n  });\n});\n",
        )],
    ),
    found(
        Kind::TestSkipped,
        "it.todo in place of a test",
        &[(
            "src/sum.test.ts",
            JS,
            "describe('sum', () => {\n  it.todo('adds');\n  it('is zero', () => {\n    expect(add(0, 0)).toBe(0);\n  });\n});\n",
        )],
    ),
    found(
        Kind::TestsHidden,
        "it.only on the one that passes",
        &[(
            "src/sum.test.ts",
            JS,
            "describe('sum', () => {\n  it('adds', () => {\n    expect(add(1, 2)).toBe(3);\n  });\n  it.only('is zero', () => {\n    expect(add(0, 0)).toBe(0);\n  });\n});\n",
        )],
    ),
    found(
        Kind::TestSkipped,
        "describe.skip",
        &[(
            "src/sum.test.ts",
            "describe('sum', () => {\n  it('adds', () => expect(add(1, 2)).toBe(3));\n});\n",
            "describe.skip('sum', () => {\n  it('adds', () => expect(add(1, 2)).toBe(3));\n});\n",
        )],
    ),
    found(
        Kind::TestSkipped,
        "#[ignore]",
        &[(
            "src/sum.rs",
            "#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n",
            "#[test]\n#[ignore]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n",
        )],
    ),
    found(
        Kind::TestSkipped,
        "#[ignore] changes places",
        &[(
            "src/sum.rs",
            "#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n#[test]\n#[ignore]\nfn slow() {\n    assert_eq!(slow(), 3);\n}\n",
            "#[test]\n#[ignore]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n#[test]\nfn slow() {\n    assert_eq!(slow(), 3);\n}\n",
        )],
    ),
    found(
        Kind::TestSkipped,
        "pytest.mark.xfail",
        &[(
            "test_sum.py",
            PY,
            "import pytest\n\n@pytest.mark.xfail\ndef test_sum():\n    assert add(1, 2) == 3\n\ndef test_zero():\n    assert add(0, 0) == 0\n",
        )],
    ),
    found(
        Kind::TestSkipped,
        "a whole module is skipped",
        &[(
            "test_sum.py",
            "def test_sum():\n    assert add(1, 2) == 3\n",
            "pytestmark = pytest.mark.skip\n\ndef test_sum():\n    assert add(1, 2) == 3\n",
        )],
    ),
    found(
        Kind::TestSkipped,
        "t.Skip",
        &[(
            "sum_test.go",
            GO,
            "func TestAdd(t *testing.T) {\n\tt.Skip(\"flaky\")\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal(\"wrong\")\n\t}\n}\n",
        )],
    ),
    found(
        Kind::TestSkipped,
        "@Disabled",
        &[(
            "src/test/java/SumTest.java",
            "class SumTest {\n  @Test\n  void adds() {\n    assertEquals(3, add(1, 2));\n  }\n}\n",
            "class SumTest {\n  @Disabled\n  @Test\n  void adds() {\n    assertEquals(3, add(1, 2));\n  }\n}\n",
        )],
    ),
    found(
        Kind::TestSkipped,
        "a test returns before it demands anything",
        &[(
            "sum_test.go",
            GO,
            "func TestAdd(t *testing.T) {\n\treturn\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal(\"wrong\")\n\t}\n}\n",
        )],
    ),
    found(
        Kind::TestSkipped,
        "an assertion is in a branch that never runs",
        &[(
            "test_sum.py",
            "def test_sum():\n    assert add(1, 2) == 3\n",
            "def test_sum():\n    if False:\n        assert add(1, 2) == 3\n",
        )],
    ),
];
