const AROUND = 10;
/** Where nothing is laid out (tests), rows are still worth having. */
const UNKNOWN_HEIGHT = 640;

/** Which of equally high rows are near the view. */
export function lineWindowOf(
  count: number,
  each: number,
  scrollTop: number,
  height: number,
): { first: number; end: number } {
  const first = Math.max(0, Math.min(count, Math.floor(scrollTop / each) - AROUND));
  const end = Math.ceil((scrollTop + (height || UNKNOWN_HEIGHT)) / each) + AROUND;
  return { first, end: Math.max(first, Math.min(count, end)) };
}
