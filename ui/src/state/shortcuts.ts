import { createKeybindingsHandler } from "tinykeys";
import { isTyping } from "./keys";

/** What a key does everywhere in the window. */
export type ShortcutId =
  | "palette"
  | "settings"
  | "filter"
  | "start"
  | "help"
  | "list"
  | "needs"
  | "agents"
  | "next_pane"
  | "previous_pane"
  | "back"
  | "forward"
  | "leave";

interface Shortcut {
  /** In the notation of tinykeys; several where keyboards or systems differ. The first one is shown. */
  readonly keys: readonly [string, ...string[]];
  /** Only letters: not while somebody types, and not when they are switched off. */
  readonly letters?: true;
}

/** The one list of them: what is heard, and what help, palette and menus say. */
export const SHORTCUTS: Readonly<Record<ShortcutId, Shortcut>> = {
  palette: { keys: ["Control+k", "Meta+k"] },
  settings: { keys: ["Control+,", "Meta+,"] },
  filter: { keys: ["/", "Shift+/"], letters: true },
  start: { keys: ["n"], letters: true },
  // On some keyboards it needs no Shift.
  help: { keys: ["?", "Shift+?"], letters: true },
  list: { keys: ["g l"], letters: true },
  needs: { keys: ["g i"], letters: true },
  agents: { keys: ["g a"], letters: true },
  next_pane: { keys: ["F6"] },
  previous_pane: { keys: ["Shift+F6"] },
  back: { keys: ["Alt+ArrowLeft"] },
  forward: { keys: ["Alt+ArrowRight"] },
  leave: { keys: ["Escape"] },
};

/** Does it, and answers whether there was something to do: what was not is left to the browser. */
export type Doing = Readonly<Record<ShortcutId, () => boolean | void>>;

/** Hears the shortcuts of the window. */
export function shortcutsOf(doing: Doing, letters: () => boolean): (event: KeyboardEvent) => void {
  const heard = (ids: readonly ShortcutId[]) =>
    createKeybindingsHandler(
      Object.fromEntries(
        ids.flatMap((id) =>
          SHORTCUTS[id].keys.map((keys) => [
            keys,
            (event: KeyboardEvent) => {
              if (doing[id]() !== false) event.preventDefault();
            },
          ]),
        ),
      ),
    );
  const all = Object.keys(SHORTCUTS) as ShortcutId[];
  const always = heard(all.filter((id) => !SHORTCUTS[id].letters));
  const onlyLetters = heard(all.filter((id) => SHORTCUTS[id].letters));
  return (event) => {
    const typing = isTyping(event.target);
    // In a field, Alt with an arrow belongs to the text.
    if (!(typing && event.altKey)) always(event);
    if (!event.defaultPrevented && !typing && letters()) onlyLetters(event);
  };
}

const NAMES: Readonly<Record<string, string>> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
};

function named(press: string, modifier: string): string {
  const keys = press.split("+").map((key) => (key === "Control" ? modifier : (NAMES[key] ?? key)));
  // With a modifier a letter is shown as it is printed on its key.
  return keys.map((key) => (keys.length > 1 && key.length === 1 ? key.toUpperCase() : key)).join(" ");
}

/** How a shortcut is shown: one entry for each press. */
export function pressesOf(id: ShortcutId, modifier: string): string[] {
  return SHORTCUTS[id].keys[0].split(" ").map((press) => named(press, modifier));
}

/** The same in one text, for menus. */
export function shortcutText(id: ShortcutId, modifier: string): string {
  return pressesOf(id, modifier).join(" ");
}
