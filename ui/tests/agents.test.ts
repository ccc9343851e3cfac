import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { CustomAgentForm, FormProblem } from "../src/host/bindings";
import { failure } from "../src/host/memory-list";
import { MemoryHost } from "../src/host/memory";
import { sampleAgents } from "../src/host/sample-agents";
import { agentForm, idFrom, typedOf, wrongFrom, wrongHere } from "../src/views/agents/own-agent";
import { checksOf } from "../src/views/agents/start-checks";
import { stateOf } from "../src/views/agents/states";
import { t } from "../src/words/language.svelte";
import { mountApp, needyHost, sampleHost } from "./mount";
import { choose, click, fill, press, send } from "./person";

const FULL: CustomAgentForm = {
  id: "house",
  name: "House",
  program: "/opt/house",
  args: ["--model", "{model}", "two words"],
  prompt_in_file: true,
  output: "codex-jsonl",
  look_only: [],
  edit_files: ["--apply", "{prompt_file}"],
  full_access: null,
  resume: ["--resume", "{session}"],
  version: ["--version"],
  environment: { A: "1=2", B: "" },
};

const problem = (field: string, code: string, value?: string): FormProblem => ({
  field,
  code,
  args: value === undefined ? {} : { value },
  blocks: true,
});

function agent(id: string): HTMLElement {
  const found = screen.getAllByTestId("agent").find((one) => one.dataset.agent === id);
  if (!found) throw new Error(`no agent ${id}`);
  return found;
}

describe("the form of one’s own agent", () => {
  it("gives back what it was given", () => {
    expect(agentForm(typedOf(FULL))).toEqual(FULL);
  });

  it("keeps a level without arguments apart from one that is not defined", () => {
    const typed = typedOf(FULL);
    typed.offers.look_only = false;
    typed.offers.full_access = true;
    expect(agentForm(typed)).toMatchObject({ look_only: null, full_access: [] });
  });

  it("tells problems at their fields, with the line as it is typed", () => {
    const typed = { ...typedOf(FULL), args: "--model\n\n{modell}" };
    const wrong = wrongFrom(
      [
        problem("args[1]", "unknown_placeholder", "{modell}"),
        problem("args", "prompt_file_unused"),
        problem("env", "bad_env_name", "LOOPDECK_X"),
        problem("version_args[0]", "bad_character"),
        problem("of_tomorrow", "quite_new"),
      ],
      typed,
    );
    expect(wrong).toEqual({
      args: "Line 3: There is no placeholder {modell}.",
      environment: "LOOPDECK_X isn’t a valid variable name, or Loopdeck sets it itself.",
      version: "Line 1: It contains a character that can’t be passed to a program.",
      program: "Not accepted (quite_new).",
    });
  });

  it("sees itself what the record could not tell", () => {
    const typed = { ...typedOf(FULL), environment: "A=1\nnonsense" };
    expect(wrongHere(typed, ["house"])).toEqual({
      environment: "Line 2 isn’t NAME=value.",
      id: "Another of your agents has this ID.",
    });
  });

  it("proposes an id", () => {
    expect(idFrom("  Café Reviewer 2! ")).toBe("cafe-reviewer-2");
    expect(idFrom("日本語")).toBe("");
  });

  it("is saved once nothing is wrong, and leads to what is", async () => {
    const host = needyHost();
    await mountApp(host);
    await click(screen.getByRole("button", { name: "Agents" }));
    await click(await screen.findByRole("button", { name: "Add an agent" }));
    await fill(await screen.findByRole("textbox", { name: "Name" }), "My Agent");
    await waitFor(() => expect((screen.getByTestId("own-id") as HTMLInputElement).value).toBe("my-agent"));
    await fill(screen.getByTestId("own-program"), "./agent");
    host.runs.problemsOf = () => [problem("program", "relative_program", "./agent")];
    const form = screen.getByTestId("own-program").closest("form")!;
    await send(form);
    await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId("own-program")));
    expect(form.textContent).toContain("Enter an absolute path, or a name without folders.");
    host.runs.problemsOf = () => [];
    await send(form);
    await waitFor(() => expect(screen.queryByTestId("own-agent-dialog")).toBeNull());
    await waitFor(() => expect(agent("custom:my-agent").textContent).toContain("My Agent"));
  });
});

