import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { tick } from "svelte";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { manyLines, sampleOutput, sampleRun } from "../src/host/sample-outputs";
import { sampleCopy } from "../src/host/sample-team";
import { LANGUAGES, language } from "../src/words/language.svelte";
import OutputStage from "./OutputStage.svelte";
import { keyOf, sampleHost } from "./mount";
import { click, fill, press } from "./person";
import { rows, playing, openOutput, said } from "./output-walk";

const box = () => screen.getByTestId("output-rows");
const at = () => Number((document.activeElement as HTMLElement).dataset.row);

/**
 * The clock is the test's from before the page counts by it: timers that were set earlier would never be reached. It
 * also goes on by itself, for what is waited for.
 */
function holdClock(): void {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
}

function copies(): string[] {
  const texts: string[] = [];
  const clipboard = { writeText: (text: string) => Promise.resolve(void texts.push(text)) };
  Object.defineProperty(navigator, "clipboard", { configurable: true, value: clipboard });
  return texts;
}

describe("the output of a run", () => {
  it("begins at the newest row and draws only what is near the view", async () => {
    await openOutput(playing(), "Checkout");
    await said("case 049999");
    expect(box().getAttribute("aria-rowcount")).toBe("50000");
    expect(rows().at(-1)?.getAttribute("aria-rowindex")).toBe("50000");
    expect(rows().length).toBeLessThan(90);
    expect(screen.getByTestId("dropped").textContent).toContain(": 1,234");
    expect(box().getAttribute("aria-live")).toBeNull();
    expect(box().closest("[aria-live], [role=log]")).toBeNull();
  });

  it("has a word and a mark for each kind of row, colours without codes, and sub-agents apart", async () => {
    await openOutput(playing());
    await said(/.+/);
    box().focus();
    await press("{Home}");
    await said("Thinking");
    const all = rows().map((row) => row.textContent);
    const text = all.join("\n");
    for (const word of ["Started", "Grep", "pattern: refresh", "Edit", "failed", "stderr", "Permission"])
      expect(text).toContain(word);
    expect(text).not.toContain("\u001b");
    expect(box().querySelector(".ink-red")?.textContent).toContain("FAILED");
    expect(
      rows().find((row) => row.textContent?.includes("Three callers: the login"))?.textContent,
    ).toContain("Sub-agent");
  });

  it("folds what a tool says beyond twenty lines, and shows the rest on demand", async () => {
    const host = playing();
    const whole = vi.spyOn(host.runs, "outputText");
    const container = await openOutput(host);
    await said(/.+/);
    box().focus();
    await press("{Home}");
    await said("running 41 tests");
    const long = () => rows().find((row) => row.textContent?.includes("running 41 tests"))!;
    expect(long().textContent).not.toContain("test result");
    await click(within(long()).getByText("Show 24 more"));
    expect(long().textContent).toContain("test result");
    await click(within(long()).getByText("Show less"));
    expect(long().textContent).not.toContain("test result");
    await click(container.querySelector('[data-act="rest"]')!);
    await screen.findByTestId("whole-text");
    expect(whole).toHaveBeenCalledWith(host.open, "auth-10", 19);
    await press("{Escape}");
    expect(screen.queryByTestId("whole-text")).toBeNull();
  });

  it("leads to the rest of a row that is folded too, with the keys alone", async () => {
    const host = playing();
    const output = host.runs.output.bind(host.runs);
    host.runs.output = async (...asked) => {
      const page = await output(...asked);
      const rows = page.rows.map((one) =>
        one.text.startsWith("running 41 tests") ? { ...one, cut: 48_213 } : one,
      );
      return { ...page, rows };
    };
    await openOutput(host);
    await said(/.+/);
    box().focus();
    await press("{Home}");
    await said("running 41 tests");
    const long = () => rows().find((row) => row.textContent?.includes("running 41 tests"))!;
    await click(long());
    long().focus();
    await press("{Enter}");
    await waitFor(() => expect(long().textContent).toContain("Show less"));
    expect(screen.queryByTestId("whole-text")).toBeNull();
    await press("{Shift>}{Enter}{/Shift}");
    await screen.findByTestId("whole-text");
  });

  it("follows while it grows; scrolling up stops that and counts what is new", async () => {
    const host = playing();
    await openOutput(host);
    await said(/.+/);
    const output = host.runs.outputOf.get("auth-10")!;
    const more = (count: number, word: string) => {
      output.push(...manyLines(count, Date.now()).map((row) => ({ ...row, text: `${word} ${row.text}` })));
      host.write(host.open!, {});
    };
    more(3, "first");
    await said("first case 000002");
    box().scrollTop = 400;
    await fireEvent.scroll(box());
    box().scrollTop = 100;
    await fireEvent.scroll(box());
    await waitFor(() =>
      expect(screen.getByRole("button", { name: "Follow" }).getAttribute("aria-pressed")).toBe("false"),
    );
    more(12, "second");
    expect((await screen.findByRole("button", { name: "12 new" })).textContent).toContain("12 new");
    expect(box().textContent).not.toContain("second");
    await click(screen.getByRole("button", { name: "12 new" }));
    await said("second case 000011");
    expect(screen.queryByTestId("new-rows")).toBeNull();
    expect(screen.getByRole("button", { name: "Follow" }).getAttribute("aria-pressed")).toBe("true");
  });

  it("costs a screenful of rows and five messages a second while thousands of rows come", async () => {
    holdClock();
    const host = playing();
    await openOutput(host);
    await said(/.+/);
    const output = host.runs.outputOf.get("auth-10")!;
    output.push(...manyLines(2_000, Date.now()));
    await said("case 001999");
    const asked = vi.spyOn(host.runs, "output");
    const elements = new Set(rows());
    const drawn = elements.size;
    const began = Date.now();
    for (let turn = 0; turn < 50; turn += 1) {
      output.push(...manyLines(500, Date.now()));
      host.write(host.open!, {});
      await vi.advanceTimersByTimeAsync(100);
      rows().forEach((row) => elements.add(row));
    }
    expect(asked.mock.calls.length).toBeGreaterThan(20);
    expect(asked.mock.calls.length).toBeLessThanOrEqual((Date.now() - began) / 200 + 2);
    expect(Math.max(...asked.mock.calls.map(([, , , count]) => count))).toBeLessThanOrEqual(160);
    expect(rows().length).toBe(drawn);
    // The same elements show the next rows.
    expect(elements.size).toBe(drawn);
  });

  it("is asked for again only while it is alive or its loop changes", async () => {
    holdClock();
    const host = playing();
    const asked = vi.spyOn(host.runs, "output");
    await openOutput(host, "Upgrade the build");
    await said("Unknown arguments");
    await vi.advanceTimersByTimeAsync(1_000);
    const before = asked.mock.calls.length;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked.mock.calls.length).toBe(before);
    host.write(host.open!, {});
    await waitFor(() => expect(asked.mock.calls.length).toBeGreaterThan(before));
  });

  it("is asked for five times a second while it runs", async () => {
    holdClock();
    const host = playing();
    await openOutput(host);
    await said(/.+/);
    const asked = vi.spyOn(host.runs, "output");
    const began = Date.now();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked.mock.calls.length).toBeGreaterThan(20);
    expect(asked.mock.calls.length).toBeLessThanOrEqual((Date.now() - began) / 200 + 1);
  });

  it("goes on with the next run when the newest was followed, and stays when it was read", async () => {
    const host = playing();
    await openOutput(host);
    await said(/.+/);
    const runs = host.runs.runsOf.get(host.open!)!;
    const begin = (id: string) => {
      runs.unshift(sampleRun(id, Date.now(), { ended: null, outcome: null, iteration: 6, task: id }));
      host.runs.outputOf.set(id, sampleOutput(5, Date.now(), false));
      const { run } = host.rows().find((row) => row.key === host.open)!;
      host.write(host.open!, { run: { ...run!, action: id } });
    };
    begin("next-1");
    await waitFor(() => expect(screen.getByTestId("run-bar").textContent).toContain("next-1"));
    (await screen.findByTestId("output-rows")).focus();
    await said("Started");
    await press("{Home}");
    begin("next-2");
    await waitFor(() => expect(screen.getAllByTestId("run")[0]?.textContent).toContain("next-2"));
    expect(screen.getByTestId("run-bar").textContent).toContain("next-1");
  });
});

