import { screen, waitFor, within } from "@testing-library/svelte";
import { afterEach, expect, it, vi } from "vitest";
import type { ListMarks } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { snoozeTimes } from "../src/state/list-marks";
import { violations } from "./axe";
import { keyOf, mountApp, needyHost, rowOf, sampleHost } from "./mount";
import { click, fill, press, rightClick } from "./person";

const titles = () =>
  [...document.querySelectorAll<HTMLElement>('[data-testid="loop-row"]')].map((row) => row.dataset.key!);
const heading = (group: string) => screen.queryByTestId(`group-${group}`)?.textContent?.trim() ?? null;
const selected = () => titles().filter((key) => rowWith(key).getAttribute("aria-selected") === "true");
const rowWith = (key: string) => document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)!;
const bar = () => screen.queryByRole("toolbar", { name: "Selected loops" });
const marksOf = (host: MemoryHost, key: string) => host.rows().find((row) => row.key === key)!.marks;
const needsYou = () => screen.queryByTestId("needs-count")?.textContent ?? "0";

afterEach(() => void vi.useRealTimers());

async function choose(title: string, item: string): Promise<void> {
  await rightClick(rowOf(document.body, title));
  if (!screen.queryByRole("menuitem", { name: new RegExp(`^${item}`) }))
    await click(await screen.findByRole("menuitem", { name: "More" }));
  await click(screen.getByRole("menuitem", { name: new RegExp(`^${item}`) }));
}

it("an archived loop leaves list and counts, is found by words, and comes back by Undo and Unarchive", async () => {
  const host = needyHost();
  await mountApp(host);
  const key = keyOf(host, "Rate-limit");
  const before = Number(needsYou());
  expect(heading("attention")).toContain(String(before));
  await choose("Rate-limit", "Archive");
  await waitFor(() => expect(titles()).not.toContain(key));
  expect([needsYou(), heading("attention")?.match(/\d+/)?.[0]]).toEqual([`${before - 1}`, `${before - 1}`]);
  await click(screen.getByRole("button", { name: "Undo" }));
  await waitFor(() => expect(titles()).toContain(key));
  await press("e", rowWith(key));
  await waitFor(() => expect(titles()).not.toContain(key));
  const filter = screen.getByRole("combobox", { name: "Filter loops" });
  await fill(filter, "rate-limit");
  await waitFor(() => expect(titles()).toEqual([key]));
  expect(heading("archived")).toMatch(/^Archived\s*1$/);
  await click(screen.getByRole("button", { name: "Archived 1" }));
  expect((filter as HTMLInputElement).value).toBe("is:archived");
  await choose("Rate-limit", "Unarchive");
  await fill(filter, "");
  await waitFor(() => expect(titles()).toContain(key));
  expect(screen.queryByRole("button", { name: /^Archived/ })).toBeNull();
});

it("a pinned loop comes first with a mark, and one that needs you stays with those", async () => {
  const host = sampleHost();
  await mountApp(host);
  const quiet = host.rows().find((row) => row.group === "finished")!;
  await choose(quiet.title, "Pin");
  await waitFor(() => expect(titles()[0]).toBe(quiet.key));
  expect(heading("pinned")).toMatch(/^Pinned\s*1$/);
  expect(screen.getByRole("row", { name: new RegExp(`^Pinned: ${quiet.title}`) })).toBe(rowWith(quiet.key));
  expect(within(rowWith(quiet.key)).getByText("Pinned")).toBeTruthy();
  const needing = heading("attention");
  const last = titles()[Number(needing?.match(/\d+/)?.[0])]!;
  await press("p", rowWith(last));
  await waitFor(() => expect(titles()[1]).toBe(last));
  expect(heading("attention")).toBe(needing);
});

