import type { Group, LoopRow } from "../host/bindings";
import type { Cell } from "./catalog.svelte";
import { isAside } from "./list-marks";

export const GROUPS: readonly Group[] = ["attention", "active", "idle", "finished"];

/** Orders of the list, each chosen by the head of a column. */
export const SORTS = ["status", "changed", "title", "iteration"] as const;
export type Sort = (typeof SORTS)[number];

/** What rows stand under in reading order: a group, everything when the list is sorted across groups, or what a person marked. */
export type Section = Group | "all" | "pinned" | "archived" | "snoozed";

const SECTIONS: readonly Section[] = ["pinned", ...GROUPS, "all", "archived", "snoozed"];

/** A heading of the list. */
export interface Heading {
  readonly kind: "heading";
  readonly group: Section;
  readonly count: number;
}

export type Entry = Heading | Cell;

export function isHeading(entry: Entry): entry is Heading {
  return "kind" in entry;
}

export function isCell(entry: Entry): entry is Cell {
  return !isHeading(entry);
}

/** Where the headings stand. Each says how many rows follow it: the next one is found without a look at them. */
export function headingPlaces(entries: readonly Entry[]): number[] {
  const places: number[] = [];
  for (let at = 0; at < entries.length; at += (entries[at] as Heading).count + 1) places.push(at);
  return places;
}

/** The same entries without this row; the heading counts those that stay, and one without rows is gone too. */
function withoutRow(entries: readonly Entry[], row: Cell): Entry[] {
  return headingPlaces(entries).flatMap((at) => {
    const heading = entries[at] as Heading;
    const cells = (entries.slice(at + 1, at + 1 + heading.count) as Cell[]).filter((cell) => cell !== row);
    return cells.length === 0 ? [] : [{ ...heading, count: cells.length }, ...cells];
  });
}

/**
 * The fresh entries with one row where it is on screen: all others move around it, and it counts to the heading that it is
 * seen under.
 */
export function withRowHeld(shown: readonly Entry[], fresh: readonly Entry[], row: Cell): readonly Entry[] {
  const place = shown.indexOf(row);
  if (place < 0 || fresh[place] === row) return fresh;
  const entries = withoutRow(fresh, row);
  if (entries.length === 0) {
    const group = headingOf(shown, place)?.group ?? "all";
    return [{ kind: "heading", group, count: 1 }, row];
  }
  const at = Math.min(place, entries.length);
  const heading = headingOf(entries, at)!;
  entries[entries.indexOf(heading)] = { ...heading, count: heading.count + 1 };
  entries.splice(at, 0, row);
  return entries;
}

/** The heading that a row at this place is under. */
function headingOf(entries: readonly Entry[], place: number): Heading | undefined {
  return entries.slice(0, place).findLast(isHeading);
}

/** The group of a row. One that is put aside needs nobody: what asks anew is in the list again. Otherwise what asks something needs the person, whatever its status; an end does until it was looked at. */
export function shownGroup(
  row: LoopRow,
  opened: Readonly<Record<string, number | null>>,
  asking: ReadonlySet<string>,
): Group {
  if (isAside(row)) return row.group === "attention" ? "idle" : row.group;
  if (asking.has(row.key)) return "attention";
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

function comparatorOf(sort: Sort, collator: Intl.Collator): (a: Cell, b: Cell) => number {
  switch (sort) {
    case "title":
      return (a, b) => collator.compare(a.row.title, b.row.title) || byKey(a, b);
    case "iteration":
      return (a, b) => iterationsLeft(a.row) - iterationsLeft(b.row) || byKey(a, b);
    default:
      return (a, b) => b.row.changed - a.row.changed || byKey(a, b);
  }
}

/** A cell in reading order, and its heading; those under one heading follow each other. */
export interface Placed {
  readonly cell: Cell;
  readonly under: Heading["group"];
}

/** Where a row stands. A pinned one that needs the person stays with what needs them, so that there is one number of those. */
function sectionOf(row: LoopRow, group: Group, sort: Sort): Section {
  if (row.marks.archived) return "archived";
  if (row.marks.snoozed_until !== null) return "snoozed";
  if (row.marks.pinned && (group !== "attention" || sort !== "status")) return "pinned";
  return sort === "status" ? group : "all";
}

/** All cells in reading order: group by group when sorted by attention, else one after the other; pinned ones first, and last what is put aside. */
export function inGroupOrder(
  cells: Iterable<Cell>,
  sort: Sort,
  groupOf: (row: LoopRow) => Group,
  collator: Intl.Collator,
): Placed[] {
  const sorted = comparatorOf(sort, collator);
  const pin = ({ row }: Cell) => (row.marks.pinned ? 0 : 1);
  const pinnedFirst = (a: Cell, b: Cell) => pin(a) - pin(b) || sorted(a, b);
  const sections = new Map<Section, Cell[]>(SECTIONS.map((section) => [section, []]));
  for (const cell of cells) sections.get(sectionOf(cell.row, groupOf(cell.row), sort))?.push(cell);
  return [...sections].flatMap(([under, members]) =>
    members.sort(under === "attention" ? pinnedFirst : sorted).map((cell) => ({ cell, under })),
  );
}

/**
 * Those of the first `count` that are wanted, in the same order under their headings; a heading gives the number.
 * `wanted` gets the place among `placed`. This runs for each key typed: the list is created in its
 * full length, because a growing list leaves twice as much to be collected while the person types.
 */
export function underHeadings(
  placed: readonly Placed[],
  wanted: (cell: Cell, place: number) => boolean,
  count = placed.length,
): Entry[] {
  const kept = new Uint8Array(count);
  let found = 0;
  for (let place = 0; place < count; place += 1) {
    if (!wanted((placed[place] as Placed).cell, place)) continue;
    kept[place] = 1;
    found += 1;
  }
  const entries = new Array<Entry>(found + SECTIONS.length);
  let heading: (Heading & { count: number }) | undefined;
  let at = 0;
  for (let place = 0; place < count; place += 1) {
    if (kept[place] !== 1) continue;
    const { cell, under } = placed[place] as Placed;
    if (heading?.group !== under) entries[at++] = heading = { kind: "heading", group: under, count: 0 };
    heading.count += 1;
    entries[at++] = cell;
  }
  entries.length = at;
  return entries;
}

/** How many of them are in the list: what is put aside comes last. */
export function listedCount(placed: readonly Placed[]): number {
  const at = placed.findIndex(({ under }) => under === "archived" || under === "snoozed");
  return at < 0 ? placed.length : at;
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
