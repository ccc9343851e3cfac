import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { SearchAnswer } from "../src/host/bindings";
import { SearchState } from "../src/state/search.svelte";
import { markedPieces, placeOf } from "../src/views/search/places";
import { violations } from "./axe";
import { mountApp, sampleHost } from "./mount";
import { click, fill, press } from "./person";

const found = (key: string, total = 1): SearchAnswer["loops"][number] => ({
  key,
  workspace: "w",
  title: key,
  word: "running",
  file_word: "running",
  changed: 0,
  hits: [],
  total,
});
const answer = (loops: string[], more: Partial<SearchAnswer> = {}): SearchAnswer => ({
  loops: loops.map((key) => found(key)),
  next: null,
  left: 0,
  unread: 0,
  ...more,
});

/** A backend that gives these answers one after the other, and notes what it was asked. */
function scripted(answers: SearchAnswer[]) {
  const host = sampleHost();
  const asked: [string, number][] = [];
  host.search = async (text: string, from = 0) => {
    asked.push([text, from]);
    return answers.shift() ?? answer([]);
  };
  return { state: new SearchState(host), asked };
}

async function searchPage() {
  const host = sampleHost();
  await mountApp(host);
  await click(within(screen.getByRole("navigation")).getByRole("button", { name: "Search" }));
  const page = await screen.findByRole("article", { name: "Search" });
  const field = within(page).getByRole("textbox", { name: "Search all loops" });
  return { host, page, field };
}

describe("the search page", () => {
  it("finds as the person types, and marks what was found", async () => {
    const { page, field } = await searchPage();
    expect(document.activeElement).toBe(field);
    expect(page.textContent).toContain("Search all loops");
    await fill(field, "redis");
    const title = await within(page).findByRole("heading", { name: /Migrate sessions to Redis/ });
    const loop = title.closest("section")!;
    expect([...loop.querySelectorAll("mark")].map((mark) => mark.textContent)).toContain("Redis");
    expect(await violations(page)).toEqual([]);
    expect(within(page).getByRole("status").textContent).toMatch(/\d+ places? in \d+ loops?\./);
  });

  it("opens a place where it is shown, and what was found is there again on the way back", async () => {
    const { page, field } = await searchPage();
    await fill(field, "bucket");
    const hits = await within(page).findAllByRole("button", { name: /^Hypothesis H\d/ });
    await click(hits[0]!);
    await screen.findByRole("tabpanel", { name: "Debug 5" });
    await press("{Alt>}{ArrowLeft}{/Alt}");
    const again = await screen.findByRole("article", { name: "Search" });
    expect(within(again).getByRole<HTMLInputElement>("textbox").value).toBe("bucket");
    expect(within(again).getAllByRole("button", { name: /^Hypothesis/ })).toHaveLength(hits.length);
  });

  it("is walked with the arrow keys from the field and back", async () => {
    const { page, field } = await searchPage();
    await fill(field, "redis");
    await within(page).findByRole("heading", { name: /Migrate sessions to Redis/ });
    const [first, second] = page.querySelectorAll("section button");
    field.focus();
    await press("{ArrowDown}");
    expect(document.activeElement).toBe(first);
    await press("{ArrowDown}");
    expect(document.activeElement).toBe(second);
    await press("{ArrowUp}{ArrowUp}");
    expect(document.activeElement).toBe(field);
  });

  it("says that nothing was found, and what to try", async () => {
    const { page, field } = await searchPage();
    await fill(field, "zzzz");
    await waitFor(() => expect(page.textContent).toContain("No place has all of these words."));
  });

  it("says that it failed, and looks again", async () => {
    const { host, page, field } = await searchPage();
    host.failNext = { kind: "own_data", args: { reason: "disk full" }, refusal: null };
    await fill(field, "r");
    await click(await within(page).findByRole("button", { name: "Try again" }));
    await waitFor(() => expect(within(page).queryByRole("alert")).toBeNull());
  });
});

describe("what was found", () => {
  it("is read on until there is enough, and on demand after that", async () => {
    const many = Array.from({ length: 50 }, (_, at) => `a${at}`);
    const { state, asked } = scripted([
      answer(["first"], { next: 7 }),
      answer(many, { next: 90 }),
      answer(["first"], { next: 7 }),
      answer([...many, ...many], { next: null }),
    ]);
    await state.look("x");
    expect(asked).toEqual([
      ["x", 0],
      ["x", 7],
    ]);
    expect([state.loops.length, state.more]).toEqual([51, true]);
    await state.showMore();
    expect([state.loops.length, state.more]).toEqual([101, false]);
  });

  it("is looked for again until every loop is indexed", async () => {
    const { state, asked } = scripted([
      answer([], { left: 300 }),
      answer(["a"], { left: 44 }),
      answer(["a", "b"]),
    ]);
    await state.look("x");
    expect(asked).toHaveLength(3);
    expect([state.loops.map(({ key }) => key), state.left]).toEqual([["a", "b"], 0]);
  });

  it("is that of the last text, whatever comes late", async () => {
    const host = sampleHost();
    const waiting: ((answer: SearchAnswer) => void)[] = [];
    host.search = () => new Promise((done) => waiting.push(done));
    const state = new SearchState(host);
    const first = state.look("a");
    const second = state.look("ab");
    waiting.shift()!(answer(["of a"]));
    await waitFor(() => expect(waiting).toHaveLength(1));
    waiting.shift()!(answer(["of ab"]));
    await Promise.all([first, second]);
    expect([state.answeredText, state.loops.map(({ key }) => key)]).toEqual(["ab", ["of ab"]]);
  });

  it("leads to the part that shows it", () => {
    const hit = { kind: "document", item: "debug.log", line: 12, text: "", marks: [] } as const;
    expect(placeOf("k", { ...hit, marks: [] })).toEqual({
      key: "k",
      tab: "files",
      item: "debug.log",
      line: 12,
    });
  });

  it("is cut at its marks", () => {
    const marks = [
      { start: 0, end: 2 },
      { start: 4, end: 5 },
    ];
    expect(markedPieces({ text: "ab <b>", marks })).toEqual([
      { text: "ab", hit: true },
      { text: " <", hit: false },
      { text: "b", hit: true },
      { text: ">", hit: false },
    ]);
  });
});
