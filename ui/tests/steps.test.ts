import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { LoopChange } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { keyOf, mountApp, sampleHost } from "./mount";
import { click, fill, press, send } from "./person";

async function openWork(host: MemoryHost, title: string): Promise<HTMLElement> {
  host.open = keyOf(host, title);
  const container = await mountApp(host);
  await screen.findByRole("tabpanel", { name: "Overview" });
  await click(screen.getByTestId("tab-work"));
  return container;
}

async function choose(menu: string, item: string): Promise<HTMLElement> {
  await click(await screen.findByTestId(menu));
  await click(await screen.findByTestId(`menu-${item}`));
  return screen.findByTestId("step-dialog");
}

async function type(field: string, value: string): Promise<HTMLElement> {
  const node = await screen.findByTestId(field);
  await fill(node, value);
  return node;
}

function changes(host: MemoryHost): LoopChange[] {
  return host.asked.filter((one) => one.startsWith("change ")).map((one) => JSON.parse(one.slice(7)));
}

const confirm = () => screen.getByTestId("step-confirm") as HTMLButtonElement;
const closed = () => waitFor(() => expect(screen.queryByTestId("step-dialog")).toBeNull());

describe("redirect", () => {
  it("says what will happen, what is missing, and finishes with Enter", async () => {
    const host = sampleHost();
    const container = await openWork(host, "Checkout");
    await click(screen.getByRole("button", { name: "Redirect…" }));
    const goal = (await screen.findByTestId("redirect-goal")) as HTMLTextAreaElement;
    expect(goal.value).toContain("Sign in with an email address");
    const dialog = screen.getByTestId("step-dialog");
    expect(dialog.textContent).toContain("recorded as a correction");
    expect(confirm().disabled).toBe(true);
    expect(dialog.textContent).toContain("Still needed: a change, reason for the change");
    await type("redirect-goal", "");
    expect(dialog.textContent).toContain("Fill this in.");
    await type("redirect-goal", "Sign in with a passkey");
    const why = await type("redirect-description", "Passwords are gone");
    await waitFor(() => expect(confirm().disabled).toBe(false));
    await press("{Enter}", why);
    await closed();
    expect(changes(host)).toEqual([
      {
        kind: "operate",
        operation: {
          format: "aot",
          step: {
            op: "redirect",
            description: "Passwords are gone",
            change: {
              what: "objective",
              goal: "Sign in with a passkey",
              background_intent: null,
              deliverables: null,
              definition_of_done: null,
              base_case: null,
            },
          },
        },
      },
    ]);
    const said = "Redirect (Objective): written. You can undo it above the tabs.";
    await waitFor(() =>
      expect(container.querySelector('[role="status"].only-heard')?.textContent).toBe(said),
    );
  });

  it("offers to hold a loop that runs, once, and keeps what is typed", async () => {
    const host = sampleHost();
    await openWork(host, "Checkout");
    await click(screen.getByRole("button", { name: "Redirect…" }));
    await type("redirect-description", "Typed before");
    await click(await screen.findByRole("button", { name: "Hold now" }));
    await waitFor(() =>
      expect(screen.getByTestId("hold-offer").textContent).toContain(
        "The runner is waiting for your change.",
      ),
    );
    expect(changes(host)).toEqual([
      { kind: "operate", operation: { format: "aot", step: { op: "hold_for_redirect" } } },
    ]);
    expect((screen.getByTestId("redirect-description") as HTMLTextAreaElement).value).toBe("Typed before");
  });

  it("does not leave a driver waiting without saying so", async () => {
    await openWork(sampleHost(), "Checkout");
    await click(screen.getByRole("button", { name: "Redirect…" }));
    await click(await screen.findByRole("button", { name: "Hold now" }));
    await waitFor(() => expect(screen.queryByTestId("hold")).toBeNull());
    await click(screen.getByRole("button", { name: "Cancel" }));
    expect(screen.getByTestId("step-dialog").textContent).toContain(
      "The runner is still waiting for a change. It continues when you release the hold, redirect or resume.",
    );
    expect(screen.getByTestId("step-dialog").textContent).not.toContain("Discard what you typed?");
  });

  it("can release a driver that waits, instead of leaving it so", async () => {
    const host = sampleHost();
    await openWork(host, "Checkout");
    await click(screen.getByRole("button", { name: "Redirect…" }));
    await click(await screen.findByRole("button", { name: "Hold now" }));
    await waitFor(() => expect(screen.queryByTestId("hold")).toBeNull());
    await click(screen.getByRole("button", { name: "Cancel" }));
    await click(await screen.findByRole("button", { name: "Release the hold" }));
    await closed();
    expect(changes(host).map((change) => change.kind === "operate" && change.operation.step)).toEqual([
      { op: "hold_for_redirect" },
      { op: "release_hold" },
    ]);
    await click(screen.getByRole("button", { name: "Steps of the loop" }));
    const item = await screen.findByTestId("menu-aot_release_hold");
    await waitFor(() => expect(item.getAttribute("aria-disabled")).toBe("true"));
  });

  it("of a loop that somebody works on can be opened to hold it first", async () => {
    const host = sampleHost();
    host.detail(keyOf(host, "Checkout"), {
      steps: [
        {
          step: "aot_redirect",
          on: ["direction"],
          refusal: { code: "running", args: {}, status: null },
          after_hold: true,
        },
        { step: "aot_hold", on: ["direction"], refusal: null, after_hold: false },
      ],
    });
    await openWork(host, "Checkout");
    await click(screen.getByRole("button", { name: "Redirect…" }));
    // "Stop it first" beside "hold it first" would be two ways at once.
    await screen.findByRole("button", { name: "Hold now" });
    expect(screen.queryByTestId("step-refused")).toBeNull();
    await type("redirect-goal", "Sign in with a passkey");
    await type("redirect-description", "Passwords are gone");
    expect(confirm().disabled).toBe(true);
    expect(document.getElementById("step-missing")?.textContent).toContain("Hold the loop first.");
    await click(screen.getByRole("button", { name: "Hold now" }));
    await waitFor(() => expect(confirm().disabled).toBe(false));
  });

  it("does not offer to hold a loop that rests", async () => {
    await openWork(sampleHost(), "Migrate sessions");
    await click(screen.getByRole("button", { name: "Redirect…" }));
    await screen.findByTestId("redirect-goal");
    expect(screen.queryByTestId("hold-offer")).toBeNull();
  });

  it("is in the menu of the loop and in the palette", async () => {
    await openWork(sampleHost(), "Checkout");
    await click(screen.getByLabelText("More actions", { selector: "header button" }));
    expect((await screen.findByRole("menuitem", { name: "Redirect…" })).textContent).toContain("Redirect…");
    await press("{Escape}", screen.getByRole("menuitem", { name: "Redirect…" }));
    await press("{Control>}k{/Control}");
    await type("palette-input", "redirect checkout");
    const palette = screen.getByRole("dialog", { name: "Commands" });
    expect(within(palette).getAllByRole("option")[0]?.textContent).toContain("Redirect: Checkout");
    await press("{Enter}", screen.getByRole("combobox", { name: "Search commands and loops" }));
    await screen.findByTestId("redirect-goal");
  });
});

