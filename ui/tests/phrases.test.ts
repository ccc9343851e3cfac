import { describe, expect, it } from "vitest";
import type { Control, LoopBPhase, LoopRow, Problem, Program } from "../src/host/bindings";
import { sampleRows } from "../src/host/memory";
import { language, LANGUAGES, sentences as inRow } from "../src/words/language.svelte";
import { percent, shortAge } from "../src/words/format";
import {
  disabledText,
  effectText,
  failureText,
  listEvidence,
  phaseText,
  problemText,
  progressText,
  refusalText,
  within,
  statusText,
} from "../src/words/phrases";

const NOW = Date.now();

describe("a loop that another Loopdeck runs", () => {
  const SAID = {
    en: ["Running · in the window", "Running · in a terminal", "Pausing… · on a node"],
    "zh-CN": ["运行中 · 在窗口中", "运行中 · 在终端中", "正在暂停… · 在节点上"],
    ja: ["実行中 · ウィンドウで", "実行中 · ターミナルで", "一時停止処理中… · ノードで"],
  };
  it.each(LANGUAGES)("says in %s where it runs", (id) => {
    language.id = id;
    const [row] = sampleRows(Date.now());
    const said = (word: LoopRow["word"], program: Program) =>
      statusText({ ...row!, word, runner: { program, since: 0 } }, Date.now());
    expect([said("running", "window"), said("running", "terminal"), said("pausing", "node")]).toEqual(
      SAID[id],
    );
    language.id = "en";
  });
});

describe("how far a loop is", () => {
  const claims = { claimed: 12, proven: 9 };
  it.each<[string, Pick<LoopRow, "phase" | "claims">]>([
    ["3 of 5 done", { phase: { kind: "todo", done: 3, total: 5 }, claims: null }],
    ["12 of 15 claimed, 9 proven", { phase: { kind: "todo", done: 12, total: 15 }, claims }],
    ["Develop · 12 claimed, 9 proven", { phase: { kind: "develop", done: 12, total: 15 }, claims }],
    [
      "Validate · 3 of 4 · 12 claimed, 9 proven",
      { phase: { kind: "validate", passed: 3, total: 4 }, claims },
    ],
    ["12 claimed, 9 proven", { phase: { kind: "atoms", resolved: 12, total: 12, ready: 0 }, claims }],
    ["", { phase: null, claims: null }],
  ])("says “%s”: a claim once, and only where checks decide", (said, row) => {
    expect(progressText({ ...row, handling: "driven" })).toBe(said);
  });
});

describe("the phase of Loop-B", () => {
  it("has words for the actions it knows, and shows others as written", () => {
    const phase = (word: string, known: LoopBPhase | null) =>
      phaseText({ kind: "workers", phase: word, known, done: 2, total: 5 });
    expect(phase("DEVELOP", "develop")).toBe("Develop · 2 of 5");
    expect(phase("x_later", null)).toBe("x_later · 2 of 5");
  });
});

describe("young ages in rows", () => {
  const now = Date.UTC(2026, 10, 20, 12);
  it.each([
    [4_900, "now"],
    [5_000, "5 s"],
    [9_900, "5 s"],
    [59_000, "55 s"],
    [60_000, "1 min"],
  ])("%i ms are %s", (age, said) => expect(shortAge(now - age, now)).toBe(said));
});

describe("a row's second line", () => {
  const [row] = sampleRows(Date.now()).filter((one) => one.word === "running_elsewhere");

  it("names the workspace only where there are several", () => {
    expect(listEvidence(row!, "storefront", null, NOW).text).toBe("storefront");
    expect(listEvidence(row!, null, null, NOW).text).toBe("");
  });

  it("says what the file says where the status is something else", () => {
    const interrupted = sampleRows(Date.now()).find((one) => one.word === "interrupted")!;
    expect(listEvidence(interrupted, null, null, NOW).text).toBe("state file says running");
  });

  it("says what the loop needs, which limit it reached, why it failed and what a stop left", () => {
    const asks = listEvidence(
      { ...row!, word: "needs_you" },
      "storefront",
      "Claude Code has a question.",
      NOW,
    );
    expect(asks.text).toBe("storefront · Claude Code has a question.");
    const limited = listEvidence({ ...row!, word: "limit_reached", limit: "iterations" }, null, null, NOW);
    expect(limited.text).toBe("iterations used up");
    expect(listEvidence({ ...row!, word: "failed", reason: "no network" }, null, null, NOW).text).toBe(
      "“no network”",
    );
    const stop = { result: "left", ended: 3, processes: [{ name: "node", pid: 4711 }] };
    const left = { ...row!, word: "not_fully_stopped", run: { stop } } as LoopRow;
    expect(listEvidence(left, null, null, NOW).text).toBe("3 ended, 1 still running: node (4711).");
  });
});

