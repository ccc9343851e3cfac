import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import type { EventView, LoopDetail, LoopRow, WorkerView } from "../src/host/bindings";
import { at, emptyDetail, MINUTE } from "../src/host/sample-empty";
import { clashesOf, linesAbout } from "../src/views/workers/conflicts";
import { atOnce, inTurn } from "../src/views/workers/drawing";
import { workersMarkdown } from "../src/views/workers/text";
import { edgesOf, PHASES, wayOf } from "../src/views/workers/way";
import { keyOf, NOW, sampleHost } from "./mount";
import WorkStage from "./WorkStage.svelte";

function loopB(mode: string | null): LoopRow {
  const host = sampleHost();
  const key = keyOf(host, "Dark mode");
  return { ...host.rows().find((row) => row.key === key)!, mode, phase: null };
}

function worker(action: string, more: Partial<WorkerView> = {}): WorkerView {
  return {
    action,
    status: "success",
    summary: `${action} is done`,
    files_changed: [],
    next_suggestion: null,
    loop_back_to: null,
    time: at(NOW),
    detail: null,
    source: `x.workers/${action}.output.json`,
    ...more,
  };
}

const happened = (kind: EventView["kind"], subject: string | null, minutes: number): EventView => ({
  time: at(NOW - minutes * MINUTE),
  kind,
  iteration: null,
  subject,
  text: "",
  says: { form: "text" },
  files: [],
  file: "",
});

function detailOf(row: LoopRow, phase: string | null, more: Partial<LoopDetail> = {}): LoopDetail {
  const facts = phase === null ? [] : [{ name: "phase", value: { kind: "code" as const, value: phase } }];
  return { ...emptyDetail(row), facts, ...more };
}

describe("the way of a Loop-B", () => {
  const auto = loopB("auto");

  it("is read from workers and rounds, and ends where the file says that the loop stands", () => {
    const way = wayOf(
      auto,
      detailOf(auto, "develop", {
        events: [
          happened("worker", "init", 40),
          happened("develop_entry", "T1", 30),
          happened("develop_entry", "T2", 28),
          happened("validate_entry", null, 20),
        ],
      }),
    );
    expect(way.visits.map((visit) => visit.phase)).toEqual(["init", "develop", "validate", "develop"]);
    expect([...way.taken].sort()).toEqual([
      "check-develop",
      "develop-validate",
      "init-develop",
      "validate-check",
    ]);
    expect(way.times.get("develop")).toBe(2);
    expect(way.here).toBe("develop");
  });

  it("adds workers that are only listed as done", () => {
    const facts = [
      { name: "phase", value: { kind: "code" as const, value: "develop" } },
      { name: "workers_completed", value: { kind: "list" as const, value: ["init"] } },
    ];
    const way = wayOf(auto, { ...emptyDetail(auto), facts });
    expect(way.visits.map((visit) => visit.phase)).toEqual(["init", "develop"]);
  });

  it("knows what the last worker asks for, until the loop has moved on", () => {
    const workers = [worker("debug", { loop_back_to: "develop", next_suggestion: "validate" })];
    const events = [happened("worker", "debug", 3)];
    const stays = wayOf(auto, detailOf(auto, "debug", { workers, events }));
    expect(stays.wish).toEqual({ from: "debug", to: "develop", back: true });
    expect(stays.taken.size).toBe(0);
    const moved = wayOf(auto, detailOf(auto, "develop", { workers, events }));
    expect(moved.wish).toBeNull();
    expect([...moved.taken].sort()).toEqual(["check-develop", "debug-check"]);
  });

  it("is no sequence where workers are at once", () => {
    const row = loopB("parallel");
    const way = wayOf(row, detailOf(row, "init", { workers: [worker("develop"), worker("validate")] }));
    expect(way.visits).toEqual([]);
    expect([...way.reached].sort()).toEqual(["develop", "init", "validate"]);
  });

  it("ignores words that the format does not define", () => {
    const way = wayOf(
      auto,
      detailOf(auto, "toString", {
        events: [happened("worker", "__proto__", 1)],
        workers: [worker("unknown", { loop_back_to: "constructor" })],
      }),
    );
    expect(way).toMatchObject({ visits: [], here: null, wish: null });
  });

  it("has a line for every step that leads somewhere, and draws all of them", () => {
    const drawn = new Set(inTurn(700).edges.map((edge) => edge.id));
    const known = PHASES.flatMap((from) => PHASES.flatMap((to) => edgesOf(from, to)));
    expect(known.filter((edge) => !drawn.has(edge))).toEqual([]);
    expect(edgesOf("init", "complete")).toEqual([]);
  });

  it.each([460, 622, 960, 2400])("is drawn without overlap at a width of %i", (width) => {
    for (const drawing of [inTurn(width), atOnce(width)]) {
      const boxes = [...Object.values(drawing.nodes), drawing.check];
      for (const [index, a] of boxes.entries()) {
        for (const b of boxes.slice(index + 1)) {
          const apart =
            a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
          expect(apart, JSON.stringify([a, b])).toBe(true);
        }
      }
      expect(drawing.width).toBeLessThanOrEqual(Math.max(width, 480));
    }
  });
});

