import { render, screen, waitFor, within } from "@testing-library/svelte";
import { tick } from "svelte";
import userEvent from "@testing-library/user-event";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { t } from "../src/words/language.svelte";
import type { LoopDetail, LoopRow } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { manyAtoms } from "../src/host/sample-graph";
import { withWork } from "../src/host/sample-units";
import { keyOf, mountApp, sampleHost } from "./mount";
import WorkStage from "./WorkStage.svelte";
import { click, fill, press, rightClick } from "./person";

/** happy-dom lays nothing out: with a size of its own the window of the graph is a real one. */
const SIZE = { clientWidth: 1000, clientHeight: 600 };
const before = Object.keys(SIZE).map(
  (name) => [name, Object.getOwnPropertyDescriptor(HTMLElement.prototype, name)] as const,
);
beforeAll(() => {
  for (const [name, value] of Object.entries(SIZE)) {
    Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => value });
  }
});
afterAll(() => {
  for (const [name, was] of before) {
    if (was) Object.defineProperty(HTMLElement.prototype, name, was);
    else Reflect.deleteProperty(HTMLElement.prototype, name);
  }
});

async function openWork(host: MemoryHost, title = "Checkout"): Promise<HTMLElement> {
  host.open = keyOf(host, title);
  const container = await mountApp(host);
  await screen.findByRole("tabpanel", { name: "Overview" });
  await click(screen.getByRole("tab", { name: /^Work/ }));
  return container;
}

const unit = (id: string) => document.querySelector<HTMLElement>(`[data-unit="${id}"]`);
const selected = () => document.querySelector<HTMLElement>(".unit.selected")?.dataset.unit ?? null;

/** The drawing itself has the keys. */
const graphBox = () => screen.getByTestId("graph");

async function graph(): Promise<HTMLElement> {
  const node = await screen.findByTestId("graph");
  await waitFor(() => expect(document.querySelector("[data-unit]")).not.toBeNull());
  node.focus();
  return node;
}

async function stage(
  props: { detail?: Partial<LoopDetail>; item?: string; past?: boolean } = {},
  onitem: (id: string | null) => void = () => undefined,
) {
  const host = sampleHost();
  const key = keyOf(host, "Checkout");
  if (props.detail) host.detail(key, props.detail);
  const page = await host.openLoop(key);
  const drawing = vi.spyOn(host, "drawing");
  const shown = render(WorkStage, {
    props: {
      host,
      row: page.row as LoopRow,
      detail: page.detail,
      onitem,
      item: props.item ?? null,
      past: props.past ?? false,
    },
  });
  return { ...shown, host, key, page, drawing };
}

describe("the actions of the graph", () => {
  const entry = (what: string) => screen.findByTestId(`menu-aot_redirect-${what}`);

  it("open at the selected unit by the keyboard, and give the focus back", async () => {
    await openWork(sampleHost());
    const node = await graph();
    await press("{ArrowRight}", graphBox());
    const id = selected();
    expect(id).not.toBeNull();
    await press("{Shift>}{F10}{/Shift}", graphBox());
    const add = await entry("add_atom");
    await waitFor(() => expect(add.parentElement?.contains(document.activeElement)).toBe(true));
    await press("{Escape}", add);
    expect(document.activeElement).toBe(node);
    await press("{ContextMenu}", graphBox());
    await click(await entry("redo"));
    const dialog = await screen.findByRole("dialog", { name: "Redirect: Checkout: JWT or session tokens" });
    await waitFor(() =>
      expect(dialog.querySelector<HTMLInputElement>("input[type=checkbox]:checked")).not.toBeNull(),
    );
    const chosen = [...dialog.querySelectorAll("label")].filter((one) => one.querySelector("input:checked"));
    expect(chosen.some((one) => one.textContent?.includes(id!))).toBe(true);
  });

  it("open where the pointer asks for them, for what is below it", async () => {
    await openWork(sampleHost());
    const node = await graph();
    await rightClick(node);
    await entry("add_atom");
    expect(selected()).toBeNull();
    await press("{Escape}", await entry("add_atom"));
    expect(document.activeElement).toBe(node);
  });

  it("are not there for a version of the past", async () => {
    const { page } = await stage({ past: true, detail: { steps: [] } });
    expect(page.detail.steps).toEqual([]);
    expect(screen.queryByTestId("graph-edit")).toBeNull();
  });
});

