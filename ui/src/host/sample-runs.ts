import type { CoverageFileView, LoopRow, RowOutcome, RunView, TestRow, ValidationView } from "./bindings";
import { at, MINUTE } from "./sample-empty";

/** Test runs as a loop's file may hold them; single tests are made when they are asked for. */
export interface SampleRuns {
  readonly runs: number;
  /** Different tests over all runs; 0: totals only. */
  readonly tests: number;
  /** How the test with this number ended in that run; null when it was not part of it. */
  readonly outcome: (run: number, test: number) => RowOutcome | null;
  readonly row: (run: number, test: number) => TestRow;
  /** Passed, failed and skipped of every run, where the file keeps no tests. */
  readonly totals?: readonly (readonly [number, number, number])[];
}

const LETTERS: Readonly<Record<string, RowOutcome>> = { p: "passed", f: "failed", s: "skipped" };

/** Suite, name, one letter for each run, milliseconds, message, stack. */
type Sketch = readonly [string, string, string, number | null, string?, string?];

const AUTH: readonly Sketch[] = [
  [
    "auth::token",
    "refresh_rotates_the_old_token",
    "ppppppf",
    412,
    "assertion failed: old token still accepted",
    'assertion `left == right` failed: old token still accepted\n  left: Ok(Claims { sub: "u-17", .. })\n right: Err(Revoked)\n  at tests/auth/token.rs:88:5\n  at src/auth/refresh.rs:31:9\n  at src/auth/store.rs:140:13',
  ],
  ["auth::token", "expired_token_is_refused_with_401", "fffffff", 96, "expected 401, got 500"],
  ["auth::token", "hardware_key_login", "sssssss", null, "needs a device"],
  ["auth::token", "clock_skew_of_a_minute_is_tolerated", "pfpfppp", 74],
  ...["signature", "audience", "issuer", "algorithm_none", "key_rotation"].map((what, index): Sketch => [
    "auth::token",
    `rejects_a_wrong_${what}`,
    "ppppppp",
    18 + index * 7,
  ]),
  ["auth::login", "login_limits_per_tenant", "ffffffp", 188],
  ["auth::login", "login_returns_session_cookie", "ppppppp", 61],
  ["auth::login", "wrong_password_is_slow_on_purpose", "ppppppp", 1240],
  ...Array.from({ length: 11 }, (_, index): Sketch => {
    const seen = index < 3 ? "fffffpp" : index < 5 ? "fffpfpp" : "ppppppp";
    return ["auth::login", `login_case_${index + 1}`, seen, 30 + index * 17];
  }),
  ...Array.from({ length: 12 }, (_, index): Sketch => {
    const seen = index < 4 ? "ffffffp" : index < 9 ? "ppppppp" : "....ppp";
    return ["auth::session", `session_survives_step_${index + 1}`, seen, 44 + ((index * 37) % 90)];
  }),
  ...["400", "401", "403", "404", "409", "410", "422", "429", "500"].map((status, index): Sketch => [
    "api::errors",
    `error_${status}_has_a_problem_body`,
    "ppppppp",
    9 + index,
  ]),
];

const THREE: readonly Sketch[] = [
  ["pricing", "a price is never negative", "p", 4],
  [
    "pricing",
    "rounding keeps the sum",
    "f",
    12,
    "expected 10.01, got 10.00",
    "at test/pricing.test.ts:41:18",
  ],
  ["pricing", "a currency without decimals", "s", null],
];

function sketched(sketches: readonly Sketch[], runs: number): SampleRuns {
  const outcome = (run: number, test: number) => LETTERS[sketches[test]?.[2][run] ?? ""] ?? null;
  return {
    runs,
    tests: sketches.length,
    outcome,
    row: (run, test) => {
      const [suite, name, , duration, message, stack] = sketches[test]!;
      const status = outcome(run, test) ?? "skipped";
      const says =
        status === "passed" ? null : (message ?? (status === "failed" ? "expected true, got false" : null));
      return {
        name,
        suite,
        status,
        duration_ms: duration === null ? null : duration + ((run * 13) % 7),
        error_message: says,
        stack_trace: status === "failed" ? (stack ?? null) : null,
      };
    },
  };
}

