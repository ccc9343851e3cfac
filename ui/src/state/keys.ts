/** Whether a key press belongs to a text field or another control that takes letters. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

export function hasModifier(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey;
}

/** Whether a key press may be a shortcut of one letter or digit: such are switched on, and nothing else takes it. */
export function isShortcut(
  event: KeyboardEvent,
  app: {
    readonly navigation: { readonly dialog: unknown };
    readonly settings: { readonly letterKeys: boolean };
  },
): boolean {
  if (app.navigation.dialog || !app.settings.letterKeys || event.defaultPrevented) return false;
  return !hasModifier(event) && !isTyping(event.target);
}

/** When what had the focus is gone: the part of the loop that is shown keeps it near. */
export function focusPanel(): void {
  document.getElementById("panel")?.focus();
}

/** Ctrl, or Cmd on a Mac. */
export function isCommand(event: KeyboardEvent | MouseEvent): boolean {
  return (event.ctrlKey || event.metaKey) && !event.altKey;
}

const FOCUSABLE = 'a[href], button:not([disabled]), input, select, textarea, summary, [tabindex="0"]';
/** Where the keyboard is expected in a pane: its current row, its chosen tab. */
const CURRENT =
  '[role="row"][tabindex="0"], [role="treeitem"][tabindex="0"], [role="option"][tabindex="0"], [role="tab"][tabindex="0"]';

/** Where the focus goes in a pane; the content of an inner pane belongs to that one. */
function entryOf(pane: HTMLElement): HTMLElement | undefined {
  const own = (selector: string) =>
    [...pane.querySelectorAll<HTMLElement>(selector)].find(
      (node) =>
        node.tabIndex >= 0 && node.closest("[data-pane]") === pane && (node.checkVisibility?.() ?? true),
    );
  return own(CURRENT) ?? own(FOCUSABLE) ?? (pane.hasAttribute("tabindex") ? pane : undefined);
}

/** Moves the focus to the next pane of the window that can take it, around. */
export function focusNextPane(root: ParentNode, back: boolean): void {
  const panes = [...root.querySelectorAll<HTMLElement>("[data-pane]")];
  const present = document.activeElement?.closest<HTMLElement>("[data-pane]");
  const at = present ? panes.indexOf(present) : back ? 0 : -1;
  const step = back ? -1 : 1;
  for (let tried = 1; tried <= panes.length; tried += 1) {
    const next = panes[(at + step * tried + panes.length * 2) % panes.length];
    const entry = next && next !== present ? entryOf(next) : undefined;
    if (entry) return entry.focus();
  }
}

/** A part of the key help: what the keys do, in the language of the moment. */
export interface KeyGroup {
  readonly title: string;
  readonly keys: readonly (readonly [keys: readonly string[], what: string])[];
}
