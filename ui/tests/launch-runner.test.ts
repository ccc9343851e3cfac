import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { LoopRow, RunPlan } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { violations } from "./axe";
import { keyOf, mountApp } from "./mount";
import { pick, startHost } from "./start-walk";
import { click, fill, send } from "./person";

const AOT = "Migrate sessions";
const CCW = "Type the pricing";
const PLAN: RunPlan = { agent: "claude", level: "edit_files" };
const SKILL: RunPlan = { ...PLAN, driver: { by: "skill", command: "" } };
const PAUSED: Partial<LoopRow> = {
  word: "paused",
  verbs: ["resume", "stop"],
  primary: "resume",
  limit: null,
};
const NO_MENU = /menu needs a terminal/;
const ALLOWS = /approves Bash, Write, Edit/;

/** The form that starts the agent of a loop, in a folder that is trusted; where the loop is at its limit, raised. */
async function opened(
  title: string,
  plan: RunPlan,
  row: Partial<LoopRow> = PAUSED,
): Promise<{ host: MemoryHost; key: string; dialog: HTMLElement }> {
  const host = startHost();
  const key = keyOf(host, title);
  const folder = host.runs.folderOf(key);
  host.runs.folders.set(folder, { ...host.runs.folders.get(folder)!, trusted: true });
  host.runs.planOf = async () => plan;
  host.write(key, row);
  host.open = key;
  await mountApp(host);
  await screen.findByRole("tabpanel", { name: "Overview" });
  await click(screen.getByTestId("verb-resume"));
  if (row.word === "limit_reached") await start(await screen.findByTestId("verb-dialog"));
  const dialog = await screen.findByTestId("start-view");
  // Then everything is known.
  await waitFor(() => expect(document.activeElement).toMatchObject({ type: "radio", checked: true }));
  return { host, key, dialog };
}

const start = (dialog: HTMLElement) => send(dialog.querySelector("form")!);
const radio = (dialog: HTMLElement, name: string) =>
  within(dialog).getByRole<HTMLInputElement>("radio", { name });
const group = (dialog: HTMLElement, name: string) => within(dialog).queryByRole("group", { name });
const launched = (host: MemoryHost) => host.runs.asked.filter((asked) => / claude /.test(asked));

/** What it was started with. */
async function planSent(host: MemoryHost, dialog: HTMLElement): Promise<RunPlan | null> {
  let sent: RunPlan | null = null;
  host.runs.launch = async (_key, plan) => {
    sent = plan;
  };
  await start(dialog);
  await waitFor(() => expect(screen.queryByTestId("start-view")).toBeNull());
  return sent;
}

describe("the new limit of a loop that is started again", () => {
  const atLimit = (count: number): Partial<LoopRow> => ({
    word: "limit_reached",
    limit: "iterations",
    verbs: ["stop"],
    primary: "resume",
    iteration: { current: count, limit: count },
  });
  const field = (dialog: HTMLElement) =>
    within(dialog).getByRole<HTMLInputElement>("spinbutton", { name: /^New iteration limit/ });

  it("goes beyond 100 for an AoT loop", async () => {
    const { host, key, dialog } = await opened(AOT, PLAN, atLimit(100));
    expect(field(dialog)).toMatchObject({ value: "105", min: "101", max: "10000" });
    await fill(field(dialog), "10001");
    await start(dialog);
    await waitFor(() => expect(field(dialog).getAttribute("aria-invalid")).toBe("true"));
    expect(launched(host)).toEqual([]);
    await fill(field(dialog), "101");
    await start(dialog);
    await waitFor(() => expect(launched(host)).toEqual([`launch ${key} claude 101`]));
  });

  it("ends at 100 for a CCW loop", async () => {
    const { host, dialog } = await opened(CCW, PLAN, atLimit(99));
    expect(field(dialog)).toMatchObject({ value: "100", min: "100", max: "100" });
    await fill(field(dialog), "101");
    await start(dialog);
    await waitFor(() => expect(field(dialog).getAttribute("aria-invalid")).toBe("true"));
    expect(launched(host)).toEqual([]);
  });
});

