import { describe, expect, it } from "vitest";
import { keyOf, sampleHost } from "./mount";

describe("the host in memory", () => {
  it("answers a window of the test table, and single tests", async () => {
    const host = sampleHost();
    const key = keyOf(host, "Implement user");
    const query = { run: 6, text: "", chips: [], sort: "name" as const, toggled: [], offset: 1, limit: 2 };
    const page = await host.tests(key, query);
    expect(page.total).toBe(44);
    expect(page.lines).toHaveLength(2);
    expect(page.counts).toMatchObject({ all: 44, failed: 2, skipped: 1, new_failures: 1, flaky: 3 });
    expect(page.failures).toHaveLength(page.counts.failed);
    const [line] = page.lines;
    const index = line?.kind === "test" ? line.index : -1;
    expect(await host.test(key, 6, index)).toMatchObject({
      row: { name: line?.kind === "test" && line.name },
    });
    expect(await host.test(key, 6, page.total)).toBeNull();
  });

  it("orders tests by suite as the core does: failures first, green suites closed", async () => {
    const host = sampleHost();
    const query = {
      run: 6,
      text: "",
      chips: [],
      sort: "failed_first" as const,
      toggled: [],
      offset: 0,
      limit: 99,
    };
    const { lines } = await host.tests(keyOf(host, "Implement user"), query);
    const shown = lines.map((line) => (line.kind === "suite" ? `${line.open} ${line.suite}` : line.outcome));
    expect(shown.slice(0, 4)).toEqual(["true auth::token", "failed", "failed", "skipped"]);
    expect(shown.slice(-3)).toEqual(["false api::errors", "false auth::login", "false auth::session"]);
  });

  it("draws atoms and what is missing, with edges between them", async () => {
    const host = sampleHost();
    const key = keyOf(host, "Checkout");
    const down = await host.drawing(key, "down", []);
    expect(down.units.map((unit) => unit.id)).toContain("A4_alt");
    expect(down.units.filter((unit) => unit.missing).map((unit) => unit.id)).toEqual(["A99"]);
    expect(down.edges).toContainEqual(expect.objectContaining({ from: "A99", to: "A5", circle: false }));
    expect(down.edges.find((edge) => edge.critical)).toMatchObject({ from: "A4_alt", to: "A5" });
    const right = await host.drawing(key, "right", []);
    const at = (drawing: typeof down, id: string) => drawing.units.find((unit) => unit.id === id)!.place;
    expect(at(down, "A5").y).toBeGreaterThan(at(down, "A4_alt").y);
    expect(at(right, "A5").x).toBeGreaterThan(at(right, "A4_alt").x);
    expect(down.frames.map((frame) => frame.name)).toEqual(["A2", "token_method"]);
    const closed = await host.drawing(key, "down", ["A2"]);
    expect(closed.units.find((unit) => unit.id === "A2")?.collapsed).toBe(true);
    expect(closed.units.map((unit) => unit.id)).not.toContain("A3");
  });
});
