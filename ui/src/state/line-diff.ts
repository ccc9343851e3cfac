/** A place where two texts differ: lines `[leftFrom, leftTo)` on one side stand for `[rightFrom, rightTo)` on the other. */
export interface Difference {
  readonly leftFrom: number;
  readonly leftTo: number;
  readonly rightFrom: number;
  readonly rightTo: number;
}

/** Both texts line by line; a side without a line here has null. Places are 0-based. */
export interface DiffRow {
  readonly left: number | null;
  readonly right: number | null;
  readonly differs: boolean;
}

/** Longer texts are shown without marks. */
export const MOST_LINES = 20_000;
/** A part this large without a line that occurs once on both sides differs as a whole. */
const MOST_CELLS = 1_000_000;
/** Lines looked at in all; texts made to be slow end here instead of holding the window. */
const MOST_WORK = 4_000_000;

type Range = readonly [leftFrom: number, leftTo: number, rightFrom: number, rightTo: number];
type Pair = readonly [left: number, right: number];

/** Lines as numbers: equal lines have equal numbers. */
function numbersOfLines(left: readonly string[], right: readonly string[]): [Int32Array, Int32Array] {
  const ids = new Map<string, number>();
  const idOf = (line: string): number => {
    const id = ids.get(line) ?? ids.size;
    ids.set(line, id);
    return id;
  };
  return [Int32Array.from(left, idOf), Int32Array.from(right, idOf)];
}

/** The place of each number that occurs exactly once. */
function onceIn(lines: Int32Array, from: number, to: number): Map<number, number> {
  const places = new Map<number, number>();
  for (let at = from; at < to; at += 1) {
    const id = lines[at] as number;
    places.set(id, places.has(id) ? -1 : at);
  }
  return places;
}

/** The longest run of pairs that rise on both sides; the pairs come ordered by their left side. */
function longestRising(pairs: readonly Pair[]): Pair[] {
  const ends: number[] = [];
  const before: number[] = [];
  pairs.forEach(([, right], at) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] as number] as Pair)[1] < right) low = middle + 1;
      else high = middle;
    }
    before[at] = low > 0 ? (ends[low - 1] as number) : -1;
    ends[low] = at;
  });
  const run: Pair[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] as number) run.push(pairs[at] as Pair);
  return run.reverse();
}

function anchorPairs(a: Int32Array, b: Int32Array, [leftFrom, leftTo, rightFrom, rightTo]: Range): Pair[] {
  const inLeft = onceIn(a, leftFrom, leftTo);
  const inRight = onceIn(b, rightFrom, rightTo);
  const pairs: Pair[] = [];
  for (const [id, left] of inLeft) {
    const right = inRight.get(id) ?? -1;
    if (left >= 0 && right >= 0) pairs.push([left, right]);
  }
  return longestRising(pairs.sort((one, other) => one[0] - other[0]));
}

