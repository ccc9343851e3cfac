import type { Direction, Drawing } from "../../../host/bindings";
import type { Host } from "../../../host/host";
import { Read } from "../../../state/query.svelte";

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

/** The drawing of a loop's work. */
export class Drawings extends Read<Drawn> {
  readonly #host: Host;
  readonly #key: string;
  readonly #kept: Kept;
  #wanted: { direction: Direction; closed: string[] } = { direction: "down", closed: [] };

  /** What is kept is there at once: a tab that is shown again is drawn once. */
  constructor(host: Host, key: string, kept: Kept) {
    super();
    this.#host = host;
    this.#key = key;
    this.#kept = kept;
    this.value = kept.drawn;
  }

  /** Asks for one, after the one that is being made. */
  draw(direction: Direction, closed: readonly string[]): Promise<void> {
    this.#wanted = { direction, closed: [...closed] };
    return this.read();
  }

  protected async readOnce(): Promise<Drawn> {
    const { direction, closed } = this.#wanted;
    const drawn = { drawing: await this.#host.drawing(this.#key, direction, closed), direction };
    const few = drawn.drawing.units.length <= MOST_KEPT;
    // Where nothing changed, what is on screen stays.
    const shown = few && this.value && same(this.value, drawn) ? this.value : drawn;
    this.#kept.drawn = few ? shown : null;
    return shown;
  }
}
