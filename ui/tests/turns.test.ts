import { describe, expect, it } from "vitest";
import { Turns } from "../src/state/turns";

describe("work that takes turns", () => {
  it("is done for whoever asked once theirs was done, one at a time, the newest last", async () => {
    const ends: (() => void)[] = [];
    const turns = new Turns(() => new Promise((resolve) => ends.push(resolve)));
    const done: string[] = [];
    const first = turns.take().then(() => done.push("first"));
    const second = turns.take().then(() => done.push("second"));
    void turns.take();
    expect(ends).toHaveLength(1);
    ends[0]!();
    await new Promise(setImmediate);
    expect([ends.length, done]).toEqual([2, []]);
    ends[1]!();
    await Promise.all([first, second]);
    expect([ends.length, done]).toEqual([2, ["first", "second"]]);
    void turns.take();
    expect(ends).toHaveLength(3);
  });
});
