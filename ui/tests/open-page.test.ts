import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ChangedUnit, LoopDetail, WorkChange } from "../src/host/bindings";
import { drawn } from "../src/host/sample-drawing";
import { OpenPage } from "../src/state/page.svelte";
import { graphWork } from "../src/views/loop/graph/model";
import { sceneOf } from "../src/views/loop/graph/scene";
import { keyOf, sampleHost } from "./mount";

describe("the opened page", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** When reads begin, and a page whose reads take so long. */
  function slow(took: number, units: number) {
    const host = sampleHost();
    const began: number[] = [];
    const open = host.openLoop.bind(host);
    host.openLoop = async (key) => {
      began.push(performance.now());
      await new Promise((done) => setTimeout(done, took));
      const page = await open(key);
      const { work } = page.detail;
      const many = work && { ...work, units: Array(units).fill(work.units[0]!) };
      return { ...page, detail: { ...page.detail, work: many } };
    };
    return { began, page: new OpenPage(host, keyOf(host, "Checkout")) };
  }

  it("is read at once, and a large one that changes all the time with rests", async () => {
    const { began, page } = slow(100, 1_000);
    const first = page.read();
    expect(began).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(100);
    await first;
    void page.read();
    await vi.advanceTimersByTimeAsync(990);
    expect(began).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(20);
    expect(began).toHaveLength(2);
  });

  it("is read again at once when it is small, however slow the machine", async () => {
    const { began, page } = slow(100, 12);
    void page.read();
    await vi.advanceTimersByTimeAsync(100);
    void page.read();
    await vi.advanceTimersByTimeAsync(1);
    expect(began).toHaveLength(2);
  });
});

describe("the opened page of a large graph", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A page that was read once, and what its host is asked for from then on. */
  async function followed(answer: (since: number, detail: LoopDetail) => WorkChange | null) {
    const host = sampleHost();
    const open = host.openLoop.bind(host);
    let [reads, revision] = [0, 7];
    host.openLoop = async (key) => {
      reads += 1;
      await new Promise((done) => setTimeout(done, 100));
      const page = await open(key);
      const units = page.detail.work?.units ?? [];
      // It is large by its number of units; what is there more than once is left out of the graph.
      const work = page.detail.work && {
        ...page.detail.work,
        units: [...units, ...Array(1_000).fill(units[0])],
      };
      return { ...page, detail: { ...page.detail, work }, work_revision: revision };
    };
    const page = new OpenPage(host, keyOf(host, "Checkout"));
    const asked: number[] = [];
    host.workChanges = async (_key, since) => {
      asked.push(since);
      return answer(since, page.page!.detail);
    };
    void page.read();
    await vi.advanceTimersByTimeAsync(100);
    return { page, asked, reads: () => reads, becomes: (next: number) => (revision = next) };
  }

  const nothing = (revision: number, { work, batch }: LoopDetail): WorkChange => ({
    revision,
    units: [],
    totals: work!.totals,
    batch,
  });

  /** The unit at a place, done. */
  function done({ work, atoms }: LoopDetail, place: number): ChangedUnit {
    const unit = work!.units[place]!;
    const atom = { ...atoms[unit.at]!, status: "resolved", state: "resolved" as const };
    return { place, unit: { ...unit, standing: "done" }, atom };
  }

  it("shows a unit that changed at once, long before it is read as a whole", async () => {
    const changes: number[] = [];
    const { page, asked, reads } = await followed((since, detail) => {
      const at = changes.shift();
      return at === undefined
        ? nothing(since, detail)
        : { ...nothing(since + 1, detail), units: [done(detail, at)] };
    });
    const before = page.page!.detail;
    const model = graphWork(before);
    const place = model.nodes.findIndex(({ state, neededBy }) => state !== "resolved" && neededBy.length > 0);
    const changed = model.nodes[place]!;
    changes.push(place);
    void page.read();
    await vi.advanceTimersByTimeAsync(1);
    expect(reads(), "the whole rests").toBe(1);
    const after = graphWork(page.page!.detail, model);
    expect(after.byId.get(changed.id)!.state).toBe("resolved");
    expect(graphWork(before).byId.get(changed.id)!.state, "what was read is not touched").toBe(changed.state);
    for (const node of model.nodes.filter(({ id }) => id !== changed.id)) {
      const now = after.byId.get(node.id)!;
      if (!changed.neededBy.includes(node.id)) expect(now, node.id).toBe(node);
      else expect(now.needs.find(({ id }) => id === changed.id)?.state).toBe("resolved");
    }
    expect(after, "as if it were made anew").toEqual(graphWork(page.page!.detail));
    const drawing = drawn(before, "down");
    const scene = sceneOf(drawing, after, "down", sceneOf(drawing, model, "down"));
    expect(scene).toEqual(sceneOf(drawing, after, "down"));
    void page.read();
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toEqual([7, 7, 8]);
  });

  it("waits for the whole where the graph is another one", async () => {
    const another = (since: number, detail: LoopDetail): WorkChange => {
      const told = done(detail, 0);
      return { ...nothing(since + 1, detail), units: [{ ...told, atom: { ...told.atom, id: "other" } }] };
    };
    for (const answer of [() => null, another]) {
      const { page, asked, reads } = await followed(answer);
      const before = page.page;
      void page.read();
      await vi.advanceTimersByTimeAsync(1);
      expect(page.page).toBe(before);
      await vi.advanceTimersByTimeAsync(1_200);
      expect(reads()).toBe(2);
      expect(new Set(asked), "from where it was read").toEqual(new Set([7]));
    }
  });

  it("goes on from where the whole was read", async () => {
    const { page, asked, becomes } = await followed((since, detail) => nothing(since, detail));
    becomes(20);
    void page.read();
    await vi.advanceTimersByTimeAsync(1_200);
    expect(asked.at(-1), "the graph follows by itself: the whole may wait").toBe(7);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(asked.at(-1)).toBe(20);
  });
});

