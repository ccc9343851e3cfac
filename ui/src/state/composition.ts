/** The key code of a key that an input method took. */
const TAKEN = 229;
const KEYS = ["keydown", "keypress", "keyup"] as const;

/**
 * Whether a key belongs to an input method. WebKit sends the Enter that takes a candidate after the end of the
 * composition, with nothing but the key code to tell (WebKit bug 165004).
 */
function isOfInputMethod({ isComposing, keyCode }: KeyboardEvent): boolean {
  return isComposing || keyCode === TAKEN;
}

/**
 * Keeps the keys of an input method from every handler of the page, so that no handler has to ask. What they do in the
 * field stays. Call it before anything else listens to the window. Returns how to end it.
 */
export function keepComposing(window: Window): () => void {
  /** The last key that went down was one of them. */
  let composing = false;

  function keep(event: KeyboardEvent): void {
    const kept = isOfInputMethod(event);
    if (event.type === "keydown") composing = kept;
    if (kept) event.stopImmediatePropagation();
  }

  /** WebKit closes a dialog by itself when Escape is not prevented, whoever it belongs to. */
  function stay(event: Event): void {
    if (!composing) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  const capture = { capture: true };
  for (const key of KEYS) window.addEventListener(key, keep, capture);
  window.addEventListener("cancel", stay, capture);
  return () => {
    for (const key of KEYS) window.removeEventListener(key, keep, capture);
    window.removeEventListener("cancel", stay, capture);
  };
}
