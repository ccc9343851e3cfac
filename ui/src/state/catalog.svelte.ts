import type { Changes, ElsewhereView, LoopRow, Push, Watching, WorkspaceView } from "../host/bindings";
import type { Host } from "../host/host";
import { clock } from "./clock.svelte";
import { withDistinctNames } from "./folder-names";

/** What tokens of the filter ask of a row. Rows that agree in it share one: ten thousand rows have a few. */
export type Traits = Pick<LoopRow, "word" | "file_word" | "format">;

const known = new Map<string, Traits>();

function traitsOf({ word, file_word, format }: LoopRow): Traits {
  const name = `${word} ${format} ${file_word}`;
  let traits = known.get(name);
  if (traits === undefined) known.set(name, (traits = { word, file_word, format }));
  return traits;
}

/**
 * One loop of the list. The object stays the same while its row is replaced, so that a change reaches exactly the
 * places that show this row.
 */
export class Cell {
  readonly key: string;
  row: LoopRow = $state.raw() as LoopRow;
  traits!: Traits;
  /** Lower-case text that free words of the filter look into. */
  haystack = "";

  constructor(row: LoopRow) {
    this.key = row.key;
    this.set(row);
  }

  set(row: LoopRow): void {
    this.row = row;
    this.traits = traitsOf(row);
    this.haystack = [row.title, row.id, row.file, row.file_word, row.reason ?? "", ...row.tags, ...row.labels]
      .join("\n")
      .toLowerCase();
  }
}

/** Milliseconds until a pull that failed is tried again: the first wait doubles up to the last. */
const [FIRST_WAIT, LAST_WAIT] = [1_000, 30_000];

/** Milliseconds between two arrangements of the list while a snapshot comes in. */
const BETWEEN_SHOWS = 200;

const QUIET: Watching = { folders: 0, polling: null, reason: null, checked: 0 };

/** What changed with one pull, for those who announce it. */
export interface Pulled {
  readonly changed: readonly { before: LoopRow | null; row: LoopRow }[];
  readonly removed: readonly string[];
  /** Part of a snapshot: nothing in it is news. */
  readonly snapshot: boolean;
  /** Differs from before when something begins or ends to wait for the person. */
  readonly needs: number;
}

/** What reaches the window from outside of the page, besides the news that there is something newer. */
export type Outside = Exclude<Push, { kind: "tick" }>;

/** `before` when `after` says the same: what shows it is left alone. */
function unchanged<T>(before: T | undefined, after: T): T {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(after) ? before : after;
}

/** The same of a list and of each of its parts. Every pull brings all folders, and a team has many. */
function unchangedOf<T extends { readonly id: string }>(
  before: readonly T[],
  after: readonly T[],
): readonly T[] {
  const known = new Map(before.map((one) => [one.id, one]));
  const kept = after.map((one) => unchanged(known.get(one.id), one));
  const same = kept.length === before.length && kept.every((one, place) => one === before[place]);
  return same ? before : kept;
}

/** The mirror of the backend's rows, kept by pulling changes since a revision. */
export class Catalog {
  /** Counts every change of any row; reading it makes a computation follow the whole list. */
  version = $state(0);
  /** No two of them have the same name. */
  workspaces: readonly WorkspaceView[] = $state.raw([]);
  watching: Watching = $state.raw(QUIET);
  /** Folders from last time are still to come. */
  reopening = $state(false);
  /** The first snapshot is complete. */
  loaded = $state(false);
  /** The last pull failed; the list is what was known before. */
  stale = $state(false);

  /** Called for what reached the window from outside the page: folders opened by a drop, an argument, a second start. */
  onOutside: (push: Outside) => void = () => undefined;

  readonly #cells = new Map<string, Cell>();
  readonly #host: Host;
  readonly #listeners = new Set<(pulled: Pulled) => void>();
  #revision = 0;
  #wanted = 0;
  #pulling: Promise<void> | null = null;
  #wait = FIRST_WAIT;
  #again: ReturnType<typeof setTimeout> | undefined;
  #snapshot = true;
  #unseen: Set<string> | null = null;
  /** Something changed that `version` does not say yet. */
  #unshown = false;
  #shownAt = -Infinity;

  constructor(host: Host) {
    this.#host = host;
  }

  get revision(): number {
    return this.#revision;
  }

  cell(key: string): Cell | undefined {
    return this.#cells.get(key);
  }

  /** All cells; not tracked: read `version` to follow. */
  cells(): Iterable<Cell> {
    return this.#cells.values();
  }

  get size(): number {
    void this.version;
    return this.#cells.size;
  }

