import { screen, waitFor } from "@testing-library/svelte";
import axe from "axe-core";
import { describe, expect, it } from "vitest";
import type { ClosingStep } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { LANGUAGES } from "../src/words/language.svelte";
import { mountApp, sampleHost } from "./mount";
import { click, press } from "./person";

async function asked(step: ClosingStep, running: number, tray = true): Promise<MemoryHost> {
  const host = sampleHost();
  await mountApp(host);
  host.push({ kind: "closing", step, running, tray });
  await screen.findByTestId("closing-dialog");
  return host;
}

const dialog = () => screen.getByTestId("closing-dialog").textContent;

function answers(host: MemoryHost): string[] {
  return host.asked.filter((one) => one.startsWith("close"));
}

describe("closing the window while loops run", () => {
  it.each([
    ["closing-keep", "close keep_running"],
    ["closing-stop", "close stop_all"],
    ["closing-cancel", "close cancel"],
  ])("%s answers %s and goes", async (button, answer) => {
    const host = await asked("close", 2);
    expect(dialog()).toContain("Active runs: 2");
    await click(screen.getByTestId(button));
    expect(answers(host)).toEqual([answer]);
    expect(screen.queryByTestId("closing-dialog")).toBeNull();
  });

  it("takes Escape for staying", async () => {
    const host = await asked("close", 1);
    await press("{Escape}", screen.getByTestId("closing-dialog"));
    expect(answers(host)).toEqual(["close cancel"]);
  });

  it("says how the window comes back where there is no tray", async () => {
    await asked("close", 2, false);
    expect(screen.getByTestId("closing-keep").textContent).toContain("without a window");
    expect(dialog()).toContain("start Loopdeck again");
    expect(dialog()).not.toContain("the tray icon");
  });

  it("follows the number of runs, down to none", async () => {
    const host = await asked("close", 2);
    host.push({ kind: "closing", step: "close", running: 1, tray: true });
    await waitFor(() => expect(dialog()).toContain("Active runs: 1"));
    host.push({ kind: "closing", step: "close", running: 0, tray: false });
    await waitFor(() => expect(dialog()).toContain("No runs are active"));
    expect(screen.queryByTestId("closing-keep")).toBeNull();
    expect(screen.getByTestId("closing-stop").textContent?.trim()).toBe("Quit");
  });

  it("is above whatever dialog was open, which stays", async () => {
    const host = sampleHost();
    await mountApp(host);
    await press("{Control>},{/Control}");
    await screen.findByRole("dialog", { name: "Settings" });
    host.push({ kind: "closing", step: "close", running: 1, tray: true });
    await click(await screen.findByRole("button", { name: "Cancel" }));
    expect(screen.getByRole("dialog", { name: "Settings" })).toBeTruthy();
  });
});

describe("stopping everything", () => {
  it("from the tray asks, and does not quit", async () => {
    const host = await asked("stop_runs", 3);
    expect(dialog()).toContain("Stop runs (3)");
    expect(dialog()).toContain("Ends every agent and its processes");
    await click(screen.getByTestId("closing-stop"));
    expect(answers(host)).toEqual(["close stop_runs"]);
  });

  it("tells how many are left and goes when it is over", async () => {
    const host = await asked("stopping", 3);
    expect(dialog()).toContain("Stopping…");
    host.push({ kind: "closing", step: "stopping", running: 1, tray: false });
    await waitFor(() => expect(dialog()).toContain("Stopping…"));
    host.push({ kind: "closing", step: "over", running: 0, tray: false });
    await waitFor(() => expect(screen.queryByTestId("closing-dialog")).toBeNull());
    expect(answers(host)).toEqual([]);
  });

  it("shows the loops when something would not end", async () => {
    await asked("left", 0);
    expect(dialog()).toContain("Loopdeck stays open");
    await click(screen.getByRole("button", { name: "Show the loops" }));
    await waitFor(() => expect(screen.queryByTestId("closing-dialog")).toBeNull());
  });
});

describe("what waits, asked for from outside", () => {
  it("opens the cards of what needs the person", async () => {
    const host = sampleHost();
    await mountApp(host);
    host.push({ kind: "waiting" });
    await screen.findByTestId("needs-drawer");
  });
});

describe.each(LANGUAGES)("in %s", (id) => {
  it.each(["close", "stop_runs", "stopping", "left"] as const)("axe finds nothing at %s", async (step) => {
    const host = sampleHost();
    host.settings = { language: id };
    await mountApp(host);
    host.push({ kind: "closing", step, running: 2, tray: true });
    const node = await screen.findByTestId("closing-dialog");
    const result = await axe.run(node, {
      rules: {
        "color-contrast": { enabled: false },
        region: { enabled: false },
        "target-size": { enabled: false },
      },
    });
    expect(result.violations.map((one) => one.id)).toEqual([]);
    expect(node.textContent).not.toMatch(/[{}]/);
  });
});
