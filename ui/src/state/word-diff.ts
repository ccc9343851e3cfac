import { diffWordsWithSpace } from "diff";
import type { Difference } from "./line-diff";

/** A part of a line: whether it is only in this one of both lines. */
export interface Piece {
  readonly text: string;
  readonly changed: boolean;
}

/** Two lines with less in common than this differ as a whole: marks on nearly every word would say nothing. */
const LEAST_COMMON = 0.3;
/** Lines made to be slow differ as a whole, too. */
const MOST_EDITS = 200;

/** The line that matches this one on the other side, if there is one. */
export function partnerOf(
  found: readonly Difference[],
  side: "left" | "right",
  place: number,
): number | null {
  const other = side === "left" ? "right" : "left";
  let low = 0;
  let high = found.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const one = found[middle] as Difference;
    if (place < one[`${side}From`]) high = middle - 1;
    else if (place >= one[`${side}To`]) low = middle + 1;
    else {
      const partner = one[`${other}From`] + place - one[`${side}From`];
      return partner < one[`${other}To`] ? partner : null;
    }
  }
  return null;
}

/** `text` in pieces, by which words it does not share with `other`; null where it differs as a whole. */
export function changedWords(text: string, other: string, side: "left" | "right"): readonly Piece[] | null {
  const [before, after] = side === "left" ? [text, other] : [other, text];
  const parts = diffWordsWithSpace(before, after, { maxEditLength: MOST_EDITS });
  if (!parts) return null;
  const pieces = parts
    .filter((part) => (side === "left" ? !part.added : !part.removed))
    .map((part) => ({ text: part.value, changed: part.added || part.removed }));
  const common = pieces
    .filter((piece) => !piece.changed)
    .reduce((sum, piece) => sum + piece.text.trim().length, 0);
  return common < LEAST_COMMON * Math.max(text.trim().length, other.trim().length) ? null : pieces;
}