  /** Every folder that can be reached was read. */
  get isRead(): boolean {
    if (!this.loaded || this.reopening) return false;
    return this.workspaces.every(({ scanned, reachable }) => scanned || !reachable);
  }

  /** Its folder was read, and it is not in it. */
  isGone(key: string): boolean {
    if (this.#cells.has(key)) return false;
    const home = this.workspaces.find(({ id }) => key.startsWith(`${id}:`));
    return home !== undefined && home.scanned && home.reachable && !home.silent;
  }

  workspace(id: string): WorkspaceView | undefined {
    return this.workspaces.find((workspace) => workspace.id === id);
  }

  /** Whose it is, when it is the copy of a loop of another machine. */
  elsewhere(row: Pick<LoopRow, "workspace"> | undefined): ElsewhereView | null {
    return (row && this.workspace(row.workspace)?.elsewhere) ?? null;
  }

  onPulled(listener: (pulled: Pulled) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Subscribes and pulls the first snapshot. */
  async start(): Promise<void> {
    await this.#host.subscribe((push) => {
      if (push.kind === "tick") void this.reach(push.revision);
      else this.onOutside(push);
    });
    await this.pull();
  }

  /** The window is gone: nothing is tried again. */
  close(): void {
    clearTimeout(this.#again);
  }

  /** Pulls until at least `revision` is here. */
  reach(revision: number): Promise<void> {
    this.#wanted = Math.max(this.#wanted, revision);
    return this.#wanted > this.#revision ? this.pull() : Promise.resolve();
  }

  /** One pull at a time: a caller meanwhile waits for the one under way. */
  pull(): Promise<void> {
    this.#pulling ??= this.#pullAll().finally(() => {
      this.#pulling = null;
      // A tick may have come between the last look and here.
      if (!this.stale && this.#wanted > this.#revision) void this.pull();
    });
    return this.#pulling;
  }

  async #pullAll(): Promise<void> {
    try {
      let page: Changes;
      do {
        page = await this.#host.changes(this.#revision);
        this.#apply(page);
      } while (page.more || this.#revision < this.#wanted);
      this.#snapshot = false;
      this.loaded = true;
      this.stale = false;
      this.#wait = FIRST_WAIT;
    } catch {
      this.stale = true;
      this.#tryLater();
      if (this.#unshown) this.#show();
    }
  }

  /** Where nothing changes there is no tick either, which would pull. */
  #tryLater(): void {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => void this.pull(), this.#wait);
    this.#wait = Math.min(LAST_WAIT, this.#wait * 2);
  }

  #apply(page: Changes): void {
    if (page.reset) {
      this.#snapshot = true;
      this.#revision = 0;
      // Old rows stay on screen until the snapshot is complete: a window that catches up must not go blank.
      this.#unseen = new Set(this.#cells.keys());
    }
    // A backend that does not move must not keep the loop above spinning.
    if (page.revision <= this.#revision && !page.more) this.#wanted = page.revision;
    this.#revision = page.revision;
    const changed = page.rows.map((row) => this.#put(row));
    const removed = [...page.removed, ...this.#leftOver(page)];
    for (const key of removed) this.#cells.delete(key);
    this.workspaces = unchangedOf(this.workspaces, withDistinctNames(page.workspaces));
    this.watching = unchanged(this.watching, page.watching);
    this.reopening = page.reopening;
    clock.follow(page.now);
    this.#unshown ||= changed.length > 0 || removed.length > 0;
    if (this.#unshown && this.#isTimeToShow(page)) this.#show();
    for (const listener of this.#listeners) {
      listener({ changed, removed, snapshot: this.#snapshot, needs: page.needs });
    }
  }

  /** A large snapshot is arranged a few times on its way, not once for each of its hundred pages. */
  #isTimeToShow(page: Changes): boolean {
    return !this.#snapshot || !page.more || performance.now() - this.#shownAt > BETWEEN_SHOWS;
  }

  #show(): void {
    this.#unshown = false;
    this.#shownAt = performance.now();
    this.version += 1;
  }

  /** At the end of a snapshot: rows that it did not name. */
  #leftOver(page: Changes): string[] {
    for (const row of page.rows) this.#unseen?.delete(row.key);
    if (page.more || !this.#unseen) return [];
    const left = [...this.#unseen];
    this.#unseen = null;
    return left;
  }

  #put(row: LoopRow): { before: LoopRow | null; row: LoopRow } {
    const cell = this.#cells.get(row.key);
    if (!cell) {
      this.#cells.set(row.key, new Cell(row));
      return { before: null, row };
    }
    const before = cell.row;
    cell.set(row);
    return { before, row };
  }
}
