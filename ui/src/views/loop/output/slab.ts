/**
 * Where rows of unknown heights are placed. Only the rows near the view are drawn, one below the
 * other (the slab); above and below is empty room of an estimated height. Nothing is remembered of
 * rows that are not drawn, so a run of millions of rows costs no more than one of a hundred. While
 * a person reads, the row at the top of the view (the anchor) stays in place, whatever grows above
 * it. Not `VirtualRows`, which keeps the place of every row: for 3,000,000 rows that is 100 MB, and
 * 25 to 60 ms each time that a running agent adds one.
 */

/** Height of one line, in pixels. */
export const LINE = 18;
/** Taller than this, browsers stop placing things exactly; longer outputs are scrolled by a smaller stand-in. */
const TALLEST = 8_000_000;
/** Pixels drawn beyond the view on either side. */
const AROUND = 480;
/**
 * So much of that may be used up before more is drawn. Little: a few rows with each frame of a fast scroll are smoother
 * than many with every other one.
 */
const USED = 6 * LINE;
/** The same above rows that are followed: they are gone before anybody scrolls to them. */
const FOLLOWED = 90;
/** Nearer to the end than this is at the end. */
const NEAR = 8;

/** The page, as far as it has to be measured. */
export interface Room {
  /** Height of the view. */
  readonly view: number;
  readonly scrollTop: number;
  /** Height of everything. */
  readonly height: number;
  scrollTo(top: number): void;
  /** Where a drawn row begins, from the top of the slab. */
  topOf(index: number): number;
  /** Height of all that is drawn. */
  slabHeight(): number;
  /** Puts the slab at this height. */
  placeAt(top: number): void;
}

export interface Drawn {
  readonly first: number;
  /** One past the last. */
  readonly end: number;
}

export class Slab {
  /** The newest rows stay in view. */
  following = false;

  #room: Room;
  #from = 0;
  #to = 0;
  #drawn: Drawn = { first: 0, end: 0 };
  #top = 0;
  /** The row at the top of the view, and where it begins, from the top of the view. */
  #anchor = { index: 0, y: 0 };
  /** Guessed lines of a row. */
  readonly #lineCount: (index: number) => number;
  #scrolledTo = 0;

  constructor(room: Room, lineCount: (index: number) => number) {
    this.#room = room;
    this.#lineCount = lineCount;
  }

  get drawn(): Drawn {
    return this.#drawn;
  }

  /** The row at the top of the view. */
  get atTop(): number {
    return this.#anchor.index;
  }

