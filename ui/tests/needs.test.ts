import { fireEvent, screen, waitFor, within } from "@testing-library/svelte";
import { tick } from "svelte";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Need } from "../src/host/bindings";
import { failure } from "../src/host/memory-list";
import { MemoryHost } from "../src/host/memory";
import { rowThatNeeds, sampleNeeds } from "../src/host/sample-needs";
import { Announcer } from "../src/state/announcer.svelte";
import { Catalog } from "../src/state/catalog.svelte";
import { NeedsState } from "../src/state/needs.svelte";
import type { App } from "../src/state/app.svelte";
import { REST, VerbGuard } from "../src/state/verb-guard";
import { showOutput } from "../src/views/needs/show";
import { extending, fits } from "../src/views/needs/amount";
import { FOLD_AT, FOLD_LETTERS, folded, visible } from "../src/views/needs/visible";
import { language } from "../src/words/language.svelte";
import { answerErrorText, belowQuestion, saysItself } from "../src/words/answer-phrases";
import { headline } from "../src/words/need-phrases";
import { keyOf, mountApp, needyHost, NOW, rowOf, sampleHost } from "./mount";
import { click, fill, press } from "./person";

const samples = () => sampleNeeds(sampleHost().rows(), NOW);
const sample = (kind: Need["kind"]) => samples().find((need) => need.kind === kind)!;

function answers(host: MemoryHost): string[] {
  return host.runs.asked.filter((one) => one.startsWith("answer"));
}

async function openDrawer(): Promise<HTMLElement> {
  await click(screen.getByTestId("nav-needs"));
  return screen.findByTestId("needs-drawer");
}

function card(kind: string, within: ParentNode = document): HTMLElement {
  const found = within.querySelector<HTMLElement>(`[data-kind="${kind}"]`);
  if (!found) throw new Error(`no card ${kind}`);
  return found;
}

const button = (kind: string, id: string) => within(card(kind)).getByTestId(id);

describe("sentences", () => {
  it.each([
    ["permission", {}, "Claude Code wants to use Bash."],
    ["question", {}, "Claude Code has a question."],
    [
      "question",
      { question: "task_failed", about: "task-002", count: "3" },
      "Task task-002 keeps failing. Attempts: 3.",
    ],
    [
      "question",
      { question: "task_failed", about: "task-002", count: "1" },
      "Task task-002 keeps failing. Attempts: 1.",
    ],
    ["question", { question: "of tomorrow" }, "The loop has a question."],
    ["question", { question: "toString" }, "The loop has a question."],
    ["limit_reached", { limit: "money" }, "The money limit is used up."],
    ["usage_limit", {}, "Waiting for Claude Code’s usage limit to reset."],
    ["failed", { code: "crashed" }, "Codex ended without a result."],
    ["failed", { code: "__proto__" }, "The run failed."],
    ["left_over", {}, "Processes still running after the stop: 2."],
  ] as const)("of %s with %o", (kind, args, sentence) => {
    expect(headline({ ...sample(kind), args: { ...sample(kind).args, ...args } })).toBe(sentence);
  });

  it("say what is wrong with an answer in the language of the window", () => {
    const wrong = { code: "missing", place: "tasks[2].id", found: "", line: null } as const;
    expect(answerErrorText(wrong)).toBe("tasks[2].id: This part is missing or empty.");
    expect(answerErrorText({ ...wrong, line: 3 })).toBe(
      "Line 3: tasks[2].id: This part is missing or empty.",
    );
    const path = { code: "bad_path", place: "files[0]", found: "/etc", line: null } as const;
    expect(answerErrorText(path)).toBe(
      "files[0]: A path must be relative to the folder, without “..”. Found: /etc",
    );
    language.id = "ja";
    expect(answerErrorText({ code: "no_object", place: "", found: "", line: null })).toBe(
      "回答に JSON オブジェクトがありません。",
    );
    language.id = "en";
  });

  it("say why nothing can start, and which checks have no result, in the language of the window", () => {
    const lines: Need["lines"] = [
      { code: "waits_for", args: { about: "A2", id: "A4" } },
      { code: "never_passes", args: { about: "", reason: "empty_checklist" } },
    ];
    const need = { ...sample("question"), text: "A2: waits for A4", wrong: [], lines };
    expect(belowQuestion(need)).toBe(
      "A2 waits for A4.\nThe completion check can never pass: the checklist is empty.",
    );
    language.id = "zh-CN";
    expect(belowQuestion(need)).toBe("A2 在等待 A4。\n完成检查永远无法通过：检查清单为空。");
    language.id = "en";
    expect(belowQuestion({ ...need, lines: [] })).toBe("A2: waits for A4");
  });

  it("of a failure of ours is that failure, not the agent’s words", () => {
    const need = { ...sample("failed"), text: "No space left on device", args: { code: "disk" } };
    expect(headline(need)).toBe("Couldn’t write ~/code/billing-core: No space left on device");
    expect(saysItself(need)).toBe(false);
    expect(saysItself(sample("failed"))).toBe(true);
    const refused = { ...need, text: "already_running", args: { code: "refused" } };
    expect(headline(refused)).toContain("Refused: the loop is already");
  });
});

