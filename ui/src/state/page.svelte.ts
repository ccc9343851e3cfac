import type { Failure, LoopPage } from "../host/bindings";
import { asFailure } from "../host/failure";
import type { Host } from "../host/host";
import { Turns } from "./turns";

/** The opened loop's page. Reads follow the row: one at a time, and the newest asked for always comes last. */
export class OpenPage {
  page: LoopPage | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);

  readonly key: string;
  readonly #host: Host;
  readonly #turns = new Turns(() => this.#readOnce());

  constructor(host: Host, key: string) {
    this.#host = host;
    this.key = key;
  }

  read(): Promise<void> {
    return this.#turns.take();
  }

  async #readOnce(): Promise<void> {
    try {
      this.page = await this.#host.openLoop(this.key);
      this.failure = null;
    } catch (reason) {
      // The last page stays: a person in the middle of reading keeps what was there.
      this.failure = asFailure(reason);
    }
  }
}
