import { render, screen, waitFor, within } from "@testing-library/svelte";
import { tick } from "svelte";
import { describe, expect, it } from "vitest";
import type { StartForm } from "../src/host/bindings";
import { MemoryHost } from "../src/host/memory";
import { sampleReview } from "../src/host/sample-start";
import App from "../src/App.svelte";
import { CATALOGUES } from "./catalogues";
import { mountApp, rowOf } from "./mount";
import { focused, GOAL, next, openForm, page, startHost, submit, type, walk } from "./start-walk";
import { click, fill, press, send } from "./person";

describe("the start form", () => {
  it("leads from a goal to a running loop, which it opens", async () => {
    const host = startHost();
    await walk(host, "review");
    expect(screen.getByTestId("limit-sentence").textContent).toBe(
      "Stops after 10 iterations, 5 USD or 2 hours, whichever comes first.",
    );
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
    await walk(host, "review");
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
    await press("{Enter}", screen.getByRole("textbox", { name: "What should be done?" }));
    expect((await screen.findByTestId("wrong-goal")).textContent).toContain("Say what should be done.");
    expect(page()).toBe("goal");
    await type("goal", GOAL);
    await press("{Shift>}{Enter}{/Shift}", screen.getByRole("textbox", { name: "What should be done?" }));
    expect(page()).toBe("goal");
    await press("{Enter}", screen.getByRole("textbox", { name: "What should be done?" }));
    await waitFor(() => expect(page()).toBe("where"));
  });

  it("loses nothing on the way back", async () => {
    await walk(startHost(), "review");
    for (const name of ["how", "where", "goal"]) {
      await click(screen.getByRole("button", { name: "Back" }));
      await waitFor(() => expect(page()).toBe(name));
      if (name === "how")
        expect((screen.getByRole("radio", { name: "Edit files" }) as HTMLInputElement).checked).toBe(true);
    }
    expect((screen.getByRole("textbox", { name: "What should be done?" }) as HTMLTextAreaElement).value).toBe(
      GOAL,
    );
  });

  it("is closed with Escape, kept, and offered again where it was left", async () => {
    const host = startHost();
    await walk(host, "how");
    await press("{Escape}", screen.getByRole("radio", { name: "Fix a bug" }));
    await screen.findByRole("grid", { name: "Loops by status" });
    await waitFor(async () => expect((await host.runs.draft())?.work.goal).toBe(GOAL));
    await click(screen.getByRole("button", { name: "Start a loop" }));
    expect((await screen.findByTestId("filled")).textContent).toContain("your unfinished form");
    expect(page()).toBe("how");
    await click(screen.getByTestId("undo-fill"));
    await waitFor(() => expect(page()).toBe("goal"));
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
    await click(screen.getByRole("button", { name: "Next" }));
    await waitFor(() => expect(page()).toBe("where"));
    await press("{Escape}", screen.getByRole("button", { name: "Next" }));
    await click(await screen.findByRole("button", { name: "Start a loop" }));
    await screen.findByTestId("filled");
    expect(page()).toBe("where");
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
    ["goal", "goal"],
    ["review", "limit-iterations"],
  ] as const)("has the focus in the fields of %s, not on what throws the draft away", async (to, field) => {
    const host = startHost();
    if (to === "review") await walk(host, to);
    else await openForm(host);
    await type(field, "4");
    await press("{Escape}", screen.getByTestId(field));
    await click(await screen.findByRole("button", { name: "Start a loop" }));
    await screen.findByTestId("undo-fill");
    expect(page()).toBe(to);
    await waitFor(() => expect(focused()).toBe(field));
  });

  it("keeps the former draft until something is typed into the new one", async () => {
    const host = startHost();
    await walk(host, "where");
    await press("{Escape}", screen.getByRole("button", { name: "Next" }));
    await click(await screen.findByRole("button", { name: "Start a loop" }));
    await click(await screen.findByTestId("undo-fill"));
    await waitFor(() => expect(page()).toBe("goal"));
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
    await click(screen.getByRole("button", { name: "Limits and review" }));
    const list = await screen.findByRole("region", { name: "Fix before starting" });
    expect(list.querySelectorAll("li").length).toBeGreaterThanOrEqual(2);
    await click(screen.getByRole("button", { name: "Show: Say what should be done." }));
    await waitFor(() => expect(focused()).toBe("goal"));
    expect(page()).toBe("goal");
  });

  it("fills in an example and a pasted issue, which can be taken back", async () => {
    const host = startHost();
    await openForm(host);
    await click(screen.getByTestId("example-fix_bug"));
    expect((screen.getByRole("textbox", { name: "What should be done?" }) as HTMLTextAreaElement).value).toBe(
      CATALOGUES.en.start.exampleBug,
    );
    host.runs.prefillForm = async () => ({ title: "T", goal: "G", tasks: ["one", "two"], left_out: 3 });
    await type("paste", "# T\nG\n- [ ] one\n- [ ] two");
    await click(screen.getByRole("button", { name: "Fill in" }));
    expect((await screen.findByTestId("filled")).textContent).toContain(
      "Filled in, with 2 tasks. 3 more tasks",
    );
    expect((screen.getByRole("textbox", { name: "Task 2" }) as HTMLInputElement).value).toBe("two");
    await click(screen.getByTestId("undo-fill"));
    await waitFor(() =>
      expect(
        (screen.getByRole("textbox", { name: "What should be done?" }) as HTMLTextAreaElement).value,
      ).toBe(CATALOGUES.en.start.exampleBug),
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
    await walk(host, "where");
    await click(screen.getAllByTestId("folder")[1]!);
    await screen.findByRole("region", { name: "Do you trust this folder?" });
    await submit();
    await waitFor(() => expect(focused()).toBe("trust"));
    expect(page()).toBe("where");
    await click(screen.getByRole("button", { name: "Trust this folder" }));
    await waitFor(() => expect(screen.queryByTestId("trust-card")).toBeNull());
    expect(host.runs.asked).toContain("trust /home/ana/code/billing-core true");
    await waitFor(() => expect(screen.getByTestId("trusted-sign").textContent).toContain("trusted"));
    await next("how");
  });

  it("has nothing against a folder that is chosen, so that nothing moves when the review says so", async () => {
    await walk(startHost(), "where");
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
    await walk(host, "where");
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
    await walk(host, "where");
    await click(screen.getAllByTestId("folder")[0]!);
    expect((await screen.findByTestId("folder-running")).textContent).toContain("2 loops are running here");
    await click(screen.getByRole("radio", { name: "A new worktree" }));
    const name = (await screen.findByRole("textbox", { name: "New branch" })) as HTMLInputElement;
    expect(name.value).toMatch(/^loopdeck\/mend-the-login-\w{3}$/);
    await type("worktree", "not a branch");
    await submit();
    expect(await screen.findByText(CATALOGUES.en.start.problem.bad_branch)).toBeTruthy();
    await click(screen.getByRole("radio", { name: "This folder as it is" }));
    await next("how");
  });

  it("chooses no level, and marks the last one but never full access", async () => {
    const host = startHost();
    host.runs.last = { agent: "claude", level: "edit_files" };
    await walk(host, "how");
    const card = (level: string) => screen.getByTestId(`level-${level}`);
    await screen.findByRole("radio", { name: "Edit files" });
    expect((card("edit_files") as HTMLInputElement).checked).toBe(true);
    expect(card("edit_files").closest("label")!.textContent).toContain("Last choice");
    expect(screen.getByTestId("level-limited").textContent).toContain("Loopdeck runs them");
    await click(card("full_access"));
    await click(await screen.findByRole("button", { name: "Use a worktree" }));
    await waitFor(() => expect(screen.queryByTestId("take-worktree")).toBeNull());
  });

  it("has no level chosen the first time", async () => {
    await walk(startHost(), "how");
    const levels = (await screen.findByRole("radio", { name: "Read only" }))
      .closest("fieldset")!
      .querySelectorAll<HTMLInputElement>("input");
    expect([...levels].some((level) => level.checked)).toBe(false);
    await submit();
    await screen.findByTestId("wrong-level");
    expect(page()).toBe("how");
  });

  it("asks the shell agent for its command and shows no levels", async () => {
    const host = startHost();
    await walk(host, "how");
    await click(await screen.findByRole("radio", { name: "Your own command" }));
    expect(screen.queryByTestId("level-look_only")).toBeNull();
    await type("shell-command", "sh agent.sh");
    await next("review");
    expect(screen.getByTestId("no-cost").textContent).toContain("reports neither");
    await submit();
    await waitFor(() =>
      expect(host.runs.started?.plan).toMatchObject({ shell_command: "sh agent.sh", level: null }),
    );
  });

  it("proposes the tests of the folder, and takes another command or none", async () => {
    const host = startHost();
    await walk(host, "how");
    expect((await screen.findByTestId<HTMLInputElement>("test-0")).checked).toBe(true);
    await click(screen.getByRole("radio", { name: "Another command" }));
    await type("test-command", "make check");
    await type("test-results", "a.xml\n\nb.xml");
    await click(await screen.findByRole("radio", { name: "Edit files" }));
    await next("review");
    await submit();
    await waitFor(() =>
      expect(host.runs.started?.plan).toMatchObject({
        test_command: "make check",
        results: ["a.xml", "b.xml"],
      }),
    );
  });

  it("shows the flag that is refused, where experts write it", async () => {
    await walk(startHost(), "how");
    await click(await screen.findByRole("radio", { name: "Edit files" }));
    await type("extra-args", "--output-format=text");
    await submit();
    await waitFor(() => expect((screen.getByTestId("expert") as HTMLDetailsElement).open).toBe(true));
    expect(page()).toBe("how");
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
    await screen.findByRole("button", { name: "Use Bugs" });
    await click(screen.getByRole("button", { name: "Use Bugs" }));
    expect((await screen.findByTestId("filled")).textContent).toContain("“Bugs”");
    expect((screen.getByRole("textbox", { name: "What should be done?" }) as HTMLTextAreaElement).value).toBe(
      GOAL,
    );
    await click(screen.getByRole("button", { name: "Templates" }));
    await click(await screen.findByRole("button", { name: "Delete Bugs" }));
    await waitFor(async () => expect(await host.runs.templates()).toEqual([]));
  });

  it("keeps everything when the start fails, with what went wrong", async () => {
    const host = startHost();
    await walk(host, "review");
    host.runs.startLoop = () =>
      Promise.reject({ kind: "disk", args: { path: "x.json", reason: "full" }, refusal: null });
    await submit();
    expect((await screen.findByTestId("failure")).dataset.kind).toBe("disk");
    await click(screen.getByRole("button", { name: "Goal" }));
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
    await click(screen.getByRole("button", { name: "Limits and review" }));
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
    expect(offers.textContent).toContain("1 test was skipped in the last run.");
    await click(within(offers).getByTestId("follow-up-refactor"));
    expect((await screen.findByTestId("filled")).textContent).toContain("Cache the product list");
    const goal = screen.getByRole("textbox", { name: "What should be done?" }) as HTMLTextAreaElement;
    expect(goal.value).toBe(
      "Refactor the code changed in “Cache the product list” without changing what it does. 3 files were changed.\n" +
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
