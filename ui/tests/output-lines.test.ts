import { describe, expect, it } from "vitest";
import type { OutputRow } from "../src/host/bindings";
import { Lines } from "../src/views/loop/output/lines";

const rows = Array.from({ length: 1_000 }, (_, index): OutputRow => ({
  at: index * 400,
  kind: "text",
  name: "",
  text: `row ${index}`,
  cut: null,
  ok: null,
  depth: 0,
}));
const there = (index: number) => rows[index];
const slots = (lines: Lines, first: number, end: number) =>
  new Set(lines.draw(first, end, there).map(({ slot }) => slot));

describe("drawn rows", () => {
  it("are the same list while nothing of them changed, whatever came elsewhere", () => {
    const lines = new Lines();
    const before = lines.draw(100, 180, there);
    expect(lines.draw(100, 180, there)).toBe(before);
    expect(lines.draw(100, 180, (index) => (index === 130 ? { ...rows[130]! } : rows[index]))).not.toBe(
      before,
    );
  });

  it("are the same objects after a scroll, but those that came", () => {
    const lines = new Lines();
    const before = lines.draw(100, 180, there);
    const after = lines.draw(87, 167, there);
    expect(after.map(({ index }) => index)).toEqual(Array.from({ length: 80 }, (_, at) => 87 + at));
    // The first row shows its second; below another one it need not.
    const changed = after.filter((line) => !before.includes(line)).map(({ index }) => index);
    expect(changed.filter((index) => index > 100)).toEqual([]);
    expect(after.find(({ index }) => index === 140)).toBe(before[40]);
  });

  it("take the elements of rows that left, and make none", () => {
    const lines = new Lines();
    const made = slots(lines, 100, 180);
    expect(made.size).toBe(80);
    for (const first of [87, 60, 400, 401, 0, 900]) expect(slots(lines, first, first + 80)).toEqual(made);
    expect(slots(lines, 905, 975).size).toBe(70);
    const [kept] = lines.draw(940, 980, there);
    expect(lines.draw(930, 960, there)[10]?.slot).toBe(kept?.slot);
  });

  it("say their second once, and again where the one above is not drawn or of another", () => {
    const told = (first: number) => new Lines().draw(first, first + 6, there).map(({ sameTime }) => sameTime);
    expect(told(0)).toEqual([false, true, true, false, true, false]);
    expect(told(1)).toEqual([false, true, false, true, false, true]);
  });

  it("are the result of the call above, and of no other row", () => {
    const kinds = ["tool_start", "tool_end", "tool_end", "edit", "text", "tool_end"] as const;
    const drawn = new Lines().draw(0, 6, (index) => ({ ...rows[index]!, kind: kinds[index]! }));
    expect(drawn.map(({ isResult }) => isResult)).toEqual([false, true, false, false, false, false]);
    const nested = new Lines().draw(0, 2, (index) => ({
      ...rows[index]!,
      kind: kinds[index]!,
      depth: index,
    }));
    expect(nested[1]?.isResult).toBe(false);
  });

  it("change when what was on its way has come", () => {
    const lines = new Lines();
    const [coming] = lines.draw(5, 6, () => undefined);
    const [come] = lines.draw(5, 6, there);
    expect([coming?.row, come?.row, come?.slot]).toEqual([undefined, rows[5], coming?.slot]);
  });
});
