import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import type {
  AotVerification,
  ChecklistRow,
  CheckOutcome,
  LoopRow,
  LoopRun,
  WorkerNow,
} from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { checklistMarkdown, outcomeWarning, whoChecked } from "../src/views/loop/overview/checklist";
import { checksAtWork } from "../src/views/loop/overview/checks-at-work";
import { isCurrent, outcomesOf, passedOf, whatVerifies } from "../src/views/loop/overview/verifications";
import { Query } from "../src/state/query.svelte";
import { keyOf, mountApp, sampleHost } from "./mount";
import { click } from "./person";

const OURS: LoopRun = {
  agent: "Claude Code",
  level: "full_access",
  alive: true,
  action: "judge",
  last_output: null,
  cost_usd: null,
  tokens: null,
  stop: null,
  needs: 0,
  workers: [],
};

const AT = new Date(2026, 10, 20, 14, 2).getTime();

function outcome(row: number, item: string, more: Partial<CheckOutcome> = {}): CheckOutcome {
  return {
    row,
    item,
    verdict: "pass",
    evidence: "",
    exit_code: null,
    could_not_run: false,
    took_ms: null,
    why: null,
    score: null,
    at: AT,
    by: "native",
    ...more,
  };
}

async function rowsOf(host: MemoryHost): Promise<ChecklistRow[]> {
  return (await host.openLoop(keyOf(host, "Checkout"))).detail.checklist;
}

/** One result for each check of the sample, as the backend would name them. */
function verified(rows: readonly ChecklistRow[], more: Partial<AotVerification> = {}): AotVerification {
  const results = rows.flatMap((row, at) => {
    if (row.kind !== "check") return [];
    const item = row.item || row.value || row.rubric[0]?.criterion || "";
    if (row.check_type === "command")
      return outcome(at, item, {
        verdict: "fail",
        exit_code: 1,
        took_ms: 3_200,
        evidence: "2 of 44 failed\nFAIL x",
      });
    if (row.check_type === "not_command")
      return outcome(at, item, { exit_code: 127, could_not_run: true, evidence: "sh: no such program" });
    if (row.check_type === "quality")
      return outcome(at, item, { by: "judge", score: 4, evidence: "Reads well." });
    if (row.check_type === "file") return outcome(at, item, { by: "person", at: null });
    return outcome(at, item);
  });
  return { iteration: 5, started: AT, verdict: "fail", results, ...more };
}

async function open(host: MemoryHost): Promise<void> {
  host.open = keyOf(host, "Checkout");
  await mountApp(host);
  await screen.findByRole("tabpanel", { name: "Overview" });
}