describe("the page of a large loop without its graph", () => {
  /** A host whose outline leaves out the atoms and units of a loop, and has them in parts. */
  async function partly() {
    const host = sampleHost();
    const key = keyOf(host, "Checkout");
    const whole = await host.openLoop(key);
    const { atoms, work } = whole.detail;
    const calls: string[] = [];
    let revision = 4;
    host.openOutline = async () => {
      calls.push("outline");
      return {
        ...whole,
        detail: { ...whole.detail, atoms: [], work: { ...work!, units: [] } },
        work_revision: revision,
        work_later: { atoms: atoms.length, results: 1, in_progress: ["A7"] },
      };
    };
    host.workPart = async (_key, of) => {
      calls.push(`part ${of}`);
      return of === revision ? { atoms, units: work!.units } : null;
    };
    host.workChanges = async (_key, since) => {
      calls.push(`changes ${since}`);
      return since < revision ? null : { revision, units: [], totals: work!.totals, batch: [] };
    };
    const page = new OpenPage(host, key);
    return { host, page, whole, calls, becomes: (next: number) => (revision = next) };
  }

  it("is shown before its graph is there, and has it afterwards", async () => {
    const { host, page, whole } = await partly();
    const part = host.workPart;
    let arrives: () => void = () => {};
    host.workPart = async (...args) => {
      await new Promise<void>((done) => (arrives = done));
      return part(...args);
    };
    const reading = page.read();
    await vi.waitUntil(() => page.page !== null);
    expect(page.page!.work_later?.in_progress).toEqual(["A7"]);
    expect(page.page!.detail.objective).toEqual(whole.detail.objective);
    arrives();
    await reading;
    expect(page.page).toEqual({ ...whole, work_revision: 4, work_later: null });
  });

  it("is read again without the graph where that did not change", async () => {
    const { page, whole, calls } = await partly();
    await page.read();
    const { atoms } = page.page!.detail;
    calls.length = 0;
    await page.read();
    expect(calls).toContain("outline");
    expect(calls.filter((call) => call.startsWith("part"))).toEqual([]);
    expect(page.page!.detail.atoms, "what is drawn from it stays").toBe(atoms);
    expect(page.page!.detail.work).toEqual(whole.detail.work);
  });

  it("is read again with the graph where its changes are too many", async () => {
    const { page, calls, becomes } = await partly();
    await page.read();
    becomes(9);
    calls.length = 0;
    await page.read();
    expect(calls).toContain("part 9");
    expect(page.page!.work_revision).toBe(9);
  });

  it("is read as a whole where the file changed in between", async () => {
    const { host, page, whole } = await partly();
    host.workPart = async () => null;
    await page.read();
    expect(page.page).toEqual(whole);
  });

  it("says why the graph is missing, and tries again with the next change", async () => {
    const { host, page, whole } = await partly();
    const part = host.workPart;
    host.workPart = async () => {
      throw new Error("gone");
    };
    await page.read();
    expect(page.failure).not.toBeNull();
    expect(page.page!.work_later).not.toBeNull();
    host.workPart = part;
    await page.read();
    expect([page.failure, page.page!.detail.atoms]).toEqual([null, whole.detail.atoms]);
  });
});
