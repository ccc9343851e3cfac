import { screen, waitFor } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { FolderPlan } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { click } from "./person";
import { chooseFolder, next, startHost, submit, walk } from "./start-walk";

const STORE = "/home/ana/code/storefront";
const PLAN: FolderPlan = {
  file: "specs/001-cart/tasks.md",
  format: "spec_kit",
  title: "Shopping cart",
  done: 3,
  total: 9,
  goal: "Work through the plan in specs/001-cart/tasks.md.",
  run_as: "ralph",
};

function hostWithPlan(): MemoryHost {
  const host = startHost();
  const facts = host.runs.folders.get(STORE)!;
  const kiro = { name: "Kiro", file: ".kiro/specs", advice: "elsewhere" as const };
  host.runs.folders.set(STORE, { ...facts, plans: [PLAN], unread: [kiro] });
  return host;
}

/** On the first page, when the folder is known. */
async function atGoal(): Promise<MemoryHost> {
  const host = hostWithPlan();
  await walk(host, "work");
  await chooseFolder();
  return host;
}

describe("plans of the folder, in the start form", () => {
  it("are continued with one press, with undo, and have no tasks of the form's own", async () => {
    const host = await atGoal();
    const plan = await screen.findByRole("button", { name: /Shopping cart/ });
    expect(plan.textContent).toContain("Spec Kit · 3 of 9 claimed");
    expect(screen.queryByText("Known tasks")).not.toBeNull();
    await click(plan);
    expect(screen.getByTestId("plan-chosen").textContent).toContain(PLAN.file);
    expect((screen.getByTestId("goal") as HTMLTextAreaElement).value).toBe(PLAN.goal);
    expect(screen.queryByText("Known tasks")).toBeNull();
    await click(screen.getByTestId("undo-fill"));
    await waitFor(() => expect(screen.queryByTestId("plan-chosen")).toBeNull());
    await click(await screen.findByRole("button", { name: /Shopping cart/ }));
    await next("run");
    await click(await screen.findByTestId("level-edit_files"));
    await screen.findByTestId("command-line");
    await submit();
    await waitFor(() =>
      expect(host.runs.started?.work).toMatchObject({ plan: PLAN.file, format: "ralph", tasks: [] }),
    );
  });

  it("are left behind with their folder", async () => {
    await atGoal();
    await click(await screen.findByRole("button", { name: /Shopping cart/ }));
    await click(screen.getAllByTestId("folder")[1]!);
    expect(screen.queryByTestId("plan-chosen")).toBeNull();
  });

  it("that aren’t read are named with what to do", async () => {
    await atGoal();
    const told = screen.getByTestId("unread-tools").textContent;
    expect(told).toContain("Other tools here that Loopdeck doesn’t read: 1");
    expect(told).toContain("Kiro (.kiro/specs): read its files as documents");
  });
});
