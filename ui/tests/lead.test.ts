import { describe, expect, it } from "vitest";
import type { AotVerification, LoopDetail, LoopRow, StatusWord, Wish } from "../src/host/bindings";
import { sampleDetail } from "../src/host/sample-details";
import { blankDetail } from "../src/host/sample-empty";
import { sampleRows } from "../src/host/sample-rows";
import { controlsOf } from "../src/host/sample-rules";
import { keyFacts } from "../src/views/loop/overview/key-facts";
import { leadText, standingOf } from "../src/views/loop/overview/lead";
import { language } from "../src/words/language.svelte";
import { wordsOf } from "./lists";

const NOW = new Date(2026, 10, 20, 14, 2).getTime();

function rowOf(title: string, more: Partial<LoopRow> = {}): LoopRow {
  const found = sampleRows(NOW).find((row) => row.title.startsWith(title));
  if (!found) throw new Error(`no sample loop ${title}`);
  return { ...found, ...more };
}

function detailOf(row: LoopRow, more: Partial<LoopDetail> = {}): LoopDetail {
  return { ...blankDetail(), controls: controlsOf(row), ...more };
}

const said = (row: LoopRow, more: Partial<LoopDetail> = {}) => leadText(row, detailOf(row, more));

describe("what comes next", () => {
  it("names what is in progress, and what follows", () => {
    const row = rowOf("Checkout");
    const batch = ["A3", "A5", "A6", "A7", "A9"];
    expect(said(row, { batch })).toBe("Next: A3, A5, A6 and 2 more");
    const [first, ...rest] = sampleDetail(row).atoms;
    expect(said(row, { batch, atoms: [{ ...first!, id: "A1", state: "in_progress" }, ...rest] })).toContain(
      "In progress: A1",
    );
    const { tasks } = sampleDetail(rowOf("Implement user"));
    const states = ["completed", "in_progress", "pending"] as const;
    const three = states.map((state, at) => ({ ...tasks[0]!, id: `task-${at}`, state }));
    expect(said(rowOf("Implement user"), { tasks: three })).toBe("In progress: task-1 · Next: task-2");
  });

  it("is who works on it where the file says nothing, unless it is an agent of ours", () => {
    const row = rowOf("Implement user", { run: null });
    expect(said(row)).toBe("Not started by Loopdeck");
    const run = { agent: "Codex", alive: true } as LoopRow["run"];
    expect(said({ ...row, run })).toBe("");
  });

  it("says what a worker of a Loop-B asks for", () => {
    const row = rowOf("Dark mode", { word: "running", request: null });
    const { way } = sampleDetail(row);
    const wish: Wish = { from: "develop", to: "validate", heading: "on", lines: [] };
    expect(said(row, { way: { ...way!, wish } })).toBe("Develop suggests Validate next");
  });

  it.each([
    ["needs_you", "Waiting for your answer"],
    ["pausing", "Pauses after the current action"],
    ["usage_limit", "Waiting for the usage limit to reset"],
  ] as const)("says what %s waits for, before anything else", (word, next) => {
    expect(said(rowOf("Checkout", { word }), { batch: ["A3"] })).toBe(next);
  });

  it("doesn’t repeat that a run of ours asks, which the line above says", () => {
    const run = { agent: "Codex", alive: true } as LoopRow["run"];
    expect(said(rowOf("Checkout", { word: "needs_you", run }), { batch: ["A3"] })).not.toContain("answer");
  });

  it("leads to the verb that continues, and to the limit where that is in the way", () => {
    expect(said(rowOf("Type the"))).toBe("“Start agent and resume” continues the work");
    expect(said(rowOf("Migrate"))).toBe("Raise the limit to continue");
  });

  it("of a finished loop is nothing", () => {
    expect(said(rowOf("Cache"))).toBe("Nothing is left to do");
  });

  it("quotes a status that the format does not define", () => {
    expect(said(rowOf("Login redesign"))).toBe(
      "The file says “hibernating”, which its format doesn’t define · Loopdeck shows this format but doesn’t change it",
    );
  });

  it.each(["en", "zh-CN", "ja"] as const)("is whole for every word in %s", (id) => {
    language.id = id;
    try {
      for (const word of wordsOf("StatusWord") as StatusWord[]) {
        for (const row of sampleRows(NOW).map((one) => ({ ...one, word }))) {
          const text = leadText(row, sampleDetail(row));
          expect(text, `${word} ${row.title}`).not.toMatch(/[{}]|undefined|：；|: ;|^ · | · $/);
        }
      }
    } finally {
      language.id = "en";
    }
  });
});

describe("the facts of a loop", () => {
  const ids = (row: LoopRow, detail: LoopDetail) => keyFacts(row, detail).map(({ id }) => id);

  it("are those that matter in its state, three at most and each once", () => {
    const running = rowOf("Implement user");
    expect(ids(running, sampleDetail(running))).toEqual(["tests", "cause", "work"]);
    const failed = rowOf("Upgrade");
    expect(ids(failed, sampleDetail(failed))).toEqual(["reason", "error", "tests"]);
    const limited = rowOf("Migrate");
    expect(ids(limited, detailOf(limited))).toEqual(["work", "reason"]);
  });

  it("say what is wrong before what is well", () => {
    const row = rowOf("Implement user");
    const fact = keyFacts(row, sampleDetail(row))[0];
    expect(fact).toMatchObject({ value: "41 of 44", note: "2 failed", role: "danger", tab: "tests" });
  });

  it("count the checks as they were run, for as long as that is about the file as it is", () => {
    const row = rowOf("Checkout", { word: "completed" });
    const detail = sampleDetail(row);
    const result = (verdict: "pass" | "fail", at: number) => ({
      ...{ row: at, item: "", verdict, evidence: "", exit_code: null, could_not_run: false },
      ...{ took_ms: null, why: null, score: null, at: NOW, by: "native" as const },
    });
    const { all } = detail.checklist_total!.counts;
    const passed = Array.from({ length: all }, (_, at) => result("pass", at));
    const verification: AotVerification = {
      ...{ iteration: 17, started: NOW, verdict: "pass", results: passed, current: true },
    };
    const checks = (latest?: AotVerification) =>
      keyFacts(row, detail, latest).find(({ id }) => id === "checks");
    expect(checks(verification)).toMatchObject({ value: `${all} of ${all}`, note: "", role: "success" });
    const one = { ...verification, results: [result("fail", 0), ...passed.slice(2)] };
    expect(checks(one)).toMatchObject({
      value: `${all - 2} of ${all}`,
      note: "1 not passed",
      role: "danger",
    });
    expect(checks({ ...verification, current: false })).toEqual(checks());
    expect(checks()?.value).not.toBe(`${all} of ${all}`);
  });

  it("never repeat one, whatever the state", () => {
    for (const word of wordsOf("StatusWord") as StatusWord[]) {
      for (const row of sampleRows(NOW).map((one) => ({ ...one, word }))) {
        const all = ids(row, sampleDetail(row));
        expect(new Set(all).size).toBe(all.length);
      }
      expect(standingOf({ word })).toBeTruthy();
    }
  });
});
