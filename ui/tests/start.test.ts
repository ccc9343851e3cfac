import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import axe from "axe-core";
import { describe, expect, it, vi } from "vitest";
import type { CheckItem, StartForm } from "../src/host/bindings";
import { MemoryHost } from "../src/host/memory";
import { triedNow } from "../src/host/memory-runs";
import { sampleAgents } from "../src/host/sample-agents";
import { sampleFolders, sampleReview } from "../src/host/sample-start";
import App from "../src/App.svelte";
import { beginForm } from "../src/views/start/form";
import { CATALOGUES, LANGUAGES, type LanguageId } from "../src/words/language.svelte";
import { keyOf, mountApp, rowOf, sampleHost } from "./mount";

function startHost(language: LanguageId = "en"): MemoryHost {
  const host = sampleHost();
  host.settings = { language };
  host.runs.agentRows = sampleAgents();
  for (const [path, facts] of sampleFolders()) host.runs.folders.set(path, facts);
  host.runs.reviewOf = (form) => sampleReview(form, host.runs.folders.get(form.folder)?.trusted ?? false);
  return host;
}

const GOAL = "Mend the login.";
const page = () => screen.getByTestId("start-page").dataset.page;
const type = (testid: string, value: string) =>
  fireEvent.input(screen.getByTestId(testid), { target: { value } });
const submit = () => fireEvent.submit(screen.getByTestId("start-view").querySelector("form")!);
const focused = () => (document.activeElement as HTMLElement | null)?.dataset.testid;

async function open(host: MemoryHost): Promise<HTMLElement> {
  const container = await mountApp(host);
  await fireEvent.click(await screen.findByTestId("start-loop"));
  await screen.findByTestId("goal");
  return container;
}

async function next(to: string): Promise<void> {
  await submit();
  await waitFor(() => expect(page()).toBe(to));
}

/** Through the form up to a page, with everything that is needed. */
async function walk(host: MemoryHost, to: "where" | "how" | "review"): Promise<HTMLElement> {
  const container = await open(host);
  await type("goal", GOAL);
  await next("where");
  if (to === "where") return container;
  await fireEvent.click(screen.getAllByTestId("folder")[0]!);
  await screen.findByTestId("folder-facts");
  await next("how");
  if (to === "how") return container;
  await fireEvent.click(await screen.findByTestId("level-edit_files"));
  await next("review");
  await screen.findByTestId("command-line");
  return container;
}

async function violations(node: Element): Promise<string[]> {
  const result = await axe.run(node, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    rules: {
      "color-contrast": { enabled: false },
      region: { enabled: false },
      "target-size": { enabled: false },
    },
  });
  return result.violations.map(
    (one) => `${one.id}: ${one.nodes.map((at) => at.html.slice(0, 160)).join(" | ")}`,
  );
}

