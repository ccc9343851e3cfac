import { screen, waitFor } from "@testing-library/svelte";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MemoryHost } from "../src/host/memory";
import { blankDetail } from "../src/host/sample-empty";
import { readLink } from "../src/state/links";
import { nearestTab, tabsOf } from "../src/state/loop-tabs";
import { STATE_FILE, TABS } from "../src/state/place";
import { click, fill, press } from "./person";
import { keyOf, mountApp, sampleHost } from "./mount";

const shown = () => screen.getAllByRole("tab").map((tab) => tab.dataset.testid?.slice("tab-".length));
const AOT = ["overview", "work", "activity", "output", "files"];

async function openLoop(title: string) {
  const host = sampleHost();
  host.open = keyOf(host, title);
  await mountApp(host);
  await screen.findByRole("tabpanel", { name: "Overview" });
  return host;
}

/** Something to show in Debug. */
function findBug(host: MemoryHost): void {
  const bug = { active_bug: "It blinks", iteration: null, confirmed: null, last_analysis: null };
  host.detail(host.open!, { debug: { ...bug, hypotheses: [], understanding: null, log_foreign: 0 } });
}

describe("the tabs of a loop", () => {
  it("are those with something in them", async () => {
    await openLoop("Checkout");
    expect(shown()).toEqual(AOT);
  });

  it("are all seven where there is something in each", async () => {
    await openLoop("Implement user");
    expect(shown()).toEqual([...TABS]);
  });

  it("appear as soon as there is something in them, with the keys that they have everywhere", async () => {
    const host = await openLoop("Dark mode");
    expect(shown()).not.toContain("debug");
    findBug(host);
    await waitFor(() => expect(shown()).toContain("debug"));
    expect(screen.getByTestId("tab-files").getAttribute("aria-keyshortcuts")).toBe("7");
    await press("3");
    await screen.findByTestId("panel-debug");
  });

  it("leave out work only where there is neither work nor a way to add some", () => {
    const detail = blankDetail();
    expect(tabsOf({ detail })).toEqual(["overview", "activity", "output", "files"]);
    expect(tabsOf({ detail, work_later: { atoms: 1, results: 0, in_progress: [] } })).toContain("work");
  });
});

describe("a tab that the loop does not have", () => {
  it("leads to the nearest one, from a link, a key and the palette", async () => {
    const host = await openLoop("Checkout");
    host.push({ kind: "linked", key: host.open!, tab: "debug", item: null });
    await screen.findByTestId("panel-work");
    expect(screen.getByTestId("tab-work").getAttribute("aria-selected")).toBe("true");
    await press("4");
    await screen.findByTestId("panel-activity");
    await press("7");
    await screen.findByTestId("panel-files");
    await press("{Control>}k{/Control}");
    await fill(await screen.findByRole("combobox", { name: "Search commands and loops" }), "go to");
    const names = screen.getAllByRole("option").map((one) => one.textContent);
    expect(names.some((name) => name?.includes("Files"))).toBe(true);
    expect(names.some((name) => name?.includes("Debug"))).toBe(false);
  });

  it("does not pull the person away when it appears", async () => {
    const host = await openLoop("Checkout");
    host.push({ kind: "linked", key: host.open!, tab: "debug", item: null });
    await screen.findByTestId("panel-work");
    findBug(host);
    await waitFor(() => expect(shown()).toContain("debug"));
    expect(screen.getByTestId("tab-work").getAttribute("aria-selected")).toBe("true");
  });

  it("is no step of the way back", async () => {
    const host = await openLoop("Checkout");
    await click(screen.getByTestId("tab-files"));
    await screen.findByTestId("panel-files");
    host.push({ kind: "linked", key: host.open!, tab: "debug", item: null });
    await screen.findByTestId("panel-work");
    await press("{Alt>}{ArrowLeft}{/Alt}");
    await screen.findByTestId("panel-files");
    await press("{Alt>}{ArrowRight}{/Alt}");
    await screen.findByTestId("panel-work");
  });

  it("always has a nearest one among those that are there", () => {
    fc.assert(
      fc.property(fc.constantFrom(...TABS), fc.subarray([...TABS], { minLength: 1 }), (tab, tabs) => {
        const near = nearestTab(tab, tabs);
        expect(tabs).toContain(near);
        if (tabs.includes(tab)) expect(near).toBe(tab);
      }),
    );
  });
});

describe("a link of an earlier version", () => {
  it.each([
    ["documents", "debug.md", "debug.md"],
    ["documents", null, null],
    ["source", null, STATE_FILE],
    ["history", null, STATE_FILE],
  ])("to %s leads to the files", (tab, item, to) => {
    expect(readLink({ kind: "linked", key: "k", tab, item })).toEqual({
      key: "k",
      tab: "files",
      item: to,
      strange: null,
    });
  });
});
