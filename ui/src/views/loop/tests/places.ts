import type { TextPlace } from "../../../host/bindings";

/** A part of a text: plain, or a place in a file. */
export interface StackPart {
  readonly text: string;
  readonly place: TextPlace | null;
}

/** Text cut so that its places stand alone; together the parts are the text again. */
export function stackParts(text: string, places: readonly TextPlace[]): StackPart[] {
  const parts: StackPart[] = [];
  let at = 0;
  for (const place of places) {
    // Of a text that is shown shortened, places behind its end are left out.
    if (place.start < at || place.start < 0 || place.end <= place.start || place.end > text.length) continue;
    if (place.start > at) parts.push({ text: text.slice(at, place.start), place: null });
    parts.push({ text: text.slice(place.start, place.end), place });
    at = place.end;
  }
  if (at < text.length) parts.push({ text: text.slice(at), place: null });
  return parts;
}

/** How the frames of a stack begin, in what most languages print. */
const FRAME = /^\s*(?:at\s|File "|from\s|\d+:\s|#\d+\s)/;

/**
 * A text without the frames of its stack that are not in the folder: those of runtimes and frameworks. With no frame of
 * the folder it stays whole.
 */
export function withoutForeignFrames(
  text: string,
  places: readonly TextPlace[],
  isHere: (file: string) => boolean,
): { readonly text: string; readonly places: readonly TextPlace[] } {
  const kept: TextPlace[] = [];
  const lines: string[] = [];
  let from = 0;
  let moved = 0;
  for (const line of text.split("\n")) {
    const end = from + line.length;
    const inside = places.filter((place) => place.start >= from && place.end <= end);
    if (FRAME.test(line) && !inside.some(({ file }) => isHere(file))) moved += line.length + 1;
    else {
      lines.push(line);
      kept.push(...inside.map((place) => ({ ...place, start: place.start - moved, end: place.end - moved })));
    }
    from = end + 1;
  }
  const shown = { text: lines.join("\n"), places: kept };
  return kept.some(({ file }) => isHere(file)) ? shown : { text, places };
}
