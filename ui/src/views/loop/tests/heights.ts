/** One opened line and what it shows below itself, in pixels. */
export interface Opened {
  readonly line: number;
  readonly height: number;
}

/** Where the lines of a long table begin: all equally high, but for the few that are opened. */
export class Heights {
  readonly count: number;
  readonly each: number;
  readonly #opened: readonly Opened[];

  /** `opened` by rising line. */
  constructor(count: number, each: number, opened: readonly Opened[]) {
    this.count = count;
    this.each = each;
    this.#opened = opened.filter((one) => one.line < count);
  }

  get whole(): number {
    return this.top(this.count);
  }

  top(line: number): number {
    let above = line * this.each;
    for (const one of this.#opened) {
      if (one.line >= line) break;
      above += one.height;
    }
    return above;
  }

  bottom(line: number): number {
    return this.top(line + 1);
  }

  /** The line at a height; the nearest one beyond the ends. */
  lineAt(y: number): number {
    let above = 0;
    for (const one of this.#opened) {
      const begins = one.line * this.each + above;
      if (y < begins + this.each) break;
      if (y < begins + this.each + one.height) return one.line;
      above += one.height;
    }
    return Math.max(0, Math.min(this.count - 1, Math.floor((y - above) / this.each)));
  }

  /** The scroll position that shows a line, moving as little as possible; of a tall one its beginning. */
  reveal(line: number, top: number, view: number): number {
    const begins = this.top(line);
    const ends = Math.min(this.bottom(line), begins + view);
    if (begins < top) return begins;
    return ends > top + view ? ends - view : top;
  }
}
