import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { OutputPage } from "../src/host/bindings";
import { CHUNK, HELD, NEWEST, OutputPages } from "../src/views/loop/output/pages.svelte";
import { LINE, Slab, type Room } from "../src/views/loop/output/slab";
import { row } from "./output-rows";

function host(total: number, dropped = 0, most = 10_000) {
  const asked: [number, number][] = [];
  const state = { total, dropped };
  const read = (first: number, count: number): Promise<OutputPage> => {
    asked.push([first, count]);
    const wanted = first === NEWEST ? state.total - count : first;
    const from = Math.min(state.total, Math.max(state.dropped, wanted));
    const end = Math.min(state.total, from + count, from + most);
    const rows = Array.from({ length: Math.max(0, end - from) }, (_, at) =>
      row({ text: `row ${from + at}` }),
    );
    return Promise.resolve({
      run: "r",
      total: state.total,
      first: from,
      dropped: state.dropped,
      rows,
      alive: true,
    });
  };
  return { read, asked, state };
}

describe("pages of output", () => {
  it("hold the rows near the view only, however long a run is", async () => {
    const { read } = host(1_000_000);
    const pages = new OutputPages(read);
    await pages.look();
    for (let at = 0; at < 300; at += 1) await pages.need(at * 1_000, at * 1_000 + 70);
    expect(pages.held).toBe(HELD);
    expect(pages.row(299_010)?.text).toBe("row 299010");
    expect(pages.row(10)).toBeUndefined();
  });

  it("ask again for what did not come, and say so until it is there", async () => {
    const { read } = host(1_000);
    let failing = true;
    const pages = new OutputPages(async (first, count) => {
      if (failing && first === 0) throw { kind: "unreadable", args: {}, refusal: null };
      return read(first, count);
    });
    await pages.look();
    await pages.need(0, 10);
    expect(pages.row(5)).toBeUndefined();
    expect(pages.failure?.kind).toBe("unreadable");
    await pages.need(500, 510);
    await pages.look();
    expect(pages.row(505)?.text).toBe("row 505");
    expect(pages.failure?.kind, "what comes otherwise does not hide it").toBe("unreadable");
    failing = false;
    await pages.look();
    expect(pages.row(5)?.text).toBe("row 5");
    await pages.look();
    expect(pages.failure).toBeNull();
  });

  it("ask once for what is there, and only for the rest of a chunk that grows", async () => {
    const { read, asked, state } = host(100);
    const pages = new OutputPages(read);
    pages.newest = 0;
    await pages.look();
    await pages.need(0, 100);
    await pages.need(0, 100);
    expect(asked.slice(1)).toEqual([
      [0, CHUNK],
      [CHUNK, CHUNK],
    ]);
    state.total = 120;
    await pages.look();
    await pages.need(60, 120);
    expect(asked.at(-1)).toEqual([100, 2 * CHUNK - 100]);
    expect(pages.row(119)?.text).toBe("row 119");
  });

  it("bring the newest rows with the look that finds them, without a second question", async () => {
    const { read, asked, state } = host(100_000);
    const pages = new OutputPages(read);
    for (let turn = 0; turn < 200; turn += 1) {
      state.total += 1_000;
      await pages.look();
      await pages.need(state.total - 50, state.total);
      expect(pages.row(state.total - 1)?.text).toBe(`row ${state.total - 1}`);
    }
    expect(asked.length).toBe(200);
    expect(asked.every(([first, count]) => first === NEWEST && count <= 128)).toBe(true);
    expect(pages.held).toBe(0);
    await pages.need(state.total - 70, state.total);
    expect(pages.row(state.total - 70)?.text).toBe(`row ${state.total - 70}`);
  });

  it("are looked at once at a time and never faster than said, however often it is asked", async () => {
    vi.useFakeTimers();
    const { read, asked } = host(10);
    const pages = new OutputPages(read, 200);
    for (let turn = 0; turn < 500; turn += 1) {
      void pages.look();
      void pages.look();
      await vi.advanceTimersByTimeAsync(4);
    }
    vi.useRealTimers();
    expect(asked.length).toBeGreaterThanOrEqual(9);
    expect(asked.length).toBeLessThanOrEqual(11);
  });

  it("come before they are scrolled to, those in view first, and nothing is asked for again while new ones come", async () => {
    const { read, asked, state } = host(100_000);
    const pages = new OutputPages(read);
    pages.newest = 0;
    await pages.look();
    asked.length = 0;
    await pages.need(6_410, 6_460, CHUNK);
    expect(asked.map(([first]) => first / CHUNK)).toEqual([100, 99, 101]);
    expect(pages.row(6_410 - CHUNK)?.text).toBe(`row ${6_410 - CHUNK}`);
    const { version } = pages;
    for (let turn = 0; turn < 20; turn += 1) {
      state.total += 1_000;
      await pages.look();
      await pages.need(6_410, 6_460, CHUNK);
    }
    expect(asked.slice(3).every(([first, count]) => first === NEWEST && count === 0)).toBe(true);
    expect(pages.version).toBe(version);
  });

  it("put a chunk together from answers that are cut by size", async () => {
    const { read, asked } = host(CHUNK, 0, 10);
    const pages = new OutputPages(read);
    await pages.look();
    await pages.need(0, CHUNK);
    expect(asked.length).toBe(1 + Math.ceil(CHUNK / 10));
    for (let at = 0; at < CHUNK; at += 1) expect(pages.row(at)?.text).toBe(`row ${at}`);
  });

  it("go on when rows were dropped at the beginning, also while they are asked for", async () => {
    const { read, state } = host(1_000, 30);
    const pages = new OutputPages(read);
    await pages.look();
    state.dropped = 40;
    await pages.need(0, 70);
    expect(pages.dropped).toBe(40);
    expect(pages.row(39)).toBeUndefined();
    expect(pages.row(40)?.text).toBe("row 40");
    expect((await pages.rows(0, 45, 100)).map((one) => one.text)).toEqual(
      [40, 41, 42, 43, 44].map((at) => `row ${at}`),
    );
  });

  it("end with what does not move instead of asking for ever", async () => {
    let asked = 0;
    const pages = new OutputPages(async (first) => {
      asked += 1;
      return { run: "r", total: 500, first, dropped: 0, rows: [], alive: true };
    });
    await pages.look();
    await pages.need(0, 64);
    expect(asked).toBe(2);
  });

  it("drop answers that come after they were closed", async () => {
    const { read } = host(10);
    const pages = new OutputPages(read);
    const look = pages.look();
    pages.close();
    await look;
    expect(pages.total).toBe(0);
  });
});

