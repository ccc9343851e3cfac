import { screen, waitFor } from "@testing-library/svelte";
import type { Problem } from "../src/host/bindings";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { keyOf, mountApp, rowOf, sampleHost } from "./mount";
import type { MemoryHost } from "../src/host/memory";
import { clock } from "../src/state/clock.svelte";
import { SettingsState } from "../src/state/settings.svelte";
import { listEvidence } from "../src/words/phrases";
import { click, fill, hover, press, send } from "./person";

async function openLoop(host: MemoryHost, title: string): Promise<HTMLElement> {
  host.open = keyOf(host, title);
  const container = await mountApp(host);
  await screen.findByRole("tabpanel", { name: "Overview" });
  return container;
}

const show = (tab: string) => click(screen.getByTestId(`tab-${tab}`));

describe("pause", () => {
  it("is shown as requested, then as in effect, and never before the host says so", async () => {
    const host = sampleHost();
    await openLoop(host, "Implement user");
    // What is in effect is told for a moment only: here, time waits for the test.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    onTestFinished(() => void vi.useRealTimers());
    await click(screen.getByTestId("verb-pause"));
    const request = await screen.findByTestId("request");
    expect(request.dataset.state).toBe("requested");
    expect(request.textContent).toMatch(/Pause requested \d\d:\d\d · waiting/);
    host.settle();
    await waitFor(() => expect(screen.getByTestId("request").dataset.state).toBe("in_effect"));
    expect(screen.getByTestId("request").textContent).toContain("→ in effect");
    vi.setSystemTime(Date.now() + 60_000);
    clock.tick();
    await waitFor(() => expect(screen.queryByTestId("request"), "the status says it by then").toBeNull());
  });

  it("says how often another writer undid it", async () => {
    const host = sampleHost();
    await openLoop(host, "Dark mode");
    expect(screen.getByTestId("request").textContent).toContain(
      "An older version of the file overwrote the request. Sent again (2).",
    );
  });

  it("gives way to another tool, says since when, what is in force, and blames nobody", async () => {
    const host = sampleHost();
    await openLoop(host, "Dark mode");
    const row = host.rows().find((one) => one.key === host.open)!;
    const overruled_at = new Date(2026, 10, 20, 14, 2).getTime();
    const request = { ...row.request!, state: "overruled" as const, overruled_at };
    host.write(row.key, { request, word: "running_elsewhere", file_word: "running" });
    await waitFor(() => expect(screen.getByTestId("request").dataset.state).toBe("overruled"));
    const told = screen.getByTestId("request").textContent.trim();
    expect(told).toMatch(
      /^Pause overruled by another tool at 20 Nov (2026 )?14:02 · In force: Running elsewhere$/,
    );
    const evidence = (now: number) => listEvidence({ ...row, request }, null, null, now);
    expect(evidence(overruled_at + 60_000)).toEqual({
      text: "Pause overruled by another tool at 14:02",
      kind: "request",
    });
    expect(evidence(overruled_at + 86_400_000).text).toBe("Pause overruled by another tool at 20 Nov 14:02");
  });

  it("has the words of its format", async () => {
    await openLoop(sampleHost(), "Checkout");
    const button = screen.getByTestId("verb-pause");
    expect(button.textContent).toContain("Pause after this iteration");
    const sentence = document.getElementById(button.getAttribute("aria-describedby") ?? "");
    expect(sentence?.textContent).toContain("The running workers finish this iteration");
  });
});

