import { cleanup, render } from "@testing-library/svelte";
import { flushSync, tick } from "svelte";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { loadParts } from "../src/views/parts-later";
import { MemoryHost } from "../src/host/memory";
import { TABS } from "../src/state/place";
import { drawn } from "../src/host/sample-drawing";
import { graphMarkdown } from "../src/views/loop/graph/markdown";
import { above, graphWork } from "../src/views/loop/graph/model";
import type { Palette } from "../src/views/loop/graph/palette";
import { svgOf } from "../src/views/loop/graph/picture";
import { sceneOf } from "../src/views/loop/graph/scene";
import { parseMarkdown, referencesOf } from "../src/views/loop/documents/markdown";
import { sampleHost } from "./mount";
import BoardStage from "./BoardStage.svelte";
import MarkdownStage from "./MarkdownStage.svelte";
import NeedsStage from "./NeedsStage.svelte";
import Stage from "./Stage.svelte";
import WorkStage from "./WorkStage.svelte";
import OutputStage from "./OutputStage.svelte";
import { runMarkdown, rowsMarkdown } from "../src/views/loop/output/copy";
import type { LoopPage } from "../src/host/bindings";
import { NO_DEBUG, detail, hypothesis } from "./any-detail";
import { emptyRun, emptyValidation, testPage } from "./any-tests";
import { few, text } from "./any-value";
import { entries, loopRun, need, outputRow, row, run, version } from "./any-view";

// Its tabs are loaded behind the list.
beforeAll(() => loadParts());

