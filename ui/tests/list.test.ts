import { fireEvent, screen, waitFor, within } from "@testing-library/svelte";
import { tick } from "svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import { manyRows, MemoryHost, SAMPLE_WORKSPACES } from "../src/host/memory";
import { keyOf, mountApp, NOW, rowOf, sampleHost } from "./mount";
import { click, fill, hover, press } from "./person";

const focused = () => document.activeElement as HTMLElement;

const orderIn = (container: HTMLElement) =>
  [...container.querySelectorAll<HTMLElement>('[data-testid="loop-row"]')].map((row) => row.dataset.key);

/** The group under whose heading a row stands. */
function groupOf(container: HTMLElement, key: string): string | undefined {
  const place = (node: Element | null) =>
    Number(node?.closest("[aria-rowindex]")?.getAttribute("aria-rowindex"));
  const row = [...container.querySelectorAll<HTMLElement>("[data-key]")].find(
    (one) => one.dataset.key === key,
  )!;
  const headings = [...container.querySelectorAll<HTMLElement>('[data-testid^="group-"]')];
  const above = headings.filter((heading) => place(heading) < place(row));
  return above
    .sort((a, b) => place(a) - place(b))
    .at(-1)
    ?.dataset.testid?.replace("group-", "");
}

afterEach(() => void vi.useRealTimers());

async function focusFirstRow(container: HTMLElement): Promise<void> {
  container.querySelector<HTMLElement>('[data-testid="loop-row"][tabindex="0"]')!.focus();
  await tick();
}