describe("the checklist", () => {
  it("shows the newest verdict of each check, with its evidence and who says so", async () => {
    const host = sampleHost();
    const rows = await rowsOf(host);
    host.runs.verificationsOf.set(keyOf(host, "Checkout"), [verified(rows)]);
    await open(host);
    expect((await screen.findByTestId("verified")).textContent).toContain("Verified in iteration 5");
    const list = screen.getByTestId("checklist");
    const notes = within(list).getAllByTestId("check-outcome");
    expect(notes).toHaveLength(rows.filter(({ kind }) => kind === "check").length);
    const text = notes.map((one) => one.textContent).join("\n");
    expect(text).toMatch(/checked by Loopdeck.*exit code 1.*3\.2 s/s);
    expect(text).toContain("2 of 44 failed");
    expect(text).toMatch(/judged by an agent.*4 of 5.*Reads well/s);
    expect(text).toContain("confirmed by you");
    expect(list.querySelectorAll(".result.fail").length).toBeGreaterThan(0);
    expect(screen.queryByText(/^No evidence yet/)).toBeNull();
  });

  it("warns in words of what passed because the command could not run", () => {
    const unrun = outcome(0, "npm audit", { could_not_run: true, exit_code: 127 });
    expect(outcomeWarning(unrun)).toBe("Passed because the command couldn’t run (exit code 127).");
    expect(outcomeWarning({ ...unrun, verdict: "fail" })).toBe("The command couldn’t run (exit code 127).");
    expect(outcomeWarning({ ...unrun, exit_code: null })).toBe("Passed because the command didn’t finish.");
    expect(outcomeWarning({ ...unrun, could_not_run: false })).toBeNull();
  });

  it("says in words why a check has no result", async () => {
    const host = sampleHost();
    const why = { verdict: "unknown", why: "outside", evidence: "The path leads out." } as const;
    const results = [outcome(0, "Files", why)];
    host.runs.verificationsOf.set(keyOf(host, "Checkout"), [
      { ...verified([]), verdict: "unknown", results },
    ]);
    await open(host);
    await click(await screen.findByTestId("verification"));
    const notes = within(screen.getByRole("list", { name: "Verifications" })).getAllByTestId("check-outcome");
    expect(notes[0]!.textContent).toContain("The path is outside the loop’s folder.");
    expect(notes[0]!.textContent).not.toContain("The path leads out.");
  });

  it("lists every verification below it, each with what came of its checks", async () => {
    const host = sampleHost();
    const rows = await rowsOf(host);
    const newest = verified(rows);
    const older = {
      ...verified(rows),
      iteration: 3,
      started: AT - 60_000,
      results: newest.results.slice(0, 1),
    };
    host.runs.verificationsOf.set(keyOf(host, "Checkout"), [newest, older]);
    await open(host);
    const list = await screen.findByRole("list", { name: "Verifications" });
    const heads = within(list).getAllByTestId("verification");
    const [first, second] = heads.map((one) => one.textContent?.replace(/\s+/g, " "));
    const total = newest.results.length;
    expect(first).toContain(`${total - 1} of ${total} passed`);
    expect(first).toMatch(/Iteration 5.*not passed/);
    expect(second).toMatch(/Iteration 3/);
    const details = heads[1]!.closest("details")!;
    expect(details.open).toBe(false);
    await click(heads[1]!);
    expect(within(details).getAllByTestId("check-outcome")).toHaveLength(1);
  });

  it("asks again when the file has changed", async () => {
    const host = sampleHost();
    const rows = await rowsOf(host);
    const key = keyOf(host, "Checkout");
    await open(host);
    expect(screen.queryByTestId("verifications")).toBeNull();
    host.runs.verificationsOf.set(key, [verified(rows)]);
    host.write(key, {});
    await waitFor(() => expect(screen.queryByTestId("verifications")).not.toBeNull());
  });

  it("does not ask while agents only talk", async () => {
    const host = sampleHost();
    const key = keyOf(host, "Checkout");
    const asked = vi.spyOn(host.runs, "verifications");
    const row = host.rows().find((one) => one.key === key)!;
    const worker = { run: "r1", action: "judge", task: "x", started: 1, last_output: 2, line: "one" };
    const run = (workers: WorkerNow[]): LoopRow => ({
      ...row,
      run: { ...OURS, workers },
    });
    const verifications = new Query((of: string) => host.runs.verifications(of));
    const follow = (now: LoopRow) => void verifications.follow(key, whatVerifies(now));
    follow(run([worker]));
    follow(run([{ ...worker, line: "two", last_output: 3 }]));
    expect(asked).toHaveBeenCalledTimes(1);
    follow(run([]));
    await waitFor(() => expect(asked).toHaveBeenCalledTimes(2));
  });

  it("leaves out what is about another check than the one that is there now", async () => {
    const rows = await rowsOf(sampleHost());
    const verification = verified(rows);
    expect(outcomesOf(rows, verification).size).toBe(verification.results.length);
    const changed = rows.map((row) => ({ ...row, item: `New ${row.item}`, value: "other", rubric: [] }));
    expect(outcomesOf(changed, verification).size).toBe(0);
    expect(outcomesOf(rows, undefined).size).toBe(0);
  });

  it("shows a check that runs now, with its last line, and opens its output", async () => {
    const host = sampleHost();
    const rows = await rowsOf(host);
    const key = keyOf(host, "Checkout");
    const command = rows.find((row) => row.check_type === "command")!;
    const judged = rows.findIndex((row) => row.check_type === "quality");
    const base = { started: Date.now() - 130_000, last_output: Date.now() };
    const workers: WorkerNow[] = [
      { ...base, run: "run-1", action: "check", task: command.item || command.value, line: "3 of 44 done" },
      { ...base, run: "run-2", action: "judge", task: `check-${judged + 1}`, line: "Reading" },
      { ...base, run: "run-3", action: "atom", task: command.item, line: "not a check" },
    ];
    host.write(key, { run: { ...OURS, workers } });
    await open(host);
    await waitFor(() => expect(screen.getAllByTestId("check-runs")).toHaveLength(2));
    const [first, second] = screen.getAllByTestId("check-runs");
    expect(first!.closest("li")?.textContent).toContain(command.item);
    expect(first!.textContent).toMatch(/Running now.*2 min.*3 of 44 done/s);
    expect(second!.textContent).toMatch(/Judging now.*Reading/s);
    await click(within(first!).getByTestId("at-work"));
    await screen.findByRole("tabpanel", { name: "Output" });
  });

  it("gives two checks of one name a process each, and none to another kind", async () => {
    const rows = await rowsOf(sampleHost());
    const command = rows.find((row) => row.check_type === "command")!;
    const twice = [{ ...command, check_type: "file" as const }, { ...command }, { ...command }];
    const base = { action: "check", task: command.item, started: 1, last_output: null, line: "" };
    const found = checksAtWork(twice, [
      { ...base, run: "a" },
      { ...base, run: "b" },
      { ...base, run: "c" },
    ]);
    expect(twice.map((row) => found.get(row)?.run)).toEqual([undefined, "a", "b"]);
  });

  it("shows a verdict as old once a later round began or the checks changed", async () => {
    const rows = await rowsOf(sampleHost());
    const verification = verified(rows);
    expect(isCurrent(verification, rows, 5)).toBe(true);
    expect(isCurrent(verification, rows, undefined)).toBe(true);
    expect(isCurrent(verification, rows, 6)).toBe(false);
    const at = verification.results[0]!.row;
    const changed = rows.map((row, index) => (index === at ? { ...row, item: "New", value: "other" } : row));
    expect(isCurrent(verification, changed, 5)).toBe(false);
    expect(isCurrent({ ...verification, current: true }, changed, 6)).toBe(true);
    expect(isCurrent({ ...verification, current: false }, rows, 5)).toBe(false);
  });

  it("says in the list that the verdict is old", async () => {
    const host = sampleHost();
    const key = keyOf(host, "Checkout");
    const { iteration } = host.rows().find((row) => row.key === key)!;
    const rows = await rowsOf(host);
    host.runs.verificationsOf.set(key, [verified(rows, { iteration: iteration!.current })]);
    await open(host);
    await screen.findByTestId("verified");
    expect(screen.queryByTestId("verdict-old")).toBeNull();
    host.write(key, { iteration: { ...iteration!, current: iteration!.current + 1 } });
    expect((await screen.findByTestId("verdict-old")).textContent).toContain("changed since");
    expect(screen.getByTestId("checklist").querySelector(".result.old")).not.toBeNull();
  });

  it("is copied with what came of it", async () => {
    const host = sampleHost();
    const { detail } = await host.openLoop(keyOf(host, "Checkout"));
    const outcomes = outcomesOf(detail.checklist, verified(detail.checklist));
    const text = checklistMarkdown(detail.checklist, detail.checklist_total!, outcomes);
    expect(text).toContain("[x]");
    expect(text).toContain("checked by Loopdeck");
    expect(whoChecked(outcome(0, "x", { by: "person", verdict: "fail" }))).toBe("rejected by you");
    expect(passedOf({ results: [outcome(0, "a"), outcome(1, "b", { verdict: "unknown" })] })).toBe(1);
  });
});
