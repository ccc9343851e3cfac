import { fireEvent, screen, waitFor, within } from "@testing-library/svelte";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EventView, LoopDetail, PastChange, VersionView } from "../src/host/bindings";
import type { JournalEvent } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { sampleRows } from "../src/host/memory";
import { emptyDetail } from "../src/host/sample-empty";
import { manyEvents } from "../src/host/sample-timeline";
import { entriesOf, versionAt, type Entry } from "../src/views/timeline/entries";
import { targetOf } from "../src/views/timeline/go";
import { groupsOf, IDLE, linesOf, scaleOf, stripOf } from "../src/views/timeline/groups";
import { labelOf, matches, stretchText, textOf, timelineMarkdown } from "../src/views/timeline/text";
import { keyOf, mountApp, sampleHost } from "./mount";

const NOON = Date.UTC(2026, 10, 20, 12);
const MINUTE = 60_000;
const ROW = sampleRows(NOON)[0]!;
const at = (minutes: number) => {
  const ms = NOON + minutes * MINUTE;
  return { text: new Date(ms).toISOString(), ms, shifted: false };
};

function event(minutes: number | null, more: Partial<EventView> = {}): EventView {
  const time = minutes === null ? null : at(minutes);
  return {
    time,
    kind: "develop_entry",
    iteration: null,
    subject: null,
    text: "",
    files: [],
    file: "",
    ...more,
  };
}

function entries(
  detail: Partial<LoopDetail>,
  more: { versions?: VersionView[]; changes?: PastChange[]; journal?: JournalEvent[] } = {},
): Entry[] {
  const all = { ...emptyDetail(ROW), ...detail };
  return entriesOf({ detail: all, versions: [], changes: [], journal: [], ...more });
}

function version(id: number, minutes: number, cause: VersionView["cause"] = null): VersionView {
  const who = cause === null ? "foreign" : "ours";
  const plain = { size: 1, current: false, readable: true };
  return { id, at: at(minutes).ms, who, cause, ...plain, notable: who === "ours" };
}

function changed(
  id: number,
  minutes: number,
  ...facts: [string, string | null, string | null][]
): PastChange {
  const changes = facts.map(([name, from, to]) => ({ what: "fact" as const, id: name, from, to }));
  return { id, at: at(minutes).ms, who: "foreign", cause: null, changes };
}

const note = (minutes: number, kind: JournalEvent["kind"], state: JournalEvent["state"]): JournalEvent => ({
  at: at(minutes).ms,
  kind,
  cause: "pause",
  state,
  file: "x.json",
  beside: [],
});