describe("a figure or a reason", () => {
  it("that is not whole is never rounded to it", () => {
    expect(percent(99.95, 1)).toBe("99.9%");
    expect(percent(99.6)).toBe("99%");
    expect(percent(99.94, 1)).toBe("99.9%");
    expect(percent(100, 1)).toBe("100.0%");
    expect(percent(95.45, 1)).toBe("95.5%");
  });

  it("says of an iteration behind the limit that the limit has to rise", () => {
    const resume = (iteration: string): Control => ({
      verb: "resume",
      effect: "resume_by_hand",
      refusal: null,
      confirm: false,
      takes_reason: false,
      notice: null,
      args: { iteration, limit: "25", command: "x" },
    });
    expect(effectText(resume("98"))).toContain("iteration 98 of at least 98.");
    expect(effectText(resume("25"))).toContain("iteration 25 of 25.");
  });

  it("says what the layout of the file adds to a control", () => {
    const stop: Control = {
      verb: "stop",
      effect: "stop_after_iteration",
      refusal: null,
      confirm: true,
      takes_reason: true,
      notice: { code: "repairs_layout", args: { rules: "L1, L4", comments: "2" } },
      args: {},
    };
    expect(effectText(stop)).toMatch(/^Asks the loop to stop .*\(rules L1, L4; comments dropped: 2\)\.$/);
    expect(effectText({ ...stop, notice: null })).not.toContain("layout");
  });

  it("names the length of a title that is too long", () => {
    const range = (path: string): Problem => ({
      code: "W8_out_of_range",
      severity: "warning",
      path,
      line: null,
      args: { found: "174" },
    });
    expect(problemText(range("title"))).toBe("A title has 1 to 100 characters; this one has 174.");
    expect(problemText(range("max_iterations"))).toContain("The value 174");
  });

  it("is said in the language of the window, also the reason of a reader", () => {
    const broken: Problem = {
      code: "E1_not_json",
      severity: "error",
      path: "",
      line: 3,
      args: { reason: "unexpected end" },
    };
    language.id = "zh-CN";
    const said = problemText(broken);
    language.id = "en";
    expect(said).not.toContain("unexpected");
    expect(problemText(broken)).toBe("The file isn’t valid JSON: unexpected end.");
    expect(problemText({ ...broken, args: { reason: "of another day" } })).toContain("of another day");
  });
});

describe("sentences", () => {
  it("stand apart as the language puts them, without those that are not said", () => {
    const both = ["One.", false, undefined, "", "Two."] as const;
    const said = LANGUAGES.map((id) => {
      language.id = id;
      return inRow(...both);
    });
    language.id = "en";
    expect(said).toEqual(["One. Two.", "One.Two.", "One.Two."]);
    expect(inRow()).toBe("");
  });
});

describe("a refusal", () => {
  it("names the verb without the dots of its button", () => {
    expect(disabledText("Delete…", { code: "finished", args: {}, status: "completed" }, "")).toMatch(
      /^Delete: /,
    );
  });

  it("says the status in the language of the window", () => {
    expect(refusalText({ code: "finished", args: {}, status: "completed" }, "")).toBe(
      "The loop has ended (completed). Reopen it first.",
    );
    // Also where the file has another word for it than the window.
    expect(refusalText({ code: "not_running", args: { status: "created" }, status: "not_started" }, "")).toBe(
      "The loop is not running. It is not started.",
    );
    expect(refusalText({ code: "finished", args: { status: "user_exit" }, status: "left_by_user" }, "")).toBe(
      "The loop has ended (exited by user). Reopen it first.",
    );
  });

  it("is a whole sentence alone, and goes on one after its verb", () => {
    const refusal = { code: "already_running", args: {}, status: null } as const;
    expect(refusalText(refusal, "Running")).toBe("The loop is already running.");
    expect(disabledText("Start", refusal, "Running")).toBe("Start: the loop is already running.");
    // What a file calls its things stays as it is written there.
    expect(refusalText({ code: "atom_resolved", args: { id: "a5" }, status: null }, "")).toMatch(
      /^a5 is resolved/,
    );
    expect(within("Reason for the change")).toBe("reason for the change");
    expect(within("AoT loop")).toBe("AoT loop");
  });

  it("of totals that are wrong writes both numbers as the reader does", () => {
    const args = { found: "2000", expected: "3010" };
    const problem: Problem = { code: "W6_totals_disagree", severity: "warning", path: "", line: null, args };
    expect(problemText(problem)).toBe(
      "The totals of the latest run say 2,000 failed, but its individual tests say 3,010.",
    );
  });

  it("of a figure rounds it and says yes and no", () => {
    const disagree = (field: string, found: string, expected: string, unit: object = {}): Problem => ({
      code: "W6_validation_disagrees",
      severity: "warning",
      path: `skill_state.validate.${field}`,
      line: null,
      args: { field, found, expected, ...unit },
    });
    expect(problemText(disagree("pass_rate", "95.45454545454545", "80", { unit: "percent" }))).toBe(
      "Pass rate: the file says 95.5%, but the latest run gives 80.0%.",
    );
    expect(problemText(disagree("passed", "true", "false"))).toBe(
      "Passed: the file says yes, but the latest run gives no.",
    );
    expect(problemText(disagree("x_own", "0.333333333", "2 of 3"))).toBe(
      "The file says 0.33, but the latest run gives 2 of 3.",
    );
  });

  it("leaves no empty brackets when it knows no status", () => {
    expect(refusalText({ code: "damaged_file", args: {}, status: null }, "")).toBe(
      "The file has errors. Loopdeck does not write to it.",
    );
  });
});

describe("a start that failed", () => {
  const failed = (kind: "cannot_start" | "bad_form", args: Record<string, string>) =>
    failureText({ kind, args, refusal: null });

  it("names a wrong argument in a sentence, and a field as the page does", () => {
    const args = {
      agent: "Claude Code",
      code: "reserved_flag",
      reason: "reserved_flag --tools, bad_limit 0",
    };
    expect(failed("cannot_start", args)).toBe(
      "Claude Code didn’t start: Loopdeck sets --tools itself. Remove it from the arguments.",
    );
    expect(failed("cannot_start", { agent: "git", reason: "no such branch" })).toBe(
      "git didn’t start: no such branch",
    );
    expect(failed("bad_form", { field: "level" })).toContain("Permissions");
    expect(failed("bad_form", { field: "x_later" })).toContain("x_later");
  });
});