describe("an input", () => {
  it("shows what would make it look like another one", () => {
    expect(visible("rm \u202etxt.exe\u0007\tend\r\n")).toEqual({
      text: "rm ⟨U+202E⟩txt.exe⟨U+0007⟩\tend\n",
      hidden: 2,
    });
    expect(visible("日本語 é 👍🏽").hidden).toBe(0);
  });

  it("is folded by lines and by letters, not for one line more", () => {
    const lines = (count: number) => Array.from({ length: count }, (_, line) => `${line}`).join("\n");
    expect(folded(lines(FOLD_AT + 1), false).more).toBeNull();
    expect(folded(lines(FOLD_AT + 5), false).more).toEqual({ of: "lines", count: 5 });
    expect(folded(lines(FOLD_AT + 5), true).more).toBeNull();
    const more = folded("x".repeat(FOLD_LETTERS * 2), false);
    expect([more.text.length, more.more]).toEqual([FOLD_LETTERS, { of: "characters", count: FOLD_LETTERS }]);
  });
});

describe("how much more", () => {
  it("is a number that can be", () => {
    const iterations = { of: "iterations", least: 1, most: 90, whole: true, proposed: 5 } as const;
    const fitting = [0, 1, 2.5, 90, 91, Number.NaN, null].map((one) => fits(one, iterations));
    expect(fitting).toEqual([false, true, false, true, false, false, false]);
    const money = { of: "money", least: 0.01, most: 10_000, whole: false, proposed: 5 } as const;
    expect([0, 0.5, 10_001].map((one) => fits(one, money))).toEqual([false, true, false]);
  });

  it("is added to what was used up, and to nothing else", () => {
    const none = { iterations: null, minutes: null, money_usd: null, tokens: null, turns: null };
    expect(extending("money", 3)).toEqual({ answer: "extend", ...none, money_usd: 3 });
    expect(extending("time", 60)).toEqual({ answer: "extend", ...none, minutes: 60 });
    expect(extending(null, null)).toEqual({ answer: "extend", ...none });
  });
});

describe("the list of what waits", () => {
  async function started(host: MemoryHost): Promise<{ state: NeedsState; catalog: Catalog; said: string[] }> {
    const said: string[] = [];
    const announcer = Object.assign(new Announcer((text) => text), {
      say: (text: string) => said.push(`polite ${text}`),
      sayNow: (text: string) => said.push(text),
    });
    const catalog = new Catalog(host);
    const state = new NeedsState(host, catalog, announcer, new VerbGuard());
    await catalog.start();
    return { state, catalog, said };
  }

  it("is read when the counter rises, and tells of each need once", async () => {
    const host = sampleHost();
    const { state, catalog, said } = await started(host);
    const [first, second, third] = samples() as [Need, Need, Need];
    host.runs.setNeeds([first]);
    await waitFor(() => expect(state.all).toEqual([first]));
    expect(said).toEqual(["“Migrate sessions to Redis” needs you. The run was interrupted."]);
    host.runs.setNeeds([first, second, third]);
    await waitFor(() => expect(state.all).toHaveLength(3));
    expect(said[1]).toContain("Processes still running after the stop: 2. And 1 more.");
    await catalog.pull();
    expect(said).toHaveLength(2);
  });

  it("keeps what it knew when it cannot be read, and tries again with the next change", async () => {
    const host = sampleHost();
    const { state, catalog } = await started(host);
    host.runs.setNeeds(samples());
    await waitFor(() => expect(state.all).toHaveLength(9));
    const { needs } = host.runs;
    host.runs.needs = () => Promise.reject(failure("own_data"));
    host.runs.setNeeds([]);
    await waitFor(() => expect(state.failure).not.toBeNull());
    expect(state.all).toHaveLength(9);
    host.runs.needs = needs;
    await catalog.pull();
    await waitFor(() => expect([state.failure, state.all]).toEqual([null, []]));
  });

  it("says that something was withdrawn, but not what was answered here", async () => {
    const host = sampleHost();
    const { state, said } = await started(host);
    host.runs.setNeeds(samples());
    await waitFor(() => expect(state.all).toHaveLength(9));
    said.length = 0;
    await state.answer(state.all[0]!, { answer: "dismiss" });
    expect(said).toEqual(["polite Answered: Migrate sessions to Redis."]);
    host.runs.setNeeds(host.runs.waiting.slice(1));
    await waitFor(() => expect(said).toHaveLength(2));
    expect(said[1]).toBe("polite “Type the pricing rules” no longer needs an answer.");
  });
});