describe("whatever a file says", () => {
  it("its graph, its outline and its drawer show it without an error, and as text", () => {
    fc.assert(
      fc.property(row, detail, fc.constantFrom("down" as const, "right" as const), (one, all, direction) => {
        const model = graphWork(all);
        const scene = sceneOf(drawn(all, direction), model, direction);
        const page = svgOf(scene, { meaning: {}, font: "x" } as Palette, one.title, "en");
        expect(page).not.toContain("<script");
        graphMarkdown(model, one.title);
        for (const node of model.nodes) above(model, node.id);
        const item = model.nodes.at(-1)?.id ?? null;
        const { container } = render(WorkStage, {
          props: { host: sampleHost(), row: one, detail: all, item },
        });
        flushSync();
        expect(container.textContent).not.toBe("");
        expect(container.querySelector("script")).toBeNull();
        // Tasks without atoms are listed first, and the list has a drawer of its own: there is one, never two.
        const listed = all.atoms.length === 0 && all.tasks.length > 0;
        const drawer = listed ? "task-drawer" : "unit-drawer";
        if (item !== null && all.work !== null) {
          expect(container.querySelector(`[data-testid="${drawer}"]`)).not.toBeNull();
          expect(container.querySelectorAll("aside")).toHaveLength(1);
        }
        cleanup();
      }),
      { numRuns: 60 },
    );
  });

  it("a row of the list shows it without an error, and as text", () => {
    fc.assert(
      fc.property(row, (one) => {
        const { container } = render(Stage, { props: { host: new MemoryHost(), row: one } });
        flushSync();
        expect(container.querySelector('[data-testid="loop-row"]')).not.toBeNull();
        expect(container.querySelector("script")).toBeNull();
        cleanup();
      }),
      { numRuns: 150 },
    );
  });

  it("the table of tests shows it without an error, opened, and as text", async () => {
    await fc.assert(
      fc.asyncProperty(row, detail, testPage, async (one, all, table) => {
        const host = sampleHost();
        const counts = { all: 9, failed: 1, passed: 1, skipped: 1, new_failures: 1, fixed: 1, flaky: 1 };
        const total = table.lines.length + table.more;
        host.tests = async (_, { offset }) =>
          ({
            ...table,
            lines: offset === 0 ? table.lines : [],
            offset,
            total,
            counts,
            failures: [0],
          }) as never;
        host.test = async () =>
          table.row && {
            row: table.row,
            text: table.row.stack_trace ?? "",
            places: [
              { start: 0, end: 3, file: one.title, line: 1, column: null },
              { start: 2, end: 900, file: "", line: -1, column: 0 },
            ],
          };
        host.sights = async (_, names) =>
          names.slice(1).map((file) => ({ file, line: null, column: null, state: "missing" as const }));
        const runs = [{ ...emptyRun, rows: 1 }, ...(all.validation?.runs ?? []), { ...emptyRun, rows: 3 }];
        const validation = { ...emptyValidation, ...all.validation, runs };
        const page: LoopPage = {
          row: one,
          detail: { ...all, validation },
          parent: null,
          followed_by: [],
          documents: [],
          last_good: null,
          recoverable: false,
          work_revision: null,
          work_later: null,
        };
        const { container } = render(Stage, { props: { host, row: one, page, tab: "tests" } });
        await tick();
        await tick();
        const lines = [...container.querySelectorAll<HTMLElement>('[data-testid="test-line"]')];
        expect(lines.length).toBeGreaterThanOrEqual(Math.min(table.lines.length, 4));
        for (const line of lines) line.click();
        await tick();
        expect(container.querySelector("script")).toBeNull();
        for (const part of ["runs", "coverage"]) {
          container.querySelector<HTMLElement>(`[data-testid="show-${part}"]`)?.click();
          flushSync();
        }
        cleanup();
      }),
      { numRuns: 60 },
    );
  });

  it("the timeline shows what Loopdeck remembers of it without an error, and as text", async () => {
    await fc.assert(
      fc.asyncProperty(row, detail, entries, few(version), async (one, all, told, kept) => {
        const host = sampleHost();
        host.timeline = async () => ({ entries: told, versions: kept, more: false, failure: null });
        const page: LoopPage = {
          row: one,
          detail: all,
          parent: null,
          followed_by: [],
          documents: [],
          last_good: null,
          recoverable: false,
          work_revision: null,
          work_later: null,
        };
        const { container } = render(Stage, { props: { host, row: one, page, tab: "activity" } });
        await tick();
        await new Promise((done) => setTimeout(done));
        flushSync();
        for (const form of ["full", "raw"]) {
          container.querySelector<HTMLElement>(`[data-testid="form-${form}"]`)?.click();
          flushSync();
        }
        container.querySelector<HTMLElement>('[data-testid="timeline-entry"]')?.click();
        flushSync();
        expect(container.querySelector('[data-testid="failure"], script')).toBeNull();
        cleanup();
      }),
      { numRuns: 60 },
    );
  });

  it("a document is drawn without an error, and as text", () => {
    const line = fc.oneof(
      text,
      fc.constantFrom(
        "# h",
        "- [ ] a",
        "```",
        "| a | b |",
        "|---|---|",
        "> q",
        "[a](javascript:1)",
        "![i](x)",
        "<iframe src=x>",
      ),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const blocks = parseMarkdown(lines.join("\n"), referencesOf(lines));
        const { container } = render(MarkdownStage, { props: { host: sampleHost(), blocks } });
        flushSync();
        expect(container.querySelector("script, iframe, img, a, style")).toBeNull();
        for (const button of container.querySelectorAll("button")) {
          expect(button.getAttributeNames().some((name) => name.startsWith("on"))).toBe(false);
        }
        cleanup();
      }),
      { numRuns: 200 },
    );
  });

  it.each(TABS)("the tab %s shows it without an error, and as text", (tab) => {
    fc.assert(
      fc.property(row, detail, (one, all) => {
        const page: LoopPage = {
          row: one,
          detail: all,
          parent: null,
          followed_by: [],
          documents: [],
          last_good: null,
          recoverable: false,
          work_revision: null,
          work_later: null,
        };
        const { container } = render(Stage, { props: { host: sampleHost(), row: one, page, tab } });
        flushSync();
        expect(container.querySelector(`[data-testid="panel-${tab}"]`)).not.toBeNull();
        expect(container.querySelector("script")).toBeNull();
        cleanup();
      }),
      { numRuns: 60 },
    );
  });

  it("any output of any run is shown without an error, and as text", async () => {
    await fc.assert(
      fc.asyncProperty(
        row,
        loopRun,
        fc.array(run, { minLength: 1, maxLength: 3 }),
        few(outputRow),
        async (one, loop, runs, said) => {
          const host = sampleHost();
          host.runs.runsOf.set(one.key, runs);
          for (const each of runs) host.runs.outputOf.set(each.id, said);
          const props = { host, row: { ...one, run: loop }, item: runs[0]!.id };
          const { container, unmount } = render(OutputStage, { props });
          for (let turn = 0; turn < 6; turn += 1) await tick();
          flushSync();
          expect(container.querySelector("script")).toBeNull();
          unmount();
          rowsMarkdown(runs[0]!, said);
          runMarkdown(runs[0]!);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each(["board", "table"])("the drawer of a hypothesis beside the %s shows it, and as text", (view) => {
    fc.assert(
      fc.property(row, detail, hypothesis, (one, all, first) => {
        const debug = { ...(all.debug ?? NO_DEBUG), hypotheses: [first, ...(all.debug?.hypotheses ?? [])] };
        const props = { host: sampleHost(), row: one, debug, detail: all, item: first.id };
        const { container, getByTestId } = render(BoardStage, { props });
        flushSync();
        flushSync(() => getByTestId(`view-${view}`).click());
        expect(container.querySelectorAll("[data-card]")).toHaveLength(debug.hypotheses.length);
        expect(getByTestId("hypothesis").textContent).toContain(first.description.trim());
        cleanup();
      }),
    );
  });

  it("every need is shown without an error, and as text", () => {
    fc.assert(
      fc.property(fc.array(need, { minLength: 1, maxLength: 4 }), (needs) => {
        const unique = needs.map((one, index) => ({ ...one, id: `${index}` }));
        const { container } = render(NeedsStage, { props: { host: sampleHost(), needs: unique } });
        flushSync();
        expect(container.querySelectorAll('[data-testid="need"]')).toHaveLength(unique.length);
        for (const button of container.querySelectorAll<HTMLElement>(
          '[data-testid="unfold"], [data-testid="answer-note"]',
        )) {
          button.click();
          flushSync();
        }
        expect(container.querySelector("script")).toBeNull();
        expect(container.textContent).not.toMatch(/[\u202a-\u202e\u0000]/);
        cleanup();
      }),
      { numRuns: 120 },
    );
  });

  it("tasks and workers open without an error, and as text", () => {
    fc.assert(
      fc.property(row, detail, (one, all) => {
        const { container } = render(WorkStage, { props: { host: sampleHost(), row: one, detail: all } });
        const parts = '[data-testid="task-row"], [data-testid="listed-task"], button.node, summary';
        for (const part of container.querySelectorAll<HTMLElement>(parts)) {
          part.click();
          flushSync();
        }
        expect(container.querySelectorAll("aside").length).toBeLessThan(2);
        expect(container.querySelector("script")).toBeNull();
        cleanup();
      }),
      { numRuns: 60 },
    );
  });
});
