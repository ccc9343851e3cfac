import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type {
  CoverageFileView,
  RunView,
  TestEntry,
  TestLine,
  TestQuery,
  TextPlace,
} from "../src/host/bindings";
import type { Host } from "../src/host/host";
import { chartOf, pathOf, placeToPress } from "../src/views/loop/tests/chart";
import { failedText, runsText, summaryText, testText } from "../src/views/loop/tests/copy";
import { coverageOrder } from "../src/views/loop/tests/coverage";
import { testItem, itemOfRun, runOfItem, wordsOfItem } from "../src/views/loop/tests/item";
import { changeText, lineName } from "../src/views/loop/tests/line-words";
import { stackParts, withoutForeignFrames } from "../src/views/loop/tests/places";
import { TestLines } from "../src/views/loop/tests/test-lines.svelte";
import { Toggled } from "../src/views/loop/tests/toggled";
import { or, share } from "./any-value";

const run = (more: Partial<RunView> = {}): RunView => ({
  iteration: 1,
  time: null,
  total: 4,
  passed: 3,
  failed: 1,
  skipped: 0,
  pass_rate: 75,
  pass_rate_change: null,
  duration_ms: null,
  coverage: null,
  coverage_change: null,
  rows: 4,
  ...more,
});

const test = (more: Partial<TestEntry> = {}): TestEntry => ({
  index: 0,
  name: "adds",
  suite: "sum",
  outcome: "failed",
  own_word: null,
  duration_ms: 12,
  error: "expected 3",
  change: "new_failure",
  failing_for: 1,
  dots: ["passed", "failed"],
  ...more,
});

describe("places in a stack", () => {
  const place = (start: number, end: number): TextPlace => ({
    start,
    end,
    file: "a.ts",
    line: 1,
    column: null,
  });

  it("stand alone", () => {
    const parts = stackParts("at ä.ts:1 (b.ts:2)", [place(3, 9), place(11, 17)]);
    expect(parts.map((part) => part.text)).toEqual(["at ", "ä.ts:1", " (", "b.ts:2", ")"]);
    expect(parts.map((part) => part.place !== null)).toEqual([false, true, false, true, false]);
  });

  it("leave the text as it is, wherever they are said to be", () => {
    const any = fc.record({ start: fc.integer({ min: -2, max: 40 }), end: fc.integer({ min: -2, max: 40 }) });
    fc.assert(
      fc.property(fc.string(), fc.array(any), (all, spans) => {
        const parts = stackParts(
          all,
          spans.map(({ start, end }) => place(start, end)),
        );
        expect(parts.map((part) => part.text).join("")).toBe(all);
      }),
    );
  });
});

describe("a stack", () => {
  const text = "boom\nat a (node:x:1)\n    at b (src/b.ts:2)\nat c (lib/c.js:3)\nleft: 1";
  const at = (said: string): TextPlace => {
    const start = text.indexOf(said);
    return { start, end: start + said.length, file: said.split(":")[0]!, line: 1, column: null };
  };
  const places = [at("src/b.ts:2"), at("lib/c.js:3")];

  it("shows its message and the frames that are in the folder", () => {
    const own = withoutForeignFrames(text, places, (file) => file === "src/b.ts");
    expect(own.text).toBe("boom\n    at b (src/b.ts:2)\nleft: 1");
    expect(stackParts(own.text, own.places).map((part) => part.text)).toEqual([
      "boom\n    at b (",
      "src/b.ts:2",
      ")\nleft: 1",
    ]);
  });

  it("is whole where none of its frames is", () => {
    expect(withoutForeignFrames(text, places, () => false).text).toBe(text);
  });
});

describe("the chart of runs", () => {
  it("stays within its lines, whatever the file says", () => {
    const runs = fc.array(fc.record({ pass_rate: or(share), coverage: or(share) }), { maxLength: 60 });
    fc.assert(
      fc.property(runs, (all) => {
        const chart = chartOf(all.map((one) => run(one)));
        expect(chart.runs.length).toBe(Math.min(30, all.length));
        for (const { x, rate, coverage } of chart.runs) {
          for (const value of [x, rate ?? 0, coverage ?? 0]) {
            expect(value).toBeGreaterThanOrEqual(0);
            expect(value).toBeLessThanOrEqual(1);
          }
        }
      }),
    );
  });

  it("keeps the newest runs, and a broken line where a run says nothing", () => {
    const all = Array.from({ length: 40 }, () => run({ pass_rate: 90 }));
    expect(chartOf(all).runs[0]?.run).toBe(10);
    expect(
      pathOf([
        { x: 0, y: 1 },
        { x: 1, y: null },
        { x: 2, y: 3 },
        { x: 3, y: 4 },
      ]),
    ).toBe("M0.0 1.0M2.0 3.0L3.0 4.0");
  });

  it("has its places to press within it, however few the runs are", () => {
    for (const runs of [1, 2, 3, 30]) {
      const step = 216 / Math.max(1, runs - 1);
      for (let at = 0; at < runs; at += 1) {
        const { left, width } = placeToPress(8 + at * step, step, 232);
        expect(left).toBeGreaterThanOrEqual(0);
        expect(left + width).toBeLessThan(232.1);
        expect(width).toBeGreaterThan(7.5);
      }
    }
  });
});