describe("files changed by several workers", () => {
  const workers = [
    worker("develop", { detail: "a\n  - src/a.ts: new\nb" }),
    worker("debug", { summary: "Found it" }),
  ];

  it("stand together with all who changed them, and what each says", () => {
    const pair = (...names: string[]) => ({ file: "src/a.ts", workers: names, resolution: "manual" });
    const [clash, ...more] = clashesOf([pair("develop", "debug"), pair("develop", "validate")], workers);
    expect(more).toEqual([]);
    expect(clash).toMatchObject({ file: "src/a.ts", resolutions: ["manual"] });
    expect(clash!.sides.map((side) => [side.action, side.worker?.summary, side.lines])).toEqual([
      ["develop", "develop is done", ["- src/a.ts: new"]],
      ["debug", "Found it", []],
      ["validate", undefined, []],
    ]);
  });

  it("have no lines about a file without a name", () => {
    expect(linesAbout("everything", "")).toEqual([]);
    expect(linesAbout(null, "a.ts")).toEqual([]);
  });
});

describe("the view", () => {
  const row = loopB("auto");
  const detail = detailOf(row, "develop", {
    workers: [
      worker("develop", {
        files_changed: ["src/a.ts"],
        next_suggestion: "validate",
        detail: "x\n".repeat(200),
      }),
      worker("debug", { status: "needs_input", loop_back_to: "develop" }),
    ],
    events: [happened("worker", "develop", 9), happened("worker", "debug", 5)],
    conflicts: [{ file: "src/a.ts", workers: ["develop", "debug"], resolution: "manual" }],
    findings: ["Print stays dark."],
  });
  const edge = (id: string) => document.querySelector(`[data-edge="${id}"]`)?.getAttribute("data-kind");

  it("draws the way and says it", () => {
    render(WorkStage, { props: { host: sampleHost(), row, detail } });
    expect(edge("develop-debug")).toBe("taken");
    expect(edge("check-develop")).toBe("taken");
    expect(edge("check-complete")).toBe("open");
    expect(edge("debug-validate")).toBeUndefined();
    const diagram = screen.getByTestId("worker-diagram");
    const said = document.getElementById(diagram.getAttribute("aria-describedby")!)!;
    expect(said.textContent?.replace(/\s+/g, " ")).toContain("The loop stands at Develop.");
    expect([...said.querySelectorAll("ol .step")].map((step) => step.textContent)).toEqual([
      "Develop",
      "Debug",
      "Develop",
    ]);
    // The name of a button is what is seen on it; its title says the rest.
    const node = screen.getByTestId("node-develop");
    expect(node.getAttribute("aria-label")).toBeNull();
    expect(node.textContent).toContain("Develop");
    expect(node.title).toBe("Develop, Success, the loop stands here");
  });

  it("leads from the diagram to what the worker said", async () => {
    const onitem = vi.fn();
    render(WorkStage, { props: { host: sampleHost(), row, detail, onitem } });
    await fireEvent.click(screen.getByTestId("node-debug"));
    await waitFor(() => expect(document.activeElement?.getAttribute("data-item")).toBe("debug"));
    expect(onitem).toHaveBeenCalledWith("debug");
    expect(document.activeElement?.textContent).toContain("Back to Develop");
  });

  it("builds details only when they are opened", async () => {
    render(WorkStage, { props: { host: sampleHost(), row, detail } });
    const lane = screen.getAllByTestId("worker")[0]!;
    expect(lane.textContent).not.toContain("src/a.ts");
    const [files] = lane.querySelectorAll("details");
    files!.open = true;
    await waitFor(() => expect(lane.textContent).toContain("src/a.ts"));
  });

  it("shows both sides of a conflict and the findings", () => {
    render(WorkStage, { props: { host: sampleHost(), row, detail } });
    const conflicts = screen.getByTestId("conflicts").textContent ?? "";
    for (const words of ["src/a.ts", "to be settled by hand", "develop is done", "debug is done"])
      expect(conflicts).toContain(words);
    expect(screen.getByTestId("findings").textContent).toContain("Print stays dark.");
  });

  it.each([
    ["interactive", "The first one is chosen in the agent’s terminal."],
    ["auto", "Init is the first one."],
    ["parallel", "three of them start at once"],
    ["swarm", "No worker has handed in a result."],
    [null, "No worker has handed in a result."],
  ])("says what comes next while there is no result in mode %s", (mode, words) => {
    const one = loopB(mode);
    render(WorkStage, { props: { host: sampleHost(), row: one, detail: detailOf(one, "init") } });
    expect(screen.getByTestId("no-workers").textContent).toContain(words);
    expect(screen.queryByTestId("conflicts")).toBeNull();
  });

  it("shows three at once with their merge in parallel mode", () => {
    const one = loopB("parallel");
    const all = detailOf(one, "init", { workers: [worker("develop")], merged_at: at(NOW) });
    render(WorkStage, { props: { host: sampleHost(), row: one, detail: all } });
    expect(edge("init-develop")).toBe("taken");
    expect(edge("develop-merge")).toBe("taken");
    expect(edge("init-debug")).toBe("open");
    expect(screen.getByTestId("workers").textContent).toContain("Merged now");
  });

  it("becomes Markdown in which text of files stays text", () => {
    const text = workersMarkdown(row, {
      ...detail,
      workers: [worker("develop", { summary: "<b>*done*</b>" })],
    });
    expect(text).toContain("Way taken: Develop → Debug → Develop");
    expect(text).toContain("\\<b\\>\\*done\\*\\</b\\>");
    expect(text).toContain("`src/a.ts`");
  });
});
