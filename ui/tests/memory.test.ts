import { describe, expect, it } from "vitest";
import { sampleTests } from "../src/host/sample-ccw";
import { keyOf, sampleHost } from "./mount";

describe("the host in memory", () => {
  it("answers a window of the test table, and single tests", async () => {
    const host = sampleHost();
    const key = keyOf(host, "Implement user");
    const query = { run: 1, text: "", chips: [], sort: "name" as const, toggled: [], offset: 1, limit: 2 };
    const page = await host.tests(key, query);
    expect(page.total).toBe(sampleTests().length);
    expect(page.lines.map((line) => line.kind === "test" && line.index)).toEqual([1, 2]);
    expect(page.counts.all).toBe(page.total);
    expect(page.failures).toHaveLength(page.counts.failed);
    expect(await host.test(key, 1, 1)).toEqual(sampleTests()[1]);
    expect(await host.test(key, 1, page.total)).toBeNull();
  });

  it("draws atoms, with edges between those that exist", async () => {
    const host = sampleHost();
    const key = keyOf(host, "Checkout");
    const down = await host.drawing(key, "down");
    expect(down.units.map((unit) => unit.id)).toContain("A4_alt");
    expect(down.edges.map((edge) => edge.from)).not.toContain("A99");
    expect(down.edges.find((edge) => edge.critical)).toMatchObject({ from: "A4_alt", to: "A5" });
    const right = await host.drawing(key, "right");
    const at = (drawing: typeof down, id: string) => drawing.units.find((unit) => unit.id === id)!.place;
    expect(at(down, "A5").y).toBeGreaterThan(at(down, "A4_alt").y);
    expect(at(right, "A5").x).toBeGreaterThan(at(right, "A4_alt").x);
    expect(down.frames.map((frame) => frame.name)).toEqual(["A2", "token_method"]);
    const closed = await host.drawing(key, "down", ["A2"]);
    expect(closed.units.find((unit) => unit.id === "A2")?.collapsed).toBe(true);
    expect(closed.units.map((unit) => unit.id)).not.toContain("A3");
  });
});
