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