/** The same number for the same input, spread over 32 bits. */
function spread(seed: number): number {
  let value = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

const IN_SUITE = 250;

/** As many tests as a large repository has. */
function many(tests: number, runs: number): SampleRuns {
  const outcome = (run: number, test: number): RowOutcome => {
    const luck = spread(test) % 10_000;
    if (luck < 3) return "failed";
    if (luck < 40) return spread(test * 31 + run) % 3 === 0 ? "failed" : "passed";
    if (luck < 300) return "skipped";
    return luck < 500 && run < runs - 1 - (luck % 3) ? "failed" : "passed";
  };
  return {
    runs,
    tests,
    outcome,
    row: (run, test) => {
      const status = outcome(run, test);
      const suite = Math.floor(test / IN_SUITE);
      const file = `src/catalog/part_${suite % 40}/case_${suite}.spec.ts`;
      const failed = status === "failed";
      return {
        name: `keeps product ${test} in the cache for ${(spread(test) % 90) + 1} s`,
        suite: `catalog/part_${suite % 40} › case ${suite}`,
        status,
        duration_ms: status === "skipped" ? null : (spread(test + run) % 900) + 1,
        error_message: failed ? `expected hit, got miss (key product:${test})` : null,
        stack_trace: failed
          ? Array.from({ length: 40 }, (_, line) => `    at check (${file}:${line * 3 + 7}:11)`).join("\n")
          : null,
      };
    },
  };
}

/** The loops whose runs differ from those of the others, by id. */
const SPECIAL: Readonly<Record<string, () => SampleRuns>> = {
  "loop-v2-20260119T080000-prc": () => sketched(THREE, 1),
  "loop-v2-20260116T080000-fin": () => many(100_000, 5),
  "loop-v2-20260118T080000-imp": () => ({
    ...sketched([], 3),
    totals: [
      [120, 14, 2],
      [128, 6, 2],
      [131, 3, 2],
    ],
  }),
};

const made = new Map<string, SampleRuns>();

export function sampleRuns(row: Pick<LoopRow, "id">): SampleRuns {
  const name = Object.hasOwn(SPECIAL, row.id) ? row.id : "";
  const found = made.get(name) ?? SPECIAL[name]?.() ?? sketched(AUTH, 7);
  made.set(name, found);
  return found;
}

function totalsOf(runs: SampleRuns, run: number): readonly [number, number, number] {
  if (runs.totals) return runs.totals[run] ?? [0, 0, 0];
  const counted: Record<RowOutcome, number> = { passed: 0, failed: 0, skipped: 0, other: 0 };
  for (let test = 0; test < runs.tests; test += 1) {
    const outcome = runs.outcome(run, test);
    if (outcome) counted[outcome] += 1;
  }
  return [counted.passed, counted.failed, counted.skipped];
}

function runView(row: LoopRow, runs: SampleRuns, run: number): RunView {
  const [passed, failed, skipped] = totalsOf(runs, run);
  const total = passed + failed + skipped;
  return {
    iteration: run + 1,
    time: at(row.changed - MINUTE - (runs.runs - 1 - run) * 23 * MINUTE),
    total,
    passed,
    failed,
    skipped,
    pass_rate: Math.round((passed / Math.max(1, total)) * 1000) / 10,
    pass_rate_change: null,
    duration_ms: 8700 + run * 40 + total * 3,
    coverage: Math.min(97, 70 + run * 3 - (run % 3)),
    coverage_change: null,
    rows: runs.totals ? 0 : total,
  };
}

function since(run: RunView, at: number, all: readonly RunView[]): RunView {
  const before = all[at - 1];
  if (!before) return run;
  const points = (one: number | null, other: number | null) =>
    Math.round(((other ?? 0) - (one ?? 0)) * 10) / 10;
  return {
    ...run,
    pass_rate_change: points(before.pass_rate, run.pass_rate),
    coverage_change: points(before.coverage, run.coverage),
  };
}

function coverageFiles(count: number): CoverageFileView[] {
  const folders = ["src/auth", "src/limit", "src/api", "src/store"];
  const names = ["token", "refresh", "store", "session", "key", "errors", "routes"];
  return Array.from({ length: count }, (_, index) => {
    const share = (by: number) => (spread(index * 7 + by) % 600) / 10 + 40;
    const folder = folders[index % folders.length]!;
    return {
      path: `${folder}/${names[index % names.length]}${index < 28 ? "" : `_${index}`}.ts`,
      statements: share(1),
      branches: index % 5 === 4 ? null : share(2),
      functions: share(3),
      lines: share(4),
    };
  });
}

/** What the file of a sample loop says about its tests. */
export function sampleValidation(row: LoopRow): ValidationView {
  const runs = sampleRuns(row);
  const views = Array.from({ length: runs.runs }, (_, run) => runView(row, runs, run)).map(since);
  const last = runs.runs - 1;
  const failed: string[] = [];
  for (let test = 0; test < runs.tests && failed.length < 10; test += 1) {
    if (runs.outcome(last, test) === "failed") failed.push(runs.row(last, test).name);
  }
  return {
    pass_rate: runs.runs === 7 ? 95.5 : (views[last]?.pass_rate ?? null),
    coverage: views[last]?.coverage ?? null,
    passed: false,
    failed_tests: runs.totals ? ["importer › keeps the order", "importer › empty file"] : failed,
    last_run: at(row.changed - MINUTE),
    runs: views,
    coverage_files: runs.totals ? [] : coverageFiles(runs.tests > 1000 ? 2000 : runs.tests > 3 ? 14 : 0),
  };
}
