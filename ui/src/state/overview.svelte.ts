import type { Overview } from "../host/bindings";
import type { Host } from "../host/host";
import { Reads } from "./reads.svelte";

/** Loops of each section that are shown at first, and that each “Show more” adds. */
export const STEP = 50;

/** What a lead sees of all loops, as long as the page is open. */
export class OverviewState extends Reads {
  /** Nothing before it was read. */
  overview: Overview | null = $state.raw(null);

  readonly #host: Host;
  #most = STEP;
  #closed = false;

  constructor(host: Host) {
    super();
    this.#host = host;
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

  protected async readOnce(): Promise<void> {
    const read = await this.#host.overview(this.#most);
    this.overview = read;
    // Facts that are still being counted come with the next answer.
    if (read.left > 0 && !this.#closed) void this.read();
  }
}