/** A page whose rows have heights that only drawing tells. */
function stage(heightOf: (index: number) => number, view = 600) {
  const at = { scrollTop: 0, top: 0 };
  const room: Room = {
    view,
    get scrollTop() {
      return at.scrollTop;
    },
    get height() {
      return at.top + room.slabHeight() + slab.below;
    },
    scrollTo: (top) => (at.scrollTop = Math.max(0, Math.min(top, room.height - view))),
    topOf: (index) => {
      let sum = 0;
      for (let one = slab.drawn.first; one < index; one += 1) sum += heightOf(one);
      return sum;
    },
    slabHeight: () => room.topOf(slab.drawn.end),
    placeAt: (top) => (at.top = top),
  };
  const slab: Slab = new Slab(room, () => 1);
  /** Where a drawn row begins in the view. */
  const placeOf = (index: number) => at.top + room.topOf(index) - at.scrollTop;
  const scroll = (by: number) => {
    at.scrollTop = Math.max(0, Math.min(at.scrollTop + by, room.height - view));
    slab.scrolled();
    slab.settle();
  };
  return { slab, room, at, placeOf, scroll };
}

describe("the slab of drawn rows", () => {
  const odd = (index: number) => LINE * (1 + ((index * 7) % 11));

  it("follows the end while rows come, and stops when somebody scrolls up", () => {
    const { slab, room, at, placeOf, scroll } = stage(odd);
    slab.follow();
    for (const total of [10, 500, 9_000, 1_000_000]) {
      slab.extend(0, total);
      slab.settle();
      expect(slab.drawn.end).toBe(total);
      expect(at.scrollTop + room.view).toBe(Math.max(room.view, room.height));
      expect(slab.drawn.end - slab.drawn.first).toBeLessThan(80);
    }
    scroll(-40);
    expect(slab.following).toBe(false);
    const read = slab.atTop;
    const place = placeOf(read);
    slab.extend(0, 1_000_100);
    slab.settle();
    expect([slab.atTop, placeOf(read)]).toEqual([read, place]);
    for (let turn = 0; turn < 400 && !slab.following; turn += 1) scroll(500);
    expect(slab.following).toBe(true);
    expect(slab.drawn.end).toBe(1_000_100);
  });

  it("draws a little with each step of a fast scroll instead of much with some", () => {
    const { slab, scroll } = stage(() => LINE);
    slab.extend(0, 1_000_000);
    slab.settle();
    slab.show(500_000);
    slab.settle();
    scroll(-240);
    for (let turn = 0; turn < 20; turn += 1) {
      const { first } = slab.drawn;
      scroll(-240);
      expect(first - slab.drawn.first).toBeGreaterThan(0);
      expect(first - slab.drawn.first).toBeLessThan(20);
    }
    // While somebody reads, rows that come change nothing of what is drawn.
    const drawn = slab.drawn;
    for (let total = 1_000_000; total < 1_020_000; total += 1_000) expect(slab.extend(0, total)).toBe(drawn);
  });

  it("moves what is read by exactly what was scrolled, in both directions", () => {
    const { slab, at, placeOf, scroll } = stage(odd);
    slab.extend(0, 2_000_000);
    slab.settle();
    slab.show(1_000_000);
    slab.settle();
    expect(placeOf(1_000_000)).toBe(200);
    for (const by of [-90, 250, 400, -700, 33, -33, 300]) {
      const index = slab.atTop;
      const before = placeOf(index);
      scroll(by);
      const { first, end } = slab.drawn;
      if (index >= first && index < end) expect(placeOf(index)).toBeCloseTo(before - by);
      // The whole view is covered by drawn rows.
      expect(at.top).toBeLessThanOrEqual(at.scrollTop);
    }
  });

  it("reaches the first and the last row by scrolling on, whatever the heights are", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 60, max: 3_000 }), (tall, total) => {
        const { slab, placeOf, scroll } = stage((index) => LINE * (1 + ((index * 13) % tall)));
        slab.extend(0, total);
        slab.settle();
        slab.show(Math.floor(total / 2));
        slab.settle();
        for (let turn = 0; turn < 40_000 && !(slab.drawn.first === 0 && placeOf(0) >= 0); turn += 1)
          scroll(-450);
        expect(slab.drawn.first).toBe(0);
        expect(placeOf(0)).toBe(0);
        for (let turn = 0; turn < 40_000 && !slab.following; turn += 1) scroll(450);
        expect(slab.drawn.end).toBe(total);
      }),
      { numRuns: 25 },
    );
  });

  it("keeps the read row in place when rows above turn out taller", () => {
    let tall = 1;
    const { slab, placeOf } = stage(() => LINE * tall);
    slab.extend(0, 5_000);
    slab.settle();
    slab.show(2_500);
    slab.settle();
    const before = placeOf(2_500);
    tall = 4;
    slab.settle();
    expect(placeOf(2_500)).toBe(before);
  });

  it("jumps to the part of the run that the scroll bar was dragged to", () => {
    const { slab, at } = stage(() => LINE);
    slab.extend(0, 10_000);
    slab.settle();
    at.scrollTop = 5_000 * LINE;
    slab.scrolled();
    slab.settle();
    expect(slab.atTop).toBe(5_000);
  });

  it("stays within rows that are still there when the oldest go", () => {
    const { slab } = stage(() => LINE);
    slab.extend(0, 1_000);
    slab.settle();
    slab.show(10);
    slab.settle();
    slab.extend(600, 1_200);
    slab.settle();
    expect(slab.drawn.first).toBeGreaterThanOrEqual(600);
  });
});
