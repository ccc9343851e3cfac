import type { EntryKind, TestOutcome, TimelineEntry } from "../../host/bindings";

/** Entries of one iteration, or of one day where nothing says which iteration. */
export interface Group {
  readonly id: string;
  readonly iteration: number | null;
  /** Kinds of what happened in it, in their order. */
  readonly kinds: readonly EntryKind[];
  readonly entries: readonly TimelineEntry[];
  /** Of its first and last entry with a time. */
  readonly from: number | null;
  readonly to: number | null;
}

/** One line as it is drawn. */
export type Line =
  | { readonly type: "group"; readonly id: string; readonly group: Group; readonly open: boolean }
  | { readonly type: "entry"; readonly id: string; readonly entry: TimelineEntry; readonly group: Group }
  | { readonly type: "idle"; readonly id: string; readonly ms: number };

/** Nothing happened for so long: that is worth saying. */
export const IDLE = 30 * 60_000;

const dayOf = (ms: number) => new Date(ms).toDateString();

/** Cuts entries into groups. */
export function groupsOf(entries: readonly TimelineEntry[]): Group[] {
  const groups: { iteration: number | null; day: string; entries: TimelineEntry[] }[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    const { iteration } = entry;
    const day = entry.ms === null ? (last?.day ?? "") : dayOf(entry.ms);
    const same = last && last.iteration === iteration && (iteration !== null || last.day === day);
    if (same) last.entries.push(entry);
    else groups.push({ iteration, day, entries: [entry] });
  }
  const seen = new Map<string, number>();
  return groups.map(({ iteration, day, entries }) => {
    const name = iteration === null ? `day:${day}` : `iteration:${iteration}`;
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    const times = entries.flatMap((one) => (one.ms === null ? [] : [one.ms]));
    return {
      id: before === 0 ? name : `${name}~${before}`,
      iteration,
      kinds: [...new Set(entries.map((one) => one.kind))],
      entries,
      from: times[0] ?? null,
      to: times.at(-1) ?? null,
    };
  });
}

/** Groups as lines, with the times in which nothing happened between them. */
export function linesOf(groups: readonly Group[], closed: ReadonlySet<string>): Line[] {
  const lines: Line[] = [];
  let last: number | null = null;
  const gap = (ms: number | null, id: string) => {
    if (ms !== null && last !== null && ms - last >= IDLE)
      lines.push({ type: "idle", id: `idle:${id}`, ms: ms - last });
    last = ms ?? last;
  };
  for (const group of groups) {
    const open = !closed.has(group.id);
    const idleBefore = lines.length;
    gap(group.from, group.id);
    if (lines.length === idleBefore) last = group.from ?? last;
    lines.push({ type: "group", id: group.id, group, open });
    if (open)
      for (const entry of group.entries) {
        gap(entry.ms, entry.id);
        lines.push({ type: "entry", id: entry.id, entry, group });
      }
    last = group.to ?? last;
  }
  return lines;
}

/** What a mark or bar means, for its colour and height. */
export type Weight = "plain" | "good" | "bad" | "ours";

const RUN_WEIGHTS: Readonly<Record<TestOutcome, Weight>> = {
  passed: "good",
  failed: "bad",
  no_tests: "plain",
};

function weightOf({ kind, content }: TimelineEntry): Weight {
  if (kind === "errors") return "bad";
  if (content.from === "test_run") return RUN_WEIGHTS[content.outcome];
  return kind === "loopdeck" ? "ours" : "plain";
}

/** A group drawn as a line of time; places are shares of its length, 0 to 1. */
export interface Strip {
  readonly bars: readonly { readonly from: number; readonly to: number; readonly weight: Weight }[];
  readonly marks: readonly { readonly at: number; readonly weight: Weight }[];
}

/** Marks closer than this share are one. */
const GRAIN = 160;
/** Of a gap that is hidden so much of the length is left. */
const HIDDEN = 0.04;

/** Where times lie on the line; gaps take their time, or almost nothing when they are hidden. */
export function scaleOf(times: readonly number[], hideIdle: boolean): (ms: number) => number {
  const sorted = [...new Set(times)].sort((left, right) => left - right);
  const gaps = sorted.map((ms, index) => ms - (sorted[index - 1] ?? ms));
  const busy = gaps.reduce((sum, gap) => sum + (gap < IDLE ? gap : 0), 0);
  const short = Math.max(1, busy) * HIDDEN;
  const places: number[] = [];
  let sum = 0;
  for (const gap of gaps) {
    sum += hideIdle && gap >= IDLE ? Math.min(gap, short) : gap;
    places.push(sum);
  }
  return (ms) => {
    const index = sorted.indexOf(ms);
    return sum === 0 ? 0.5 : (places[index] ?? 0) / sum;
  };
}

export function stripOf(group: Group, hideIdle: boolean): Strip {
  const timed = group.entries.flatMap((entry) => (entry.ms === null ? [] : [{ entry, ms: entry.ms }]));
  const spans = timed.map(({ entry, ms }) => {
    // A request begins at its time and lasts; a run or step is written down at its end.
    const took = Math.max(0, entry.took_ms ?? 0);
    return entry.content.from === "request"
      ? { entry, from: ms, to: ms + took }
      : { entry, from: ms - took, to: ms };
  });
  const place = scaleOf(
    // One event alone has nothing to be long beside: it is a moment.
    spans.length === 1 ? spans.map(({ to }) => to) : spans.flatMap(({ from, to }) => [from, to]),
    hideIdle,
  );
  const bars: Strip["bars"][number][] = [];
  const marks = new Map<string, Strip["marks"][number]>();
  for (const { entry, from, to } of spans) {
    const weight = weightOf(entry);
    if (to > from && spans.length > 1) bars.push({ from: place(from), to: place(to), weight });
    const at = Math.round(place(to) * GRAIN) / GRAIN;
    marks.set(`${at}${weight}`, { at, weight });
  }
  return { bars: bars.slice(0, GRAIN), marks: [...marks.values()] };
}

/** How many entries there are of each kind. */
export function countsOf(entries: readonly TimelineEntry[]): ReadonlyMap<EntryKind, number> {
  const counts = new Map<EntryKind, number>();
  for (const { kind } of entries) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}
