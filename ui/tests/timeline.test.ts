import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Changed, EntryContent, TimelineEntry } from "../src/host/bindings";
import { plainEntry } from "../src/host/sample-timeline";
import { targetOf } from "../src/views/loop/timeline/go";
import { entryFold, axisOf, entryGroups, timelineLines, stripOf } from "../src/views/loop/timeline/groups";
import { toldOf } from "../src/views/loop/timeline/changes";
import { entryGlyph } from "../src/views/loop/timeline/glyphs";
import {
  isData,
  labelOf,
  matches,
  stretchText,
  entryText,
  timelineMarkdown,
} from "../src/views/loop/timeline/text";
import { NOON, MINUTE, at } from "./timeline-entries";

const BOB = { member: "bob", machine: "tower" };

/** An entry of so many minutes after noon, each with an id of its own. */
let made = 0;
function entry(minutes: number | null, more: Partial<TimelineEntry> = {}): TimelineEntry {
  made += 1;
  const content: EntryContent = { from: "event", event: "develop_entry", text: "" };
  return { ...plainEntry(`e${made}`, "work", minutes === null ? null : at(minutes).ms, content), ...more };
}

const run = (passed: number, total: number, outcome: "passed" | "failed" | "no_tests") =>
  entry(0, { kind: "tests", content: { from: "test_run", passed, total, outcome } });
const version = (
  more: Partial<Extract<EntryContent, { from: "version" }>>,
  rest: Partial<TimelineEntry> = {},
): TimelineEntry =>
  entry(0, {
    kind: "loopdeck",
    content: {
      from: "version",
      ...{ id: 1, who: "ours", cause: "pause", changes: [], write: "landed", item: null },
      ...more,
    },
    ...rest,
  });

const log = (minutes: number, more: Partial<TimelineEntry> = {}): TimelineEntry =>
  entry(minutes, { kind: "log", content: { from: "event", event: "debug_log", text: "x {}" }, ...more });
/** What a step of the work changes in the file. */
const STEP: Changed[] = [
  { what: "fact", id: "current_action", from: "DEVELOP", to: "VALIDATE" },
  { what: "fact", id: "last_action", from: "INIT", to: "DEVELOP" },
  { what: "fact", id: "completed_actions", from: "INIT", to: "INIT, DEVELOP" },
  ...["task-002", "task-003"].map((id): Changed => ({
    what: "task",
    id,
    from: "pending",
    to: "completed",
    to_status: "completed",
  })),
];

