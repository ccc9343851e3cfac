/**
 * Where a path, a place in code or a compound name is broken first: behind its separators, and in front of a long part
 * behind a dot. The ending of a file and the line in it stay with its name.
 */
const JOINTS = /(?<=[/\\,])(?=[^/\\,])|(?<=:)(?=[^/\\:.,\d])|(?<=[^/\\:.,])(?=\.\p{L}{7})/u;
/** Words longer than this are worth breaking well. */
const LONG = /\S{25,}/;

/** Between the day and the time of day of a written moment. */
const MOMENT = /(?<=\b\d{4}-\d\d-\d\dT)(?=\d\d:)/;

/** A path or place in code, cut where a line may end. */
export function pathParts(text: string): string[] {
  return text.split(JOINTS);
}

/**
 * Text that may contain paths: cut where a line may end within a long word or a written moment,
 * whole when there is no such place.
 */
export function wrapParts(text: string): string[] {
  return LONG.test(text) ? pathParts(text) : text.split(MOMENT);
}