describe("the list", () => {
  it("groups by attention with counts and names every row in full", async () => {
    const container = await mountApp(sampleHost());
    expect(screen.getByTestId("group-attention").textContent).toMatch(/Needs you\s*5/);
    const row = rowOf(container, "Rate-limit");
    expect(row.getAttribute("aria-label")).toBe(
      "Rate-limit the login endpoint, Interrupted, Loop v2, iteration 4 of 10",
    );
    expect(row.dataset.word).toBe("interrupted");
  });

  it("keeps unreadable files listed with what is wrong", async () => {
    const container = await mountApp(sampleHost());
    expect(rowOf(container, "3fa91c0e").textContent).toContain("Line 41: Text from an older version");
  });

  it("puts only what is near the view into the page, of 10,000 loops", async () => {
    const host = new MemoryHost();
    host.fill(manyRows(10_000, NOW), SAMPLE_WORKSPACES);
    const container = await mountApp(host);
    expect(container.querySelectorAll('[data-testid="loop-row"]').length).toBeLessThan(60);
    expect(screen.getByRole("grid", { name: "Loops by status" }).getAttribute("aria-rowcount")).toBe("10005");
    expect(screen.getByRole("button", { name: "Loops 10,000" }).textContent).toContain("10,000");
  });

  it("makes rows beyond the edges for whoever reaches for the list, and none while somebody types", async () => {
    const host = new MemoryHost();
    host.fill(manyRows(10_000, NOW), SAMPLE_WORKSPACES);
    const container = await mountApp(host);
    const rows = () => container.querySelectorAll('[data-testid="loop-row"]').length;
    const list = screen.getByRole("grid", { name: "Loops by status" });
    const inSight = rows();
    await fireEvent.pointerMove(list);
    expect(rows()).toBeGreaterThan(inSight);
    await fill(screen.getByRole("combobox", { name: "Filter loops" }), "f:aot");
    expect(rows()).toBe(inSight);
    list.scrollTop = 40;
    await fireEvent.scroll(list);
    expect(rows()).toBeGreaterThan(inSight);
  });

  it("answers a filter with the elements it has, also after nothing was found", async () => {
    const host = new MemoryHost();
    host.fill(manyRows(10_000, NOW), SAMPLE_WORKSPACES);
    const container = await mountApp(host);
    const rows = () => [...container.querySelectorAll<HTMLElement>('[data-testid="loop-row"]')];
    const type = (value: string) => fill(screen.getByRole("combobox", { name: "Filter loops" }), value);
    const before = new Map(rows().map((row) => [row, row.dataset.key]));
    await type("f:aot");
    expect(rows().length).toBe(before.size);
    expect(rows().every((row) => before.has(row))).toBe(true);
    expect(rows().some((row) => row.dataset.key !== before.get(row))).toBe(true);
    await type("no loop is called so");
    expect(rows()).toEqual([]);
    expect(screen.getByTestId("loop-list").getAttribute("aria-hidden")).toBe("true");
    await type("");
    expect(screen.getByRole("grid", { name: "Loops by status" }).hasAttribute("aria-hidden")).toBe(false);
    expect(rows().every((row) => before.has(row))).toBe(true);
    expect(rows().map((row) => row.dataset.key)).toEqual([...before.values()]);
  });

  it("draws one row anew for one loop that changes, also after a filter that took none away", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    const rows = () => [...container.querySelectorAll<HTMLElement>('[data-testid="loop-row"]')];
    await fill(screen.getByRole("combobox", { name: "Filter loops" }), "!no-loop-is-called-so");
    const before = new Map(rows().map((row) => [row.dataset.key!, row]));
    const [, second] = before.keys();
    host.write(second!, { changed: Date.now() + 60_000 });
    await waitFor(() => expect(rows()[0]!.dataset.key).toBe(second));
    expect(rows().filter((row) => before.get(row.dataset.key!) !== row)).toEqual([]);
  });

  it("moves no element for what is typed: what is moved is laid out anew", async () => {
    const host = new MemoryHost();
    host.fill(manyRows(10_000, NOW), SAMPLE_WORKSPACES);
    const container = await mountApp(host);
    const type = (value: string) => fill(screen.getByRole("combobox", { name: "Filter loops" }), value);
    await type("f:aot");
    const lines = container.querySelector('[data-testid="loop-list"] > .lines')!;
    const removed: Node[] = [];
    const heard = (all: MutationRecord[]) => all.forEach((one) => removed.push(...one.removedNodes));
    const observer = new MutationObserver(heard);
    observer.observe(lines, { childList: true });
    for (const value of ["7", "77", "777", "no loop is called so", "", "f:aot", "number 9"])
      await type(value);
    heard(observer.takeRecords());
    expect(
      removed.filter((node) => (node as Element).nodeType === 1 && (node as HTMLElement).dataset.key),
    ).toEqual([]);
  });

  it("keeps a verb's button for the next row, unseen where a row has no such verb", async () => {
    const container = await mountApp(sampleHost());
    const type = (value: string) => fill(screen.getByRole("combobox", { name: "Filter loops" }), value);
    const stop = (title: string) => rowOf(container, title).querySelector('[data-testid="verb-stop"]');
    await type("migrate");
    const button = stop("Migrate")!;
    await type("3fa91c0e");
    expect(stop("3fa91c0e")).toBeNull();
    expect(rowOf(container, "3fa91c0e").contains(button)).toBe(true);
    expect((button as HTMLElement).hidden).toBe(true);
    await type("dark mode");
    expect(stop("Dark mode")).toBe(button);
    expect((button as HTMLElement).hidden).toBe(false);
  });

  it("has Stop right before the menu in every row, unseen where nothing can be stopped", async () => {
    const container = await mountApp(sampleHost());
    const rows = [...container.querySelectorAll<HTMLElement>('[data-testid="loop-row"]')];
    const stops = rows.map((row) => {
      const menu = row.querySelector("[aria-haspopup]")!;
      return menu.previousElementSibling!.querySelector<HTMLElement>("button")!;
    });
    expect(stops.every((button) => button.getAttribute("aria-label")!.startsWith("Stop"))).toBe(true);
    const word = (row: HTMLElement) => row.dataset.word!;
    const seen = new Set(rows.filter((_, at) => !stops[at]!.hidden).map(word));
    expect([seen.has("running_elsewhere"), seen.has("not_started"), seen.has("failed")]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("shows the beginning of what is found, wherever it was scrolled to", async () => {
    const host = new MemoryHost();
    host.fill(manyRows(10_000, NOW), SAMPLE_WORKSPACES);
    const container = await mountApp(host);
    const list = screen.getByRole("grid", { name: "Loops by status" });
    list.scrollTop = 40_000;
    await fireEvent.scroll(list);
    const places = () =>
      [...container.querySelectorAll('[data-testid="loop-row"]')].map((row) =>
        Number(row.getAttribute("aria-rowindex")),
      );
    expect(Math.max(...places())).toBeGreaterThan(800);
    await fill(screen.getByRole("combobox", { name: "Filter loops" }), "f:aot");
    expect(list.scrollTop).toBe(0);
    expect(places().slice(0, 3)).toEqual([3, 4, 5]);
  });

  it("begins at the first row, whatever comes before it, until somebody goes to another", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    const rows = () => [...container.querySelectorAll<HTMLElement>('[data-testid="loop-row"]')];
    const current = () => rows().findIndex((row) => row.getAttribute("aria-selected") === "true");
    const [first, second] = rows().map((row) => row.dataset.key!);
    expect(current()).toBe(0);
    const later = Date.now() + 60_000;
    host.write(second!, { changed: later });
    await waitFor(() => expect(rows()[0]!.dataset.key).toBe(second));
    expect(current()).toBe(0);
    await focusFirstRow(container);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    focused().blur();
    host.write(first!, { changed: later + 1 });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(rows()[0]!.dataset.key).toBe(first);
    expect(current()).toBe(1);
  });

  it("holds no order for a pointer that was on rows which are gone", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    await hover(container.querySelector('[data-testid="loop-row"]')!);
    await fill(screen.getByRole("combobox", { name: "Filter loops" }), "of another name");
    host.write(keyOf(host, "Dark mode"), { title: "Of another name" });
    await waitFor(() => rowOf(container, "Of another name"));
  });

  it("never makes a row another loop's that has the focus", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    await focusFirstRow(container);
    const row = focused();
    const key = row.dataset.key;
    // Not by hand: whoever types has the focus in the field.
    await fireEvent.input(screen.getByRole("combobox", { name: "Filter loops" }), {
      target: { value: "is:finished" },
    });
    expect(row.isConnected).toBe(false);
    expect(row.dataset.key).toBe(key);
  });

  it("says what a verb does of the loop its row shows now, not of the one before", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    const type = (value: string) => fill(screen.getByRole("combobox", { name: "Filter loops" }), value);
    const stop = (title: string) =>
      rowOf(container, title).querySelector<HTMLElement>('[data-testid="verb-stop"]')!;
    const said = (button: HTMLElement) =>
      document.getElementById(button.getAttribute("aria-describedby")!)?.textContent;
    await type("migrate");
    const button = stop("Migrate");
    await hover(button);
    await waitFor(() => expect(said(button)).not.toBe(""));

    await type("dark mode");
    expect(stop("Dark mode")).toBe(button);
    expect(said(button)).toBe("");

    const controls = await host.controls(keyOf(host, "Dark mode"));
    let answer = (): void => undefined;
    const answered = new Promise<typeof controls>((resolve) => (answer = () => resolve(controls)));
    host.controls = () => answered;
    await hover(button);
    await type("migrate");
    expect(stop("Migrate")).toBe(button);
    answer();
    await answered;
    await tick();
    expect(said(button)).toBe("");
  });

  it("filters as one types and says how many are shown", async () => {
    const container = await mountApp(sampleHost());
    await fill(screen.getByRole("combobox", { name: "Filter loops" }), "f:aot redis");
    expect(container.querySelectorAll('[data-testid="loop-row"]').length).toBe(1);
    expect(container.textContent).toContain("1 of 16 shown");
    await click(screen.getByRole("button", { name: "With problems" }));
    expect(container.textContent).toContain("Nothing matches.");
    expect(screen.getByRole("button", { name: "With problems" }).getAttribute("aria-pressed")).toBe("true");
  });

  it("sorts across groups by title", async () => {
    const container = await mountApp(sampleHost());
    await click(screen.getByTestId("head-what"));
    const first = container.querySelector('[data-testid="loop-row"]');
    expect(first?.textContent).toContain("Cache the product list");
  });
});