describe("what a link names", () => {
  it("is a test by suite and name, found by its words", () => {
    const item = testItem({ suite: "auth › token", name: "rotates old" });
    expect(item).toBe("auth › token › rotates old");
    expect(wordsOfItem(item)).toBe("auth token rotates old");
    expect(runOfItem(item)).toBeNull();
    expect(testItem({ suite: "", name: "alone" })).toBe("alone");
  });

  it("or a run by its number", () => {
    expect(runOfItem(itemOfRun(6))).toBe(6);
    expect(itemOfRun(0)).toBe("run-1");
  });
});

describe("words of a line", () => {
  it("count the runs a test fails for", () => {
    const still = test({ change: "still_failing", failing_for: 3 });
    expect(changeText(still, 2)).toBe("failing for 3 runs");
    expect(changeText({ ...still, failing_for: 1 }, 2)).toBe("still failing");
    expect(changeText(test({ change: "fixed" }), 4)).toBe("fixed in run 5");
  });

  it("name everything a row shows", () => {
    expect(lineName({ kind: "test", ...test() }, 1)).toBe(
      "sum › adds, Failed, 12 ms, new failure, expected 3",
    );
    const suite = { suite: "", open: true, tests: 9, failed: 2, skipped: 1, duration_ms: null };
    expect(lineName({ kind: "suite", ...suite }, 1)).toBe("No suite, 9 tests, 2 of 9 failed");
    expect(lineName(undefined, 1)).toBe("Loading…");
    expect(lineName({ kind: "test", ...test({ outcome: "other", own_word: "quarantined" }) }, 1)).toContain(
      "quarantined",
    );
  });

  it("measure nothing where nothing ran", () => {
    const skipped = { kind: "test" as const, ...test({ outcome: "skipped", duration_ms: null }) };
    expect(lineName(skipped, 1)).not.toContain("ms");
    expect(lineName({ ...skipped, duration_ms: 3 }, 1)).toContain("3 ms");
  });
});

describe("coverage by file", () => {
  const file = (path: string, statements: number | null): CoverageFileView => ({
    path,
    statements,
    branches: null,
    functions: null,
    lines: null,
  });
  const files = [file("src/b.ts", 90), file("src/a.ts", null), file("test/c.ts", 40), file("src/d.ts", 40)];
  const order = (by: "statements" | "path", down: boolean, text = "") =>
    coverageOrder(files, text, { by, down }, new Intl.Collator("en")).map((one) => one.path);

  it("has the least covered first, and what is not known last in both directions", () => {
    expect(order("statements", false)).toEqual(["src/d.ts", "test/c.ts", "src/b.ts", "src/a.ts"]);
    expect(order("statements", true)).toEqual(["src/b.ts", "src/d.ts", "test/c.ts", "src/a.ts"]);
    expect(order("path", true)[0]).toBe("test/c.ts");
    expect(order("path", false, "SRC .ts")).toEqual(["src/a.ts", "src/b.ts", "src/d.ts"]);
  });
});

describe("suites as a person left them", () => {
  const suite = (name: string, open: boolean): [number, TestLine] => [
    0,
    { kind: "suite", suite: name, open, tests: 1, failed: 0, skipped: 0, duration_ms: null },
  ];

  it("stay so when a run changes what is usual", () => {
    const toggled = new Toggled();
    toggled.under(false, "");
    toggled.flip("a", true);
    expect(toggled.list()).toEqual(["a"]);
    // The suite fails now: open is the usual, and against the usual would be closed.
    expect(toggled.settle([suite("a", false)])).toBe(true);
    expect(toggled.list()).toEqual([]);
    expect(toggled.settle([suite("a", true), suite("b", true)])).toBe(false);
  });

  it("wait while something is filtered, and are forgotten for a filter that is gone", () => {
    const toggled = new Toggled();
    toggled.under(false, "");
    toggled.flip("a", true);
    toggled.under(true, "one");
    expect(toggled.list()).toEqual([]);
    toggled.flip("b", false);
    toggled.under(true, "two");
    expect(toggled.list()).toEqual([]);
    toggled.under(false, "");
    expect(toggled.list()).toEqual(["a"]);
  });
});

