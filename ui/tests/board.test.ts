import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { tick } from "svelte";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { DebugView, LoopRow, PastChange } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { debugSection, manyHypotheses } from "../src/host/sample-board";
import BoardStage from "./BoardStage.svelte";
import { keyOf, mountApp, sampleHost } from "./mount";
import { click, fill, press } from "./person";

const copied: string[] = [];

beforeEach(() => {
  copied.length = 0;
  Object.defineProperty(navigator, "clipboard", {
    configurable: true,
    value: { writeText: async (text: string) => void copied.push(text) },
  });
});

function rowOf(host: MemoryHost): LoopRow {
  return host.rows().find((row) => row.title.startsWith("Implement user"))!;
}

interface More {
  debug?: (row: LoopRow) => DebugView;
  host?: MemoryHost;
  item?: string;
  onitem?: (id: string | null) => void;
  oncopylink?: (item: string) => void;
}

async function stage({ debug = debugSection, host = sampleHost(), ...more }: More = {}) {
  const row = rowOf(host);
  const rendered = render(BoardStage, { props: { host, row, debug: debug(row), ...more } });
  // The view of the test before may still be chosen.
  const board = screen.queryByTestId("view-board");
  if (board) await click(board);
  return { ...rendered, host, row };
}

const card = (key: string) => document.querySelector<HTMLElement>(`[role="option"][data-card="${key}"]`)!;
const at = () => (document.activeElement as HTMLElement).dataset.card;