describe("a form", () => {
  it("that is refused keeps what was typed and says why", async () => {
    const host = sampleHost();
    await openWork(host, "Checkout");
    await choose("atom-menu-A4_alt", "aot_resolve");
    const summary = await type("step-summary", "Sessions live in Redis");
    host.failNext = {
      kind: "refused",
      args: {},
      refusal: { code: "atom_not_in_progress", args: { id: "A4_alt" }, status: null },
    };
    await send(summary.closest("form")!);
    const note = await screen.findByTestId("failure");
    expect(note.textContent).toContain("A4_alt isn’t in progress.");
    expect((screen.getByRole("textbox", { name: "Result" }) as HTMLTextAreaElement).value).toBe(
      "Sessions live in Redis",
    );
    await send(summary.closest("form")!);
    await closed();
    expect(changes(host).at(-1)).toEqual({
      kind: "operate",
      operation: {
        format: "aot",
        step: { op: "resolve", id: "A4_alt", summary: "Sessions live in Redis", artifacts: [] },
      },
    });
  });

  it("asks before it loses words, and only then", async () => {
    await openWork(sampleHost(), "Checkout");
    await choose("atom-menu-A4_alt", "aot_backtrack");
    await screen.findByRole("textbox", { name: "Why it failed" });
    await press("{Escape}", screen.getByTestId("step-dialog"));
    await closed();
    await choose("atom-menu-A4_alt", "aot_backtrack");
    await type("step-why", "Too slow");
    await press("{Escape}", screen.getByTestId("step-dialog"));
    expect(screen.getByTestId("step-dialog").textContent).toContain("Discard what you typed?");
    await press("{Escape}", screen.getByTestId("step-dialog"));
    expect(screen.queryByTestId("discard")).toBeNull();
    expect((screen.getByRole("textbox", { name: "Why it failed" }) as HTMLTextAreaElement).value).toBe(
      "Too slow",
    );
    await press("{Escape}", screen.getByTestId("step-dialog"));
    await click(screen.getByRole("button", { name: "Discard" }));
    await closed();
  });

  it("is not filled again while somebody else writes the file", async () => {
    const host = sampleHost();
    await openWork(host, "Checkout");
    await choose("atom-menu-A5", "aot_fail");
    await screen.findByRole("combobox", { name: "Atom" });
    host.write(host.open!, { title: "Checkout, renamed" });
    await waitFor(() => expect(screen.getByTestId("step-dialog").textContent).toContain("Checkout, renamed"));
    expect((screen.getByRole("combobox", { name: "Atom" }) as HTMLSelectElement).value).toBe("A5");
  });

  it("starts where something is to be filled in", async () => {
    await openWork(sampleHost(), "Checkout");
    await choose("atom-menu-A4_alt", "aot_resolve");
    const summary = await screen.findByRole("textbox", { name: "Result" });
    await waitFor(() => expect(document.activeElement).toBe(summary));
  });
});

