import { cleanup, fireEvent, screen, waitFor } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Failure } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { language } from "../src/words/language.svelte";
import { keyOf, mountApp, sampleHost } from "./mount";

let host: MemoryHost;
let container: HTMLElement;
const failure = (kind: Failure["kind"]): Failure => ({ kind, args: {}, refusal: null });
const last = () => host.asked.at(-1);

beforeEach(() => {
  language.id = "en";
  host = sampleHost();
});
afterEach(cleanup);

async function openLoop(title: string, tab: string): Promise<void> {
  container = await mountApp(host);
  const key = keyOf(host, title);
  host.push({ kind: "linked", key, tab, item: null });
  await screen.findByTestId(`panel-${tab}`);
}

async function location(id: string): Promise<HTMLElement> {
  const card = await waitFor(() => {
    const found = container.querySelector<HTMLElement>(`[data-card="${id}"] [data-testid="location"]`);
    if (!found) throw new Error("no card yet");
    return found;
  });
  await waitFor(() => expect(card.title).not.toBe(""));
  return card;
}

describe("a logging point", () => {
  it("opens in the editor at its line, by the pointer and with e", async () => {
    await openLoop("Implement user", "debug");
    await fireEvent.click(await location("H2"));
    await waitFor(() => expect(last()).toBe("place src/limit/key.ts:31"));
    const card = container.querySelector<HTMLElement>('[data-card="H1"]')!;
    card.focus();
    await fireEvent.keyDown(card, { key: "e" });
    await waitFor(() => expect(last()).toBe("place src/app.ts:54"));
  });

  it("of a file that is not there says why, and is copied", async () => {
    host.missing.add("src/limit/key.ts");
    await openLoop("Implement user", "debug");
    const at = await location("H2");
    await waitFor(() => expect(at.title).toContain("no such file"));
    await fireEvent.click(at);
    expect(host.asked.filter((one) => one.startsWith("place"))).toEqual([]);
    await fireEvent.click(container.querySelector('[data-card="H2"]')!);
    const button = await screen.findByTestId("open-location");
    expect(button.getAttribute("aria-disabled")).toBe("true");
    expect(button.title).toContain("no such file");
  });

  it("without an editor offers to copy the place, and the settings", async () => {
    await openLoop("Implement user", "debug");
    const at = await location("H2");
    host.failNext = failure("no_editor");
    await fireEvent.click(at);
    const dialog = await screen.findByTestId("editor-dialog");
    expect(dialog.textContent).toContain("src/limit/key.ts:31");
    await fireEvent.click(screen.getByTestId("set-editor"));
    expect(await screen.findByTestId("settings-dialog")).toBeTruthy();
  });

  it("that the workspace does not have any more is said beside the loop", async () => {
    await openLoop("Implement user", "debug");
    const at = await location("H2");
    host.failNext = { ...failure("file_missing"), args: { path: "src/limit/key.ts" } };
    await fireEvent.click(at);
    await waitFor(() =>
      expect(screen.getByTestId("failure").textContent).toContain("src/limit/key.ts is not in"),
    );
  });
});

describe("the editor in the settings", () => {
  it("is chosen, tried, and replaced by a command of one's own", async () => {
    container = await mountApp(host);
    await fireEvent.keyDown(window, { key: ",", ctrlKey: true });
    const select = (await screen.findByTestId("set-editor-id")) as HTMLSelectElement;
    await waitFor(() => expect(select.textContent).toContain("Automatic: Visual Studio Code"));
    await fireEvent.change(select, { target: { value: "gnome-text-editor" } });
    expect(host.settings.editor).toEqual({ id: "gnome-text-editor", command: [] });
    await fireEvent.click(screen.getByTestId("try-editor"));
    await screen.findByTestId("editor-tried");
    await fireEvent.change(select, { target: { value: "custom" } });
    await fireEvent.input(await screen.findByTestId("editor-command"), {
      target: { value: "my editor\n\n--line\n{line}\n{file}" },
    });
    await waitFor(() =>
      expect(host.settings.editor).toEqual({
        id: "custom",
        command: ["my editor", "--line", "{line}", "{file}"],
      }),
    );
    expect(screen.queryByTestId("editor-tried")).toBeNull();
    host.failNext = failure("editor_command");
    await fireEvent.click(screen.getByTestId("try-editor"));
    await waitFor(() => expect(screen.getByTestId("failure").dataset.kind).toBe("editor_command"));
  });

  it("that is not there any more stays the one that was chosen", async () => {
    host.settings = { editor: { id: "kate", command: [] } };
    container = await mountApp(host);
    await fireEvent.keyDown(window, { key: ",", ctrlKey: true });
    const select = (await screen.findByTestId("set-editor-id")) as HTMLSelectElement;
    await waitFor(() => expect(select.textContent).toContain("kate (not found)"));
    expect(select.value).toBe("kate");
  });
});

describe("places in the tests", () => {
  it("open from the stack and from the row", async () => {
    await openLoop("Implement user", "tests");
    const failed = await waitFor(() => {
      const lines = [...container.querySelectorAll<HTMLElement>('[data-testid="test-line"]')];
      const found = lines.find(
        (line) => line.dataset.outcome === "failed" || /failed/i.test(line.textContent ?? ""),
      );
      if (!found) throw new Error("no failed test yet");
      return found;
    });
    await fireEvent.click(failed);
    const button = (await screen.findByTestId("open-place")) as HTMLButtonElement;
    await waitFor(() => expect(button.disabled).toBe(false));
    await fireEvent.click(button);
    await waitFor(() => expect(last()).toMatch(/^place .+\.rs:\d+/));
    const asked = host.asked.length;
    await fireEvent.click(screen.getAllByTestId("stack-place")[0]!);
    await waitFor(() => expect(host.asked.length).toBeGreaterThan(asked));
    expect(last()).toMatch(/^place /);
  });
});