describe("the board", () => {
  it("has a group for each verdict, with its count, and says the root cause first", async () => {
    await stage();
    const groups = within(screen.getByTestId("board")).getAllByRole("group");
    expect(
      groups.map((group) => [
        group.getAttribute("aria-labelledby") && within(group).queryAllByRole("option").length,
      ]),
    ).toEqual([[2], [1], [1], [1]]);
    expect(screen.getByTestId("root-cause").textContent).toMatch(/Root cause: H2 – The counter key drops/);
    // The name is what is seen on the card.
    expect(card("H2").getAttribute("aria-label")).toBeNull();
    for (const part of ["H2", "2nd", "The counter key drops the tenant id", "6 entries", "6 log lines"])
      expect(card("H2").textContent).toContain(part);
    expect(card("H3").textContent).toContain("src/limit/store.ts:88 · touch()");
    expect(card("H3").getAttribute("draggable")).toBeNull();
    expect(card("H2").textContent).toMatch(/Confirms if: .+Rejects if: /s);
    expect(card("H2").querySelector(".in-role"), "a criterion is no result").toBeNull();
  });

  it("is walked with the arrows, opened with Enter and left with Escape", async () => {
    const told: (string | null)[] = [];
    await stage({ onitem: (id) => told.push(id) });
    card("H3").focus();
    await press("{ArrowDown}");
    expect(at()).toBe("H5");
    await press("{ArrowRight}");
    expect(at()).toBe("H2");
    await press("{ArrowRight}");
    await press("{ArrowRight}");
    await press("{ArrowRight}");
    expect(at()).toBe("H4");
    await press("{Enter}");
    const drawer = await screen.findByTestId("hypothesis");
    expect(drawer.contains(document.activeElement)).toBe(true);
    expect(card("H4").getAttribute("aria-selected")).toBe("true");
    await press("{Escape}");
    await waitFor(() => expect(at()).toBe("H4"));
    expect(screen.queryByTestId("hypothesis")).toBeNull();
    expect(told).toEqual(["H4", null]);
  });

  it("has one card in the order of Tab", async () => {
    await stage();
    const stops = () => screen.getAllByTestId("card").filter((one) => one.tabIndex === 0);
    expect(stops().map((one) => one.dataset.card)).toEqual(["H3"]);
    card("H4").focus();
    await tick();
    expect(stops().map((one) => one.dataset.card)).toEqual(["H4"]);
  });

  it("copies the location with c, and says when there is none", async () => {
    await stage({
      debug: (row) => {
        const debug = debugSection(row);
        return {
          ...debug,
          hypotheses: [
            ...debug.hypotheses,
            { ...debug.hypotheses[0]!, id: "H9", logging_point: "", place: null },
          ],
        };
      },
    });
    card("H2").focus();
    await press("c");
    expect(copied).toEqual(["src/limit/key.ts:31"]);
    card("H9").focus();
    await press("c");
    expect(screen.getByTestId("toast").textContent).toBe("H9 has no logging point.");
    expect(copied).toHaveLength(1);
    card("H1").focus();
    await press("{Enter}");
    await press("c");
    expect(copied.at(-1)).toBe("src/app.ts:54");
  });

  it("becomes a table with t, and stays where the keys are", async () => {
    await stage();
    card("H2").focus();
    await press("t");
    await waitFor(() => expect(document.activeElement?.tagName).toBe("TR"));
    expect(at()).toBe("H2");
    await press("{ArrowDown}");
    expect(at()).toBe("H3");
    await press("{Enter}");
    await screen.findByTestId("hypothesis");
    screen.getByRole("textbox", { name: "Filter hypotheses" }).focus();
    await press("t");
    expect(screen.queryByTestId("hypotheses"), "a letter in the filter is a letter").not.toBeNull();
    (document.activeElement as HTMLElement).blur();
    await press("t");
    await screen.findByTestId("board");
  });

  it("is filtered by text and verdicts, and says how much is left", async () => {
    await stage();
    await click(screen.getByRole("button", { name: "Pending 2" }));
    await click(screen.getByRole("button", { name: "Rejected 1" }));
    expect(screen.queryByTestId("column-confirmed")).toBeNull();
    expect(screen.getAllByTestId("card").map((one) => one.dataset.card)).toEqual(["H3", "H5", "H1"]);
    expect(screen.getByText("3 of 5 shown").getAttribute("role")).toBe("status");
    card("H3").focus();
    await press("/");
    expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Filter hypotheses" }));
    await fill(document.activeElement!, "tenant");
    expect(screen.getByText("Nothing matches.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Confirmed 1" }).textContent).toMatch(/1/);
    await click(screen.getByText("Clear filter"));
    expect(screen.getAllByTestId("card")).toHaveLength(5);
  });

  it("is copied as a table of what is shown", async () => {
    await stage();
    await click(screen.getByRole("button", { name: "Confirmed 1" }));
    await click(screen.getByRole("button", { name: "Copy as Markdown" }));
    expect(copied[0]).toContain("| 2nd | H2 | Confirmed |");
    expect(copied[0]).not.toContain("H3");
  });

  it("shows 200, with words it has no column for", async () => {
    await stage({ debug: (row) => manyHypotheses(row, 200) });
    expect(screen.getAllByTestId("card")).toHaveLength(200);
    expect(screen.getByTestId("column-other").textContent).toContain("needs-a-second-look");
  });

  it("says where the root cause and its hypothesis disagree", async () => {
    const { rerender, row, host } = await stage({
      debug: (one) => ({ ...debugSection(one), confirmed: "H1" }),
    });
    expect(screen.getByTestId("root-cause").textContent).toContain(
      "The verdict of the hypothesis itself: Rejected.",
    );
    await rerender({ host, row, debug: { ...debugSection(row), confirmed: "H77" } });
    expect(screen.getByTestId("root-cause").textContent).toContain("No hypothesis has this ID.");
  });

  it("leads by a link to its hypothesis, or says that it is gone", async () => {
    const { rerender, row, host } = await stage({ item: "H4" });
    expect((await screen.findByTestId("hypothesis")).textContent).toContain("Test server reuses");
    const debug = debugSection(row);
    await rerender({ host, row, debug, item: "H2" });
    expect(screen.getByTestId("hypothesis").textContent).toContain("The counter key drops");
    await rerender({ host, row, debug, item: "H77" });
    expect(screen.queryByTestId("hypothesis")).toBeNull();
    expect(screen.getByText("This file has no hypothesis H77.")).toBeTruthy();
  });
});

