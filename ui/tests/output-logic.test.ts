import { costText, tokensText } from "../src/words/format";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { CheckedRun, OutputPage, OutputRow, UnreadReason } from "../src/host/bindings";
import { makeRow } from "../src/host/sample-rows";
import { manyLines, sampleRun } from "../src/host/sample-outputs";
import { asItCame, segmentsOf, withoutCodes } from "../src/views/loop/output/ansi";
import { commandLine } from "../src/state/command-line";
import { asText, rowsMarkdown, runMarkdown } from "../src/views/loop/output/copy";
import { outputItem, itemText } from "../src/views/loop/output/item";
import { CHUNK, HELD, NEWEST, OutputPages } from "../src/views/loop/output/pages.svelte";
import {
  checkedTexts,
  endingOf,
  lastsText,
  noteText,
  runDuration,
  waitingText,
} from "../src/views/loop/output/phrases";
import { stopText } from "../src/words/phrases";
import { countLines, firstLines, inputText, lineCount, markOf } from "../src/views/loop/output/rows";
import { LINE, Slab, type Room } from "../src/views/loop/output/slab";
import { findRow } from "../src/views/loop/output/view.svelte";
import { drawableLines } from "../src/views/loop/output/whole";

const ESC = "\u001b";
const text = (source: string) =>
  segmentsOf(source)
    .map((segment) => segment.text)
    .join("");

function row(more: Partial<OutputRow>): OutputRow {
  return { at: 0, kind: "text", name: "", text: "", cut: null, ok: null, depth: 0, ...more };
}

describe("colours of a terminal", () => {
  it("become roles, and end where they end", () => {
    const found = segmentsOf(
      `a${ESC}[31mred${ESC}[1;4mbold${ESC}[0m plain ${ESC}[38;5;34mgreen${ESC}[39;48;2;200;30;30mb`,
    );
    expect(found.map(({ text, ink, back, bold, underline }) => [text, ink, back, bold, underline])).toEqual([
      ["a", null, null, false, false],
      ["red", "red", null, false, false],
      ["bold", "red", null, true, true],
      [" plain ", null, null, false, false],
      ["green", "green", null, false, false],
      ["b", null, "red", false, false],
    ]);
  });

  it.each([
    ["moves of the cursor", `a${ESC}[2K${ESC}[1;1Hb`, "ab"],
    ["a title", `a${ESC}]0;evil\u0007b`, "ab"],
    ["a link", `${ESC}]8;;https://x.example${ESC}\\text${ESC}]8;;${ESC}\\`, "text"],
    ["a write to the clipboard", `a${ESC}]52;c;ZXZpbA==${ESC}\\b`, "ab"],
    ["a string without an end", `a${ESC}]0;evil`, "a"],
    ["a device string", `a${ESC}P1$qm${ESC}\\b`, "ab"],
    ["another character set", `a${ESC}(0b`, "ab"],
    ["bells and backspaces", "a\u0007\u0008b\u0000", "ab"],
    ["codes of eight bits", "a\u009b31mb\u009d0;x\u009cc", "abc"],
    ["a code cut in two", `a${ESC}[3`, "a"],
    ["signs that turn the text", "a\u202eb\u2066c", "abc"],
    ["tabs, which stay", "a\tb\nc", "a\tb\nc"],
    ["lines of another system", "a\r\nb\r\n", "a\nb\n"],
    ["a line written over itself", "10 %\r 50 %\r100 %\nend", "100 %\nend"],
  ])("are all that is obeyed: %s", (_what, source, shown) => {
    expect(text(source)).toBe(shown);
    expect(withoutCodes(source)).toBe(shown);
  });

  it("leave no control character, whatever comes, and never make a page of single letters", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.constantFrom(ESC, `${ESC}[`, `${ESC}[31m`, `${ESC}]`, "\u009b", ";;", "m", "38;5", "\u0007"),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const source = pieces.join("");
        const shown = text(source);

        expect(shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
        expect(withoutCodes(source)).toBe(shown);
      }),
    );
    expect(segmentsOf(`${ESC}[31ma${ESC}[32mb`.repeat(5_000)).length).toBeLessThan(500);
  });

  it("are seen as signs where a row is shown as it came", () => {
    expect(asItCame(`a${ESC}[31m\u0007\u202e\n`)).toBe("a␛[31m␇<202e>\n");
  });
});

describe("rows", () => {
  it("that say that something failed have its mark", () => {
    expect(markOf(row({ kind: "finished", ok: false }))?.[0]).toBe("cross");
  });

  it("show the input of a tool as names and values, and as it came where it was cut", () => {
    expect(inputText('{"command":"npm test","timeout":9}')).toBe("command: npm test\ntimeout: 9");
    expect(inputText('{"text":"a\\nb"}')).toBe("text:\na\nb");
    expect(inputText('{"command":"npm te')).toBe('{"command":"npm te');
    expect(inputText("{}")).toBe("{}");
  });

  it("count and cut lines without making them", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom("a", "\n") })), fc.nat(5), (parts, count) => {
        const all = parts.join("\n");
        expect(countLines(all)).toBe(all.split("\n").length);
        expect(firstLines(all, count + 1)).toBe(
          all
            .split("\n")
            .slice(0, count + 1)
            .join("\n"),
        );
      }),
    );
  });

  it("of tools are guessed as folded beyond twenty lines", () => {
    const long = row({ kind: "tool_end", text: "x\n".repeat(100) });
    expect(lineCount(long, false, Infinity)).toBe(21);
    expect(lineCount(long, true, Infinity)).toBe(100);
    expect(lineCount(row({ kind: "text", text: "x\n".repeat(60) }), false, Infinity)).toBe(60);
  });
});

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

