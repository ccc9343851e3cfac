import { defaultRangeExtractor, Virtualizer, type Range, type VirtualItem } from "@tanstack/virtual-core";
import { untrack } from "svelte";
import type { Attachment } from "svelte/attachments";

/** Where nothing is laid out (tests), rows are still worth having. */
const UNKNOWN_HEIGHT = 1_000;

/** The rows of a list. */
export interface Rows {
  readonly count: number;
  /** Height of a row in pixels; where rows are measured, a guess. */
  readonly height: (index: number) => number;
  /** Which row it is, wherever it is placed. Only needed where rows are measured. */
  readonly key?: (index: number) => string | number;
}

interface Options {
  readonly rows: () => Rows;
  /** How many rows are drawn beyond the view, on either side. */
  readonly overscan: () => number;
  /** Rows that are drawn wherever they are, because they may hold the focus; others than those of the list are ignored. */
  readonly keep?: () => readonly number[];
  /** Height of what sticks to the upper edge of the view. */
  readonly covered?: number;
  /** Where the list was left. */
  readonly start?: number;
}

function withKept(indexes: number[], keep: readonly number[], count: number): number[] {
  const others = keep.filter((index) => index >= 0 && index < count && !indexes.includes(index));
  return others.length === 0 ? indexes : [...new Set([...indexes, ...others])].sort((a, b) => a - b);
}

/**
 * Which rows of a long list are on the page, and where. The sums are those of
 * `@tanstack/virtual-core`; this connects them to Svelte. Rows are placed by `top` in a box of the
 * whole height, and only what enters or leaves the view is redrawn. It never scrolls on its own:
 * each list knows what has to stay in place.
 */
export class VirtualRows {
  readonly #options: Options;
  readonly #core: Virtualizer<HTMLElement, HTMLElement>;
  #box: HTMLElement | null = null;
  /** The rows themselves, where they share the box with other parts. */
  #list: HTMLElement | null = null;
  #look: () => void = () => undefined;
  /** A new number says that the core has moved on. */
  #moved = $state(0);
  #seen = $state(0);

