/** Where the keys lead in a list of lines, some of which (heads of groups) cannot be focused. */
export function keyStep(key: string, page: number): number | null {
  switch (key) {
    case "ArrowDown":
      return 1;
    case "ArrowUp":
      return -1;
    case "PageDown":
      return page;
    case "PageUp":
      return -page;
    case "Home":
      return -Infinity;
    case "End":
      return Infinity;
    default:
      return null;
  }
}

/** The place to stand on after a step over `count` lines. */
export function stepped(from: number, step: number, count: number): number {
  if (count === 0) return -1;
  if (from < 0) return step < 0 ? count - 1 : 0;
  return Math.max(0, Math.min(count - 1, from + step));
}
