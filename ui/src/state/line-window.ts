/*
 * Not `VirtualRows`: a text has millions of lines of one height, for which a division says what an array of all places would
 * (3,000,000 lines: 25 to 60 ms for every line added, and 100 MB), and it is taller than browsers place things exactly.
 */

/** Which of a text's lines are near the view. */
interface Window {
  readonly first: number;
  /** One past the last. */
  readonly end: number;
}

/** Height of a line of source text, in pixels. */
export const LINE_HEIGHT = 18;
/** Taller than this, browsers stop placing things exactly. */
const TALLEST = 8_000_000;
const AROUND = 20;
const UNKNOWN_HEIGHT = 600;
const BELOW = 24;

/** How tall everything is on the page, and how many pixels of text a pixel of scrolling means. */
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
