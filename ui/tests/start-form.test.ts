import { commandLine } from "../src/state/command-line";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleAgents } from "../src/host/sample-agents";
import { AOT_FORMS, type AgentRow, type BaseCase, type LaunchNote } from "../src/host/bindings";
import { triedNow } from "../src/host/memory-runs";
import { baseCaseOf, checkForm } from "../src/views/steps/checks";
import {
  beginForm,
  branchName,
  fullPlan,
  levelFor,
  furtherLevel,
  furtherOf,
  levelsWithin,
  likelyAgent,
  modesOf,
  newTask,
  ownProblems,
  pageOf,
  planProblems,
  sentForm,
  sentPlan,
  testChoice,
} from "../src/views/start/form";
import { Later } from "../src/views/start/later";
import {
  agentFacts,
  agentTrouble,
  launchNotes,
  permissionLevelText,
  placedSentence,
  problemSentence,
} from "../src/views/start/sentences";
import { triedFacts, triedWords } from "../src/views/start/tried";
import { en } from "../src/words/en";

const agents = sampleAgents();
const of = (id: string) => agents.find((one) => one.id === id)!;
const problem = (field: string, code: string, args: Record<string, string> = {}) => ({
  field,
  code,
  args,
  blocks: true,
});

describe("the mode", () => {
  it("is offered where Loopdeck can drive it, and sent only there", () => {
    expect(modesOf("loop_v2", "loopdeck")).toEqual(["auto", "interactive"]);
    expect(modesOf("loop_v2", "skill"), "its menu needs a terminal").toEqual([]);
    expect(modesOf("loop_b", "loopdeck")).toEqual(["auto", "parallel", "interactive"]);
    expect(modesOf("loop_b", "skill"), "its menu needs a terminal").toEqual(["auto", "parallel"]);
    expect(modesOf("aot", "loopdeck")).toEqual([]);
    const form = beginForm({}, "/x");
    const sent = (mode: "interactive" | "parallel", format: "loop_v2" | "loop_b") =>
      sentForm({ ...form, work: { ...form.work, format, mode } }, undefined, null).work.mode;
    expect(sent("interactive", "loop_v2")).toBe("interactive");
    expect(sent("parallel", "loop_v2"), "left from another format").toBeNull();
    expect(sent("parallel", "loop_b")).toBe("parallel");
  });
});

describe("a new form", () => {
  it("takes over how the last loop was started, but nothing of its folder", () => {
    const last = fullPlan({
      agent: "codex",
      level: "edit_files",
      test_command: "make",
      results: ["x.xml"],
      minutes: 5,
    });
    const { plan } = beginForm(last, "/x");
    expect(plan).toMatchObject({
      agent: "codex",
      level: "edit_files",
      test_command: "",
      results: [],
      minutes: 120,
    });
  });

  it("chooses no level the first time", () => {
    expect(beginForm({}, "").plan.level).toBeNull();
  });
});

