import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { LoopDetail, LoopRow, TaskView } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { manyListed, manyTasks } from "../src/host/sample-work";
import { stepped } from "../src/views/loop/tasks/moves";
import { movedTo } from "../src/views/loop/tasks/place";
import { reordered } from "../src/views/loop/tasks/order";
import {
  eventsOf,
  filesOf,
  grouped,
  keysOfTasks,
  matching,
  sortTasks,
  statusesOf,
  statusKey,
} from "../src/views/loop/tasks/tasks";
import { taskModeText, onErrorText } from "../src/views/loop/tasks/text";
import { taskStatus } from "../src/words/loop-phrases";
import { keyOf, mountApp, sampleHost } from "./mount";
import WorkStage from "./WorkStage.svelte";
import { click, fill, press } from "./person";

async function sample(
  title = "Implement user",
): Promise<{ host: MemoryHost; row: LoopRow; detail: LoopDetail }> {
  const host = sampleHost();
  const { row, detail } = await host.openLoop(keyOf(host, title));
  return { host, row, detail };
}

const rows = () => [...document.querySelectorAll<HTMLElement>('[data-testid="task-row"]')];
const itemsOf = (elements: readonly HTMLElement[]) => elements.map((row) => row.dataset.item);

describe("tasks", () => {
  it("are grouped by status, what needs a look first, and none is lost", async () => {
    const { detail } = await sample();
    expect(statusesOf(detail.tasks).map(statusKey)).toEqual([
      "in_progress",
      "failed",
      "needs_review",
      "pending",
      "completed",
    ]);
    const places = detail.tasks.map((_, place) => place);
    const lines = grouped(detail.tasks, places);
    expect(lines.flatMap((line) => ("place" in line ? [line.place] : [])).sort()).toEqual(places);
    expect(lines[0]).toMatchObject({ group: { state: "in_progress" }, count: 1 });
  });

  it("of a word that the format does not define are one group for each word", async () => {
    const { detail } = await sample();
    const like = (state: TaskView["state"], status: string) => ({ ...detail.tasks[0]!, state, status });
    const tasks = [
      like("other", "parked"),
      like("completed", "Done-ish"),
      like("other", ""),
      like("other", "parked"),
    ];
    expect(statusesOf(tasks).map(taskStatus)).toEqual(["parked", "Not reported", "Completed"]);
    const groups = grouped(tasks, [0, 1, 2, 3]).flatMap((line) => ("group" in line ? [line.count] : []));
    expect(groups).toEqual([2, 1, 1]);
  });

  it("of the list say their mode and what follows a failure, other words as they are written", async () => {
    const { detail } = await sample();
    const task = detail.task_list[0]!;
    expect([taskModeText(task), onErrorText(task)]).toEqual(["Review", "Continue"]);
    const other = { ...task, mode: "Moon", known_mode: null, on_error: "retry", known_on_error: null };
    expect([taskModeText(other), onErrorText(other)]).toEqual(["Moon", "retry"]);
  });

  it("have a key each, also when ids occur twice", () => {
    const keys = keysOfTasks([{ id: "a" }, { id: "b" }, { id: "a" }, { id: "a" }]);
    expect(keys).toEqual(["a", "b", "a#2", "a#3"]);
  });

  it("match a filter by all of its words", () => {
    const texts = ["store the token", "token docs", "docs"];
    expect(matching(texts, " TOKEN  docs ")).toEqual([1]);
    expect(matching(texts, "")).toEqual([0, 1, 2]);
  });

  it("keep the order of the file among equals", async () => {
    const { detail } = await sample();
    const places = detail.tasks.map((_, place) => place);
    const by = sortTasks(detail.tasks, places, { column: "status", down: false }, (a, b) =>
      a.localeCompare(b),
    );
    expect(by.map((place) => detail.tasks[place]!.id)).toEqual([
      "task-002",
      "task-004",
      "task-007",
      "task-003",
      "task-006",
      "task-001",
      "task-005",
    ]);
  });

  it("name planned and changed files once", () => {
    expect(filesOf({ files_planned: ["a", "b", "a"], files_changed: ["b", "c"] })).toEqual([
      { path: "a", planned: true, changed: false },
      { path: "b", planned: true, changed: true },
      { path: "c", planned: false, changed: true },
    ]);
  });

  it("have their own events, newest first", async () => {
    const { detail } = await sample();
    expect(eventsOf(detail.events, "task-001").map((event) => event.kind)).toEqual([
      "develop_entry",
      "change_log",
      "develop_entry",
    ]);
  });
});

