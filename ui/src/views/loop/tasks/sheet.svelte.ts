/** Where nothing is laid out (tests), lines are still worth having. */
const UNKNOWN_HEIGHT = 720;

/**
 * Which part of a tall list is on screen, when not the list scrolls but the sheet it stands in: several lists and other
 * parts then share one scrollbar.
 */
export class SheetView {
  /** How far the list is scrolled out above the sheet's upper edge; negative while it begins further down. */
  top = $state(0);
  #height = $state(0);
  #list: HTMLElement | null = null;
  #sheet: HTMLElement | null = null;

  get height(): number {
    return this.#height || UNKNOWN_HEIGHT;
  }

  get sheet(): HTMLElement | null {
    return this.#sheet;
  }

  /** To be attached to the list: an element as tall as all its lines. */
  readonly attach = (list: HTMLElement): (() => void) => {
    const sheet = list.closest<HTMLElement>(".sheet");
    this.#list = list;
    this.#sheet = sheet;
    if (!sheet) return () => undefined;
    const look = () => this.look();
    const sizes = new ResizeObserver(look);
    // Whatever grows above the list moves it.
    for (const part of [sheet, list, ...sheet.children]) sizes.observe(part);
    sheet.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      sizes.disconnect();
      sheet.removeEventListener("scroll", look);
    };
  };

  look(): void {
    if (!this.#list || !this.#sheet) return;
    this.top = this.#sheet.getBoundingClientRect().top - this.#list.getBoundingClientRect().top;
    this.#height = this.#sheet.clientHeight;
  }

  /** Brings a line into view, moving as little as possible; `above` keeps clear of what sticks to the upper edge. */
  reveal(offsets: Float64Array, index: number, above = 0): void {
    if (!this.#sheet || index < 0) return;
    this.look();
    const begins = (offsets[index] ?? 0) - above;
    const ends = offsets[index + 1] ?? begins;
    if (begins < this.top) this.#sheet.scrollTop += begins - this.top;
    else if (ends > this.top + this.height) this.#sheet.scrollTop += ends - this.top - this.height;
    else return;
    this.look();
  }

  /** How far below the list's beginning a point of the window is. */
  inList(clientY: number): number {
    return clientY - (this.#list?.getBoundingClientRect().top ?? 0);
  }
}