describe("a command of the form", () => {
  const said = (id: string) => screen.getByTestId(`${id}-said`).textContent?.replace(/\s+/g, " ").trim();

  it("is tried once, and what came of it is said in plain words", async () => {
    const host = startHost();
    host.runs.triedOf = async () => ({ ...triedNow(), passes: false, code: 1, took_ms: 2_300 });
    await walk(host, "how");
    await fireEvent.click(screen.getByTestId("test-1"));
    await fireEvent.click(screen.getByTestId("try-tests-run"));
    await waitFor(() => expect(said("try-tests")).toContain("Fails now. Exit code 1 after 2.3 s."));
    expect(host.runs.asked).toContain("try tests npm test in /home/ana/code/storefront");
    expect(said("try-tests")).toContain("Loopdeck could not read");
    // Another command: what was said is of the old one.
    await fireEvent.click(screen.getByTestId("test-0"));
    await waitFor(() => expect(said("try-tests")).toContain("The command has changed since."));
    expect(await violations(screen.getByTestId("start-view"))).toEqual([]);
  });

  it("is stopped by the person, and when nobody looks any more", async () => {
    const host = startHost();
    host.runs.triedOf = () => new Promise(() => undefined);
    await walk(host, "how");
    const button = screen.getByTestId("try-tests-run");
    button.focus();
    await fireEvent.click(button);
    expect(focused()).toBe("try-tests-stop");
    await fireEvent.click(button); // the second of a double click
    expect(host.runs.asked).not.toContain("stop try");
    const later = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 400);
    await fireEvent.click(button);
    later.mockRestore();
    await waitFor(() => expect(said("try-tests")).toContain("Stopped before it could tell."));
    await fireEvent.click(screen.getByTestId("try-tests-run"));
    await screen.findByTestId("try-tests-stop");
    await fireEvent.keyDown(screen.getByTestId("start-view").querySelector("form")!, {
      key: "PageUp",
      altKey: true,
    });
    await waitFor(() => expect(host.runs.asked.filter((one) => one === "stop try")).toHaveLength(2));
  });

  it("is not run in a folder that is not trusted", async () => {
    const host = startHost();
    await walk(host, "where");
    await fireEvent.click(screen.getAllByTestId("folder")[1]!);
    await screen.findByTestId("trust-card");
    // Whatever else the form says: the button itself knows.
    host.runs.reviewOf = (asked) => sampleReview(asked, true);
    await next("how");
    const button = (await screen.findByTestId("try-tests-run")) as HTMLButtonElement;
    expect(button.disabled).toBe(true);
    expect(screen.getByTestId("try-tests").textContent).toContain("Trust the folder first");
    await fireEvent.click(button);
    expect(host.runs.asked.filter((one) => one.startsWith("try"))).toEqual([]);
  });

  it("may be a check that passes when it fails; a sentence is nothing to run", async () => {
    const host = startHost();
    const form = { ...beginForm({}, "/home/ana/code/storefront"), page: 2 };
    const check = (kind: string, value: string): CheckItem => ({
      item: value,
      part: { part: "check", of: { kind, value } },
    });
    const of = [check("not_command", "npm audit"), check("assertion", "It looks right")];
    await host.runs.saveDraft({
      ...form,
      work: { ...form.work, recipe: "checklist", base_case: { shape: "checklist", of } },
    });
    await mountApp(host);
    await fireEvent.click(await screen.findByTestId("start-loop"));
    await fireEvent.click(await screen.findByTestId("check-0-0-try-run"));
    await waitFor(() => expect(said("check-0-0-try")).toContain("Passes now."));
    expect(host.runs.asked).toContain("try not_command npm audit in /home/ana/code/storefront");
    expect(screen.queryByTestId("check-0-1-try")).toBeNull();
  });
});

