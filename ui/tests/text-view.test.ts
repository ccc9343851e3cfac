import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { tick } from "svelte";
import { expect, it } from "vitest";
import type { SourcePage } from "../src/host/bindings";
import { LINE_HEIGHT } from "../src/state/line-window";
import { click, fill, press } from "./person";
import TextStage from "./TextStage.svelte";

/** A file that grows, whose pages may be kept back or fail. */
class File {
  lines: string[];
  failing = new Set<number>();
  waits: Promise<void> = Promise.resolve();
  readonly asked: number[] = [];

  constructor(count: number) {
    this.lines = Array.from({ length: count }, (_, at) => `line ${at + 1}`);
  }

  readonly read = async (first: number, count: number): Promise<SourcePage> => {
    this.asked.push(first);
    const { waits } = this;
    await waits;
    if (this.failing.has(first)) throw { kind: "unreadable", args: { path: "f" }, refusal: null };
    const lines = this.lines.slice(first - 1, first - 1 + count);
    return { file: "f", first, lines, total: this.lines.length, size: 1, log: false, lossy: false };
  };
}

async function shownOf(file: File, line: number | null = null) {
  const { rerender } = render(TextStage, { read: file.read, version: 1, line });
  const box = screen.getByTestId("text");
  Object.defineProperties(box, {
    clientHeight: { value: 300 },
    scrollHeight: { get: () => file.lines.length * LINE_HEIGHT },
  });
  await waitFor(() => expect(box.textContent).toContain("line"));
  let version = 1;
  const grow = async () => {
    file.lines.push(`line ${file.lines.length + 1}`);
    await rerender({ version: (version += 1) });
    await waitFor(() => expect(screen.getByText(new RegExp(`^${file.lines.length} lines`))).toBeTruthy());
    await tick();
  };
  const scroll = async (line: number) => {
    box.scrollTop = (line - 1) * LINE_HEIGHT;
    await fireEvent.scroll(box);
    await tick();
  };
  return { box, grow, scroll };
}

async function find(text: string): Promise<HTMLElement> {
  await press("{Control>}f{/Control}");
  const field = await screen.findByTestId("find");
  await fill(field, text);
  return field;
}

it("A reader who came to a line and went elsewhere stays there while the text grows", async () => {
  const file = new File(900);
  const { box, grow, scroll } = await shownOf(file, 600);
  await waitFor(() => expect(box.scrollTop).toBeGreaterThan(500 * LINE_HEIGHT));
  await scroll(100);
  const { scrollTop } = box;
  await grow();
  await grow();
  expect(box.scrollTop).toBe(scrollTop);
});

it("A reader who found something and went elsewhere stays there while the text grows", async () => {
  const file = new File(900);
  const { box, grow, scroll } = await shownOf(file);
  await find("line 700");
  await waitFor(() => expect(box.scrollTop).toBeGreaterThan(600 * LINE_HEIGHT));
  await scroll(100);
  const { scrollTop } = box;
  await grow();
  await waitFor(() => expect(file.asked.filter((first) => first === 1).length).toBeGreaterThan(2));
  await grow();
  expect(box.scrollTop).toBe(scrollTop);
});

it("What is found is marked also where its page is read later, and when it comes into view again", async () => {
  const file = new File(900);
  const { box, scroll } = await shownOf(file);
  const here = () => box.querySelector("mark[data-here]")?.closest<HTMLElement>("[data-line]")?.dataset.line;
  let go = (): void => undefined;
  const field = await find("line 70");
  await waitFor(() => expect(here()).toBe("70"));
  file.waits = new Promise((done) => (go = done));
  await press("{Enter}", field);
  await waitFor(() => expect(box.querySelector('[data-line="700"]')).not.toBeNull());
  expect(here()).toBeUndefined();
  go();
  await waitFor(() => expect(here()).toBe("700"));
  await scroll(1);
  expect(here()).toBeUndefined();
  await scroll(690);
  await waitFor(() => expect(here()).toBe("700"));
});

it("A page that could not be read is asked for again: on request, and when it comes into view", async () => {
  const file = new File(900);
  const { box, scroll } = await shownOf(file);
  file.failing.add(601);
  await scroll(650);
  await screen.findByTestId("failure");
  expect(box.textContent).not.toContain("line 650");
  await scroll(1);
  expect(screen.getByTestId("failure"), "other pages that come don't hide it").toBeTruthy();
  const before = file.asked.filter((first) => first === 601).length;
  await scroll(650);
  await waitFor(() => expect(file.asked.filter((first) => first === 601).length).toBeGreaterThan(before));
  file.failing.clear();
  await click(await screen.findByRole("button", { name: "Try again" }));
  await waitFor(() => expect(box.textContent).toContain("line 650"));
  expect(screen.queryByTestId("failure")).toBeNull();
});
