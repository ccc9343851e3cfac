//! Checks that no longer check.

use super::{Fake, Kind, found};

pub(super) const ALL: &[Fake] = &[
    found(
        Kind::FailureSwallowed,
        "|| true in a script of package.json",
        &[(
            "package.json",
            "{\n  \"scripts\": {\n    \"test\": \"jest\"\n  }\n}\n",
            "{\n  \"scripts\": {\n    \"test\": \"jest || true\"\n  }\n}\n",
        )],
    ),
    found(
        Kind::CheckEdited,
        "the test script is exit 0",
        &[(
            "package.json",
            "{\n  \"scripts\": {\n    \"test\": \"jest\"\n  }\n}\n",
            "{\n  \"scripts\": {\n    \"test\": \"exit 0\"\n  }\n}\n",
        )],
    ),
    found(
        Kind::CheckEdited,
        "the test script only says so",
        &[(
            "package.json",
            "{\n  \"scripts\": {\n    \"test\": \"jest\"\n  }\n}\n",
            "{\n  \"scripts\": {\n    \"test\": \"echo jest: 12 passed\"\n  }\n}\n",
        )],
    ),
    found(
        Kind::TestsExcluded,
        "only one test is asked for",
        &[(
            "package.json",
            "{\n  \"scripts\": {\n    \"test\": \"jest\"\n  }\n}\n",
            "{\n  \"scripts\": {\n    \"test\": \"jest -t zero\"\n  }\n}\n",
        )],
    ),
    found(
        Kind::FailureSwallowed,
        "--passWithNoTests",
        &[(
            "package.json",
            "{\n  \"scripts\": {\n    \"test\": \"jest\"\n  }\n}\n",
            "{\n  \"scripts\": {\n    \"test\": \"jest --passWithNoTests\"\n  }\n}\n",
        )],
    ),
    found(
        Kind::FailureSwallowed,
        "set +e",
        &[("scripts/check.sh", "#!/bin/sh\nset -e\ncargo test\n", "#!/bin/sh\nset +e\ncargo test\n")],
    ),
    found(
        Kind::FailureSwallowed,
        "exit 0 before the tests",
        &[("scripts/check.sh", "#!/bin/sh\nset -e\ncargo test\n", "#!/bin/sh\nset -e\nexit 0\ncargo test\n")],
    ),
    found(
        Kind::FailureSwallowed,
        "set -e is gone",
        &[(
            "scripts/check.sh",
            "#!/bin/sh\nset -e\ncargo test\necho done\n",
            "#!/bin/sh\ncargo test\necho done\n",
        )],
    ),
    found(
        Kind::FailureSwallowed,
        "a pipe takes the exit code",
        &[("scripts/check.sh", "#!/bin/sh\ncargo test\n", "#!/bin/sh\ncargo test | cat\n")],
    ),
    found(
        Kind::FailureSwallowed,
        "make ignores the exit code",
        &[("Makefile", "test:\n\tgo test ./...\n", "test:\n\t-go test ./...\n")],
    ),
    found(
        Kind::CheckEdited,
        "a recipe no longer runs the tests",
        &[("Makefile", "test:\n\tgo test ./...\n", "test:\n\t@echo ok\n")],
    ),
    found(
        Kind::FailureSwallowed,
        "continue-on-error",
        &[(
            ".github/workflows/ci.yml",
            "jobs:\n  test:\n    steps:\n      - run: npm test\n",
            "jobs:\n  test:\n    steps:\n      - run: npm test\n        continue-on-error: true\n",
        )],
    ),
    found(
        Kind::CheckEdited,
        "a step of CI is gone",
        &[(
            ".github/workflows/ci.yml",
            "jobs:\n  test:\n    steps:\n      - run: npm run lint\n      - run: npm test\n",
            "jobs:\n  test:\n    steps:\n      - run: npm run lint\n",
        )],
    ),
    found(
        Kind::CiEdited,
        "CI no longer runs for pull requests",
        &[(".github/workflows/ci.yml", "on: [push, pull_request]\n", "on: [push]\n")],
    ),
    found(
        Kind::ThresholdLowered,
        "a lower coverage threshold of Jest",
        &[(
            "jest.config.js",
            "module.exports = {\n  coverageThreshold: {\n    global: {\n      lines: 90,\n    },\n  },\n};\n",
            "module.exports = {\n  coverageThreshold: {\n    global: {\n      lines: 40,\n    },\n  },\n};\n",
        )],
    ),
    found(
        Kind::ThresholdLowered,
        "a lower fail_under",
        &[(".coveragerc", "[report]\nfail_under = 85\n", "[report]\nfail_under = 60\n")],
    ),
    found(
        Kind::ThresholdLowered,
        "a lower --cov-fail-under",
        &[(
            "tox.ini",
            "[testenv]\ncommands = pytest --cov-fail-under=80\n",
            "[testenv]\ncommands = pytest --cov-fail-under=10\n",
        )],
    ),
    found(
        Kind::ThresholdLowered,
        "a threshold is gone",
        &[("pyproject.toml", "[tool.coverage.report]\nfail_under = 85\n", "[tool.coverage.report]\n")],
    ),
    found(
        Kind::ThresholdLowered,
        "a lower target of codecov",
        &[(
            "codecov.yml",
            "coverage:\n  status:\n    project:\n      default:\n        target: 90%\n",
            "coverage:\n  status:\n    project:\n      default:\n        target: 50%\n",
        )],
    ),
    found(
        Kind::TestsExcluded,
        "a folder of tests is excluded",
        &[(
            "vitest.config.ts",
            "export default {\n  test: {\n    exclude: [\n      'node_modules',\n    ],\n  },\n};\n",
            "export default {\n  test: {\n    exclude: [\n      'node_modules',\n      'src/sum/**',\n    ],\n  },\n};\n",
        )],
    ),
    found(
        Kind::TestsExcluded,
        "a narrower testMatch",
        &[(
            "jest.config.js",
            "module.exports = {\n  testMatch: ['**/*.test.js'],\n};\n",
            "module.exports = {\n  testMatch: ['**/zero.test.js'],\n};\n",
        )],
    ),
    found(
        Kind::TestsExcluded,
        "pytest ignores a folder",
        &[("pytest.ini", "[pytest]\naddopts = -q\n", "[pytest]\naddopts = -q --ignore=tests/slow\n")],
    ),
];
