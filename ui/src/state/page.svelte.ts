import type { Failure, LoopDetail, LoopPage, WorkPart } from "../host/bindings";
import { asFailure } from "../host/failure";
import type { Host } from "../host/host";
import { changedWork } from "./changed-work";
import { Query } from "./query.svelte";

/** How often the page is read at most while agents only produce output, in milliseconds. */
const BETWEEN_TALK = 2_000;

/** A page with so many units of work is a large one. */
const LARGE = 1_000;
/**
 * How often it is read at most, in milliseconds; where its graph follows each change separately,
 * this much later.
 */
const BETWEEN_LARGE = 1_000;
const LATER = 2_000;

/** What a loop says, with its graph. */
function withGraph({ work, ...detail }: LoopDetail, { atoms, units }: WorkPart): LoopDetail {
  return { ...detail, atoms, work: work && { ...work, units } };
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}

/** The opened loop's page. Reads follow the row: one at a time, and the newest asked for always comes last. */
export class OpenPage {
  page: LoopPage | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);

  readonly key: string;
  readonly #host: Host;
  readonly #reads = new Query(() => this.#readOnce());
  readonly #follows = new Query(() => this.#followOnce());
  /** Up to where the changes of a large graph are in the page; nothing for any other. */
  #revision: number | null = null;
  /** The next read follows talk alone. */
  #talked = false;
  /** The next read begins no earlier. */
  #rests = 0;
  /** All changes of a large graph since the last read are in the page. */
  #followed = false;
  /** Ends the wait for changes that cannot be told in parts. */
  #hurry: () => void = () => {};
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(host: Host, key: string) {
    this.#host = host;
    this.key = key;
  }

  /** A large graph shows what changed at once; the rest of its page follows. */
  read(): Promise<void> {
    void this.#follows.read();
    return this.#reads.read();
  }

  /** Reads before long: agents talk, and files may have changed in the same moment. */
  readSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#talked = true;
      void this.read();
    }, BETWEEN_TALK);
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #readOnce(): Promise<void> {
    const rest = this.#rests - performance.now();
    if (rest > 0) await this.#wait(rest);
    const begun = performance.now();
    try {
      const outline = await this.#host.openOutline(this.key);
      // On a page that has nothing else, it shows all but the graph at once.
      if (this.page === null || this.page.work_later) this.page = outline;
      const next = await this.#withWork(outline);
      const took = performance.now() - begun;
      const large = (next.detail.work?.units.length ?? 0) >= LARGE;
      this.#rests = large ? performance.now() + Math.max(BETWEEN_LARGE, 9 * took) : 0;
      const { page } = this;
      // After talk nothing has changed, as a rule: then what is drawn from it stays as it is.
      const same =
        page?.work_later === null &&
        this.#talked &&
        JSON.stringify(page.detail) === JSON.stringify(next.detail);
      this.#talked = false;
      this.page = same ? { ...next, detail: page.detail } : next;
      this.failure = null;
      this.#revision = next.work_revision;
      // What was told while it was read may be newer than what was read.
      void this.#follows.read();
    } catch (reason) {
      // The last page stays: a person in the middle of reading keeps what was there.
      this.failure = asFailure(reason);
    }
  }

  /** A large page that changes all the time is read now and then, and never for more than a tenth of the time. */
  async #wait(rest: number): Promise<void> {
    await delay(rest);
    const told = this.#revision !== null && this.#followed;
    if (told) await Promise.race([delay(LATER), new Promise<void>((done) => (this.#hurry = done))]);
  }

  /** The page with its graph: as it is known, with what changed, or read as a whole. */
  async #withWork(next: LoopPage): Promise<LoopPage> {
    const { work_later: later, work_revision: revision } = next;
    if (later === null || revision === null) return next;
    const known = await this.#knownWork(next);
    if (known) return known;
    const part = await this.#host.workPart(this.key, revision);
    if (part === null) return this.#host.openLoop(this.key);
    return { ...next, work_later: null, detail: withGraph(next.detail, part) };
  }

  /** The same with the graph of the page before, where its changes can be told in parts. */
  async #knownWork(next: LoopPage): Promise<LoopPage | null> {
    const [page, since] = [this.page, this.#revision];
    if (page?.detail.work == null || page.work_later || since === null) return null;
    const change = await this.#host.workChanges(this.key, since);
    const { atoms, work } = page.detail;
    const detail = change && changedWork(withGraph(next.detail, { atoms, units: work.units }), change);
    return detail && { ...next, detail, work_later: null, work_revision: change.revision };
  }

  async #followOnce(): Promise<void> {
    const { page } = this;
    if (page === null || this.#revision === null) return;
    // What cannot be told in parts comes with the next read.
    const change = await this.#host.workChanges(this.key, this.#revision).catch(() => null);
    if (this.page !== page) return;
    const detail = change && changedWork(page.detail, change);
    this.#followed = detail !== null;
    if (change === null || detail === null) return this.#hurry();
    this.#revision = change.revision;
    if (detail !== page.detail) this.page = { ...page, detail };
  }
}
