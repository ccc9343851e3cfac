/** A row and the number of the element that draws it. */
interface DrawnRow<Row> {
  readonly row: Row;
  readonly element: number;
}

/**
 * Which element draws which row of a windowed list. To write into the element of a row is many times cheaper than to
 * make one, so the elements of rows that were typed away are kept out of sight for the rows that come next.
 */
export interface Drawn<Row> {
  /** By the key of the row. */
  readonly shown: ReadonlyMap<string, DrawnRow<Row>>;
  /** Elements out of sight; each still holds the row it drew last. */
  readonly spare: readonly DrawnRow<Row>[];
  /** The newest element. */
  readonly last: number;
}

export const NONE_DRAWN: Drawn<never> = { shown: new Map(), spare: [], last: 0 };

/**
 * The element of each of `rows`. With `lend`, which must not be used where a person's focus or menu
 * may be in one of them, the elements are given to the rows in their order: moving an element lays
 * out its content again, rewriting it does not. Otherwise a row that stays keeps its own, and those
 * of rows that leave are gone.
 */
export function redrawn<Row extends { readonly key: string }>(
  before: Drawn<Row>,
  rows: readonly Row[],
  lend: boolean,
): Drawn<Row> {
  const standing = lend ? [...before.shown.values(), ...before.spare] : before.spare;
  const kept = (row: Row) => (lend ? undefined : before.shown.get(row.key)?.element);
  let lent = 0;
  let last = before.last;
  const element = (row: Row) => kept(row) ?? standing[lent++]?.element ?? (last += 1);
  const shown = new Map(rows.map((row) => [row.key, { row, element: element(row) }]));
  return { shown, spare: standing.slice(lent), last };
}
