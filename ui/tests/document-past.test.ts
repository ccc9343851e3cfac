import { screen, waitFor } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import type { PastChange } from "../src/host/bindings";
import { readVerdicts } from "../src/views/loop/board/verdicts";
import { t } from "../src/words/language.svelte";
import { keyOf, mountApp, sampleHost } from "./mount";
import { click } from "./person";

describe("the past of a document", () => {
  it("is shown as it was, compared with now, and left again", async () => {
    const host = sampleHost();
    host.open = keyOf(host, "Implement user");
    await mountApp(host);
    await click(await screen.findByRole("tab", { name: /^Files/ }));
    await click(await screen.findByTestId("doc-debug.md"));
    const asked = vi.spyOn(host, "documentVersion");
    await waitFor(() => expect(screen.getAllByTestId("version")).toHaveLength(2));
    await click(screen.getAllByTestId("version")[1]!);
    expect((await screen.findByTestId("as-it-was")).textContent).toContain(t.versionWriter.foreign);
    await waitFor(() => expect(asked).toHaveBeenCalledWith(host.open, "debug.md", 1, 1, expect.any(Number)));
    expect(screen.queryByTestId("show-rendered")).toBeNull();
    expect(screen.queryByTestId("part-overview")).toBeNull();
    // Only the state file can be restored.
    expect(screen.queryByTestId("restore")).toBeNull();
    await click(screen.getByRole("radio", { name: t.history.compare }));
    await waitFor(() => expect(screen.getByTestId("diff").textContent).toContain("difference"));
    for (const side of ["diff-left", "diff-right"])
      expect(screen.getByTestId(side).textContent).toContain("# Understanding Document");
    await click(screen.getByText(t.reader.backToNow));
    await screen.findByRole("radio", { name: "Rendered" });
  });

  it("is not offered where nothing is kept", async () => {
    const host = sampleHost();
    host.open = keyOf(host, "Implement user");
    vi.spyOn(host, "documentHistory").mockResolvedValue([]);
    await mountApp(host);
    await click(await screen.findByRole("tab", { name: /^Files/ }));
    await click(await screen.findByTestId("doc-debug.md"));
    await screen.findByRole("radio", { name: "Rendered" });
    expect(screen.queryByTestId("versions")).toBeNull();
    expect(screen.queryByText(/Versions are kept for/)).toBeNull();
  });
});

describe("the past of a hypothesis that stands in a progress text", () => {
  it("is told beside that of the state file, newest first", async () => {
    const host = sampleHost();
    const change = (at: number, to: string): PastChange => ({
      id: at,
      at,
      who: "ours",
      cause: null,
      changes: [{ what: "hypothesis", id: "H1", from: null, to }],
    });
    vi.spyOn(host, "pastChanges").mockResolvedValue([change(2, "b")]);
    vi.spyOn(host, "hypothesisChanges").mockResolvedValue([change(3, "c"), change(1, "a")]);
    const verdicts = await readVerdicts(host, "x", "H1");
    expect(verdicts.map((one) => one.change.to)).toEqual(["c", "b", "a"]);
  });
});
