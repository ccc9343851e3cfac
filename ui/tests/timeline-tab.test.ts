import { fireEvent, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { MemoryHost } from "../src/host/memory";
import { sampleRows } from "../src/host/memory";
import { manyEvents } from "../src/host/sample-timeline";
import { keyOf, mountApp, sampleHost } from "./mount";
import { click, fill, press } from "./person";
import { NOON, event } from "./timeline-entries";

const ROW = sampleRows(NOON)[0]!;

async function openActivity(host: MemoryHost, title: string): Promise<HTMLElement> {
  host.open = keyOf(host, title);
  await mountApp(host);
  await click(await screen.findByRole("tab", { name: /^Activity/ }));
  return screen.findByRole("treegrid", { name: "What happened, oldest first" });
}

const rows = () => screen.getAllByTestId("timeline-entry").map((one) => one.getAttribute("aria-label") ?? "");
const present = (list: HTMLElement) =>
  document.getElementById(list.getAttribute("aria-activedescendant") ?? "")?.getAttribute("aria-label") ?? "";

describe("the tab", () => {
  it("shows work, runs, changes of the file and every write by Loopdeck", async () => {
    await openActivity(sampleHost(), "Implement user");
    await screen.findByText("Paused by Loopdeck");
    await waitFor(() => expect(rows().some((name) => name.includes("Iteration 4 started"))).toBe(true));
    expect(rows().some((name) => name.includes("41 of 44 tests passed, took 9.1 s"))).toBe(true);
    expect(rows().filter((name) => name.includes("Store the token hash"))).toHaveLength(1);
  });

  it("filters by kind and by text, says when nothing is left, and copies what is shown", async () => {
    const host = sampleHost();
    await openActivity(host, "Implement user");
    await screen.findByText("Paused by Loopdeck");
    await click(screen.getByRole("button", { name: "Loopdeck 4" }));
    expect(rows().every((name) => name.includes("Loopdeck") || name.includes("Pause"))).toBe(true);
    await click(screen.getByRole("button", { name: "Test runs 2" }));
    expect(rows().some((name) => name.includes("tests passed"))).toBe(true);
    await fill(screen.getByRole("textbox", { name: "Show only events with this text" }), "no such thing");
    const none = await screen.findByTestId("timeline-none");
    await click(within(none).getByText("Show all"));
    expect(rows().some((name) => name.includes("Developed"))).toBe(true);
  });

  it("is walked with arrows and letters, folded with left, opened with Enter and left with Escape", async () => {
    const list = await openActivity(sampleHost(), "Checkout");
    await screen.findByText("Paused by Loopdeck");
    await fireEvent.focus(list);
    await press("{Home}", list);
    expect(present(list)).toMatch(/^\w+, .*\d{4}|^Iteration/);
    await press("j", list);
    const first = present(list);
    expect(first).not.toBe("");
    await press("{ArrowDown}", list);
    await press("k", list);
    expect(present(list)).toBe(first);
    await press("{Enter}", list);
    const drawer = await screen.findByTestId("event-drawer");
    expect(drawer.contains(document.activeElement)).toBe(true);
    await press("{Escape}", drawer);
    expect(screen.queryByTestId("event-drawer")).toBeNull();
    const before = rows().length;
    await press("{ArrowLeft}", list);
    await press("{ArrowLeft}", list);
    expect(rows().length).toBeLessThan(before);
  });

  it("leads from an event to what it is about", async () => {
    await openActivity(sampleHost(), "Implement user");
    await click(screen.getByRole("row", { name: /4 log lines, H1, H2, H3/ }));
    await click(screen.getAllByTestId("subject").find((one) => one.textContent === "H2")!);
    expect(screen.getByRole("tab", { name: /^Debug/ }).getAttribute("aria-selected")).toBe("true");
  });

  it("opens any point of the past among the files, and is there again on the way back", async () => {
    await openActivity(sampleHost(), "Implement user");
    await waitFor(() => expect(screen.getAllByTestId("as-it-was-then").length).toBeGreaterThan(3));
    await click(screen.getAllByTestId("as-it-was-then")[0]!);
    const files = await screen.findByTestId("panel-files");
    await waitFor(() => expect(files.textContent).toMatch(/Changes since then: \d/));
    expect(screen.getByTestId("state-file").getAttribute("aria-pressed")).toBe("true");
    expect(screen.getByRole("option", { selected: true }).textContent).not.toContain("current version");
    await click(await screen.findByRole("radio", { name: "Activity" }));
    const then = await screen.findByTestId("past-activity");
    expect(within(then).queryByTestId("as-it-was-then")).toBeNull();
    await press("{Alt>}{ArrowLeft}{/Alt}");
    await screen.findByRole("button", { name: "Work 5" });
  });

  it("follows what is new at the end, and counts it for whoever reads elsewhere", async () => {
    const host = sampleHost();
    const list = await openActivity(host, "Implement user");
    await screen.findByText("Paused by Loopdeck");
    const key = keyOf(host, "Implement user");
    const { events } = (await host.openLoop(key)).detail;
    const more = (count: number) =>
      Array.from({ length: count }, (_, index) => event(9e5 + index, `new ${index}`));
    await fill(screen.getByRole("textbox", { name: "Show only events with this text" }), "new");
    host.detail(key, { events: [...events, ...more(1)] });
    await waitFor(() => expect(rows().some((name) => name.includes("new 0"))).toBe(true));
    expect(screen.queryByTestId("new-events")).toBeNull();
    // As if it were longer than the view and scrolled up.
    Object.defineProperty(list, "scrollHeight", { value: 5_000, configurable: true });
    await fireEvent.scroll(list);
    host.detail(key, { events: [...events, ...more(4)] });
    expect((await screen.findByRole("button", { name: "3 new" })).textContent).toContain("3 new");
  });

  it("draws only what is near the view, of five thousand events", async () => {
    const host = sampleHost();
    const key = keyOf(host, "Implement user");
    host.detail(key, { events: manyEvents(ROW, 5_000), events_total: 12_345, cut_files: ["debug.log"] });
    const list = await openActivity(host, "Implement user");
    expect(rows().length).toBeLessThan(80);
    // Five of nine are log lines that follow each other.
    expect(Number(list.getAttribute("aria-rowcount"))).toBeLessThan(3_000);
    await fill(screen.getByRole("textbox", { name: "Show only events with this text" }), "e");
    await waitFor(() =>
      expect(
        Number(
          screen.getByRole("treegrid", { name: "What happened, oldest first" }).getAttribute("aria-rowcount"),
        ),
      ).toBeGreaterThan(5_000),
    );
    expect(rows().length).toBeLessThan(80);
    const panel = screen.getByRole("tabpanel", { name: "Activity" }).textContent;
    expect(panel).toContain("Only the newest 5,000 of 12,345 events are shown.");
    expect(panel).toContain("Only the end of these files was read: debug.log.");
  });

  it("shows what the file says when Loopdeck's own memory fails, and why", async () => {
    const host = sampleHost();
    const timeline = host.timeline.bind(host);
    const failure = { kind: "own_data" as const, args: { reason: "disk full" }, refusal: null };
    host.timeline = async (key) => ({ ...(await timeline(key)), failure });
    await openActivity(host, "Implement user");
    expect((await screen.findByTestId("failure")).textContent).toContain("disk full");
    expect(rows().some((name) => name.includes("tests passed"))).toBe(true);
  });

  it("shows the first answer, and asks again for what was not compared yet", async () => {
    const host = sampleHost();
    const timeline = host.timeline.bind(host);
    let asked = 0;
    host.timeline = async (key) => {
      asked += 1;
      const page = await timeline(key);
      if (asked === 1) return { ...page, entries: page.entries.slice(-1), more: true };
      return page;
    };
    await openActivity(host, "Implement user");
    await waitFor(() => expect(rows().length).toBeGreaterThan(1));
    expect(asked).toBe(2);
  });

  it("keeps what is on screen when a read fails", async () => {
    const host = sampleHost();
    await openActivity(host, "Implement user");
    await screen.findByText("Paused by Loopdeck");
    host.timeline = () => Promise.reject({ kind: "unknown_loop", args: {}, refusal: null });
    host.write(keyOf(host, "Implement user"), { title: "Implement more" });
    await screen.findByTestId("failure");
    expect(rows().some((name) => name.includes("tests passed"))).toBe(true);
  });
});
