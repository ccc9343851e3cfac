import { describe, expect, it } from "vitest";
import { Query } from "../src/state/query.svelte";

describe("a query", () => {
  it("is made for whoever asked once theirs was made, one at a time, the newest last", async () => {
    const ends: (() => void)[] = [];
    const asked = new Query(() => new Promise<void>((resolve) => ends.push(resolve)));
    const done: string[] = [];
    const first = asked.read().then(() => done.push("first"));
    const second = asked.read().then(() => done.push("second"));
    void asked.read();
    expect(ends).toHaveLength(1);
    ends[0]!();
    await new Promise(setImmediate);
    expect([ends.length, done]).toEqual([2, []]);
    ends[1]!();
    await Promise.all([first, second]);
    expect([ends.length, done]).toEqual([2, ["first", "second"]]);
    void asked.read();
    expect(ends).toHaveLength(3);
  });
});
