import type { OutputRow } from "../../../host/bindings";

/** A drawn row, as its element needs it. */
export interface Line {
  readonly index: number;
  /** Undefined while it is on its way. */
  readonly row: OutputRow | undefined;
  /** The row drawn above it is of the same second. */
  readonly sameTime: boolean;
  /** It is the result of the call above: both are one entry. */
  readonly isResult: boolean;
  /** The element that shows it: a row that leaves the page gives its own to one that comes. */
  readonly slot: number;
}

type RowAt = (index: number) => OutputRow | undefined;

/** Whether a row is what came of the call right above it. */
function answers(row: OutputRow | undefined, above: OutputRow | undefined): boolean {
  const isCall = above?.kind === "tool_start" || above?.kind === "edit";
  return row?.kind === "tool_end" && isCall && row.depth === above.depth;
}

const second = (row: OutputRow) => Math.floor(row.at / 1000);

/**
 * The drawn rows from one drawing to the next. What did not change stays the same object, so that it costs nothing to
 * draw again; while nothing at all changed, so does the list. Only as much is held as is drawn.
 */
export class Lines {
  #drawn: readonly Line[] = [];
  #slots = 0;

  /** What is drawn of the rows `first` up to `end`, without `end`. */
  draw(first: number, end: number, rowAt: RowAt): readonly Line[] {
    const before = this.#drawn;
    const from = before[0]?.index ?? 0;
    const kept = (index: number) => (index >= first && index < end ? before[index - from] : undefined);
    const free = before.filter(({ index }) => index < first || index >= end).map(({ slot }) => slot);
    let used = 0;
    let above: OutputRow | undefined;
    let same = before.length === end - first;
    const next: Line[] = [];
    for (let index = first; index < end; index += 1) {
      const row = rowAt(index);
      const sameTime = row !== undefined && above !== undefined && second(row) === second(above);
      const isResult = answers(row, above);
      const old = kept(index);
      if (old && old.row === row && old.sameTime === sameTime && old.isResult === isResult) next.push(old);
      else {
        const slot = old?.slot ?? free[used++] ?? this.#slots++;
        next.push({ index, row, sameTime, isResult, slot });
        same = false;
      }
      above = row;
    }
    if (!same) this.#drawn = next;
    return this.#drawn;
  }
}