describe("controls", () => {
  it("that are not possible say why, and do nothing", async () => {
    const host = sampleHost();
    await openLoop(host, "Type the pricing");
    const pause = screen.getByRole("button", { name: "Pause" });
    expect(pause.getAttribute("aria-disabled")).toBe("true");
    expect(pause.parentElement?.textContent).toContain("Pause: the loop is already paused.");
    await click(pause);
    expect(host.asked.filter((one) => one.startsWith("act"))).toEqual([]);
  });

  it("of a format that is only shown are none, and that is said", async () => {
    const host = sampleHost();
    const opening = host.openLoop.bind(host);
    host.openLoop = async (key) => {
      const page = await opening(key);
      return { ...page, detail: { ...page.detail, controls: [] } };
    };
    await openLoop(host, "Type the pricing");
    expect(screen.getByTestId("no-controls").textContent).toContain(
      "Loopdeck shows this format but doesn’t change it",
    );
  });

  it("ask before only the file is written, with the command to run by hand", async () => {
    const host = sampleHost();
    const container = await openLoop(host, "Type the pricing");
    await click(container.querySelector('[data-pane="header"] [aria-haspopup="menu"]')!);
    await click(await screen.findByRole("menuitem", { name: "More" }));
    await click(screen.getByRole("menuitem", { name: "Change the file by hand…" }));
    await click(await screen.findByTestId("record-resume"));
    const dialog = await screen.findByRole("dialog", { name: "Resume “Type the pricing rules”?" });
    expect(dialog.textContent).toContain("No agent is started");
    expect(dialog.textContent).toContain("--auto");
    expect(dialog.textContent).toContain("to continue at iteration 3 of 20.");
    await send(dialog.querySelector("form")!);
    await waitFor(() => expect(host.asked).toContain("act resume {}"));
    await waitFor(() => expect(screen.queryByTestId("verb-dialog")).toBeNull());
  });

  it("offer to raise the limit where it is the only obstacle", async () => {
    const host = sampleHost();
    await openLoop(host, "Migrate sessions");
    await click(screen.getByTestId("verb-resume"));
    const field = (await screen.findByRole("spinbutton", {
      name: "New iteration limit",
    })) as HTMLInputElement;
    await fill(field, "20");
    expect((screen.getByTestId("confirm") as HTMLButtonElement).disabled).toBe(true);
    await fill(field, "30");
    await send(field.closest("form")!);
    const { key } = host.rows().find((row) => row.title.startsWith("Migrate sessions"))!;
    await waitFor(() => expect(host.runs.asked).toContain(`launch ${key} as before 30`));
  });

  it("show a failure beside the loop, with what to do, until dismissed", async () => {
    const host = sampleHost();
    await openLoop(host, "Implement user");
    host.failNext = { kind: "contended", args: { path: "loop.json" }, refusal: null };
    await click(screen.getByTestId("verb-pause"));
    const note = await screen.findByTestId("failure");
    expect(note.textContent).toContain("Gave up after 5 attempts; nothing was written.");
    expect(note.textContent).toContain("Wait until the agent finishes");
    await click(note.querySelector("button")!);
    expect(screen.queryByTestId("failure")).toBeNull();
  });

  it("of a read-only format are all refused with the reason", async () => {
    const container = await openLoop(sampleHost(), "Nightly dependency");
    expect(container.textContent).toContain("Loopdeck shows this format but can’t control it");
    expect(screen.queryByTestId("verb-pause")).toBeNull();
  });
});

