/** Behind what a path, a place in code or a compound name is broken first. */
const JOINTS = /(?<=[/\\:.,])(?=[^/\\:.,])/;
/** Words longer than this are worth breaking well. */
const LONG = /\S{25,}/;

/** A path or place in code, cut where a line may end. */
export function pathParts(text: string): string[] {
  return text.split(JOINTS);
}

/** Text in which paths may stand: cut where a line may end within a long word, whole when there is none. */
export function wrapParts(text: string): string[] {
  return LONG.test(text) ? pathParts(text) : [text];
}