describe("looking for a row", () => {
  const find = (fits: readonly number[]) => (search: { from?: number; backwards?: boolean }) => {
    const { from = 0, backwards = false } = search;
    const left = backwards ? fits.toReversed().find((at) => at <= from) : fits.find((at) => at >= from);
    return Promise.resolve(left ?? null);
  };
  const what = { text: "x", errors: false, backwards: false };

  it("begins beside the present one and goes around the end once", async () => {
    const place = { from: 5, top: 0, total: 10 };
    expect(await findRow(find([2, 5, 8]), what, place, true)).toEqual({ row: 8, around: false });
    expect(await findRow(find([2, 5]), what, place, true)).toEqual({ row: 2, around: true });
    expect(await findRow(find([2, 5]), what, place, false)).toBeNull();
    expect(await findRow(find([5, 8]), { ...what, backwards: true }, place, true)).toEqual({
      row: 8,
      around: true,
    });
    expect(await findRow(find([]), what, place, true)).toBeNull();
    expect(await findRow(find([4]), what, { from: null, top: 4, total: 10 }, true)).toEqual({
      row: 4,
      around: false,
    });
  });
});

describe("words of a run", () => {
  it("say what is not reported, and never a nought for it", () => {
    expect([costText(null), costText(0.004), costText(2.1), costText(0)]).toEqual([
      "cost not reported",
      "< 0.01 USD",
      "2.10 USD",
      "0.00 USD",
    ]);
    expect([
      tokensText(null),
      tokensText(1),
      tokensText(950),
      tokensText(12_420),
      tokensText(1_260_000),
    ]).toEqual(["tokens not reported", "1 token", "950 tokens", "12.4 k tokens", "1.3 M tokens"]);
  });

  it("say of a run that has just begun that it has, never how few milliseconds", () => {
    const run = { started: 1_000_000, ended: null };
    for (const now of [999_000, 1_000_000, 1_000_999]) {
      expect(runDuration(run, now)).toBe("just started");
      expect(lastsText(run, now)).toBe("just started");
    }
    expect(runDuration(run, 1_001_700)).toBe("1 s");
    expect(lastsText(run, 1_061_000)).toBe("running for 1 min 1 s");
    expect(runDuration({ ...run, ended: 1_000_040 }, 2_000_000)).toBe("40 ms");
  });

  it("say what a stop left, and never more than is known", () => {
    expect(stopText({ result: "all_gone", ended: 4 })).toBe("4 processes ended, 0 left.");
    const processes = [{ pid: 4711, name: "node" }];
    expect(stopText({ result: "left", ended: 3, processes })).toBe("3 ended, 1 still running: node (4711).");
    expect(stopText({ result: "unknown", why: "no permission to look." })).toBe(
      "Unknown whether all processes ended: no permission to look.",
    );
  });

  it("do not call a stop a success", () => {
    const run = sampleRun("a", 0, {});
    expect(endingOf({ ...run, outcome: "cancelled" })).toMatchObject({ shape: "square", text: "Stopped" });
    expect(endingOf({ ...run, outcome: "ok" }).role).toBe("success");
    expect(endingOf({ ...run, outcome: "unknown" })).toMatchObject({
      role: "attention",
      text: "Outcome unknown",
    });
    expect(endingOf({ ...run, ended: null }).text).toBe("Running");
  });

  it("say what a pause waits for, and nothing once no agent is alive", () => {
    const now = new Date(2026, 10, 20, 14, 2).getTime();
    const run = { ...alive, alive: true };
    const pausing = makeRow(
      {
        workspace: "w1",
        id: "x",
        format: "loop_v2",
        title: "x",
        word: "pausing",
        fileWord: "paused",
        phase: null,
        iteration: [5, 10],
        age: 0,
        more: {
          run,
          request: {
            verb: "pause",
            at: now,
            state: "in_effect",
            sent_again: 0,
            overruled_at: null,
            asker: null,
          },
        },
      },
      now,
    );
    expect(waitingText(pausing, now)).toBe("Pause requested 14:02 · waiting for the current action");
    expect(waitingText({ ...pausing, format: "aot", handling: "controlled" }, now)).toBe(
      "Pause requested 14:02 · iteration 5 is still working",
    );
    expect(waitingText({ ...pausing, run: { ...run, alive: false } }, now)).toBeNull();
    expect(waitingText({ ...pausing, word: "paused" }, now)).toBeNull();
  });

  it("of notes are sentences where they are known", () => {
    expect(noteText(row({ name: "dropped", text: "1" }))).toBe("1 byte was dropped here");
    expect(noteText(row({ name: "goes_on", text: "6f1c" }))).toBe("Continues conversation 6f1c");
    expect(noteText(row({ name: "began_anew", text: "12e4" }))).toContain("no longer has conversation 12e4");
    expect(noteText(row({ name: "x_later", text: "hello" }))).toBe("hello");
    expect(noteText(row({ name: "toString", text: "7" }))).toBe("7");
  });

  const alive = {
    agent: "Claude Code",
    level: null,
    alive: true,
    action: null,
    last_output: null,
    cost_usd: null,
    tokens: null,
    stop: null,
    needs: 0,
    workers: [],
  };
});

