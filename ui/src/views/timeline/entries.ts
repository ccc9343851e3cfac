import type {
  Changed,
  EventKind,
  EventView,
  HistoryView,
  LoopDetail,
  PastChange,
  TimeView,
  VersionView,
} from "../../host/bindings";
import type { JournalEvent } from "../../host/bindings";

/** What the timeline can be filtered by. */
export const KINDS = [
  "work",
  "debug",
  "log",
  "tests",
  "choices",
  "corrections",
  "errors",
  "files",
  "loopdeck",
] as const;
export type Kind = (typeof KINDS)[number];

/** Where something comes from; each brings its own words. */
export type What =
  | { readonly from: "event"; readonly event: EventView }
  | { readonly from: "step"; readonly step: HistoryView }
  | {
      readonly from: "change";
      readonly version: Pick<VersionView, "id" | "cause" | "who">;
      readonly changes: readonly Changed[];
      /** Our note of the write behind it, when it is one of ours. */
      readonly write: JournalEvent | null;
    }
  | { readonly from: "journal"; readonly event: JournalEvent; readonly until: JournalEvent | null };

/** One line of the timeline. */
export interface Entry {
  /** Stays the same while the loop goes on. */
  readonly id: string;
  readonly kind: Kind;
  readonly ms: number | null;
  readonly time: TimeView | null;
  /** As long as it took, in milliseconds, where begin and end are known; `ms` is the end, of requests the begin. */
  readonly took: number | null;
  readonly iteration: number | null;
  readonly subject: string | null;
  readonly text: string;
  readonly files: readonly string[];
  /** Files beside the loop that say so. */
  readonly sources: readonly string[];
  readonly what: What;
}

/** What the timeline is made of. */
export interface Sources {
  readonly detail: LoopDetail;
  readonly versions: readonly VersionView[];
  readonly changes: readonly PastChange[];
  readonly journal: readonly JournalEvent[];
}

const KIND_OF: Readonly<Record<EventKind, Kind>> = {
  change_log: "work",
  debug_log: "log",
  develop_entry: "work",
  debug_entry: "debug",
  validate_entry: "tests",
  summary_entry: "work",
  error: "errors",
  worker: "work",
  trail: "choices",
  correction: "corrections",
  decomposition: "choices",
};

/** Ids that tell equal things apart by how many came before. */
class Ids {
  readonly #seen = new Map<string, number>();

  of(id: string): string {
    const before = this.#seen.get(id) ?? 0;
    this.#seen.set(id, before + 1);
    return before === 0 ? id : `${id}~${before}`;
  }
}

const NOTHING = { took: null, iteration: null, subject: null, text: "", files: [], sources: [] } as const;

function event(view: EventView, took: number | null, ids: Ids): Entry {
  const { time, kind, iteration, subject, text, files, file } = view;
  return {
    id: ids.of(`${kind}:${time?.text ?? ""}:${subject ?? ""}`),
    kind: KIND_OF[kind],
    ms: sound(time?.ms),
    time,
    took: length(took),
    iteration,
    subject,
    text,
    files,
    sources: file === "" ? [] : [file],
    what: { from: "event", event: view },
  };
}

/** The same thing, as two files tell it. */
function told(left: EventView, right: EventView): boolean {
  return left.time?.text === right.time?.text && left.subject === right.subject && left.text === right.text;
}

/** How long the validation run took that an event is about. */
function tookRun({ validation }: LoopDetail, view: EventView): number | null {
  if (view.kind !== "validate_entry" || !view.time) return null;
  const runs = validation?.runs ?? [];
  return runs.find((run) => run.time?.text === view.time?.text)?.duration_ms ?? null;
}

