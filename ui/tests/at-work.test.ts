import { fireEvent, screen, waitFor } from "@testing-library/svelte";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { LoopRow, LoopRun, TrailView, WorkerNow } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { onlyTalk } from "../src/state/talk";
import { AtWork, atWorkText, lineOf, workersByUnit } from "../src/views/loop/graph/at-work.svelte";
import { keyOf, mountApp, sampleHost } from "./mount";
import { click, press } from "./person";

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

const MINUTE = 60_000;

function worker(more: Partial<WorkerNow> = {}): WorkerNow {
  return {
    run: "run-7",
    action: "atom",
    task: "A4_alt",
    started: Date.now() - 2.2 * MINUTE,
    last_output: Date.now(),
    line: "writing src/session.ts",
    ...more,
  };
}

function running(workers: WorkerNow[]): LoopRun {
  return {
    agent: "Claude Code",
    level: "full_access",
    alive: true,
    action: "atom",
    last_output: Date.now(),
    cost_usd: null,
    tokens: null,
    stop: null,
    needs: 0,
    workers,
  };
}

async function open(workers: WorkerNow[]): Promise<{ host: MemoryHost; key: string }> {
  const host = sampleHost();
  const key = keyOf(host, "Checkout");
  host.write(key, { run: running(workers) });
  host.open = key;
  await mountApp(host);
  await screen.findByRole("tabpanel", { name: "Overview" });
  await click(screen.getByRole("tab", { name: /^Work/ }));
  return { host, key };
}

const unit = (id: string) => document.querySelector<HTMLElement>(`[data-unit="${id}"]`);

async function graph(): Promise<void> {
  await screen.findByTestId("graph");
  await waitFor(() => expect(unit("A4_alt")).not.toBeNull());
}

describe("a unit whose agent is at work", () => {
  it("shows the last line and how long it runs, on the graph", async () => {
    await open([worker()]);
    await graph();
    const line = unit("A4_alt")?.querySelector<HTMLElement>("[data-run]");
    expect(line?.textContent).toMatch(/2 min\s*writing src/);
    expect(line?.dataset.tip).toBe("running for 2 min, last line: writing src/session.ts");
    expect(unit("A7")?.querySelector("[data-run]")).toBeNull();
  });

  it("opens that worker's output with a click on its line", async () => {
    await open([worker()]);
    await graph();
    const line = unit("A4_alt")!.querySelector<HTMLElement>("[data-run]")!;
    await fireEvent.pointerDown(line, { button: 0, clientX: 5, clientY: 5 });
    await fireEvent.pointerUp(line, { button: 0, clientX: 5, clientY: 5 });
    await screen.findByRole("tabpanel", { name: "Output" });
    expect(screen.queryByTestId("unit-drawer")).toBeNull();
  });

  it("changes nothing else of the drawing when the agent says more, and does not read the page for it", async () => {
    const { host, key } = await open([worker(), worker({ run: "run-8", task: "A7", line: "" })]);
    await graph();
    expect(unit("A7")?.textContent).toContain("no output yet");
    const drawing = vi.spyOn(host, "drawing");
    const reading = vi.spyOn(host, "openLoop");
    const changed = new Set<string>();
    const watch = new MutationObserver((records) => {
      for (const { target } of records) {
        const at = target instanceof Element ? target : target.parentElement;
        changed.add(at?.closest<HTMLElement>("[data-unit]")?.dataset.unit ?? "something else");
      }
    });
    watch.observe(document.querySelector(".layer")!, { subtree: true, childList: true, characterData: true });
    const { changed: at } = host.rows().find((row) => row.key === key)!;
    const workers = [worker({ line: "tests pass" }), worker({ task: "A7", run: "run-8", line: "" })];
    host.write(key, { run: running(workers), changed: at });
    await waitFor(() => expect(unit("A4_alt")?.textContent).toContain("tests pass"));
    watch.disconnect();
    expect([...changed]).toEqual(["A4_alt"]);
    expect(drawing).not.toHaveBeenCalled();
    expect(reading).not.toHaveBeenCalled();
  });

  it("is said in the outline's row and in the drawer, and its output opens from there", async () => {
    await open([worker()]);
    await graph();
    await press("o", screen.getByTestId("graph"));
    const rows = await screen.findAllByTestId("atom-row");
    const row = rows.find((one) => one.dataset.id === "A4_alt")!;
    const name = "running for 2 min, last line: writing src/session.ts";
    expect(row.querySelector(`[aria-label="${name}"]`)).not.toBeNull();
    expect(screen.getAllByTestId("at-work")).toHaveLength(1);
    await waitFor(() => expect(document.activeElement?.getAttribute("role")).toBe("row"));
    await click(row);
    const drawer = await screen.findByTestId("unit-drawer");
    await click(drawer.querySelector('[data-testid="at-work"]')!);
    await screen.findByRole("tabpanel", { name: "Output" });
  });
});

