import { screen, waitFor } from "@testing-library/svelte";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Linked } from "../src/host/host";
import { readLink } from "../src/state/links";
import { Trail } from "../src/state/trail";
import { TABS, type Place } from "../src/state/place";
import { keyOf, mountApp, NOW, rowOf, sampleHost } from "./mount";
import { sampleRows } from "../src/host/memory";
import { click, clipboard, fill, press, rightClick } from "./person";

const linked = (key: string, tab: string | null, item: string | null): Linked => ({
  kind: "linked",
  key,
  tab,
  item,
});

describe("a link from outside", () => {
  it("opens its part of its loop", async () => {
    const host = sampleHost();
    await mountApp(host);
    host.push(linked(keyOf(host, "Implement user"), "debug", "H2"));
    await screen.findByRole("tabpanel", { name: "Debug 5" });
    expect(screen.queryByTestId("notice")).toBeNull();
  });

  it("waits for a loop that is not in the list yet", async () => {
    const host = sampleHost();
    await mountApp(host);
    const late = { ...sampleRows(NOW)[0]!, key: "w1:late", title: "A late loop" };
    host.push(linked(late.key, "work", null));
    expect((await screen.findByTestId("notice")).textContent).toContain("isn’t in the list yet");
    host.put(late);
    await screen.findByRole("tabpanel", { name: "Work 10" });
    expect(screen.queryByTestId("notice")).toBeNull();
  });

  it("is forgotten when the person goes elsewhere before its loop appears", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    const late = { ...sampleRows(NOW)[0]!, key: "w1:late", title: "A late loop" };
    host.push(linked(late.key, "work", null));
    await click(rowOf(container, "Checkout"));
    host.put(late);
    await screen.findByRole("tabpanel", { name: "Overview" });
    expect(screen.queryByTestId("panel-work")).toBeNull();
  });

  it("says which part or item it does not know, and shows the loop", async () => {
    const host = sampleHost();
    await mountApp(host);
    host.push(linked(keyOf(host, "Implement user"), "<b>nowhere", "H2"));
    await screen.findByRole("tabpanel", { name: "Overview" });
    expect(screen.getByTestId("notice").textContent).toContain("“<b>nowhere”");
    host.push(linked(keyOf(host, "Implement user"), "debug", "H99"));
    await screen.findByRole("tabpanel", { name: "Debug 5" });
    await waitFor(() => expect(screen.getByTestId("notice").textContent).toContain("“H99”"));
  });

  it("is believed in nothing", () => {
    expect(readLink(linked("k", "__proto__", "x"))).toEqual({
      key: "k",
      tab: "overview",
      item: null,
      strange: "__proto__",
    });
    expect(readLink(linked("k", "debug", "x".repeat(10_000))).item).toBeNull();
    expect(readLink(linked("k", null, "H1"))).toMatchObject({ item: null, strange: null });
  });
});

describe("any link", () => {
  it("is a place of this window, whatever it holds", () => {
    const part = fc.oneof(
      fc.constant(null),
      fc.string({ unit: "binary", maxLength: 600 }),
      fc.constantFrom(...TABS),
    );
    fc.assert(
      fc.property(fc.string(), part, part, (key, tab, item) => {
        const place = readLink(linked(key, tab, item));
        expect(TABS).toContain(place.tab);
        expect(place.item === null || place.item.length <= 500).toBe(true);
      }),
    );
  });
});

describe("Copy link", () => {
  it("of a row links to the loop, of the opened loop to the part on screen", async () => {
    const written = clipboard();
    const host = sampleHost();
    const container = await mountApp(host);
    await rightClick(rowOf(container, "Implement user"));
    await click(await screen.findByRole("menuitem", { name: "Copy link" }));
    await waitFor(() => expect(written).toHaveLength(1));
    expect(written[0]).toMatch(/^loopdeck:\/\/\/.*\.json$/);
    host.push(linked(keyOf(host, "Implement user"), "debug", "H2"));
    await screen.findByRole("tabpanel", { name: "Debug 5" });
    await press("{Control>}k{/Control}");
    await fill(await screen.findByRole("combobox", { name: "Search commands and loops" }), "copy link");
    await press("{Enter}", screen.getByRole("combobox", { name: "Search commands and loops" }));
    await waitFor(() => expect(written).toHaveLength(2));
    expect(written[1]).toMatch(/\.json\?tab=debug&item=H2$/);
  });
});

describe("a link that cannot be made", () => {
  it("says why beside its loop, not that the clipboard is gone", async () => {
    const written = clipboard();
    const host = sampleHost();
    host.link = () => Promise.reject({ kind: "unknown_loop", args: {}, refusal: null });
    host.open = keyOf(host, "Implement user");
    await mountApp(host);
    await press("{Control>}k{/Control}");
    await fill(await screen.findByRole("combobox", { name: "Search commands and loops" }), "copy link");
    await press("{Enter}", screen.getByRole("combobox", { name: "Search commands and loops" }));
    expect((await screen.findByTestId("failure")).dataset.kind).toBe("unknown_loop");
    expect(written).toEqual([]);
  });
});

describe("the way back", () => {
  const at = (tab: "work" | "debug", item: string | null = null): Place => ({
    kind: "loop",
    key: "a",
    tab,
    line: null,
    item,
  });

  it("goes by parts, not by what was chosen in them", () => {
    const trail = new Trail();
    trail.leave({ kind: "list" }, at("work"));
    trail.leave(at("work"), at("work", "A1"));
    trail.leave(at("work", "A1"), at("debug"));
    expect(trail.back(at("debug"))).toEqual(at("work", "A1"));
    expect(trail.back(at("work", "A1"))).toEqual({ kind: "list" });
    expect(trail.back({ kind: "list" })).toBeUndefined();
    expect(trail.forward({ kind: "list" })).toEqual(at("work", "A1"));
  });

  it("is Alt with the arrows", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    await click(rowOf(container, "Checkout"));
    await screen.findByRole("tabpanel", { name: "Overview" });
    await click(screen.getByRole("tab", { name: /^Work/ }));
    await press("{Alt>}{ArrowLeft}{/Alt}");
    await screen.findByRole("tabpanel", { name: "Overview" });
    await press("{Alt>}{ArrowLeft}{/Alt}");
    await screen.findByRole("grid", { name: "Loops by status" });
    await press("{Alt>}{ArrowRight}{/Alt}");
    await screen.findByRole("tabpanel", { name: "Overview" });
  });
});