it("a snoozed loop is gone until its time, which can be chosen, and the snooze can be ended", async () => {
  const host = sampleHost();
  await mountApp(host);
  const key = keyOf(host, "Rate-limit");
  await press("z", rowWith(key));
  const dialog = await screen.findByRole("dialog", { name: "Snooze: Rate-limit the login endpoint" });
  const other = within(dialog).getByLabelText("Another time");
  await fill(other, "2020-01-31T09:00");
  expect(within(dialog).getByRole("alert").textContent).toBe("Choose a time that lies ahead.");
  await click(within(dialog).getByRole("button", { name: /^Tomorrow morning/ }));
  await waitFor(() => expect(titles()).not.toContain(key));
  const morning = new Date(marksOf(host, key).snoozed_until!);
  expect([morning.getHours(), morning > new Date()]).toEqual([9, true]);
  await click(screen.getByRole("button", { name: "Snoozed 1" }));
  await waitFor(() => expect(titles()).toEqual([key]));
  expect(rowWith(key).textContent).toContain("Snoozed until");
  await press("z", rowWith(key));
  await click(await screen.findByRole("button", { name: "End the snooze" }));
  await waitFor(() => expect(marksOf(host, key).snoozed_until).toBeNull());
});

it("the page of a loop says that it is pinned, archived or snoozed, with the way back", async () => {
  const host = sampleHost();
  const { key } = host.rows().find((row) => row.group === "finished")!;
  host.open = key;
  await mountApp(host);
  const header = await screen.findByRole("banner");
  const said = () =>
    ["Pinned", "Archived", /^Snoozed until/].map((text) => within(header).queryByText(text) !== null);
  const mark = (marks: Partial<ListMarks>) => host.write(key, { marks: { ...marksOf(host, key), ...marks } });
  expect(said()).toEqual([false, false, false]);
  mark({ pinned: true, archived: true });
  await waitFor(() => expect(said()).toEqual([true, true, false]));
  await click(within(header).getByRole("button", { name: "Unarchive" }));
  await waitFor(() => expect(said()).toEqual([true, false, false]));
  mark({ pinned: false, snoozed_until: Date.now() + 90_000_000 });
  await waitFor(() => expect(said()).toEqual([false, false, true]));
  await click(within(header).getByRole("button", { name: "End the snooze" }));
  await waitFor(() =>
    expect([said(), marksOf(host, key).snoozed_until]).toEqual([[false, false, false], null]),
  );
});

it("offers times that lie ahead", () => {
  const at = (text: string) => new Date(text).getTime();
  const shown = (now: string) => snoozeTimes(at(now)).map(({ id, at }) => [id, new Date(at).toString()]);
  const date = (text: string) => new Date(text).toString();
  expect(shown("2026-11-30T10:00")).toEqual([
    ["laterToday", date("2026-11-30T13:00")],
    ["tomorrow", date("2026-12-01T09:00")],
    ["nextWeek", date("2026-12-07T09:00")],
  ]);
  expect(shown("2026-12-06T23:00")).toEqual([
    ["tomorrow", date("2026-12-07T09:00")],
    ["nextWeek", date("2026-12-07T09:00")],
  ]);
});

it("several loops are selected by clicks and keys, and acted on with one way back", async () => {
  const host = sampleHost();
  await mountApp(host);
  const [a, b, c, d] = titles() as [string, string, string, string];
  const clickWith = async (modifier: "ctrlKey" | "shiftKey", key: string) => {
    const target = rowWith(key);
    target.dispatchEvent(new MouseEvent("click", { bubbles: true, [modifier]: true }));
    await waitFor(() => expect(rowWith(key).getAttribute("aria-selected")).toBe("true"));
  };
  await clickWith("ctrlKey", a);
  await clickWith("shiftKey", c);
  expect([selected(), screen.queryByRole("grid")?.getAttribute("aria-multiselectable")]).toEqual([
    [a, b, c],
    "true",
  ]);
  await press("x", rowWith(d));
  await press("x", rowWith(b));
  expect(selected()).toEqual([a, c, d]);
  expect(bar()?.textContent).toContain("3 loops");
  await waitFor(() => expect(screen.getByRole("alert").textContent).toMatch(/loops? (selected|changed)/));
  expect(await violations(document.body)).toEqual([]);
  await press("{Escape}", rowWith(d));
  expect([bar(), selected().length]).toEqual([null, 1]);
  await press("x", rowWith(a));
  await press("x", rowWith(c));
  await click(within(bar()!).getByRole("button", { name: "Archive" }));
  await waitFor(() => expect(titles()).not.toContain(a));
  expect([bar(), screen.getByTestId("toast-text").textContent]).toEqual([null, "Archived: 2 loops"]);
  await press("u");
  await waitFor(() => expect(titles()).toEqual(expect.arrayContaining([a, c])));
});

