import type { Failure } from "../host/bindings";
import { fill, t } from "../words/language.svelte";
import { failureText } from "../words/phrases";
import type { Announcer } from "./announcer.svelte";

/** How long a short confirmation is shown, in milliseconds. */
const TOAST = 4000;
/** The same of one that can be undone: a person reads it, and decides. */
const UNDO_TOAST = 10_000;

/** What the window says about what happened. All of it is heard, too. */
export class Notices {
  /** What went wrong with a loop's control, next to the loop until dismissed. */
  failures: Readonly<Record<string, Failure>> = $state.raw({});
  /** What Loopdeck just wrote to a loop, shown with Undo until dismissed or followed by something else. */
  done: { readonly key: string; readonly text: string } | null = $state.raw(null);
  /** A sentence about what happened outside of any loop; stays until dismissed. */
  message = $state("");
  /** Short confirmations such as “Copied.”; never the only place of anything. */
  toast = $state("");
  #undo: (() => Promise<void>) | null = $state.raw(null);
  #nameUndo: () => string | null = $state.raw(() => null);

  readonly #announcer: Announcer;
  #toastTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(announcer: Announcer) {
    this.#announcer = announcer;
  }

  fail(key: string, failure: Failure): void {
    this.failures = { ...this.failures, [key]: failure };
    this.#announcer.sayNow(failureText(failure));
  }

  dismissFailure(key: string): void {
    if (!(key in this.failures)) return;
    this.failures = Object.fromEntries(Object.entries(this.failures).filter(([other]) => other !== key));
  }

  /** A write of ours has landed: it is announced, with the way back. */
  tellWritten(key: string, text: string): void {
    this.done = { key, text };
    this.#announcer.say(fill(t.done.undoHint, { text }));
  }

  /** That write was undone. */
  tellUndone(): void {
    this.done = null;
    this.#announcer.say(t.done.undone);
  }

  /** Says something that stays until it is dismissed. */
  tell(text: string): void {
    this.message = text;
    this.#announcer.say(text);
  }

  /**
   * Confirms something for a moment, with the way back where there is one: what leads there is called `nameUndo`, and is not
   * offered while that is null.
   */
  notify(
    text: string,
    undo: (() => Promise<void>) | null = null,
    nameUndo: () => string | null = () => t.common.undo,
  ): void {
    this.toast = text;
    this.#undo = undo;
    this.#nameUndo = nameUndo;
    this.#announcer.say(this.undoName === null ? text : fill(t.marks.undoHint, { text }));
    if (this.#toastTimer !== null) clearTimeout(this.#toastTimer);
    this.#toastTimer = setTimeout(() => (this.toast = ""), undo ? UNDO_TOAST : TOAST);
  }

  /**
   * What takes back the last confirmation is called so; null while nothing can be taken back. It stays possible after the words
   * are gone, until something else is confirmed.
   */
  get undoName(): string | null {
    return this.#undo && this.#nameUndo();
  }

  /** Takes back what was confirmed last. Answers whether there was anything. */
  undoLast(): boolean {
    const undo = this.#undo;
    if (!undo || this.undoName === null) return false;
    this.#undo = null;
    this.toast = "";
    void undo();
    return true;
  }
}