describe("live changes", () => {
  it("touch the one row that changed and nothing else in the page", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    const key = keyOf(host, "Type the pricing");
    const changed = new Set<string>();
    const observer = new MutationObserver((records) => {
      for (const record of records) {
        const node = record.target instanceof Element ? record.target : record.target.parentElement;
        const row = node?.closest<HTMLElement>('[data-testid="loop-row"]');
        if (row) changed.add(row.dataset.key ?? "");
      }
    });
    observer.observe(screen.getByRole("grid", { name: "Loops by status" }), {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    });
    const before = rowOf(container, "Type the pricing");
    host.write(key, {
      title: "Type the pricing rules again",
      changed: host.rows().find((r) => r.key === key)!.changed,
    });
    await waitFor(() => expect(rowOf(container, "rules again")).toBe(before));
    await waitFor(() => expect([...changed]).toEqual([key]));
    observer.disconnect();
  });

  it("show a new loop and forget a deleted one", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    const key = keyOf(host, "Type the pricing");
    const row = host.rows().find((one) => one.key === key)!;
    host.put({ ...row, key: "w2:new", title: "Brand new", changed: Date.now() });
    await waitFor(() => rowOf(container, "Brand new"));
    host.remove(key);
    await waitFor(() => expect(() => rowOf(container, "Type the pricing")).toThrow());
  });

  it("move all rows but the one under the pointer, which moves when the pointer leaves it", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    const [pointed, other] = [keyOf(host, "Type the pricing"), keyOf(host, "Cache the product")];
    const place = orderIn(container).indexOf(pointed);
    await hover(rowOf(container, "Type the pricing"));
    host.write(pointed, { word: "interrupted", group: "attention", changed: Date.now() });
    host.write(other, { word: "interrupted", group: "attention", changed: Date.now() });
    await waitFor(() => expect(orderIn(container)[0]).toBe(other));
    expect(orderIn(container).indexOf(pointed)).toBe(place);
    expect(rowOf(container, "Type the pricing").dataset.word).toBe("interrupted");
    await hover(rowOf(container, "Dark mode"));
    await waitFor(() =>
      expect(orderIn(container).slice(0, 2).toSorted()).toEqual([pointed, other].toSorted()),
    );
  });

  it("leave a row where it is as long as its menu is open", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    const pointed = keyOf(host, "Type the pricing");
    const row = rowOf(container, "Type the pricing");
    await hover(row);
    await click(within(row).getByRole("button", { name: /^Actions for/ }));
    await screen.findByRole("menu");
    await hover(document.body);
    host.write(pointed, { word: "interrupted", group: "attention", changed: Date.now() });
    await waitFor(() => expect(rowOf(container, "Type the pricing").dataset.word).toBe("interrupted"));
    expect(groupOf(container, pointed)).toBe("idle");
    await press("{Escape}");
    await hover(rowOf(container, "Dark mode"));
    await waitFor(() => expect(groupOf(container, pointed)).toBe("attention"));
  });

  it("say in the status bar when watching fell back to looking", async () => {
    const host = sampleHost();
    host.watching = { folders: 0, polling: 5, reason: "limit", checked: NOW };
    const container = await mountApp(host);
    await click(screen.getByRole("button", { name: "Polling every 5 s" }));
    expect(container.textContent).toContain("File-watch limit reached");
    expect(container.textContent).toContain("max_user_watches");
  });
});

