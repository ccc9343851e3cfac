import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import { SAMPLE_WORKSPACES, type MemoryHost } from "../src/host/memory";
import { keyOf, mountApp } from "./mount";
import { focused, startHost } from "./start-walk";
import { click, hover, press, send } from "./person";

describe("the agent of a loop that exists", () => {
  async function resume(host: MemoryHost): Promise<void> {
    host.open = keyOf(host, "Type the pricing");
    await mountApp(host);
    await screen.findByRole("tabpanel", { name: "Overview" });
    await click(screen.getByTestId("verb-resume"));
  }

  it("is said beforehand to go on in its conversation", async () => {
    const host = startHost();
    host.runs.launchNotes = ["goes_on"];
    await resume(host);
    await screen.findByTestId("start-view");
    const notes = await screen.findByRole("region", { name: "About Claude Code" });
    expect(notes.querySelector('[data-note="goes_on"]')?.textContent).toContain(
      "continues the conversation in which this action was cut off",
    );
  });

  it("is chosen the first time, in a folder that is trusted first", async () => {
    const host = startHost();
    await resume(host);
    const dialog = await screen.findByTestId("start-view");
    await screen.findByRole("region", { name: "Do you trust this folder?" });
    await waitFor(() => expect(focused()).toBe("trust"));
    await send(dialog.querySelector("form")!);
    await waitFor(() => expect(focused()).toBe("trust"));
    await click(screen.getByRole("button", { name: "Trust this folder" }));
    await waitFor(() => expect(screen.queryByTestId("trust-card")).toBeNull());
    await click(screen.getByRole("radio", { name: "Edit files" }));
    await send(dialog.querySelector("form")!);
    await waitFor(() => expect(screen.queryByTestId("start-view")).toBeNull());
    const key = keyOf(host, "Type the pricing");
    expect(host.runs.asked).toContain(`launch ${key} claude same limit`);
    expect(await host.runs.planOf(key)).toMatchObject({
      level: "edit_files",
      test_command: "cargo nextest run",
    });
  });

  it("starts by what is chosen now, not by what was looked through before", async () => {
    const host = startHost();
    const { folder } = await host.runs.formOf(keyOf(host, "Type the pricing"));
    await host.runs.trust(folder, true);
    await resume(host);
    const dialog = await screen.findByTestId("start-view");
    const form = dialog.querySelector("form")!;
    await screen.findByRole("radio", { name: "Edit files" });
    await send(form);
    await waitFor(() => expect(focused()).toBe("level-look_only"));

    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    const review = host.runs.reviewLaunch.bind(host.runs);
    const asked = vi.spyOn(host.runs, "reviewLaunch").mockImplementationOnce(async (key, plan) => {
      const before = await review(key, plan);
      await held;
      return before;
    });
    await click(screen.getByRole("radio", { name: "Codex" }));
    await waitFor(() => expect(asked).toHaveBeenCalled());
    await click(screen.getByRole("radio", { name: "Edit files" }));
    await send(form);
    answer();
    await waitFor(() => expect(screen.queryByTestId("start-view")).toBeNull());
  });

  it("opens at its top: nothing is scrolled away, the keys are at the first choice", async () => {
    const host = startHost();
    const { folder } = await host.runs.formOf(keyOf(host, "Type the pricing"));
    await host.runs.trust(folder, true);
    const shown = vi.fn();
    Element.prototype.scrollIntoView = shown;
    const focus = vi.spyOn(HTMLElement.prototype, "focus");
    await resume(host);
    await screen.findByTestId("start-view");
    await waitFor(() => expect(focused()).toBe("agent-claude"));
    expect(focus.mock.calls.at(-1)).toEqual([{ preventScroll: true }]);
    expect(shown).not.toHaveBeenCalled();
    // A field that has to be fixed is brought into view, wherever it is.
    await send(screen.getByTestId("start-view").querySelector("form")!);
    await waitFor(() => expect(focused()).toBe("level-look_only"));
    expect(shown).toHaveBeenCalled();
    focus.mockRestore();
  });

  it("starts with one click once it is known how", async () => {
    const host = startHost();
    const key = keyOf(host, "Type the pricing");
    await host.runs.launch(key, { agent: "shell", shell_command: "sh agent.sh" }, null);
    host.settle();
    host.write(key, { word: "paused", verbs: ["resume", "stop"], primary: "resume", request: null });
    await resume(host);
    await waitFor(() => expect(host.runs.asked).toContain(`launch ${key} as before same limit`));
    expect(screen.queryByTestId("start-view")).toBeNull();
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

  it("starts with one click in the sample, which brings its plan", async () => {
    const host = startHost();
    const key = keyOf(host, "Type the pricing");
    const sample = { agent: "shell", shell_command: "sh agent.sh", test_command: "sh test.sh" };
    host.runs.planOf = async () => sample;
    host.fill(
      host.rows(),
      SAMPLE_WORKSPACES.map((one) => ({ ...one, sample: true })),
    );
    host.open = key;
    await mountApp(host);
    const button = await screen.findByTestId("verb-resume");
    await hover(button);
    const says = "Runs your command for each action: sh agent.sh. Tests: sh test.sh.";
    await waitFor(() =>
      expect(document.getElementById(button.getAttribute("aria-describedby")!)?.textContent).toContain(says),
    );
    await click(button);
    await waitFor(() => expect(host.runs.asked).toContain(`launch ${key} shell same limit`));
    expect(screen.queryByTestId("start-view")).toBeNull();
  });

  it("shows a known plan that did not start, which starts with one press", async () => {
    const host = startHost();
    const key = keyOf(host, "Type the pricing");
    const { folder } = await host.runs.formOf(key);
    await host.runs.trust(folder, true);
    const plan = { agent: "claude", level: "edit_files", test_command: "npm test", minutes: 30 } as const;
    await host.runs.launch(key, plan, null);
    host.settle();
    host.write(key, { word: "paused", verbs: ["resume", "stop"], primary: "resume", request: null });
    host.runs.failNextLaunch = { kind: "untrusted", args: {}, refusal: null };
    await resume(host);
    const form = await screen.findByRole("region", { name: "Resume: Type the pricing rules" });
    expect(await within(form).findByRole("radio", { name: "Claude Code", checked: true })).toBeTruthy();
    expect(within(form).getByRole("radio", { name: "Edit files", checked: true })).toBeTruthy();
    expect(screen.getByTestId<HTMLInputElement>("limit-minutes").value).toBe("30");
    await click(screen.getByTestId("start-next"));
    await waitFor(() => expect(screen.queryByTestId("start-view")).toBeNull());
    expect(host.runs.asked).toContain(`launch ${key} claude same limit`);
    await screen.findByRole("tabpanel", { name: "Overview" });
  });

  it("is left with Escape, to where the person came from, and nothing is started", async () => {
    const host = startHost();
    await resume(host);
    await waitFor(() => expect(focused()).toBe("trust"));
    await press("{Escape}", screen.getByTestId("trust"));
    await screen.findByRole("tabpanel", { name: "Overview" });
    expect(await host.runs.draft()).toBeNull();
    expect(host.runs.asked.filter((one) => one.includes(" claude "))).toEqual([]);
  });

  it("names agents that are not installed in one line, and how to get them on demand", async () => {
    const host = startHost();
    await resume(host);
    const dialog = within(await screen.findByTestId("start-view"));
    const line = await dialog.findByText(/^Not installed: /);
    const missing = host.runs.agentRows.filter((one) => one.state === "missing");
    expect(missing.length).toBeGreaterThan(0);
    for (const { id, name } of missing) {
      expect(line.textContent).toContain(name);
      expect(dialog.queryByTestId(`agent-${id}`)).toBeNull();
    }
    const details = line.closest("details")!;
    expect(details.open).toBe(false);
    expect(details.textContent).toContain(missing[0]!.fix!);
  });

  it("opens the form where an agent is gone, and says so", async () => {
    const host = startHost();
    host.runs.failNextLaunch = { kind: "no_agent", args: { agent: "Qwen Code" }, refusal: null };
    await resume(host);
    const dialog = await screen.findByTestId("start-view");
    expect(dialog.textContent).toContain("Qwen Code was not found on this computer.");
  });

  it("is not started where it is refused: that is said beside the loop", async () => {
    const host = startHost();
    host.runs.failNextLaunch = { kind: "contended", args: { path: "x" }, refusal: null };
    await resume(host);
    expect((await screen.findByTestId("failure")).dataset.kind).toBe("contended");
    expect(screen.queryByTestId("start-view")).toBeNull();
  });

  it("asks before an ended loop is started again", async () => {
    const host = startHost();
    host.open = keyOf(host, "Upgrade the build");
    await mountApp(host);
    await screen.findByRole("tabpanel", { name: "Overview" });
    await click(screen.getByTestId("verb-reopen"));
    const dialog = await screen.findByRole("dialog", { name: "Reopen “Upgrade the build to Node 22”?" });
    expect(dialog.textContent).toContain("Starts the agent at iteration");
    await send(dialog.querySelector("form")!);
    await screen.findByTestId("start-view");
    expect(screen.queryByTestId("verb-dialog")).toBeNull();
  });
});
