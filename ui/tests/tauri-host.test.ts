import { beforeEach, expect, it, vi } from "vitest";
import type { Failure } from "../src/host/bindings";

// What the desktop puts into the window, and every command of the page goes through.
const invoked = vi.fn();
vi.stubGlobal("__TAURI_INTERNALS__", { invoke: invoked, transformCallback: () => 1 });
const { tauriHost } = await import("../src/host/tauri");

beforeEach(() => void invoked.mockReset());

it("hands the arguments over by name and answers what the command answers", async () => {
  invoked.mockResolvedValue(["page"]);
  expect(await tauriHost.documentVersion("one", "plan.md", 3, 0, 200)).toEqual(["page"]);
  expect(invoked.mock.lastCall?.slice(0, 2)).toEqual([
    "document_version",
    { key: "one", name: "plan.md", id: 3, first: 0, count: 200 },
  ]);
});

it("answers nothing where a command only ends", async () => {
  invoked.mockResolvedValue(null);
  expect(await tauriHost.undo("one")).toBeNull();
  expect(await tauriHost.runs.launch("one", null, 12)).toBeNull();
  expect(invoked.mock.lastCall?.slice(0, 2)).toEqual([
    "launch",
    { key: "one", plan: null, raiseLimitTo: 12 },
  ]);
});

it("rejects with the failure itself", async () => {
  const failure: Failure = { kind: "own_data", args: { reason: "full" }, refusal: null };
  invoked.mockRejectedValue(failure);
  await expect(tauriHost.openLoop("one")).rejects.toBe(failure);
  await expect(tauriHost.rescan()).rejects.toBe(failure);
});

it("saves bytes as numbers, which is what travels", async () => {
  invoked.mockResolvedValue("~/report.md");
  expect(await tauriHost.saveAs("report.md", new Uint8Array([1, 2]))).toBe("~/report.md");
  expect(invoked.mock.lastCall?.slice(0, 2)).toEqual(["save_as", { name: "report.md", bytes: [1, 2] }]);
});
