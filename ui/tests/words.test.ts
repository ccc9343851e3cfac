import fc from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampleRows } from "../src/host/memory";
import { fill, language, LANGUAGES, say, t } from "../src/words/language.svelte";
import { pickForm } from "../src/words/message";
import { bytes, duration, relativeTime } from "../src/words/format";
import { changedText, evidence } from "../src/words/loop-phrases";
import {
  EXPECTED,
  factName,
  formatNames,
  isRawName,
  listEvidence,
  phaseText,
  rowName,
  statusText,
} from "../src/words/phrases";
import { CATALOGUES, messages, textsOf } from "./catalogues";
import { NEVER_ASKED, UNSAID } from "../src/views/start/sentences";
import { SAME_WAY_ON } from "../src/words/answer-phrases";
import { SAME_EFFECT, SAME_HINT } from "../src/words/same-words";
import { kindsOf, rustSource, rustWords, UI, wordsOf } from "./lists";

/** Codes with the words of another one, by the section that has them. */
const SAME: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  effect: SAME_EFFECT,
  failureHint: SAME_HINT,
};

/** Enums and where their words are; some have what they share with others in further sections. */
const SECTIONS: readonly [type: string, section: string, ...shared: string[]][] = [
  ["StatusWord", "status"],
  ["AgentFact", "agentFact"],
  ["Group", "group"],
  ["Format", "format"],
  ["LimitKind", "limit"],
  ["Verb", "verb"],
  ["RequestState", "request"],
  ["AtomState", "atom"],
  ["BlockerKind", "blocker"],
  ["ChangedWhat", "changed"],
  ["EventKind", "event"],
  ["EntryKind", "timeline.kinds", "detail.tabs"],
  ["RequestOutcome", "timeline.requests"],
  ["Severity", "severity"],
  ["EffectCode", "effect"],
  ["RefusalCode", "refusal"],
  ["FailureKind", "failure"],
  ["FailureKind", "failureHint"],
  ["CheckedBy", "checkedBy"],
  ["FollowUpKind", "followUp.kind"],
  ["FollowUpKind", "followUp.goal"],
  ["FollowUpReason", "followUp.because"],
  ["ProblemCode", "problem"],
  ["RepairCode", "repair"],
  ["RepairCode", "repairEffect"],
  ["ProposalSource", "recoveryWay"],
  ["ProposalSource", "recoveryWayText"],
  ["WriteCause", "writeCause"],
  ["VersionWriter", "versionWriter"],
  ["StepCode", "step"],

  ["TestChange", "testChange"],
  ["TestChip", "testChip", "word"],
  ["TestSort", "testSort"],
  ["OutputKind", "outputKind"],
  ["NeedKind", "need", "status"],
  ["AgentState", "agentState"],
  ["Level", "start.levels"],
  ["TriedEnd", "triedEnd", "checkUnknown"],
  ["TextKind", "searchPage.kind", "fact"],

  ["ComparedFact", "compare.fact", "fact"],
  ["RuleKind", "rules.kind"],
  ["RuleKind", "rules.fired"],
  ["QuestionLineCode", "needLine", "checkUnknown"],
  ["UnknownWhy", "checkUnknown"],
  ["RiskKind", "risk"],
  ["JobStage", "remote_run"],
  ["IfGone", "start.ifGoneTo"],
  ["Role", "team.role"],
  ["FinishedHow", "finish.how"],
  ["CommentSource", "comments.source"],
  ["TakenAs", "comments.taken"],
  ["PullRequestState", "pullRequest.state"],
  ["ReviewState", "pullRequest.review"],
  ["PullCheckState", "pullRequest.check", "word"],
];

/** Codes that travel as text: the enum in its Rust source, where its words are, and codes that never get there. */
const TEXT_CODES: readonly [file: string, type: string, section: string, never?: readonly string[]][] = [
  ["core/src/driver/question.rs", "QuestionCode", "needQuestion"],
  ["core/src/driver/question.rs", "QuestionCode", "needGoOn", Object.keys(SAME_WAY_ON)],
  ["core/src/driver.rs", "UsedUp", "needLimit"],
  ["agents/src/outcome.rs", "Outcome", "runOutcome"],
  // A run that ended well is no failure.
  ["agents/src/outcome.rs", "Outcome", "needFailed", ["ok"]],
  ["agents/src/launch.rs", "LaunchProblemCode", "start.problem", NEVER_ASKED],
  ["agents/src/table.rs", "LaunchNote", "launchNote", UNSAID],
  // These have the words of the start form.
  ["agents/src/custom.rs", "CustomProblemCode", "ownAgentProblem", ["empty", "too_long", "bad_character"]],
];

/** Codes that are written in a Rust source and in no enum: the first group of `pattern`. */
function writtenCodes(file: string, pattern: RegExp): string[] {
  const [source = ""] = rustSource(file).split("#[cfg(test)]");
  return [...new Set([...source.matchAll(pattern)].map((match) => match[1] as string))];
}