describe("moves", () => {
  it("stay within the list", () => {
    fc.assert(
      fc.property(fc.nat(50), fc.integer(), fc.integer(), (count, from, step) => {
        const to = stepped(Math.min(from, count - 1), step, count);
        return count === 0 ? to === -1 : to >= 0 && to < count;
      }),
    );
  });

  it("keep every task", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1 }), fc.nat(), fc.nat(), (ids, a, b) => {
        const tasks = ids.map((id) => ({ id }) as LoopDetail["task_list"][number]);
        const [from, to] = [a % ids.length, b % ids.length];
        const after = reordered(tasks, from, to);
        return after[to] === ids[from] && [...after].sort().join() === [...ids].sort().join();
      }),
    );
  });
});

describe("the view of tasks", () => {
  it("shows groups with counts, and narrows by chips and words", async () => {
    const { host, row, detail } = await sample();
    render(WorkStage, { props: { host, row, detail } });
    const heads = () =>
      screen.getAllByTestId("task-group").map((head) => head.textContent?.replace(/\s+/g, " ").trim());
    expect(heads()).toEqual(["In progress 1", "Failed 1", "needs_review 1", "Pending 2", "Completed 2"]);
    await click(screen.getByRole("button", { name: "Pending 2" }));
    await click(screen.getByRole("button", { name: "Completed 2" }));
    expect(heads()).toEqual(["Pending 2", "Completed 2"]);
    await fill(screen.getByRole("textbox", { name: "Filter tasks" }), "src/notify");
    expect(itemsOf(rows())).toEqual(["task-006"]);
    await fill(screen.getByRole("textbox", { name: "Filter tasks" }), "nothing like it");
    await click(screen.getByText("Clear filter", { selector: ".none button" }));
    expect(rows()).toHaveLength(7);
  });

  it("opens a task with all that is known, and gives the focus back", async () => {
    const { host, row, detail } = await sample();
    const onitem = vi.fn();
    render(WorkStage, { props: { host, row, detail, onitem } });
    rows()[0]!.focus();
    await press("{Enter}");
    const drawer = await screen.findByTestId("task-drawer");
    for (const words of [
      "task-002",
      "Waits for",
      "Store the token hash",
      "Needed by",
      "answers 401",
      "planned",
    ])
      expect(drawer.textContent).toContain(words);
    expect(onitem).toHaveBeenLastCalledWith("task-002");
    await click(drawer.querySelector(".to")!);
    await waitFor(() => expect(screen.getByTestId("task-events").textContent).toContain("Hash and expiry"));
    expect(screen.getByTestId("task-drawer").textContent).toContain("changed, not planned");
    await press("{Escape}", drawer);
    await waitFor(() => expect(screen.queryByTestId("task-drawer")).toBeNull());
    expect(onitem).toHaveBeenLastCalledWith(null);
  });

  it("names what a task waits for and does not exist", async () => {
    const { host, row, detail } = await sample();
    render(WorkStage, { props: { host, row, detail, item: "task-006" } });
    expect((await screen.findByTestId("task-drawer")).textContent).toContain("doesn’t exist");
  });

  it("is walked by keys, and the open task follows", async () => {
    const { host, row, detail } = await sample();
    render(WorkStage, { props: { host, row, detail } });
    rows()[0]!.focus();
    await press("{ArrowDown}");
    await waitFor(() => expect((document.activeElement as HTMLElement).dataset.item).toBe("task-004"));
    await press("{End}");
    await waitFor(() => expect((document.activeElement as HTMLElement).dataset.item).toBe("task-005"));
    expect(screen.queryByTestId("task-drawer")).toBeNull();
    expect(rows().filter((one) => one.tabIndex === 0)).toHaveLength(1);
  });

  it("is sorted as a table, and back", async () => {
    const { host, row, detail } = await sample();
    render(WorkStage, { props: { host, row, detail } });
    await click(screen.getByRole("radio", { name: "Table" }));
    const file = itemsOf(rows());
    const sort = screen.getByRole("button", { name: "Files" });
    await click(sort);
    expect(itemsOf(rows())[0]).toBe("task-007");
    await click(sort);
    expect(sort.closest('[role="columnheader"]')?.getAttribute("aria-sort")).toBe("descending");
    expect(itemsOf(rows())[0]).toBe("task-001");
    await click(sort);
    expect(itemsOf(rows())).toEqual(file);
  });

  it("keeps few rows on the page, however many tasks there are", async () => {
    const { host, row, detail } = await sample();
    const many = { ...detail, tasks: manyTasks(row, 10_000), task_list: manyListed(row, 10_000) };
    render(WorkStage, { props: { host, row, detail: many, item: "task-9999" } });
    expect(rows().length).toBeLessThan(100);
    expect(screen.getAllByTestId("listed-task").length).toBeLessThan(100);
    expect(screen.getByRole("grid", { name: "Tasks" }).getAttribute("aria-rowcount")).toBe("10004");
    // The chosen one is among them, wherever it stands.
    await waitFor(() => expect(itemsOf(rows())).toContain("task-9999"));
  });

  it("copies a task as Markdown, and a link to it", async () => {
    const { host, row, detail } = await sample();
    const oncopylink = vi.fn();
    const writeText = vi.fn(async (_text: string) => undefined);
    vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText } });
    render(WorkStage, { props: { host, row, detail, item: "task-001", oncopylink } });
    const drawer = await screen.findByTestId("task-drawer");
    await click(drawer.querySelector('[aria-label="Copy as Markdown"]')!);
    expect(writeText.mock.calls[0]![0]).toContain("## `task-001` Store the token hash with an expiry");
    expect(writeText.mock.calls[0]![0]).toContain("`src/auth/clock.ts` (changed, not planned)");
    await click(drawer.querySelector('[aria-label="Copy link"]')!);
    expect(oncopylink).toHaveBeenCalledWith("task-001");
    vi.unstubAllGlobals();
  });
});

