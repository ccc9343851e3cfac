import { screen, waitFor } from "@testing-library/svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { MemoryHost } from "../src/host/memory";
import { failure } from "../src/host/memory-list";
import { click, press } from "./person";
import { GOAL, page, startHost, submit, type, walk } from "./start-walk";

afterEach(() => void vi.useRealTimers());

/** A door that is opened once. */
function door(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((done) => (open = done));
  return { opened, open };
}

/** On the last page, with everything saved that was filled in so far; from now on the test says when time passes. */
async function atReview(): Promise<MemoryHost> {
  const host = startHost();
  await walk(host, "ready");
  await waitFor(async () => expect((await host.runs.draft())?.plan.level).toBe("edit_files"));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  return host;
}

/** The form is sent, and its loop is there: its draft is removed, and its agent starts until the door is opened. */
function slowly(host: MemoryHost): { readonly sent: Promise<void>; readonly open: () => void } {
  const { startLoop } = host.runs;
  const [sent, agent] = [door(), door()];
  host.runs.startLoop = async (form) => {
    const key = await startLoop(form);
    sent.open();
    await agent.opened;
    return key;
  };
  return { sent: sent.opened, open: agent.open };
}

async function isGone(): Promise<void> {
  await vi.waitFor(() => expect(screen.queryByTestId("start-view")).toBeNull());
}

describe("the draft of a form that is sent", () => {
  it("doesn’t come back with what was typed just before", async () => {
    const host = await atReview();
    const start = slowly(host);
    await type("limit-minutes", "1");
    await submit();
    await start.sent;
    await vi.advanceTimersByTimeAsync(1000);
    start.open();
    await isGone();
    expect(await host.runs.draft()).toBeNull();
    await click(screen.getByTestId("nav-loops"));
    await click(await screen.findByTestId("start-loop"));
    await screen.findByTestId("goal");
    expect(page()).toBe("work");
  });

  it("doesn’t come back with a save that was on its way", async () => {
    const host = await atReview();
    const { saveDraft } = host.runs;
    const [asked, disk] = [door(), door()];
    host.runs.saveDraft = async (form) => {
      asked.open();
      await disk.opened;
      await saveDraft(form);
    };
    await type("limit-minutes", "1");
    await vi.advanceTimersByTimeAsync(1000);
    await asked.opened;
    await submit();
    await vi.advanceTimersByTimeAsync(1000);
    disk.open();
    await isGone();
    expect(host.runs.asked).toContain(`start ${GOAL}`);
    expect(await host.runs.draft()).toBeNull();
  });

  it("doesn’t come back because the person left while the agent started", async () => {
    const host = await atReview();
    const start = slowly(host);
    await submit();
    await start.sent;
    await type("limit-minutes", "7");
    await press("{Escape}", screen.getByTestId("limit-minutes"));
    await isGone();
    start.open();
    await vi.advanceTimersByTimeAsync(1000);
    expect(await host.runs.draft()).toBeNull();
  });

  it.each([["stayed"], ["left"]])(
    "has what was typed meanwhile when the start failed and the person %s",
    async (then) => {
      const host = await atReview();
      const [sent, disk] = [door(), door()];
      host.runs.startLoop = async () => {
        sent.open();
        await disk.opened;
        throw failure("disk");
      };
      await submit();
      await sent.opened;
      await type("limit-minutes", "7");
      await vi.advanceTimersByTimeAsync(1000);
      if (then === "left") {
        await press("{Escape}", screen.getByTestId("limit-minutes"));
        await isGone();
      }
      expect((await host.runs.draft())?.plan.minutes).toBe(120);
      disk.open();
      await vi.waitFor(async () => expect((await host.runs.draft())?.plan.minutes).toBe(7));
    },
  );
});
