import { render, screen, waitFor } from "@testing-library/svelte";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LoopDetail, LoopRow, TaskView } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { emptyDetail } from "../src/host/sample-empty";
import { longPlan, planTasks } from "../src/host/sample-work";
import { headed, progressOf, taskSections } from "../src/views/loop/tasks/headings";
import { neighbours } from "../src/views/loop/tasks/marks";
import { lineKey, type Line } from "../src/views/loop/tasks/tasks";
import { detail as anyDetail } from "./any-detail";
import { keyOf, mountApp, sampleHost } from "./mount";
import { click, fill, press } from "./person";
import WorkStage from "./WorkStage.svelte";

interface Sample {
  host: MemoryHost;
  row: LoopRow;
  detail: LoopDetail;
}

/** A plan of another tool in the place of a sample loop. */
function plan(tasks: (row: LoopRow) => TaskView[] = planTasks): Sample {
  const host = sampleHost();
  const key = keyOf(host, "Rewrite the importer");
  host.write(key, { format: "spec_kit", handling: "controlled" });
  const row = host.rows().find((one) => one.key === key)!;
  return { host, row, detail: { ...emptyDetail(row), tasks: tasks(row) } };
}

const rows = () => [...document.querySelectorAll<HTMLElement>('[data-testid="task-row"]')];
const rowOf = (id: string) => rows().find((row) => row.dataset.item === id)!;
const ids = () => rows().map((row) => row.dataset.item);
const heads = () =>
  screen.getAllByTestId("task-heading").map((head) => head.textContent?.replace(/\s+/g, " ").trim());
const places = (tasks: readonly TaskView[]) => tasks.map((_, place) => place);

/** The steps that were asked for. */
const sent = (host: MemoryHost) =>
  host.asked
    .filter((one) => one.startsWith("change "))
    .map(
      (one) => (JSON.parse(one.slice("change ".length)) as { operation: { step: object } }).operation.step,
    );

describe("tasks by heading", () => {
  it("stand below their headings, and parts behind their whole", () => {
    const { detail } = plan();
    const sections = taskSections(detail.tasks, places(detail.tasks));
    const shown = sections.map(({ heading, done, total, tasks }) => [
      heading,
      `${done} of ${total}`,
      tasks.map(({ place, depth }) => `${"> ".repeat(depth)}${detail.tasks[place]!.id}`),
    ]);
    expect(shown).toEqual([
      ["Setup", "1 of 1", ["T001", "T002"]],
      ["Sign in", "1 of 4", ["T003", "> T003.2", "> T003.1", "T004", "T005"]],
    ]);
  });

  it("are counted without optional and dropped ones", () => {
    expect(progressOf(plan().detail.tasks)).toEqual({ done: 2, total: 5 });
    expect(progressOf([])).toEqual({ done: 0, total: 0 });
  });

  it("are all there, each once, whatever a file says about parts and headings", () => {
    fc.assert(
      fc.property(anyDetail, ({ tasks }) => {
        const sections = taskSections(tasks, places(tasks));
        const found = sections.flatMap((section) => section.tasks.map(({ place }) => place));
        expect(found.sort((a, b) => a - b)).toEqual(places(tasks));
      }),
    );
  });

  it("are parts of themselves in no circle", () => {
    const [one, two] = plan().detail.tasks as [TaskView, TaskView];
    const tasks = [
      { ...one, id: "a", parent: "b", group: null },
      { ...two, id: "b", parent: "a", group: null },
      { ...two, id: "c", parent: "c", group: null },
    ];
    expect(taskSections(tasks, [0, 1, 2])[0]!.tasks.map(({ place }) => place)).toEqual([0, 1, 2]);
  });

  it("have no heads where the file has no headings", () => {
    const tasks = plan().detail.tasks.map((task) => ({ ...task, group: null }));
    const lines = headed(taskSections(tasks, places(tasks)), () => false);
    expect(lines).toHaveLength(tasks.length);
  });

  it("are told apart from heads, also those without a name", () => {
    const head = (heading: string | null): Line => ({ heading, done: 0, total: 0, open: true });
    const lines = [head(null), head(""), head("null"), { place: 0 }, { place: 1 }] as const;
    const keys = lines.map((line) => lineKey(line, ["null", ""]));
    expect(new Set(keys).size).toBe(lines.length);
  });
});

