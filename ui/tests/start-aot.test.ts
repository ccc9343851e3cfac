import { fireEvent, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { sampleTried } from "../src/host/sample-start";
import { violations } from "./axe";
import {
  chooseFolder,
  focused,
  next,
  openForm,
  page,
  pick,
  startHost,
  submit,
  type,
  walk,
  walkAot,
} from "./start-walk";
import { click, press } from "./person";

describe("the form of an AoT loop", () => {
  it("asks for the whole objective, and starts with all of it", async () => {
    const host = startHost();
    await walkAot(host, "ready");
    await submit();
    await waitFor(() => expect(host.runs.started).not.toBeNull());
    expect(host.runs.started?.work).toMatchObject({
      recipe: "checklist",
      base_case: { shape: "single", of: { kind: "command" } },
      aot: { background_intent: "The background_intent", deliverables: "The deliverables", atoms: [] },
    });
  });

  it("has no test command: its checks judge it", async () => {
    await walkAot(startHost(), "ready");
    await screen.findByText(/the agent can’t run tests/);
    expect(screen.queryByRole("group", { name: "How are the tests run?" })).toBeNull();
    expect(screen.queryByTestId("further")).toBeNull();
  });

  it("says on the first page what is missing there", async () => {
    await openForm(startHost());
    await click(screen.getByTestId("recipe-checklist"));
    await type("goal", "Ship it");
    await chooseFolder();
    await screen.findByTestId("start-deliverables");
    await submit();
    await waitFor(() => expect(focused()).toBe("start-background_intent"));
    expect(page()).toBe("work");
    expect(screen.getByTestId("page-work").textContent).toContain("3 to fix");
    await type("start-in_scope", "one\n\ntwo");
    for (const field of ["background_intent", "deliverables", "definition_of_done"])
      await type(`start-${field}`, "x");
    await next("checks");
  });

  it("builds nested lists of checks, and leads to the one that is not complete", async () => {
    const host = startHost();
    await walkAot(host, "checks");
    await click(within(screen.getByTestId("check-shape")).getByLabelText("A checklist"));
    await type("check-0-0-name", "Functional");
    await pick("check-0-0-part", "any_of");
    await type("check-1-0-name", "No secrets");
    await pick("check-1-0-part", "not_command");
    expect(screen.getByTestId("check-1-0-part").textContent).toContain("this command fails");
    await submit();
    expect((await screen.findByTestId("wrong-base_case.0.0")).textContent).toContain("Fill this in.");
    await click(screen.getByRole("button", { name: "Agent and limits" }));
    await click(await screen.findByRole("button", { name: "Show: Check 1.1: Fill this in." }));
    await waitFor(() => expect(page()).toBe("checks"));
    await waitFor(() => expect(focused()).toBe("check-1-0-value"));
    await type("check-1-0-value", "grep -r SECRET src");
    await click(screen.getByRole("button", { name: "Try it now" }));
    await waitFor(() =>
      expect(host.runs.asked).toContain("try not_command grep -r SECRET src in /home/ana/code/storefront"),
    );
    await next("atoms");
    await next("run");
    await click(await screen.findByTestId("level-edit_files"));
    await submit();
    const of = [
      {
        item: "Functional",
        part: {
          part: "any_of",
          of: [
            {
              item: "No secrets",
              part: { part: "check", of: { kind: "not_command", value: "grep -r SECRET src" } },
            },
          ],
        },
      },
    ];
    await waitFor(() => expect(host.runs.started?.work.base_case).toEqual({ shape: "checklist", of }));
  });

  it("edits a rubric with weights, and says how much each line counts", async () => {
    const host = startHost();
    await walkAot(host, "checks");
    await click(within(screen.getByTestId("check-shape")).getByLabelText("One check by score"));
    await click(within(screen.getByTestId("start-quality-way")).getByLabelText("A rubric"));
    await type("start-quality-criterion-0", "Readability");
    await type("start-quality-weight-0", "0.4");
    await click(screen.getByText("Add a criterion"));
    await type("start-quality-criterion-1", "Design");
    await type("start-quality-weight-1", "0.6");
    await type("start-quality-level-1-5", "Excellent");
    expect(screen.getByTestId("start-quality-rubric").textContent).toContain("Counts for 60%");
    await next("atoms");
    await next("run");
    await click(await screen.findByTestId("level-edit_files"));
    await submit();
    await waitFor(() =>
      expect(host.runs.started?.work.base_case).toEqual({
        shape: "quality",
        of: {
          criteria: {
            shape: "rubric",
            of: [
              { criterion: "Readability", description: null, weight: 40, levels: [] },
              { criterion: "Design", description: null, weight: 60, levels: [[5, "Excellent"]] },
            ],
          },
          pass_threshold: 350,
          scope: null,
        },
      }),
    );
  });

  it("tries a file check without trust, because nothing is run", async () => {
    const host = startHost();
    host.runs.triedOf = sampleTried;
    await walkAot(host, "checks");
    await pick("start-check-kind", "file");
    await type("start-check-value", "dist/*");
    await click(await screen.findByRole("button", { name: "Try it now" }));
    await waitFor(() =>
      expect(screen.getByTestId("start-check-try-said").textContent).toContain("Files or folders found: 2."),
    );
    expect(screen.getByTestId("start-check-try-said").textContent).toContain("dist/main.js");
  });

  it("draws atoms with what they wait for and their alternatives while they are typed", async () => {
    const host = startHost();
    await walkAot(host, "atoms");
    await click(screen.getByTestId("add-atom"));
    await type("atom-A1-text", "Design");
    await press("{Enter}", screen.getByTestId("atom-A1-text"));
    await waitFor(() => expect(focused()).toBe("atom-A2-text"));
    await type("atom-A2-text", "Use JWT");
    await type("atom-A2-group", "token");
    await click(within(screen.getByTestId("atom-A2-needs")).getByText("Design"));
    await click(screen.getByTestId("add-atom"));
    await type("atom-A3-group", "token");
    expect(screen.getByTestId("atom-A2-choice").textContent).toContain("Tried first");
    expect(screen.getByTestId("atom-A3-choice").textContent).toContain("Alternative 2");
    // The one without a text is named, and leads to it.
    await submit();
    expect((await screen.findByTestId("wrong-atoms.2")).textContent).toContain("Fill this in.");
    await waitFor(() => expect(focused()).toBe("atom-A3-text"));
    await type("atom-A3-text", "Use sessions");
    await click(screen.getByRole("button", { name: "Move atom A3 up" }));
    await waitFor(() => expect(screen.getByTestId("atom-A3-choice").textContent).toContain("Tried first"));
    await next("run");
    await click(await screen.findByTestId("level-edit_files"));
    await submit();
    await waitFor(() =>
      expect(host.runs.started?.work.aot?.atoms).toEqual([
        { id: "A1", description: "Design", depends_on: [], or_group: null },
        { id: "A3", description: "Use sessions", depends_on: [], or_group: "token" },
        { id: "A2", description: "Use JWT", depends_on: ["A1"], or_group: "token" },
      ]),
    );
  });

  it("asks the host for the drawing of what is typed, the newest last", async () => {
    const host = startHost();
    const asked: string[][] = [];
    const real = host.runs.draftWork.bind(host.runs);
    host.runs.draftWork = async (atoms, direction) => {
      asked.push(atoms.map(({ description }) => description));
      return real(atoms, direction);
    };
    await walkAot(host, "atoms");
    await click(screen.getByTestId("add-atom"));
    for (const text of ["D", "De", "Des"]) await type("atom-A1-text", text);
    await waitFor(() => expect(asked.at(-1)).toEqual(["Des"]));
  });

  it("takes several pasted lines as several atoms, and known tasks as the first ones", async () => {
    const host = startHost();
    const container = await openForm(host);
    await type("goal", "Mend the login.");
    await click(screen.getByRole("button", { name: "Add a task" }));
    await type("task-1", "Reproduce it");
    await click(screen.getByRole("radio", { name: "Work to a checklist" }));
    await click(await screen.findByRole("button", { name: "Atoms" }));
    const first = (await screen.findByTestId("atom-A1-text")) as HTMLInputElement;
    expect(first.value).toBe("Reproduce it");
    const clipboardData = { getData: () => "- [ ] Write a test\n- Fix it\n" };
    await fireEvent.paste(first, { clipboardData });
    await waitFor(() => expect(container.querySelectorAll("[data-first]").length).toBe(3));
    expect((screen.getByRole("textbox", { name: "What atom A3 does" }) as HTMLInputElement).value).toBe(
      "Fix it",
    );
    await click(screen.getByRole("button", { name: "Remove Atom A2" }));
    await waitFor(() => expect(screen.queryByTestId("atom-A2")).toBeNull());
  });

  it("offers a worktree where the folder has a loop, or to replace it when the person says so", async () => {
    const host = startHost();
    const path = "/home/ana/code/billing-core";
    host.runs.folders.set(path, { ...host.runs.folders.get(path)!, trusted: true });
    await walkAot(host, "ready");
    const folder = async (name: string) => {
      await click(screen.getByTestId("page-work"));
      const folders = await screen.findAllByTestId("folder");
      await click(folders.find((one) => one.closest(".card")?.textContent?.includes(name))!);
      await click(screen.getByTestId("page-run"));
    };
    await folder("billing-core");
    const note = await screen.findByTestId("folder-aot");
    expect(note.textContent).toContain("This folder already has an AoT loop.");
    await submit();
    expect((await screen.findByTestId("wrong-replace")).textContent).toContain("choose to replace it");
    expect(page()).toBe("run");
    await click(screen.getByRole("radio", { name: "A new worktree" }));
    await waitFor(() => expect(screen.queryByTestId("folder-aot")).toBeNull());
    await click(screen.getByRole("radio", { name: "This folder as it is" }));
    await click(await screen.findByTestId("replace-aot"));
    await waitFor(() =>
      expect(screen.getByRole("region", { name: "Good to know" }).textContent).toContain(
        "kept as a version under Files",
      ),
    );
    await folder("storefront");
    await folder("billing-core");
    // It was said of the folder before, and is to be said again.
    expect(await screen.findByTestId("replace-aot")).toMatchObject({ checked: false });
  });

  it("does not replace a loop that runs", async () => {
    const host = startHost();
    const path = "/home/ana/code/billing-core";
    host.runs.folders.set(path, { ...host.runs.folders.get(path)!, live: ["aot"] });
    host.runs.folders.set(path, { ...host.runs.folders.get(path)!, trusted: true });
    await walkAot(host, "work");
    await click(screen.getAllByTestId("folder")[1]!);
    await click(screen.getByTestId("page-run"));
    const box = (await screen.findByTestId("replace-aot")) as HTMLInputElement;
    expect(box.disabled).toBe(true);
    expect(screen.getByTestId("start-page").textContent).toContain("Stop it first");
  });

  it("lets an agent draft all of it, which can be taken back", async () => {
    const host = startHost();
    await walkAot(host, "work");
    await type("draft-paragraph", "One place for dates.");
    expect(screen.getByTestId("draft-said").textContent).toContain("can’t change or run anything");
    await click(screen.getByRole("button", { name: "Draft it for me" }));
    expect((await screen.findByTestId("filled")).textContent).toContain("Drafted by");
    expect(host.runs.asked.at(-1)).toBe(
      "draft One place for dates. with claude in /home/ana/code/storefront",
    );
    expect((screen.getByTestId("goal") as HTMLTextAreaElement).value).toContain("one module only");
    await click(screen.getByTestId("page-checks"));
    expect(((await screen.findByTestId("check-0-1-value")) as HTMLInputElement).value).toContain("grep");
    await click(screen.getByRole("button", { name: "Atoms" }));
    await screen.findByTestId("atom-A3");
    await click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(screen.queryByTestId("atom-A3")).toBeNull());
  });

  it("says why no draft came of it, and nothing when the person stopped it", async () => {
    const host = startHost();
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    await walkAot(host, "work");
    await type("draft-paragraph", "x");
    host.runs.failNext = {
      kind: "no_draft",
      args: { agent: "Claude Code", reason: "it said no" },
      refusal: null,
    };
    await click(screen.getByRole("button", { name: "Draft it for me" }));
    expect((await screen.findByText(/it said no/)).closest('[role="alert"]')).not.toBeNull();
    host.runs.draftOf = () => new Promise(() => undefined);
    await click(screen.getByRole("button", { name: "Draft it for me" }));
    const button = await screen.findByRole("button", { name: "Stop" });
    // The second click of a double click does not stop it.
    await click(button);
    expect(button.getAttribute("aria-disabled")).toBe("false");
    vi.setSystemTime(Date.now() + 301);
    await click(button);
    await screen.findByRole("button", { name: "Draft it for me" });
    expect(screen.queryByText(/didn’t write a draft/)).toBeNull();
  });

  it("asks for the folder before an agent reads it", async () => {
    await openForm(startHost());
    await click(screen.getByTestId("recipe-checklist"));
    await type("draft-paragraph", "x");
    expect(screen.getByTestId("draft-said").textContent).toContain("Choose a folder.");
    expect((screen.getByRole("button", { name: "Draft it for me" }) as HTMLButtonElement).disabled).toBe(
      true,
    );
  });

  it("keeps what is not complete yet in the draft", async () => {
    const host = startHost();
    await walkAot(host, "atoms");
    await click(screen.getByTestId("add-atom"));
    await type("limit-max_stall_count", "0");
    await press("{Escape}", screen.getByRole("button", { name: "Next" }));
    await waitFor(async () => expect((await host.runs.draft())?.work.aot?.atoms?.length).toBe(1));
    expect((await host.runs.draft())?.work.aot?.max_stall_count).toBeNull();
    await click(await screen.findByTestId("start-loop"));
    await screen.findByTestId("atom-A1");
    expect(page()).toBe("atoms");
  });

  it.each(["en", "zh-CN", "ja"] as const)("can be read and used without a mouse, in %s", async (id) => {
    const host = startHost(id);
    const container = await walkAot(host, "atoms");
    await click(screen.getByTestId("add-atom"));
    await type("atom-A1-text", "Design");
    expect(await violations(container)).toEqual([]);
    for (const name of ["checks", "work"]) {
      await click(screen.getByTestId(`page-${name}`));
      await waitFor(() => expect(page()).toBe(name));
      expect(await violations(container), name).toEqual([]);
    }
  });
});

