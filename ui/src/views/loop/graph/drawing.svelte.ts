import type { Direction, Drawing, Failure } from "../../../host/bindings";
import { asFailure } from "../../../host/failure";
import type { Host } from "../../../host/host";

/** A drawing with the direction it was asked for. */
export interface Drawn {
  readonly drawing: Drawing;
  readonly direction: Direction;
}

/** Asks for drawings, one at a time; the newest asked for always comes last. The last one stays meanwhile. */
export class Drawings {
  drawn: Drawn | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);

  readonly #host: Host;
  readonly #key: string;
  #wanted: { direction: Direction; closed: string[] } | null = null;
  #busy = false;

  constructor(host: Host, key: string) {
    this.#host = host;
    this.#key = key;
  }

  async ask(direction: Direction, closed: readonly string[]): Promise<void> {
    this.#wanted = { direction, closed: [...closed] };
    if (this.#busy) return;
    this.#busy = true;
    while (this.#wanted) {
      const { direction: way, closed: ids } = this.#wanted;
      this.#wanted = null;
      try {
        this.drawn = { drawing: await this.#host.drawing(this.#key, way, ids), direction: way };
        this.failure = null;
      } catch (reason) {
        this.failure = asFailure(reason);
      }
    }
    this.#busy = false;
  }
}
