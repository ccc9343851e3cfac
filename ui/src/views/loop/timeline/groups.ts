import type { EntryKind, TestOutcome, TimelineEntry } from "../../../host/bindings";

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
  | {
      readonly type: "entry";
      readonly id: string;
      readonly entry: TimelineEntry;
      readonly group: Group;
      /** Id of the fold that it is in. */
      readonly fold: string | null;
    }
  | {
      readonly type: "fold";
      readonly id: string;
      readonly entries: readonly TimelineEntry[];
      readonly group: Group;
      readonly open: boolean;
    }
  | { readonly type: "day"; readonly id: string; readonly ms: number }
  | { readonly type: "idle"; readonly id: string; readonly ms: number };

/** Lines of one kind that follow each other; one that is alone is no fold. */
type Run = readonly TimelineEntry[];

/** Nothing happened for this long: worth saying. */
const IDLE = 30 * 60_000;

const dayOf = (ms: number) => new Date(ms).toDateString();

/** Cuts entries into groups. */
export function entryGroups(entries: readonly TimelineEntry[]): Group[] {
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

/** Cuts entries so that log lines that follow each other are together, and everything else is alone. */
function runsOf(entries: readonly TimelineEntry[], fold: boolean): Run[] {
  const runs: TimelineEntry[][] = [];
  for (const entry of entries) {
    const last = runs.at(-1);
    if (fold && entry.kind === "log" && last?.[0]?.kind === "log") last.push(entry);
    else runs.push([entry]);
  }
  return runs;
}

const foldId = (entries: Run) => `fold:${entries[0]?.id ?? ""}`;

/** The fold that an entry is in, where log lines are folded. */
export function entryFold(group: Group, id: string): string | null {
  const run = runsOf(group.entries, true).find((one) => one.some((entry) => entry.id === id));
  return run && run.length > 1 ? foldId(run) : null;
}

/** What a person folded and unfolded. */
interface Folding {
  /** Groups that are folded. */
  readonly closed: ReadonlySet<string>;
  /** Folds of log lines that are unfolded; null where every line is shown. */
  readonly opened: ReadonlySet<string> | null;
}

/** Draws lines in order, with days and times in which nothing happened between them. */
class Lines {
  readonly all: Line[] = [];
  /** When the last one was. */
  #last: number | null = null;
  #day = "";

  before(ms: number | null, id: string): void {
    if (ms === null) return;
    if (this.#last !== null && ms - this.#last >= IDLE)
      this.all.push({ type: "idle", id: `idle:${id}`, ms: ms - this.#last });
    this.#last = ms;
    const day = dayOf(ms);
    if (day !== this.#day) this.all.push({ type: "day", id: `day-line:${id}`, ms });
    this.#day = day;
  }

  /** The title of a group without an iteration is its day. */
  group(group: Group, open: boolean): void {
    if (group.iteration === null && group.from !== null) this.#day = dayOf(group.from);
    this.before(group.from, group.id);
    this.all.push({ type: "group", id: group.id, group, open });
  }

  entry(entry: TimelineEntry, group: Group, fold: string | null): void {
    this.before(entry.ms, entry.id);
    this.all.push({ type: "entry", id: entry.id, entry, group, fold });
  }

  run(entries: Run, group: Group, opened: ReadonlySet<string>): void {
    const id = foldId(entries);
    const open = opened.has(id);
    this.before(entries[0]?.ms ?? null, id);
    this.all.push({ type: "fold", id, entries, group, open });
    if (open) for (const entry of entries) this.entry(entry, group, id);
    else this.passed(entries.at(-1)?.ms ?? null);
  }

  /** Something that is not drawn lasted until then. */
  passed(ms: number | null): void {
    if (ms === null) return;
    this.#last = ms;
    this.#day = dayOf(ms);
  }
}

/** Groups as lines, with days and the times in which nothing happened between them. */
export function timelineLines(groups: readonly Group[], { closed, opened }: Folding): Line[] {
  const lines = new Lines();
  for (const group of groups) {
    const open = !closed.has(group.id);
    lines.group(group, open);
    if (open)
      for (const run of runsOf(group.entries, opened !== null)) {
        if (run.length > 1 && opened) lines.run(run, group, opened);
        else for (const entry of run) lines.entry(entry, group, null);
      }
    else lines.passed(group.to);
  }
  return lines.all;
}

/** What a mark or bar means, for its colour and height. */
type Weight = "plain" | "good" | "bad" | "ours";

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

/** Entries drawn on the axis; places are shares of its length, 0 to 1. */
interface Strip {
  readonly bars: readonly { readonly from: number; readonly to: number; readonly weight: Weight }[];
  readonly marks: readonly { readonly at: number; readonly weight: Weight }[];
}

/** The time that all rows are drawn on. */
export interface Axis {
  readonly from: number;
  readonly to: number;
  /** Where the beginning or end of an entry is, as a share of the length. */
  place(ms: number): number;
}

/** Marks closer than this share are one. */
const GRAIN = 160;
/** Of a gap that is hidden so much of the length is left. */
const HIDDEN = 0.04;

/** When an entry began and ended: a request begins at its time and lasts, a run or step is written down at its end. */
function spanOf({ ms, took_ms, content }: TimelineEntry): { from: number; to: number } | null {
  if (ms === null) return null;
  const took = Math.max(0, took_ms ?? 0);
  return content.from === "request" ? { from: ms, to: ms + took } : { from: ms - took, to: ms };
}

/** The axis of these entries; gaps take their time, or almost nothing when they are hidden. Null where no entry has a time. */
export function axisOf(entries: readonly TimelineEntry[], hideIdle: boolean): Axis | null {
  const spans = entries.map(spanOf).filter((span) => span !== null);
  const sorted = [...new Set(spans.flatMap(({ from, to }) => [from, to]))].sort(
    (left, right) => left - right,
  );
  const [from, to] = [sorted[0], sorted.at(-1)];
  if (from === undefined || to === undefined) return null;
  const gaps = sorted.map((ms, index) => ms - (sorted[index - 1] ?? ms));
  const busy = gaps.reduce((sum, gap) => sum + (gap < IDLE ? gap : 0), 0);
  const short = Math.max(1, busy) * HIDDEN;
  const places = new Map<number, number>();
  let sum = 0;
  for (const [index, gap] of gaps.entries()) {
    sum += hideIdle && gap >= IDLE ? Math.min(gap, short) : gap;
    places.set(sorted[index]!, sum);
  }
  return { from, to, place: (ms) => (sum === 0 ? 0.5 : (places.get(ms) ?? 0) / sum) };
}

export function stripOf(entries: readonly TimelineEntry[], { place }: Axis): Strip {
  const bars: Strip["bars"][number][] = [];
  const marks = new Map<string, Strip["marks"][number]>();
  for (const entry of entries) {
    const span = spanOf(entry);
    if (!span) continue;
    const weight = weightOf(entry);
    const [from, to] = [place(span.from), place(span.to)];
    if (to > from) bars.push({ from, to, weight });
    const at = Math.round(to * GRAIN) / GRAIN;
    marks.set(`${at}${weight}`, { at, weight });
  }
  return { bars: bars.slice(0, GRAIN), marks: [...marks.values()] };
}

/** How many entries there are of each kind. */
export function kindCounts(entries: readonly TimelineEntry[]): ReadonlyMap<EntryKind, number> {
  const counts = new Map<EntryKind, number>();
  for (const { kind } of entries) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}
