import { screen, waitFor, within } from "@testing-library/svelte";
import { expect, it } from "vitest";
import { violations } from "./axe";
import { mountApp, sampleHost } from "./mount";
import { click, fill, press, rightClick } from "./person";

const filter = () => screen.getByRole("combobox", { name: "Filter loops" }) as HTMLInputElement;
const viewButton = (name: string) => screen.queryByRole("button", { name });

async function save(name: string): Promise<void> {
  await click(screen.getByRole("button", { name: "Save as a view" }));
  const dialog = await screen.findByRole("dialog", { name: "Save as a view" });
  await fill(within(dialog).getByRole("textbox", { name: "Name" }), name);
  await click(within(dialog).getByRole("button", { name: "Save" }));
}

async function choose(view: string, item: string): Promise<void> {
  await click(screen.getByRole("button", { name: `Actions for ${view}` }));
  await click(await screen.findByRole("menuitem", { name: item }));
}

it("filter and grouping get a name, and come back by it, by its key, and at the next start", async () => {
  const host = sampleHost();
  await mountApp(host);
  expect(screen.queryByRole("button", { name: "Save as a view" }), "the plain list needs no name").toBeNull();
  await fill(filter(), "f:aot checkout");
  await click(screen.getByRole("button", { name: /^Changed/ }));
  await save("  My   checkout ");
  expect(viewButton("My checkout")?.getAttribute("aria-current")).toBe("page");
  expect(screen.queryByRole("button", { name: "Save as a view" })).toBeNull();
  await click(screen.getByRole("button", { name: /^Loops / }));
  expect([filter().value, viewButton("My checkout")?.getAttribute("aria-current")]).toEqual(["", null]);
  await fill(filter(), "s:failed");
  await press("{Alt>}1{/Alt}", document.body);
  await waitFor(() => expect(filter().value).toBe("f:aot checkout"));
  expect(host.settings.views).toEqual([{ name: "My checkout", filter: "f:aot checkout", sort: "changed" }]);
  expect(await violations(document.body)).toEqual([]);
});

it("a view is renamed, replaced by one of its name, and deleted with a way back", async () => {
  const host = sampleHost();
  host.settings = {
    views: [
      { name: "Failed", filter: "s:failed", sort: "status" },
      { name: "Graphs", filter: "f:aot", sort: "status" },
    ],
  };
  await mountApp(host);
  await choose("Failed", "Rename…");
  const dialog = await screen.findByRole("dialog", { name: "Rename: Failed" });
  const name = within(dialog).getByRole("textbox", { name: "Name" });
  expect((name as HTMLInputElement).value).toBe("Failed");
  await fill(name, "Broken");
  await click(within(dialog).getByRole("button", { name: "Save" }));
  const names = () => host.settings.views?.map((view) => `${view.name}: ${view.filter}`);
  expect(names()).toEqual(["Broken: s:failed", "Graphs: f:aot"]);
  await fill(filter(), "is:problem");
  await save("Graphs");
  expect(names()).toEqual(["Broken: s:failed", "Graphs: is:problem"]);
  await choose("Broken", "Delete the view");
  expect([names(), viewButton("Broken")]).toEqual([["Graphs: is:problem"], null]);
  await click(screen.getByRole("button", { name: "Undo" }));
  expect(names()).toEqual(["Broken: s:failed", "Graphs: is:problem"]);
});

it("a terminal opens in the folder of a loop, and says what to do where there is none", async () => {
  const host = sampleHost();
  const container = await mountApp(host);
  const row = container.querySelector<HTMLElement>('[data-testid="loop-row"]')!;
  const open = async () => {
    await rightClick(row);
    await click(await screen.findByRole("menuitem", { name: "More" }));
    await click(screen.getByRole("menuitem", { name: "Open a terminal here" }));
  };
  await open();
  await waitFor(() => expect(host.asked.at(-1)).toBe(`terminal ${row.dataset.key}`));
  host.failNext = { kind: "no_terminal", args: {}, refusal: null };
  await open();
  await waitFor(() => expect(row.textContent).toContain("No terminal was found."));
  await press("{Enter}", row);
  await screen.findByText(/Set the variable TERMINAL to its program/);
  await click(screen.getAllByRole("button", { name: /^Actions for / })[0]!);
  await click(await screen.findByRole("menuitem", { name: "Open a terminal here" }));
  await waitFor(() => expect(host.asked.at(-1)).toMatch(/^terminal w\d+$/));
});

it("the terminal is chosen among those that are there, and one that is gone is named", async () => {
  const host = sampleHost();
  host.settings = { terminal: { id: "konsole" } };
  await mountApp(host);
  await click(screen.getByTestId("settings"));
  const field = (await screen.findByRole("combobox", { name: "Terminal" })) as HTMLSelectElement;
  await screen.findByRole("option", { name: "konsole (not found)" });
  const options = [...field.options].map((option) => option.textContent);
  expect(options).toEqual(["Automatic: kitty", "kitty", "konsole (not found)"]);
  field.value = "kitty";
  field.dispatchEvent(new Event("change", { bubbles: true }));
  expect(host.settings.terminal).toEqual({ id: "kitty" });
});
