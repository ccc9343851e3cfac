/** Whether a key press belongs to a text field or another control that takes letters. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

export function hasModifier(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey;
}

/** When what had the focus is gone: the part of the loop that is shown keeps it near. */
export function focusPanel(): void {
  document.getElementById("panel")?.focus();
}

/** Ctrl, or Cmd on a Mac. */
export function isCommand(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && !event.altKey;
}

const FOCUSABLE = 'a[href], button:not([disabled]), input, select, textarea, [tabindex="0"]';

/** Moves the focus to the next pane of the window, around. */
export function focusNextPane(root: ParentNode, back: boolean): void {
  const panes = [...root.querySelectorAll<HTMLElement>("[data-pane]")];
  const present = panes.findIndex((pane) => pane.contains(document.activeElement));
  const step = back ? -1 : 1;
  const next = panes[(present + step + panes.length) % panes.length];
  const preferred = next?.querySelector<HTMLElement>('[role="row"][tabindex="0"]');
  (preferred ?? next?.querySelector<HTMLElement>(FOCUSABLE))?.focus();
}