function sectionOf(catalogue: Record<string, unknown>, path: string): Record<string, unknown> {
  return path.split(".").reduce((at, name) => at[name] as Record<string, unknown>, catalogue);
}

describe.each(LANGUAGES)("catalogue %s", (id) => {
  const catalogue = CATALOGUES[id] as unknown as Record<string, Record<string, unknown>>;

  it.each(SECTIONS)("has words for every %s in %s", (type, section, ...shared) => {
    const words = wordsOf(type);
    expect(words.length).toBeGreaterThan(1);
    const sections = [section, ...shared].map((one) => sectionOf(catalogue, one));
    const known = Object.assign({}, section === "format" ? formatNames() : {}, ...sections);
    const missing = words.filter((word) => !known[SAME[section]?.[word] ?? word]);
    expect(missing).toEqual([]);
  });

  it.each(TEXT_CODES)("has words for what %s %s says, in %s", (file, type, section, never = []) => {
    const codes = rustWords(file, type);
    expect(codes.length).toBeGreaterThan(2);
    const words = sectionOf(catalogue, section);
    expect(codes.filter((code) => !never.includes(code) && !words[code])).toEqual([]);
  });

  it("has words for everything that the form finds wrong", () => {
    const form = "runtime/src/runtime/start_form/problems.rs";
    // Two codes of the level are chosen among before they are written.
    const codes = [
      ...writtenCodes(form, /\bproblem\(\s*"\w+",\s*"(\w+)"/g),
      "no_tests_at_level",
      "no_tests_for_skill",
    ];
    expect(codes.length).toBeGreaterThan(8);
    for (const code of ["no_tests_at_level", "no_tests_for_skill"]) {
      expect(rustSource(form)).toContain(`"${code}"`);
    }
    const words = sectionOf(catalogue, "start.problem");
    expect(codes.filter((code) => !words[code])).toEqual([]);
  });

  it("has words for every reason why a machine does not take a run", () => {
    const [, variants] = /enum Refused \{(.*?)\n\}/s.exec(rustSource("team/src/work/rules.rs"))!;
    const codes = [...variants!.matchAll(/^ {4}(\w+),$/gm)].map(([, name]) => name!.toLowerCase());
    expect(codes.length).toBeGreaterThan(4);
    const words = sectionOf(catalogue, "run_refused");
    expect(codes.filter((code) => !words[code])).toEqual([]);
  });

  it("has words for every reason why a text is not JSON", () => {
    const reader = rustSource("text/src/json_span/scan.rs");
    const reasons = reader.match(
      /"(?:expected|un(?:expected|known)|control|not|nested|text after) ?[^"\\]*"|"empty"/g,
    )!;
    expect(reasons.length).toBeGreaterThan(15);
    const words = sectionOf(catalogue, "jsonReason");
    const said = reasons.map((one) => one.slice(1, -1));
    expect(said.filter((one) => !words[one] && !EXPECTED[one])).toEqual([]);
  });

  it("has words for failures that Loopdeck itself finds", () => {
    const reasons = rustWords("execution/src/rows/needs.rs", "NeedReason");
    expect(reasons).toEqual(
      expect.arrayContaining(["failure", "run", "cancelled", "damaged", "skill_missing"]),
    );
    // These two have the words of what they hold.
    const codes = reasons.filter((reason) => !["failure", "run"].includes(reason));
    // One is worded as the failure that it is.
    const known = { ...sectionOf(catalogue, "failure"), ...sectionOf(catalogue, "needFailed") };
    expect(codes.filter((code) => !known[code])).toEqual([]);
  });

  it("has words for what Loopdeck notes in an output", () => {
    const codes = writtenCodes("execution/src/run_monitor/reading.rs", /\brows\.add_note\("(\w+)"/g);
    expect(codes).not.toEqual([]);
    expect(codes.filter((code) => !sectionOf(catalogue, "outputNote")[code])).toEqual([]);
  });

  it("has words for every phase", () => {
    expect(kindsOf("Phase").filter((kind) => !catalogue.phase?.[kind] && !catalogue.action?.[kind])).toEqual(
      [],
    );
  });

  it("leaves no sentence empty, and no English in a translation", () => {
    const source = messages(CATALOGUES.en);
    const untranslated: string[] = [];
    for (const [path, message] of messages(catalogue)) {
      // Formats are called as their tools are.
      if (path.startsWith("format.")) continue;
      for (const text of textsOf(message)) {
        expect(text.trim(), path).not.toBe("");
        // Two words of Latin letters in a row that stayed the same were forgotten.
        const forgotten = textsOf(source.get(path)!).includes(text) && /[a-z]{3,} [a-z]{3,}/i.test(text);
        if (id !== "en" && forgotten) untranslated.push(path);
      }
    }
    expect(untranslated).toEqual([]);
  });
});

const NOW = Date.now();

describe("a change", () => {
  const change = { what: "task" as const, id: "t1", from: "PENDING", from_status: "pending" as const };

  it("names a status that a format defines, and other words as they are written", () => {
    expect(changedText({ ...change, to: "needs_fix", to_status: "needs_fix" })).toBe(
      "Task t1: Pending → Needs a fix",
    );
    expect(changedText({ ...change, to: "completed" })).toBe("Task t1: Pending → completed");
  });
});

describe("plurals and numbers", () => {
  it("chooses the form of the language", () => {
    expect(say(t.common.fileCount, { count: 1 })).toBe("1 file");
    expect(say(t.common.fileCount, { count: 2 })).toBe("2 files");
    language.id = "ja";
    expect(say(t.common.loopCount, { count: 1 })).toBe("1 件のループ");
  });

  it("falls back to the general form", () => {
    expect(pickForm({ other: "many" }, 1, new Intl.PluralRules("en"))).toBe("many");
  });

  it("groups digits as the language does", () => {
    expect(say(t.common.loopCount, { count: 10_000 })).toBe("10,000 loops");
  });

  it("shows an ellipsis for a value that did not come, never a brace", () => {
    expect(fill("{a} and {b}", { a: "x" })).toBe("x and …");
  });

  it("leaves braces inside of values alone", () => {
    fc.assert(fc.property(fc.string(), (value) => fill("<{a}>", { a: value }) === `<${value}>`));
  });
});

describe("times", () => {
  const now = Date.UTC(2026, 10, 20, 12, 0, 0);
  it.each([
    [0, "now"],
    [12_000, "12 s ago"],
    [59_999, "59 s ago"],
    [60_000, "1 min ago"],
    [3_600_000, "1 h ago"],
    [86_399_000, "23 h ago"],
  ])("says %i ms as %s", (age, said) => expect(relativeTime(now - age, now)).toBe(said));

  it("turns to the date after a day", () => {
    expect(relativeTime(now - 3 * 86_400_000, now)).toBe("17 Nov");
  });

  it("shows a time far ahead as what it is", () => {
    expect(relativeTime(now + 8 * 3_600_000, now)).toMatch(/2026/);
  });

  it.each([
    [412, "412 ms"],
    [1240, "1.2 s"],
    [999.6, "1 s"],
    [9_960, "10 s"],
    [59_400, "59 s"],
    [59_600, "1 min 0 s"],
    [-59_600, "-1 min 0 s"],
    [64_000, "1 min 4 s"],
    [119_600, "1 min 59 s"],
    [3_599_900, "59 min 59 s"],
    [3_840_000, "1 h 04 min"],
  ])("says a duration of %i ms as %s", (ms, said) => expect(duration(ms)).toBe(said));

  it.each([
    [999, "999 B"],
    [999_949, "999.9 kB"],
    [999_950, "1 MB"],
  ])("says %i bytes as %s", (count, said) => expect(bytes(count)).toBe(said));

  it("says no duration with a figure that fills the next unit", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (ms) => {
        expect(duration(ms)).not.toMatch(/^1,?000 ms|^60 s|\b60 min|\b60 s/);
      }),
    );
  });

  it("never throws, whatever a file says", () => {
    fc.assert(
      fc.property(fc.double(), fc.double(), (ms, at) => {
        duration(ms);
        relativeTime(ms, at);
        return true;
      }),
    );
  });
});

