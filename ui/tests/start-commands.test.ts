import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import type { CheckItem, CheckKind } from "../src/host/bindings";
import { triedNow } from "../src/host/memory-runs";
import { sampleReview } from "../src/host/sample-start";
import { beginForm } from "../src/views/start/form";
import { violations } from "./axe";
import { mountApp } from "./mount";
import { focused, next, pick, startHost, submit, type, walk } from "./start-walk";
import { click, press } from "./person";

describe("a command of the form", () => {
  const said = (id: string) => screen.getByTestId(`${id}-said`).textContent?.replace(/\s+/g, " ").trim();

  it("is tried once, and what came of it is said in plain words", async () => {
    const host = startHost();
    host.runs.triedOf = async () => ({ ...triedNow(), passes: false, code: 1, took_ms: 2_300 });
    await walk(host, "run");
    await click(screen.getByRole("radio", { name: "npm test found by package.json" }));
    await click(screen.getByTestId("try-tests-run"));
    await waitFor(() => expect(said("try-tests")).toContain("Fails now. Exit code 1 after 2.3 s."));
    expect(host.runs.asked).toContain("try tests npm test in /home/ana/code/storefront");
    expect(said("try-tests")).toContain("No test results in the output");
    // Another command: what was said is of the old one.
    await click(screen.getByTestId("test-0"));
    await waitFor(() => expect(said("try-tests")).toContain("The command has changed since then."));
    expect(await violations(screen.getByRole("region", { name: "Start a loop" }))).toEqual([]);
  });

  it("is stopped by the person, and when nobody looks any more", async () => {
    const host = startHost();
    host.runs.triedOf = () => new Promise(() => undefined);
    await walk(host, "run");
    const button = screen.getByTestId("try-tests-run");
    button.focus();
    await click(button);
    expect(focused()).toBe("try-tests-stop");
    await click(button); // the second of a double click
    expect(host.runs.asked).not.toContain("stop try");
    const later = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 400);
    await click(button);
    later.mockRestore();
    await waitFor(() => expect(said("try-tests")).toContain("Stopped. No result."));
    await click(screen.getByTestId("try-tests-run"));
    await screen.findByRole("button", { name: "Stop" });
    await press(
      "{Alt>}{PageUp}{/Alt}",
      screen.getByRole("region", { name: "Start a loop" }).querySelector("form")!,
    );
    await waitFor(() => expect(host.runs.asked.filter((one) => one === "stop try")).toHaveLength(2));
  });

  it("is not run in a folder that is not trusted", async () => {
    const host = startHost();
    await walk(host, "work");
    await click(screen.getAllByTestId("folder")[1]!);
    await screen.findByRole("region", { name: "Do you trust this folder?" });
    // Whatever else the form says: the button itself knows.
    host.runs.reviewOf = (asked) => sampleReview(asked, true);
    await next("run");
    const button = (await screen.findByTestId("try-tests-run")) as HTMLButtonElement;
    expect(button.disabled).toBe(true);
    expect(screen.getByTestId("try-tests").textContent).toContain("Trust the folder first.");
    await click(button);
    expect(host.runs.asked.filter((one) => one.startsWith("try"))).toEqual([]);
  });

  it("may be a check that passes when it fails; a sentence is nothing to run", async () => {
    const host = startHost();
    const form = { ...beginForm({}, "/home/ana/code/storefront"), page: 1 };
    const check = (kind: CheckKind, value: string): CheckItem => ({
      item: value,
      part: { part: "check", of: { kind, value } },
    });
    const of = [check("not_command", "npm audit"), check("assertion", "It looks right")];
    await host.runs.saveDraft({
      ...form,
      work: { ...form.work, recipe: "checklist", base_case: { shape: "checklist", of } },
    });
    await mountApp(host);
    await click(await screen.findByRole("button", { name: "Start a loop" }));
    await click(await screen.findByRole("button", { name: "Try it now" }));
    await waitFor(() => expect(said("check-0-0-try")).toContain("Passes now."));
    expect(host.runs.asked).toContain("try not_command npm audit in /home/ana/code/storefront");
    expect(screen.queryByTestId("check-0-1-try")).toBeNull();
  });
});

describe("what proves that it is done", () => {
  it("has a floor for the coverage and a score of a judge among what proves that it is done", async () => {
    const host = startHost();
    await walk(host, "ready");
    const add = screen.getByRole("button", { name: "Add a check" });
    await click(add);
    await pick("proof-0-kind", "coverage");
    await type("proof-0-floor", "72.5");
    const tries = screen.getByTestId("proof-0-try");
    expect(tries.textContent).toContain("for coverage/lcov.info. Nothing is run.");
    await click(within(tries).getByRole("button", { name: "Try it now" }));
    await waitFor(() => expect(tries.textContent).toContain("Passes now."));
    expect(host.runs.asked.at(-1)).toMatch(/^try coverage 72\.5:coverage\/lcov\.info in /);
    await click(add);
    await pick("proof-1-kind", "quality");
    expect(screen.getByText(/scores the work at the end, so there is nothing to try before/)).toBeTruthy();
    await type("proof-1-criteria", "Easy to read");
    await type("proof-1-threshold", "4");
    await submit();
    await waitFor(() =>
      expect(host.runs.started?.plan.checks?.map(({ part }) => part)).toEqual([
        { part: "check", of: { kind: "coverage", value: "72.5:coverage/lcov.info" } },
        {
          part: "quality",
          of: { criteria: { shape: "text", of: "Easy to read" }, pass_threshold: 400, scope: null },
        },
      ]),
    );
  });
});

describe("what to know of the agent", () => {
  it("is said once: what the permissions say already is not said of the agent", async () => {
    const host = startHost();
    await walk(host, "ready");
    const notes = await screen.findByRole("region", { name: "About Claude Code" });
    expect(notes.textContent).toContain("It uses your own plugins, hooks and servers.");
    expect(screen.getByTestId("level-limited").textContent).toContain("can’t run tests");
    expect(screen.queryByTestId("to-know")).toBeNull();
    expect(notes.textContent).not.toContain("can’t run commands");
  });
});
