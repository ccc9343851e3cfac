import type { TrendQuery, Trends } from "../host/bindings";
import type { Host } from "../host/host";
import { Reads } from "./reads.svelte";

/** Trends of what a person asks for, read until every loop is counted. */
export class TrendsState extends Reads {
  /** Nothing before they were read. */
  trends: Trends | null = $state.raw(null);

  readonly #host: Host;
  #query: TrendQuery | null = null;
  #closed = false;

  constructor(host: Host) {
    super();
    this.#host = host;
  }

  ask(query: TrendQuery): Promise<void> {
    this.#query = query;
    return this.read();
  }

  close(): void {
    this.#closed = true;
  }

  protected async readOnce(): Promise<void> {
    const query = this.#query;
    if (!query || this.#closed) return;
    this.trends = await this.#host.trends(query);
    if (this.trends.left > 0) void this.read();
  }
}