describe("the plan of another tool", () => {
  it("is shown by heading first, and by status and as a table when asked for", async () => {
    const { host, row, detail } = plan();
    render(WorkStage, { props: { host, row, detail } });
    expect(heads()).toEqual(["Setup 1 of 1", "Sign in 1 of 4"]);
    expect(ids()).toEqual(["T001", "T002", "T003", "T003.2", "T003.1", "T004", "T005"]);
    expect(screen.getByTestId("tasks-done").textContent).toBe("2 of 5 claimed");
    await click(screen.getByRole("radio", { name: "By status" }));
    expect(screen.getAllByTestId("task-group").map((one) => one.textContent?.trim())).toContain("Blocked 1");
    await click(screen.getByRole("radio", { name: "Table" }));
    expect(screen.getByRole("columnheader", { name: "Status" })).toBeTruthy();
    await click(screen.getByRole("radio", { name: "By heading" }));
    expect(heads()).toHaveLength(2);
  });

  it("marks what is ready, parallel, optional, blocked and dropped", () => {
    const { host, row, detail } = plan();
    render(WorkStage, { props: { host, row, detail } });
    expect(rowOf("T003.2").textContent).toMatch(/parallel.*Ready/s);
    expect(rowOf("T003.2").getAttribute("aria-label")).toBe("T003.2 Expire them, Pending, Ready, parallel");
    expect(rowOf("T003.2").style.getPropertyValue("--depth")).toBe("1");
    expect(rowOf("T004").textContent).toContain("optional");
    expect(rowOf("T004").querySelector(".quiet")).not.toBeNull();
    expect(rowOf("T005").textContent).toContain("Blocked");
    expect(rowOf("T002").textContent).toContain("Dropped");
  });

  it("says of a loop that Loopdeck runs that its tasks are completed, not claimed", async () => {
    const host = sampleHost();
    const { row, detail } = await host.openLoop(keyOf(host, "Implement user"));
    render(WorkStage, { props: { host, row, detail } });
    expect(screen.getByTestId("tasks-done").textContent).toBe("2 of 7 tasks done");
    expect(screen.queryByRole("radio", { name: "By heading" })).toBeNull();
  });

  it("closes and opens headings by mouse and by keys, and a filter opens them", async () => {
    const { host, row, detail } = plan();
    render(WorkStage, { props: { host, row, detail } });
    const [setup] = screen.getAllByTestId("task-heading");
    await click(setup!);
    expect(setup!.getAttribute("aria-expanded")).toBe("false");
    expect(ids()).not.toContain("T001");
    setup!.focus();
    await press("{ArrowRight}");
    expect(ids()).toContain("T001");
    await press("{Enter}");
    expect(ids()).not.toContain("T001");
    await press("{ArrowDown}");
    await waitFor(() => expect(document.activeElement?.textContent).toContain("Sign in"));
    await fill(screen.getByRole("textbox", { name: "Filter tasks" }), "project");
    expect(ids()).toEqual(["T001"]);
  });

  it("of two thousand done tasks is few closed headings, and a link opens the right one", async () => {
    const { host, row, detail } = plan((one) => longPlan(one, 2_000));
    const { rerender } = render(WorkStage, { props: { host, row, detail } });
    expect(screen.getByRole("treegrid", { name: "Tasks" }).getAttribute("aria-rowcount")).toBe("210");
    expect(rows().length).toBeLessThan(60);
    await rerender({ item: "T15" });
    await waitFor(() => expect(ids()).toContain("T15"));
    expect(rows().length).toBeLessThan(100);
  });

  it("shows all that is known of a task in the drawer", async () => {
    const { host, row, detail } = plan((one) =>
      planTasks(one).map((task) =>
        task.id === "T005" ? { ...task, done_when: ["A code is asked for"] } : task,
      ),
    );
    const { rerender } = render(WorkStage, { props: { host, row, detail, item: "T005" } });
    const drawer = await screen.findByTestId("task-drawer");
    for (const words of [
      "Blocked",
      "The provider is not chosen.",
      "Sign in",
      "A code is asked for",
      "Waits for",
    ])
      expect(drawer.textContent).toContain(words);
    expect(screen.getByRole("button", { name: /^Line [\d,]+$/ }).textContent).toContain("12");
    await rerender({ item: "T003" });
    await waitFor(() => expect(screen.getByTestId("task-parts").textContent).toContain("Hash the token"));
    await rerender({ item: "T003.1" });
    await waitFor(() => expect(screen.getByTestId("task-drawer").textContent).toContain("Part of"));
  });
});