describe("the task list beside them", () => {
  async function open(): Promise<MemoryHost> {
    const host = sampleHost();
    host.open = keyOf(host, "Implement user");
    await mountApp(host);
    await screen.findByRole("tabpanel", { name: "Overview" });
    await click(screen.getByRole("tab", { name: /^Work/ }));
    await screen.findByRole("grid", { name: "Task list file" });
    return host;
  }
  const changes = (host: MemoryHost) => host.asked.filter((one) => one.startsWith("change "));
  const carry = async (by: number) => {
    const [handle] = screen.getAllByTestId("handle");
    await fireEvent.pointerDown(handle!, { button: 0, clientY: 20 });
    await fireEvent.pointerMove(window, { clientY: 30 });
    await fireEvent.pointerMove(window, { clientY: by });
  };

  it("is ordered by dragging", async () => {
    const host = await open();
    await carry(120);
    await fireEvent.pointerUp(window);
    await waitFor(() => expect(changes(host)).toHaveLength(1));
    expect(changes(host)[0]).toMatch(/77e0d1f2.*ab12cd34.*0c9d8e7f/);
  });

  it("stays as it is when the drag is cancelled, or ends where it began", async () => {
    const host = await open();
    await carry(120);
    await press("{Escape}");
    await fireEvent.pointerUp(window);
    await carry(26);
    await fireEvent.pointerUp(window);
    expect(changes(host)).toEqual([]);
  });

  it("moves the task that is carried, and no other, when the list changes meanwhile", async () => {
    const { host, row, detail } = await sample();
    const { rerender } = render(WorkStage, { props: { host, row, detail } });
    const [first, second, third] = detail.task_list;
    await carry(170);
    const added = { ...third!, id: "task-new", description: "Added meanwhile" };
    await rerender({ detail: { ...detail, task_list: [added, first!, second!, third!] } });
    await fireEvent.pointerUp(window);
    await waitFor(() => expect(changes(host)).toHaveLength(1));
    const { ids } = (JSON.parse(changes(host)[0]!.replace(/^[^{]*/, "")) as { edit: { ids: string[] } }).edit;
    expect(ids, "to the place that is shown").toEqual(["task-new", second!.id, first!.id, third!.id]);

    await carry(170);
    await rerender({ detail: { ...detail, task_list: [second!, third!] } });
    await fireEvent.pointerUp(window);
    expect(changes(host), "a task that is gone goes nowhere").toHaveLength(1);
  });

  it("moves the task whose menu is open, when the list changes meanwhile", async () => {
    const { host, row, detail } = await sample();
    const { rerender } = render(WorkStage, { props: { host, row, detail } });
    const [first, second, third] = detail.task_list;
    await click(screen.getByRole("button", { name: `Actions for ${second!.description}` }));
    const added = { ...third!, id: "task-new", description: "Added meanwhile" };
    await rerender({ detail: { ...detail, task_list: [added, first!, second!, third!] } });
    await click(await screen.findByRole("menuitem", { name: "Move to the bottom" }));
    await waitFor(() => expect(changes(host)).toHaveLength(1));
    const { ids } = (JSON.parse(changes(host)[0]!.replace(/^[^{]*/, "")) as { edit: { ids: string[] } }).edit;
    expect(ids).toEqual(["task-new", first!.id, third!.id, second!.id]);
  });

  it("is ordered from the menu too, to the very end", async () => {
    const host = await open();
    await click(screen.getByRole("button", { name: "Actions for Review the token tests" }));
    await click(await screen.findByRole("menuitem", { name: "Move to the bottom" }));
    await waitFor(() => expect(changes(host)).toHaveLength(1));
    expect(changes(host)[0]).toMatch(/77e0d1f2.*0c9d8e7f.*ab12cd34/);
  });

  it("shows prompt and command of a task in the drawer", async () => {
    await open();
    await click(screen.getAllByTestId("listed-task")[1]!);
    const drawer = await screen.findByTestId("listed-drawer");
    expect(drawer.textContent).toContain("npm test && npm test");
    expect(drawer.textContent).toContain("task-1737500000500-77e0d1f2");
  });

  it("cannot be ordered while a filter hides a part of it", async () => {
    const { host, row, detail } = await sample();
    const many = { ...detail, task_list: manyListed(row, 20) };
    render(WorkStage, { props: { host, row, detail: many } });
    await fill(screen.getByRole("textbox", { name: "Filter the task list" }), "500000006");
    const [only, ...more] = screen.getAllByTestId("listed-task");
    expect(more).toEqual([]);
    await press("{Alt>}{ArrowUp}{/Alt}", only!);
    expect(changes(host)).toEqual([]);
    await click(screen.getByRole("button", { name: "Actions for Look at module 7" }));
    expect(
      (await screen.findByRole("menuitem", { name: "Move up the list is filtered. Alt ↑" })).textContent,
    ).toContain("the list is filtered.");
  });
});

describe("a task list that moves", () => {
  it("is in another place only when nothing of it is where it was", () => {
    expect(movedTo(["a"], ["b"])).toBe("b");
    expect(movedTo(["a"], ["a", "b"])).toBeNull();
    expect(movedTo([], ["b"])).toBeNull();
    expect(movedTo(["a"], [])).toBeNull();
  });

  it("says where it is now, and nothing of another loop's list", async () => {
    const { host, row, detail } = await sample();
    const list = manyListed(row, 2).map((task) => ({ ...task, file: "old.tasks.jsonl" }));
    const { rerender } = render(WorkStage, { props: { host, row, detail: { ...detail, task_list: list } } });
    expect(screen.queryByTestId("list-moved")).toBeNull();
    const moved = list.map((task) => ({ ...task, file: "id/tasks.jsonl" }));
    await rerender({ detail: { ...detail, task_list: moved } });
    expect((await screen.findByTestId("list-moved")).textContent).toContain("id/tasks.jsonl");
    const other = { ...detail, task_list: list };
    await rerender({ row: { ...row, key: "another" }, detail: other });
    await waitFor(() => expect(screen.queryByTestId("list-moved")).toBeNull());
  });
});