describe("what is sent", () => {
  const form = () => beginForm({ agent: "claude", level: "edit_files" }, "/x");

  it("holds no number that cannot be sent; that is a mistake of its own", () => {
    const wrong = form();
    Object.assign(wrong.plan, { minutes: 1.5, money_usd: -1 });
    wrong.work.max_iterations = 101;
    const sent = sentForm(wrong, of("claude"), null);
    expect([sent.plan.minutes, sent.plan.money_usd, sent.work.max_iterations]).toEqual([null, null, null]);
    expect(ownProblems(wrong, of("claude")).map(({ field }) => field)).toEqual([
      "max_iterations",
      "minutes",
      "money_usd",
    ]);
  });

  it("allows as many iterations as the format does", () => {
    const many = form();
    many.work.max_iterations = 101;
    many.work.recipe = "checklist";
    expect(ownProblems(many, undefined)).toEqual([]);
    expect(sentForm(many, undefined, null).work.max_iterations).toBe(101);
  });

  it("limits money only where the agent reports it", () => {
    const plan = fullPlan({ agent: "codex", money_usd: 5 });
    expect(sentPlan(plan, of("codex")).money_usd).toBeNull();
    expect(sentPlan(plan, of("claude")).money_usd).toBe(5);
    expect(planProblems({ ...plan, money_usd: -1 }, of("codex"))).toEqual([]);
  });

  it("takes no level that was chosen for another agent, and none for the shell", () => {
    const plan = fullPlan({ agent: "custom:reviewer", level: "full_access" });
    expect(levelFor(plan, of("custom:reviewer"))).toBeNull();
    expect(levelFor({ ...plan, agent: "shell" }, of("shell"))).toBeNull();
    expect(levelFor({ ...plan, agent: "claude" }, of("claude"))).toBe("full_access");
  });

  it("keeps tasks that INIT is to take, arguments as they are, and no blank ones", () => {
    const plan = fullPlan({ tasks: [newTask("one")], extra_args: ["--a", "--a", " ", " b"] });
    expect(sentPlan(plan, undefined)).toMatchObject({
      tasks: [newTask("one")],
      extra_args: ["--a", "--a", " b"],
    });
    const tasks = form();
    tasks.work.tasks = [newTask(" a "), newTask(" "), { description: "b", tool: "codex", mode: "analysis" }];
    expect(sentForm(tasks, undefined, null).work.tasks).toEqual([
      newTask("a"),
      { description: "b", tool: "codex", mode: "analysis" },
    ]);
  });

  it("names a format only where it is not the recipe's", () => {
    const named = form();
    named.work.format = "loop_v2";
    expect(sentForm(named, undefined, null).work.format).toBeNull();
    named.work.format = "loop_b";
    expect(sentForm(named, undefined, null).work.format).toBe("loop_b");
  });
});

describe("problems", () => {
  it("know their page", () => {
    expect(pageOf(problem("goal", "blank"))).toBe("work");
    expect(pageOf(problem("folder", "not_trusted"))).toBe("work");
    expect(pageOf(problem("minutes", "out_of_range"))).toBe("run");
    expect(pageOf(problem("constructor", "later"))).toBe("run");
  });

  it("are said for their field, with the argument that is meant", () => {
    expect(problemSentence(problem("goal", "blank"))).toBe("Say what should be done.");
    expect(problemSentence(problem("x", "blank"))).toBe("Fill this in.");
    expect(problemSentence(problem("deliverables", "too_long", { limit: "500" }))).toBe(
      "Keep to 500 characters.",
    );
    expect(placedSentence(problem("minutes", "out_of_range"), [])).toBe("Minutes: This value isn’t valid.");
    expect(placedSentence(problem("goal", "blank"), [])).toBe("Say what should be done.");
    const reason = "reserved_flag --verbose, bad_model x";
    expect(problemSentence(problem("extra_args", "reserved_flag", { reason }))).toContain(
      "Loopdeck sets --verbose itself.",
    );
    expect(problemSentence(problem("agent", "toString"))).toBe("This isn’t valid: toString.");
  });
});

describe("agents", () => {
  it("propose one that would start, never the shell", () => {
    expect(likelyAgent(agents)?.id).toBe("claude");
    expect(likelyAgent(agents.filter(({ id }) => id === "gemini" || id === "shell"))).toBeUndefined();
  });

  it("say what a level means with them", () => {
    expect(permissionLevelText(of("claude"), "edit_files")).toBe(
      "Changes files here. Can’t run tests or commands.",
    );
    expect(permissionLevelText(of("codex"), "edit_files")).toContain(
      "writes outside".replace("writes", "write"),
    );
    const own = of("custom:reviewer");
    expect(permissionLevelText(own, "edit_files")).toContain("--apply");
    const plain = { ...own, custom: { ...own.custom!, look_only: [] } };
    expect(permissionLevelText(plain, "look_only")).toContain("own arguments: None");
    expect(permissionLevelText(of("claude"), "full_access")).toBe(
      "Can run any command as you. Nothing keeps the agent in the folder.",
    );
  });

  it("say their version and what is wrong with them", () => {
    expect(agentFacts(of("claude"))).toBe("2.1.328 · Signed in");
    expect(agentTrouble(of("claude"))).toBe("");
    expect(agentTrouble(of("codex"))).toBe("Sign in first:");
    expect(agentTrouble(of("qwen"))).toBe("Not found");
  });
});

