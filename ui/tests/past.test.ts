import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { sourceText } from "../src/words/loop-phrases";
import type { Problem } from "../src/host/bindings";
import { type MemoryHost, SAMPLE_WORKSPACES } from "../src/host/memory";
import { keyOf, mountApp, rowOf, sampleHost } from "./mount";
import { choose, click, fill, press, rightClick } from "./person";

const READABLE = "Migrate sessions to Redis";
const DAMAGED = "loop-v2-20260122T020000-3fa";

async function openLoop(host: MemoryHost, title: string): Promise<HTMLElement> {
  host.open = keyOf(host, title);
  const container = await mountApp(host);
  await screen.findByRole("tabpanel", { name: "Overview" });
  return container;
}

async function openRecovery(host: MemoryHost): Promise<HTMLElement> {
  await openLoop(host, DAMAGED);
  await click(screen.getByRole("button", { name: "Recover…" }));
  const dialog = await screen.findByTestId("recover-dialog");
  await waitFor(() => expect(dialog.textContent).not.toContain("Looking for what can be recovered"));
  return dialog;
}

const wrote = (host: MemoryHost) => host.asked.filter((one) => /^(change|restore)/.test(one));

describe("recovery", () => {
  it("shows what is there beside the proposal, with the lines that differ", async () => {
    await openRecovery(sampleHost());
    const left = screen.getByTestId("diff-left");
    const right = screen.getByTestId("diff-right");
    expect(left.textContent).toContain("Write the migration notes");
    expect(right.textContent).not.toContain("Write the migration notes");
    expect([...right.querySelectorAll(".right")].map((line) => line.textContent)).toEqual([
      expect.stringContaining('"current_iteration": 3'),
    ]);
    expect(left.querySelectorAll(".left")).toHaveLength(8);
  });

  it("offers the ways in order, each with its sentence, its fields and what is lost", async () => {
    const dialog = await openRecovery(sampleHost());
    const ways = within(dialog).getAllByRole("radio");
    expect(ways.map((way) => way.textContent?.trim())).toEqual([
      "Last good version",
      "Corrected file",
      "Rebuilt",
    ]);
    expect(screen.getByTestId("way-text").textContent).toContain(
      "The newest version that Loopdeck could read.",
    );
    expect(dialog.textContent).toContain("Nothing known is lost.");
    await press("{ArrowLeft}", ways[0]!);
    expect(within(dialog).getByRole("radio", { checked: true }).textContent?.trim()).toBe("Rebuilt");
    const origins = screen.getByTestId("origins").textContent;
    expect(origins).toContain("file name");
    expect(origins).toContain("hypotheses.json");
    expect(origins).toContain("not found, left empty");
    expect(screen.getByTestId("lost").textContent).toContain("skill_state.validate.test_results");
  });

  it("writes nothing before it is told, then exactly the proposal that was looked at", async () => {
    const host = sampleHost();
    const dialog = await openRecovery(host);
    expect(dialog.textContent).toContain("The damaged file is kept as");
    expect(dialog.textContent).toContain(".json.damaged-20261120-084712");
    await click(screen.getByRole("radio", { name: "Corrected file" }));
    expect(wrote(host)).toEqual([]);
    await click(screen.getByRole("button", { name: "Recover file" }));
    await waitFor(() => expect(screen.queryByTestId("recover-dialog")).toBeNull());
    const labels = {
      title: null,
      description: null,
      max_iterations: null,
      tags: null,
      priority: null,
      notes: null,
    };
    const supplied = { metadata: labels, status: null, current_iteration: null, created_at: null };
    const change = { kind: "recover", way: "prefix", fingerprint: "prefix", supplied };
    expect(wrote(host)).toEqual([`change ${JSON.stringify(change)}`]);
    expect((await screen.findByTestId("done")).textContent).toContain("File recovered.");
    await waitFor(() => expect(screen.queryByTestId("unreadable")).toBeNull());
    expect(document.activeElement?.id).toBe("panel");
    await click(screen.getByRole("button", { name: "Undo" }));
    await screen.findByRole("button", { name: "Recover…" });
  });

  it("takes what no file says from the person, and only what was typed", async () => {
    const host = sampleHost();
    const dialog = await openRecovery(host);
    expect(screen.queryByTestId("type-in")).toBeNull();
    expect(screen.getByTestId("way-text").textContent).toContain("Recovers 44 of 44 values.");
    await click(screen.getByRole("radio", { name: "Rebuilt" }));
    expect(screen.getByRole("region", { name: "Fill in missing values" }).textContent).toContain(
      "Placeholders. Replace the ones you know.",
    );
    const limit = within(dialog).getByLabelText<HTMLInputElement>("Iteration limit");
    expect(limit.value).toBe("10");
    await fill(limit, "25");
    await choose(within(dialog).getByLabelText("Status"), "completed");
    await fill(within(dialog).getByLabelText("Tags, separated by commas"), "a, b");
    await click(screen.getByRole("button", { name: "Recover file" }));
    await waitFor(() => expect(wrote(host)).toHaveLength(1));
    const labels = {
      title: null,
      description: null,
      max_iterations: 25,
      tags: ["a", "b"],
      priority: null,
      notes: null,
    };
    const supplied = { metadata: labels, status: "completed", current_iteration: null, created_at: null };
    expect(wrote(host)[0]).toContain(`"supplied":${JSON.stringify(supplied)}`);
  });

  it.each([
    ["E5_id_mismatch", "doesn’t contain this loop’s state"],
    ["E8_duplicate_key", "doesn’t change this file, because it has errors"],
  ] as const)("is offered for a file that can be read and has %s", async (code, said) => {
    const host = sampleHost();
    const problem = { code, severity: "error", path: "", line: 3, args: {} } satisfies Problem;
    host.fill(
      host.rows().map((row) => (row.title === READABLE ? { ...row, problem } : row)),
      SAMPLE_WORKSPACES,
    );
    const open = host.openLoop.bind(host);
    host.openLoop = async (key) => ({ ...(await open(key)), recoverable: true, last_good: null });
    await openLoop(host, READABLE);
    expect((await screen.findByTestId("unreadable")).textContent).toContain(said);
    await click(screen.getByRole("button", { name: "Recover…" }));
    await screen.findByTestId("recover-dialog");
  });

  it("shows a failure in place and can look again", async () => {
    const host = sampleHost();
    const dialog = await openRecovery(host);
    host.failNext = { kind: "changed_since", args: { path: "x.json" }, refusal: null };
    await click(screen.getByRole("button", { name: "Recover file" }));
    const note = await within(dialog).findByTestId("failure");
    expect(note.textContent).toContain("Another program changed");
    await click(within(dialog).getByText("Check again"));
    await waitFor(() => expect(within(dialog).queryByTestId("failure")).toBeNull());
    expect(screen.getByRole("button", { name: "Recover file" })).not.toBeNull();
  });

  it("lets nobody write over a file that changed while they looked", async () => {
    const host = sampleHost();
    await openRecovery(host);
    host.write(keyOf(host, DAMAGED), { changed: Date.now() + 1 });
    const again = await screen.findByRole("button", { name: "Check again" });
    expect((screen.getByRole("button", { name: "Recover file" }) as HTMLButtonElement).disabled).toBe(true);
    await click(again);
    await waitFor(() =>
      expect((screen.getByRole("button", { name: "Recover file" }) as HTMLButtonElement).disabled).toBe(
        false,
      ),
    );
  });

  it("says what to do when there is nothing to recover from", async () => {
    const host = sampleHost();
    const recovery = host.recovery.bind(host);
    host.recovery = async (key) => ({ ...(await recovery(key)), options: [] });
    await openRecovery(host);
    expect(screen.getByRole("heading", { name: /^Nothing found/ })).toBeTruthy();
    expect(screen.queryByTestId("write")).toBeNull();
    await click(screen.getByRole("button", { name: "Show versions" }));
    await screen.findByTestId("versions");
  });

  it("shows the damaged text as text", async () => {
    const host = sampleHost();
    const recovery = host.recovery.bind(host);
    host.recovery = async (key) => ({ ...(await recovery(key)), there: "<script>alert(1)</script>\n" });
    const dialog = await openRecovery(host);
    expect(screen.getByTestId("diff-left").textContent).toContain("<script>alert(1)</script>");
    expect(dialog.querySelector("script")).toBeNull();
  });

  it("is in the menu of a row that cannot be read, and of no other", async () => {
    const container = await mountApp(sampleHost());
    await rightClick(rowOf(container, DAMAGED));
    await click(await screen.findByRole("menuitem", { name: "Recover…" }));
    await press("{Escape}", await screen.findByTestId("recover-dialog"));
    await rightClick(rowOf(container, "Implement user"));
    await screen.findByTestId("menu-open");
    expect(screen.queryByTestId("menu-recover")).toBeNull();
  });

  it("names its sources in words, and files as they are", () => {
    expect(sourceText("proposed")).toBe("proposed by Loopdeck, check it");
    expect(sourceText("debug.md")).toBe("debug.md");
    expect(sourceText("constructor")).toBe("constructor");
  });
});

