import { screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { ComparedMoment, SideBySide } from "../src/host/bindings";
import { comparedName, comparedText } from "../src/views/compare/phrases";
import { violations } from "./axe";
import { keyOf, mountApp, rowOf, sampleHost } from "./mount";
import { click, fill } from "./person";

const LOOP = "Implement user authentication";

async function openCompare(host = sampleHost()) {
  const asked: [ComparedMoment, ComparedMoment][] = [];
  const compare = host.compare.bind(host);
  host.compare = (left, right) => {
    asked.push([left, right]);
    return compare(left, right);
  };
  const container = await mountApp(host);
  await click(within(rowOf(container, LOOP)).getByRole("button", { name: /^Actions for/ }));
  await click(await screen.findByRole("menuitem", { name: "More" }));
  await click(screen.getByRole("menuitem", { name: "Compare…" }));
  const dialog = await screen.findByRole("dialog", { name: "Compare loops" });
  const side = (name: string) => within(dialog).getByRole("group", { name });
  return { host, dialog, asked, side };
}

const one = (
  id: string,
  left: string | null,
  right: string | null,
): SideBySide["parts"][number]["rows"][number] => {
  const value = (word: string | null) =>
    word === null ? null : ({ kind: "status", value: { word, known: null } } as const);
  return { name: { kind: "item", name: id }, text: "", left: value(left), right: value(right) };
};

describe("a comparison", () => {
  it("shows the differences first, and what is equal on demand", async () => {
    const host = sampleHost();
    host.compare = async () => ({
      parts: [
        { kind: "tasks", rows: [one("t2", "pending", "done"), one("t1", "x", "x")], different: 1, equal: 1 },
      ],
    });
    const { dialog } = await openCompare(host);
    const table = await within(dialog).findByRole("table", { name: "Tasks" });
    const names = () =>
      within(table)
        .getAllByRole("rowheader")
        .map((head) => head.textContent?.trim());
    expect(names()).toEqual(["t2"]);
    await click(within(dialog).getByRole("button", { name: "Show 1 equal" }));
    expect(names()).toEqual(["t2", "t1"]);
    expect(await violations(dialog)).toEqual([]);
  });

  it("is of any two loops, found by their title", async () => {
    const { host, dialog, asked, side } = await openCompare();
    expect(asked[0]![0]).toEqual({ key: keyOf(host, LOOP), version: null });
    expect(asked[0]![1].key).not.toBe(keyOf(host, LOOP));
    await fill(within(side("Right")).getByRole("textbox", { name: "Filter loops" }), "redis");
    await userEvent.selectOptions(
      within(side("Right")).getByRole("combobox", { name: "Loop" }),
      "Migrate sessions to Redis",
    );
    await waitFor(() => expect(asked.at(-1)![1].key).toBe(keyOf(host, "Migrate sessions to Redis")));
    expect(within(dialog).getAllByRole("table").length).toBeGreaterThan(0);
  });

  it("is of a loop and an earlier version of it", async () => {
    const { host, dialog, asked, side } = await openCompare();
    const key = keyOf(host, LOOP);
    await userEvent.selectOptions(within(side("Right")).getByRole("combobox", { name: "Loop" }), LOOP);
    await waitFor(() => expect(dialog.textContent).toContain("Both sides are the same."));
    const moment = within(side("Right")).getByRole("combobox", { name: "Moment" });
    await waitFor(() => expect(within(moment).getAllByRole("option").length).toBeGreaterThan(1));
    const [, earlier] = within(moment).getAllByRole<HTMLOptionElement>("option");
    await userEvent.selectOptions(moment, earlier!.value);
    await waitFor(() => expect(asked.at(-1)![1]).toEqual({ key, version: Number(earlier!.value) }));
  });

  it("that fails says why", async () => {
    const host = sampleHost();
    host.failNext = { kind: "unknown_version", args: {}, refusal: null };
    const { dialog } = await openCompare(host);
    await click(await within(dialog).findByRole("button", { name: "Try again" }));
    await waitFor(() => expect(within(dialog).queryByRole("alert")).toBeNull());
  });
});

describe("values of a comparison", () => {
  it("are words of the language, and untrusted words as they are", () => {
    const said = [
      comparedText(null),
      comparedText({ kind: "status", value: { word: "DONE?", known: null } }),
      comparedText({ kind: "status", value: { word: "completed", known: "completed" } }),
      comparedText({ kind: "portion", value: { done: 3, total: 4 } }),
      comparedText({ kind: "portion", value: { done: 3, total: 0 } }),
      comparedText({ kind: "cost", value: 1.5 }),
      comparedText({ kind: "check", value: "pass" }),
      comparedText({ kind: "text", value: "<b>" }),
      comparedName({ kind: "fact", name: "agent_time" }),
    ];
    expect(said).toEqual([
      "–",
      "DONE?",
      "Completed",
      "3 of 4",
      "3",
      "1.50 USD",
      "passed",
      "<b>",
      "Agent time",
    ]);
  });
});
