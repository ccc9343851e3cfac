import type { SourcePage } from "./bindings";

/** A window of the lines of a file in memory. */
export function linesPage(file: string, lines: readonly string[], first: number, count: number): SourcePage {
  const start = Math.max(1, first);
  const size = lines.reduce((sum, line) => sum + line.length + 1, 0);
  return {
    file,
    first: start,
    lines: lines.slice(start - 1, start - 1 + count),
    total: lines.length,
    size,
    log: /^\{"/.test(lines[0] ?? ""),
    lossy: false,
  };
}