describe("a task whose state can be written", () => {
  const box = (id: string) => rowOf(id).querySelector<HTMLElement>('[role="checkbox"]');

  it("is ticked and reopened on its row, by mouse and by keys", async () => {
    const { host, row, detail } = plan();
    render(WorkStage, { props: { host, row, detail } });
    expect(box("T001")!.getAttribute("aria-checked")).toBe("true");
    expect(box("T003.2")!.getAttribute("aria-label")).toBe("Done: Expire them");
    await click(box("T003.2")!);
    await waitFor(() => expect(sent(host)).toHaveLength(1));
    expect(screen.queryByTestId("task-drawer")).toBeNull();
    rowOf("T001").focus();
    await press(" ");
    await waitFor(() => expect(sent(host)).toHaveLength(2));
    expect(sent(host)).toEqual([
      { op: "mark", at: 3, text: "Expire them", to: "completed" },
      { op: "mark", at: 0, text: "Create the project", to: "pending" },
    ]);
  });

  it("has no box where a tick says something else, or cannot be written", () => {
    const { host, row, detail } = plan((one) =>
      planTasks(one).map((task) => (task.id === "T001" ? { ...task, settable: [] } : task)),
    );
    render(WorkStage, { props: { host, row, detail } });
    for (const id of ["T001", "T002", "T005"]) expect(box(id), id).toBeNull();
    for (const id of ["T003", "T003.1", "T004"]) expect(box(id), id).not.toBeNull();
  });

  it("is set to any state that can be written in the drawer, and in the past to none", async () => {
    const { host, row, detail } = plan();
    const { unmount } = render(WorkStage, { props: { host, row, detail, item: "T005" } });
    await screen.findByTestId("task-drawer");
    await click(screen.getByTestId("set-pending"));
    await waitFor(() => expect(sent(host)).toHaveLength(1));
    expect(sent(host)[0]).toMatchObject({ at: 6, to: "pending" });
    unmount();
    render(WorkStage, { props: { host, row, detail, item: "T005", past: true } });
    await screen.findByTestId("task-drawer");
    expect(screen.queryByTestId("set-pending")).toBeNull();
    expect(box("T003")).toBeNull();
  });

  it("is written with a way back, and a refusal is shown where others are", async () => {
    const host = sampleHost();
    const key = keyOf(host, "Rewrite the importer");
    host.write(key, { format: "spec_kit", handling: "controlled" });
    const row = host.rows().find((one) => one.key === key)!;
    host.detail(key, { tasks: planTasks(row) });
    host.open = key;
    await mountApp(host);
    await click(await screen.findByRole("tab", { name: /^Work/ }));
    await screen.findByRole("treegrid", { name: "Tasks" });
    await click(box("T004")!);
    expect((await screen.findByTestId("done")).textContent).toContain("Measure the sign-in: Completed.");
    host.failNext = {
      kind: "refused",
      args: {},
      refusal: { code: "no_such_task", args: { field: "Expire them" }, status: null },
    };
    await click(box("T003.2")!);
    await screen.findByText(/there is no open task Expire them/i);
  });
});

describe("an item of a plan", () => {
  async function drawer(item: string, tasks = planTasks): Promise<MemoryHost> {
    const { host, row, detail } = plan(tasks);
    render(WorkStage, { props: { host, row, detail, item } });
    await screen.findByTestId("task-drawer");
    return host;
  }

  it("gets another text, and nothing is sent without one", async () => {
    const host = await drawer("T003.2");
    await click(screen.getByTestId("task-reword"));
    await click(screen.getByRole("button", { name: "Save" }));
    expect(sent(host)).toEqual([]);
    await click(screen.getByTestId("task-reword"));
    await fill(screen.getByTestId("task-text"), " Let them  expire ");
    await press("{Enter}");
    await waitFor(() => expect(sent(host)).not.toEqual([]));
    expect(sent(host)).toEqual([{ op: "reword", at: 3, text: "Expire them", to: "Let them expire" }]);
  });

  it("gets a new one behind it, and Escape gives up", async () => {
    const host = await drawer("T003.2");
    await click(screen.getByTestId("task-add"));
    await fill(screen.getByTestId("task-text"), "Never mind");
    await press("{Escape}");
    expect(screen.queryByTestId("task-text")).toBeNull();
    await click(screen.getByTestId("task-add"));
    await fill(screen.getByTestId("task-text"), "Tell the person");
    await click(screen.getByRole("button", { name: "Add" }));
    await waitFor(() => expect(sent(host)).toHaveLength(1));
    expect(sent(host)[0]).toEqual({ op: "add", at: 3, text: "Expire them", new: "Tell the person" });
  });

  it("moves among those of its heading and its whole, and no further", async () => {
    const { detail } = plan();
    const { tasks } = detail;
    const at = (id: string) => tasks.find((task) => task.id === id)!;
    const named = (id: string) => {
      const { up, down } = neighbours(tasks, at(id));
      const name = (place: number | null | undefined) =>
        typeof place === "number" ? tasks[place]!.id : place;
      return [name(up), name(down)];
    };
    expect(named("T001")).toEqual([null, null]);
    expect(named("T002")).toEqual(["T001", undefined]);
    const host = await drawer("T002");
    expect(screen.queryByRole("button", { name: "Move down" })).toBeNull();
    await click(screen.getByRole("button", { name: "Move up" }));
    await waitFor(() => expect(sent(host)).toHaveLength(1));
    expect(sent(host)[0]).toMatchObject({ op: "move", at: tasks.indexOf(at("T002")), before: 0 });
  });

  it("is left alone where its format keeps its texts", async () => {
    await drawer("T003.2", (row) => planTasks(row).map((task) => ({ ...task, editable: false })));
    expect(screen.queryByTestId("task-edit")).toBeNull();
  });
});
