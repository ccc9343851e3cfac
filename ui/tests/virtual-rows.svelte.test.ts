import fc from "fast-check";
import { flushSync } from "svelte";
import { afterEach, describe, expect, it } from "vitest";
import { VirtualRows } from "../src/state/virtual-rows.svelte";

const VIEW = 300;
let ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends) end();
  ends = [];
});

/** Rows in a box as a page lays it out. */
function shown(
  heights: () => readonly number[],
  more: { keep?: () => readonly number[]; start?: number } = {},
) {
  const box = document.createElement("div");
  Object.defineProperty(box, "clientHeight", { value: VIEW });
  document.body.append(box);
  let rows!: VirtualRows;
  ends.push(
    $effect.root(() => {
      rows = new VirtualRows({
        rows: () => ({ count: heights().length, height: (index) => heights()[index] ?? 0 }),
        overscan: () => 2,
        ...more,
      });
      $effect(() => rows.attach(box) ?? undefined);
    }),
  );
  flushSync();
  return { rows, box, drawn: () => rows.drawn.map(({ index }) => index) };
}

const sum = (heights: readonly number[], end: number) =>
  heights.slice(0, end).reduce((all, one) => all + one, 0);
const mixed = Array.from({ length: 10_000 }, (_, index) => (index % 100 === 0 ? 40 : 46));

describe("long lists", () => {
  it("draw what is in view and little more, from wherever it is scrolled to", () => {
    const { rows, drawn } = shown(() => mixed);
    expect(drawn()[0]).toBe(0);
    expect(rows.height).toBe(sum(mixed, mixed.length));
    rows.to(100_000);
    const first = drawn()[0]!;
    const last = drawn().at(-1)!;
    expect(rows.startOf(first)).toBeLessThanOrEqual(100_000);
    expect(rows.startOf(last + 1)).toBeGreaterThanOrEqual(100_000 + VIEW);
    expect(drawn().length).toBeLessThan(14);
    expect([rows.first, rows.end]).toEqual([first, last + 1]);
  });

  it("know where every row begins, and which one is at a height", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 80 }), (heights) => {
        const { rows } = shown(() => heights);
        for (let index = 0; index < heights.length; index += 1) {
          expect(rows.startOf(index)).toBe(sum(heights, index));
          expect(rows.at(sum(heights, index))).toBe(index);
          expect(rows.at(sum(heights, index + 1) - 0.5)).toBe(index);
        }
        expect(rows.startOf(heights.length)).toBe(rows.height);
      }),
      { numRuns: 30 },
    );
  });

  it("move as little as possible to show a row, and show the beginning of a tall one", () => {
    const heights = Array.from({ length: 100 }, (_, index) => (index === 50 ? 900 : 30));
    const { rows, box } = shown(() => heights);
    rows.reveal(3);
    expect(box.scrollTop).toBe(0);
    rows.reveal(20);
    expect(box.scrollTop).toBe(21 * 30 - VIEW);
    rows.reveal(2);
    expect(box.scrollTop).toBe(60);
    rows.reveal(1, 20);
    expect(box.scrollTop).toBe(10);
    rows.reveal(50);
    expect(box.scrollTop).toBe(1500);
  });

  it("keep a row that may hold the focus, in its order", () => {
    let kept = $state(7);
    const { rows, drawn } = shown(() => mixed, { keep: () => [kept, -1, 20_000] });
    rows.to(100_000);
    expect(drawn()[0]).toBe(7);
    expect(rows.first).toBeGreaterThan(2_000);
    kept = 9_999;
    expect(drawn().at(-1)).toBe(9_999);
    expect(drawn()).not.toContain(7);
  });

  it("never mix old rows with new places", () => {
    let heights = $state.raw<readonly number[]>(mixed);
    const { rows, drawn } = shown(() => heights);
    rows.to(300_000);
    heights = [30, 30, 30];
    expect(drawn()).toEqual([0, 1, 2]);
    expect(rows.height).toBe(90);
    heights = [];
    expect(drawn()).toEqual([]);
    expect(rows.height).toBe(0);
  });

  it("begin where they were left", () => {
    const { rows, box } = shown(() => mixed, { start: 4_600 });
    expect(box.scrollTop).toBe(4_600);
    expect(rows.first).toBeGreaterThan(90);
  });
});
