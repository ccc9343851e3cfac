import { cleanup, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { MemoryHost } from "../src/host/memory";
import { App } from "../src/state/app.svelte";
import { Lately } from "../src/state/lately";
import { left } from "../src/state/left";
import { t } from "../src/words/language.svelte";
import { keyOf, mountApp, sampleHost } from "./mount";
import { choose, click, fill, press } from "./person";

async function open(host: MemoryHost, title: string, tab: string): Promise<void> {
  host.open = keyOf(host, title);
  await mountApp(host);
  await click(await screen.findByTestId(`tab-${tab}`));
}

/** To another part, and back. */
async function away(tab: string): Promise<void> {
  await click(screen.getByRole("tab", { name: /^Files/ }));
  await screen.findByTestId("panel-files");
  await click(screen.getByTestId(`tab-${tab}`));
  await screen.findByTestId(`panel-${tab}`);
}

const value = (id: string) => (screen.getByTestId(id) as HTMLInputElement).value;
const pressed = (id: string) => screen.getByTestId(id).getAttribute("aria-pressed");

describe("as a person left it, in this window", () => {
  it("the table of tests keeps filter, chip, order and what is open", async () => {
    await open(sampleHost(), "Implement user", "tests");
    const lines = () => within(screen.getByRole("treegrid", { name: "Tests of run 7" })).getAllByRole("row");
    await waitFor(() => expect(lines()[1]?.textContent).toContain("refresh_rotates"));
    await screen.findByTestId("test-panel");
    await click(screen.getByRole("button", { name: "Failed 2" }));
    await choose(screen.getByRole("combobox", { name: "Order" }), "slowest");
    await fill(screen.getByRole("textbox", { name: "Filter tests" }), "token");
    await waitFor(() =>
      expect(screen.getByRole("treegrid", { name: "Tests of run 7" }).getAttribute("aria-rowcount")).toBe(
        "2",
      ),
    );
    await away("tests");
    await waitFor(() =>
      expect(screen.getByRole("treegrid", { name: "Tests of run 7" }).getAttribute("aria-rowcount")).toBe(
        "2",
      ),
    );
    expect(value("test-filter")).toBe("token");
    expect(value("test-sort")).toBe("slowest");
    expect(pressed("test-chip-failed")).toBe("true");
    expect(await screen.findByTestId("test-panel")).toBeTruthy();
  });

  it("a suite that was opened stays open", async () => {
    await open(sampleHost(), "Implement user", "tests");
    const count = () =>
      screen.getByRole("treegrid", { name: "Tests of run 7" }).getAttribute("aria-rowcount");
    await waitFor(() => expect(count()).not.toBe("0"));
    const before = count();
    const suite = () =>
      within(screen.getByRole("treegrid", { name: "Tests of run 7" }))
        .getAllByRole("row")
        .find((line) => line.textContent?.includes("auth::session"));
    await click(suite()!);
    await waitFor(() => expect(count()).not.toBe(before));
    const opened = count();
    await away("tests");
    await waitFor(() => expect(count()).toBe(opened));
  });

  it("hypotheses and the timeline keep their filter, and a link past it clears it", async () => {
    const host = sampleHost();
    await open(host, "Implement user", "debug");
    await fill(await screen.findByRole("textbox", { name: "Filter hypotheses" }), "clock");
    await away("debug");
    expect(value("board-filter")).toBe("clock");
    await click(screen.getByRole("tab", { name: /^Activity/ }));
    await fill(await screen.findByRole("textbox", { name: "Show only events with this text" }), "H2");
    await away("activity");
    expect(value("timeline-filter")).toBe("H2");
    await press("{Control>}k{/Control}");
    await fill(await screen.findByRole("combobox", { name: "Search commands and loops" }), "H1 ·");
    await press("{Enter}", screen.getByRole("combobox", { name: "Search commands and loops" }));
    await waitFor(() => expect(value("board-filter")).toBe(""));
  });

  it("of another loop, and of another window, nothing is kept", async () => {
    const host = sampleHost();
    await open(host, "Implement user", "debug");
    await fill(await screen.findByRole("textbox", { name: "Filter hypotheses" }), "clock");
    cleanup();
    await open(host, "Implement user", "debug");
    expect((await screen.findByTestId<HTMLInputElement>("board-filter")).value).toBe("");
    const looks = left(() => ({}));
    const [one, other] = [new App(host), new App(host)];
    expect(looks(one, "a")).toBe(looks(one, "a"));
    expect(looks(one, "a")).not.toBe(looks(one, "b"));
    expect(looks(one, "a")).not.toBe(looks(other, "a"));
  });
});

describe("after a restart", () => {
  it("the work is shown as it was chosen, in the direction that was chosen", async () => {
    const host = sampleHost();
    await open(host, "Checkout", "work");
    await click(await screen.findByRole("radio", { name: "Graph" }));
    await screen.findByTestId("graph");
    await click(screen.getByRole("button", { name: t.graph.toDown }));
    await waitFor(() => expect(host.settings).toMatchObject({ work_view: "graph", work_direction: "down" }));
    await click(screen.getByRole("radio", { name: "Outline" }));
    expect(host.settings.work_view).toBe("outline");
    cleanup();
    await open(host, "Checkout", "work");
    expect((await screen.findByRole("radio", { name: "Outline" })).getAttribute("aria-checked")).toBe("true");
    await screen.findByRole("treegrid", { name: "Atoms" });
    await click(screen.getByRole("radio", { name: "Graph" }));
    await screen.findByRole("button", { name: t.graph.toRight });
  });

  it("hypotheses are a table where the table was chosen", async () => {
    const host = sampleHost();
    await open(host, "Implement user", "debug");
    await click(await screen.findByRole("radio", { name: "Table" }));
    cleanup();
    await open(host, "Implement user", "debug");
    await screen.findByRole("grid");
    expect(host.settings.hypotheses_view).toBe("table");
  });

  it("the palette begins with what was used last", async () => {
    const host = sampleHost();
    const palette = async () => {
      await press("{Control>}k{/Control}");
      return screen.findByRole("combobox", { name: "Search commands and loops" });
    };
    await mountApp(host);
    const input = await palette();
    await fill(input, "Checkout");
    await press("{Enter}", input);
    await screen.findByRole("tabpanel", { name: "Overview" });
    cleanup();
    host.open = null;
    await mountApp(host);
    await screen.findAllByTestId("loop-row");
    await palette();
    const [first] = within(screen.getByRole("dialog", { name: "Commands" })).getAllByRole("option");
    expect(first?.textContent).toContain("Checkout");
  });

  it("settings that nobody can have made are the usual ones", async () => {
    const host = sampleHost();
    host.settings = { work_view: "hologram", work_direction: "up", hypotheses_view: "" };
    await open(host, "Implement user", "debug");
    await screen.findByRole("textbox", { name: "Filter hypotheses" });
    expect(screen.getByRole("radio", { name: "Board" })).toBeTruthy();
  });
});

describe("what was used last", () => {
  it("is short, has each once, and is remembered only when it changes", () => {
    let saved = 0;
    const lately = new Lately(() => (saved += 1));
    for (let at = 0; at < 100; at += 1) lately.add(`c${at % 20}`);
    expect(lately.ids).toEqual(["c19", "c18", "c17", "c16", "c15", "c14", "c13"]);
    lately.add("c19");
    expect(saved).toBe(100);
    lately.load(Array.from({ length: 50 }, (_, at) => `x${at}`));
    expect([lately.ids.length, saved]).toEqual([7, 100]);
  });
});