  /** Room below the slab. */
  get below(): number {
    return (this.#to - this.#drawn.end) * this.#step;
  }

  /** Whether the last row is in view. */
  get atEnd(): boolean {
    const { scrollTop, view, height } = this.#room;
    return this.#drawn.end >= this.#to && scrollTop + view >= height - NEAR;
  }

  /** Pixels of scrolling for a row that is not drawn. */
  get #step(): number {
    return Math.min(LINE, TALLEST / Math.max(1, this.#to - this.#from));
  }

  /** There are these rows now. Answers what is to be drawn. */
  extend(from: number, to: number): Drawn {
    this.#from = Math.min(from, to);
    this.#to = to;
    if (this.#anchor.index < from) this.#anchor = { index: from, y: 0 };
    if (this.#anchor.index >= to) this.#anchor = { index: Math.max(from, to - 1), y: 0 };
    return this.#draw();
  }

  /** Draws a row at a share of the view from its top. */
  show(index: number, share = 1 / 3): Drawn {
    this.following = false;
    const wanted = Math.max(this.#from, Math.min(this.#to - 1, index));
    this.#anchor = { index: Math.max(0, wanted), y: Math.round(this.#room.view * share) };
    this.#redraw();
    // The row need not be where the scroll bar was: it goes where the row is expected.
    const top = Math.max(0, (this.#anchor.index - this.#from) * this.#step - this.#anchor.y);
    this.#scroll(top);
    return this.#drawn;
  }

  follow(): Drawn {
    this.following = true;
    return this.#draw();
  }

  /** A person scrolled. Answers what is to be drawn; `following` says whether the end is left or reached. */
  scrolled(): Drawn {
    const { scrollTop, view } = this.#room;
    const by = scrollTop - this.#scrolledTo;
    this.#scrolledTo = scrollTop;
    if (this.following) {
      if (by >= -1) return this.#drawn;
      this.following = false;
    }
    const height = this.#room.slabHeight();
    const away = scrollTop > this.#top + height || scrollTop + view < this.#top;
    if (away) this.#jump(scrollTop);
    else this.#anchor = this.#atTopOfView(scrollTop);
    if (by > 0 && this.atEnd) {
      this.following = true;
      return this.#draw();
    }
    const thin = AROUND - USED;
    const enoughAbove = this.#drawn.first <= this.#from || this.#top <= scrollTop - thin;
    const enoughBelow = this.#drawn.end >= this.#to || this.#top + height >= scrollTop + view + thin;
    return away || !enoughAbove || !enoughBelow ? this.#redraw() : this.#drawn;
  }

  /** Rows were drawn, or changed their height: the anchor is put where it was. */
  settle(): void {
    const room = this.#room;
    if (this.following) {
      this.#put((this.#drawn.first - this.#from) * this.#step);
      return this.#scroll(room.height);
    }
    const { index, y } = this.#anchor;
    const top = room.scrollTop + y - room.topOf(index);
    const above = (this.#drawn.first - this.#from) * this.#step;
    // At the beginning there is no room above, and never less than none: then the view moves, with what is in it.
    if (this.#drawn.first <= this.#from || top < 0) {
      this.#put(above);
      if (Math.abs(above - top) > 0.5) this.#scroll(room.scrollTop + above - top);
    } else this.#put(top);
  }

  #put(top: number): void {
    if (top === this.#top) return;
    this.#top = top;
    this.#room.placeAt(top);
  }

  #scroll(top: number): void {
    this.#room.scrollTo(top);
    this.#scrolledTo = this.#room.scrollTop;
  }

  #jump(scrollTop: number): void {
    const index = this.#from + Math.floor(scrollTop / this.#step);
    this.#anchor = { index: Math.max(this.#from, Math.min(this.#to - 1, index)), y: 0 };
  }

  /** The last drawn row that begins at or above the view. */
  #atTopOfView(scrollTop: number): { index: number; y: number } {
    let low = this.#drawn.first;
    let high = Math.max(low, this.#drawn.end - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#top + this.#room.topOf(middle) <= scrollTop) low = middle;
      else high = middle - 1;
    }
    return { index: low, y: this.#top + this.#room.topOf(low) - scrollTop };
  }

  /** The same rows as before when they still do. */
  #draw(): Drawn {
    const { first, end } = this.#drawn;
    if (this.following) return this.#redraw();
    const fits = first >= this.#from && end <= this.#to && this.#anchor.index >= first;
    const enough = end >= Math.min(this.#to, this.#last());
    return fits && enough ? this.#drawn : this.#redraw();
  }

  #last(): number {
    const { index, y } = this.#anchor;
    let room = this.#room.view + AROUND - y;
    let at = index;
    for (; at < this.#to && room > 0; at += 1) room -= this.#lineCount(at) * LINE;
    return at;
  }

  #redraw(): Drawn {
    const end = this.following ? this.#to : this.#last();
    const start = this.following ? this.#to : this.#anchor.index;
    let room = this.following ? this.#room.view + FOLLOWED : Math.max(0, this.#anchor.y) + AROUND;
    let first = start;
    for (; first > this.#from && room > 0; first -= 1) room -= this.#lineCount(first - 1) * LINE;
    if (first !== this.#drawn.first || end !== this.#drawn.end) this.#drawn = { first, end };
    if (this.following) this.#anchor = { index: first, y: 0 };
    return this.#drawn;
  }
}
