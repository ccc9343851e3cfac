/** Work one at a time, and the newest asked for comes last: what is asked for meanwhile is done once more at the end. */
export class Turns {
  readonly #once: () => Promise<void>;
  #working = false;
  #again = false;

  /** `once` keeps its failures to itself. */
  constructor(once: () => Promise<void>) {
    this.#once = once;
  }

  async take(): Promise<void> {
    if (this.#working) {
      this.#again = true;
      return;
    }
    this.#working = true;
    do {
      this.#again = false;
      await this.#once();
    } while (this.#again);
    this.#working = false;
  }
}
