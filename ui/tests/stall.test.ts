import { screen, waitFor } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { Fact, LoopRun } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { stallOf } from "../src/views/loop/counts";
import { waitingText } from "../src/views/loop/output/phrases";
import { keyOf, mountApp, sampleHost } from "./mount";
import { click } from "./person";

const fact = (name: string, value: number): Fact => ({ name, value: { kind: "number", value } });
const facts = (count: number, most: number) => [fact("stall_count", count), fact("max_stall_count", most)];

const OURS: LoopRun = {
  agent: "Claude Code",
  level: "full_access",
  alive: true,
  action: "atom",
  last_output: null,
  cost_usd: null,
  tokens: null,
  stop: null,
  needs: 0,
  workers: [],
};

async function open(host: MemoryHost): Promise<string> {
  const key = keyOf(host, "Checkout");
  host.open = key;
  await mountApp(host);
  await screen.findByRole("tabpanel", { name: "Overview" });
  return key;
}

describe("rounds without progress", () => {
  it("are counted from the first on, and near the end from one before the last", () => {
    expect(stallOf(facts(0, 3))).toBeNull();
    expect(stallOf(facts(1, 3))).toEqual({ count: 1, most: 3, near: false });
    expect(stallOf(facts(2, 3))).toEqual({ count: 2, most: 3, near: true });
    expect(stallOf([fact("stall_count", 2)])).toBeNull();
    expect(stallOf([])).toBeNull();
  });

  it("are said in the header before they end the loop", async () => {
    const host = sampleHost();
    const key = keyOf(host, "Checkout");
    host.detail(key, { facts: facts(2, 3) });
    await open(host);
    const stall = await screen.findByTestId("stall");
    expect(stall.textContent).toBe("No progress 2 of 3");
    expect(stall.classList.contains("near")).toBe(true);
  });
});

describe("a stop of an AoT loop that Loopdeck runs", () => {
  it("waits for the iteration, and the agents can be ended now", async () => {
    const host = sampleHost();
    host.write(keyOf(host, "Checkout"), { run: OURS, agent: "ours", word: "running" });
    const key = await open(host);
    await click(await screen.findByTestId("verb-stop"));
    const dialog = await screen.findByRole("dialog", { name: "Stop “Checkout: JWT or session tokens”?" });
    expect(screen.getByTestId("effect").textContent).toBe(
      "Asks the loop to stop after this iteration. Changes to your files are kept.",
    );
    expect(screen.queryByTestId("will-end")).toBeNull();
    await click(screen.getByRole("button", { name: "Stop now" }));
    await waitFor(() => expect(host.runs.asked).toContain(`stop now ${key}`));
    await waitFor(() => expect(dialog.isConnected).toBe(false));
  });

  it("says which iteration is still working, with Stop now next to it", async () => {
    const host = sampleHost();
    const key = keyOf(host, "Checkout");
    const at = new Date(2026, 10, 20, 14, 2).getTime();
    host.write(key, {
      run: OURS,
      agent: "ours",
      word: "stopping",
      iteration: { current: 5, limit: 20 },
      request: { verb: "stop", at, state: "in_effect", sent_again: 0, overruled_at: null, asker: null },
    });
    const row = host.rows().find((one) => one.key === key)!;
    expect(waitingText(row, at + 60_000)).toBe(
      "Stop requested 14:02 · waiting · iteration 5 is still working",
    );
    expect(waitingText(row, at + 86_400_000)).toBe(
      "Stop requested 20 Nov 14:02 · waiting · iteration 5 is still working",
    );
    await open(host);
    await click(await screen.findByRole("button", { name: "Stop now" }));
    await waitFor(() => expect(host.runs.asked).toContain(`stop now ${key}`));
  });
});