describe("what a run ended with", () => {
  it.each([
    ["Claude Code", "the task is too large", true],
    ["", "sh: 1: tests: not found", true],
    ["", null, false],
  ])("is said by “%s” as “%s”: %s", async (agent, message, shown) => {
    const host = playing();
    const runs = host.runs.runsOf.get(keyOf(host, "Implement user"))!;
    runs.unshift(sampleRun("t", Date.now(), { agent, exit_code: 1, outcome: "task_failed", message }));
    host.runs.outputOf.set("t", sampleOutput(5, Date.now(), false));
    await openOutput(host);
    await said(/.+/);
    expect(screen.queryByTestId("run-message") !== null).toBe(shown);
  });
});

describe("looking for something", () => {
  it("jumps through errors with n and p, and says when there is none left", async () => {
    await openOutput(playing(), "Checkout");
    await said("case 049999");
    await press("p");
    await waitFor(() => expect(at()).toBe(49_200));
    expect(document.activeElement?.textContent).toContain("timed out");
    await press("p");
    await waitFor(() => expect(at()).toBe(46_700));
    await press("n");
    await waitFor(() => expect(at()).toBe(49_200));
    await press("n");
    await waitFor(() => expect(screen.getByTestId("output-said").textContent).toBe("No more errors."));
    expect(screen.getByRole("button", { name: "Follow" }).getAttribute("aria-pressed")).toBe("false");
  });

  it("finds text, marks it, and goes around the end", async () => {
    await openOutput(playing(), "Checkout");
    await said("case 049999");
    await press("/");
    const field = screen.getByRole("textbox", { name: "Search output" });
    expect(document.activeElement).toBe(field);
    await fill(field, "CASE 000777");
    await press("{Enter}", field);
    await waitFor(() =>
      expect(screen.queryAllByTestId("output-said")[0]?.textContent).toContain("Nothing matches."),
    );
    await fill(field, "CASE 020777");
    await press("{Enter}", field);
    await waitFor(() => expect(box().querySelector("mark")?.textContent).toBe("case 020777"));
    expect(screen.getByTestId("output-said").textContent).toContain("Continued from the beginning.");
    await press("{Escape}", field);
    expect((field as HTMLInputElement).value).toBe("");
    expect(box().querySelector("mark")).toBeNull();
  });

  it("says that a search failed, which is not that nothing was found", async () => {
    const host = playing();
    host.runs.findOutput = () =>
      Promise.reject({ kind: "disk", args: { path: "log", reason: "gone" }, refusal: null });
    await openOutput(host, "Checkout");
    await said("case 049999");
    await press("/");
    const field = screen.getByRole("textbox", { name: "Search output" });
    await fill(field, "case");
    await press("{Enter}", field);
    await waitFor(() =>
      expect(screen.getByTestId("output-said").textContent).toContain("The search failed."),
    );
  });
});

