import { getContext, setContext } from "svelte";
import type { LoopRow, RunRow } from "../../../host/bindings";
import type { Host } from "../../../host/host";
import { Read } from "../../../state/query.svelte";

/** How often the list of runs is requested at most, in milliseconds, unless the work changed. */
const EVERY = 2_000;

/** What Loopdeck ran for one loop. Follows the loop's row: nothing is asked for while nothing happens. */
export class LoopRuns extends Read<readonly RunRow[]> {
  readonly key: string;
  readonly #host: Host;
  #seen = "";
  #asked = -Infinity;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(host: Host, key: string) {
    super();
    this.#host = host;
    this.key = key;
  }

  /** Newest first. */
  get runs(): readonly RunRow[] {
    return this.value ?? [];
  }

  /**
   * The row changed. What is known of the work in it decides whether the list is asked for at once
   * or soon. The row of a loop on another machine says nothing of its work: soon.
   */
  followRow(row: LoopRow, isElsewhere = false): void {
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

  protected readOnce(): Promise<RunRow[]> {
    this.#asked = performance.now();
    return this.#host.runs.runs(this.key);
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