describe("the page of agents", () => {
  async function open(host: MemoryHost): Promise<void> {
    await mountApp(host);
    await press("g");
    await press("a");
    await screen.findAllByTestId("agent");
  }

  it("says how each stands, in a word and a shape", async () => {
    await open(needyHost());
    const states = screen.getAllByTestId("agent-state").map((one) => one.textContent?.trim());
    expect(states).toEqual(["Ready", "Not signed in", "Too old", "Not found", "Ready", "Ready"]);
    expect(
      new Set(
        sampleAgents()
          .slice(0, 4)
          .map((row) => stateOf(row).shape),
      ).size,
    ).toBe(4);
    expect(within(agent("qwen")).getByTestId("fix").textContent).toContain(
      "npm install -g @qwen-code/qwen-code",
    );
    expect(agent("qwen").textContent).toContain("Places checked: 12");
  });

  it("looks again, and uses another program or what is found", async () => {
    const host = needyHost();
    host.runs.pickedProgram = "/opt/qwen/bin/qwen";
    await open(host);
    await click(screen.getByRole("button", { name: "Check again" }));
    await waitFor(() => expect(host.runs.asked).toContain("agents again"));
    await click(within(agent("qwen")).getByRole("button", { name: /^Choose program/ }));
    await waitFor(() => expect(agent("qwen").dataset.state).toBe("ready"));
    await click(within(agent("qwen")).getByRole("button", { name: /^Detect automatically/ }));
    await waitFor(() => expect(host.runs.asked).toContain("program qwen as found"));
    await waitFor(() =>
      expect(within(agent("qwen")).queryByRole("button", { name: /^Detect automatically/ })).toBeNull(),
    );
  });

  it("changes nothing when no program is chosen", async () => {
    const host = needyHost();
    await open(host);
    await click(within(agent("claude")).getByRole("button", { name: /^Choose program/ }));
    await waitFor(() => expect(host.runs.asked.some((one) => one.startsWith("program"))).toBe(false));
  });

  it("asks before it forgets an agent of one’s own", async () => {
    const host = needyHost();
    await open(host);
    await click(screen.getByRole("button", { name: "Remove House reviewer" }));
    expect(host.runs.asked).not.toContain("remove agent reviewer");
    await click(await screen.findByRole("button", { name: "Remove" }));
    await waitFor(() => expect(() => agent("custom:reviewer")).toThrow());
  });

  it("says what went wrong and keeps what it knew", async () => {
    const host = needyHost();
    await open(host);
    host.runs.failNext = failure("own_data", { reason: "no space" });
    await click(screen.getByRole("button", { name: "Check again" }));
    const page = screen.getByTestId("agents-page");
    await waitFor(() => expect(within(page).getByTestId("failure").textContent).toContain("no space"));
    expect(screen.getAllByTestId("agent")).toHaveLength(6);
  });
});

describe("before the first loop", () => {
  it("is said what is there and what is not", async () => {
    const host = new MemoryHost();
    host.runs.agentRows = sampleAgents().filter((row) => row.id === "codex" || row.id === "shell");
    await mountApp(host);
    const checks = await screen.findByTestId("start-checks");
    await waitFor(() => expect(checks.textContent).toContain("Codex is not signed in"));
    await click(within(checks).getByTestId("fix-agent"));
    await screen.findByTestId("agents-page");
  });

  it("is said that the shell alone is ready, as the count of agents says it", () => {
    const shell = sampleAgents().filter((row) => row.id === "shell");
    const [one] = checksOf(shell, null, 0);
    expect(one?.state).toBe("open");
    expect(one?.text).toContain(`Only ${shell[0]!.name} is ready`);
    expect(checksOf([], null, 0)[0]?.text).toBe(t.startChecks.agentNone);
  });

  it("knows git only by an open folder", () => {
    const states = (git: Parameters<typeof checksOf>[1]) => checksOf([], git, 1).map((one) => one.state);
    expect(states(null)).toEqual(["open", "unknown", "ok"]);
    expect(states({ folder: "~/a", branch: null })).toEqual(["open", "open", "ok"]);
    expect(states({ folder: "~/a", branch: "main" })).toEqual(["open", "ok", "ok"]);
    expect(checksOf(null, null, 0)[0]?.state).toBe("unknown");
    expect(checksOf([], null, 1)[1]?.text).toBe(t.startChecks.gitLater);
  });
});

