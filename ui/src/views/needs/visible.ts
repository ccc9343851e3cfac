import { cutAt } from "../../words/cut";

/** Lines that are shown before the rest is folded. */
export const FOLD_AT = 8;
/** The same for text without line ends. */
export const FOLD_LETTERS = 800;
/** As much of a text as the backend hands out. */
export const LONGEST = 4000;

/**
 * Characters that cannot be seen, or that turn what follows around: with them a command can look like another one.
 * Line ends and tabs are as they are.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

interface Visible {
  readonly text: string;
  /** How many characters were written as their number. */
  readonly hidden: number;
}

/** The text with everything in it to be seen: `⟨U+202E⟩`. */
export function visible(text: string): Visible {
  let hidden = 0;
  const shown = text.replace(/\r\n/g, "\n").replace(UNSEEN, (char) => {
    hidden += 1;
    return `⟨U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
  return { text: shown, hidden };
}

export interface Folded {
  readonly text: string;
  /** What is not shown; nothing when all is. */
  readonly more: { readonly of: "lines" | "characters"; readonly count: number } | null;
}

/** The beginning of a text. A little more than fits is no reason to fold. */
export function folded(text: string, open: boolean): Folded {
  if (open) return { text, more: null };
  const lines = text.split("\n");
  const many = lines.length > FOLD_AT + 1;
  const start = many ? lines.slice(0, FOLD_AT).join("\n") : text;
  const letters = [...start];
  if (letters.length > FOLD_LETTERS * 1.2) {
    const most = letters.slice(0, FOLD_LETTERS).join("").length;
    const shown = start.slice(0, cutAt(start, 0, most));
    return { text: shown, more: { of: "characters", count: [...text].length - [...shown].length } };
  }
  return { text: start, more: many ? { of: "lines", count: lines.length - FOLD_AT } : null };
}
