import { render, screen, waitFor } from "@testing-library/svelte";
import { tick } from "svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import App from "../src/App.svelte";
import { MemoryHost } from "../src/host/memory";
import { LATER } from "../src/views/parts-later";
import { click, press } from "./person";
import { sampleHost } from "./mount";

async function painted(host: MemoryHost): Promise<void> {
  render(App, { props: { host } });
  await waitFor(() => expect(host.asked).toContain("painted"));
}

const loaded = () => Object.values(LATER).filter(({ value }) => value !== null).length;

describe("parts of the window", () => {
  afterEach(() => vi.restoreAllMocks());

  it("are not loaded in a window without a loop until one is wanted", async () => {
    // Would be the first of all.
    const first = vi.spyOn(LATER.dialogs, "once").mockImplementationOnce(async () => {
      LATER.dialogs.failure = { kind: "unreadable", args: {}, refusal: null };
    });
    await painted(new MemoryHost());
    await tick();
    expect(first).not.toHaveBeenCalled();
    await press("{Control>}k{/Control}");
    const retry = (await screen.findByTestId("failure")).querySelector("button")!;
    expect(loaded(), "it could not be loaded").toBe(0);
    await click(retry);
    await screen.findByTestId("palette-input", undefined, { timeout: 60_000 });
    expect(screen.queryByTestId("failure")).toBeNull();
    expect(loaded(), "the others stay away").toBe(1);
  });

  it("can be done without where they can't be loaded", async () => {
    vi.spyOn(LATER.dialogs, "once").mockImplementation(async () => {
      LATER.dialogs.failure = { kind: "unreadable", args: {}, refusal: null };
    });
    LATER.dialogs.value = null;
    await painted(new MemoryHost());
    await press("{Control>}k{/Control}");
    const [, dismiss] = (await screen.findByTestId("failure")).querySelectorAll("button");
    await click(dismiss!);
    expect(screen.queryByTestId("failure")).toBeNull();
    await press("ga");
    await screen.findByRole("heading", { name: "Agents", level: 1 }, { timeout: 60_000 });
  });

  it("are loaded ahead where there are loops", async () => {
    await painted(sampleHost());
    await waitFor(() => expect(loaded()).toBe(Object.keys(LATER).length), { timeout: 60_000 });
  });
});
