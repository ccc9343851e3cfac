import { screen } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { MemoryHost, SAMPLE_WORKSPACES, sampleRows } from "../src/host/memory";
import { mountApp, NOW } from "./mount";

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
});
