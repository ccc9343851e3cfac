import type { Failure, VersionView } from "../host/bindings";
import { asFailure } from "../host/failure";
import type { Host } from "../host/host";
import { Turns } from "./turns";

const FIRST = 100;

/** The kept versions of a loop, newest first. Reads follow the file: one at a time, and the newest asked for comes last. */
export class History {
  /** Null until the first answer. */
  versions: readonly VersionView[] | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);
  /** There may be older ones than those here. */
  more = $state(false);

  readonly key: string;
  readonly #host: Host;
  #limit = FIRST;
  readonly #turns = new Turns(() => this.#readOnce());

  constructor(host: Host, key: string) {
    this.#host = host;
    this.key = key;
  }

  read(): Promise<void> {
    return this.#turns.take();
  }

  async readOlder(): Promise<void> {
    this.#limit *= 2;
    await this.read();
  }

  async #readOnce(): Promise<void> {
    const limit = this.#limit;
    try {
      const versions = await this.#host.history(this.key, limit);
      this.more = versions.length === limit;
      this.versions = versions;
      this.failure = null;
    } catch (reason) {
      this.failure = asFailure(reason);
    }
  }
}