describe("the graph", () => {
  it("draws every unit with its status, the frame of alternatives and the container", async () => {
    await openWork(sampleHost());
    await graph();
    expect(unit("A4")?.textContent).toContain("Tried, failed");
    expect(unit("A4_alt")?.textContent).toContain("In progress");
    expect(unit("A7")?.textContent).toContain("Ready");
    expect(unit("A2")?.textContent).toMatch(/1 of 1.*split hashing and token/s);
    expect(document.querySelector(".alternatives")?.textContent).toMatch(/One of token_method.*1 → 2/s);
    expect(screen.getByRole("region", { name: "Problems in the graph: 1" }).textContent).toContain(
      "A5: waits for A99, which doesn’t exist",
    );
    expect(screen.getByTestId("ready-line").textContent).toContain("next round: 1 (at most 3)");
  });

  it("is walked by keyboard: along edges, into the drawer, and back", async () => {
    await openWork(sampleHost());
    const node = await graph();
    await press("{Home}", graphBox());
    expect(selected()).toBe("A1");
    await press("{End}", graphBox());
    await press("{Home}", graphBox());
    await press("{ArrowRight}", graphBox());
    await press("]", graphBox());
    while (selected() !== "A4_alt" && selected() !== "A7") await press("{ArrowDown}", graphBox());
    expect(selected()).toBe("A4_alt");
    await press("{ArrowRight}", graphBox());
    expect(selected()).toBe("A5");
    await press("{Enter}", graphBox());
    const drawer = await screen.findByTestId("unit-drawer");
    expect(drawer.contains(document.activeElement)).toBe(true);
    expect(drawer.textContent).toMatch(/A4_alt.*Session tokens in Redis.*In progress/s);
    expect(drawer.textContent).toContain("Waits for A99, which doesn’t exist");
    await press("{Escape}", drawer);
    await waitFor(() => expect(screen.queryByTestId("unit-drawer")).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(node));
    // The loop is still open: Escape was the drawer's.
    expect(screen.getByRole("tabpanel", { name: "Work 7" })).not.toBeNull();
  });

  it("says what is selected to those who listen", async () => {
    await openWork(sampleHost());
    await graph();
    await press("{Home}", graphBox());
    const live = [...document.querySelectorAll(".stage [aria-live]")].map((one) => one.textContent);
    expect(live).toContain("A1, Resolved. User model definition");
  });

  it("closes and opens a container, and finds what lies in it", async () => {
    await openWork(sampleHost());
    await graph();
    await press("{Home}", graphBox());
    await press("{ArrowRight}", graphBox());
    if (selected() === null) await press("[Space]", graphBox());
    await waitFor(() => expect(unit("A3")).toBeNull());
    expect(unit("A2")?.textContent).toContain("1 of 1");
    const search = screen.getByRole("searchbox", { name: "Find in the work" });
    await fill(search, "argon");
    expect(screen.getByText("1 found")).not.toBeNull();
    await press("{Enter}", search);
    await waitFor(() => expect(selected()).toBe("A3"));
  });

  it("fades what a filter leaves out, and filters the outline by the same", async () => {
    await openWork(sampleHost());
    const node = await graph();
    await press("r", node);
    expect(unit("A7")?.classList.contains("faded")).toBe(false);
    expect(unit("A1")?.classList.contains("faded")).toBe(true);
    await press("o", node);
    const rows = (await screen.findAllByTestId("atom-row")).map((one) => one.dataset.id);
    expect(rows).toEqual(["A7"]);
    await click(screen.getByRole("button", { name: "Ready 1" }));
    await click(screen.getByRole("button", { name: "Critical path 2" }));
    expect(screen.getAllByTestId("atom-row").map((one) => one.dataset.id)).toEqual(["A4_alt", "A5"]);
  });

  it("shows the critical path as numbered steps", async () => {
    await openWork(sampleHost());
    await graph();
    const steps = () => [...document.querySelectorAll(".unit .step")].map((one) => one.textContent);
    expect(steps()).toEqual([]);
    const show = within(screen.getByRole("group", { name: "What is shown" }));
    await click(show.getByRole("button", { name: "Critical path 2" }));
    expect(steps().sort()).toEqual(["1", "2"]);
    expect(unit("A1")?.classList.contains("faded")).toBe(true);
    expect(unit("A5")?.classList.contains("faded")).toBe(false);
  });

  it("has its tools in three groups, and nothing that lies over a unit", async () => {
    await openWork(sampleHost());
    const window = await graph();
    const tools = screen.getAllByRole("group", { name: t.graph.tools })[0]!;
    const names = [...tools.querySelectorAll("[role=radiogroup], :scope > [role=group]")].map((one) =>
      one.getAttribute("aria-label"),
    );
    expect(names).toEqual([t.common.show, "What is shown", "What can be done"]);
    expect(tools.children).toHaveLength(3);
    const bar = screen.getByTestId("graph-bar");
    for (const id of ["zoom", "fit", "ready-line"]) expect(bar.contains(screen.getByTestId(id))).toBe(true);
    expect([...window.parentElement!.children].filter((one) => one.matches("button, [role=group]"))).toEqual(
      [],
    );
  });

  it("closes what is finished from the menu of what is shown, and opens it again", async () => {
    await openWork(sampleHost());
    await graph();
    await click(screen.getByRole("button", { name: "Show" }));
    await click(await screen.findByRole("menuitemcheckbox", { name: "Collapse finished" }));
    await waitFor(() => expect(unit("A3")).toBeNull());
    await click(screen.getByRole("menuitemcheckbox", { name: "Collapse finished" }));
    await waitFor(() => expect(unit("A3")).not.toBeNull());
  });

  it("keeps its selection, filter and way while other parts are looked at", async () => {
    await openWork(sampleHost());
    await graph();
    await press("{End}", graphBox());
    const last = selected();
    expect(last).not.toBeNull();
    await click(screen.getByTestId("turn"));
    await click(screen.getByRole("tab", { name: /^Overview/ }));
    await click(screen.getByRole("tab", { name: /^Work/ }));
    await graph();
    expect(selected()).toBe(last);
    expect(screen.getByTestId("turn").getAttribute("aria-label")).toBe("Draw left to right");
  });

  it("leads from the trail to its unit", async () => {
    await openWork(sampleHost());
    await graph();
    await click(screen.getByRole("button", { name: "Choices 3" }));
    const trail = await screen.findByTestId("graph-trail");
    await click([...trail.querySelectorAll("button")][1]!);
    await waitFor(() => expect(selected()).toBe("A4_alt"));
    expect(screen.getByTestId("choices-drawer")).not.toBeNull();
  });

  it("does not act on letters when they are switched off", async () => {
    const host = sampleHost();
    host.settings = { letter_keys: false };
    await openWork(host);
    const node = await graph();
    await press("o", node);
    expect(screen.getByTestId("graph")).toBe(node);
  });
});