describe("pages of lines", () => {
  const asked = { run: 0, text: "", chips: [], sort: "name" as const, toggled: [] };
  const line = (at: number): TestLine => ({ kind: "test", ...test({ index: at, name: `t${at}` }) });

  /** Answers when it is told to. */
  function slowHost(total: number) {
    const waiting: { query: TestQuery; answer: () => void; fail: () => void }[] = [];
    const tests = (_: string, query: TestQuery) =>
      new Promise((resolve, reject) => {
        const end = Math.min(total, query.offset + query.limit);
        const lines = Array.from({ length: Math.max(0, end - query.offset) }, (_, at) =>
          line(query.offset + at),
        );
        const answer = () => resolve({ total, offset: query.offset, lines, counts: {}, failures: [] });
        waiting.push({ query, answer, fail: () => reject({ kind: "io", args: {}, refusal: null }) });
      });
    return { host: { tests } as unknown as Host, waiting };
  }
  const name = (lines: TestLines, at: number) => {
    const found = lines.line(at);
    return found?.kind === "test" ? found.name : undefined;
  };

  it("keep what is on screen until the new answer is whole", async () => {
    const { host, waiting } = slowHost(1000);
    const lines = new TestLines(host, "k");
    const first = lines.ask(asked, 0, 20);
    waiting.shift()!.answer();
    expect(await first).toBe(true);
    const second = lines.ask({ ...asked, text: "x" }, 150, 250);
    expect(waiting).toHaveLength(2);
    waiting.shift()!.answer();
    expect(name(lines, 0)).toBe("t0");
    expect(lines.answered?.text).toBe("");
    waiting.shift()!.answer();
    await second;
    expect(lines.answered?.text).toBe("x");
    expect([name(lines, 199), name(lines, 200), name(lines, 400)]).toEqual(["t199", "t200", undefined]);
  });

  it("drop an answer that comes too late", async () => {
    const { host, waiting } = slowHost(10);
    const lines = new TestLines(host, "k");
    const old = lines.ask({ ...asked, text: "old" }, 0, 10);
    const now = lines.ask({ ...asked, text: "now" }, 0, 10);
    waiting[1]!.answer();
    waiting[0]!.answer();
    expect([await old, await now]).toEqual([false, true]);
    expect(lines.answered?.text).toBe("now");
  });

  it("read only the last of the pages that a person scrolls past", async () => {
    const { host, waiting } = slowHost(100_000);
    const lines = new TestLines(host, "k");
    const first = lines.ask(asked, 0, 20);
    waiting.shift()!.answer();
    await first;
    const reading = lines.show(1000, 1020, []);
    for (const at of [20_000, 40_000, 60_000]) void lines.show(at, at + 20, []);
    expect(waiting).toHaveLength(1);
    waiting.shift()!.answer();
    await reading;
    expect(waiting.map((one) => one.query.offset)).toEqual([60_000]);
    expect(name(lines, 1000)).toBe("t1000");
  });

  it("forget the oldest, but none with an opened test", async () => {
    const { host, waiting } = slowHost(100_000);
    const lines = new TestLines(host, "k");
    const first = lines.ask(asked, 0, 20);
    waiting.shift()!.answer();
    await first;
    for (let page = 1; page <= 40; page += 1) {
      const read = lines.show(page * 200, page * 200 + 10, [3]);
      waiting.shift()!.answer();
      await read;
    }
    expect([...lines.known()].length).toBe(16 * 200);
    expect([name(lines, 3), name(lines, 250), name(lines, 8001)]).toEqual(["t3", undefined, "t8001"]);
  });

  it("keep the lines when the host fails, and say so", async () => {
    const { host, waiting } = slowHost(10);
    const lines = new TestLines(host, "k");
    const first = lines.ask(asked, 0, 10);
    waiting.shift()!.answer();
    await first;
    const second = lines.ask(asked, 0, 10);
    waiting.shift()!.fail();
    expect(await second).toBe(false);
    expect([lines.failure?.kind, name(lines, 4), lines.busy]).toEqual(["io", "t4", false]);
  });
});

describe("Markdown to paste", () => {
  it("says a run in sentences", () => {
    const runs = [run(), run({ passed: 4, failed: 0, pass_rate: 100, coverage: 85 })];
    const counts = { all: 4, failed: 0, passed: 4, skipped: 0, new_failures: 0, fixed: 1, flaky: 0 };
    expect(summaryText(runs, 1, counts)).toBe(
      "Run 2 of 2: 4 of 4 passed (100.0%), 0 failed, 0 skipped. Coverage 85%. Since run 1: 1 fixed, new failures: 0.",
    );
    expect(summaryText([], -1, null)).toBe("");
  });

  it("lists failed tests as code, with what is left out", () => {
    const text = failedText("Add *login*", 6, { all: 44, failed: 3 }, [test({ error: "a `b` | c" })]);
    expect(text).toBe(
      "**3 of 44 tests failed in run 7 of Add \\*login\\***\n\n- `sum › adds`\n  ``a `b` | c``\n\n2 more\n",
    );
  });

  it("keeps a stack a block, whatever it holds", () => {
    expect(testText(test(), null, "one\n```\ntwo")).toBe(
      "**Failed** `sum › adds` · 12 ms\n\n````\none\n```\ntwo\n````\n",
    );
  });

  it("has a row for every run, newest first", () => {
    const lines = runsText([
      run({ iteration: 3 }),
      run({ iteration: 4, passed: 4, failed: 0, pass_rate: 100, pass_rate_change: 25 }),
    ]).split("\n");
    expect(lines[2]).toBe("| 2 | 4 | – | 4 | 4 | 0 | 0 | 100.0% | +25 | – |");
    expect(lines[3]).toContain("| 1 | 3 |");
  });
});
