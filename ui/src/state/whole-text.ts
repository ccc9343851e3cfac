import type { SourcePage } from "../host/bindings";
import { MOST_LINES } from "./line-diff";

const PAGE = 2_000;
/** Lines arrive cut to so many characters. */
export const LONGEST_LINE = 2_000;

/** All lines of a text that is read in pages; null when it is too long to be compared. */
export async function wholeText(
  read: (first: number, count: number) => Promise<SourcePage>,
): Promise<string[] | null> {
  const lines: string[] = [];
  for (;;) {
    const page = await read(lines.length + 1, PAGE);
    if (page.total > MOST_LINES) return null;
    lines.push(...page.lines);
    // A text that became shorter meanwhile must not keep the loop going.
    if (page.lines.length === 0 || lines.length >= page.total) return lines;
  }
}