describe("the table of hypotheses", () => {
  it("sorts by its heads and says so", async () => {
    await stage();
    await click(screen.getByRole("radio", { name: "Table" }));
    const ids = () => screen.getAllByTestId("hypothesis-row").map((one) => one.dataset.card);
    expect(ids()).toEqual(["H1", "H2", "H3", "H4", "H5"]);
    await click(screen.getByRole("button", { name: "Verdict" }));
    expect(ids()).toEqual(["H3", "H5", "H2", "H1", "H4"]);
    await click(screen.getByRole("button", { name: "Verdict" }));
    expect(ids()).toEqual(["H4", "H1", "H2", "H3", "H5"]);
    const head = screen.getByRole("button", { name: "Verdict" }).closest("th")!;
    expect(head.getAttribute("aria-sort")).toBe("descending");
  });
});

describe("the drawer", () => {
  async function open(key: string, more: More = {}) {
    const staged = await stage(more);
    await click(card(key));
    return { ...staged, drawer: await screen.findByTestId("hypothesis") };
  }

  it("shows criteria, evidence as a tree or raw, the log by function, and the understanding", async () => {
    const { drawer } = await open("H2");
    expect(drawer.textContent).toMatch(/Confirms if\s*same key for two tenants/);
    const tree = screen.getByTestId("evidence-tree");
    expect(tree.textContent).toContain("4 entries");
    expect(tree.textContent).not.toContain("x-tenant");
    const first = tree.querySelector("details")!;
    first.open = true;
    await fireEvent(first, new Event("toggle"));
    expect(tree.textContent).toContain("login:10.0.0.1");
    await click(screen.getByRole("radio", { name: "Raw" }));
    expect(screen.getByText(/"x-tenant": "a"/)).toBeTruthy();
    const log = screen.getByRole("region", { name: "Log lines" }).textContent ?? "";
    expect(log.match(/bucketKey\(\)/g)).toHaveLength(1);
    expect(log).toContain("first request of the run");
    expect(log).toContain("Lines of debug.log that are program output: 3");
    expect(screen.getByTestId("understanding").textContent).toContain("All tenants behind one address");
  });

  it("shows plain text as text and cut evidence as its beginning", async () => {
    await open("H4");
    expect(screen.getByRole("region", { name: "Evidence" }).textContent).toContain(
      "The second request never reached the handler",
    );
    expect(screen.queryByTestId("evidence-raw")).toBeNull();
    const { debug, item } = {
      item: "H1",
      debug: (row: LoopRow) => {
        const all = debugSection(row);
        return {
          ...all,
          hypotheses: all.hypotheses.map((one) => ({ ...one, evidence: '{"a": 1, "b": "<script>…' })),
        };
      },
    };
    document.body.replaceChildren();
    await stage({ debug, item });
    const evidence = await screen.findByRole("region", { name: "Evidence" });
    expect(evidence.textContent).toContain("Only the beginning");
    expect(evidence.querySelector("script")).toBeNull();
  });

  it("cuts deep and huge evidence, and shows more when asked", async () => {
    await open("H2", { debug: (row) => manyHypotheses(row, 12) });
    const tree = screen.getByTestId("evidence-tree");
    expect(tree.querySelectorAll("details").length).toBeLessThan(120);
    const before = tree.querySelectorAll("li").length;
    await click(within(tree).getByText("Show 50 more"));
    expect(tree.querySelectorAll("li").length).toBe(before + 50);
  });

  it("shows the newest lines of a long log, and the others when asked", async () => {
    await open("H2", {
      debug: (row) => {
        const all = debugSection(row);
        const entry = all.hypotheses[1]!.log[0]!;
        const log = Array.from({ length: 200 }, (_, index) => ({ ...entry, message: `line ${index}` }));
        return { ...all, hypotheses: all.hypotheses.map((one) => ({ ...one, log, log_total: 450 })) };
      },
    });
    const log = screen.getByRole("region", { name: "Log lines" });
    expect(log.textContent).toContain("The newest 20 of 450.");
    expect(log.textContent).toContain("line 199");
    expect(log.textContent).not.toContain("line 179");
    await click(within(log).getByText("Show 180 more"));
    expect(log.textContent).toContain("line 0");
    expect(log.textContent).toContain("The newest 200 of 450.");
  });

  it("tells how its verdict came about, from kept versions", async () => {
    const { host, rerender, row } = await open("H2");
    await waitFor(() =>
      expect(screen.getByRole("region", { name: "Verdict history" }).textContent).toContain(
        "From versions of debug.md",
      ),
    );
    const lines = [...screen.getByRole("region", { name: "Verdict history" }).querySelectorAll("li")].map(
      (one) => one.textContent?.replace(/\s+/g, " ").trim(),
    );
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^Inconclusive ?→ ?Confirmed \d+ min ago · Another program$/);
    expect(lines[1]).toMatch(/Loopdeck$/);
    expect(lines[2]).toMatch(/^Recorded as Pending/);
    let answer: (past: PastChange[]) => void = () => undefined;
    host.pastChanges = () => new Promise((done) => (answer = done));
    await rerender({ host, row: { ...row, changed: row.changed + 1 }, debug: debugSection(row) });
    answer([]);
    await waitFor(() =>
      expect(screen.getByRole("region", { name: "Verdict history" }).textContent).toContain(
        "No saved version changed it.",
      ),
    );
    host.pastChanges = () => Promise.reject({ kind: "own_data", args: { reason: "locked" }, refusal: null });
    await rerender({ host, row: { ...row, changed: row.changed + 2 }, debug: debugSection(row) });
    expect(
      (await within(screen.getByRole("region", { name: "Verdict history" })).findByTestId("failure")).dataset
        .kind,
    ).toBe("own_data");
  });

  it("says while the history is being read", async () => {
    const host = sampleHost();
    host.pastChanges = () => new Promise(() => undefined);
    await open("H2", { host });
    expect(
      within(screen.getByRole("region", { name: "Verdict history" })).getByRole("status").textContent,
    ).toBe("Loading…");
  });

  it("copies itself as Markdown, its place and its link", async () => {
    const links: string[] = [];
    await open("H1", { oncopylink: (item) => links.push(item) });
    const choose = async (item: string) => {
      await click(screen.getByRole("button", { name: "Actions for H1" }));
      await click(await screen.findByTestId(`menu-${item}`));
    };
    await choose("copy-card");
    await choose("copy-location");
    await choose("copy-link");
    expect(copied[0]).toContain("### H1 – The middleware runs after the handler");
    expect(copied[1]).toBe("src/app.ts:54");
    expect(links).toEqual(["H1"]);
  });
});

