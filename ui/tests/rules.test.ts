import { screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { SAMPLE_WORKSPACES } from "../src/host/memory";
import { violations } from "./axe";
import { mountApp, sampleHost } from "./mount";
import { click, fill } from "./person";

async function openRules(host = sampleHost()) {
  await mountApp(host);
  await click(screen.getByRole("button", { name: "Dashboard" }));
  await click(await screen.findByRole("button", { name: "Attention rules" }));
  const dialog = await screen.findByRole("dialog", { name: "Attention rules" });
  return { host, dialog };
}

const saved = (host: { asked: string[] }) =>
  host.asked.filter((one) => one.startsWith("rules ")).map((one) => JSON.parse(one.slice(6)) as unknown);

describe("attention rules", () => {
  it("are tried on the past while they are made, and say what a loop meets once they are saved", async () => {
    const { host, dialog } = await openRules();
    expect(dialog.textContent).toContain("No rules yet.");
    await click(within(dialog).getByRole("button", { name: "Add a rule" }));
    const rule = within(dialog).getByRole("listitem");
    await waitFor(() =>
      expect(rule.textContent).toContain("Times it would have fired in the last 7 days: 3."),
    );
    expect(await violations(dialog)).toEqual([]);
    await fill(within(rule).getByRole("spinbutton"), "90");
    await waitFor(() =>
      expect(rule.textContent).toContain("Times it would have fired in the last 7 days: 0."),
    );
    await userEvent.selectOptions(within(rule).getByRole("combobox", { name: "Folder" }), "storefront");
    await click(within(dialog).getByRole("button", { name: "Save rules" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    const [rules] = saved(host);
    expect(rules).toEqual([
      {
        kind: "stalled",
        limit: 90,
        workspace: SAMPLE_WORKSPACES.find(({ name }) => name === "storefront")!.id,
      },
    ]);
    const needs = await screen.findByRole("region", { name: /^Needs you/ });
    await waitFor(() => expect(needs.textContent).toContain("State unchanged for more than 90 min"));
  });

  it("begin with a number that suits what they compare, and are not saved without one", async () => {
    const { host, dialog } = await openRules();
    await click(within(dialog).getByRole("button", { name: "Add a rule" }));
    const rule = within(dialog).getByRole("listitem");
    await userEvent.selectOptions(within(rule).getByRole("combobox", { name: "When" }), "Cost of the runs");
    const limit = within(rule).getByRole<HTMLInputElement>("spinbutton", { name: "USD" });
    expect(limit.value).toBe("5");
    await fill(limit, "");
    const save = within(dialog).getByRole<HTMLButtonElement>("button", { name: "Save rules" });
    expect([save.disabled, rule.textContent]).toEqual([
      true,
      expect.stringContaining("Enter a number above 0."),
    ]);
    await fill(limit, "2.5");
    await click(save);
    await waitFor(() => expect(saved(host)).toEqual([[{ kind: "cost", limit: 2.5, workspace: null }]]));
  });

  it("can be removed, and a failure to save them is shown", async () => {
    const host = sampleHost();
    host.rules = [{ kind: "cost", limit: 1, workspace: "away" }];
    const { dialog } = await openRules(host);
    const rule = await within(dialog).findByRole("listitem");
    expect(within(rule).getByRole<HTMLSelectElement>("combobox", { name: "Folder" }).value).toBe("away");
    await click(within(rule).getByRole("button", { name: "Remove" }));
    host.failNext = { kind: "own_data", args: { reason: "disk full" }, refusal: null };
    await click(within(dialog).getByRole("button", { name: "Save rules" }));
    await waitFor(() => expect(dialog.textContent).toContain("disk full"));
    await click(within(dialog).getByRole("button", { name: "Save rules" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(host.rules).toEqual([]);
  });
});
