import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { mountApp, rowOf } from "./mount";
import { click } from "./person";
import { newestLine } from "../src/views/loop/output/rows";
import { playing, openOutput } from "./output-walk";

const spoken = () => document.querySelector('.only-heard[role="status"]')?.textContent;

describe("the head of a loop", () => {
  const strip = () => screen.getByTestId("run-strip").textContent?.replace(/\s+/g, " ");

  it("says what is done, by whom and since when", async () => {
    await openOutput(playing());
    await waitFor(() => expect(strip()).toMatch(/running for 4 min|running for 3 min/));
    expect(strip()).toMatch(/Develop · writing code.*Claude Code · Edit files.*last output \d+ s ago/);
  });

  it("counts the iteration that the run is in, like its output", async () => {
    const host = playing();
    await openOutput(host);
    const [run] = await host.runs.runs(host.open!);
    const { limit } = host.rows().find(({ key }) => key === host.open)!.iteration!;
    const head = document.querySelector('[data-pane="header"]')!;
    await waitFor(() => expect(head.textContent).toMatch(new RegExp(`\\b${run!.iteration} of ${limit}`)));
    host.write(host.open!, { iteration: { current: 0, limit } });
    await waitFor(() => expect(screen.getByRole("article").textContent).toContain("Develop"));
    expect(head.textContent).toMatch(new RegExp(`\\b${run!.iteration} of ${limit}`));
  });

  it("is part of one card on the overview, with the newest line of the output", async () => {
    const host = playing();
    await openOutput(host);
    await click(screen.getByTestId("tab-overview"));
    const lead = within(await screen.findByTestId("lead"));
    expect(lead.getByTestId("run-strip")).toBe(screen.getByTestId("run-strip"));
    const newest = await lead.findByRole("button", { name: /^Newest output/ });
    const { rows } = await host.runs.output(host.open!, null, 0, 10_000);
    expect(newest.textContent).toBe(newestLine(rows));
    expect(newest.textContent).not.toBe("");
    await click(newest);
    expect(screen.getByTestId("panel-output")).toBeTruthy();
  });

  it.each([
    ["needs_you", "Waiting for your answer"],
    ["usage_limit", "Waiting for the usage limit to reset"],
  ] as const)("says what is waited for, and not that code is written: %s", async (word, said) => {
    const host = playing();
    await openOutput(host);
    await waitFor(() => expect(strip()).toContain("writing code"));
    host.write(host.open ?? "", { word });
    await waitFor(() => expect(strip()).toContain(said));
    expect(strip()).not.toContain("writing code");
  });

  it("says what a pause waits for; Stop now asks first, Pause now does it", async () => {
    const host = playing();
    await openOutput(host, "Dark mode");
    host.write(host.open ?? "", { primary: "stop", title: "Dark mode, paused" });
    await screen.findByRole("heading", { name: "Dark mode, paused" });
    const waits = screen.getByTestId("run-waits");
    expect(waits.textContent).toMatch(/Pause requested \d\d:\d\d · waiting/);
    expect(screen.queryByTestId("request")).toBeNull();
    // One button stops, and it does not come to lie where Pause was.
    expect(screen.getAllByTestId("verb-stop")).toHaveLength(1);
    expect(screen.getByRole("button", { name: "Stop" }).classList).not.toContain("primary");
    await click(screen.getByRole("button", { name: "Pause now" }));
    expect(host.runs.asked).toEqual([`pause now ${host.open}`]);
    await click(screen.getByRole("button", { name: "Stop now" }));
    const dialog = await screen.findByRole("dialog", { name: "Stop “Dark mode, paused” now?" });
    await waitFor(() => expect(dialog.textContent).toContain("The agent’s processes will end: 4."));
    expect(host.runs.asked).toHaveLength(1);
    await click(screen.getByTestId("confirm-stop-now"));
    await waitFor(() => expect(host.runs.asked).toEqual([`pause now ${host.open}`, `stop now ${host.open}`]));
    // Nothing says stopped before the host does.
    expect(screen.getByTestId("run-waits")).toBeTruthy();
  });

  it("says what a stop left, and ends it", async () => {
    const host = playing();
    await openOutput(host, "Rewrite the importer");
    const result = screen.getAllByTestId("stop-result")[0]!;
    expect(result.textContent).toContain("3 ended, 1 still running: node (4711).");
    await click(within(result).getByRole("button", { name: /^End (it|them)$/ }));
    expect(host.runs.asked).toEqual([`stop now ${host.open}`]);
  });

  it("names before a stop what will end, and says its result at once when it is known", async () => {
    const host = playing();
    const container = await openOutput(host);
    await click(screen.getByRole("button", { name: "Stop" }));
    const dialog = await screen.findByRole("dialog", { name: "Stop “Implement user authentication”?" });
    expect(dialog.textContent).toContain("Stop “Implement user authentication”?");
    const ends = screen.getByTestId("will-end");
    await waitFor(() => expect(ends.textContent).toBe("The agent’s processes will end: 4."));
    expect(screen.getByTestId("effect").textContent).toBe(
      "Ends the agent and marks the loop as stopped by you. Changes to your files are kept.",
    );
    await click(screen.getByTestId("confirm"));
    await screen.findByTestId("run-waits");
    expect(screen.queryByTestId("stop-result")).toBeNull();
    host.settle();
    await waitFor(() =>
      expect(screen.getByTestId("stop-result").textContent).toContain("Processes ended: 4, 0 left."),
    );
    await waitFor(() =>
      expect(container.querySelector('[role="alert"], [aria-live="assertive"]')?.textContent).toMatch(
        /is now Stopped: Processes ended: 4, 0 left\./,
      ),
    );
  });

  it("hints at an agent that never gave a sign of life", async () => {
    await openOutput(playing(), "Flaky invoice");
    const hint = await screen.findByTestId("no-life");
    expect(hint.textContent).toMatch(/No activity for (8|9) min/);
    expect(hint.textContent).toContain("/usr/bin/codex exec --json");
    expect(hint.textContent).toContain("Reading prompt from stdin...");
    // Said once; a live region would be read again whenever the time in it goes on.
    expect(hint.closest('[role="status"], [aria-live]')).toBeNull();
    await waitFor(() => expect(spoken()).toContain("No activity for"));
  });
});

describe("the list", () => {
  it("offers what a run of ours needs, and has its cost and tokens as columns", async () => {
    const host = playing();
    const container = await mountApp(host);
    expect(within(rowOf(container, "Dark mode")).getByTestId("row-stop_now").textContent).toBe("Stop now");
    expect(within(rowOf(container, "Flaky invoice")).getByTestId("row-show_output").textContent).toBe(
      "Output",
    );
    const spent = () => within(rowOf(container, "Implement user")).queryByTestId("spent")?.textContent;
    expect(spent()).toContain("2.10 USD");
    await click(screen.getByRole("button", { name: "Columns" }));
    await click(await screen.findByRole("menuitemcheckbox", { name: "Cost (in a wide window)" }));
    expect(spent()).not.toContain("USD");
    await click(screen.getByRole("menuitemcheckbox", { name: "Tokens (in a wide window)" }));
    expect(spent()).toBeUndefined();
    expect(host.settings.hidden_columns).toEqual(["tokens", "cost"]);
  });
});
