import type { Piece } from "../state/word-diff";
import { cutText } from "../words/cut";

/** One line of a pane of two compared texts. */
export interface DiffLine {
  /** 1-based places; null where this side has no line. */
  readonly left: number | null;
  readonly right: number | null;
  readonly text: string;
  /**
   * The words that the line next to it does not have; null where it differs as a whole, or not at
   * all.
   */
  readonly pieces: readonly Piece[] | null;
  /** Only in the left text, only in the right one, in both, or nothing here. */
  readonly kind: "left" | "right" | "both" | "gap";
}

const LONGEST = 2_000;

/** A line as it is shown: cut when very long, with a line end that would be invisible made visible. */
export function shownLine(line: string): string {
  const text = line.replace(/\r$/, "␍");
  return cutText(text, LONGEST);
}