describe("a changed file", () => {
  it("is only painted when nothing moved, and drawn again when something did", async () => {
    const { host, key, page, drawing, rerender } = await stage();
    await graph();
    expect(drawing).toHaveBeenCalledTimes(1);
    const done = page.detail.atoms.map((atom) => ({ ...atom, state: "resolved" as const }));
    await rerender({ host, row: page.row, detail: withWork({ ...page.detail, atoms: done }) });
    await waitFor(() => expect(unit("A7")?.textContent).toContain("Resolved"));
    expect(drawing).toHaveBeenCalledTimes(1);
    const fewer = withWork({ ...page.detail, atoms: done.slice(0, -1) });
    host.detail(key, fewer);
    await rerender({ host, row: page.row, detail: fewer });
    await waitFor(() => expect(drawing).toHaveBeenCalledTimes(2));
    await waitFor(() => expect(unit("A7")).toBeNull());
  });
});

describe("a link", () => {
  it("opens its unit, and what is selected is told", async () => {
    const told: (string | null)[] = [];
    await stage({ item: "A3" }, (one) => told.push(one));
    expect((await screen.findByTestId("unit-drawer")).textContent).toContain("Password hashing");
    await graph();
    expect(selected()).toBe("A3");
    await press("{Home}", graphBox());
    expect(told).toEqual(["A3", "A1"]);
  });
});

