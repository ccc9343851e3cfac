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
  | "team"
  | "guide"
  | "overview"
  | "search"
  | "next_pane"
  | "previous_pane"
  | "undo"
  | "back"
  | "forward"
  | "leave";

/** In the notation of tinykeys; several where keyboards or systems differ. The first one is shown. */
type Keys = readonly [string, ...string[]];

/** The keys that a person chose, by the id of what they do. What is not in it keeps the keys it came with. */
export type ChosenKeys = Readonly<Record<string, string>>;

/** The one list of them, as they come: what is heard, and what help, palette and menus say. */
export const SHORTCUTS: Readonly<Record<ShortcutId, string>> = {
  palette: "Control+k",
  settings: "Control+,",
  filter: "/",
  start: "n",
  help: "?",
  list: "g l",
  needs: "g i",
  agents: "g a",
  team: "g m",
  guide: "g h",
  overview: "g s",
  search: "g f",
  next_pane: "F6",
  previous_pane: "Shift+F6",
  undo: "u",
  back: "Alt+ArrowLeft",
  forward: "Alt+ArrowRight",
  leave: "Escape",
};

export const SHORTCUT_IDS = Object.keys(SHORTCUTS) as ShortcutId[];

/** The keys that do it. */
export function shortcutKeys(id: ShortcutId, chosen: ChosenKeys = {}): Keys {
  const keys = chosen[id] ?? SHORTCUTS[id];
  // Either key works for the other; and a character printed above another needs Shift on some
  // keyboards only.
  if (keys.includes("Control")) return [keys, keys.replaceAll("Control", "Meta")];
  return isSign(keys) ? [keys, ["Shift", keys].join("+")] : [keys];
}

const isSign = (keys: string) => /^[^\p{L}\p{N}\s]$/u.test(keys);

/**
 * Whether it consists of letters and signs alone: ignored while the person types, and when they are
 * switched off.
 */
function ofLetters(keys: string): boolean {
  return keys.split(" ").every((press) => /^(Shift\+)?.$/u.test(press));
}

/** Does it, and answers whether there was something to do: what was not is left to the browser. */
export type Doing = Readonly<Record<ShortcutId, () => boolean | void>>;

/** Hears the shortcuts of the window. */
export function shortcutsOf(
  doing: Doing,
  letters: () => boolean,
  chosen: ChosenKeys = {},
): (event: KeyboardEvent) => void {
  const heard = (ids: readonly ShortcutId[]) =>
    createKeybindingsHandler(
      Object.fromEntries(
        ids.flatMap((id) =>
          shortcutKeys(id, chosen).map((keys) => [
            keys,
            (event: KeyboardEvent) => {
              if (doing[id]() !== false) event.preventDefault();
            },
          ]),
        ),
      ),
    );
  const isLetters = (id: ShortcutId) => ofLetters(shortcutKeys(id, chosen)[0]);
  const always = heard(SHORTCUT_IDS.filter((id) => !isLetters(id)));
  const onlyLetters = heard(SHORTCUT_IDS.filter(isLetters));
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

function pressName(press: string, modifier: string): string {
  const keys = press.split("+").map((key) => (key === "Control" ? modifier : (NAMES[key] ?? key)));
  // With a modifier a letter is shown as it is printed on its key.
  return keys.map((key) => (keys.length > 1 && key.length === 1 ? key.toUpperCase() : key)).join(" ");
}

/** How a shortcut is shown: one entry for each press. */
export function pressesOf(id: ShortcutId, modifier: string, chosen: ChosenKeys = {}): string[] {
  return shownPresses(shortcutKeys(id, chosen)[0], modifier);
}

/** The same of any keys. */
export function shownPresses(keys: string, modifier: string): string[] {
  return keys.split(" ").map((press) => pressName(press, modifier));
}
