import { isTyping } from "./keys";

/** How long, in milliseconds, the place of a verb takes no other one: longer than a double click. */
export const REST = 600;
/** A hand that clicks twice does not hold quite still. */
const NEAR = 24;
/** Either of them presses a button. */
const PRESSES: readonly string[] = ["Enter", " "];
const MODIFIERS: readonly string[] = ["Shift", "Control", "Alt", "Meta", "CapsLock", "AltGraph"];
const PRESSED = "button, a, [role=row], [role^=menuitem]";

/** Where a person acts: a place on screen, a key, or (by a tool of theirs that has neither) an element. */
type Place =
  | { readonly kind: "pointer"; readonly x: number; readonly y: number }
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "element"; readonly element: Element | null };
type Input = Place & { readonly time: number };

function samePlace(one: Place, other: Place): boolean {
  if (one.kind === "pointer" && other.kind === "pointer") {
    return Math.hypot(one.x - other.x, one.y - other.y) < NEAR;
  }
  if (one.kind === "key" && other.kind === "key") {
    return one.key === other.key || (PRESSES.includes(one.key) && PRESSES.includes(other.key));
  }
  return one.kind === "element" && other.kind === "element" && one.element === other.element;
}

function swallow(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/**
 * A verb changes what is under the pointer: Resume becomes Pause, a dialog opens, another loop moves up. For the rest of
 * a double click, and as long as the key is held, the place where it was asked for takes nothing else. It is listened to
 * before any button is, so that no button has to know. Times are those of the events: a page that is late is not fooled.
 */
export class VerbGuard {
  /** What the person did last. */
  #input: Input | null = null;
  /** Where the last verb was asked for, until something else is done. */
  #lastVerb: Input | null = null;
  #down: string | null = null;
  /** A key whose press has had its effect: what it repeats has none. */
  #spent: string | null = null;

  /** The input that is being handled asked for a verb. */
  noteVerb(): void {
    const input = this.#input;
    this.#lastVerb = input;
    if (input?.kind === "key" && this.#down === input.key) this.#spent = input.key;
  }

  /** Begins to listen; answers how to end it. */
  listen(window: Window): () => void {
    const ear = { capture: true } as const;
    const onkeydown = (event: KeyboardEvent) => this.#keydown(event);
    const onclick = (event: MouseEvent) => this.#click(event);
    const onrelease = () => (this.#down = this.#spent = null);
    window.addEventListener("keydown", onkeydown, ear);
    window.addEventListener("keyup", onrelease, ear);
    window.addEventListener("blur", onrelease);
    window.addEventListener("click", onclick, ear);
    return () => {
      window.removeEventListener("keydown", onkeydown, ear);
      window.removeEventListener("keyup", onrelease, ear);
      window.removeEventListener("blur", onrelease);
      window.removeEventListener("click", onclick, ear);
    };
  }

  #keydown(event: KeyboardEvent): void {
    const { key } = event;
    if (MODIFIERS.includes(key)) return;
    const input: Input = { kind: "key", key, time: event.timeStamp };
    if (event.repeat && key === this.#spent) return swallow(event);
    this.#down = key;
    // A person who continues to type is not asking for anything.
    if (this.#rests(input) && !(key === " " && isTyping(event.target))) {
      this.#spent = key;
      return swallow(event);
    }
    this.#input = input;
    if (this.#lastVerb?.kind === "key") this.#lastVerb = null;
  }

  #click(event: MouseEvent): void {
    const input = this.#clicked(event);
    if (this.#rests(input)) return swallow(event);
    this.#input = input;
    this.#lastVerb = null; // a click elsewhere meanwhile has ended the double click
  }

  /** A click has no place when a key or a tool makes it. */
  #clicked(event: MouseEvent): Input {
    const time = event.timeStamp;
    if (event.detail > 0) return { kind: "pointer", x: event.clientX, y: event.clientY, time };
    const element = event.target instanceof Element ? event.target.closest(PRESSED) : null;
    const last = this.#input;
    const byKey = last?.kind === "key" && PRESSES.includes(last.key) && element === document.activeElement;
    return byKey ? { kind: "key", key: last.key, time } : { kind: "element", element, time };
  }

  #rests(input: Input): boolean {
    const taken = this.#lastVerb;
    return taken !== null && input.time - taken.time < REST && samePlace(taken, input);
  }
}