describe("what the timeline is made of", () => {
  it("tells once what two files tell, with what each of them adds", () => {
    const one = { subject: "task-1", text: "Done" };
    const events = [
      event(1, { ...one, iteration: 2, files: ["a"], file: "develop.md" }),
      event(1, { ...one, kind: "change_log", files: ["a", "b"], file: "changes.log" }),
      event(1, { ...one, subject: "task-2", kind: "change_log", file: "changes.log" }),
    ];
    const told = entries({ events });
    expect(told).toHaveLength(2);
    expect(told[0]).toMatchObject({
      iteration: 2,
      files: ["a", "b"],
      sources: ["develop.md", "changes.log"],
    });
  });

  it("takes the lists of the state file only when the events do not have them", () => {
    const shape = { other: null, turn: 1, atom: null };
    const trail = [{ or_group: "g", selected: "A2", reason: "smaller", time: at(3), ...shape }];
    expect(entries({ trail }).map(textOf)).toEqual(["g: smaller"]);
    const events = [event(3, { kind: "trail", subject: "A2", text: "g: smaller" })];
    expect(entries({ trail, events })).toHaveLength(1);
  });

  it("makes one of a kept version and the note of the same write", () => {
    const told = entries(
      {},
      {
        versions: [version(2, 5, "pause"), version(1, 0)],
        changes: [changed(2, 5, ["status", "running", "paused"])],
        journal: [note(5, "write", "taken_back"), note(9, "write", "landed")],
      },
    );
    expect(told.map((one) => one.id)).toEqual(["version:2", `journal:write:${at(9).ms}`]);
    expect(labelOf(told[0]!)).toBe("Paused by Loopdeck");
    expect(textOf(told[0]!)).toBe("taken back later · Status: running → paused");
  });

  it("says which files a step wrote, and leaves out what is not of note and changed nothing that is shown", () => {
    const step = (minutes: number, file: string, beside: string[]): JournalEvent => ({
      ...note(minutes, "write", "landed"),
      cause: "operate",
      file,
      beside,
    });
    const told = entries(
      {},
      {
        versions: [
          { ...version(3, 9, "operate"), notable: false },
          { ...version(2, 5, "operate"), notable: false },
          version(1, 0, "operate"),
        ],
        changes: [changed(2, 5, ["current_action", "develop", "validate"])],
        journal: [
          step(9, "x.json", []),
          step(7, "p/tasks.jsonl", []),
          step(5, "x.json", ["p/changes.log"]),
          step(0, "x.json", ["p/develop.md", "p/changes.log"]),
        ],
      },
    );
    expect(told.map((one) => [one.id, textOf(one), one.files])).toEqual([
      ["version:1", "develop.md, changes.log", ["p/develop.md", "p/changes.log"]],
      ["version:2", "Current action: develop → validate", ["p/changes.log"]],
      [`journal:write:${at(7).ms}`, "tasks.jsonl", ["p/tasks.jsonl"]],
    ]);
    const failed = entries(
      {},
      { versions: [version(3, 9, "operate")], journal: [{ ...step(9, "x.json", []), state: "lost" }] },
    );
    expect(failed.map(textOf)).toEqual(["did not reach the file"]);
  });

  it("shows a request with its end as one thing that lasted", () => {
    const journal = [note(0, "requested", "settled"), note(2, "settled", "superseded")];
    const [one, ...more] = entries({}, { journal });
    expect(more).toEqual([]);
    expect(one?.took).toBe(2 * MINUTE);
    expect(labelOf(one!)).toBe("Pause: requested, replaced by another request");
    expect(labelOf(entries({}, { journal: [note(0, "requested", "open")] })[0]!)).toBe(
      "Pause: requested, not in effect yet",
    );
  });

  it("knows how long an action took from the versions that began and ended it", () => {
    const changes = [
      changed(1, 0, ["current_action", null, "DEBUG"]),
      changed(2, 7, ["current_action", "DEBUG", null]),
      changed(3, 9, ["current_action", "VALIDATE", null]),
    ];
    const versions = [version(3, 9), version(2, 7), version(1, 0)];
    expect(entries({}, { versions, changes }).map((one) => one.took)).toEqual([null, 7 * MINUTE, null]);
  });

  it("is in the order of time, and what has none stays behind the one before it", () => {
    const events = [event(5, { text: "a" }), event(null, { text: "b" }), event(1, { text: "c" })];
    const history = [{ iteration: 1, step: "s", tool: "t", exit_code: 0, duration_ms: 5, time: at(3) }];
    expect(entries({ events, history }).map((one) => one.text)).toEqual(["c", "t", "a", "b"].sort(() => 0));
  });

  it("gives every event its own id, and the same one after more came", () => {
    const events = manyEvents(ROW, 600);
    const before = entries({ events: events.slice(0, 500) }).map((one) => one.id);
    const after = entries({ events }).map((one) => one.id);
    expect(new Set(after).size).toBe(after.length);
    expect(after.slice(0, before.length)).toEqual(before);
  });

  it("leads to the thing that an event is about", () => {
    const [task, seen, run] = entries({
      events: [
        event(0, { subject: "task-1" }),
        event(1, { kind: "debug_log", subject: "H2" }),
        event(2, { kind: "validate_entry", text: "1/2" }),
      ],
    });
    expect(targetOf(task!)).toEqual({ tab: "work", item: "task-1" });
    expect(targetOf(seen!)).toEqual({ tab: "debug", item: "H2" });
    expect(targetOf(run!)).toEqual({ tab: "tests", item: null });
    expect(textOf(run!)).toBe("1 of 2 pass");
  });

  it("finds the version of any moment", () => {
    const versions = [version(3, 9), version(2, 5), version(1, 0)];
    const [one] = entries({ events: [event(7)] });
    expect(versionAt(versions, one!)?.id).toBe(2);
    expect(versionAt(versions, entries({ events: [event(-1)] })[0]!)).toBeNull();
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

  it("are days as long as nothing names an iteration", () => {
    const groups = groupsOf(entries({ events: [event(0), event(1), event(DAY), event(DAY + 1)] }));
    expect(groups.map((one) => one.entries.length)).toEqual([2, 2]);
    expect(groups.every((one) => one.iteration === null)).toBe(true);
  });

  it("are iterations, and what names none belongs to the one before", () => {
    const events = [event(0), event(1, { iteration: 1 }), event(2), event(3, { iteration: 2 }), event(DAY)];
    const groups = groupsOf(entries({ events }));
    expect(groups.map((one) => [one.iteration, one.entries.length])).toEqual([
      [null, 1],
      [1, 2],
      [2, 2],
    ]);
  });

  it("follow the file's own count as soon as a version has one", () => {
    const told = entries(
      { events: [event(0, { iteration: 1 }), event(6, { iteration: 1 }), event(8, { iteration: 4 })] },
      { versions: [version(1, 5)], changes: [changed(1, 5, ["current_iteration", "6", "7"])] },
    );
    expect(groupsOf(told).map((one) => [one.iteration, one.entries.length])).toEqual([
      [1, 1],
      [7, 3],
    ]);
  });

  it("have ids of their own even when a number comes again", () => {
    const step = { step: "s", tool: "t", exit_code: 0, duration_ms: null };
    const history = [1, 2, 1, 2].map((iteration, minutes) => ({ ...step, iteration, time: at(minutes) }));
    const ids = groupsOf(entries({ history })).map((one) => one.id);
    expect(new Set(ids).size).toBe(4);
  });

  it("do not follow counts of a document's own: rounds of debugging, or a number that goes back", () => {
    const events = [
      event(0, { iteration: 2 }),
      event(1, { iteration: 7, kind: "debug_entry" }),
      event(2, { iteration: 1 }),
      event(3, { iteration: 3 }),
    ];
    expect(groupsOf(entries({ events })).map((one) => [one.iteration, one.entries.length])).toEqual([
      [2, 3],
      [3, 1],
    ]);
  });

  it("say when nothing happened, also while they are folded", () => {
    const events = [event(0, { iteration: 1 }), event(45, { iteration: 1 }), event(200, { iteration: 2 })];
    const groups = groupsOf(entries({ events }));
    const types = (closed: string[]) => linesOf(groups, new Set(closed)).map((line) => line.type);
    expect(types([])).toEqual(["group", "entry", "idle", "entry", "idle", "group", "entry"]);
    expect(types([groups[0]!.id])).toEqual(["group", "idle", "group", "entry"]);
    const idle = linesOf(groups, new Set()).filter((line) => line.type === "idle");
    expect(idle.map((line) => line.ms)).toEqual([45 * MINUTE, 155 * MINUTE]);
  });

  it("are drawn to scale, or without the time in which nothing happened", () => {
    const times = [0, 10, 10 + 10 * IDLE, 20 + 10 * IDLE];
    expect(scaleOf(times, false)(10)).toBeLessThan(0.001);
    expect(scaleOf(times, true)(10)).toBeGreaterThan(0.4);
    expect(scaleOf([5], true)(5)).toBe(0.5);
  });

  it("have a bar for what is known to have lasted, and a mark for the rest", () => {
    const history = [{ iteration: 1, step: "s", tool: "t", exit_code: 0, duration_ms: 60_000, time: at(3) }];
    const [group] = groupsOf(entries({ history, events: [event(0, { iteration: 1 }), event(4)] }));
    const strip = stripOf(group!, true);
    expect(strip.bars).toEqual([{ from: 0.5, to: 0.75, weight: "plain" }]);
    expect(strip.marks.map((one) => one.at)).toEqual([0, 0.75, 1]);
  });

  it("stay small however many events there are", () => {
    const [group] = groupsOf(
      entries({ events: manyEvents(ROW, 5_000).map((one) => ({ ...one, iteration: 1 })) }),
    );
    expect(stripOf(group!, false).marks.length).toBeLessThan(700);
  });

  it("lose no event and keep the order, whatever they are", () => {
    const some = fc.array(
      fc.record({
        minutes: fc.option(fc.integer({ min: -9e6, max: 9e6 })),
        iteration: fc.option(fc.double()),
      }),
    );
    fc.assert(
      fc.property(some, (all) => {
        const told = entries({ events: all.map((one) => event(one.minutes, { iteration: one.iteration })) });
        const groups = groupsOf(told);
        expect(groups.flatMap((one) => one.entries)).toEqual(told);
        for (const group of groups) {
          const { bars, marks } = stripOf(group, true);
          for (const mark of marks) expect(mark.at >= 0 && mark.at <= 1).toBe(true);
          for (const bar of bars) expect(bar.from <= bar.to).toBe(true);
        }
      }),
    );
  });
});

describe("copied", () => {
  it("it is Markdown in which text of files stays text", () => {
    const events = [event(0, { iteration: 3, subject: "a`b", text: "# <b>*x*</b>", files: ["src/a.ts"] })];
    const copied = timelineMarkdown("A title", groupsOf(entries({ events })));
    expect(copied).toContain("# A title\n\n## Iteration 3\n\n- ");
    expect(copied).toContain("**Developed** ``a`b`` \\# \\<b\\>\\*x\\*\\</b\\> `src/a.ts`");
  });

  it("is filtered by words, ids and files", () => {
    const [one] = entries({ events: [event(0, { subject: "task-7", files: ["src/Login.ts"] })] });
    expect(["TASK-7", "login", "developed", ""].map((text) => matches(one!, text))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(matches(one!, "nothing of it")).toBe(false);
  });
});

async function openActivity(host: MemoryHost, title: string): Promise<HTMLElement> {
  host.open = keyOf(host, title);
  await mountApp(host);
  await fireEvent.click(await screen.findByTestId("tab-activity"));
  return screen.findByTestId("timeline");
}

const rows = () => screen.getAllByTestId("timeline-entry").map((one) => one.getAttribute("aria-label") ?? "");
const present = (list: HTMLElement) =>
  document.getElementById(list.getAttribute("aria-activedescendant") ?? "")?.getAttribute("aria-label") ?? "";

describe("the tab", () => {
  it("shows work, runs, changes of the file and every write by Loopdeck", async () => {
    await openActivity(sampleHost(), "Implement user");
    await screen.findByText("Paused by Loopdeck");
    await waitFor(() => expect(rows().some((name) => name.includes("Iteration: 3 → 4"))).toBe(true));
    expect(rows().some((name) => name.includes("Validated, 41 of 44 pass, took 9.1 s"))).toBe(true);
    expect(rows().filter((name) => name.includes("Store the token hash"))).toHaveLength(1);
  });

  it("filters by kind and by text, says when nothing is left, and copies what is shown", async () => {
    const host = sampleHost();
    await openActivity(host, "Implement user");
    await screen.findByText("Paused by Loopdeck");
    await fireEvent.click(screen.getByTestId("kind-loopdeck"));
    expect(rows().every((name) => name.includes("Loopdeck") || name.includes("Pause"))).toBe(true);
    await fireEvent.click(screen.getByTestId("kind-tests"));
    expect(rows().some((name) => name.includes("Validated"))).toBe(true);
    await fireEvent.input(screen.getByTestId("timeline-filter"), { target: { value: "no such thing" } });
    const none = await screen.findByTestId("timeline-none");
    await fireEvent.click(within(none).getByText("Show all"));
    expect(rows().some((name) => name.includes("Developed"))).toBe(true);
  });

  it("is walked with arrows and letters, folded with left, opened with Enter and left with Escape", async () => {
    const list = await openActivity(sampleHost(), "Checkout");
    await screen.findByText("Paused by Loopdeck");
    await fireEvent.focus(list);
    await fireEvent.keyDown(list, { key: "Home" });
    expect(present(list)).toMatch(/^\w+, .*\d{4}|^Iteration/);
    await fireEvent.keyDown(list, { key: "j" });
    const first = present(list);
    expect(first).not.toBe("");
    await fireEvent.keyDown(list, { key: "ArrowDown" });
    await fireEvent.keyDown(list, { key: "k" });
    expect(present(list)).toBe(first);
    await fireEvent.keyDown(list, { key: "Enter" });
    const drawer = await screen.findByTestId("event-drawer");
    expect(drawer.contains(document.activeElement)).toBe(true);
    await fireEvent.keyDown(drawer, { key: "Escape" });
    expect(screen.queryByTestId("event-drawer")).toBeNull();
    const before = rows().length;
    await fireEvent.keyDown(list, { key: "ArrowLeft" });
    await fireEvent.keyDown(list, { key: "ArrowLeft" });
    expect(rows().length).toBeLessThan(before);
  });

  it("leads from an event to what it is about", async () => {
    await openActivity(sampleHost(), "Implement user");
    await fireEvent.click(screen.getAllByTestId("subject").find((one) => one.textContent === "H2")!);
    expect(screen.getByTestId("tab-debug").getAttribute("aria-selected")).toBe("true");
  });

  it("opens any point of the past, with what changed since, and goes through versions", async () => {
    await openActivity(sampleHost(), "Implement user");
    await waitFor(() => expect(screen.getAllByTestId("as-it-was-then").length).toBeGreaterThan(3));
    await fireEvent.click(screen.getAllByTestId("as-it-was-then")[0]!);
    const point = await screen.findByTestId("past-point");
    await waitFor(() => expect(point.textContent).toMatch(/\d changes? since then/));
    const slider = screen.getByTestId("version-slider") as HTMLInputElement;
    const before = slider.getAttribute("aria-valuetext");
    await fireEvent.input(slider, { target: { value: "0" } });
    expect(slider.getAttribute("aria-valuetext")).toMatch(/^Version 1 of 7/);
    expect(slider.getAttribute("aria-valuetext")).not.toBe(before);
    await fireEvent.click(await screen.findByTestId("part-activity"));
    const then = await screen.findByTestId("past-activity");
    expect(within(then).queryByTestId("as-it-was-then")).toBeNull();
    await fireEvent.keyDown(point, { key: "Escape" });
    await screen.findByTestId("kind-work");
  });

  it("follows what is new at the end, and counts it for whoever reads elsewhere", async () => {
    const host = sampleHost();
    const list = await openActivity(host, "Implement user");
    await screen.findByText("Paused by Loopdeck");
    const key = keyOf(host, "Implement user");
    const { events } = (await host.openLoop(key)).detail;
    const more = (count: number) =>
      Array.from({ length: count }, (_, index) => event(9e5 + index, { text: `new ${index}` }));
    await fireEvent.input(screen.getByTestId("timeline-filter"), { target: { value: "new" } });
    host.detail(key, { events: [...events, ...more(1)] });
    await waitFor(() => expect(rows().some((name) => name.includes("new 0"))).toBe(true));
    expect(screen.queryByTestId("new-events")).toBeNull();
    // As if it were longer than the view and scrolled up.
    Object.defineProperty(list, "scrollHeight", { value: 5_000, configurable: true });
    await fireEvent.scroll(list);
    host.detail(key, { events: [...events, ...more(4)] });
    expect((await screen.findByTestId("new-events")).textContent).toContain("3 new");
  });

  it("draws only what is near the view, of five thousand events", async () => {
    const host = sampleHost();
    const key = keyOf(host, "Implement user");
    host.detail(key, { events: manyEvents(ROW, 5_000), events_total: 12_345, cut_files: ["debug.log"] });
    const list = await openActivity(host, "Implement user");
    expect(rows().length).toBeLessThan(80);
    expect(Number(list.getAttribute("aria-rowcount"))).toBeGreaterThan(5_000);
    const panel = screen.getByTestId("panel-activity").textContent;
    expect(panel).toContain("Only the newest 5,000 of 12,345 events are shown.");
    expect(panel).toContain("Only the end was read of: debug.log.");
  });

  it("shows what the file says when Loopdeck's own memory fails, and why", async () => {
    const host = sampleHost();
    host.events = async () => {
      throw { kind: "own_data", args: { reason: "disk full" }, refusal: null };
    };
    await openActivity(host, "Implement user");
    expect((await screen.findByTestId("failure")).textContent).toContain("disk full");
    expect(rows().some((name) => name.includes("Validated"))).toBe(true);
  });

  it("compares only versions that it does not know yet", async () => {
    const host = sampleHost();
    const asked: number[] = [];
    const changes = host.pastChanges.bind(host);
    host.pastChanges = (key, limit) => {
      asked.push(limit);
      return changes(key, limit);
    };
    await openActivity(host, "Implement user");
    await screen.findByText("Paused by Loopdeck");
    const key = keyOf(host, "Implement user");
    await fireEvent.click(screen.getByTestId("kind-files"));
    host.write(key, { title: "Implement more" });
    await waitFor(() => expect(rows().some((name) => name.includes("Implement more"))).toBe(true));
    expect(asked[0]).toBe(8);
    expect(asked.at(-1)).toBe(2);
  });
});
