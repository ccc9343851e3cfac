import { screen, waitFor } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { MemoryHost } from "../src/host/memory";
import { repairText } from "../src/words/loop-phrases";
import { keyOf, mountApp, sampleHost } from "./mount";
import { click, fill, press } from "./person";

async function openLoop(host: MemoryHost, title: string): Promise<HTMLElement> {
  host.open = keyOf(host, title);
  const container = await mountApp(host);
  await screen.findByRole("tabpanel", { name: "Overview" });
  return container;
}

describe("a repair", () => {
  it("stands beside the problems it ends, and says what it will do", async () => {
    await openLoop(sampleHost(), "Rate-limit");
    const items = [...screen.getByTestId("problems").querySelectorAll("li")];
    const withButton = items.filter((item) => item.querySelector('[data-testid^="repair-"]'));
    expect(
      withButton.map((item) => item.querySelector('[data-testid^="repair-"]')?.textContent),
    ).toHaveLength(2);
    expect(withButton.map((item) => /W\d+_\w+/.exec(item.textContent ?? "")?.[0])).toEqual([
      "W1_counters",
      "W11_orphaned_task",
    ]);
    const button = screen.getByRole("button", { name: "Repair: recount" });
    const sentence = document.getElementById(button.getAttribute("aria-describedby") ?? "");
    expect(sentence?.textContent).toContain("Recalculates the counters from the lists.");
  });

  it("is said, ends its problem, and can be undone", async () => {
    const host = sampleHost();
    const container = await openLoop(host, "Rate-limit");
    await click(screen.getByRole("button", { name: "Repair: recount" }));
    const done = await screen.findByTestId("done");
    expect(host.asked).toContain('change {"kind":"repair","repair":"recount"}');
    expect(done.textContent).toContain("Repair done: recount.");
    await waitFor(() => expect(screen.getByTestId("problems").textContent).not.toContain("W1_counters"));
    await waitFor(() =>
      expect(container.parentElement!.querySelector('[role="status"]')?.textContent).toContain(
        "Repair done: recount. You can undo it",
      ),
    );
    await click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(screen.getByTestId("problems").textContent).toContain("W1_counters"));
    expect(screen.queryByTestId("done")).toBeNull();
  });

  it("that is refused says why, and does nothing", async () => {
    const host = sampleHost();
    await openLoop(host, "Checkout");
    const button = screen.getByRole("button", { name: "Repair: fix the layout for the plugin" });
    expect(button.getAttribute("aria-disabled")).toBe("true");
    expect(document.getElementById(button.getAttribute("aria-describedby")!)?.textContent).toContain(
      "Repair: not while the loop is running elsewhere.",
    );
    await click(button);
    expect(host.asked.filter((one) => one.startsWith("change"))).toEqual([]);
  });

  it("shows what went wrong beside the loop", async () => {
    const host = sampleHost();
    await openLoop(host, "Rate-limit");
    host.failNext = { kind: "contended", args: { path: "loop.json" }, refusal: null };
    await click(screen.getByRole("button", { name: "Repair: set tasks back to pending" }));
    expect((await screen.findByTestId("failure")).textContent).toContain("nothing was written");
    expect(screen.queryByTestId("done")).toBeNull();
  });

  it("is offered no longer by its notice once something else was written", async () => {
    const host = sampleHost();
    await openLoop(host, "Rate-limit");
    await click(screen.getByRole("button", { name: "Repair: recount" }));
    await screen.findByTestId("done");
    await click(screen.getByRole("button", { name: "Pause" }));
    await waitFor(() => expect(screen.queryByTestId("done")).toBeNull());
  });

  it("is among the commands of the opened loop", async () => {
    const host = sampleHost();
    await openLoop(host, "Rate-limit");
    await press("{Control>}k{/Control}");
    const input = await screen.findByRole("combobox", { name: "Search commands and loops" });
    await fill(input, "repair: recount");
    await press("{Enter}", input);
    await waitFor(() => expect(host.asked).toContain('change {"kind":"repair","repair":"recount"}'));
  });

  it("has a sentence with its numbers", () => {
    const offer = { ends: [], refusal: null };
    expect(repairText({ ...offer, code: "orphaned_atoms", args: { count: "1" } }, "")).toBe(
      "Sets atoms that nobody is working on back to pending (1).",
    );
    expect(repairText({ ...offer, code: "clean_task_list", args: {} }, "")).not.toMatch(/…|restored from/);
    expect(
      repairText({ ...offer, code: "clean_task_list", args: { lost: "1", restored: "2" } }, ""),
    ).toContain("restored from a backup: 2. Lines lost: 1.");
    expect(repairText({ ...offer, code: "layout", args: { rules: "L4", comments: "2" } }, "")).toContain(
      "(rules L4). Values stay the same; comments on these lines are removed (2).",
    );
  });
});
