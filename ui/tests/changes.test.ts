import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { failure } from "../src/host/memory-list";
import { playRuns } from "../src/host/sample-outputs";
import { violations } from "./axe";
import { keyOf, mountApp, NOW, sampleHost } from "./mount";
import { click, press } from "./person";

const LOOP = "Implement user";

async function openSummary() {
  const host = sampleHost();
  playRuns(host, NOW);
  host.open = keyOf(host, LOOP);
  const container = await mountApp(host);
  const part = await screen.findByRole("region", { name: /^Changes by run/ });
  return { host, container, part };
}

async function openDialog() {
  const opened = await openSummary();
  await click(within(opened.part).getAllByRole("button", { name: "Show changes" })[0]!);
  const dialog = await screen.findByRole("dialog", { name: /^Changes/ });
  const files = await within(dialog).findByRole("list", { name: "Changed files" });
  return { ...opened, dialog, files };
}

const linesOf = (dialog: HTMLElement, side: "left" | "right") =>
  within(dialog).getByTestId(`diff-${side}`).textContent;

describe("what a run changed", () => {
  it("is listed by run and by action, and read aloud", async () => {
    const { part, container } = await openSummary();
    const rows = within(part).getAllByRole("listitem");
    expect(rows.map((row) => row.textContent.replaceAll(/\s+/g, " "))).toEqual([
      expect.stringContaining("Debug · Iteration 4 3 files"),
      expect.stringContaining("Develop · task-001 · Iteration 2 3 files"),
    ]);
    expect(rows[0]!.textContent).toContain("Lines added: 9, removed: 2");
    const table = within(container).getByRole("table", { name: "Cost" });
    expect(within(table).getByRole("columnheader", { name: "Lines" })).toBeTruthy();
  });

  it("opens at the first file with a text, side by side", async () => {
    const { dialog, files } = await openDialog();
    const chosen = await within(files).findByRole("button", { current: true });
    expect(chosen.textContent).toContain("sign-in.ts");
    await waitFor(() => expect(linesOf(dialog, "left")).toContain("findUser(email)"));
    expect(linesOf(dialog, "right")).toContain("if (!user) return null;");
    expect(await violations(dialog)).toEqual([]);
  });

  it("is gone through with the arrow keys, and says what has no text", async () => {
    const { dialog, files } = await openDialog();
    const chosen = await within(files).findByRole("button", { current: true });
    chosen.focus();
    await press("{ArrowDown}");
    await waitFor(() => expect(linesOf(dialog, "right")).toContain("toBeNull"));
    await press("{ArrowUp}{ArrowUp}");
    expect(dialog.textContent).toContain("The text of this file isn’t kept");
    expect(document.activeElement?.textContent).toContain("logo.png");
  });

  it("is restored as a whole when that is confirmed, or refused with the reason, and undone", async () => {
    const { host, dialog } = await openDialog();
    const button = (name: string) => within(dialog).getByRole("button", { name });
    const restore = async () => {
      await click(button("Restore what this run changed…"));
      await click(button("Restore"));
    };
    host.finishing.failNext = failure("shown_changed");
    await restore();
    const failed = await within(dialog).findByTestId("failure");
    expect(failed.textContent).toContain("has changed since it was shown. Nothing was restored.");
    expect(host.finishing.asked).toEqual([]);
    await click(button("Try again"));
    await within(dialog).findByText("Files restored: 3.");
    expect(host.finishing.asked).toEqual(['revert {"kind":"run","run":"auth-6"}']);
    expect(await violations(dialog)).toEqual([]);
    await click(button("Undo the restore"));
    await within(dialog).findByText("The changes are there again. Files: 3.");
    expect(button("Restore what this run changed…")).toBeTruthy();
  });

  it("that is no longer kept is said, with what to do", async () => {
    const { host, part } = await openSummary();
    host.runs.changesOf.clear();
    await click(within(part).getAllByRole("button", { name: "Show changes" })[0]!);
    const dialog = await screen.findByRole("dialog", { name: /^Changes/ });
    await waitFor(() => expect(dialog.textContent).toContain("The changes of this run aren’t kept."));
  });
});
