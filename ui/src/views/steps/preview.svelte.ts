import type { AotChange, AotEffects, Failure, Refusal } from "../../host/bindings";
import { asFailure } from "../../host/failure";
import type { Host } from "../../host/host";

/** How long nothing is typed before the host is asked, in milliseconds. */
const PAUSE = 200;

/** What a redirect would do, told while its form is filled in. Of several answers only the newest counts. */
export class Preview {
  effects: AotEffects | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);
  /** What is shown belongs to an earlier form. */
  waiting = $state(false);

  readonly #host: Host;
  readonly #key: string;
  #asked = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: Host, key: string) {
    this.#host = host;
    this.#key = key;
  }

  /** Why the change cannot be written; nothing while that is not known of the present form. */
  get refusal(): Refusal | null {
    return this.waiting ? null : (this.failure?.refusal ?? null);
  }

  /** Asks soon; nothing to ask for means nothing to show. */
  ask(change: AotChange | null): void {
    this.#asked += 1;
    clearTimeout(this.#timer);
    this.waiting = change !== null;
    if (change === null) {
      this.effects = null;
      this.failure = null;
    } else {
      const number = this.#asked;
      this.#timer = setTimeout(() => void this.#tell(number, change), PAUSE);
    }
  }

  /** Later answers are no longer shown. */
  end(): void {
    this.#asked += 1;
    clearTimeout(this.#timer);
  }

  async #tell(number: number, change: AotChange): Promise<void> {
    let effects: AotEffects | null = null;
    let failure: Failure | null = null;
    try {
      effects = await this.#host.redirectEffects(this.#key, change);
    } catch (reason) {
      failure = asFailure(reason);
    }
    if (number !== this.#asked) return;
    this.effects = effects;
    this.failure = failure;
    this.waiting = false;
  }
}
