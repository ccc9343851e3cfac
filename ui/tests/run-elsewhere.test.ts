import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { BaseCase, Role, RunPlaces, StartForm, Target } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { failure } from "../src/host/memory-list";
import { sampleAgents } from "../src/host/sample-agents";
import { samplePlaces } from "../src/host/sample-jobs";
import { sampleTeam } from "../src/host/sample-team";
import { RunOn } from "../src/state/run-on.svelte";
import {
  agentsThere,
  awayProblems,
  holdsElsewhere,
  machinesOf,
  offeredBy,
} from "../src/views/start/elsewhere";
import { beginForm } from "../src/views/start/form";
import { placeText, problemSentence } from "../src/views/start/sentences";
import { violations } from "./axe";
import { NOW, sampleHost } from "./mount";
import { click, fill, press } from "./person";
import { chooseFolder, focused, GOAL, next, page, startHost, submit, type, walk } from "./start-walk";

const TOWER = { member: "ada", machine: "tower" };
const BUILD = { member: "ben", machine: "build-1" };
const ON_TOWER: Target = { kind: "machine", seat: TOWER };
const ANY: Target = { kind: "any", memory_gb: 0 };

/** A host of the start form whose machine is in a team. */
function sendingHost(role: Role = "lead", places: RunPlaces = samplePlaces()): MemoryHost {
  const host = startHost();
  const team = sampleTeam(NOW);
  host.inTeam.page = { ...team, team: { ...team.team!, role }, jobs: [] };
  host.inTeam.placesOf = () => structuredClone(places);
  return host;
}

/** At the page of the folder, which is chosen. */
async function chooseWhere(host: MemoryHost): Promise<void> {
  await walk(host, "work");
  await chooseFolder();
}

const runOn = async (where: string) => click(await screen.findByTestId(where));
const said = (testid: string) => screen.getByTestId(testid).textContent!.replace(/\s+/g, " ").trim();
const cardOf = (testid: string) => screen.getByTestId(testid).closest("label")!.textContent!;
const sends = (host: MemoryHost) => host.asked.filter((one) => one.startsWith("send"));

describe("where a loop runs", () => {
  it.each(["member", "lead"] as const)("is asked of a %s", async (role) => {
    await chooseWhere(sendingHost(role));
    const part = await screen.findByTestId("run-on");
    expect(within(part).getAllByRole("radio")).toHaveLength(4);
    await waitFor(() => expect(cardOf("run-any")).toContain("Machines that offer this repository: 2."));
    expect(cardOf("run-on-ada.tower")).toMatch(
      /tower of ada.*Reachable.*Claude Code, Codex · 3 of 4 slots free · 64 GB/s,
    );
    expect(cardOf("run-on-ben.build-1")).toMatch(/build-1 of ben.*Not reachable.*Codex · 16 GB/s);
    expect(screen.getByTestId<HTMLInputElement>("run-here").checked).toBe(true);
  });

  it("can be chosen by everybody", async () => {
    await chooseWhere(sendingHost());
    await screen.findByTestId("run-on-ada.tower");
    expect(await violations(screen.getByTestId("start-view"))).toEqual([]);
  });

  it.each(["viewer", "node", "operator"] as const)("is not asked of a %s", async (role) => {
    await chooseWhere(sendingHost(role));
    await screen.findByTestId("folder-facts");
    expect(screen.queryByTestId("run-on")).toBeNull();
  });

  it("is not asked of a folder that is not trusted, and nothing about it is asked", async () => {
    const asked: string[] = [];
    const host = sendingHost();
    host.inTeam.placesOf = (folder) => (asked.push(folder), samplePlaces());
    await walk(host, "work");
    await click(screen.getAllByTestId("folder")[1]!);
    await screen.findByText("Do you trust this folder?");
    expect(screen.queryByTestId("run-on")).toBeNull();
    expect(asked).toEqual([]);
  });

  it("is not asked of a machine in no team", async () => {
    await chooseWhere(startHost());
    await screen.findByTestId("folder-facts");
    expect(screen.queryByTestId("run-on")).toBeNull();
  });

  it("says why no other machine can", async () => {
    await chooseWhere(sendingHost("lead", { is_repository: true, uncommitted: 0, machines: [] }));
    await waitFor(() =>
      expect(cardOf("run-any")).toContain("No machine of the team offers this repository to you."),
    );
    expect(screen.getByTestId<HTMLInputElement>("run-any").disabled).toBe(true);
  });

  it("says that a folder outside of a repository stays here", async () => {
    await chooseWhere(sendingHost("lead", { is_repository: false, uncommitted: 0, machines: [] }));
    await waitFor(() => expect(cardOf("run-any")).toContain("Only a folder in a git repository"));
  });

  it("says why machines are not known", async () => {
    const host = sendingHost();
    host.runPlaces = () => Promise.reject(failure("not_in_team"));
    await chooseWhere(host);
    const part = await screen.findByTestId("run-on");
    expect((await within(part).findByRole("alert")).textContent).toContain("team");
  });

  it("shows many machines only on demand, and the chosen one always", async () => {
    const [place] = samplePlaces().machines;
    const machines = Array.from({ length: 30 }, (_, index) => ({
      ...place!,
      seat: { member: "ada", machine: `m${String(index).padStart(2, "0")}` },
    }));
    await chooseWhere(sendingHost("lead", { ...samplePlaces(), machines }));
    const cards = () => within(screen.getByTestId("run-on")).getAllByRole("radio").length;
    await waitFor(() => expect(cards()).toBe(10));
    await click(screen.getByRole("button", { name: "Show 22 more" }));
    expect(cards()).toBe(32);
    await runOn("run-on-ada.m29");
    expect(screen.getByTestId<HTMLInputElement>("run-on-ada.m29").checked).toBe(true);
  });
});

