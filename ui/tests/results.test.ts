import { screen, waitFor, within } from "@testing-library/svelte";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { AtomView } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { resultsOf, resultText } from "../src/views/loop/documents/results";
import { keyOf, mountApp, sampleHost } from "./mount";
import { click, clipboard, rightClick } from "./person";

// The first document that is opened waits for the parser; how long that is read is nobody's concern here.
beforeAll(async () => {
  await import("../src/views/loop/documents/SummaryText.svelte");
});

const SUMMARY =
  "## Done\n\n- **User** and `Session`\n\n<img src=x onerror=alert(1)> [more](https://example.org/)";

async function hostWithResult(result: Partial<AtomView> = { summary: SUMMARY }): Promise<MemoryHost> {
  const host = sampleHost();
  const key = keyOf(host, "Checkout");
  const { detail } = await host.openLoop(key);
  host.detail(key, {
    atoms: detail.atoms.map((atom) => (atom.id === "A1" ? { ...atom, ...result } : atom)),
  });
  host.open = key;
  return host;
}

describe("the result of an atom", () => {
  it("is read as a document: its summary as Markdown, its artifacts as files that open", async () => {
    await mountApp(await hostWithResult());
    await click(await screen.findByRole("tab", { name: /^Files/ }));
    await click(await screen.findByRole("button", { name: "A1 User model definition" }));
    const result = await screen.findByTestId("result");
    const summary = await within(result).findByTestId("summary");
    expect(summary.querySelector('[role="heading"]')?.textContent).toContain("Done");
    expect(summary.querySelector("strong")?.textContent).toBe("User");
    expect(summary.querySelector("img")).toBeNull();
    expect(summary.textContent).toContain("<img src=x onerror=alert(1)>");
    const files = within(result).getAllByTestId("file");
    expect(files.map((one) => one.textContent)).toContain("src/models/user.ts");
    await click(within(summary).getByTestId("link"));
    expect((await screen.findByRole("dialog", { name: "Link address" })).textContent).toContain(
      "example.org",
    );
  });

  it("opens from the drawer of its atom, and leads back", async () => {
    const host = await hostWithResult();
    await mountApp(host);
    await click(await screen.findByRole("tab", { name: /^Work/ }));
    await waitFor(() => expect(screen.queryAllByTestId("atom-row").length).toBeGreaterThan(0));
    await click(screen.getAllByTestId("atom-row").find((row) => row.dataset.id === "A1")!);
    const drawer = await screen.findByTestId("unit-drawer");
    expect((await within(drawer).findByTestId("summary")).querySelector("strong")).not.toBeNull();
    await click(within(drawer).getByTestId("open-result"));
    await screen.findByTestId("result");
    await click(screen.getByRole("button", { name: "Show in the graph" }));
    await screen.findByRole("tabpanel", { name: "Work 7" });
  });

  it("is read to its end where the page has only its beginning", async () => {
    const host = await hostWithResult({ summary: "Only the begi…", summary_cut: true });
    const asked = vi.spyOn(host, "atomSummary").mockResolvedValue(SUMMARY);
    await mountApp(host);
    await click(await screen.findByRole("tab", { name: /^Work/ }));
    await waitFor(() => expect(screen.queryAllByTestId("atom-row").length).toBeGreaterThan(0));
    await click(screen.getAllByTestId("atom-row").find((row) => row.dataset.id === "A1")!);
    const drawer = await screen.findByTestId("unit-drawer");
    await waitFor(() => expect(within(drawer).getByTestId("summary").textContent).toContain("Session"));
    await click(within(drawer).getByTestId("open-result"));
    const result = await screen.findByTestId("result");
    await waitFor(() => expect(within(result).getByTestId("summary").textContent).toContain("Session"));
    expect(asked.mock.calls).toEqual([
      [host.open, "A1"],
      [host.open, "A1"],
    ]);
  });

  it("is copied to its end with its row, and says why when that can't be", async () => {
    const written = clipboard();
    const host = await hostWithResult({ summary: "Only the begi…", summary_cut: true });
    vi.spyOn(host, "atomSummary")
      .mockResolvedValueOnce("Only the beginning, and the end.")
      .mockRejectedValueOnce({ kind: "unreadable", args: { reason: "F4" } });
    await mountApp(host);
    await click(await screen.findByRole("tab", { name: /^Work/ }));
    await waitFor(() => expect(screen.queryAllByTestId("atom-row").length).toBeGreaterThan(0));
    const copy = async () => {
      await rightClick(screen.getAllByTestId("atom-row").find((row) => row.dataset.id === "A1")!);
      await click(await screen.findByRole("menuitem", { name: "Copy as Markdown" }));
    };
    await copy();
    await waitFor(() => expect(written).toHaveLength(1));
    expect(written[0]).toContain("Only the beginning, and the end.");
    await copy();
    expect((await screen.findByTestId("failure")).dataset.kind).toBe("unreadable");
    expect(written).toHaveLength(1);
  });

  it("keeps its beginning and says why when the rest can't be read", async () => {
    const host = await hostWithResult({ summary: "Only the begi…", summary_cut: true });
    vi.spyOn(host, "atomSummary").mockRejectedValue({ kind: "unreadable", args: { reason: "F4" } });
    await mountApp(host);
    await click(await screen.findByRole("tab", { name: /^Files/ }));
    await click(await screen.findByRole("button", { name: "A1 User model definition" }));
    const result = await screen.findByTestId("result");
    expect((await within(result).findByTestId("failure")).dataset.kind).toBe("unreadable");
    expect((await within(result).findByTestId("summary")).textContent).toContain("Only the begi…");
  });

  it("says it only of the atom whose rest can't be read", async () => {
    const host = await hostWithResult({ summary: "Only the begi…", summary_cut: true });
    vi.spyOn(host, "atomSummary").mockRejectedValue({ kind: "unreadable", args: { reason: "F4" } });
    await mountApp(host);
    await click(await screen.findByRole("tab", { name: /^Work/ }));
    await waitFor(() => expect(screen.queryAllByTestId("atom-row").length).toBeGreaterThan(0));
    const choose = (id: string) =>
      click(screen.getAllByTestId("atom-row").find((row) => row.dataset.id === id)!);
    await choose("A1");
    await within(await screen.findByTestId("unit-drawer")).findByTestId("failure");
    await choose("A3");
    const drawer = screen.getByTestId("unit-drawer");
    await waitFor(() => expect(within(drawer).queryByTestId("failure")).toBeNull());
    expect(drawer.textContent).toContain("Parameters measured on the build machine.");
  });

  it("is there only for what is resolved and left something", async () => {
    const host = sampleHost();
    const { detail } = await host.openLoop(keyOf(host, "Checkout"));
    const names = resultsOf(detail.atoms).map(({ name }) => name);
    expect(names).toEqual(["result:A1", "result:A3"]);
    const [first] = detail.atoms;
    expect(resultText(first!)).toMatch(/^# A1 User model definition\n\n.*\n\n- src\/models\/user\.ts/);
  });

  it("has a name of its own when a damaged file holds an id twice", async () => {
    const host = sampleHost();
    const { detail } = await host.openLoop(keyOf(host, "Checkout"));
    const first = detail.atoms.find((atom) => atom.id === "A1")!;
    const names = resultsOf([first, first, first]).map(({ name }) => name);
    expect(names).toEqual(["result:A1", "result:A1 (2)", "result:A1 (3)"]);
  });
});