describe("in the window", () => {
  async function openLoop(title: string, tab = "debug", host = sampleHost()): Promise<MemoryHost> {
    host.open = keyOf(host, title);
    await mountApp(host);
    await screen.findByRole("tabpanel", { name: "Overview" });
    await click(screen.getByTestId(`tab-${tab}`));
    return host;
  }

  it("shows what else says the same file, and leads there", async () => {
    await openLoop("Implement user");
    const toBoard = screen.queryByTestId("view-board");
    if (toBoard) await click(toBoard);
    await click(card("H5"));
    const related = await screen.findByRole("region", { name: "Same file elsewhere" });
    expect(related.textContent).toContain("task-001");
    expect(related.textContent).toMatch(/Failing tests\s*None/);
    await click(within(related).getByText("Work"));
    await screen.findByRole("tabpanel", { name: "Work 10" });
  });

  it("asks nothing of the present file in a version of the past", async () => {
    const host = await openLoop("Implement user", "files");
    await click(screen.getByTestId("state-file"));
    await click((await screen.findAllByTestId("version"))[3]!);
    await click(await screen.findByRole("radio", { name: "Debug" }));
    const spy = vi.spyOn(host, "pastChanges");
    await click(card("H5"));
    expect((await screen.findByRole("region", { name: "Same file elsewhere" })).textContent).toContain(
      "task-001",
    );
    expect(screen.queryByTestId("verdicts")).toBeNull();
    expect(
      within(screen.getByRole("region", { name: "Same file elsewhere" })).queryByRole("button"),
    ).toBeNull();
    expect(spy).not.toHaveBeenCalled();
  });
});
