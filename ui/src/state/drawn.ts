/** A row and the number of the element that draws it. */
interface DrawnRow<Row> {
  readonly row: Row;
  readonly element: number;
}

/**
 * Which element draws which row of a windowed list. To write into the element of a row is many times cheaper than to
 * make one, so the elements of rows that were typed away are kept out of sight for the rows that come next.
 */
export class Drawn<Row extends { readonly key: string }> {
  #shown = new Map<string, DrawnRow<Row>>();
  #spare: DrawnRow<Row>[] = [];
  #last = 0;

  /** Elements out of sight; each still holds the row it drew last. */
  get spare(): readonly DrawnRow<Row>[] {
    return this.#spare;
  }

  /**
   * The element of each of `rows`, by key. With `lend`, which must not be where a person's focus or menu may be in one
   * of them, the elements are given to the rows in the order in which they stand: to move an element lays out all that
   * is in it once more, and to write into it does not. Otherwise a row that stays keeps its own, and those of rows that
   * leave are gone.
   */
  place(rows: readonly Row[], lend: boolean): ReadonlyMap<string, DrawnRow<Row>> {
    const standing = lend ? [...this.#shown.values(), ...this.#spare] : this.#spare;
    const kept = (row: Row) => (lend ? undefined : this.#shown.get(row.key)?.element);
    let lent = 0;
    const element = (row: Row) => kept(row) ?? standing[lent++]?.element ?? (this.#last += 1);
    this.#shown = new Map(rows.map((row) => [row.key, { row, element: element(row) }]));
    this.#spare = standing.slice(lent);
    return this.#shown;
  }
}
