/** Which of a list's lines are near the view. Heights are known, so positions are sums and lookups are searches. */
export interface Window {
  readonly first: number;
  /** One past the last. */
  readonly end: number;
}

/** Where each line begins; the last number is the whole height. Nothing is before the first. */
export interface Offsets {
  readonly length: number;
  at(index: number): number | undefined;
}

/** Counts from the end are none of ours. */
function offset(offsets: Offsets, index: number): number | undefined {
  return index < 0 ? undefined : offsets.at(index);
}

/**
 * Offsets of lines that are all of one height but for a few, which stand at `others`. Nothing is kept for each line: a
 * long list gets other lines with every key typed.
 */
export function evenOffsets(
  count: number,
  height: number,
  others: readonly number[],
  otherHeight: number,
): Offsets {
  const at = (index: number) => {
    if (index < 0 || index > count) return undefined;
    let above = 0;
    while (above < others.length && (others[above] as number) < index) above += 1;
    return index * height + above * (otherHeight - height);
  };
  return { length: count + 1, at };
}

/** Offsets of lines of any height. */
export function offsetsOf(count: number, heightOf: (index: number) => number): Float64Array {
  const offsets = new Float64Array(count + 1);
  for (let index = 0; index < count; index += 1) {
    offsets[index + 1] = (offsets[index] as number) + heightOf(index);
  }
  return offsets;
}

/** The line at a height: the last one that begins at or above it. */
export function lineAt(offsets: Offsets, top: number): number {
  let low = 0;
  let high = Math.max(0, offsets.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offset(offsets, middle) as number) <= top) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function windowOf(offsets: Offsets, top: number, height: number, around: number): Window {
  const count = offsets.length - 1;
  if (count <= 0) return { first: 0, end: 0 };
  const first = Math.max(0, lineAt(offsets, top) - around);
  const end = Math.min(count, lineAt(offsets, top + height) + 1 + around);
  return { first, end };
}

/** The scroll position that shows a line whole, moving as little as possible. */
export function reveal(offsets: Offsets, index: number, top: number, height: number, above = 0): number {
  const begins = (offset(offsets, index) ?? 0) - above;
  const ends = offset(offsets, index + 1) ?? begins;
  if (begins < top) return Math.max(0, begins);
  if (ends > top + height) return ends - height;
  return top;
}

/** Height of a line of source text, in pixels. */
export const LINE_HEIGHT = 18;
/** Taller than this, browsers stop placing things exactly. */
const TALLEST = 8_000_000;
const AROUND = 20;
const UNKNOWN_HEIGHT = 600;
const BELOW = 24;

/** How tall everything is on the page, and how many pixels of text a pixel of scrolling stands for. */
function scrollOf(count: number, viewHeight: number): { height: number; scale: number; view: number } {
  const view = viewHeight || UNKNOWN_HEIGHT;
  const full = count * LINE_HEIGHT + BELOW;
  // Very long texts are scrolled by a smaller stand-in, whose end is the end of the text.
  const height = Math.min(full, TALLEST);
  return { height, scale: full > height ? (full - view) / (height - view) : 1, view };
}

/** Which lines of equal height are near the view, how far down they are placed, and how tall everything is. */
export function lineWindow(
  count: number,
  scrollTop: number,
  viewHeight: number,
): Window & { readonly offset: number; readonly height: number } {
  const { height, scale, view } = scrollOf(count, viewHeight);
  const at = scrollTop * scale;
  const first = Math.max(0, Math.min(count, Math.floor(at / LINE_HEIGHT) - AROUND));
  const end = Math.min(count, Math.ceil((at + view) / LINE_HEIGHT) + AROUND);
  return { first, end: Math.max(first, end), offset: first * LINE_HEIGHT - at + scrollTop, height };
}

/** The scroll position that shows a line in the upper third of the view. */
export function topOfLine(index: number, count: number, viewHeight: number): number {
  const { height, scale, view } = scrollOf(count, viewHeight);
  return Math.max(0, Math.min(height - view, (index * LINE_HEIGHT - view / 3) / scale));
}