describe("never blank", () => {
  it("opens without an outline first that would be thrown away", async () => {
    const host = sampleHost();
    host.open = keyOf(host, "Checkout");
    await mountApp(host);
    await screen.findByRole("tabpanel", { name: "Overview" });
    const thrownAway: Node[] = [];
    const isOutline = (node: Node) =>
      node instanceof Element && (node.role === "treegrid" || node.querySelector("[role=treegrid]") !== null);
    const watching = new MutationObserver((changes) => {
      for (const { removedNodes } of changes) thrownAway.push(...[...removedNodes].filter(isOutline));
    });
    watching.observe(document.body, { childList: true, subtree: true });
    await userEvent.click(screen.getByRole("tab", { name: new RegExp(`^${t.detail.tabs.work}`) }));
    await graph();
    watching.disconnect();
    expect(thrownAway).toEqual([]);
  });

  it("is there at once when its tab is shown again, and follows what changed meanwhile", async () => {
    const host = sampleHost();
    await openWork(host);
    await graph();
    const [drawing, key] = [host.drawing.bind(host), host.open!];
    const answers: (() => void)[] = [];
    const told: Promise<unknown>[] = [];
    host.drawing = (...asked) => {
      const answer = new Promise<void>((done) => answers.push(done)).then(() => drawing(...asked));
      told.push(answer);
      return answer;
    };
    await click(screen.getByTestId("tab-overview"));
    expect(unit("A7")).toBeNull();
    await click(screen.getByTestId("tab-work"));
    const [again, inside] = [unit("A7"), unit("A7")!.firstElementChild];
    answers.shift()!();
    await Promise.all(told);
    await tick();
    expect([unit("A7"), unit("A7")!.firstElementChild], "nothing is drawn twice").toEqual([again, inside]);

    await click(screen.getByTestId("tab-overview"));
    const { detail } = await host.openLoop(key);
    host.detail(key, withWork({ ...detail, atoms: detail.atoms.slice(0, -1) }));
    await click(screen.getByTestId("tab-work"));
    await waitFor(() => {
      answers.splice(0).forEach((answer) => answer());
      expect(unit("A7")).toBeNull();
    });
  });

  it("when it cannot be drawn: says so, with the outline beside it", async () => {
    const host = sampleHost();
    host.drawing = () => Promise.reject({ kind: "unknown_loop", args: {}, refusal: null });
    await openWork(host);
    expect((await screen.findByText(/can’t be drawn now/)).textContent).toContain("outline");
    await click(screen.getByRole("radio", { name: "Outline" }));
    expect(screen.getAllByTestId("atom-row").length).toBeGreaterThan(5);
  });

  it("without a unit, and with one", async () => {
    const empty = await stage({ detail: { atoms: [], trail: [], corrections: [] } });
    await screen.findByText("Nothing to draw yet.");
    empty.unmount();
    const host = sampleHost();
    const [one] = (await host.openLoop(keyOf(host, "Checkout"))).detail.atoms;
    await stage({ detail: { atoms: [one!], or_groups: [], decompositions: [] } });
    await graph();
    expect(document.querySelectorAll("[data-unit]")).toHaveLength(1);
  });

  it.each([2000, 5000])(
    "with %i atoms, as outline and as graph, and with few of them on the page",
    async (count) => {
      await stage({ detail: manyAtoms(count) });
      const grid = await screen.findByRole("treegrid", { name: "Atoms" });
      expect(Number(grid.getAttribute("aria-rowcount"))).toBeGreaterThan(count / 2);
      expect(screen.getAllByTestId("atom-row").length).toBeLessThan(60);
      await click(screen.getByRole("radio", { name: "Graph" }));
      await graph();
      expect(document.querySelectorAll("[data-unit]").length).toBeLessThan(150);
      await click(screen.getByRole("button", { name: "Fit" }));
      await waitFor(() => expect(screen.getByTestId("graph").dataset.zoom).toBe("28"));
      await waitFor(() => expect(document.querySelectorAll(".unit")).toHaveLength(0));
    },
  );

  it("in a past version: the outline, without asking the present file", async () => {
    const { drawing } = await stage({ past: true });
    expect(screen.getAllByTestId("atom-row").length).toBeGreaterThan(5);
    expect(screen.queryByTestId("work-view-graph")).toBeNull();
    expect(drawing).not.toHaveBeenCalled();
  });
});

describe("the outline", () => {
  it("is walked by keyboard like a tree, and opens the same drawer", async () => {
    await openWork(sampleHost());
    await click(await screen.findByRole("radio", { name: "Outline" }));
    const rows = screen.getAllByTestId("atom-row");
    rows[0]!.focus();
    const current = () => document.activeElement as HTMLElement;
    await press("{ArrowDown}", current());
    await waitFor(() => expect(current().dataset.id).toBe("A2"));
    expect(current().getAttribute("aria-expanded")).toBe("true");
    await press("{ArrowRight}", current());
    await waitFor(() => expect(current().dataset.id).toBe("A3"));
    expect(current().getAttribute("aria-level")).toBe("2");
    await press("{ArrowLeft}", current());
    await waitFor(() => expect(current().dataset.id).toBe("A2"));
    await press("{ArrowLeft}", current());
    await waitFor(() =>
      expect(screen.getAllByTestId("atom-row").map((one) => one.dataset.id)).not.toContain("A3"),
    );
    await press("{Enter}", current());
    expect((await screen.findByTestId("unit-drawer")).textContent).toContain("Auth logic");
  });
});