describe("what an entry says", () => {
  const changes = [
    {
      what: "fact" as const,
      id: "status",
      from: "running",
      to: "paused",
      from_status: "running" as const,
      to_status: "paused" as const,
    },
  ];
  const text = "why: x";
  const table: readonly (readonly [TimelineEntry, label: string, text: string])[] = [
    [run(41, 44, "failed"), "41 of 44 tests passed", ""],
    [run(0, 0, "no_tests"), "Tests: none found", ""],
    // The name of the write says what became of the status.
    [version({ changes }), "Paused by Loopdeck", ""],
    [version({ changes, write: "taken_back" }), "Paused by Loopdeck", "undone later"],
    [version({ cause: "undo", changes }), "Last change undone by Loopdeck", "Status: Running → Paused"],
    [version({ cause: "operate", changes: STEP }), "VALIDATE started", "DEVELOP, task-002, task-003 done"],
    [
      version({ cause: "operate" }, { files: ["p/develop.md", "p/changes.log"] }),
      "Step recorded by Loopdeck",
      "develop.md, changes.log",
    ],
    [version({ who: "foreign", cause: null, write: null, changes }), "Status: Running → Paused", ""],
    [
      entry(0, { content: { from: "write", cause: "edit_tasks", state: "lost" }, files: ["p/tasks.jsonl"] }),
      "Tasks edited by Loopdeck",
      "did not reach the file · tasks.jsonl",
    ],
    [
      entry(0, { content: { from: "request", cause: "pause", outcome: "superseded" } }),
      "Pause: requested, replaced by another request",
      "",
    ],
    [entry(0, { content: { from: "request", cause: "stop", outcome: null } }), "Stop: requested", ""],
    [
      entry(0, { content: { from: "request", cause: "pause", outcome: "settled" }, asker: BOB }),
      "Pause: requested, in effect",
      "asked by tower of bob",
    ],
    [
      entry(0, { content: { from: "asked_across", cause: "redirect" }, asker: BOB }),
      "Change direction: requested",
      "asked by tower of bob",
    ],
    [
      entry(0, { content: { from: "answered_across", cause: "answer", refused: null } }),
      "Answer: done on its machine",
      "",
    ],
    [
      entry(0, { content: { from: "answered_across", cause: "stop", refused: "unknown_need" } }),
      "Stop: not done on its machine",
      "It no longer waits for an answer.",
    ],
    [entry(0, { content: { from: "deleted" } }), "Moved to the trash by Loopdeck", ""],
    [entry(0, { content: { from: "step", tool: "gemini", exit_code: 1 } }), "Step", "gemini · exit code 1"],
    [
      entry(0, { content: { from: "correction", kind: "dag_adjustment", word: "dag_adjustment", text } }),
      "Corrected",
      "Work graph changed: why: x",
    ],
    [
      entry(0, { content: { from: "correction", kind: "other", word: "mood", text } }),
      "Corrected",
      "mood: why: x",
    ],
    [entry(0, { content: { from: "correction", kind: "other", word: "", text } }), "Corrected", text],
  ];

  it.each(table)("%#", (one, label, said) => {
    expect([labelOf(one), entryText(one)]).toEqual([label, said]);
  });

  it("has an icon that says the same as its words", () => {
    const paused = version({ cause: "pause" });
    const resumed = version({ cause: "resume" });
    const changed = version({ who: "foreign", cause: null });
    const shown = [run(1, 1, "passed"), run(0, 1, "failed"), entry(0), paused, resumed, changed, log(0)];
    const icons = ["tick", "close", "code", "pause", "play", "document", "list"];
    expect(shown.map((one) => entryGlyph(one)[0])).toEqual(icons);
    expect(entryGlyph(run(0, 1, "failed"))[1]).toBe("danger");
    const began: Changed = { what: "fact", id: "current_iteration", from: "3", to: "4" };
    const judged: Changed = { what: "hypothesis", id: "H2", from: "pending", to: "confirmed" };
    const foreign = (...changed: Changed[]) => version({ who: "foreign", cause: null, changes: changed });
    expect([foreign(began), foreign(judged, began)].map((one) => entryGlyph(one)[0])).toEqual([
      "play",
      "bug",
    ]);
  });

  it("is data where a program or a list of files speaks", () => {
    const step = entry(0, { content: { from: "step", tool: "gemini", exit_code: 1 } });
    const written = version({ cause: "operate" }, { files: ["p/develop.md"] });
    expect([log(0), step, written].map(isData)).toEqual([true, true, true]);
    expect([entry(0), version({ changes }), run(1, 1, "passed")].map(isData)).toEqual([false, false, false]);
  });

  it("of changes tells each event once, names together, and leaves out what only repeats", () => {
    const fact = (id: string, from: string | null, to: string | null): Changed => ({
      what: "fact",
      id,
      from,
      to,
    });
    expect(toldOf([fact("current_iteration", "3", "4")], null)).toEqual(["iteration 4 started"]);
    expect(toldOf([fact("current_action", "debug", null)], null)).toEqual(["debug done"]);
    expect(toldOf([fact("completed_actions", "INIT", "INIT, DEVELOP")], null)).toEqual([
      "Actions done: INIT → INIT, DEVELOP",
    ]);
    const hypothesis = { what: "hypothesis", id: "H2", from: "pending", to: "confirmed" } as const;
    expect(toldOf([{ ...hypothesis, to_status: "confirmed" }], null)).toEqual(["H2: confirmed"]);
    expect(toldOf([{ ...hypothesis, to: "odd" }], null)).toEqual(["Hypothesis H2: pending → odd"]);
    const atom = { what: "atom", id: "A1", from: "in_progress", to: "pending" } as const;
    expect(toldOf([{ ...atom, from_status: "in_progress", to_status: "pending" }], null)).toEqual([
      "A1 set back to pending",
    ]);
    expect(toldOf([{ ...atom, from: null, to_status: "pending" }], null)).toEqual(["A1 added"]);
    expect(toldOf([{ ...atom, to: null }], null)).toEqual(["A1 removed"]);
  });

  it("leads to the thing that it is about", () => {
    expect(targetOf(entry(0, { part: "work", subject: "task-1" }))).toEqual({ tab: "work", item: "task-1" });
    expect(targetOf(version({ item: "H2" }, { part: "debug" }))).toEqual({ tab: "debug", item: "H2" });
    expect(targetOf(entry(0, { part: "tests" }))).toEqual({ tab: "tests", item: null });
    expect(targetOf(entry(0))).toBeNull();
  });
});