describe("a run on another machine", () => {
  it("says what leaves, and is sent with what that machine allows", async () => {
    const host = sendingHost();
    await chooseWhere(host);
    expect(screen.queryByTestId("what-leaves")).toBeNull();
    await runOn("run-on-ada.tower");
    const leaves = said("what-leaves");
    for (const sentence of [
      "The checked-out commit, and earlier ones that the machine doesn’t have.",
      "Uncommitted files that stay here: 3.",
      "Members and nodes of the team can read it.",
      "If tower of ada is gone, the run stays interrupted.",
    ])
      expect(leaves).toContain(sentence);
    expect(screen.queryByRole("group", { name: "If the machine is gone" })).toBeNull();
    await next("run");
    expect(screen.queryByTestId("work-here")).toBeNull();
    const agents = screen.getAllByRole("radio").map((one) => one.dataset.testid);
    expect(agents).toContain("agent-claude");
    expect(agents).toContain("agent-codex");
    expect(agents.filter((one) => one?.startsWith("agent-"))).toHaveLength(2);
    expect(screen.getByTestId<HTMLInputElement>("level-full_access").disabled).toBe(true);
    expect(cardOf("level-full_access")).toContain("Not allowed there.");
    // The folder's own first command is not allowed there, its second one is.
    expect(screen.getByTestId<HTMLInputElement>("test-0").checked).toBe(true);
    expect(cardOf("test-0")).toContain("npm test");
    expect(screen.queryByTestId("test-other")).toBeNull();
    await click(screen.getByTestId("level-edit_files"));
    expect(said("what-leaves")).toContain("Run on: tower of ada");
    expect(screen.queryByTestId("command-line")).toBeNull();
    expect(screen.queryByRole("checkbox", { name: "Continue after Loopdeck restarts" })).toBeNull();
    expect(await violations(screen.getByTestId("start-view"))).toEqual([]);
    expect(screen.getByTestId("start-next").textContent?.trim()).toBe("Send");
    await submit();
    const run = await screen.findByTestId("sent-run");
    expect(run.textContent).toContain(GOAL);
    expect(run.textContent).toContain("Waiting for tower of ada");
    expect(sends(host)).toEqual(["send to ada.tower interrupt"]);
    expect(host.inTeam.sent).toMatchObject({
      folder: "/home/ana/code/storefront",
      plan: { agent: "claude", level: "edit_files", test_command: "npm test" },
    });
    expect(host.runs.started).toBeNull();
    expect(await host.runs.draft()).toBeNull();
    expect(screen.getByText("Run sent.")).toBeTruthy();
  });

  it("goes to any machine that is large enough, and says what happens when that is gone", async () => {
    const host = sendingHost();
    await chooseWhere(host);
    await runOn("run-any");
    expect(screen.getByTestId<HTMLInputElement>("if-gone-continue").checked).toBe(true);
    await fill(screen.getByTestId("run-memory"), "128");
    await submit();
    await screen.findByText("No machine has that much memory. The largest has 64 GB.");
    expect(page()).toBe("work");
    await fill(screen.getByTestId("run-memory"), "32");
    await click(screen.getByTestId("if-gone-interrupt"));
    expect(await violations(screen.getByTestId("start-view"))).toEqual([]);
    await next("run");
    expect(said("what-leaves")).toContain("Any machine with the agent · 32 GB");
    await click(screen.getByTestId("level-edit_files"));
    await submit();
    const run = await screen.findByTestId("sent-run");
    expect(run.textContent).toContain("To any machine with Claude Code · 32 GB");
    expect(sends(host)).toEqual(["send to any 32 interrupt"]);
  });

  it("is kept until there is a connection", async () => {
    const host = sendingHost();
    host.inTeam.page.team!.connection = { kind: "lost", since: NOW, failure: null };
    await chooseWhere(host);
    await runOn("run-any");
    await next("run");
    await click(screen.getByTestId("level-edit_files"));
    await submit();
    const run = await screen.findByTestId("sent-run");
    expect(run.textContent).toContain("Waiting for a connection");
    expect(screen.getByText("The run is sent as soon as there is a connection.")).toBeTruthy();
    expect(sends(host)).toEqual(["send to any 0 continue"]);
  });

  it("is said to be impossible before it is sent, where the mistake is", async () => {
    await chooseWhere(sendingHost());
    await next("run");
    await click(await screen.findByTestId("level-full_access"));
    await click(screen.getByTestId("test-other"));
    await fill(screen.getByTestId("test-command"), "make");
    await click(screen.getByTestId("start-back"));
    await runOn("run-on-ada.tower");
    await next("run");
    expect(said("wrong-level")).toBe("tower of ada allows at most “Edit files”.");
    expect(said("wrong-test_command")).toContain("tower of ada doesn’t allow this test command.");
    await submit();
    await waitFor(() => expect(focused()).toBe("level-full_access"));
    expect(page()).toBe("run");
    await click(screen.getByTestId("level-edit_files"));
    await click(screen.getByTestId("test-0"));
    expect(screen.queryByTestId("wrong-level")).toBeNull();
    expect(screen.queryByTestId("test-other")).toBeNull();
    expect(screen.queryByTestId("to-fix")).toBeNull();
  });

  it("needs an agent that is offered there, and Loopdeck as the runner", async () => {
    await chooseWhere(sendingHost());
    await runOn("run-on-ben.build-1");
    expect(said("run-on-note")).toBe("build-1 of ben isn’t reachable now. The run waits until it is.");
    await next("run");
    expect(said("wrong-agent")).toContain("build-1 of ben doesn’t offer Claude Code.");
    await click(screen.getByTestId("agent-codex"));
    expect(screen.queryByTestId("wrong-agent")).toBeNull();
    screen.getByTestId<HTMLDetailsElement>("expert").open = true;
    await click(screen.getByTestId("driver-skill"));
    await screen.findByText("On another machine, only Loopdeck can be the runner.");
    await click(screen.getByTestId("driver-loopdeck"));
    await fill(screen.getByTestId("extra-args"), "--verbose");
    await screen.findByText(/More arguments can’t be sent to another machine/);
  });

  it("stays in the form with the reason when it cannot be sent", async () => {
    const host = sendingHost();
    await chooseWhere(host);
    await runOn("run-any");
    await next("run");
    await click(screen.getByTestId("level-edit_files"));
    host.failNext = failure("run_too_large");
    await submit();
    const note = await screen.findByTestId("failure");
    expect(note.textContent).toContain("The run is too large to be sent.");
    expect(page()).toBe("run");
    await submit();
    await screen.findByTestId("sent-run");
  });

  it("keeps its machine with an unfinished form, and in no other", async () => {
    const host = sendingHost();
    await chooseWhere(host);
    await runOn("run-on-ada.tower");
    await press("{Escape}");
    await waitFor(async () => expect(await host.runs.draft()).not.toBeNull());
    await click(await screen.findByTestId("start-loop"));
    await waitFor(() => expect(screen.getByTestId<HTMLInputElement>("run-on-ada.tower").checked).toBe(true));
    await click(screen.getByTestId("undo-fill"));
    await type("goal", GOAL);
    await chooseFolder();
    expect((await screen.findByTestId<HTMLInputElement>("run-here")).checked).toBe(true);
  });

  it("follows what the team tells of its machines", async () => {
    const host = sendingHost();
    await chooseWhere(host);
    await runOn("run-on-ada.tower");
    host.inTeam.placesOf = () => ({ ...samplePlaces(), machines: samplePlaces().machines.slice(1) });
    host.push({ kind: "team" });
    await screen.findByText("tower of ada no longer offers this repository to you. Choose another machine.");
    await submit();
    expect(page()).toBe("work");
    await click(screen.getByTestId("run-here"));
    await next("run");
  });
});

