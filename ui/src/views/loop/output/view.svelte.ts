import type { OutputSearch } from "../../../host/bindings";

/** What a person chose stays for the other runs and loops of this session. */
export const chosen = $state({ wrap: true, raw: false });

/** What came of a search: a row, and whether it went around the end. */
export interface Hit {
  readonly row: number;
  readonly around: boolean;
}

type Find = (search: OutputSearch) => Promise<number | null>;

/**
 * The next row that fits, starting next to `from`; when there is none, once around the end. `from`
 * is null where nothing is chosen yet: then the row at `top` counts too.
 */
export async function findRow(
  find: Find,
  what: { readonly text: string; readonly errors: boolean; readonly backwards: boolean },
  place: { readonly from: number | null; readonly top: number; readonly total: number },
  around: boolean,
): Promise<Hit | null> {
  const { backwards } = what;
  const start = place.from === null ? place.top : place.from + (backwards ? -1 : 1);
  if (start >= 0 && start < place.total) {
    const row = await find({ ...what, from: start });
    if (row !== null) return { row, around: false };
  }
  if (!around || place.total === 0) return null;
  const row = await find({ ...what, from: backwards ? place.total - 1 : 0 });
  return row === null ? null : { row, around: true };
}