describe("what to know of the agent", () => {
  it("is said on the review page and in the dialog", async () => {
    const host = startHost();
    await walk(host, "review");
    const notes = await screen.findByTestId("launch-notes");
    expect(notes.textContent).toContain("It uses your own plugins, hooks and servers.");
    // The advice above says it already.
    expect(screen.getByTestId("to-know").textContent).toContain("cannot try out tests itself");
    expect(notes.textContent).not.toContain("cannot run commands");
  });
});

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
    await open(startHost());
    await waitFor(() => expect(focused()).toBe("goal"));
    await fireEvent.keyDown(screen.getByTestId("goal"), { key: "Enter" });
    expect((await screen.findByTestId("wrong-goal")).textContent).toContain("Say what should be done.");
    expect(page()).toBe("goal");
    await type("goal", GOAL);
    await fireEvent.keyDown(screen.getByTestId("goal"), { key: "Enter", shiftKey: true });
    expect(page()).toBe("goal");
    await fireEvent.keyDown(screen.getByTestId("goal"), { key: "Enter" });
    await waitFor(() => expect(page()).toBe("where"));
  });

  it("loses nothing on the way back", async () => {
    await walk(startHost(), "review");
    for (const name of ["how", "where", "goal"]) {
      await fireEvent.click(screen.getByTestId("start-back"));
      await waitFor(() => expect(page()).toBe(name));
      if (name === "how")
        expect((screen.getByTestId("level-edit_files") as HTMLInputElement).checked).toBe(true);
    }
    expect((screen.getByTestId("goal") as HTMLTextAreaElement).value).toBe(GOAL);
  });

  it("is closed with Escape, kept, and offered again where it was left", async () => {
    const host = startHost();
    await walk(host, "how");
    await fireEvent.keyDown(screen.getByTestId("recipe-fix_bug"), { key: "Escape" });
    await screen.findByTestId("loop-list");
    await waitFor(async () => expect((await host.runs.draft())?.work.goal).toBe(GOAL));
    await fireEvent.click(screen.getByTestId("start-loop"));
    expect((await screen.findByTestId("filled")).textContent).toContain("left unfinished");
    expect(page()).toBe("how");
    await fireEvent.click(screen.getByTestId("undo-fill"));
    await waitFor(() => expect(page()).toBe("goal"));
    expect((screen.getByTestId("goal") as HTMLTextAreaElement).value).toBe("");
    await fireEvent.click(screen.getByTestId("undo-fill"));
    await waitFor(() => expect((screen.getByTestId("goal") as HTMLTextAreaElement).value).toBe(GOAL));
  });

  it.each([
    ["goal", "goal"],
    ["review", "limit-iterations"],
  ] as const)("has the focus in the fields of %s, not on what throws the draft away", async (to, field) => {
    const host = startHost();
    if (to === "review") await walk(host, to);
    else await open(host);
    await type(field, "4");
    await fireEvent.keyDown(screen.getByTestId(field), { key: "Escape" });
    await fireEvent.click(await screen.findByTestId("start-loop"));
    await screen.findByTestId("undo-fill");
    expect(page()).toBe(to);
    await waitFor(() => expect(focused()).toBe(field));
  });

  it("keeps the former draft until something is typed into the new one", async () => {
    const host = startHost();
    await walk(host, "where");
    await fireEvent.keyDown(screen.getByTestId("start-next"), { key: "Escape" });
    await fireEvent.click(await screen.findByTestId("start-loop"));
    await fireEvent.click(await screen.findByTestId("undo-fill"));
    await waitFor(() => expect(page()).toBe("goal"));
    await fireEvent.keyDown(screen.getByTestId("goal"), { key: "Escape" });
    await screen.findByTestId("loop-list");
    expect((await host.runs.draft())?.work.goal).toBe(GOAL);
  });

  it("says when what is typed cannot be kept, and holds nobody up", async () => {
    const host = startHost();
    host.runs.failDraft = { kind: "own_data", args: { reason: "No space left on device" }, refusal: null };
    await open(host);
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
    await open(host);
    await fireEvent.click(screen.getByTestId("start-close"));
    await screen.findByTestId("loop-list");
    expect(await host.runs.draft()).toBeNull();
  });

  it("says all that is missing at the end, and leads there", async () => {
    await open(startHost());
    await fireEvent.click(screen.getByTestId("page-review"));
    const list = await screen.findByTestId("to-mend");
    expect(list.querySelectorAll("li").length).toBeGreaterThanOrEqual(2);
    await fireEvent.click(screen.getByTestId("jump-goal"));
    await waitFor(() => expect(focused()).toBe("goal"));
    expect(page()).toBe("goal");
  });

  it("fills in an example and a pasted issue, which can be taken back", async () => {
    const host = startHost();
    await open(host);
    await fireEvent.click(screen.getByTestId("example-checklist"));
    expect((screen.getByTestId("goal") as HTMLTextAreaElement).value).toBe(CATALOGUES.en.start.exampleChecks);
    host.runs.prefillForm = async () => ({ title: "T", goal: "G", tasks: ["one", "two"], left_out: 3 });
    await type("paste", "# T\nG\n- [ ] one\n- [ ] two");
    await fireEvent.click(screen.getByTestId("paste-use"));
    expect((await screen.findByTestId("filled")).textContent).toContain(
      "Filled in, with 2 tasks. 3 more tasks",
    );
    expect((screen.getByTestId("task-2") as HTMLInputElement).value).toBe("two");
    await fireEvent.click(screen.getByTestId("undo-fill"));
    await waitFor(() =>
      expect((screen.getByTestId("goal") as HTMLTextAreaElement).value).toBe(
        CATALOGUES.en.start.exampleChecks,
      ),
    );
  });

  it("takes tasks with the keys alone", async () => {
    const host = startHost();
    await open(host);
    await fireEvent.click(screen.getByTestId("add-start-task"));
    await waitFor(() => expect(focused()).toBe("task-1"));
    await type("task-1", "first");
    await fireEvent.keyDown(screen.getByTestId("task-1"), { key: "Enter" });
    await waitFor(() => expect(focused()).toBe("task-2"));
    await fireEvent.keyDown(screen.getByTestId("task-2"), { key: "Backspace" });
    await waitFor(() => expect(focused()).toBe("task-1"));
    expect(screen.queryByTestId("task-2")).toBeNull();
  });

  it("runs nothing in a folder before it is trusted", async () => {
    const host = startHost();
    await walk(host, "where");
    await fireEvent.click(screen.getAllByTestId("folder")[1]!);
    await screen.findByTestId("trust-card");
    await submit();
    await waitFor(() => expect(focused()).toBe("trust"));
    expect(page()).toBe("where");
    await fireEvent.click(screen.getByTestId("trust"));
    await waitFor(() => expect(screen.queryByTestId("trust-card")).toBeNull());
    expect(host.runs.asked).toContain("trust /home/ana/code/billing-core true");
    await next("how");
  });

  it("makes a worktree with a branch named after the goal", async () => {
    const host = startHost();
    await walk(host, "where");
    await fireEvent.click(screen.getAllByTestId("folder")[0]!);
    expect((await screen.findByTestId("folder-running")).textContent).toContain("2 loops run here now");
    await fireEvent.click(screen.getByTestId("work-apart"));
    const name = (await screen.findByTestId("worktree")) as HTMLInputElement;
    expect(name.value).toMatch(/^loopdeck\/mend-the-login-\w{3}$/);
    await type("worktree", "not a branch");
    await submit();
    expect(await screen.findByText(CATALOGUES.en.start.problem.bad_branch)).toBeTruthy();
    await fireEvent.click(screen.getByTestId("work-here"));
    await next("how");
  });

  it("chooses no level, and marks the last one but never full access", async () => {
    const host = startHost();
    host.runs.last = { agent: "claude", level: "edit_files" };
    await walk(host, "how");
    const card = (level: string) => screen.getByTestId(`level-${level}`);
    await screen.findByTestId("level-edit_files");
    expect((card("edit_files") as HTMLInputElement).checked).toBe(true);
    expect(card("edit_files").closest("label")!.textContent).toContain("Last choice");
    expect(screen.getByTestId("level-limited").textContent).toContain("Loopdeck runs them");
    await fireEvent.click(card("full_access"));
    await fireEvent.click(await screen.findByTestId("take-worktree"));
    await waitFor(() => expect(screen.queryByTestId("take-worktree")).toBeNull());
  });

  it("has no level chosen the first time", async () => {
    await walk(startHost(), "how");
    const levels = (await screen.findByTestId("level-look_only"))
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
    await fireEvent.click(await screen.findByTestId("agent-shell"));
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
    await fireEvent.click(screen.getByTestId("test-other"));
    await type("test-command", "make check");
    await type("test-results", "a.xml\n\nb.xml");
    await fireEvent.click(await screen.findByTestId("level-edit_files"));
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
    await fireEvent.click(await screen.findByTestId("level-edit_files"));
    await type("extra-args", "--output-format=text");
    await submit();
    await waitFor(() => expect((screen.getByTestId("expert") as HTMLDetailsElement).open).toBe(true));
    expect(page()).toBe("how");
    expect(screen.getByTestId("expert").textContent).toContain("--output-format=text is set by Loopdeck");
  });

  it("writes a whole AoT file for a checklist and says that it waits", async () => {
    const host = startHost();
    await walk(host, "how");
    await fireEvent.click(screen.getByTestId("recipe-checklist"));
    await submit();
    await screen.findByTestId("wrong-base_case");
    await fireEvent.click(screen.getByTestId("use-tests"));
    await next("review");
    expect((await screen.findByTestId("aot-waits")).textContent).toContain("comes with the next version");
    expect(screen.getByTestId("start-next").textContent).toContain("Write the file");
    await submit();
    await waitFor(() => expect(host.runs.started?.work.base_case).toMatchObject({ shape: "single" }));
  });

  it("saves a template, fills it in, and forgets it", async () => {
    const host = startHost();
    await open(host);
    await type("goal", GOAL);
    await fireEvent.click(screen.getByTestId("templates"));
    const dialog = await screen.findByTestId("templates-dialog");
    await type("template-name", "Bugs");
    await fireEvent.submit(dialog.querySelector("form")!);
    await screen.findByTestId("template-use");
    await fireEvent.click(screen.getByTestId("template-use"));
    expect((await screen.findByTestId("filled")).textContent).toContain("“Bugs”");
    expect((screen.getByTestId("goal") as HTMLTextAreaElement).value).toBe(GOAL);
    await fireEvent.click(screen.getByTestId("templates"));
    await fireEvent.click(await screen.findByTestId("template-delete"));
    await waitFor(async () => expect(await host.runs.templates()).toEqual([]));
  });

  it("keeps everything when the start fails, with what went wrong", async () => {
    const host = startHost();
    await walk(host, "review");
    host.runs.startLoop = () =>
      Promise.reject({ kind: "disk", args: { path: "x.json", reason: "full" }, refusal: null });
    await submit();
    expect((await screen.findByTestId("failure")).dataset.kind).toBe("disk");
    await fireEvent.click(screen.getByTestId("page-goal"));
    await waitFor(() => expect((screen.getByTestId("goal") as HTMLTextAreaElement).value).toBe(GOAL));
  });

  it("shows the newest review, whatever order the answers come in", async () => {
    const host = startHost();
    const answers: ((value: ReturnType<typeof sampleReview>) => void)[] = [];
    const asked: StartForm[] = [];
    await open(host);
    host.runs.reviewStart = (form) => {
      asked.push(form);
      return new Promise((done) => answers.push(done));
    };
    await type("goal", "one");
    await waitFor(() => expect(asked.at(-1)?.work.goal).toBe("one"));
    await type("goal", "two");
    await fireEvent.click(screen.getByTestId("page-review"));
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
    await fireEvent.keyDown(screen.getByTestId("filter"), { key: "n" });
    expect(screen.queryByTestId("start-view")).toBeNull();
    await fireEvent.keyDown(document.body, { key: "n" });
    await screen.findByTestId("start-view");
  });

  it("are the palette and the first start", async () => {
    render(App, { props: { host: new MemoryHost() } });
    await fireEvent.click(await screen.findByTestId("start-loop"));
    await screen.findByTestId("goal");
  });

  it("are a loop that is to be made again", async () => {
    const host = startHost();
    const container = await mountApp(host);
    const row = rowOf(container, "Type the pricing");
    await fireEvent.click(row.querySelector('[aria-haspopup="menu"]')!);
    await fireEvent.click(await screen.findByTestId("menu-duplicate"));
    expect((await screen.findByTestId("filled")).textContent).toContain("Type the pricing");
    expect((screen.getByTestId("goal") as HTMLTextAreaElement).value).toContain("The work of w2:");
  });
});