describe("by keyboard", () => {
  it("rows are walked, chosen, copied, unfolded; views are switched", async () => {
    const texts = copies();
    await openOutput(playing());
    await said(/.+/);
    box().focus();
    await press("{Home}");
    await waitFor(() => expect(at()).toBe(0));
    await press("{ArrowDown}");
    await press("{ArrowDown}");
    await waitFor(() => expect(at()).toBe(2));
    await press("{Shift>}{ArrowDown}{/Shift}");
    await waitFor(() => expect(at()).toBe(3));
    expect(rows().filter((row) => row.getAttribute("aria-selected") === "true")).toHaveLength(2);
    await press("c");
    await waitFor(() => expect(texts).toHaveLength(1));
    expect(texts[0]).toMatch(/^I will make the refresh token rotate.*\nThe store keeps/);
    await press("w");
    expect(screen.getByRole("button", { name: "Wrap" }).getAttribute("aria-pressed")).toBe("false");
    await press("w");
    await press("r");
    await waitFor(() => expect(box().textContent).toContain("␛[1;33mwarning"));
    await press("r");
    await press("d");
    expect((await screen.findByTestId("run-drawer")).textContent).toContain("LOOPDECK_RUN_ID");
    await press("{Escape}");
    await waitFor(() => expect(at()).toBe(3));
    await press("[[");
    await waitFor(() => expect(screen.getByTestId("run-bar").textContent).toContain("task-003"));
    await press("]");
    await waitFor(() => expect(screen.getByTestId("run-bar").textContent).toContain("task-004"));
    await press("f");
    expect(screen.getByRole("button", { name: "Follow" }).getAttribute("aria-pressed")).toBe("false");
  });

  it("runs are chosen in their list", async () => {
    await openOutput(playing());
    await said(/.+/);
    const list = screen.getByTestId("run-list");
    within(list).getAllByRole("option")[0]!.focus();
    await press("{ArrowDown}");
    await press("{ArrowDown}");
    await waitFor(() => expect(screen.getByTestId("run-ending").textContent).toBe("Succeeded"));
    const chosen = within(list).getAllByRole("option", { selected: true });
    expect(chosen).toHaveLength(1);
    expect(document.activeElement).toBe(chosen[0]);
    expect(chosen[0]!.getAttribute("aria-label")).toBe("Debug, Succeeded, iteration 4");
    await press("{End}");
    await waitFor(() => expect(document.activeElement?.textContent).toContain("Init"));
  });

  it("the focus stays in the output when its row is drawn no more", async () => {
    await openOutput(playing(), "Checkout");
    await said("case 049999");
    box().focus();
    await press("{Home}");
    await waitFor(() => expect(at()).toBe(1_234));
    await press("f");
    await said("case 049999");
    await waitFor(() => expect(box().contains(document.activeElement)).toBe(true));
  });
});

