import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { manyRows, MemoryHost, SAMPLE_WORKSPACES } from "../src/host/memory";
import { rowThatNeeds } from "../src/host/sample-needs";
import { reportSentence, risksOf, riskText } from "../src/words/report-phrases";
import type { LoopFacts, RunFacts } from "../src/host/bindings";
import { violations } from "./axe";
import { keyOf, mountApp, needyHost, NOW, sampleHost } from "./mount";
import { sinceOf } from "../src/views/overview/period";
import { choose, click, fill, press } from "./person";

const NOTHING: LoopFacts = {
  iterations: null,
  tests: null,
  root_cause: null,
  tasks: null,
  atoms: null,
  checks: null,
  files_changed: 0,
  redirects: 0,
  alternatives_failed: 0,
  risks: [],
};
const RUNS: RunFacts = {
  runs: 2,
  denied: 0,
  limits_raised: 0,
  tokens: null,
  cost_usd: null,
  worked_ms: 0,
  started: null,
  ended: null,
  agents: [],
  actions: [],
  changes: [],
};

async function openOverview(host = sampleHost()): Promise<HTMLElement> {
  const container = await mountApp(host);
  await click(screen.getByRole("button", { name: "Dashboard" }));
  await waitFor(() => expect(screen.getByRole("heading", { name: "Dashboard", level: 1 })).toBeTruthy());
  return container;
}

const section = (name: RegExp) => screen.findByRole("region", { name });
const rowsIn = (part: HTMLElement) => within(part).getAllByRole("listitem");

describe("the overview", () => {
  it("opens from the sidebar and with g s, and shows the most urgent first", async () => {
    await mountApp(sampleHost());
    await press("gs");
    await screen.findByRole("heading", { name: "Dashboard", level: 1 });
    const headings = await waitFor(() => {
      const all = within(screen.getByTestId("overview-page"))
        .getAllByRole("heading", { level: 2 })
        .map((heading) => heading.textContent.trim());
      expect(all.length).toBeGreaterThan(3);
      return all;
    });
    expect(headings[0]).toMatch(/^Needs you/);
    expect(headings[1]).toMatch(/^Running/);
  });

  it("counts every loop once, and says how many at the top", async () => {
    const host = sampleHost();
    await openOverview(host);
    await section(/^Needs you/);
    const shown = screen
      .getAllByTestId("overview-section")
      .reduce((sum, list) => sum + within(list).getAllByRole("listitem").length, 0);
    expect(shown).toBe(host.rows().length);
    expect(screen.getByTestId("overview-totals").textContent).toMatch(/\d+ need you · oldest /);
  });

  it("says facts in one sentence, and opens the loop", async () => {
    await openOverview();
    const failed = await section(/^Needs you/);
    await click(within(rowsIn(failed)[0]!).getByRole("button", { name: /^Open / }));
    await waitFor(() => expect(screen.queryByTestId("overview-page")).toBeNull());
  });

  it("has the same loops under “Needs you” as the list, and offers their next step", async () => {
    const host = needyHost();
    const need = host.runs.waiting.find(({ kind }) => kind === "permission")!;
    host.write(
      need.key,
      rowThatNeeds(
        host.rows().find(({ key }) => key === need.key)!,
        need,
      ),
    );
    const container = await openOverview(host);
    const needing = await section(/^Needs you/);
    const count = () => screen.getByTestId("needs-count").textContent;
    await waitFor(() => expect(rowsIn(needing).length).toBe(Number(count())));
    within(needing).getByRole("button", { name: `Answer: ${need.title}` });
    await click(within(needing).getByRole("button", { name: /eopen: Upgrade the build/ }));
    await press("{Escape}", await screen.findByRole("dialog"));
    // An end was looked at: it needs nobody any more.
    await click(screen.getByRole("button", { name: "Open Upgrade the build to Node 22" }));
    await waitFor(() => expect(host.settings.opened).not.toEqual({}));
    await click(screen.getByTestId("nav-overview"));
    const after = await section(/^Needs you/);
    expect(within(after).queryByText("Upgrade the build to Node 22")).toBeNull();
    await waitFor(() => expect(rowsIn(after).length).toBe(Number(count())));
    expect(container.textContent).toContain("Upgrade the build to Node 22");
  });

  it("follows changes while it is open", async () => {
    const host = sampleHost();
    await openOverview(host);
    const running = await section(/^Running/);
    const before = rowsIn(running).length;
    const key = host.rows().find((row) => row.group === "active")!.key;
    host.write(key, { word: "completed", group: "finished" });
    await waitFor(async () => expect(rowsIn(await section(/^Running/)).length).toBe(before - 1));
  });

  it("marks what ended since the last visit, and a visit ends when the person leaves", async () => {
    const host = sampleHost();
    host.visited = NOW - 30 * 24 * 3_600_000;
    await openOverview(host);
    const finished = await section(/^Finished/);
    expect(within(finished).getAllByText("New").length).toBeGreaterThan(0);
    await click(screen.getByRole("button", { name: /^Loops/ }));
    await waitFor(() => expect(host.visited).toBeGreaterThan(NOW - 24 * 3_600_000));
  });

  it("shows a failure as a failure, and tries again", async () => {
    const host = sampleHost();
    await mountApp(host);
    host.failNext = { kind: "own_data", args: { reason: "the disk is full" }, refusal: null };
    await click(screen.getByRole("button", { name: "Dashboard" }));
    expect((await screen.findByTestId("failure")).textContent).toContain("the disk is full");
    await click(screen.getByRole("button", { name: "Try again" }));
    await section(/^Needs you/);
    expect(screen.queryByTestId("failure")).toBeNull();
  });

  it("shows a part of 10,000 loops, and more when asked", async () => {
    const host = new MemoryHost();
    host.fill(manyRows(10_000, NOW), SAMPLE_WORKSPACES);
    await openOverview(host);
    const finished = await section(/^Finished/);
    expect(rowsIn(finished).length).toBe(50);
    await click(within(finished).getByRole("button", { name: "Show 50 more" }));
    await waitFor(async () => expect(rowsIn(await section(/^Finished/)).length).toBe(100));
  });

  it("says what it shows when there is nothing", async () => {
    await openOverview(new MemoryHost());
    expect(await screen.findByText("No loops yet")).toBeTruthy();
  });

  it("has no accessibility violations", async () => {
    const container = await openOverview();
    await section(/^Needs you/);
    expect(await violations(container)).toEqual([]);
  });
});

