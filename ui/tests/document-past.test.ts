import { screen, waitFor } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import type { PastChange } from "../src/host/bindings";
import { Verdicts } from "../src/views/loop/board/verdicts.svelte";
import { t } from "../src/words/language.svelte";
import { keyOf, mountApp, sampleHost } from "./mount";
import { click } from "./person";

describe("the past of a document", () => {
  it("is opened from its versions, shown as it was, and left again", async () => {
    const host = sampleHost();
    host.open = keyOf(host, "Implement user");
    await mountApp(host);
    await click(await screen.findByRole("tab", { name: /^Documents/ }));
    await click(await screen.findByTestId("doc-debug.md"));
    const asked = vi.spyOn(host, "documentVersion");
    await click(await screen.findByRole("button", { name: "Versions" }));
    const items = await screen.findAllByRole("menuitemcheckbox");
    expect(items.map((item) => item.getAttribute("aria-checked"))).toEqual(["true", "false"]);
    await click(items[1]!);
    expect((await screen.findByTestId("document-then")).textContent).toContain(t.versionWriter.foreign);
    await waitFor(() => expect(asked).toHaveBeenCalledWith(host.open, "debug.md", 1, 1, expect.any(Number)));
    expect(screen.queryByTestId("show-rendered")).toBeNull();
    await click(screen.getByText(t.reader.backToNow));
    expect(screen.queryByTestId("document-then")).toBeNull();
    await screen.findByRole("radio", { name: "Rendered" });
  });

  it("is not offered where nothing is kept", async () => {
    const host = sampleHost();
    host.open = keyOf(host, "Implement user");
    vi.spyOn(host, "documentHistory").mockResolvedValue([]);
    await mountApp(host);
    await click(await screen.findByRole("tab", { name: /^Documents/ }));
    await click(await screen.findByTestId("doc-debug.md"));
    await screen.findByRole("radio", { name: "Rendered" });
    expect(screen.queryByTestId("document-versions")).toBeNull();
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
    const verdicts = new Verdicts(host);
    await verdicts.read("x", "H1");
    expect(verdicts.all?.map((one) => one.change.to)).toEqual(["c", "b", "a"]);
  });
});
