import { cleanup, screen, waitFor, within } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Control, ElsewhereView, Need } from "../src/host/bindings";
import { MemoryHost, SAMPLE_WORKSPACES, sampleRows } from "../src/host/memory";
import { sampleNeeds } from "../src/host/sample-needs";
import { controlsOf } from "../src/host/sample-rules";
import { sampleCopy, sampleCopyRows } from "../src/host/sample-team";
import { clockTime } from "../src/words/format";
import { keyOf, mountApp, NOW } from "./mount";
import { click, press, send } from "./person";
import { openForm, startHost, walk } from "./start-walk";
import { teamHost, withCopy } from "./team-host";

// What happened on another day is said with its day: midnight must not pass during a test.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => void vi.useRealTimers());

describe("what waits on another machine", () => {
  function waiting(patch: Partial<Need>, copy: Partial<ElsewhereView> = {}): MemoryHost {
    const host = teamHost();
    const away = sampleCopy(null);
    host.fill(sampleCopyRows(NOW), [
      ...SAMPLE_WORKSPACES,
      { ...away, elsewhere: { ...away.elsewhere!, ...copy } },
    ]);
    const row = sampleCopyRows(NOW)[0]!;
    const need = sampleNeeds([row], NOW).find(({ kind }) => kind === "permission")!;
    host.runs.setNeeds([{ ...need, id: "need-1@c1", key: row.key, ...patch }]);
    host.open = row.key;
    return host;
  }

  it("is answered from here, and says where the answer goes", async () => {
    const host = waiting({ answers: ["allow_once", "deny"] });
    await mountApp(host);
    const card = await screen.findByTestId("need");
    expect(within(card).getByTestId("need-away").textContent).toBe(
      "The loop is on laptop of ada. Your answer is sent there.",
    );
    await click(within(card).getByTestId("answer-allow_once"));
    await waitFor(() => expect(host.runs.asked.some((one) => one.includes("need-1@c1"))).toBe(true));
  });

  it("says that an answer is under way, and what cannot be answered here", async () => {
    await mountApp(waiting({ answers: [], requested: NOW, input: "x", cut_from: 20_000 }));
    let card = await screen.findByTestId("need");
    expect(within(card).getByTestId("need-away").textContent).toBe(
      `Answered ${clockTime(NOW)}. Waiting for laptop of ada.`,
    );
    expect(within(card).queryByTestId("answer-allow_once")).toBeNull();
    expect(within(card).queryByRole("button", { name: "Show the whole input" })).toBeNull();
    expect(within(card).getByTestId("cut-input").textContent).toContain("only on that machine");
    cleanup();
    await mountApp(waiting({ answers: [] }, { steerable: false }));
    card = await screen.findByTestId("need");
    expect(within(card).getByTestId("need-away").textContent).toBe(
      "Its owner doesn’t let this machine control it.",
    );
  });
});

describe("a new loop", () => {
  it("is not offered the copy of another machine’s folder", async () => {
    await walk(withCopy(startHost()), "work");
    const names = screen.getAllByTestId("folder").map((one) => one.closest("label")?.textContent ?? "");
    expect(names.some((name) => name.includes("storefront"))).toBe(true);
    expect(names.some((name) => name.includes("ada"))).toBe(false);
  });

  it("is not proposed in a copy, also where that is the only folder", async () => {
    const reviewed: string[] = [];
    const host = startHost();
    const review = host.runs.reviewOf;
    host.runs.reviewOf = (form) => (reviewed.push(form.folder), review(form));
    const only = new MemoryHost();
    only.runs.reviewOf = host.runs.reviewOf;
    only.fill(
      [...sampleRows(NOW).slice(0, 1), ...sampleCopyRows(NOW)],
      [{ ...sampleCopy(null), reachable: true }, SAMPLE_WORKSPACES[0]!],
    );
    await openForm(only);
    // The one folder of this machine is meant, not the copy before it.
    await waitFor(() => expect(reviewed.at(-1)).toBe(SAMPLE_WORKSPACES[0]!.folder));
  });
});

describe("a loop of another machine", () => {
  const titleOf = (word: string) => sampleCopyRows(NOW).find((row) => row.word === word)!.title;

  async function openLoop(host: MemoryHost, word: string): Promise<string> {
    const key = keyOf(host, titleOf(word));
    host.open = key;
    await mountApp(host);
    await screen.findByRole("tabpanel", { name: "Overview" });
    return key;
  }

  it("says whose it is, and since when that machine is not reachable", async () => {
    await openLoop(withCopy(teamHost(), NOW), "paused");
    const chip = screen.getByTestId("away");
    expect(chip.textContent).toContain("ada · laptop");
    expect(chip.textContent).toContain(`Not reachable since ${clockTime(NOW)}`);
    expect(chip.dataset.tip).toContain("This loop is on laptop of ada.");
    expect(screen.queryByRole("button", { name: "Open folder" })).toBeNull();
  });

  it("has its verbs handed on: no dialog chooses an agent here", async () => {
    const host = withCopy(teamHost());
    await openLoop(host, "paused");
    await click(screen.getByTestId("verb-resume"));
    await waitFor(() => expect(host.asked).toContain("act resume {}"));
    expect(host.runs.asked.filter((one) => one.startsWith("launch"))).toEqual([]);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("has a higher limit handed on with the verb", async () => {
    const host = withCopy(teamHost());
    const controls = host.controls.bind(host);
    const lift = (one: Control): Control =>
      one.verb === "resume"
        ? { ...one, refusal: { code: "limit_reached", args: {}, status: "paused" } }
        : one;
    host.controls = async (key) => (await controls(key)).map(lift);
    const key = keyOf(host, titleOf("paused"));
    const row = host.rows().find((one) => one.key === key)!;
    host.detail(key, { controls: controlsOf(row).map(lift) });
    await openLoop(host, "paused");
    await click(screen.getByTestId("verb-resume"));
    await send((await screen.findByTestId("verb-dialog")).querySelector("form")!);
    await waitFor(() => expect(host.asked.some((one) => one.startsWith('act resume {"raise'))).toBe(true));
    expect(host.runs.asked.filter((one) => one.startsWith("launch"))).toEqual([]);
  });

  it("offers nothing that only its own machine can do", async () => {
    const host = withCopy(teamHost());
    await openLoop(host, "paused");
    const menu = async () => {
      await click(screen.getAllByRole("button", { name: "More actions" })[0]!);
      await click(await screen.findByRole("menuitem", { name: "More" }));
      const found = screen.getAllByRole("menuitem").map((one) => one.dataset.testid);
      await press("{Escape}");
      return found;
    };
    const away = await menu();
    expect(away).toContain("menu-resume");
    for (const id of ["choose-launch", "by-hand", "duplicate", "undo", "open-file", "open-folder"])
      expect(away, id).not.toContain(`menu-${id}`);
  });
});
