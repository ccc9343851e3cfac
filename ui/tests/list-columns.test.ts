import { screen, waitFor } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { mountApp, rowOf, sampleHost } from "./mount";
import { click, press } from "./person";

const focused = () => document.activeElement as HTMLElement;

describe("column heads", () => {
  it("name the columns that are shown, and sort the list", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    const names = () => screen.getAllByRole("columnheader").map((head) => head.textContent?.trim());
    expect(names()).toEqual([
      "Status",
      "Loop",
      "Format",
      "Phase",
      "Iterations",
      "Changed",
      "Cost · tokens",
      "Actions",
    ]);
    await click(screen.getByRole("button", { name: "Columns" }));
    await click(await screen.findByRole("menuitemcheckbox", { name: "Format" }));
    expect(names()).not.toContain("Format");
    await press("{Escape}");
    await click(screen.getByRole("button", { name: "Loop" }));
    expect(screen.getByRole("columnheader", { name: "Loop" }).getAttribute("aria-sort")).toBe("ascending");
    expect(screen.getByTestId("head-what").closest("[aria-sort]")?.getAttribute("aria-sort")).toBe(
      "ascending",
    );
    await waitFor(() =>
      expect(container.querySelector('[data-testid="loop-row"]')?.textContent).toContain("Cache the product"),
    );
  });
});

describe("columns", () => {
  it("are chosen with the keyboard, remembered, and leave the rows", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    expect(container.querySelectorAll(".row .format").length).toBeGreaterThan(0);
    await click(screen.getByRole("button", { name: "Columns" }));
    const format = await screen.findByRole("menuitemcheckbox", { name: "Format" });
    await waitFor(() => expect(focused()).toBe(format));
    expect(format.getAttribute("role")).toBe("menuitemcheckbox");
    expect(format.getAttribute("aria-checked")).toBe("true");
    await press("{Enter}");
    await waitFor(() => expect(format.getAttribute("aria-checked")).toBe("false"));
    expect(focused()).toBe(format);
    expect(container.querySelectorAll(".row .format").length).toBe(0);
    expect(host.settings.hidden_columns).toEqual(["format"]);
    await press("{ArrowDown}");
    await press("{Enter}");
    expect(host.settings.hidden_columns).toEqual(["format", "phase"]);
    await click(format);
    expect(host.settings.hidden_columns).toEqual(["phase"]);
    await press("{Escape}");
    await waitFor(() => expect(focused()).toBe(screen.getByRole("button", { name: "Columns" })));
  });

  it("stay hidden after a start, whatever else the settings name", async () => {
    const host = sampleHost();
    host.settings = { hidden_columns: ["iteration", "of_a_later_version"] };
    const container = await mountApp(host);
    expect(container.querySelectorAll(".row .iteration").length).toBe(0);
    expect(container.querySelectorAll(".row .format").length).toBeGreaterThan(0);
  });
});

it("buttons of rows where nothing goes on wait for the pointer or the keyboard, which reaches them", async () => {
  const host = sampleHost();
  const container = await mountApp(host);
  const resting = (title: string) => rowOf(container, title).classList.contains("resting");
  expect(host.rows().filter(({ group }) => group === "idle").length).toBeGreaterThan(0);
  for (const { title, group } of host.rows())
    expect(resting(title), title).toBe(group === "idle" || group === "finished");
  const row = rowOf(container, "Type the pricing");
  row.focus();
  await press("{Tab}");
  expect(focused().dataset.testid).toBe("verb-resume");
});
