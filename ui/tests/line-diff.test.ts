import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  lineDifferences,
  splitLines,
  MOST_LINES,
  oneColumn,
  sideBySide,
  changeStarts,
  rowsUnmarked,
} from "../src/state/line-diff";
import { LINE_HEIGHT, lineWindow, topOfLine } from "../src/state/line-window";
import { wholeText } from "../src/state/whole-text";
import { shownLine } from "../src/components/diff";

const lines = fc.array(fc.constantFrom("{", "}", "a", "b", "c", "d1", "d2", "d3"), { maxLength: 60 });

describe("the line diff", () => {
  it("names what was changed, added and removed, and nothing else", () => {
    expect(lineDifferences(["a", "b", "c"], ["a", "x", "c", "d"])).toEqual([
      { leftFrom: 1, leftTo: 2, rightFrom: 1, rightTo: 2 },
      { leftFrom: 3, leftTo: 3, rightFrom: 3, rightTo: 4 },
    ]);
    expect(lineDifferences(["a", "b"], ["a", "b"])).toEqual([]);
    expect(lineDifferences([], ["a"])).toEqual([{ leftFrom: 0, leftTo: 0, rightFrom: 0, rightTo: 1 }]);
  });

  it("finds a block that was put in among lines that repeat", () => {
    const task = (id: number) => ["{", `id ${id}`, "},"];
    const found = lineDifferences([...task(1), ...task(3)], [...task(1), ...task(2), ...task(3)]);
    expect(found).toHaveLength(1);
    expect(found![0]!.rightTo - found![0]!.rightFrom).toBe(3);
    expect(found![0]!.leftTo - found![0]!.leftFrom).toBe(0);
  });

  it("shows every line of both texts exactly once, in order, and marks no equal pair", () => {
    fc.assert(
      fc.property(lines, lines, (left, right) => {
        const found = lineDifferences(left, right)!;
        for (const rows of [sideBySide(left.length, found), oneColumn(left.length, found)]) {
          expect(rows.flatMap((row) => row.left ?? [])).toEqual(left.map((_, at) => at));
          expect(rows.flatMap((row) => row.right ?? [])).toEqual(right.map((_, at) => at));
          for (const row of rows) {
            if (!row.differs) expect(left[row.left!]).toBe(right[row.right!]);
          }
          expect(changeStarts(rows)).toHaveLength(found.length);
        }
      }),
    );
  });

  it("is as short as it can be for small texts without a line that occurs once", () => {
    const found = lineDifferences(["a", "b", "a", "b"], ["b", "a", "b", "a"])!;
    const lost = found.reduce((sum, one) => sum + one.leftTo - one.leftFrom, 0);
    expect(lost).toBe(1);
  });

  it("copes with texts of the longest kind that share nothing, or repeat one line", () => {
    const own = (name: string) => Array.from({ length: MOST_LINES }, (_, at) => `${name} ${at}`);
    expect(lineDifferences(own("a"), own("b"))).toHaveLength(1);
    const same = Array.from({ length: MOST_LINES }, () => "}");
    expect(lineDifferences(same, ["x", ...same.slice(2), "y"])!.length).toBeGreaterThan(0);
  });

  it("gives up above its limit, and shows both texts without marks", () => {
    const long = Array.from({ length: MOST_LINES + 1 }, () => "a");
    expect(lineDifferences(long, ["a"])).toBeNull();
    const rows = rowsUnmarked(long.length, 1);
    expect(rows).toHaveLength(long.length);
    expect(rows[1]).toEqual({ left: 1, right: null, differs: false });
  });
});

describe("a text as lines", () => {
  it("has no further line behind the last line end", () => {
    expect(splitLines("a\nb\n")).toEqual(["a", "b"]);
    expect(splitLines("a\n\n")).toEqual(["a", ""]);
    expect(splitLines("")).toEqual([]);
  });

  it("shows the line end of other systems, and cuts what nobody reads", () => {
    expect(shownLine("a\r")).toBe("a␍");
    expect(shownLine("x".repeat(5_000))).toHaveLength(2_001);
  });

  it("is read page by page, and not at all when it is too long", async () => {
    const text = Array.from({ length: 4_500 }, (_, at) => `line ${at}`);
    const asked: number[] = [];
    const read = (total: number) => async (first: number, count: number) => {
      asked.push(first);
      const page = text.slice(first - 1, first - 1 + count);
      return { file: "f", first, lines: page, total, size: 1, log: false, lossy: false };
    };
    expect(await wholeText(read(text.length))).toEqual(text);
    expect(asked).toEqual([1, 2_001, 4_001]);
    expect(await wholeText(read(MOST_LINES + 1))).toBeNull();
  });
});

describe("lines of equal height", () => {
  it("are only those near the view, wherever it is", () => {
    const view = lineWindow(10_000, 5_000 * LINE_HEIGHT, 600);
    expect(view.first).toBe(4_980);
    expect(view.end).toBe(5_054);
    expect(view.offset).toBe(view.first * LINE_HEIGHT);
  });

  it("reach the last line of a text taller than browsers can place", () => {
    const count = 2_000_000;
    const top = topOfLine(count - 1, count, 600);
    expect(lineWindow(count, top, 600).end).toBe(count);
    expect(lineWindow(count, top, 600).height).toBeLessThan(9_000_000);
  });
});