it("a verb for several loops says for how many it is, and asks before it deletes", async () => {
  const host = sampleHost();
  await mountApp(host);
  const paused = host.rows().find((row) => row.verbs.includes("delete"))!;
  const running = host.rows().find((row) => !row.verbs.includes("delete") && row.verbs.includes("pause"))!;
  for (const { key } of [paused, running]) await press("x", rowWith(key));
  await click(within(bar()!).getByRole("button", { name: "Pause (1 of 2)" }));
  await waitFor(() => expect(host.asked.filter((one) => one.startsWith("act pause"))).toHaveLength(1));
  for (const { key } of [paused, running]) await press("x", rowWith(key));
  await click(within(bar()!).getByRole("button", { name: /^Delete/ }));
  const dialog = await screen.findByRole("dialog", { name: /^Delete/ });
  expect(dialog.textContent).toContain(paused.title);
  await click(within(dialog).getByRole("button", { name: "Move to trash" }));
  await waitFor(() => expect(titles()).not.toContain(paused.key));
  expect(host.asked.filter((one) => one.startsWith("delete"))).toEqual([`delete ${paused.key}`]);
  await click(screen.getByRole("button", { name: "Undo" }));
  await waitFor(() => expect(titles()).toContain(paused.key));
});

it("pause and stop of several loops are taken back where the opposite is legal, and nowhere else", async () => {
  const host = sampleHost();
  await mountApp(host);
  const undo = () => screen.queryByRole("button", { name: /^Undo/ })?.textContent.trim();
  const working = titles().filter((key) =>
    host.rows().some((row) => row.key === key && row.group === "active" && row.verbs.includes("pause")),
  );
  const rested = host.rows().find(({ group, verbs }) => group === "idle" && verbs.includes("stop"))!;
  const [refused, taken] = working as [string, string];
  for (const key of [refused, taken]) await press("x", rowWith(key));
  host.failNext = { kind: "own_data", args: {}, refusal: null };
  await click(within(bar()!).getByRole("button", { name: "Pause" }));
  await waitFor(() => expect(screen.getByTestId("toast-text").textContent).toMatch(/^Pause: (?!2 loops)/));
  expect(undo()).toBeUndefined();
  host.settle();
  await waitFor(() => expect(undo()).toBe("Undo"));
  await press("u");
  await waitFor(() =>
    expect(host.runs.asked.filter((what) => what.startsWith(`launch ${taken}`))).toHaveLength(1),
  );
  expect(undo()).toBeUndefined();

  for (const key of [refused, rested.key]) await press("x", rowWith(key));
  await click(within(bar()!).getByRole("button", { name: "Stop" }));
  await click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Stop" }));
  expect(undo()).toBeUndefined();
  host.settle();
  const stopped = () => [refused, rested.key].map((key) => rowWith(key).dataset.word);
  await waitFor(() => expect(stopped()).toEqual(["stopped", "stopped"]));
  await waitFor(() => expect(undo()).toBe("Undo (1 of 2)"));
});

it("what cannot be kept is said, and nothing is lost", async () => {
  const host = sampleHost();
  await mountApp(host);
  const [first] = titles();
  host.failNext = { kind: "own_data", args: { reason: "disk full" }, refusal: null };
  await press("e", rowWith(first!));
  expect((await screen.findByTestId("notice")).textContent).toContain("disk full");
  expect(titles()).toContain(first);
});
