//! Tests that are gone.

use super::{Fake, GO, JS, Kind, PY, RS, found};

pub(super) const ALL: &[Fake] = &[
    found(Kind::TestFileGone, "a test file is deleted", &[("tests/test_sum.py", PY, "")]),
    found(Kind::TestFileGone, "a test file holds only a comment", &[("src/sum.test.ts", JS, "// later\n")]),
    found(
        Kind::TestFileGone,
        "a test file is commented out",
        &[(
            "sum_test.go",
            GO,
            "/*\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal(\"wrong\")\n\t}\n}\n*/\n",
        )],
    ),
    found(
        Kind::FewerTests,
        "one test of two is deleted",
        &[("test_sum.py", PY, "def test_sum():\n    assert add(1, 2) == 3\n")],
    ),
    found(
        Kind::FewerTests,
        "a test is commented out",
        &[(
            "test_sum.py",
            PY,
            "def test_sum():\n    assert add(1, 2) == 3\n\n# def test_zero():\n#     assert add(0, 0) == 0\n",
        )],
    ),
    found(
        Kind::FewerTests,
        "a test gets a name that no runner finds",
        &[(
            "test_sum.py",
            PY,
            "def test_sum():\n    assert add(1, 2) == 3\n\ndef zero():\n    assert add(0, 0) == 0\n",
        )],
    ),
    found(
        Kind::FewerTests,
        "a Rust test loses its attribute",
        &[(
            "src/sum.rs",
            RS,
            "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 3);\n    }\n\n    fn is_zero() {\n        assert_eq!(add(0, 0), 0);\n    }\n}\n",
        )],
    ),
    found(
        Kind::FewerTests,
        "a test becomes a text in quotes",
        &[(
            "test_sum.py",
            PY,
            "def test_sum():\n    assert add(1, 2) == 3\n\n\"\"\"\ndef test_zero():\n    assert add(0, 0) == 0\n\"\"\"\n",
        )],
    ),
    found(
        Kind::FewerTests,
        "a row of a table of attributes is gone",
        &[(
            "src/sum.rs",
            "#[rstest]\n#[case(1, 2)]\n#[case(2, 3)]\nfn adds(#[case] a: i32, #[case] b: i32) {\n    assert_eq!(a + 1, b);\n}\n",
            "#[rstest]\n#[case(1, 2)]\nfn adds(#[case] a: i32, #[case] b: i32) {\n    assert_eq!(a + 1, b);\n}\n",
        )],
    ),
    found(
        Kind::FewerTests,
        "a JUnit test is deleted",
        &[(
            "src/test/java/SumTest.java",
            "class SumTest {\n  @Test\n  void adds() {\n    assertEquals(3, add(1, 2));\n  }\n  @Test\n  void isZero() {\n    assertEquals(0, add(0, 0));\n  }\n}\n",
            "class SumTest {\n  @Test\n  void adds() {\n    assertEquals(3, add(1, 2));\n  }\n}\n",
        )],
    ),
    found(
        Kind::FewerTests,
        "a bats test is deleted",
        &[(
            "test/sum.bats",
            "@test \"adds\" {\n  run add 1 2\n  [ \"$output\" = 3 ]\n}\n@test \"zero\" {\n  run add 0 0\n  [ \"$output\" = 0 ]\n}\n",
            "@test \"adds\" {\n  run add 1 2\n  [ \"$output\" = 3 ]\n}\n",
        )],
    ),
    found(
        Kind::FewerTests,
        "an RSpec example is deleted",
        &[(
            "spec/sum_spec.rb",
            "it \"adds\" do\n  expect(add(1, 2)).to eq(3)\nend\nit \"is zero\" do\n  expect(add(0, 0)).to eq(0)\nend\n",
            "it \"adds\" do\n  expect(add(1, 2)).to eq(3)\nend\n",
        )],
    ),
];
