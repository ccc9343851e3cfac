import type { Failure, OutputPage, OutputRow } from "../../host/bindings";
import { asFailure } from "../../host/failure";

/** Rows that are asked for at once. */
export const CHUNK = 64;
/** Chunks that are held: about 4,000 rows, at most 16 MB of text, whatever the run says in an hour. */
export const HELD = 64;
/** Asks for no row in particular: the host answers how many there are. */
const BEYOND = 0xffff_ffff;

export type ReadOutput = (first: number, count: number) => Promise<OutputPage>;

/** The output of one run, seen through chunks of rows; those that were not looked at for longest are forgotten. */
export class OutputPages {
  /** Rows there are. */
  total = $state(0);
  /** Rows at the beginning that the log does not hold any more. */
  dropped = $state(0);
  alive = $state(false);
  /** The run that answered. */
  run = $state("");
  /** A first answer came. */
  loaded = $state(false);
  failure: Failure | null = $state.raw(null);
  /** Counts what came; reading it follows all rows. */
  version = $state(0);

  readonly #read: ReadOutput;
  /** In the order in which they were used last. */
  readonly #chunks = new Map<number, OutputRow[]>();
  readonly #asking = new Set<number>();
  #closed = false;

  constructor(read: ReadOutput) {
    this.#read = read;
  }

  /** Answers that still come are dropped. */
  close(): void {
    this.#closed = true;
    this.#chunks.clear();
  }

  /** Chunks that are held now. */
  get held(): number {
    return this.#chunks.size;
  }

  row(index: number): OutputRow | undefined {
    return this.#chunks.get(Math.floor(index / CHUNK))?.[index % CHUNK];
  }

  /** Asks how many rows there are now. */
  async look(): Promise<void> {
    try {
      this.#take(await this.#read(BEYOND, 1));
    } catch (reason) {
      if (!this.#closed) this.failure = asFailure(reason);
    }
  }

  /** Makes sure that these rows come. */
  async need(first: number, end: number): Promise<void> {
    const from = Math.max(this.dropped, first);
    const to = Math.min(this.total, end);
    if (from >= to) return;
    const wanted: Promise<void>[] = [];
    for (let chunk = Math.floor(from / CHUNK); chunk * CHUNK < to; chunk += 1) wanted.push(this.#fill(chunk));
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
    this.failure = null;
    this.loaded = true;
    return true;
  }

  /** A page is bounded by bytes, so a chunk may take several. */
  async #fill(chunk: number): Promise<void> {
    const held = this.#chunks.get(chunk);
    if (held) this.#touch(chunk, held);
    if (this.#asking.has(chunk) || (held && this.#isWhole(chunk, held))) return;
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
      if (!this.#closed) this.failure = asFailure(reason);
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