describe("tabs", () => {
  it("show every part of a Loop v2 file", async () => {
    const container = await openLoop(sampleHost(), "Implement user");
    expect(screen.getByTestId("problems").textContent).toContain(
      "Pass rate: the file says 95.5%, but the latest run gives 93.2%.",
    );
    expect(screen.getByRole("region", { name: "Facts" }).textContent).toContain("8 h ahead");
    const lead = screen.getByRole("list", { name: "Key facts" });
    expect(lead.textContent).toContain("Tasks done");
    expect(screen.getByRole("region", { name: "Facts" }).textContent).not.toContain("Tasks done");
    await show("work");
    expect(screen.getByRole("grid", { name: "Tasks" }).textContent).toContain(
      "Refuse a refresh with a rotated token",
    );
    await show("debug");
    expect(container.textContent).toContain("Root cause: H2");
    expect(screen.getByTestId("board").textContent).toContain("src/limit/key.ts:31 · bucketKey()");
    await show("tests");
    await waitFor(() =>
      expect(screen.getByRole("treegrid", { name: "Tests of run 7" }).textContent).toContain(
        "refresh_rotates_the_old_token",
      ),
    );
    await show("files");
    await waitFor(() =>
      expect(screen.getByRole("tabpanel", { name: "Files 6" }).textContent).toContain(
        "Understanding Document",
      ),
    );
    await click(screen.getByTestId("state-file"));
    await waitFor(() => expect(screen.getByTestId("source").textContent).toContain('"status": "running"'));
    expect(screen.getByTestId("source").querySelector('[data-line="12"]')?.textContent).toContain(
      "the file says 95.5%",
    );
  });

  it("show every part of an AoT file, with plain words for checks", async () => {
    const container = await openLoop(sampleHost(), "Checkout");
    expect(screen.getByTestId("checklist").textContent).toContain("this command fails");
    expect(screen.getByTestId("check-counts").textContent).toContain("3 not judged");
    expect(screen.getByText(/evidence, not a result/)).toBeTruthy();
    const [first, second] = screen.getAllByTestId("check-evidence");
    expect(first?.querySelector("ul")?.textContent, "the last evidence").toContain("A3 says");
    expect(first?.querySelector("details")?.textContent).toContain("exit_code: 0");
    expect(second?.textContent).toContain("A3 produced src/session/redis.ts");
    expect(container.textContent).toContain("Unresolved before not counted yet");
    await show("work");
    const atoms = screen.getByRole("treegrid", { name: "Atoms" }).textContent ?? "";
    for (const word of ["Tried, failed", "Ready", "Blocked", "Container", "doesn’t exist"])
      expect(atoms).toContain(word);
    await show("activity");
    expect(screen.getByRole("treegrid", { name: "What happened, oldest first" }).textContent).toContain(
      "key rotation breaks refresh",
    );
  });

  it("without data keep their sentence", async () => {
    const container = await openLoop(sampleHost(), "Search with typing");
    const said: [string, string][] = [
      ["work", "This loop has not been initialised."],
      ["activity", "Nothing recorded yet"],
    ];
    for (const [tab, sentence] of said) {
      await show(tab);
      await waitFor(() => expect(container.textContent).toContain(sentence));
    }
    expect(screen.queryByTestId("tab-debug")).toBeNull();
    expect(screen.queryByTestId("tab-tests")).toBeNull();
  });

  it("count checks and no groups, and leave the count of loops to the list", async () => {
    await openLoop(sampleHost(), "Checkout");
    const counts = screen.getByTestId("check-counts").textContent ?? "";
    const heading = [...document.querySelectorAll("h2")].find((one) =>
      one.textContent?.includes("Completion"),
    );
    const [count] = /\d+/.exec(heading?.textContent ?? "") ?? [];
    expect(counts).toContain(`Checks: ${count}`);
    expect(screen.queryByTestId("shown")).toBeNull();
  });

  it("lead from a problem to its line, however many there are", async () => {
    const host = sampleHost();
    const lines = [3, 9, 5, 7, 12];
    const problems = lines.map((line): Problem => ({
      code: "W7_unknown_word",
      severity: "warning",
      path: "status",
      line,
      args: { found: `w${line}` },
    }));
    host.detail(keyOf(host, "Implement user"), { problems });
    await openLoop(host, "Implement user");
    await show("files");
    await click(screen.getByTestId("state-file"));
    const links = await screen.findAllByTestId("jump");
    expect(links.map((one) => one.textContent?.trim())).toEqual(["Go to line 3", "Go to line 5"]);
    expect(screen.getByRole("button", { name: "3 more" }).textContent).toContain("3 more");
    await click(screen.getByRole("button", { name: "3 more" }));
    expect(
      (
        await screen.findByRole("menuitem", {
          name: "Go to line 9: The format doesn’t define the word “w9”.",
        })
      ).textContent,
    ).toContain("w9");
    await press(
      "{Escape}",
      screen.getByRole("menuitem", { name: "Go to line 9: The format doesn’t define the word “w9”." }),
    );
  });

  it("lead from an unreadable file to its line", async () => {
    const host = sampleHost();
    await openLoop(host, "loop-v2-20260122T020000-3fa");
    const unreadable = screen.getByTestId("unreadable").textContent;
    expect(unreadable).toContain("Couldn’t read the file. Showing the version from");
    expect(unreadable).toContain("Go to line 41");
    await click(screen.getByTestId("unreadable").querySelector("button")!);
    expect(screen.getByRole("tab", { name: /^Files/ }).getAttribute("aria-selected")).toBe("true");
  });

  it("stay where they are while the loop changes", async () => {
    const host = sampleHost();
    const container = await openLoop(host, "Implement user");
    await show("work");
    const table = screen.getByRole("grid", { name: "Tasks" });
    const [first] = (await host.openLoop(host.open!)).detail.tasks;
    host.detail(host.open!, { tasks: [{ ...first!, description: "Changed by somebody" }] });
    await waitFor(() => expect(container.textContent).toContain("Changed by somebody"));
    expect(screen.getByRole("grid", { name: "Tasks" })).toBe(table);
    expect(screen.getByTestId("tab-work").getAttribute("aria-selected")).toBe("true");
  });

  it("have one set of steps and one drawer where tasks can be listed and drawn", async () => {
    await openLoop(sampleHost(), "Implement user");
    await show("work");
    expect(screen.getAllByTestId("record-step")).toHaveLength(1);
    expect(screen.queryByRole("searchbox", { name: "Find in the work" })).toBeNull();
    await click(screen.getAllByTestId("task-row")[0]!);
    await screen.findByTestId("task-drawer");
    expect(document.querySelectorAll("aside")).toHaveLength(1);
    await click(screen.getByRole("radio", { name: "Graph" }));
    expect(await screen.findByRole("searchbox", { name: "Find in the work" })).not.toBeNull();
    expect(screen.queryByTestId("task-drawer")).toBeNull();
    expect(screen.getAllByTestId("record-step")).toHaveLength(1);
    await click(screen.getByRole("radio", { name: "List" }));
    await screen.findByTestId("task-drawer");
    expect(screen.queryByTestId("unit-drawer")).toBeNull();
  });

  it("say that the loop is gone when its file is", async () => {
    const host = sampleHost();
    const container = await openLoop(host, "Implement user");
    host.remove(host.open!);
    await waitFor(() => expect(container.textContent).toContain("This loop’s file was moved or deleted."));
  });
});

