/** A part of a stack: plain text, or a place in a file. */
export interface StackPart {
  readonly text: string;
  readonly place: boolean;
}

const BETWEEN = /([\s()[\]{}"'`<>,;|]+)/;
const PLACE = /^(?:file:\/\/)?(.*[^./\\:]\.[A-Za-z]\w{0,7}:\d{1,7}(?::\d{1,7})?):?$/;
/** Longer words are no paths; asking a pattern about them would only cost time. */
const LONGEST = 400;
const MOST = 60;

function placeIn(word: string): string | null {
  if (word.length > LONGEST || word.includes("://localhost")) return null;
  return PLACE.exec(word)?.[1] ?? null;
}

/** Text cut so that places such as `src/app.ts:12:5` stand alone; together the parts are the text again. */
export function stackParts(text: string): StackPart[] {
  const parts: StackPart[] = [];
  let plain = "";
  let found = 0;
  for (const word of text.split(BETWEEN)) {
    const place = found < MOST ? placeIn(word) : null;
    if (place === null) {
      plain += word;
      continue;
    }
    const at = word.indexOf(place);
    plain += word.slice(0, at);
    if (plain) parts.push({ text: plain, place: false });
    parts.push({ text: place, place: true });
    plain = word.slice(at + place.length);
    found += 1;
  }
  if (plain) parts.push({ text: plain, place: false });
  return parts;
}

/** What a failed test says: the stack often begins with the message again. */
export function wholeText(message: string | null, stack: string | null): string {
  if (!message || (stack && stack.trimStart().startsWith(message.trim()))) return stack ?? "";
  return stack ? `${message}\n${stack}` : message;
}
