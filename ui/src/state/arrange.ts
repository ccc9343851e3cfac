import type { Group, LoopRow } from "../host/bindings";
import type { Cell } from "./catalog.svelte";

export const GROUPS: readonly Group[] = ["attention", "active", "idle", "finished"];

export const SORTS = ["status", "changed", "title", "iteration"] as const;
export type Sort = (typeof SORTS)[number];

/** A heading of the list: one of the groups, or everything when the list is sorted across them. */
export interface Heading {
  readonly kind: "heading";
  readonly group: Group | "all";
  readonly count: number;
}

export type Entry = Heading | Cell;

export function isHeading(entry: Entry): entry is Heading {
  return "kind" in entry;
}

export function shownGroup(row: LoopRow, opened: Readonly<Record<string, number | null>>): Group {
  if (row.group !== "attention" || !row.until_opened) return row.group;
  const seen = opened[row.key];
  return typeof seen === "number" && seen >= row.changed ? "idle" : row.group;
}

function iterationsLeft(row: LoopRow): number {
  return row.iteration ? row.iteration.limit - row.iteration.current : Number.POSITIVE_INFINITY;
}

function byKey(a: Cell, b: Cell): number {
  return a.row.key < b.row.key ? -1 : 1;
}

function comparison(sort: Sort, collator: Intl.Collator): (a: Cell, b: Cell) => number {
  switch (sort) {
    case "title":
      return (a, b) => collator.compare(a.row.title, b.row.title) || byKey(a, b);
    case "iteration":
      return (a, b) => iterationsLeft(a.row) - iterationsLeft(b.row) || byKey(a, b);
    default:
      return (a, b) => b.row.changed - a.row.changed || byKey(a, b);
  }
}

/** Rows in reading order: under group headings when sorted by attention, else under one heading. */
export function arrange(
  cells: readonly Cell[],
  sort: Sort,
  groupOf: (row: LoopRow) => Group,
  collator: Intl.Collator,
): Entry[] {
  const compare = comparison(sort, collator);
  if (sort !== "status") {
    if (cells.length === 0) return [];
    return [{ kind: "heading", group: "all", count: cells.length }, ...cells.toSorted(compare)];
  }
  const groups = new Map<Group, Cell[]>();
  for (const cell of cells) {
    const group = groupOf(cell.row);
    const members = groups.get(group);
    if (members) members.push(cell);
    else groups.set(group, [cell]);
  }
  return GROUPS.flatMap((group): Entry[] => {
    const members = groups.get(group);
    if (!members) return [];
    return [{ kind: "heading", group, count: members.length }, ...members.toSorted(compare)];
  });
}

export function sameOrder(a: readonly Entry[], b: readonly Entry[]): boolean {
  return (
    a.length === b.length &&
    a.every((entry, index) => {
      const other = b[index] as Entry;
      if (isHeading(entry))
        return isHeading(other) && other.group === entry.group && other.count === entry.count;
      return entry === other;
    })
  );
}
