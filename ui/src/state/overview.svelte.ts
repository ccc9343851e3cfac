import type { Failure, Overview } from "../host/bindings";
import { asFailure } from "../host/failure";
import type { Host } from "../host/host";
import { Turns } from "./turns";

/** Loops of each section that are shown at first, and that each “Show more” adds. */
export const STEP = 50;

/** What a lead sees of all loops, as long as the page is open. */
export class OverviewState {
  /** Nothing before it was read. */
  overview: Overview | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);

  readonly #host: Host;
  readonly #turns = new Turns(() => this.#readOnce());
  #most = STEP;
  #closed = false;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Reads it again; after a change of the catalog, and when the person asks. */
  read(): Promise<void> {
    return this.#turns.take();
  }

  more(): Promise<void> {
    this.#most += STEP;
    return this.read();
  }

  /** The person leaves: what they have seen is no longer new. */
  async close(): Promise<void> {
    this.#closed = true;
    // A visit that was not kept shows the same news once more, which does no harm.
    if (this.overview !== null) await this.#host.visitOverview().catch(() => undefined);
  }

  async #readOnce(): Promise<void> {
    try {
      const read = await this.#host.overview(this.#most);
      this.overview = read;
      this.failure = null;
      // Facts that are still being counted come with the next answer.
      if (read.left > 0 && !this.#closed) void this.#turns.take();
    } catch (reason) {
      this.failure = asFailure(reason);
    }
  }
}
