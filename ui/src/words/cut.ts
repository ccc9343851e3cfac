/** So far before the bound a better place to cut is looked for, in UTF-16 units. */
const NEAR = 32;
const SPACE = /\s/;
const ASCII = 0x7f;

let made: Intl.Segmenter | undefined;

/** Knows words where none are written apart; its places are never inside of what is one letter to the eye. */
function words(): Intl.Segmenter {
  // Made when it is first wanted: its dictionaries take memory.
  made ??= new Intl.Segmenter(undefined, { granularity: "word" });
  return made;
}

/** Behind the last space of a stretch; nothing where it has none. */
function behindSpace(text: string, from: number, end: number): number | null {
  for (let at = end; at > from; at -= 1) if (SPACE.test(text.charAt(at - 1))) return at;
  return null;
}

/** Where the last word begins that is not over at `end`; `from` where there is no such place. */
function betweenWords(text: string, from: number, end: number): number {
  let found = from;
  for (const { index } of words().segment(text.slice(from, end + NEAR))) {
    if (from + index <= end) found = from + index;
  }
  return found;
}

/**
 * Where a text is best cut: at most `most` UTF-16 units behind `from`, between words where such a place is near, and
 * never inside of what is one letter to the eye.
 */
export function cutAt(text: string, from: number, most: number): number {
  const bound = from + most;
  if (bound >= text.length) return text.length;
  const early = bound - Math.min(NEAR, most >> 1);
  const space = behindSpace(text, early, bound);
  if (space !== null) return space;
  // Long words of ASCII are paths and numbers: any place in them is as good.
  if (text.charCodeAt(bound - 1) <= ASCII && text.charCodeAt(bound) <= ASCII) return bound;
  const between = betweenWords(text, early, bound);
  return between > early ? between : bound;
}

/** The beginning of a text; with an ellipsis where it was longer than `most` UTF-16 units. */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, cutAt(text, 0, most)).trimEnd()}…`;
}

/** Text that was cut elsewhere, without the half word at its end; with an ellipsis. */
export function withoutHalf(text: string): string {
  const end = text.length;
  const early = Math.max(0, end - NEAR);
  const space = behindSpace(text, early, end);
  const plain = text.charCodeAt(end - 1) <= ASCII;
  const at = space ?? (plain ? end : betweenWords(text, early, end - 1) || end);
  return `${text.slice(0, at).trimEnd()}…`;
}
