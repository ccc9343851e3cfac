import type { VersionView } from "../host/bindings";
import type { Host } from "../host/host";
import { Reads } from "./reads.svelte";

const FIRST = 100;

/** The kept versions of a loop, newest first. Reads follow the file. */
export class History extends Reads {
  /** Null until the first answer. */
  versions: readonly VersionView[] | null = $state.raw(null);
  /** There may be older ones than those here. */
  more = $state(false);

  readonly key: string;
  readonly #host: Host;
  #limit = FIRST;

  constructor(host: Host, key: string) {
    super();
    this.#host = host;
    this.key = key;
  }

  async readOlder(): Promise<void> {
    this.#limit *= 2;
    await this.read();
  }

  protected async readOnce(): Promise<void> {
    const limit = this.#limit;
    const versions = await this.#host.history(this.key, limit);
    this.more = versions.length === limit;
    this.versions = versions;
  }
}