describe("what is copied", () => {
  it("has no colours, and lines that follow each other are one block", () => {
    const rows = [
      row({ text: `${ESC}[32mok${ESC}[0m` }),
      row({ text: "two" }),
      row({ kind: "tool_end", ok: false, text: "x ``` y" }),
    ];
    expect(asText(rows)).toBe("ok\ntwo\nx ``` y");
    const markdown = rowsMarkdown(null, rows);
    expect(markdown).toContain("```\nok\ntwo\n```");
    expect(markdown).toContain("**Result (failed)**");
    expect(markdown).toContain("````\nx ``` y\n````");
  });

  it("is a command line that a shell takes as it was", () => {
    expect(commandLine(["a", "b c", "it's", ""])).toBe("a 'b c' 'it'\\''s' ''");
  });

  it("names everything of a run", () => {
    const copied = runMarkdown(sampleRun("r1", 0, { denied: 2, message: "done", task: "task-1" }));
    for (const part of [
      "0.21 USD",
      "41,230 tokens",
      "2 actions were not allowed",
      "r1/log",
      "done",
      "`task-1`",
    ])
      expect(copied).toContain(part);
  });

  it("says what the disk does not bear out", () => {
    const nothing = {
      unchanged: [],
      nothing_changed: false,
      instrumented: [],
      log_entries: 0,
      log_foreign: 0,
    };
    const of = (action: string, checked: Partial<CheckedRun>) =>
      checkedTexts({ ...sampleRun("r1", 0, { action }), checked: { ...nothing, ...checked } });
    expect(checkedTexts(sampleRun("r1", 0, {}))).toEqual([]);
    expect(of("debug", { nothing_changed: true, unchanged: ["a.rs"] })).toEqual([
      "The agent says it fixed the cause, but no file changed.",
      "1 reported file didn’t change: a.rs",
    ]);
    expect(of("develop", { nothing_changed: true })).toEqual(["No file changed."]);
    expect(of("debug", { instrumented: ["a", "b", "c", "d"], log_entries: 1, log_foreign: 2 })).toEqual([
      "Debug log statements are still in 4 files: a, b, c, …",
      "1 entry in the debug log",
      "2 lines of the debug log aren’t entries",
    ]);
    const copied = runMarkdown({
      ...sampleRun("r1", 0, { action: "debug" }),
      checked: { ...nothing, unchanged: ["src/a.rs"] },
    });
    expect(copied).toContain("didn’t change");
  });

  it("names each report that was not read, with its reason and limit", () => {
    const of = (why: UnreadReason, source = "out/r.xml") =>
      checkedTexts({ ...sampleRun("r1", 0, { action: "validate" }), unread: [{ source, why }] });
    expect(of({ reason: "too_large", size: 300, limit: 256 })).toEqual([
      "out/r.xml wasn’t read: it has 300 MB, and at most 256 MB of reports are read.",
    ]);
    expect(of({ reason: "unknown_format" })).toEqual([
      "out/r.xml wasn’t read: Loopdeck doesn’t know its format.",
    ]);
    expect(of({ reason: "not_well_formed", line: 7 })).toEqual([
      "out/r.xml is damaged at line 7. Results may be missing.",
    ]);
    expect(of({ reason: "cut_off" }, "output")).toEqual([
      "The output of the tests ends early. Results may be missing.",
    ]);
  });
});

describe("links to a row", () => {
  it("name the run and the row, and come back as they were", () => {
    expect(outputItem("run-1:42")).toEqual({ run: "run-1", row: 42 });
    expect(outputItem("run-1")).toEqual({ run: "run-1", row: null });
    expect(outputItem("a:b:3")).toEqual({ run: "a:b", row: 3 });
    expect(outputItem("")).toBeNull();
    fc.assert(
      fc.property(fc.stringMatching(/^[\w-]+$/), fc.option(fc.nat(), { nil: null }), (run, at) => {
        expect(outputItem(itemText({ run, row: at }))).toEqual({ run, row: at });
      }),
    );
  });
});

it("a whole text is cut into lines that can be drawn", () => {
  const lines = drawableLines(`${"x".repeat(1_000_000)}\nend`);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(2_000);
  expect(lines.join("")).toBe(`${"x".repeat(1_000_000)}end`);
  expect(manyLines(3, 0)).toHaveLength(3);
});
