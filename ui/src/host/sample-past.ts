import type {
  Changed,
  LoopDetail,
  LoopRow,
  PastChange,
  TimelineEntry,
  TimelinePage,
  VersionPage,
  VersionView,
  WriteCause,
} from "./bindings";
import { sampleDetail, sampleSource } from "./sample-details";
import { groupOfWord } from "./sample-rules";
import { plainEntry, sampleEntries } from "./sample-timeline";

const MINUTE = 60_000;
const MOST = 200;

/** A loop of memory at one time. */
interface Kept {
  readonly id: number;
  readonly at: number;
  readonly cause: WriteCause | null;
  readonly row: LoopRow;
  readonly patch: Partial<LoopDetail>;
}

const textOf = (row: LoopRow) => sampleSource(row).join("\n");

/** How a sample loop got to its state, oldest first. */
function story(row: LoopRow): Omit<Kept, "id">[] {
  if (row.word === "not_started") return [];
  const running = { word: "running_elsewhere", group: groupOfWord("running_elsewhere") } as const;
  const readable = row.word === "cannot_read" ? { format: "loop_v2" as const, errors: 0, problem: null } : {};
  const then = (back: number, minutes: number, cause: WriteCause | null, more: Partial<LoopRow>) => ({
    at: row.changed - minutes * MINUTE,
    cause,
    row: {
      ...row,
      ...readable,
      ...running,
      file_word: "running",
      iteration: row.iteration && {
        ...row.iteration,
        current: Math.max(0, row.iteration.current - back),
      },
      changed: row.changed - minutes * MINUTE,
      reason: null,
      limit: null,
      request: null,
      ...more,
    },
    patch: {},
  });
  const paused = { word: "paused", file_word: "paused", group: groupOfWord("paused") } as const;
  return [
    then(3, 26 * 60, null, { title: "New loop" }),
    then(3, 25 * 60, "edit_metadata", {}),
    then(2, 190, null, {}),
    then(2, 142, "pause", paused),
    then(2, 97, "resume", {}),
    then(1, 31, null, {}),
    { at: row.changed, cause: null, row, patch: {} },
  ];
}

/** Just enough of what changed to see it. */
function since(then: LoopRow, now: LoopRow): Changed[] {
  const said = (row: LoopRow) => ({
    title: row.title,
    status: row.file_word,
    current_iteration: row.iteration ? String(row.iteration.current) : null,
  });
  const [before, after] = [said(then), said(now)];
  return (["title", "status", "current_iteration"] as const)
    .filter((id) => before[id] !== after[id])
    .map((id) => ({ what: "fact", id, from: before[id], to: after[id] }));
}

/** The versions of the loops of memory. */
export class SamplePast {
  readonly #kept = new Map<string, Kept[]>();
  #last = 0;

  /** Keeps what the loop says now. */
  keep(row: LoopRow, patch: Partial<LoopDetail>, cause: WriteCause | null): void {
    this.#of(row).push({ id: this.#next(), at: row.changed, cause, row, patch });
  }

  /** Before a write of ours: what it replaces is kept. */
  keepReplaced(row: LoopRow, patch: Partial<LoopDetail>): void {
    if (this.#of(row).length === 0) this.keep(row, patch, null);
    else this.history(row, 1);
  }

  history(row: LoopRow, limit: number): VersionView[] {
    const present = textOf(row);
    const last = this.#of(row).at(-1);
    // Another program wrote the file.
    if (last && textOf(last.row) !== present) this.keep(row, last.patch, null);
    return this.#of(row)
      .map((kept) => ({
        id: kept.id,
        at: kept.at,
        who: kept.cause === null ? ("foreign" as const) : ("ours" as const),
        cause: kept.cause,
        size: textOf(kept.row).length + 1,
        current: textOf(kept.row) === present,
        readable: kept.row.word !== "cannot_read",
        asker: null,
      }))
      .reverse()
      .slice(0, limit);
  }

  /** What each kept version changed against the one before it, newest first. */
  changes(row: LoopRow, limit: number): PastChange[] {
    const all = this.#of(row).slice(-limit);
    return all
      .flatMap((kept, index): PastChange[] => {
        const before = all[index - 1];
        const changes = before ? since(before.row, kept.row) : [];
        if (changes.length === 0) return [];
        const who = kept.cause === null ? ("foreign" as const) : ("ours" as const);
        return [{ id: kept.id, at: kept.at, who, cause: kept.cause, changes }];
      })
      .reverse();
  }

  /** What its files tell, its versions, and the requests behind those that were asked for. */
  timeline(row: LoopRow, detail: LoopDetail): TimelinePage {
    const versions = this.history(row, MOST);
    const told = [...sampleEntries(detail.events), ...this.#entries(row)];
    const entries = told.map((entry): TimelineEntry => {
      const then = this.#of(row).findLast((kept) => entry.ms !== null && kept.at <= entry.ms);
      return {
        ...entry,
        iteration: entry.iteration ?? then?.row.iteration?.current ?? null,
        version_at: then?.id ?? null,
      };
    });
    entries.sort((left, right) => (left.ms ?? 0) - (right.ms ?? 0));
    return { entries, versions, more: false, failure: null };
  }

  #entries(row: LoopRow): TimelineEntry[] {
    const changes = new Map(this.changes(row, MOST).map((one) => [one.id, one.changes]));
    return this.#of(row).flatMap(({ id, at, cause, row: { file } }): TimelineEntry[] => {
      const changed = changes.get(id) ?? [];
      if (cause === null && changed.length === 0) return [];
      const who = cause === null ? "foreign" : "ours";
      const write = cause === null ? null : "landed";
      const version = plainEntry(`version:${id}`, cause === null ? "files" : "loopdeck", at, {
        from: "version",
        ...{ id, who, cause, write, changes: changed, item: null },
      });
      if (cause !== "pause" && cause !== "stop") return [version];
      const content = { from: "request", cause, outcome: "settled" } as const;
      const request = plainEntry(`journal:requested:${at - 2_000}`, "loopdeck", at - 2_000, content);
      return [{ ...request, took_ms: 96_000, sources: [file] }, version];
    });
  }

  find(row: LoopRow, id: number): Kept | undefined {
    return this.#of(row).find((kept) => kept.id === id);
  }

  /** What Loopdeck's last write replaced, when it was the last write of all. */
  beforeOurs(row: LoopRow): Kept | undefined {
    const all = this.#of(row);
    return (all.at(-1)?.cause ?? null) === null ? undefined : all.at(-2);
  }

  page({ id, at, row, patch }: Kept, now: LoopRow): VersionPage {
    const detail = { ...sampleDetail(row), ...patch };
    const then: LoopRow = { ...row, run: null, request: null, primary: null, verbs: [] };
    return { id, at, row: then, detail, since: since(row, now), timeline: sampleEntries(detail.events) };
  }

  #of(row: LoopRow): Kept[] {
    const known = this.#kept.get(row.key);
    if (known) return known;
    const told = story(row).map((kept) => ({ ...kept, id: this.#next() }));
    this.#kept.set(row.key, told);
    return told;
  }

  #next(): number {
    this.#last += 1;
    return this.#last;
  }
}
