import type { Failure, OutputPage, OutputRow } from "../../../host/bindings";
import { asFailure } from "../../../host/failure";

/** Rows that are asked for at once. */
export const CHUNK = 64;
/** Chunks that are held: about 4,000 rows, at most 16 MB of text, whatever the run says in an hour. */
export const HELD = 64;
/** Asks for the newest rows, wherever they are; the host answers how many there are too. */
export const NEWEST = 0xffff_ffff;

type ReadOutput = (first: number, count: number) => Promise<OutputPage>;

/** The output of one run, seen through chunks of rows; those that were not looked at for longest are forgotten. */
export class OutputPages {
  /** Rows there are. */
  total = $state(0);
  /** Rows at the beginning that the log no longer holds. */
  dropped = $state(0);
  alive = $state(false);
  /** The run that answered. */
  run = $state("");
  /** A first answer came. */
  loaded = $state(false);
  failure: Failure | null = $state.raw(null);
  /** Counts what came; reading it follows all rows. */
  version = $state(0);

  /** So many of the newest rows come with each look: what follows them needs no second question. */
  newest = CHUNK;

  readonly #read: ReadOutput;
  readonly #apart: number;
  #tail: Pick<OutputPage, "first" | "rows"> = { first: 0, rows: [] };
  #looking: Promise<void> | null = null;
  #looked = -Infinity;
  /** In the order in which they were used last. */
  readonly #chunks = new Map<number, OutputRow[]>();
  readonly #asking = new Set<number>();
  /** Chunks that did not come, and why; each look asks for them again. */
  readonly #failed = new Map<number, Failure>();
  #closed = false;

  /** `apart`: milliseconds between two looks, at least. */
  constructor(read: ReadOutput, apart = 0) {
    this.#read = read;
    this.#apart = apart;
  }

  /** Answers that still come are dropped. */
  close(): void {
    this.#closed = true;
    this.#chunks.clear();
    this.#tail = { first: 0, rows: [] };
  }

  /** Chunks that are held now. */
  get held(): number {
    return this.#chunks.size;
  }

  row(index: number): OutputRow | undefined {
    return (
      this.#tail.rows[index - this.#tail.first] ??
      this.#chunks.get(Math.floor(index / CHUNK))?.[index % CHUNK]
    );
  }

  /** Asks how many rows there are now, and for the newest; one question at a time, and none too soon after the last. */
  look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => (this.#looking = null));
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const wait = this.#looked + this.#apart - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    if (this.#closed) return;
    this.#looked = performance.now();
    const before = this.total;
    try {
      const page = await this.#read(NEWEST, this.newest);
      if (!this.#take(page)) return;
      if (page.rows.length > 0) {
        this.#tail = page;
        if (page.total !== before) this.version += 1;
      }
    } catch (reason) {
      if (!this.#closed) this.failure = asFailure(reason);
      return;
    }
    await Promise.all([...this.#failed.keys()].map((chunk) => this.#fill(chunk)));
  }

  /**
   * Makes sure that these rows come, and after them this many on either side: further scrolling
   * finds them there, and they are drawn once instead of twice.
   */
  async need(first: number, end: number, beside = 0): Promise<void> {
    const here = this.#ask(first, end);
    if (beside === 0) return here;
    await Promise.all([here, this.#ask(first - beside, first), this.#ask(end, end + beside)]);
  }

  async #ask(first: number, end: number): Promise<void> {
    const from = Math.max(this.dropped, first);
    const to = Math.min(this.total, end);
    const tail = this.#tail;
    const until = to <= tail.first + tail.rows.length ? Math.min(to, tail.first) : to;
    if (from >= until) return;
    const wanted: Promise<void>[] = [];
    for (let chunk = Math.floor(from / CHUNK); chunk * CHUNK < until; chunk += 1)
      wanted.push(this.#fill(chunk));
    await Promise.all(wanted);
  }

  /** Rows for a copy, not kept: at most `most` of them. */
  async rows(first: number, end: number, most: number): Promise<OutputRow[]> {
    const found: OutputRow[] = [];
    let at = Math.max(this.dropped, first);
    while (at < end && found.length < most) {
      const page = await this.#read(at, Math.min(end - at, most - found.length));
      if (page.rows.length === 0) break;
      found.push(...page.rows);
      at = page.first + page.rows.length;
    }
    return found.slice(0, most);
  }

  #take(page: OutputPage): boolean {
    if (this.#closed) return false;
    this.total = page.total;
    this.dropped = page.dropped;
    this.alive = page.alive;
    this.run = page.run;
    this.failure = this.#failed.values().next().value ?? null;
    this.loaded = true;
    return true;
  }

  /** A page is bounded by bytes, so a chunk may take several. */
  async #fill(chunk: number): Promise<void> {
    const held = this.#chunks.get(chunk);
    if (held) this.#touch(chunk, held);
    if (this.#asking.has(chunk)) return;
    this.#failed.delete(chunk);
    if (held && this.#isWhole(chunk, held)) return;
    this.#asking.add(chunk);
    try {
      const rows = held ?? [];
      while (!this.#isWhole(chunk, rows)) {
        const next = this.#nextOf(chunk, rows);
        const page = await this.#read(next, (chunk + 1) * CHUNK - next);
        if (!this.#take(page) || page.rows.length === 0) return;
        // Rows may have been dropped meanwhile: then the answer begins further down.
        page.rows.forEach((row, index) => {
          const place = page.first + index - chunk * CHUNK;
          if (place < CHUNK) rows[place] = row;
        });
        this.#touch(chunk, rows);
        this.version += 1;
        if (page.first + page.rows.length <= next) return;
      }
    } catch (reason) {
      if (this.#closed) return;
      this.failure = asFailure(reason);
      this.#failed.set(chunk, this.failure);
    } finally {
      this.#asking.delete(chunk);
    }
  }

  #nextOf(chunk: number, rows: readonly OutputRow[]): number {
    return Math.max(this.dropped, chunk * CHUNK + rows.length);
  }

  #isWhole(chunk: number, rows: readonly OutputRow[]): boolean {
    return this.#nextOf(chunk, rows) >= Math.min(this.total, (chunk + 1) * CHUNK);
  }

  #touch(chunk: number, rows: OutputRow[]): void {
    this.#chunks.delete(chunk);
    this.#chunks.set(chunk, rows);
    while (this.#chunks.size > HELD) {
      const oldest = this.#chunks.keys().next().value;
      if (oldest === undefined) break;
      this.#chunks.delete(oldest);
    }
  }
}
