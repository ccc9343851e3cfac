import type { VirtualRows } from "../../../state/virtual-rows.svelte";

/** Near an edge of the sheet it scrolls automatically. */
const EDGE = 40;
const SPEED = 12;
/** A click is no drag. */
const SLACK = 4;

/** The lines of the list as they are now: it may change while one is carried. */
interface Carried {
  readonly rows: VirtualRows;
  readonly count: () => number;
  /** Where the line with this key is; -1 when it is gone. */
  readonly lineOf: (key: string) => number;
  readonly drop: (key: string, to: number) => void;
}

/** One line of a list being carried to another place by the pointer; Escape puts it back. */
export class Drag {
  #key: string | null = $state(null);
  /** The line before which it would be dropped; the number of lines: after the last. */
  slot = $state(0);
  readonly #list: Carried;
  #y = 0;
  #frame = 0;
  #end: (() => void) | null = null;

  constructor(list: Carried) {
    this.#list = list;
  }

  /** Which line is carried, wherever it is by now. */
  get from(): number | null {
    const line = this.#key === null ? -1 : this.#list.lineOf(this.#key);
    return line < 0 ? null : line;
  }

  /** Where the line would stand, counted without itself. */
  get to(): number {
    return this.from !== null && this.slot > this.from ? this.slot - 1 : this.slot;
  }

  start(event: PointerEvent, key: string, height: number): void {
    if (event.button !== 0 || this.#end) return;
    event.preventDefault();
    const began = event.clientY;
    const place = () => {
      const slot = Math.round(this.#list.rows.inRows(this.#y) / height);
      this.slot = Math.max(0, Math.min(this.#list.count(), slot));
    };
    const scroll = () => {
      const box = this.#list.rows.box?.getBoundingClientRect();
      const by = !box ? 0 : this.#y < box.top + EDGE ? -SPEED : this.#y > box.bottom - EDGE ? SPEED : 0;
      if (by !== 0 && this.from !== null) {
        this.#list.rows.box?.scrollBy(0, by);
        place();
      }
      this.#frame = requestAnimationFrame(scroll);
    };
    const onmove = (move: PointerEvent) => {
      this.#y = move.clientY;
      if (this.#key === null && Math.abs(this.#y - began) < SLACK) return;
      this.#key = key;
      place();
    };
    const onup = () => {
      const { from } = this;
      const to = Math.min(this.to, this.#list.count() - 1);
      this.cancel();
      if (from !== null && to !== from) this.#list.drop(key, to);
    };
    const onkey = (key: KeyboardEvent) => {
      if (key.key !== "Escape") return;
      key.preventDefault();
      key.stopPropagation();
      this.cancel();
    };
    const oncancel = () => this.cancel();
    this.#y = began;
    window.addEventListener("pointermove", onmove);
    window.addEventListener("pointerup", onup);
    window.addEventListener("pointercancel", oncancel);
    window.addEventListener("keydown", onkey, true);
    this.#frame = requestAnimationFrame(scroll);
    this.#end = () => {
      cancelAnimationFrame(this.#frame);
      window.removeEventListener("pointermove", onmove);
      window.removeEventListener("pointerup", onup);
      window.removeEventListener("pointercancel", oncancel);
      window.removeEventListener("keydown", onkey, true);
    };
  }

  cancel(): void {
    this.#end?.();
    this.#end = null;
    this.#key = null;
  }
}
