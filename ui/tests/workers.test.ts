import { render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import type { LoopBPhase, LoopDetail, LoopRow, PhaseView, WayView, WorkerView } from "../src/host/bindings";
import { at, emptyDetail, MINUTE } from "../src/host/sample-empty";
import { NO_REPORT, sampleWay } from "../src/host/sample-work";
import { inWords, workerModeText, workersMarkdown } from "../src/views/loop/workers/text";
import { keyOf, NOW, sampleHost } from "./mount";
import WorkStage from "./WorkStage.svelte";
import { click } from "./person";

const row: LoopRow = (() => {
  const host = sampleHost();
  const key = keyOf(host, "Dark mode");
  return host.rows().find((one) => one.key === key)!;
})();

function worker(phase: LoopBPhase, more: Partial<WorkerView> = {}): WorkerView {
  return {
    action: phase,
    phase,
    status: "success",
    outcome: "success",
    summary: `${phase} is done`,
    files_changed: [],
    next_suggestion: null,
    next: null,
    loop_back_to: null,
    back: null,
    time: at(NOW),
    report: NO_REPORT,
    detail: null,
    source: `x.workers/${phase}.output.json`,
    ...more,
  };
}

const stay = (phase: LoopBPhase, minutes: number | null, heading: "on" | "back" = "on") => ({
  phase,
  time: minutes === null ? null : at(NOW - minutes * MINUTE),
  heading,
});

const there: Partial<PhaseView> = { result: "missing", times: 1 };

function detailOf(way: WayView, more: Partial<LoopDetail> = {}): LoopDetail {
  return { ...emptyDetail(row), way, ...more };
}

describe("the view", () => {
  const way = sampleWay(
    {
      visits: [stay("develop", 9), stay("debug", 5), stay("develop", null, "back")],
      here: "develop",
      taken: ["develop-debug", "debug-check", "check-develop"],
      fork_passed: true,
    },
    {
      develop: { result: "handed_in", times: 2, worker: 0 },
      debug: { result: "handed_in", times: 1, worker: 1 },
    },
  );
  const detail = detailOf(way, {
    workers: [
      worker("develop", {
        files_changed: ["src/a.ts"],
        next_suggestion: "validate",
        next: "validate",
        detail: "x\n".repeat(200),
      }),
      worker("debug", {
        status: "needs_input",
        outcome: "needs_input",
        loop_back_to: "Develop",
        back: "develop",
      }),
    ],
    conflicts: [
      {
        file: "src/a.ts",
        resolutions: [{ kind: "manual" }, { kind: "other", word: "mine" }],
        sides: [
          { action: "develop", phase: "develop", worker: 0, lines: ["- src/a.ts: new"] },
          { action: "debug", phase: "debug", worker: 1, lines: [] },
          { action: "validate", phase: "validate", worker: null, lines: [] },
        ],
      },
    ],
    findings: [
      { text: "Print stays dark.", shape: "prose" },
      { text: "[1]", shape: "data" },
    ],
  });
  it("has its phases in one line, with where it is and what each said", async () => {
    const onitem = vi.fn();
    render(WorkStage, { props: { host: sampleHost(), row, detail, onitem } });
    const steps = within(screen.getByRole("list", { name: "Phases and their order" })).getAllByRole(
      "listitem",
    );
    expect(steps.map((step) => step.textContent?.replace(/\s+/g, " ").trim())).toEqual([
      "1 Init Not reached",
      "Develop2× Current phase",
      "Debug Needs input",
      "4 Validate Not reached",
      "5 Complete Not reached",
    ]);
    expect(steps.map((step) => step.getAttribute("aria-current"))).toEqual([null, "step", null, null, null]);
    await click(within(steps[2]!).getByRole("button"));
    expect(onitem).toHaveBeenCalledWith("debug");
  });

  it("leads from its phase to what the worker said", async () => {
    const onitem = vi.fn();
    render(WorkStage, { props: { host: sampleHost(), row, detail, onitem } });
    await click(screen.getByTestId("step-debug"));
    await waitFor(() => expect(document.activeElement?.getAttribute("data-item")).toBe("debug"));
    expect(onitem).toHaveBeenCalledWith("debug");
    expect(document.activeElement?.textContent).toContain("Back to Develop");
  });

  it("builds details only when they are opened", async () => {
    render(WorkStage, { props: { host: sampleHost(), row, detail } });
    const lane = screen.getAllByTestId("worker")[0]!;
    expect(lane.textContent).not.toContain("src/a.ts");
    const [files] = lane.querySelectorAll<HTMLDetailsElement>(".folds details");
    files!.open = true;
    await waitFor(() => expect(lane.textContent).toContain("src/a.ts"));
  });

  it("shows both sides of a conflict and the findings", () => {
    render(WorkStage, { props: { host: sampleHost(), row, detail } });
    const conflicts = screen.getByTestId("conflicts").textContent ?? "";
    for (const words of [
      "src/a.ts",
      "to be resolved by hand, mine",
      "develop is done",
      "- src/a.ts: new",
      "debug is done",
      "No result",
    ])
      expect(conflicts).toContain(words);
    const findings = screen.getByTestId("findings");
    expect(findings.textContent).toContain("Print stays dark.");
    expect(findings.textContent, "no JSON").not.toContain("[1]");
    expect(inWords('{"rows_read": 3, "files": ["a.ts", {"b": null}]}')).toBe(
      "rows read: 3\nfiles:\n  • a.ts\n  •\n    b: null",
    );
    expect([inWords("[x] done"), inWords("{}")]).toEqual(["[x] done", "{}"]);
  });

  it("shows what a worker reports in fields, and not the text of the file", async () => {
    const report = {
      ...NO_REPORT,
      tasks_completed: [
        { id: "T1", description: "Create auth module" },
        { id: "", description: "Tests" },
      ],
      lines_added: 1500,
      lines_removed: 20,
      suggestions: ["Limit the tries"],
      issues_found: ["No idempotency key"],
      failed_tests: ["refunds"],
      coverage: 71.4,
    };
    const none = { ...NO_REPORT, lines_added: 0, lines_removed: 0 };
    const workers = [worker("develop", { report }), worker("debug", { report: none })];
    render(WorkStage, { props: { host: sampleHost(), row, detail: detailOf(sampleWay(), { workers }) } });
    const [full, bare] = screen.getAllByTestId("worker");
    expect(full!.querySelector("[data-testid=worker-figures]")?.textContent).toContain("+1,500 −20 lines");
    expect(full!.textContent).toContain("Coverage 71.4%");
    expect(full!.querySelector("[data-testid=worker-issues]")?.textContent).toContain("Issues found: 1");
    expect(full!.textContent).toContain("No idempotency key");
    const folds = [...full!.querySelectorAll<HTMLDetailsElement>(".folds details")];
    expect(full!.querySelector("details")?.open, "what went well is one line").toBe(false);
    expect(folds.map((fold) => fold.textContent?.trim())).toEqual([
      "Tasks finished: 2",
      "Failed tests: 1",
      "Suggestions: 1",
    ]);
    folds.forEach((fold) => (fold.open = true));
    await waitFor(() => expect(full!.textContent).toContain("T1 · Create auth module"));
    for (const words of ["refunds", "Limit the tries"]) expect(full!.textContent).toContain(words);
    expect(bare!.querySelector("[data-testid=worker-figures], .folds details, h4")).toBeNull();
    const text = workersMarkdown(row, detailOf(sampleWay(), { workers }));
    for (const words of [
      "Tasks finished: 2:",
      "- T1 · Create auth module",
      "Issues found: 1:",
      "1,500",
      "71.4%",
    ])
      expect(text).toContain(words);
  });

  it("names the phases that owe a result", () => {
    const owing = sampleWay({}, { init: there, develop: { result: "handed_in", worker: 0 }, debug: there });
    render(WorkStage, {
      props: { host: sampleHost(), row, detail: detailOf(owing, { workers: [worker("develop")] }) },
    });
    expect(screen.getByRole("region", { name: "Workers 1" }).textContent).toContain(
      "No results from Init, Debug.",
    );
  });

  it("shows words of nobody as they are written", () => {
    const odd = worker("develop", { action: "swarm", phase: null, status: "Odd", outcome: "other" });
    const none = worker("debug", { status: "", outcome: "other" });
    render(WorkStage, {
      props: { host: sampleHost(), row, detail: detailOf(sampleWay(), { workers: [odd, none] }) },
    });
    const heads = screen.getAllByTestId("worker").map((lane) => lane.querySelector("header")?.textContent);
    expect(heads[0]).toContain("swarm");
    expect(heads[0]).toContain("Odd");
    expect(heads[1]).toContain("Not reported");
    expect(workerModeText({ mode: null, mode_word: "swarm" })).toContain("“swarm”");
    expect(workerModeText({ mode: null, mode_word: "" })).toBe("The file has no mode.");
  });

  it("says that there is no result yet", () => {
    render(WorkStage, { props: { host: sampleHost(), row, detail: detailOf(sampleWay({ mode: "auto" })) } });
    expect(screen.getByText("No worker results yet.")).toBeTruthy();
    expect(screen.queryByTestId("conflicts")).toBeNull();
  });

  it("says in parallel mode when results were merged", () => {
    const taken: WayView["taken"] = ["init-develop", "develop-merge"];
    const merged = sampleWay(
      { mode: "parallel", here: "init", taken, fork_passed: true },
      { develop: { result: "handed_in", worker: 0 } },
    );
    const all = detailOf(merged, { workers: [worker("develop")], merged_at: at(NOW) });
    render(WorkStage, { props: { host: sampleHost(), row, detail: all } });
    expect(screen.getByRole("region", { name: "Workers 1" }).textContent).toContain("Merged now");
  });

  it("becomes Markdown in which text of files stays text", () => {
    const text = workersMarkdown(row, {
      ...detail,
      workers: [worker("develop", { summary: "<b>*done*</b>" })],
    });
    expect(text).toContain("Path taken: Develop → Debug → Develop");
    expect(text).toContain("\\<b\\>\\*done\\*\\</b\\>");
    expect(text).toContain("`src/a.ts`");
  });
});
