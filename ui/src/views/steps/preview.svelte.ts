import type { AotChange, AotEffects, Refusal } from "../../host/bindings";
import type { Host } from "../../host/host";
import { Read, type Asking } from "../../state/query.svelte";

/** How long nothing is typed before the host is asked, in milliseconds. */
const PAUSE = 200;

/** What a redirect would do, told while its form is filled in. */
export class Preview extends Read<AotEffects, AotChange> {
  protected override readonly between = "keep";
  readonly #host: Host;
  readonly #key: string;

  constructor(host: Host, key: string) {
    super();
    this.#host = host;
    this.#key = key;
  }

  /** Why the change cannot be written; nothing while that is not known of the present form. */
  get refusal(): Refusal | null {
    return this.reading ? null : (this.failure?.refusal ?? null);
  }

  protected async readOnce(change: AotChange, { signal }: Asking<AotEffects>): Promise<AotEffects> {
    await new Promise((done) => setTimeout(done, PAUSE));
    signal.throwIfAborted();
    return this.#host.redirectEffects(this.#key, change);
  }
}
