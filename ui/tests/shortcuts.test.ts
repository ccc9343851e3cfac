import { screen, waitFor } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { pressesOf, SHORTCUTS, shortcutsOf, shortcutText, type ShortcutId } from "../src/state/shortcuts";
import { mountApp, sampleHost } from "./mount";

const IDS = Object.keys(SHORTCUTS) as ShortcutId[];

function heard(letters = true) {
  const done: ShortcutId[] = [];
  const doing = Object.fromEntries(IDS.map((id) => [id, () => void done.push(id)])) as Record<
    ShortcutId,
    () => void
  >;
  const hear = shortcutsOf(doing, () => letters);
  const press = (key: string, more: KeyboardEventInit = {}, target: Element = document.body) => {
    const event = new KeyboardEvent("keydown", { key, cancelable: true, ...more });
    Object.defineProperty(event, "target", { value: target });
    hear(event);
    return event;
  };
  return { done, press };
}

describe("shortcuts of the window", () => {
  it("are one list: each is heard by the keys that are shown for it", () => {
    for (const id of IDS) {
      const { done, press } = heard();
      for (const one of SHORTCUTS[id].keys[0].split(" ")) {
        const keys = one.split("+");
        const has = (name: string) => keys.slice(0, -1).includes(name);
        press(keys.at(-1)!, { ctrlKey: has("Control"), altKey: has("Alt"), shiftKey: has("Shift") });
      }
      expect(done, id).toEqual([id]);
    }
  });

  it("clash nowhere", () => {
    const all = IDS.flatMap((id) => SHORTCUTS[id].keys);
    expect(new Set(all).size).toBe(all.length);
  });

  it("are shown as they are printed on keys", () => {
    expect(IDS.map((id) => shortcutText(id, "⌘"))).toEqual([
      "⌘ K",
      "⌘ ,",
      "/",
      "n",
      "?",
      "g l",
      "g i",
      "g a",
      "F6",
      "Shift F6",
      "Alt ←",
      "Alt →",
      "Esc",
    ]);
    expect(pressesOf("list", "Ctrl")).toEqual(["g", "l"]);
  });

  it("of letters rest while somebody types, and when they are switched off", () => {
    const field = document.createElement("input");
    const typing = heard();
    typing.press("n", {}, field);
    typing.press("ArrowLeft", { altKey: true }, field);
    typing.press("k", { ctrlKey: true }, field);
    expect(typing.done).toEqual(["palette"]);
    const off = heard(false);
    for (const key of ["n", "?", "/", "g", "l"]) off.press(key);
    off.press("F6");
    expect(off.done).toEqual(["next_pane"]);
  });

  it("are taken from the browser only where there was something to do", () => {
    const doing = Object.fromEntries(IDS.map((id) => [id, () => id !== "back"])) as Record<
      ShortcutId,
      () => boolean
    >;
    const hear = shortcutsOf(doing, () => true);
    const press = (key: string) => new KeyboardEvent("keydown", { key, altKey: true, cancelable: true });
    const [back, forward] = [press("ArrowLeft"), press("ArrowRight")];
    hear(back);
    hear(forward);
    expect([back.defaultPrevented, forward.defaultPrevented]).toEqual([false, true]);
  });

  it("lead through the window", async () => {
    const user = userEvent.setup({ delay: null });
    await mountApp(sampleHost());
    await user.keyboard("ga");
    await screen.findByTestId("agents-page");
    await user.keyboard("{Alt>}{ArrowLeft}{/Alt}");
    await screen.findByTestId("loop-list");
    await user.keyboard("?");
    await waitFor(() => expect(screen.getByTestId("keys-dialog").textContent).toContain("Alt ←"));
  });
});