describe("groups", () => {
  const DAY = 24 * 60;

  it("say the days of a stretch that is longer than one", () => {
    const said = (minutes: number) => stretchText(NOON, NOON + minutes * MINUTE, NOON);
    expect(said(0)).toMatch(/^\d\d:\d\d$/);
    expect(said(5)).toMatch(/^\d\d:\d\d – \d\d:\d\d$/);
    expect(said(2 * DAY)).toMatch(/^\d\d Nov \d\d:\d\d – \d\d Nov \d\d:\d\d$/);
  });

  it("are days as long as no iteration is known", () => {
    const groups = entryGroups([entry(0), entry(null), entry(DAY), entry(DAY + 1)]);
    expect(groups.map((one) => one.entries.length)).toEqual([2, 2]);
    expect(groups.every((one) => one.iteration === null)).toBe(true);
  });

  it("are iterations from then on, of however many days", () => {
    const numbers = [null, 1, 1, 2, 2];
    const groups = entryGroups(numbers.map((iteration, day) => entry(day * DAY, { iteration })));
    expect(groups.map((one) => [one.iteration, one.entries.length])).toEqual([
      [null, 1],
      [1, 2],
      [2, 2],
    ]);
  });

  it("have ids of their own even when a number comes again", () => {
    const ids = entryGroups([1, 2, 1, 2].map((iteration) => entry(0, { iteration }))).map((one) => one.id);
    expect(new Set(ids).size).toBe(4);
  });

  it("say when nothing happened, also while they are folded", () => {
    const first = { iteration: 1 };
    const groups = entryGroups([entry(0, first), entry(45, first), entry(200, { iteration: 2 })]);
    const lines = (...closed: string[]) =>
      timelineLines(groups, { closed: new Set(closed), opened: new Set() });
    const types = (...closed: string[]) => lines(...closed).map((line) => line.type);
    expect(types()).toEqual(["day", "group", "entry", "idle", "entry", "idle", "group", "entry"]);
    expect(types(groups[0]!.id)).toEqual(["day", "group", "idle", "group", "entry"]);
    const idle = lines().filter((line) => line.type === "idle");
    expect(idle.map((line) => line.ms)).toEqual([45 * MINUTE, 155 * MINUTE]);
  });

  it("have a line for each day that begins in them, and none where their title is the day", () => {
    const types = (...all: TimelineEntry[]) =>
      timelineLines(entryGroups(all), { closed: new Set(), opened: null }).map(({ type }) => type);
    const first = { iteration: 1 };
    expect(types(entry(0, first), entry(DAY, first), entry(DAY + 1, first))).toEqual([
      ...["day", "group", "entry", "idle", "day", "entry", "entry"],
    ]);
    expect(types(entry(0), entry(DAY), entry(DAY + 1, { iteration: 1 }))).toEqual([
      ...["group", "entry", "idle", "group", "entry", "group", "entry"],
    ]);
  });

  it("fold log lines that follow each other, and unfold them", () => {
    const first = { iteration: 1 };
    const [one, two] = [log(1, first), log(2, first)];
    const groups = entryGroups([entry(0, first), one, two, entry(3, first), log(4, first)]);
    const types = (opened: ReadonlySet<string> | null) =>
      timelineLines(groups, { closed: new Set(), opened }).map(({ type }) => type);
    expect(types(new Set())).toEqual(["day", "group", "entry", "fold", "entry", "entry"]);
    const fold = entryFold(groups[0]!, two.id);
    expect(fold).toBe(entryFold(groups[0]!, one.id));
    expect(types(new Set([fold!]))).toEqual([
      ...["day", "group", "entry", "fold", "entry", "entry", "entry", "entry"],
    ]);
    // Whoever wants all of them gets them.
    expect(types(null)).toEqual(["day", "group", ...Array.from({ length: 5 }, () => "entry")]);
    expect(entryFold(groups[0]!, groups[0]!.entries[4]!.id)).toBeNull();
  });

  it("are drawn to scale, or without the time in which nothing happened", () => {
    const some = [0, 10, 10 + 10 * 30, 20 + 10 * 30].map((minute) => entry(minute));
    const place = (hideIdle: boolean, all = some) =>
      axisOf(all, hideIdle)!.place(all.at(1)?.ms ?? all[0]!.ms!);
    expect(place(false)).toBeLessThan(0.05);
    expect(place(true)).toBeGreaterThan(0.4);
    expect(place(true, [entry(5)])).toBe(0.5);
    expect(axisOf([entry(null)], true)).toBeNull();
  });

  it("have a bar for what is known to have lasted, and a mark for the rest, all on one axis", () => {
    const all = [entry(0), entry(3, { took_ms: MINUTE }), entry(4)];
    const axis = axisOf(all, true)!;
    const strip = stripOf(all, axis);
    expect(strip.bars).toEqual([{ from: 0.5, to: 0.75, weight: "plain" }]);
    expect(strip.marks.map((one) => one.at)).toEqual([0, 0.75, 1]);
    expect(stripOf([all[1]!], axis).bars).toEqual(strip.bars);
    const content = { from: "request", cause: "pause", outcome: "settled" } as const;
    const asked = [entry(0, { took_ms: MINUTE, kind: "loopdeck", content }), entry(4)];
    expect(stripOf(asked, axisOf(asked, true)!).bars).toEqual([{ from: 0, to: 0.25, weight: "ours" }]);
  });

  it("stay small however many events there are", () => {
    const many = Array.from({ length: 5_000 }, (_, index) => entry(index * index, { iteration: 1 }));
    expect(stripOf(many, axisOf(many, false)!).marks.length).toBeLessThan(700);
  });

  it("lose no event and keep the order, whatever they are", () => {
    const some = fc.array(
      fc.record({
        minutes: fc.option(fc.integer({ min: -9e6, max: 9e6 })),
        iteration: fc.option(fc.double({ noNaN: true })),
      }),
    );
    fc.assert(
      fc.property(some, (all) => {
        const told = all.map(({ minutes, iteration }) => entry(minutes, { iteration }));
        const groups = entryGroups(told);
        expect(groups.flatMap((one) => one.entries)).toEqual(told);
        const axis = axisOf(told, true);
        for (const group of axis ? groups : []) {
          const { bars, marks } = stripOf(group.entries, axis!);
          for (const mark of marks) expect(mark.at >= 0 && mark.at <= 1).toBe(true);
          for (const bar of bars) expect(bar.from <= bar.to).toBe(true);
        }
      }),
    );
  });
});

describe("copied", () => {
  it("it is Markdown in which text of files stays text", () => {
    const content = { from: "event", event: "develop_entry", text: "# <b>*x*</b>" } as const;
    const one = entry(0, { iteration: 3, subject: "a`b", content, files: ["src/a.ts"] });
    const copied = timelineMarkdown("A title", entryGroups([one]));
    expect(copied).toContain("# A title\n\n## Iteration 3\n\n- ");
    expect(copied).toContain("**Developed** ``a`b`` \\# \\<b\\>\\*x\\*\\</b\\> `src/a.ts`");
  });

  it("is filtered by words, ids and files", () => {
    const one = entry(0, { subject: "task-7", files: ["src/Login.ts"] });
    expect(["TASK-7", "login", "developed", ""].map((text) => matches(one, text))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(matches(one, "nothing of it")).toBe(false);
  });
});