describe("answers", () => {
  it.each([
    ["permission", "answer-allow_once", { answer: "allow_once" }],
    ["permission", "answer-allow_for_run", { answer: "allow_for_run" }],
    ["permission", "answer-deny", { answer: "deny", note: "" }],
    ["question", "answer-go_on", { answer: "go_on" }],
    ["question", "answer-stop", { answer: "stop" }],
    ["limit_reached", "answer-extend", extending("iterations", 10)],
    ["usage_limit", "answer-resume", { answer: "resume" }],
    ["sign_in", "answer-resume", { answer: "resume" }],
    ["failed", "answer-resume", { answer: "resume" }],
    ["failed", "answer-dismiss", { answer: "dismiss" }],
    ["left_over", "answer-end_left", { answer: "end_left" }],
    ["interrupted", "answer-resume", { answer: "resume" }],
  ])("of %s: %s", async (kind, id, answer) => {
    const host = needyHost();
    await mountApp(host);
    await openDrawer();
    await tick();
    await click(button(kind, id));
    await waitFor(() => expect(() => card(kind)).toThrow());
    expect(answers(host)).toEqual([`answer need-${kind} ${JSON.stringify(answer)}`]);
  });

  it("are looked up in the output of the run that they are for", () => {
    const opened: unknown[] = [];
    const app = { needs: { open: true }, navigation: { openAt: (place: unknown) => opened.push(place) } };
    for (const run of ["run-7", null]) showOutput(app as unknown as App, { ...sample("failed"), run });
    const place = { key: sample("failed").key, tab: "output" };
    expect(opened).toEqual([
      { ...place, item: "run-7" },
      { ...place, item: null },
    ]);
    expect(app.needs.open).toBe(false);
  });

  it("choose the action that stands there", async () => {
    const host = needyHost();
    await mountApp(host);
    await openDrawer();
    const choices = within(card("menu")).getAllByTestId("choice");
    expect(choices.map((one) => one.querySelector("strong")?.textContent)).toEqual([
      "Develop",
      "Debug",
      "Validate",
      "Complete",
      "Leave",
    ]);
    await click(choices[2]!);
    await waitFor(() => expect(answers(host)).toEqual(['answer need-menu {"answer":"choose","index":2}']));
  });

  it("take a note to a refusal, and a text only when there is one", async () => {
    const host = needyHost();
    await mountApp(host);
    await openDrawer();
    await click(button("question", "answer-say"));
    expect(answers(host)).toEqual([]);
    await fill(button("question", "say-text"), "Round once.");
    await press("{Control>}{Enter}{/Control}", button("question", "say-text"));
    await waitFor(() =>
      expect(answers(host)).toEqual(['answer need-question {"answer":"say","text":"Round once."}']),
    );
    await click(button("permission", "answer-note"));
    const note = await within(card("permission")).findByTestId("deny-text");
    await waitFor(() => expect(document.activeElement).toBe(note));
    await fill(note, "Not with --force.");
    await click(button("permission", "answer-deny"));
    await waitFor(() =>
      expect(answers(host)[1]).toBe('answer need-permission {"answer":"deny","note":"Not with --force."}'),
    );
  });

  it("are not given by the second click of a double click", async () => {
    const host = needyHost();
    await mountApp(host);
    await openDrawer();
    await fireEvent.click(button("permission", "answer-allow_once"), { detail: 2 });
    await tick();
    expect(answers(host)).toEqual([]);
  });

  it("do not allow an input before all of it was offered", async () => {
    const host = needyHost();
    const long = `{"command": "${"echo 日本 ".repeat(5_000)}rm -rf /"}`;
    const whole = [...long].length;
    const waiting = host.runs.waiting.map((need) =>
      need.kind === "permission"
        ? { ...need, input: long.slice(0, 16_000), cut_from: whole, answers: ["deny"] }
        : need,
    );
    host.runs.setNeeds(waiting);
    host.runs.inputOf.set("need-permission", long);
    await mountApp(host);
    await openDrawer();
    const body = within(card("permission"));
    expect(body.queryByTestId("answer-allow_once")).toBeNull();
    expect(body.getByTestId("cut-input").textContent).toContain(`${whole.toLocaleString("en")} characters`);
    await click(body.getByRole("button", { name: "Show the whole input" }));
    await waitFor(() => body.getByTestId("answer-allow_once"));
    expect(body.queryByTestId("cut-input")).toBeNull();
    await click(body.getByTestId("answer-allow_once"));
    await waitFor(() => expect(answers(host)).toEqual(['answer need-permission {"answer":"allow_once"}']));
  });

  it("that go wrong leave the card with what was typed, and say why", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const host = needyHost();
    await mountApp(host);
    await openDrawer();
    await fill(button("question", "say-text"), "Once.");
    host.runs.failNext = failure("cannot_start", { agent: "Codex", reason: "exit 2" });
    await click(button("question", "answer-say"));
    const said = await within(card("question")).findByTestId("failure");
    expect(said.textContent).toContain("Codex didn’t start: exit 2");
    expect((button("question", "say-text") as HTMLTextAreaElement).value).toBe("Once.");
    vi.advanceTimersByTime(REST);
    await click(button("question", "answer-say"));
    await waitFor(() => expect(() => card("question")).toThrow());
  });

  it("that come too late are told where the card was not lost with them", async () => {
    const host = needyHost();
    await mountApp(host);
    await openDrawer();
    host.runs.waiting = host.runs.waiting.filter((need) => need.kind !== "permission");
    await click(button("permission", "answer-allow_once"));
    const notice = await screen.findByTestId("notice");
    expect(notice.textContent).toContain("Rate-limit the login endpoint: This no longer needs an answer.");
    expect(() => card("permission")).toThrow();
  });

  it("that are out of range cannot be sent", async () => {
    const host = needyHost();
    await mountApp(host);
    await openDrawer();
    const amount = button("limit_reached", "extend-amount") as HTMLInputElement;
    await waitFor(() => expect(amount.value).toBe("10"));
    await fill(amount, "81");
    await click(button("limit_reached", "answer-extend"));
    expect(answers(host)).toEqual([]);
    expect(card("limit_reached").textContent).toContain("Enter a number from 1 to 80.");
  });
});

