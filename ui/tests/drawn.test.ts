import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Drawn } from "../src/state/drawn";

const rows = (...keys: string[]) => keys.map((key) => ({ key }));
const elements = (drawn: Drawn<{ key: string }>, keys: string[], lend: boolean) =>
  [...drawn.place(rows(...keys), lend).values()].map(({ element }) => element);

describe("elements of rows", () => {
  it("stay with the rows that stay", () => {
    const drawn = new Drawn<{ key: string }>();
    const [a, b] = elements(drawn, ["a", "b"], false);
    expect(elements(drawn, ["b", "a"], false)).toEqual([b, a]);
    expect(drawn.spare).toEqual([]);
  });

  it("that were typed away are taken by the rows that come, in the order on screen", () => {
    const drawn = new Drawn<{ key: string }>();
    const [a, b, c] = elements(drawn, ["a", "b", "c"], false);
    expect(elements(drawn, ["d"], true)).toEqual([a]);
    expect(drawn.spare.map(({ row }) => row.key).sort()).toEqual(["b", "c"]);
    expect(new Set(elements(drawn, ["e", "d", "f"], false))).toEqual(new Set([a, b, c]));
    expect(drawn.spare).toEqual([]);
  });

  it("stand where they stood while somebody types, whichever rows they draw", () => {
    const drawn = new Drawn<{ key: string }>();
    const standing = elements(drawn, ["a", "b", "c", "d"], false);
    for (const keys of [["d", "a"], [], ["c", "x", "a", "y"], ["y"]]) {
      const shown = elements(drawn, keys, true);
      expect([...shown, ...drawn.spare.map(({ element }) => element)]).toEqual(standing);
    }
  });

  it("are gone with rows that leave by themselves", () => {
    const drawn = new Drawn<{ key: string }>();
    const [a] = elements(drawn, ["a"], false);
    expect(elements(drawn, ["b"], false)).not.toEqual([a]);
    expect(drawn.spare).toEqual([]);
  });

  it("draw one row each, and never more than were ever in sight at once", () => {
    const some = fc.uniqueArray(fc.constantFrom(..."abcdefghijkl"), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(fc.tuple(some, fc.boolean())), (steps) => {
        const drawn = new Drawn<{ key: string }>();
        let most = 0;
        for (const [keys, lend] of steps) {
          most = Math.max(most, keys.length);
          const all = [...elements(drawn, keys, lend), ...drawn.spare.map(({ element }) => element)];
          expect(new Set(all).size).toBe(all.length);
          expect(all.length).toBeLessThanOrEqual(most);
        }
      }),
    );
  });
});