describe("a container", () => {
  it("says how many units in it run: on its frame, closed, and in the outline", async () => {
    const { host, key } = await open([worker({ task: "A3" }), worker({ run: "run-8", task: "A7" })]);
    await graph();
    const below = () => screen.getAllByTestId("below").map((one) => one.textContent);
    expect(below()).toEqual(["1 running"]);
    expect(unit("A2")?.textContent).toContain("1 running");
    const toggle = unit("A2")!.querySelector("[data-toggle]")!;
    await fireEvent.pointerDown(toggle, { button: 0, clientX: 5, clientY: 5 });
    await fireEvent.pointerUp(toggle, { button: 0, clientX: 5, clientY: 5 });
    await waitFor(() => expect(unit("A3")).toBeNull());
    expect(unit("A2")?.querySelector('[data-testid="below"]')?.textContent).toBe("1 running");
    await press("o", screen.getByTestId("graph"));
    const rows = await screen.findAllByTestId("atom-row");
    expect(rows.find((one) => one.dataset.id === "A2")?.textContent).toContain("1 running");
    host.write(key, { run: running([]) });
    await waitFor(() =>
      expect(rows.find((one) => one.dataset.id === "A2")?.textContent).not.toContain("running"),
    );
  });

  it("counts workers at any depth once, also in a circle of containers", () => {
    const parents: Record<string, string> = { A1: "B", A2: "B", B: "C", C: "B" };
    const workers = [worker({ task: "A1" }), worker({ task: "A2" }), worker({ task: "A1", action: "judge" })];
    const atWork = new AtWork(
      () => workersByUnit(workers),
      (id) => parents[id] ?? null,
    );
    expect(["A1", "B", "C"].map((id) => atWork.below(id))).toEqual([0, 2, 2]);
  });
});

describe("a choice between alternatives", () => {
  const switched = () =>
    [...document.querySelectorAll<HTMLElement>(".switched")].map((one) => one.dataset.unit);

  it("that is switched while the page is open is shown once, said, and stays on the trail", async () => {
    const { host, key } = await open([]);
    await graph();
    expect(switched()).toEqual([]);
    const { detail } = await host.openLoop(key);
    const again: TrailView = {
      or_group: "token_method",
      selected: "A4",
      reason: "Auto-backtrack: A4_alt failed (Redis is not there)",
      time: null,
      other: null,
      turn: 3,
      atom: "A4",
    };
    host.detail(key, { trail: [...detail.trail, again] });
    host.write(key, {});
    await waitFor(() => expect(switched()).toEqual(["A4"]));
    expect(screen.getByTestId("switched").textContent).toBe("token_method: switched to A4, choice 3");
    await fireEvent.animationEnd(unit("A4")!);
    expect(switched()).toEqual([]);
    host.write(key, {});
    await waitFor(() => expect(host.rows().find((row) => row.key === key)).toBeDefined());
    expect(switched()).toEqual([]);
    await click(screen.getByRole("button", { name: /Choices/ }));
    const trail = await screen.findByTestId("graph-trail");
    expect(trail.textContent).toMatch(/3\s*A4\s*Auto-backtrack: A4_alt failed/);
  });
});

describe("who works on what", () => {
  it("leaves checks and judges out: what they name is no unit", () => {
    const workers = [
      worker({ action: "check", task: "A1" }),
      worker({ action: "judge", task: "A2" }),
      worker(),
    ];
    const atWork = new AtWork(() => workersByUnit(workers));
    expect([atWork.of("A1"), atWork.of("A2"), atWork.of("A4_alt")?.run]).toEqual([
      undefined,
      undefined,
      "run-7",
    ]);
  });

  it("shows what an agent says as one line of plain text", () => {
    expect(lineOf({ line: "\u001b[31mred\u001b[0m\n  <b>x</b>" })).toBe("red <b>x</b>");
    expect(atWorkText(worker({ started: 0, line: "" }), 1_000)).toBe("just started, no output yet");
  });

  it("tells talk from everything else", () => {
    const host = sampleHost();
    const row = host.rows().find(({ key }) => key === keyOf(host, "Checkout")) as LoopRow;
    const now = { ...row, run: running([worker()]) };
    expect(onlyTalk(now, { ...now, run: running([worker({ line: "more" })]) })).toBe(true);
    expect(onlyTalk(now, { ...now, run: { ...running([worker({ line: "more" })]), alive: false } })).toBe(
      false,
    );
    expect(onlyTalk(now, { ...now, changed: 1 })).toBe(false);
    // A row that comes again as it was says that something beside it changed.
    expect(onlyTalk(now, { ...now })).toBe(false);
  });
});