describe("limits of a plan", () => {
  const plan = { ...fullPlan(), tokens: 0, turns: 2.5 };

  it("are mistakes only where the agent has them", () => {
    const fields = (agent: AgentRow) => planProblems(plan, agent).map(({ field }) => field);
    expect(fields(of("claude"))).toEqual(["tokens", "turns"]);
    expect(fields(of("codex"))).toEqual(["tokens"]);
    expect(fields(of("shell"))).toEqual([]);
  });

  it("are sent only where the agent has them", () => {
    const good = { ...plan, tokens: 500, turns: 20 };
    const sent = (agent: AgentRow) => {
      const { tokens, turns } = sentPlan(good, agent);
      return [tokens, turns];
    };
    expect([sent(of("claude")), sent(of("codex")), sent(of("shell"))]).toEqual([
      [500, 20],
      [500, null],
      [null, null],
    ]);
  });
});

describe("what to know of an agent", () => {
  it("has what is to be weighed first, and nothing twice", () => {
    const notes: LaunchNote[] = ["inherits_config", "writes_anywhere", "no_commands", "inherits_config"];
    expect(launchNotes(notes).map(({ note }) => note)).toEqual(["writes_anywhere", "inherits_config"]);
  });

  it("shows a code that nobody knows as it is", () => {
    expect(launchNotes(["brand_new" as LaunchNote])[0]?.text).toBe("brand_new");
  });
});

describe("what came of a try", () => {
  const now = triedNow();

  it("is said in plain words", () => {
    expect(triedWords(now, "command")).toEqual({ says: "Passes now.", role: "success", remarks: [] });
    expect(triedFacts(now)).toBe("Exit code 0 after 420 ms.");
    const stopped = { ...now, passes: null, end: "stopped" as const };
    expect(triedWords(stopped, "tests").role).toBe("attention");
  });

  it("proves nothing when the command did not run, or named no test", () => {
    const missing = { ...now, code: 127, could_not_run: true };
    expect(triedWords(missing, "not_command")).toMatchObject({ role: "attention" });
    expect(triedWords(now, "tests")).toMatchObject({ says: "Passes now.", role: "attention" });
    const counted = { ...now, tests: { passed: 3, failed: 0, skipped: 1 } };
    expect(triedWords(counted, "tests")).toEqual({
      says: "Passes now.",
      role: "success",
      remarks: ["3 passed, 0 failed, 1 skipped."],
    });
  });

  it("names what could not be ended", () => {
    const left = { result: "left" as const, ended: 1, processes: [{ pid: 7, name: "node" }] };
    expect(triedWords({ ...now, left }, "command").remarks.join()).toContain("node (7)");
  });
});

describe("a branch", () => {
  it("has the first words of the work and an ending of its own", () => {
    expect(branchName({ title: "", goal: "Logging in, with an expired token\nfails" }, "k3f")).toBe(
      "loopdeck/logging-in-with-an-expired-k3f",
    );
    expect(branchName({ title: "修复 登录", goal: "x" }, "1")).toBe("loopdeck/修复-登录-1");
    expect(branchName({ title: "!!", goal: "?" }, "1")).toBe("loopdeck/1");
  });

  it("is always a name that git takes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (title, goal) => {
        expect(branchName({ title, goal }, "abc")).toMatch(/^loopdeck\/(?:[\p{L}\p{N}-]+-)?abc$/u);
      }),
    );
  });
});

describe("a command line", () => {
  it("can be pasted into a shell", () => {
    expect(commandLine(["claude", "-p", "", "it's; rm", "--x=1"])).toBe("claude -p '' 'it'\\''s; rm' --x=1");
  });
});

describe("the way to run the tests", () => {
  const proposals = [{ command: "npm test", results: [], because: "package.json" }];
  it.each([
    ["npm test", false, "0"],
    ["make", false, "other"],
    ["", false, "none"],
    ["", true, "other"],
  ])("for %j, typing %s, is %s", (test_command, other, chosen) => {
    expect(testChoice({ test_command }, proposals, other)).toBe(chosen);
  });
});