describe("atoms", () => {
  it("say what holds them", async () => {
    await openWork(sampleHost(), "Checkout");
    expect(screen.getAllByTestId("blocker").map((one) => one.textContent)).toEqual([
      "A failed choice of token_method",
      "Waits for A4_alt",
      "Waits for A99, which doesn’t exist",
    ]);
  });

  it("that are alternatives give way to another branch, others only wait again", async () => {
    await openWork(sampleHost(), "Checkout");
    await click(screen.getByRole("button", { name: "Actions for A4_alt" }));
    await screen.findByRole("menuitem", { name: "Try another branch…" });
    expect(screen.queryByTestId("menu-aot_fail")).toBeNull();
    await press("{Escape}", screen.getByRole("menuitem", { name: "Try another branch…" }));
    await click(screen.getByRole("button", { name: "Actions for A7" }));
    await screen.findByRole("menuitem", { name: "Mark failed…" });
    expect(screen.queryByTestId("menu-aot_redirect-force_selection")).toBeNull();
  });

  it("can be chosen, decomposed and done again", async () => {
    const host = sampleHost();
    await openWork(host, "Checkout");
    await choose("atom-menu-A4", "aot_redirect-force_selection");
    const reason = await type("redirect-description", "Keys rotate now");
    await send(reason.closest("form")!);
    await closed();
    await choose("atom-menu-A3", "aot_redirect-redo");
    const again = await type("redirect-description", "Parameters were wrong");
    await send(again.closest("form")!);
    await closed();
    expect(changes(host).map((change) => change.kind === "operate" && change.operation.step)).toEqual([
      {
        op: "redirect",
        description: "Keys rotate now",
        change: { what: "force_selection", group: "token_method", id: "A4", reason: "Keys rotate now" },
      },
      { op: "redirect", description: "Parameters were wrong", change: { what: "redo", ids: ["A3"] } },
    ]);
  });

  it("that are ready are started together", async () => {
    const host = sampleHost();
    await openWork(host, "Checkout");
    const dialog = await choose("loop-steps", "aot_start_atoms");
    expect(dialog.textContent).toContain("Loopdeck starts no agent for them.");
    await screen.findByTestId("step-atoms");
    await send(dialog.querySelector("form")!);
    await closed();
    expect(changes(host)).toEqual([
      { kind: "operate", operation: { format: "aot", step: { op: "start_atoms", ids: ["A7"] } } },
    ]);
  });

  it("are not completed while the core refuses it, and the reason is said", async () => {
    await openWork(sampleHost(), "Checkout");
    await click(screen.getByRole("button", { name: "Steps of the loop" }));
    const item = await screen.findByTestId("menu-aot_complete");
    expect(item.getAttribute("aria-disabled")).toBe("true");
    expect(item.textContent).toContain("can’t follow the current phase");
    await click(item);
    expect(screen.queryByTestId("step-dialog")).toBeNull();
  });
});

describe("recording a step", () => {
  it("lists what is offered, with the reason of what is not", async () => {
    await openWork(sampleHost(), "Implement user");
    await click(screen.getByLabelText("More actions", { selector: "header button" }));
    await click(await screen.findByRole("menuitem", { name: "More" }));
    await click(screen.getByRole("menuitem", { name: "Change the file by hand…" }));
    const dialog = await screen.findByRole("dialog", {
      name: "Change the file by hand: Implement user authentication",
    });
    expect(dialog.textContent).toContain("Record work done outside Loopdeck. No agent is started.");
    const first = await screen.findByRole("button", { name: "Plan the tasks (Init)…" });
    expect(first.getAttribute("aria-disabled")).toBe("true");
    expect(dialog.textContent).toContain("Plan the tasks (Init): the loop is already initialised.");
    await click(screen.getByRole("button", { name: "Test run (Validate)…" }));
    await type("validate-passed", "44");
    expect(screen.getByTestId("step-dialog").textContent).toContain("Tests in total: 44.");
  });

  it("writes a worker of Loop-B", async () => {
    const host = sampleHost();
    await openWork(host, "Dark mode");
    await click(await screen.findByTestId("record-step"));
    await click(await screen.findByTestId("record-b_worker_done"));
    await screen.findByTestId("step-dialog");
    const summary = await type("output-summary", "14 pages");
    await send(summary.closest("form")!);
    await closed();
    expect(changes(host)).toMatchObject([
      { operation: { format: "loop_b", step: { op: "worker_done", output: { summary: "14 pages" } } } },
    ]);
  });

  it("is not offered for formats without steps", async () => {
    const host = sampleHost();
    host.open = keyOf(host, "Nightly dependency");
    await mountApp(host);
    await screen.findByRole("tabpanel", { name: "Overview" });
    // It has no work, and nothing that makes some.
    expect(screen.queryByTestId("tab-work")).toBeNull();
  });
});

