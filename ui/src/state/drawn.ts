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
   * The element of each of `rows`, by key. A row that stays keeps its own. Those of rows that leave are kept if `keep`
   * says so, which it must not where a person's focus or menu may still be in one of them.
   */
  place(rows: readonly Row[], keep: boolean): ReadonlyMap<string, DrawnRow<Row>> {
    const stay = new Set(rows.map(({ key }) => key));
    const leave = [...this.#shown.values()].filter(({ row }) => !stay.has(row.key));
    // The last is taken first: those in sight, from the top down, then those out of sight.
    const free = keep ? [...this.#spare, ...leave.reverse()] : [...this.#spare];
    const element = (row: Row) =>
      this.#shown.get(row.key)?.element ?? free.pop()?.element ?? (this.#last += 1);
    this.#shown = new Map(rows.map((row) => [row.key, { row, element: element(row) }]));
    this.#spare = free;
    return this.#shown;
  }
}