describe("the agent of a loop that exists", () => {
  async function resume(host: MemoryHost): Promise<void> {
    host.open = keyOf(host, "Type the pricing");
    await mountApp(host);
    await screen.findByTestId("panel-overview");
    await fireEvent.click(screen.getByTestId("verb-resume"));
  }

  it("is said beforehand to go on in its conversation", async () => {
    const host = startHost();
    host.runs.launchNotes = ["goes_on"];
    await resume(host);
    await screen.findByTestId("launch-dialog");
    const notes = await screen.findByTestId("launch-notes");
    expect(notes.querySelector('[data-note="goes_on"]')?.textContent).toContain(
      "goes on in the conversation in which this action was cut off",
    );
  });

  it("is chosen the first time, in a folder that is trusted first", async () => {
    const host = startHost();
    await resume(host);
    const dialog = await screen.findByTestId("launch-dialog");
    await screen.findByTestId("trust-card");
    await waitFor(() => expect(focused()).toBe("trust"));
    await fireEvent.submit(dialog.querySelector("form")!);
    await waitFor(() => expect(focused()).toBe("trust"));
    await fireEvent.click(screen.getByTestId("trust"));
    await waitFor(() => expect(screen.queryByTestId("trust-card")).toBeNull());
    await fireEvent.click(screen.getByTestId("level-edit_files"));
    await fireEvent.submit(dialog.querySelector("form")!);
    await waitFor(() => expect(screen.queryByTestId("launch-dialog")).toBeNull());
    const key = keyOf(host, "Type the pricing");
    expect(host.runs.asked).toContain(`launch ${key} claude same limit`);
    expect(await host.runs.planOf(key)).toMatchObject({
      level: "edit_files",
      test_command: "cargo nextest run",
    });
  });

  it("starts with one click once it is known how", async () => {
    const host = startHost();
    const key = keyOf(host, "Type the pricing");
    await host.runs.launch(key, { agent: "shell", shell_command: "sh agent.sh" }, null);
    host.settle();
    host.write(key, { word: "paused", verbs: ["resume", "stop"], primary: "resume", request: null });
    await resume(host);
    await waitFor(() => expect(host.runs.asked).toContain(`launch ${key} as before same limit`));
    expect(screen.queryByTestId("launch-dialog")).toBeNull();
  });

  it("is filled in from what is known of the loop, such as that of the sample", async () => {
    const host = startHost();
    host.runs.planOf = async () => ({
      agent: "shell",
      shell_command: "sh agent.sh",
      test_command: "sh test.sh",
    });
    await resume(host);
    expect((await screen.findByTestId<HTMLInputElement>("shell-command")).value).toBe("sh agent.sh");
    expect(screen.getByTestId<HTMLInputElement>("test-command").value).toBe("sh test.sh");
    expect(screen.queryByTestId("level-look_only")).toBeNull();
  });

  it("opens the dialog where an agent is gone, and says so", async () => {
    const host = startHost();
    host.runs.failNextLaunch = { kind: "no_agent", args: { agent: "Qwen Code" }, refusal: null };
    await resume(host);
    const dialog = await screen.findByTestId("launch-dialog");
    expect(dialog.textContent).toContain("Qwen Code was not found on this computer.");
  });

  it("is not started where it is refused: that is said beside the loop", async () => {
    const host = startHost();
    host.runs.failNextLaunch = { kind: "contended", args: { path: "x" }, refusal: null };
    await resume(host);
    expect((await screen.findByTestId("failure")).dataset.kind).toBe("contended");
    expect(screen.queryByTestId("launch-dialog")).toBeNull();
  });

  it("asks before an ended loop is started again", async () => {
    const host = startHost();
    host.open = keyOf(host, "Upgrade the build");
    await mountApp(host);
    await screen.findByTestId("panel-overview");
    await fireEvent.click(screen.getByTestId("verb-reopen"));
    const dialog = await screen.findByTestId("verb-dialog");
    expect(dialog.textContent).toContain("starts the agent at iteration");
    await fireEvent.submit(dialog.querySelector("form")!);
    await screen.findByTestId("launch-dialog");
    expect(screen.queryByTestId("verb-dialog")).toBeNull();
  });
});