  // New functions for other rows, and the same ones while it is only scrolled: by them the core knows what to add up again.
  readonly #rows = $derived.by(() => {
    const { count, height, key } = this.#options.rows();
    // Asked here once: whatever a height depends on (an opened row, a denser list) places the rows again.
    if (count > 0) height(count - 1);
    return { count, height, key: (index: number) => key?.(index) ?? index };
  });
  // The core is updated here and nowhere else, so that old rows are never drawn at new places.
  readonly #now = $derived.by(() => {
    void this.#moved;
    this.#tell();
    const drawn = this.#core.getVirtualItems();
    const overscan = this.#options.overscan();
    const { startIndex, endIndex } = this.#core.range ?? { startIndex: 0, endIndex: -1 };
    return {
      drawn,
      height: this.#core.getTotalSize(),
      first: Math.max(0, startIndex - overscan),
      end: Math.min(this.#rows.count, endIndex + 1 + overscan),
    };
  });
  /** The rows near the view and those that are kept, from top to bottom. */
  readonly drawn: readonly VirtualItem[] = $derived(this.#now.drawn);
  /** The first row near the view, and one past the last. */
  readonly first: number = $derived(this.#now.first);
  readonly end: number = $derived(this.#now.end);
  /** Height of all rows. */
  readonly height: number = $derived(this.#now.height);

  constructor(options: Options) {
    this.#options = options;
    // What the options ask for may not be there yet.
    this.#core = new Virtualizer({ ...this.#page(), count: 0, estimateSize: () => 0 });
    this.#core.shouldAdjustScrollPositionOnItemSizeChange = () => false;
  }

  /** Height of the view, without what covers it. */
  get view(): number {
    return (this.#seen || UNKNOWN_HEIGHT) - (this.#options.covered ?? 0);
  }

  /** How far the rows are scrolled out above the view; negative while they begin further down. */
  get top(): number {
    if (!this.#box) return this.#core.scrollOffset ?? 0;
    if (!this.#list) return this.#box.scrollTop;
    return this.#box.getBoundingClientRect().top - this.#list.getBoundingClientRect().top;
  }

  /** What is scrolled. */
  get box(): HTMLElement | null {
    return this.#box;
  }

  /** How far below the beginning of the rows a point of the window is. */
  inRows(clientY: number): number {
    return clientY - (this.#box?.getBoundingClientRect().top ?? 0) + this.top;
  }

  /** Where a row begins; the number of rows: where the last one ends. */
  startOf(index: number): number {
    const { count } = this.#rows;
    if (index >= count) return this.height;
    void this.height;
    return this.#core.measurementsCache[index]?.start ?? 0;
  }

  /** The row at this height. */
  at(top: number): number {
    return this.height > 0 ? (this.#core.getVirtualItemForOffset(top)?.index ?? 0) : 0;
  }

  /** How many rows a key for a page moves. */
  page(rowHeight: number): number {
    return Math.max(1, Math.floor(this.view / rowHeight) - 1);
  }

  /** Scrolls, and draws what is there before the browser says so: the row may be about to get the focus. */
  to(top: number): void {
    if (!this.#box) return;
    this.#box.scrollTop += top - this.top;
    this.#look();
  }

  /** Shows a row whole, moving as little as possible; of one taller than the view its beginning. `above` stays free. */
  reveal(index: number, above = 0, covered = 0): void {
    if (!this.#box || index < 0) return;
    const { top } = this;
    const view = this.view - covered;
    const begins = this.startOf(index) - above;
    const ends = Math.min(this.startOf(index + 1), begins + view);
    if (begins < top) this.to(this.#list ? begins : Math.max(0, begins));
    else if (ends > top + view) this.to(ends - view);
  }

  /** To be attached to the box that scrolls the rows. */
  readonly attach: Attachment<HTMLElement> = (box) => this.#follow(box, null);

  /** To be attached to the rows where an element around them scrolls them together with other parts. */
  attachIn(around: string): Attachment<HTMLElement> {
    return (list) => this.#follow(list.closest<HTMLElement>(around), list);
  }

  /** To be attached to every row whose height is not known; it has `data-index`. */
  readonly measure: Attachment<HTMLElement> = (row) => {
    untrack(() => this.#core.measureElement(row));
    return () => this.#core.measureElement(null);
  };

  #follow(box: HTMLElement | null, list: HTMLElement | null): () => void {
    this.#box = box;
    this.#list = list;
    const { start = 0 } = this.#options;
    untrack(() => {
      this.#tell();
      this.#core._willUpdate();
      if (box && start > 0) this.to(start);
    });
    return () => {
      this.#box = null;
      this.#core._willUpdate();
    };
  }

  #tell(): void {
    const { count, height, key } = this.#rows;
    const { overscan, keep } = this.#options;
    const kept = keep?.() ?? [];
    this.#core.setOptions({
      ...this.#page(),
      count,
      estimateSize: height,
      getItemKey: key,
      overscan: overscan(),
      rangeExtractor: (range: Range) => withKept(defaultRangeExtractor(range), kept, count),
    });
  }

  /** What the core knows of the page. */
  #page() {
    const { covered = 0, start = 0 } = this.#options;
    return {
      initialRect: { width: 0, height: UNKNOWN_HEIGHT - covered },
      initialOffset: start,
      getScrollElement: () => this.#box,
      scrollToFn: () => undefined,
      observeElementRect: this.#watchSize,
      observeElementOffset: this.#watchScroll,
      measureElement: this.#measured,
      onChange: () => untrack(() => (this.#moved += 1)),
    };
  }

  readonly #watchSize = (
    _: unknown,
    tell: (rect: { width: number; height: number }) => void,
  ): (() => void) => {
    const box = this.#box;
    const look = () => {
      // What is hidden has no height; it comes back as it was.
      this.#seen = box?.clientHeight || this.#seen;
      tell({ width: 0, height: this.view });
    };
    const sizes = new ResizeObserver(() => {
      look();
      // Whatever grows above the rows moves them.
      this.#look();
    });
    // Parts that share the box are next to the rows, at any depth; their sizes change with its
    // children's.
    const parts = this.#list && box ? [this.#list, ...box.children] : [];
    for (const part of box ? [box, ...parts] : []) sizes.observe(part);
    look();
    return () => sizes.disconnect();
  };

  readonly #watchScroll = (_: unknown, tell: (offset: number, scrolls: boolean) => void): (() => void) => {
    const box = this.#box;
    // Never “is scrolling”: nothing is drawn differently meanwhile, and its end would redraw
    // everything.
    const look = () => tell(this.top, false);
    this.#look = () => untrack(look);
    box?.addEventListener("scroll", look, { passive: true });
    this.#look();
    return () => {
      box?.removeEventListener("scroll", look);
      this.#look = () => undefined;
    };
  };

  /** Asked when a row comes onto the page, and again with an entry when the browser has laid it out. */
  readonly #measured = (row: HTMLElement, entry: ResizeObserverEntry | undefined): number => {
    const index = Number(row.dataset.index);
    const { height, key } = this.#rows;
    const known = this.#core.itemSizeCache.get(key(index)) ?? height(index);
    return entry?.borderBoxSize[0]?.blockSize || known;
  };
}
