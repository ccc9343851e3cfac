import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { MemoryHost, SAMPLE_WORKSPACES } from "../src/host/memory";
import { keyOf, mountApp, sampleHost } from "./mount";
import { workspaceText } from "../src/words/phrases";
import { click, fill } from "./person";

describe("first start", () => {
  it("offers a folder and the sample, and the sample shows loops", async () => {
    const container = await mountApp(new MemoryHost());
    expect(screen.getByRole("button", { name: "Open a folder" }).textContent).toContain("Open a folder");
    await click(screen.getByRole("button", { name: "Try the sample workspace" }));
    await waitFor(() => expect(container.querySelectorAll('[data-testid="loop-row"]').length).toBe(16));
  });

  it("says where the failure happened when the folder cannot be opened", async () => {
    const host = new MemoryHost();
    const container = await mountApp(host);
    host.failNext = { kind: "not_a_folder", args: { path: "/x" }, refusal: null };
    await click(screen.getByRole("button", { name: "Open a folder" }));
    await waitFor(() =>
      expect(within(container).getByTestId("failure").textContent).toContain(
        "/x can’t be opened as a folder",
      ),
    );
    expect(screen.getByTestId("failure").textContent).toContain("Check that the folder exists");
  });

  it("names the places it looked in when folders have no loops", async () => {
    const host = new MemoryHost();
    host.fill([], SAMPLE_WORKSPACES.slice(0, 2));
    const container = await mountApp(host);
    expect(container.textContent).toContain("No loops or plans found");
    expect(container.textContent).toContain(".workflow/.loop/*.json");
  });

  it("says when the page may be looked at", async () => {
    await mountApp(sampleHost());
    expect(document.documentElement.dataset.ready).toBe("true");
  });
});

describe("what reaches the window from the desktop", () => {
  it("shows where to drop as long as something is dragged", async () => {
    const host = sampleHost();
    await mountApp(host);
    expect(screen.queryByTestId("drop-here")).toBeNull();
    host.push({ kind: "dragging", over: true });
    expect((await screen.findByTestId("drop-here")).textContent).toContain("Drop a folder to open it");
    host.push({ kind: "dragging", over: false });
    await waitFor(() => expect(screen.queryByTestId("drop-here")).toBeNull());
  });

  it("does not leave the loop that is open while something is dragged, but does for a folder", async () => {
    const host = sampleHost();
    host.open = keyOf(host, "Type the pricing");
    await mountApp(host);
    host.push({ kind: "dragging", over: true });
    await screen.findByTestId("drop-here");
    expect(screen.getByRole("button", { name: "Loops" })).toBeTruthy();
    host.push({ kind: "opened", workspace: "w1" });
    await waitFor(() => expect(screen.queryByRole("button", { name: "Loops" })).toBeNull());
    expect(screen.queryByTestId("drop-here")).toBeNull();
  });
});

describe("names of workspaces", () => {
  it("are the folder's, and the sample's own", async () => {
    const host = sampleHost();
    const [one] = SAMPLE_WORKSPACES;
    host.fill([], [{ ...one!, name: "sample-workspace", sample: true }]);
    const container = await mountApp(host);
    const folder = screen.getByRole("button", { name: "Sample workspace 7" });
    expect(folder.textContent).toContain("Sample workspace");
    expect(folder.textContent).not.toContain("sample-workspace");
    expect(folder.dataset.name).toBe("sample-workspace");
    expect(workspaceText({ name: "sample-receipt", sample: true })).toBe("Sample: receipt");
    expect(workspaceText({ name: "sample-plans", sample: true })).toBe("Sample: plans");
    expect(workspaceText({ name: "sample-receipt", sample: false })).toBe("sample-receipt");
    const shown = () => container.querySelectorAll('[data-testid="loop-row"]').length;
    await fill(screen.getByRole("combobox", { name: "Filter loops" }), 'w:"sample workspace"');
    const byName = shown();
    expect(byName).toBeGreaterThan(0);
    await click(screen.getByRole("button", { name: /^Loops/ }));
    await click(folder);
    expect((screen.getByRole("combobox", { name: "Filter loops" }) as HTMLInputElement).value).toBe(
      "w:sample-workspace",
    );
    expect(shown()).toBe(byName);
  });
});