describe.each(LANGUAGES)("phrases in %s", (id) => {
  it("leave no slot of a sample row open", () => {
    language.id = id;
    const now = Date.now();
    for (const row of sampleRows(now)) {
      const texts = [
        statusText(row, now),
        rowName(row, now),
        row.phase ? phaseText(row.phase) : "",
        ...evidence(row, now),
        listEvidence(row, "storefront", null, NOW).text,
      ];
      expect(texts.join("\n")).not.toMatch(/[{}]|undefined|NaN/);
    }
  });
});

/** Where the core gives plain facts their names. */
function factsOfTheCore(): string[] {
  const core = join(UI, "../src-tauri/core/src");
  const sources = readdirSync(core, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".rs") && !file.endsWith("_tests.rs") && !file.startsWith("agent"))
    .map((file) => readFileSync(join(core, file), "utf8"));
  const calls = /facts\.(?:text|code|number|flag|list|time|add)\(\s*"([\w.]+)"|\badd\("([\w.]+)",/g;
  const found = sources.flatMap((source) =>
    [...source.matchAll(calls)].map((match) => match[1] ?? match[2]!),
  );
  return [...new Set(found)];
}

describe("names of facts", () => {
  it("has words for every name that the core gives", () => {
    const names = factsOfTheCore();
    expect(names.length).toBeGreaterThan(30);
    expect(
      names.filter((name) => name.split(".").some((part) => part !== "summary" && isRawName(part))),
    ).toEqual([]);
  });

  it("are words where the catalogue knows them, part by part", () => {
    expect(factName("summary.develop.total_tasks")).toBe("Develop · Tasks");
    expect(factName("prep_source.session")).toBe("Prepared from · session");
  });

  it("are the file's own otherwise, also when they look like members of an object", () => {
    expect(factName("constructor")).toBe("constructor");
    expect(isRawName("x_unheard_of")).toBe(true);
    expect(isRawName("title")).toBe(false);
  });
});
