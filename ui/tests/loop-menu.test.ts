import { screen, waitFor } from "@testing-library/svelte";
import { expect, it } from "vitest";
import { mountApp, rowOf, sampleHost } from "./mount";
import { click, press, rightClick } from "./person";

const entries = () => screen.getAllByRole("menuitem").map((one) => one.dataset.testid?.slice("menu-".length));

it("a loop’s menu has at most nine entries; what is refused or rare is under More", async () => {
  const host = sampleHost();
  const container = await mountApp(host);
  const all = new Set<string | undefined>();
  const one = (group: string) => host.rows().find((row) => row.group === group && row.handling === "driven")!;
  for (const { title } of ["attention", "active", "idle", "finished"].map(one)) {
    await rightClick(rowOf(container, title));
    await screen.findByRole("menu");
    const first = entries();
    expect(first.length, title).toBeLessThanOrEqual(9);
    expect(first.at(-1), title).toBe("more");
    const refused = screen
      .getAllByRole("menuitem")
      .filter((one) => one.getAttribute("aria-disabled") === "true");
    expect(refused, title).toEqual([]);
    await click(screen.getByTestId("menu-more"));
    const whole = entries();
    expect(whole.slice(0, first.length - 1), title).toEqual(first.slice(0, -1));
    expect(new Set(whole).size, title).toBe(whole.length);
    // The keyboard is where the rest begins.
    await waitFor(() =>
      expect((document.activeElement as HTMLElement).dataset.testid).toBe(`menu-${whole[first.length - 1]}`),
    );
    for (const id of whole) all.add(id);
    await press("{Escape}");
  }
  for (const id of [
    "resume",
    "stop",
    "undo",
    "copy-link",
    "by-hand",
    "compare",
    "report",
    "edit_metadata",
    "delete",
  ])
    expect(all).toContain(id);
});

it("of the loop that is open does not offer to open it", async () => {
  const host = sampleHost();
  host.open = host.rows()[0]!.key;
  await mountApp(host);
  await click(await screen.findByLabelText("More actions", { selector: "header button" }));
  await screen.findByRole("menu");
  expect(entries()).not.toContain("open");
});