/** A form that tower takes as it is. */
function goodForm(patch: Partial<StartForm["plan"]> = {}, base_case: BaseCase | null = null): StartForm {
  const form = beginForm({ agent: "codex", level: "edit_files" }, "/x");
  return {
    ...form,
    work: { ...form.work, base_case },
    plan: { ...form.plan, test_command: "npm test", ...patch },
  };
}

function problems(
  form: StartForm,
  target: Target,
  places: RunPlaces | null = samplePlaces(),
  memoryIsValid = true,
): string[] {
  const found = awayProblems(form, { target, places, memoryIsValid }, (id) => id.toUpperCase());
  for (const one of found) expect(problemSentence(one), one.code).not.toContain("…");
  for (const one of found) expect(problemSentence(one)).not.toContain("isn’t valid:");
  return found.map(({ field, code, blocks }) => `${blocks ? "!" : ""}${field} ${code}`);
}

describe("what a machine does not allow", () => {
  const command = (value: string): BaseCase => ({
    shape: "checklist",
    of: [
      {
        item: "a",
        part: {
          part: "any_of",
          of: [{ item: "b", part: { part: "check", of: { kind: "not_command", value } } }],
        },
      },
      { item: "c", part: { part: "check", of: { kind: "file", value: "not a command" } } },
    ],
  });

  it.each<[string, StartForm, Target, string[]]>([
    ["nothing", goodForm(), ON_TOWER, []],
    ["nothing of any", goodForm(), ANY, []],
    ["an agent", goodForm({ agent: "gemini" }), ON_TOWER, ["!agent not_offered"]],
    ["an agent anywhere", goodForm({ agent: "gemini" }), ANY, ["!agent not_offered"]],
    ["its own command", goodForm({ agent: "shell", shell_command: "x" }), ON_TOWER, ["!agent needs_agent"]],
    [
      "a further agent",
      goodForm({ further: [{ agent: "qwen", level: null }] }),
      ON_TOWER,
      ["!further not_offered"],
    ],
    ["a level", goodForm({ level: "full_access" }), ON_TOWER, ["!level above_offer"]],
    [
      "a level of a further agent",
      goodForm({ further: [{ agent: "claude", level: "full_access" }] }),
      ON_TOWER,
      ["!level above_offer"],
    ],
    ["a test command", goodForm({ test_command: "make" }), ON_TOWER, ["!test_command command_not_allowed"]],
    ["no test command", goodForm({ test_command: "" }), ON_TOWER, ["test_command no_tests_there"]],
    ["a check", goodForm({}, command("make")), ON_TOWER, ["!base_case check_not_allowed"]],
    ["an allowed check", goodForm({}, command("npm run lint")), ON_TOWER, []],
    ["questions", goodForm({ ask: true }), ON_TOWER, ["ask asks_there"]],
    ["a skill", goodForm({ driver: { by: "skill", command: "" } }), ON_TOWER, ["!driver loopdeck_only"]],
    ["arguments", goodForm({ extra_args: ["-v"] }), ON_TOWER, ["!extra_args args_stay_here"]],
    [
      "everything together",
      goodForm({ agent: "gemini", level: "full_access", test_command: "make" }),
      ON_TOWER,
      ["!agent not_offered", "!level above_offer", "!test_command command_not_allowed"],
    ],
    // Only build-1 allows it, which is not there.
    ["a level that one allows", goodForm({ level: "full_access" }), ANY, ["run_on not_reachable"]],
    // Each is allowed somewhere, but nowhere together.
    [
      "two things together",
      goodForm({ level: "full_access", test_command: "npm run lint" }),
      ANY,
      ["!test_command command_not_allowed", "run_on not_reachable"],
    ],
    ["memory", goodForm(), { kind: "any", memory_gb: 128 }, ["!run_on too_little_memory"]],
    ["a machine that is not there", goodForm(), { kind: "machine", seat: BUILD }, ["run_on not_reachable"]],
    [
      "a machine that is unknown",
      goodForm(),
      { kind: "machine", seat: { member: "eve", machine: "pc" } },
      ["!run_on not_offered_by"],
    ],
  ])("is told: %s", (_, form, target, expected) => {
    expect(problems(form, target)).toEqual(expected);
  });

  it("is told of places that are not known, empty, or no repository", () => {
    expect(problems(goodForm(), ANY, null)).toEqual(["!run_on places_unknown"]);
    expect(problems(goodForm(), ANY, { ...samplePlaces(), machines: [] })).toEqual(["!run_on no_machine"]);
    const outside = { ...samplePlaces(), is_repository: false };
    expect(problems(goodForm(), ON_TOWER, outside)).toEqual(["!run_on no_repository"]);
    expect(problems(goodForm(), ANY, samplePlaces(), false)).toEqual(["!run_on bad_memory"]);
  });

  it("is told of machines that are full", () => {
    const machines = samplePlaces().machines.map((place) => ({
      ...place,
      reachable: true,
      busy: place.slots,
    }));
    expect(problems(goodForm(), ON_TOWER, { ...samplePlaces(), machines })).toEqual(["run_on busy"]);
    expect(problems(goodForm(), ANY, { ...samplePlaces(), machines })).toEqual(["run_on busy"]);
  });

  it("leaves out what only holds for this computer", () => {
    const told = (field: string, code: string) => holdsElsewhere({ field, code, args: {}, blocks: true });
    expect(told("worktree", "bad_branch")).toBe(false);
    expect(told("agent", "not_found")).toBe(false);
    expect(told("agent", "blank")).toBe(true);
    expect(told("folder", "not_trusted")).toBe(true);
    expect(told("goal", "blank")).toBe(true);
  });
});