describe("what was begun", () => {
  it("stays while cards come and go, in the drawer and in the loop", async () => {
    const host = needyHost();
    host.open = keyOf(host, "Flaky invoice");
    await mountApp(host);
    const own = await screen.findByRole("region", { name: "Needs you" });
    await fill(within(own).getByTestId("say-text"), "Round on");
    const drawer = await openDrawer();
    expect((within(drawer).getByTestId("say-text") as HTMLTextAreaElement).value).toBe("Round on");
    host.runs.setNeeds(samples().slice(3));
    await waitFor(() => expect(within(drawer).getAllByTestId("need")).toHaveLength(6));
    await click(screen.getByRole("tab", { name: /^Work/ }));
    const again = within(screen.getByRole("region", { name: "Needs you" })).getByTestId(
      "say-text",
    ) as HTMLTextAreaElement;
    expect(again.value).toBe("Round on");
  });
});

describe("by keyboard", () => {
  it("g i opens the drawer, Escape gives the focus back", async () => {
    const host = needyHost();
    await mountApp(host);
    const start = screen.getByRole("button", { name: "Loops 16" });
    start.focus();
    await press("g", start);
    await press("i", start);
    const drawer = await screen.findByTestId("needs-drawer");
    await waitFor(() => expect(document.activeElement).toBe(drawer.querySelector("h2")));
    await press("{Escape}");
    await waitFor(() => expect(screen.queryByTestId("needs-drawer")).toBeNull());
    expect(document.activeElement).toBe(start);
  });

  it("the focus goes to the heading of the next card, then to the drawer", async () => {
    const host = needyHost();
    host.runs.setNeeds(samples().slice(0, 2));
    await mountApp(host);
    const drawer = await openDrawer();
    for (const kind of ["interrupted", "left_over"]) {
      const last = kind === "left_over";
      const dismiss = within(card(kind)).getByTestId("answer-dismiss");
      dismiss.focus();
      await click(dismiss);
      await waitFor(() => expect(() => card(kind)).toThrow());
      const wanted = last ? drawer.querySelector("h2") : card("left_over").querySelector("h3");
      await waitFor(() => expect(document.activeElement).toBe(wanted));
    }
    expect(screen.queryByTestId("needs-none")).toBeNull();
    for (const row of host.rows().filter(({ group }) => group === "attention")) host.remove(row.key);
    expect((await screen.findByTestId("needs-none")).textContent).toContain("Nothing needs you.");
  });

  it("a card that goes while the focus is elsewhere takes it from nobody", async () => {
    const host = needyHost();
    await mountApp(host);
    await openDrawer();
    const field = button("question", "say-text");
    field.focus();
    host.runs.setNeeds(samples().filter((need) => need.kind !== "interrupted"));
    await waitFor(() => expect(() => card("interrupted")).toThrow());
    expect(document.activeElement).toBe(field);
  });

  it("Space on a row that needs an answer leads to its card", async () => {
    const host = needyHost();
    const need = sample("permission");
    const row = host.rows().find((one) => one.key === need.key)!;
    host.write(row.key, rowThatNeeds(row, need));
    const container = await mountApp(host);
    const line = rowOf(container, "Rate-limit");
    await waitFor(() => expect(within(line).getByTestId("row-answer")).toBeTruthy());
    await click(within(line).getByTestId("row-answer"));
    const own = await screen.findByRole("region", { name: "Needs you" });
    await waitFor(() => expect(document.activeElement).toBe(card("permission", own).querySelector("h2")));
  });
});

