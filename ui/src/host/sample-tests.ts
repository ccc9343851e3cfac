import type { Outcome, TestCounts, TestEntry, TestQuery, TestRow, TestTablePage } from "./bindings";

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  passed: "passed",
  failed: "failed",
  skipped: "skipped",
};

function entry(row: TestRow, index: number): TestEntry {
  const outcome = OUTCOMES[row.status] ?? "other";
  return {
    index,
    name: row.name,
    suite: row.suite,
    outcome,
    status: row.status,
    duration_ms: row.duration_ms,
    error: row.error_message,
    change: null,
    dots: [outcome],
  };
}

function counts(entries: readonly TestEntry[]): TestCounts {
  const of = (outcome: Outcome) => entries.filter((one) => one.outcome === outcome).length;
  return {
    all: entries.length,
    failed: of("failed"),
    passed: of("passed"),
    skipped: of("skipped"),
    new_failures: 0,
    fixed: 0,
    flaky: 0,
  };
}

/** The whole run, test by test: suites, filters, order and earlier runs are the core's business. */
export function testTable(rows: readonly TestRow[], { offset, limit }: TestQuery): TestTablePage {
  const entries = rows.map(entry);
  const durations = entries.flatMap((one) => one.duration_ms ?? []);
  return {
    total: entries.length,
    offset,
    lines: entries.slice(offset, offset + limit).map((one) => ({ kind: "test", ...one })),
    counts: counts(entries),
    longest_ms: durations.length > 0 ? Math.max(...durations) : null,
    compared: false,
    failures: entries.filter((one) => one.outcome === "failed").map((one) => one.index),
  };
}
