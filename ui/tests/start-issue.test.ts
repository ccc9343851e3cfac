import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { failure } from "../src/host/memory-list";
import { violations } from "./axe";
import { keyOf, mountApp } from "./mount";
import { click, fill, press } from "./person";
import { chooseFolder, next, startHost, submit, type, walk } from "./start-walk";

const goal = () => (screen.getByTestId("goal") as HTMLTextAreaElement).value;
const title = () => (screen.getByTestId("start-title") as HTMLInputElement).value;

/** On the first page, in a folder whose issues can be asked for. */
async function atIssue(host = startHost()) {
  await walk(host, "work");
  await type("goal", "Keep it small.");
  await chooseFolder();
  const part = (await screen.findByText("Start from an issue")).closest("details")!;
  await click(within(part).getByText("Start from an issue"));
  return { host, part, named: within(part).getByRole("textbox", { name: "Number or address of the issue" }) };
}

describe("an issue in the start form", () => {
  it("is looked up, fills title and goal in, and is remembered of the loop that is started", async () => {
    const { host, part, named } = await atIssue();
    await fill(named, "#7");
    host.finishing.failNext = failure("no_forge");
    // Enter looks it up, and doesn't go on to the next page.
    await press("{Enter}", named);
    const failed = await within(part).findByTestId("failure");
    expect(failed.dataset.kind).toBe("no_forge");
    expect(failed.textContent).toContain("gh");
    await click(within(part).getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(title()).toBe("Sign-in fails"));
    expect(goal()).toMatch(/^Keep it small\.\n\nSign-in fails\n\nWith capitals .* <b>nobody<\/b>/);
    expect(within(part).queryByTestId("failure")).toBeNull();
    expect(screen.getByTestId("issue").textContent).toContain("#7 Sign-in fails");
    // It is text, also where it looks like HTML.
    const text = within(part).getByRole("region", { name: "#7 Sign-in fails" });
    expect(text.textContent).toContain("<b>nobody</b>");
    expect(await violations(part)).toEqual([]);
    // Another one takes the place of the first.
    await fill(named, "https://github.com/ana/storefront/issues/9");
    await click(within(part).getByRole("button", { name: "Look it up" }));
    await waitFor(() => expect(screen.getByTestId("issue").textContent).toContain("#9"));
    expect(goal().match(/With capitals/g)).toHaveLength(1);
    await next("run");
    await click(await screen.findByTestId("level-edit_files"));
    await screen.findByTestId("command-line");
    expect(host.finishing.asked).toEqual([]);
    await submit();
    await waitFor(() => expect(host.finishing.asked).toEqual(["issue 9"]));
    expect(host.runs.started?.work.title).toBe("Sign-in fails");
  });

  it("is left, taken back with its words, and outlives the form", async () => {
    const { host, part, named } = await atIssue();
    const look = async () => {
      await fill(named, "7");
      await press("{Enter}", named);
      await screen.findByTestId("issue");
    };
    await look();
    await click(within(part).getByRole("button", { name: "Start without it" }));
    expect(screen.queryByTestId("issue")).toBeNull();
    await waitFor(() => expect(document.activeElement).toBe(named));
    expect(goal()).toContain("With capitals");
    await look();
    await click(screen.getByTestId("undo-fill"));
    await waitFor(() => expect(screen.queryByTestId("issue")).toBeNull());
    await look();
    await press("{Escape}");
    await waitFor(() => expect(screen.queryByTestId("start-view")).toBeNull());
    await click(await screen.findByTestId("start-loop"));
    expect((await screen.findByTestId("issue")).textContent).toContain("#7");
    expect(host.finishing.asked).toEqual([]);
  });

  it("that can’t be remembered keeps no loop from running, and is told", async () => {
    const { host, named } = await atIssue();
    await fill(named, "7");
    await press("{Enter}", named);
    await screen.findByTestId("issue");
    await next("run");
    await click(await screen.findByTestId("level-edit_files"));
    await screen.findByTestId("command-line");
    host.runs.startedKey = keyOf(host, "Type the pricing");
    host.finishing.failNext = failure("own_data");
    await submit();
    expect((await screen.findByTestId("failure")).dataset.kind).toBe("own_data");
    expect(host.finishing.asked).toEqual([]);
  });

  it.each([
    ["isn’t trusted", 1],
    ["is no repository", 2],
  ])("is not offered in a folder that %s", async (_, at) => {
    const host = startHost();
    await mountApp(host);
    await click(await screen.findByTestId("start-loop"));
    await screen.findByTestId("goal");
    await chooseFolder();
    expect(screen.queryByText("Start from an issue")).not.toBeNull();
    host.runs.pickedFolder = [...host.runs.folders.keys()][at]!;
    await click(screen.getByRole("button", { name: "Other folder…" }));
    await waitFor(() => expect(screen.queryByText("Start from an issue")).toBeNull());
  });
});