describe("the task list", () => {
  const places = () =>
    [...screen.getByRole("grid", { name: "Task list file" }).querySelectorAll('[data-testid="listed-task"]')]
      .sort((a, b) => Number(a.getAttribute("aria-rowindex")) - Number(b.getAttribute("aria-rowindex")))
      .map((row) => row.querySelector(".said")?.textContent);

  it("is changed task by task", async () => {
    const host = sampleHost();
    await openWork(host, "Implement user");
    await click(screen.getByRole("button", { name: "Add a task…" }));
    const description = await type("task-description", "Write the release note");
    await send(description.closest("form")!);
    await closed();
    await waitFor(() => expect(places().at(-1)).toBe("Write the release note"));
    await choose("task-menu-1", "task_edit");
    expect(confirm().disabled).toBe(true);
    const edited = await type("task-description", "Review all tests");
    await send(edited.closest("form")!);
    await closed();
    await waitFor(() => expect(places()[0]).toBe("Review all tests"));
    const dialog = await choose("task-menu-2", "task_delete");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: "Cancel" })));
    await waitFor(() =>
      expect(dialog.textContent).toContain("Delete “Run the whole suite twice” from the task list?"),
    );
    await send(dialog.querySelector("form")!);
    await closed();
    await waitFor(() => expect(places()).not.toContain("Run the whole suite twice"));
    expect(screen.getByTestId("done").textContent).toContain(
      "Delete task (Run the whole suite twice): written.",
    );
    await click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(places()).toContain("Run the whole suite twice"));
  });

  it("is ordered by keys, and the focus goes along", async () => {
    const host = sampleHost();
    await openWork(host, "Implement user");
    const menu = screen.getByRole("button", { name: "Actions for Review the token tests" });
    menu.focus();
    await press("{Alt>}{ArrowDown}{/Alt}", menu);
    await waitFor(() => expect(places()[1]).toBe("Review the token tests"));
    await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId("task-menu-2")));
    await press("{Alt>}{ArrowUp}{/Alt}");
    await waitFor(() => expect(places()[0]).toBe("Review the token tests"));
    await waitFor(() =>
      expect(document.activeElement).toBe(
        screen.getByRole("button", { name: "Actions for Review the token tests" }),
      ),
    );
    await press("{Alt>}{ArrowUp}{/Alt}");
    expect(changes(host)).toHaveLength(2);
  });

  it("says why a move failed, beside the loop", async () => {
    const host = sampleHost();
    await openWork(host, "Implement user");
    host.failNext = { kind: "contended", args: { path: "tasks.jsonl" }, refusal: null };
    await press(
      "{Alt>}{ArrowDown}{/Alt}",
      screen.getByRole("button", { name: "Actions for Review the token tests" }),
    );
    expect((await screen.findByTestId("failure")).textContent).toContain("Gave up after 5 attempts");
  });

  it("is not changed while the core refuses it", async () => {
    const host = sampleHost();
    await openWork(host, "Implement user");
    host.detail(host.open!, {
      steps: [
        {
          step: "edit_tasks",
          on: ["task_list"],
          refusal: { code: "foreign_owner", args: {}, status: null },
          after_hold: false,
        },
      ],
    });
    await waitFor(() =>
      expect(screen.getByRole("button", { name: "Add a task…" }).getAttribute("aria-disabled")).toBe("true"),
    );
    expect(screen.getByRole("tabpanel", { name: "Work 10" }).textContent).toContain(
      "Edit the task list: another program runs this loop (running elsewhere).",
    );
    await click(screen.getByRole("button", { name: "Add a task…" }));
    expect(screen.queryByTestId("step-dialog")).toBeNull();
    await press(
      "{Alt>}{ArrowDown}{/Alt}",
      screen.getByRole("button", { name: "Actions for Review the token tests" }),
    );
    expect(changes(host)).toEqual([]);
  });
});
