import { getContext, setContext } from "svelte";
import type { Failure, LoopRow, RunRow } from "../../../host/bindings";
import { asFailure } from "../../../host/failure";
import type { Host } from "../../../host/host";

/** How often the list of runs is requested at most, in milliseconds, unless the work changed. */
const EVERY = 2_000;

/** What Loopdeck ran for one loop. Follows the loop's row: nothing is asked for while nothing happens. */
export class LoopRuns {
  /** Newest first. */
  runs: readonly RunRow[] = $state.raw([]);
  loaded = $state(false);
  failure: Failure | null = $state.raw(null);

  readonly key: string;
  readonly #host: Host;
  #seen = "";
  #asked = -Infinity;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #asking = false;
  #again = false;

  constructor(host: Host, key: string) {
    this.#host = host;
    this.key = key;
  }

  /**
   * The row changed. What is known of the work in it decides whether the list is asked for at once
   * or soon. The row of a loop on another machine says nothing of its work: soon.
   */
  follow(row: LoopRow, isElsewhere = false): void {
    const { run } = row;
    const about = JSON.stringify([run?.alive, run?.action, run?.agent, run?.stop, row.iteration?.current]);
    if (about !== this.#seen) {
      this.#seen = about;
      void this.read();
    } else if ((run ?? isElsewhere) && this.#timer === null) {
      const wait = Math.max(0, this.#asked + EVERY - performance.now());
      this.#timer = setTimeout(() => {
        this.#timer = null;
        void this.read();
      }, wait);
    }
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** One question at a time; questions meanwhile are combined into one more at the end. */
  async read(): Promise<void> {
    if (this.#asking) {
      this.#again = true;
      return;
    }
    this.#asking = true;
    do {
      this.#again = false;
      this.#asked = performance.now();
      await this.#once();
    } while (this.#again);
    this.#asking = false;
  }

  async #once(): Promise<void> {
    try {
      this.runs = await this.#host.runs.runs(this.key);
      this.failure = null;
    } catch (reason) {
      this.failure = asFailure(reason);
    }
    this.loaded = true;
  }
}

const RUNS = Symbol("runs");

/** One list for all parts of the page of a loop. */
export function provideRuns(runs: LoopRuns): LoopRuns {
  return setContext(RUNS, runs);
}

/** That list, or a separate one where none is provided. */
export function useRuns(host: Host, key: string): LoopRuns {
  return getContext<LoopRuns | undefined>(RUNS) ?? new LoopRuns(host, key);
}