describe("checks", () => {
  const check = fc.record({
    kind: fc.constantFrom(...AOT_FORMS.check_kinds),
    value: fc.stringMatching(/^[a-z]{0,5}$/),
  });
  const name = fc.stringMatching(/^[a-z]{1,5}$/);
  const levels = fc
    .uniqueArray(fc.integer({ min: 1, max: 5 }))
    .map((scores) => scores.sort().map((score): [number, string] => [score, `score ${score}`]));
  const weight = fc.option(fc.integer({ min: 0, max: 1000 }));
  const line = fc.record({ criterion: name, description: fc.option(name), weight, levels });
  const quality = fc.record({
    criteria: fc.oneof(
      fc.record({ shape: fc.constant("text" as const), of: name }),
      fc.record({
        shape: fc.constant("rubric" as const),
        of: fc.array(line, { minLength: 1, maxLength: 3 }),
      }),
    ),
    pass_threshold: fc.integer({ min: 101, max: 500 }),
    scope: fc.constantFrom(null, "src"),
  });
  const { item } = fc.letrec((tie) => ({
    item: fc.record({ item: fc.stringMatching(/^[a-z]{0,4}$/), part: tie("part") }),
    part: fc.oneof(
      { depthSize: "small" },
      fc.record({ part: fc.constant("check"), of: check }),
      fc.record({ part: fc.constant("quality"), of: quality }),
      fc.record({
        part: fc.constantFrom("group", "any_of"),
        of: fc.array(tie("item"), { minLength: 1, maxLength: 3 }),
      }),
    ),
  }));
  const base = fc.oneof(
    fc.record({ shape: fc.constant("single"), of: check }),
    fc.record({ shape: fc.constant("quality"), of: quality }),
    fc.record({ shape: fc.constant("checklist"), of: fc.array(item, { minLength: 1, maxLength: 3 }) }),
  ) as fc.Arbitrary<BaseCase>;

  it("come back from a draft as they were", () => {
    fc.assert(
      fc.property(base, (one) => {
        expect(baseCaseOf(checkForm(one))).toEqual(one);
      }),
    );
  });
});

describe("what is done later", () => {
  it("is done once, and at once when it is asked for", () => {
    let done = 0;
    const later = new Later(() => (done += 1), 1e6);
    later.ask();
    later.ask();
    expect(done).toBe(0);
    later.flush();
    later.flush();
    expect(done).toBe(1);
    later.ask();
    later.forget();
    later.flush();
    expect(done).toBe(1);
  });
});

describe("words", () => {
  it("say the levels as the card has to", () => {
    expect(en.start.levelText.look_only).toBe("Reads files. Can’t change or run anything.");
  });
});

describe("agents that tasks may use", () => {
  const agents = sampleAgents();
  const of = (id: string) => agents.find((one) => one.id === id)!;

  it("are those that can be used here and the chosen ones, without the plan's own", () => {
    const plan = fullPlan({ agent: "claude", further: [{ agent: "gemini", level: null }] });
    const ids = furtherOf(plan, agents).map(({ id }) => id);
    expect(ids).not.toContain("claude");
    expect(ids).toContain("shell");
    expect(ids).toContain("gemini");
    const usable = agents.filter(({ readiness }) => readiness !== "unusable").map(({ id }) => id);
    expect(ids.filter((id) => id !== "gemini")).toEqual(
      usable.filter((id) => id !== "claude" && id !== "gemini"),
    );
  });

  it("have no level above the plan's, and the shell has none", () => {
    const codex = of("codex");
    expect(levelsWithin(codex, "edit_files")).toEqual(["look_only", "edit_files"]);
    expect(levelsWithin(codex, null)).toEqual(["look_only", "edit_files", "full_access"]);
    expect(levelsWithin(of("shell"), "full_access")).toEqual([]);
    const one = { agent: "codex", level: "full_access" as const };
    expect(furtherLevel(one, codex, "full_access")).toBe("full_access");
    expect(furtherLevel(one, codex, "look_only")).toBe("look_only");
    expect(furtherLevel({ ...one, level: null }, codex, "edit_files")).toBe("edit_files");
  });

  it("are sent without the plan's own agent", () => {
    const further = ["claude", "codex"].map((agent) => ({ agent, level: "edit_files" as const }));
    const sent = sentPlan(fullPlan({ agent: "claude", further }), of("claude"));
    expect(sent.further).toEqual([further[1]]);
  });
});