/** Lists of the state file that are not among the events, as events. */
function listed(detail: LoopDetail): EventView[] {
  const missing = (kind: EventKind) => !detail.events.some((one) => one.kind === kind);
  const base = { iteration: null, files: [], file: "" };
  const found: EventView[] = [];
  if (missing("trail"))
    for (const one of detail.trail) {
      const text = one.other ?? (one.or_group === "" ? one.reason : `${one.or_group}: ${one.reason}`);
      found.push({ ...base, kind: "trail", time: one.time, subject: one.selected || null, text });
    }
  if (missing("correction"))
    for (const { time, kind, description } of detail.corrections)
      found.push({ ...base, kind: "correction", time, subject: null, text: `${kind}: ${description}` });
  if (missing("error"))
    for (const { action, message, time } of detail.errors)
      found.push({ ...base, kind: "error", time, subject: action || null, text: message });
  return found;
}

function ofEvents(detail: LoopDetail, ids: Ids): Entry[] {
  const entries: Entry[] = [];
  const byTime = new Map<string, { at: number; view: EventView }[]>();
  for (const view of [...detail.events, ...listed(detail)]) {
    const entry = event(view, tookRun(detail, view), ids);
    const near = byTime.get(view.time?.text ?? "") ?? [];
    const same = near.find((one) => told(one.view, view) && one.view.file !== view.file);
    const before = same ? entries[same.at] : undefined;
    if (same && before) {
      entries[same.at] = {
        ...before,
        iteration: before.iteration ?? entry.iteration,
        files: [...new Set([...before.files, ...entry.files])],
        sources: [...before.sources, ...entry.sources],
      };
    } else {
      byTime.set(view.time?.text ?? "", [...near, { at: entries.length, view }]);
      entries.push(entry);
    }
  }
  return entries;
}

function ofSteps(detail: LoopDetail, ids: Ids): Entry[] {
  return detail.history.map((step) => ({
    ...NOTHING,
    id: ids.of(`step:${step.time?.text ?? ""}:${step.step}`),
    kind: "work",
    ms: sound(step.time?.ms),
    time: step.time,
    took: length(step.duration_ms),
    iteration: step.iteration,
    subject: step.step,
    text: step.tool,
    what: { from: "step", step },
  }));
}

/** A length of time that can be drawn. */
function length(ms: number | null | undefined): number | null {
  const time = sound(ms);
  return time !== null && time >= 0 ? time : null;
}

/** A time that can be shown and compared; files and journals can hold any number. */
function sound(ms: number | null | undefined): number | null {
  return typeof ms === "number" && Math.abs(ms) <= 8.64e15 ? ms : null;
}

function at(ms: number): TimeView {
  const time = sound(ms);
  return { text: time === null ? String(ms) : new Date(time).toISOString(), ms: time, shifted: false };
}

/** Clock and journal note one write a moment apart. */
const TOGETHER = 5_000;

/** How long the action took that a version ends, by the version: as long as the file named it. */
function tookActions(changes: readonly PastChange[]): ReadonlyMap<number, number> {
  const took = new Map<number, number>();
  let running: { name: string; since: number } | null = null;
  for (const one of [...changes].sort((left, right) => left.at - right.at)) {
    const change = one.changes.find(({ what, id }) => what === "fact" && id === "current_action");
    if (!change) continue;
    if (running && change.from === running.name) took.set(one.id, one.at - running.since);
    running = change.to === null || change.to === "" ? null : { name: change.to, since: one.at };
  }
  return took;
}

/** Kept versions and what they changed; the journal's note of a write of ours belongs to its version. */
function ofVersions({ versions, changes, journal }: Sources): { entries: Entry[]; noted: Set<JournalEvent> } {
  const noted = new Set<JournalEvent>();
  const changed = new Map(changes.map((one) => [one.id, one.changes]));
  const took = tookActions(changes);
  const entries = versions.flatMap((version): Entry[] => {
    const what = changed.get(version.id) ?? [];
    const ours = version.who === "ours";
    const mine = journal.filter(
      (one) => ours && one.kind === "write" && one.cause === version.cause && !noted.has(one),
    );
    const write =
      mine.find((one) => one.at === version.at) ??
      mine.find((one) => Math.abs(one.at - version.at) < TOGETHER);
    if (write) noted.add(write);
    const beside = write?.beside ?? [];
    if (!version.notable && what.length === 0) return [];
    return [
      {
        ...NOTHING,
        id: `version:${version.id}`,
        kind: ours ? "loopdeck" : "files",
        ms: sound(version.at),
        time: at(version.at),
        took: length(took.get(version.id)),
        iteration: iterationIn(what),
        files: beside,
        what: { from: "change", version, changes: what, write: write ?? null },
      },
    ];
  });
  return { entries, noted };
}

