import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { LoopDetail, LoopRow } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { failure } from "../src/host/memory-list";
import { Cell } from "../src/state/catalog.svelte";
import { compileFilter, formatToken, parseFilter, toggleToken, type FilterScene } from "../src/state/filter";
import { SearchText } from "../src/state/search-text";
import { keyFacts } from "../src/views/loop/overview/key-facts";
import { planTasks } from "../src/host/sample-work";
import { emptyDetail } from "../src/host/sample-empty";
import { CATALOGUES } from "./catalogues";
import { formatNames, isClaimed, phaseText } from "../src/words/phrases";
import { keyOf, mountApp, rowOf, sampleHost } from "./mount";
import { click, clipboard } from "./person";

const TITLE = "Rewrite the importer";

/** A plan of another tool in the place of a sample loop. */
function planHost(patch: Partial<LoopDetail> = {}): { host: MemoryHost; row: LoopRow } {
  const host = sampleHost();
  const key = keyOf(host, TITLE);
  const phase = { kind: "todo", done: 3, total: 9 } as const;
  host.write(key, { format: "spec_kit", handling: "controlled", phase, iteration: null });
  host.detail(key, patch);
  return { host, row: host.rows().find((one) => one.key === key)! };
}

describe("the overview of a plan of another tool", () => {
  it("has what it waits for at the top, as text, and its own command to copy", async () => {
    const { host, row } = planHost({
      asks: ["Choose <b>a provider</b>.", "Review T004."],
      own_command: ["claude", "-p", "/speckit.implement it's"],
    });
    host.open = row.key;
    await mountApp(host);
    const asks = await screen.findByTestId("asks");
    expect([...asks.children].map((one) => one.textContent)).toEqual([
      "Choose <b>a provider</b>.",
      "Review T004.",
    ]);
    const lead = screen.getByTestId("lead");
    expect(asks.compareDocumentPosition(lead) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    const copied = clipboard();
    const command = screen.getByTestId("own-command");
    await click(within(command).getByRole("button", { name: "Copy command" }));
    expect(copied).toEqual([`claude -p '/speckit.implement it'\\''s'`]);
    expect(command.querySelectorAll("button")).toHaveLength(1);
  });

  it("says that its items are claimed to be done, and counts like the core", () => {
    const { row } = planHost();
    const detail = { ...emptyDetail(row), tasks: planTasks(row) };
    expect(phaseText(row.phase!, isClaimed(row))).toBe("3 of 9 claimed");
    expect(keyFacts(row, detail).find(({ id }) => id === "work")).toMatchObject({
      label: "Items claimed done",
      value: "2 of 5",
    });
    const optional = detail.tasks.map((task) => ({ ...task, optional: true }));
    expect(keyFacts(row, { ...detail, tasks: optional }).some(({ id }) => id === "work")).toBe(false);
  });
});

describe("the own tool of a plan", () => {
  const command = ["task-master", "loop", "-n", "10"];

  async function opened(patch: Partial<LoopDetail> = {}): Promise<{ host: MemoryHost; row: LoopRow }> {
    const made = planHost({ own_command: command, own_command_runs: true, ...patch });
    made.host.open = made.row.key;
    await mountApp(made.host);
    await screen.findByTestId("own-command");
    return made;
  }

  it("runs by the command that the person sees and confirms, and by no other", async () => {
    const { host, row } = await opened();
    await click(screen.getByTestId("run-own"));
    const dialog = await screen.findByTestId("own-tool-dialog");
    expect(within(dialog).getByText("task-master loop -n 10")).toBeTruthy();
    expect(dialog.textContent).toContain("~/");
    expect(host.runs.asked).not.toContain(`run own tool ${row.key} task-master loop -n 10`);
    await click(screen.getByTestId("confirm-own-tool"));
    expect(host.runs.asked).toContain(`run own tool ${row.key} task-master loop -n 10`);
    await waitFor(() => expect(screen.queryByTestId("own-tool-dialog")).toBeNull());
  });

  it("says what is missing, and asks for trust where that is it", async () => {
    const { host } = await opened();
    host.runs.failNextOwnTool = failure("program_missing", { program: "task-master" });
    await click(screen.getByTestId("run-own"));
    await click(screen.getByTestId("confirm-own-tool"));
    const dialog = await screen.findByTestId("own-tool-dialog");
    await waitFor(() => expect(dialog.textContent).toContain("task-master isn’t installed on this computer"));
    host.runs.failNextOwnTool = failure("untrusted", { path: "~/shop" });
    await click(screen.getByTestId("confirm-own-tool"));
    await click(await within(dialog).findByTestId("trust"));
    await waitFor(() => expect(within(dialog).queryByTestId("trust-card")).toBeNull());
    expect(host.runs.trustedFolders).not.toHaveLength(0);
  });

  it("is only shown where its program is a file of the folder", async () => {
    await opened({ own_command: ["./ralph.sh", "10"], own_command_runs: false });
    expect(screen.queryByTestId("run-own")).toBeNull();
  });
});

describe("plans of other tools in the list", () => {
  it("have their format and their progress, and the formats that are there can be chosen", async () => {
    const { host } = planHost();
    const container = await mountApp(host);
    const row = rowOf(container, TITLE);
    expect(row.querySelector(".badge")?.textContent).toBe("Spec Kit");
    expect(row.textContent).toContain("3 of 9 claimed");
    await click(screen.getByTestId("formats"));
    const offered = screen.getAllByRole("menuitemcheckbox").map((one) => one.textContent?.trim());
    expect(offered).toContain("Spec Kit");
    expect(offered).not.toContain("Beads");
    await click(screen.getByRole("menuitemcheckbox", { name: "Spec Kit" }));
    await waitFor(() =>
      expect(container.querySelectorAll('[data-testid="loop-row"]:not([aria-hidden])')).toHaveLength(1),
    );
  });

  it("are found by the name of their format, and a whole name is that format alone", () => {
    const [first] = planHost().host.rows() as [LoopRow];
    const formats = ["ralph", "ralph_loop", "spec_kit", "spec_kit_run", "frankbria", "loop_v2"] as const;
    const cells = formats.map((format) => new Cell({ ...first, key: format, format }));
    const scene: FilterScene = {
      groupOf: ({ group }) => group,
      workspaces: new Map(),
      statusWords: CATALOGUES.en.status,
      formatWords: formatNames(),
      texts: () => new SearchText(cells.map(({ haystack }) => haystack)),
    };
    const found = (filter: string) => {
      const matches = compileFilter(parseFilter(filter), scene);
      return cells.filter(matches).map(({ key }) => key);
    };
    expect(found(toggleToken("", formatToken("spec_kit")))).toEqual(["spec_kit"]);
    expect(found("f:ralph")).toEqual(["ralph"]);
    expect(found("f:spec")).toEqual(["spec_kit", "spec_kit_run"]);
    expect(found("f:ralph-claude")).toEqual(["frankbria"]);
    expect(found("f:v2")).toEqual(["loop_v2"]);
  });
});
