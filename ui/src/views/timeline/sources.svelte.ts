import type { Failure, PastChange, VersionView } from "../../host/bindings";
import { asFailure } from "../../host/failure";
import type { Host } from "../../host/host";
import type { JournalEvent } from "../../host/bindings";
import { Turns } from "../../state/turns";

const VERSIONS = 200;
const EVENTS = 2_000;

/** What Loopdeck itself remembers of a loop, read again whenever the loop changes: one read at a time. */
export class Remembered {
  /** The first answers are here. */
  loaded = $state(false);
  /** Newest first. */
  versions: readonly VersionView[] = $state.raw([]);
  changes: readonly PastChange[] = $state.raw([]);
  journal: readonly JournalEvent[] = $state.raw([]);
  failure: Failure | null = $state.raw(null);

  readonly #host: Host;
  readonly #key: string;
  readonly #turns = new Turns(() => this.#once());

  constructor(host: Host, key: string) {
    this.#host = host;
    this.#key = key;
  }

  read(): Promise<void> {
    return this.#turns.take();
  }

  async #once(): Promise<void> {
    try {
      const [versions, journal] = await Promise.all([
        this.#host.history(this.#key, VERSIONS),
        this.#host.events(this.#key, EVENTS),
      ]);
      const changes = await this.#changesOf(versions);
      this.versions = versions;
      this.journal = journal;
      this.changes = changes;
      this.failure = null;
    } catch (reason) {
      // What is already here stays on screen.
      this.failure = asFailure(reason);
    }
    this.loaded = true;
  }

  /** Comparing versions is work: only those that are new are compared. */
  async #changesOf(versions: readonly VersionView[]): Promise<readonly PastChange[]> {
    const known = new Set(this.versions.map((one) => one.id));
    const fresh = versions.filter((one) => !known.has(one.id)).length;
    if (fresh === 0) return this.changes;
    // Each is compared with the one before it, so that one is asked for too.
    const newer = await this.#host.pastChanges(this.#key, Math.min(VERSIONS, fresh + 1));
    const ids = new Set(newer.map((one) => one.id));
    const there = new Set(versions.map((one) => one.id));
    return [...newer, ...this.changes.filter((one) => !ids.has(one.id) && there.has(one.id))];
  }
}