describe("cards", () => {
  it("stand at the top of their loop in every tab, and nowhere else", async () => {
    const host = needyHost();
    host.open = keyOf(host, "Rate-limit");
    await mountApp(host);
    for (const tab of ["overview", "debug", "files"]) {
      await click(await screen.findByTestId(`tab-${tab}`));
      expect(within(screen.getByRole("region", { name: "Needs you" })).getAllByTestId("need")).toHaveLength(
        1,
      );
    }
    host.runs.setNeeds(samples().filter((need) => need.kind !== "permission"));
    await waitFor(() => expect(screen.queryByTestId("loop-needs")).toBeNull());
  });

  it("and loops that wait without asking are one number, in the sidebar, the list and the drawer", async () => {
    const host = needyHost();
    await mountApp(host);
    const waits = host.rows().filter((row) => row.group === "attention");
    const both = new Set([...samples(), ...waits].map(({ key }) => key)).size;
    const inList = () => screen.getByTestId("group-attention").querySelector(".figure-count")?.textContent;
    expect(both).toBeGreaterThan(waits.length);
    await waitFor(() => expect(screen.getByTestId("needs-count").textContent).toBe(String(both)));
    expect(inList()).toBe(String(both));
    const drawer = await openDrawer();
    expect(drawer.querySelector("h2")?.textContent).toBe(`${both} need you`);
    // Two questions of one loop are one loop.
    host.runs.setNeeds([sample("permission"), { ...sample("permission"), id: "another" }]);
    const asking = waits.some(({ key }) => key === sample("permission").key) ? 0 : 1;
    await waitFor(() => expect(inList()).toBe(String(waits.length + asking)));
    expect(screen.getByTestId("needs-count").textContent).toBe(inList());
    host.runs.setNeeds([]);
    for (const { key } of waits) host.remove(key);
    await waitFor(() => expect(screen.queryByTestId("needs-count")).toBeNull());
    expect(screen.getByTestId("nav-needs").textContent?.trim()).toBe("Needs you");
  });

  it("come before the loops that should be looked at, with the reason and what to do", async () => {
    const host = needyHost();
    host.runs.setNeeds([sample("permission")]);
    await mountApp(host);
    const drawer = await openDrawer();
    const checks = within(within(drawer).getByRole("region", { name: "To review" }));
    const failed = checks.getByRole("button", { name: "Open Upgrade the build to Node 22" }).closest("li")!;
    expect(failed.textContent).toContain("Failed");
    expect(failed.textContent).toContain("network unreachable");
    expect(within(failed).getByRole("button", { name: /Reopen|Start/ })).toBeTruthy();
    expect(checks.queryByRole("button", { name: /Rate-limit/ })).toBeNull();
    await click(checks.getByRole("button", { name: "Open Upgrade the build to Node 22" }));
    await waitFor(() => expect(screen.queryByTestId("needs-drawer")).toBeNull());
    expect(screen.getByRole("heading", { level: 1 }).textContent).toContain("Upgrade the build");
  });

  it("offer only what can be answered", async () => {
    const host = needyHost();
    host.runs.setNeeds([{ ...sample("permission"), answers: ["deny"] }]);
    await mountApp(host);
    await openDrawer();
    expect(screen.queryByTestId("answer-allow_once")).toBeNull();
    expect(screen.getByRole("button", { name: "Deny" })).toBeTruthy();
  });

  it("name the command that signs in, as the doctor knows it", async () => {
    const host = needyHost();
    await mountApp(host);
    await openDrawer();
    await waitFor(() => expect(card("sign_in").textContent).toContain("codex login"));
  });
});