describe("the sentence of a loop", () => {
  it("says what is known, and nothing of what is not", () => {
    const counts = (passed: number, failed: number) => ({
      passed,
      failed,
      skipped: 0,
      total: passed + failed,
      at: null,
    });
    const facts: LoopFacts = {
      ...NOTHING,
      tests: { first: counts(3, 5), last: counts(8, 0), runs: 4 },
      tasks: { done: 5, total: 5 },
      files_changed: 1,
      iterations: { current: 4, limit: 10 },
    };
    const runs: RunFacts = { ...RUNS, worked_ms: 754_000, cost_usd: 1.2 };
    expect(reportSentence({ facts, claims: null, runs })).toBe(
      "tests passed 3 → 8 of 8, 5 of 5 tasks done, 1 file changed, iteration 4 of 10, 12 min 34 s of agent time, 1.20 USD",
    );
    const tasks = { ...NOTHING, tasks: { done: 5, total: 6 } };
    expect(reportSentence({ facts: tasks, claims: { claimed: 5, proven: 3 }, runs: null })).toBe(
      "5 of 6 claimed, 3 proven",
    );
    expect(reportSentence({ facts: NOTHING, claims: null, runs: null })).toBe("");
    expect(reportSentence({ facts: null, claims: null, runs: { ...RUNS, tokens: 1500 } })).toBe(
      "1,500 tokens",
    );
  });

  it("says that no iterations are left where none are", () => {
    const left = (count: number) => riskText({ kind: "near_limit", count });
    expect([left(2), left(1), left(0)]).toEqual([
      "Iterations left: 2",
      "Iterations left: 1",
      "No iterations left",
    ]);
  });

  it("names risks with their number, also those that only runs tell", () => {
    const facts: LoopFacts = { ...NOTHING, risks: [{ kind: "failing_tests", count: 2 }] };
    const risks = risksOf({ facts, runs: { ...RUNS, denied: 1 } });
    expect(risks.map(riskText)).toEqual(["Failing tests: 2", "Actions denied: 1"]);
  });
});