describe("links", () => {
  it("to a row show it, and what is chosen is told", async () => {
    const host = playing();
    const row = host.rows().find((one) => one.title.startsWith("Implement user"))!;
    const told: unknown[] = [];
    const onitem = (item: string | null) => told.push(item);
    render(OutputStage, { props: { host, row, item: "auth-3:7", onitem } });
    await waitFor(() => expect(rows().find((one) => one.tabIndex === 0)?.dataset.row).toBe("7"));
    expect(screen.getByTestId("run-bar").textContent).toContain("task-002");
    await click(rows().find((one) => one.dataset.row === "9")!);
    expect(told.at(-1)).toBe("auth-3:9");
  });

  it("to a run that is gone say so", async () => {
    const host = playing();
    const row = host.rows().find((one) => one.title.startsWith("Implement user"))!;
    render(OutputStage, { props: { host, row, item: "nowhere:7" } });
    await screen.findByText("This run doesn’t exist, or its output is no longer kept.");
  });
});

describe("a loop that Loopdeck has not run", () => {
  it("says so and offers its first verb", async () => {
    const host = sampleHost();
    await openOutput(host, "Search with typing");
    const empty = await screen.findByTestId("no-runs");
    expect(empty.textContent).toContain("Loopdeck hasn’t run an agent here yet");
    expect(within(empty).getByRole("button", { name: "Start" })).toBeTruthy();
  });

  it("of somebody else offers nothing", async () => {
    await openOutput(sampleHost(), "Implement user");
    const empty = await screen.findByTestId("no-runs");
    expect(empty.textContent).toContain("This loop is running elsewhere.");
    expect(within(empty).queryByRole("button")).toBeNull();
  });
});

describe("a loop on another machine", () => {
  async function openCopied(output: boolean): Promise<HTMLElement> {
    const host = sampleHost();
    const row = host.rows().find((one) => one.title.startsWith("Search with typing"))!;
    const copy = sampleCopy(null);
    host.fill([row], [{ ...copy, id: row.workspace, elsewhere: { ...copy.elsewhere!, output } }]);
    await openOutput(host, "Search with typing");
    return screen.findByTestId("no-runs");
  }

  it("says that its output comes when something runs there", async () => {
    expect((await openCopied(true)).textContent).toContain(
      "What agents print on laptop of ada while they run",
    );
  });

  it("says that its owner does not share it", async () => {
    expect((await openCopied(false)).textContent).toContain("The owner of laptop, ada, doesn’t share");
  });
});

it.each(LANGUAGES)("no slot stays open in %s", async (id) => {
  const host = playing();
  host.settings = { language: id };
  const container = await openOutput(host);
  await said(/.+/);
  await press("d");
  await tick();
  expect(language.id).toBe(id);
  expect(container.textContent).not.toMatch(/\{(count|time|agent|duration|size|number)\}|undefined|NaN/);
});