describe("other forms", () => {
  it("have no page of checks or atoms", async () => {
    await walk(startHost(), "run");
    expect(screen.queryByTestId("page-checks")).toBeNull();
    expect(screen.queryByTestId("page-atoms")).toBeNull();
    expect(screen.queryByTestId("limit-iterations")).not.toBeNull();
  });
});

describe("the plugin as the one who drives", () => {
  it("is offered for AoT loops, says what its hook allows, and only Claude Code has it", async () => {
    const host = startHost();
    await walkAot(host, "ready");
    await click(screen.getByRole("radio", { name: "The plugin in Claude Code" }));
    await screen.findByText(/approves Bash, Write, Edit/);
    await click(await screen.findByRole("radio", { name: "Codex" }));
    await submit();
    expect((await screen.findByTestId("wrong-driver")).textContent).toContain("Only Claude Code");
  });
});

describe("options of the rounds", () => {
  it("are worktrees for workers and a look at what is feasible", async () => {
    const host = startHost();
    await walkAot(host, "ready");
    await click(await screen.findByTestId("worktrees"));
    await pick("probes", "alternatives");
    await click(screen.getByRole("radio", { name: "The plugin in Claude Code" }));
    await waitFor(() => expect(screen.queryByTestId("worktrees")).toBeNull());
    await click(screen.getByRole("radio", { name: "Loopdeck" }));
    expect((await screen.findByTestId("worktrees")) as HTMLInputElement).toMatchObject({ checked: true });
    await submit();
    await waitFor(() =>
      expect(host.runs.started?.plan).toMatchObject({ worktrees: true, probes: "alternatives" }),
    );
  });
});
