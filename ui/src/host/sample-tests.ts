import type {
  LoopRow,
  RowOutcome,
  TestChange,
  TestChip,
  TestCounts,
  TestEntry,
  TestLine,
  TestQuery,
  TestRow,
  TestTablePage,
} from "./bindings";
import { sampleRuns, type SampleRuns } from "./sample-runs";

const COMPARED = 10;
const CHIPS: readonly TestChip[] = ["failed", "passed", "skipped", "new_failures", "fixed", "flaky"];
const ORDER: readonly RowOutcome[] = ["failed", "other", "skipped", "passed"];

/** One run of a sample, as the core would know it. */
interface Table {
  readonly rows: readonly TestRow[];
  readonly outcomes: readonly RowOutcome[];
  readonly changes: readonly (TestChange | null)[];
  readonly dots: (at: number) => (RowOutcome | null)[];
  readonly compared: boolean;
}

function changeOf(dots: readonly (RowOutcome | null)[]): TestChange | null {
  const decided = dots.filter((one) => one === "passed" || one === "failed");
  const turns = decided.filter((one, at) => at > 0 && one !== decided[at - 1]).length;
  const [now, before] = [dots.at(-1), dots.at(-2)];
  if (dots.length < 2) return null;
  if (turns >= 3) return "flaky";
  if (now === "failed") return before === "failed" ? "still_failing" : "new_failure";
  return now === "passed" && before === "failed" ? "fixed" : null;
}

function tableOf(runs: SampleRuns, run: number): Table {
  const tests: number[] = [];
  for (let test = 0; test < runs.tests; test += 1) if (runs.outcome(run, test)) tests.push(test);
  const first = Math.max(0, run - COMPARED + 1);
  const dots = (at: number) =>
    Array.from({ length: run - first + 1 }, (_, back) => runs.outcome(first + back, tests[at]!));
  return {
    rows: tests.map((test) => runs.row(run, test)),
    outcomes: tests.map((test) => runs.outcome(run, test)!),
    changes: tests.map((_, at) => changeOf(dots(at))),
    dots,
    compared: run > 0,
  };
}

/** The last used table and order: scrolling asks for the same ones again. */
const kept: { runs?: SampleRuns; run?: number; table?: Table; query?: string; plan?: Plan } = {};

function keptTable(row: Pick<LoopRow, "id">, run: number): Table {
  const runs = sampleRuns(row);
  if (!kept.table || kept.runs !== runs || kept.run !== run) {
    Object.assign(kept, { runs, run, table: tableOf(runs, run), query: undefined });
  }
  return kept.table!;
}

function has(table: Table, at: number, chip: TestChip): boolean {
  if (chip === "new_failures") return table.changes[at] === "new_failure";
  if (chip === "fixed" || chip === "flaky") return table.changes[at] === chip;
  return table.outcomes[at] === chip;
}

type PlanLine =
  { readonly suite: string; readonly open: boolean; readonly tests: readonly number[] } | number;

interface Plan {
  readonly lines: readonly PlanLine[];
  readonly counts: TestCounts;
  readonly failures: readonly number[];
}

function suited(table: Table, shown: readonly number[], query: TestQuery, filtered: boolean): PlanLine[] {
  const suites = new Map<string, number[]>();
  for (const at of shown) {
    const { suite } = table.rows[at]!;
    const tests = suites.get(suite);
    if (tests) tests.push(at);
    else suites.set(suite, [at]);
  }
  const failing = (tests: readonly number[]) => tests.some((at) => table.outcomes[at] === "failed");
  const sorted = [...suites]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([suite, tests]) => ({ suite, tests, failing: failing(tests) }))
    .sort((a, b) => Number(b.failing) - Number(a.failing));
  return sorted.flatMap(({ suite, tests, failing: fails }): PlanLine[] => {
    const usual = filtered || sorted.length === 1 || fails;
    const open = usual !== query.toggled.includes(suite);
    const rank = (at: number) => ORDER.indexOf(table.outcomes[at]!);
    return [{ suite, open, tests }, ...(open ? [...tests].sort((a, b) => rank(a) - rank(b)) : [])];
  });
}

function planOf(table: Table, query: TestQuery): Plan {
  const words = query.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (query.file) words.push(query.file.slice(query.file.lastIndexOf("/") + 1).toLowerCase());
  const holds = (row: TestRow) => {
    const all = `${row.suite}\n${row.name}\n${row.error_message ?? ""}`.toLowerCase();
    return words.every((word) => all.includes(word));
  };
  const matching = table.rows.flatMap((row, at) => (words.length === 0 || holds(row) ? [at] : []));
  const counts = { all: matching.length } as TestCounts;
  for (const chip of CHIPS) counts[chip] = matching.filter((at) => has(table, at, chip)).length;
  const shown = matching.filter(
    (at) => query.chips.length === 0 || query.chips.some((chip) => has(table, at, chip)),
  );
  const { rows } = table;
  const took = (at: number) => rows[at]!.duration_ms ?? -1;
  const filtered = words.length > 0 || query.chips.length > 0;
  const lines: PlanLine[] =
    query.sort === "failed_first"
      ? suited(table, shown, query, filtered)
      : query.sort === "slowest"
        ? shown.sort((a, b) => took(b) - took(a))
        : shown.sort((a, b) => (rows[a]!.name < rows[b]!.name ? -1 : 1));
  const failures = lines.flatMap((line, place) =>
    typeof line === "number" && table.outcomes[line] === "failed" ? [place] : [],
  );
  return { lines, counts, failures: failures.slice(0, 1000) };
}

function entry(table: Table, at: number): TestEntry {
  const row = table.rows[at]!;
  const dots = table.dots(at);
  return {
    index: at,
    name: row.name,
    suite: row.suite,
    outcome: table.outcomes[at]!,
    own_word: null,
    duration_ms: row.duration_ms,
    error: row.error_message,
    change: table.changes[at]!,
    failing_for: dots.length - 1 - dots.findLastIndex((dot) => dot !== "failed"),
    dots,
  };
}

function lineOf(table: Table, line: PlanLine): TestLine {
  if (typeof line === "number") return { kind: "test", ...entry(table, line) };
  const { suite, open, tests } = line;
  const count = (outcome: RowOutcome) => tests.filter((at) => table.outcomes[at] === outcome).length;
  const took = tests.reduce((sum, at) => sum + (table.rows[at]!.duration_ms ?? 0), 0);
  return {
    kind: "suite",
    suite,
    open,
    tests: tests.length,
    failed: count("failed"),
    skipped: count("skipped"),
    duration_ms: took,
  };
}

/** The lines that `query` asks for; the rules are the core's, written again for a host without it. */
export function testTable(row: Pick<LoopRow, "id">, query: TestQuery): TestTablePage {
  const table = keptTable(row, query.run);
  const asked = JSON.stringify({ ...query, offset: 0, limit: 0 });
  if (!kept.plan || kept.query !== asked) Object.assign(kept, { query: asked, plan: planOf(table, query) });
  const { lines, counts, failures } = kept.plan!;
  const longest = table.rows.reduce((most, one) => Math.max(most, one.duration_ms ?? 0), 0);
  return {
    total: lines.length,
    offset: query.offset,
    lines: lines.slice(query.offset, query.offset + query.limit).map((line) => lineOf(table, line)),
    counts,
    longest_ms: longest > 0 ? longest : null,
    compared: table.compared,
    failures: [...failures],
  };
}

/** Tests of a run as the file lists them. */
export function testRowsOf(row: Pick<LoopRow, "id">, run: number): readonly TestRow[] {
  return keptTable(row, run).rows;
}
