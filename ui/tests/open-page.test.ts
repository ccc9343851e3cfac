import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { OpenPage } from "../src/state/page.svelte";
import { keyOf, sampleHost } from "./mount";

describe("the opened page", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** When reads begin, and a page whose reads take so long. */
  function slow(took: number, units: number) {
    const host = sampleHost();
    const began: number[] = [];
    const open = host.openLoop.bind(host);
    host.openLoop = async (key) => {
      began.push(performance.now());
      await new Promise((done) => setTimeout(done, took));
      const page = await open(key);
      const { work } = page.detail;
      const many = work && { ...work, units: Array(units).fill(work.units[0]!) };
      return { ...page, detail: { ...page.detail, work: many } };
    };
    return { began, page: new OpenPage(host, keyOf(host, "Checkout")) };
  }

  it("is read at once, and a large one that changes all the time with rests", async () => {
    const { began, page } = slow(100, 1_000);
    const first = page.read();
    expect(began).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(100);
    await first;
    void page.read();
    await vi.advanceTimersByTimeAsync(990);
    expect(began).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(20);
    expect(began).toHaveLength(2);
  });

  it("is read again at once when it is small, however slow the machine", async () => {
    const { began, page } = slow(100, 12);
    void page.read();
    await vi.advanceTimersByTimeAsync(100);
    void page.read();
    await vi.advanceTimersByTimeAsync(1);
    expect(began).toHaveLength(2);
  });
});
