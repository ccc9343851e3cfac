import type { Failure, LoopRow, LoopSummary } from "../../../host/bindings";
import { asFailure } from "../../../host/failure";
import type { Host } from "../../../host/host";
import { Turns } from "../../../state/turns";

/** What happened in one loop. Follows the loop's row. */
export class Summary {
  now: LoopSummary | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);

  readonly #host: Host;
  readonly #key: string;
  readonly #turns = new Turns(() => this.#readOnce());
  #seen = "";

  constructor(host: Host, key: string) {
    this.#host = host;
    this.#key = key;
  }

  /** Only a new version of the file and the end of a run change what is told. */
  follow({ changed, word, run }: LoopRow): void {
    const about = JSON.stringify([changed, word, run?.alive, run?.action]);
    if (about === this.#seen) return;
    this.#seen = about;
    void this.read();
  }

  read(): Promise<void> {
    return this.#turns.take();
  }

  async #readOnce(): Promise<void> {
    try {
      this.now = await this.#host.loopSummary(this.#key);
      this.failure = null;
    } catch (reason) {
      this.failure = asFailure(reason);
    }
  }
}
