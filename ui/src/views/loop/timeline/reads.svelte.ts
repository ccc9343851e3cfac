import type { Failure, TimelineEntry, VersionView } from "../../../host/bindings";
import { asFailure } from "../../../host/failure";
import type { Host } from "../../../host/host";
import { Turns } from "../../../state/turns";

/** The timeline of a loop, read again whenever the loop changes: one read at a time. */
export class TimelineReads {
  /** The first answer is here. */
  loaded = $state(false);
  /** Oldest first. */
  entries: readonly TimelineEntry[] = $state.raw([]);
  /** Newest first. */
  versions: readonly VersionView[] = $state.raw([]);
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
      // The first answer may come before all versions are compared.
      for (let more = true; more;) {
        const page = await this.#host.timeline(this.#key);
        this.entries = page.entries;
        this.versions = page.versions;
        this.failure = page.failure;
        this.loaded = true;
        more = page.more;
      }
    } catch (reason) {
      // What is already here stays on screen.
      this.failure = asFailure(reason);
      this.loaded = true;
    }
  }
}
