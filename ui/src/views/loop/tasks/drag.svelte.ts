import type { VirtualRows } from "../../../state/virtual-rows.svelte";

/** Near an edge of the sheet it scrolls automatically. */
const EDGE = 40;
const SPEED = 12;
/** A click is no drag. */
const SLACK = 4;

/** One line of a list being carried to another place by the pointer; Escape puts it back. */
export class Drag {
  /** Which line is carried. */
  from: number | null = $state(null);
  /** The line before which it would be dropped; the number of lines: after the last. */
  slot = $state(0);
  readonly #rows: VirtualRows;
  readonly #drop: (from: number, to: number) => void;
  #y = 0;
  #frame = 0;
  #end: (() => void) | null = null;

  constructor(rows: VirtualRows, drop: (from: number, to: number) => void) {
    this.#rows = rows;
    this.#drop = drop;
  }

  /** Where the line would stand, counted without itself. */
  get to(): number {
    return this.from !== null && this.slot > this.from ? this.slot - 1 : this.slot;
  }

  start(event: PointerEvent, index: number, count: number, height: number): void {
    if (event.button !== 0 || this.#end) return;
    event.preventDefault();
    const began = event.clientY;
    const place = () => {
      const slot = Math.round(this.#rows.inRows(this.#y) / height);
      this.slot = Math.max(0, Math.min(count, slot));
    };
    const scroll = () => {
      const box = this.#rows.box?.getBoundingClientRect();
      const by = !box ? 0 : this.#y < box.top + EDGE ? -SPEED : this.#y > box.bottom - EDGE ? SPEED : 0;
      if (by !== 0 && this.from !== null) {
        this.#rows.box?.scrollBy(0, by);
        place();
      }
      this.#frame = requestAnimationFrame(scroll);
    };
    const onmove = (move: PointerEvent) => {
      this.#y = move.clientY;
      if (this.from === null && Math.abs(this.#y - began) < SLACK) return;
      this.from = index;
      place();
    };
    const onup = () => {
      const { from, to } = this;
      this.cancel();
      if (from !== null && to !== from) this.#drop(from, to);
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
    this.from = null;
  }
}