describe("the keyboard", () => {
  it("walks the list, opens a loop and comes back to its row", async () => {
    const container = await mountApp(sampleHost());
    await focusFirstRow(container);
    expect(focused().textContent).toContain("Migrate sessions");
    await press("j");
    await waitFor(() => expect(focused().textContent).toContain("3fa91c0e"));
    await press("{ArrowDown}");
    await waitFor(() => expect(focused().textContent).toContain("Rate-limit"));
    await press("k");
    await waitFor(() => expect(focused().textContent).toContain("3fa91c0e"));
    await press("{End}");
    await waitFor(() => expect(focused().textContent).toContain("Round money"));
    await press("{Home}");
    await waitFor(() => expect(focused().textContent).toContain("Migrate sessions"));
    await press("{Enter}");
    await waitFor(() => screen.getByRole("tab", { name: "Overview" }));
    await press("5");
    expect(screen.getByRole("tab", { name: "Activity" }).getAttribute("aria-selected")).toBe("true");
    await press("{Escape}");
    await waitFor(() => expect(focused().textContent).toContain("Migrate sessions"));
  });

  it("reaches the filter with / and the list again with Escape", async () => {
    const container = await mountApp(sampleHost());
    await focusFirstRow(container);
    await press("/");
    await waitFor(() => expect(focused()).toBe(screen.getByRole("combobox", { name: "Filter loops" })));
    await fill(focused(), "redis");
    await press("{Escape}");
    expect((screen.getByRole("combobox", { name: "Filter loops" }) as HTMLInputElement).value).toBe("");
    await press("{Escape}");
    await waitFor(() => expect(focused().getAttribute("role")).toBe("row"));
  });

  it("leaves single letters alone when they are switched off", async () => {
    const host = sampleHost();
    host.settings = { letter_keys: false };
    const container = await mountApp(host);
    await focusFirstRow(container);
    await press("j");
    expect(focused().textContent).toContain("Migrate sessions");
    await press("{ArrowDown}");
    await waitFor(() => expect(focused().textContent).toContain("3fa91c0e"));
  });

  it("asks before stopping with S", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    await fill(screen.getByRole("combobox", { name: "Filter loops" }), "authentication");
    await focusFirstRow(container);
    await press("S");
    const dialog = await screen.findByRole("dialog", { name: "Stop “Implement user authentication”?" });
    expect(dialog.textContent).toContain("Stop “Implement user authentication”?");
    expect(dialog.textContent).toContain("Marks the loop as stopped by you.");
    expect(host.asked.some((one) => one.startsWith("act"))).toBe(false);
    await press("{Escape}", dialog);
    await waitFor(() =>
      expect(screen.queryByRole("dialog", { name: "Stop “Implement user authentication”?" })).toBeNull(),
    );
    expect(focused().dataset.testid).toBe("loop-row");
  });

  it("does the primary action with Space", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    await fill(screen.getByRole("combobox", { name: "Filter loops" }), "authentication");
    await focusFirstRow(container);
    await press("[Space]");
    await waitFor(() => expect(host.asked).toContain("act pause {}"));
  });

  it("opens the palette, finds a loop by a few letters and opens it", async () => {
    await mountApp(sampleHost());
    await press("{Control>}k{/Control}");
    const input = await screen.findByRole("combobox", { name: "Search commands and loops" });
    await fill(input, "open chkout");
    const dialog = screen.getByRole("dialog", { name: "Commands" });
    expect(within(dialog).getAllByRole("option", { hidden: true })[0]?.textContent).toContain(
      "Open Checkout",
    );
    await press("{Enter}", input);
    await waitFor(() => expect(screen.getByRole("heading", { level: 1 }).textContent).toContain("Checkout"));
  });
});
