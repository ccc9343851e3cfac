import { fireEvent, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { Need } from "../src/host/bindings";
import { sampleNeeds } from "../src/host/sample-needs";
import { toolOptions } from "../src/views/steps/options";
import { sampleAgents } from "../src/host/sample-agents";
import { allowToolText, goOnText } from "../src/words/answer-phrases";
import { headline } from "../src/words/need-phrases";
import { NOW, sampleHost } from "./mount";
import {
  chooseFolder,
  GOAL,
  next,
  openForm,
  startHost,
  submit,
  type,
  walk,
  pick as choose,
} from "./start-walk";
import { click } from "./person";

const chosen = (testid: string) => (screen.getByTestId(testid) as HTMLSelectElement).value;
const pick = (testid: string, value: string) =>
  fireEvent.change(screen.getByTestId(testid), { target: { value } });

describe("the tool and mode of tasks in the start form", () => {
  it("are chosen beside the text, and the agents that tasks may use on the page of agents", async () => {
    const host = startHost();
    await openForm(host);
    await type("goal", GOAL);
    await click(screen.getByRole("button", { name: "Add a task" }));
    await type("task-1", "Look at it");
    expect([chosen("task-1-tool"), chosen("task-1-mode")]).toEqual(["", "write"]);
    await within(screen.getByRole("combobox", { name: "Agent for task 1" })).findByRole("option", {
      name: "Codex",
      hidden: true,
    });
    await pick("task-1-tool", "codex");
    expect(chosen("task-1-tool")).toBe("codex");
    await pick("task-1-mode", "analysis");
    expect(chosen("task-1-tool")).toBe("codex");
    await click(screen.getByRole("button", { name: "Add a task" }));
    await type("task-2", "Mend it");
    await chooseFolder();
    await next("run");
    await click(await screen.findByRole("radio", { name: "Edit files" }));
    expect(screen.queryByTestId("further-level-codex")).toBeNull();
    await click(screen.getByRole("checkbox", { name: "Codex" }));
    expect(chosen("further-level-codex")).toBe("edit_files");
    const levels = within(
      screen.getByRole("combobox", { name: "Maximum permissions of Codex" }),
    ).getAllByRole("option", { hidden: true });
    expect(levels.map((one) => (one as HTMLOptionElement).value)).toEqual(["look_only", "edit_files"]);
    await pick("further-level-codex", "look_only");
    await screen.findByTestId("command-line");
    await submit();
    await waitFor(() => expect(host.runs.asked).toContain(`start ${GOAL}`));
    expect(host.runs.started).toMatchObject({
      work: {
        tasks: [
          { description: "Look at it", tool: "codex", mode: "analysis" },
          { description: "Mend it", tool: "", mode: "" },
        ],
      },
      plan: { agent: "claude", further: [{ agent: "codex", level: "look_only" }] },
    });
  });

  it("are not offered where tasks do not choose, and the shell asks for its command", async () => {
    await walk(startHost(), "run");
    expect(screen.queryByTestId("further")).not.toBeNull();
    await click(screen.getByRole("checkbox", { name: "Your own command" }));
    expect(screen.queryByTestId("further-level-shell")).toBeNull();
    await type("shell-command", "sh do.sh");
    await choose("start-format", "aot");
    await waitFor(() => expect(screen.queryByTestId("further")).toBeNull());
    await choose("start-format", "loop_b");
    await waitFor(() => expect(screen.queryByTestId("page-atoms")).toBeNull());
    await click(screen.getByRole("button", { name: "Back" }));
    await screen.findByRole("textbox", { name: "What should be done?" });
    await click(screen.getByRole("button", { name: "Add a task" }));
    expect(screen.queryByTestId("task-1-tool")).toBeNull();
  });
});

describe("tools that a form offers", () => {
  it("are the agents that can be used, each once", () => {
    const agents = sampleAgents();
    const words = toolOptions([...agents, ...agents]).map(([word]) => word);
    const usable = agents.filter(({ readiness }) => readiness !== "unusable").map(({ tool }) => tool);
    expect(words).toEqual(usable);
    expect(words).toContain("bash");
  });
});

describe("a question about the tool of a task", () => {
  const question = (code: string): Need => ({
    ...sampleNeeds(sampleHost().rows(), NOW).find((need) => need.kind === "question")!,
    args: { question: code, about: "task-003", tool: "codex", instead: "Claude Code", count: "0" },
  });

  it.each([
    [
      "tool_missing",
      "Task task-003 names the agent codex, which isn’t installed.",
      "Allow codex and try again",
    ],
    [
      "tool_not_allowed",
      "Task task-003 names the agent codex, which isn’t allowed in this loop.",
      "Allow codex in this loop",
    ],
    ["tool_has_no_level", "Task task-003 is read-only, and codex has no read-only level.", null],
    ["tool_has_no_command", "Task task-003 is for the shell, and this loop has no shell command.", null],
  ] as const)("%s says what is asked and what each answer does", (code, sentence, allow) => {
    const need = question(code);
    expect(headline(need)).toBe(sentence);
    expect(goOnText(need)).toBe("Use Claude Code instead");
    if (allow) expect(allowToolText(need)).toBe(allow);
  });
});