describe("what a machine offers", () => {
  const twice: RunPlaces = {
    ...samplePlaces(),
    machines: [
      samplePlaces().machines[0]!,
      { ...samplePlaces().machines[0]!, agents: ["qwen"], level: "full_access", commands: ["make"] },
    ],
  };

  it("is one card, also with two clones of the repository", () => {
    const [machine, ...more] = machinesOf(twice);
    expect(more).toEqual([]);
    expect(machine!.agents).toEqual(["claude", "codex", "qwen"]);
    expect(machinesOf(null)).toEqual([]);
  });

  it("is that of the clone that has the agent", () => {
    expect(offeredBy(ON_TOWER, twice, "qwen")).toMatchObject({ most: "full_access", commands: ["make"] });
    expect(offeredBy(ON_TOWER, twice, "codex")).toMatchObject({ most: "edit_files" });
    expect(offeredBy(ON_TOWER, twice, "")).toMatchObject({ most: "full_access" });
  });

  it("does not depend on what is on this computer", () => {
    const rows = agentsThere(sampleAgents(), { agents: ["gemini"], most: null, commands: [] }, ["codex"]);
    expect(rows.map(({ id, readiness }) => [id, readiness])).toContainEqual(["gemini", "usable"]);
    expect(rows).toHaveLength(2);
  });

  it("has no slots when it is not there, and says when no agent is ready", () => {
    const [place] = samplePlaces().machines;
    const bare = { ...place!, agents: [], reachable: false, memory_gb: 0 };
    expect(placeText(bare, (id) => id)).toBe("no agent");
  });
});

describe("reading where a loop can run", () => {
  it("takes the answer to the last question", async () => {
    const host = sampleHost();
    const waiting: ((places: RunPlaces) => void)[] = [];
    host.runPlaces = () => new Promise((resolve) => waiting.push(resolve));
    const on = new RunOn(host);
    const looks = Promise.all([on.look("/a"), on.look("/b")]);
    waiting[1]!(samplePlaces(7));
    waiting[0]!(samplePlaces(1));
    await looks;
    expect(on.places?.uncommitted).toBe(7);
    await on.look(null);
    expect(on.places).toBeNull();
  });
});