describe("trust", () => {
  async function menuOf(name: string): Promise<void> {
    const folder = screen.getAllByTestId("workspace").find((one) => one.dataset.name === name)!;
    await click(folder.parentElement!.querySelector<HTMLElement>('[aria-haspopup="menu"]')!);
  }

  it("is given and taken in the list of folders, with the whole path", async () => {
    const host = sampleHost();
    await mountApp(host);
    await menuOf("billing-core");
    await click(await screen.findByTestId("menu-trust"));
    await waitFor(() => expect(host.runs.asked).toContain("trust /home/ana/code/billing-core true"));
    await waitFor(() => expect(screen.getByTestId("trusted-sign").textContent).toContain("trusted"));
    await menuOf("billing-core");
    await click(await screen.findByTestId("menu-trust"));
    await waitFor(() => expect(screen.queryByTestId("trusted-sign")).toBeNull());
  });

  it("in a folder above is none in this one", async () => {
    const host = sampleHost();
    host.runs.trustedFolders = ["/home/ana/code"];
    await mountApp(host);
    await menuOf("docs-site");
    const item = await screen.findByTestId("menu-trust");
    expect(item.textContent).toContain("Trust this folder");
    expect(screen.queryByTestId("trusted-sign")).toBeNull();
  });

  it("is revoked in the settings, and the focus stays there", async () => {
    const host = sampleHost();
    host.runs.trustedFolders = ["/home/ana/code/storefront", "/home/ana/code/docs-site"];
    await mountApp(host);
    await click(screen.getByRole("button", { name: "Settings" }));
    await waitFor(() => expect(screen.getAllByTestId("revoke")).toHaveLength(2));
    await click(screen.getAllByTestId("revoke")[0]!);
    await waitFor(() => expect(screen.getAllByTestId("trusted-folder")).toHaveLength(1));
    expect(host.runs.trustedFolders).toEqual(["/home/ana/code/docs-site"]);
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole("button", { name: "Revoke: ~/code/docs-site" })),
    );
    await click(screen.getByRole("button", { name: "Revoke: ~/code/docs-site" }));
    await screen.findByTestId("trusted-none");
  });
});

describe("notifications", () => {
  it("are switched kind by kind and remembered, the tray too", async () => {
    const host = sampleHost();
    await mountApp(host);
    await click(screen.getByRole("button", { name: "Settings" }));
    await click(await screen.findByRole("checkbox", { name: "A loop finished" }));
    await click(screen.getByRole("checkbox", { name: "Keep running in the tray when the window is closed" }));
    await waitFor(() =>
      expect(host.settings).toMatchObject({
        notify: { needs_you: true, failed: true, limit: true, finished: false },
        tray: false,
      }),
    );
  });

  it("that were kept are shown, and other choices do not lose them", async () => {
    const host = sampleHost();
    host.settings = { ...host.settings, ...{ notify: { limit: false }, tray: false } };
    await mountApp(host);
    await click(screen.getByRole("button", { name: "Settings" }));
    expect((await screen.findByTestId<HTMLInputElement>("set-notify-limit")).checked).toBe(false);
    await choose(screen.getByRole("combobox", { name: "Theme" }), "dark");
    await waitFor(() => expect(host.settings).toMatchObject({ notify: { limit: false }, tray: false }));
  });
});