describe("the runner of a loop that exists", () => {
  it("can be the plugin of an AoT loop, which says what its hook allows", async () => {
    const { host, dialog } = await opened(AOT, PLAN);
    expect(radio(dialog, "Loopdeck").checked).toBe(true);
    expect(within(dialog).queryByText(ALLOWS)).toBeNull();
    within(dialog).getByRole("checkbox", { name: /Worktrees for parallel workers/ });
    await click(radio(dialog, "The plugin in Claude Code"));
    await within(dialog).findByText(ALLOWS);
    expect(within(dialog).queryByRole("checkbox", { name: /Worktrees for parallel workers/ })).toBeNull();
    expect(await violations(dialog)).toEqual([]);
    const command = within(dialog).getByRole("textbox", { name: /^Slash command/ });
    await fill(command, "/mine {file}");
    await click(radio(dialog, "Loopdeck"));
    await waitFor(() =>
      expect(within(dialog).queryByText(ALLOWS), "nothing is said of a plugin that is not run").toBeNull(),
    );
    await click(radio(dialog, "The plugin in Claude Code"));
    const plan = await planSent(host, dialog);
    expect(plan?.driver).toEqual({ by: "skill", command: "/mine {file}" });
  });

  it("says what the hook of a saved plugin allows, before anything is touched", async () => {
    const { dialog } = await opened(AOT, SKILL);
    expect(radio(dialog, "The plugin in Claude Code").checked).toBe(true);
    expect(within(dialog).getByTestId<HTMLDetailsElement>("expert").open).toBe(true);
    await within(dialog).findByText(ALLOWS);
  });

  it("is not started where another agent has no plugin: that is said, and the keys are there", async () => {
    const { host, dialog } = await opened(AOT, { ...SKILL, agent: "codex" });
    await start(dialog);
    await within(group(dialog, "Runner")!).findByText(/Only Claude Code has the plugin/);
    await waitFor(() => expect(document.activeElement).toBe(radio(dialog, "The plugin in Claude Code")));
    expect(host.runs.asked.filter((asked) => asked.includes(" codex "))).toEqual([]);
  });

  it("is not the plugin in a clean run, which can be switched off", async () => {
    const { host, dialog } = await opened(AOT, { ...SKILL, clean: true });
    await start(dialog);
    await within(dialog).findByText(/A clean run leaves out plugins/);
    const clean = within(dialog).getByRole("checkbox", { name: /^Clean run/ });
    await waitFor(() => expect(document.activeElement).toBe(clean));
    await click(clean);
    expect(await planSent(host, dialog)).toMatchObject({ clean: false, driver: { by: "skill" } });
  });

  it("can be the skill of a CCW loop, which runs the tests itself", async () => {
    const { host, dialog } = await opened(CCW, PLAN);
    expect(group(dialog, "How are the tests run?")).not.toBeNull();
    await click(radio(dialog, "The agent’s own CCW skill"));
    expect(group(dialog, "How are the tests run?")).toBeNull();
    expect(within(dialog).queryByText(ALLOWS)).toBeNull();
    expect((await planSent(host, dialog))?.driver).toEqual({ by: "skill", command: "" });
  });

  it("asks for no test command of an AoT loop, which has checks", async () => {
    const { host, dialog } = await opened(AOT, PLAN);
    expect(radio(dialog, "Loopdeck").checked).toBe(true);
    expect(group(dialog, "How are the tests run?")).toBeNull();
    const note = await within(group(dialog, "Permissions")!).findByText(/the agent can’t run tests/);
    expect(note.textContent).toContain("Loopdeck runs them");
    const facts = await host.runs.folderFacts(host.runs.folderOf(keyOf(host, AOT)));
    expect(facts.tests.length, "there would be one to propose").toBeGreaterThan(0);
    expect((await planSent(host, dialog))?.test_command).toBe("");
  });
});

describe("the skill of an interactive loop", () => {
  const said = (dialog: HTMLElement) => within(dialog).queryByText(NO_MENU) !== null;

  it("runs in auto mode, and says so as soon as it is chosen", async () => {
    const { dialog } = await opened(CCW, PLAN, { ...PAUSED, mode: "Interactive" });
    expect(said(dialog), "Loopdeck has the menu").toBe(false);
    await click(radio(dialog, "The agent’s own CCW skill"));
    expect(within(group(dialog, "Runner")!).getByText(NO_MENU).textContent).toContain("in auto mode");
    await click(radio(dialog, "Loopdeck"));
    expect(said(dialog)).toBe(false);
  });

  it.each<[string, string, RunPlan, string | null, boolean]>([
    ["a loop in auto mode", CCW, SKILL, "auto", false],
    ["a loop whose first action would write the mode", CCW, { ...SKILL, mode: "interactive" }, null, true],
    [
      "a loop that was begun as interactive and is not",
      CCW,
      { ...SKILL, mode: "interactive" },
      "auto",
      false,
    ],
    ["an interactive Loop-B", "Translate the guides", SKILL, "interactive", true],
    ["an AoT loop, which has no modes", AOT, { ...SKILL, mode: "interactive" }, null, false],
  ])("is told of %s only where it has a menu", async (_, title, plan, mode, expected) => {
    const { dialog } = await opened(title, plan, { ...PAUSED, mode });
    expect(group(dialog, "Runner")).not.toBeNull();
    expect(said(dialog)).toBe(expected);
  });
});

describe("who chooses the next action of a loop that another tool created", () => {
  const NEW: Partial<LoopRow> = { ...PAUSED, mode: null, phase: { kind: "not_initialised" } };
  const LABEL = "Who chooses the next action?";
  const choice = (dialog: HTMLElement) =>
    within(dialog).queryByRole<HTMLSelectElement>("combobox", { name: LABEL });

  it("is chosen before its first action", async () => {
    const { host, dialog } = await opened(CCW, PLAN, NEW);
    expect(choice(dialog)?.value).toBe("auto");
    expect(
      within(dialog).queryByRole("option", { name: /in parallel/ }),
      "a Loop v2 has no workers",
    ).toBeNull();
    expect(await violations(dialog)).toEqual([]);
    await pick("launch-mode", "interactive");
    await click(radio(dialog, "The agent’s own CCW skill"));
    expect(choice(dialog), "a skill has no menu").toBeNull();
    within(group(dialog, "Runner")!).getByText(NO_MENU);
    await click(radio(dialog, "Loopdeck"));
    expect(choice(dialog)?.value).toBe("interactive");
    expect((await planSent(host, dialog))?.mode).toBe("interactive");
  });

  it("begins with what was saved for it", async () => {
    const { dialog } = await opened(CCW, { ...PLAN, mode: "interactive" }, NEW);
    expect(choice(dialog)?.value).toBe("interactive");
  });

  it.each<[string, string, Partial<LoopRow>]>([
    ["a loop whose file says it", CCW, { ...NEW, mode: "auto" }],
    [
      "a loop that is initialised, where it would have no effect",
      CCW,
      { ...NEW, phase: { kind: "complete" } },
    ],
    ["a Loop-B, which is created with it", "Translate the guides", NEW],
    ["an AoT loop", AOT, NEW],
  ])("is not asked of %s", async (_, title, row) => {
    const { dialog } = await opened(title, PLAN, row);
    expect(group(dialog, "Runner")).not.toBeNull();
    expect(choice(dialog)).toBeNull();
  });
});