describe("axe finds nothing", () => {
  it.each(LANGUAGES)("in the form, in %s", async (id) => {
    const host = startHost(id);
    const container = await walk(host, "review");
    expect(await violations(container)).toEqual([]);
    for (const name of ["how", "where", "goal"]) {
      await fireEvent.click(screen.getByTestId(`page-${name}`));
      await waitFor(() => expect(page()).toBe(name));
      expect(await violations(container), name).toEqual([]);
    }
  });

  it("in the form with mistakes, and with a checklist", async () => {
    const container = await open(startHost());
    await submit();
    await screen.findByTestId("wrong-goal");
    await fireEvent.click(screen.getByTestId("page-how"));
    await fireEvent.click(await screen.findByTestId("recipe-checklist"));
    expect(await violations(container)).toEqual([]);
    await fireEvent.click(screen.getByTestId("templates"));
    expect(await violations(await screen.findByTestId("templates-dialog"))).toEqual([]);
  });

  it("in the dialog that starts an agent", async () => {
    const host = startHost();
    host.open = keyOf(host, "Type the pricing");
    await mountApp(host);
    await fireEvent.click(await screen.findByTestId("verb-resume"));
    await screen.findByTestId("trust-card");
    expect(await violations(screen.getByTestId("launch-dialog"))).toEqual([]);
  });
});