/** The longest common run by the table of all pairs: exact, for small parts. */
function commonPairs(a: Int32Array, b: Int32Array, [leftFrom, leftTo, rightFrom, rightTo]: Range): Pair[] {
  const width = rightTo - rightFrom + 1;
  const height = leftTo - leftFrom;
  const lengths = new Int32Array((height + 1) * width);
  const at = (row: number, column: number) => lengths[row * width + column] as number;
  for (let row = height - 1; row >= 0; row -= 1) {
    for (let column = width - 2; column >= 0; column -= 1) {
      const same = a[leftFrom + row] === b[rightFrom + column];
      lengths[row * width + column] = same
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const pairs: Pair[] = [];
  let row = 0;
  let column = 0;
  while (row < height && column < width - 1) {
    if (a[leftFrom + row] === b[rightFrom + column]) {
      pairs.push([leftFrom + row, rightFrom + column]);
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return pairs;
}

/** Pairs of equal lines, rising on both sides: equal ends first, then lines that occur once, then the table. */
function matchedPairs(a: Int32Array, b: Int32Array): Pair[] {
  const found: Pair[] = [];
  const open: Range[] = [[0, a.length, 0, b.length]];
  let work = 0;
  for (let range = open.pop(); range; range = open.pop()) {
    let [leftFrom, leftTo, rightFrom, rightTo] = range;
    work += leftTo - leftFrom + (rightTo - rightFrom);
    while (leftFrom < leftTo && rightFrom < rightTo && a[leftFrom] === b[rightFrom]) {
      found.push([leftFrom, rightFrom]);
      leftFrom += 1;
      rightFrom += 1;
    }
    while (leftFrom < leftTo && rightFrom < rightTo && a[leftTo - 1] === b[rightTo - 1]) {
      leftTo -= 1;
      rightTo -= 1;
      found.push([leftTo, rightTo]);
    }
    if (leftFrom === leftTo || rightFrom === rightTo || work > MOST_WORK) continue;
    const rest: Range = [leftFrom, leftTo, rightFrom, rightTo];
    const split = anchorPairs(a, b, rest);
    if (split.length > 0) {
      let [left, right] = [leftFrom, rightFrom];
      for (const [nextLeft, nextRight] of split) {
        found.push([nextLeft, nextRight]);
        open.push([left, nextLeft, right, nextRight]);
        [left, right] = [nextLeft + 1, nextRight + 1];
      }
      open.push([left, leftTo, right, rightTo]);
    } else if ((leftTo - leftFrom) * (rightTo - rightFrom) <= MOST_CELLS) {
      found.push(...commonPairs(a, b, rest));
      work += ((leftTo - leftFrom) * (rightTo - rightFrom)) >> 4;
    }
  }
  return found.sort((one, other) => one[0] - other[0]);
}

/** Where two texts differ, in order; null when they are too long to be compared. */
export function lineDifferences(left: readonly string[], right: readonly string[]): Difference[] | null {
  if (left.length > MOST_LINES || right.length > MOST_LINES) return null;
  const [a, b] = numbersOfLines(left, right);
  const found: Difference[] = [];
  let leftFrom = 0;
  let rightFrom = 0;
  for (const [leftTo, rightTo] of [...matchedPairs(a, b), [left.length, right.length] as const]) {
    if (leftTo > leftFrom || rightTo > rightFrom) found.push({ leftFrom, leftTo, rightFrom, rightTo });
    leftFrom = leftTo + 1;
    rightFrom = rightTo + 1;
  }
  return found;
}

/** Rows for two columns: differing lines are next to each other as far as they go. */
export function sideBySide(leftCount: number, found: readonly Difference[]): DiffRow[] {
  const rows: DiffRow[] = [];
  let left = 0;
  let right = 0;
  const equal = (to: number) => {
    for (; left < to; left += 1, right += 1) rows.push({ left, right, differs: false });
  };
  for (const { leftFrom, leftTo, rightFrom, rightTo } of found) {
    equal(leftFrom);
    for (let at = 0; at < Math.max(leftTo - leftFrom, rightTo - rightFrom); at += 1) {
      rows.push({
        left: leftFrom + at < leftTo ? leftFrom + at : null,
        right: rightFrom + at < rightTo ? rightFrom + at : null,
        differs: true,
      });
    }
    [left, right] = [leftTo, rightTo];
  }
  equal(leftCount);
  return rows;
}

/** Rows for one column: of each difference first the left lines, then the right ones. */
export function oneColumn(leftCount: number, found: readonly Difference[]): DiffRow[] {
  const rows: DiffRow[] = [];
  let left = 0;
  let right = 0;
  const equal = (to: number) => {
    for (; left < to; left += 1, right += 1) rows.push({ left, right, differs: false });
  };
  for (const { leftFrom, leftTo, rightFrom, rightTo } of found) {
    equal(leftFrom);
    for (let at = leftFrom; at < leftTo; at += 1) rows.push({ left: at, right: null, differs: true });
    for (let at = rightFrom; at < rightTo; at += 1) rows.push({ left: null, right: at, differs: true });
    [left, right] = [leftTo, rightTo];
  }
  equal(leftCount);
  return rows;
}

/** Without marks: lines of the same number next to each other. */
export function rowsUnmarked(leftCount: number, rightCount: number): DiffRow[] {
  return Array.from({ length: Math.max(leftCount, rightCount) }, (_, at) => ({
    left: at < leftCount ? at : null,
    right: at < rightCount ? at : null,
    differs: false,
  }));
}

/** Where the differences begin among the rows. */
export function changeStarts(rows: readonly DiffRow[]): number[] {
  return rows.flatMap((row, at) => (row.differs && !rows[at - 1]?.differs ? [at] : []));
}

/** A text as its lines; the line end of the last one begins no further line. */
export function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