/** The iteration that a version began, when it began one. */
export function iterationIn(changes: readonly Changed[]): number | null {
  const found = changes.find((one) => one.what === "fact" && /^(current_)?iteration$/.test(one.id));
  const number = Number(found?.to ?? Number.NaN);
  return Number.isInteger(number) ? number : null;
}

function ofJournal(journal: readonly JournalEvent[], noted: ReadonlySet<JournalEvent>, ids: Ids): Entry[] {
  const left = new Set(journal.filter((one) => one.kind === "settled"));
  const entries: Entry[] = [];
  for (const event of [...journal].sort((one, other) => one.at - other.at)) {
    if (noted.has(event) || event.kind === "settled") continue;
    const until = event.kind === "requested" ? answerOf(event, left) : null;
    if (until) left.delete(until);
    entries.push(journalEntry(event, until, ids));
  }
  return [...entries, ...[...left].map((event) => journalEntry(event, null, ids))];
}

/** The first end of a request after it. */
function answerOf(request: JournalEvent, ends: ReadonlySet<JournalEvent>): JournalEvent | null {
  const mine = [...ends].filter((one) => one.cause === request.cause && one.at >= request.at);
  return mine.sort((left, right) => left.at - right.at)[0] ?? null;
}

function journalEntry(event: JournalEvent, until: JournalEvent | null, ids: Ids): Entry {
  return {
    ...NOTHING,
    id: ids.of(`journal:${event.kind}:${event.at}`),
    kind: "loopdeck",
    ms: sound(event.at),
    time: at(event.at),
    took: until ? length(until.at - event.at) : null,
    sources: event.kind === "write" || event.file === "" ? [] : [event.file],
    files: event.kind === "write" && event.file !== "" ? [event.file, ...event.beside] : [],
    what: { from: "journal", event, until },
  };
}

/** Everything that happened, oldest first. What has no time stays behind the one written before it. */
export function entriesOf(sources: Sources): Entry[] {
  const ids = new Ids();
  const { entries, noted } = ofVersions(sources);
  const lists = [
    ofEvents(sources.detail, ids),
    ofSteps(sources.detail, ids),
    entries,
    ofJournal(sources.journal, noted, ids),
  ];
  const placed = lists.flatMap((list) => {
    let last = -Infinity;
    return list.map((entry) => {
      last = entry.ms ?? last;
      return { last, entry };
    });
  });
  placed.sort((left, right) => (left.last === right.last ? 0 : left.last - right.last));
  return placed.map(({ entry }) => entry);
}

/** Whether a validation run passed; null for everything else. */
export function passed(entry: Entry): boolean | null {
  if (entry.kind !== "tests") return null;
  const [good, all] = entry.text.split("/").map(Number);
  return good !== undefined && all !== undefined && all > 0 ? good === all : null;
}

/** The kept version that an entry is about. */
export function versionOf(entry: Entry): number | null {
  return entry.what.from === "change" ? entry.what.version.id : null;
}

/** The newest kept version at the time of an entry. */
export function versionAt(versions: readonly VersionView[], entry: Entry): VersionView | null {
  const own = versionOf(entry);
  if (own !== null) return versions.find((one) => one.id === own) ?? null;
  const { ms } = entry;
  if (ms === null) return null;
  // Newest first.
  return versions.find((one) => one.at <= ms) ?? null;
}
