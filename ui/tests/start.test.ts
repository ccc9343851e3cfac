import { render, screen, waitFor, within } from "@testing-library/svelte";
import { tick } from "svelte";
import { describe, expect, it } from "vitest";
import type { StartForm } from "../src/host/bindings";
import { MemoryHost, SAMPLE_WORKSPACES } from "../src/host/memory";
import { sampleReview } from "../src/host/sample-start";
import App from "../src/App.svelte";
import { CATALOGUES } from "./catalogues";
import { mountApp, rowOf } from "./mount";
import {
  chooseFolder,
  focused,
  GOAL,
  next,
  openForm,
  page,
  startHost,
  submit,
  type,
  walk,
} from "./start-walk";
import { click, fill, press, send } from "./person";

describe("the start form", () => {
  it("leads from a goal to a running loop, which it opens", async () => {
    const host = startHost();
    await walk(host, "ready");
    await submit();
    await waitFor(() => expect(host.runs.asked).toContain(`start ${GOAL}`));
    expect(host.runs.started).toMatchObject({
      folder: "/home/ana/code/storefront",
      work: { goal: GOAL, recipe: "fix_bug", format: null },
      plan: { agent: "claude", level: "edit_files", money_usd: 5 },
    });
    await waitFor(() => expect(screen.queryByTestId("start-view")).toBeNull());
    expect(await host.runs.draft()).toBeNull();
  });

  it("writes and runs nothing before Start, and shows exactly what Start does", async () => {
    const host = startHost();
    await walk(host, "ready");
    expect(host.runs.asked).toEqual([]);
    expect(host.asked.filter((one) => one !== "painted")).toEqual([]);
    expect(screen.getByTestId("command-line").textContent).toContain("claude -p --output-format stream-json");
    expect(screen.getByTestId("file-text").textContent).toContain(GOAL);
    expect(screen.getByTestId("environment").textContent).toContain("LOOPDECK_RUN_ID");
    expect(screen.getByTestId("environment").textContent).toContain("CLAUDECODE");
  });

  it("goes on with Enter, stays where something is missing, and says what", async () => {
    await openForm(startHost());
    await waitFor(() => expect(focused()).toBe("goal"));
    await chooseFolder();
    await press("{Enter}", screen.getByRole("textbox", { name: "What should be done?" }));
    expect((await screen.findByTestId("wrong-goal")).textContent).toContain("Say what should be done.");
    expect(page()).toBe("work");
    await type("goal", GOAL);
    await press("{Shift>}{Enter}{/Shift}", screen.getByRole("textbox", { name: "What should be done?" }));
    expect(page()).toBe("work");
    await press("{Enter}", screen.getByRole("textbox", { name: "What should be done?" }));
    await waitFor(() => expect(page()).toBe("run"));
  });

  it("loses nothing on the way back", async () => {
    await walk(startHost(), "ready");
    await click(screen.getByRole("button", { name: "Back" }));
    await waitFor(() => expect(page()).toBe("work"));
    expect((screen.getByRole("textbox", { name: "What should be done?" }) as HTMLTextAreaElement).value).toBe(
      GOAL,
    );
    await next("run");
    expect((screen.getByRole("radio", { name: "Edit files" }) as HTMLInputElement).checked).toBe(true);
  });

  it("is closed with Escape, kept, and offered again where it was left", async () => {
    const host = startHost();
    await walk(host, "run");
    await press("{Escape}", screen.getByRole("radio", { name: "Claude Code" }));
    await screen.findByRole("grid", { name: "Loops by status" });
    await waitFor(async () => expect((await host.runs.draft())?.work.goal).toBe(GOAL));
    await click(screen.getByRole("button", { name: "Start a loop" }));
    expect((await screen.findByTestId("filled")).textContent).toContain("Draft restored");
    expect(page()).toBe("run");
    await click(screen.getByTestId("undo-fill"));
    await waitFor(() => expect(page()).toBe("work"));
    expect((screen.getByRole("textbox", { name: "What should be done?" }) as HTMLTextAreaElement).value).toBe(
      "",
    );
    await click(screen.getByTestId("undo-fill"));
    await waitFor(() =>
      expect(
        (screen.getByRole("textbox", { name: "What should be done?" }) as HTMLTextAreaElement).value,
      ).toBe(GOAL),
    );
  });

  it("is offered again where it was left, also when it was saved before", async () => {
    const host = startHost();
    await openForm(host);
    await type("goal", GOAL);
    await waitFor(async () => expect((await host.runs.draft())?.work.goal).toBe(GOAL));
    await click(screen.getByRole("button", { name: "Agent and limits" }));
    await waitFor(() => expect(page()).toBe("run"));
    await press("{Escape}", screen.getByRole("button", { name: "Back" }));
    await click(await screen.findByRole("button", { name: "Start a loop" }));
    await screen.findByTestId("filled");
    expect(page()).toBe("run");
  });

  it("is left to where the person came from", async () => {
    const host = startHost();
    await openForm(host);
    await press("{Escape}", screen.getByTestId("goal"));
    await screen.findByRole("grid", { name: "Loops by status" });
    await click(screen.getByTestId("nav-overview"));
    await screen.findByRole("button", { name: "Write a report" });
    await press("n");
    await press("{Escape}", await screen.findByTestId("goal"));
    await screen.findByRole("button", { name: "Write a report" });
  });

  it("shows what was typed last, also when it opens while that is being saved", async () => {
    const host = startHost();
    await openForm(host);
    const { saveDraft } = host.runs;
    let go = (): void => undefined;
    const gate = new Promise<void>((done) => (go = done));
    host.runs.saveDraft = async (form) => {
      await gate;
      return saveDraft.call(host.runs, form);
    };
    await type("goal", GOAL);
    await press("{Escape}", screen.getByTestId("goal"));
    await click(await screen.findByRole("button", { name: "Start a loop" }));
    go();
    await screen.findByTestId("filled");
    expect((screen.getByTestId("goal") as HTMLTextAreaElement).value).toBe(GOAL);
  });

  it.each([
    ["work", "goal", "goal"],
    ["run", "limit-iterations", "agent-claude"],
  ] as const)(
    "has the focus in the fields of %s, not on what throws the draft away",
    async (to, typed, field) => {
      const host = startHost();
      await walk(host, to);
      await type(typed, "4");
      await press("{Escape}", screen.getByTestId(typed));
      await click(await screen.findByRole("button", { name: "Start a loop" }));
      await screen.findByTestId("undo-fill");
      expect(page()).toBe(to);
      await waitFor(() => expect(focused()).toBe(field));
    },
  );

  it("keeps the former draft until something is typed into the new one", async () => {
    const host = startHost();
    await walk(host, "work");
    await press("{Escape}", screen.getByRole("button", { name: "Next" }));
    await click(await screen.findByRole("button", { name: "Start a loop" }));
    await click(await screen.findByTestId("undo-fill"));
    await waitFor(() => expect((screen.getByTestId("goal") as HTMLTextAreaElement).value).toBe(""));
    await press("{Escape}", screen.getByRole("textbox", { name: "What should be done?" }));
    await screen.findByRole("grid", { name: "Loops by status" });
    expect((await host.runs.draft())?.work.goal).toBe(GOAL);
  });

  it("says when what is typed cannot be kept, and holds nobody up", async () => {
    const host = startHost();
    host.runs.failDraft = { kind: "own_data", args: { reason: "No space left on device" }, refusal: null };
    await openForm(host);
    await type("goal", GOAL);
    const said = await screen.findByText(/No space left on device/);
    expect(said.closest('[role="alert"]')).not.toBeNull();
    host.runs.failDraft = null;
    await type("goal", `${GOAL} now`);
    await waitFor(() => expect(screen.queryByText(/No space left on device/)).toBeNull());
    expect((await host.runs.draft())?.work.goal).toBe(`${GOAL} now`);
  });

  it("keeps no draft of a form that nobody touched", async () => {
    const host = startHost();
    await openForm(host);
    await click(screen.getByRole("button", { name: "Close and keep what you filled in" }));
    await screen.findByRole("grid", { name: "Loops by status" });
    expect(await host.runs.draft()).toBeNull();
  });

  it("says all that is missing at the end, and leads there", async () => {
    await openForm(startHost());
    await click(screen.getByRole("button", { name: "Agent and limits" }));
    const list = await screen.findByRole("region", { name: "Fix before starting" });
    expect(list.querySelectorAll("li").length).toBeGreaterThanOrEqual(2);
    await click(screen.getByRole("button", { name: "Show: Say what should be done." }));
    await waitFor(() => expect(focused()).toBe("goal"));
    expect(page()).toBe("work");
  });

  it("fills in a pasted issue, which can be taken back", async () => {
    const host = startHost();
    await openForm(host);
    expect((screen.getByTestId("goal") as HTMLTextAreaElement).placeholder).toBe(
      CATALOGUES.en.start.example.fix_bug,
    );
    await type("goal", GOAL);
    host.runs.prefillForm = async () => ({ title: "T", goal: "G", tasks: ["one", "two"], left_out: 3 });
    await type("paste", "# T\nG\n- [ ] one\n- [ ] two");
    await click(screen.getByRole("button", { name: "Fill in" }));
    expect((await screen.findByTestId("filled")).textContent).toContain("Filled in. Tasks: 2. Left out: 3.");
    expect((screen.getByRole("textbox", { name: "Task 2" }) as HTMLInputElement).value).toBe("two");
    await click(screen.getByTestId("undo-fill"));
    await waitFor(() =>
      expect(
        (screen.getByRole("textbox", { name: "What should be done?" }) as HTMLTextAreaElement).value,
      ).toBe(GOAL),
    );
  });

  it("takes tasks with the keys alone", async () => {
    const host = startHost();
    await openForm(host);
    await click(screen.getByRole("button", { name: "Add a task" }));
    await waitFor(() => expect(focused()).toBe("task-1"));
    await type("task-1", "first");
    await press("{Enter}", screen.getByRole("textbox", { name: "Task 1" }));
    await waitFor(() => expect(focused()).toBe("task-2"));
    await press("{Backspace}", screen.getByRole("textbox", { name: "Task 2" }));
    await waitFor(() => expect(focused()).toBe("task-1"));
    expect(screen.queryByTestId("task-2")).toBeNull();
  });

  it("runs nothing in a folder before it is trusted", async () => {
    const host = startHost();
    await walk(host, "work");
    await click(screen.getAllByTestId("folder")[1]!);
    await screen.findByRole("region", { name: "Do you trust this folder?" });
    await submit();
    await waitFor(() => expect(focused()).toBe("trust"));
    expect(page()).toBe("work");
    await click(screen.getByRole("button", { name: "Trust this folder" }));
    await waitFor(() => expect(screen.queryByTestId("trust-card")).toBeNull());
    expect(host.runs.asked).toContain("trust /home/ana/code/billing-core true");
    await waitFor(() => expect(screen.getByTestId("trusted-sign").textContent).toContain("trusted"));
    await next("run");
  });

  it("has nothing against a folder that is chosen, so that nothing moves when the review says so", async () => {
    await walk(startHost(), "work");
    const said: string[] = [];
    const watcher = new MutationObserver(() => {
      if (screen.queryByTestId("wrong-folder")) said.push(screen.getByTestId("wrong-folder").textContent);
    });
    watcher.observe(document.body, { childList: true, subtree: true });
    await click(screen.getAllByTestId("folder")[1]!);
    await screen.findByRole("region", { name: "Do you trust this folder?" });
    watcher.disconnect();
    expect(said).toEqual([]);
  });

  it("believes what was asked of the folder last, whenever it is answered", async () => {
    const host = startHost();
    await walk(host, "work");
    await click(screen.getAllByTestId("folder")[1]!);
    await screen.findByRole("region", { name: "Do you trust this folder?" });
    const look = host.runs.folderFacts.bind(host.runs);
    const before = await look("/home/ana/code/billing-core");
    let answer: (facts: typeof before) => void = () => undefined;
    const late = new Promise<typeof before>((resolve) => (answer = resolve));
    host.runs.folderFacts = () => late;
    await click(screen.getAllByTestId("folder")[0]!);
    await click(screen.getAllByTestId("folder")[1]!);
    host.runs.folderFacts = look;
    await click(screen.getAllByTestId("folder")[0]!);
    await click(screen.getAllByTestId("folder")[1]!);
    screen.getByRole("button", { name: "Trust this folder" }).focus();
    await click(screen.getByRole("button", { name: "Trust this folder" }));
    await waitFor(() => expect(focused()).toBe("folder"));
    answer(before);
    await late;
    await tick();
    expect(screen.queryByTestId("trust-card")).toBeNull();
  });

  it("makes a worktree with a branch named after the goal", async () => {
    const host = startHost();
    await walk(host, "work");
    await chooseFolder();
    expect((await screen.findByTestId("folder-running")).textContent).toContain("Loops running here: 2.");
    await next("run");
    await click(await screen.findByTestId("level-edit_files"));
    await click(screen.getByRole("radio", { name: "A new worktree" }));
    const name = (await screen.findByRole("textbox", { name: "New branch" })) as HTMLInputElement;
    expect(name.value).toMatch(/^loopdeck\/mend-the-login-\w{3}$/);
    await type("worktree", "not a branch");
    await submit();
    expect(await screen.findByText(CATALOGUES.en.start.problem.bad_branch)).toBeTruthy();
    expect(host.runs.started).toBeNull();
    await click(screen.getByRole("radio", { name: "This folder as it is" }));
    await submit();
    await waitFor(() => expect(host.runs.started?.worktree).toBe(""));
  });

  it("has what was chosen last: the kind of work, the agent and its permissions", async () => {
    const host = startHost();
    host.runs.last = { agent: "codex", level: "edit_files", recipe: "build_feature" };
    await openForm(host);
    expect(screen.getByTestId<HTMLInputElement>("recipe-build_feature").checked).toBe(true);
    await type("goal", GOAL);
    await chooseFolder();
    await next("run");
    expect((await screen.findByTestId<HTMLInputElement>("agent-codex")).checked).toBe(true);
    expect(screen.getByTestId<HTMLInputElement>("level-edit_files").checked).toBe(true);
  });

  it("takes three clicks where the folder is known: the form, its second page, Start", async () => {
    const host = startHost();
    host.runs.last = { agent: "claude", level: "edit_files" };
    const [only] = SAMPLE_WORKSPACES;
    host.fill(
      host.rows().filter(({ workspace }) => workspace === only!.id),
      [only!],
    );
    await mountApp(host);
    let clicks = 0;
    const press = async (name: string) => {
      clicks += 1;
      await click(await screen.findByRole("button", { name }));
    };
    await press("Start a loop");
    await waitFor(() => expect(focused()).toBe("goal"));
    await type("goal", GOAL);
    await screen.findByTestId("folder-facts");
    await press("Next");
    await waitFor(() => expect(page()).toBe("run"));
    await press("Start");
    await waitFor(() => expect(host.runs.asked).toContain(`start ${GOAL}`));
    expect(clicks).toBeLessThanOrEqual(4);
  });

  it("has no level chosen the first time", async () => {
    const host = startHost();
    await walk(host, "run");
    const levels = (await screen.findByRole("radio", { name: "Read only" }))
      .closest("fieldset")!
      .querySelectorAll<HTMLInputElement>("input");
    expect([...levels].some((level) => level.checked)).toBe(false);
    await submit();
    await screen.findByTestId("wrong-level");
    expect(host.runs.started).toBeNull();
  });

  it("asks the shell agent for its command and shows no levels", async () => {
    const host = startHost();
    await walk(host, "run");
    await click(await screen.findByRole("radio", { name: "Your own command" }));
    expect(screen.queryByTestId("level-look_only")).toBeNull();
    await type("shell-command", "sh agent.sh");
    expect(screen.getByText(/reports neither/)).toBeTruthy();
    await submit();
    await waitFor(() =>
      expect(host.runs.started?.plan).toMatchObject({ shell_command: "sh agent.sh", level: null }),
    );
  });

  it("proposes the tests of the folder, and takes another command or none", async () => {
    const host = startHost();
    await walk(host, "run");
    expect((await screen.findByTestId<HTMLInputElement>("test-0")).checked).toBe(true);
    await click(screen.getByRole("radio", { name: "Another command" }));
    await type("test-command", "make check");
    await type("test-results", "a.xml\n\nb.xml");
    await click(await screen.findByRole("radio", { name: "Edit files" }));
    await submit();
    await waitFor(() =>
      expect(host.runs.started?.plan).toMatchObject({
        test_command: "make check",
        results: ["a.xml", "b.xml"],
      }),
    );
  });

  it("shows the flag that is refused, where experts write it", async () => {
    await walk(startHost(), "run");
    await click(await screen.findByRole("radio", { name: "Edit files" }));
    await type("extra-args", "--output-format=text");
    await submit();
    await waitFor(() => expect((screen.getByTestId("expert") as HTMLDetailsElement).open).toBe(true));
    expect(screen.getByTestId("expert").textContent).toContain("Loopdeck sets --output-format=text itself");
  });

  it("saves a template, fills it in, and forgets it", async () => {
    const host = startHost();
    await openForm(host);
    await type("goal", GOAL);
    await click(screen.getByRole("button", { name: "Templates" }));
    const dialog = await screen.findByRole("dialog", { name: "Templates" });
    await type("template-name", "Bugs");
    await send(dialog.querySelector("form")!);
    await screen.findByRole("button", { name: "Use: Bugs" });
    await click(screen.getByRole("button", { name: "Use: Bugs" }));
    expect((await screen.findByTestId("filled")).textContent).toContain("“Bugs”");
    expect((screen.getByRole("textbox", { name: "What should be done?" }) as HTMLTextAreaElement).value).toBe(
      GOAL,
    );
    await click(screen.getByRole("button", { name: "Templates" }));
    await click(await screen.findByRole("button", { name: "Remove Bugs" }));
    await waitFor(async () => expect(await host.runs.templates()).toEqual([]));
  });

  it("keeps everything when the start fails, with what went wrong", async () => {
    const host = startHost();
    await walk(host, "ready");
    host.runs.startLoop = () =>
      Promise.reject({ kind: "disk", args: { path: "x.json", reason: "full" }, refusal: null });
    await submit();
    expect((await screen.findByTestId("failure")).dataset.kind).toBe("disk");
    await click(screen.getByRole("button", { name: "Work" }));
    await waitFor(() =>
      expect(
        (screen.getByRole("textbox", { name: "What should be done?" }) as HTMLTextAreaElement).value,
      ).toBe(GOAL),
    );
  });

  it("shows the newest review, whatever order the answers come in", async () => {
    const host = startHost();
    const answers: ((value: ReturnType<typeof sampleReview>) => void)[] = [];
    const asked: StartForm[] = [];
    await openForm(host);
    host.runs.reviewStart = (form) => {
      asked.push(form);
      return new Promise((done) => answers.push(done));
    };
    await type("goal", "one");
    await waitFor(() => expect(asked.at(-1)?.work.goal).toBe("one"));
    await type("goal", "two");
    await click(screen.getByRole("button", { name: "Agent and limits" }));
    answers.at(-1)!(sampleReview(asked.at(-1)!, true));
    await waitFor(() => expect(asked.at(-1)?.work.goal).toBe("two"));
    expect(screen.queryByTestId("file-text")).toBeNull();
    answers.at(-1)!(sampleReview(asked.at(-1)!, true));
    expect((await screen.findByTestId("file-text")).textContent).toContain("two");
  });
});

