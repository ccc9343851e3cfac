import { screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { MemoryHost } from "../src/host/memory";
import { keyOf, mountApp, needyHost, rowOf, sampleHost } from "./mount";

/** As the rule says it, in milliseconds: after so long the place takes another verb. */
const REST = 600;
const RUNS = "Implement user authentication";
const STOP = 'act stop {"reason":"Stopped by ana"}';
const OTHER = "Migrate sessions";

const asked = (host: MemoryHost) =>
  [...host.asked, ...host.runs.asked].filter((one) => /^(act|launch|stop)/.test(one));

/** The list, in the hands of a person without any delay; how much time passes is up to the test. */
async function list(host = sampleHost()) {
  const container = await mountApp(host);
  const user = userEvent.setup({ delay: null });
  const button = (name: string, title = RUNS) =>
    within(rowOf(container, title)).getByRole("button", { name: new RegExp(`^${name}\\b`, "i") });
  const click = (target: Element, x = 900, y = 120) =>
    user.pointer([{ target, coords: { clientX: x, clientY: y } }, "[MouseLeft]"]);
  return { host, user, button, click };
}

/** What a pause makes of the row: where Pause was is Resume now. */
async function paused({ host, button }: Awaited<ReturnType<typeof list>>): Promise<void> {
  host.write(keyOf(host, RUNS), { word: "paused", primary: "resume", verbs: ["resume", "stop"] });
  await waitFor(() => button(".*resume"));
}

/** The clock that events are stamped by. */
const pass = (milliseconds: number) => vi.advanceTimersByTime(milliseconds);
beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

describe("the place of a verb takes no other for the rest of a double click", () => {
  it("with the mouse, until the time is over", async () => {
    const stage = await list();
    const { host, button, click } = stage;
    await click(button("Pause"));
    expect(asked(host)).toEqual(["act pause {}"]);
    await paused(stage);
    pass(REST - 1);
    await click(button(".*resume"), 905, 118);
    pass(1);
    expect(host.asked.filter((one) => one.startsWith("act")).length).toBe(1);
    await click(button(".*resume"), 905, 118);
    await waitFor(() => expect(asked(host).length).toBe(2));
  });

  it("also when another loop has moved there", async () => {
    const { host, button, click } = await list();
    await click(button("Pause"));
    await click(rowOf(document.body, OTHER));
    expect(screen.queryByTestId("tab-overview")).toBeNull();
    await click(rowOf(document.body, OTHER), 500, 120);
    await screen.findByRole("tab", { name: /^Overview/ });
    expect(asked(host)).toEqual(["act pause {}"]);
  });

  it("when a dialog has opened over it", async () => {
    const { host, button, click } = await list();
    await click(button("Stop"));
    const dialog = await screen.findByRole("dialog");
    const confirm = within(dialog).getByTestId("confirm");
    await click(confirm);
    expect(asked(host)).toEqual([]);
    pass(REST);
    await click(confirm);
    await waitFor(() => expect(asked(host)).toEqual([STOP]));
  });

  it("with Enter pressed twice, and with Enter held", async () => {
    const { host, user, button } = await list();
    button("Stop").focus();
    await user.keyboard("{Enter}");
    const confirm = within(await screen.findByRole("dialog")).getByTestId("confirm");
    confirm.focus();
    await user.keyboard("{Enter}");
    expect(asked(host)).toEqual([]);

    pass(REST);
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    button("Stop").focus();
    await user.keyboard("{Enter>}");
    const again = within(await screen.findByRole("dialog")).getByTestId("confirm");
    again.focus();
    pass(2 * REST);
    const press = { key: "Enter", bubbles: true, cancelable: true };
    const held = () => again.dispatchEvent(new KeyboardEvent("keydown", { ...press, repeat: true }));
    expect([held(), held()]).toEqual([false, false]);
    await user.keyboard("{/Enter}{Enter}");
    await waitFor(() => expect(asked(host)).toEqual([STOP]));
  });

  it("with Space in a row of the list", async () => {
    const stage = await list();
    const { host, user } = stage;
    await user.type(screen.getByRole("combobox", { name: "Filter loops" }), "authentication");
    rowOf(document.body, RUNS).focus();
    await user.keyboard(" ");
    await waitFor(() => expect(asked(host)).toEqual(["act pause {}"]));
    await paused(stage);
    await user.keyboard(" ");
    await user.keyboard("{Enter}");
    expect(asked(host)).toEqual(["act pause {}"]);
    expect(screen.queryByTestId("tab-overview")).toBeNull();
    pass(REST);
    await user.keyboard("{Enter}");
    await screen.findByRole("tab", { name: /^Overview/ });
  });

  it("of a menu", async () => {
    const { host, user, click } = await list();
    const row = rowOf(document.body, RUNS);
    await click(within(row).getByRole("button", { name: /^Actions for/ }));
    await click(await screen.findByRole("menuitem", { name: /^Pause/ }), 880, 200);
    await waitFor(() => expect(asked(host)).toEqual(["act pause {}"]));
    await click(rowOf(document.body, OTHER), 880, 200);
    expect(screen.queryByTestId("tab-overview")).toBeNull();
    await user.keyboard("{Enter}");
    await screen.findByRole("tab", { name: /^Overview/ });
  });

  it("of a question: the one that moves up is not answered with it", async () => {
    const host = needyHost();
    const { click } = await list(host);
    await click(screen.getByRole("button", { name: /^Needs you \d+$/ }), 40, 80);
    const drawer = await screen.findByTestId("needs-drawer");
    const answers = () => host.runs.asked.filter((one) => one.startsWith("answer"));
    await click(within(drawer).getAllByRole("button", { name: /Allow once/ })[0]!, 1100, 300);
    await waitFor(() => expect(answers().length).toBe(1));
    await click(within(drawer).getAllByTestId(/^answer-/)[0]!, 1100, 300);
    expect(answers().length).toBe(1);
  });
});

describe("what is not the rest of a double click", () => {
  it("is the same place after a click elsewhere", async () => {
    const stage = await list();
    const { host, button, click } = stage;
    await click(button("Pause"));
    await paused(stage);
    await click(screen.getByRole("heading", { level: 1 }), 500, 20);
    await click(button(".*resume"));
    await waitFor(() => expect(asked(host).length).toBe(2));
  });

  it("is a verb at another place", async () => {
    const { host, button, click } = await list();
    await click(button("Pause"));
    await click(button("Stop"), 980, 120);
    await screen.findByRole("dialog");
    expect(asked(host)).toEqual(["act pause {}"]);
  });

  it("is a key after another one", async () => {
    const { host, user, button } = await list();
    button("Stop").focus();
    await user.keyboard("{Enter}");
    await screen.findByRole("dialog");
    await user.keyboard("{Tab}{Shift>}{Tab}{/Shift}");
    within(screen.getByRole("dialog")).getByTestId("confirm").focus();
    await user.keyboard("{Enter}");
    await waitFor(() => expect(asked(host)).toEqual([STOP]));
  });

  it("is a space that somebody types", async () => {
    const { user, button } = await list();
    button("Pause").focus();
    await user.keyboard("{Enter}");
    screen.getByTestId<HTMLInputElement>("filter").focus();
    await user.keyboard(" ");
    expect(screen.getByTestId<HTMLInputElement>("filter").value).toBe(" ");
  });
});
