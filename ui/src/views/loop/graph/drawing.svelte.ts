import type { Direction, Drawing, Failure } from "../../../host/bindings";
import { asFailure } from "../../../host/failure";
import type { Host } from "../../../host/host";

/** A drawing with the direction it was asked for. */
export interface Drawn {
  readonly drawing: Drawing;
  readonly direction: Direction;
}

/** Where the last drawing of a loop is kept, for the next time that its work is shown. */
export interface Kept {
  drawn: Drawn | null;
}

/** Drawings of more units are not kept. */
const MOST_KEPT = 1_000;

const same = (one: Drawn | null, other: Drawn) => JSON.stringify(one) === JSON.stringify(other);

/** Asks for drawings, one at a time; the newest asked for always comes last. The last one stays meanwhile. */
export class Drawings {
  drawn: Drawn | null;
  failure: Failure | null = $state.raw(null);

  readonly #host: Host;
  readonly #key: string;
  readonly #kept: Kept;
  #wanted: { direction: Direction; closed: string[] } | null = null;
  #asked: { direction: Direction; closed: string[] } | null = null;
  #busy = false;

  /** What is kept is there at once: a tab that is shown again is drawn once. */
  constructor(host: Host, key: string, kept: Kept) {
    this.#host = host;
    this.#key = key;
    this.#kept = kept;
    this.drawn = $state.raw(kept.drawn);
  }

  #take(drawn: Drawn): void {
    const few = drawn.drawing.units.length <= MOST_KEPT;
    // Where nothing changed, what is on screen stays.
    if (!few || !same(this.drawn, drawn)) this.drawn = drawn;
    this.#kept.drawn = few ? this.drawn : null;
  }

  /** Asks again for what did not come. */
  retry(): void {
    if (this.#asked) void this.ask(this.#asked.direction, this.#asked.closed);
  }

  async ask(direction: Direction, closed: readonly string[]): Promise<void> {
    this.#wanted = this.#asked = { direction, closed: [...closed] };
    if (this.#busy) return;
    this.#busy = true;
    while (this.#wanted) {
      const { direction: way, closed: ids } = this.#wanted;
      this.#wanted = null;
      try {
        this.#take({ drawing: await this.#host.drawing(this.#key, way, ids), direction: way });
        this.failure = null;
      } catch (reason) {
        this.failure = asFailure(reason);
      }
    }
    this.#busy = false;
  }
}
