import { untrack } from "svelte";
import type { RunHost } from "../../../host/run-host";
import { Deed } from "../../../state/deed.svelte";

const DOUBLE_CLICK = 300;
const SECOND = 500;

/** A program that runs for a form as long as the form is there, begun and stopped by one button. Made with its component. */
export class Trial extends Deed {
  going: { readonly id: string; readonly began: number; stopping: boolean } | null = $state(null);
  /** So long it runs, in milliseconds. */
  readonly took: number = $derived.by(() => this.#now - (this.going?.began ?? this.#now));
  #now = $state(0);
  readonly #runs: RunHost;

  constructor(runs: RunHost) {
    super();
    this.#runs = runs;
    $effect(() => {
      if (!this.going) return;
      const timer = setInterval(() => (this.#now = Date.now()), SECOND);
      return () => clearInterval(timer);
    });
    // What is no longer shown is not left running.
    $effect(() => () => untrack(() => this.#stop()));
  }

  /** Begins, with the id that the program gets; or stops what runs. A second click of a double click is no wish to stop. */
  press(begin: (id: string) => Promise<unknown>): void {
    if (!this.going) void this.#run(begin);
    else if (Date.now() - this.going.began > DOUBLE_CLICK) this.#stop();
  }

  async #run(begin: (id: string) => Promise<unknown>): Promise<void> {
    const id = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
    this.#now = Date.now();
    this.going = { id, began: this.#now, stopping: false };
    await this.do(() => begin(id));
    this.going = null;
  }

  #stop(): void {
    if (!this.going || this.going.stopping) return;
    this.going.stopping = true;
    void this.#runs.stopTry(this.going.id).catch(() => undefined);
  }
}
