import type { VersionView } from "../host/bindings";
import type { Host } from "../host/host";
import { Reads } from "./reads.svelte";

const FIRST = 100;

/** The kept versions of one file of a loop, newest first. Reads follow the file. */
export class History extends Reads {
  /** Null until the first answer. */
  versions: readonly VersionView[] | null = $state.raw(null);
  /** There may be older ones than those here. */
  more = $state(false);

  readonly #host: Host;
  readonly #key: string;
  /** Name of a document; null for the state file. */
  readonly #document: string | null;
  #limit = FIRST;

  constructor(host: Host, key: string, document: string | null) {
    super();
    this.#host = host;
    this.#key = key;
    this.#document = document;
  }

  async readOlder(): Promise<void> {
    this.#limit *= 2;
    await this.read();
  }

  protected async readOnce(): Promise<void> {
    const [limit, name] = [this.#limit, this.#document];
    const versions = await (name === null
      ? this.#host.history(this.#key, limit)
      : this.#host.documentHistory(this.#key, name, limit));
    this.more = versions.length === limit;
    this.versions = versions;
  }
}
