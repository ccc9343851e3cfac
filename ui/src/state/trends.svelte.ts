import type { Failure, TrendQuery, Trends } from "../host/bindings";
import { asFailure } from "../host/failure";
import type { Host } from "../host/host";
import { Turns } from "./turns";

/** Trends of what a person asks for, read until every loop is counted. */
export class TrendsState {
  /** Nothing before they were read. */
  trends: Trends | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);

  readonly #host: Host;
  readonly #turns = new Turns(() => this.#once());
  #query: TrendQuery | null = null;
  #closed = false;

  constructor(host: Host) {
    this.#host = host;
  }

  read(query: TrendQuery): Promise<void> {
    this.#query = query;
    return this.#turns.take();
  }

  /** Asks the same again. */
  retry(): Promise<void> {
    return this.#turns.take();
  }

  close(): void {
    this.#closed = true;
  }

  async #once(): Promise<void> {
    const query = this.#query;
    if (!query || this.#closed) return;
    try {
      this.trends = await this.#host.trends(query);
      this.failure = null;
      if (this.trends.left > 0) void this.#turns.take();
    } catch (reason) {
      this.failure = asFailure(reason);
    }
  }
}
