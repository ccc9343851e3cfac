import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NONE_DRAWN, redrawn, type Drawn } from "../src/state/drawn";

/** A list that is drawn again and again. */
class List {
  #drawn: Drawn<{ key: string }> = NONE_DRAWN;

  get spare() {
    return this.#drawn.spare;
  }

  /** The elements of the rows that are shown now. */
  show(keys: readonly string[], lend: boolean): number[] {
    const rows = keys.map((key) => ({ key }));
    this.#drawn = redrawn(this.#drawn, rows, lend);
    return [...this.#drawn.shown.values()].map(({ element }) => element);
  }
}

describe("elements of rows", () => {
  it("stay with the rows that stay", () => {
    const list = new List();
    const [a, b] = list.show(["a", "b"], false);
    expect(list.show(["b", "a"], false)).toEqual([b, a]);
    expect(list.spare).toEqual([]);
  });

  it("that were typed away are taken by the rows that come, in the order on screen", () => {
    const list = new List();
    const [a, b, c] = list.show(["a", "b", "c"], false);
    expect(list.show(["d"], true)).toEqual([a]);
    expect(list.spare.map(({ row }) => row.key).sort()).toEqual(["b", "c"]);
    expect(new Set(list.show(["e", "d", "f"], false))).toEqual(new Set([a, b, c]));
    expect(list.spare).toEqual([]);
  });

  it("stand where they stood while somebody types, whichever rows they draw", () => {
    const list = new List();
    const standing = list.show(["a", "b", "c", "d"], false);
    for (const keys of [["d", "a"], [], ["c", "x", "a", "y"], ["y"]]) {
      const shown = list.show(keys, true);
      expect([...shown, ...list.spare.map(({ element }) => element)]).toEqual(standing);
    }
  });

  it("are gone with rows that leave by themselves", () => {
    const list = new List();
    const [a] = list.show(["a"], false);
    expect(list.show(["b"], false)).not.toEqual([a]);
    expect(list.spare).toEqual([]);
  });

  it("draw one row each, and never more than were ever in sight at once", () => {
    const some = fc.uniqueArray(fc.constantFrom(..."abcdefghijkl"), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(fc.tuple(some, fc.boolean())), (steps) => {
        const list = new List();
        let most = 0;
        for (const [keys, lend] of steps) {
          most = Math.max(most, keys.length);
          const all = [...list.show(keys, lend), ...list.spare.map(({ element }) => element)];
          expect(new Set(all).size).toBe(all.length);
          expect(all.length).toBeLessThanOrEqual(most);
        }
      }),
    );
  });
});
