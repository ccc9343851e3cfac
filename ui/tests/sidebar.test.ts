import { screen, waitFor } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { MemoryHost, SAMPLE_WORKSPACES, sampleRows } from "../src/host/memory";
import { mountApp, NOW, sampleHost } from "./mount";
import { click, fill } from "./person";

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
    expect(line.textContent?.trim()).toBe("Files without a loop: 5");
    expect(line.dataset.tip).toBe(
      "Their state files are gone: .loop/a.progress, .loop/a.tasks.jsonl and 3 more",
    );
  });

  it("has a name of its own, in the sidebar, in the filter and in the list", async () => {
    const host = new MemoryHost();
    const [first] = SAMPLE_WORKSPACES;
    const folder = (id: string, path: string) => ({
      ...first!,
      id,
      name: path.split("/").at(-1)!,
      path,
      folder: path,
    });
    const paths = ["~/work/shop", "~/old/shop", "~/shop-2", "~/a/b/Web", "~/c/b/web", '~/say "hi"'];
    const rows = sampleRows(NOW).slice(0, paths.length);
    const ids = paths.map((_, at) => `f${at}`);
    host.fill(
      rows.map((row, at) => ({ ...row, workspace: ids[at]!, title: `Loop ${at}` })),
      paths.map((path, at) => folder(ids[at]!, path)),
    );
    const container = await mountApp(host);
    const folders = screen.getAllByTestId("workspace");
    const names = folders.map((one) => one.querySelector(".name")?.textContent);
    expect(names).toEqual(["work/shop", "old/shop", "shop-2", "a/b/Web", "c/b/web", 'say "hi"']);
    for (const [at, button] of folders.entries()) {
      await click(button);
      await waitFor(() => expect(screen.getAllByTestId("loop-row")).toHaveLength(1));
      expect(container.textContent).toContain(`Loop ${at}`);
      expect(folders.map((one) => one.getAttribute("aria-pressed") === "true")).toEqual(
        folders.map((one) => one === button),
      );
      await click(button);
    }
  });

  it("is the whole one that the filter names, where there is one", async () => {
    const host = new MemoryHost();
    const [first] = SAMPLE_WORKSPACES;
    const names = ["shop", "shop-2"];
    host.fill(
      sampleRows(NOW)
        .slice(0, 2)
        .map((row, at) => ({ ...row, workspace: names[at]!, title: `Loop ${at}` })),
      names.map((name) => ({ ...first!, id: name, name, path: `~/${name}`, folder: `~/${name}` })),
    );
    await mountApp(host);
    const shown = () => screen.queryAllByTestId("loop-row").length;
    const filter = screen.getByTestId("filter");
    await fill(filter, "w:shop");
    await waitFor(() => expect(shown()).toBe(1));
    await fill(filter, "w:sho");
    await waitFor(() => expect(shown()).toBe(2));
  });

  it("has its history exported and imported, and says how much that was", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    const choose = async (name: string) => {
      await click(screen.getAllByRole("button", { name: "Actions for storefront" })[0]!);
      await click(await screen.findByRole("menuitem", { name }));
    };
    await choose("Export history and notes…");
    await waitFor(() => expect(container.textContent).toContain("Lines exported: 12."));
    await choose("Import history and notes…");
    await waitFor(() => expect(container.textContent).toContain("Loops imported: 1. Newer notes: 2."));
    host.failNext = { kind: "not_an_export", args: { path: "a.txt", line: "3" }, refusal: null };
    await choose("Import history and notes…");
    await waitFor(() => expect(container.textContent).toContain("Line 3 of a.txt isn’t from an export"));
  });
});
