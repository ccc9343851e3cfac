import { screen, waitFor } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { MemoryHost } from "../src/host/memory";

import { click } from "./person";
import { keyOf, mountApp, sampleHost } from "./mount";

/** A host that hands over the graph of a loop later, as for a large one. */
async function slowHost(): Promise<{ host: MemoryHost; arrives: () => void }> {
  const host = sampleHost();
  host.open = keyOf(host, "Checkout");
  host.write(host.open, { word: "running" });
  const whole = await host.openLoop(host.open);
  const { atoms, work } = whole.detail;
  const in_progress = atoms.filter(({ state }) => state === "in_progress").map(({ id }) => id);
  host.openOutline = async () => ({
    ...whole,
    detail: { ...whole.detail, atoms: [], work: { ...work!, units: [] } },
    work_revision: 1,
    work_later: { atoms: atoms.length, results: atoms.filter((atom) => atom.has_result).length, in_progress },
  });
  let arrives: () => void = () => {};
  const there = new Promise<void>((done) => (arrives = done));
  host.workPart = async () => {
    await there;
    return { atoms, units: work!.units };
  };
  return { host, arrives };
}

/** What a person reads at the top of the loop and on its tabs. */
const said = () => [
  screen.getByTestId("lead").textContent,
  ...[...document.querySelectorAll("[role=tab]")].map((tab) => tab.textContent),
];

describe("a large loop whose graph is still to come", () => {
  it("says in its overview and on its tabs what it says with the graph", async () => {
    const { host, arrives } = await slowHost();
    await mountApp(host);
    await screen.findByTestId("lead");
    const before = said();
    expect(before[0], "what is being worked on").toContain("A4_alt");
    arrives();
    await click(screen.getByTestId("tab-files"));
    await waitFor(() => expect(screen.queryByTestId("loading")).toBeNull());
    await click(screen.getByTestId("tab-overview"));
    expect(said()).toEqual(before);
  });

  it("shows no empty graph and no missing results", async () => {
    const { host, arrives } = await slowHost();
    await mountApp(host);
    await screen.findByTestId("lead");
    const { key } = host.rows().find((row) => host.open === row.key)!;
    for (const [tab, item] of [
      ["files", "result:A1"],
      ["work", null],
    ] as const) {
      host.push({ kind: "linked", key, tab, item });
      await screen.findByTestId(`panel-${tab}`);
      expect(screen.getByTestId(`panel-${tab}`).textContent.trim(), tab).toBe("Loading…");
    }
    arrives();
    await waitFor(() => expect(screen.getByTestId("panel-work").textContent.trim()).not.toBe("Loading…"));
  });

  it("says that its graph can’t be read, and reads it again when asked", async () => {
    const { host, arrives } = await slowHost();
    const part = host.workPart;
    host.workPart = () => Promise.reject({ kind: "unreadable", args: {}, refusal: null });
    await mountApp(host);
    const note = await screen.findByTestId("failure");
    expect(screen.getByTestId("lead"), "the rest is there").toBeTruthy();
    await click(screen.getByTestId("tab-work"));
    expect(screen.queryByTestId("loading"), "nothing is under way").toBeNull();
    host.workPart = part;
    arrives();
    await click(note.querySelector("button")!);
    await waitFor(() => expect(screen.queryByTestId("failure")).toBeNull());
    await click(screen.getByTestId("tab-files"));
    await waitFor(() => expect(screen.queryByTestId("loading")).toBeNull());
  });
});