describe("ways to the form", () => {
  it("are the key n, but not in a field and not with letters switched off", async () => {
    const host = startHost();
    await mountApp(host);
    await press("n", screen.getByRole("combobox", { name: "Filter loops" }));
    expect(screen.queryByTestId("start-view")).toBeNull();
    screen.getByRole("combobox", { name: "Filter loops" }).blur();
    const typed: string[] = [];
    document.addEventListener("keypress", ({ key }) => typed.push(key), { once: true });
    await press("n");
    await screen.findByRole("region", { name: "Start a loop" });
    // The form takes the focus at once: a key that is not used up would be typed into it.
    expect(typed).toEqual([]);
  });

  it("are the palette and the first start", async () => {
    render(App, { props: { host: new MemoryHost() } });
    await click(await screen.findByRole("button", { name: "Start a loop" }));
    await screen.findByRole("textbox", { name: "What should be done?" });
  });

  it("are a loop that is to be made again", async () => {
    const host = startHost();
    const container = await mountApp(host);
    const row = rowOf(container, "Type the pricing");
    await click(row.querySelector('[aria-haspopup="menu"]')!);
    await click(await screen.findByRole("menuitem", { name: "Duplicate…" }));
    expect((await screen.findByTestId("filled")).textContent).toContain("Type the pricing");
    expect(
      (screen.getByRole("textbox", { name: "What should be done?" }) as HTMLTextAreaElement).value,
    ).toContain("The work of w2:");
  });

  it("are follow-up work of a completed loop, which it names", async () => {
    const host = startHost();
    const container = await mountApp(host);
    await click(rowOf(container, "Cache the product"));
    const offers = await screen.findByTestId("follow-ups");
    expect(offers.textContent).toContain("Tests skipped in the last run: 1.");
    await click(within(offers).getByTestId("follow-up-refactor"));
    expect((await screen.findByTestId("filled")).textContent).toContain("Cache the product list");
    const goal = screen.getByRole("textbox", { name: "What should be done?" }) as HTMLTextAreaElement;
    expect(goal.value).toBe(
      "Refactor the code changed in “Cache the product list” without changing what it does. Files changed: 3.\n" +
        "- src/limit/key.ts\n- src/limit/store.ts\n- tests/limit.test.ts",
    );
    // What is typed later does not lose the loop that it follows from.
    await fill(goal, "Tidy it");
    await waitFor(async () => expect((await host.runs.draft())?.work.goal).toBe("Tidy it"));
    const work = (await host.runs.draft())?.work;
    expect(work?.follow_up).toMatchObject({ kind: "refactor", loop_id: "loop-v2-20260116T080000-fin" });
    expect(work?.title).toBe("Refactoring: Cache the product list");
  });
});
