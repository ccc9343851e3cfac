import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { MemoryHost } from "../src/host/memory";
import { playRuns } from "../src/host/sample-outputs";
import { TABS } from "../src/state/place";
import { LANGUAGES } from "../src/words/language.svelte";
import { violations } from "./axe";
import PartsStage from "./PartsStage.svelte";
import { keyOf, mountApp, needyHost, rowOf, sampleHost } from "./mount";
import { openForm, page, startHost, submit, walk } from "./start-walk";
import { click, press, rightClick } from "./person";

describe("axe finds nothing", () => {
  it("at the first start", async () => {
    const container = await mountApp(new MemoryHost());
    expect(await violations(container)).toEqual([]);
  });

  it("in the list", async () => {
    const container = await mountApp(sampleHost());
    expect(await violations(container)).toEqual([]);
  });

  it.each(TABS)("in the tab %s of a loop", async (tab) => {
    const host = sampleHost();
    host.open = keyOf(host, tab === "overview" ? "Checkout" : "Implement user");
    const container = await mountApp(host);
    await screen.findByRole("tabpanel", { name: "Overview" });
    await click(screen.getByTestId(`tab-${tab}`));
    expect(await violations(container)).toEqual([]);
  });

  it("in every part of the window", async () => {
    const { container } = render(PartsStage);
    await click(screen.getByRole("button", { name: "Drawer" }));
    expect(await violations(container)).toEqual([]);
    await click(screen.getByRole("button", { name: "Dialog" }));
    expect(await violations(await screen.findByRole("dialog"))).toEqual([]);
  });

  it.each(["board", "table"])("in the %s of hypotheses with its drawer", async (view) => {
    const host = sampleHost();
    host.open = keyOf(host, "Implement user");
    const container = await mountApp(host);
    await click(await screen.findByRole("tab", { name: /^Debug/ }));
    await click(screen.getByTestId(`view-${view}`));
    await click(container.querySelector('[data-card="H2"]')!);
    await waitFor(() =>
      expect(screen.getByRole("region", { name: "Verdict history" }).textContent).toContain("Inconclusive"),
    );
    expect(await violations(container)).toEqual([]);
    await click(screen.getByRole("radio", { name: "Board" }));
    expect(await violations(container)).toEqual([]);
  });

  it.each([
    ["Implement user", '[data-testid="task-row"]', "task-drawer"],
    ["Implement user", '[data-testid="listed-task"]', "listed-drawer"],
    ["Implement user", '[data-testid="tasks-as-table"]', "sort-status"],
    ["Dark mode", '[data-testid="step-debug"]', "conflicts"],
  ])("in the work of %s after a click on %s", async (title, what, then) => {
    const host = sampleHost();
    host.open = keyOf(host, title);
    const container = await mountApp(host);
    await screen.findByRole("tabpanel", { name: "Overview" });
    await click(screen.getByTestId("tab-work"));
    await click(container.querySelector(what)!);
    await screen.findByTestId(then);
    expect(await violations(container)).toEqual([]);
  });

  it.each(["unit", "choices"])("in the work graph with the %s beside it", async (side) => {
    const host = sampleHost();
    host.open = keyOf(host, "Checkout");
    const container = await mountApp(host);
    await screen.findByRole("tabpanel", { name: "Overview" });
    await click(screen.getByTestId("tab-work"));
    await click(screen.getByRole("radio", { name: "Graph" }));
    const graph = await screen.findByTestId("graph");
    await press("{Home}", graph);
    if (side === "choices") await click(screen.getByRole("button", { name: "Choices 3" }));
    else await press("{Enter}", graph);
    await screen.findByTestId(`${side}-drawer`);
    expect(await violations(container)).toEqual([]);
    await click(screen.getByRole("radio", { name: "Outline" }));
    expect(await violations(container)).toEqual([]);
  });

  it.each(["tests", "runs", "coverage"])("in the %s of a loop's test runs", async (part) => {
    const host = sampleHost();
    host.open = keyOf(host, "Implement user");
    const container = await mountApp(host);
    await screen.findByRole("tabpanel", { name: "Overview" });
    await click(screen.getByRole("tab", { name: /^Tests/ }));
    await screen.findByTestId("open-place");
    await click(screen.getByTestId(`show-${part}`));
    expect(await violations(container)).toEqual([]);
  });

  it("in the timeline with an event", async () => {
    const host = sampleHost();
    host.open = keyOf(host, "Implement user");
    const container = await mountApp(host);
    await click(await screen.findByRole("tab", { name: /^Activity/ }));
    await screen.findByText("Paused by Loopdeck");
    await click(screen.getAllByTestId("timeline-entry")[2]!);
    await screen.findByTestId("event-drawer");
    expect(await violations(container)).toEqual([]);
  });

  it.each(["develop.md", "validate.md", "debug.log"])(
    "in the document %s while it is searched",
    async (name) => {
      const host = sampleHost();
      host.open = keyOf(host, "Implement user");
      const container = await mountApp(host);
      await click(await screen.findByRole("tab", { name: /^Files/ }));
      await click(await screen.findByTestId(`doc-${name}`));
      await screen.findByTestId(name.endsWith(".md") ? "rendered" : "entries");
      await press("{Control>}f{/Control}");
      await screen.findByRole("textbox", { name: "Find in this document" });
      expect(await violations(container)).toEqual([]);
      await click(screen.getByRole("radio", { name: "Source" }));
      await screen.findByTestId("document");
      expect(await violations(container)).toEqual([]);
    },
  );

  it.each(["details", "whole", "stop"])("in the output of a run with its %s", async (what) => {
    const host = sampleHost();
    playRuns(host);
    host.open = keyOf(host, what === "stop" ? "Rewrite the importer" : "Implement user");
    const container = await mountApp(host);
    await click(await screen.findByRole("tab", { name: /^Output/ }));
    await screen.findByTestId("output-rows");
    if (what === "details") await click(screen.getByRole("button", { name: "Details" }));
    if (what === "whole") {
      screen.getByTestId("output-rows").focus();
      await press("{Home}", screen.getByTestId("output-rows"));
      const rest = () => container.querySelector<HTMLElement>('[data-act="rest"]')!;
      await waitFor(() => expect(rest()).not.toBeNull());
      await click(rest());
      await screen.findByTestId("whole-text");
    }
    expect(await violations(container)).toEqual([]);
  });

  it("before Stop now", async () => {
    const host = sampleHost();
    playRuns(host);
    host.open = keyOf(host, "Dark mode");
    const container = await mountApp(host);
    await click(await screen.findByRole("button", { name: "Stop now" }));
    expect(
      await violations(
        await screen.findByRole("dialog", { name: "Stop “Dark mode for the docs site” now?" }),
      ),
    ).toEqual([]);
    expect(await violations(container)).toEqual([]);
  });

  it("in what needs the person, one card of each kind", async () => {
    const host = needyHost();
    const container = await mountApp(host);
    await click(screen.getByRole("button", { name: /^Needs you \d+$/ }));
    await screen.findByTestId("needs-drawer");
    await click(screen.getByRole("button", { name: "Deny with a note…" }));
    expect(screen.getAllByTestId("need")).toHaveLength(9);
    expect(await violations(container)).toEqual([]);
  });

  it("in a loop that needs the person", async () => {
    const host = needyHost();
    host.open = keyOf(host, "Flaky invoice");
    const container = await mountApp(host);
    await screen.findByRole("region", { name: "Needs you" });
    expect(await violations(container)).toEqual([]);
  });

  it("on the page of agents, and in the form of one's own", async () => {
    const container = await mountApp(needyHost());
    await click(screen.getByRole("button", { name: "Agents" }));
    await screen.findAllByTestId("agent");
    await click(screen.getByRole("button", { name: "Remove House reviewer" }));
    expect(await violations(container)).toEqual([]);
    await click(screen.getByRole("button", { name: "Add an agent" }));
    expect(await violations(await screen.findByRole("dialog", { name: "Add an agent" }))).toEqual([]);
  });

  it("in an open menu", async () => {
    const container = await mountApp(sampleHost());
    await rightClick(rowOf(container, "Implement user"));
    await screen.findByTestId("menu-open");
    expect(await violations(document.body)).toEqual([]);
  });

  it.each([
    ["settings-dialog", { key: ",", ctrlKey: true }],
    ["palette", { key: "k", ctrlKey: true }],
    ["keys-dialog", { key: "?" }],
  ])("in the %s", async (dialog, key) => {
    await mountApp(sampleHost());
    await fireEvent.keyDown(document.body, key);
    expect(await violations(await screen.findByTestId(dialog))).toEqual([]);
  });

  it.each([
    ["verb-dialog", "stop"],
    ["metadata-dialog", "edit_metadata"],
    ["delete-dialog", "delete"],
  ])("in the %s", async (dialog, item) => {
    const container = await mountApp(sampleHost());
    await rightClick(rowOf(container, "Type the pricing"));
    if (item !== "stop") await click(await screen.findByTestId("menu-more"));
    await click(await screen.findByTestId(`menu-${item}`));
    expect(await violations(await screen.findByTestId(dialog))).toEqual([]);
  });

  it("in the recovery of a damaged file", async () => {
    const host = sampleHost();
    host.open = keyOf(host, "loop-v2-20260122T020000-3fa");
    await mountApp(host);
    await click(await screen.findByRole("button", { name: "Recover…" }));
    await screen.findByTestId("diff-left");
    expect(await violations(screen.getByTestId("recover-dialog"))).toEqual([]);
  });

  it.each(["overview", "compare"])("in the %s of an older version", async (part) => {
    const host = sampleHost();
    host.open = keyOf(host, "Implement user");
    const container = await mountApp(host);
    await click(await screen.findByRole("tab", { name: /^Files/ }));
    await click(await screen.findByTestId("state-file"));
    await click((await screen.findAllByTestId("version"))[3]!);
    await click(await screen.findByTestId(`part-${part}`));
    await screen.findByTestId(part === "compare" ? "diff-left" : "problems");
    expect(await violations(container)).toEqual([]);
    await click(screen.getByRole("button", { name: "Restore this version…" }));
    expect(await violations(await screen.findByTestId("restore-dialog"))).toEqual([]);
  });

  it.each([
    ["Checkout", "redirect", null, "redirect-checks"],
    ["Checkout", "atom-menu-A5", "aot_redirect-decompose", null],
    ["Checkout", "atom-menu-A5", "aot_redirect-edit_atom", null],
    ["Checkout", "atom-menu-A4", "aot_redirect-force_selection", null],
    ["Checkout", "loop-steps", "aot_start_atoms", null],
    ["Implement user", "record-step", "v2_debug", null],
    ["Implement user", "record-step", "v2_develop", null],
    ["Implement user", "task-menu-1", "task_edit", null],
    ["Dark mode", "record-step", "b_worker_done", null],
  ])("in the form of a step: %s, %s %s", async (title, button, item, then) => {
    const host = sampleHost();
    host.open = keyOf(host, title);
    await mountApp(host);
    await screen.findByRole("tabpanel", { name: "Overview" });
    await click(screen.getByTestId("tab-work"));
    await click(screen.getByTestId(button));
    const kind = button === "record-step" ? "record" : "menu";
    if (item) await click(await screen.findByTestId(`${kind}-${item}`));
    const dialog = await screen.findByTestId("step-dialog");
    if (then) await click(await screen.findByTestId(then));
    await waitFor(() => expect(dialog.querySelector("input, select, textarea")).not.toBeNull());
    expect(await violations(dialog)).toEqual([]);
  });

  it.each(LANGUAGES)("in the form, in %s", async (id) => {
    const host = startHost(id);
    const container = await walk(host, "ready");
    expect(await violations(container)).toEqual([]);
    await click(screen.getByTestId("page-work"));
    await waitFor(() => expect(page()).toBe("work"));
    expect(await violations(container)).toEqual([]);
  });

  it("in the form with mistakes, and with a checklist", async () => {
    const container = await openForm(startHost());
    await submit();
    await screen.findByTestId("wrong-folder");
    await click(await screen.findByRole("radio", { name: "Work to a checklist" }));
    expect(await violations(container)).toEqual([]);
    await click(screen.getByRole("button", { name: "Templates" }));
    expect(await violations(await screen.findByRole("dialog", { name: "Templates" }))).toEqual([]);
  });

  it("in the form that starts an agent", async () => {
    const host = startHost();
    host.open = keyOf(host, "Type the pricing");
    await mountApp(host);
    await click(await screen.findByTestId("verb-resume"));
    await screen.findByRole("region", { name: "Do you trust this folder?" });
    expect(await violations(screen.getByRole("region", { name: "Resume: Type the pricing rules" }))).toEqual(
      [],
    );
  });
});
