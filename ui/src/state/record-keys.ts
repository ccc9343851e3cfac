import { shortcutKeys, SHORTCUT_IDS, SHORTCUTS, type ChosenKeys, type ShortcutId } from "./shortcuts";

/** Those whose keys can be changed: Escape leaves everywhere, in lists and dialogs too. */
export const CHANGEABLE: readonly ShortcutId[] = SHORTCUT_IDS.filter((id) => id !== "leave");

const NOTHING_YET = /^(Control|Meta|Alt|AltGraph|Shift|CapsLock|Fn|Dead|Process|Unidentified)$/;
/** What they do in every list and field, whatever is chosen here. */
const TAKEN = /^(Shift\+)?(Tab|Enter|Escape|Backspace|Delete|Home|End|PageUp|PageDown|Arrow.*| |\d)$/;
const TAKEN_IN_TEXT = /^Control\+(Shift\+)?[acvxzyf]$/i;

/** Why a press can be no shortcut. */
export type KeysRefusal = { readonly why: "taken" } | { readonly why: "used"; readonly by: ShortcutId };

/** What was pressed, in the notation of the list; nothing yet while only Ctrl or Shift is held. */
export function pressOf(event: KeyboardEvent): string | null {
  const { key } = event;
  if (NOTHING_YET.test(key)) return null;
  const command = event.ctrlKey || event.metaKey;
  const letter = /^\p{L}$/u.test(key);
  // A sign is what Shift makes of a key: its name says it already.
  const shift = event.shiftKey && (letter || key.length > 1 || command);
  const parts = [command && "Control", event.altKey && "Alt", shift && "Shift"].filter(Boolean);
  return [...parts, letter ? key.toLowerCase() : key].join("+");
}

/** Whether one begins with what the other is: the longer one would never be heard. */
function areInConflict(left: string, right: string): boolean {
  const [one, other] = [`${left} `.toLowerCase(), `${right} `.toLowerCase()];
  return one.startsWith(other) || other.startsWith(one);
}

/** Why these keys cannot do it, or null. */
export function refusalOf(id: ShortcutId, keys: string, chosen: ChosenKeys): KeysRefusal | null {
  if (TAKEN.test(keys) || TAKEN_IN_TEXT.test(keys)) return { why: "taken" };
  const by = SHORTCUT_IDS.find(
    (other) => other !== id && shortcutKeys(other, chosen).some((used) => areInConflict(used, keys)),
  );
  return by ? { why: "used", by } : null;
}

/** With other keys for one of them. */
export function withKeys(chosen: ChosenKeys, id: ShortcutId, keys: string): ChosenKeys {
  return keys === SHORTCUTS[id] ? withoutKeys(chosen, id) : { ...chosen, [id]: keys };
}

/** With the keys that it came with. */
export function withoutKeys(chosen: ChosenKeys, id: ShortcutId): ChosenKeys {
  return Object.fromEntries(Object.entries(chosen).filter(([other]) => other !== id));
}

/** Of what was kept, what can be heard: another version may have other shortcuts, and a person may have edited the file. */
export function keptKeys(kept: unknown): ChosenKeys {
  if (typeof kept !== "object" || kept === null) return {};
  let chosen: ChosenKeys = {};
  for (const id of CHANGEABLE) {
    const keys: unknown = (kept as Record<string, unknown>)[id];
    if (typeof keys !== "string" || !/^((Control|Alt|Shift)\+)*[^\s+]+$/.test(keys)) continue;
    if (refusalOf(id, keys, chosen) === null) chosen = withKeys(chosen, id, keys);
  }
  return chosen;
}
