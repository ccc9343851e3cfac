/**
 * Work one at a time, the newest request last: requests meanwhile are combined into one more at the
 * end.
 */
export class Turns {
  readonly #once: () => Promise<void>;
  #working: Promise<void> | null = null;
  #again = false;

  /** `once` keeps its failures to itself. */
  constructor(once: () => Promise<void>) {
    this.#once = once;
  }

  /** Done when what is asked for now was done. */
  take(): Promise<void> {
    this.#again = true;
    this.#working ??= this.#work();
    return this.#working;
  }

  async #work(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      await this.#once();
    }
    this.#working = null;
  }
}
