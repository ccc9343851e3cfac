/** Which of a list's lines are near the view. Heights are known, so positions are sums and lookups are searches. */
export interface Window {
  readonly first: number;
  /** One past the last. */
  readonly end: number;
}

/** Where each line begins; the last number is the whole height. */
export function offsetsOf(count: number, heightOf: (index: number) => number): Float64Array {
  const offsets = new Float64Array(count + 1);
  for (let index = 0; index < count; index += 1) {
    offsets[index + 1] = (offsets[index] as number) + heightOf(index);
  }
  return offsets;
}

/** The line at a height: the last one that begins at or above it. */
export function lineAt(offsets: Float64Array, top: number): number {
  let low = 0;
  let high = Math.max(0, offsets.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] as number) <= top) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function windowOf(offsets: Float64Array, top: number, height: number, around: number): Window {
  const count = offsets.length - 1;
  if (count <= 0) return { first: 0, end: 0 };
  const first = Math.max(0, lineAt(offsets, top) - around);
  const end = Math.min(count, lineAt(offsets, top + height) + 1 + around);
  return { first, end };
}

/** The scroll position that shows a line whole, moving as little as possible. */
export function reveal(offsets: Float64Array, index: number, top: number, height: number, above = 0): number {
  const begins = (offsets[index] ?? 0) - above;
  const ends = offsets[index + 1] ?? begins;
  if (begins < top) return Math.max(0, begins);
  if (ends > top + height) return ends - height;
  return top;
}
