import { screen, waitFor } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { StartForm, TaskView } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { CATALOGUES } from "./catalogues";
import { keyOf, mountApp, rowOf, sampleHost } from "./mount";
import { click, fill } from "./person";
import { pick, startHost, walk } from "./start-walk";

const TITLE = "Fix flaky";

/** A list with two boxes, one of them ticked, in the place of a sample. */
async function ralphHost(): Promise<{ host: MemoryHost; title: string }> {
  const host = sampleHost();
  const title = host.rows().find((one) => one.format === "loop_v2" && one.word === "paused")?.title ?? TITLE;
  const key = keyOf(host, title);
  const { detail } = await host.openLoop(key);
  const boxes = ["Open the first shop", "Open the second shop"].map((description, place): TaskView => ({
    ...detail.tasks[0]!,
    id: String(place + 1),
    description,
    status: place === 0 ? "completed" : "pending",
    state: place === 0 ? "completed" : "pending",
    tool: null,
    mode: null,
    priority: null,
  }));
  const todo = { kind: "todo", done: 1, total: 2 } as const;
  host.write(key, { format: "ralph", handling: "driven", phase: todo, file: ".ralph/shops/TODO.md" });
  host.detail(key, { tasks: boxes, task_list: [], debug: null, validation: null, steps: [], work: null });
  return { host, title };
}

describe("a Ralph loop", () => {
  it("is a row with its progress, found by its format", async () => {
    const { host, title } = await ralphHost();
    const container = await mountApp(host);
    const row = rowOf(container, title);
    expect(row.textContent).toContain("Ralph");
    expect(row.textContent).toContain("1 of 2 done");
    await fill(screen.getByTestId("filter"), "f:ralph");
    await waitFor(() => expect(container.querySelectorAll('[data-testid="loop-row"]').length).toBe(1));
    for (const words of Object.values(CATALOGUES)) expect(words.phase.todo).toContain("{total}");
  });

  it("has its boxes as tasks", async () => {
    const { host, title } = await ralphHost();
    const container = await mountApp(host);
    await click(rowOf(container, title));
    await click(await screen.findByRole("tab", { name: /^Work/ }));
    await waitFor(() => expect(document.querySelectorAll('[data-testid="task-row"]').length).toBe(2));
    expect(document.body.textContent).toContain("Open the second shop");
  });

  it("is started without a test command and without another runner, which the form no longer asks for", async () => {
    const host = startHost();
    const { reviewOf } = host.runs;
    const asked: StartForm[] = [];
    host.runs.reviewOf = (form) => {
      asked.push(form);
      return reviewOf(form);
    };
    await walk(host, "run");
    await click(screen.getByTestId("expert").querySelector("summary")!);
    await click(await screen.findByTestId("driver-skill"));
    expect(screen.queryByTestId("test-none")).toBeNull();
    await click(screen.getByTestId("driver-loopdeck"));
    await screen.findByTestId("test-none");
    await click(screen.getByTestId("driver-skill"));
    await pick("start-format", "ralph");
    await waitFor(() => expect(screen.queryByTestId("driver-skill")).toBeNull());
    expect(screen.queryByTestId("test-none")).toBeNull();
    await click(await screen.findByTestId("level-edit_files"));
    await screen.findByTestId("limit-iterations");
    await waitFor(() => expect(asked.at(-1)?.work.format).toBe("ralph"));
    expect(asked.at(-1)?.plan.driver).toEqual({ by: "loopdeck" });
  });
});
