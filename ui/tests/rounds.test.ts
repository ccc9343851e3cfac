import { screen } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { AotVerification, Changed, CheckOutcome, TimelineEntry } from "../src/host/bindings";
import { plainEntry } from "../src/host/sample-timeline";
import { entryGroups } from "../src/views/loop/timeline/groups";
import { roundsOf } from "../src/views/loop/timeline/rounds";
import { groupText, timelineMarkdown } from "../src/views/loop/timeline/text";
import { keyOf, mountApp, sampleHost } from "./mount";
import { click } from "./person";

const NOON = Date.UTC(2026, 10, 20, 12);
type Status = NonNullable<Changed["to_status"]>;

function atom(id: string, from: Status | null, to: Status | null): Changed {
  return { what: "atom", id, from, to, from_status: from, to_status: to };
}

let made = 0;
function version(iteration: number | null, changes: Changed[]): TimelineEntry {
  made += 1;
  const content = {
    from: "version",
    id: made,
    who: "ours",
    cause: "pause",
    write: "landed",
    item: null,
  } as const;
  const entry = plainEntry(`v${made}`, "loopdeck", NOON + made, { ...content, changes });
  return { ...entry, iteration };
}

const outcome = (row: number, verdict: CheckOutcome["verdict"]): CheckOutcome => ({
  row,
  item: `check ${row}`,
  verdict,
  evidence: "",
  exit_code: null,
  could_not_run: false,
  took_ms: null,
  why: null,
  score: null,
  at: null,
  by: "native",
});

const verification = (iteration: number, ...verdicts: CheckOutcome["verdict"][]): AotVerification => ({
  iteration,
  started: NOON + iteration,
  verdict: "fail",
  results: verdicts.map((verdict, row) => outcome(row, verdict)),
});

describe("a round in one line", () => {
  it("says where the atoms are at its end, whatever the way to it was", () => {
    const entries = [
      version(3, [atom("A3", "pending", "in_progress"), atom("A4", "pending", "in_progress")]),
      version(3, [atom("A3", "in_progress", "resolved")]),
      version(3, [
        atom("A4", "in_progress", "pending"),
        { what: "branch", id: "token", from: "A4", to: "A4_alt" },
      ]),
      version(4, [atom("A5", "pending", "in_progress"), atom("A6", null, "pending")]),
    ];
    const rounds = roundsOf(entries, []);
    expect(rounds.get(3)).toBe("A3: resolved · A4 set back to pending · token: A4 → A4_alt");
    expect(rounds.get(4)).toBe("A5 started · A6 added");
  });

  it("says when it made no progress, and what came of the checks", () => {
    const stall = (from: string, to: string): Changed => ({ what: "fact", id: "stall_count", from, to });
    const entries = [version(5, [stall("1", "2")]), version(6, [stall("2", "0")])];
    const checks = [verification(6, "pass", "fail", "pass"), verification(6, "fail")];
    const rounds = roundsOf(entries, checks);
    expect(rounds.get(5)).toBe("no progress");
    expect(rounds.get(6)).toBe("2 of 3 checks passed");
  });

  it("names a few, and counts the rest", () => {
    const many = [1, 2, 3, 4, 5, 6].map((n) => atom(`A${n}`, "in_progress", "resolved"));
    expect(roundsOf([version(1, many)], []).get(1)).toBe("A1, A2, A3, A4, 2 more: resolved");
  });

  it("leaves a group of which only other things are known its kinds", () => {
    const [group] = entryGroups([version(null, []), version(null, [])]);
    expect(groupText(group!, roundsOf([version(null, [atom("A1", "pending", "resolved")])], []))).toBe(
      "Loopdeck",
    );
  });

  it("is in the timeline and in its copy", async () => {
    const host = sampleHost();
    const key = keyOf(host, "Checkout");
    const entries = [version(3, [atom("A3", "in_progress", "resolved")])];
    const page = { entries, versions: [], more: false, failure: null };
    host.timeline = async () => page;
    host.open = key;
    await mountApp(host);
    await click(await screen.findByRole("tab", { name: /^Activity/ }));
    await screen.findAllByText("A3: resolved");
    expect(
      screen.getByRole("row", { name: "Iteration 3, A3: resolved" }).getAttribute("aria-label"),
    ).toContain("A3: resolved");
    expect(timelineMarkdown("x", entryGroups(entries), roundsOf(entries, []))).toContain("A3: resolved");
  });
});