describe("a report", () => {
  const dialog = () => screen.findByRole("dialog");

  it("is previewed as it will be saved, and saved where the person wants it", async () => {
    const host = sampleHost();
    await openOverview(host);
    await click(screen.getByRole("button", { name: "Write a report" }));
    const open = await dialog();
    const preview = within(open).getByRole("region", { name: "Preview" });
    await waitFor(() => expect(preview.textContent).toContain("16 loops"));
    await fill(within(open).getByLabelText("Title"), "Week 47");
    await waitFor(() => expect(preview.textContent).toContain("Week 47"));
    await click(within(open).getByLabelText("File paths"));
    await click(within(open).getByRole("button", { name: "Save as HTML" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    const last = host.asked.filter((one) => one.startsWith("report ")).at(-1)!;
    expect(JSON.parse(last.slice(7))).toEqual({
      keys: null,
      since: null,
      options: { title: "Week 47", language: "en", paths: true, commands: false, notes: false },
    });
  });

  it("is saved as it was previewed, whatever the loops do meanwhile", async () => {
    const host = sampleHost();
    await openOverview(host);
    await click(screen.getByRole("button", { name: "Write a report" }));
    const open = await dialog();
    const preview = within(open).getByRole("region", { name: "Preview" });
    await waitFor(() => expect(preview.textContent).toContain("16 loops"));
    const title = "Implement user";
    host.write(keyOf(host, title), { title: "Changed behind the preview" });
    await fill(within(open).getByLabelText("Title"), "W");
    await click(within(open).getByRole("button", { name: "Save as Markdown" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    const asked = host.asked.filter((one) => one.startsWith("report ")).length;
    const saved = host.saved.at(-1)!;
    expect(saved.startsWith("# W")).toBe(true);
    expect(saved).toContain("Changed behind the preview");
    expect(asked, "for each preview, and not once more").toBe(2);
  });

  it("is about the loops that the person chooses", async () => {
    const host = sampleHost();
    await openOverview(host);
    await click(screen.getByRole("button", { name: "Write a report" }));
    const open = await dialog();
    const asked = () => {
      const last = host.asked.filter((one) => one.startsWith("report ")).at(-1)!;
      return (JSON.parse(last.slice(7)) as { keys: string[] | null }).keys;
    };
    await choose(within(open).getByLabelText("Loops"), "Loops I choose");
    expect(open.textContent).toContain("Choose at least one loop.");
    expect(within(open).getByRole("button", { name: "Save as HTML" })).toHaveProperty("disabled", true);
    await fill(within(open).getByLabelText("Find a loop by its title"), "redis");
    await click(within(open).getByRole("checkbox", { name: /Redis/ }));
    await fill(within(open).getByLabelText("Find a loop by its title"), "nothing like it");
    await waitFor(() => expect(asked()).toEqual([keyOf(host, "Migrate sessions to Redis")]));
    expect(within(open).getAllByRole("checkbox", { checked: true })).toHaveLength(1);
    const folder = SAMPLE_WORKSPACES[0]!;
    await choose(within(open).getByLabelText("Loops"), `Loops in ${folder.name}`);
    const own = host.rows().filter(({ workspace }) => workspace === folder.id);
    await waitFor(() => expect(asked()?.toSorted()).toEqual(own.map(({ key }) => key).toSorted()));
  });

  it("takes a period, in days where the person is", () => {
    const noon = new Date(2026, 10, 26, 12).getTime();
    expect(sinceOf("always", noon)).toBeNull();
    expect(sinceOf("today", noon)).toBe(new Date(2026, 10, 26).getTime());
    expect(sinceOf("week", noon)).toBe(noon - 7 * 86_400_000);
  });

  it("can be about one loop", async () => {
    await mountApp(sampleHost());
    const row = screen.getAllByTestId("loop-row")[0]!;
    await click(within(row).getByRole("button", { name: /^Actions for/ }));
    await click(await screen.findByRole("menuitem", { name: "More" }));
    await click(screen.getByRole("menuitem", { name: "Write a report" }));
    const open = await dialog();
    await waitFor(() => expect(open.textContent).toMatch(/Report: /));
    expect(within(open).queryByText("Period")).toBeNull();
  });

  it("has no accessibility violations", async () => {
    await openOverview();
    await click(screen.getByRole("button", { name: "Write a report" }));
    const open = await dialog();
    await waitFor(() => expect(open.textContent).toContain("16 loops"));
    expect(await violations(open)).toEqual([]);
  });
});

describe("the summary of a loop", () => {
  it("tells decisions with their reasons and what is left, on the first tab", async () => {
    const host = sampleHost();
    await mountApp(host);
    const row = host.rows().find(({ phase }) => phase?.kind === "debug")!;
    await click(screen.getByText(row.title));
    await press("{Enter}");
    const decisions = await screen.findByTestId("decisions");
    expect(within(decisions).getAllByRole("listitem").length).toBeGreaterThan(0);
    expect(screen.getByRole("region", { name: "What happened" })).toBeTruthy();
  });
});