describe("until opened", () => {
  it("an opened loop that is at work is not remembered with every change", async () => {
    const host = sampleHost();
    await openLoop(host, "Implement user");
    host.write(host.open!, { title: "Implement more" });
    await waitFor(() => expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Implement more"));
    expect(host.settings.opened ?? {}).toEqual({});
  });

  it("a failed loop waits in Idle after it was looked at", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    await hover(screen.getByRole("grid", { name: "Loops by status" }));
    await click(rowOf(container, "Upgrade the build"));
    await screen.findByRole("tabpanel", { name: "Overview" });
    await click(screen.getByRole("button", { name: "Loops" }));
    await waitFor(() => expect(screen.getByTestId("group-attention").textContent).toMatch(/4/));
    expect(Object.keys(host.settings.opened ?? {})).toEqual([keyOf(host, "Upgrade the build")]);
  });
});

describe("what was looked at", () => {
  const opened = (host: MemoryHost) => Object.keys(host.settings.opened ?? {});

  it("is forgotten with the loop, and kept with a folder that is closed", async () => {
    const host = sampleHost();
    const key = keyOf(host, "Upgrade the build");
    const home = key.slice(0, key.indexOf(":"));
    host.settings = {
      ...host.settings,
      opened: { [`${home}:.workflow/.loop/gone.json`]: 1, "elsewhere:.workflow/.loop/x.json": 2 },
    };
    host.open = key;
    await mountApp(host);
    await waitFor(() => expect(opened(host)).toEqual(["elsewhere:.workflow/.loop/x.json", key]));
    host.remove(key);
    await waitFor(() => expect(opened(host)).toEqual(["elsewhere:.workflow/.loop/x.json"]));
  });

  it("is kept of five thousand loops, the newest", () => {
    const settings = new SettingsState(sampleHost());
    const all = Object.fromEntries(Array.from({ length: 6_000 }, (_, at) => [`w:${at}.json`, at]));
    settings.load({ ...settings.plain, opened: all });
    const [row] = sampleHost().rows();
    settings.markOpened({ ...row!, key: "w:7.json", changed: 99, until_opened: true });
    const keys = Object.keys(settings.opened);
    expect(keys).toHaveLength(5_000);
    expect(keys.at(-1)).toBe("w:7.json");
    expect(settings.opened["w:5999.json"]).toBe(5_999);
  });
});
