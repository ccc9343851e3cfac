import { screen, waitFor } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { MemoryHost, SAMPLE_WORKSPACES, sampleRows } from "../src/host/memory";
import { mountApp, NOW, sampleHost } from "./mount";
import { click } from "./person";

describe("a folder", () => {
  it("that does not answer is named, and says why its loops are as they were", async () => {
    const host = new MemoryHost();
    const [first, ...others] = SAMPLE_WORKSPACES;
    host.fill(sampleRows(NOW), [{ ...first!, silent: true }, ...others]);
    await mountApp(host);
    const [folder, other] = screen.getAllByTestId("workspace");
    expect(folder!.textContent).toContain("not responding");
    expect(folder!.dataset.tip).toContain(`${first!.path} doesn’t answer`);
    expect(other!.textContent).not.toContain("not responding");
  });

  it("says which files have lost their loop, and only then", async () => {
    const host = new MemoryHost();
    const [first, ...others] = SAMPLE_WORKSPACES;
    const left = { orphans: [".loop/a.progress", ".loop/a.tasks.jsonl"], orphans_total: 5 };
    host.fill(sampleRows(NOW), [{ ...first!, ...left }, ...others]);
    await mountApp(host);
    const line = screen.getByTestId("orphans");
    expect(line.textContent?.trim()).toBe("5 files without a loop");
    expect(line.dataset.tip).toBe(
      "Their state files are gone: .loop/a.progress, .loop/a.tasks.jsonl and 3 more",
    );
  });

  it("has its history exported and imported, and says how much that was", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    const choose = async (name: string) => {
      await click(screen.getAllByRole("button", { name: "Actions for storefront" })[0]!);
      await click(await screen.findByRole("menuitem", { name }));
    };
    await choose("Export history and notes…");
    await waitFor(() => expect(container.textContent).toContain("Exported 12 lines."));
    await choose("Import history and notes…");
    await waitFor(() => expect(container.textContent).toContain("Loops imported: 1. Newer notes: 2."));
    host.failNext = { kind: "not_an_export", args: { path: "a.txt", line: "3" }, refusal: null };
    await choose("Import history and notes…");
    await waitFor(() => expect(container.textContent).toContain("Line 3 of a.txt isn’t from an export"));
  });
});
