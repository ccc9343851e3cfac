import { screen, waitFor, within } from "@testing-library/svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import { MemoryHost, SAMPLE_WORKSPACES } from "../src/host/memory";
import { manyRows } from "../src/host/sample-rows";
import { Announcer } from "../src/state/announcer.svelte";
import { App } from "../src/state/app.svelte";
import { Commands } from "../src/state/commands";
import { TABS } from "../src/state/place";
import { t } from "../src/words/language.svelte";
import { keyOf, mountApp, rowOf, sampleHost } from "./mount";
import { click, fill, press } from "./person";

async function palette(text: string): Promise<string[]> {
  await press("{Control>}k{/Control}");
  const input = await screen.findByRole("combobox", { name: "Search commands and loops" });
  if (text !== "") await fill(input, text);
  return within(screen.getByRole("dialog", { name: "Commands" }))
    .queryAllByRole("option")
    .map((one) => one.textContent?.trim() ?? "");
}

async function started(host: MemoryHost): Promise<App> {
  const app = new App(host);
  await app.start();
  return app;
}

const enter = () => press("{Enter}", screen.getByRole("combobox", { name: "Search commands and loops" }));

describe("the palette in a loop", () => {
  async function openLoop(title: string): Promise<void> {
    const host = sampleHost();
    host.open = keyOf(host, title);
    await mountApp(host);
    await screen.findByRole("tabpanel", { name: "Overview" });
  }

  it("leads to every part", async () => {
    await openLoop("Implement user");
    const found = await palette("go to");
    for (const tab of TABS) expect(found.some((one) => one.includes(t.detail.tabs[tab]))).toBe(true);
  });

  it("leads to a hypothesis and to a test that fails", async () => {
    await openLoop("Implement user");
    const [hypothesis] = await palette("H2");
    expect(hypothesis).toMatch(/^H2 · /);
    await enter();
    await screen.findByRole("tabpanel", { name: "Debug 5" });
    expect((await palette("expired_token"))[0]).toContain("Failed");
    await enter();
    await screen.findByRole("tabpanel", { name: "Tests 44" });
  });

  it("leads to an atom by its words", async () => {
    await openLoop("Checkout");
    expect((await palette("A5"))[0]).toMatch(/^A5 · /);
    await enter();
    await screen.findByRole("tabpanel", { name: "Work 7" });
  });

  it("has nothing of another loop", async () => {
    await openLoop("Checkout");
    await press("{Escape}");
    await screen.findByRole("grid", { name: "Loops by status" });
    await press("{Control>}k{/Control}");
    const input = await screen.findByRole("combobox", { name: "Search commands and loops" });
    await fill(input, "A5 ·");
    expect(screen.queryAllByRole("option").filter((one) => one.textContent?.includes("A5 ·"))).toEqual([]);
  });
});

describe("what was used last", () => {
  it("stands first: loops however they were opened, and commands", async () => {
    const container = await mountApp(sampleHost());
    await click(rowOf(container, "Checkout"));
    await press("{Escape}");
    await palette("density: compact");
    await enter();
    await waitFor(() => expect(screen.queryByTestId("palette-input")).toBeNull());
    const [first, second] = await palette("");
    expect(first).toContain(`${t.settings.density}: ${t.settings.densities.compact}`);
    expect(second).toContain("Open Checkout");
    expect(screen.getByText(t.palette.groups.recent)).toBeTruthy();
  });
});

describe("F6", () => {
  it("goes through the panes of a loop and around, also backwards", async () => {
    const host = sampleHost();
    host.open = keyOf(host, "Implement user");
    await mountApp(host);
    await screen.findByRole("tabpanel", { name: "Overview" });
    const pane = () => document.activeElement?.closest<HTMLElement>("[data-pane]")?.dataset.pane;
    const seen: (string | undefined)[] = [];
    for (let times = 0; times < 5; times += 1) {
      await press("{F6}");
      seen.push(pane());
    }
    expect(seen).toEqual(["sidebar", "header", "tabs", "panel", "sidebar"]);
    expect(document.activeElement?.getAttribute("tabindex")).not.toBe("-1");
    await press("{Shift>}{F6}{/Shift}");
    await press("{Shift>}{F6}{/Shift}");
    expect(pane()).toBe("tabs");
    expect(document.activeElement?.getAttribute("aria-selected")).toBe("true");
  });
});

describe("live regions", () => {
  afterEach(() => void vi.useRealTimers());

  it("are polite at most once in five seconds, and sum up", () => {
    vi.useFakeTimers();
    const announcer = new Announcer((text, count) => `${count}: ${text}`);
    const heard: string[] = [];
    const listen = () => heard.at(-1) !== announcer.polite && heard.push(announcer.polite);
    for (let at = 0; at < 100; at += 1) {
      announcer.say(`news ${at}`);
      vi.advanceTimersByTime(100);
      listen();
    }
    vi.advanceTimersByTime(5000);
    listen();
    expect(heard).toEqual(["news 0", "49: news 1", "50: news 50"]);
  });

  it("interrupt at most once a second, and at once the first time", () => {
    vi.useFakeTimers();
    const announcer = new Announcer((text, count) => `${count}: ${text}`);
    for (const name of ["a", "b", "c"]) announcer.sayNow(name);
    vi.advanceTimersByTime(0);
    expect(announcer.assertive).toBe("3: a");
    announcer.sayNow("d");
    vi.advanceTimersByTime(900);
    expect(announcer.assertive).toBe("3: a");
    vi.advanceTimersByTime(100);
    expect(announcer.assertive).toBe("d");
  });

  it("say the same again so that it is heard again", () => {
    vi.useFakeTimers();
    const announcer = new Announcer((text) => text);
    announcer.say("Copied.");
    vi.advanceTimersByTime(5000);
    const before = announcer.polite;
    announcer.say("Copied.");
    vi.advanceTimersByTime(5000);
    expect(announcer.polite).not.toBe(before);
    expect(announcer.polite.trim()).toBe("Copied.");
  });
});

describe("the commands of many loops", () => {
  it("are made when they are asked for, each once and in their order", async () => {
    const host = new MemoryHost();
    host.fill(manyRows(2_000, Date.now()), SAMPLE_WORKSPACES);
    const app = await started(host);
    const commands = new Commands(app);
    const first = commands.firstOffered(50);
    expect(first).toHaveLength(50);
    expect(commands.prepare(1), "most are not made yet").toBe(true);
    const all = commands.all;
    expect(all.slice(0, 50).map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    for (const row of host.rows()) expect(all.some(({ id }) => id === `open ${row.key}`)).toBe(true);
    expect(commands.prepare(1), "nothing is left").toBe(false);
  });

  it("that were used lately come first, however far away the loop is", async () => {
    const host = new MemoryHost();
    host.fill(manyRows(2_000, Date.now()), SAMPLE_WORKSPACES);
    const app = await started(host);
    const far = host.rows().at(-1)!;
    const verb = new Commands(app).all.findLast(({ row }) => row === app.catalog.cell(far.key)?.row)!;
    app.settings.lately.load([`open ${far.key}`, verb.id, "open nothing", "settings"]);
    const first = new Commands(app).firstOffered(50);
    expect(first.slice(0, 3).map(({ id, group }) => [id, group])).toEqual([
      [`open ${far.key}`, "recent"],
      [verb.id, "recent"],
      ["settings", "recent"],
    ]);
    expect(first.filter(({ id }) => id === "settings")).toHaveLength(1);
  });
});
