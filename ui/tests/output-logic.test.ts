import { costText, tokensText } from "../src/words/format";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CheckedRun, UnreadReason } from "../src/host/bindings";
import { makeRow } from "../src/host/sample-rows";
import { manyLines, sampleRun } from "../src/host/sample-outputs";
import { asItCame, segmentsOf, withoutCodes } from "../src/views/loop/output/ansi";
import { commandLine } from "../src/state/command-line";
import { asText, rowsMarkdown, runMarkdown } from "../src/views/loop/output/copy";
import { outputItem, itemText } from "../src/views/loop/output/item";
import {
  checkedTexts,
  endingOf,
  lastsText,
  noteText,
  runDuration,
  waitingText,
} from "../src/views/loop/output/phrases";
import { stopText } from "../src/words/phrases";
import {
  copyText,
  countLines,
  firstLines,
  inputText,
  lineCount,
  markOf,
  shownText,
} from "../src/views/loop/output/rows";
import { findRow } from "../src/views/loop/output/view.svelte";
import { drawableLines } from "../src/views/loop/output/whole";
import { text, row } from "./output-rows";

const ESC = "\u001b";

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

  it("show an edit as a diff, whose text obeys no code of its own", () => {
    const edit = (fields: object) => row({ kind: "edit", name: "Edit", text: JSON.stringify(fields) });
    const change = edit({ file_path: "a.ts", old_string: "one\ntwo\n", new_string: `one\n${ESC}[31mTWO\n` });
    expect(withoutCodes(shownText(change, false))).toBe("a.ts\n  one\n- two\n+ TWO");
    expect(segmentsOf(shownText(change, false)).map(({ text, ink }) => [ink, text.trim()])).toEqual([
      [null, "a.ts\n  one"],
      ["red", "- two"],
      [null, ""],
      ["green", "+ TWO"],
    ]);
    const two = {
      path: "b.ts",
      edits: [
        { oldString: "x", newString: "y" },
        { oldString: "p", newString: "" },
      ],
    };
    expect(copyText(edit(two))).toBe("b.ts\n- x\n+ y\n- p");
    expect(shownText(edit({ file_path: "c.ts", content: "new" }), false)).toBe(
      "file_path: c.ts\ncontent: new",
    );
    expect(shownText(change, true)).toBe(change.text);
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
    expect(stopText({ result: "all_gone", ended: 4 })).toBe("Processes ended: 4, 0 left.");
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
    expect(waitingText(pausing, now)).toBe("Pause requested 14:02 · waiting");
    expect(waitingText({ ...pausing, format: "aot", handling: "controlled" }, now)).toBe(
      "Pause requested 14:02 · waiting · iteration 5 is still working",
    );
    expect(waitingText({ ...pausing, run: { ...run, alive: false } }, now)).toBeNull();
    expect(waitingText({ ...pausing, word: "paused" }, now)).toBeNull();
  });

  it("of notes are sentences where they are known", () => {
    expect(noteText(row({ name: "dropped", text: "1" }))).toBe("Bytes dropped here: 1");
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
    expect(markdown).toContain("**Result (Failed)**");
    expect(markdown).toContain("````\nx ``` y\n````");
  });

  it("is a command line that a shell takes as it was", () => {
    expect(commandLine(["a", "b c", "it's", ""])).toBe("a 'b c' 'it'\\''s' ''");
  });

  it("names everything of a run", () => {
    const copied = runMarkdown(sampleRun("r1", 0, { denied: 2, message: "done", task: "task-1" }));
    for (const part of ["0.21 USD", "41,230 tokens", "2 not allowed", "r1/log", "done", "`task-1`"])
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
      "Reported files that didn’t change: a.rs",
    ]);
    expect(of("develop", { nothing_changed: true })).toEqual(["No file changed."]);
    expect(of("debug", { instrumented: ["a", "b", "c", "d"], log_entries: 1, log_foreign: 2 })).toEqual([
      "Files that still have debug log statements: a, b, c, …",
      "Entries in the debug log: 1",
      "Lines of the debug log that aren’t entries: 2",
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