async function openHistory(host: MemoryHost, title: string): Promise<HTMLElement> {
  await openLoop(host, title);
  await click(screen.getByRole("tab", { name: /^Files/ }));
  await click(await screen.findByTestId("state-file"));
  return screen.findByTestId("versions");
}

describe("the versions of the state file", () => {
  it("lists versions newest first, with who, what, size and marks", async () => {
    await openHistory(sampleHost(), DAMAGED);
    const names = screen.getAllByTestId("version").map((one) => one.getAttribute("aria-label") ?? "");
    expect(names).toHaveLength(7);
    expect(names[0]).toMatch(
      /^Changed, .*, Another program, .* B, current version, unreadable$|^Changed, .*kB, current version, unreadable$/,
    );
    expect(names[3]).toMatch(/^Paused, .*, Loopdeck, /);
    expect(names.filter((name) => name.includes("current version"))).toHaveLength(1);
  });

  it("moves with the arrows and opens with Enter", async () => {
    const list = await openHistory(sampleHost(), "Implement user");
    await press("{ArrowDown}", list);
    await press("{ArrowDown}", list);
    await press("{ArrowDown}", list);
    expect(screen.queryByTestId("as-it-was")).toBeNull();
    const at = document.getElementById(list.getAttribute("aria-activedescendant")!);
    expect(at?.getAttribute("aria-label")).toMatch(/^Paused/);
    await press("{Enter}", list);
    expect((await screen.findByTestId("as-it-was")).textContent).toContain("As it was at");
    expect(at?.getAttribute("aria-selected")).toBe("true");
    await press("{End}", list);
    expect(list.getAttribute("aria-activedescendant")).not.toBe(at?.id);
  });

  it("shows every part as it was, and nothing that acts on the file", async () => {
    await openHistory(sampleHost(), "Implement user");
    await click(screen.getAllByTestId("version")[3]!);
    const overview = await screen.findByTestId("past-overview");
    await waitFor(() => expect(overview.textContent).toContain("W4_stale_end"));
    expect(screen.getByTestId("since").textContent).toContain("Status: paused → running");
    expect(overview.querySelector('[data-testid^="control-"], [data-testid^="repair-"]')).toBeNull();
    await click(await screen.findByRole("radio", { name: "Tests" }));
    const tests = await screen.findByTestId("past-tests");
    expect(tests.textContent).toContain("To see the individual tests of an older version, open its source.");
    expect(screen.queryByTestId("test-rows")).toBeNull();
  });

  it("tells the facts of then, whatever the loop does meanwhile", async () => {
    const host = sampleHost();
    await openHistory(host, "Implement user");
    await click(screen.getAllByTestId("version").at(-2)!);
    const overview = await screen.findByTestId("past-overview");
    const lead = await within(overview).findByTestId("lead");
    const said = lead.textContent;
    const { iteration } = host.rows().find(({ title }) => title.startsWith("Implement user"))!;
    expect(said).toContain(`Iteration ${iteration!.current - 3} of ${iteration!.limit}`);
    expect(said).not.toContain("Not started by Loopdeck");
    host.write(keyOf(host, "Implement user"), { word: "failed", reason: "gave up", iteration: null });
    await waitFor(() => expect(screen.getByRole("article").textContent).toContain("Failed"));
    expect(within(overview).getByTestId("lead").textContent).toBe(said);
  });

  it("leads from a problem to the line in that version, not in the present file", async () => {
    await openHistory(sampleHost(), "Implement user");
    await click(screen.getAllByTestId("version")[3]!);
    await waitFor(() => expect(screen.getByTestId("past-overview").textContent).toContain("W4_stale_end"));
    await click(within(screen.getByTestId("problems")).getByText("Line 5"));
    const text = await screen.findByTestId("past-text");
    await waitFor(() => expect(text.querySelector('[data-line="4"]')?.textContent).toContain('"paused"'));
    expect(screen.getByRole("tab", { name: /^Files/ }).getAttribute("aria-selected")).toBe("true");
  });

  it("compares with now, also while the file goes on", async () => {
    const host = sampleHost();
    await openHistory(host, "Implement user");
    await click(screen.getAllByTestId("version")[3]!);
    await click(await screen.findByRole("radio", { name: "Compare with now" }));
    await waitFor(() => expect(screen.getByTestId("diff").textContent).toContain("Differences: 1"));
    expect(screen.getByTestId("diff-left").querySelector(".left")?.textContent).toContain('"paused"');
    host.write(keyOf(host, "Implement user"), { title: "Implement more" });
    await waitFor(() => expect(screen.getByTestId("diff-right").textContent).toContain("Implement more"));
  });

  it("offers only the text of a version that cannot be read", async () => {
    const host = sampleHost();
    const history = host.history.bind(host);
    host.history = async (key, limit) =>
      (await history(key, limit)).map((one) => ({ ...one, readable: false }));
    await openHistory(host, "Implement user");
    await click(screen.getAllByTestId("version")[3]!);
    await screen.findByTestId("past-source");
    expect(screen.queryByTestId("part-overview")).toBeNull();
    expect(screen.getByTestId("part-compare")).toBeTruthy();
  });

  it("lead back to what is in the file now, from the list and from the version", async () => {
    await openHistory(sampleHost(), "Implement user");
    const versions = () => screen.getAllByTestId("version");
    expect(versions()[0]!.getAttribute("aria-selected")).toBe("true");
    for (const back of [() => versions()[0]!, () => screen.getByRole("button", { name: "Back to now" })]) {
      await click(versions()[3]!);
      await screen.findByTestId("as-it-was");
      expect(versions()[3]!.getAttribute("aria-selected")).toBe("true");
      await click(back());
      await screen.findByTestId("source");
      expect(screen.queryByTestId("as-it-was")).toBeNull();
      expect(versions()[0]!.getAttribute("aria-selected")).toBe("true");
    }
  });

  it("restores only after saying what happens, and can be undone", async () => {
    const host = sampleHost();
    await openHistory(host, "Implement user");
    await click(screen.getAllByTestId("version")[3]!);
    await click(await screen.findByRole("button", { name: "Restore this version…" }));
    const dialog = await screen.findByTestId("restore-dialog");
    expect(dialog.textContent).toContain("The current content is kept as a version, and you can undo this.");
    expect(dialog.textContent).toContain("An agent may be working on this loop");
    expect(wrote(host)).toEqual([]);
    await click(screen.getByRole("button", { name: "Restore" }));
    await waitFor(() => expect(screen.queryByTestId("restore-dialog")).toBeNull());
    expect(wrote(host)).toHaveLength(1);
    expect((await screen.findByTestId("done")).textContent).toMatch(/Restored the version of .*\./);
    await waitFor(() =>
      expect(screen.getAllByTestId("version")[0]!.getAttribute("aria-label")).toMatch(
        /^Older version restored.*current version$/,
      ),
    );
    await click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() =>
      expect(screen.getAllByTestId("version")[0]!.getAttribute("aria-label")).toMatch(/^Last change undone/),
    );
  });

  it("keeps a failed restore in its dialog", async () => {
    const host = sampleHost();
    await openHistory(host, "Type the pricing");
    await click(screen.getAllByTestId("version")[5]!);
    await click(await screen.findByRole("button", { name: "Restore this version…" }));
    const dialog = await screen.findByTestId("restore-dialog");
    expect(dialog.textContent).not.toContain("An agent may be working");
    host.failNext = { kind: "unknown_version", args: {}, refusal: null };
    await click(screen.getByRole("button", { name: "Restore" }));
    expect((await within(dialog).findByTestId("failure")).textContent).toContain("no longer kept");
  });

  it("says when versions are kept while there are none", async () => {
    const host = sampleHost();
    await openLoop(host, "Search with typing");
    await click(screen.getByRole("tab", { name: /^Files/ }));
    await click(await screen.findByTestId("state-file"));
    expect(await screen.findByText(/Versions are kept for 30 days/)).toBeTruthy();
  });

  it("asks for older versions only when there may be some", async () => {
    const host = sampleHost();
    const history = host.history.bind(host);
    const limits: number[] = [];
    host.history = async (key, limit) => {
      limits.push(limit);
      const [one] = await history(key, 1);
      const count = Math.min(limit, 130);
      return Array.from({ length: count }, (_, at) => ({ ...one!, id: 1_000 - at, current: at === 0 }));
    };
    await openHistory(host, "Implement user");
    await click(screen.getByRole("button", { name: "Show older versions" }));
    await waitFor(() => expect(screen.getAllByTestId("version")).toHaveLength(130));
    expect(limits.at(-1)).toBe(200);
    expect(screen.queryByTestId("older")).toBeNull();
  });
});
