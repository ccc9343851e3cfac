import { screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { keptKeys, pressOf, refusalOf, withKeys } from "../src/state/record-keys";
import {
  shortcutKeys,
  pressesOf,
  SHORTCUT_IDS as IDS,
  SHORTCUTS,
  shortcutsOf,
  type ChosenKeys,
  type ShortcutId,
} from "../src/state/shortcuts";
import { mountApp, sampleHost } from "./mount";

function heard(letters = true, chosen: ChosenKeys = {}) {
  const done: ShortcutId[] = [];
  const doing = Object.fromEntries(IDS.map((id) => [id, () => void done.push(id)])) as Record<
    ShortcutId,
    () => void
  >;
  const hear = shortcutsOf(doing, () => letters, chosen);
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
      for (const one of SHORTCUTS[id].split(" ")) {
        const keys = one.split("+");
        const has = (name: string) => keys.slice(0, -1).includes(name);
        press(keys.at(-1)!, { ctrlKey: has("Control"), altKey: has("Alt"), shiftKey: has("Shift") });
      }
      expect(done, id).toEqual([id]);
    }
  });

  it("clash nowhere", () => {
    const all = IDS.flatMap((id) => shortcutKeys(id));
    expect(new Set(all).size).toBe(all.length);
  });

  it("are shown as they are printed on keys", () => {
    expect(IDS.map((id) => pressesOf(id, "⌘").join(" "))).toEqual([
      "⌘ K",
      "⌘ ,",
      "/",
      "n",
      "?",
      "g l",
      "g i",
      "g a",
      "g m",
      "g h",
      "g s",
      "g f",
      "F6",
      "Shift F6",
      "u",
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
    await screen.findByRole("grid", { name: "Loops by status" });
    await user.keyboard("?");
    await waitFor(() =>
      expect(screen.getByRole("dialog", { name: "Keyboard shortcuts" }).textContent).toContain("Alt ←"),
    );
    const groups = screen.getAllByRole("heading", { level: 3 }).map((head) => head.textContent);
    expect(groups).toEqual(expect.arrayContaining(["Hypotheses", "Work graph", "Output", "Activity"]));
  });
});

const pressed = (key: string, more: KeyboardEventInit = {}) =>
  pressOf(new KeyboardEvent("keydown", { key, ...more }));

describe("keys that a person chooses", () => {
  it("are read from what is pressed", () => {
    expect(pressed("Control", { ctrlKey: true })).toBeNull();
    expect(pressed("K", { ctrlKey: true, shiftKey: true })).toBe("Control+Shift+k");
    expect(pressed("k", { metaKey: true })).toBe("Control+k");
    expect(pressed("?", { shiftKey: true })).toBe("?");
    expect(pressed("N", { shiftKey: true })).toBe("Shift+n");
    expect(pressed("F6", { shiftKey: true })).toBe("Shift+F6");
    expect(pressed("ArrowLeft", { altKey: true })).toBe("Alt+ArrowLeft");
  });

  it("are refused where they are in use, also as the beginning of others, and where they have a fixed use", () => {
    expect(refusalOf("start", "Control+k", {})).toEqual({ why: "used", by: "palette" });
    expect(refusalOf("start", "g", {})).toEqual({ why: "used", by: "list" });
    expect(refusalOf("palette", "Control+k", {})).toBeNull();
    expect(refusalOf("start", "Control+k", { palette: "Control+p" })).toBeNull();
    for (const keys of ["Enter", "ArrowDown", "Shift+Tab", "1", "Control+c", "Escape"])
      expect(refusalOf("start", keys, {}), keys).toEqual({ why: "taken" });
  });

  it("are heard in place of those it came with, and rest while somebody types if they are letters", () => {
    const { done, press } = heard(true, { palette: "Control+p", settings: "," });
    press("k", { ctrlKey: true });
    press("p", { ctrlKey: true });
    press("p", { metaKey: true });
    press(",", {}, document.createElement("input"));
    press(",");
    expect(done).toEqual(["palette", "palette", "settings"]);
  });

  it("are kept only where they can be heard", () => {
    expect(keptKeys({ palette: "Control+p", start: "Control+p", other: "x", back: 3, leave: "q" })).toEqual({
      palette: "Control+p",
    });
    expect(keptKeys("x")).toEqual({});
    expect(withKeys({ palette: "Control+p" }, "palette", "Control+k")).toEqual({});
  });

  it("are recorded, a conflict is named, and one or all are reset", async () => {
    const user = userEvent.setup({ delay: null });
    const host = sampleHost();
    await mountApp(host);
    await user.keyboard("?");
    const dialog = await screen.findByRole("dialog", { name: "Keyboard shortcuts" });
    const start = () => within(dialog).getByRole("button", { name: /^Start a loop: / });
    await user.click(start());
    await user.keyboard("{Control>}k{/Control}");
    expect(dialog.textContent).toContain("Ctrl K is already used for “Open the command palette”.");
    await user.keyboard("{Control>}{Shift>}n{/Shift}{/Control}");
    expect(start().textContent).toBe("Ctrl Shift N");
    expect(host.settings).toMatchObject({ shortcuts: { start: "Control+Shift+n" } });
    await user.click(within(dialog).getByRole("button", { name: "Reset the shortcut for “Start a loop”" }));
    expect(start().textContent).toBe("n");
    expect(document.activeElement).toBe(start());
    await user.click(start());
    await user.keyboard("{Escape}");
    await user.click(within(dialog).getByRole("button", { name: /^Go to agents: / }));
    await user.keyboard("{Alt>}a{/Alt}");
    await user.click(within(dialog).getByRole("button", { name: "Reset all" }));
    expect(host.settings).toMatchObject({ shortcuts: {} });
    expect(screen.getByRole("dialog", { name: "Keyboard shortcuts" })).toBe(dialog);
  });

  it("work from the next start on", async () => {
    const user = userEvent.setup({ delay: null });
    const host = sampleHost();
    host.settings = { shortcuts: { palette: "Control+p" } } as typeof host.settings;
    await mountApp(host);
    expect(screen.getByText(/commands$/).textContent).toContain("Ctrl P commands");
    await user.keyboard("{Control>}k{/Control}");
    expect(screen.queryByRole("dialog")).toBeNull();
    await user.keyboard("{Control>}p{/Control}");
    await screen.findByRole("dialog", { name: "Commands" });
  });
});
